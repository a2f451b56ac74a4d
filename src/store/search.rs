//! Full-text search over everything that sessions left behind: reports, turns, escalations, rejected replies, the task,
//! closing files and the flat reports of old trees.
//!
//! There is no index to keep right. [`search`] reads the files, newest session first, with two threads; a [`Shelf`]
//! keeps their bytes, so that searching while the pilot types reads nothing, and marks of what they hold, so that most
//! of them are not even looked at. Bytes are searched, never text: a file that is not UTF-8 is found like any other.

mod best;
mod lines;
mod pattern;
mod query;
mod read;
mod shelf;
mod sieve;
mod slab;
mod walk;

pub use shelf::{CAP, Shelf};

use crate::domain::query::Query;
use crate::domain::session::id::SessionId;
use crate::store::layout::Layout;
use best::{Best, Rank};
use pattern::{Pattern, Probe};
use query::Filter;
use read::{Text, View};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use walk::Entry;

/// One line where something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub id: SessionId,
    /// A file of the session's directory, or `<ID>.md` for the closing file or flat report beside it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The line without its end, at most some hundred characters around the first match.
    pub text: String,
    /// Byte ranges of the matches in `text`, in order and apart.
    pub marks: Vec<(u32, u32)>,
    pub(in crate::store::search) rank: Rank,
}

/// What is known so far. `hits` is the whole list, best first, and takes the place of the one before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    pub hits: Vec<Hit>,
    /// Sessions looked at, and all of them.
    pub scanned: usize,
    pub total: usize,
    /// Nothing follows. Also after a cancellation, with what was found until then.
    pub done: bool,
}

/// Two cores are what a laptop can always spare.
const THREADS: usize = 2;

/// How often the list is shown while the search runs.
const EVERY: Duration = Duration::from_millis(60);

/// Searches all files as they are on disk now. The sink gets growing lists and always one that is `done`. An empty
/// query finds nothing.
pub fn search(
    layout: &Layout,
    query: &Query,
    limit: usize,
    cancel: &AtomicBool,
    sink: &mut dyn FnMut(Batch),
) {
    let entries = walk::entries(layout);
    scan(&entries, query, limit, cancel, sink, &|at, space, look| {
        read::load(&entries[at], space);
        look(space.view());
    });
}

/// Gives the text of the session with this index to the last argument; the second is a buffer to be used again.
type Source<'a> = dyn Fn(usize, &mut Text, &mut dyn FnMut(View<'_>)) + Sync + 'a;

fn scan(
    entries: &[Entry],
    query: &Query,
    limit: usize,
    cancel: &AtomicBool,
    sink: &mut dyn FnMut(Batch),
    source: &Source<'_>,
) {
    let total = entries.len();
    let pattern = Pattern::new(&query.words);
    let (Some(pattern), 1..) = (pattern, limit) else {
        return sink(Batch { scanned: total, total, done: true, ..Batch::default() });
    };
    let next = AtomicUsize::new(0);
    let scanned = AtomicUsize::new(0);
    let best = Mutex::new(Best::new(limit));
    let (ended, wait) = mpsc::channel::<()>();
    let work = || {
        let (mut space, mut probe) = (Text::default(), Probe::default());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = entries.get(at).filter(|_| !cancel.load(Ordering::Relaxed)) else { return };
            if query.may_hold(&entry.id) {
                source(at, &mut space, &mut |text| {
                    if query.holds(text) {
                        lines::collect(entry, text, &pattern, at, &best, &mut probe);
                    }
                });
            }
            scanned.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        for _ in 0..THREADS {
            let ended = ended.clone();
            scope.spawn(move || {
                work();
                drop(ended);
            });
        }
        drop(ended);
        let (mut shown, mut quiet) = (0, 0);
        while let Err(mpsc::RecvTimeoutError::Timeout) = wait.recv_timeout(EVERY) {
            let (hits, seen) = lock(&best).list();
            // Progress is worth telling too, if less often.
            quiet += 1;
            if seen != shown || quiet >= 4 {
                (shown, quiet) = (seen, 0);
                sink(Batch { hits, scanned: scanned.load(Ordering::Relaxed), total, done: false });
            }
        }
    });
    let (hits, _) = lock(&best).list();
    sink(Batch { hits, scanned: scanned.load(Ordering::Relaxed), total, done: true });
}

/// A list that a panicking thread left behind is still a list.
fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(|broken| broken.into_inner())
}

#[cfg(test)]
mod tests;
