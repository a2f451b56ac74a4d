//! The vendor registry: the only place that maps a vendor to its adapter, agent ids and limits (PC-030 to PC-035).
//!
//! The embedded entries come first, then those of the user's and the project's config, key by key.

mod draft;
mod suggest;
mod value;

pub mod places;

use draft::Draft;
pub use places::SkillPaths;
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The commented default, also what a user may copy from.
pub const EMBEDDED: &str = include_str!("../../assets/vendors.yaml");

/// Longest reply in bytes unless a vendor says otherwise.
pub const OUTPUT_CAP: usize = 4 * 1024 * 1024;

/// Adapter deadline unless the vendor or `IWE_PEER_TIMEOUT_SECONDS` says otherwise (PC-068).
pub const DEADLINE: Duration = Duration::from_secs(300);

/// How a vendor is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Any executable that keeps the adapter contract (group C).
    Script,
    /// One of our own adapters.
    Native(Native),
    /// Any program that speaks the Agent Client Protocol on its standard streams.
    Acp,
    /// `<this program> rehearse <story> <role>`, called like a script.
    Rehearsal { story: String, role: String },
    /// The pilot writes the turns by hand; never called, never a peer.
    Pilot,
}

/// The programs that have an adapter inside the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Native {
    Claude,
    Codex,
    Gemini,
    Opencode,
    /// What a registry entry says for either program of that name, and the older of the two (kimi-cli).
    Kimi,
    /// The newer program called `kimi` (kimi-code). Known by its version only, so no entry names it.
    KimiCode,
    Hermes,
}

impl Native {
    /// The adapter of a vendor key.
    pub fn of(key: &str) -> Option<Native> {
        use Native::*;
        [Claude, Codex, Gemini, Opencode, Kimi, Hermes].into_iter().find(|native| native.command() == key)
    }

    /// The name of its command, and of the vendor.
    pub fn command(self) -> &'static str {
        match self {
            Native::Claude => "claude",
            Native::Codex => "codex",
            Native::Gemini => "gemini",
            Native::Opencode => "opencode",
            Native::Kimi | Native::KimiCode => "kimi",
            Native::Hermes => "hermes",
        }
    }
}

/// Whether calls of a vendor are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    /// Where it can be enforced.
    Auto,
    /// Or not called at all.
    Required,
    /// By bubblewrap, or not called at all.
    Bubblewrap,
    Off,
}

/// What becomes of an agent's requests for leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permissions {
    #[default]
    Refuse,
    /// The pilot decides about each.
    Ask,
}

/// Optional flags of the contract that a vendor's adapter takes (PC-056).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Supports {
    pub add_dir: bool,
    pub model: bool,
    pub session_id: bool,
}

/// The longest prompt that a vendor takes (PC-033). Over it the call is refused, never cut (PC-050).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptLimit {
    Chars(usize),
    Bytes(usize),
}

impl PromptLimit {
    pub fn allows(self, prompt: &str) -> bool {
        match self {
            PromptLimit::Chars(max) => prompt.chars().count() <= max,
            PromptLimit::Bytes(max) => prompt.len() <= max,
        }
    }
}

impl fmt::Display for PromptLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PromptLimit::Chars(max) => write!(f, "{max} characters"),
            PromptLimit::Bytes(max) => write!(f, "{max} bytes"),
        }
    }
}

