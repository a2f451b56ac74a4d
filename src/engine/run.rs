//! The waiting around a [`Runner`]: one `select!` over commands, the running call, outside edits and timers.
//!
//! A session runs on one thread of its own (a current-thread runtime), so that its writes block nobody else.

use super::answer;
use super::compose::{self, Refused};
use super::conversation;
use super::desk::{CancelSignal, ProgressSink};
use super::evidence;
use super::leave::{self, Asks};
use super::outside::Outside;
use super::pipeline::{implement, job};
use super::questions::open_questions;
use super::read;
use super::runner::{Runner, Update};
use super::secrets;
use super::strangers::{self, Listing};
use crate::agents::call::{Outcome, Progress};
use crate::domain::effect::{Call, Purpose};
use crate::domain::fact::{Fact, Usage};
use crate::domain::input::{CallResult, Input};
use crate::domain::question::{Question, QuestionKind};
use crate::domain::say::Say;
use crate::domain::session::failure::Reason;
use crate::domain::session::phase::{Phase, Step, Wait, phase};
use crate::store::record::StoreError;
use crate::store::runtime;
use futures::FutureExt;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// The most of an unfinished reply that is kept when the pilot stops it.
const PARTIAL: usize = 64 * 1024;

/// What a person may ask of a running session.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    Answer {
        question: String,
        text: String,
    },
    /// An answer to whatever question stands open.
    Reply {
        text: String,
    },
    /// A line of piped input: answers the open question, or the next one that is asked.
    Line {
        text: String,
    },
    /// Nobody will answer any more: an open question ends the run as in a headless one.
    Leave,
    /// Words for the next writer turn (PC-254).
    Direct {
        text: String,
    },
    /// Stop this call if it still runs and make it again with the pilot's words; what was said is kept and counts
    /// nothing (PC-701). For a call that is over they are words for the next writer turn.
    CutIn {
        call: Box<Call>,
        text: String,
    },
    Interrupt,
    /// Stop driving the session when the running call has ended.
    Park,
    /// Stop driving the session; a running call is ended and counts nothing (PC-701).
    Pause,
}

/// How driving a session ended.
#[derive(Debug)]
pub enum Finish {
    Closed,
    Interrupted,
    /// Questions stand open and nobody is here to answer them (PC-011, code 3).
    Waiting(Vec<Question>),
    Paused,
    /// Somebody else wrote in the session while it waited: what this engine knows of it is old. Says what.
    Meddled(String),
    /// A file could not be written; the session is as it was before (code 3).
    Storage(StoreError),
}

/// How a call ended.
enum Done {
    Said(Outcome),
    /// An agent edited; what it did is already read from the trees.
    Edited(Outcome, Option<CallResult>),
    /// A step of the engine itself, with what an agent cost that it called.
    Worked(CallResult, Option<Usage>),
}

/// The call that runs.
struct Running {
    call: Call,
    /// The registry key of whoever was called.
    vendor: String,
    prompt: Arc<str>,
    outcome: Pin<Box<dyn Future<Output = Done> + Send>>,
    cancel: Option<oneshot::Sender<()>>,
    started: Instant,
    /// What it has said so far, as far as it can be shown.
    said: Arc<Mutex<String>>,
    /// The pilot stopped it, with these words.
    cut: Option<String>,
    /// What its agent asks leave for; taken out by who waits for that.
    asks: Asks,
    /// What the session directory held: a participant has no business there (PC-070).
    before: Listing,
}

impl Running {
    fn new(
        runner: &Runner,
        call: Call,
        vendor: String,
        prompt: Arc<str>,
        outcome: Pin<Box<dyn Future<Output = Done> + Send>>,
        cancel: oneshot::Sender<()>,
        said: Arc<Mutex<String>>,
    ) -> Running {
        let (asks, before) = (Asks::default(), Listing::of(runner.recorder().dir()));
        let (started, cancel) = (Instant::now(), Some(cancel));
        Running { call, vendor, prompt, outcome, cancel, started, said, cut: None, asks, before }
    }
}

