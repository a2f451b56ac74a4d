//! The questions that stand open, from the session alone.

use super::ask;
use super::compose::{self, Refused};
use super::desk::Desk;
use crate::agents::registry::Kind;
use crate::domain::effect::{Call, Effect, Purpose};
use crate::domain::input::Input;
use crate::domain::policy::{Implementable, Policy};
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::decide::decide;
use crate::domain::session::phase::{Phase, Wait, escalation_wait, phase};
use crate::domain::session::pipeline::content;
use crate::domain::session::state::Session;
use crate::domain::time::Stamp;
use crate::store::lock::EngineLock;

/// Every open question. All open escalations count, not only the one the loop waits for (PC-445).
pub fn open_questions(s: &Session, desk: &Desk) -> Vec<Question> {
    let since = last_change(s);
    let implementable = desk.implementable(s);
    // It stands as long as the agent that asked runs.
    if let Some(asked) = s.notes.asked.as_ref().filter(|q| q.kind == QuestionKind::Permission)
        && EngineLock::holder(&desk.runtime(&s.meta.session_id)).is_some()
    {
        return vec![asked.clone()];
    }
    let asked = |wait: &Wait| ask::question(s, wait, &implementable, since);
    let Phase::Wait(wait) = phase(s) else {
        return hand_written(s, desk)
            .map(|call| vec![known(s, ask::turn(s, &call, since))])
            .unwrap_or_default();
    };
    if matches!(wait, Wait::Escalation(_) | Wait::Dispute(_)) {
        let open = s.escalations.iter().filter(|e| e.is_open());
        return open.map(|e| asked(&escalation_wait(s, e))).collect();
    }
    if matches!(wait, Wait::Content { .. }) {
        return content(s, since);
    }
    vec![known(s, asked(&wait))]
}

/// The questions of a session that runs here: the one it waits for, and every hunk that stands open beside it.
pub fn standing(s: &Session) -> Vec<Question> {
    match &s.notes.asked {
        Some(asked) if asked.kind == QuestionKind::Content => content(s, asked.since),
        asked => asked.clone().into_iter().collect(),
    }
}

/// Every open hunk is a question of its own (PC-503), since it was shown.
fn content(s: &Session, since: Stamp) -> Vec<Question> {
    let Some(edit) = s.notes.track.as_ref().and_then(|t| t.edit.as_ref()) else { return Vec::new() };
    let shown = |file: usize| {
        let label = edit.reserved.get(file).map(|e| e.label())?;
        let record = s.gate_log.iter().find(|r| r.edit == edit.number && r.path == label)?;
        Stamp::parse(&record.ts)
    };
    let open = hunks(s).into_iter();
    open.map(|(file, hunk)| {
        let wait = Wait::Content { edit: edit.number, file: file as u32 + 1, hunk };
        ask::question(s, &wait, &Implementable::default(), shown(file).unwrap_or(since))
    })
    .collect()
}

/// The hunks that wait: file from 0, hunk from 1.
fn hunks(s: &Session) -> Vec<(usize, u32)> {
    let edit = s.notes.track.as_ref().and_then(|t| t.edit.as_ref());
    match edit.map(|edit| content::due(&s.gate_log, edit)) {
        Some(content::Due::Decide(open)) => open,
        _ => Vec::new(),
    }
}

/// The question as it was asked, when it was: its time is kept in the notes.
fn known(s: &Session, question: Question) -> Question {
    match &s.notes.asked {
        Some(asked) if asked.id == question.id => Question { since: asked.since, ..question },
        _ => question,
    }
}

/// The writer's turn that is due while the pilot writes by hand.
pub fn hand_written(s: &Session, desk: &Desk) -> Option<Call> {
    // In a rehearsal nobody writes by hand, and the story need not be read to know that.
    if s.notes.rehearsal.is_some() || desk.writer(s).ok()?.kind != Kind::Pilot {
        return None;
    }
    let effects = decide(s, &Policy::default(), Stamp::default(), Input::Go);
    effects.into_iter().find_map(|e| match e {
        Effect::Call(call) if matches!(call.purpose, Purpose::Opening | Purpose::Turn) => Some(call),
        _ => None,
    })
}

fn last_change(s: &Session) -> Stamp {
    // What a peer says about the time is a claim; the writer's turns carry ours.
    let ours = s.turns.iter().filter(|t| t.name.is_writer());
    let spoken = ours.filter_map(|t| Stamp::parse(&t.head.as_ref().ok()?.timestamp)).max();
    spoken.or_else(|| Stamp::parse(&s.meta.start_time)).unwrap_or_default()
}

/// True when the call is one that the pilot writes.
pub fn is_hand_written(runner: &super::runner::Runner, call: &Call) -> bool {
    matches!(compose::ready(runner, call), Err(Refused::Pilot))
}
