//! One session under this engine: decide, record, apply, show.
//!
//! A [`Runner`] is the part of the loop that needs no waiting; [`super::run`] adds the waiting. Every fact is written
//! before it is applied and applied before it is shown. While a write fails the session stays as it was.

use super::clock::Clock;
use super::desk::Desk;
use super::{ask, finish};
use crate::domain::effect::{Call, Consent, Effect};
use crate::domain::fact::{Fact, Usage};
use crate::domain::input::Input;
use crate::domain::lang::Lang;
use crate::domain::policy::{Permit, Policy};
use crate::domain::question::Question;
use crate::domain::say::Say;
use crate::domain::session::decide::decide;
use crate::domain::session::failure::Reason;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::{Phase, phase};
use crate::domain::session::state::{self, Session};
use crate::domain::session::turn::TurnName;
use crate::domain::spent::Budget;
use crate::store::layout::{self, Layout};
use crate::store::load::{LoadError, load};
use crate::store::lock::{EngineLock, LockError};
use crate::store::record::{Recorder, StoreError};
use crate::store::runtime::Event;
use std::fmt;
use std::time::Duration;

/// What a screen or a script is told.
#[derive(Debug, Clone)]
pub enum Update {
    Event(Event),
    Progress(Call, crate::agents::call::Progress),
    /// What was typed does not answer the question; nothing was changed.
    NoAnswer {
        question: Question,
        text: String,
    },
}

/// Where updates go. Facts are never dropped.
pub type Updates = tokio::sync::mpsc::UnboundedSender<Update>;

/// Why a session cannot be driven.
#[derive(Debug)]
pub enum OpenError {
    Load(LoadError),
    /// Another engine holds it (PC-702).
    Busy(LockError),
    Store(StoreError),
}

