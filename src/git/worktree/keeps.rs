//! Why a work tree must stay. Whatever cannot be read is a reason.

use super::super::cli::{Git, done};
use super::super::stage;
use super::registered::{self, Head, Registered};
use super::{WRITE_DEADLINE, ours};
use git2::{BranchType, Error, ErrorCode, Oid, ReferenceType, Repository, RepositoryState, Status};
use git2::{ObjectType, StatusOptions};
use std::path::{Path, PathBuf};

/// A reason why a work tree or its branch may not be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// So many commits are reachable from no other local branch, tag or remote-tracking branch.
    Commits(usize),
    /// Tracked files that differ from the last commit, staged or not.
    Changed(Vec<PathBuf>),
    /// Files that git does not track and does not ignore.
    Untracked(Vec<PathBuf>),
    /// This process works in it or runs a program of it.
    Process(u32),
    /// The repository's own branch.
    DefaultBranch,
    /// Another work tree is on the branch.
    CheckedOutElsewhere,
    /// It could not be found out, or something is under way: the text says it.
    Unreadable(String),
}

/// Why the work tree `at` of the repository `real` and its branch may not be removed; empty when nothing is lost.
pub fn keeps(real: &Path, at: &Path, branch: &str) -> Vec<Kept> {
    look(real, at, branch).unwrap_or_else(|error| vec![Kept::Unreadable(error.message().to_string())])
}

/// Removes a work tree that keeps nothing, and its branch. git checks both once more on its own and is not forced.
pub fn remove(real: &Path, at: &Path, branch: &str) -> Result<(), Vec<Kept>> {
    let kept = keeps(real, at, branch);
    if !kept.is_empty() {
        return Err(kept);
    }
    let failed = |error: Error| vec![Kept::Unreadable(error.message().to_string())];
    let repo = Repository::discover(real).map_err(failed)?;
    let path = registered::resolved(at);
    let git = Git { root: real, env: &[] };
    let said = |refused: super::Refused| vec![Kept::Unreadable(refused.to_string())];
    if registered::all(&repo).map_err(failed)?.iter().any(|tree| tree.path == path) {
        // Ignored files go with the tree without force: git's own check looks at tracked and untracked files, as ours.
        let mut command = git.command(&["worktree", "remove", "--"]);
        done("git worktree remove", command.arg(&path), WRITE_DEADLINE).map_err(said)?;
    }
    if repo.find_branch(branch, BranchType::Local).is_ok() {
        // git compares with the upstream or HEAD only, so it may keep a branch that another one contains. That is
        // its word against ours, and the careful word wins.
        git.run("git branch -d", &["branch", "-d", "--", branch], &[], WRITE_DEADLINE).map_err(said)?;
    }
    // Last: while the branch is there, the note tells whose it is.
    if let Some(note) = ours::note_path(&path) {
        let _ = std::fs::remove_file(note);
    }
    Ok(())
}

fn look(real: &Path, at: &Path, branch: &str) -> Result<Vec<Kept>, Error> {
    let repo = Repository::discover(real)?;
    let path = registered::resolved(at);
    let trees = registered::all(&repo)?;
    let tree = trees.iter().find(|tree| tree.path == path);
    let mut kept = Vec::new();
    if registered::defaults(&repo)?.iter().any(|name| name == branch) {
        kept.push(Kept::DefaultBranch);
    }
    if tree.is_some_and(|tree| tree.main) {
        kept.push(Kept::Unreadable("this is the repository's main work tree".to_string()));
        return Ok(kept);
    }
    if trees.iter().any(|tree| tree.path != path && tree.head == Head::Branch(branch.to_string())) {
        kept.push(Kept::CheckedOutElsewhere);
    }
    let mut tips = Vec::new();
    match repo.find_branch(branch, BranchType::Local) {
        Ok(found) => tips.push(found.get().peel_to_commit()?.id()),
        Err(error) if error.code() == ErrorCode::NotFound => {}
        Err(error) => return Err(error),
    }
    match tree.map(|tree| &tree.head) {
        Some(Head::Commit(id)) => tips.push(*id),
        Some(Head::Unknown) => kept.push(Kept::Unreadable("it is not clear what it has checked out".into())),
        Some(Head::Branch(_)) | None => {}
    }
    match lost(&repo, &tips, Some(branch))?.len() {
        0 => {}
        commits => kept.push(Kept::Commits(commits)),
    }
    if path.symlink_metadata().is_ok() {
        match tree {
            Some(tree) => files(tree, &mut kept)?,
            None => {
                let why = format!("{} is no work tree of {}", at.display(), real.display());
                kept.push(Kept::Unreadable(why));
            }
        }
        kept.extend(processes(&path).into_iter().map(Kept::Process));
    }
    Ok(kept)
}

