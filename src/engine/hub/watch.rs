//! Watching the sessions folder: what other programs write appears without a restart.
//!
//! Only few folders are watched, whatever the number of sessions: the sessions folder, the newest months and days,
//! and the directories of sessions that a screen looks at. Events are hints; a slow scan is the truth where the file
//! system gives none.

use super::{Hub, deck, locked, session};
use crate::domain::session::id::SessionId;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// How often folders are looked at without an event.
const RESCAN: Duration = Duration::from_secs(5);
/// Events within this time are handled together.
const BATCH: Duration = Duration::from_millis(150);
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
    let mut seen: Vec<(PathBuf, Option<std::time::SystemTime>)> = Vec::new();
    loop {
        let folders = folders(&hub);
        if let Some(watcher) = watcher.as_mut() {
            follow(watcher, &mut watched, &folders);
        }
        tokio::select! {
            event = events.recv() => {
                if event.is_none() {
                    tokio::time::sleep(RESCAN).await;
                }
                tokio::time::sleep(BATCH).await;
                while events.try_recv().is_ok() {}
            }
            () = tokio::time::sleep(RESCAN) => {
                if !hub.has_screens() {
                    continue;
                }
                let now = stamps(&folders);
                if now == seen {
                    continue;
                }
                seen = now;
            }
        }
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

fn folders(hub: &Hub) -> Vec<PathBuf> {
    let sessions = &hub.shared.setting.places.sessions;
    let mut folders = vec![sessions.clone()];
    let mut days = Vec::new();
    for month in newest(sessions, 2) {
        days.extend(newest(&month, DAYS));
        folders.push(month);
    }
    days.truncate(DAYS);
    folders.extend(days);
    let views = locked(&hub.shared.views);
    folders.extend(views.values().map(|v| v.dir.clone()));
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

fn stamps(folders: &[PathBuf]) -> Vec<(PathBuf, Option<std::time::SystemTime>)> {
    let mut all: Vec<PathBuf> = folders.to_vec();
    for folder in folders {
        if let Ok(entries) = std::fs::read_dir(folder) {
            all.extend(entries.flatten().map(|e| e.path()).filter(|p| p.is_file()));
        }
    }
    all.into_iter()
        .map(|p| {
            let at = std::fs::metadata(&p).and_then(|m| m.modified()).ok();
            (p, at)
        })
        .collect()
}
