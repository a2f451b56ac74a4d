//! What a call gave, read into a result that the rules understand.

use super::desk::Desk;
use super::facts;
use super::prompt::answers;
use super::runner::Runner;
use crate::agents::call::{Cause, Outcome, Reset};
use crate::agents::contract::{self, Fault};
use crate::domain::effect::{Call, Purpose};
use crate::domain::input::CallResult;
use crate::domain::say::Say;
use crate::domain::session::claim::{self, Checked};
use crate::domain::session::consensus::Stance;
use crate::domain::session::failure::Reason;
use crate::domain::session::head::Head;
use crate::domain::session::meta::ResultClass;
use crate::domain::session::phase;
use crate::domain::session::report::Confidence;
use crate::domain::session::state::Session;
use crate::domain::session::turn::TurnName;
use crate::domain::time::Stamp;
use crate::store::report::{self, EngineHead};
use crate::store::{compose, frontmatter, layout, verify};
use std::sync::Arc;

/// The result of `call`. `prompt` is what was asked, for the echo check (PC-341).
pub fn result(runner: &Runner, call: &Call, outcome: Outcome, prompt: Arc<str>) -> CallResult {
    let reply = match outcome {
        Outcome::Reply(reply) => reply,
        Outcome::Cancelled => return CallResult::Cancelled,
        Outcome::Failed(f) => {
            let stderr = crate::agents::privacy::pii::tail(&f.stderr, 20);
            let until = lifted(&f.cause, runner.clock.now());
            return CallResult::Failed { reason: f.reason, detail: f.detail, stderr, until };
        }
    };
    let (session, desk) = (&runner.session, &runner.desk);
    // The single peer's reply is not validated, but it must have the form of a reply (PC-294, AMB-42). What is said
    // without that form may be a program's error text.
    let is_single = call.purpose == Purpose::Peer && !session.is_round_loop();
    if is_single && contract::check(&reply.text, false) == Err(Fault::Frontmatter) {
        let detail = "the reply does not begin with frontmatter between two `---` lines".to_string();
        let stderr = crate::agents::privacy::pii::tail(&reply.stderr, 20);
        return CallResult::Failed { reason: Reason::Frontmatter, detail, stderr, until: None };
    }
    match (call.purpose, &call.name) {
        (Purpose::Peer | Purpose::Discovery, Some(name)) => {
            let turn = frontmatter::turn(name.clone(), compose::peer_text(&reply.text));
            let facts = checked(desk, turn.body());
            CallResult::Turn { turn, facts, prompt }
        }
        (Purpose::Opening | Purpose::Turn, Some(name)) => {
            let turn = writer_turn(runner, name, &reply.text);
            // Frontmatter alone says nothing, and a turn without words is none (PC-255).
            if contract::is_blank(turn.body()) {
                let detail = "the reply has frontmatter and no text behind it".to_string();
                let stderr = crate::agents::privacy::pii::tail(&reply.stderr, 20);
                return CallResult::Failed { reason: Reason::Empty, detail, stderr, until: None };
            }
            CallResult::Turn { turn, facts: Vec::new(), prompt }
        }
        (Purpose::Roles, Some(name)) => roles(runner, name, &reply.text),
        (Purpose::Summary, _) => CallResult::Summary(answers::read_summary(&reply.text)),
        (Purpose::Dispute, _) => CallResult::Dispute(answers::read_dispute(&reply.text)),
        (Purpose::Review, _) => CallResult::Reviewed(compose::peer_text(&reply.text)),
        (Purpose::Judge, _) => CallResult::Judge(answers::read_judge(&reply.text)),
        _ => draft(runner, &reply.text, session),
    }
}

