//! Where an implementation stands (T19 to T29, rule D12), from the session's files and the engine's memory of its trees.

use super::{Phase, Wait, due};
use crate::domain::effect::Purpose;
use crate::domain::fact::Fact;
use crate::domain::session::escalation::Escalation;
use crate::domain::session::pipeline::announce;
use crate::domain::session::pipeline::change::{Edit, FileChange};
use crate::domain::session::pipeline::content::{self, Decision, Mark, Record};
use crate::domain::session::pipeline::finding::{Review, Severity};
use crate::domain::session::pipeline::outcome::{self, Outcome};
use crate::domain::session::pipeline::track::{Deployed, REVIEWS, Refusal, Stop, Track, Way, Wish};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::domain::session::state::Session;

/// `source` of an escalation that a refused commit or push became.
pub const DEPLOYMENT: &str = "deploy";

/// The implementation is decided on, and something of it is left to do.
pub fn is_running(s: &Session) -> bool {
    let implements = s.meta.engine_decision.is_some_and(|d| d.implements());
    let done = s.notes.track.as_ref().map_or(s.has_outcome, |t| t.done && (t.cleaned || t.trees.is_empty()));
    s.meta.implementation_pipeline && implements && !done
}

pub fn pipeline(s: &Session) -> Phase {
    let blank = Track::default();
    let track = s.notes.track.as_ref().unwrap_or(&blank);
    if track.done {
        return Phase::Job(Purpose::Clean);
    }
    // The engine's memory is lost, but it had deployed: what is missing is the outcome.
    let forgotten = track.trees.is_empty() && !s.meta.deploy_shas.is_empty() && track.reviews_before == 0;
    if track.ended.is_some() || forgotten || is_deployed(track) {
        return due(Fact::OutcomeWritten { text: text(s, track) });
    }
    if track.trees.is_empty() {
        return Phase::Job(Purpose::Isolate);
    }
    let Some(edit) = track.edit.as_ref().filter(|_| track.wish.is_none()) else { return Phase::Implement };
    if edit.files.is_empty() {
        return Phase::Wait(Wait::Unchanged(edit.number));
    }
    let labels = announce::fresh(edit, &track.announced);
    if !labels.is_empty() {
        let text = announce::text(s.meta.lang(), s.meta.session_id.as_str(), edit, &track.trees);
        return due(Fact::Announced { labels, text });
    }
    content_gate(s, edit)
        .or_else(|| review(s, track, edit))
        .or_else(|| remarks(s))
        .or_else(|| verify(s, track, edit))
        .unwrap_or_else(|| deploy(s, track))
}

/// Every repository with changes has its commit.
fn is_deployed(track: &Track) -> bool {
    let Some(edit) = &track.edit else { return false };
    let done = |f: &FileChange| track.deployed.iter().any(|d| d.repo == f.repo);
    track.refused.is_none() && !track.deployed.is_empty() && edit.files.iter().all(done)
}

fn content_gate(s: &Session, edit: &Edit) -> Option<Phase> {
    match content::due(&s.gate_log, edit) {
        content::Due::Nothing => None,
        content::Due::Prune => Some(Phase::Job(Purpose::Prune)),
        content::Due::Show(at) => {
            let shown = &edit.reserved[at];
            let marks = shown.hunks.iter().zip(1..).map(|(hunk, id)| Mark {
                id,
                lines: hunk.lines(),
                decision: Decision::Shown,
            });
            Some(due(Fact::ContentShown {
                record: Record::new(String::new(), edit.number, shown, marks.collect()),
            }))
        }
        content::Due::Decide(open) => {
            let (file, hunk) = *open.first()?;
            Some(Phase::Wait(Wait::Content { edit: edit.number, file: file as u32 + 1, hunk }))
        }
    }
}

/// T22 to T25. `None` when nothing of a review is left to do.
fn review(s: &Session, track: &Track, edit: &Edit) -> Option<Phase> {
    if edit.pinpoint {
        return None;
    }
    let last = s.reviews.last().filter(|r| r.number > edit.reviews && r.usable);
    let Some(review) = last else {
        let number = s.reviews.last().map_or(0, |r| r.number) + 1;
        return match track.unusable == Some(number) {
            _ if track.settled >= number => None,
            true => by_escalation(s, &file(number), |way| match way {
                Way::End => None,
                _ => Some(Phase::Review { number }),
            })
            .or(Some(Phase::Wait(Wait::Review(number)))),
            false => Some(Phase::Review { number }),
        };
    };
    if review.number <= track.settled {
        return None;
    }
    let source = file(review.number);
    let iterations = track.reviews(review.number as usize);
    if review.count(Severity::Critical) > 0 {
        let fix = || due(Fact::FixWanted { wish: Wish { from: source.clone(), pinpoint: false } });
        if iterations < REVIEWS {
            return Some(fix());
        }
        // After the third the pilot decides; his "fix" is worth one review more (T23).
        let answered = by_escalation(s, &source, |way| (way != Way::End).then(fix));
        return answered.or_else(|| Some(escalate(s, review.number, critical(review), source.clone())));
    }
    if review.lesser() > 0 {
        return Some(Phase::Wait(Wait::Findings(review.number)));
    }
    Some(due(Fact::ReviewSettled { number: review.number, iterations, unresolved: 0 }))
}

/// PC-524: the last review is named in the reason.
fn critical(review: &Review) -> String {
    let found = review.findings.iter().filter(|f| f.severity == Severity::Critical);
    let first = found.clone().next().map(|f| f.line()).unwrap_or_default();
    format!("{} Critical findings are left after {}: {first}", found.count(), file(review.number))
}

