//! Command line of `claude -p` (Claude Code).

use super::Request;
use crate::agents::process::vars::Vars;
use crate::agents::registry::Vendor;
use std::ffi::OsString;

/// The prefixes of its own variables, and those of the cloud that the user's environment chooses for it.
pub fn own_variables(inherited: &Vars) -> Vec<&'static str> {
    let mut own = vec!["ANTHROPIC_", "CLAUDE_", "NODE_EXTRA_CA_CERTS"];
    if inherited.get("CLAUDE_CODE_USE_BEDROCK").is_some() {
        own.push("AWS_");
    }
    if inherited.get("CLAUDE_CODE_USE_VERTEX").is_some() {
        own.extend(["GOOGLE_", "GCLOUD_", "CLOUD_ML_", "VERTEX_"]);
    }
    own
}

/// Retries belong to the engine, and ten silent ones hide a wrong key for three minutes.
pub const FIXED: &[(&str, &str)] = &[
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// `@path` anywhere in a prompt makes claude read that file and send it, whatever `--tools` says. Foreign text must
/// not be able to do that; only this setting or `--bare` stops it.
const DENY_READ: &str = r#"{"permissions":{"deny":["Read"]}}"#;

pub fn args(request: &Request, vendor: &Vendor, env: &Vars) -> Vec<OsString> {
    let turns = env.text("CLAUDE_PEER_MAX_TURNS").and_then(|v| v.parse::<u32>().ok());
    let turns = turns.filter(|n| *n >= 2).unwrap_or(40).to_string();
    let mut args: Vec<OsString> = [
        "-p",
        "--output-format",
        "stream-json",
        "--include-partial-messages",
        "--verbose",
        "--tools",
        "",
        "--strict-mcp-config",
        "--setting-sources",
        "",
        "--disable-slash-commands",
        "--permission-mode",
        "dontAsk",
        "--max-turns",
        &turns,
        "--system-prompt",
        super::SYSTEM,
    ]
    .map(OsString::from)
    .into();
    // `--bare` knows no login but an API key, so it is only for those who have one.
    let mode: &[&str] = match env.get("ANTHROPIC_API_KEY") {
        Some(_) => &["--bare"],
        None => &["--safe-mode", "--settings", DENY_READ],
    };
    args.extend(mode.iter().map(OsString::from));
    if !vendor.supports.session_id {
        args.push("--no-session-persistence".into());
    } else if let Some(id) = request.conversation {
        args.extend(["--resume".into(), id.into()]);
    }
    if !request.model.is_empty() {
        args.extend(["--model".into(), request.model.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    args
}

/// The tools of an implementing call: it reads and edits. Running the project's checks is ours.
const EDITING: &str = "Read,Edit,Write,Glob,Grep";

/// What it must not read, however it is asked: its own login, settings and earlier conversations. The sandbox cannot hide
/// from a program what that program needs itself, and a prompt may hold `@path` from another agent.
fn deny_state(env: &Vars) -> String {
    let home = env.text("HOME").unwrap_or_default();
    let own = env.text("CLAUDE_CONFIG_DIR").map_or(format!("{home}/.claude"), String::from);
    // A path from the root begins with two strokes here.
    let places = [format!("/{own}/**"), format!("/{home}/.claude.json")];
    let rules = places.iter().flat_map(|at| [format!("Read({at})"), format!("Edit({at})")]);
    serde_json::json!({"permissions": {"deny": rules.collect::<Vec<_>>()}}).to_string()
}

/// The command line of a call that edits files of its working folder. `--bare` would leave it without the tools to look
/// for a file and to make a new one, so it is not used here, whatever the login.
pub fn edit_args(request: &Request, vendor: &Vendor, env: &Vars) -> Vec<OsString> {
    let mut args: Vec<OsString> = [
        "-p",
        "--output-format",
        "stream-json",
        "--include-partial-messages",
        "--verbose",
        "--tools",
        EDITING,
        "--strict-mcp-config",
        "--setting-sources",
        "",
        "--disable-slash-commands",
        "--permission-mode",
        "acceptEdits",
        "--max-turns",
        "200",
        "--no-session-persistence",
        "--safe-mode",
        "--settings",
    ]
    .map(OsString::from)
    .into();
    args.push(deny_state(env).into());
    let others = request.work.into_iter().flat_map(|work| &work.trees).map(|(_, at)| at);
    for tree in others {
        args.extend(["--add-dir".into(), tree.into()]);
    }
    if !request.model.is_empty() {
        args.extend(["--model".into(), request.model.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    args
}

/// Names that only other vendors use. Everything else is passed on: clouds have names of their own.
pub fn is_foreign_model(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    ["gpt", "o1", "o3", "o4", "codex", "chatgpt", "gemini", "kimi", "moonshot", "hermes"]
        .iter()
        .any(|p| model.starts_with(p))
}
