//! Colours of code, in the few kinds that our themes know: the colours of other people's themes are made for
//! backgrounds that we do not paint. Worked out in a thread of its own, line by line, only for what is looked at.

pub mod paint;
pub mod worker;

use std::ops::Range;
use std::rc::Rc;

/// What a piece of code is. Everything else is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Comment,
    /// Also numbers and other constants.
    String,
    Keyword,
    /// Of a function, a type, a tag, a key.
    Name,
}

/// A piece of a line, in bytes of the text as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub at: Range<u32>,
    pub class: Class,
}

/// The pieces of one line, in order.
pub type Runs = Box<[Run]>;

/// Lines of a document that are coloured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Painted {
    /// The document's.
    pub stamp: u64,
    pub from: usize,
    pub rows: Vec<Runs>,
}

/// What is known of one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colours {
    stamp: u64,
    rows: Vec<Option<Rc<Runs>>>,
    /// What is being worked out.
    asked: Range<usize>,
}

impl Colours {
    pub fn of(&self, stamp: u64, row: usize) -> Option<&[Run]> {
        let known = self.rows.get(row).filter(|_| self.stamp == stamp)?;
        known.as_ref().map(|runs| &***runs)
    }

    pub fn take(&mut self, painted: Painted) -> bool {
        if painted.stamp != self.stamp {
            return false;
        }
        for (row, runs) in (painted.from..).zip(painted.rows) {
            if let Some(known) = self.rows.get_mut(row) {
                *known = Some(Rc::new(runs));
            }
        }
        true
    }

    /// Which rows to work out while these are looked at: those around them too, so that scrolling finds them ready.
    /// `None` while nothing is missing nearby, or while it is worked out.
    pub fn wanted(&mut self, stamp: u64, count: usize, seen: Range<usize>) -> Option<Range<usize>> {
        if self.stamp != stamp {
            *self = Colours { stamp, rows: vec![None; count], asked: 0..0 };
        }
        let around = |times: usize| {
            let more = seen.len() * times;
            seen.start.saturating_sub(more)..(seen.end + more).min(count)
        };
        let near = around(1);
        let missing = self.rows.get(near.clone())?.iter().any(Option::is_none);
        let under_way = self.asked.start <= near.start && near.end <= self.asked.end;
        if !missing || under_way {
            return None;
        }
        self.asked = around(4);
        Some(self.asked.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(stamp: u64, rows: Range<usize>) -> Painted {
        Painted { stamp, from: rows.start, rows: rows.map(|_| Runs::default()).collect() }
    }

    #[test]
    fn what_is_near_is_asked_for_once_and_ahead_of_the_scrolling() {
        let mut colours = Colours::default();
        assert_eq!(colours.wanted(1, 1_000, 500..520), Some(420..600));
        assert_eq!(colours.wanted(1, 1_000, 505..525), None, "it is under way");
        assert!(colours.take(painted(1, 420..600)));
        assert_eq!(colours.wanted(1, 1_000, 540..560), None, "it is known");
        assert_eq!(colours.wanted(1, 1_000, 570..590), Some(490..670), "before the pilot comes there");
        assert_eq!(colours.wanted(1, 1_000, 990..1_000), Some(950..1_000));
        assert_eq!(colours.wanted(2, 10, 0..10), Some(0..10), "another document");
        assert!(!colours.take(painted(1, 0..10)));
        assert_eq!((colours.of(2, 3), colours.of(1, 3)), (None, None));
    }
}
