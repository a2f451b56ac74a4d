//! What an edit changed, taken from the files themselves and never from what the agent says it changed (PC-512).

/// A repository that takes part, isolated in a tree of its own.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tree {
    /// As the configuration names it.
    pub name: String,
    /// The real work tree, where only the deployment writes.
    pub real: String,
    /// The worktree or copy that the agent edits.
    pub path: String,
    pub branch: String,
    /// The commit that the tree began at.
    pub base: String,
    /// False for a copy of a folder that is in no repository.
    pub git: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
}

/// One file that is not as it was at the base. A rename is a file that goes and one that comes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileChange {
    /// [`Tree::name`].
    pub repo: String,
    /// Relative to its tree, with `/`.
    pub path: String,
    pub kind: ChangeKind,
    /// Blob ids; zeros for a file that is not there.
    pub before: String,
    pub after: String,
    pub before_mode: u32,
    pub after_mode: u32,
    pub added: u32,
    pub removed: u32,
    pub binary: bool,
    /// What the agent says about it, one line; empty when it says nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
}

impl FileChange {
    /// `repo/path`, unique in a session.
    pub fn label(&self) -> String {
        label(&self.repo, &self.path)
    }

    /// Which file, and how much of it: `app/code.txt +12 −3`.
    pub fn line(&self) -> String {
        format!("{} {}", self.label(), self.stat())
    }

    /// `+12 −3`, `binary`.
    pub fn stat(&self) -> String {
        match self.binary {
            true => "binary".into(),
            false => format!("+{} −{}", self.added, self.removed),
        }
    }
}

pub fn label(repo: &str, path: &str) -> String {
    format!("{repo}/{path}")
}

/// One contiguous change of a text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hunk {
    /// First line of the old text that it replaces, from 1; the line it follows when it replaces none.
    pub old_start: u32,
    /// Lines with their ends.
    pub old: Vec<String>,
    pub new_start: u32,
    pub new: Vec<String>,
    /// What the pilot needs to see besides: the whole new table when its composition changes (PC-503).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub around: String,
}

impl Hunk {
    /// The lines it is about, as people write them: `12`, `12-15`.
    pub fn lines(&self) -> String {
        let (start, count) = if self.new.is_empty() {
            (self.old_start, self.old.len())
        } else {
            (self.new_start, self.new.len())
        };
        match count {
            0 | 1 => start.to_string(),
            n => format!("{start}-{}", start as usize + n - 1),
        }
    }

    /// The change as a diff shows it.
    pub fn text(&self) -> String {
        let old = self.old.iter().map(|l| format!("-{}", l.trim_end_matches(['\n', '\r'])));
        let new = self.new.iter().map(|l| format!("+{}", l.trim_end_matches(['\n', '\r'])));
        old.chain(new).collect::<Vec<_>>().join("\n")
    }
}

/// An edit of a reserved file, as it is put before the pilot.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ReservedEdit {
    pub repo: String,
    pub path: String,
    pub before: String,
    pub after: String,
    pub hunks: Vec<Hunk>,
}

impl ReservedEdit {
    pub fn label(&self) -> String {
        label(&self.repo, &self.path)
    }
}

/// What one edit came to: the files as they stand in the trees.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Edit {
    /// From 1; an edit from which rejected hunks were taken out is a new one (PC-505).
    pub number: u32,
    /// Sorted by repository and path.
    pub files: Vec<FileChange>,
    /// The content of each tree as a git tree: what is reviewed, verified and deployed.
    pub trees: Vec<(String, String)>,
    pub reserved: Vec<ReservedEdit>,
    /// Claimed by the agent, not changed on disk.
    pub missing: Vec<String>,
    /// Changed on disk, not claimed; empty when the agent claims nothing at all.
    pub unclaimed: Vec<String>,
    /// Reviews and verifications there were when it was made.
    pub reviews: u32,
    pub verifies: u32,
    /// A pinpoint fix goes straight to verification (PC-532).
    #[serde(default)]
    pub pinpoint: bool,
}

impl Edit {
    pub fn tree(&self, repo: &str) -> Option<&str> {
        self.trees.iter().find(|(name, _)| name == repo).map(|(_, tree)| tree.as_str())
    }

    /// The files of one repository.
    pub fn of<'a>(&'a self, repo: &'a str) -> impl Iterator<Item = &'a FileChange> {
        self.files.iter().filter(move |f| f.repo == repo)
    }
}

