//! What recovery may derive again from the files (PC-705).

use super::Session;
use crate::domain::question::QuestionKind;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::{self, Phase};
use crate::domain::session::turn::TurnName;

/// Everything that recovery may derive again (PC-705). Pure and idempotent; [`repairs`] says what it would change. The
/// write token is not here: it moves at the end of a round, and there the phases complete it from the turn files.
pub(super) fn repair(s: &mut Session) {
    s.meta.turns_count = s.turns.len() as u32;
    s.meta.escalations_count = s.escalations.len() as u32;
    if s.is_round_loop() {
        for vendor in s.active_vendors() {
            let round = phase::current_round(s);
            let name = TurnName::peer_of(round, &vendor);
            if s.meta.attempts(&vendor) > 0 && s.has(&name) {
                s.meta.set_attempts(&vendor, 0);
            }
        }
        if let (true, Some(turn)) = (s.meta.roles.is_empty(), s.roles_turn()) {
            let roles = phase::roles_from(s, turn);
            s.meta.discovery_turns = turn.head.as_ref().ok().and_then(|h| h.discovery_turns).unwrap_or(1);
            s.meta.roles = roles;
        }
    }
    // A verification's file proves it (PC-531); `meta.yaml` may not have heard of it yet.
    if let Some(last) = s.verifies.last() {
        s.meta.verify_status = last.verdict.status().into();
    }
    if s.row.is_none() {
        s.row = Some(s.meta.status.key().into());
    }
    // What was asked before the files changed is no question any more when they lead elsewhere now. A turn that the pilot
    // writes by hand is a call, and waits in no phase.
    if s.notes.asked.as_ref().is_some_and(|q| q.kind != QuestionKind::PilotTurn) && s.live.running.is_none() {
        let waits = match phase::phase(s) {
            Phase::Wait(wait) => Some(wait.id()),
            _ => None,
        };
        s.notes.asked.take_if(|q| Some(&q.id) != waits.as_ref());
    }
}

/// What recovery would mend, one line each; empty when nothing is to be done.
pub fn repairs(session: &Session) -> Vec<String> {
    if session.meta.status != Status::Started {
        return Vec::new();
    }
    let mut mended = session.clone();
    repair(&mut mended);
    let (old, new) = (&session.meta, &mended.meta);
    let mut what = Vec::new();
    let mut say = |changed: bool, text: String| {
        if changed {
            what.push(text);
        }
    };
    say(old.turns_count != new.turns_count, format!("turns_count {} → {}", old.turns_count, new.turns_count));
    say(
        old.escalations_count != new.escalations_count,
        format!("escalations_count {} → {}", old.escalations_count, new.escalations_count),
    );
    say(old.peer_attempts != new.peer_attempts, "peer_attempts of vendors that answered → 0".into());
    say(old.verify_status != new.verify_status, format!("verify_status → {}", new.verify_status));
    say(old.roles != new.roles, "roles taken from the discovery file".into());
    say(session.row != mended.row, "index row created".into());
    what
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::question::Question;
    use crate::domain::session::escalation::Escalation;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::Meta;
    use crate::domain::time::Stamp;

    #[test]
    fn pc_705_a_question_that_the_files_have_overtaken_is_over() {
        let mut s = Session::new(Meta::new(SessionId::parse("2026-08-24-01-cache").unwrap(), "cache"));
        s.escalations = vec![Escalation::next(&[], 1, "who pays?", "01-peer.md".into())];
        let stays = [
            ("escalation-00", QuestionKind::Escalation, true),
            ("gate", QuestionKind::Gate, false),
            ("turn-01-writer", QuestionKind::PilotTurn, true),
        ];
        for (id, kind, stays) in stays {
            s.notes.asked = Some(Question {
                id: id.into(),
                kind,
                since: Stamp::default(),
                text: String::new(),
                choices: Vec::new(),
                free_text: true,
                other: None,
            });
            repair(&mut s);
            assert_eq!(s.notes.asked.is_some(), stays, "{id}");
        }
    }
}
