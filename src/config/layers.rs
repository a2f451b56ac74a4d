//! The layers of the configuration and what they come to: each value, and where it comes from.

use super::file::{self, ConfigError, ConfigFile, Problem};
use super::implementation::{self, Implementation};
use super::suggest;
use super::trust::{self, Asked, Guard, Verdict};
use super::value::{bytes, count, names, path, plain, tree, word, words};
use crate::domain::lang::Lang;
use crate::domain::spent::Budget;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The default, commented; what `flightdeck config --default` prints and what people copy.
pub const DEFAULT: &str = include_str!("../../assets/config.yaml");

/// Every key, in the order in which they are shown.
pub const KEYS: [&str; 23] = [
    "sessions_dir",
    "writer",
    "peers",
    "lang",
    "turns_limit",
    "rounds_limit",
    "max_peer_attempts",
    "commit",
    "push",
    "reflection_timeout",
    "gate_timeout",
    "after_limit",
    "limit_usd",
    "limit_tokens",
    "output_cap",
    "orz_headings",
    "peer_context",
    "secrets",
    "vendors",
    "implementation",
    "theme",
    "keymap",
    "screen",
];

/// Keys whose value is a tree; they exist in files only.
const FILE_ONLY: [&str; 5] = ["vendors", "implementation", "theme", "keymap", "screen"];

/// `commit` and `push`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    Ask,
    Always,
    Never,
}

/// `orz_headings` (PC-642).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrzHeadings {
    /// Russian while a semaphore is open, else the session's language.
    Auto,
    Fixed(Lang),
}

/// `peer_context` (AMB-08).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerContext {
    Text,
    Dir,
}

/// `secrets`: what a prompt that seems to hold one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// It waits for the pilot.
    Ask,
    /// It is sent.
    Off,
}

/// One layer's `vendors`, judged by the vendor registry. Later overlays win.
#[derive(Debug, Clone, PartialEq)]
pub struct VendorOverlay {
    pub map: Map<String, Value>,
    /// Where relative paths in it start.
    pub base: PathBuf,
    pub origin: Origin,
}

/// The values in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Absolute, `None` when no layer sets it.
    pub sessions_dir: Option<PathBuf>,
    /// Vendor key.
    pub writer: String,
    /// Vendor keys, not yet checked against the registry.
    pub peers: Vec<String>,
    pub lang: Lang,
    pub turns_limit: u32,
    pub rounds_limit: u32,
    pub max_peer_attempts: u32,
    commit: Option<Consent>,
    push: Option<Consent>,
    /// Seconds (PC-554).
    pub reflection_timeout: u64,
    /// Seconds; `None` = never (PC-465).
    pub gate_timeout: Option<u64>,
    /// Whether a session goes on by itself when a vendor's limit is lifted.
    pub after_limit: bool,
    /// What a session may cost before the pilot is asked: dollars and tokens; `None` = no limit.
    pub limit_usd: Option<f64>,
    pub limit_tokens: Option<u64>,
    /// Bytes.
    pub output_cap: usize,
    pub orz_headings: OrzHeadings,
    pub peer_context: PeerContext,
    pub secrets: Secrets,
    pub vendors: Vec<VendorOverlay>,
    /// Who carries out a decision, and where; `None` when nobody can (PC-467).
    pub implementation: Option<Implementation>,
    pub theme: Option<Value>,
    pub keymap: Option<Value>,
    /// `motion`, `mouse`, `bell`, `notice` of the dashboard.
    pub screen: Option<Value>,
}

impl Config {
    /// The limit of a session, `None` without one.
    pub fn budget(&self) -> Option<Budget> {
        Budget::of(self.limit_usd, self.limit_tokens)
    }

    /// Unset means: always inside an IWE tree, as the skill does (PC-644), asked elsewhere.
    pub fn commit(&self, in_iwe: bool) -> Consent {
        self.commit.unwrap_or(if in_iwe { Consent::Always } else { Consent::Ask })
    }

    pub fn push(&self, in_iwe: bool) -> Consent {
        self.push.unwrap_or(if in_iwe { Consent::Always } else { Consent::Ask })
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File { path: PathBuf, line: u64 },
    Env(String),
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Env(name) | Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A value given on the command line. `name` is the flag as typed, such as `--peer`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagValue {
    pub key: &'static str,
    pub name: &'static str,
    pub value: String,
}

/// The configuration in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    pub values: Config,
    shown: BTreeMap<String, (String, Origin)>,
    /// The files that exist, in layer order.
    pub files: Vec<PathBuf>,
    /// What the project's file asks for and does not get (see [`super::trust`]).
    pub untrusted: Option<(Asked, Verdict)>,
}

impl Effective {
    /// Where this key's value comes from.
    pub fn origin(&self, key: &str) -> Origin {
        self.shown.get(key).map_or(Origin::Default, |(_, origin)| origin.clone())
    }

