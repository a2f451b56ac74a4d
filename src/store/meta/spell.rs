//! How each value of `meta.yaml` is written (PC-160, PC-163 to PC-165, PC-193).

use crate::domain::session::meta::Meta;
use crate::store::yaml::quote;

/// Every key in writing order. `swap_history` is written once and never touched (AMB-24).
pub const KEYS: &[&str] = &[
    "task_id",
    "date",
    "session_id",
    "start_time",
    "end_time",
    "writer_agent",
    "personality",
    "peer_agent",
    "peer_cmd",
    "peer_agents",
    "peer_cmds",
    "round_order",
    "write_token_holder",
    "peer_model",
    "status",
    "turns_count",
    "turns_limit",
    "rounds_limit",
    "round_skips",
    "participant_status",
    "max_peer_attempts",
    "peer_attempts",
    "peer_failures",
    "handoff_history",
    "escalations_count",
    "extensions",
    "result_path",
    "task_description",
    "implementation_pipeline",
    "review_iterations",
    "verify_status",
    "deploy_shas",
    "writer_model_recommended",
    "roles",
    "discovery_turns",
    "ad_hoc_roles",
    "swap_history",
    "unresolved",
    "engine_phase",
    "engine_decision",
    "engine_result_class",
    "engine_lang",
];

/// What stands behind `key:`, a blank or a line break first. `None` for a key that a file without this value does not
/// have, and for a key that is not ours.
pub fn value(meta: &Meta, key: &str) -> Option<String> {
    let value = match key {
        "task_id" => quote(&meta.task_id),
        "date" => quote(&meta.date),
        "session_id" => quote(meta.session_id.as_str()),
        "start_time" => quote(&meta.start_time),
        "end_time" => quote(&meta.end_time),
        "writer_agent" => quote(&meta.writer_agent),
        "personality" => quote(&meta.personality),
        "peer_agent" => quote(&meta.peer_agent),
        "peer_cmd" => quote(&meta.peer_cmd),
        "peer_agents" => texts(&meta.peer_agents),
        "peer_cmds" => texts(&meta.peer_cmds),
        "round_order" => texts(&meta.round_order),
        "write_token_holder" => quote(&meta.write_token_holder),
        "peer_model" => quote(&meta.peer_model),
        "status" => quote(meta.status.key()),
        "turns_count" => meta.turns_count.to_string(),
        "turns_limit" => meta.turns_limit.to_string(),
        "rounds_limit" => meta.rounds_limit.to_string(),
        "round_skips" => {
            map(meta.round_skips.iter().map(|(n, vendors)| (format!("round_{n:02}"), texts(vendors))))
        }
        "participant_status" => map(meta.failed.iter().map(|vendor| (word(vendor), quote("failed")))),
        "max_peer_attempts" => meta.max_peer_attempts.to_string(),
        "peer_attempts" => map(meta.peer_attempts.iter().map(|(vendor, n)| (word(vendor), n.to_string()))),
        "peer_failures" => list(meta.peer_failures.iter().map(|failure| {
            let reason = quote(&failure.reason.to_string());
            format!("{{round: {}, vendor: {}, reason: {reason}}}", failure.round, quote(&failure.vendor))
        })),
        "handoff_history" => list(meta.handoff_history.iter().map(|h| {
            let (from, to, reason) = (quote(&h.from), quote(&h.to), quote(&h.reason));
            format!("{{round: {}, from: {from}, to: {to}, reason: {reason}}}", h.round)
        })),
        "escalations_count" => meta.escalations_count.to_string(),
        "extensions" if meta.extensions.is_empty() => "[]".into(),
        "extensions" => return Some(extensions(meta)),
        "result_path" => quote(&meta.result_path),
        "task_description" => quote(&meta.task_description),
        "implementation_pipeline" => meta.implementation_pipeline.to_string(),
        "review_iterations" => meta.review_iterations.to_string(),
        "verify_status" => quote(&meta.verify_status),
        "deploy_shas" => map(meta.deploy_shas.iter().map(|(repo, sha)| (quote(repo), quote(sha)))),
        "writer_model_recommended" => quote(&meta.writer_model_recommended),
        "roles" => map(meta.roles.iter().map(|(agent, roles)| (quote(agent), texts(roles)))),
        "discovery_turns" => meta.discovery_turns.to_string(),
        "ad_hoc_roles" => map(meta.ad_hoc_roles.iter().map(|role| {
            let (agent, why) = (quote(&role.agent_id), quote(&role.rationale));
            let turn = role.first_used_turn;
            (quote(&role.name), format!("{{agent_id: {agent}, rationale: {why}, first_used_turn: {turn}}}"))
        })),
        "swap_history" => "[]".into(),
        "unresolved" => meta.unresolved?.to_string(),
        "engine_phase" => quote(&meta.engine_phase),
        "engine_decision" => quote(meta.engine_decision.map_or("", |d| d.key())),
        "engine_result_class" => quote(meta.engine_result_class.map_or("", |c| c.key())),
        "engine_lang" => quote(meta.engine_lang?.key()),
        _ => return None,
    };
    Some(format!(" {value}"))
}

/// The block of PC-193.
fn extensions(meta: &Meta) -> String {
    let mut out = String::new();
    for extension in &meta.extensions {
        let turns: Vec<String> = extension.turns.iter().map(u32::to_string).collect();
        out.push_str(&format!("\n  - turns: [{}]", turns.join(", ")));
        out.push_str(&format!("\n    reason: {}", quote(&extension.reason)));
        out.push_str(&format!("\n    appended_at: {}", quote(&extension.appended_at)));
    }
    out
}

fn texts(items: &[String]) -> String {
    list(items.iter().map(|text| quote(text)))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn map(entries: impl Iterator<Item = (String, String)>) -> String {
    format!("{{{}}}", entries.map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", "))
}

/// A vendor key as a YAML key: plain where every YAML reader takes it for text, quoted otherwise.
fn word(text: &str) -> String {
    const NOT_TEXT: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        && !NOT_TEXT.iter().any(|w| text.eq_ignore_ascii_case(w));
    if plain { text.to_string() } else { quote(text) }
}
