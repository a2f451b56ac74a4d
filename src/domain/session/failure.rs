//! Why a call or a reply does not count.

use std::fmt;

/// The reasons of `peer_failures.reason` and of rejected replies (PC-352). The text form is interface.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Reason {
    OnTopic,
    Frontmatter,
    Role,
    SideEffects,
    FactMismatch,
    /// Adapter codes 1 to 7 (PC-059).
    Exit(u8),
    /// Any other exit code.
    ExitOther(i32),
    Signal(i32),
    Timeout,
    Empty,
    PromptTooLarge,
    /// More output than the cap; the size is in the failure's detail.
    OutputTooLarge,
    /// A discovery reply that asks the pilot first; kept aside, no attempt is counted (PC-275).
    Clarify,
    /// A reason that another program wrote.
    Foreign(String),
}

impl Reason {
    /// True when the call gave no reply at all (PC-349); false for a reply that was judged invalid.
    pub fn is_transport(&self) -> bool {
        use Reason::*;
        matches!(self, Exit(_) | ExitOther(_) | Signal(_) | Timeout | Empty | PromptTooLarge | OutputTooLarge)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OnTopic => f.write_str("on_topic"),
            Reason::Frontmatter => f.write_str("frontmatter"),
            Reason::Role => f.write_str("role"),
            Reason::SideEffects => f.write_str("side_effects"),
            Reason::FactMismatch => f.write_str("fact_mismatch"),
            Reason::Exit(code) => write!(f, "exit_{code}"),
            Reason::ExitOther(code) => write!(f, "exit_other_{code}"),
            Reason::Signal(n) => write!(f, "signal_{n}"),
            Reason::Timeout => f.write_str("timeout"),
            Reason::Empty => f.write_str("empty"),
            Reason::PromptTooLarge => f.write_str("prompt_too_large"),
            Reason::OutputTooLarge => f.write_str("output_too_large"),
            Reason::Clarify => f.write_str("clarify"),
            Reason::Foreign(text) => f.write_str(text),
        }
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> String {
        reason.to_string()
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason::from(text.as_str())
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        let tail = |prefix: &str| text.strip_prefix(prefix).and_then(|t| t.parse::<i32>().ok());
        match text {
            "on_topic" => Reason::OnTopic,
            "frontmatter" => Reason::Frontmatter,
            "role" => Reason::Role,
            "side_effects" => Reason::SideEffects,
            "fact_mismatch" => Reason::FactMismatch,
            "timeout" => Reason::Timeout,
            "empty" => Reason::Empty,
            "prompt_too_large" => Reason::PromptTooLarge,
            "output_too_large" => Reason::OutputTooLarge,
            "clarify" => Reason::Clarify,
            _ => match (tail("exit_other_"), tail("exit_"), tail("signal_")) {
                (Some(code), _, _) => Reason::ExitOther(code),
                (_, Some(code @ 1..=7), _) => Reason::Exit(code as u8),
                (_, _, Some(n)) => Reason::Signal(n),
                _ => Reason::Foreign(text.to_string()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_352_every_reason_survives_its_text() {
        for text in [
            "on_topic",
            "frontmatter",
            "role",
            "side_effects",
            "fact_mismatch",
            "exit_1",
            "exit_7",
            "exit_other_64",
            "exit_other_-1",
            "signal_9",
            "timeout",
            "empty",
            "prompt_too_large",
            "output_too_large",
            "clarify",
        ] {
            let reason = Reason::from(text);
            assert_eq!(reason.to_string(), text);
            assert!(!matches!(reason, Reason::Foreign(_)), "{text}");
        }
        assert_eq!(Reason::from("exit_9"), Reason::Foreign("exit_9".into()));
    }
}
