//! How a session ended when nobody recorded it (PC-657): it was closed before its loop had ended, or by another program.

use super::{Phase, rounds, turns};
use crate::domain::fact::Fact;
use crate::domain::session::meta::{ResultClass, Status};
use crate::domain::session::notes::Notes;
use crate::domain::session::state::{ReportState, Session, apply};

/// The recorded result, else what the turn files say (group Q).
pub fn result_class(s: &Session) -> ResultClass {
    s.meta.engine_result_class.unwrap_or_else(|| concluded(s))
}

/// Where the loop would go from these turns. Whatever it would still need to ask somebody is no agreement.
fn concluded(s: &Session) -> ResultClass {
    if s.open_escalation().is_some() {
        return ResultClass::Escalated;
    }
    let mut s = Session { report: ReportState::None, ..s.clone() };
    s.meta.status = Status::Started;
    s.notes = Notes {
        judged: s.notes.judged,
        dispute: s.notes.dispute,
        reserved: s.notes.reserved,
        ..Notes::default()
    };
    // Each pass settles one thing of a turn or of the token, and none of them comes back.
    for _ in 0..=2 * s.turns.len() + 2 {
        match if s.is_round_loop() { rounds::round_loop(&s) } else { turns::turn_loop(&s) } {
            // Nobody is there to judge it, so it is not clean (PC-402).
            Phase::Judge { turn, .. } => apply(&mut s, &Fact::PassJudged { turn, clean: false }),
            Phase::Due(fact) => match *fact {
                Fact::LoopEnded { class, .. } => return class,
                // It was never put to the pilot, so it is open (PC-446).
                Fact::Escalated { .. } => return ResultClass::Escalated,
                fact @ Fact::HandedOff { .. } => apply(&mut s, &fact),
                _ => return ResultClass::NotAgreed,
            },
            _ => return ResultClass::NotAgreed,
        }
    }
    ResultClass::NotAgreed
}
