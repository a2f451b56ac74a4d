//! The engine's memory of a running implementation. Losing it costs a repeated edit, never an approval, a review, a
//! verification or a deployment: those are in the session's files.

use super::change::{Edit, Tree};

/// Reviews before the pilot is asked (PC-524).
pub const REVIEWS: u32 = 3;

/// One implementation, from choice B to the outcome file.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Track {
    /// Reviews and verifications of an earlier implementation of the same session.
    pub reviews_before: u32,
    pub verifies_before: u32,
    /// Empty until everything is isolated.
    pub trees: Vec<Tree>,
    pub edit: Option<Edit>,
    /// Labels that were announced (PC-511).
    pub announced: Vec<String>,
    /// What the pilot, or a review with Critical findings, wants changed next.
    pub wish: Option<Wish>,
    /// The review that gave no review, twice (PC-522).
    pub unusable: Option<u32>,
    /// The review that was settled: nothing is to be fixed any more (PC-525, PC-526).
    pub settled: u32,
    /// The pilot deploys what could not be verified.
    pub unverified: bool,
    pub deployed: Vec<Deployed>,
    pub refused: Option<Refusal>,
    /// The pilot ended it without a deployment, or without the rest of one; why.
    pub ended: Option<String>,
    /// The outcome file is written.
    pub done: bool,
    /// The trees are gone, or stay for a reason that was said.
    pub cleaned: bool,
}

/// Another edit is wanted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wish {
    /// What asked for it: `review-02.md`, `verify-01.md`, the pilot.
    pub from: String,
    /// Straight to verification afterwards (PC-532).
    #[serde(default)]
    pub pinpoint: bool,
}

/// What became of one repository.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Deployed {
    pub repo: String,
    /// The commit; `copy` for a folder that is in no repository.
    pub sha: String,
    pub pushed: bool,
    /// Why it was not pushed, or what else is to be said; one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Why a deployment stopped (PC-542).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Refusal {
    pub repo: String,
    pub kind: Stop,
    /// The exact state, as the pilot reads it.
    pub text: String,
    /// The escalation that a refusal of git or a hook became.
    #[serde(default)]
    pub escalation: Option<u32>,
    /// What the pilot chose, where no escalation holds the answer.
    #[serde(default)]
    pub way: Option<Way>,
}

/// How the pilot wants to go on after a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// The same step again.
    Again,
    /// Another edit, with the answer as direction.
    Fix,
    /// Move to where the repository is now, and verify that.
    Renew,
    /// No deployment, or no more of it; the branch stays.
    End,
}

impl Way {
    /// The way that an answer to an escalation of this track means. Whatever is none of the words is a decision of the
    /// pilot's and ends the implementation: nothing is deployed by a guess.
    pub fn of(answer: &str) -> Way {
        let word = answer.trim().split(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_lowercase();
        match word.as_str() {
            "retry" | "again" | "deploy" | "verify" | "повторить" | "повтори" | "развернуть" | "ещё" => {
                Way::Again
            }
            "fix" | "implement" | "исправить" | "исправь" | "реализовать" => {
                Way::Fix
            }
            "rebase" | "renew" | "перебазировать" | "обновить" => Way::Renew,
            _ => Way::End,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The repository went on since the tree was made.
    Moved,
    /// The real tree has changes of its own in files of ours.
    Dirty,
    /// git or a hook refused the commit.
    Commit,
    /// A hook changed what was verified, or the tree changed afterwards.
    Changed,
    /// An approval is missing or used up (PC-505).
    Unapproved,
    Push,
}

impl Track {
    /// `REVIEW_ITER`: reviews of this implementation so far, of all there are.
    pub fn reviews(&self, all: usize) -> u32 {
        (all as u32).saturating_sub(self.reviews_before)
    }
}

/// [`Deployed::sha`] of a folder that is in no repository.
pub const COPIED: &str = "copy";

/// An object id of git as people read it: everywhere as long, so that two places can be compared by eye.
pub fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