/// When a limit is lifted. Words such as `3pm` leave the day and often the place open, and nothing is guessed.
fn lifted(cause: &Cause, now: Stamp) -> Option<Stamp> {
    match cause {
        Cause::RateLimit { reset: Some(Reset::After(wait)) } => {
            Some(Stamp(now.0.checked_add(i64::try_from(wait.as_millis().div_ceil(1000)).ok()?)?))
        }
        Cause::RateLimit { reset: Some(Reset::At(text)) } => Stamp::parse(text),
        _ => None,
    }
}

/// The claims of a reply, compared with what is there (PC-346).
fn checked(desk: &Desk, body: &str) -> Vec<Checked> {
    let claims = claim::claims(body);
    if claims.is_empty() { Vec::new() } else { facts::check(claims, &desk.sources()) }
}

/// A writer's turn with the engine's frontmatter. The opening gets a role for every peer (PC-272); whoever the writer
/// forgot is a critic.
pub fn writer_turn(runner: &Runner, name: &TurnName, reply: &str) -> crate::domain::session::turn::Turn {
    let s = &runner.session;
    let mut extra = Head::default();
    let given = frontmatter::turn(name.clone(), compose::peer_text(reply)).head.unwrap_or_default();
    let discovery_due = s.is_round_loop() && s.peers().iter().any(|p| s.meta.roles_of(&p.agent).is_empty());
    if name.number == 0 && discovery_due {
        for peer in s.peers() {
            let fixed = s.meta.roles_of(&peer.agent).first().cloned();
            let by_writer = given.proposed_roles.iter().find(|(a, _)| *a == peer.agent || *a == peer.vendor);
            let role =
                fixed.or_else(|| by_writer.map(|(_, role)| role.clone())).unwrap_or_else(|| "critic".into());
            extra.proposed_roles.push((peer.agent, role));
        }
        extra.suggested_initiator_role = "moderator".into();
    }
    compose::writer_turn(name.clone(), name.number, &s.meta.writer_agent, runner.clock.now(), reply, &extra)
}

/// `01-writer.md` with the agreed roles. A malformed answer takes the proposed ones and says so (PC-277).
fn roles(runner: &Runner, name: &TurnName, reply: &str) -> CallResult {
    let (given, note) = match answers::read_roles(reply) {
        Ok(read) => (Some(read), None),
        Err(why) => {
            (None, Some(Say::RolesFallback { failed: false, why: &why }.text(runner.session.meta.lang())))
        }
    };
    settle_roles(runner, name, given, note)
}

/// The same without an answer: what discovery itself said.
pub fn settle_roles(
    runner: &Runner,
    name: &TurnName,
    given: Option<(Vec<(String, String)>, String)>,
    note: Option<String>,
) -> CallResult {
    let s = &runner.session;
    let opening = s.turn(&TurnName::writer(0)).and_then(|t| t.head.as_ref().ok());
    let initiator = opening.map(|h| h.suggested_initiator_role.clone()).filter(|r| !r.is_empty());
    let (said, said_writer) = given.unwrap_or_default();
    let agreed: Vec<(String, String)> = s
        .peers()
        .into_iter()
        .map(|peer| {
            let fixed = s.meta.roles_of(&peer.agent).first().cloned();
            let by_writer =
                said.iter().find(|(a, _)| *a == peer.agent || *a == peer.vendor).map(|(_, r)| r.clone());
            let proposed = || crate::domain::session::phase::proposed_role(s, &peer.agent);
            let role = fixed.or(by_writer).filter(|r| !crate::domain::session::validate::forbidden_role(r));
            (peer.agent.clone(), role.unwrap_or_else(proposed))
        })
        .collect();
    let fixed_writer = s.meta.roles_of(&s.meta.writer_agent).first().cloned();
    let fit = |role: &String| !role.is_empty() && !crate::domain::session::validate::forbidden_role(role);
    let writer_role = fixed_writer
        .or(Some(said_writer).filter(fit))
        .or(initiator.filter(fit))
        .unwrap_or_else(|| "moderator".into());
    let head = Head {
        agreed_roles: Some(agreed.clone()),
        writer_role: writer_role.clone(),
        discovery_turns: Some(1),
        ..Head::default()
    };
    let body =
        s.meta.lang().pick("The roles are agreed as listed above.", "Роли согласованы, как указано выше.");
    let turn = compose::writer_turn(name.clone(), 0, &s.meta.writer_agent, runner.clock.now(), body, &head);
    let mut roles = vec![(s.meta.writer_agent.clone(), vec![writer_role])];
    roles.extend(agreed.into_iter().map(|(agent, role)| (agent, vec![role])));
    CallResult::Roles { turn, roles, note }
}