impl OpenError {
    pub fn text(&self, lang: Lang) -> String {
        match self {
            OpenError::Load(e) => e.text(lang),
            OpenError::Busy(e) => e.text(lang),
            OpenError::Store(e) => e.text(lang),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for OpenError {}

/// A session and everything that changes it.
pub struct Runner {
    pub session: Session,
    pub desk: Desk,
    pub policy: Policy,
    pub clock: Clock,
    pub(super) recorder: Recorder,
    updates: Option<Updates>,
    lock: EngineLock,
    /// A call that is to be started.
    pub(super) start: Option<Call>,
    held: bool,
    /// The running call is to be stopped.
    pub(super) cancel: bool,
    /// What the pilot chose for the running agent, to be told to it.
    pub(super) permit: Option<String>,
    /// Timers that are to be armed: question and seconds.
    pub(super) wakes: Vec<(String, u64)>,
}

impl Runner {
    /// Takes the lock of a session that is on disk, mends what can be derived (PC-705).
    pub fn open(
        layout: &Layout,
        id: &SessionId,
        desk: Desk,
        policy: Policy,
        clock: Clock,
        updates: Option<Updates>,
    ) -> Result<Runner, OpenError> {
        let lock = lock(layout, id)?;
        let loaded = load(layout, id).map_err(OpenError::Load)?;
        let meta = &loaded.session.meta;
        if meta.peer_agent.is_empty() && meta.peer_agents.is_empty() {
            // Going on would invent who takes part and write that down.
            let why = "it names no peer, so it is torn; restore it from a backup or the repository first";
            let source = std::io::Error::other(why);
            return Err(OpenError::Load(LoadError::Unreadable(loaded.dir.join(layout::META), source)));
        }
        // Going on would ask again for what is in a file that is not given, and write over it.
        let loaded = loaded.whole().map_err(OpenError::Load)?;
        let log = crate::store::runtime::log_problem(&layout.runtime(id))
            .map_err(|(path, source)| OpenError::Load(LoadError::Unreadable(path, source)))?;
        remove_temporary(&loaded.dir);
        let recorder = Recorder::new(layout.clone(), id.clone(), loaded.dir).map_err(OpenError::Store)?;
        let mut runner = Runner::still(loaded.session, desk, policy, clock, recorder, updates, lock);
        runner.know_crew();
        let mut what = state::repairs(&runner.session);
        what.extend(loaded.problems);
        what.extend(log);
        what.extend(super::forgotten::decisions(&runner.session, runner.recorder.runtime()));
        if !what.is_empty() {
            runner.record(Fact::Repaired { what }).map_err(OpenError::Store)?;
        }
        runner.adopt(&loaded.by_hand).map_err(OpenError::Store)?;
        Ok(runner)
    }

    /// Answers that somebody typed into escalation files while no engine was here (PC-444).
    fn adopt(&mut self, by_hand: &[u32]) -> Result<(), StoreError> {
        let is_running = self.session.meta.status == Status::Started;
        for index in by_hand.iter().filter(|_| is_running) {
            let Some(found) = self.session.escalations.iter().find(|e| e.index == *index) else { continue };
            let (index, answer) = (found.index, found.response.clone());
            self.record(Fact::EscalationAnswered { index, answer })?;
        }
        Ok(())
    }

    /// Begins a session whose directory was just created, by writing its first fact.
    pub fn begin(
        layout: &Layout,
        session: Session,
        desk: Desk,
        policy: Policy,
        clock: Clock,
        updates: Option<Updates>,
    ) -> Result<Runner, OpenError> {
        let id = session.meta.session_id.clone();
        let lock = lock(layout, &id)?;
        let runtime = layout.runtime(&id);
        crate::store::runtime::clear(&runtime)
            .map_err(|source| OpenError::Store(StoreError { path: runtime, source }))?;
        let recorder =
            Recorder::new(layout.clone(), id.clone(), layout.session_dir(&id)).map_err(OpenError::Store)?;
        let meta = Box::new(session.meta);
        let writer_vendor = session.notes.writer_vendor;
        let blank = Session::new((*meta).clone());
        let mut runner = Runner::still(blank, desk, policy, clock, recorder, updates, lock);
        runner.record(Fact::Began { meta, writer_vendor }).map_err(OpenError::Store)?;
        runner.know_crew();
        Ok(runner)
    }

    /// Whether choice B can be carried out is a matter of the configuration and of who writes.
    fn know_crew(&mut self) {
        self.policy.implementable = self.desk.implementable(&self.session);
    }

    /// A session at rest: nothing to start, to stop or to wake.
    fn still(
        session: Session,
        desk: Desk,
        policy: Policy,
        clock: Clock,
        recorder: Recorder,
        updates: Option<Updates>,
        lock: EngineLock,
    ) -> Runner {
        Runner {
            session,
            desk,
            policy,
            clock,
            recorder,
            updates,
            lock,
            start: None,
            held: false,
            cancel: false,
            permit: None,
            wakes: Vec::new(),
        }
    }

    /// Sets what the session may cost. A limit that it has already stays as the pilot left it, unless this one is of this
    /// run.
    pub fn limit(&mut self, budget: Option<Budget>, is_new: bool) -> Result<(), StoreError> {
        let stays = self.session.notes.budget.is_some() && !is_new;
        if budget.is_none() || stays || self.session.notes.budget == budget {
            return Ok(());
        }
        let spent = crate::store::runtime::spent(self.recorder.runtime(), |_| true);
        self.record(Fact::Budgeted { budget, spent })
    }

    /// Decides and performs until nothing is due. What then remains is a call to start, a wait, or the end.
    pub fn feed(&mut self, input: Input) -> Result<(), StoreError> {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let effects = decide(&self.session, &self.policy, self.clock.now(), input);
            for effect in effects {
                if let Some(input) = self.perform(effect)? {
                    next = Some(input);
                }
            }
        }
        self.ask()
    }

    /// A finished call: what it means is decided while it still counts as running, then its end is recorded.
    pub(super) fn feed_ended(
        &mut self,
        call: Call,
        input: Input,
        failure: Option<Reason>,
        usage: Option<Usage>,
        elapsed: Duration,
    ) -> Result<(), StoreError> {
        let effects = decide(&self.session, &self.policy, self.clock.now(), input);
        self.record(Fact::CallEnded { call, failure, millis: elapsed.as_millis() as u64, usage })?;
        for effect in effects {
            self.perform(effect)?;
        }
        if self.held { Ok(()) } else { self.feed(Input::Go) }
    }

    /// Records without acting: nothing is called while the session is held. For answers to a session that no engine
    /// drives.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// The session is driven from here on.
    pub(super) fn release(&mut self) {
        self.held = false;
    }

    /// Decides and records one input without going on.
    pub fn feed_quietly(&mut self, input: Input) -> Result<(), StoreError> {
        for effect in decide(&self.session, &self.policy, self.clock.now(), input) {
            if let Effect::Record(fact) = effect {
                self.record(fact)?;
            }
        }
        Ok(())
    }

    /// The session's files differ from the last commit of their repository, and a commit is allowed (rule D5).
    pub fn uncommitted(&self) -> bool {
        if self.policy.commit == Permit::No {
            return false;
        }
        let layout = self.recorder.layout();
        let repo = crate::git::repo::discover(&layout.governance).ok().flatten();
        let paths = [self.recorder.dir().to_path_buf(), layout.orz(&self.session.meta.session_id)];
        repo.is_some_and(|r| r.status(&paths).is_ok_and(|changes| !changes.is_empty()))
    }

    /// Nothing more will be told: who listens comes to an end.
    pub fn close_updates(&mut self) {
        self.updates = None;
    }

    pub(super) fn updates_sender(&self) -> Option<Updates> {
        self.updates.clone()
    }

    /// Performs one effect; a record makes the session ask again what is due.
    fn perform(&mut self, effect: Effect) -> Result<Option<Input>, StoreError> {
        match effect {
            Effect::Record(fact) => {
                let closing = matches!(fact, Fact::ClosingWritten { problem: None });
                match self.record(fact) {
                    // The closing file is the one file that nobody waits for (PC-643).
                    Err(e) if closing => {
                        let reason = e.to_string();
                        let text = Say::OrzFailed { reason: &reason }.text(self.session.meta.lang());
                        self.record(Fact::ClosingWritten { problem: Some(reason) })?;
                        self.record(Fact::Noted { text })?;
                    }
                    other => other?,
                }
                return Ok((!self.held).then_some(Input::Go));
            }
            Effect::Call(_) if self.held => {}
            Effect::Call(call) => {
                self.record(Fact::CallStarted { call: call.clone() })?;
                self.start = Some(call);
            }
            Effect::Cancel => self.cancel = true,
            Effect::Permit { choice } => self.permit = Some(choice),
            Effect::Wake { question, seconds } => self.wakes.push((question, seconds)),
            Effect::Ledger { answer } => {
                if let Some(text) = super::finish::ledger(self, &answer) {
                    self.record(Fact::Noted { text })?;
                }
            }
            Effect::Commit { consent } => return Ok(Some(self.commit(consent))),
        }
        Ok(None)
    }

    /// PC-642: while a semaphore is open, its checks want the Russian headings whatever the language is.
    fn russian_closing(&self) -> bool {
        let meta = &self.session.meta;
        self.desk.russian_closing.unwrap_or_else(|| {
            meta.lang() == Lang::Ru || finish::session_guard(self).semaphore(&meta.session_id).is_some()
        })
    }

    fn commit(&mut self, consent: Option<Consent>) -> Input {
        finish::commit(self, consent)
    }

    /// To be asked before anything is changed in the session's folder: it may be another engine's by now (PC-702).
    pub(super) fn keep(&mut self) -> Result<(), StoreError> {
        self.lock.keep().map_err(|error| StoreError {
            path: self.recorder.dir().to_path_buf(),
            source: std::io::Error::other(error.to_string()),
        })
    }

    /// Writes the fact, applies it, shows it.
    pub fn record(&mut self, fact: Fact) -> Result<(), StoreError> {
        self.keep()?;
        if matches!(fact, Fact::ClosingWritten { .. }) {
            self.recorder.closing_style.russian = self.russian_closing();
        }
        let mut before = self.without_turns();
        before.turns.extend(spoken_name(&fact).and_then(|name| self.session.turn(name)).cloned());
        state::apply(&mut self.session, &fact);
        match self.recorder.record(&fact, &before, &self.session, self.clock.now()) {
            Ok(event) => {
                if matches!(fact, Fact::Rehearsed { .. }) {
                    self.know_crew();
                }
                self.show(Update::Event(event));
                match self.recorder.take_doubled() {
                    true => {
                        let text = Say::RowsRemoved.text(self.session.meta.lang());
                        self.record(Fact::Noted { text })
                    }
                    false => Ok(()),
                }
            }
            Err(error) => {
                self.undo(before, &fact);
                Err(error)
            }
        }
    }

    /// A copy of the session without its turns: those are many, and a fact touches one at most.
    fn without_turns(&mut self) -> Session {
        let turns = std::mem::take(&mut self.session.turns);
        let copy = self.session.clone();
        self.session.turns = turns;
        copy
    }

    /// The fact is not true: nothing was written. The session is as it was.
    fn undo(&mut self, mut before: Session, fact: &Fact) {
        let mut turns = std::mem::take(&mut self.session.turns);
        if let Some(name) = spoken_name(fact) {
            turns.retain(|t| t.name != *name);
            turns.append(&mut before.turns);
            turns.sort_by(|a, b| a.name.cmp(&b.name));
        }
        before.turns = turns;
        self.session = before;
    }

    pub(super) fn show(&self, update: Update) {
        if let Some(updates) = &self.updates {
            // A screen that went away does not stop the session.
            let _ = updates.send(update);
        }
    }

    /// Makes a wait a question, once.
    fn ask(&mut self) -> Result<(), StoreError> {
        if self.held {
            return Ok(());
        }
        let Phase::Wait(wait) = phase(&self.session) else { return Ok(()) };
        if self.session.live.running.is_some()
            || self.session.notes.asked.as_ref().is_some_and(|q| q.id == wait.id())
        {
            return Ok(());
        }
        let implementable = self.desk.implementable(&self.session);
        let question = ask::question(&self.session, &wait, &implementable, self.clock.now());
        self.record(Fact::Asked { question })
    }

    /// The question that was asked and stands open.
    pub fn asked(&self) -> Option<&Question> {
        self.session.notes.asked.as_ref()
    }

    /// Makes a turn that the pilot writes a question, once.
    pub(super) fn ask_for_turn(&mut self) -> Result<(), StoreError> {
        let Some(call) = self.session.live.running.clone() else { return Ok(()) };
        let question = ask::turn(&self.session, &call, self.clock.now());
        if self.asked().is_some_and(|q| q.id == question.id) {
            return Ok(());
        }
        self.record(Fact::Asked { question })
    }

    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }
}

fn spoken_name(fact: &Fact) -> Option<&TurnName> {
    match fact {
        Fact::Spoke { turn } => Some(&turn.name),
        _ => None,
    }
}

fn lock(layout: &Layout, id: &SessionId) -> Result<EngineLock, OpenError> {
    EngineLock::acquire(&layout.runtime(id)).map_err(OpenError::Busy)
}

/// Temporary files of an engine that died (PC-705). We hold the lock, so nobody is writing them.
fn remove_temporary(dir: &std::path::Path) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.extension().is_some_and(|e| e == "tmp") {
            let _ = std::fs::remove_file(path);
        }
    }
}