/// Drives the session until it is closed, interrupted, paused, or waits without anybody to answer.
pub async fn run(runner: &mut Runner, commands: &mut mpsc::Receiver<Command>) -> Finish {
    match drive(runner, commands).await {
        Ok(finish) => finish,
        Err(error) => Finish::Storage(error),
    }
}

async fn drive(runner: &mut Runner, commands: &mut mpsc::Receiver<Command>) -> Result<Finish, StoreError> {
    strangers::unheard(runner)?;
    // A call of an engine that died is ended before it is repeated (PC-706); we hold the lock, so it is nobody's.
    crate::agents::run::reap_stale(runner.recorder().runtime()).await;
    runner.release();
    let mut outside = Outside::watch(runner);
    outside.say_if_unwatched(runner)?;
    let mut running: Option<Running> = None;
    let mut asks = Asks::default();
    let mut timers: Vec<(String, Instant)> = Vec::new();
    let (mut pausing, mut parking) = (false, false);
    let mut alone = runner.policy.headless;
    let mut lines: VecDeque<String> = VecDeque::new();
    runner.feed(Input::Go)?;
    let mut seen = Listing::of(runner.recorder().dir());
    loop {
        // No answer is taken to a question that the files do not ask any more.
        if running.is_none()
            && !alone
            && let Some(what) = strangers::meddled(runner, &mut seen)
        {
            runner.record(Fact::Noted { text: what.clone() })?;
            return Ok(Finish::Meddled(what));
        }
        for given in outside.answers(runner) {
            match given.question.as_str() {
                runtime::INTERRUPT => runner.feed(Input::Interrupt)?,
                question => answer::give(runner, question, &given.text)?,
            }
            given.taken();
        }
        outside.put_aside(runner)?;
        while runner.asked().is_some() {
            let Some(line) = lines.pop_front() else { break };
            reply(runner, &line)?;
        }
        // Nobody is there to be asked.
        if let Some(question) = asks.standing().filter(|_| alone).map(str::to_string) {
            runner.feed(Input::Woke { question })?;
        }
        if let Some(seconds) = runner.permit.take().and_then(|choice| asks.answer(&choice))
            && let Some(run) = &running
        {
            runner.updates_sink(run.call.clone())(Progress::Deadline(seconds));
        }
        // Who pauses starts nothing new: a call that was stopped for it would begin again at once.
        if let Some(call) = runner.start.take_if(|_| !pausing && !parking) {
            match launch(runner, call) {
                Ok(None) => {
                    runner.ask_for_turn()?;
                    continue;
                }
                Ok(launched) => {
                    running = launched;
                    asks = running.as_mut().map(|run| std::mem::take(&mut run.asks)).unwrap_or_default();
                }
                Err((call, result)) => {
                    ended(runner, call, result, None, Duration::ZERO)?;
                    continue;
                }
            }
        }
        arm(runner, &mut timers, Instant::now());
        if let Some(run) = running.as_mut().filter(|_| std::mem::take(&mut runner.cancel) || pausing) {
            run.cancel.take();
        }
        if running.is_none() {
            if pausing || parking {
                if let Some(call) = runner.start.take() {
                    runner.record(Fact::CallEnded { call, failure: None, millis: 0, usage: None })?;
                }
                return Ok(Finish::Paused);
            }
            if let Some(finish) = finished(runner, alone, &timers) {
                return Ok(finish);
            }
        }
        let next_timer = timers.iter().map(|(_, at)| *at).min();
        tokio::select! {
            biased;
            command = commands.recv(), if !pausing => match command {
                Some(Command::Answer { .. } | Command::Reply { .. })
                    if running.is_none() && strangers::meddled(runner, &mut seen).is_some() => {}
                Some(Command::Answer { question, text }) => answer::give(runner, &question, &text)?,
                Some(Command::Reply { text }) => reply(runner, &text)?,
                Some(Command::Line { text }) => lines.push_back(text),
                Some(Command::Leave) => alone = true,
                Some(Command::Direct { text }) => runner.feed(Input::Directed { text })?,
                Some(Command::CutIn { call, text }) => cut_in(runner, running.as_mut(), &call, text)?,
                Some(Command::Interrupt) => runner.feed(Input::Interrupt)?,
                // Held, so that the end of the running call does not start another one.
                Some(Command::Pause) | None => {
                    pausing = true;
                    runner.hold();
                }
                Some(Command::Park) => {
                    parking = true;
                    runner.hold();
                }
            },
            done = async { match running.as_mut() { Some(run) => (&mut run.outcome).await, None => std::future::pending().await } } => {
                asks = Asks::default();
                if let Some(run) = running.take() {
                    finish_call(runner, run, done)?;
                }
            }
            asking = asks.next(), if !pausing => if let Some(run) = &running {
                asks.ask(runner, &run.call, asking)?;
            },
            () = outside.changed() => {}
            () = async { match next_timer { Some(at) => tokio::time::sleep_until(at).await, None => std::future::pending().await } } => {
                let due: Vec<String> = timers.extract_if(.., |(_, at)| *at <= Instant::now()).map(|(q, _)| q).collect();
                for question in due {
                    runner.feed(Input::Woke { question })?;
                }
            }
        }
    }
}