    /// Key, value as text and origin of every key. Values of `vendors` and other trees are shown by their names only,
    /// because they may hold secrets.
    pub fn lines(&self) -> Vec<(&'static str, String, Origin)> {
        KEYS.into_iter()
            .map(|key| match self.shown.get(key) {
                Some((text, origin)) => (key, text.clone(), origin.clone()),
                None => (key, "(not set)".to_string(), Origin::Default),
            })
            .collect()
    }
}

/// Puts the layers on each other. `files` are (path, base for relative paths) in layer order; relative paths of
/// variables and flags start at `cwd`. All problems are reported, not only the first.
pub fn load(
    files: &[(PathBuf, PathBuf)],
    env: &dyn Fn(&str) -> Option<OsString>,
    flags: &[FlagValue],
    cwd: &Path,
) -> Result<Effective, ConfigError> {
    load_guarded(files, env, flags, cwd, None)
}

/// Like [`load`], without what the guard does not let pass.
pub fn load_guarded(
    files: &[(PathBuf, PathBuf)],
    env: &dyn Fn(&str) -> Option<OsString>,
    flags: &[FlagValue],
    cwd: &Path,
    guard: Option<&Guard>,
) -> Result<Effective, ConfigError> {
    let home = env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let mut layers = Layers { effective: nothing(), problems: Vec::new(), home };
    layers.built_in();
    for (path, base) in files {
        match file::read(path, base) {
            Ok(Some(file)) => {
                let file = layers.guarded(file, guard);
                layers.file(&file);
            }
            Ok(None) => {}
            Err(problem) => layers.problems.push(problem),
        }
    }
    layers.environment(env, cwd);
    for flag in flags {
        layers.text(flag.key, &flag.value, Origin::Flag(flag.name.to_string()), cwd);
    }
    if layers.problems.is_empty() { Ok(layers.effective) } else { Err(ConfigError(layers.problems)) }
}

struct Layers {
    effective: Effective,
    problems: Vec<Problem>,
    home: Option<PathBuf>,
}

impl Layers {
    /// A test reads the built-in file, so a problem in it can only be a key that is not set.
    fn built_in(&mut self) {
        for entry in file::parse(DEFAULT).unwrap_or_default() {
            if !entry.value.is_null() {
                self.set(&entry.key, &entry.value, Origin::Default, Path::new("")).unwrap_or_default();
            }
        }
    }

    fn guarded(&mut self, file: ConfigFile, guard: Option<&Guard>) -> ConfigFile {
        let Some(guard) = guard.filter(|guard| guard.file == file.path) else { return file };
        let Some(asked) = trust::asked(&file) else { return file };
        let verdict = (guard.verdict)(&asked);
        if verdict == Verdict::Trusted {
            return file;
        }
        self.effective.untrusted = Some((asked, verdict));
        trust::without(file)
    }

    fn file(&mut self, file: &ConfigFile) {
        self.effective.files.push(file.path.clone());
        for entry in &file.entries {
            if entry.value.is_null() && KEYS.contains(&entry.key.as_str()) {
                continue;
            }
            let origin = Origin::File { path: file.path.clone(), line: entry.line };
            if let Err((what, next)) = self.set(&entry.key, &entry.value, origin, &file.base) {
                let place = format!("{}:{}:{}", file.path.display(), entry.line, entry.column);
                self.problems.push(Problem { place, what, next });
            }
        }
    }

    fn environment(&mut self, env: &dyn Fn(&str) -> Option<OsString>, cwd: &Path) {
        for key in KEYS.into_iter().filter(|key| !FILE_ONLY.contains(key)) {
            let name = format!("FLIGHTDECK_{}", key.to_uppercase());
            let Some(value) = env(&name).filter(|value| !value.is_empty()) else { continue };
            match value.into_string() {
                Ok(value) => self.text(key, &value, Origin::Env(name), cwd),
                Err(_) => self.problems.push(Problem {
                    place: name,
                    what: "not UTF-8 text".into(),
                    next: "Set it to plain text, or unset it".into(),
                }),
            }
        }
    }

    fn text(&mut self, key: &str, value: &str, origin: Origin, base: &Path) {
        let place = origin.to_string();
        if let Err((what, next)) = self.set(key, &Value::from(value), origin, base) {
            self.problems.push(Problem { place, what, next });
        }
    }

