//! What an answer of the pilot does. An unknown or closed question changes nothing.

use super::super::escalation::is_close_signal;
use super::super::gate::{self, GateAnswer};
use super::super::meta::{Decision, ResultClass};
use super::super::phase::{Phase, Wait, more, next_exchange, phase};
use super::super::secret::Clearance;
use super::super::state::Session;
use super::{ended, implement, interrupt, pipeline, record, reflected};
use crate::domain::effect::{Call, Consent, Effect};
use crate::domain::fact::Fact;
use crate::domain::policy::{Policy, ReflectionPolicy};
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::permission;
use crate::domain::time::Stamp;

pub fn answered(s: &Session, policy: &Policy, now: Stamp, question: &str, text: &str) -> Vec<Effect> {
    let text = text.trim();
    // Any open escalation may be answered, not only the one the loop waits for (PC-445).
    if let Some(open) =
        s.escalations.iter().find(|e| e.is_open() && format!("escalation-{:02}", e.index) == question)
    {
        return match text.is_empty() {
            true => Vec::new(),
            false => record(Fact::EscalationAnswered { index: open.index, answer: text.to_string() }),
        };
    }
    if let Some(hunk) = pipeline::hunk(s, question) {
        return pipeline::decided(now, hunk, text);
    }
    if let Some((asked, call)) = permission(s, question) {
        return permission::read(asked, text)
            .map(|choice| permitted(asked, call, choice, true))
            .unwrap_or_default();
    }
    match phase(s) {
        Phase::Wait(wait) if wait.id() == question => to(s, policy, now, wait, text),
        _ => Vec::new(),
    }
}

/// The request of the running call that waits for the pilot.
pub(super) fn permission<'a>(s: &'a Session, question: &str) -> Option<(&'a Question, &'a Call)> {
    let asked = s.notes.asked.as_ref().filter(|q| q.kind == QuestionKind::Permission && q.id == question)?;
    Some((asked, s.live.running.as_ref()?))
}

pub(super) fn permitted(asked: &Question, call: &Call, choice: String, answered: bool) -> Vec<Effect> {
    let title = asked.text.lines().next().unwrap_or_default().to_string();
    let (question, call) = (asked.id.clone(), call.clone());
    let fact = Fact::Permitted { question, call, choice: choice.clone(), title, answered };
    // Recorded before it is told: an agent never does what nobody can find out later.
    vec![Effect::Record(fact), Effect::Permit { choice }]
}

fn to(s: &Session, policy: &Policy, now: Stamp, wait: Wait, text: &str) -> Vec<Effect> {
    let word = text.to_lowercase();
    match wait {
        Wait::Escalation(_) | Wait::Dispute(_) => Vec::new(),
        Wait::PeerRetry | Wait::WriterRetry => match Word::of(&word) {
            Some(Word::Retry) => record(Fact::Retried),
            Some(Word::Abort) => interrupt(s, now),
            _ => Vec::new(),
        },
        Wait::Secret { .. } => secret(s, now, text),
        Wait::Clarify { vendor, k } if !text.is_empty() => {
            record(Fact::Clarified { vendor, k, answer: text.to_string() })
        }
        Wait::Participants => match Word::of(&word) {
            Some(Word::Retry) => record(Fact::Reactivated { vendors: s.meta.failed.clone() }),
            Some(Word::Abort) => interrupt(s, now),
            Some(Word::Close) => record(Fact::LoopEnded { class: ResultClass::NotAgreed, majority: false }),
            _ => Vec::new(),
        },
        Wait::Reserved(turn) if !text.is_empty() => {
            record(Fact::ReservedAnswered { turn, answer: text.to_string() })
        }
        Wait::Gate => match gate::read_answer(text) {
            Some(GateAnswer::Record) => record(Fact::GateClosed { decision: Decision::Record, close: false }),
            Some(GateAnswer::RecordAndClose) => {
                record(Fact::GateClosed { decision: Decision::Record, close: true })
            }
            Some(GateAnswer::Implement) => implement(s, policy, Decision::Implement),
            None => Vec::new(),
        },
        Wait::Close => close(s, text),
        Wait::Reflection if text.is_empty() => record(Fact::Reflected { answer: ReflectionPolicy::Skip }),
        Wait::Reflection => reflected(s, text.to_string()),
        Wait::Commit => match Word::of(&word) {
            Some(Word::Retry) => {
                vec![Effect::Commit { consent: Some(Consent { commit: true, push: false }) }]
            }
            Some(Word::Push) => vec![Effect::Commit { consent: Some(Consent { commit: true, push: true }) }],
            Some(Word::Abort | Word::Close) => {
                let notes = vec!["left uncommitted by the pilot".to_string()];
                record(Fact::Committed { sha: None, pushed: false, notes })
            }
            None => Vec::new(),
        },
        Wait::Budget => budget(s, now, &word),
        Wait::Clarify { .. } | Wait::Reserved(_) => Vec::new(),
        wait => pipeline::answered(s, now, &wait, text),
    }
}

