//! Watching the sessions folder: what other programs write appears without a restart.
//!
//! Only few folders are watched, whatever the number of sessions: the sessions folder, the newest months and days,
//! and the directories of sessions that a screen looks at. Events are hints; a slow scan is the truth where the file
//! system gives none.

use super::{Hub, deck, locked, session};
use crate::domain::session::id::SessionId;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How often folders are looked at without an event.
const RESCAN: Duration = Duration::from_secs(5);
/// The shortest time between two looks, however many events there are.
const BATCH: Duration = Duration::from_millis(150);
/// After a quiet time, how long the first event waits for what the same program writes with it.
const SETTLE: Duration = Duration::from_millis(30);
/// The newest days that are watched.
const DAYS: usize = 3;

/// Runs as long as the hub. While no screen is connected it only waits.
pub async fn watch(hub: Hub) {
    let (sender, mut events) = mpsc::channel::<()>(1);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading is not a change; without this, our own scans would wake us.
        if event.is_ok_and(|e| !e.kind.is_access()) {
            let _ = sender.try_send(());
        }
    })
    .ok();
    let mut watched: BTreeSet<PathBuf> = BTreeSet::new();
    let mut listings = HashMap::new();
    let mut newest = newest_folders(&hub);
    let mut seen = stamps(&newest, &mut listings);
    let mut looked = Instant::now();
    loop {
        let views: Vec<PathBuf> = locked(&hub.shared.views).values().map(|v| v.dir.clone()).collect();
        let folders = [&newest[..], &views].concat();
        if let Some(watcher) = watcher.as_mut() {
            follow(watcher, &mut watched, &folders);
        }
        tokio::select! {
            event = events.recv() => {
                if event.is_none() {
                    tokio::time::sleep(RESCAN).await;
                }
                tokio::time::sleep_until((Instant::now() + SETTLE).max(looked + BATCH)).await;
                while events.try_recv().is_ok() {}
            }
            () = tokio::time::sleep(RESCAN) => {
                if !hub.has_screens() {
                    continue;
                }
                let now = stamps(&folders, &mut listings);
                if now == seen {
                    continue;
                }
                seen = now;
            }
        }
        looked = Instant::now();
        newest = newest_folders(&hub);
        hub.shared.shelf.forget();
        // Events were waited for together already; a second wait would only make the change late.
        deck::refresh(&hub).await;
        let looked_at: BTreeSet<SessionId> =
            locked(&hub.shared.clients).values().flat_map(|c| c.watched.iter().cloned()).collect();
        for id in looked_at {
            session::reload(&hub, &id).await;
        }
    }
}

fn follow(watcher: &mut RecommendedWatcher, watched: &mut BTreeSet<PathBuf>, folders: &[PathBuf]) {
    let wanted: BTreeSet<PathBuf> = folders.iter().filter(|f| f.is_dir()).cloned().collect();
    for gone in watched.difference(&wanted).cloned().collect::<Vec<_>>() {
        let _ = watcher.unwatch(&gone);
        watched.remove(&gone);
    }
    for new in wanted.difference(watched).cloned().collect::<Vec<_>>() {
        if watcher.watch(&new, RecursiveMode::NonRecursive).is_ok() {
            watched.insert(new);
        }
    }
}

fn newest_folders(hub: &Hub) -> Vec<PathBuf> {
    let sessions = &hub.shared.setting.places.sessions;
    let mut folders = vec![sessions.clone()];
    let mut days = Vec::new();
    for month in newest(sessions, 2) {
        days.extend(newest(&month, DAYS));
        folders.push(month);
    }
    days.truncate(DAYS);
    folders.extend(days);
    folders
}

/// The newest `n` folders whose names begin with a digit.
fn newest(dir: &Path, n: usize) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with(|c: char| c.is_ascii_digit()))
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    found.sort();
    found.reverse();
    found.truncate(n);
    found
}

/// A folder's files, as of the time at which it changed last.
#[derive(Default)]
struct Listing {
    at: Option<SystemTime>,
    files: Vec<PathBuf>,
    /// Listed once more after its time had stood still: a file that came in the same tick is in it, too.
    settled: bool,
}

/// The times of folders and files. Only a folder that changed is read: reading one that is watched would wake the
/// watcher, and an idle engine would keep itself busy.
fn stamps(
    folders: &[PathBuf],
    listings: &mut HashMap<PathBuf, Listing>,
) -> Vec<(PathBuf, Option<SystemTime>)> {
    let time = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    listings.retain(|folder, _| folders.contains(folder));
    let mut all = Vec::new();
    for folder in folders {
        let at = time(folder);
        let listing = listings.entry(folder.clone()).or_default();
        if listing.at != at || !listing.settled {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
            listing.files = entries.filter(|p| p.is_file()).collect();
            listing.settled = listing.at == at;
            listing.at = at;
        }
        all.push((folder.clone(), at));
        all.extend(listing.files.iter().map(|file| (file.clone(), time(file))));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_7_a_folder_at_rest_is_not_read_and_every_change_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let folders = [dir.path().to_path_buf()];
        let file = dir.path().join("meta.yaml");
        std::fs::write(&file, "a").unwrap();
        let mut listings = HashMap::new();
        let look = |listings: &mut HashMap<PathBuf, Listing>| stamps(&folders, listings);
        let (first, second) = (look(&mut listings), look(&mut listings));
        assert_eq!(first, second);
        assert!(listings[dir.path()].settled);
        // What is in the listing is what was read; a folder at rest is asked for its time only.
        listings.get_mut(dir.path()).unwrap().files.clear();
        assert_eq!(look(&mut listings).len(), 1);
        let later = SystemTime::now() + Duration::from_secs(60);
        std::fs::File::open(dir.path()).unwrap().set_modified(later).unwrap();
        let again = look(&mut listings);
        assert_eq!(again.len(), 2);
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(later).unwrap();
        assert_ne!(look(&mut listings), again, "a file that changed in its place");
    }
}