    /// Sets one key. The error is what is wrong and the next step.
    fn set(&mut self, key: &str, value: &Value, origin: Origin, base: &Path) -> Result<(), (String, String)> {
        let values = &mut self.effective.values;
        let expected =
            |want: &str| (format!("`{key}` must be {want}"), format!("Write it as {want}, or remove it"));
        let mut text = plain(value);
        match key {
            "sessions_dir" => {
                let path = path(value, base, self.home.as_deref()).ok_or_else(|| expected("a folder"))?;
                text = path.display().to_string();
                values.sessions_dir = Some(path);
            }
            "writer" => values.writer = word(value).ok_or_else(|| expected("one vendor's name"))?,
            "peers" => {
                values.peers = words(value).ok_or_else(|| expected("vendor names, such as [codex, kimi]"))?;
                text = values.peers.join(",");
            }
            "lang" => values.lang = Lang::parse(&text).ok_or_else(|| expected("en or ru"))?,
            "turns_limit" => values.turns_limit = count(value).ok_or_else(|| expected(COUNT))?,
            "rounds_limit" => values.rounds_limit = count(value).ok_or_else(|| expected(COUNT))?,
            "max_peer_attempts" => values.max_peer_attempts = count(value).ok_or_else(|| expected(COUNT))?,
            "commit" => values.commit = Some(consent(&text).ok_or_else(|| expected("ask, always or never"))?),
            "push" => values.push = Some(consent(&text).ok_or_else(|| expected("ask, always or never"))?),
            "reflection_timeout" => {
                values.reflection_timeout = text.parse().map_err(|_| expected("a number of seconds"))?;
            }
            "gate_timeout" if text == "never" => values.gate_timeout = None,
            "gate_timeout" => {
                values.gate_timeout =
                    Some(text.parse().map_err(|_| expected("a number of seconds or never"))?);
            }
            "after_limit" => {
                values.after_limit = match text.as_str() {
                    "ask" => false,
                    "resume" => true,
                    _ => return Err(expected("ask or resume")),
                };
            }
            "limit_usd" if text == "none" => values.limit_usd = None,
            "limit_usd" => {
                let usd =
                    text.trim_start_matches('$').parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0);
                values.limit_usd =
                    Some(usd.ok_or_else(|| expected("an amount of dollars, such as 2.50, or none"))?);
            }
            "limit_tokens" if text == "none" => values.limit_tokens = None,
            "limit_tokens" => {
                let tokens = text.parse().ok().filter(|n: &u64| *n > 0);
                values.limit_tokens = Some(tokens.ok_or_else(|| expected("a number of tokens, or none"))?);
            }
            "output_cap" => {
                values.output_cap =
                    bytes(&text).ok_or_else(|| expected("a number of bytes, such as 4 MiB"))?;
            }
            "orz_headings" if text == "auto" => values.orz_headings = OrzHeadings::Auto,
            "orz_headings" => {
                let lang = Lang::parse(&text).ok_or_else(|| expected("auto, en or ru"))?;
                values.orz_headings = OrzHeadings::Fixed(lang);
            }
            "peer_context" => {
                values.peer_context = match text.as_str() {
                    "text" => PeerContext::Text,
                    "dir" => PeerContext::Dir,
                    _ => return Err(expected("text or dir")),
                };
            }
            "secrets" => {
                values.secrets = match text.as_str() {
                    "ask" => Secrets::Ask,
                    "off" => Secrets::Off,
                    _ => return Err(expected("ask or off")),
                };
            }
            "vendors" => {
                let map = value.as_object().ok_or_else(|| expected("names with settings"))?.clone();
                text = names(&map);
                values.vendors.push(VendorOverlay { map, base: base.to_path_buf(), origin: origin.clone() });
            }
            "implementation" => {
                let mut read = implementation::read(value, base, self.home.as_deref())?;
                // Reserved files of an earlier layer stay reserved: settings add and take nothing away (PC-500).
                let earlier = values.implementation.take().map(|i| i.reserved).unwrap_or_default();
                read.reserved.extend(earlier);
                (values.implementation, text) = (Some(read), tree(value));
            }
            "theme" => (values.theme, text) = (Some(value.clone()), tree(value)),
            "keymap" => (values.keymap, text) = (Some(value.clone()), tree(value)),
            "screen" => (values.screen, text) = (Some(value.clone()), tree(value)),
            _ => {
                let next = match suggest::nearest(key, KEYS) {
                    Some(known) => format!("Did you mean `{known}`?"),
                    None => format!("Known keys: {}", KEYS.join(", ")),
                };
                return Err((format!("unknown key `{}`", key.escape_debug()), next));
            }
        }
        self.effective.shown.insert(key.to_string(), (text, origin));
        Ok(())
    }
}

