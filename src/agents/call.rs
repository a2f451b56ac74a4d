//! What a call to an agent is and how it can end.

pub use crate::domain::effect::Purpose;
pub use crate::domain::fact::Usage;
use crate::domain::lang::Both;
use crate::domain::session::failure::Reason;
use crate::domain::session::permission::Request;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// One call. The prompt goes to the adapter's stdin and nowhere else (PC-055).
#[derive(Debug, Clone)]
pub struct Call {
    /// Registry key.
    pub vendor: String,
    pub purpose: Purpose,
    pub session: String,
    pub round: u32,
    /// 1 for the first try.
    pub attempt: u32,
    pub prompt: String,
    /// `--model`, empty for the vendor's own.
    pub model: String,
    /// `--add-dir`, only for vendors that support it (AMB-08).
    pub add_dir: Option<PathBuf>,
    /// Native conversation to resume, where the vendor can.
    pub conversation: Option<String>,
    /// The session's runtime folder: captures, locks (PC-069), scratch folders live below it.
    pub runtime: PathBuf,
    /// Variables that the adapter of the skill family reads (PC-000), added to the call's environment.
    pub extra_env: Vec<(String, String)>,
    /// Where an implementing call edits; `None` for every call that only speaks.
    pub work: Option<Work>,
    /// Who is asked when the agent asks leave for something; without it the answer is no.
    pub leave: Option<Leave>,
}

/// The way to the pilot, for an agent that asks leave while its call runs.
#[derive(Debug, Clone)]
pub struct Leave(mpsc::UnboundedSender<Asking>);

/// One request that waits for its answer.
#[derive(Debug)]
pub struct Asking {
    pub request: Request,
    /// The chosen offer by its place; `None` refuses. Dropping it refuses too.
    pub answer: oneshot::Sender<Option<usize>>,
}

impl Leave {
    pub fn new() -> (Leave, mpsc::UnboundedReceiver<Asking>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Leave(sender), receiver)
    }

    /// Waits as long as it takes.
    pub async fn ask(&self, request: Request) -> Option<usize> {
        let (answer, answered) = oneshot::channel();
        self.0.send(Asking { request, answer }).ok()?;
        answered.await.ok().flatten()
    }
}

/// The places of an implementing call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The working folder: the tree, or the folder of all trees.
    pub dir: PathBuf,
    /// Name and folder of each tree (`FLIGHTDECK_WORKTREES`).
    pub trees: Vec<(String, PathBuf)>,
    /// What may be written: the trees, and what git keeps for them.
    pub write: Vec<PathBuf>,
    /// What must not be, whatever else may: the real trees and the sessions.
    pub guarded: Vec<PathBuf>,
}

/// What is known about a call while it runs. Droppable.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// The child exists.
    Started { pid: u32, started_at: u64 },
    /// A piece of text to show as a preview; the final text replaces it.
    Text(String),
    /// Throw the preview away: the CLI starts its reply anew.
    Restart,
    /// A retry or rate-limit notice, one line.
    Notice(String),
    /// Seconds that the call may take, all tries together.
    Deadline(u64),
    /// The last lines of stderr, without what looks like a secret (PC-695).
    Stderr(String),
    /// Bytes of stdout so far.
    Bytes(u64),
    /// What keeps the child in its place, one line; told before it starts.
    Sandbox(Both),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Reply(Reply),
    Failed(CallFailure),
    /// We stopped it; it counts nothing (PC-701).
    Cancelled,
}

/// One valid reply (PC-051). `text` is stdout as UTF-8 (bad bytes replaced); the caller strips BOM and CR (PC-238).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    pub text: String,
    pub usage: Option<Usage>,
    pub conversation: Option<String>,
    /// stderr of the call, at most 64 KiB kept from the end.
    pub stderr: String,
    /// Nothing proves that the text is the whole reply: its CLI would not tell, and the mark that was asked for is missing.
    pub is_unproven: bool,
    pub elapsed: Duration,
}

/// No reply (PC-060).
#[derive(Debug, Clone, PartialEq)]
pub struct CallFailure {
    pub reason: Reason,
    pub cause: Cause,
    /// One line for the pilot: cause and, where known, the next step. Never contains the prompt.
    pub detail: String,
    pub stderr: String,
    pub elapsed: Duration,
}

/// What stood behind a failure, as far as the adapter could tell. Decides whether the same call is made again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cause {
    /// Not logged in, or a key that the vendor refuses. Nothing but a person can change that.
    Auth,
    /// The account's limit is reached.
    RateLimit { reset: Option<Reset> },
    /// The vendor's service is busy, broken or silent.
    Overload,
    /// The vendor does not know the conversation that the call was to go on with.
    LostConversation,
    #[default]
    Other,
}

/// When a limit is lifted, as the vendor says it; never computed by us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reset {
    /// So long after the refusal.
    After(Duration),
    /// In the vendor's own words, for example `3pm (Europe/Berlin)`.
    At(String),
}

impl std::fmt::Display for Reset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reset::After(wait) if wait.subsec_millis() == 0 => write!(f, "in {} s", wait.as_secs()),
            Reset::After(wait) => write!(f, "in {} ms", wait.as_millis()),
            Reset::At(text) => f.write_str(text),
        }
    }
}
