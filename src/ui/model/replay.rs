//! Replay: a session event by event, with the time of each, forwards and back.
//!
//! The state at a moment is folded from the events before it, never guessed. What the pilot has not seen yet can be
//! walked through alone.

mod digest;
mod moment;

pub use digest::{Digest, Flip, Seen, digest};
pub use moment::{Moment, Shape, moment};

use super::part::{Input, Out};
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Meta;
use crate::domain::session::order::reading_order;
use crate::domain::session::state::{Session, apply};
use crate::domain::time::Stamp;
use crate::engine::wire::{Ask, Event, Tell};
use crate::ui::markdown::{Document, parse};
use jiff::tz::TimeZone;
use std::time::Duration;

/// While it plays: the pauses of the session a hundred times shorter, within these bounds.
const SHORTEST: Duration = Duration::from_millis(300);
const LONGEST: Duration = Duration::from_millis(2_500);

#[derive(Debug)]
pub struct Replay {
    pub id: SessionId,
    pub lang: Lang,
    pub zone: TimeZone,
    /// What there is to see, oldest first.
    pub moments: Vec<Moment>,
    /// Index of the moment shown.
    pub at: usize,
    /// The session as it was then; `None` when the log does not begin at the beginning.
    pub state: Option<Session>,
    /// The text of the turn shown.
    pub document: Document,
    /// When the next moment comes, while it plays.
    pub playing: Option<Duration>,
    /// Events with a higher number are new to the pilot.
    pub seen: u64,
    /// The log has been read, or there is none.
    pub loaded: bool,
    /// The moments were made from turn files, because no log was kept: only times and turns are known.
    pub from_files: bool,
    events: Vec<Event>,
    /// The screen's time at the last tick.
    now: Duration,
}

impl Replay {
    /// Asks for the events. `seen` is the number of the last event that the pilot saw; 0 = none.
    pub fn open(id: SessionId, seen: u64, lang: Lang, zone: TimeZone) -> (Replay, Vec<Out>) {
        let outs = vec![Out::ask(Ask::Events { id: id.clone() })];
        let replay = Replay {
            id,
            lang,
            zone,
            moments: Vec::new(),
            at: 0,
            state: None,
            document: Document::default(),
            playing: None,
            seen,
            loaded: false,
            from_files: false,
            events: Vec::new(),
            now: Duration::ZERO,
        };
        (replay, outs)
    }

    /// What happened since the pilot looked.
    pub fn digest(&self) -> Digest {
        digest(&self.events, self.seen)
    }

    pub fn current(&self) -> Option<&Moment> {
        self.moments.get(self.at)
    }

    /// Whether the pilot has not seen this moment.
    pub fn is_new(&self, moment: &Moment) -> bool {
        !self.from_files && moment.seq > self.seen
    }

    /// The number of the last event, to be kept as seen.
    pub fn last_seq(&self) -> u64 {
        self.events.last().map_or(0, |event| event.seq)
    }

    /// When a tick is wanted.
    pub fn next_wake(&self) -> Option<Duration> {
        self.playing
    }

    pub fn update(&mut self, input: Input<'_>) -> Vec<Out> {
        let last = self.moments.len().saturating_sub(1);
        match input {
            Input::Tell(tell) => return self.heard(tell),
            Input::Tick(now) => {
                self.now = now;
                if self.playing.is_some_and(|at| at <= now) {
                    self.go(self.at + 1);
                    self.playing = (self.at < last).then(|| now + self.pause());
                }
            }
            Input::Left | Input::Char('h') => self.stop_and_go(self.at.saturating_sub(1)),
            Input::Right | Input::Char('l') => self.stop_and_go(self.at + 1),
            Input::Up | Input::Char('k') => self.stop_and_go(self.round(false)),
            Input::Down | Input::Char('j') => self.stop_and_go(self.round(true)),
            Input::First | Input::Char('g') => self.stop_and_go(0),
            Input::Last | Input::Char('G') => self.stop_and_go(last),
            Input::Char('n') => {
                let new = |at: &usize| self.is_new(&self.moments[*at]);
                let next = (self.at + 1..self.moments.len()).find(new).or((0..self.at).find(new));
                if let Some(next) = next {
                    self.stop_and_go(next);
                }
            }
            Input::Char(' ') => {
                self.playing = match self.playing {
                    Some(_) => None,
                    None => {
                        if self.at >= last {
                            self.go(0);
                        }
                        (last > 0).then(|| self.now + self.pause())
                    }
                };
            }
            Input::Enter => {
                let file = self.current().and_then(|moment| moment.file.clone());
                return file
                    .map(|file| Out::Open { id: self.id.clone(), file, line: 1 })
                    .into_iter()
                    .collect();
            }
            Input::Back | Input::Char('q') => return vec![Out::Close],
            _ => {}
        }
        Vec::new()
    }