/// What stands before the built-in file is read; it sets every one of these.
fn nothing() -> Effective {
    let values = Config {
        sessions_dir: None,
        writer: String::new(),
        peers: Vec::new(),
        lang: Lang::En,
        turns_limit: 0,
        rounds_limit: 0,
        max_peer_attempts: 0,
        commit: None,
        push: None,
        reflection_timeout: 0,
        gate_timeout: None,
        after_limit: false,
        limit_usd: None,
        limit_tokens: None,
        output_cap: 0,
        orz_headings: OrzHeadings::Auto,
        peer_context: PeerContext::Text,
        secrets: Secrets::Ask,
        vendors: Vec::new(),
        implementation: None,
        theme: None,
        keymap: None,
        screen: None,
    };
    Effective { values, shown: BTreeMap::new(), files: Vec::new(), untrusted: None }
}

const COUNT: &str = "a number from 1 to 1000";

fn consent(text: &str) -> Option<Consent> {
    match text {
        "ask" => Some(Consent::Ask),
        "always" => Some(Consent::Always),
        "never" => Some(Consent::Never),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_env(_: &str) -> Option<OsString> {
        None
    }

    fn file(dir: &Path, name: &str, text: &str) -> (PathBuf, PathBuf) {
        let folder = dir.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.yaml"), text).unwrap();
        (folder.join("config.yaml"), folder)
    }

    fn load_text(text: &str) -> Result<Effective, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        load(&[file(dir.path(), "user", text)], &no_env, &[], dir.path())
    }

    #[test]
    fn the_built_in_file_names_every_key_and_only_known_ones() {
        let entries = file::parse(DEFAULT).unwrap();
        let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, KEYS);
        let mut layers = Layers { effective: nothing(), problems: Vec::new(), home: None };
        for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
            layers.set(&entry.key, &entry.value, Origin::Default, Path::new("")).unwrap();
        }
    }

    #[test]
    fn pc_003_defaults_are_those_of_the_specification() {
        let effective = load(&[], &no_env, &[], Path::new("/")).unwrap();
        let v = &effective.values;
        assert_eq!(
            (v.writer.as_str(), v.peers.as_slice(), v.lang),
            ("claude", ["kimi".to_string()].as_slice(), Lang::En)
        );
        assert_eq!((v.turns_limit, v.rounds_limit, v.max_peer_attempts), (10, 6, 2));
        assert_eq!((v.reflection_timeout, v.gate_timeout, v.output_cap), (600, None, 4 * 1024 * 1024));
        assert_eq!((v.commit(true), v.commit(false)), (Consent::Always, Consent::Ask));
        assert_eq!((v.push(true), v.push(false)), (Consent::Always, Consent::Ask));
        assert_eq!((v.orz_headings, v.peer_context), (OrzHeadings::Auto, PeerContext::Text));
        assert_eq!(effective.origin("writer"), Origin::Default);
        assert_eq!(v.sessions_dir, None);
    }

    #[test]
    fn later_layers_win_and_say_where_they_stand() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            file(dir.path(), "user", "writer: u\nlang: ru\nrounds_limit: 3\nturns_limit: 4\n"),
            file(dir.path(), "project", "# p\nwriter: p\nrounds_limit: 5\nturns_limit:\n"),
        ];
        let env = |name: &str| match name {
            "FLIGHTDECK_WRITER" => Some("e".into()),
            "FLIGHTDECK_PEERS" => Some("codex,kimi".into()),
            "FLIGHTDECK_LANG" => Some("".into()),
            _ => None,
        };
        let flag = FlagValue { key: "peers", name: "--peer", value: "hermes".into() };
        let effective = load(&files, &env, &[flag], dir.path()).unwrap();
        let v = &effective.values;
        assert_eq!((v.writer.as_str(), v.lang, v.rounds_limit, v.turns_limit), ("e", Lang::Ru, 5, 4));
        assert_eq!(v.peers, ["hermes"]);
        let line = |key| effective.lines().into_iter().find(|(k, ..)| *k == key).unwrap();
        assert_eq!(line("writer").2, Origin::Env("FLIGHTDECK_WRITER".into()));
        assert_eq!(line("peers"), ("peers", "hermes".into(), Origin::Flag("--peer".into())));
        assert_eq!(line("rounds_limit").2, Origin::File { path: files[1].0.clone(), line: 3 });
        assert_eq!(line("turns_limit").2.to_string(), format!("{}:4", files[0].0.display()));
        assert_eq!(effective.files, [files[0].0.clone(), files[1].0.clone()]);
    }

    #[test]
    fn unknown_keys_are_errors_with_place_and_suggestion() {
        let error = load_text("writer: claude\nturn_limit: 4\ncolour: red\n").unwrap_err();
        let text = error.to_string();
        assert_eq!(error.0.len(), 2, "all problems at once: {text}");
        assert!(error.0[0].place.ends_with("config.yaml:2:1"), "{text}");
        assert!(text.contains("unknown key `turn_limit`. Did you mean `turns_limit`?"), "{text}");
        assert!(text.contains("unknown key `colour`. Known keys: sessions_dir"), "{text}");
    }

    #[test]
    fn wrong_values_are_errors_that_name_the_form() {
        for (text, want) in [
            ("turns_limit: many", "a number from 1 to 1000"),
            ("rounds_limit: 0", "a number from 1 to 1000"),
            ("lang: de", "en or ru"),
            ("commit: maybe", "ask, always or never"),
            ("peers: []", "vendor names"),
            ("peers: \"codex, kimi\"", "vendor names"),
            ("peers: \"codex,,kimi\"", "vendor names"),
            ("peers: [a b]", "vendor names"),
            ("writer: [a]", "one vendor's name"),
            ("gate_timeout: -1", "seconds or never"),
            ("output_cap: 4 parsecs", "number of bytes"),
            ("output_cap: 99999999999999 MiB", "number of bytes"),
            ("vendors: codex", "names with settings"),
            ("peer_context: all", "text or dir"),
            ("after_limit: never", "ask or resume"),
            ("orz_headings: de", "auto, en or ru"),
            ("sessions_dir: [a]", "a folder"),
        ] {
            let error = load_text(text).unwrap_err().to_string();
            assert!(error.contains(want) && error.contains("config.yaml:1:1"), "{text}: {error}");
        }
    }

    #[test]
    fn values_of_every_kind_are_read() {
        let v = load_text(
            "sessions_dir: here\ngate_timeout: 30\nafter_limit: resume\noutput_cap: 12KiB\norz_headings: ru\npeer_context: dir\n\
             commit: never\npush: ask\ntheme: dark\nkeymap: {q: quit}\nimplementation: {vendor: codex}\n",
        )
        .unwrap()
        .values;
        assert!(v.sessions_dir.unwrap().ends_with("user/here"));
        assert_eq!((v.gate_timeout, v.after_limit, v.output_cap), (Some(30), true, 12 * 1024));
        assert_eq!((v.orz_headings, v.peer_context), (OrzHeadings::Fixed(Lang::Ru), PeerContext::Dir));
        assert_eq!((v.commit, v.push), (Some(Consent::Never), Some(Consent::Ask)));
        assert_eq!(v.theme, Some(Value::from("dark")));
        assert!(v.keymap.is_some() && v.implementation.is_some());
    }

    #[test]
    fn relative_paths_start_at_their_layer() {
        let dir = tempfile::tempdir().unwrap();
        let files = [file(dir.path(), "user", "sessions_dir: ~/s\n")];
        let home = |name: &str| (name == "HOME").then(|| OsString::from("/home/pilot"));
        let at_home = load(&files, &home, &[], dir.path()).unwrap();
        assert_eq!(at_home.values.sessions_dir, Some("/home/pilot/s".into()));
        assert!(
            load(&files, &no_env, &[], dir.path()).is_err(),
            "~ without HOME is an error, not a folder named ~"
        );
        let flag = FlagValue { key: "sessions_dir", name: "--sessions-dir", value: "x".into() };
        let effective = load(&files, &home, &[flag], Path::new("/cwd")).unwrap();
        assert_eq!(effective.values.sessions_dir, Some("/cwd/x".into()));
    }

    #[test]
    fn vendors_keep_their_layer_and_show_only_names() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            file(dir.path(), "user", "vendors:\n  codex: {env: {TOKEN: hidden}}\n"),
            file(dir.path(), "project", "vendors:\n  mine: {path: ./mine.sh}\n"),
        ];
        let effective = load(&files, &no_env, &[], dir.path()).unwrap();
        let bases: Vec<_> = effective.values.vendors.iter().map(|overlay| overlay.base.clone()).collect();
        assert_eq!(bases, [files[0].1.clone(), files[1].1.clone()]);
        assert!(!format!("{:?}", effective.lines()).contains("hidden"));
    }
}