/// The commits that only `tips` reach: no local branch but `own`, no tag, no remote-tracking branch.
pub(super) fn lost(repo: &Repository, tips: &[Oid], own: Option<&str>) -> Result<Vec<Oid>, Error> {
    if tips.is_empty() {
        return Ok(Vec::new());
    }
    let own = own.map(|branch| format!("refs/heads/{branch}"));
    let mut walk = repo.revwalk()?;
    for tip in tips {
        walk.push(*tip)?;
    }
    for reference in repo.references()? {
        let reference = reference?;
        let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
        let counts = ["refs/heads/", "refs/tags/", "refs/remotes/"].iter().any(|kind| name.starts_with(kind));
        // A symbolic one holds nothing by itself; it may even name our branch.
        let symbolic = reference.kind() == Some(ReferenceType::Symbolic);
        if counts && !symbolic && own.as_ref() != Some(&name)
            // A tag of a file holds no commit.
            && let Ok(commit) = reference.peel(ObjectType::Commit)
        {
            walk.hide(commit.id())?;
        }
    }
    walk.collect()
}

fn files(tree: &Registered, kept: &mut Vec<Kept>) -> Result<(), Error> {
    let repo = Repository::open(&tree.path)?;
    let admin = |path: &Path| path.canonicalize().map_err(|error| Error::from_str(&error.to_string()));
    if admin(repo.path())? != admin(&tree.admin)? {
        kept.push(Kept::Unreadable("its .git file names another git folder".to_string()));
        return Ok(());
    }
    if repo.state() != RepositoryState::Clean {
        kept.push(Kept::Unreadable("a merge, rebase or the like is under way in it".to_string()));
    }
    let mut options = StatusOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).include_unreadable(true);
    // libgit2 counts a repository inside as ignored; git does not, and nobody else has its commits.
    options.include_ignored(true);
    let (mut changed, mut untracked) = (hidden(&repo)?, Vec::new());
    for entry in repo.statuses(Some(&mut options))?.iter() {
        let path = path_of(entry.path_bytes());
        if entry.status() == Status::WT_NEW || stage::is_nested(&repo, &path) {
            untracked.push(path);
        } else if !entry.status().is_empty() && entry.status() != Status::IGNORED {
            changed.push(path);
        }
    }
    if !changed.is_empty() {
        kept.push(Kept::Changed(changed));
    }
    if !untracked.is_empty() {
        kept.push(Kept::Untracked(untracked));
    }
    Ok(())
}

/// Files that the index says not to look at, and that differ all the same.
fn hidden(repo: &Repository) -> Result<Vec<PathBuf>, Error> {
    let (Some(root), index) = (repo.workdir(), repo.index()?) else { return Ok(Vec::new()) };
    let entries = index.iter().filter(stage::is_hidden);
    let differs = |path: &Path, id: Oid| {
        path.symlink_metadata().is_ok() && Oid::hash_file(ObjectType::Blob, path).is_ok_and(|now| now != id)
    };
    Ok(entries
        .map(|entry| (path_of(&entry.path), entry.id))
        .filter(|(path, id)| differs(&root.join(path), *id))
        .map(|(path, _)| path)
        .collect())
}

fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Processes whose working folder or program lies in the folder. Those of other users cannot be looked at.
#[cfg(target_os = "linux")]
pub(super) fn processes(folder: &Path) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let inside = |link: PathBuf| std::fs::read_link(link).is_ok_and(|target| target.starts_with(folder));
    let mut found: Vec<u32> = entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .filter(|(_, path)| inside(path.join("cwd")) || inside(path.join("exe")))
        .map(|(pid, _)| pid)
        .collect();
    found.sort_unstable();
    found
}

#[cfg(not(target_os = "linux"))]
pub(super) fn processes(_folder: &Path) -> Vec<u32> {
    Vec::new()
}
