//! What happens next in the round-loop: discovery, two or more peers, the limit (rules D14, D17 to D19, group M).

use super::{
    Phase, Wait, current_round, due, escalate, judged, loop_ended, more, reserved, token, voices, voters,
};
use crate::domain::fact::Fact;
use crate::domain::session::clean::{self, Pass};
use crate::domain::session::consensus::{self, WriterVerdict};
use crate::domain::session::dispute::{self, DisputeAnswer, Verdict};
use crate::domain::session::escalation::{self, Escalation};
use crate::domain::session::failure::Reason;
use crate::domain::session::meta::{Handoff, ResultClass};
use crate::domain::session::order::is_discovery_reply;
use crate::domain::session::state::Session;
use crate::domain::session::turn::{Turn, TurnName};

/// D14, D17 to D19, SM.2.
pub(super) fn round_loop(s: &Session) -> Phase {
    let Some(opening) = s.turn(&TurnName::writer(0)) else { return Phase::WriterOpening };
    if let Some(phase) = escalate(s, opening).or_else(|| reserved(s, opening)).or_else(|| discovery(s)) {
        return phase;
    }
    let round = current_round(s);
    let writer = s.turn(&s.writer_name(round));
    if writer.is_none()
        && let Some(phase) = next_peer(s, round)
    {
        return phase;
    }
    let replies = s.peers().into_iter().filter_map(|p| s.turn(&TurnName::peer_of(round, &p.vendor)));
    if let Some(phase) = replies.clone().find_map(|t| escalate(s, t)) {
        return phase;
    }
    if let Some(phase) = writer.and_then(|t| escalate(s, t).or_else(|| reserved(s, t))) {
        return phase;
    }
    let token = token(s);
    if (&token.holder, &token.history) != (&s.meta.write_token_holder, &s.meta.handoff_history) {
        return handed_off(token.holder, token.history);
    }
    if s.active_vendors().is_empty() {
        return nobody_left(s, round);
    }
    // Only where the verdict matters: a reply that asks the pilot settles nothing, whatever its PASS means (AMB-43).
    let doubtful = |t: &&Turn| {
        let markers = t.markers();
        markers.pass
            && markers.consensus.is_none()
            && markers.escalate.is_none()
            && clean::judge_pass(t.body()) == Some(Pass::Suspicious)
            && judged(s, &t.name).is_none()
    };
    if let Some(turn) = replies.clone().find(doubtful) {
        return Phase::Judge { round, turn: turn.name.clone() };
    }
    let voices = voices(s, round);
    if consensus::peers_close(&voices) {
        return loop_ended(s, agreed_class(s), false, round, consensus::payloads(&voices));
    }
    let Some(writer) = writer else { return Phase::WriterTurn { round, name: s.writer_name(round) } };
    let accepts = writer.head.as_ref().map(|h| h.accepts.as_slice()).unwrap_or(&[]);
    let claim = writer.markers().consensus.as_ref().filter(|_| writer.markers().escalate.is_none());
    if let (Some(payload), WriterVerdict::Closes) = (claim, consensus::writer_closes(&voices, accepts)) {
        return loop_ended(s, agreed_class(s), false, round, vec![payload.clone()]);
    }
    if round < s.meta.rounds_limit {
        return next_peer(s, round + 1).unwrap_or(Phase::Wait(Wait::Participants));
    }
    at_limit(s, round, writer)
}

fn handed_off(holder: String, history: Vec<Handoff>) -> Phase {
    due(Fact::HandedOff { holder, history })
}

fn agreed_class(s: &Session) -> ResultClass {
    if s.meta.failed.is_empty() { ResultClass::Agreed } else { ResultClass::Partial }
}

/// The first active peer without reply or skip in this round (D18).
fn next_peer(s: &Session, round: u32) -> Option<Phase> {
    let vendor = s.active_vendors().into_iter().find(|v| {
        let reply = s.turn(&TurnName::peer_of(round, v)).is_some_and(|t| !is_discovery_reply(t));
        !reply && !s.meta.skipped(round, v)
    })?;
    let name = TurnName::peer_of(round, &vendor);
    Some(Phase::PeerCall { round, vendor, name })
}

/// D17: what discovery still needs; `None` when the roles are settled (PC-270).
fn discovery(s: &Session) -> Option<Phase> {
    let settled = s.roles_turn().is_some() || s.peers().iter().all(|p| !s.meta.roles_of(&p.agent).is_empty());
    if settled {
        return None;
    }
    for vendor in s.active_vendors() {
        let name = TurnName::peer_of(0, &vendor);
        let foreign = s.turn(&TurnName::peer_of(1, &vendor)).is_some_and(is_discovery_reply);
        if s.has(&name) || foreign || s.meta.skipped(0, &vendor) {
            continue;
        }
        let asked = s.rejected.iter().rfind(|r| r.name == name && r.reason == Reason::Clarify);
        let unanswered = |k: u32| !s.notes.clarified.iter().any(|(v, n, _)| *v == vendor && *n == k);
        if let Some(open) = asked.filter(|r| r.k == s.rejected_count(&name) && unanswered(r.k)) {
            return Some(Phase::Wait(Wait::Clarify { vendor, k: open.k }));
        }
        return Some(Phase::Discovery { vendor });
    }
    let replies = s.peers().into_iter().filter_map(|p| s.turn(&TurnName::peer_of(0, &p.vendor)));
    let due = replies.into_iter().find_map(|t| escalate(s, t));
    due.or(Some(if s.active_vendors().is_empty() { nobody_left(s, 0) } else { Phase::RolesWriter }))
}

/// PC-327: the pilot re-activates, interrupts, or has closed as not agreed.
fn nobody_left(s: &Session, round: u32) -> Phase {
    match s.meta.engine_result_class {
        Some(ResultClass::NotAgreed) => loop_ended(s, ResultClass::NotAgreed, false, round, Vec::new()),
        _ => Phase::Wait(Wait::Participants),
    }
}

/// `ROUND >= rounds_limit` without consensus (group R).
fn at_limit(s: &Session, round: u32, writer: &Turn) -> Phase {
    let asked = s.escalations.iter().rfind(|e| e.turn == round && s.is_dispute(e));
    if let Some(asked) = asked {
        return match dispute::read_answer(&asked.response) {
            DisputeAnswer::Continue => {
                let rounds_limit = round + more(&asked.response);
                due(Fact::LimitsRaised { turns_limit: s.meta.turns_limit, rounds_limit })
            }
            DisputeAnswer::Close => loop_ended(s, ResultClass::NotAgreed, false, round, Vec::new()),
            DisputeAnswer::Decision(_) => loop_ended(s, ResultClass::Escalated, false, round, Vec::new()),
        };
    }
    let escalated = || {
        let source = writer.name.to_string();
        due(Fact::Escalated {
            escalation: Escalation::next(&s.escalations, round, escalation::LIMIT_REASON, source),
        })
    };
    match &s.notes.dispute {
        Some(note) if note.round == round => {
            match note.dispute.as_ref().map(|d| dispute::verdict(d, &voters(s))) {
                Some(Verdict::Majority { summary, .. }) => {
                    loop_ended(s, agreed_class(s), true, round, vec![summary])
                }
                _ => escalated(),
            }
        }
        _ => match s.meta.engine_result_class {
            Some(class @ (ResultClass::Agreed | ResultClass::Partial)) => {
                loop_ended(s, class, true, round, Vec::new())
            }
            _ => Phase::Dispute { round },
        },
    }
}
