//! What can reach a session.

use super::effect::Call;
use super::session::claim::Checked;
use super::session::dispute::Dispute;
use super::session::failure::Reason;
use super::session::gate::Summary;
use super::session::pipeline::change::{Edit, Tree};
use super::session::pipeline::content::Record;
use super::session::pipeline::track::{Deployed, Refusal};
use super::session::pipeline::verdict::Verdict;
use super::session::secret::Find;
use super::session::turn::Turn;
use super::time::Stamp;

/// One input of [`super::session::decide::decide`].
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Nothing new: do what is due.
    Go,
    /// A call ended.
    Ended {
        call: Call,
        result: CallResult,
    },
    /// The pilot answers a question by id. An unknown or closed id changes nothing.
    Answered {
        question: String,
        text: String,
    },
    /// The pilot's words for the next writer turn.
    Directed {
        text: String,
    },
    /// The pilot stops the running call; see [`super::fact::Fact::CutIn`].
    CutIn {
        call: Call,
        text: String,
        partial: String,
    },
    /// A timer ran out.
    Woke {
        question: String,
    },
    /// The commit step ended.
    Committed {
        sha: Option<String>,
        pushed: bool,
        notes: Vec<String>,
    },
    CommitRefused {
        text: String,
    },
    Interrupt,
    /// The pilot overrules the bookkeeping of a participant (PC-354).
    Override {
        vendor: String,
        how: Override,
    },
    /// Take an interrupted session up again (PC-670).
    Reopen,
}

/// PC-354. A rejected reply that is accepted as it is comes as its turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Override {
    Rerun,
    Fail,
    Accept(Turn),
}

/// What a call gave, already read by the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum CallResult {
    /// A peer's reply or a writer's turn (with the engine's frontmatter).
    Turn {
        turn: Turn,
        facts: Vec<Checked>,
        prompt: std::sync::Arc<str>,
    },
    /// Agreed roles by agent id, the writer's role, and the turn file; `note` says when the fallback was taken.
    Roles {
        turn: Turn,
        roles: Vec<(String, Vec<String>)>,
        note: Option<String>,
    },
    Summary(Result<Summary, String>),
    Dispute(Result<Dispute, String>),
    Judge(Option<bool>),
    Draft {
        text: String,
        linked: Vec<String>,
        findings: Vec<String>,
    },
    Isolated(Vec<Tree>),
    /// `report` is what the agent printed; empty when the engine changed the trees itself.
    /// `moved` are the trees with their new bases; empty when they stand where they stood.
    Edited {
        edit: Edit,
        report: String,
        moved: Vec<Tree>,
        /// Real files that changed while the agent ran.
        outside: Vec<String>,
    },
    /// The reviewer's text as it came.
    Reviewed(String),
    Verified {
        verdict: Verdict,
        text: String,
    },
    Deployment {
        deployed: Vec<Deployed>,
        refusal: Option<Refusal>,
        used: Vec<Record>,
        result: String,
    },
    /// What stays, and why.
    Cleaned(Vec<String>),
    Failed {
        reason: Reason,
        detail: String,
        stderr: String,
        /// When the vendor's limit is lifted, if it stood behind the failure and the vendor said when.
        until: Option<Stamp>,
    },
    /// It was not made: its prompt holds what looks like a secret.
    Withheld(Vec<Find>),
    Cancelled,
}
