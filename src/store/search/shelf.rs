//! The files of many searches kept in memory, so that a search at every key press opens none.

use super::read::{self, File, View};
use super::sieve::{self, Sieve};
use super::slab::Slab;
use super::walk::{self, Entry};
use super::{Batch, Query, lock, scan};
use crate::domain::session::id::SessionId;
use crate::store::layout::Layout;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Files of the newest sessions, up to so many bytes; older ones are read again at each search.
#[derive(Debug)]
pub struct Shelf {
    cap: usize,
    bytes: Arc<AtomicUsize>,
    slab: Mutex<Slab>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: Arc<Vec<Entry>>,
    slots: Arc<Vec<Mutex<Option<Kept>>>>,
    walked: Option<Instant>,
    /// Grows with every walk; what was checked in an earlier one is checked again.
    epoch: u64,
}

#[derive(Debug)]
struct Kept {
    text: Arc<Shelved>,
    stamp: u64,
    epoch: u64,
    _weight: Weight,
}

/// A session's files, with the marks of what they hold.
#[derive(Debug)]
struct Shelved {
    bytes: Bytes,
    files: Vec<File>,
    marks: Bytes,
}

impl Shelved {
    fn view(&self) -> View<'_> {
        View { bytes: &self.bytes, files: &self.files, sieve: Some(Sieve::new(&self.marks)) }
    }
}

/// Bytes that count as long as it lives, wherever it is dropped.
#[derive(Debug)]
struct Weight {
    of: Arc<AtomicUsize>,
    bytes: usize,
}

impl Weight {
    fn new(of: &Arc<AtomicUsize>, bytes: usize) -> Weight {
        of.fetch_add(bytes, Ordering::Relaxed);
        Weight { of: of.clone(), bytes }
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        self.of.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A usual memory for it.
pub const CAP: usize = 256 << 20;

/// For so long the disk is believed not to have changed. Checking sizes and times of all files takes about as long as
/// two searches, so somebody who types notices the first letter at most.
const FRESH: Duration = Duration::from_secs(3);

impl Shelf {
    pub fn new(cap: usize) -> Shelf {
        Shelf { cap, bytes: Arc::default(), slab: Mutex::default(), state: Mutex::default() }
    }

    /// Like [`super::search`], with results at most three seconds old.
    pub fn search(
        &self,
        layout: &Layout,
        query: &Query,
        limit: usize,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(Batch),
    ) {
        let (entries, slots, epoch) = self.current(layout);
        scan(&entries, query, limit, cancel, sink, &|at, space, look| {
            let mut slot = lock(&slots[at]);
            if let Some(kept) = slot.as_mut() {
                if kept.epoch != epoch && kept.stamp == read::stamp(&entries[at]) {
                    kept.epoch = epoch;
                }
                if kept.epoch == epoch {
                    let text = kept.text.clone();
                    drop(slot);
                    return look(text.view());
                }
                *slot = None;
            }
            // Taken before reading: a file that changes meanwhile is read again next time.
            let stamp = read::stamp(&entries[at]);
            read::load(&entries[at], space);
            let bytes = space.bytes.len();
            let weight = Weight::new(&self.bytes, bytes + sieve::size(bytes));
            if self.bytes.load(Ordering::Relaxed) <= self.cap {
                let marks = sieve::marks(&space.bytes);
                let mut slab = lock(&self.slab);
                let (bytes, marks) = (slab.keep(&space.bytes), slab.keep(&marks));
                drop(slab);
                let text = Arc::new(Shelved { bytes, files: std::mem::take(&mut space.files), marks });
                *slot = Some(Kept { text: text.clone(), stamp, epoch, _weight: weight });
                drop(slot);
                look(text.view());
            } else {
                drop((slot, weight));
                look(space.view());
            }
        });
    }

    /// Looks at the disk at the next search, however soon: something is known to have changed.
    pub fn forget(&self) {
        lock(&self.state).walked = None;
    }

    /// Gives the memory back. The next search reads the disk.
    pub fn empty(&self) {
        *lock(&self.state) = State::default();
        *lock(&self.slab) = Slab::default();
    }

    /// Bytes kept.
    #[cfg(test)]
    pub fn weight(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    #[expect(clippy::type_complexity, reason = "three fields of the state, taken out under one lock")]
    fn current(&self, layout: &Layout) -> (Arc<Vec<Entry>>, Arc<Vec<Mutex<Option<Kept>>>>, u64) {
        let mut state = lock(&self.state);
        if state.walked.is_none_or(|at| at.elapsed() > FRESH) {
            let entries = walk::entries(layout);
            if *state.entries != entries {
                let ids = state.entries.iter().map(|entry| entry.id.clone());
                let mut old: HashMap<SessionId, Kept> = ids
                    .zip(state.slots.iter())
                    .filter_map(|(id, slot)| Some((id, lock(slot).take()?)))
                    .collect();
                state.slots =
                    Arc::new(entries.iter().map(|entry| Mutex::new(old.remove(&entry.id))).collect());
                state.entries = Arc::new(entries);
            }
            state.epoch += 1;
            state.walked = Some(now());
        }
        (state.entries.clone(), state.slots.clone(), state.epoch)
    }
}

#[expect(clippy::disallowed_methods, reason = "how old a look at the disk is; nothing is decided by it")]
fn now() -> Instant {
    Instant::now()
}
