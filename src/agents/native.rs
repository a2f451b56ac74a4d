//! Our own adapters for vendor CLIs: which program, which arguments, which environment (PC-035, PC-062).
//!
//! The CLIs get text only: their tools are off in their own configuration, they run in an empty folder, and the prompt
//! goes to stdin wherever the CLI reads it there. What they print is read by [`crate::agents::stream`].

pub mod binary;
mod claude;
pub mod codex;
mod gemini;
mod hermes;
mod kimi;
pub mod known;
mod opencode;

use crate::agents::call::Work;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Native, Vendor};
use crate::agents::stream::kimi as wire;
use crate::agents::stream::mark::{self, Marks};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a native call needs besides the prompt.
#[derive(Clone)]
pub struct Request<'a> {
    /// Empty for the CLI's own default.
    pub model: &'a str,
    /// A filtered, read-only copy (PC-063), never the original.
    pub add_dir: Option<&'a Path>,
    /// Conversation to resume; only for vendors whose `supports.session_id` is on.
    pub conversation: Option<&'a str>,
    /// As [`prompt`] gives it.
    pub prompt: &'a str,
    /// The folder in which [`Invocation::files`] will be.
    pub setup: &'a Path,
    /// The call edits files, there and nowhere else.
    pub work: Option<&'a Work>,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Request {
            model: "",
            add_dir: None,
            conversation: None,
            prompt: "",
            setup: Path::new("/setup"),
            work: None,
        }
    }
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
    pub feed: Feed,
    /// What the CLI finds in the setup folder.
    pub files: Vec<Prepared>,
    /// Where it tells what the call cost, in the setup folder.
    pub usage_file: Option<&'static str>,
    /// Arguments with which it tells afterwards what its conversation has cost so far.
    pub account: Option<Vec<OsString>>,
    /// State of the vendor's that its variables do not tell.
    pub state: Vec<PathBuf>,
}

/// How the prompt gets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feed {
    Stdin,
    /// In the arguments already: this CLI reads nothing else.
    Argument,
    /// This text, after which stdin stays open until the stream is done.
    Wire(String),
}

/// A file of the setup folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Relative to the setup folder.
    pub name: String,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Text(String),
    Link(PathBuf),
}

impl Prepared {
    pub fn text(name: impl Into<String>, text: String) -> Prepared {
        Prepared { name: name.into(), content: Content::Text(text) }
    }

    pub fn link(name: impl Into<String>, to: PathBuf) -> Prepared {
        Prepared { name: name.into(), content: Content::Link(to) }
    }
}

/// The system prompt where a CLI takes one of ours.
pub const SYSTEM: &str = "You take part in a written discussion between agents. All you know is in the message; you have \
no tools and no files. Reply with text only, in exactly the form that the message asks for.";

/// What a CLI's version says about it: which program it is, or why it is not called. Only asked where a name alone does
/// not tell.
pub fn resolve(native: Native, version: &str) -> Result<Native, String> {
    match native {
        Native::Kimi => kimi::program(version),
        other => Ok(other),
    }
}

/// Whether this CLI can be called to edit files. The others are called for text only.
pub fn edits(native: Native) -> bool {
    matches!(native, Native::Claude | Native::Codex)
}

/// Whether [`resolve`] needs the version.
pub fn needs_version(native: Native) -> bool {
    native == Native::Kimi
}

/// Whether the CLI has this conversation, where it would begin a new one in silence. `env` is that of the call.
pub fn has_conversation(native: Native, env: &Vars, id: &str) -> bool {
    native != Native::Kimi || kimi::has_conversation(env, id)
}

