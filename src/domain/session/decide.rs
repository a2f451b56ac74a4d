//! What the engine is told to do. Pure: no IO, no clock, no randomness.
//!
//! [`decide`] takes one step. The engine performs the effects in order and, when one of them recorded something, asks
//! again with [`Input::Go`], until nothing comes back: then a call runs, the pilot is waited for, or all is done.

mod answered;
mod ended;
mod pipeline;

use super::meta::{Decision, Status};
use super::permission;
use super::phase::{Phase, Step, Wait, current_round, exchanges, phase};
use super::state::Session;
use super::turn::TurnName;
use crate::domain::effect::{Call, Effect, Purpose};
use crate::domain::fact::Fact;
use crate::domain::input::{Input, Override};
use crate::domain::policy::{DecisionPolicy, Implementable, Policy, ReflectionPolicy};
use crate::domain::say::Say;
use crate::domain::session::gate::Defer;
use crate::domain::time::Stamp;

/// Sessions of at most this many minutes skip the reflection (PC-550).
const REFLECTION_AFTER: i64 = 15;

/// A vendor that says 0 shall not be asked without a pause.
const SHORTEST_PAUSE: u64 = 5;

/// The next effects for this input; empty when there is nothing to do.
pub fn decide(s: &Session, policy: &Policy, now: Stamp, input: Input) -> Vec<Effect> {
    match input {
        Input::Go => go(s, policy, now),
        Input::Ended { call, result } if s.live.running.as_ref() == Some(&call) => {
            ended::ended(s, now, call, result)
        }
        Input::Ended { .. } => Vec::new(),
        Input::Answered { question, text } => answered::answered(s, policy, now, &question, &text),
        Input::Directed { text } if !text.trim().is_empty() => record(Fact::Directed { text }),
        Input::Directed { .. } => Vec::new(),
        Input::CutIn { call, text, partial } if s.live.running.as_ref() == Some(&call) => {
            record(Fact::CutIn { call, text, partial })
        }
        Input::CutIn { .. } => Vec::new(),
        Input::Woke { question } => woke(s, policy, &question),
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

/// Escalations and lines of the content gate carry their time, which only the caller knows.
fn stamped(fact: Fact, now: Stamp) -> Fact {
    match fact {
        Fact::Escalated { mut escalation } => {
            escalation.timestamp = now.to_string();
            Fact::Escalated { escalation }
        }
        Fact::ContentShown { mut record } => {
            record.ts = now.to_string();
            Fact::ContentShown { record }
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
        Phase::Implement => (Purpose::Implement, None, next_edit(s), None),
        Phase::Review { number } => (Purpose::Review, None, *number, None),
        Phase::Job(Purpose::Verify) => {
            (Purpose::Verify, None, s.verifies.last().map_or(0, |v| v.number) + 1, None)
        }
        Phase::Job(job) => (*job, None, next_edit(s), None),
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

/// The number that the next state of the trees gets.
fn next_edit(s: &Session) -> u32 {
    s.notes.track.as_ref().and_then(|t| t.edit.as_ref()).map_or(0, |e| e.number) + 1
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
        Wait::PeerRetry | Wait::WriterRetry | Wait::ImplementRetry => limited(s, policy, now, wait),
        _ => pipeline::beforehand(s, policy, wait),
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
        (DecisionPolicy::Implement, _) => implement(s, policy, Decision::Implement),
        (DecisionPolicy::Ask, Some(seconds)) => vec![Effect::Wake { question: Wait::Gate.id(), seconds }],
        (DecisionPolicy::Ask, None) => Vec::new(),
    }
}

/// A call that failed at a limit whose end the vendor named is made again after it, if the pilot set that (PC-294).
fn limited(s: &Session, policy: &Policy, now: Stamp, wait: &Wait) -> Vec<Effect> {
    let until = s.notes.failed_call.as_ref().and_then(|failed| failed.until).filter(|_| policy.after_limit);
    let seconds = |until: Stamp| u64::try_from(until.0 - now.0).unwrap_or(0).max(SHORTEST_PAUSE);
    until.map(|until| Effect::Wake { question: wait.id(), seconds: seconds(until) }).into_iter().collect()
}

/// PC-464; PC-467 where B was chosen but nothing can implement it here.
fn implement(s: &Session, policy: &Policy, decision: Decision) -> Vec<Effect> {
    let reason = match &policy.implementable {
        Implementable::Yes => return record(Fact::GateClosed { decision, close: false }),
        Implementable::No(reason) => reason,
    };
    let lang = s.meta.lang();
    let text = Say::NotImplementable { reason: reason.text(lang) }.text(lang);
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

fn woke(s: &Session, policy: &Policy, question: &str) -> Vec<Effect> {
    if let Some((asked, call)) = answered::permission(s, question) {
        let text = Say::PermissionUnanswered { question }.text(s.meta.lang());
        let mut effects = record(Fact::Noted { text });
        effects.extend(answered::permitted(asked, call, permission::REJECT.into(), false));
        return effects;
    }
    match phase(s) {
        Phase::Wait(wait) if wait.id() == question => match wait {
            Wait::Gate => by_silence(s, policy),
            Wait::Reflection => reflected(s, Say::NoResponse.text(s.meta.lang())),
            Wait::PeerRetry | Wait::WriterRetry | Wait::ImplementRetry => record(Fact::Retried),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// PC-465: silence means B where that was agreed beforehand; it is announced.
fn by_silence(s: &Session, policy: &Policy) -> Vec<Effect> {
    let seconds = policy.gate_timeout.unwrap_or_default();
    let text = Say::GateDefault { seconds }.text(s.meta.lang());
    let mut effects = record(Fact::Noted { text });
    effects.extend(implement(s, policy, Decision::DefaultImplement));
    effects
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::input::CallResult;
    use crate::domain::session::failure::Reason;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::Meta;
    use crate::domain::session::state::apply;

    const NOW: Stamp = Stamp(1_800_000_000);

    /// A session whose opening call has failed; `until` is when the vendor's limit is lifted.
    fn failed(until: Option<Stamp>) -> Session {
        let mut s = Session::new(Meta::new(SessionId::parse("2026-08-24-01-x").unwrap(), "task"));
        let policy = Policy::default();
        let Some(Effect::Call(call)) = decide(&s, &policy, NOW, Input::Go).pop() else { panic!("no call") };
        apply(&mut s, &Fact::CallStarted { call: call.clone() });
        let (detail, stderr) = ("rate limit".to_string(), String::new());
        let result = CallResult::Failed { reason: Reason::Exit(1), detail, stderr, until };
        for effect in decide(&s, &policy, NOW, Input::Ended { call: call.clone(), result }) {
            let Effect::Record(fact) = effect else { panic!("{effect:?}") };
            apply(&mut s, &fact);
        }
        apply(&mut s, &Fact::CallEnded { call, failure: Some(Reason::Exit(1)), millis: 0, usage: None });
        s
    }

    #[test]
    fn pc_294_a_session_goes_on_by_itself_at_the_reset_that_the_vendor_named_if_the_pilot_set_that() {
        let resume = Policy { after_limit: true, ..Policy::default() };
        let wake = |s: &Session, policy: &Policy, now: Stamp| decide(s, policy, now, Input::Go);
        let limited = failed(Some(Stamp(NOW.0 + 120)));
        let want = |seconds| vec![Effect::Wake { question: "writer-retry".into(), seconds }];
        assert_eq!(wake(&limited, &resume, NOW), want(120));
        assert_eq!(
            wake(&limited, &resume, Stamp(NOW.0 + 100)),
            want(20),
            "a restart waits for the rest only"
        );
        assert_eq!(wake(&limited, &resume, Stamp(NOW.0 + 999)), want(SHORTEST_PAUSE));
        assert_eq!(wake(&limited, &Policy::default(), NOW), [], "else the pilot decides");
        assert_eq!(wake(&failed(None), &resume, NOW), [], "and no reset is invented");
        let woke = decide(&limited, &resume, NOW, Input::Woke { question: "writer-retry".into() });
        assert_eq!(woke, [Effect::Record(Fact::Retried)]);
    }
}
