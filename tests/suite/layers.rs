//! Who may know whom (ARCHITECTURE.md, "Layers"): read from the sources, so that a forbidden `use` fails a test.

use crate::source::{Source, sources};

struct Layer {
    name: &'static str,
    /// Layers, or modules of layers, that it may name.
    may: &'static [&'static str],
    /// Paths that it must not name, whatever crate they come from.
    banned: &'static [&'static str],
}

const LAYERS: &[Layer] = &[
    Layer {
        name: "domain",
        may: &[],
        banned: &[
            "std::fs",
            "std::io",
            "std::env",
            "std::net",
            "std::process",
            "std::thread",
            "std::time::Instant",
            "std::time::SystemTime",
            "tokio",
            "serde_json",
            "serde_yaml",
            "jiff",
            "rustix",
            "notify",
            "git2",
            "ratatui",
            "crossterm",
        ],
    },
    Layer {
        name: "store",
        may: &["domain"],
        banned: &["std::process::Command", "std::env", "tokio", "git2", "ratatui", "crossterm"],
    },
    Layer { name: "agents", may: &["domain"], banned: &["git2", "notify", "ratatui", "crossterm"] },
    Layer { name: "git", may: &["domain"], banned: &["tokio", "notify", "ratatui", "crossterm"] },
    Layer {
        name: "config",
        may: &["domain", "store::yaml"],
        banned: &["std::process", "tokio", "git2", "notify", "ratatui", "crossterm"],
    },
    Layer {
        name: "engine",
        may: &["domain", "store", "agents", "git", "config"],
        banned: &["git2", "ratatui", "crossterm", "tui_textarea"],
    },
    Layer {
        name: "ui",
        may: &["domain", "engine", "config"],
        banned: &["std::fs", "std::process", "std::net", "git2", "notify", "rustix"],
    },
    Layer {
        name: "cli",
        may: &["domain", "store", "agents", "git", "config", "engine", "ui"],
        banned: &["git2"],
    },
];

#[test]
fn every_layer_names_only_what_it_may() {
    let found: Vec<String> = sources("src").iter().flat_map(violations).collect();
    assert!(found.is_empty(), "see ARCHITECTURE.md, \"Layers\":\n{}", found.join("\n"));
}

#[test]
fn every_module_belongs_to_a_layer() {
    let strays: Vec<String> =
        sources("src").into_iter().map(|s| s.path).filter(|p| layer(p).is_none() && !is_top(p)).collect();
    assert!(strays.is_empty(), "not a layer of ARCHITECTURE.md: {strays:?}");
}

/// The files above the layers.
fn is_top(path: &str) -> bool {
    matches!(path, "src/lib.rs" | "src/main.rs")
}

fn layer(path: &str) -> Option<&'static Layer> {
    let name = path.strip_prefix("src/")?.split(['/', '.']).next()?;
    LAYERS.iter().find(|l| l.name == name)
}

