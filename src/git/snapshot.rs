//! What a work tree of ours holds, as a tree object: taken, shown, compared and put back without making a commit.

use super::beneath::{self, LINK};
use super::cli::{because, done, not_tried};
use super::commit::Refused;
use super::ours::{self, Ours};
use super::stage;
use git2::{Delta, Diff, DiffFormat, DiffOptions, FileMode, ObjectType, Oid, Patch, Repository, Tree};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const TAKE: &str = "taking a snapshot";
const RESTORE: &str = "restoring a snapshot";
const READ: &str = "reading from git";
const WRITE: &str = "writing a file";

/// Filters may take their time.
const DEADLINE: Duration = Duration::from_secs(600);

/// The most text of a diff that is given out.
pub(super) const DIFF_LIMIT: usize = 8 * 1024 * 1024;

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Relative to the repository, with forward slashes.
    pub path: String,
    pub kind: Kind,
    /// The name of the blob, zeros when there was no file.
    pub before: String,
    pub after: String,
    /// git's modes: 0o100644, 0o100755 or 0o120000; 0 when there is no file.
    pub before_mode: u32,
    pub after_mode: u32,
    pub added: u32,
    pub removed: u32,
    pub binary: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Added,
    Modified,
    Deleted,
}

/// The content of a work tree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The name of the tree object.
    pub tree: String,
    /// What differs from the base, sorted by path. A renamed file is one deleted and one added.
    pub files: Vec<Changed>,
}

/// The content of the work tree `at` compared with the commit `base`: what was committed, staged, changed and left
/// untracked there since, ignored files not. `index` names a temporary file; the index of the tree is not touched.
pub fn take(at: &Path, base: &str, index: &Path) -> Result<Snapshot, Refused> {
    let tree = ours::open(TAKE, at)?;
    let base = tree_of(TAKE, &tree.repo, base)?;
    let Some(base) = base else { return Err(not_tried(TAKE, "a snapshot needs a base")) };
    let paths = differing(&tree, &base)?;
    if paths.is_empty() {
        return Ok(Snapshot { tree: base.id().to_string(), files: Vec::new() });
    }
    let git = tree.git(&[]);
    let index = Index::new(index)?;
    let mut read = git.plumbing(&["read-tree", &base.id().to_string()]);
    done("git read-tree", read.env("GIT_INDEX_FILE", &index.0), DEADLINE)?;
    stage::stage(&git, &tree.root, &paths, Some(&index.0))?;
    let mut write = git.plumbing(&["write-tree"]);
    let written = done("git write-tree", write.env("GIT_INDEX_FILE", &index.0), DEADLINE)?;
    let id = Oid::from_str(written.stdout.trim()).map_err(because(TAKE))?;
    let taken = tree.repo.find_tree(id).map_err(because(TAKE))?;
    let files = changes(TAKE, &tree.repo, Some(&base), Some(&taken))?;
    Ok(Snapshot { tree: id.to_string(), files })
}

/// Makes the content of the work tree that of `tree`, ignored files aside, and its branch that of `base`: what an agent
/// has committed, staged, changed or left there is gone. Never in a tree that flightdeck did not make.
pub fn restore(at: &Path, base: &str, tree: &str) -> Result<(), Refused> {
    let ours = ours::open(RESTORE, at)?;
    let object = |id: &str, kind| {
        let id = Oid::from_str(id).map_err(because(RESTORE))?;
        let object = ours.repo.find_object(id, None).map_err(because(RESTORE))?;
        object.peel(kind).map(|object| object.id().to_string()).map_err(because(RESTORE))
    };
    let (base, tree) = (object(base, ObjectType::Commit)?, object(tree, ObjectType::Tree)?);
    let git = ours.git(&[]);
    let run = |step, args: &[&str]| done(step, &mut git.plumbing(args), DEADLINE).map(drop);
    // A merge or rebase that was left half-way would be taken up by the next commit.
    ours.repo.cleanup_state().map_err(because(RESTORE))?;
    let branch = format!("refs/heads/{}", ours.branch);
    run("git symbolic-ref", &["symbolic-ref", "-m", "flightdeck: restore", "HEAD", &branch])?;
    run("git update-ref", &["update-ref", "-m", "flightdeck: restore", &branch, &base])?;
    drop_hidden(&ours)?;
    run("git read-tree", &["read-tree", "--reset", "-u", &tree])?;
    run("git clean", &["clean", "-q", "-d", "-f", "-f"])?;
    run("git reset", &["reset", "-q"])
}

