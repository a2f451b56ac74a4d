//! House rules for the sources: length, headers, and what must not stand there.

use crate::source::{Source, relative, sources, tracked};
use regex::Regex;
use std::fs;

/// Lines of a file without its tests (CONTRIBUTING.md, "Style"). Above 300 one should think, above this it is an error.
const HARD_LIMIT: usize = 500;

fn all() -> Vec<Source> {
    ["src", "tests/suite", "benches"].into_iter().flat_map(sources).collect()
}

fn none(found: Vec<String>, rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

#[test]
fn no_file_is_longer_than_the_hard_limit() {
    let long = |s: &Source| (s.length() > HARD_LIMIT).then(|| format!("{}: {} lines", s.path, s.length()));
    none(sources("src").iter().filter_map(long).collect(), "split by what changes together");
}

#[test]
fn every_module_opens_with_what_it_is_for() {
    let bare: Vec<String> =
        all().into_iter().filter(|s| !opens_well(&s.path, &s.text)).map(|s| s.path).collect();
    none(bare, "start the file with a `//!` sentence");
}

/// Test modules are named by what they test.
fn opens_well(path: &str, text: &str) -> bool {
    let tests = path.starts_with("src/") && (path.ends_with("/tests.rs") || path.contains("/tests/"));
    tests || text.starts_with("//! ")
}

#[test]
fn nothing_is_left_unfinished() {
    let macros = Regex::new(r"\b(todo|unimplemented|dbg)!").unwrap();
    let marks = Regex::new(r"\b(FIXME|XXX)\b").unwrap();
    let mut found = Vec::new();
    for source in all().iter().filter(|s| s.path != relative_here()) {
        found.extend(
            macros.find_iter(&source.code).map(|m| format!("{}: {}", source.place(m.start()), m.as_str())),
        );
        found.extend(
            marks.find_iter(&source.text).map(|m| format!("{}: {}", source.place(m.start()), m.as_str())),
        );
    }
    none(found, "finish it, or file it as an issue");
}

#[test]
fn modules_are_files_named_after_themselves() {
    let found = all().into_iter().map(|s| s.path).filter(|p| p.ends_with("/mod.rs")).collect();
    none(found, "use foo.rs and foo/, not foo/mod.rs");
}

#[test]
fn tests_wait_for_conditions() {
    let sleep = Regex::new(r"\bthread::sleep\b").unwrap();
    let found = all().iter().filter_map(|s| sleep.find(&s.tested()).map(|m| s.place(m.start()))).collect();
    none(found, "wait for what is to happen, or pause the clock; a sleep is too short or too long");
}

#[test]
fn lint_exceptions_say_why() {
    let exception = Regex::new(r"#!?\[(?:allow|expect)\((?s:.*?)\)\]").unwrap();
    let mut found = Vec::new();
    for source in all() {
        for m in exception.find_iter(&source.text).filter(|m| source.code[m.range()].starts_with('#')) {
            if !m.as_str().contains("reason =") {
                found.push(format!("{}: {}", source.place(m.start()), m.as_str()));
            }
        }
    }
    none(found, "give a reason");
}

#[test]
fn no_file_names_a_machine() {
    let path = Regex::new(r#"(?m)(?:^|[\s"'`(=:,\[])(/(?:work|root|tmp/bash)(?:/\S*)?)(?:[\s"'`),:;\]]|$)"#)
        .unwrap();
    let mut found = Vec::new();
    for file in tracked().iter().filter(|f| relative(f) != "Cargo.lock") {
        let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        found.extend(path.captures_iter(&text).map(|c| {
            let m = c.get(1).unwrap();
            format!("{}:{}: {}", relative(file), line(m.start()), m.as_str())
        }));
    }
    none(found, "a path of one machine means nothing on another");
}

fn relative_here() -> &'static str {
    "tests/suite/tidy.rs"
}

#[test]
fn the_rules_find_what_they_look_for() {
    let long = Source::new("src/x.rs", &"fn a() {}\n".repeat(HARD_LIMIT + 1));
    assert!(long.length() > HARD_LIMIT);
    assert!(!opens_well("src/x.rs", "use std::fs;\n"));
    assert!(!opens_well("src/x.rs", ""));
    assert!(opens_well("src/x/tests.rs", "use super::*;\n"));
    let sleeps =
        Source::new("src/x.rs", "#[cfg(test)]\nmod tests {\n    fn f() { std::thread::sleep(d) }\n}\n");
    assert!(sleeps.tested().contains("thread::sleep") && !sleeps.shipped().contains("thread::sleep"));
}
