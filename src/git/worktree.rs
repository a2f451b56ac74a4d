//! Work trees of ours: made on a branch of their own, removed only when nothing is lost by it.

mod copy;
mod home;
mod keeps;
mod registered;

pub use copy::{copied, copy_keeps, discard};
pub use home::{Home, branches, home};
pub use keeps::{Kept, keeps, remove};
pub use registered::{Found, list};

use super::cli::{Git, because, done, not_tried};
use super::commit::Refused;
use super::ours::{self, Note};
use git2::{Branch, BranchType, ErrorCode, Oid, Repository};
use registered::{Head, Registered};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ADD: &str = "git worktree add";

/// A big work tree with filters takes a while to write.
const WRITE_DEADLINE: Duration = Duration::from_secs(600);

/// Names tried when a branch of an earlier run holds work.
const NAMES: usize = 99;

/// A work tree that is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The commit that the branch begins at.
    pub base: String,
    pub branch: String,
}

/// Makes a work tree of the repository `real` at `at`, on a new branch that begins at HEAD. Done twice it is done once:
/// a tree that is there already is given back, with the tip of its branch as base. A branch of this name that holds
/// commits of its own is left alone and `<branch>-2` (and so on) is taken.
pub fn add(real: &Path, at: &Path, branch: &str) -> Result<Added, Refused> {
    let repo = whole(real)?;
    let head = match repo.head().and_then(|head| head.peel_to_commit()) {
        Ok(commit) => commit.id(),
        Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => {
            return Err(not_tried(ADD, format!("{} has no commit yet; make one first", real.display())));
        }
        Err(error) => return Err(not_tried(ADD, error.message())),
    };
    if !Branch::name_is_valid(branch).unwrap_or(false) || branch.starts_with('-') {
        return Err(not_tried(ADD, format!("{branch} is no name for a branch")));
    }
    if registered::defaults(&repo).map_err(because(ADD))?.iter().any(|name| name == branch) {
        return Err(not_tried(ADD, format!("{branch} is the repository's own branch")));
    }
    let at = resolved(at)?;
    let trees = registered::all(&repo).map_err(because(ADD))?;
    if let Some(tree) = trees.iter().find(|tree| tree.path == at) {
        if tree.main {
            return Err(not_tried(ADD, format!("{} is the repository's main work tree", at.display())));
        }
        if at.exists() {
            return given_back(&repo, tree, &at, branch);
        }
        forget(real, &repo, tree)?;
    }
    let branch = free(real, &repo, &trees, branch, head)?;
    let (at_text, head_text) = (at.as_os_str(), head.to_string());
    let git = Git { root: real, env: &[] };
    // The branch exists already when an earlier run ended right after making it.
    let mut command = if repo.find_branch(&branch, BranchType::Local).is_ok() {
        let mut command = git.command(&["worktree", "add", "--"]);
        command.arg(at_text).arg(&branch);
        command
    } else {
        let mut command = git.command(&["worktree", "add", "--no-track", "-b", &branch, "--"]);
        command.arg(at_text).arg(&head_text);
        command
    };
    done(ADD, &mut command, WRITE_DEADLINE)?;
    let trees = registered::all(&repo).map_err(because(ADD))?;
    let tree = trees.iter().find(|tree| tree.path == at);
    let tree = tree.ok_or_else(|| not_tried(ADD, format!("git did not register {}", at.display())))?;
    note(tree, &at, &branch)?;
    Ok(Added { base: head_text, branch })
}

/// The repository whose work tree is exactly this folder.
fn whole(real: &Path) -> Result<Repository, Refused> {
    let no_repository = || not_tried(ADD, format!("{} belongs to no repository", real.display()));
    let repo = match Repository::discover(real) {
        Ok(repo) => repo,
        Err(error) if error.code() == ErrorCode::NotFound => return Err(no_repository()),
        Err(error) => return Err(not_tried(ADD, error.message())),
    };
    let Some(root) = repo.workdir() else {
        return Err(not_tried(ADD, format!("{} is a bare repository", real.display())));
    };
    let root = root.canonicalize().map_err(because(ADD))?;
    if root != real.canonicalize().map_err(because(ADD))? {
        let why = format!("{} is a folder of the repository {}; name that", real.display(), root.display());
        return Err(not_tried(ADD, why));
    }
    Ok(repo)
}

