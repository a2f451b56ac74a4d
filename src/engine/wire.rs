//! What a screen and the engine say to each other: two closed enums of plain data.
//!
//! They travel as JSON lines over a unix socket, or through channels when the engine lives in the same process; the
//! screen does not notice. Facts are never dropped; progress may be.

pub mod trace;

use super::run::Command;
pub use crate::agents::call::Progress;
use crate::domain::effect::Call;
use crate::domain::lang::{Both, Lang};
use crate::domain::policy::Policy;
use crate::domain::question::Question;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::{ResultClass, Status};
use crate::domain::session::notes::Rehearsal;
pub use crate::domain::session::pipeline::change::ChangeKind;
use crate::domain::session::state::Session;
use crate::domain::spent::Spent;
use crate::domain::time::Stamp;
pub use crate::store::runtime::Event;
use std::path::PathBuf;
use trace::{Step, Traced};

/// Raised when the meaning of a message changes; an engine and a screen of different protocols do not talk.
pub const PROTOCOL: u32 = 4;

/// From a screen to the engine.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// First line of a connection.
    Hello {
        protocol: u32,
        version: String,
    },
    /// The deck, now and whenever it changes. `limit` newest sessions.
    Deck {
        limit: usize,
    },
    /// A snapshot of this session, then its facts and progress.
    Watch {
        id: SessionId,
    },
    Unwatch {
        id: SessionId,
    },
    /// Opens a new session. Answered by `Opening` while questions stand open, then by `Began`.
    Begin {
        plan: Plan,
    },
    /// Drives a session that stands still (PC-670); `yes` also takes up an interrupted one.
    Resume {
        id: SessionId,
        yes: bool,
    },
    /// Writes the report of an interrupted session and closes it (Y.2).
    Finalize {
        id: SessionId,
    },
    /// For a session that an engine drives; answers also reach sessions that stand still.
    Command {
        id: SessionId,
        command: Command,
    },
    /// The text of one file of a session's directory.
    Read {
        id: SessionId,
        file: String,
    },
    /// Full-text search; `seq` comes back with the hits, so that an older search is recognised.
    Search {
        seq: u64,
        query: String,
        limit: usize,
    },
    /// The facts of a session from its event log, for replay.
    Events {
        id: SessionId,
    },
    /// What an implementation changed, file by file: all of it, or one `repo/path` with so many lines around.
    Diff {
        id: SessionId,
        scope: Scope,
        file: Option<String>,
        context: u32,
    },
    /// Where something comes from and what became of it.
    Trace {
        id: SessionId,
        of: Traced,
    },
    /// The checks of a report (PC-660).
    Verify {
        id: SessionId,
    },
    /// What `doctor` prints.
    Doctor,
    /// Ends the engine at the next fact boundary of every session, to be taken up by a newer one.
    Park,
    /// Ends the engine. Without `force` it refuses while sessions run.
    Stop {
        force: bool,
    },
}

/// What a new session needs (PC-010). Empty strings mean: as configured.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Plan {
    pub task: String,
    /// Vendors, comma-separated.
    pub peers: String,
    pub writer: String,
    pub model: String,
    pub wp: String,
    pub roles: String,
    pub lang: String,
    /// 0 = as configured.
    pub turns_limit: u32,
    pub rounds_limit: u32,
    pub max_peer_attempts: u32,
    pub policy: Policy,
    /// A story that is played; nothing but `cwd`, `lang` and `policy` counts then.
    pub rehearsal: Option<Rehearsal>,
    /// The opening's questions are answered with yes.
    pub yes: bool,
    /// Of the screen: relative paths and configuration start here.
    pub cwd: PathBuf,
}

/// From the engine to a screen.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "tell", rename_all = "kebab-case")]
pub enum Tell {
    Welcome {
        protocol: u32,
        version: String,
        pid: u32,
        sessions: PathBuf,
    },
    /// The whole deck, newest first; sent again when something in it changed.
    Deck {
        rows: Vec<Row>,
        total: usize,
    },
    /// What all sessions cost today.
    Spend {
        today: Spent,
    },
    /// A session as it is now. Events with a higher number follow.
    Snapshot {
        view: Box<View>,
    },
    Event {
        id: SessionId,
        event: Box<Event>,
    },
    /// Droppable.
    Progress {
        id: SessionId,
        call: Call,
        progress: Progress,
    },
    /// The questions of an opening, none of which created anything yet.
    Opening {
        announcement: Vec<String>,
        questions: Vec<String>,
    },
    Began {
        id: SessionId,
        announcement: Vec<String>,
    },
    File {
        id: SessionId,
        file: String,
        text: String,
    },
    /// The names of the files in a session's directory have changed.
    Files {
        id: SessionId,
        files: Vec<String>,
    },
    Found {
        seq: u64,
        hits: Vec<Hit>,
        done: bool,
        scanned: usize,
        total: usize,
    },
    Events {
        id: SessionId,
        events: Vec<Event>,
    },
    Diff {
        id: SessionId,
        scope: Scope,
        file: Option<String>,
        /// The edit that was compared.
        edit: u32,
        patches: Vec<Patch>,
        /// There is more than is sent.
        cut: bool,
        /// Why there is nothing, or not all.
        why: Option<String>,
    },
    Trace {
        id: SessionId,
        of: Traced,
        steps: Vec<Step>,
        /// Why there is nothing, or not all.
        why: Option<String>,
    },
    Verified {
        id: SessionId,
        findings: Vec<(bool, String, String)>,
    },
    Doctor {
        text: String,
    },
    /// Something was asked that could not be done; one line with cause and next step.
    Refused {
        what: String,
        why: String,
    },
    /// The engine ends.
    Bye {
        why: String,
    },
}

