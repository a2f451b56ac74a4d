//! What lies over a screen: a stack, the top of which gets the keys. An overlay carries its own arguments.

use super::action::Context;
use super::model::menu::Menu;
use super::model::reader::Reader;
use super::model::reply::Reply;
use super::msg::Cmd;

#[derive(Debug)]
pub enum Overlay {
    Reply(Box<Reply>),
    Menu(Menu),
    Reader(Reader),
    Confirm(Confirm),
    /// The deck's filter is being typed; its text is the deck's.
    Filter,
}

/// A yes or no, and what yes does.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirm {
    pub text: String,
    pub then: Vec<Cmd>,
}

impl Overlay {
    pub fn context(&self) -> Context {
        match self {
            Overlay::Reply(_) => Context::Question,
            Overlay::Menu(_) | Overlay::Filter => Context::Menu,
            Overlay::Reader(_) => Context::Reader,
            Overlay::Confirm(_) => Context::Confirm,
        }
    }
}
