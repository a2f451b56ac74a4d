//! One call to a vendor, from prompt to outcome: limit, lock, process, stream, classification.

mod files;
mod plan;
mod preview;
mod retry;
mod talk;

pub use files::{LastCall, Record, last_failure, reap_stale, remove_tree};

use crate::agents::call::{Call, CallFailure, Cause, Outcome, Progress, Reply};
use crate::agents::contract::{self, Code, Fault};
use crate::agents::privacy::pii;
use crate::agents::process::{self, End, Event, Finished, Next, hold::Hold, vars::Vars};
use crate::agents::registry::{Kind, Native, Permissions, Vendor};
use crate::agents::stream::opencode::{self, Log};
use crate::agents::stream::{Refused, Said, Stream};
use crate::agents::{acp, native, probe};
use crate::domain::session::failure::Reason;
use plan::Speech;
use preview::Preview;
use retry::Retries;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// How much of a running call's stderr is looked at, and how many lines of it are shown (PC-695).
const STDERR_SHOWN: usize = 8 * 1024;
const STDERR_LINES: usize = 20;

/// A filter refuses with the code of the contract (2, 3 or 4) and one line that names file and rule, never the text.
pub type Refusal = (u8, String);

/// Copies a directory, leaving out or refusing what may not leave the machine: `(from, to, tokens at most)`.
pub type CopyFilter = Arc<dyn Fn(&Path, &Path, Option<u64>) -> Result<(), Refusal> + Send + Sync>;

/// Replaces words of a prompt (PC-067).
pub type PromptFilter = Arc<dyn Fn(&str) -> Result<String, Refusal> + Send + Sync>;

/// What a call meets besides its vendor and prompt.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// Our own environment: scripts inherit it, native calls get an extract.
    pub env: Vars,
    /// Without it a native call with a directory is refused (PC-063). Scripts filter by themselves.
    pub copy_filter: Option<CopyFilter>,
    /// Applied to the prompts of native calls.
    pub prompt_filter: Option<PromptFilter>,
    /// The lock file, where it is not `<runtime>/locks/<vendor>.lock`.
    pub lock: Option<PathBuf>,
}

impl Surroundings {
    pub fn real() -> Surroundings {
        Surroundings { env: Vars::real(), ..Surroundings::default() }
    }
}

/// Calls a vendor in the real environment. `progress` hears what can be shown meanwhile. When `cancel` is ready, or the
/// future is dropped, the whole process tree is ended and the output discarded.
pub async fn run(
    vendor: &Vendor,
    call: Call,
    progress: impl Fn(Progress) + Send + Sync + 'static,
    cancel: impl Future<Output = ()>,
) -> Outcome {
    run_in(&Surroundings::real(), vendor, call, progress, cancel).await
}

/// Like [`run`], with given surroundings.
pub async fn run_in(
    around: &Surroundings,
    vendor: &Vendor,
    call: Call,
    progress: impl Fn(Progress) + Send + Sync + 'static,
    cancel: impl Future<Output = ()>,
) -> Outcome {
    match answer(around, vendor, &call, &progress, pin!(cancel)).await {
        Ok(Some(reply)) => Outcome::Reply(reply),
        Ok(None) => Outcome::Cancelled,
        Err(failure) => Outcome::Failed(failure),
    }
}

