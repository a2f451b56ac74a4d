//! Everything that the screen knows. Plain data: [`super::update`] changes it, [`super::view`] draws it.
//!
//! What is in front is derived from what is open and stored nowhere else: overlays lie on screens, screens on the deck.

pub mod attention;
pub mod deck;
pub mod edits;
pub mod form;
pub mod gate;
pub mod lanes;
pub mod library;
pub mod menu;
pub mod part;
pub mod pipeline;
pub mod reader;
pub mod replay;
pub mod reply;
pub mod report;
pub mod rounds;
pub mod slots;
pub mod trace;
pub mod watched;

use super::action::Context;
use super::key::Key;
use super::overlay::Overlay;
use super::settings::{Drafts, Kept, Known, Look, Settings};
use super::theme::Role;
use super::view::layout::Layout;
use crate::domain::lang::Lang;
use crate::domain::question::Question;
use crate::domain::session::id::SessionId;
use crate::domain::spent::Budget;
use crate::domain::time::Stamp;
use attention::Attention;
use deck::Deck;
use form::Form;
use gate::Gate;
use library::Library;
use pipeline::Pipeline;
use replay::{Replay, Seen};
use report::Report;
use slots::Slots;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;
use trace::Trace;
use watched::Watched;

/// So long an answer may be on its way; a question that still stands then was not answered by it.
const ANSWERED: Duration = Duration::from_secs(3);

/// The time, handed in: the wall's and the monotonic one since the screen began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    pub now: Stamp,
    pub at: Duration,
}

/// A screen above the deck.
#[derive(Debug)]
pub enum Screen {
    Session(Shown),
    Gate(Gate),
    Pipeline(Box<Pipeline>),
    Trace(Box<Trace>),
    New(Box<Form>),
    Report(Box<Report>),
    Library(Box<Library>),
    Replay(Box<Replay>),
}

/// A session as the pilot looks at it. The lanes' reading positions are in the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub id: SessionId,
    /// 0 is the writer.
    pub lane: usize,
    pub zoom: bool,
}

/// A line that passes: what just happened or could not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    pub role: Role,
    pub until: Duration,
}

/// The engine as far as the screen knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Engine {
    pub version: String,
    pub pid: u32,
    pub sessions: PathBuf,
    /// Why it ended, once it did.
    pub bye: Option<String>,
}

/// The model.
pub struct Model {
    pub look: Look,
    pub clock: Clock,
    pub size: (u16, u16),
    /// The terminal has the keyboard.
    pub focused: bool,
    pub engine: Engine,
    pub deck: Deck,
    /// Sessions that the engine was asked to tell about.
    pub watching: BTreeSet<SessionId>,
    /// Those of them that have come.
    pub watched: BTreeMap<SessionId, Watched>,
    pub screens: Vec<Screen>,
    pub overlays: Vec<Overlay>,
    /// The beginning of a key sequence.
    pub typed: Vec<Key>,
    pub toast: Option<Toast>,
    pub drafts: Drafts,
    /// How far the pilot has seen each session.
    pub seen: Seen,
    /// The number keys of sessions.
    pub slots: Slots,
    /// Questions that were just answered, until the engine no longer names them or this time has come: an answer on its
    /// way is neither counted nor given twice.
    pub sent: BTreeMap<(SessionId, String), Duration>,
    /// When changed drafts are to be kept.
    pub keep_at: Option<Duration>,
    pub attention: Attention,
    pub vendors: Vec<Known>,
    /// What a new session may cost.
    pub budget: Option<Budget>,
    pub cwd: PathBuf,
    pub layout: Layout,
    /// Something changed since the last drawing.
    pub dirty: bool,
}

impl Model {
    pub fn new(settings: &Settings, clock: Clock, size: (u16, u16)) -> Model {
        let (look, problems) = settings.look();
        let mut model = Model {
            look,
            clock,
            size,
            focused: true,
            engine: Engine::default(),
            deck: Deck::default(),
            watching: BTreeSet::new(),
            watched: BTreeMap::new(),
            screens: Vec::new(),
            overlays: Vec::new(),
            typed: Vec::new(),
            toast: None,
            drafts: settings.kept.drafts.clone(),
            seen: settings.kept.seen.clone(),
            slots: settings.kept.slots.clone(),
            sent: BTreeMap::new(),
            keep_at: None,
            attention: Attention::default(),
            vendors: settings.vendors.clone(),
            budget: settings.budget,
            cwd: settings.cwd.clone(),
            layout: Layout::default(),
            dirty: true,
        };
        if !problems.is_empty() {
            model.say(problems.join(" · "), Role::Warning);
            // A broken theme or keymap is to be read, not to flash by.
            if let Some(toast) = &mut model.toast {
                toast.until += Duration::from_secs(20);
            }
        }
        model
    }

