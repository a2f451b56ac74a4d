//! One call to a vendor, from prompt to outcome: limit, lock, process, stream, classification.

mod files;
mod plan;
mod preview;

pub use files::{LastCall, reap_stale, remove_tree};

use crate::agents::call::{Call, CallFailure, Outcome, Progress, Reply};
use crate::agents::contract::{self, Code, Fault};
use crate::agents::process::{self, End, Event, Finished, vars::Vars};
use crate::agents::registry::{Kind, Vendor};
use crate::agents::stream::{Said, Stream};
use crate::domain::session::failure::Reason;
use preview::Preview;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A filter refuses with the code of the contract (2, 3 or 4) and one line that names file and rule, never the text.
pub type Refusal = (u8, String);

/// Copies a directory, leaving out or refusing what may not leave the machine: `(from, to)`.
pub type CopyFilter = Arc<dyn Fn(&Path, &Path) -> Result<(), Refusal> + Send + Sync>;

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
    match attempt(around, vendor, &call, &progress, cancel).await {
        Ok(Some(reply)) => Outcome::Reply(reply),
        Ok(None) => Outcome::Cancelled,
        Err(failure) => Outcome::Failed(failure),
    }
}

/// `None` when it was cancelled.
async fn attempt(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    progress: &(impl Fn(Progress) + Send + Sync),
    cancel: impl Future<Output = ()>,
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
    let scratch = files::Scratch::new(&runtime, &vendor.key).map_err(|e| {
        unstarted(
            Code::General.reason(),
            format!("cannot write below {}: {e}; check the folder", runtime.display()),
        )
    })?;
    let add_dir = filtered_dir(around, vendor, call, &scratch).await?;
    let plan = plan::plan(around, vendor, call, add_dir.as_deref(), scratch.work())
        .map_err(|(code, detail)| unstarted(Reason::Exit(code), detail))?;
    if let Some(note) = &plan.note {
        progress(Progress::Notice(note.clone()));
    }
    let mut listener = Listener {
        output: match plan.native {
            Some(native) => Output::Stream(Stream::new(native, plan.is_resumed)),
            None => Output::Text { whole: Vec::new(), preview: Preview::default() },
        },
        capture: files::Capture::new(&runtime, &vendor.key),
        record: files::Record::new(&runtime, vendor, call),
        bytes: 0,
        progress,
    };
    let finished = process::run(plan.spec, |event| listener.hear(event), cancel).await;
    let mut finished = finished.map_err(|e| unstarted(Code::General.reason(), cannot_start(vendor, &e)))?;
    if let Some(note) = &plan.note {
        finished.stderr.insert_str(0, &format!("{note}\n"));
    }
    if finished.end == End::Cancelled {
        listener.capture.discard();
        return Ok(None);
    }
    match judge(vendor, call, &finished, listener.output) {
        Ok(said) => Ok(Some(Reply {
            text: said.text,
            usage: said.usage,
            conversation: said.conversation.filter(|_| vendor.supports.session_id),
            stderr: finished.stderr,
            elapsed: finished.elapsed,
        })),
        Err((reason, detail)) => {
            Err(CallFailure { reason, detail, stderr: finished.stderr, elapsed: finished.elapsed })
        }
    }
}

/// What is done with stdout: a script's is the reply, a native CLI's is a stream of events.
enum Output {
    Text { whole: Vec<u8>, preview: Preview },
    Stream(Stream),
}

/// Hears the process and tells the caller.
struct Listener<'a, P> {
    output: Output,
    capture: files::Capture,
    record: files::Record,
    bytes: u64,
    progress: &'a P,
}

impl<P: Fn(Progress)> Listener<'_, P> {
    fn hear(&mut self, event: Event) {
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
                    Output::Stream(stream) => stream.feed(piece).into_iter().for_each(self.progress),
                }
                (self.progress)(Progress::Bytes(self.bytes));
            }
        }
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
    let result = tokio::task::spawn_blocking(move || filter(&dir, &to)).await;
    match result {
        Ok(Ok(())) => Ok(Some(copy)),
        Ok(Err((code, detail))) => Err(unstarted(Reason::Exit(code), detail)),
        // A filter that panics has not filtered.
        Err(_) => Err(unstarted(Code::Filter.reason(), "the filter of the directory failed".into())),
    }
}

/// The reply, or why there is none (PC-060).
fn judge(
    vendor: &Vendor,
    call: &Call,
    finished: &Finished,
    output: Output,
) -> Result<Said, (Reason, String)> {
    let status = match finished.end {
        End::Exited(status) => status,
        End::Deadline => {
            return Err((Reason::Timeout, format!("no reply within {}", seconds(vendor.deadline))));
        }
        End::Idle => {
            let idle = seconds(vendor.idle.unwrap_or_default());
            return Err((Reason::Timeout, format!("nothing was printed for {idle}; the call was stopped")));
        }
        End::TooLarge => return Err(too_large(vendor, finished.stdout_bytes)),
        End::Cancelled => return Err((Code::General.reason(), "cancelled".into())),
    };
    let is_plain = call.purpose.is_plain();
    match output {
        Output::Stream(stream) => {
            let said = stream.end(status, &finished.stderr)?;
            if said.text.len() > vendor.output_cap {
                return Err(too_large(vendor, said.text.len() as u64));
            }
            // A native adapter keeps the contract itself (PC-053).
            match contract::check(&said.text, is_plain) {
                Ok(()) => Ok(said),
                Err(Fault::Empty) => {
                    Err((Code::Empty.reason(), format!("{} gave an empty reply", vendor.key)))
                }
                Err(Fault::Frontmatter) => {
                    Err((Code::General.reason(), format!("the reply of {} has no frontmatter", vendor.key)))
                }
            }
        }
        Output::Text { whole, .. } => {
            if let Some(reason) = contract::failure(status) {
                let detail = ended(vendor, &reason);
                return Err((reason, detail));
            }
            let text = String::from_utf8(whole)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
            // The engine judges the frontmatter of a script's reply, and keeps the text when it is wrong.
            match contract::check(&text, is_plain) {
                Err(Fault::Empty) => Err((Reason::Empty, format!("{} gave an empty reply", vendor.key))),
                _ => Ok(Said { text, ..Said::default() }),
            }
        }
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

fn too_large(vendor: &Vendor, bytes: u64) -> (Reason, String) {
    let cap = vendor.output_cap;
    let detail = format!("{} printed {bytes} bytes or more; the limit is {cap} (output_cap)", vendor.key);
    (Reason::OutputTooLarge, detail)
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
    CallFailure { reason, detail, stderr: String::new(), elapsed: Duration::ZERO }
}

fn seconds(duration: Duration) -> String {
    match duration.as_millis() {
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests;
