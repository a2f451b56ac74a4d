//! What the pilot fixed for this run of the engine. Limits live in `meta.yaml`; these do not.

use super::lang::Both;
use super::spent::Budget;

/// How the Decision Gate is answered (`--decision`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum DecisionPolicy {
    #[default]
    Ask,
    Record,
    Implement,
}

/// `--findings`: what becomes of High and Medium findings (PC-525).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum FindingsPolicy {
    #[default]
    Ask,
    Now,
    After,
}

/// Whether choice B of the Decision Gate can be carried out (PC-467).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Implementable {
    Yes,
    /// Why not, as the pilot reads it.
    No(Both),
}

impl Default for Implementable {
    fn default() -> Implementable {
        Implementable::No(Both::new("no implementation is configured", "реализация не настроена"))
    }
}

/// `--reflection`.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ReflectionPolicy {
    #[default]
    Ask,
    Skip,
    Text(String),
}

/// Whether something that leaves the session's files may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permit {
    #[default]
    Ask,
    Yes,
    No,
}

/// Answers given beforehand and permissions of this run (PC-010).
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Nobody is there to answer: questions end the run with exit code 3.
    pub headless: bool,
    pub decision: DecisionPolicy,
    /// Seconds after which an unanswered gate means B (PC-465); `None` = never.
    pub gate_timeout: Option<u64>,
    /// A session that waits for the end of a vendor's limit goes on by itself when the vendor said when that is.
    pub after_limit: bool,
    /// `--close auto`.
    pub close_auto: bool,
    pub findings: FindingsPolicy,
    pub implementable: Implementable,
    pub reflection: ReflectionPolicy,
    /// Seconds after which an unanswered reflection means "no response" (PC-554).
    pub reflection_timeout: u64,
    pub commit: Permit,
    pub push: Permit,
    /// `--yes`.
    pub yes: bool,
    /// What the session may cost before the pilot is asked.
    pub budget: Option<Budget>,
}
