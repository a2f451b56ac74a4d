//! A vendor while its keys are being collected from the layers.

use super::{
    ConfigProblem, Kind, Native, OUTPUT_CAP, Overlay, Permissions, PromptLimit, Sandbox, SkillPaths,
    Supports, Vendor,
};
use super::{suggest, value};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

const KEYS: [&str; 23] = [
    "kind",
    "path",
    "bin",
    "agent_id",
    "writer_agent_id",
    "guard_agent",
    "peer_cmd",
    "needs",
    "model",
    "args",
    "env",
    "deadline",
    "idle",
    "prompt_limit",
    "supports",
    "output_cap",
    "retries",
    "sandbox",
    "state",
    "permissions",
    "patience",
    "story",
    "role",
];
/// An agent is a running process, and whatever it holds open does not wait for ever. Who is away for longer finds a
/// refusal, and a session that went on.
const PATIENCE: Duration = Duration::from_secs(3600);

const KINDS: [&str; 6] = ["auto", "script", "native", "acp", "rehearsal", "pilot"];
const SANDBOXES: [&str; 4] = ["auto", "required", "bubblewrap", "off"];
const FLAGS: [&str; 3] = ["add_dir", "model", "session_id"];

/// Keys seen so far, each from the last layer that named it.
#[derive(Debug, Default)]
pub struct Draft {
    key: String,
    /// The layer that created or last changed the entry, for problems that concern the whole of it.
    origin: String,
    kind: Option<String>,
    path: Option<(PathBuf, String)>,
    bin: Option<(PathBuf, String)>,
    agent_id: Option<String>,
    writer_agent_id: Option<String>,
    guard_agent: Option<String>,
    peer_cmd: Option<String>,
    needs: Option<String>,
    model: Option<String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    deadline: Option<Duration>,
    idle: Option<Duration>,
    prompt_limit: Option<PromptLimit>,
    supports: Supports,
    output_cap: Option<usize>,
    retries: Option<u32>,
    sandbox: Option<Sandbox>,
    state: Vec<PathBuf>,
    permissions: Option<Permissions>,
    patience: Option<Duration>,
    story: Option<String>,
    role: Option<String>,
}

/// Lays one file over the drafts; new vendors are appended.
pub fn apply(
    layer: &Overlay,
    paths: &SkillPaths,
    drafts: &mut Vec<Draft>,
    problems: &mut Vec<ConfigProblem>,
) {
    let mut complain = |key: String, message: String| {
        problems.push(ConfigProblem { origin: layer.origin.clone(), key, message });
    };
    for (vendor, entry) in &layer.vendors {
        let place = format!("vendors.{vendor}");
        if !is_vendor_key(vendor) {
            complain(place, "a vendor's name consists of letters, digits, `_` and `-`".into());
            continue;
        }
        let Value::Object(keys) = entry else {
            complain(place, "must be a mapping of keys such as kind, path or deadline".into());
            continue;
        };
        let at = drafts.iter().position(|d| d.key == *vendor).unwrap_or_else(|| {
            drafts.push(Draft { key: vendor.clone(), ..Draft::default() });
            drafts.len() - 1
        });
        let draft = &mut drafts[at];
        draft.origin = layer.origin.clone();
        // `kind` first: a change of kind drops what belonged to the old one.
        let (kind, rest): (Vec<_>, Vec<_>) = keys.iter().partition(|(key, _)| *key == "kind");
        for (key, value) in kind.into_iter().chain(rest) {
            if let Err(message) = draft.set(key, value, layer, paths) {
                complain(format!("{place}.{key}"), message);
            }
        }
    }
}