/// The rules of a failed call go on from an aborted one: a skip in a round, else the question of PC-255 or PC-294.
fn secret(s: &Session, now: Stamp, text: &str) -> Vec<Effect> {
    let (Some(withheld), Some(how)) = (&s.notes.withheld, Clearance::read(text)) else { return Vec::new() };
    let marks = withheld.finds.iter().map(|find| find.mark.clone()).collect();
    let mut effects = record(Fact::Cleared { marks, how });
    if how == Clearance::Abort {
        effects.extend(ended::aborted(s, now, withheld.call.clone()));
    }
    effects
}

/// The words that retry questions understand, in both languages.
pub(super) enum Word {
    Retry,
    Abort,
    Close,
    Push,
}

impl Word {
    pub(super) fn of(text: &str) -> Option<Word> {
        match text.trim_end_matches(['.', '!']) {
            "retry" | "r" | "yes" | "y" | "again" | "reactivate" | "continue" | "повторить" | "повтори"
            | "да" => Some(Word::Retry),
            "abort" | "a" | "interrupt" | "прервать" | "прерви" | "skip" | "no" | "n" | "нет" => {
                Some(Word::Abort)
            }
            "push" | "p" => Some(Word::Push),
            "close" | "c" | "закрыть" | "закрой" => Some(Word::Close),
            _ => None,
        }
    }
}

/// As much again, no limit any more, or the end for now.
fn budget(s: &Session, now: Stamp, word: &str) -> Vec<Effect> {
    let spent = s.notes.spent.clone();
    match word.trim_end_matches(['.', '!']) {
        "raise" | "r" | "yes" | "y" | "поднять" | "подними" | "да" => {
            let budget = s.notes.budget.map(|budget| budget.raised(&spent));
            record(Fact::Budgeted { budget, spent })
        }
        "off" | "o" | "снять" | "сними" => record(Fact::Budgeted { budget: None, spent }),
        "abort" | "a" | "interrupt" | "прервать" | "прерви" => interrupt(s, now),
        _ => Vec::new(),
    }
}

/// PC-612, PC-613, PC-618: a close signal, or the reason of an extension.
fn close(s: &Session, text: &str) -> Vec<Effect> {
    let extend = ["extend", "продлить", "дозакрытие"].iter().find_map(|word| {
        let head = text.get(..word.len())?;
        let rest = &text[word.len()..];
        // "Extended tests are missing" is a reason as it stands.
        (head.to_lowercase() == *word && !rest.starts_with(char::is_alphanumeric))
            .then(|| rest.trim_start_matches([':', ' ', '—', '-', ',']).trim())
    });
    if extend.is_none() && (is_close_signal(text) || text.eq_ignore_ascii_case("c")) {
        return record(Fact::CloseSignalled);
    }
    let reason = extend.unwrap_or(text);
    if reason.is_empty() {
        return Vec::new();
    }
    let from = next_exchange(s);
    let (mut turns, mut rounds) = (s.meta.turns_limit, s.meta.rounds_limit);
    let limit = if s.is_round_loop() { &mut rounds } else { &mut turns };
    let mut effects = Vec::new();
    if from > *limit {
        *limit = from - 1 + more("");
        effects.push(Effect::Record(Fact::LimitsRaised { turns_limit: turns, rounds_limit: rounds }));
    }
    effects.push(Effect::Record(Fact::Extended { reason: reason.to_string(), from }));
    effects
}
