//! The order of results, and the best of them while the search still runs.

use super::Hit;
use std::cmp::Reverse;

/// What makes one line better than another, the most important first. Larger is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// How many of the words the line holds.
    pub in_line: u32,
    /// The task, a title or the recorded decision.
    pub place: bool,
    /// How many of the words the session holds.
    pub in_session: u32,
    /// Doublings of the number of matches in the file: a few more of them do not outweigh the date.
    pub many: u32,
    /// The newest session has the largest.
    pub age: Reverse<usize>,
}

/// At most `limit` hits.
#[derive(Debug)]
pub struct Best {
    limit: usize,
    hits: Vec<Hit>,
    /// Once there are enough: nothing below this gets in.
    floor: Option<Rank>,
    seen: usize,
}

impl Best {
    pub fn new(limit: usize) -> Best {
        Best { limit, hits: Vec::new(), floor: None, seen: 0 }
    }

    /// Whether a line of this rank can still get in.
    pub fn wants(&self, rank: Rank) -> bool {
        self.floor.is_none_or(|floor| rank > floor)
    }

    pub fn put(&mut self, hit: Hit) {
        self.seen += 1;
        self.hits.push(hit);
        if self.hits.len() >= self.limit.saturating_mul(2).max(64) {
            self.shorten();
        }
    }

    /// The hits in order, and a number that changes with them.
    pub fn list(&mut self) -> (Vec<Hit>, usize) {
        self.shorten();
        (self.hits.clone(), self.seen)
    }

    fn shorten(&mut self) {
        self.hits.sort_by(|a, b| b.rank.cmp(&a.rank).then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line))));
        self.hits.truncate(self.limit);
        if self.hits.len() == self.limit {
            self.floor = self.hits.last().map(|hit| hit.rank);
        }
    }
}
