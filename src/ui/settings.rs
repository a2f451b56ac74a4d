//! What the screen is told when it starts, by the command that starts it. The screen itself reads no file, no variable
//! and starts no process: what needs one comes in as a function.

use super::keymap::{self, Keymap};
use super::model::replay::Seen;
use super::model::slots::Slots;
use super::theme::{self, Colours, Theme};
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::spent::Budget;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// A theme or keymap: one that ships, or a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    Shipped(String),
    /// `origin` names the file in messages.
    File {
        text: String,
        origin: String,
    },
}

/// The first screen. Under the deck stands whatever is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    #[default]
    Deck,
    Session(SessionId),
    New,
}

/// How the desktop is told that a question stands open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Desktop {
    #[default]
    Off,
    Osc9,
    Osc777,
    Osc99,
    /// By a program outside of the terminal: [`Settings::tell_desktop`].
    Program,
}

/// A vendor that the form offers, and why it cannot be called where it cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub key: String,
    pub missing: Option<String>,
}

/// Unsent answers, by `<session>/<question>`; `new/task` is the task of the form.
pub type Drafts = BTreeMap<String, String>;

/// What the screen wants to find again when it opens the next time.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Kept {
    pub drafts: Drafts,
    pub seen: Seen,
    pub slots: Slots,
}

/// Lets the pilot edit a text elsewhere and gives back what became of it.
pub type Edit = Box<dyn Fn(&str) -> io::Result<String> + Send>;

/// Tells the desktop something, or says why it cannot.
pub type TellDesktop = Box<dyn Fn(&str) -> io::Result<()> + Send>;

/// Everything that the screen cannot find out by itself.
pub struct Settings {
    pub lang: Lang,
    pub theme: Pick,
    pub keymap: Pick,
    pub colours: Colours,
    /// False: nothing moves by itself.
    pub motion: bool,
    pub mouse: bool,
    pub bell: bool,
    pub desktop: Desktop,
    /// Sequences for the outer terminal must be wrapped.
    pub tmux: bool,
    pub zone: jiff::tz::TimeZone,
    pub start: Start,
    pub kept: Kept,
    pub vendors: Vec<Known>,
    /// What a new session may cost, as configured.
    pub budget: Option<Budget>,
    /// Where relative paths of a new session start.
    pub cwd: PathBuf,
    /// Lets the pilot edit a text in `$EDITOR`; the terminal is the editor's meanwhile.
    pub edit: Edit,
    /// Tells the desktop by way of a program, for [`Desktop::Program`].
    pub tell_desktop: TellDesktop,
    /// Stops this process until the shell wakes it (SIGSTOP); returns when it runs again.
    pub suspend: Box<dyn Fn() + Send>,
    /// Keeps it where a crash does not reach it.
    pub keep: Box<dyn Fn(&Kept) + Send>,
}

/// How the screen looks and listens.
#[derive(Debug, Clone)]
pub struct Look {
    pub lang: Lang,
    pub theme: Theme,
    pub keymap: Keymap,
    pub motion: bool,
    pub zone: jiff::tz::TimeZone,
}

impl Settings {
    /// Theme and keymap ready to use. What is broken is replaced by the default and said.
    pub fn look(&self) -> (Look, Vec<String>) {
        let mut problems = Vec::new();
        let theme = self.theme(&mut problems);
        let keymap = self.keymap(&mut problems);
        (Look { lang: self.lang, theme, keymap, motion: self.motion, zone: self.zone.clone() }, problems)
    }

    fn theme(&self, problems: &mut Vec<String>) -> Theme {
        let read = match &self.theme {
            Pick::File { text, origin } => Theme::read(text, origin, self.colours),
            Pick::Shipped(name) => Theme::shipped(name, self.colours)
                .ok_or_else(|| unknown("theme", name, theme::SHIPPED.map(|(known, _)| known).as_slice())),
        };
        read.unwrap_or_else(|problem| {
            problems.push(problem);
            Theme::shipped("default", self.colours).unwrap_or_default()
        })
    }

    fn keymap(&self, problems: &mut Vec<String>) -> Keymap {
        let read = match &self.keymap {
            Pick::File { text, origin } => Keymap::read(text, origin),
            Pick::Shipped(name) => Keymap::shipped(name).ok_or_else(|| {
                vec![unknown("keymap", name, keymap::SHIPPED.map(|(known, _)| known).as_slice())]
            }),
        };
        read.unwrap_or_else(|found| {
            problems.extend(found);
            Keymap::shipped("default").unwrap_or_default()
        })
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    format!("no {what} is called {name:?}. Those that ship: {}", known.join(", "))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Settings of a test: English, no colours, a fixed zone.
    pub fn settings() -> Settings {
        Settings {
            lang: Lang::En,
            theme: Pick::Shipped("default".into()),
            keymap: Pick::Shipped("default".into()),
            colours: Colours::None,
            motion: false,
            mouse: true,
            bell: true,
            desktop: Desktop::Off,
            tmux: false,
            zone: jiff::tz::TimeZone::UTC,
            start: Start::Deck,
            kept: Kept::default(),
            vendors: Vec::new(),
            budget: None,
            cwd: PathBuf::from("."),
            edit: Box::new(|text| Ok(text.to_string())),
            tell_desktop: Box::new(|_| Ok(())),
            suspend: Box::new(|| ()),
            keep: Box::new(|_| ()),
        }
    }

    #[test]
    fn a_broken_theme_or_keymap_gives_the_default_and_a_notice() {
        let mut s = settings();
        s.theme = Pick::File { text: "roles: {txet: red}".into(), origin: "a.yaml".into() };
        s.keymap = Pick::Shipped("vmi".into());
        let (look, problems) = s.look();
        assert_eq!(look.theme, Theme::shipped("default", Colours::None).unwrap());
        assert_eq!(look.keymap, Keymap::shipped("default").unwrap());
        assert!(problems[0].starts_with("a.yaml:1:"), "{problems:?}");
        assert!(problems[1].contains("default, vim, emacs"), "{problems:?}");
    }
}
