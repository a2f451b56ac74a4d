//! Our own adapters for vendor CLIs: which program, which arguments, which environment (PC-035, PC-062).
//!
//! The CLIs get text only: their tools are off in their own configuration, they run in an empty folder, and the prompt
//! goes to stdin. What they print is read by [`crate::agents::stream`].

pub mod binary;
mod claude;
mod codex;

use crate::agents::process::vars::Vars;
use crate::agents::registry::{Native, Vendor};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a native call needs besides the prompt.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// Empty for the CLI's own default.
    pub model: &'a str,
    /// A filtered, read-only copy (PC-063), never the original.
    pub add_dir: Option<&'a Path>,
    /// Conversation to resume; only for vendors whose `supports.session_id` is on.
    pub conversation: Option<&'a str>,
}

/// How the CLI is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The whole environment: nothing else is inherited.
    pub env: Vars,
    /// What was changed on the way, for stderr (PC-057).
    pub note: Option<String>,
}

/// Builds the command line, or says which program is missing. `inherited` is our own environment.
pub fn invocation(
    native: Native,
    vendor: &Vendor,
    request: &Request,
    inherited: &Vars,
) -> Result<Invocation, String> {
    let program = binary::find(native, vendor, inherited)?;
    let mut env = environment(native, inherited);
    vendor.env.iter().for_each(|(name, value)| env.set(name, value));
    let model = if request.model.is_empty() { vendor.model.as_str() } else { request.model };
    let is_foreign = match native {
        Native::Claude => claude::is_foreign_model(model),
        Native::Codex => codex::is_foreign_model(model),
    };
    let (model, note) = match is_foreign {
        true => (
            "",
            Some(format!("{}: model `{model}` belongs to another vendor; using the default", vendor.key)),
        ),
        false => (model, None),
    };
    let request = Request { model, ..request.clone() };
    let args = match native {
        Native::Claude => claude::args(&request, vendor, &env),
        Native::Codex => codex::args(&request, vendor),
    };
    Ok(Invocation { program, args, env, note })
}

/// The prompt as this CLI may see it.
pub fn prompt(native: Native, prompt: String) -> String {
    // claude takes a prompt that begins with `/` for a command of its own, answers it itself and exits with 0.
    if native == Native::Claude && prompt.starts_with('/') { format!("Message:\n{prompt}") } else { prompt }
}

/// Everything a CLI may see of our environment: what any program needs, proxies, and the vendor's own variables.
fn environment(native: Native, inherited: &Vars) -> Vars {
    let (own, fixed): (Vec<&str>, &[(&str, &str)]) = match native {
        Native::Claude => (claude::own_variables(inherited), claude::FIXED),
        Native::Codex => (codex::OWN_VARIABLES.into(), &[]),
    };
    let mut env = inherited.filtered(|name| {
        PLAIN.contains(&name)
            || name.starts_with("LC_")
            || name.starts_with("FLIGHTDECK_")
            || own.iter().any(|prefix| name.starts_with(prefix))
    });
    fixed.iter().for_each(|(name, value)| env.set(name, value));
    env.set("TERM", "dumb");
    env
}

const PLAIN: [&str; 19] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "XDG_CONFIG_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
];

#[cfg(test)]
mod tests;
