//! What the ends of an implementation's steps mean, and what the pilot's answers about them do (group U).

use super::answered::Word;
use super::record;
use crate::domain::effect::{Call, Effect, Purpose};
use crate::domain::fact::Fact;
use crate::domain::input::CallResult;
use crate::domain::policy::{FindingsPolicy, Policy};
use crate::domain::session::escalation::Escalation;
use crate::domain::session::phase::{DEPLOYMENT, Phase, Wait, phase};
use crate::domain::session::pipeline::change::{Edit, ReservedEdit, Tree};
use crate::domain::session::pipeline::content::{self, Decision, Mark, Record};
use crate::domain::session::pipeline::track::{REVIEWS, Track, Way, Wish};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::domain::session::pipeline::{finding, say};
use crate::domain::session::state::Session;
use crate::domain::time::Stamp;

/// A step ended; `None` when the result is none of ours.
pub fn ended(s: &Session, now: Stamp, call: &Call, result: &CallResult) -> Option<Vec<Effect>> {
    Some(match result {
        CallResult::Isolated(trees) => record(Fact::Isolated { trees: trees.clone() }),
        CallResult::Edited { edit, report, moved, outside } => {
            let mut effects = edited(s, edit, report, moved);
            if !outside.is_empty() {
                let text = say::changed_outside(s.meta.lang(), outside);
                effects.push(Effect::Record(Fact::Noted { text }));
            }
            effects
        }
        CallResult::Reviewed(text) => reviewed(call, text),
        CallResult::Verified { verdict, text } => {
            record(Fact::Verified { number: call.round, verdict: *verdict, text: text.clone() })
        }
        CallResult::Deployment { deployed, refusal, used, result } => {
            let used = used.iter().cloned().map(|r| Record { ts: now.to_string(), ..r });
            record(Fact::Deployment {
                deployed: deployed.clone(),
                refusal: refusal.clone(),
                used: used.collect(),
                result: result.clone(),
            })
        }
        CallResult::Cleaned(kept) => record(Fact::Cleaned { kept: kept.clone() }),
        // Trees that could not be removed must not keep a session from its report.
        CallResult::Failed { detail, .. } if call.purpose == Purpose::Clean => {
            record(Fact::Cleaned { kept: vec![detail.clone()] })
        }
        _ => return None,
    })
}

/// What was claimed and what is there are shown side by side (PC-512).
fn edited(s: &Session, edit: &Edit, report: &str, moved: &[Tree]) -> Vec<Effect> {
    let lang = s.meta.lang();
    let fact = Fact::Edited { edit: edit.clone(), report: report.to_string(), moved: moved.to_vec() };
    let mut effects = record(fact);
    let mut note = |text: String| effects.push(Effect::Record(Fact::Noted { text }));
    if !edit.missing.is_empty() {
        note(say::claimed_not_changed(lang, &edit.missing));
    }
    if !edit.unclaimed.is_empty() {
        note(say::changed_not_claimed(lang, &edit.unclaimed));
    }
    effects
}

/// PC-522: what is no review is asked for once more.
fn reviewed(call: &Call, text: &str) -> Vec<Effect> {
    let number = call.round;
    if finding::read(number, text).usable {
        return record(Fact::Reviewed { number, text: text.to_string() });
    }
    if call.complaints.is_empty() {
        let complaints = vec!["none of the four headings".to_string()];
        return vec![Effect::Call(Call { attempt: call.attempt + 1, complaints, ..call.clone() })];
    }
    record(Fact::ReviewUnusable { number, text: text.to_string() })
}

/// Answers that were given beforehand (`--findings`).
pub fn beforehand(s: &Session, policy: &Policy, wait: &Wait) -> Vec<Effect> {
    match (wait, policy.findings) {
        (Wait::Findings(n), FindingsPolicy::Now) => findings(s, *n, true),
        (Wait::Findings(n), FindingsPolicy::After) => findings(s, *n, false),
        _ => Vec::new(),
    }
}

/// The hunk that a question is about, if it waits: any may be answered, not only the first.
pub fn hunk(s: &Session, question: &str) -> Option<(u32, ReservedEdit, u32)> {
    if !matches!(phase(s), Phase::Wait(Wait::Content { .. })) {
        return None;
    }
    let edit = s.notes.track.as_ref()?.edit.as_ref()?;
    let content::Due::Decide(open) = content::due(&s.gate_log, edit) else { return None };
    let named = |(file, hunk): &(usize, u32)| {
        Wait::Content { edit: edit.number, file: *file as u32 + 1, hunk: *hunk }.id() == question
    };
    open.into_iter().find(named).map(|(file, hunk)| (edit.number, edit.reserved[file].clone(), hunk))
}

/// PC-503: yes or no to this hunk alone. Anything else is a rule of the pilot's: it is applied by another edit, whose
/// result is shown again before it counts (PC-504).
pub fn decided(now: Stamp, (number, edit, hunk): (u32, ReservedEdit, u32), text: &str) -> Vec<Effect> {
    let decision = match text.to_lowercase().trim_end_matches(['.', '!']) {
        "" => return Vec::new(),
        "y" | "yes" | "approve" | "approved" | "да" | "д" | "одобрить" => Decision::Approve,
        "n" | "no" | "reject" | "rejected" | "нет" | "н" | "отклонить" => Decision::Reject,
        _ => {
            let text = format!("{}: {text}", edit.label());
            let wish = Wish { from: "pilot".into(), pinpoint: false };
            return vec![Effect::Record(Fact::Directed { text }), Effect::Record(Fact::FixWanted { wish })];
        }
    };
    let lines = edit.hunks.get(hunk as usize - 1).map(|h| h.lines()).unwrap_or_default();
    let marks = vec![Mark { id: hunk, lines, decision }];
    record(Fact::ContentDecided { record: Record::new(now.to_string(), number, &edit, marks) })
}

