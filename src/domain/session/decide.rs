//! What the engine is told to do. Pure: no IO, no clock, no randomness.
//!
//! [`decide`] takes one step. The engine performs the effects in order and, when one of them recorded something, asks
//! again with [`Input::Go`], until nothing comes back: then a call runs, the pilot is waited for, or all is done.

mod answered;
mod ended;

use super::meta::{Decision, Status};
use super::phase::{Phase, Step, Wait, current_round, exchanges, phase};
use super::state::Session;
use super::turn::TurnName;
use crate::domain::effect::{Call, Effect, Purpose};
use crate::domain::fact::Fact;
use crate::domain::input::{Input, Override};
use crate::domain::policy::{DecisionPolicy, Policy, ReflectionPolicy};
use crate::domain::say::Say;
use crate::domain::session::gate::Defer;
use crate::domain::time::Stamp;

/// Sessions of at most this many minutes skip the reflection (PC-550).
const REFLECTION_AFTER: i64 = 15;

/// The next effects for this input; empty when there is nothing to do.
pub fn decide(s: &Session, policy: &Policy, now: Stamp, input: Input) -> Vec<Effect> {
    match input {
        Input::Go => go(s, policy, now),
        Input::Ended { call, result } if s.live.running.as_ref() == Some(&call) => {
            ended::ended(s, now, call, result)
        }
        Input::Ended { .. } => Vec::new(),
        Input::Answered { question, text } => answered::answered(s, now, &question, &text),
        Input::Directed { text } if !text.trim().is_empty() => record(Fact::Directed { text }),
        Input::Directed { .. } => Vec::new(),
        Input::CutIn { call, text, partial } if s.live.running.as_ref() == Some(&call) => {
            record(Fact::CutIn { call, text, partial })
        }
        Input::CutIn { .. } => Vec::new(),
        Input::Woke { question } => woke(s, &question),
        Input::Committed { sha, pushed, notes } => record(Fact::Committed { sha, pushed, notes }),
        Input::CommitRefused { text } => record(Fact::CommitRefused { text }),
        Input::Interrupt => interrupt(s, now),
        Input::Override { vendor, how } => overruled(s, vendor, how),
        Input::Reopen if s.meta.status == Status::Interrupted => record(Fact::Resumed),
        Input::Reopen => Vec::new(),
    }
}

/// PC-354, in the round-loop: there the rules count attempts and skip. What was spoken stays spoken: a peer that has
/// replied in this round is not called again, and nothing is overruled while a call runs.
fn overruled(s: &Session, vendor: String, how: Override) -> Vec<Effect> {
    if !s.is_round_loop() || s.peer(&vendor).is_none() || s.live.running.is_some() {
        return Vec::new();
    }
    let settled = s.roles_turn().is_some() || s.turns.iter().any(|t| t.name.number > 0);
    let round = if settled { current_round(s) } else { 0 };
    let spoken = s.has(&TurnName::peer_of(round, &vendor));
    let closed = round > 0 && s.has(&s.writer_name(round));
    match how {
        Override::Fail if !s.meta.is_failed(&vendor) => {
            record(Fact::Overruled { round, vendor, failed: true })
        }
        Override::Rerun if !spoken && !closed => record(Fact::Overruled { round, vendor, failed: false }),
        Override::Accept(turn) if !spoken && !closed && turn.name == TurnName::peer_of(round, &vendor) => {
            let again = Fact::Overruled { round, vendor, failed: false };
            vec![Effect::Record(again), Effect::Record(Fact::Spoke { turn })]
        }
        _ => Vec::new(),
    }
}

fn record(fact: Fact) -> Vec<Effect> {
    vec![Effect::Record(fact)]
}

fn go(s: &Session, policy: &Policy, now: Stamp) -> Vec<Effect> {
    if s.live.running.is_some() {
        return Vec::new();
    }
    match phase(s) {
        Phase::Due(fact) => record(stamped(*fact, now)),
        Phase::Finalize(step) => finalize(s, step, now),
        Phase::Wait(wait) => wait_or_answer(s, policy, now, &wait),
        Phase::Closed | Phase::Interrupted => Vec::new(),
        calling => vec![Effect::Call(call(s, &calling))],
    }
}

/// Escalations carry the time of their file, which only the caller knows.
fn stamped(fact: Fact, now: Stamp) -> Fact {
    match fact {
        Fact::Escalated { mut escalation } => {
            escalation.timestamp = now.to_string();
            Fact::Escalated { escalation }
        }
        other => other,
    }
}

