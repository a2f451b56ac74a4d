//! Which sessions there are to search, newest first. Session directories are only named here; whoever searches opens
//! them.

use crate::domain::session::id::SessionId;
use crate::store::layout::Layout;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// One session on disk: a directory, a closing file or flat report beside it, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: SessionId,
    pub dir: Option<PathBuf>,
    pub beside: Option<PathBuf>,
}

/// All sessions, with and without the day level (PC-146); with it wins. Folders that cannot be read are passed over.
pub fn entries(layout: &Layout) -> Vec<Entry> {
    let mut found: HashMap<SessionId, Entry> = HashMap::new();
    let mut put = |id: SessionId, dir: Option<PathBuf>, beside: Option<PathBuf>| {
        let entry = found.entry(id.clone()).or_insert(Entry { id, dir: None, beside: None });
        entry.dir = dir.or(entry.dir.take());
        entry.beside = beside.or(entry.beside.take());
    };
    for (month, _) in children(&layout.sessions).filter(|(name, dir)| *dir && shaped(name, b"dddd-dd")) {
        let month = layout.sessions.join(month);
        let mut days = Vec::new();
        for (name, dir) in children(&month) {
            let Some(text) = name.to_str() else { continue };
            if dir {
                match SessionId::parse(text) {
                    Some(id) => put(id, Some(month.join(text)), None),
                    None if shaped(&name, b"dd") => days.push(month.join(text)),
                    None => {}
                }
            } else if let Some(id) = text.strip_suffix(".md").and_then(SessionId::parse) {
                put(id, None, Some(month.join(text)));
            }
        }
        for day in days {
            for (name, dir) in children(&day) {
                if let Some(id) = name.to_str().and_then(SessionId::parse).filter(|_| dir) {
                    put(id, Some(day.join(name)), None);
                }
            }
        }
    }
    let mut all: Vec<Entry> = found.into_values().collect();
    // Session 100 of a day is newer than session 99.
    all.sort_by_cached_key(|e| Reverse((e.id.date().to_string(), e.id.number(), e.id.clone())));
    all
}

/// Names, and whether each is a directory; links are neither followed nor searched.
fn children(dir: &Path) -> impl Iterator<Item = (OsString, bool)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let kind = entry.file_type().ok()?;
        (kind.is_dir() || kind.is_file()).then(|| (entry.file_name(), kind.is_dir()))
    })
}

fn shaped(name: &OsString, shape: &[u8]) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == shape.len()
        && name
            .iter()
            .zip(shape)
            .all(|(got, want)| if *want == b'd' { got.is_ascii_digit() } else { got == want })
}
