//! Command lines of the two programs called `kimi`: kimi-cli, to which the prompt goes by wire, and kimi-code, which takes
//! it as an argument. Only their versions tell them apart.

use super::{Prepared, Request};
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Native, Vendor};
use crate::agents::stream::one_line;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The prefixes of their own variables.
pub const OWN_VARIABLES: &[&str] = &["KIMI_", "MOONSHOT_"];

pub const FIXED: &[(&str, &str)] = &[("KIMI_CLI_NO_AUTO_UPDATE", "1"), ("KIMI_CODE_NO_AUTO_UPDATE", "1")];

/// The last kimi-cli that calls a model: its successors print a notice, whatever they are asked, and exit with 0.
const LAST_KIMI_CLI: (u32, u32) = (1, 50);

/// Which of them prints this for `--version`: `kimi, version 1.50.0` or `2.1.0`.
pub fn program(version: &str) -> Result<Native, String> {
    let line = version.trim();
    if let Some(number) = line.strip_prefix("kimi, version ") {
        return match numbers(number) {
            Some(found) if found > LAST_KIMI_CLI => Err(format!(
                "kimi-cli {number} is archived: it prints a notice and calls no model; install kimi-code, or kimi-cli 1.50"
            )),
            Some(_) => Ok(Native::Kimi),
            None => Err(unknown(line)),
        };
    }
    match numbers(line) {
        Some(_) => Ok(Native::KimiCode),
        None => Err(unknown(line)),
    }
}

fn unknown(line: &str) -> String {
    format!(
        "`kimi --version` gives no version of kimi-cli or kimi-code: {}; kimi-cli 1.51 and newer are archived, install kimi-code, or kimi-cli 1.50",
        one_line(line)
    )
}

/// Major and minor.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    let major = parts.next()?.parse().ok()?;
    Some((major, parts.next()?.parse().ok()?))
}

const AGENT_YAML: &str = "agent.yaml";
const SYSTEM: &str = "system.md";
const NO_SERVERS: &str = "mcp.json";
const AGENT_MD: &str = "agent.md";

pub fn cli_files() -> Vec<Prepared> {
    let agent = json!({"version": 1, "agent": {"name": "flightdeck", "system_prompt_path": "./system.md", "tools": []}});
    vec![
        // JSON is YAML.
        Prepared::text(AGENT_YAML, agent.to_string()),
        Prepared::text(SYSTEM, super::SYSTEM.into()),
        Prepared::text(NO_SERVERS, "{\"mcpServers\": {}}".into()),
    ]
}

pub fn cli_args(request: &Request, vendor: &Vendor) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec![
        "--agent-file".into(),
        request.setup.join(AGENT_YAML).into(),
        // Without a file of ours it starts the servers of the user's own.
        "--mcp-config-file".into(),
        request.setup.join(NO_SERVERS).into(),
        "--wire".into(),
    ];
    if !request.model.is_empty() {
        args.extend(["--model".into(), request.model.into()]);
    }
    if let Some(id) = request.conversation {
        args.extend(["-r".into(), id.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    args
}

/// kimi-cli takes any id and begins a conversation of that name when there is none. It keeps them by working folder.
pub fn has_conversation(env: &Vars, id: &str) -> bool {
    let home = || env.get("HOME").map(|home| PathBuf::from(home).join(".kimi"));
    let share = env.get("KIMI_SHARE_DIR").map(PathBuf::from).or_else(home).unwrap_or_default();
    let is_name = !id.is_empty() && !id.contains(['/', '\0']) && !id.starts_with('.');
    let folders = share.join("sessions").read_dir().into_iter().flatten().flatten();
    is_name && folders.map(|folder| folder.path().join(id)).any(|path| path.exists())
}

pub fn code_files() -> Vec<Prepared> {
    let head = "---\nname: flightdeck\ndescription: answers with text only\ntools: []\n---\n";
    vec![Prepared::text(AGENT_MD, format!("{head}{}\n", super::SYSTEM))]
}

pub fn code_args(request: &Request, vendor: &Vendor) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec!["--output-format".into(), "stream-json".into()];
    match request.conversation {
        // A resumed session keeps its agent.
        Some(id) => args.extend(["-S".into(), id.into()]),
        None => args.extend(["--agent-file".into(), agent_md(request.setup)]),
    }
    if !request.model.is_empty() {
        args.extend(["-m".into(), request.model.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    // One word, so that no prompt is taken for an option.
    args.push(format!("--prompt={}", request.prompt).into());
    args
}

fn agent_md(setup: &Path) -> OsString {
    setup.join(AGENT_MD).into()
}

/// Names that only other vendors use.
pub fn is_foreign_model(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    super::is_claude_model(&model)
        || ["gpt", "o1", "o3", "o4", "codex", "gemini"].iter().any(|p| model.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_061_kimi_cli_has_the_conversations_that_it_keeps() {
        let home = tempfile::tempdir().unwrap();
        let vars: Vars = [("HOME", home.path())].into_iter().collect();
        assert!(!has_conversation(&vars, "3f2a"));
        std::fs::create_dir_all(home.path().join(".kimi/sessions/d05b/3f2a")).unwrap();
        assert!(has_conversation(&vars, "3f2a"));
        assert!(!has_conversation(&vars, "../d05b") && !has_conversation(&vars, ""));
        let vars: Vars =
            [("HOME", home.path().into()), ("KIMI_SHARE_DIR", home.path().join("x"))].into_iter().collect();
        assert!(!has_conversation(&vars, "3f2a"));
    }

    #[test]
    fn pc_035_two_programs_of_one_name() {
        assert_eq!(program("kimi, version 1.50.0\n"), Ok(Native::Kimi));
        assert_eq!(program("kimi, version 1.9.2"), Ok(Native::Kimi));
        assert_eq!(program("2.1.0\n"), Ok(Native::KimiCode));
        for archived in ["kimi, version 1.51.0", "kimi, version 1.52.0", "kimi, version 2.0.0"] {
            assert!(program(archived).unwrap_err().contains("is archived"), "{archived}");
        }
        let notice = "This program has moved. \u{1b}[31mGet the new one.";
        let refused = program(notice).unwrap_err();
        assert!(refused.contains("This program has moved.") && !refused.contains('\u{1b}'), "{refused}");
        assert!(program("").is_err());
    }
}
