//! What a finished call means.

use super::super::failure::Reason;
use super::super::gate;
use super::super::head::RoleAccepted;
use super::super::meta::AdHocRole;
use super::super::notes::FailedCall;
use super::super::phase::{Phase, phase, proposed_role, voices};
use super::super::state::Session;
use super::super::turn::Turn;
use super::super::validate::{self, Expect};
use super::super::{consensus, report};
use super::record;
use crate::domain::effect::{Call, Effect, Purpose};
use crate::domain::fact::Fact;
use crate::domain::input::CallResult;
use crate::domain::say::Say;
use crate::domain::session::claim::Checked;
use crate::domain::time::Stamp;

/// Clarifications a participant may ask for before its proposed role is taken as agreed (PC-275).
const CLARIFICATIONS: usize = 2;

pub fn ended(s: &Session, now: Stamp, call: Call, result: CallResult) -> Vec<Effect> {
    if let Some(effects) = super::pipeline::ended(s, now, &call, &result) {
        return effects;
    }
    match result {
        CallResult::Cancelled => Vec::new(),
        CallResult::Withheld(finds) => record(Fact::Withheld { call, finds }),
        CallResult::Turn { turn, facts, prompt } => spoke(s, call, turn, &facts, &prompt),
        CallResult::Failed { reason, detail, stderr, until } => {
            let failed = FailedCall { call, reason, detail, stderr, until };
            self::failed(s, now, failed)
        }
        CallResult::Roles { turn, roles, note } => {
            let note = note.into_iter().chain(ad_hoc_note(s, &roles));
            let mut effects = vec![
                Effect::Record(Fact::Spoke { turn }),
                Effect::Record(Fact::RolesAgreed { roles, discovery_turns: 1 }),
            ];
            effects.extend(note.map(|text| Effect::Record(Fact::Noted { text })));
            effects
        }
        CallResult::Summary(Ok(summary)) => record(Fact::Summarized { at: call.round, summary }),
        CallResult::Summary(Err(why)) => fallback_summary(s, &call, &why),
        CallResult::Dispute(Ok(dispute)) => {
            record(Fact::DisputeJudged { round: call.round, dispute: Some(dispute), why: String::new() })
        }
        CallResult::Dispute(Err(why)) => {
            record(Fact::DisputeJudged { round: call.round, dispute: None, why })
        }
        CallResult::Judge(verdict) => judged(call, verdict == Some(true)),
        CallResult::Draft { findings, .. } if !findings.is_empty() && call.complaints.is_empty() => {
            vec![Effect::Call(Call { attempt: call.attempt + 1, complaints: findings, ..call })]
        }
        CallResult::Draft { text, linked, findings } => {
            record(Fact::Drafted { text, linked, stub: false, findings })
        }
        // Those of an implementation were taken above.
        CallResult::Isolated(_)
        | CallResult::Edited { .. }
        | CallResult::Reviewed(_)
        | CallResult::Verified { .. }
        | CallResult::Deployment { .. }
        | CallResult::Cleaned(_) => Vec::new(),
    }
}

fn spoke(s: &Session, call: Call, turn: Turn, facts: &[Checked], prompt: &str) -> Vec<Effect> {
    match (call.purpose, &call.vendor) {
        (Purpose::Peer | Purpose::Discovery, Some(vendor)) if s.is_round_loop() => {
            validated(s, &call, vendor, turn, facts, prompt)
        }
        (Purpose::Peer, _) => {
            // The four checks belong to the round-loop (AMB-42): here their findings are only shown.
            let agent = s.peers().first().map(|p| p.agent.clone()).unwrap_or_default();
            let expect = Expect { agent_id: &agent, prompt, facts, ..Expect::default() };
            let notes = validate::warnings(&turn, &expect).iter().map(|w| w.text(s.meta.lang())).collect();
            with_notes(turn, notes)
        }
        _ => writer_spoke(s, call, turn),
    }
}

