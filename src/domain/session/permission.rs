//! What an agent asks leave for while its call runs, and which of its options an answer of the pilot means.

use crate::domain::question::Question;

/// One request, as the agent put it. Untrusted text; whoever made it from the agent's words has cut it into lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The kind of tool in the protocol's words, such as `execute` or `edit`; may be empty.
    pub tool: String,
    pub title: String,
    pub details: Vec<Detail>,
    pub offers: Vec<Offer>,
}

/// What it would do, as far as the agent says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    Path(String),
    /// One line of a command.
    Command(String),
    /// What the tool would be given, where that is no command.
    Input(String),
    /// So many characters are not shown.
    More(usize),
}

/// One option of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub kind: OfferKind,
    /// The agent's own name for it.
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfferKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

impl OfferKind {
    pub fn allows(self) -> bool {
        matches!(self, OfferKind::AllowOnce | OfferKind::AllowAlways)
    }

    fn word(self) -> &'static str {
        match self {
            OfferKind::AllowOnce => "allow",
            OfferKind::AllowAlways => "always",
            OfferKind::RejectOnce => REJECT,
            OfferKind::RejectAlways => "never",
        }
    }
}

/// The answer that is always there, whatever the agent offers.
pub const REJECT: &str = "reject";

/// What the pilot types for each offer, in their order: a word for its kind, with a number where there are several.
pub fn keys(offers: &[Offer]) -> Vec<String> {
    let key = |at: usize| {
        let kind = offers[at].kind;
        match offers[..at].iter().filter(|o| o.kind == kind).count() {
            0 => kind.word().to_string(),
            before => format!("{}-{}", kind.word(), before + 1),
        }
    };
    (0..offers.len()).map(key).collect()
}

/// The choice that an answer names. Only a choice of this question counts, and nothing short of a word allows.
pub fn read(question: &Question, text: &str) -> Option<String> {
    let word = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let word = match word.as_str() {
        "yes" | "разрешить" | "разреши" | "да" => OfferKind::AllowOnce.word(),
        "всегда" => OfferKind::AllowAlways.word(),
        "no" | "n" | "deny" | "refuse" | "запретить" | "запрети" | "отказать" | "откажи" | "нет" => {
            REJECT
        }
        "никогда" => OfferKind::RejectAlways.word(),
        word => word,
    };
    question.choices.iter().find(|choice| choice.key == word).map(|choice| choice.key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::question::{Choice, QuestionKind};
    use crate::domain::time::Stamp;

    #[test]
    fn pc_062_an_answer_is_one_of_the_agents_own_options() {
        let offer = |kind| Offer { kind, name: "x".into() };
        use OfferKind::{AllowAlways, AllowOnce, RejectOnce};
        let offers = [offer(AllowAlways), offer(AllowOnce), offer(AllowAlways), offer(RejectOnce)];
        let keys = keys(&offers);
        assert_eq!(keys, ["always", "allow", "always-2", "reject"]);
        let question = Question {
            id: "permission-1".into(),
            kind: QuestionKind::Permission,
            since: Stamp::default(),
            text: String::new(),
            choices: keys.iter().map(|key| Choice::new(key, "")).collect(),
            free_text: false,
            other: None,
        };
        for (text, want) in [
            ("allow", Some("allow")),
            (" ALLOW. ", Some("allow")),
            ("да", Some("allow")),
            ("always-2", Some("always-2")),
            ("Нет", Some("reject")),
            ("never", None),
            ("a", None),
            ("", None),
            ("…", None),
        ] {
            assert_eq!(read(&question, text).as_deref(), want, "{text}");
        }
    }
}
