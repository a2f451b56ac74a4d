//! The properties of the fuzz targets, on their corpora and on every fixture: a crash that was found stays found.

#[path = "../../fuzz/properties.rs"]
mod properties;

use properties::TARGETS;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() { below(&path, found) } else { found.push(path) }
    }
}

#[test]
fn corpora_and_fixtures_keep_the_properties() {
    let mut fixtures = Vec::new();
    for folder in ["tests/fixtures", "src/agents/stream/fixtures", "keymaps", "themes", "assets"] {
        below(&Path::new(ROOT).join(folder), &mut fixtures);
    }
    assert!(fixtures.len() > 50, "{}", fixtures.len());
    for (name, property) in TARGETS {
        let mut corpus = Vec::new();
        below(&Path::new(ROOT).join("fuzz/corpus").join(name), &mut corpus);
        assert!(!corpus.is_empty(), "{name} has no corpus");
        for path in corpus.iter().chain(&fixtures) {
            let bytes = fs::read(path).unwrap();
            let held = std::panic::catch_unwind(|| property(&bytes));
            assert!(held.is_ok(), "{name}: {}", path.display());
        }
    }
}

#[test]
fn every_target_has_its_file_and_its_entry() {
    let manifest = fs::read_to_string(Path::new(ROOT).join("fuzz/Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(Path::new(ROOT).join(format!("fuzz/targets/{name}.rs")).is_file(), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
