//! Roles that the pilot assigns at start: `--roles writer=moderator,codex="database critic"` (PC-270, PC-692, AMB-39).

use crate::domain::lang::Lang;
use crate::domain::session::validate::forbidden_role;
use std::fmt;

/// Who can be named in `--roles`: its names on the command line (`writer`, vendor key, agent id) and its agent id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nameable {
    pub names: Vec<String>,
    pub agent_id: String,
}

/// Why `--roles` is refused. All of these are usage errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolesError {
    /// A part is not `agent=role`.
    Shape(String),
    /// Nobody of that name takes part; the second is who does.
    Unknown(String, String),
    /// A role that only the pilot may hold.
    Reserved(String),
    UnclosedQuote,
}

impl RolesError {
    pub fn text(&self, lang: Lang) -> String {
        let why = match (self, lang) {
            (RolesError::Shape(part), Lang::En) => {
                format!("`{part}` is not agent=role. Write writer=…,<agent>=…")
            }
            (RolesError::Shape(part), Lang::Ru) => {
                format!("`{part}` — не агент=роль. Пиши writer=…,<агент>=…")
            }
            (RolesError::Unknown(name, known), Lang::En) => {
                format!("`{name}` does not take part. Known here: {known}")
            }
            (RolesError::Unknown(name, known), Lang::Ru) => {
                format!("`{name}` не участвует. Здесь известны: {known}")
            }
            (RolesError::Reserved(role), Lang::En) => {
                format!("`{role}` is the pilot's own role and is never given to an agent. Choose another")
            }
            (RolesError::Reserved(role), Lang::Ru) => {
                format!("`{role}` — роль самого пилота, агенту её не дают. Выбери другую")
            }
            (RolesError::UnclosedQuote, Lang::En) => {
                "a quote is not closed. Write agent=\"role name\"".into()
            }
            (RolesError::UnclosedQuote, Lang::Ru) => "кавычка не закрыта. Пиши агент=\"имя роли\"".into(),
        };
        format!("--roles: {why}")
    }
}

impl fmt::Display for RolesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for RolesError {}

/// Agent id → roles, in the order of `participants` whatever the order on the command line. An agent named twice has
/// two roles.
pub fn parse(text: &str, participants: &[Nameable]) -> Result<Vec<(String, Vec<String>)>, RolesError> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for part in split(text)? {
        let (name, role) = part.split_once('=').ok_or_else(|| RolesError::Shape(part.clone()))?;
        let (name, role) = (name.trim(), role.split_whitespace().collect::<Vec<_>>().join(" "));
        if name.is_empty() || role.is_empty() || role.chars().any(char::is_control) {
            return Err(RolesError::Shape(part));
        }
        if forbidden_role(&role) {
            return Err(RolesError::Reserved(role));
        }
        let Some(agent) = participants.iter().find(|p| p.names.iter().any(|n| n == name)) else {
            let known: Vec<&str> =
                participants.iter().filter_map(|p| p.names.first()).map(String::as_str).collect();
            return Err(RolesError::Unknown(name.to_string(), known.join(", ")));
        };
        match found.iter_mut().find(|(id, _)| *id == agent.agent_id) {
            Some((_, roles)) => roles.push(role),
            None => found.push((agent.agent_id.clone(), vec![role])),
        }
    }
    found.sort_by_key(|(id, _)| participants.iter().position(|p| p.agent_id == *id));
    Ok(found)
}

/// Parts between commas. A comma in double quotes belongs to its role; the quotes themselves go.
fn split(text: &str) -> Result<Vec<String>, RolesError> {
    let (mut parts, mut quoted) = (vec![String::new()], false);
    for c in text.chars() {
        match (c, parts.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => parts.push(String::new()),
            (c, Some(part)) => part.push(c),
            (_, None) => {}
        }
    }
    if quoted { Err(RolesError::UnclosedQuote) } else { Ok(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn participants() -> Vec<Nameable> {
        [("writer", "claude-code"), ("codex", "codex"), ("kimi", "kimi-headless")]
            .map(|(name, id)| Nameable { names: vec![name.into(), id.into()], agent_id: id.into() })
            .to_vec()
    }

    #[test]
    fn pc_270_roles_from_the_command_line() {
        let want: Vec<(String, Vec<String>)> =
            [("claude-code", "moderator"), ("codex", "database critic"), ("kimi-headless", "client critic")]
                .map(|(id, role)| (id.to_string(), vec![role.to_string()]))
                .to_vec();
        for text in [
            "writer=moderator,codex=\"database critic\",kimi=\"client critic\"",
            "kimi-headless=client critic,codex=database  critic, writer=moderator",
        ] {
            assert_eq!(parse(text, &participants()), Ok(want.clone()), "{text}");
        }
        let some = parse("kimi=\"a, b\",kimi=c", &participants()).unwrap();
        assert_eq!(some, [("kimi-headless".to_string(), vec!["a, b".to_string(), "c".to_string()])]);
    }

    #[test]
    fn pc_692_the_pilots_roles_are_refused() {
        for role in ["R15", "R15-validator", "r15 accept", "\"critic, R15-x\""] {
            assert!(
                matches!(parse(&format!("codex={role}"), &participants()), Err(RolesError::Reserved(_))),
                "{role}"
            );
        }
        assert!(parse("codex=R150", &participants()).is_ok());
    }

    #[test]
    fn pc_008_mistakes_are_named() {
        for text in ["", "codex", "codex=", "=x", "codex=a,,kimi=b", "codex=a\u{7}b"] {
            assert!(matches!(parse(text, &participants()), Err(RolesError::Shape(_))), "{text:?}");
        }
        let error = parse("hermes=x", &participants()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--roles: `hermes` does not take part. Known here: writer, codex, kimi"
        );
        assert_eq!(parse("codex=\"a", &participants()), Err(RolesError::UnclosedQuote));
    }
}
