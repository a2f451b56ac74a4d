//! Where the adapters of the skill family lie (PC-032).

use std::path::{Path, PathBuf};

/// The folders that the search uses, resolved once at start (PC-000).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillPaths {
    pub home: Option<PathBuf>,
    /// `$IWE_TEMPLATE`, only when the variable is set.
    pub template: Option<PathBuf>,
    pub workspace: PathBuf,
    pub governance: PathBuf,
    /// `$IWE_PEER_TIMEOUT_SECONDS` as it stands.
    pub timeout: Option<String>,
}

impl SkillPaths {
    /// Reads the variables through `var`, so that a test needs no real environment.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> SkillPaths {
        let set = |name: &str| var(name).filter(|v| !v.is_empty());
        let home = set("HOME").map(PathBuf::from);
        let workspace = match (set("IWE_WORKSPACE"), &home) {
            (Some(path), _) => PathBuf::from(path),
            (None, Some(home)) => home.join("IWE"),
            (None, None) => PathBuf::from("IWE"),
        };
        let governance = workspace.join(set("IWE_GOVERNANCE_REPO").unwrap_or_else(|| "DS-strategy".into()));
        let template = set("IWE_TEMPLATE").map(PathBuf::from);
        SkillPaths { home, template, workspace, governance, timeout: set("IWE_PEER_TIMEOUT_SECONDS") }
    }

    /// The first existing `<vendor>-peer-adapter.sh` and the name of its place.
    pub fn find_adapter(&self, vendor: &str) -> Option<(PathBuf, &'static str)> {
        let file = format!("{vendor}-peer-adapter.sh");
        self.search()
            .into_iter()
            .map(|(dir, label)| (dir.join(&file), label))
            .find(|(path, _)| path.is_file())
    }

    /// The searched folders in order, with their names for people.
    pub fn search(&self) -> Vec<(PathBuf, &'static str)> {
        let mut places = Vec::new();
        if let Some(template) = &self.template {
            places.push((template.join("scripts"), "$IWE_TEMPLATE/scripts"));
        }
        if let Some(home) = &self.home {
            places.push((home.join("IWE/IWE/scripts"), "$HOME/IWE/IWE/scripts"));
        }
        let template = self.workspace.join("FMT-exocortex-template/scripts");
        places.push((template, "<workspace>/FMT-exocortex-template/scripts"));
        places.push((self.governance.join("scripts"), "<governance>/scripts"));
        places
    }

    /// A path from a config: `~/` is the home folder, anything else relative is relative to `base`.
    pub fn resolve(&self, base: &Path, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => clean(base.join(text)),
        }
    }
}

/// Drops `.` components so that messages show `/a/b.sh` and not `/a/./b.sh`.
fn clean(path: PathBuf) -> PathBuf {
    path.components().collect()
}
