//! When to ring: once per question, after it has stood for two seconds, never while the pilot looks at its session
//! (ui.md rule 1). Questions that stand when the screen opens are on the screen; they do not ring.

use crate::domain::session::id::SessionId;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long a question stands before it rings: one that is answered at once disturbs nobody.
const STANDS: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Bell {
    /// Since then the question is known.
    Since(Duration),
    Rung,
}

/// The open questions, and which of them have rung.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attention {
    bells: BTreeMap<(SessionId, String), Bell>,
    began: bool,
}

impl Attention {
    /// Takes the questions that stand open now.
    pub fn see<'a>(&mut self, open: impl Iterator<Item = (&'a SessionId, &'a str)>, at: Duration) {
        let first = if self.began { Bell::Since(at) } else { Bell::Rung };
        let mut bells = BTreeMap::new();
        for (id, question) in open {
            let key = (id.clone(), question.to_string());
            let bell = self.bells.remove(&key).unwrap_or_else(|| first.clone());
            bells.insert(key, bell);
        }
        self.bells = bells;
        self.began = true;
    }

    /// The sessions whose questions ring now. `seen` is the session that the pilot looks at.
    pub fn due(&mut self, at: Duration, seen: Option<&SessionId>) -> Vec<SessionId> {
        let mut due = Vec::new();
        for ((id, _), bell) in &mut self.bells {
            if matches!(bell, Bell::Since(since) if *since + STANDS <= at) {
                *bell = Bell::Rung;
                if seen != Some(id) {
                    due.push(id.clone());
                }
            }
        }
        due
    }

    /// When the next bell is due.
    pub fn next(&self) -> Option<Duration> {
        let standing = |bell: &Bell| match bell {
            Bell::Since(since) => Some(*since + STANDS),
            Bell::Rung => None,
        };
        self.bells.values().filter_map(standing).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(slug: &str) -> SessionId {
        SessionId::new("2026-08-24", 1, slug).unwrap()
    }

    #[test]
    fn rule_1_a_question_rings_once_after_two_seconds() {
        let (a, b) = (id("a"), id("b"));
        let s = Duration::from_secs;
        let mut bells = Attention::default();
        bells.see([(&b, "gate")].into_iter(), s(0));
        assert_eq!(bells.next(), None, "what stands at the beginning does not ring");
        bells.see([(&b, "gate"), (&a, "escalation-00")].into_iter(), s(10));
        assert_eq!(bells.next(), Some(s(12)));
        assert_eq!(bells.due(s(11), None), []);
        assert_eq!(bells.due(s(12), None), std::slice::from_ref(&a));
        assert_eq!((bells.due(s(20), None), bells.next()), (vec![], None));
        // Answered, and asked again: a new question.
        bells.see([(&b, "gate")].into_iter(), s(21));
        bells.see([(&b, "gate"), (&a, "escalation-00")].into_iter(), s(22));
        assert_eq!(bells.due(s(24), Some(&a)), [], "never while its session is in view");
        assert_eq!(bells.due(s(30), None), []);
    }

    #[test]
    fn rule_1_a_question_answered_within_two_seconds_disturbs_nobody() {
        let a = id("a");
        let mut bells = Attention::default();
        bells.see(std::iter::empty(), Duration::ZERO);
        bells.see([(&a, "gate")].into_iter(), Duration::from_secs(1));
        bells.see(std::iter::empty(), Duration::from_secs(2));
        assert_eq!(bells.due(Duration::from_secs(9), None), []);
    }
}
