//! What is known about the vendors' CLIs without calling a model: tested versions, signs of a login, abilities.

use crate::agents::process::vars::Vars;
use crate::agents::registry::Native;
use crate::domain::lang::{Both, Lang};
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
pub fn compared(native: Native, printed: &str, lang: Lang) -> String {
    let tested = tested(native);
    let than = |en, ru| format!("{} {tested}", lang.pick(en, ru));
    match (numbers(printed), numbers(tested)) {
        (Some(found), Some(known)) if found > known => than("newer than the tested", "новее проверенной"),
        (Some(found), Some(known)) if found < known => than("older than the tested", "старее проверенной"),
        (Some(_), _) => lang.pick("tested", "проверена").into(),
        (None, _) => than("no version in it; tested is", "версии в этом нет; проверена"),
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
pub fn login(native: Native, env: &Vars) -> Option<Both> {
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
    let set = variables.iter().find(|name| env.get(name).is_some());
    let variable = set.map(|name| Both::new(format!("${name} is set"), format!("${name} задана")));
    let file = || files.iter().map(|name| dir.join(name)).find(|path| Path::exists(path));
    let there = |path: PathBuf| {
        let path = path.display();
        Both::new(format!("{path} is there"), format!("{path} на месте"))
    };
    variable.or_else(|| file().map(there))
}

/// What the adapter gets out of the CLI besides the reply.
pub fn abilities(native: Native, lang: Lang) -> &'static str {
    let (en, ru) = match native {
        Native::Claude => {
            ("text as it comes, usage, cost, sessions", "текст по мере поступления, расход, цена, сессии")
        }
        Native::Codex => ("usage, sessions", "расход, сессии"),
        Native::Gemini | Native::Kimi => {
            ("text as it comes, usage, sessions", "текст по мере поступления, расход, сессии")
        }
        Native::Opencode => ("usage, cost, sessions", "расход, цена, сессии"),
        Native::KimiCode => (
            "sessions; the prompt is an argument, which other users of this machine can see",
            "сессии; промпт передаётся аргументом, его видят другие пользователи машины",
        ),
        Native::Hermes => (
            "usage, sessions; the prompt is an argument, which other users of this machine can see",
            "расход, сессии; промпт передаётся аргументом, его видят другие пользователи машины",
        ),
    };
    lang.pick(en, ru)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(compared(Native::Claude, "2.1.332 (Claude Code)", Lang::En), "tested");
        assert_eq!(compared(Native::Codex, "codex-cli 0.99.0", Lang::En), "older than the tested 0.171.0");
        assert_eq!(compared(Native::Kimi, "kimi, version 1.50.0", Lang::En), "tested");
        assert_eq!(
            compared(Native::Hermes, "Hermes Agent v0.20.1 (2026.11)", Lang::En),
            "newer than the tested 0.19.0"
        );
        assert!(compared(Native::Gemini, "a notice", Lang::En).starts_with("no version"));
    }

    #[test]
    fn pc_073_a_login_is_only_looked_for() {
        let home = tempfile::tempdir().unwrap();
        let vars: Vars = [("HOME", home.path())].into_iter().collect();
        assert_eq!(login(Native::Codex, &vars), None);
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(home.path().join(".codex/auth.json"), "secret").unwrap();
        let told = login(Native::Codex, &vars).unwrap().en;
        assert!(told.ends_with(".codex/auth.json is there") && !told.contains("secret"));
        let vars: Vars = [("ANTHROPIC_API_KEY", "secret")].into_iter().collect();
        assert_eq!(login(Native::Claude, &vars).unwrap().en, "$ANTHROPIC_API_KEY is set");
    }
}