/// The synthesizer's text with the engine's frontmatter, and what the checks say about it (PC-605).
fn draft(runner: &Runner, reply: &str, session: &Session) -> CallResult {
    let text = report::finish(reply, &engine_head(runner));
    let files: Vec<String> = std::fs::read_dir(runner.recorder().dir())
        .map(|entries| entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    let turns = crate::domain::session::order::reading_order(session.turns.iter(), &session.meta.round_order);
    let turn_files: Vec<String> = turns.iter().map(|t| t.name.to_string()).collect();
    let dir = runner.recorder().dir().to_path_buf();
    let exists = |link: &str| dir.join(link).exists() || link == layout::REPORT;
    let input = verify::VerifyInput {
        report: &text,
        meta: &session.meta,
        files: &files,
        turn_files: &turn_files,
        exists: &exists,
    };
    let findings = verify::verify(&input)
        .into_iter()
        .filter(|f| f.severity == verify::Severity::Error)
        .map(|f| format!("{}: {}", f.rule, f.text))
        .collect();
    let linked = report::linked_files(&text);
    CallResult::Draft { text, linked, findings }
}

/// The frontmatter values that the engine knows (PC-605) and the clamps of the consensus rules.
pub fn engine_head(runner: &Runner) -> EngineHead {
    let s = &runner.session;
    let class = phase::result_class(s);
    let mut head = EngineHead::of(&s.meta, class, runner.clock.now());
    head.max_confidence = limits(s);
    head
}

/// What caps the confidence: a recorded majority (AMB-68), mere silence (PC-407), a skipped peer in the closing round
/// (AMB-53).
fn limits(s: &Session) -> Option<(Confidence, String)> {
    if !s.is_round_loop() {
        return None;
    }
    let agreed = matches!(phase::result_class(s), ResultClass::Agreed | ResultClass::Partial);
    let round = phase::current_round(s);
    let (_, minority) = super::compose::majority(s);
    if s.notes.majority {
        let basis = format!("a majority decision; the minority: {}", minority.join("; "));
        return Some((Confidence::Med, basis));
    }
    let voices = phase::voices(s, round);
    let silent = agreed && !voices.is_empty() && voices.iter().all(|v| v.stance == Stance::Passes);
    if silent
        && !s
            .turns
            .iter()
            .any(|t| t.name.is_writer() && t.name.number == round && t.markers().consensus.is_some())
    {
        return Some((Confidence::Med, "all participants passed".into()));
    }
    let skipped: Vec<String> =
        s.active_vendors().into_iter().filter(|v| agreed && s.meta.skipped(round, v)).collect();
    (!skipped.is_empty())
        .then(|| (Confidence::Med, format!("{} gave no reply in the closing round", skipped.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn pc_060_the_end_of_a_limit_is_computed_only_from_a_whole_date() {
        let of = |reset| lifted(&Cause::RateLimit { reset }, Stamp(1_800_000_000)).map(|s| s.0);
        assert_eq!(of(Some(Reset::After(Duration::from_millis(1500)))), Some(1_800_000_002));
        assert_eq!(of(Some(Reset::At("2027-01-15T08:00:00Z".into()))), Some(1_800_000_000));
        assert_eq!(of(Some(Reset::At("3pm (Europe/Berlin)".into()))), None);
        assert_eq!((of(None), lifted(&Cause::Overload, Stamp(0))), (None, None));
    }
}
