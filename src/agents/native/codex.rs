//! Command line of `codex exec`.

use super::Request;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Sandbox, Vendor};
use std::ffi::OsString;

/// The prefixes of its own variables.
pub const OWN_VARIABLES: &[&str] = &["OPENAI_", "CODEX_", "AZURE_OPENAI_"];

/// Everything that is not answering in text.
const OFF: [&str; 6] = [
    "web_search=disabled",
    "agents.enabled=false",
    "skills.include_instructions=false",
    "project_doc_max_bytes=0",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
];

/// A snapshot of the shell would keep the environment, with its keys, in a file.
const FEATURES_OFF: [&str; 9] = [
    "shell_tool",
    "unified_exec",
    "shell_snapshot",
    "view_image",
    "goals",
    "apps",
    "plugins",
    "hooks",
    "image_generation",
];

const SYSTEM: &str = "instructions=\"You take part in a written discussion between agents. All you know is in the \
message. Reply with text only, in exactly the form that the message asks for.\"";

/// The name of the provider that stands for a service of the user's own.
const PROVIDER: &str = "flightdeck";

/// What the provider of that name is beside its address. It logs in as the built-in one does (a key or ChatGPT) and sends
/// what that one sends; but it does not ask for a WebSocket seven times first, and the tries are the engine's.
const PROVIDER_IS: [&str; 8] = [
    "name=\"OpenAI\"",
    "wire_api=\"responses\"",
    "requires_openai_auth=true",
    "supports_websockets=false",
    "request_max_retries=0",
    "stream_max_retries=0",
    "env_http_headers.OpenAI-Organization=\"OPENAI_ORGANIZATION\"",
    "env_http_headers.OpenAI-Project=\"OPENAI_PROJECT\"",
];

/// Words in the user's own arguments that choose a provider; theirs is not to be replaced.
const CHOOSES: [&str; 4] = ["model_provider", "openai_base_url", "--oss", "--local-provider"];

/// In a call that edits: its own sandbox would let it write below the common temporary folder, where repositories may be.
const NO_SHARED_TMP: &str = "sandbox_workspace_write.exclude_slash_tmp=true";

/// Whether its own sandbox is off when it edits: it cannot be had inside of ours, so ours replaces it where it is asked for.
pub fn is_edit_in_ours(vendor: &Vendor) -> bool {
    matches!(vendor.sandbox, Some(Sandbox::Required | Sandbox::Bubblewrap))
}

pub fn args(request: &Request, vendor: &Vendor, env: &Vars) -> Vec<OsString> {
    let keeps_conversation = vendor.supports.session_id;
    let mut args: Vec<OsString> = [
        "exec",
        "--ignore-user-config",
        "--ignore-rules",
        "--skip-git-repo-check",
        "-s",
        match request.work {
            None => "read-only",
            Some(_) if is_edit_in_ours(vendor) => "danger-full-access",
            Some(_) => "workspace-write",
        },
        "--color",
        "never",
    ]
    .map(OsString::from)
    .into();
    let mut push = |words: &[&str]| args.extend(words.iter().map(OsString::from));
    for setting in OFF {
        push(&["-c", setting]);
    }
    push(&["-c", if request.work.is_some() { NO_SHARED_TMP } else { SYSTEM }]);
    for feature in FEATURES_OFF {
        // With a directory to read, reading is what the shell is for; the sandbox stays read-only.
        let is_reader = matches!(feature, "shell_tool" | "unified_exec");
        if (request.add_dir.is_none() && request.work.is_none()) || !is_reader {
            push(&["--disable", feature]);
        }
    }
    if !request.model.is_empty() {
        push(&["-m", request.model]);
    }
    // It does not read this variable: the prompt would go to another service than the one that the user named.
    if let Some(url) = env.text("OPENAI_BASE_URL").filter(|url| !url.trim().is_empty()) {
        let url = serde_json::Value::from(url);
        let is_chosen = |arg: &String| {
            CHOOSES.iter().any(|word| arg.contains(word))
                || arg.starts_with("-p")
                || arg.starts_with("--profile")
        };
        // A conversation goes on only with the provider that it began with, and may be older than this setting.
        if keeps_conversation || vendor.args.iter().any(is_chosen) {
            push(&["-c", &format!("openai_base_url={url}")]);
        } else {
            push(&["-c", &format!("model_provider=\"{PROVIDER}\"")]);
            push(&["-c", &format!("model_providers.{PROVIDER}.base_url={url}")]);
            for setting in PROVIDER_IS {
                push(&["-c", &format!("model_providers.{PROVIDER}.{setting}")]);
            }
        }
    }
    push(&["--json"]);
    if !keeps_conversation {
        push(&["--ephemeral"]);
    }
    // In an implementing call the sandbox of its own lets it write below this folder.
    if let Some(dir) = request.work.map(|work| work.dir.as_path()).or(request.add_dir) {
        args.extend(["-C".into(), dir.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    // All options stand before the word `resume`: after it they are errors.
    if let (true, Some(id)) = (keeps_conversation, request.conversation) {
        args.extend(["resume".into(), id.into()]);
    }
    args.push("-".into());
    args
}

/// Names of claude's models (PC-035).
pub fn is_foreign_model(model: &str) -> bool {
    super::is_claude_model(&model.to_ascii_lowercase())
}