/// Builds the command line, or says which program is missing. `inherited` is our own environment.
pub fn invocation(
    native: Native,
    vendor: &Vendor,
    request: &Request,
    inherited: &Vars,
) -> Result<Invocation, String> {
    let program = binary::find(native, vendor, inherited).map_err(|why| why.en)?;
    let model = if request.model.is_empty() { vendor.model.as_str() } else { request.model };
    let is_foreign = match native {
        Native::Claude => claude::is_foreign_model(model),
        Native::Codex => codex::is_foreign_model(model),
        Native::Gemini => gemini::is_foreign_model(model),
        Native::Opencode => opencode::is_foreign_model(model),
        Native::Kimi | Native::KimiCode => kimi::is_foreign_model(model),
        // It serves every provider's models.
        Native::Hermes => false,
    };
    let (model, note) = match is_foreign {
        true => (
            "",
            Some(format!("{}: model `{model}` belongs to another vendor; using the default", vendor.key)),
        ),
        false => (model, None),
    };
    let mut env = environment(native, model, inherited);
    vendor.env.iter().for_each(|(name, value)| env.set(name, value));
    let request = Request { model, ..request.clone() };
    let mut files = Vec::new();
    let mut state = Vec::new();
    let args = match native {
        Native::Claude if request.work.is_some() => claude::edit_args(&request, vendor, &env),
        Native::Claude => claude::args(&request, vendor, &env),
        Native::Codex => codex::args(&request, vendor, &env),
        Native::Gemini => {
            state.push(gemini::state(&env));
            files = gemini::files(&state[0], &env);
            gemini::set_home(&mut env, request.setup);
            gemini::args(&request, vendor)
        }
        Native::Opencode => {
            env.set("OPENCODE_CONFIG_CONTENT", opencode::config(env.text("OPENCODE_CONFIG_CONTENT")));
            if !vendor.supports.session_id {
                env.set("OPENCODE_DB", ":memory:");
            }
            opencode::args(&request, vendor)
        }
        Native::Kimi => {
            files = kimi::cli_files();
            kimi::cli_args(&request, vendor)
        }
        Native::KimiCode => {
            files = kimi::code_files();
            kimi::code_args(&request, vendor)
        }
        Native::Hermes => hermes::args(&request, vendor),
    };
    let feed = match native {
        Native::Kimi => Feed::Wire(wire::requests(request.prompt)),
        Native::KimiCode | Native::Hermes => Feed::Argument,
        _ => Feed::Stdin,
    };
    let resumed = hermes::resumed(&request, vendor).filter(|_| native == Native::Hermes);
    let usage_file = (native == Native::Hermes && resumed.is_none()).then_some(hermes::USAGE_FILE);
    let account = resumed.map(hermes::account);
    Ok(Invocation { program, args, env, note, feed, files, usage_file, account, state })
}

/// A prompt that begins so may be taken for a command of the CLI's own, a file or an option. claude answers such a command
/// itself and exits with 0.
pub fn plain_prompt(prompt: String) -> String {
    let is_special = prompt.starts_with(['/', '-', '!', '@']);
    if is_special { format!("Message:\n{prompt}") } else { prompt }
}

/// The prompt as this CLI may see it.
pub fn prompt(native: Native, prompt: String) -> String {
    let prompt = if native == Native::Codex { prompt } else { plain_prompt(prompt) };
    match native {
        Native::Claude | Native::Codex | Native::Opencode => prompt,
        Native::Gemini | Native::Kimi | Native::KimiCode => mark::ask(prompt, Marks::End),
        Native::Hermes => mark::ask(prompt, Marks::Both),
    }
}

/// Everything a CLI may see of our environment: what any program needs, proxies, and the vendor's own variables.
fn environment(native: Native, model: &str, inherited: &Vars) -> Vars {
    let names = |own: &[&str]| own.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let (own, fixed): (Vec<String>, &[(&str, &str)]) = match native {
        Native::Claude => (names(&claude::own_variables(inherited)), claude::FIXED),
        Native::Codex => (names(codex::OWN_VARIABLES), &[]),
        Native::Gemini => (names(gemini::OWN_VARIABLES), gemini::FIXED),
        Native::Opencode => (opencode::own_variables(model), opencode::FIXED),
        Native::Kimi | Native::KimiCode => (names(kimi::OWN_VARIABLES), kimi::FIXED),
        Native::Hermes => (names(hermes::OWN_VARIABLES), &[]),
    };
    let mut env = inherited.filtered(|name| {
        PLAIN.contains(&name)
            || name.starts_with("LC_")
            || name.starts_with("FLIGHTDECK_")
            || own.iter().any(|prefix| name.starts_with(prefix.as_str()))
    });
    fixed.iter().for_each(|(name, value)| env.set(name, value));
    env.set("TERM", "dumb");
    env
}

/// What any program may see of our environment.
pub fn plain_environment(inherited: &Vars) -> Vars {
    let mut env = inherited
        .filtered(|name| PLAIN.contains(&name) || name.starts_with("LC_") || name.starts_with("FLIGHTDECK_"));
    env.set("TERM", "dumb");
    env
}

/// A lower-case name of a claude model.
fn is_claude_model(model: &str) -> bool {
    matches!(model, "sonnet" | "opus" | "haiku") || model.starts_with("claude-")
}

const PLAIN: [&str; 22] = [
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
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
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