/// One entry of the registry, complete.
#[derive(Debug, Clone, PartialEq)]
pub struct Vendor {
    /// `PEER_VENDOR`; also part of file names.
    pub key: String,
    pub kind: Kind,
    /// The adapter of a script vendor; `None` when no place of PC-032 has it.
    pub path: Option<PathBuf>,
    /// The CLI of a native or ACP vendor (or the program of a rehearsal) when the config names it. A bare name is looked up
    /// in `PATH`.
    pub bin: Option<PathBuf>,
    /// `PEER_AGENT_ID`.
    pub agent_id: String,
    /// The agent id when this vendor writes.
    pub writer_agent_id: String,
    /// The name that session-guard uses.
    pub guard_agent: String,
    /// The entry of `peer_cmds` in `meta.yaml`.
    pub peer_cmd: String,
    /// A command that must be found beside the adapter (PC-102).
    pub needs: Option<String>,
    /// The model when a call names none; empty for the CLI's own default.
    pub model: String,
    /// Appended to the arguments of the adapter or CLI.
    pub args: Vec<String>,
    /// Added to the environment of its calls.
    pub env: Vec<(String, String)>,
    /// From start to end of one call (PC-068).
    pub deadline: Duration,
    /// Longest silence on stdout.
    pub idle: Option<Duration>,
    pub prompt_limit: Option<PromptLimit>,
    pub supports: Supports,
    /// Longest reply in bytes.
    pub output_cap: usize,
    /// How often a call is made again by itself after trouble that passes.
    pub retries: u32,
    /// `None` when nobody has said.
    pub sandbox: Option<Sandbox>,
    pub permissions: Permissions,
    /// How long what an agent asks leave for waits for the pilot.
    pub patience: Duration,
    /// Files and folders that a confined call may change besides its scratch folder.
    pub state: Vec<PathBuf>,
    /// Where the effective adapter comes from, for the settings view (PC-032).
    pub source: String,
}

/// The `vendors` mapping of one config file.
#[derive(Debug, Clone)]
pub struct Overlay {
    pub vendors: Map<String, Value>,
    /// Relative paths in it are relative to this folder.
    pub base: PathBuf,
    /// The file's name in messages.
    pub origin: String,
}

/// Something in a config that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The file, or `environment`.
    pub origin: String,
    /// Dotted key, for example `vendors.alpha.deadline`.
    pub key: String,
    /// Cause and next step.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.origin, self.key, self.message)
    }
}

impl std::error::Error for ConfigProblem {}

/// All vendors, the embedded ones first, in the order of the files.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    pub vendors: Vec<Vendor>,
}

impl Registry {
    /// Reads the embedded entries and lays the overlays over them in order. Reports every problem at once.
    pub fn load(overlays: &[Overlay], paths: &SkillPaths) -> Result<Registry, Vec<ConfigProblem>> {
        let mut problems = Vec::new();
        let deadline = value::env_deadline(paths.timeout.as_deref(), &mut problems);
        let mut drafts: Vec<Draft> = Vec::new();
        match embedded() {
            Ok(layer) => draft::apply(&layer, paths, &mut drafts, &mut problems),
            Err(problem) => problems.push(problem),
        }
        for layer in overlays {
            draft::apply(layer, paths, &mut drafts, &mut problems);
        }
        // A draft whose keys were wrong would only give a second complaint about the same thing.
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut vendors = Vec::with_capacity(drafts.len());
        for draft in drafts {
            match draft.finish(deadline, paths) {
                Ok(vendor) => vendors.push(vendor),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() { Ok(Registry { vendors }) } else { Err(problems) }
    }

    pub fn get(&self, key: &str) -> Option<&Vendor> {
        self.vendors.iter().find(|v| v.key == key)
    }

    /// The keys that may be given to `--peer`, in order: the "known vendors" of PC-031.
    pub fn peer_keys(&self) -> Vec<&str> {
        self.vendors.iter().filter(|v| v.kind != Kind::Pilot).map(|v| v.key.as_str()).collect()
    }
}

fn embedded() -> Result<Overlay, ConfigProblem> {
    let origin = "the built-in vendors.yaml".to_string();
    let problem = |message: String| ConfigProblem { origin: origin.clone(), key: "vendors".into(), message };
    let mut top: Map<String, Value> = serde_yaml::from_str(EMBEDDED).map_err(|e| problem(e.to_string()))?;
    match top.remove("vendors") {
        Some(Value::Object(vendors)) => Ok(Overlay { vendors, base: PathBuf::new(), origin }),
        _ => Err(problem("must be a mapping".into())),
    }
}

#[cfg(test)]
mod tests;
