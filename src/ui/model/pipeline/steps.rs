//! The steps of an implementation as a track: what is behind, what runs or waits, what is to come.

use crate::domain::effect::Purpose;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::phase::{DEPLOYMENT, Phase, Wait, is_implementing, phase};
use crate::domain::session::pipeline::content;
use crate::domain::session::pipeline::finding::Severity;
use crate::domain::session::pipeline::track::{REVIEWS, Track};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::domain::session::state::Session;
use crate::domain::time::Stamp;
use crate::ui::model::watched::Watched;
use crate::ui::theme::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Done,
    Running(Stamp),
    Waits,
    /// It failed and waits for the pilot.
    Failed,
    /// Next, and nobody is at it.
    Due,
    NotYet,
    /// The implementation ended without it.
    Left,
}

impl State {
    pub fn shown(self, lang: Lang) -> (&'static str, &'static str, Role) {
        match self {
            State::Done => ("✓", lang.pick("done", "готово"), Role::Done),
            State::Running(_) => ("●", lang.pick("running", "идёт"), Role::Running),
            State::Waits => ("!", lang.pick("waits for you", "ждёт тебя"), Role::Waiting),
            State::Failed => ("✗", lang.pick("failed", "не прошло"), Role::Failed),
            State::Due => ("◌", lang.pick("next", "на очереди"), Role::Text),
            State::NotYet => ("○", lang.pick("not yet", "ещё нет"), Role::Muted),
            State::Left => ("–", lang.pick("left out", "не было"), Role::Muted),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub name: &'static str,
    pub state: State,
    /// `2/3`, `FAIL`; empty when there is nothing to say.
    pub detail: String,
}

pub const STEPS: usize = 7;
const ISOLATE: usize = 0;
const EDIT: usize = 1;
const CONTENT: usize = 2;
const REVIEW: usize = 3;
const VERIFY: usize = 4;
const DEPLOY: usize = 5;
const OUTCOME: usize = 6;

/// True when there is or was an implementation to look at.
pub fn is_there(s: &Session) -> bool {
    is_implementing(s) || s.notes.track.is_some() || s.has_outcome || !s.meta.deploy_shas.is_empty()
}

/// The track, and which of its steps is the current one.
pub fn steps(w: &Watched, lang: Lang) -> (Vec<Step>, Option<usize>) {
    let s = w.session();
    let blank = Track::default();
    let track = s.notes.track.as_ref().unwrap_or(&blank);
    let here = current(w);
    let at = here.map(|(at, _)| at);
    let all = (0..STEPS)
        .map(|n| Step {
            name: name(n, lang),
            state: match here {
                Some((at, state)) if at == n => state,
                Some((at, _)) if n < at => behind(s, track, n),
                Some(_) => State::NotYet,
                None => over(s, track, n),
            },
            detail: match at {
                // What an earlier edit came to says nothing of this one.
                Some(at) if n > at && matches!(n, CONTENT | VERIFY) => String::new(),
                Some(EDIT) if n == EDIT && w.call.is_some() => {
                    track.edit.as_ref().map(|e| (e.number + 1).to_string()).unwrap_or_default()
                }
                _ => detail(s, track, n, lang),
            },
        })
        .collect();
    (all, at)
}

/// A few words for other screens: `implementing · review 2/3`.
pub fn hint(w: &Watched, lang: Lang) -> Option<String> {
    let s = w.session();
    if !is_implementing(s) {
        return None;
    }
    let (steps, at) = steps(w, lang);
    let step = &steps[at?];
    let detail = if step.detail.is_empty() { String::new() } else { format!(" {}", step.detail) };
    Some(format!("{} · {}{detail}", lang.pick("implementing", "реализация"), step.name))
}

fn name(step: usize, lang: Lang) -> &'static str {
    match step {
        ISOLATE => lang.pick("isolate", "изоляция"),
        EDIT => lang.pick("edit", "правка"),
        CONTENT => lang.pick("content gate", "одобрение"),
        REVIEW => lang.pick("review", "ревью"),
        VERIFY => lang.pick("verify", "проверка"),
        DEPLOY => lang.pick("deploy", "деплой"),
        _ => lang.pick("outcome", "итог"),
    }
}

fn of_purpose(purpose: Purpose) -> Option<usize> {
    Some(match purpose {
        Purpose::Isolate => ISOLATE,
        Purpose::Implement => EDIT,
        Purpose::Prune => CONTENT,
        Purpose::Review => REVIEW,
        Purpose::Verify => VERIFY,
        Purpose::Renew | Purpose::Deploy => DEPLOY,
        // Nothing of the result depends on it.
        Purpose::Clean => OUTCOME,
        _ => return None,
    })
}

/// Where the implementation stands, `None` when it is over.
fn current(w: &Watched) -> Option<(usize, State)> {
    let s = w.session();
    if !is_implementing(s) {
        return None;
    }
    if let Some((at, run)) = w.call.as_ref().and_then(|run| Some((of_purpose(run.call.purpose)?, run))) {
        return Some((at, State::Running(run.since)));
    }
    let failed = s.verifies.last().is_some_and(|v| v.verdict == Verdict::Fail);
    Some(match phase(s) {
        Phase::Job(purpose) => (of_purpose(purpose).unwrap_or(EDIT), State::Due),
        Phase::Review { .. } => (REVIEW, State::Due),
        Phase::Wait(wait) => match wait {
            Wait::Content { .. } => (CONTENT, State::Waits),
            Wait::Findings(_) => (REVIEW, State::Waits),
            Wait::Review(_) => (REVIEW, State::Failed),
            Wait::Verify(_) => (VERIFY, if failed { State::Failed } else { State::Waits }),
            Wait::Deploy => (DEPLOY, State::Failed),
            Wait::Escalation(n) => (escalated(s, n), State::Failed),
            Wait::ImplementRetry => {
                let failed = s.notes.failed_call.as_ref();
                (failed.and_then(|f| of_purpose(f.call.purpose)).unwrap_or(EDIT), State::Failed)
            }
            _ => (EDIT, State::Waits),
        },
        Phase::Due(fact) => match *fact {
            Fact::ContentShown { .. } => (CONTENT, State::Due),
            Fact::ReviewSettled { .. } => (REVIEW, State::Due),
            Fact::OutcomeWritten { .. } | Fact::PipelineEnded { .. } => (OUTCOME, State::Due),
            Fact::Escalated { escalation } => (of_source(&escalation.source), State::Failed),
            _ => (EDIT, State::Due),
        },
        _ => (EDIT, State::Due),
    })
}

fn escalated(s: &Session, index: u32) -> usize {
    s.escalations.iter().find(|e| e.index == index).map_or(EDIT, |e| of_source(&e.source))
}

fn of_source(source: &str) -> usize {
    match source {
        DEPLOYMENT => DEPLOY,
        source if source.starts_with("review-") => REVIEW,
        source if source.starts_with("verify-") => VERIFY,
        _ => EDIT,
    }
}

/// A step that the implementation has left behind; what was passed over is not done.
fn behind(s: &Session, track: &Track, step: usize) -> State {
    let done = match step {
        REVIEW => s.reviews.iter().any(|r| r.usable && r.number > track.reviews_before),
        VERIFY => s.verifies.last().is_some_and(|v| v.verdict == Verdict::Pass),
        _ => true,
    };
    if done { State::Done } else { State::Left }
}

/// What became of a step of an implementation that is over.
fn over(s: &Session, track: &Track, step: usize) -> State {
    let verdict = s.verifies.iter().rfind(|v| v.number > track.verifies_before).map(|v| v.verdict);
    let deployed = !track.deployed.is_empty() || !s.meta.deploy_shas.is_empty();
    let done = match step {
        ISOLATE => !track.trees.is_empty() || deployed,
        EDIT => track.edit.is_some() || deployed,
        CONTENT => {
            deployed
                || track.edit.as_ref().is_some_and(|e| content::due(&s.gate_log, e) == content::Due::Nothing)
        }
        REVIEW => track.settled > track.reviews_before || s.meta.review_iterations > 0,
        VERIFY => match verdict {
            Some(Verdict::Fail) => return State::Failed,
            verdict => verdict == Some(Verdict::Pass),
        },
        DEPLOY if track.ended.is_some() && track.refused.is_some() => return State::Failed,
        DEPLOY => deployed,
        _ => s.has_outcome,
    };
    if done { State::Done } else { State::Left }
}

fn detail(s: &Session, track: &Track, step: usize, lang: Lang) -> String {
    let edit = track.edit.as_ref();
    match step {
        EDIT => edit.map(|e| e.number.to_string()).unwrap_or_default(),
        CONTENT => {
            let decided = edit
                .into_iter()
                .flat_map(|e| e.reserved.iter().flat_map(|r| content::known(&s.gate_log, e.number, r)));
            let decided: Vec<Option<bool>> = decided.collect();
            match decided.iter().filter(|d| d.is_some()).count() {
                _ if decided.is_empty() => String::new(),
                some => format!("{some}/{}", decided.len()),
            }
        }
        REVIEW => {
            let last = s.reviews.iter().rfind(|r| r.usable && r.number > track.reviews_before);
            let count = track.reviews(last.map_or(track.reviews_before, |r| r.number) as usize);
            let mut text = if count > 0 { format!("{count}/{REVIEWS}") } else { String::new() };
            for severity in Severity::ALL {
                match last.map_or(0, |r| r.count(severity)) {
                    0 => {}
                    n => text.push_str(&format!(" {n} {}", severity.key())),
                }
            }
            text
        }
        VERIFY => {
            let last =
                s.verifies.iter().rfind(|v| v.number > edit.map_or(track.verifies_before, |e| e.verifies));
            let by = |by: &str| if by.is_empty() { String::new() } else { format!(" · {by}") };
            last.map(|v| format!("{}{}", v.verdict.key(), by(&v.by))).unwrap_or_default()
        }
        DEPLOY => {
            match track.deployed.len().max(if track.trees.is_empty() { s.meta.deploy_shas.len() } else { 0 })
            {
                0 => String::new(),
                n => {
                    let changed = |name: &str| edit.is_some_and(|e| e.of(name).next().is_some());
                    let all = track.trees.iter().filter(|t| changed(&t.name)).count().max(n);
                    format!("{n}/{all}")
                }
            }
        }
        OUTCOME if track.ended.is_some() => lang.pick("not deployed", "не развёрнуто").into(),
        _ => String::new(),
    }
}