/// Stops the call that the pilot meant. He may have typed longer than it ran: then his words are for the writer, and
/// nobody else is stopped in its place.
fn cut_in(
    runner: &mut Runner,
    running: Option<&mut Running>,
    call: &Call,
    text: String,
) -> Result<(), StoreError> {
    match running.filter(|run| run.call == *call) {
        Some(run) => {
            let words = run.cut.get_or_insert_default();
            *words = [words.trim(), text.trim()].join("\n").trim().to_string();
            run.cancel.take();
            Ok(())
        }
        None => too_late(runner, text),
    }
}

/// The call ended before it could be stopped.
fn too_late(runner: &mut Runner, text: String) -> Result<(), StoreError> {
    let note = Say::CutTooLate { words: !text.trim().is_empty() }.text(runner.session.meta.lang());
    runner.feed(Input::Directed { text })?;
    runner.record(Fact::Noted { text: note })
}

/// Arms each timer once, and forgets those whose question is over.
fn arm(runner: &mut Runner, timers: &mut Vec<(String, Instant)>, now: Instant) {
    for (question, seconds) in runner.wakes.drain(..) {
        if !timers.iter().any(|(q, _)| *q == question) {
            timers.push((question, now + Duration::from_secs(seconds)));
        }
    }
    let waits = match phase(&runner.session) {
        _ if let Some(q) = runner.asked().filter(|q| q.kind == QuestionKind::Permission) => q.id.clone(),
        Phase::Wait(wait) => wait.id(),
        _ => String::new(),
    };
    timers.retain(|(question, _)| *question == waits);
}

/// A line of a person: the answer to the question that stands open.
fn reply(runner: &mut Runner, text: &str) -> Result<(), StoreError> {
    let Some(question) = runner.asked().cloned() else { return Ok(()) };
    let before = runner.session.clone();
    answer::give(runner, &question.id, text)?;
    if runner.session.same_on_disk(&before) {
        runner.show(Update::NoAnswer { question, text: text.to_string() });
    }
    Ok(())
}

/// The end of driving, when nothing runs and nothing is due.
fn finished(runner: &Runner, alone: bool, timers: &[(String, Instant)]) -> Option<Finish> {
    let waiting = || Finish::Waiting(open_questions(&runner.session, &runner.desk));
    match phase(&runner.session) {
        Phase::Closed => Some(Finish::Closed),
        Phase::Interrupted => Some(Finish::Interrupted),
        Phase::Wait(_) if alone && timers.is_empty() => Some(waiting()),
        Phase::Finalize(Step::Commit) | Phase::Wait(Wait::Commit) if alone => Some(waiting()),
        // The pilot writes by hand: the call is started, but nothing runs.
        _ if alone && runner.session.live.running.is_some() => Some(waiting()),
        _ => None,
    }
}

