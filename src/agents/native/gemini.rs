//! Command line of `gemini` (gemini-cli), and the home that it is given: its own settings would bring tools, servers,
//! extensions and memories, and settings of a folder only add to them. So it gets a home of its own, without anything
//! but the login.

use super::{Prepared, Request};
use crate::agents::process::vars::Vars;
use crate::agents::registry::Vendor;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The prefixes of its own variables.
pub const OWN_VARIABLES: &[&str] = &["GEMINI_", "GOOGLE_", "NODE_EXTRA_CA_CERTS"];

/// Without the first it starts a second process that a signal to the first does not reach.
pub const FIXED: &[(&str, &str)] = &[("GEMINI_CLI_NO_RELAUNCH", "true"), ("NO_BROWSER", "true")];

const SETTINGS: &str = ".gemini/settings.json";
const SYSTEM: &str = "system.md";

/// Files of its state folder by which it is logged in.
const LOGIN: [&str; 4] =
    ["oauth_creds.json", "google_accounts.json", "gemini-credentials.json", "installation_id"];

/// The real state folder.
pub fn state(env: &Vars) -> PathBuf {
    let home = env.get("GEMINI_CLI_HOME").or(env.get("HOME")).map(PathBuf::from).unwrap_or_default();
    home.join(".gemini")
}

pub fn files(state: &Path, env: &Vars) -> Vec<Prepared> {
    let auth = auth_type(state, env).map(|auth| json!({"auth": {"selectedType": auth}})).unwrap_or(json!({}));
    let settings = json!({
        "security": auth,
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "tools": {"core": []},
        "context": {"fileName": ["NO_SUCH_CONTEXT.md"], "includeDirectoryTree": false},
    });
    let login = LOGIN.iter().map(|name| (name, state.join(name))).filter(|(_, path)| path.exists());
    let login = login.map(|(name, path)| Prepared::link(format!(".gemini/{name}"), path));
    let own = [Prepared::text(SETTINGS, settings.to_string()), Prepared::text(SYSTEM, super::SYSTEM.into())];
    login.chain(own).collect()
}

/// How the user logs in: what the variables say, else the user's own settings.
fn auth_type(state: &Path, env: &Vars) -> Option<String> {
    let is_on = |name: &str| env.text(name).is_some_and(|value| value == "true" || value == "1");
    if is_on("GOOGLE_GENAI_USE_VERTEXAI") {
        return Some("vertex-ai".into());
    }
    if env.get("GEMINI_API_KEY").is_some() {
        return Some("gemini-api-key".into());
    }
    let settings: Value = serde_json::from_slice(&std::fs::read(state.join("settings.json")).ok()?).ok()?;
    let auth = &settings["security"]["auth"];
    let named = auth["enforcedType"].as_str().or(auth["selectedType"].as_str());
    named.or(settings["selectedAuthType"].as_str()).map(String::from)
}

pub fn set_home(env: &mut Vars, setup: &Path) {
    env.set("GEMINI_CLI_HOME", setup);
    env.set("GEMINI_SYSTEM_MD", setup.join(SYSTEM));
}

pub fn args(request: &Request, vendor: &Vendor) -> Vec<OsString> {
    let mut args: Vec<OsString> = [
        "--skip-trust",
        "--approval-mode",
        "default",
        "--extensions",
        "none",
        "--allowed-mcp-server-names",
        "none",
        "--output-format",
        "stream-json",
    ]
    .map(OsString::from)
    .into();
    if !request.model.is_empty() {
        args.extend(["--model".into(), request.model.into()]);
    }
    if let Some(id) = request.conversation {
        args.extend(["--resume".into(), id.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    args
}

/// Names that only other vendors use.
pub fn is_foreign_model(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    super::is_claude_model(&model)
        || ["gpt", "o1", "o3", "o4", "codex", "kimi", "moonshot"].iter().any(|p| model.starts_with(p))
}
