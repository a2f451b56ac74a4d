//! `implementation`: who carries out a decision, where, and how it is checked (group U).

use super::suggest;
use super::value::path;
use crate::domain::session::pipeline::reserved::Reserved;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one setup, verify or teardown command may take, unless the configuration says otherwise.
const COMMAND_SECONDS: u64 = 1800;

/// How long the implementing agent may take in one call.
const EDIT_SECONDS: u64 = 3600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implementation {
    /// Registry key of who edits; the writer when `None`.
    pub vendor: Option<String>,
    /// Registry key of the cold reviewer; another vendor than the editor's when `None`, if there is one.
    pub reviewer: Option<String>,
    /// Registry key of an agent that verifies by running, after the commands; nobody when `None`.
    pub verifier: Option<String>,
    /// In the order of the file; never two of one name.
    pub repos: Vec<RepoSetting>,
    /// Added to the built-in list (PC-500).
    pub reserved: Vec<String>,
    /// What the reviewer checks in place of the built-in list (PC-521).
    pub checklist: Vec<String>,
    pub deadline: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoSetting {
    pub name: String,
    pub path: PathBuf,
    /// Shell commands; the exit code is the verdict.
    pub verify: Vec<String>,
    /// Run in a new tree before anybody edits.
    pub setup: Vec<String>,
    /// Run before the tree is removed.
    pub teardown: Vec<String>,
    pub push: bool,
    /// Untracked files that a tree needs, as patterns relative to the repository.
    pub copy: Vec<String>,
    /// For each command.
    pub deadline: Duration,
}

const KEYS: [&str; 7] = ["vendor", "reviewer", "verifier", "repos", "reserved", "checklist", "deadline"];
const REPO_KEYS: [&str; 7] = ["path", "verify", "setup", "teardown", "push", "copy", "deadline"];

type Wrong = (String, String);

/// Reads the tree. Relative paths start at `base`. The error is what is wrong and the next step.
pub fn read(value: &Value, base: &Path, home: Option<&Path>) -> Result<Implementation, Wrong> {
    let map = value.as_object().ok_or_else(|| expected("implementation", "a tree of settings"))?;
    known("implementation", map, &KEYS)?;
    let none = Map::new();
    let repos = match map.get("repos") {
        None | Some(Value::Null) => &none,
        Some(value) => {
            value.as_object().ok_or_else(|| expected("implementation.repos", "names with settings"))?
        }
    };
    let setting = Implementation {
        vendor: word(map, "implementation", "vendor")?,
        reviewer: word(map, "implementation", "reviewer")?,
        verifier: word(map, "implementation", "verifier")?,
        repos: repos.iter().map(|(name, value)| repo(name, value, base, home)).collect::<Result<_, _>>()?,
        reserved: texts(map, "implementation", "reserved")?,
        checklist: texts(map, "implementation", "checklist")?,
        deadline: seconds(map, "implementation", EDIT_SECONDS)?,
    };
    Reserved::new(&setting.reserved)
        .map_err(|what| (format!("`implementation.reserved`: {what}"), "Correct the pattern".to_string()))?;
    Ok(setting)
}

fn repo(name: &str, value: &Value, base: &Path, home: Option<&Path>) -> Result<RepoSetting, Wrong> {
    let place = format!("implementation.repos.{name}");
    let plain = !name.is_empty()
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if !plain {
        let what = format!("`{}` is not a repository's name", name.escape_debug());
        return Err((what, "Use letters, digits, - and _; it names a folder".into()));
    }
    let map = value.as_object().ok_or_else(|| expected(&place, "settings with at least `path`"))?;
    known(&place, map, &REPO_KEYS)?;
    let found = map.get("path").and_then(|value| path(value, base, home));
    let push = match map.get("push") {
        None | Some(Value::Null) => true,
        Some(value) => value.as_bool().ok_or_else(|| expected(&format!("{place}.push"), "true or false"))?,
    };
    Ok(RepoSetting {
        name: name.to_string(),
        path: found.ok_or_else(|| expected(&format!("{place}.path"), "a folder"))?,
        verify: texts(map, &place, "verify")?,
        setup: texts(map, &place, "setup")?,
        teardown: texts(map, &place, "teardown")?,
        push,
        copy: texts(map, &place, "copy")?,
        deadline: seconds(map, &place, COMMAND_SECONDS)?,
    })
}

fn known(place: &str, map: &Map<String, Value>, keys: &[&str]) -> Result<(), Wrong> {
    let Some(key) = map.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    let next = match suggest::nearest(key, keys.iter().copied()) {
        Some(known) => format!("Did you mean `{known}`?"),
        None => format!("Known keys: {}", keys.join(", ")),
    };
    Err((format!("unknown key `{}` in `{place}`", key.escape_debug()), next))
}

fn word(map: &Map<String, Value>, place: &str, key: &str) -> Result<Option<String>, Wrong> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => super::value::word(value)
            .map(Some)
            .ok_or_else(|| expected(&format!("{place}.{key}"), "one vendor's name")),
    }
}