    pub fn lang(&self) -> Lang {
        self.look.lang
    }

    /// Where keys go.
    pub fn context(&self) -> Context {
        match (self.overlays.last(), self.screens.last()) {
            (Some(overlay), _) => overlay.context(),
            (None, Some(Screen::Session(_))) => Context::Session,
            (None, Some(Screen::Gate(_))) => Context::Gate,
            (None, Some(Screen::Pipeline(_))) => Context::Pipeline,
            (None, Some(Screen::Trace(_))) => Context::Trace,
            (None, Some(Screen::New(_))) => Context::New,
            (None, Some(Screen::Report(_))) => Context::Report,
            (None, Some(Screen::Library(_))) => Context::Library,
            (None, Some(Screen::Replay(_))) => Context::Replay,
            (None, None) => Context::Deck,
        }
    }

    /// The session that the front screen is about.
    pub fn front(&self) -> Option<&SessionId> {
        match self.screens.last() {
            Some(Screen::Session(shown)) => Some(&shown.id),
            Some(Screen::Gate(gate)) => Some(&gate.id),
            Some(Screen::Pipeline(pipeline)) => Some(&pipeline.id),
            Some(Screen::Trace(trace)) => Some(&trace.id),
            Some(Screen::Report(report)) => Some(&report.id),
            Some(Screen::Replay(replay)) => Some(&replay.id),
            Some(Screen::New(_) | Screen::Library(_)) => None,
            None => self.deck.selected.as_ref(),
        }
    }

    /// Every question that stands open, the one that waits longest first.
    pub fn questions(&self) -> Vec<(&SessionId, &Question)> {
        let mut all: Vec<_> =
            self.deck.rows.iter().flat_map(|row| row.questions.iter().map(move |q| (&row.id, q))).collect();
        all.retain(|(id, q)| !self.is_sent(id, &q.id));
        all.sort_by(|a, b| (a.1.since, a.0, &a.1.id).cmp(&(b.1.since, b.0, &b.1.id)));
        all
    }

    /// How many questions wait, and since when the oldest one (ui.md rule 1).
    pub fn waiting(&self) -> (usize, Option<Stamp>) {
        let questions = self.questions();
        (questions.len(), questions.first().map(|(_, q)| q.since))
    }

    /// An answer to this question is on its way.
    pub fn is_sent(&self, id: &SessionId, question: &str) -> bool {
        let until = self.sent.get(&(id.clone(), question.to_string()));
        until.is_some_and(|until| *until > self.clock.at)
    }

    /// Remembers that this question was answered.
    pub fn sends(&mut self, id: &SessionId, question: &str) {
        self.sent.insert((id.clone(), question.to_string()), self.clock.at + ANSWERED);
    }

    /// What outlives the screen.
    pub fn kept(&self) -> Kept {
        Kept { drafts: self.drafts.clone(), seen: self.seen.clone(), slots: self.slots.clone() }
    }

    /// A line that passes.
    pub fn say(&mut self, text: impl Into<String>, role: Role) {
        self.toast = Some(Toast { text: text.into(), role, until: self.clock.at + Duration::from_secs(5) });
    }

    /// The next time at which something changes by itself; `None` when nothing does, and then nobody wakes us.
    pub fn next_wake(&self) -> Option<Duration> {
        let at = self.clock.at;
        let next = |step: u64| {
            let step = Duration::from_millis(step);
            let n = at.as_millis() / step.as_millis() + 1;
            step * u32::try_from(n).unwrap_or(u32::MAX)
        };
        let runs = self.shows_running().then(|| next(if self.look.motion { 100 } else { 1_000 }));
        // Ages count minutes; the oldest question's is always on screen.
        let ages = (self.waiting().0 > 0).then(|| next(30_000));
        let plays = match self.screens.last() {
            Some(Screen::Replay(replay)) => replay.next_wake(),
            _ => None,
        };
        [
            plays,
            self.toast.as_ref().map(|t| t.until),
            self.deck.peek_at,
            self.keep_at,
            self.sent.values().min().copied(),
            self.attention.next(),
            runs,
            ages,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Something with a running clock is on the screen.
    fn shows_running(&self) -> bool {
        match self.screens.last() {
            Some(Screen::Session(Shown { id, .. })) => self.watched.get(id).is_some_and(|w| w.call.is_some()),
            Some(Screen::Pipeline(p)) => self.watched.get(&p.id).is_some_and(|w| w.call.is_some()),
            Some(_) => false,
            None => self.deck.rows.iter().any(|r| r.speaking.is_some()),
        }
    }
}

#[cfg(test)]
pub mod tests;
