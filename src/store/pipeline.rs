//! The files of an implementation (group U): `review-NN.md`, `verify-NN.md`, `_gate.jsonl`, `_outcome.md`.

use crate::domain::fact::Fact;
use crate::domain::session::pipeline::content::Record;
use crate::domain::session::pipeline::finding::{self, Review};
use crate::domain::session::pipeline::verdict::{self, Verification};
use crate::store::record::{StoreError, at};
use crate::store::{layout, write};
use std::fs;
use std::io;
use std::path::Path;

/// The last is the number of the gate's lines that cannot be read.
type Files = (Vec<Review>, Vec<Verification>, Vec<Record>, usize);

/// Reads what is there, sorted by number. A line of the gate that is torn or unknown approves nothing.
pub fn files(names: &[String], read: &mut impl FnMut(&str) -> Option<String>) -> Files {
    let (mut reviews, mut verifies, mut gate, mut torn) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for name in names {
        if let Some(number) = layout::parse_review(name) {
            reviews.push(finding::read(number, &read(name).unwrap_or_default()));
        } else if let Some(number) = layout::parse_verify(name) {
            verifies.push(verdict::read(number, &read(name).unwrap_or_default()));
        } else if name == layout::GATE {
            let text = read(name).unwrap_or_default();
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                match serde_json::from_str::<Record>(line) {
                    Ok(record) => gate.push(record),
                    Err(_) => torn += 1,
                }
            }
        }
    }
    reviews.sort_by_key(|r| r.number);
    verifies.sort_by_key(|v| v.number);
    (reviews, verifies, gate, torn)
}

/// True for facts that [`save`] writes.
pub fn has_file(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Edited { .. }
            | Fact::ContentShown { .. }
            | Fact::ContentDecided { .. }
            | Fact::Reviewed { .. }
            | Fact::ReviewUnusable { .. }
            | Fact::Verified { .. }
            | Fact::Deployment { .. }
            | Fact::OutcomeWritten { .. }
    )
}

pub fn save(dir: &Path, runtime: &Path, fact: &Fact) -> Result<(), StoreError> {
    let put = |name: &str, text: &str| {
        let path = dir.join(name);
        write::atomic(&path, text.as_bytes()).map_err(at(&path))
    };
    let aside = |name: String, text: &str| {
        let path = runtime.join(name);
        write::atomic(&path, text.as_bytes()).map_err(at(&path))
    };
    match fact {
        // What an agent says about its edit is evidence; the edit itself is in the trees.
        Fact::Edited { edit, report, .. } if !report.is_empty() => {
            aside(format!("edit-{:02}.md", edit.number), report)
        }
        Fact::ContentShown { record } | Fact::ContentDecided { record } => gate(dir, record),
        Fact::Deployment { used, .. } => used.iter().try_for_each(|record| gate(dir, record)),
        Fact::Reviewed { number, text } => put(&layout::review(*number), text),
        Fact::ReviewUnusable { number, text } => aside(format!("review-{number:02}.unusable.txt"), text),
        Fact::Verified { number, verdict, text } => {
            put(&layout::verify(*number), &verdict::render(*verdict, text))
        }
        Fact::OutcomeWritten { text } => outcome(dir, text),
        _ => Ok(()),
    }
}

/// Appends one line to `_gate.jsonl`, complete or not at all: half a line would be half an approval.
fn gate(dir: &Path, record: &Record) -> Result<(), StoreError> {
    let path = dir.join(layout::GATE);
    let mut text = old(&path)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let line = serde_json::to_string(record).map_err(|e| at(&path)(io::Error::other(e)))?;
    // The same decision twice, after a crash between the file and the engine's memory, is one.
    if text.lines().any(|known| known == line) {
        return Ok(());
    }
    text.push_str(&line);
    text.push('\n');
    write::atomic(&path, text.as_bytes()).map_err(at(&path))
}

/// An implementation in an extension adds to what the first one left (PC-547).
fn outcome(dir: &Path, text: &str) -> Result<(), StoreError> {
    let path = dir.join(layout::OUTCOME);
    let old = old(&path)?;
    let new = match old.trim_end() {
        "" => text.to_string(),
        old if old.ends_with(text.trim_end()) => return Ok(()),
        old => format!("{old}\n\n{text}"),
    };
    write::atomic(&path, new.as_bytes()).map_err(at(&path))
}

fn old(path: &Path) -> Result<String, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(at(path)(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::pipeline::content::{Decision, Mark};

    fn record(id: u32, decision: Decision) -> Record {
        Record {
            ts: "2026-08-24T10:00:00Z".into(),
            path: "gov/Strategy.md".into(),
            before: "a".into(),
            after: "b".into(),
            hunks: vec![Mark { id, lines: "3".into(), decision }],
            edit: 1,
            used: None,
        }
    }

    #[test]
    fn pc_508_lines_are_appended_once_and_torn_ones_approve_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let save = |r: &Record| gate(dir.path(), r).unwrap();
        save(&record(1, Decision::Shown));
        save(&record(1, Decision::Approve));
        save(&record(1, Decision::Approve));
        let path = dir.path().join(layout::GATE);
        let torn = fs::read_to_string(&path).unwrap() + r#"{"ts":"x","path":"gov/Stra"#;
        fs::write(&path, torn).unwrap();
        save(&record(2, Decision::Reject));
        let read = fs::read_to_string(&path).unwrap();
        assert_eq!(read.lines().count(), 4);
        let names = [layout::GATE.to_string()];
        let (.., log, torn) = files(&names, &mut |_| Some(read.clone()));
        assert_eq!(log.iter().map(|r| r.hunks[0].id).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!(torn, 1);
    }

    #[test]
    fn pc_547_a_second_implementation_adds_to_the_outcome() {
        let dir = tempfile::tempdir().unwrap();
        for text in ["## One\n", "## Two\n", "## Two\n"] {
            outcome(dir.path(), text).unwrap();
        }
        assert_eq!(fs::read_to_string(dir.path().join(layout::OUTCOME)).unwrap(), "## One\n\n## Two\n");
    }
}