impl Draft {
    fn set(&mut self, key: &str, value: &Value, layer: &Overlay, paths: &SkillPaths) -> Result<(), String> {
        match key {
            "kind" => {
                let kind = value::text(value)?;
                if !KINDS.contains(&kind.as_str()) {
                    return Err(format!("`{kind}` is not a kind.{}", suggest::hint(&kind, &KINDS)));
                }
                if self.kind.as_ref().is_some_and(|old| *old != kind && old != "auto") {
                    // A script prints nothing before its reply, so the silence limit of a streaming CLI would end it.
                    self.idle = None;
                    self.path = None;
                    self.bin = None;
                }
                self.kind = Some(kind);
            }
            "path" => {
                let path = paths.resolve(&layer.base, &filled(value)?);
                self.path = Some((path, layer.origin.clone()));
            }
            "bin" => {
                let text = filled(value)?;
                let is_bare = !text.contains('/');
                let path = if is_bare { PathBuf::from(text) } else { paths.resolve(&layer.base, &text) };
                self.bin = Some((path, layer.origin.clone()));
            }
            "agent_id" => self.agent_id = Some(value::name(value)?),
            "writer_agent_id" => self.writer_agent_id = Some(value::name(value)?),
            "guard_agent" => self.guard_agent = Some(value::name(value)?),
            "peer_cmd" => self.peer_cmd = Some(value::name(value)?),
            "needs" => self.needs = Some(filled(value)?),
            "model" => self.model = Some(value::text(value)?),
            "args" => self.args = value::list(value)?,
            "env" => self.set_env(value)?,
            "deadline" => self.deadline = Some(value::duration(value)?),
            "idle" => self.idle = Some(value::duration(value)?),
            "patience" => self.patience = Some(value::duration(value)?),
            "prompt_limit" => self.prompt_limit = Some(value::prompt_limit(value)?),
            "supports" => self.set_supports(value)?,
            "output_cap" => self.output_cap = Some(value::count(value)?),
            "retries" => self.retries = Some(value::retries(value)?),
            "sandbox" => {
                let text = value::text(value)?;
                self.sandbox = Some(match text.as_str() {
                    "auto" => Sandbox::Auto,
                    "required" => Sandbox::Required,
                    "bubblewrap" => Sandbox::Bubblewrap,
                    "off" => Sandbox::Off,
                    _ => {
                        let hint = suggest::hint(&text, &SANDBOXES);
                        return Err(format!("must be one of {}.{hint}", SANDBOXES.join(", ")));
                    }
                });
            }
            "state" => {
                let list = value::list(value)?;
                self.state = list.iter().map(|text| paths.resolve(&layer.base, text)).collect();
            }
            "permissions" => {
                self.permissions = Some(match value::text(value)?.as_str() {
                    "refuse" => Permissions::Refuse,
                    "ask" => Permissions::Ask,
                    _ => return Err("must be `refuse` or `ask`".into()),
                });
            }
            "story" => self.story = Some(filled(value)?),
            "role" => self.role = Some(filled(value)?),
            _ => return Err(format!("there is no such key.{}", suggest::hint(key, &KEYS))),
        }
        Ok(())
    }

