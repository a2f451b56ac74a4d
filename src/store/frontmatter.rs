//! Splitting a turn file into frontmatter and body, and reading the head (PC-052, PC-235 ff., AMB-11).

use crate::domain::session::head::{ConsensusWord, Head, RoleAccepted};
use crate::domain::session::turn::{Turn, TurnName};
use crate::store::yaml;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Frontmatter larger than this is refused: it is not a head but a mistake.
const HEAD_LIMIT: usize = 64 * 1024;

/// The YAML text between the fences and the offset of the body behind the closing fence. `None` when the first
/// non-empty line is not `---` or no later line closes it. Only the first two `---` lines count (AMB-11).
pub fn split(text: &str) -> Option<(&str, usize)> {
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut head_at = None;
    for line in text[at..].split_inclusive('\n') {
        let (start, bare) = (at, line.trim_end_matches(['\n', '\r']));
        at += line.len();
        match head_at {
            None if bare.trim().is_empty() => {}
            None if bare.trim_end() == "---" => head_at = Some(at),
            None => return None,
            Some(from) if bare.trim_end() == "---" => return Some((&text[from..start], at)),
            Some(from) if at - from > HEAD_LIMIT => return None,
            Some(_) => {}
        }
    }
    None
}

/// The mapping of the frontmatter and the body's offset.
pub fn read(text: &str) -> Result<(Map<String, Value>, usize), String> {
    let (head, body_at) = split(text).ok_or("no frontmatter")?;
    Ok((yaml::mapping(head)?, body_at))
}

/// A turn as read from a file or a reply. Never fails: what is wrong with the head is inside.
pub fn turn(name: TurnName, text: impl Into<Arc<str>>) -> Turn {
    let text = text.into();
    let (head, body_at) = match read(&text) {
        Ok((map, at)) => (Ok(head(&map)), at),
        Err(problem) => (Err(problem), split(&text).map_or(0, |(_, at)| at)),
    };
    Turn::new(name, head, text, body_at)
}

fn head(map: &Map<String, Value>) -> Head {
    Head {
        turn: map.get("turn").and_then(count),
        role: text(map, "role"),
        agent_id: text(map, "agent_id"),
        content_role: text(map, "content_role"),
        process_position: text(map, "process_position"),
        timestamp: text(map, "timestamp"),
        consensus: ConsensusWord::parse(&text(map, "consensus")).unwrap_or_default(),
        role_accepted: match map.get("role_accepted").map(plain).as_deref() {
            Some("true") => Some(RoleAccepted::Yes),
            Some("false") => Some(RoleAccepted::No),
            Some("clarify") => Some(RoleAccepted::Clarify),
            _ => None,
        },
        proposed_roles: map.get("proposed_roles").map(pairs).unwrap_or_default(),
        suggested_initiator_role: text(map, "suggested_initiator_role"),
        agreed_roles: map.get("agreed_roles").map(pairs),
        writer_role: text(map, "writer_role"),
        discovery_turns: map.get("discovery_turns").and_then(count),
        accepts: match map.get("accepts") {
            Some(Value::Array(items)) => items.iter().map(plain).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        },
    }
}

fn text(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).map(plain).unwrap_or_default()
}

/// A scalar as text; collections and null give nothing.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_string(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => String::new(),
    }
}

fn count(value: &Value) -> Option<u32> {
    plain(value).parse().ok()
}

fn pairs(value: &Value) -> Vec<(String, String)> {
    let Value::Object(map) = value else { return Vec::new() };
    map.iter()
        .map(|(key, value)| {
            let value = match value {
                Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
                other => plain(other),
            };
            (key.clone(), value)
        })
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amb_11_only_the_first_two_fences_count() {
        let text = "\n---\nturn: 1\nrole: peer\n---\n\nbody\n---\nmore\n";
        let turn = turn(TurnName::peer(1), text);
        assert_eq!(turn.head.as_ref().unwrap().turn, Some(1));
        assert_eq!(turn.body(), "body\n---\nmore\n");
        assert!(split("-------\na: 1\n---\n").is_none());
        assert!(split("text\n---\na: 1\n---\n").is_none());
    }

    #[test]
    fn pc_274_heads_of_discovery() {
        let text = "---\nturn: 0\nrole: peer\nagent_id: codex\ncontent_role: \"cost critic\"\nrole_accepted: true\nconsensus: none\n---\n\nyes\n";
        let head = turn(TurnName::peer_of(0, "codex"), text).head.unwrap();
        assert_eq!(head.role_accepted, Some(RoleAccepted::Yes));
        assert_eq!(head.content_role, "cost critic");
        let text = "---\nagreed_roles: {\"codex\": \"a\", kimi: [b, c]}\naccepts: [kimi]\n---\nx";
        let head = turn(TurnName::writer(1), text).head.unwrap();
        assert_eq!(
            head.agreed_roles.unwrap(),
            [("codex".into(), "a".into()), ("kimi".into(), "b, c".into())]
        );
        assert_eq!(head.accepts, ["kimi"]);
    }

    #[test]
    fn broken_heads_are_kept_as_problems() {
        let turn = turn(TurnName::peer(1), "---\na: [\n---\nbody");
        assert!(turn.head.is_err());
        assert_eq!(turn.body(), "body");
    }
}