/// `None` when it was cancelled. All tries share one deadline.
async fn answer(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    progress: &(impl Fn(Progress) + Send + Sync),
    mut cancel: Pin<&mut impl Future<Output = ()>>,
) -> Result<Option<Reply>, CallFailure> {
    if let Some(limit) = vendor.prompt_limit.filter(|limit| !limit.allows(&call.prompt)) {
        let (chars, bytes) = (call.prompt.chars().count(), call.prompt.len());
        let detail =
            format!("the prompt has {chars} characters ({bytes} bytes); {} takes {limit}", vendor.key);
        return Err(unstarted(Reason::PromptTooLarge, detail));
    }
    let runtime = std::path::absolute(&call.runtime).unwrap_or_else(|_| call.runtime.clone());
    let lock = around.lock.clone().unwrap_or_else(|| runtime.join(format!("locks/{}.lock", vendor.key)));
    let _lock = files::lock(&lock).map_err(|(code, detail)| unstarted(code.reason(), detail))?;
    let started = Instant::now();
    let mut retries = Retries::new(vendor.retries);
    // The time in which the pilot thought is not the agent's.
    let hold = Hold::new();
    loop {
        let left = || (vendor.deadline + hold.total()).saturating_sub(started.elapsed());
        let tried = attempt(around, vendor, call, &runtime, (left(), &hold), progress, cancel.as_mut());
        let failure = match tried.await {
            Ok(None) => return Ok(None),
            Ok(Some(reply)) => {
                files::note_failure(&runtime, &vendor.key, None);
                return Ok(Some(Reply { elapsed: started.elapsed(), ..reply }));
            }
            Err(failure) => CallFailure { elapsed: started.elapsed(), ..failure },
        };
        let Some(wait) = retries.next(&failure, left()) else {
            files::note_failure(&runtime, &vendor.key, Some(&failure.detail));
            return Err(failure);
        };
        progress(Progress::Restart);
        progress(Progress::Notice(format!("{}; again in {}", failure.detail, seconds(wait))));
        tokio::select! {
            biased;
            () = cancel.as_mut() => return Ok(None),
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// One try. `None` when it was cancelled.
async fn attempt(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    runtime: &Path,
    (time, hold): (Duration, &Hold),
    progress: &(impl Fn(Progress) + Send + Sync),
    mut cancel: Pin<&mut impl Future<Output = ()>>,
) -> Result<Option<Reply>, CallFailure> {
    let scratch = files::Scratch::new(runtime, vendor).map_err(|e| {
        unstarted(
            Code::General.reason(),
            format!("cannot write below {}: {e}; check the folder", runtime.display()),
        )
    })?;
    let native = program(around, vendor).await.map_err(|e| unstarted(Code::General.reason(), e))?;
    let add_dir = filtered_dir(around, vendor, call, &scratch).await?;
    let leave = call.leave.clone().filter(|_| vendor.permissions == Permissions::Ask);
    let held = leave.is_some().then(|| hold.clone());
    let plan = plan::plan(around, vendor, call, add_dir.as_deref(), &scratch, native, (time, held))
        .map_err(|(code, detail)| unstarted(Reason::Exit(code), detail))?;
    let asked = plan.conversation.clone();
    if let (Speech::Native { native, .. }, Some(id)) = (&plan.speech, &asked)
        && !native::has_conversation(*native, &plan.spec.env, id)
    {
        return Err(failed(talk::unknown(&vendor.key, id), String::new(), Duration::ZERO));
    }
    if let Some(note) = &plan.note {
        progress(Progress::Notice(note.clone()));
    }
    progress(Progress::Sandbox(plan.sandbox));
    let is_confined = plan.spec.confinement.is_some();
    let (conversation, output) = match plan.speech {
        Speech::Native { native, is_resumed } => {
            (None, Output::Stream { stream: Stream::new(native, is_resumed), feed: plan.feed })
        }
        Speech::Reply => (None, Output::Text { whole: Vec::new(), preview: Preview::default() }),
        Speech::Acp { prompt, conversation } => {
            let (lines, incoming) = acp::lines();
            let leave = leave.map(|leave| (leave, hold.clone()));
            let ask = acp::Ask { prompt, conversation, cwd: scratch.work().to_path_buf(), leave };
            let talk = plan.feed.map(|feed| acp::converse(ask, incoming, feed, progress));
            (talk, Output::Acp { lines, log: Log::default() })
        }
    };
    let mut listener = Listener {
        output,
        capture: files::Capture::new(runtime, &vendor.key),
        record: files::Record::new(runtime, vendor, call),
        bytes: 0,
        stderr: Vec::new(),
        progress,
    };
    let process = async {
        let finished = process::run(plan.spec, |event| listener.hear(event), cancel.as_mut()).await;
        // The other side of the conversation learns that nothing more comes.
        if let Output::Acp { lines, .. } = &mut listener.output {
            lines.close();
        }
        finished
    };
    let (finished, said) = match conversation {
        Some(talk) => {
            let (finished, said) = tokio::join!(process, talk);
            (finished, Some(said))
        }
        None => (process.await, None),
    };
    let mut finished = finished.map_err(|e| unstarted(Code::General.reason(), cannot_start(vendor, &e)))?;
    if matches!(listener.output, Output::Acp { .. }) {
        finished.stderr = opencode::without_info(&finished.stderr);
    }
    if let Some(note) = &plan.note {
        finished.stderr.insert_str(0, &format!("{note}\n"));
    }
    if finished.end == End::Cancelled {
        listener.capture.discard();
        return Ok(None);
    }
    if let (Some(file), Output::Stream { stream, .. }) = (&plan.usage_file, &mut listener.output) {
        let told = std::fs::read_to_string(file).ok();
        // Without a session there is nothing else by which an error is told from a reply.
        if let Some(told) = told.or_else(|| (!vendor.supports.session_id).then(String::new)) {
            stream.usage_file(told);
        }
    }
    let said = judge(vendor, call, &finished, listener.output, said);
    match talk::judged(&vendor.key, asked.as_deref(), &finished.stderr, said) {
        Ok(mut said) => {
            if let Some(spec) = plan.account {
                let Some(total) = talk::account(spec, cancel).await else { return Ok(None) };
                said.total = total;
            }
            Ok(Some(Reply {
                usage: talk::usage(runtime, &vendor.key, asked.as_deref(), &said),
                text: said.text,
                conversation: said.conversation.filter(|_| vendor.supports.session_id),
                is_unproven: said.is_unproven,
                stderr: finished.stderr,
                elapsed: finished.elapsed,
            }))
        }
        Err(mut refused) => {
            refused.detail += plan::hint(is_confined, &finished.stderr);
            Err(failed(refused, finished.stderr, finished.elapsed))
        }
    }
}

fn failed(Refused { reason, cause, detail }: Refused, stderr: String, elapsed: Duration) -> CallFailure {
    CallFailure { detail: retry::with_cause(detail, &cause), reason, cause, stderr, elapsed }
}

/// Which program a native vendor's name stands for here, where its version has to tell.
async fn program(around: &Surroundings, vendor: &Vendor) -> Result<Option<Native>, String> {
    let Kind::Native(native) = vendor.kind else { return Ok(None) };
    if !native::needs_version(native) {
        return Ok(Some(native));
    }
    let program = native::binary::find(native, vendor, &around.env).map_err(|why| why.en)?;
    let version = probe::version(&program, &native::plain_environment(&around.env)).await?;
    native::resolve(native, &version).map(Some)
}

/// What is done with stdout: a script's is the reply, a native CLI's is a stream of events, an ACP agent's a
/// conversation that somebody else holds.
enum Output {
    Text {
        whole: Vec<u8>,
        preview: Preview,
    },
    Stream {
        stream: Stream,
        /// Keeps stdin open.
        feed: Option<UnboundedSender<Vec<u8>>>,
    },
    Acp {
        lines: acp::Lines,
        /// opencode tells on stderr that it waits.
        log: Log,
    },
}

/// Hears the process and tells the caller.
struct Listener<'a, P> {
    output: Output,
    capture: files::Capture,
    record: files::Record,
    bytes: u64,
    /// The end of stderr.
    stderr: Vec<u8>,
    progress: &'a P,
}

impl<P: Fn(Progress)> Listener<'_, P> {
    fn hear(&mut self, event: Event) -> Next {
        match event {
            Event::Started(target) => {
                self.record.write(target);
                (self.progress)(Progress::Started {
                    pid: target.root.pid,
                    started_at: target.root.started_at,
                });
            }
            Event::Stdout(piece) => {
                self.capture.write(piece);
                self.bytes += piece.len() as u64;
                match &mut self.output {
                    Output::Text { whole, preview } => {
                        whole.extend_from_slice(piece);
                        preview
                            .feed(piece)
                            .into_iter()
                            .for_each(|text| (self.progress)(Progress::Text(text)));
                    }
                    Output::Stream { stream, feed } => {
                        stream.feed(piece).into_iter().for_each(self.progress);
                        if stream.is_done() {
                            *feed = None;
                        }
                        if stream.wants_stop() {
                            return Next::Stop;
                        }
                    }
                    Output::Acp { lines, .. } => lines.feed(piece),
                }
                (self.progress)(Progress::Bytes(self.bytes));
            }
            Event::Stderr(piece) => {
                self.stderr.extend_from_slice(piece);
                if self.stderr.len() > 2 * STDERR_SHOWN {
                    // At a line's end: half a secret would not be known as one.
                    let from = self.stderr.len() - STDERR_SHOWN;
                    let line =
                        self.stderr[from..].iter().position(|b| *b == b'\n').map_or(from, |n| from + n + 1);
                    self.stderr.drain(..line);
                }
                let mut text = String::from_utf8_lossy(&self.stderr).into_owned();
                if matches!(self.output, Output::Acp { .. }) {
                    text = opencode::without_info(&text);
                }
                let text = pii::tail(&text, STDERR_LINES);
                (self.progress)(Progress::Stderr(text));
                let wants_stop = match &mut self.output {
                    Output::Stream { stream, .. } => {
                        stream.feed_stderr(piece);
                        stream.wants_stop()
                    }
                    Output::Acp { log, .. } => {
                        log.feed(piece);
                        log.hopeless().is_some()
                    }
                    Output::Text { .. } => false,
                };
                if wants_stop {
                    return Next::Stop;
                }
            }
        }
        Next::GoOn
    }
}

/// The copy that a native call may read (PC-063); a script gets the directory itself and filters by contract.
async fn filtered_dir(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    scratch: &files::Scratch,
) -> Result<Option<PathBuf>, CallFailure> {
    let Some(dir) = call.add_dir.as_ref().filter(|_| vendor.supports.add_dir) else { return Ok(None) };
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
    if !matches!(vendor.kind, Kind::Native(_)) {
        return Ok(Some(dir));
    }
    let Some(filter) = around.copy_filter.clone() else {
        let detail = "a directory was given, but there is no filter for it; the call was stopped".to_string();
        return Err(unstarted(Code::Filter.reason(), detail));
    };
    let copy = scratch.copy().to_path_buf();
    let to = copy.clone();
    // Only this vendor reads a directory into its context as a whole (PC-066).
    let tokens = matches!(vendor.kind, Kind::Native(Native::Kimi | Native::KimiCode)).then_some(130_000);
    let result = tokio::task::spawn_blocking(move || filter(&dir, &to, tokens)).await;
    match result {
        Ok(Ok(())) => Ok(Some(copy)),
        Ok(Err((code, detail))) => Err(unstarted(Reason::Exit(code), detail)),
        // A filter that panics has not filtered.
        Err(_) => Err(unstarted(Code::Filter.reason(), "the filter of the directory failed".into())),
    }
}

/// The reply, or why there is none (PC-060). `said` is how a conversation ended.
fn judge(
    vendor: &Vendor,
    call: &Call,
    finished: &Finished,
    output: Output,
    said: Option<Result<Said, Refused>>,
) -> Result<Said, Refused> {
    let status = match finished.end {
        End::Exited(status) => status,
        // We ended it after it had said what it had to say; its own end would have said nothing more.
        End::Fed | End::Stopped => ExitStatus::default(),
        End::Deadline => {
            let detail = format!("no reply within {} (deadline)", seconds(vendor.deadline));
            return Err(Refused { reason: Reason::Timeout, cause: Cause::Other, detail });
        }
        End::Idle => {
            let idle = seconds(vendor.idle.unwrap_or_default());
            let detail = format!("nothing was printed for {idle} (idle); the call was stopped");
            return Err(Refused { reason: Reason::Timeout, cause: Cause::Overload, detail });
        }
        End::TooLarge => return Err(too_large(vendor, finished.stdout_bytes)),
        End::Cancelled => return Err(Refused::new(Code::General, "cancelled")),
    };
    let is_plain = call.purpose.is_plain();
    let said = match output {
        Output::Stream { stream, .. } => stream.end(status, &finished.stderr)?,
        Output::Acp { log, .. } => {
            let gone = || Err(Refused::new(Code::General, "the conversation was not begun"));
            let explained = |refused| acp::explained(refused, status, &finished.stderr);
            said.unwrap_or_else(gone)
                .map_err(|refused| log.hopeless().unwrap_or_else(|| explained(refused)))?
        }
        Output::Text { whole, .. } => return script_reply(vendor, status, whole, is_plain),
    };
    if said.text.len() > vendor.output_cap {
        return Err(too_large(vendor, said.text.len() as u64));
    }
    // A native adapter keeps the contract itself (PC-053).
    match contract::check(&said.text, is_plain) {
        Ok(()) => Ok(said),
        Err(Fault::Empty) => Err(Refused::new(Code::Empty, format!("{} gave an empty reply", vendor.key))),
        Err(Fault::Frontmatter) => {
            Err(Refused::new(Code::General, format!("the reply of {} has no frontmatter", vendor.key)))
        }
    }
}

fn script_reply(
    vendor: &Vendor,
    status: ExitStatus,
    whole: Vec<u8>,
    is_plain: bool,
) -> Result<Said, Refused> {
    let other = |reason: Reason, detail: String| {
        let cause = if reason == Code::Auth.reason() { Cause::Auth } else { Cause::Other };
        Refused { reason, cause, detail }
    };
    if let Some(reason) = contract::failure(status) {
        let detail = ended(vendor, &reason);
        return Err(other(reason, detail));
    }
    let text =
        String::from_utf8(whole).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    // The engine judges the frontmatter of a script's reply, and keeps the text when it is wrong.
    match contract::check(&text, is_plain) {
        Err(Fault::Empty) => Err(other(Reason::Empty, format!("{} gave an empty reply", vendor.key))),
        _ => Ok(Said { text, ..Said::default() }),
    }
}

fn ended(vendor: &Vendor, reason: &Reason) -> String {
    let key = &vendor.key;
    match reason {
        Reason::Exit(code) => {
            let meaning = Code::from_number(i32::from(*code)).map_or("", Code::meaning);
            format!("the adapter of {key} ended with code {code}: {meaning}")
        }
        Reason::Signal(signal) => format!("the adapter of {key} was ended by signal {signal}"),
        other => format!("the adapter of {key} ended with {other}, which is no code of the contract"),
    }
}

fn too_large(vendor: &Vendor, bytes: u64) -> Refused {
    let cap = vendor.output_cap;
    let detail = format!("{} printed {bytes} bytes or more; the limit is {cap} (output_cap)", vendor.key);
    Refused { reason: Reason::OutputTooLarge, cause: Cause::Other, detail }
}

fn cannot_start(vendor: &Vendor, error: &std::io::Error) -> String {
    use std::io::ErrorKind::{NotFound, PermissionDenied};
    let what =
        vendor.path.as_ref().or(vendor.bin.as_ref()).map_or(vendor.key.clone(), |p| p.display().to_string());
    match error.kind() {
        NotFound => format!("{what} or its interpreter does not exist; check the path of {}", vendor.key),
        PermissionDenied => format!("{what} is not executable; chmod +x it"),
        _ => format!("{what} cannot be started: {error}"),
    }
}

fn unstarted(reason: Reason, detail: String) -> CallFailure {
    CallFailure { reason, cause: Cause::Other, detail, stderr: String::new(), elapsed: Duration::ZERO }
}

fn seconds(duration: Duration) -> String {
    match duration.as_millis() {
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests;