/// Files that an agent's report claims under `changed_files:`, with what it says of each: a list of `- path` or
/// `- path — what`, or one line of names in brackets.
pub fn claims(report: &str) -> Option<Vec<(String, String)>> {
    let mut lines = report.lines();
    let head = lines.by_ref().map(str::trim).find_map(|l| l.strip_prefix("changed_files:").map(str::trim))?;
    if let Some(inline) = head.strip_prefix('[') {
        let names = inline.trim_end_matches(']').split(',').map(bare).filter(|n| !n.is_empty());
        return Some(names.map(|n| (n, String::new())).collect());
    }
    let items =
        lines.map(str::trim).map_while(|l| match l.strip_prefix("- ").or_else(|| l.strip_prefix("* ")) {
            Some(item) => Some(Some(item)),
            None => l.is_empty().then_some(None),
        });
    Some(
        items
            .flatten()
            .map(|item| match item.split_once(" — ").or_else(|| item.split_once(": ")) {
                Some((path, what)) => (bare(path), what.trim().to_string()),
                None => (bare(item), String::new()),
            })
            .filter(|(path, _)| !path.is_empty())
            .collect(),
    )
}

fn bare(path: &str) -> String {
    let path = path.trim().trim_matches(['"', '\'', '`']);
    path.strip_prefix("./").unwrap_or(path).to_string()
}

/// Compares what was claimed with what changed. A claim may name a path with or without its repository, or where the
/// file really is.
pub fn compare(
    claims: &[(String, String)],
    files: &mut [FileChange],
    trees: &[Tree],
) -> (Vec<String>, Vec<String>) {
    let names = |f: &FileChange| {
        let tree = trees.iter().find(|t| t.name == f.repo);
        let absolute = tree.map(|t| [format!("{}/{}", t.path, f.path), format!("{}/{}", t.real, f.path)]);
        [f.path.clone(), f.label()].into_iter().chain(absolute.into_iter().flatten()).collect::<Vec<_>>()
    };
    let mut missing = Vec::new();
    let mut claimed = vec![false; files.len()];
    for (path, what) in claims {
        let mut found = false;
        for (n, file) in files.iter_mut().enumerate().filter(|(_, f)| names(f).contains(path)) {
            (claimed[n], found) = (true, true);
            file.says = what.clone();
        }
        if !found {
            missing.push(path.clone());
        }
    }
    let unclaimed = files.iter().zip(&claimed).filter(|(_, c)| !**c).map(|(f, _)| f.label()).collect();
    (missing, unclaimed)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn file(repo: &str, path: &str) -> FileChange {
        FileChange {
            repo: repo.into(),
            path: path.into(),
            kind: ChangeKind::Modified,
            before: "1".repeat(40),
            after: "2".repeat(40),
            before_mode: 0o100644,
            after_mode: 0o100644,
            added: 1,
            removed: 1,
            binary: false,
            says: String::new(),
        }
    }

    #[test]
    fn pc_512_claims_are_read_in_the_forms_that_agents_use() {
        let list = "Done.\n\nchanged_files:\n- src/a.rs — caps the retries\n- `docs/b.md`: says so\n* ./c\n\nThat is all.\n- not/this";
        let claimed = claims(list).unwrap();
        let want = [("src/a.rs", "caps the retries"), ("docs/b.md", "says so"), ("c", "")];
        assert_eq!(claimed, want.map(|(p, w)| (p.to_string(), w.to_string())));
        assert_eq!(claims("changed_files: [a, \"b c\"]").unwrap().len(), 2);
        assert_eq!(claims("changed_files: []"), Some(Vec::new()));
        assert_eq!(claims("I changed files."), None);
    }

    #[test]
    fn pc_512_claimed_and_changed_are_compared_both_ways() {
        let tree = Tree {
            name: "app".into(),
            real: "/r/app".into(),
            path: "/w/app".into(),
            branch: String::new(),
            base: String::new(),
            git: true,
        };
        let mut files =
            vec![file("app", "src/a.rs"), file("app", "b.md"), file("web", "b.md"), file("web", "d")];
        let claimed = ["/w/app/src/a.rs", "b.md", "ghost.rs"].map(|p| (p.to_string(), "why".to_string()));
        let (missing, unclaimed) = compare(&claimed, &mut files, &[tree]);
        assert_eq!((missing, unclaimed), (vec!["ghost.rs".to_string()], vec!["web/d".to_string()]));
        assert_eq!(files[0].says, "why");
    }

    #[test]
    fn a_hunk_names_its_lines() {
        let hunk = |old_start, old: &[&str], new_start, new: &[&str]| Hunk {
            old_start,
            old: old.iter().map(|l| l.to_string()).collect(),
            new_start,
            new: new.iter().map(|l| l.to_string()).collect(),
            around: String::new(),
        };
        assert_eq!(hunk(3, &["a\n"], 4, &["b\n", "c\n"]).lines(), "4-5");
        assert_eq!(hunk(3, &["a\n", "b\n"], 2, &[]).lines(), "3-4");
        assert_eq!(hunk(3, &["a\r\n"], 3, &["b\n"]).text(), "-a\n+b");
    }
}
