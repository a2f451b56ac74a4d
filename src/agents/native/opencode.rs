//! Command line of `opencode run`, and the configuration that is laid over the user's own: an agent without tools.

use super::Request;
use crate::agents::registry::Vendor;
use serde_json::json;
use std::ffi::OsString;

/// Its own variables, and those of the provider that the model's name begins with: a provider's key may be nowhere else.
pub fn own_variables(model: &str) -> Vec<String> {
    let provider = model.split_once('/').map(|(provider, _)| provider).unwrap_or_default();
    let clean: String = provider
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    let mut own = vec!["OPENCODE_".to_string()];
    match clean.as_str() {
        "" => {}
        "AMAZON_BEDROCK" => own.push("AWS_".into()),
        "GOOGLE" | "GOOGLE_VERTEX" => own.extend(["GOOGLE_".into(), "GEMINI_".into()]),
        _ => own.push(format!("{clean}_")),
    }
    own
}

pub const FIXED: &[(&str, &str)] = &[
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
];

const AGENT: &str = "flightdeck";

/// `OPENCODE_CONFIG_CONTENT`, over what the variable already holds.
pub fn config(inherited: Option<&str>) -> String {
    let given = inherited.and_then(|text| serde_json::from_str::<serde_json::Map<_, _>>(text).ok());
    let mut config = given.unwrap_or_default();
    for (key, value) in
        [("autoupdate", json!(false)), ("share", json!("disabled")), ("snapshot", json!(false))]
    {
        config.insert(key.into(), value);
    }
    config.insert("permission".into(), json!({"*": "deny"}));
    let agent = json!({"mode": "primary", "prompt": super::SYSTEM, "tools": {"*": false}, "permission": {"*": "deny"}});
    // Each new session would cost a second call of the model for its title.
    config.insert("agent".into(), json!({(AGENT): agent, "title": {"disable": true}}));
    serde_json::Value::Object(config).to_string()
}

pub fn args(request: &Request, vendor: &Vendor) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        ["run", "--pure", "--agent", AGENT, "--title", AGENT, "--format", "json"].map(OsString::from).into();
    // Its stdout does not tell of a limit until it has waited for it several times.
    args.extend(["--print-logs", "--log-level", "ERROR"].map(OsString::from));
    if !request.model.is_empty() {
        args.extend(["-m".into(), request.model.into()]);
    }
    if let Some(id) = request.conversation {
        args.extend(["-s".into(), id.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    args
}

/// It serves many providers and names a model `provider/model`; a bare name is another vendor's.
pub fn is_foreign_model(model: &str) -> bool {
    !model.is_empty() && !model.contains('/')
}
