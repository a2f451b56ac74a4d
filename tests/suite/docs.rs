//! The documents say what is so: the paths, commands and settings they name exist.

use crate::bin::Bin;
use crate::source::{relative, root, tracked};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Every Markdown file that is ours, not a session's.
fn documents() -> Vec<(PathBuf, String)> {
    let ours = |p: &PathBuf| p.extension().is_some_and(|e| e == "md") && !relative(p).starts_with("tests/");
    tracked().into_iter().filter(ours).map(|p| (p.clone(), fs::read_to_string(p).unwrap())).collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn every_path_that_a_document_names_exists() {
    let code = Regex::new(r"`((?:src|tests|assets|themes|keymaps|docs|benches|\.ci)/[\w./-]*)`").unwrap();
    let link = Regex::new(r"\]\(([^)#:]+)\)").unwrap();
    let mut missing = Vec::new();
    for (path, text) in documents() {
        let folder = path.parent().unwrap();
        let named = code.captures_iter(&text).map(|c| root().join(&c[1]));
        let linked = link.captures_iter(&text).map(|c| folder.join(&c[1]));
        let lost = named.chain(linked).filter(|p| !p.exists());
        missing.extend(lost.map(|p| format!("{}: {}", relative(&path), relative(&p))));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_module_that_the_architecture_names_exists() {
    let module = Regex::new(r"`((?:domain|store|agents|git|config|engine|ui|cli)(?:::[a-z_]+)+)").unwrap();
    let text = read("ARCHITECTURE.md") + &read("docs/decisions.md");
    let named: BTreeSet<String> = module.captures_iter(&text).map(|c| c[1].replace("::", "/")).collect();
    assert!(named.len() > 15, "{named:?}");
    let missing: Vec<_> = named.iter().filter(|m| !root().join(format!("src/{m}.rs")).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_architecture_names_every_layer() {
    let text = read("ARCHITECTURE.md");
    for entry in fs::read_dir(root().join("src")).unwrap().flatten().filter(|e| e.path().is_dir()) {
        let layer = entry.file_name().into_string().unwrap();
        assert!(text.contains(&format!("| `src/{layer}` |")), "{layer}");
    }
}

#[test]
fn the_readme_shows_every_command_and_no_other() {
    let help = Bin::new().run(&["--help"]).stdout;
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let word = Regex::new(r"(?m)^  ([a-z]+)").unwrap();
    let commands: BTreeSet<String> = word.captures_iter(list).map(|c| c[1].to_string()).collect();
    assert!(commands.contains("new"), "{help}");
    let shown = Regex::new(r"(?m)(?:^|`)(?:flightdeck|cargo run --release --) ([a-z]+)").unwrap();
    let text = read("README.md");
    let shown: BTreeSet<String> = shown.captures_iter(&text).map(|c| c[1].to_string()).collect();
    assert_eq!(shown, commands);
}

#[test]
fn the_readmes_configuration_is_accepted() {
    let text = read("README.md");
    let example = text.split_once("```yaml\n").unwrap().1.split_once("```").unwrap().0;
    let bin = Bin::new();
    let folder = bin.path().join("home/.config/flightdeck");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.yaml"), example).unwrap();
    for command in ["config", "doctor"] {
        let ran = bin.run(&[command]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{command}");
        assert!(ran.stdout.contains("alpha"), "{command}: {}", ran.stdout);
    }
}

#[test]
fn the_changelog_has_a_place_for_what_is_new() {
    let text = read("CHANGELOG.md");
    assert!(text.contains("\n## [Unreleased]\n"));
    let version = env!("CARGO_PKG_VERSION");
    assert!(version == "0.1.0" || text.contains(&format!("\n## [{version}]")), "{version} has no section");
}

#[test]
fn the_readmes_first_command_works() {
    let bin = Bin::new();
    let sessions = bin.path().join("work/sessions");
    let ran = bin.run(&["demo", "--headless", "--speed", "0", "--sessions-dir", &sessions.to_string_lossy()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(sessions.join("00-index.md").exists());
    assert!(ran.stdout.contains("<tmp>/work/sessions"), "it says where: {}", ran.stdout);
}
