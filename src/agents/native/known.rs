//! What is known about the vendors' CLIs without calling a model: tested versions, signs of a login, abilities.

use crate::agents::process::vars::Vars;
use crate::agents::registry::Native;
use std::path::{Path, PathBuf};

/// The version that the adapter was tried and recorded with.
pub fn tested(native: Native) -> &'static str {
    match native {
        Native::Claude => "2.1.332",
        Native::Codex => "0.171.0",
        Native::Gemini => "0.61.0",
        Native::Opencode => "1.18.33",
        Native::Kimi => "1.50.0",
        Native::KimiCode => "2.1.0",
        Native::Hermes => "0.19.0",
    }
}

/// How a printed version compares with the tested one, for people.
pub fn compared(native: Native, printed: &str) -> String {
    let tested = tested(native);
    match (numbers(printed), numbers(tested)) {
        (Some(found), Some(known)) if found > known => format!("newer than the tested {tested}"),
        (Some(found), Some(known)) if found < known => format!("older than the tested {tested}"),
        (Some(_), _) => "tested".into(),
        (None, _) => format!("no version in it; tested is {tested}"),
    }
}

/// The first `1.2` or `1.2.3` of a line.
fn numbers(line: &str) -> Option<Vec<u64>> {
    let of = |word: &str| {
        let word = word.trim_start_matches('v').trim_end_matches([',', ')', ';']);
        let parts: Option<Vec<u64>> = word.split('.').map(|part| part.parse().ok()).collect();
        parts.filter(|parts| parts.len() > 1)
    };
    line.split([' ', '/', '(']).find_map(of)
}

/// What speaks for a login: a variable, or a file. `None` when nothing does, which proves nothing: a keyring may hold it.
pub fn login(native: Native, env: &Vars) -> Option<String> {
    let home = env.get("HOME").map(PathBuf::from).unwrap_or_default();
    let own = |variable: &str, default: &str| env.get(variable).map_or(home.join(default), PathBuf::from);
    let (variables, dir, files): (&[&str], PathBuf, &[&str]) = match native {
        Native::Claude => (
            &[
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
                "CLAUDE_CODE_OAUTH_TOKEN",
                "CLAUDE_CODE_USE_BEDROCK",
                "CLAUDE_CODE_USE_VERTEX",
            ],
            own("CLAUDE_CONFIG_DIR", ".claude"),
            &[".credentials.json"],
        ),
        Native::Codex => (&["CODEX_API_KEY"], own("CODEX_HOME", ".codex"), &["auth.json"]),
        Native::Gemini => (
            &["GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
            super::gemini::state(env),
            &["oauth_creds.json", "gemini-credentials.json"],
        ),
        Native::Opencode => (&[], own("XDG_DATA_HOME", ".local/share").join("opencode"), &["auth.json"]),
        Native::Kimi => (&["KIMI_API_KEY"], own("KIMI_SHARE_DIR", ".kimi"), &["credentials", "config.toml"]),
        Native::KimiCode => {
            (&["KIMI_API_KEY"], own("KIMI_CODE_HOME", ".kimi-code"), &["credentials", "config.toml"])
        }
        Native::Hermes => (&[], own("HERMES_HOME", ".hermes"), &["auth.json", ".env", "config.yaml"]),
    };
    let variable =
        variables.iter().find(|name| env.get(name).is_some()).map(|name| format!("${name} is set"));
    let file = || files.iter().map(|name| dir.join(name)).find(|path| Path::exists(path));
    variable.or_else(|| file().map(|path| format!("{} is there", path.display())))
}

/// What the adapter gets out of the CLI besides the reply.
pub fn abilities(native: Native) -> &'static str {
    match native {
        Native::Claude => "text as it comes, usage, cost, sessions",
        Native::Codex => "usage, sessions",
        Native::Gemini => "text as it comes, usage, sessions",
        Native::Opencode => "usage, cost, sessions",
        Native::Kimi => "text as it comes, usage, sessions",
        Native::KimiCode => "sessions; the prompt is an argument, which other users of this machine can see",
        Native::Hermes => {
            "usage, sessions; the prompt is an argument, which other users of this machine can see"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(compared(Native::Claude, "2.1.332 (Claude Code)"), "tested");
        assert_eq!(compared(Native::Codex, "codex-cli 0.99.0"), "older than the tested 0.171.0");
        assert_eq!(compared(Native::Kimi, "kimi, version 1.50.0"), "tested");
        assert_eq!(
            compared(Native::Hermes, "Hermes Agent v0.20.1 (2026.11)"),
            "newer than the tested 0.19.0"
        );
        assert!(compared(Native::Gemini, "a notice").starts_with("no version"));
    }

    #[test]
    fn pc_073_a_login_is_only_looked_for() {
        let home = tempfile::tempdir().unwrap();
        let vars: Vars = [("HOME", home.path())].into_iter().collect();
        assert_eq!(login(Native::Codex, &vars), None);
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(home.path().join(".codex/auth.json"), "secret").unwrap();
        let told = login(Native::Codex, &vars).unwrap();
        assert!(told.ends_with(".codex/auth.json is there") && !told.contains("secret"));
        let vars: Vars = [("ANTHROPIC_API_KEY", "secret")].into_iter().collect();
        assert_eq!(login(Native::Claude, &vars).unwrap(), "$ANTHROPIC_API_KEY is set");
    }
}