fn validated(
    s: &Session,
    call: &Call,
    vendor: &str,
    turn: Turn,
    facts: &[Checked],
    prompt: &str,
) -> Vec<Effect> {
    let agent = s.peer(vendor).map(|p| p.agent).unwrap_or_default();
    let proposed = proposed_role(s, &agent);
    let discovery = call.purpose == Purpose::Discovery;
    let roles = s.meta.roles_of(&agent);
    let expect = Expect { discovery, agent_id: &agent, roles, proposed_role: &proposed, prompt, facts };
    let warnings = match validate::validate(&turn, &expect) {
        Ok(warnings) => warnings,
        Err(rejection) => return rejected(s, vendor, turn, rejection.reason, rejection.detail, true),
    };
    let notes: Vec<String> = warnings.iter().map(|w| w.text(s.meta.lang())).collect();
    let clarify =
        discovery && turn.head.as_ref().is_ok_and(|h| h.role_accepted == Some(RoleAccepted::Clarify));
    if clarify {
        let asked = s.notes.clarified.iter().filter(|(v, ..)| v == vendor).count();
        if asked < CLARIFICATIONS {
            return rejected(s, vendor, turn, Reason::Clarify, String::new(), false);
        }
        let mut effects = with_notes(turn, notes);
        let text = Say::ClarifyExhausted { vendor, role: &proposed }.text(s.meta.lang());
        effects.push(Effect::Record(Fact::Noted { text }));
        return effects;
    }
    let mut effects = with_notes(turn.clone(), notes);
    effects.extend(ad_hoc(s, &agent, &turn, call).map(Effect::Record));
    effects
}

/// Free-text roles are announced once, in one note: no catalog is configured to look them up in (PC-280).
fn ad_hoc_note(s: &Session, roles: &[(String, Vec<String>)]) -> Option<String> {
    let catalog =
        |role: &&String| ["DP.ROLE.", "MIM.R.", "VR.R."].iter().any(|prefix| role.starts_with(prefix));
    let names: Vec<String> = roles.iter().flat_map(|(_, r)| r).filter(|r| !catalog(r)).cloned().collect();
    (!names.is_empty()).then(|| Say::AdHocRoles { names: &names }.text(s.meta.lang()))
}

/// A valid reply in another role than the agreed one is an ad-hoc role (PC-280, PC-343).
fn ad_hoc(s: &Session, agent: &str, turn: &Turn, call: &Call) -> Option<Fact> {
    let role = turn.head.as_ref().ok()?.content_role.trim().to_string();
    let agreed = s.meta.roles_of(agent);
    let other = call.purpose == Purpose::Peer
        && !role.is_empty()
        && !agreed.is_empty()
        && !agreed.iter().any(|r| r.trim().to_lowercase() == role.to_lowercase());
    // `meta.yaml` maps a role's name to whoever took it first; a second one by that name would spoil the map.
    let known = s.meta.ad_hoc_roles.iter().any(|r| r.name == role);
    if !other || known {
        return None;
    }
    let mut roles = s.meta.ad_hoc_roles.clone();
    let rationale = "taken by the participant during the session".to_string();
    roles.push(AdHocRole { name: role, agent_id: agent.to_string(), rationale, first_used_turn: call.round });
    Some(Fact::AdHocRoles { roles })
}

fn rejected(
    s: &Session,
    vendor: &str,
    turn: Turn,
    reason: Reason,
    detail: String,
    counted: bool,
) -> Vec<Effect> {
    let failed = counted && s.meta.attempts(vendor) + 1 >= s.meta.max_peer_attempts;
    record(Fact::Rejected {
        k: s.rejected_count(&turn.name) + 1,
        name: turn.name.clone(),
        vendor: vendor.to_string(),
        reason,
        detail,
        text: turn.text.to_string(),
        counted,
        failed,
    })
}

fn with_notes(turn: Turn, notes: Vec<String>) -> Vec<Effect> {
    let file = turn.name.to_string();
    let mut effects = record(Fact::Spoke { turn });
    effects.extend(notes.into_iter().map(|n| Effect::Record(Fact::Noted { text: format!("{file}: {n}") })));
    effects
}

