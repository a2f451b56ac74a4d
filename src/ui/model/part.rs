//! What the reading screens (report, library, replay) take and give: a part of the dashboard that knows nothing of the
//! shell around it, of keys or of themes.

use crate::domain::session::id::SessionId;
use crate::engine::wire::{Ask, Tell};
use std::time::Duration;

/// What happened, in the words of a part.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    First,
    Last,
    Enter,
    /// Leave what is open, in the end the part itself.
    Back,
    Tab,
    BackTab,
    Backspace,
    /// Typed text, or a letter that means something to the part.
    Char(char),
    Paste(&'a str),
    Tell(&'a Tell),
    /// Time since the screen began; only wanted when [`super::replay::Replay::next_wake`] names one.
    Tick(Duration),
}

/// What the shell is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    Ask(Box<Ask>),
    Copy(String),
    /// Show this file of this session in the report screen.
    Open {
        id: SessionId,
        file: String,
        /// From 1.
        line: u32,
    },
    /// The part is done; it can be dropped.
    Close,
}

impl Out {
    pub fn ask(ask: Ask) -> Out {
        Out::Ask(Box::new(ask))
    }
}
