//! Searching for a screen: one search at a time each, the newest one.

use super::{Hub, locked};
use crate::domain::query::Query;
use crate::engine::wire::{Hit, Tell};
use crate::store::search::Shelf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// Who has not searched for so long does something else, and the memory of a whole library is not for that.
const QUIET: Duration = Duration::from_secs(120);

/// Ends the screen's running search and starts this one. Its hits come in batches, each the whole list so far.
pub fn start(hub: &Hub, me: u64, seq: u64, query: &str, limit: usize) {
    let cancel = Arc::new(AtomicBool::new(false));
    let Some(older) =
        locked(&hub.shared.clients).get_mut(&me).map(|c| std::mem::replace(&mut c.search, cancel.clone()))
    else {
        return;
    };
    older.store(true, Ordering::Relaxed);
    hub.shared.searched.notify_one();
    let (hub, query) = (hub.clone(), Query::parse(query));
    tokio::task::spawn_blocking(move || {
        let layout = &hub.shared.setting.layout;
        hub.shared.shelf.search(layout, &query, limit, &cancel, &mut |batch| {
            if cancel.load(Ordering::Relaxed) {
                return;
            }
            let hits = batch
                .hits
                .into_iter()
                .map(|h| Hit { id: h.id, file: h.file, line: h.line, text: h.text, marks: h.marks })
                .collect();
            let tell =
                Tell::Found { seq, hits, done: batch.done, scanned: batch.scanned, total: batch.total };
            hub.tell(me, tell);
        });
    });
}

/// Gives the texts of searches back when nobody searches any more. Runs as long as the engine.
pub async fn tidy(hub: Hub) {
    loop {
        quiet(&hub.shared.searched, &hub.shared.shelf).await;
    }
}

/// Returns when somebody has searched and then nobody for a while.
async fn quiet(searched: &Notify, shelf: &Shelf) {
    searched.notified().await;
    while timeout(QUIET, searched.notified()).await.is_ok() {}
    shelf.empty();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::layout::Layout;
    use crate::store::search::CAP;
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn what_searches_read_is_given_back_when_nobody_searches() {
        let dir = tempfile::tempdir().unwrap();
        let session = dir.path().join("2026-08/24/2026-08-24-01-x");
        std::fs::create_dir_all(&session).unwrap();
        std::fs::write(session.join("00-writer.md"), "needle").unwrap();
        let (layout, shelf, searched) = (Layout::new(dir.path(), "/nowhere"), Shelf::new(CAP), Notify::new());
        let search = || {
            let mut hits = 0;
            let query = Query::parse("needle");
            shelf.search(&layout, &query, 9, &AtomicBool::new(false), &mut |b| hits = b.hits.len());
            assert_eq!(hits, 1);
            searched.notify_one();
        };
        let types = async {
            for _ in 0..3 {
                search();
                sleep(QUIET - Duration::from_secs(1)).await;
                assert!(shelf.weight() > 0, "somebody still searches");
            }
            sleep(Duration::from_secs(2)).await;
            assert_eq!(shelf.weight(), 0);
        };
        tokio::join!(quiet(&searched, &shelf), types);
    }
}