/// A writer turn is asked for once more when it refuses the rules: a role reserved for people (PC-692), or a consensus
/// over several dissenters without naming them (PC-406).
fn writer_spoke(s: &Session, call: Call, turn: Turn) -> Vec<Effect> {
    let own =
        turn.head.iter().map(|h| &h.suggested_initiator_role).find(|role| validate::forbidden_role(role));
    let initiator =
        own.map(|role| format!("the role {role}, proposed for the writer, is reserved for people"));
    let forbidden: Vec<String> = turn
        .head
        .iter()
        .flat_map(|h| &h.proposed_roles)
        .filter(|(_, role)| validate::forbidden_role(role))
        .map(|(agent, role)| format!("the role {role} proposed for {agent} is reserved for people"))
        .chain(initiator)
        .collect();
    if !forbidden.is_empty() {
        return again_or_fail(call, forbidden);
    }
    let claims = call.purpose == Purpose::Turn
        && s.is_round_loop()
        && turn.markers().consensus.is_some()
        && turn.markers().escalate.is_none();
    if claims && call.complaints.is_empty() {
        let accepts = turn.head.as_ref().map(|h| h.accepts.clone()).unwrap_or_default();
        if let consensus::WriterVerdict::Incomplete { missing } =
            consensus::writer_closes(&voices(s, call.round), &accepts)
        {
            return vec![Effect::Call(Call { attempt: call.attempt + 1, complaints: missing, ..call })];
        }
    }
    record(Fact::Spoke { turn })
}

fn again_or_fail(call: Call, complaints: Vec<String>) -> Vec<Effect> {
    if call.complaints.is_empty() {
        return vec![Effect::Call(Call { attempt: call.attempt + 1, complaints, ..call })];
    }
    let detail = complaints.join("; ");
    record(Fact::CallFailed { call, reason: Reason::Role, detail, stderr: String::new(), until: None })
}

/// The pilot did not want the call made: it counts as one that failed at a filter (PC-059, code 3).
pub fn aborted(s: &Session, now: Stamp, call: Call) -> Vec<Effect> {
    let detail = s.meta.lang().pick(
        "the pilot stopped the call: its prompt holds what looks like a secret",
        "пилот остановил вызов: в промпте есть похожее на секрет",
    );
    let (detail, stderr) = (detail.to_string(), String::new());
    failed(s, now, FailedCall { call, reason: Reason::Exit(3), detail, stderr, until: None })
}

fn failed(s: &Session, now: Stamp, failed: FailedCall) -> Vec<Effect> {
    let FailedCall { call, reason, detail, stderr, until } = failed;
    match call.purpose {
        Purpose::Peer | Purpose::Discovery if s.is_round_loop() => {
            let vendor = call.vendor.clone().unwrap_or_default();
            let failed = s.meta.attempts(&vendor) + 1 >= s.meta.max_peer_attempts;
            record(Fact::Skipped { round: call.round, vendor, reason, detail, failed })
        }
        Purpose::Summary => fallback_summary(s, &call, &format!("the call failed ({reason})")),
        Purpose::Dispute => {
            let why = format!("the call failed ({reason})");
            record(Fact::DisputeJudged { round: call.round, dispute: None, why })
        }
        Purpose::Judge => judged(call, false),
        Purpose::Synthesis => {
            let text = report::stub(s.meta.lang(), s.meta.session_id.as_str(), now);
            let note = format!("{} ({reason}: {detail})", Say::SynthesisFailed.text(s.meta.lang()));
            vec![
                Effect::Record(Fact::Noted { text: note }),
                Effect::Record(Fact::Drafted { text, linked: Vec::new(), stub: true, findings: Vec::new() }),
            ]
        }
        _ => record(Fact::CallFailed { call, reason, detail, stderr, until }),
    }
}

fn judged(call: Call, clean: bool) -> Vec<Effect> {
    match call.name {
        Some(turn) => record(Fact::PassJudged { turn, clean }),
        None => Vec::new(),
    }
}

fn fallback_summary(s: &Session, call: &Call, why: &str) -> Vec<Effect> {
    let payload = match phase(s) {
        Phase::Summary { payloads, .. } => payloads.join("; "),
        _ => String::new(),
    };
    let text = format!("{} ({why})", Say::SummaryFallback.text(s.meta.lang()));
    let summary = gate::fallback(&payload);
    vec![Effect::Record(Fact::Noted { text }), Effect::Record(Fact::Summarized { at: call.round, summary })]
}
