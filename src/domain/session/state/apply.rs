//! What the facts of an implementation (group U) change.

use super::Session;
use crate::domain::fact::Fact;
use crate::domain::session::escalation::Escalation;
use crate::domain::session::phase::DEPLOYMENT;
use crate::domain::session::pipeline::track::Track;
use crate::domain::session::pipeline::verdict::{self, Verification};
use crate::domain::session::pipeline::{finding, track};

/// The track of an implementation that was just decided on.
pub fn begun(s: &Session) -> Track {
    Track {
        reviews_before: s.reviews.last().map_or(0, |r| r.number),
        verifies_before: s.verifies.last().map_or(0, |v| v.number),
        ..Track::default()
    }
}

/// A refused deployment learns which escalation it became.
pub fn escalated(s: &mut Session, escalation: &Escalation) {
    let refused = s.notes.track.as_mut().and_then(|t| t.refused.as_mut());
    if let Some(refusal) = refused.filter(|_| escalation.source == DEPLOYMENT) {
        refusal.escalation = Some(escalation.index);
    }
}

pub fn pipeline(s: &mut Session, fact: &Fact) {
    let given = s.live.given;
    let track = s.notes.track.get_or_insert_default();
    match fact {
        Fact::Isolated { trees } => {
            track.trees = trees.clone();
            settled(s);
        }
        Fact::Announced { labels, .. } => track.announced.extend(labels.iter().cloned()),
        Fact::Edited { edit, moved, .. } => {
            if !moved.is_empty() {
                track.trees = moved.clone();
            }
            track.edit = Some(edit.clone());
            track.wish = None;
            track.unverified = false;
            track.refused = None;
            s.notes.directions.drain(..given.min(s.notes.directions.len()));
            s.live.given = 0;
            s.notes.asked = None;
            settled(s);
        }
        Fact::ContentShown { record } => s.gate_log.push(record.clone()),
        Fact::ContentDecided { record } => {
            s.gate_log.push(record.clone());
            s.notes.asked = None;
        }
        Fact::Reviewed { number, text } => {
            track.unusable = None;
            s.reviews.retain(|r| r.number != *number);
            s.reviews.push(finding::read(*number, text));
            s.reviews.sort_by_key(|r| r.number);
            settled(s);
        }
        Fact::ReviewUnusable { number, .. } => {
            track.unusable = Some(*number);
            settled(s);
        }
        Fact::ReviewSettled { number, iterations, unresolved } => {
            track.settled = *number;
            track.unusable = None;
            s.meta.review_iterations = *iterations;
            s.meta.unresolved = (*unresolved > 0).then_some(*unresolved);
            s.notes.asked = None;
        }
        Fact::FixWanted { wish } => {
            track.wish = Some(wish.clone());
            track.unusable = None;
            s.notes.asked = None;
            settled(s);
        }
        Fact::StepAgain => {
            track.unusable = None;
            if let Some(edit) = &mut track.edit {
                edit.verifies = s.verifies.last().map_or(0, |v| v.number);
            }
            s.notes.asked = None;
        }
        Fact::Verified { number, verdict, text } => {
            s.meta.verify_status = verdict.status().into();
            s.verifies.retain(|v| v.number != *number);
            s.verifies.push(Verification { number: *number, verdict: *verdict, by: verdict::by(text) });
            s.verifies.sort_by_key(|v| v.number);
            s.notes.asked = None;
            settled(s);
        }
        Fact::Unverified => {
            track.unverified = true;
            s.notes.asked = None;
        }
        Fact::Deployment { deployed, refusal, used, result } => {
            if !deployed.is_empty() {
                s.meta.result_path = result.clone();
            }
            track.deployed = deployed.clone();
            track.refused = refusal.clone();
            s.gate_log.extend(used.iter().cloned());
            let commits = deployed.iter().filter(|d| d.sha != track::COPIED);
            let shas: Vec<(String, String)> = commits.map(|d| (d.repo.clone(), d.sha.clone())).collect();
            for (repo, sha) in shas {
                s.meta.deploy_shas.retain(|(name, _)| *name != repo);
                s.meta.deploy_shas.push((repo, sha));
            }
            settled(s);
        }
        Fact::DeployAnswered { way } => {
            if let Some(refusal) = &mut track.refused {
                refusal.way = Some(*way);
            }
            s.notes.asked = None;
        }
        Fact::PipelineEnded { why } => {
            track.ended = Some(why.clone());
            s.notes.asked = None;
            settled(s);
        }
        Fact::OutcomeWritten { .. } => {
            track.done = true;
            s.has_outcome = true;
        }
        Fact::Cleaned { .. } => {
            track.cleaned = true;
            settled(s);
        }
        _ => {}
    }
}

/// A step came to its end: what failed before it is over.
fn settled(s: &mut Session) {
    s.notes.failed_call = None;
    s.notes.tries = 0;
}
