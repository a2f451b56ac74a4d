//! Leaving the pipeline's screen for another one and coming back to where one stood.

use super::doc::Place;
use super::{Part, Pipeline};
use crate::engine::wire::Scope;

/// Where the pilot stood, to come back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stood {
    part: Part,
    large: Part,
    file: usize,
    finding: usize,
    scope: Scope,
    whole: Option<String>,
    place: Option<Place>,
    /// The row, and the document it is a row of.
    row: (usize, Option<u64>),
}

impl Pipeline {
    pub fn stood(&self) -> Stood {
        Stood {
            part: self.part,
            large: self.large,
            file: self.file,
            finding: self.finding,
            scope: self.scope,
            whole: self.whole.clone(),
            place: self.place(),
            row: (self.cursor, self.doc.as_ref().map(|d| d.stamp)),
        }
    }

    /// Stands there again: in the same row, or at the same place of another document.
    pub fn stand(&mut self, at: Stood) {
        (self.part, self.large, self.file, self.finding) = (at.part, at.large, at.file, at.finding);
        let shown = self.scope == at.scope && self.whole == at.whole;
        (self.scope, self.whole) = (at.scope, at.whole);
        let (row, stamp) = at.row;
        match (&self.doc, at.place) {
            (Some(doc), _) if Some(doc.stamp) == stamp => self.cursor = row,
            (Some(doc), Some(place)) if shown => self.cursor = doc.row_at(&place).unwrap_or(self.cursor),
            (_, place) => self.goal = place,
        }
    }
}