/// An answer to one of the track's other questions. A word that the question does not know changes nothing.
pub fn answered(s: &Session, now: Stamp, wait: &Wait, text: &str) -> Vec<Effect> {
    let (first, rest) = split(text);
    let word = Word::of(&first);
    match wait {
        Wait::Findings(n) => match first.as_str() {
            "now" | "fix" | "сейчас" | "исправить" | "исправь" => findings(s, *n, true),
            "after" | "later" | "после" | "потом" => findings(s, *n, false),
            _ => Vec::new(),
        },
        Wait::Review(n) => match (&word, first.as_str()) {
            (Some(Word::Retry), _) => record(Fact::StepAgain),
            (_, "without" | "без") => unreviewed(s, *n),
            (_, "escalate" | "эскалировать") => {
                escalate(s, now, format!("review-{n:02}.md"), &format!("review {n} gave no usable review"))
            }
            _ => Vec::new(),
        },
        Wait::Verify(n) => verify(s, now, *n, word, &first, rest),
        Wait::Deploy => match (&word, first.as_str()) {
            (Some(Word::Retry), _) => record(Fact::DeployAnswered { way: Way::Again }),
            (_, "rebase" | "renew" | "перебазировать" | "обновить") => {
                record(Fact::DeployAnswered { way: Way::Renew })
            }
            (_, "keep" | "stop" | "оставить" | "стоп") => {
                record(Fact::DeployAnswered { way: Way::End })
            }
            (_, "escalate" | "эскалировать") => {
                let refusal = track(s).refused.map(|r| r.text).unwrap_or_default();
                escalate(s, now, DEPLOYMENT.into(), &refusal)
            }
            _ => Vec::new(),
        },
        Wait::Unchanged(_) => match (&word, first.as_str()) {
            (Some(Word::Retry), _) | (_, "fix" | "исправить") => fix("pilot", false, rest),
            (_, "stop" | "стоп") => end("the implementation changed nothing".into()),
            _ => Vec::new(),
        },
        Wait::ImplementRetry => match (&word, first.as_str()) {
            (Some(Word::Retry), _) => record(Fact::Retried),
            (_, "stop" | "стоп") => {
                let failed = s.notes.failed_call.as_ref();
                end(failed.map(|f| format!("{}: {}", f.reason, f.detail)).unwrap_or_default())
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// T27. What failed cannot be deployed; what could not be run only by the word for it.
fn verify(s: &Session, now: Stamp, n: u32, word: Option<Word>, first: &str, rest: &str) -> Vec<Effect> {
    let file = format!("verify-{n:02}.md");
    let failed = s.verifies.last().is_some_and(|v| v.verdict == Verdict::Fail);
    match (word, first) {
        (Some(Word::Retry), _) => record(Fact::StepAgain),
        (_, "fix" | "исправить" | "исправь") => fix(&file, false, rest),
        (_, "pinpoint" | "точечно") => fix(&file, true, rest),
        (_, "unverified" | "непроверено") if !failed => record(Fact::Unverified),
        (_, "escalate" | "эскалировать") => {
            let why = if failed { "the verification failed" } else { "nothing could be verified" };
            escalate(s, now, file, why)
        }
        (_, "stop" | "стоп") => end(if failed { "FAIL".into() } else { "not verified".into() }),
        _ => Vec::new(),
    }
}

/// PC-525: the counts are recorded when the pilot puts the findings off; fixed ones get another review while there is
/// one left.
fn findings(s: &Session, number: u32, now: bool) -> Vec<Effect> {
    let Some(review) = s.reviews.iter().find(|r| r.number == number) else { return Vec::new() };
    let iterations = track(s).reviews(number as usize);
    let settled = |unresolved| Effect::Record(Fact::ReviewSettled { number, iterations, unresolved });
    if !now {
        return vec![settled(review.lesser())];
    }
    let last = iterations >= REVIEWS;
    let mut effects: Vec<Effect> = last.then(|| settled(0)).into_iter().collect();
    effects.extend(fix(&format!("review-{number:02}.md"), last, ""));
    effects
}

/// The pilot goes on without a usable review; the note says so.
fn unreviewed(s: &Session, number: u32) -> Vec<Effect> {
    let text = say::unreviewed(s.meta.lang()).to_string();
    let iterations = track(s).reviews(number as usize).saturating_sub(1);
    vec![
        Effect::Record(Fact::Noted { text }),
        Effect::Record(Fact::ReviewSettled { number, iterations, unresolved: 0 }),
    ]
}

fn fix(from: &str, pinpoint: bool, direction: &str) -> Vec<Effect> {
    let wish = Wish { from: from.to_string(), pinpoint };
    let direction = direction.trim_start_matches([':', '-', ',']).trim();
    let said =
        (!direction.is_empty()).then(|| Effect::Record(Fact::Directed { text: direction.to_string() }));
    said.into_iter().chain([Effect::Record(Fact::FixWanted { wish })]).collect()
}

fn end(why: String) -> Vec<Effect> {
    record(Fact::PipelineEnded { why })
}

fn escalate(s: &Session, now: Stamp, source: String, reason: &str) -> Vec<Effect> {
    let mut escalation = Escalation::next(&s.escalations, s.meta.turns_count, reason, source);
    escalation.timestamp = now.to_string();
    record(Fact::Escalated { escalation })
}

fn track(s: &Session) -> Track {
    s.notes.track.clone().unwrap_or_default()
}

/// The first word in lower case, and what follows it.
fn split(text: &str) -> (String, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    (text[..end].to_lowercase(), &text[end..])
}
