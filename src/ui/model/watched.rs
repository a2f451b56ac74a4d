//! A session that the screen looks into: its snapshot, kept up to date by facts and progress.

use super::rounds::{self, Round};
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::failure::Reason;
use crate::domain::session::state::{Session, apply};
use crate::domain::spent::Spent;
use crate::domain::time::Stamp;
use crate::engine::questions::standing;
pub use crate::engine::wire::Running;
use crate::engine::wire::{Event, Progress, Row, View};
use std::collections::BTreeMap;

/// More than this of a running reply is not kept: the final text replaces it anyway.
const PREVIEW_LIMIT: usize = 1 << 20;

/// A session under watch.
#[derive(Debug)]
pub struct Watched {
    pub view: Box<View>,
    /// Derived from the session whenever it changes.
    pub rounds: Vec<Round>,
    pub call: Option<Running>,
    pub spent: Bill,
    /// Why a participant gave no usable reply, by round and vendor.
    pub reasons: BTreeMap<(u32, String), String>,
    /// How the last call of each participant ended, for its lane. The writer's key is empty.
    pub ended: BTreeMap<String, Ended>,
}

/// What the calls cost, by participant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bill {
    /// By vendor key; the writer's is empty.
    pub of: BTreeMap<String, Spent>,
    /// Number of the last event counted.
    upto: u64,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub call: Call,
    pub failure: Option<Reason>,
    pub seconds: u64,
}

impl Watched {
    pub fn new(view: Box<View>) -> Watched {
        let mut watched = Watched {
            view,
            rounds: Vec::new(),
            call: None,
            spent: Bill::default(),
            reasons: BTreeMap::new(),
            ended: BTreeMap::new(),
        };
        watched.call = watched.running();
        watched.derive();
        watched
    }

    /// A newer snapshot of the same session.
    pub fn renew(&mut self, view: Box<View>) {
        self.view = view;
        self.call = self.running();
        self.derive();
    }

    pub fn session(&self) -> &Session {
        &self.view.session
    }

    pub fn event(&mut self, event: &Event) {
        if event.seq <= self.view.seq {
            return;
        }
        self.view.seq = event.seq;
        let time = Stamp::parse(&event.time).unwrap_or_default();
        match &event.fact {
            Fact::CallStarted { call } => {
                self.view.preview.clear();
                self.call = Some(Running::new(call.clone(), time));
            }
            Fact::CallEnded { .. } => {
                self.call = None;
                self.view.preview.clear();
            }
            Fact::Asked { question } => {
                self.view.questions.retain(|q| q.id != question.id);
                self.view.questions.push(question.clone());
            }
            Fact::EscalationAnswered { index, .. } => {
                self.view.questions.retain(|q| q.id != format!("escalation-{index:02}"));
            }
            _ => {}
        }
        self.count(event);
        apply(&mut self.view.session, &event.fact);
        if self.view.session.notes.asked.as_ref().is_some_and(|q| q.kind == QuestionKind::Content) {
            // Every change of a document is a question of its own.
            self.view.questions = standing(&self.view.session);
        }
        if self.view.session.notes.asked.is_none() {
            let open = |q: &Question| matches!(q.kind, QuestionKind::Escalation | QuestionKind::Dispute);
            let stands = self.view.session.open_escalation().is_some();
            self.view.questions.retain(|q| open(q) && stands);
        }
        self.derive();
    }

    /// The whole log: what came before the snapshot counts for costs and reasons.
    pub fn history(&mut self, events: &[Event]) {
        self.spent = Bill::default();
        events.iter().for_each(|event| self.count(event));
        self.derive();
    }

    pub fn progress(&mut self, call: &Call, progress: &Progress, now: Stamp) {
        let running = self.call.get_or_insert_with(|| Running::new(call.clone(), now));
        // Of a call that is over: progress may come late.
        if running.call != *call {
            return;
        }
        running.hear(progress);
        match progress {
            Progress::Text(text) => {
                self.view.preview.push_str(text);
                if self.view.preview.len() > PREVIEW_LIMIT {
                    let cut = self.view.preview.len() - PREVIEW_LIMIT / 2;
                    let cut = self.view.preview.ceil_char_boundary(cut);
                    self.view.preview.drain(..cut);
                }
            }
            Progress::Restart => self.view.preview.clear(),
            _ => {}
        }
    }

    /// What the deck says about the session is newer than a snapshot where nobody drives it.
    pub fn row(&mut self, row: &Row) {
        self.view.questions = row.questions.clone();
        self.view.owner = row.owner;
    }

    fn running(&self) -> Option<Running> {
        let call = self.view.session.live.running.clone()?;
        let known = self.view.running.clone().filter(|run| run.call == call);
        Some(known.unwrap_or_else(|| Running::new(call, Stamp::default())))
    }

    fn derive(&mut self) {
        self.rounds = rounds::rounds(&self.view.session, &self.reasons);
    }

    fn count(&mut self, event: &Event) {
        match &event.fact {
            Fact::Skipped { round, vendor, reason, .. } => {
                self.reasons.insert((*round, vendor.clone()), reason.to_string());
            }
            Fact::Rejected { name, vendor, reason, .. } => {
                self.reasons.insert((name.number, vendor.clone()), reason.to_string());
            }
            Fact::CallEnded { call, failure, usage, millis } => {
                let who = call.vendor.clone().unwrap_or_default();
                let ended = Ended { call: call.clone(), failure: failure.clone(), seconds: millis / 1_000 };
                self.ended.insert(who.clone(), ended);
                if event.seq > self.spent.upto {
                    self.spent.of.entry(who).or_default().ended(call, usage.as_ref());
                }
            }
            _ => {}
        }
        self.spent.upto = self.spent.upto.max(event.seq);
    }
}

impl Bill {
    /// The whole session.
    pub fn total(&self) -> Spent {
        self.of.values().fold(Spent::default(), |sum, one| sum.and(one))
    }
}