/// Starts the call. `Err` holds the result of a call that cannot be made; `Ok(None)` a turn the pilot writes.
fn launch(runner: &mut Runner, call: Call) -> Result<Option<Running>, (Call, CallResult)> {
    if call.purpose.is_job() {
        return work(runner, call).map(Some);
    }
    let failed =
        |reason, detail: String| CallResult::Failed { reason, detail, stderr: String::new(), until: None };
    let mut ready = match compose::ready(runner, &call) {
        Ok(ready) => ready,
        Err(Refused::Pilot) => return Ok(None),
        Err(Refused::TooLong { bytes }) => {
            let detail = format!("the prompt has {bytes} bytes, more than the vendor takes");
            return Err((call, failed(Reason::PromptTooLarge, detail)));
        }
        Err(Refused::Vendor(detail)) => return Err((call, failed(Reason::Exit(1), detail))),
    };
    match secrets::checked(runner, &ready.vendor, std::mem::take(&mut ready.call.prompt)) {
        Ok(prompt) => ready.call.prompt = prompt,
        Err(finds) => return Err((call, CallResult::Withheld(finds))),
    }
    let (way, asks) = leave::open(&ready.vendor);
    ready.call.leave = way;
    let prompt: Arc<str> = ready.call.prompt.as_str().into();
    let (cancel, signal) = cancelling();
    let said = Arc::new(Mutex::new(String::new()));
    let sink = overheard(runner.updates_sink(call.clone()), said.clone());
    sink(Progress::Deadline(ready.vendor.deadline.as_secs()));
    let vendor = ready.vendor.key.clone();
    let outcome: Pin<Box<dyn Future<Output = Done> + Send>> = if call.purpose == Purpose::Implement {
        let edited = implement::edit(runner, &call, ready.vendor, ready.call, sink, signal);
        Box::pin(async {
            let (outcome, result) = edited.await;
            Done::Edited(outcome, result)
        })
    } else {
        let said = (runner.desk.caller)(ready.vendor, ready.call, sink, signal);
        Box::pin(async { Done::Said(said.await) })
    };
    let running = Running::new(runner, call, vendor, prompt, outcome, cancel, said);
    Ok(Some(Running { asks, ..running }))
}

/// A step of the engine itself, off its thread.
fn work(runner: &Runner, call: Call) -> Result<Running, (Call, CallResult)> {
    let (cancel, signal) = cancelling();
    let step = match job::begin(runner, &call, runner.updates_sink(call.clone()), signal) {
        Ok(step) => step.map(|(result, usage)| Done::Worked(result, usage)),
        Err(finds) => return Err((call, CallResult::Withheld(finds))),
    };
    Ok(Running::new(runner, call, String::new(), "".into(), Box::pin(step), cancel, Arc::default()))
}

/// A signal that dropping the sender gives.
fn cancelling() -> (oneshot::Sender<()>, CancelSignal) {
    let (cancel, cancelled) = oneshot::channel::<()>();
    let signal = Box::pin(async move {
        let _ = cancelled.await;
    });
    (cancel, signal)
}

/// Keeps what a call says while it is shown, within bounds: when the pilot stops it there is no reply to keep.
fn overheard(sink: ProgressSink, said: Arc<Mutex<String>>) -> ProgressSink {
    Arc::new(move |progress: Progress| {
        let mut kept = said.lock().unwrap_or_else(PoisonError::into_inner);
        match &progress {
            Progress::Text(text) if kept.len() < PARTIAL => kept.push_str(text),
            Progress::Restart => kept.clear(),
            _ => {}
        }
        drop(kept);
        sink(progress);
    })
}

