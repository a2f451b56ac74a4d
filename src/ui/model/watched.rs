//! A session that the screen looks into: its snapshot, kept up to date by facts and progress.

use super::rounds::{self, Round};
use crate::domain::effect::Call;
use crate::domain::fact::{Fact, Usage};
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::state::{Session, apply};
use crate::domain::time::Stamp;
use crate::engine::questions::standing;
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
    pub spent: Spent,
    /// Why a participant gave no usable reply, by round and vendor.
    pub reasons: BTreeMap<(u32, String), String>,
    /// How the last call of each participant ended, for its lane. The writer's key is empty.
    pub ended: BTreeMap<String, String>,
    /// The pilot cut in: the session goes on as soon as nobody drives it.
    pub go_on: bool,
}

/// The call that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    pub call: Call,
    pub since: Stamp,
    /// Seconds, where known.
    pub deadline: Option<u64>,
    pub pid: Option<u32>,
    pub bytes: u64,
    pub notice: String,
}

/// What the calls cost, as far as the command lines reported it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// By vendor key; the writer's is empty.
    pub tokens: BTreeMap<String, u64>,
    pub usd: Option<f64>,
    /// Calls that reported nothing.
    pub silent: u32,
    /// Number of the last event counted.
    upto: u64,
}

impl Watched {
    pub fn new(view: Box<View>) -> Watched {
        let mut watched = Watched {
            view,
            rounds: Vec::new(),
            call: None,
            spent: Spent::default(),
            reasons: BTreeMap::new(),
            ended: BTreeMap::new(),
            go_on: false,
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
                self.call = Some(Running {
                    call: call.clone(),
                    since: time,
                    deadline: None,
                    pid: None,
                    bytes: 0,
                    notice: String::new(),
                });
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
        self.spent = Spent::default();
        events.iter().for_each(|event| self.count(event));
        self.derive();
    }

    pub fn progress(&mut self, call: &Call, progress: &Progress, now: Stamp) {
        let running = self.call.get_or_insert_with(|| Running {
            call: call.clone(),
            since: now,
            deadline: None,
            pid: None,
            bytes: 0,
            notice: String::new(),
        });
        // Of a call that is over: progress may come late.
        if running.call != *call {
            return;
        }
        match progress {
            Progress::Started { pid, .. } => running.pid = Some(*pid),
            Progress::Text(text) => {
                self.view.preview.push_str(text);
                if self.view.preview.len() > PREVIEW_LIMIT {
                    let cut = self.view.preview.len() - PREVIEW_LIMIT / 2;
                    let cut = self.view.preview.ceil_char_boundary(cut);
                    self.view.preview.drain(..cut);
                }
            }
            Progress::Restart => self.view.preview.clear(),
            Progress::Notice(text) => running.notice = text.clone(),
            // Until there is something newer to say.
            Progress::Sandbox(text) if running.notice.is_empty() => {
                running.notice = format!("sandbox: {text}")
            }
            Progress::Sandbox(_) => {}
            Progress::Bytes(n) => running.bytes = *n,
        }
    }

    /// What the deck says about the session is newer than a snapshot where nobody drives it.
    pub fn row(&mut self, row: &Row) {
        self.view.questions = row.questions.clone();
        self.view.owner = row.owner;
    }

    fn running(&self) -> Option<Running> {
        let call = self.view.session.live.running.clone()?;
        let (since, deadline) = self.view.running.map_or((Stamp::default(), None), |(at, s)| (at, Some(s)));
        Some(Running { call, since, deadline, pid: None, bytes: 0, notice: String::new() })
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
            Fact::CallEnded { call, failure, usage, .. } => {
                let who = call.vendor.clone().unwrap_or_default();
                let how = failure.as_ref().map_or_else(|| "reply".to_string(), |f| f.to_string());
                self.ended.insert(who.clone(), how);
                if event.seq > self.spent.upto {
                    self.spent.add(who, usage.as_ref());
                }
            }
            _ => {}
        }
        self.spent.upto = self.spent.upto.max(event.seq);
    }
}

impl Spent {
    pub fn total(&self) -> Option<u64> {
        (!self.tokens.is_empty()).then(|| self.tokens.values().sum())
    }

    fn add(&mut self, who: String, usage: Option<&Usage>) {
        let Some(usage) = usage else {
            self.silent += 1;
            return;
        };
        let parts = [usage.input, usage.cached, usage.output];
        if parts.iter().any(Option::is_some) {
            *self.tokens.entry(who).or_default() += parts.into_iter().flatten().sum::<u64>();
        } else {
            self.silent += 1;
        }
        if let Some(cost) = usage.cost_usd {
            *self.usd.get_or_insert(0.0) += cost;
        }
    }
}
