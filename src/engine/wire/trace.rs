//! Where something comes from and what became of it: what a screen asks, and the way there as steps that can be entered.

use crate::domain::session::id::SessionId;

/// What is traced.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Traced {
    /// A line of the session's diff. `old` counts in the file as it was before.
    Line { label: String, line: u32, old: bool, text: String },
    /// The finding at this place of a review's list, from 0.
    Finding { review: u32, at: usize },
    /// What stands at a line of one of the session's files: a finding, an objection.
    Place { file: String, line: u32 },
    /// Every objection of the session.
    Objections,
}

/// Where a step leads.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "goal", rename_all = "kebab-case")]
pub enum Goal {
    /// A line of a file in a session's directory, from 1.
    File {
        id: SessionId,
        file: String,
        line: u32,
    },
    /// A line of the diff that is traced; 0 for the file as a whole.
    Diff {
        label: String,
        line: u32,
    },
    Session {
        id: SessionId,
    },
}

/// What a step is. The words for it are the screen's.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    Line,
    Commit {
        sha: String,
    },
    Uncommitted,
    /// The commit is no session's.
    Foreign,
    Session,
    /// A changed file that shares words with what is traced.
    Changed,
    /// Empty when the events are gone.
    Deployed {
        at: String,
    },
    /// What wanted the edit: a review, a verification, the pilot; empty for the first.
    Edit {
        number: u32,
        wanted_by: String,
    },
    Finding,
    /// A later review does not find it again.
    Gone,
    /// At the content gate.
    Approval {
        /// 0 where the line of the log names none.
        edit: u32,
        lines: String,
        at: String,
    },
    Decision {
        choice: String,
        at: String,
    },
    Consensus,
    /// By shared words.
    Sentence {
        shared: Vec<String>,
    },
    Objection {
        holder: String,
        round: u32,
    },
    Open,
    Answered,
    Withdrawn,
    Overruled,
    Escalated,
    /// Nobody objected.
    Peace,
}

/// One step of the way.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    pub kind: Kind,
    /// As somebody wrote it.
    pub text: String,
    pub goal: Option<Goal>,
    /// It belongs to the step above.
    pub below: bool,
}

impl Step {
    pub fn new(kind: Kind, text: impl Into<String>, goal: Option<Goal>) -> Step {
        Step { kind, text: text.into(), goal, below: false }
    }

    pub fn below(self) -> Step {
        Step { below: true, ..self }
    }
}
