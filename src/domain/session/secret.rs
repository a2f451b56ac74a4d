//! What looks like a secret in an outgoing prompt, and what the pilot said about it. The secret itself is not here.

use crate::domain::effect::Call;

/// One secret.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Find {
    /// Where it stands, such as `01-peer-codex.md:12`; all places that are known.
    pub places: Vec<String>,
    /// What it looks like, in the session's language.
    pub what: String,
    /// Its beginning.
    pub masked: String,
    /// Knows it again without holding it.
    pub mark: String,
}

/// What the pilot wants done with a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clearance {
    /// Prompts go out with a mask in its place.
    Redact,
    /// It may be sent.
    Send,
    /// The call is not made.
    Abort,
}

/// A call that was not made and waits for the pilot.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Withheld {
    pub call: Call,
    pub finds: Vec<Find>,
}

impl Clearance {
    /// The answer as the pilot gives it, in both languages. Sending is a whole word: no single key sends a secret.
    pub fn read(text: &str) -> Option<Clearance> {
        match text.trim().trim_end_matches(['.', '!']).to_lowercase().as_str() {
            "redact" | "r" | "mask" | "скрыть" | "скрой" => Some(Clearance::Redact),
            "send" | "send anyway" | "отправить" | "отправь" => Some(Clearance::Send),
            "abort" | "a" | "no" | "n" | "прервать" | "прерви" | "нет" => {
                Some(Clearance::Abort)
            }
            _ => None,
        }
    }
}