    fn heard(&mut self, tell: &Tell) -> Vec<Out> {
        match tell {
            Tell::Events { id, events } if *id == self.id => {
                self.loaded = true;
                if events.is_empty() {
                    // Another program ran this session, or its log is gone: the turn files still have times.
                    return vec![Out::ask(Ask::Watch { id: id.clone() })];
                }
                self.events.clone_from(events);
                self.from_files = false;
                self.show();
                // Where the pilot left off, or the beginning.
                let first = (0..self.moments.len()).find(|at| self.is_new(&self.moments[*at]));
                self.go(first.filter(|_| self.seen > 0).unwrap_or(0));
            }
            Tell::Snapshot { view } if view.session.meta.session_id == self.id && self.events.is_empty() => {
                self.events = from_files(&view.session);
                self.from_files = true;
                self.show();
                self.go(0);
            }
            // A running session goes on while it is looked at; the reader stays where he is.
            Tell::Event { id, event }
                if *id == self.id && self.loaded && !self.from_files && event.seq > self.last_seq() =>
            {
                self.events.push((**event).clone());
                self.show();
            }
            _ => {}
        }
        Vec::new()
    }

    fn show(&mut self) {
        let lang = self.lang;
        self.moments =
            self.events.iter().enumerate().filter_map(|(n, event)| moment(n, event, lang)).collect();
        // The turn-loop's files name no vendor: there is one peer only.
        let only = self.events.first().and_then(|event| match &event.fact {
            Fact::Began { meta, .. } => Session::new((**meta).clone()).peers().into_iter().next(),
            _ => None,
        });
        let mut round = 0;
        for moment in &mut self.moments {
            if let (Some(peer), "peer") = (&only, moment.who.as_str()) {
                moment.who.clone_from(&peer.vendor);
            }
            round = moment.round.unwrap_or(round);
            moment.round = Some(round);
        }
    }

    fn stop_and_go(&mut self, at: usize) {
        self.playing = None;
        self.go(at);
    }

    fn go(&mut self, at: usize) {
        self.at = at.min(self.moments.len().saturating_sub(1));
        let Some(moment) = self.moments.get(self.at) else { return };
        let events = &self.events[..=moment.event];
        self.state = fold(events);
        self.document = match events.last().map(|event| &event.fact) {
            Some(Fact::Spoke { turn }) => parse(&turn.text),
            Some(Fact::Rejected { text, .. }) => parse(text),
            Some(Fact::Drafted { text, .. }) => parse(text),
            Some(Fact::Asked { question }) => parse(question.text(self.lang)),
            Some(Fact::Escalated { escalation }) => parse(&escalation.reason),
            Some(Fact::EscalationAnswered { answer, .. }) => parse(answer),
            Some(
                Fact::Reviewed { text, .. } | Fact::Verified { text, .. } | Fact::OutcomeWritten { text },
            ) => parse(text),
            // The report is the draft as it was then.
            Some(Fact::Published) => {
                let draft = events.iter().rev().find_map(|event| match &event.fact {
                    Fact::Drafted { text, .. } => Some(text),
                    _ => None,
                });
                draft.map_or_else(Document::default, |text| parse(text))
            }
            _ => Document::default(),
        };
    }

    /// The first moment of the round after or before the current one.
    fn round(&self, forward: bool) -> usize {
        let here = self.current().and_then(|moment| moment.round);
        let begins = |at: &usize| {
            self.moments[*at].round != at.checked_sub(1).and_then(|before| self.moments[before].round)
        };
        if forward {
            (self.at + 1..self.moments.len()).find(begins).unwrap_or(self.moments.len().saturating_sub(1))
        } else {
            let start = (0..=self.at)
                .rfind(|at| self.moments.get(*at).is_some_and(|m| m.round == here) && begins(at));
            match start {
                Some(start) if start < self.at => start,
                _ => (0..self.at).rfind(begins).unwrap_or(0),
            }
        }
    }

    fn pause(&self) -> Duration {
        let time = |at: usize| self.moments.get(at).and_then(|moment| moment.time);
        let (Some(here), Some(next)) = (time(self.at), time(self.at + 1)) else { return LONGEST };
        let gap = u64::try_from(next.0 - here.0).unwrap_or(0);
        Duration::from_millis(gap.saturating_mul(10)).clamp(SHORTEST, LONGEST)
    }
}

/// The session after these events.
fn fold(events: &[Event]) -> Option<Session> {
    let Fact::Began { meta, .. } = &events.first()?.fact else { return None };
    let mut session = Session::new((**meta).clone());
    events.iter().for_each(|event| apply(&mut session, &event.fact));
    Some(session)
}

/// Turns in reading order with the times in their heads.
fn from_files(session: &Session) -> Vec<Event> {
    let started = Meta { status: Default::default(), engine_result_class: None, ..session.meta.clone() };
    let began = Fact::Began { meta: Box::new(started), writer_vendor: String::new() };
    let turns = reading_order(session.turns.iter(), &session.meta.round_order).into_iter().map(|turn| {
        let time = turn.head.as_ref().map(|head| head.timestamp.clone()).unwrap_or_default();
        (time, Fact::Spoke { turn: turn.clone() })
    });
    let all = std::iter::once((session.meta.start_time.clone(), began)).chain(turns);
    (1..)
        .zip(all)
        .map(|(seq, (time, fact))| Event {
            seq,
            time: Stamp::parse(&time).map_or(time, |t| t.to_string()),
            fact,
        })
        .collect()
}

#[cfg(test)]
pub mod tests;