/// What a diff compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The edit with the commit that the work tree began at: what is reviewed, verified and deployed.
    #[default]
    Session,
    /// The same with what the branch holds in commits.
    Branch,
    /// What the pilot has staged in the real tree, which stays staged. Agents cannot stage: git's folder is out of their
    /// reach.
    Staged,
    /// The edit with the one before it.
    Last,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Patch {
    pub repo: String,
    pub path: String,
    pub kind: ChangeKind,
    pub added: u32,
    pub removed: u32,
    pub binary: bool,
    /// Hunks of a unified diff, each with its `@@` line.
    pub text: String,
}

/// Who drives a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Owner {
    /// This engine.
    Here,
    /// Another process holds its lock.
    Other {
        pid: u32,
    },
    Nobody,
}

/// One line of the deck.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Row {
    pub id: SessionId,
    pub task: String,
    /// Vendor keys of the peers, joined by `+`.
    pub peers: String,
    pub status: Status,
    /// `engine_phase` as derived, empty for sessions known from the index only.
    pub phase: String,
    pub result: Option<ResultClass>,
    /// Round or exchange and its limit, 0 when unknown.
    pub at: (u32, u32),
    pub questions: Vec<Question>,
    /// Who speaks now and since when.
    pub speaking: Option<(String, Stamp)>,
    pub owner: Owner,
    /// Last fact or file change.
    pub changed: Stamp,
    pub escalations: u32,
    /// Another program's control session: shown, never driven (PC-147).
    pub foreign: bool,
}

/// A session with what its files do not say.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct View {
    pub session: Session,
    pub dir: PathBuf,
    pub questions: Vec<Question>,
    pub owner: Owner,
    /// Number of the last event in the snapshot.
    pub seq: u64,
    /// The text of the running call so far.
    pub preview: String,
    pub running: Option<Running>,
    pub problems: Vec<String>,
    /// Names of the files in the directory.
    pub files: Vec<String>,
}

/// The call that runs, with what is known about its process.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Running {
    pub call: Call,
    pub since: Stamp,
    /// Seconds, where known.
    pub deadline: Option<u64>,
    pub pid: Option<u32>,
    /// Of stdout.
    pub bytes: u64,
    pub notice: String,
    /// What keeps the process in its place, once it is told.
    pub sandbox: Option<Both>,
    /// The last lines of stderr, masked.
    pub stderr: String,
}

impl Running {
    pub fn new(call: Call, since: Stamp) -> Running {
        let (notice, stderr) = (String::new(), String::new());
        Running { call, since, deadline: None, pid: None, bytes: 0, notice, sandbox: None, stderr }
    }

    /// The newest that the process or its runner says about itself.
    pub fn says(&self, lang: Lang) -> String {
        match (&self.sandbox, self.notice.as_str()) {
            (Some(sandbox), "") => format!("{}: {}", lang.pick("sandbox", "песочница"), sandbox.text(lang)),
            (_, notice) => notice.to_string(),
        }
    }

    /// Takes what is told about the process; the text is kept elsewhere.
    pub fn hear(&mut self, progress: &Progress) {
        match progress {
            Progress::Started { pid, .. } => self.pid = Some(*pid),
            Progress::Deadline(seconds) => self.deadline = Some(*seconds),
            Progress::Notice(text) => self.notice.clone_from(text),
            Progress::Sandbox(text) => self.sandbox = Some(text.clone()),
            Progress::Bytes(n) => self.bytes = *n,
            Progress::Stderr(text) => self.stderr.clone_from(text),
            Progress::Text(_) | Progress::Restart => {}
        }
    }
}

/// One place where a search found something.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Hit {
    pub id: SessionId,
    pub file: String,
    /// From 1.
    pub line: u32,
    pub text: String,
    /// Byte ranges of the matches in `text`.
    pub marks: Vec<(u32, u32)>,
}