/// What the pilot said about a line after the edit goes into another one.
fn remarks(s: &Session) -> Option<Phase> {
    let from = || Wish { from: "pilot".into(), pinpoint: false };
    (!s.notes.directions.is_empty()).then(|| due(Fact::FixWanted { wish: from() }))
}

/// T26, T27.
fn verify(s: &Session, track: &Track, edit: &Edit) -> Option<Phase> {
    let last = s.verifies.last().filter(|v| v.number > edit.verifies);
    let Some(last) = last else { return Some(Phase::Job(Purpose::Verify)) };
    let source = format!("verify-{:02}.md", last.number);
    let wait = Phase::Wait(Wait::Verify(last.number));
    match last.verdict {
        Verdict::Pass => None,
        Verdict::NotRun if track.unverified => None,
        _ => by_escalation(s, &source, |way| match way {
            Way::End => None,
            Way::Again => Some(Phase::Job(Purpose::Verify)),
            _ => Some(due(Fact::FixWanted { wish: Wish { from: source.clone(), pinpoint: false } })),
        })
        .or(Some(wait)),
    }
}

/// T28, T29.
fn deploy(s: &Session, track: &Track) -> Phase {
    let Some(refusal) = &track.refused else { return Phase::Job(Purpose::Deploy) };
    let way = match refusal.escalation.and_then(|n| s.escalations.iter().find(|e| e.index == n)) {
        Some(answered) => Some(Way::of(&answered.response)),
        None => refusal.way,
    };
    match way {
        Some(Way::Again) => Phase::Job(Purpose::Deploy),
        Some(Way::Renew) => Phase::Job(Purpose::Renew),
        Some(Way::Fix) => due(Fact::FixWanted { wish: Wish { from: DEPLOYMENT.into(), pinpoint: false } }),
        Some(Way::End) => due(Fact::PipelineEnded { why: ended(s, refusal) }),
        None if matches!(refusal.kind, Stop::Commit | Stop::Push) => {
            let number = s.meta.turns_count;
            escalate(s, number, refusal.text.clone(), DEPLOYMENT.into())
        }
        None => Phase::Wait(Wait::Deploy),
    }
}

fn ended(s: &Session, refusal: &Refusal) -> String {
    let answer = refusal.escalation.and_then(|n| s.escalations.iter().find(|e| e.index == n));
    match answer {
        Some(e) => format!("{}: {} ({})", refusal.repo, refusal.text, e.response),
        None => format!("{}: {}", refusal.repo, refusal.text),
    }
}

fn file(number: u32) -> String {
    format!("review-{number:02}.md")
}

fn escalate(s: &Session, turn: u32, reason: String, source: String) -> Phase {
    due(Fact::Escalated { escalation: Escalation::next(&s.escalations, turn, &reason, source) })
}

/// What the answered escalation of this file leads to; `end` of the track when the way leads nowhere. `None` without
/// such an escalation.
fn by_escalation(s: &Session, source: &str, then: impl Fn(Way) -> Option<Phase>) -> Option<Phase> {
    let e: &Escalation = s.escalations.iter().rfind(|e| e.source == source)?;
    let answer = e.response.trim();
    Some(
        then(Way::of(answer))
            .unwrap_or_else(|| due(Fact::PipelineEnded { why: format!("{} ({answer})", e.reason) })),
    )
}

/// PC-546 from everything that is known.
fn text(s: &Session, track: &Track) -> String {
    let lang = s.meta.lang();
    let mut deployed = track.deployed.clone();
    if deployed.is_empty() && track.ended.is_none() {
        deployed = s.meta.deploy_shas.iter().map(|(repo, sha)| known(repo, sha)).collect();
    }
    let verifies: Vec<Verdict> =
        s.verifies.iter().filter(|v| v.number > track.verifies_before).map(|v| v.verdict).collect();
    let last = verifies.last().copied().unwrap_or(Verdict::NotRun);
    let reviews = track.reviews(s.reviews.last().map_or(0, |r| r.number) as usize);
    let review = s.reviews.last().filter(|r| r.number > track.reviews_before);
    let unresolved = match track.ended.is_some() {
        true => review.map_or(0, |r| r.lesser()),
        false => s.meta.unresolved.unwrap_or(0),
    };
    let critical = review.filter(|_| track.ended.is_some()).into_iter().flat_map(|r| &r.findings);
    let critical =
        critical.filter(|f| f.severity == Severity::Critical).map(|f| format!("Critical: {}", f.line()));
    let deferred = review.into_iter().flat_map(|r| &r.findings).filter(|_| unresolved > 0);
    let deferred = deferred.filter(|f| f.severity != Severity::Critical).map(|f| f.line());
    let open: Vec<String> = critical.chain(deferred).collect();
    outcome::render(
        &Outcome {
            files: track.edit.as_ref().map(|e| e.files.as_slice()).unwrap_or_default(),
            reviews,
            unresolved,
            verdict: last,
            by: s.verifies.last().filter(|v| v.number > track.verifies_before).map_or("", |v| v.by.as_str()),
            failures: verifies.iter().filter(|v| **v == Verdict::Fail).count() as u32,
            deployed: &deployed,
            ended: track.ended.as_deref(),
            open: &open,
        },
        lang,
    )
}

fn known(repo: &str, sha: &str) -> Deployed {
    Deployed { repo: repo.into(), sha: sha.into(), pushed: true, note: "taken from meta.yaml".into() }
}
