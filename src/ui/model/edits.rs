//! What the front does with letters: they are text where a text is edited, and keys everywhere else.

use super::form::Field;
use super::reply::Focus;
use super::{Model, Screen};
use crate::ui::overlay::Overlay;

/// What the front does with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    Nothing,
    /// One line, kept as a string: queries.
    Query,
    /// The same, kept by a reading screen.
    Search,
    /// One line of a form.
    Line,
    Lines,
}

impl Model {
    pub fn edits(&self) -> Edits {
        match (self.overlays.last(), self.screens.last()) {
            (Some(Overlay::Reply(reply)), _) if reply.focus == Focus::Text => Edits::Lines,
            (Some(Overlay::Menu(_) | Overlay::Filter), _) => Edits::Query,
            (None, Some(Screen::Library(_))) => Edits::Search,
            (None, Some(Screen::New(form))) if form.field() == Field::Task => Edits::Lines,
            (None, Some(Screen::New(_))) => Edits::Line,
            _ => Edits::Nothing,
        }
    }

    /// Letters are text here, so that a key of one letter means nothing else.
    pub fn types(&self) -> bool {
        self.edits() != Edits::Nothing
    }
}
