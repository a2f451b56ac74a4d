//! Which sessions there are, newest first, without reading every tree.
//!
//! Directories are the truth and index rows are added to them (PC-210: sessions may exist on disk only, or in an old
//! index only). Months and days are opened from the newest on and no further than needed.

use crate::domain::session::id::SessionId;
use crate::store::index::{self, Row};
use crate::store::layout::{self, Layout, META};
use crate::store::meta;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One session, known from its directory, its row or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: SessionId,
    /// `None` when only the index knows the session: its report may be a flat file (PC-219).
    pub dir: Option<PathBuf>,
    pub row: Option<Row>,
    /// The directory is not a peer session: no `meta.yaml`, or one without a peer (PC-147).
    pub foreign: bool,
}

/// The newest `limit` sessions. Unreadable folders are passed over; a missing index is no error (PC-006).
pub fn newest(layout: &Layout, limit: usize) -> Vec<Listed> {
    let bytes = fs::read(layout.index()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut dirs = directories(layout, limit);
    let floor = floor(&dirs, limit);
    // Rows are only cut apart here; those that are shown get parsed.
    let mut rows: HashMap<SessionId, &str> = HashMap::new();
    for line in index::lines(&text) {
        let cell = index::session_cell(&text[line.clone()]);
        let older = floor.as_deref().is_some_and(|floor| index::id_text(cell).as_bytes() < floor.as_bytes());
        if !older && let Some(id) = index::id_in(cell) {
            rows.entry(id).or_insert(&text[line]);
        }
    }
    let mut ages: Vec<_> = dirs
        .keys()
        .chain(rows.keys().filter(|id| !dirs.contains_key(*id)))
        .map(|id| Reverse(age(id)))
        .collect();
    ages.sort_unstable();
    ages.truncate(limit);
    let ids: Vec<SessionId> = ages.into_iter().map(|Reverse((_, _, id))| id.clone()).collect();
    ids.into_iter()
        .map(|id| {
            // The walk stopped early, so a row's directory may not have been seen.
            let dir = dirs.remove(&id).or_else(|| layout.find_session(&id));
            let row = rows.get(&id).map(|line| index::parse(line));
            // The row of a closed session names its peers: its directory need not be asked with every change.
            let known = row.as_ref().is_some_and(index::Row::is_of_closed_peers);
            let foreign = !known && dir.as_deref().is_some_and(|dir| !is_peer_session(dir));
            Listed { row, foreign, dir, id }
        })
        .collect()
}

/// True when `meta.yaml` names a peer (PC-147), by the rule of the repository's scripts.
pub fn is_peer_session(dir: &Path) -> bool {
    let text = fs::read(dir.join(META)).unwrap_or_default();
    !meta::script_value(&String::from_utf8_lossy(&text), "peer_agent").is_empty()
}

/// At least the newest `limit` session directories, with and without the day level (PC-146).
fn directories(layout: &Layout, limit: usize) -> HashMap<SessionId, PathBuf> {
    let mut found = HashMap::new();
    for month in newest_first(&layout.sessions, is_month) {
        let mut days = Vec::new();
        for (name, path) in folders(&month) {
            match SessionId::parse(&name) {
                Some(id) => drop(found.entry(id).or_insert(path)),
                None if is_day(&name) => days.push((name, path)),
                None => {}
            }
        }
        days.sort_by(|a, b| b.0.cmp(&a.0));
        // Sessions without a day level are spread over the month, so they do not end the walk inside it.
        let mut in_days = 0;
        for (_, day) in days {
            for (name, path) in folders(&day) {
                if let Some(id) = SessionId::parse(&name) {
                    in_days += 1;
                    // With the day level wins (PC-146).
                    found.insert(id, path);
                }
            }
            if in_days >= limit {
                break;
            }
        }
        if found.len() >= limit {
            break;
        }
    }
    found
}

/// The day of the oldest directory that is shown, when directories alone are enough: rows of days before it are not
/// worth a look.
fn floor(dirs: &HashMap<SessionId, PathBuf>, limit: usize) -> Option<String> {
    let mut days: Vec<&str> = dirs.keys().map(SessionId::date).collect();
    let at = days.len().checked_sub(limit)?;
    (limit > 0).then(|| days.select_nth_unstable(at).1.to_string())
}

fn newest_first(dir: &Path, wanted: fn(&str) -> bool) -> Vec<PathBuf> {
    let mut folders: Vec<_> = folders(dir).filter(|(name, _)| wanted(name)).collect();
    folders.sort_by(|a, b| b.0.cmp(&a.0));
    folders.into_iter().map(|(_, path)| path).collect()
}

fn folders(dir: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter(layout::is_dir)
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
}

fn is_month(name: &str) -> bool {
    name.len() == 7
        && name.bytes().enumerate().all(|(at, b)| if at == 4 { b == b'-' } else { b.is_ascii_digit() })
}

fn is_day(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|b| b.is_ascii_digit())
}

