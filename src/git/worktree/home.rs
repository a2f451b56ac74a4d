//! Which repository a work tree of ours belongs to, also when the tree itself is gone.

use super::super::ours;
use super::registered::{self, Head};
use git2::{BranchType, Repository};
use std::path::{Path, PathBuf};

/// Where a work tree of ours comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The main work tree of its repository, or the git folder of a bare one; the copy itself for a copy.
    pub repository: PathBuf,
    /// The branch it was made on.
    pub branch: String,
    /// It is a copy of a folder without git.
    pub copy: bool,
}

/// The home of a tree, by the note beside it, else by its own git files. `None` when nothing says it.
pub fn home(at: &Path) -> Option<Home> {
    let at = registered::resolved(at);
    let Some(note) = ours::note(&at) else {
        let repo = Repository::open(&at).ok()?;
        let branch = registered::all(&repo).ok()?.into_iter().find_map(|tree| match tree.head {
            Head::Branch(name) if tree.path == at && !tree.main => Some(name),
            _ => None,
        })?;
        return Some(Home { repository: main_of(&repo)?, branch, copy: false });
    };
    if ours::beside(&at, "git").is_some_and(|own| own == note.git_dir) {
        return Some(Home { repository: at, branch: note.branch, copy: true });
    }
    // `<repository>/.git/worktrees/<name>`; the last part may be pruned by now.
    let common = note.git_dir.parent().filter(|folder| folder.ends_with("worktrees"))?.parent()?;
    let repo = Repository::open(common).ok()?;
    Some(Home { repository: main_of(&repo)?, branch: note.branch, copy: false })
}

/// The local branches whose names begin so.
pub fn branches(real: &Path, beginning: &str) -> Vec<String> {
    let Ok(repo) = Repository::discover(real) else { return Vec::new() };
    let Ok(branches) = repo.branches(Some(BranchType::Local)) else { return Vec::new() };
    let mut names: Vec<String> = branches
        .flatten()
        .filter_map(|(branch, _)| Some(String::from_utf8_lossy(branch.name_bytes().ok()?).into_owned()))
        .filter(|name| name.starts_with(beginning))
        .collect();
    names.sort();
    names
}

fn main_of(repo: &Repository) -> Option<PathBuf> {
    let main = Repository::open(repo.commondir()).ok()?;
    let root = main.workdir().unwrap_or(main.path()).to_path_buf();
    Some(root.canonicalize().unwrap_or(root))
}
