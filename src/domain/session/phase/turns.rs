//! What happens next in the turn-loop: one peer (rules D14 to D16, group L).

use super::{Phase, escalate, exchanges, loop_ended, reserved};
use crate::domain::session::dispute::{self, DisputeAnswer};
use crate::domain::session::meta::ResultClass;
use crate::domain::session::order;
use crate::domain::session::state::Session;
use crate::domain::session::turn::{Turn, TurnName};

/// D14 to D16, SM.1.
pub(super) fn turn_loop(s: &Session) -> Phase {
    let Some(opening) = s.turn(&TurnName::writer(0)) else { return Phase::WriterOpening };
    let spoken = order::reading_order(s.turns.iter(), &s.meta.round_order);
    let last = spoken.into_iter().rfind(|t| t.name.is_writer() || t.name.is_peer()).unwrap_or(opening);
    let exchange = exchanges(s);
    if let Some(phase) = escalate(s, last) {
        return phase;
    }
    let escalated = s.escalation_of(&last.name);
    if last.name.is_writer() {
        let number =
            if literal_numbering(s) { last.name.number.max(exchange + 1) } else { last.name.number + 1 };
        let vendor = s.peers().first().map(|p| p.vendor.clone()).unwrap_or_default();
        return reserved(s, last).unwrap_or(Phase::PeerCall {
            round: exchange + 1,
            vendor,
            name: TurnName::peer(number),
        });
    }
    let fresh_extension = s.notes.extensions.last().is_some_and(|e| e.from > exchange);
    if fresh_extension {
        return writer_turn(last, exchange);
    }
    match (&last.markers().consensus, escalated) {
        (Some(payload), None) => loop_ended(s, ResultClass::Agreed, false, exchange, vec![payload.clone()]),
        _ if exchange < s.meta.turns_limit => writer_turn(last, exchange),
        (_, Some(e)) if matches!(dispute::read_answer(&e.response), DisputeAnswer::Decision(_)) => {
            loop_ended(s, ResultClass::Escalated, false, exchange, Vec::new())
        }
        _ => loop_ended(s, ResultClass::NotAgreed, false, exchange, Vec::new()),
    }
}

fn writer_turn(last: &Turn, exchange: u32) -> Phase {
    Phase::WriterTurn { round: exchange, name: TurnName::writer(last.name.number + 1) }
}

/// True for trees with `NN-writer.md` and `NN-peer.md` of the same number (PC-240): they keep their style.
fn literal_numbering(s: &Session) -> bool {
    s.turns.iter().any(|t| t.name.number > 0 && t.name.is_writer() && s.has(&TurnName::peer(t.name.number)))
}