/// Session 100 of a day is newer than session 99.
fn age(id: &SessionId) -> (&str, Option<u32>, &SessionId) {
    (id.date(), id.number(), id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::load;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

    fn fixture(tree: &str) -> Layout {
        Layout::new(format!("{ROOT}{tree}/DS-strategy/sessions"), "/nowhere")
    }

    fn ids(listed: &[Listed]) -> Vec<&str> {
        listed.iter().map(|l| l.id.as_str()).collect()
    }

    fn make(layout: &Layout, path: &str, meta: Option<&str>) {
        let dir = layout.sessions.join(path);
        fs::create_dir_all(&dir).unwrap();
        if let Some(meta) = meta {
            fs::write(dir.join(META), meta).unwrap();
        }
    }

    #[test]
    fn pc_147_rows_and_directories_meet() {
        let layout = fixture("examples");
        let listed = newest(&layout, 2);
        assert_eq!(
            ids(&listed),
            ["2026-08-24-03-drop-legacy-token-table", "2026-08-24-02-agree-log-rotation-for"]
        );
        for session in &listed {
            assert_eq!(session.dir, Some(layout.session_dir(&session.id)));
            assert_eq!(session.row.as_ref().map(|r| r.status.as_str()), Some("completed"));
            assert!(!session.foreign);
        }
        assert_eq!(newest(&layout, 100).len(), 3);
        assert_eq!(newest(&layout, 0), []);
    }

    #[test]
    fn pc_219_old_trees_and_flat_reports() {
        let listed = newest(&fixture("old"), 10);
        assert_eq!(ids(&listed), ["2026-06-17-01-editor-setup", "2026-05-30-release-notes"]);
        assert!(
            listed[0].dir.as_ref().is_some_and(|dir| dir.ends_with("2026-06/2026-06-17-01-editor-setup"))
        );
        assert_eq!(listed[1].dir, None);
        assert_eq!(
            listed[1].row.as_ref().map(|r| r.report.as_str()),
            Some("[отчёт](2026-05/2026-05-30-release-notes.md)")
        );
    }

    #[test]
    fn pc_147_control_sessions_are_foreign() {
        let listed = newest(&fixture("control"), 10);
        assert_eq!(ids(&listed), ["2026-08-11-04-writer-alone"]);
        assert!(listed[0].foreign && listed[0].row.is_none());
    }

    #[test]
    fn pc_210_a_listed_session_is_loaded_as_by_its_id() {
        for tree in ["examples", "old"] {
            let layout = fixture(tree);
            for listed in newest(&layout, 100) {
                let (one, other) = (load::load_listed(&layout, &listed), load::load(&layout, &listed.id));
                match (one, other) {
                    (Ok(one), Ok(other)) => assert_eq!(one.session, other.session),
                    (one, other) => assert_eq!(one.is_err(), other.is_err(), "{}", listed.id),
                }
            }
        }
    }

    #[test]
    fn pc_006_no_index_and_no_sessions() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(newest(&Layout::new(dir.path().join("sessions"), dir.path()), 10), []);
    }

    #[test]
    fn pc_146_the_newest_come_first_whatever_their_level() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path().join("sessions"), dir.path());
        let peer = Some("peer_agent: codex\n");
        for path in [
            "2026-08/24/2026-08-24-99-a",
            "2026-08/24/2026-08-24-100-b",
            "2026-08/2026-08-25-01-flat",
            "2026-08/02/2026-08-02-01-c",
            "2026-07/2026-07-31-01-old",
            "2026-08/24/2026-08-24-02-both",
            "2026-08/2026-08-24-02-both",
        ] {
            make(&layout, path, peer);
        }
        make(&layout, "2026-08/24/2026-08-24-98-empty", None);
        make(&layout, "notes/2026-08-30-01-elsewhere", peer);
        fs::write(layout.sessions.join("2026-08/2026-08-29-01-orz.md"), "").unwrap();
        let all = newest(&layout, 100);
        let want = [
            "2026-08-25-01-flat",
            "2026-08-24-100-b",
            "2026-08-24-99-a",
            "2026-08-24-98-empty",
            "2026-08-24-02-both",
            "2026-08-02-01-c",
            "2026-07-31-01-old",
        ];
        assert_eq!(ids(&all), want);
        assert_eq!(
            all.iter().filter(|l| l.foreign).map(|l| l.id.as_str()).collect::<Vec<_>>(),
            ["2026-08-24-98-empty"]
        );
        assert_eq!(all[4].dir, Some(layout.session_dir(&all[4].id)));
        for limit in 0..want.len() {
            assert_eq!(ids(&newest(&layout, limit)), want[..limit]);
        }
    }

    #[test]
    fn pc_219_the_newest_of_ten_thousand_rows() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path().join("sessions"), dir.path());
        let mut text = index::empty(Default::default(), "2026-08-24");
        for n in (0..10_000).rev() {
            let (month, day, number) = (1 + n / 1000, 1 + n / 40 % 25, n % 40);
            let id = format!("2025-{month:02}-{day:02}-{number:02}-x");
            text.push_str(&format!(
                "| 2025-{month:02}-{day:02} | {id} | task | a / b | 1 | 0 | completed | — |\n"
            ));
            // Most rows have no folder, as in a tree whose old months are archived.
            if month == 10 && day >= 23 {
                fs::create_dir_all(layout.sessions.join(format!("2025-{month:02}/{day:02}/{id}"))).unwrap();
            }
        }
        fs::write(layout.index(), text).unwrap();
        let listed = newest(&layout, 50);
        assert_eq!((listed.len(), listed[0].id.as_str()), (50, "2025-10-25-39-x"));
        assert!(listed.iter().all(|l| l.row.is_some() && l.dir.is_some()));
    }
}
