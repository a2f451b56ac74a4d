//! What reaches the screen and what it wants done: two closed enums, so that one can list everything that can happen.

use crate::domain::session::id::SessionId;
use crate::engine::wire::{Ask, Tell};
use crate::ui::code::Painted;
use crate::ui::code::worker::Wish;
use crossterm::event::{KeyEvent, MouseEvent};

/// What can reach the screen.
#[derive(Debug, Clone)]
pub enum Msg {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resize(u16, u16),
    /// The terminal has the keyboard, or lost it.
    Focus(bool),
    Tell(Box<Tell>),
    /// A time that [`super::model::Model::next_wake`] named has come.
    Tick,
    /// A frame was drawn; what is seen is known now.
    Drawn,
    /// Lines of a diff have their colours.
    Painted(Painted),
    /// The editor was left, with its text or the reason why there is none.
    Edited(Result<String, String>),
}

/// What the screen wants done outside of itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Cmd {
    Ask(Box<Ask>),
    /// Work out the colours of these lines.
    Paint(Wish),
    /// To the clipboard, by way of the terminal.
    Copy(String),
    /// A question stands open and nobody looks: bell and desktop, as configured.
    Notice(String),
    /// Hand this text to the pilot's editor.
    Edit(String),
    /// Keep the drafts.
    Keep,
    Suspend,
    /// Draw everything anew, whatever the terminal shows.
    Redraw,
    Quit,
}

impl Cmd {
    pub fn ask(ask: Ask) -> Cmd {
        Cmd::Ask(Box::new(ask))
    }

    pub fn command(id: &SessionId, command: crate::engine::run::Command) -> Cmd {
        Cmd::ask(Ask::Command { id: id.clone(), command })
    }
}
