//! Questions that a participant put to the pilot (group S), and the words that close a session (PC-612).

use super::state::Session;
use super::turn::{Turn, TurnName};
use unicode_normalization::UnicodeNormalization;

/// The reason of the escalation that follows an unsettled dispute (PC-423).
pub const LIMIT_REASON: &str = "rounds_limit exhausted, no consensus, irreversible or scope-disputed";

/// One of these as a whole word, in any case, closes a session (PC-612).
pub const CLOSE_WORDS: [&str; 6] = ["close", "closing", "закрывай", "закрываем", "закрой", "всё"];

/// One `escalation-NN.md`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Escalation {
    /// The number of the file, from 0 (PC-441).
    pub index: u32,
    /// `escalation_number`, from 1; other programs may count from 0 (AMB-69).
    pub number: u32,
    /// File number or round of the turn that asked.
    pub turn: u32,
    /// As the file spells it.
    pub timestamp: String,
    pub reason: String,
    /// Base name of the turn file that asked (AMB-70); empty when no turn did.
    pub source: String,
    /// The pilot's answer; empty while the escalation is open (PC-445).
    pub response: String,
}

impl Escalation {
    /// The one that follows those that are there, without its time, which only the caller knows. The files keep no
    /// blanks around a reason.
    pub fn next(all: &[Escalation], turn: u32, reason: &str, source: String) -> Escalation {
        let index = all.iter().map(|e| e.index + 1).max().unwrap_or(0);
        Escalation {
            index,
            number: index + 1,
            turn,
            timestamp: String::new(),
            reason: reason.trim().to_string(),
            source,
            response: String::new(),
        }
    }

    pub fn is_open(&self) -> bool {
        self.response.trim().is_empty()
    }

    pub fn file_name(&self) -> String {
        format!("escalation-{:02}.md", self.index)
    }

    /// Its file says neither what was asked nor who asked: it was emptied, or what is left of it cannot be read.
    pub fn is_blank(&self) -> bool {
        self.source.is_empty() && self.reason.is_empty() && self.turn == 0
    }
}

/// True when the pilot's message holds a close word. "Don't close yet" holds one and means the opposite, so a word
/// right behind a denial does not count: closing cannot be undone, asking again can.
pub fn is_close_signal(message: &str) -> bool {
    let message = message.nfc().collect::<String>().to_lowercase().replace('’', "'");
    let mut denied = false;
    message
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-' | '_'))
        .map(|word| word.trim_matches(['\'', '-', '_']))
        .filter(|word| !word.is_empty())
        .any(|word| {
            let after_denial = denied;
            denied = matches!(word, "не" | "not" | "never") || word.ends_with("n't");
            CLOSE_WORDS.contains(&word) && !after_denial
        })
}

impl Session {
    /// True for the escalation of an unsettled dispute (PC-423). A turn may choose the same words for one of its own; then
    /// the first one that names it is that.
    pub fn is_dispute(&self, escalation: &Escalation) -> bool {
        let same = |e: &&Escalation| e.reason == LIMIT_REASON && e.source == escalation.source;
        let asks = |t: &&Turn| t.markers().escalate.as_deref().map(str::trim) == Some(LIMIT_REASON);
        let of_turn = TurnName::parse(&escalation.source).and_then(|name| self.turn(&name)).filter(asks);
        let first = self.escalations.iter().find(same).is_none_or(|e| e.index >= escalation.index);
        escalation.reason == LIMIT_REASON && !(of_turn.is_some() && first)
    }

    /// The escalation that a turn raised, if its file exists.
    pub fn escalation_of(&self, name: &TurnName) -> Option<&Escalation> {
        let file = name.to_string();
        let raised = |e: &&Escalation| e.source == file || (e.source.is_empty() && e.turn == name.number);
        self.escalations.iter().find(|e| raised(e) && !self.is_dispute(e))
    }

    /// What blank escalations asked, told by the turns that escalate and have no escalation of their own, in their order:
    /// a question whose file was emptied is the same question, not another one. An answer in the file stays. Gives the
    /// names of the files with those of the turns.
    pub fn recall_escalations(&mut self) -> Vec<(String, TurnName)> {
        let mut told = Vec::new();
        let mut asking: Vec<(TurnName, String)> = self
            .turns
            .iter()
            .filter(|t| self.escalation_of(&t.name).is_none())
            .filter_map(|t| Some((t.name.clone(), t.markers().escalate.clone()?)))
            .rev()
            .collect();
        for blank in self.escalations.iter_mut().filter(|e| e.is_blank()) {
            let Some((turn, reason)) = asking.pop() else { break };
            blank.turn = turn.number;
            blank.reason = reason.trim().to_string();
            blank.source = turn.to_string();
            told.push((blank.file_name(), turn));
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::head::Head;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::Meta;

    #[test]
    fn pc_441_first_file_is_zero() {
        let mut escalation = Escalation {
            index: 0,
            number: 1,
            turn: 2,
            timestamp: String::new(),
            reason: LIMIT_REASON.into(),
            source: String::new(),
            response: " \n".into(),
        };
        assert_eq!(escalation.file_name(), "escalation-00.md");
        assert!(escalation.is_open(), "PC-445");
        escalation.response = "no".into();
        assert!(!escalation.is_open());
    }

    #[test]
    fn pc_445_a_blank_escalation_is_that_of_the_turn_that_has_none() {
        let turn = |name: &str, text: &str| {
            Turn::new(TurnName::parse(name).unwrap(), Ok(Head::default()), text.into(), 0)
        };
        let mut s = Session::new(Meta::new(SessionId::parse("2026-08-24-01-cache").unwrap(), "cache"));
        s.turns = vec![
            turn("01-peer.md", "Hm.\nESCALATE_TO_USER: who pays?\n"),
            turn("02-writer.md", "Yes."),
            turn("03-peer.md", "Hm.\nESCALATE_TO_USER: how much?\n"),
        ];
        let whole = Escalation::next(&[], 1, "who pays?", "01-peer.md".into());
        let blank = |index: u32, response: &str| Escalation {
            response: response.into(),
            index,
            ..Escalation::next(&[], 0, "", String::new())
        };
        s.escalations = vec![whole.clone(), blank(1, "two")];
        assert_eq!(s.recall_escalations(), [("escalation-01.md".to_string(), s.turns[2].name.clone())]);
        let told = &s.escalations[1];
        assert_eq!((told.turn, told.reason.as_str(), told.response.as_str()), (3, "how much?", "two"));
        assert!(s.escalations[0] == whole && s.recall_escalations().is_empty());
        s.escalations = vec![blank(0, ""), blank(1, ""), blank(2, "")];
        assert_eq!(s.recall_escalations().len(), 2);
        let sources: Vec<&str> = s.escalations.iter().map(|e| e.source.as_str()).collect();
        assert_eq!(sources, ["01-peer.md", "03-peer.md", ""], "nobody is made to have asked the third");
    }

    #[test]
    fn pc_612_close_words() {
        for yes in [
            "close",
            "Ok, CLOSE.",
            "Закрываем!",
            "всё",
            "ВСЁ",
            "все\u{308}, спасибо",
            "ну закрой уже",
            "'close'",
        ] {
            assert!(is_close_signal(yes), "{yes}");
        }
        for no in
            ["", "closed", "enclose it", "все согласны", "закрывайте", "close-path", "go on", "закрытие"]
        {
            assert!(!is_close_signal(no), "{no}");
        }
        for no in ["do not close yet", "don’t close", "не закрывай"] {
            assert!(!is_close_signal(no), "{no}");
        }
        assert!(is_close_signal("не надо больше, закрывай"));
    }
}
