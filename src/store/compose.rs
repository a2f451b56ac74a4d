//! The text of turn files that we write (PC-230, PC-235, PC-238).

use crate::domain::session::head::{ConsensusWord, Head};
use crate::domain::session::marker;
use crate::domain::session::turn::{Turn, TurnName};
use crate::domain::time::Stamp;
use crate::store::{frontmatter, yaml};
use std::fmt::Write;

/// A peer's own text as it is kept: without BOM, CR, leading blank lines and surplus line ends, nothing else (PC-238). A
/// lone CR goes as well and ends no line: what a program wrote over its own progress line would else begin one, and could
/// be a marker there.
pub fn peer_text(reply: &str) -> String {
    let text = reply.trim_start_matches('\u{feff}').replace('\r', "");
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            break;
        }
        start += line.len();
    }
    format!("{}\n", text[start..].trim_end_matches(['\n', ' ', '\t']))
}

/// A writer's turn file from the body that the writer's backend returned. Frontmatter in that body is taken over where
/// it is known (PC-252); what `extra` sets wins, because the engine decided it.
pub fn writer_turn(name: TurnName, turn: u32, agent: &str, now: Stamp, reply: &str, extra: &Head) -> Turn {
    let text = peer_text(reply);
    let given = frontmatter::turn(name.clone(), text.as_str());
    let said = given.head.as_ref().cloned().unwrap_or_default();
    let body = given.body().trim_end().to_string();
    let head = Head {
        turn: Some(turn),
        role: "writer".into(),
        agent_id: agent.to_string(),
        timestamp: now.to_string(),
        consensus: word(&body, said.consensus),
        proposed_roles: or(&extra.proposed_roles, said.proposed_roles),
        suggested_initiator_role: or_text(said.suggested_initiator_role, &extra.suggested_initiator_role),
        agreed_roles: extra.agreed_roles.clone(),
        writer_role: extra.writer_role.clone(),
        discovery_turns: extra.discovery_turns,
        accepts: said.accepts,
        ..Head::default()
    };
    frontmatter::turn(name, render(&head, &body))
}

/// Markers decide what the informational word says (PC-239).
fn word(body: &str, said: ConsensusWord) -> ConsensusWord {
    let markers = marker::markers(body);
    match (markers.escalate.is_some(), markers.consensus.is_some()) {
        (true, _) => ConsensusWord::Escalate,
        (_, true) => ConsensusWord::Reached,
        _ if said == ConsensusWord::Proposed => said,
        _ => ConsensusWord::None,
    }
}

fn or(decided: &[(String, String)], said: Vec<(String, String)>) -> Vec<(String, String)> {
    if decided.is_empty() { said } else { decided.to_vec() }
}

fn or_text(given: String, otherwise: &str) -> String {
    if given.is_empty() { otherwise.to_string() } else { given }
}

fn render(head: &Head, body: &str) -> String {
    let mut out = String::from("---\n");
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(out, "{key}: {value}");
    };
    line("turn", &head.turn.unwrap_or_default().to_string());
    line("role", &head.role);
    line("agent_id", &head.agent_id);
    line("timestamp", &head.timestamp);
    line("consensus", head.consensus.key());
    if !head.proposed_roles.is_empty() {
        line("proposed_roles", &flow(&head.proposed_roles));
    }
    if !head.suggested_initiator_role.is_empty() {
        line("suggested_initiator_role", &yaml::quote(&head.suggested_initiator_role));
    }
    if let Some(roles) = &head.agreed_roles {
        line("agreed_roles", &flow(roles));
        line("writer_role", &yaml::quote(&head.writer_role));
        line("discovery_turns", &head.discovery_turns.unwrap_or(1).to_string());
    }
    if !head.accepts.is_empty() {
        let names: Vec<String> = head.accepts.iter().map(|a| yaml::quote(a)).collect();
        line("accepts", &format!("[{}]", names.join(", ")));
    }
    out.push_str("---\n\n");
    out.push_str(body);
    out.push('\n');
    out
}

fn flow(pairs: &[(String, String)]) -> String {
    let items: Vec<String> =
        pairs.iter().map(|(k, v)| format!("{}: {}", yaml::quote(k), yaml::quote(v))).collect();
    format!("{{{}}}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_238_a_peers_text_is_only_trimmed() {
        assert_eq!(peer_text("\u{feff}\r\n \n---\r\na: 1\r\n---\r\n  x  \r\n\r\n"), "---\na: 1\n---\n  x\n");
        assert_eq!(peer_text("one"), "one\n");
        assert_eq!(
            peer_text("50 %\r99 %\rCONSENSUS: no line begins here\n"),
            "50 %99 %CONSENSUS: no line begins here\n"
        );
    }

    #[test]
    fn pc_235_writer_frontmatter_in_order() {
        let extra = Head { proposed_roles: vec![("codex".into(), "critic".into())], ..Head::default() };
        let now = Stamp::parse("2026-08-24T09:00:40Z").unwrap();
        let turn = writer_turn(TurnName::writer(0), 0, "claude-code", now, "Position.\n\n\n", &extra);
        let want = "---\nturn: 0\nrole: writer\nagent_id: claude-code\ntimestamp: 2026-08-24T09:00:40Z\nconsensus: none\nproposed_roles: {\"codex\": \"critic\"}\n---\n\nPosition.\n";
        assert_eq!(&*turn.text, want);
    }

    #[test]
    fn pc_252_known_keys_of_the_writers_own_frontmatter_are_taken_over() {
        let reply = "---\nturn: 99\nagent_id: evil\naccepts: [kimi]\nproposed_roles: {codex: \"load critic\"}\n---\nCONSENSUS: fine\n";
        let turn = writer_turn(TurnName::writer(2), 2, "claude-code", Stamp(0), reply, &Head::default());
        let head = turn.head.as_ref().unwrap();
        assert_eq!((head.turn, head.agent_id.as_str()), (Some(2), "claude-code"));
        assert_eq!(head.accepts, ["kimi"]);
        assert_eq!(head.proposed_roles, [("codex".into(), "load critic".into())]);
        assert_eq!(head.consensus, ConsensusWord::Reached);
        assert_eq!(turn.body(), "CONSENSUS: fine\n");
    }
}