/// The path with the links above it resolved; the folders above it are made.
fn resolved(at: &Path) -> Result<PathBuf, Refused> {
    let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else {
        return Err(not_tried(ADD, format!("{} cannot be a work tree", at.display())));
    };
    fs::create_dir_all(parent).map_err(because(ADD))?;
    let path = parent.canonicalize().map_err(because(ADD))?.join(name);
    if path.is_symlink() {
        return Err(not_tried(ADD, format!("{} is a link", at.display())));
    }
    Ok(path)
}

/// A tree that an earlier run made, on this branch or on a numbered one.
fn given_back(repo: &Repository, tree: &Registered, at: &Path, branch: &str) -> Result<Added, Refused> {
    let numbered = |name: &str| {
        name.strip_prefix(branch)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let on = match &tree.head {
        Head::Branch(name) if name == branch || numbered(name) => name.clone(),
        Head::Branch(name) => {
            return Err(not_tried(ADD, format!("{} is on another branch: {name}", at.display())));
        }
        Head::Commit(_) | Head::Unknown => {
            return Err(not_tried(ADD, format!("{} is on no branch", at.display())));
        }
    };
    let base = repo.refname_to_id(&format!("refs/heads/{on}")).map_err(because(ADD))?;
    note(tree, at, &on)?;
    Ok(Added { base: base.to_string(), branch: on })
}

fn note(tree: &Registered, at: &Path, branch: &str) -> Result<(), Refused> {
    let git_dir = tree.admin.canonicalize().map_err(because(ADD))?;
    let note = Note { branch: branch.to_string(), git_dir };
    ours::remember(at, &note).map_err(because(ADD))?;
    ours::open(ADD, at).map(drop)
}

/// Takes a deleted tree out of git's list, and no other. git refuses a locked one.
fn forget(real: &Path, repo: &Repository, tree: &Registered) -> Result<(), Refused> {
    if let Head::Commit(id) = tree.head
        && !keeps::lost(repo, &[id], None).map_err(because(ADD))?.is_empty()
    {
        let why =
            format!("{} is deleted, but git's entry for it holds commits of no branch", tree.path.display());
        return Err(not_tried(ADD, why));
    }
    let git = Git { root: real, env: &[] };
    let mut command = git.command(&["worktree", "remove", "--"]);
    done("git worktree remove", command.arg(&tree.path), WRITE_DEADLINE).map(drop)
}

/// A branch name that holds nobody's work: unused, or at HEAD and checked out nowhere.
fn free(
    real: &Path,
    repo: &Repository,
    trees: &[Registered],
    branch: &str,
    head: Oid,
) -> Result<String, Refused> {
    for n in 1..=NAMES {
        let name = if n == 1 { branch.to_string() } else { format!("{branch}-{n}") };
        let tip = match repo.find_branch(&name, BranchType::Local) {
            Ok(found) => found.get().peel_to_commit().map_err(because(ADD))?.id(),
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(name),
            Err(error) => return Err(not_tried(ADD, error.message())),
        };
        // The entry of a deleted tree that was just forgotten does not hold the branch.
        let held = trees.iter().any(|t| t.path.exists() && t.head == Head::Branch(name.clone()));
        if held {
            continue;
        }
        if tip == head {
            return Ok(name);
        }
        if repo.graph_descendant_of(head, tip).unwrap_or(false) {
            // Nothing of its own, but it stands behind HEAD. git checks once more that it is merged.
            Git { root: real, env: &[] }.run(
                "git branch -d",
                &["branch", "-d", "--", &name],
                &[],
                WRITE_DEADLINE,
            )?;
            return Ok(name);
        }
    }
    Err(not_tried(ADD, format!("{NAMES} branches named {branch}-… hold work; remove some")))
}

#[cfg(test)]
mod tests;