/// A list of texts, or one.
fn texts(map: &Map<String, Value>, place: &str, key: &str) -> Result<Vec<String>, Wrong> {
    let wrong = || expected(&format!("{place}.{key}"), "a list of texts");
    match map.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => {
            items.iter().map(|i| i.as_str().map(str::to_string).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn seconds(map: &Map<String, Value>, place: &str, default: u64) -> Result<Duration, Wrong> {
    match map.get("deadline") {
        None | Some(Value::Null) => Ok(Duration::from_secs(default)),
        Some(value) => value
            .as_u64()
            .filter(|n| (1..=7 * 24 * 3600).contains(n))
            .map(Duration::from_secs)
            .ok_or_else(|| expected(&format!("{place}.deadline"), "a number of seconds")),
    }
}

fn expected(key: &str, want: &str) -> Wrong {
    (format!("`{key}` must be {want}"), format!("Write it as {want}, or remove it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(value: Value) -> Result<Implementation, Wrong> {
        read(&value, Path::new("/base"), Some(Path::new("/home/ada")))
    }

    #[test]
    fn the_example_of_the_documentation_is_read() {
        let read = parse(json!({
            "vendor": "claude", "reviewer": "codex",
            "repos": {"app": {"path": "../app", "verify": ["cargo test"], "setup": [], "push": false},
                      "site": {"path": "~/site", "verify": "make check", "deadline": 60}},
            "reserved": ["**/Roadmap.md"]
        }))
        .unwrap();
        assert_eq!((read.vendor.as_deref(), read.reviewer.as_deref()), (Some("claude"), Some("codex")));
        let [app, site] = &read.repos[..] else { panic!("{read:?}") };
        assert_eq!((app.path.as_path(), app.push), (Path::new("/base/../app"), false));
        assert_eq!(site.path, Path::new("/home/ada/site"));
        assert_eq!((&site.verify[..], site.push), (&["make check".to_string()][..], true));
        assert_eq!((site.deadline.as_secs(), app.deadline.as_secs()), (60, 1800));
        assert!(parse(json!({})).unwrap().repos.is_empty());
    }

    #[test]
    fn mistakes_name_their_key_and_the_next_step() {
        let cases = [
            (json!("claude"), "must be a tree"),
            (json!({"vender": "x"}), "unknown key `vender`"),
            (json!({"repos": {"../x": {"path": "."}}}), "is not a repository's name"),
            (json!({"repos": {"x": {}}}), "repos.x.path` must be a folder"),
            (json!({"repos": {"x": {"path": ".", "verfy": []}}}), "unknown key `verfy`"),
            (json!({"repos": {"x": {"path": ".", "push": "yes"}}}), "push` must be true or false"),
            (json!({"repos": {"x": {"path": ".", "verify": [3]}}}), "must be a list of texts"),
            (json!({"reserved": ["a["]}), "`a[` is not a pattern"),
        ];
        for (value, want) in cases {
            let (what, next) = parse(value).unwrap_err();
            assert!(what.contains(want) && !next.is_empty(), "{what}");
        }
        assert_eq!(parse(json!({"vender": "x"})).unwrap_err().1, "Did you mean `vendor`?");
    }
}