fn finish_call(runner: &mut Runner, mut run: Running, done: Done) -> Result<(), StoreError> {
    // What was said about a folder that is gone would be judged by files that are not there.
    let dir = runner.recorder().dir();
    std::fs::metadata(dir).map_err(|source| StoreError { path: dir.to_path_buf(), source })?;
    let (outcome, edited) = match done {
        Done::Said(outcome) => (outcome, None),
        Done::Edited(outcome, result) => (outcome, result),
        Done::Worked(result, usage) => {
            // Nobody spoke: the pilot's words are for the next edit.
            if let Some(text) = run.cut.take() {
                runner.feed(Input::Directed { text })?;
            }
            if run.call.purpose == Purpose::Verify {
                strangers::look(runner, run.call.purpose.key(), &run.before)?;
            }
            return ended(runner, run.call, result, usage, run.started.elapsed());
        }
    };
    let outcome = match (run.cut.take(), outcome) {
        (None, outcome) => outcome,
        // It was faster: a reply that is there counts, and the words are not lost.
        (Some(text), Outcome::Reply(reply)) => {
            too_late(runner, text)?;
            Outcome::Reply(reply)
        }
        (Some(text), _) => {
            let partial = std::mem::take(&mut *run.said.lock().unwrap_or_else(PoisonError::into_inner));
            runner.feed(Input::CutIn { call: run.call.clone(), text, partial })?;
            Outcome::Cancelled
        }
    };
    let (usage, stderr) = match &outcome {
        Outcome::Reply(reply) => (reply.usage.clone(), reply.stderr.clone()),
        Outcome::Failed(f) => (None, f.stderr.clone()),
        Outcome::Cancelled => (None, String::new()),
    };
    let is_unproven = matches!(&outcome, Outcome::Reply(reply) if reply.is_unproven);
    let who = run.call.vendor.clone().unwrap_or_else(|| runner.session.meta.writer_agent.clone());
    strangers::look(runner, &who, &run.before)?;
    let keeps_stderr = run.call.vendor.is_some();
    if let Some(name) = run.call.name.as_ref().filter(|_| keeps_stderr) {
        runner.recorder.stderr(name, &stderr)?;
    }
    conversation::remember(runner, &run.call, &run.vendor, &outcome)?;
    let elapsed = run.started.elapsed();
    let result = edited.unwrap_or_else(|| read::result(runner, &run.call, outcome, run.prompt));
    let name = run.call.name.clone();
    if is_unproven {
        let text = Say::Unproven { vendor: &who }.text(runner.session.meta.lang());
        runner.record(Fact::Noted { text })?;
    }
    ended(runner, run.call, result, usage, elapsed)?;
    match name {
        Some(name) => evidence::look(runner, &name),
        None => Ok(()),
    }
}

fn ended(
    runner: &mut Runner,
    call: Call,
    result: CallResult,
    usage: Option<Usage>,
    elapsed: Duration,
) -> Result<(), StoreError> {
    let failure = match &result {
        CallResult::Failed { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    let result_for_roles = roles_fallback(runner, &call, result);
    let effects_input = Input::Ended { call: call.clone(), result: result_for_roles };
    // The call counts as running until its result is decided upon: a stale result is recognised by it.
    runner.feed_ended(call, effects_input, failure, usage, elapsed)
}

/// A failed roles call takes the proposed roles, as a malformed answer does (PC-277).
fn roles_fallback(runner: &Runner, call: &Call, result: CallResult) -> CallResult {
    match (&result, call.purpose, &call.name) {
        (CallResult::Failed { reason, .. }, crate::domain::effect::Purpose::Roles, Some(name)) => {
            let why = reason.to_string();
            let note = Say::RolesFallback { failed: true, why: &why }.text(runner.session.meta.lang());
            read::settle_roles(runner, name, None, Some(note))
        }
        _ => result,
    }
}

impl Runner {
    fn updates_sink(&self, call: Call) -> super::desk::ProgressSink {
        let sender = self.updates_sender();
        Arc::new(move |progress: Progress| {
            if let Some(sender) = &sender {
                let _ = sender.send(Update::Progress(call.clone(), progress));
            }
        })
    }
}
