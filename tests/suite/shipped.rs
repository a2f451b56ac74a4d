//! The files that ship and that people copy: assets, themes, keymaps.

use crate::source::{relative, root, tracked};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// What a theme gives a colour, in the order of the files.
const ROLES: [&str; 25] = [
    "text",
    "muted",
    "border",
    "focus",
    "selection",
    "running",
    "waiting",
    "done",
    "failed",
    "escalated",
    "gate",
    "writer",
    "peer-1",
    "peer-2",
    "peer-3",
    "peer-4",
    "peer-5",
    "peer-6",
    "diff-add",
    "diff-del",
    "warning",
    "link",
    "code-keyword",
    "code-string",
    "code-name",
];

/// The screens that have keys of their own, and `global`, whose keys work on all of them.
const CONTEXTS: [&str; 14] = [
    "global", "deck", "session", "question", "gate", "report", "library", "replay", "pipeline", "trace",
    "new", "reader", "menu", "confirm",
];

fn yaml(folder: &str) -> Vec<PathBuf> {
    let inside = |p: &PathBuf| relative(p).starts_with(folder) && p.extension().is_some_and(|e| e == "yaml");
    tracked().into_iter().filter(inside).collect()
}

fn read(path: &PathBuf) -> Map<String, Value> {
    let text = fs::read_to_string(path).unwrap();
    flightdeck::store::yaml::mapping(&text).unwrap_or_else(|e| panic!("{}: {e}", relative(path)))
}

fn names(paths: &[PathBuf]) -> BTreeSet<String> {
    paths.iter().map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_yaml_file_parses_and_explains_itself() {
    let files: Vec<PathBuf> = ["assets/", "themes/", "keymaps/"].into_iter().flat_map(yaml).collect();
    assert!(files.len() > 10, "the files are where they were");
    for file in files {
        assert!(!read(&file).is_empty(), "{} is empty", relative(&file));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# "), "{} does not open with a comment", relative(&file));
    }
}

#[test]
fn every_theme_gives_every_role_a_colour() {
    let files = yaml("themes/");
    for name in ["default", "dark", "light", "high-contrast"] {
        assert!(names(&files).contains(name), "{name}");
    }
    for file in files {
        let theme = read(&file);
        assert_eq!(theme.keys().collect::<Vec<_>>(), ["roles"], "{}", relative(&file));
        let roles = theme["roles"].as_object().unwrap();
        assert_eq!(roles.keys().map(String::as_str).collect::<Vec<_>>(), ROLES, "{}", relative(&file));
        for (role, colour) in roles {
            let parsed = serde_json::from_value::<ratatui::style::Color>(colour.clone());
            assert!(parsed.is_ok(), "{}: {role}: {colour}", relative(&file));
        }
    }
}

#[test]
fn the_default_theme_uses_only_the_terminals_own_colours() {
    use ratatui::style::Color;
    for (role, colour) in read(&root().join("themes/default.yaml"))["roles"].as_object().unwrap() {
        let colour: Color = serde_json::from_value(colour.clone()).unwrap();
        assert!(!matches!(colour, Color::Rgb(..) | Color::Indexed(_)), "{role}: {colour}");
    }
}

/// Context → key → action.
type Keymap = BTreeMap<String, BTreeMap<String, String>>;

/// Reading refuses a key that stands twice in a context.
fn keymap(path: &PathBuf) -> Keymap {
    let text = fs::read_to_string(path).unwrap();
    flightdeck::store::yaml::read(&text).unwrap_or_else(|e| panic!("{}: {e}", relative(path)))
}

/// What is wrong within one keymap: a key of `global` used again, and a key that begins a sequence.
fn clashes(keymap: &Keymap) -> Vec<String> {
    let empty = BTreeMap::new();
    let global = keymap.get("global").unwrap_or(&empty);
    let mut found = Vec::new();
    for (context, keys) in keymap {
        let shared = if context == "global" { &empty } else { global };
        found.extend(
            keys.keys()
                .filter(|k| shared.contains_key(*k))
                .map(|k| format!("{context}: {k} is a global key")),
        );
        let all: BTreeSet<&String> = keys.keys().chain(shared.keys()).collect();
        for key in &all {
            let begins =
                |k: &&&String| k.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with(' '));
            found.extend(all.iter().find(begins).map(|k| format!("{context}: {key} begins {k}")));
        }
    }
    found
}

fn actions(keymap: &Keymap) -> BTreeMap<&str, BTreeSet<&str>> {
    keymap
        .iter()
        .map(|(context, keys)| (context.as_str(), keys.values().map(String::as_str).collect()))
        .collect()
}

#[test]
fn the_keymaps_bind_the_same_actions_without_clashes() {
    let files = yaml("keymaps/");
    assert_eq!(names(&files), ["default", "emacs", "vim"].map(String::from).into());
    let default = keymap(&root().join("keymaps/default.yaml"));
    assert_eq!(default.keys().map(String::as_str).collect::<BTreeSet<_>>(), CONTEXTS.into());
    for file in files {
        let keymap = keymap(&file);
        assert_eq!(clashes(&keymap), Vec::<String>::new(), "{}", relative(&file));
        assert_eq!(actions(&keymap), actions(&default), "{}", relative(&file));
    }
}

#[test]
fn clashing_keys_are_found() {
    let read = |text: &str| flightdeck::store::yaml::read::<Keymap>(text);
    assert!(read("deck: {j: down, j: up}").is_err(), "a key twice in a context");
    let clash = read("global: {q: quit, 'Ctrl+x c': quit}\ndeck: {q: open, g: first, g g: last, Ctrl+x: up}")
        .unwrap();
    assert_eq!(
        clashes(&clash),
        ["deck: q is a global key", "deck: Ctrl+x begins Ctrl+x c", "deck: g begins g g"].map(String::from)
    );
}
