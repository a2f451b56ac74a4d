//! Everything that can wait for the pilot. Answered by id; an answer to a closed or unknown question changes nothing.

use super::lang::Lang;
use super::time::Stamp;

/// What kind of decision a question asks for. The text form is the `kind` of `show --json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// An unknown or unavailable vendor: go on with the rest, or abort (PC-031, PC-103).
    Vendor,
    /// No WP in the plan (PC-114, PC-115).
    WpGate,
    /// A participant escalated (group S).
    Escalation,
    /// The round limit was reached without agreement (PC-426).
    Dispute,
    /// The single peer gave no reply (PC-294).
    PeerRetry,
    /// The writer's call failed (PC-255).
    WriterRetry,
    /// The prompt of a call holds what looks like a secret (PC-065).
    Secret,
    /// An agent asks leave for something while its call runs (PC-062).
    Permission,
    /// The pilot writes the writer's turn.
    PilotTurn,
    /// A peer asks about its role (PC-275).
    Clarify,
    /// Nobody is left to speak (PC-327).
    Participants,
    /// The writer met a decision that only the pilot may take (PC-691).
    Reserved,
    /// The Decision Gate (group T).
    Gate,
    /// One hunk of an edit to a reserved file (PC-503).
    Content,
    /// High or Medium findings: fix now or after the deployment (PC-525).
    Findings,
    /// No usable review (PC-522).
    Review,
    /// The verification failed, or nothing could be run (PC-532).
    Verify,
    /// The deployment cannot go on (PC-542).
    Deploy,
    /// A step of the implementation failed, or the agent changed nothing.
    Implement,
    /// Close or extend (PC-611).
    Close,
    /// What is worth remembering (PC-551).
    Reflection,
    /// A file could not be written: the session waits until it can (disk full, read-only).
    Storage,
    /// The session has cost as much as it may.
    Budget,
    /// The commit or push was refused (PC-645).
    Commit,
}

/// One possible answer. `key` is what the pilot types.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Choice {
    pub key: String,
    /// What choosing it will do.
    pub label: String,
}

impl Choice {
    pub fn new(key: &str, label: impl Into<String>) -> Choice {
        Choice { key: key.to_string(), label: label.into() }
    }
}

/// A question that stands open.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Question {
    /// Stable within the session, such as `escalation-00` or `gate`.
    pub id: String,
    pub kind: QuestionKind,
    pub since: Stamp,
    /// The whole question as the pilot reads it.
    pub text: String,
    /// Empty when only free text answers it.
    pub choices: Vec<Choice>,
    /// Free text is an answer too.
    pub free_text: bool,
    /// The same for a pilot who does not speak the session's language; what the participants wrote stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Wording>,
}

/// The words of a question in another language.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wording {
    pub lang: Lang,
    pub text: String,
    /// One for each choice.
    pub labels: Vec<String>,
}

impl Question {
    /// The whole question for a pilot who speaks this language, in the session's where it has no other words.
    pub fn text(&self, lang: Lang) -> &str {
        self.other.as_ref().filter(|other| other.lang == lang).map_or(&self.text, |other| &other.text)
    }

    /// What the choice with this number will do.
    pub fn label(&self, n: usize, lang: Lang) -> &str {
        let other = self.other.as_ref().filter(|other| other.lang == lang);
        let label =
            other.and_then(|other| other.labels.get(n)).or(self.choices.get(n).map(|choice| &choice.label));
        label.map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pilot_reads_a_question_in_his_language_where_it_has_one() {
        let of = |other| Question {
            id: "close".into(),
            kind: QuestionKind::Close,
            since: Stamp(0),
            text: "Closing?".into(),
            choices: vec![Choice::new("close", "close it"), Choice::new("no", "go on")],
            free_text: true,
            other,
        };
        let ru = Wording {
            lang: Lang::Ru, text: "Закрываем?".into(), labels: vec!["закрыть".into()]
        };
        let asked = of(Some(ru));
        assert_eq!((asked.text(Lang::Ru), asked.text(Lang::En)), ("Закрываем?", "Closing?"));
        assert_eq!((asked.label(0, Lang::Ru), asked.label(0, Lang::En)), ("закрыть", "close it"));
        assert_eq!((asked.label(1, Lang::Ru), asked.label(9, Lang::Ru)), ("go on", ""), "what it lacks");
        // As older programs wrote it.
        let mut told = serde_json::to_value(&asked).unwrap();
        told.as_object_mut().unwrap().remove("other");
        let old: Question = serde_json::from_value(told).unwrap();
        assert_eq!((old.text(Lang::Ru), &old), ("Closing?", &of(None)));
    }
}