/// The call that a calling phase wants.
fn call(s: &Session, phase: &Phase) -> Call {
    let (purpose, vendor, round, name) = match phase {
        Phase::WriterOpening => (Purpose::Opening, None, 0, Some(TurnName::writer(0))),
        Phase::Discovery { vendor } => {
            (Purpose::Discovery, Some(vendor.clone()), 0, Some(TurnName::peer_of(0, vendor)))
        }
        Phase::RolesWriter => (Purpose::Roles, None, 0, Some(TurnName::writer(1))),
        Phase::PeerCall { round, vendor, name } => {
            (Purpose::Peer, Some(vendor.clone()), *round, Some(name.clone()))
        }
        Phase::Judge { round, turn } => (Purpose::Judge, None, *round, Some(turn.clone())),
        Phase::WriterTurn { round, name } => (Purpose::Turn, None, *round, Some(name.clone())),
        Phase::Dispute { round } => (Purpose::Dispute, None, *round, None),
        Phase::Summary { at, .. } => (Purpose::Summary, None, *at, None),
        _ => {
            (Purpose::Synthesis, None, if s.is_round_loop() { current_round(s) } else { exchanges(s) }, None)
        }
    };
    let kept_aside = name.as_ref().map_or(0, |n| s.rejected_count(n));
    let complaints = match (&s.notes.rejection, &name, purpose) {
        (Some((n, k, detail)), Some(name), Purpose::Peer | Purpose::Discovery) if n == name => {
            let reason = s.rejected.iter().find(|r| r.name == *n && r.k == *k).map(|r| r.reason.to_string());
            reason.map(|r| vec![r, detail.clone()]).unwrap_or_default()
        }
        (None, Some(name), Purpose::Peer | Purpose::Discovery) if kept_aside > 0 => {
            let reason = s.rejected.iter().rfind(|r| r.name == *name).map(|r| r.reason.to_string());
            reason.map(|r| vec![r, String::new()]).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    Call { purpose, vendor, round, attempt: kept_aside + s.notes.tries + 1, name, complaints }
}

fn not_before_start(s: &Session, now: Stamp) -> Stamp {
    Stamp::parse(&s.meta.start_time).map_or(now, |start| now.max(start))
}

fn finalize(s: &Session, step: Step, now: Stamp) -> Vec<Effect> {
    match step {
        // A clock that was set back must not end a session before it began (PC-194).
        Step::End => record(Fact::Ended { end_time: not_before_start(s, now) }),
        Step::Publish => record(Fact::Published),
        Step::Complete => record(Fact::Completed),
        Step::Index => record(Fact::Indexed),
        Step::Closing => record(Fact::ClosingWritten { problem: None }),
        Step::Commit => vec![Effect::Commit { consent: None }],
    }
}

/// Answers that were given beforehand, timers, or nothing: then the engine asks the pilot.
fn wait_or_answer(s: &Session, policy: &Policy, now: Stamp, wait: &Wait) -> Vec<Effect> {
    match wait {
        Wait::Gate => gate(s, policy),
        Wait::Close if policy.close_auto => record(Fact::CloseSignalled),
        Wait::Reflection => reflection(s, policy, now),
        _ => Vec::new(),
    }
}

fn gate(s: &Session, policy: &Policy) -> Vec<Effect> {
    let defer = s.notes.summary.as_ref().map(|n| n.summary.defer).unwrap_or_default();
    let deferred = match defer {
        Defer::None => None,
        Defer::Wp => Some(Decision::DeferWp),
        Defer::Archgate => Some(Decision::DeferArchgate),
        Defer::Context => Some(Decision::DeferContext),
    };
    if let Some(decision) = deferred {
        let text = Say::GateDeferred { defer }.text(s.meta.lang());
        return vec![
            Effect::Record(Fact::Noted { text }),
            Effect::Record(Fact::GateClosed { decision, close: false }),
        ];
    }
    match (policy.decision, policy.gate_timeout) {
        (DecisionPolicy::Record, _) => record(Fact::GateClosed { decision: Decision::Record, close: false }),
        (DecisionPolicy::Implement, _) => not_implementable(s),
        (DecisionPolicy::Ask, Some(seconds)) => vec![Effect::Wake { question: Wait::Gate.id(), seconds }],
        (DecisionPolicy::Ask, None) => Vec::new(),
    }
}

/// PC-467: B was chosen, but nothing can implement it here.
fn not_implementable(s: &Session) -> Vec<Effect> {
    let reason = s.meta.lang().pick("no implementation backend is configured", "исполнитель не настроен");
    let text = Say::NotImplementable { reason }.text(s.meta.lang());
    let closed = Fact::GateClosed { decision: Decision::NotImplementable, close: false };
    vec![Effect::Record(Fact::Noted { text }), Effect::Record(closed)]
}

fn reflection(s: &Session, policy: &Policy, now: Stamp) -> Vec<Effect> {
    let minutes = Stamp::parse(&s.meta.start_time).map_or(0, |start| now.minutes_since(start));
    if minutes <= REFLECTION_AFTER {
        return record(Fact::Reflected { answer: ReflectionPolicy::Skip });
    }
    match &policy.reflection {
        ReflectionPolicy::Skip => record(Fact::Reflected { answer: ReflectionPolicy::Skip }),
        ReflectionPolicy::Text(text) => reflected(s, text.clone()),
        ReflectionPolicy::Ask if policy.headless => reflected(s, Say::NoResponse.text(s.meta.lang())),
        ReflectionPolicy::Ask => {
            vec![Effect::Wake { question: Wait::Reflection.id(), seconds: policy.reflection_timeout }]
        }
    }
}

/// The answer, its ledger entry, and the promise that nothing more will be asked (PC-552, PC-553).
fn reflected(s: &Session, answer: String) -> Vec<Effect> {
    let fact = Fact::Reflected { answer: ReflectionPolicy::Text(answer.clone()) };
    let text = Say::FreeToGo.text(s.meta.lang());
    vec![Effect::Record(fact), Effect::Ledger { answer }, Effect::Record(Fact::Noted { text })]
}

fn woke(s: &Session, question: &str) -> Vec<Effect> {
    match phase(s) {
        Phase::Wait(wait) if wait.id() == question => match wait {
            Wait::Gate => not_implementable(s),
            Wait::Reflection => reflected(s, Say::NoResponse.text(s.meta.lang())),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Y.1. The engine refuses completed sessions before it comes here; an interrupted one changes nothing (PC-651).
fn interrupt(s: &Session, now: Stamp) -> Vec<Effect> {
    if s.meta.status != Status::Started {
        return Vec::new();
    }
    let mut effects = Vec::new();
    if s.live.running.is_some() {
        effects.push(Effect::Cancel);
    }
    effects.push(Effect::Record(Fact::Interrupted { end_time: not_before_start(s, now) }));
    effects
}
