//! `personality` of `meta.yaml`: a label from the governance repository, never invented (PC-163, key 7).

use crate::git::child;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

/// What stands for no unambiguous entry.
pub const UNASSIGNED: &str = "unassigned";

/// The UUID of the registry's entry for this host; where the host has several, the one that also names the runner.
pub fn read(governance: &Path, host: &str, runner: &str) -> String {
    fs::read(governance.join("current/AI Personalities Registry.md"))
        .ok()
        .and_then(|bytes| find(&String::from_utf8_lossy(&bytes), host, runner))
        .unwrap_or_else(|| UNASSIGNED.to_string())
}

/// The name of this machine.
pub fn host() -> Option<String> {
    let from_kernel = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let ask = || Some(child::run(child::command("uname").arg("-n"), Duration::from_secs(5)).ok()?.stdout);
    from_kernel.or_else(ask).map(|name| name.trim().to_string()).filter(|name| !name.is_empty())
}

/// An entry is a line with the host's name and exactly one UUID; a line with two says nothing certain.
fn find(text: &str, host: &str, runner: &str) -> Option<String> {
    let short = host.split('.').next().unwrap_or(host);
    let entries: Vec<(&str, String)> = text
        .lines()
        .filter(|line| names(line, host) || names(line, short))
        .filter_map(|line| {
            let mut ids = UUID.find_iter(line).map(|id| id.as_str().to_lowercase());
            let id = ids.next()?;
            ids.all(|other| other == id).then_some((line, id))
        })
        .collect();
    let only = |entries: &mut dyn Iterator<Item = &(&str, String)>| {
        let ids: BTreeSet<&String> = entries.map(|(_, id)| id).collect();
        (ids.len() == 1).then(|| ids.first().map(|id| id.to_string())).flatten()
    };
    only(&mut entries.iter()).or_else(|| only(&mut entries.iter().filter(|(line, _)| names(line, runner))))
}

/// True when the word stands in the line with nothing that could belong to a longer name around it.
fn names(line: &str, word: &str) -> bool {
    let (line, word) = (line.to_lowercase(), word.to_lowercase());
    let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !word.is_empty()
        && line
            .match_indices(&word)
            .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

static UUID: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?-u:\b)[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?-u:\b)"));

#[expect(clippy::expect_used, reason = "the pattern is a constant that a test compiles")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "11111111-2222-3333-4444-555555555555";
    const B: &str = "AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee";

    #[test]
    fn pc_163_only_an_unambiguous_entry_counts() {
        let one =
            format!("| Ada | {A} | desk.example.org | claude-code |\n| Bo | {B} | desk-2 | claude-code |\n");
        assert_eq!(find(&one, "desk", "claude-code").as_deref(), Some(A));
        assert_eq!(find(&one, "DESK.example.org", "codex").as_deref(), Some(A));
        assert_eq!(find(&one, "desk-2", "x").unwrap(), B.to_lowercase());
        assert_eq!(find(&one, "laptop", "claude-code"), None, "a runner alone is not an entry for this host");
        let two = format!("| {A} | desk | claude-code |\n| {B} | desk | kimi-headless |\n");
        assert_eq!(find(&two, "desk", "kimi-headless").unwrap(), B.to_lowercase());
        assert_eq!(find(&two, "desk", "codex"), None);
        assert_eq!(find(&format!("desk {A} {B}"), "desk", "x"), None);
        assert_eq!(find(&format!("desk {A}"), "", ""), None);
        assert_eq!(find("desk 1111-2222", "desk", "x"), None);
    }

    #[test]
    fn pc_163_without_a_registry_it_is_unassigned() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path(), "desk", "claude-code"), UNASSIGNED);
        fs::create_dir(dir.path().join("current")).unwrap();
        fs::write(dir.path().join("current/AI Personalities Registry.md"), format!("- desk: {A}\n")).unwrap();
        assert_eq!(read(dir.path(), "desk", "claude-code"), A);
        assert!(host().is_some());
    }
}
