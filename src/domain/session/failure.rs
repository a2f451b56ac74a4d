//! Why a call or a reply does not count.

use crate::domain::lang::Lang;
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
    /// In the pilot's words (PC-060): files and what programs read keep the word of `Display`.
    pub fn text(&self, lang: Lang) -> String {
        let (en, ru, code) = match self {
            Reason::OnTopic => ("off the topic", "не по теме", None),
            Reason::Frontmatter => ("its head cannot be read", "шапка не читается", None),
            Reason::Role => ("not in its role", "не в своей роли", None),
            Reason::SideEffects => ("changed files", "изменил файлы", None),
            Reason::FactMismatch => ("facts do not match", "факты не сходятся", None),
            Reason::Exit(2) => ("stopped by the filter", "остановил фильтр", Some(2)),
            Reason::Exit(3) => ("a secret was found", "найден секрет", Some(3)),
            Reason::Exit(4) => ("the folder is too large", "папка слишком велика", Some(4)),
            Reason::Exit(5) => ("was being called already", "уже вызван", Some(5)),
            Reason::Exit(6) => ("not logged in", "нет входа", Some(6)),
            Reason::Exit(7) => ("empty reply", "пустой ответ", Some(7)),
            Reason::Exit(code) => ("error", "ошибка", Some(i32::from(*code))),
            Reason::ExitOther(code) => ("error", "ошибка", Some(*code)),
            Reason::Signal(n) => ("ended by a signal", "завершён сигналом", Some(*n)),
            Reason::Timeout => ("timeout", "время вышло", None),
            Reason::Empty => ("empty reply", "пустой ответ", None),
            Reason::PromptTooLarge => ("the prompt is too large", "промпт слишком велик", None),
            Reason::OutputTooLarge => ("the output is too large", "вывод слишком велик", None),
            Reason::Clarify => ("asks first", "сначала спрашивает", None),
            Reason::Foreign(text) => (text.as_str(), text.as_str(), None),
        };
        let words = lang.pick(en, ru);
        match (self, code) {
            (_, None) => words.to_string(),
            (Reason::Signal(_), Some(n)) => format!("{words} {n}"),
            (_, Some(code)) => format!("{words}, {} {code}", lang.pick("code", "код")),
        }
    }

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
    fn pc_060_the_pilot_reads_words() {
        assert_eq!(Reason::Exit(1).text(Lang::Ru), "ошибка, код 1");
        assert_eq!(Reason::Exit(6).text(Lang::En), "not logged in, code 6");
        assert_eq!(Reason::Signal(9).text(Lang::Ru), "завершён сигналом 9");
        assert_eq!(Reason::Foreign("network".into()).text(Lang::Ru), "network", "another program's word");
        let known = ["on_topic", "role", "exit_3", "exit_other_64", "timeout", "empty", "clarify"];
        for reason in known.map(Reason::from) {
            assert!(reason.text(Lang::Ru).chars().any(|c| c >= 'А'), "{reason}");
        }
    }

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