/// The content of a blob; nothing for zeros.
pub fn blob(at: &Path, id: &str) -> Result<Vec<u8>, Refused> {
    let id = Oid::from_str(id).map_err(because(READ))?;
    if id.is_zero() {
        return Ok(Vec::new());
    }
    let repo = ours::reading(READ, at)?;
    let blob = repo.find_blob(id).map_err(because(READ))?;
    Ok(blob.content().to_vec())
}

/// Writes one file of the work tree, or removes it; `mode` is git's. No link on the way is followed, and a link under
/// this name is replaced.
pub fn write(at: &Path, path: &str, content: Option<&[u8]>, mode: u32) -> Result<(), Refused> {
    let tree = ours::open(WRITE, at)?;
    let written = match content {
        Some(content) => {
            let permissions = match beneath::read(&tree.root, path) {
                Ok(beneath::Found::File(_, permissions)) if mode != LINK => Some(permissions),
                _ => None,
            };
            beneath::replace(&tree.root, path, content, mode, permissions)
        }
        None => beneath::remove(&tree.root, path),
    };
    written.map_err(|error| not_tried(WRITE, format!("{path}: {error}")))
}

/// What happened between two trees or commits, as a unified diff. Zeros stand for nothing at all.
pub fn diff(at: &Path, from: &str, to: &str, context: u32) -> Result<String, Refused> {
    let repo = ours::reading(READ, at)?;
    let (from, to) = (tree_of(READ, &repo, from)?, tree_of(READ, &repo, to)?);
    let mut options = options();
    options.context_lines(context);
    let diff =
        repo.diff_tree_to_tree(from.as_ref(), to.as_ref(), Some(&mut options)).map_err(because(READ))?;
    let (mut text, mut cut) = (Vec::new(), false);
    let printed = diff.print(DiffFormat::Patch, |_, _, line| {
        let sign = matches!(line.origin(), '+' | '-' | ' ');
        cut = text.len() + line.content().len() + 1 > DIFF_LIMIT;
        if !cut {
            text.extend(sign.then_some(line.origin() as u8));
            text.extend(line.content());
        }
        !cut
    });
    if !cut {
        printed.map_err(because(READ))?;
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if cut {
        text.push_str("[the diff is longer than 8 MiB and was cut here]\n");
    }
    Ok(text)
}

/// What differs between two trees, by path.
pub(super) fn changes(
    step: &'static str,
    repo: &Repository,
    from: Option<&Tree>,
    to: Option<&Tree>,
) -> Result<Vec<Changed>, Refused> {
    let diff = repo.diff_tree_to_tree(from, to, Some(&mut options())).map_err(because(step))?;
    let mut files = Vec::new();
    for n in 0..diff.deltas().len() {
        let patch = Patch::from_diff(&diff, n).map_err(because(step))?;
        let (_, added, removed) = match &patch {
            Some(patch) => patch.line_stats().map_err(because(step))?,
            None => (0, 0, 0),
        };
        let Some(delta) = diff.get_delta(n) else { continue };
        let kind = match delta.status() {
            Delta::Added => Kind::Added,
            Delta::Deleted => Kind::Deleted,
            _ => Kind::Modified,
        };
        let (old, new) = (delta.old_file(), delta.new_file());
        let count = |lines| u32::try_from(lines).unwrap_or(u32::MAX);
        files.push(Changed {
            path: name(step, new.path_bytes().or(old.path_bytes()))?,
            kind,
            before: old.id().to_string(),
            after: new.id().to_string(),
            before_mode: u32::from(old.mode()),
            after_mode: u32::from(new.mode()),
            added: count(added),
            removed: count(removed),
            binary: delta.flags().is_binary(),
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

pub(super) fn options() -> DiffOptions {
    let mut options = DiffOptions::new();
    options.include_typechange(true);
    options
}

/// The tree of a commit or the tree itself; nothing for zeros.
pub(super) fn tree_of<'r>(
    step: &'static str,
    repo: &'r Repository,
    id: &str,
) -> Result<Option<Tree<'r>>, Refused> {
    let id = Oid::from_str(id).map_err(because(step))?;
    if id.is_zero() {
        return Ok(None);
    }
    repo.find_object(id, None).and_then(|object| object.peel_to_tree()).map(Some).map_err(because(step))
}

/// Every path that may differ between the base and the disk. More than do differ is harmless: filters that libgit2 does
/// not run make it suspect unchanged files.
fn differing(tree: &Ours, base: &Tree) -> Result<Vec<String>, Refused> {
    let failed = because(TAKE);
    let index = tree.repo.index().map_err(because(TAKE))?;
    let staged = tree
        .repo
        .diff_tree_to_index(Some(base), Some(&index), Some(&mut options()))
        .map_err(because(TAKE))?;
    let mut seen = options();
    seen.include_untracked(true).recurse_untracked_dirs(true).include_unreadable(true);
    // libgit2 counts a repository inside as ignored; git does not.
    seen.include_ignored(true);
    let loose = tree.repo.diff_index_to_workdir(Some(&index), Some(&mut seen)).map_err(failed)?;
    let mut paths = BTreeSet::new();
    for diff in [&staged, &loose] {
        collect(tree, diff, base, &mut paths)?;
    }
    // git was told not to look at these; they are what one would hide an edit with.
    for entry in index.iter().filter(stage::is_hidden) {
        let path = name(TAKE, Some(&entry.path))?;
        if tree.root.join(&path).symlink_metadata().is_ok() {
            paths.insert(path);
        }
    }
    Ok(paths.into_iter().collect())
}

fn collect(tree: &Ours, diff: &Diff, base: &Tree, paths: &mut BTreeSet<String>) -> Result<(), Refused> {
    for delta in diff.deltas() {
        let (old, new) = (delta.old_file(), delta.new_file());
        let path = name(TAKE, new.path_bytes().or(old.path_bytes()))?;
        let full = tree.root.join(&path);
        if delta.status() == Delta::Ignored && !stage::is_nested(&tree.repo, Path::new(&path)) {
            continue;
        }
        let is_link = [old.mode(), new.mode()].contains(&FileMode::Commit);
        let nested = is_link || full.join(".git").symlink_metadata().is_ok();
        if nested {
            let path = path.trim_end_matches('/');
            return Err(not_tried(
                TAKE,
                format!("{path} is a repository of its own; its content cannot be taken over"),
            ));
        }
        let found = full.symlink_metadata();
        let is_content = found.as_ref().is_ok_and(|found| found.is_file() || found.is_symlink());
        // A socket or an empty folder is nothing to git; a file that gave way to one is gone.
        if is_content || base.get_path(Path::new(&path)).is_ok() {
            paths.insert(path);
        }
    }
    Ok(())
}

/// Paths are shown, decided on and written to files of the session, so they must be text.
fn name(step: &'static str, bytes: Option<&[u8]>) -> Result<String, Refused> {
    let bytes = bytes.unwrap_or_default();
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        not_tried(step, format!("the name {} is no UTF-8; rename the file", String::from_utf8_lossy(bytes)))
    })
}

/// Files that the index says not to look at would keep what an agent has made of them. Without the index they are
/// written anew, with all others.
fn drop_hidden(ours: &Ours) -> Result<(), Refused> {
    let sparse =
        ours.repo.config().and_then(|config| config.get_bool("core.sparseCheckout")).unwrap_or(false);
    let index = ours.repo.index().map_err(because(RESTORE))?;
    if index.iter().any(|entry| stage::is_hidden(&entry)) && !sparse {
        let path = ours.repo.path().join("index");
        fs::remove_file(path).map_err(because(RESTORE))?;
    }
    Ok(())
}

/// A temporary index file, removed when this is dropped.
struct Index(PathBuf);

impl Index {
    fn new(path: &Path) -> Result<Index, Refused> {
        let index = Index(std::path::absolute(path).map_err(because(TAKE))?);
        index.clear();
        Ok(index)
    }

    fn clear(&self) {
        let _ = fs::remove_file(&self.0);
        let mut lock = self.0.clone().into_os_string();
        lock.push(".lock");
        let _ = fs::remove_file(lock);
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests;