    fn set_env(&mut self, value: &Value) -> Result<(), String> {
        for (name, value) in mapping(value)? {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(format!("`{}` cannot be the name of a variable", name.escape_debug()));
            }
            let text = value::text(value).map_err(|e| format!("{name}: {e}"))?;
            self.env.retain(|(old, _)| old != name);
            self.env.push((name.clone(), text));
        }
        Ok(())
    }

    fn set_supports(&mut self, value: &Value) -> Result<(), String> {
        for (name, value) in mapping(value)? {
            let on = value::flag(value).map_err(|e| format!("{name}: {e}"))?;
            match name.as_str() {
                "add_dir" => self.supports.add_dir = on,
                "model" => self.supports.model = on,
                "session_id" => self.supports.session_id = on,
                _ => return Err(format!("there is no flag `{name}`.{}", suggest::hint(name, &FLAGS))),
            }
        }
        Ok(())
    }

    /// The complete entry: defaults filled in, the adapter searched (PC-032).
    pub fn finish(self, default_deadline: Duration, paths: &SkillPaths) -> Result<Vendor, ConfigProblem> {
        let key = self.key.clone();
        let problem = |at: &str, message: String| ConfigProblem {
            origin: self.origin.clone(),
            key: format!("vendors.{key}.{at}"),
            message,
        };
        let adapter = paths.find_adapter(&self.key);
        let kind = self.kind(adapter.is_some()).map_err(|(at, message)| problem(at, message))?;
        if self.path.is_some() && kind != Kind::Script {
            return Err(problem("path", "belongs to `kind: script`; add that line, or use `bin`".into()));
        }
        if self.bin.is_some() && matches!(kind, Kind::Script | Kind::Pilot) {
            return Err(problem("bin", "belongs to `kind: native`; a script has `path`".into()));
        }
        if self.bin.is_none() && kind == Kind::Acp {
            return Err(problem(
                "bin",
                "is missing: the program that speaks the Agent Client Protocol".into(),
            ));
        }
        if self.permissions.is_some() && kind != Kind::Acp {
            return Err(problem("permissions", "belongs to `kind: acp`; no other kind asks for any".into()));
        }
        let is_auto = self.kind.as_deref() == Some("auto");
        let (path, source) = match (&kind, self.path, &self.bin) {
            (Kind::Script, Some((path, origin)), _) => (Some(path), origin),
            (Kind::Script, None, _) => match adapter {
                Some((path, place)) => (Some(path), place.to_string()),
                None => (None, "not found".to_string()),
            },
            (_, _, Some((_, origin))) => (None, origin.clone()),
            _ if is_auto => (None, format!("built in; the usual places have no {key}-peer-adapter.sh")),
            _ => (None, "built in".to_string()),
        };
        let mut supports = self.supports;
        // Our adapters of these run the CLI without tools, so nobody would read the directory.
        if is_auto && matches!(kind, Kind::Native(_)) {
            supports.add_dir = false;
        }
        // Prohibited for claude in either form (PC-058).
        if self.key == "claude" && self.supports.add_dir {
            return Err(problem("supports.add_dir", "is prohibited for claude, which gets text only".into()));
        }
        // A script's failures are the engine's to judge; what a script does about them is its own affair.
        let is_ours = matches!(kind, Kind::Native(_) | Kind::Acp);
        let agent_id = self.agent_id.unwrap_or_else(|| key.clone());
        Ok(Vendor {
            writer_agent_id: self.writer_agent_id.unwrap_or_else(|| key.clone()),
            guard_agent: self.guard_agent.unwrap_or_else(|| agent_id.clone()),
            peer_cmd: self.peer_cmd.unwrap_or_else(|| format!("{key}-peer-adapter")),
            key,
            kind,
            path,
            bin: self.bin.map(|(path, _)| path),
            agent_id,
            needs: self.needs,
            model: self.model.unwrap_or_default(),
            args: self.args,
            env: self.env,
            deadline: self.deadline.unwrap_or(default_deadline),
            idle: self.idle,
            prompt_limit: self.prompt_limit,
            supports,
            output_cap: self.output_cap.unwrap_or(OUTPUT_CAP),
            retries: self.retries.unwrap_or(if is_ours { 1 } else { 0 }),
            sandbox: self.sandbox,
            state: self.state,
            permissions: self.permissions.unwrap_or_default(),
            patience: self.patience.unwrap_or(PATIENCE),
            source,
        })
    }

    /// `has_adapter`: the usual places have a script for this vendor.
    fn kind(&self, has_adapter: bool) -> Result<Kind, (&'static str, String)> {
        let native = Native::of(&self.key);
        match (self.kind.as_deref(), native) {
            (Some("script"), _) => Ok(Kind::Script),
            (Some("pilot"), _) => Ok(Kind::Pilot),
            (Some("acp"), _) => Ok(Kind::Acp),
            // The script that is there, else our own adapter (PC-032).
            (Some("auto"), _) if self.path.is_some() || (has_adapter && self.bin.is_none()) => {
                Ok(Kind::Script)
            }
            (Some("auto" | "native"), Some(native)) => Ok(Kind::Native(native)),
            (Some("auto"), None) => Ok(Kind::Script),
            (Some("rehearsal"), _) => match (&self.story, &self.role) {
                (Some(story), Some(role)) => Ok(Kind::Rehearsal { story: story.clone(), role: role.clone() }),
                (None, _) => Err(("story", "is missing: a rehearsal names its story".into())),
                _ => Err(("role", "is missing: a rehearsal names whose lines it speaks".into())),
            },
            (Some(_), _) => {
                Err(("kind", "`native` exists only for the built-in vendors; use `script` or `acp`".into()))
            }
            (None, _) => Err(("kind", format!("is missing; one of {}", KINDS.join(", ")))),
        }
    }
}

fn filled(value: &Value) -> Result<String, String> {
    let text = value::text(value)?;
    if text.trim().is_empty() { Err("must not be empty".into()) } else { Ok(text) }
}

fn mapping(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| "must be a mapping".into())
}

/// Vendor keys become parts of file names (`NN-peer-<vendor>.md`).
fn is_vendor_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphanumeric())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}
