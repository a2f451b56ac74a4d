//! What recovery may derive again from the files (PC-705).

use super::Session;
use crate::domain::session::meta::Status;
use crate::domain::session::phase;
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
