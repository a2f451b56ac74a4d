//! Searching for a screen: one search at a time each, the newest one.

use super::{Hub, locked};
use crate::engine::wire::{Hit, Tell};
use crate::store::search::Query;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the screen's running search and starts this one. Its hits come in batches, each the whole list so far.
pub fn start(hub: &Hub, me: u64, seq: u64, query: &str, limit: usize) {
    let cancel = Arc::new(AtomicBool::new(false));
    let Some(older) =
        locked(&hub.shared.clients).get_mut(&me).map(|c| std::mem::replace(&mut c.search, cancel.clone()))
    else {
        return;
    };
    older.store(true, Ordering::Relaxed);
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