fn violations(source: &Source) -> Vec<String> {
    let Some(layer) = layer(&source.path) else { return Vec::new() };
    let shipped = source.shipped();
    let mut found = Vec::new();
    for (offset, path) in paths(&shipped) {
        let place = || source.place(offset);
        if let Some(inner) = from_root(&path, depth(&source.path)) {
            let target = inner.split("::").next().unwrap_or_default();
            let known = LAYERS.iter().any(|l| l.name == target) && target != layer.name;
            if known && !layer.may.iter().any(|may| is_below(&inner, may)) {
                found.push(format!("{}: {} must not know {inner}", place(), layer.name));
            }
        } else if let Some(banned) = layer.banned.iter().find(|banned| is_below(&path, banned)) {
            found.push(format!("{}: {} must not use {banned} ({path})", place(), layer.name));
        }
    }
    found
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// How many `super::` lead from a file to the crate's root.
fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// The path below the crate's root, for `crate::…` and for a chain of `super::` that reaches the root.
fn from_root(path: &str, depth: usize) -> Option<String> {
    if let Some(inner) = path.strip_prefix("crate::") {
        return Some(inner.to_string());
    }
    let segments: Vec<&str> = path.split("::").collect();
    let supers = segments.iter().take_while(|s| **s == "super").count();
    (supers > 0).then(|| if supers >= depth { segments[supers..].join("::") } else { String::new() })
}

/// Every path in the code with its offset; `a::{b, c::d}` counts as `a::b` and `a::c::d`.
fn paths(code: &str) -> Vec<(usize, String)> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let starts_word = is_word(bytes[at]) && (at == 0 || !is_word(bytes[at - 1]));
        // `x.tokio` is a field and `a::tokio` was taken with `a`.
        let continues = at > 0 && matches!(bytes[at - 1], b'.' | b'\'');
        if starts_word && !continues {
            at = tree(code, at, String::new(), at, &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path or use tree from `at`; returns where it ends.
fn tree(code: &str, mut at: usize, prefix: String, start: usize, found: &mut Vec<(usize, String)>) -> usize {
    let bytes = code.as_bytes();
    let mut path = prefix;
    loop {
        let end = at + bytes[at..].iter().take_while(|b| is_word(**b)).count();
        if end > at {
            path.push_str(&code[at..end]);
        }
        at = end;
        if !code[at..].starts_with("::") {
            break;
        }
        at += 2;
        let next = at + space(&bytes[at..]);
        match bytes.get(next) {
            Some(b'{') => return group(code, next + 1, &path, found),
            Some(b) if is_word(*b) => {
                path.push_str("::");
                at = next;
            }
            // A glob or a turbofish: the path ends here.
            _ => break,
        }
    }
    if !path.is_empty() {
        found.push((start, path));
    }
    at
}

fn group(code: &str, mut at: usize, path: &str, found: &mut Vec<(usize, String)>) -> usize {
    let bytes = code.as_bytes();
    while at < bytes.len() {
        at += space(&bytes[at..]);
        match bytes.get(at) {
            Some(b'}') => return at + 1,
            Some(b) if is_word(*b) => at = tree(code, at, format!("{path}::"), at, found),
            _ => at += 1,
        }
    }
    at
}

fn space(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[test]
fn a_forbidden_path_is_found_however_it_is_spelt() {
    let cases = [
        ("src/domain/x.rs", "use crate::store::load;", "domain must not know store::load"),
        ("src/domain/x.rs", "use crate::{domain::lang, engine};", "domain must not know engine"),
        ("src/domain/a/b.rs", "use super::super::super::ui::x;", "domain must not know ui::x"),
        ("src/domain.rs", "fn f() { super::agents::call() }", "domain must not know agents::call"),
        ("src/domain/x.rs", "use std::{fmt, fs::File};", "domain must not use std::fs (std::fs::File)"),
        ("src/domain/x.rs", "fn f() -> serde_json::Value {}", "domain must not use serde_json"),
        ("src/store/x.rs", "fn f() { crate::agents::run() }", "store must not know agents::run"),
        ("src/agents/x.rs", "use crate::store;", "agents must not know store"),
        (
            "src/agents/x.rs",
            "use crate::{\n    engine::{run, desk},\n};",
            "agents must not know engine::desk",
        ),
        ("src/config/x.rs", "use crate::store::{yaml, write};", "config must not know store::write"),
        ("src/ui/view/x.rs", "use crate::store::load::load;", "ui must not know store::load::load"),
        ("src/ui/x.rs", "let x = std::process::id();", "ui must not use std::process"),
        ("src/engine/x.rs", "use ratatui::style::Color;", "engine must not use ratatui"),
        ("src/engine/x.rs", "use crate::cli;", "engine must not know cli"),
    ];
    for (path, text, expected) in cases {
        let found = violations(&Source::new(path, text)).join("\n");
        assert!(found.contains(expected), "{path}: {text}\nfound: {found}");
    }
}

#[test]
fn allowed_paths_comments_literals_and_tests_are_not_found() {
    let cases = [
        (
            "src/store/x.rs",
            "use crate::domain::session::{id, turn::TurnName};\nuse super::super::domain::lang;",
        ),
        ("src/config/x.rs", "use crate::store::yaml;\nuse crate::config::layers;"),
        (
            "src/domain/a/b.rs",
            "use super::super::store_note;\nuse super::engine;\nfn f(x: X) { x.tokio; x.git2() }",
        ),
        (
            "src/domain/x.rs",
            "//! See [`crate::store`].\nconst A: &str = \"std::fs\";\nuse std::time::Duration;",
        ),
        ("src/domain/x.rs", "#[cfg(test)]\nmod tests {\n    use crate::store::yaml;\n    use std::fs;\n}"),
        ("src/domain/x/tests.rs", "use crate::store::yaml;"),
        ("src/cli/x.rs", "use crate::{engine, ui, store, agents, git, config, domain};"),
        ("src/main.rs", "use flightdeck::cli;"),
    ];
    for (path, text) in cases {
        assert_eq!(violations(&Source::new(path, text)), Vec::<String>::new(), "{path}");
    }
}
