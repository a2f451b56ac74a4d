//! Bringing verified work into the pilot's tree: exactly that work, by fast-forward or not at all (PC-540 to 543).

use super::beneath::{self, Found, LINK};
use super::cli::{Git, because, done, not_tried};
use super::commit::{COMMIT_DEADLINE, Cause, Refused, no_identity};
use super::ours;
use super::snapshot::{self, Changed, Kind};
use super::stage;
use git2::{ObjectType, Oid, Repository, RepositoryState, Status, StatusOptions};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

pub use super::commit::{PushOutcome, push};

const COMMIT: &str = "git commit";
const MERGE: &str = "git merge --ff-only";
const REBASE: &str = "git rebase";
const COPY: &str = "copying files back";

/// Why the work is not where it should be. Nothing was forced and nothing of the pilot's was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocked {
    /// The branch stands on another commit than the one the work began at.
    Moved {
        base: String,
        head: String,
    },
    /// These files of ours have been changed there by somebody else.
    Dirty(Vec<String>),
    Refused(Refused),
    /// Hooks changed these files: what was committed is not what was verified.
    Changed(Vec<String>),
}

impl From<Refused> for Blocked {
    fn from(refused: Refused) -> Blocked {
        Blocked::Refused(refused)
    }
}

/// Commits the verified `tree` on the branch of the work tree `at`, limited to `files`; hooks run. Done twice it is done
/// once. When hooks change files the commit stays on the branch and the answer is [`Blocked::Changed`].
pub fn commit(
    at: &Path,
    base: &str,
    tree: &str,
    files: &[String],
    message: &str,
    env: &[(String, String)],
) -> Result<String, Blocked> {
    let ours = ours::open(COMMIT, at)?;
    let (base, tree) = (oid(COMMIT, base)?, oid(COMMIT, tree)?);
    let head = ours.head().ok_or_else(|| not_tried(COMMIT, "the work tree has no commit"))?;
    if head != base {
        // An earlier run may have come this far.
        let parents: Vec<Oid> = ours.repo.find_commit(head).map_err(because(COMMIT))?.parent_ids().collect();
        if parents == [base] {
            return verified(&ours.repo, head, tree);
        }
        return Err(Blocked::Moved { base: base.to_string(), head: head.to_string() });
    }
    let name = ours.repo.head().map_err(because(COMMIT))?;
    if name.name_bytes() != format!("refs/heads/{}", ours.branch).as_bytes() {
        let why = format!("the work tree is not on its branch {}", ours.branch);
        return Err(not_tried(COMMIT, why).into());
    }
    if files.is_empty() {
        return Err(not_tried(COMMIT, "there are no files to commit").into());
    }
    let git = ours.git(env);
    stage::stage(&git, &ours.root, files, None)?;
    // By file, because there may be more paths than fit on a command line.
    let list = ours.repo.path().join("flightdeck-paths");
    paths_file(&list, files).map_err(because::<std::io::Error>(COMMIT))?;
    let mut command = git.command(&["commit", "-q", "-m", message, "--pathspec-file-nul"]);
    command.arg({
        let mut option = std::ffi::OsString::from("--pathspec-from-file=");
        option.push(&list);
        option
    });
    let committed = done(COMMIT, &mut command, COMMIT_DEADLINE);
    let _ = fs::remove_file(&list);
    committed.map_err(|refused| no_identity(&git, refused))?;
    let head = ours.head().ok_or_else(|| not_tried(COMMIT, "the commit cannot be found"))?;
    verified(&ours.repo, head, tree)
}

/// The commit, when its tree is the verified one.
fn verified(repo: &Repository, sha: Oid, tree: Oid) -> Result<String, Blocked> {
    let made = repo.find_commit(sha).and_then(|commit| commit.tree()).map_err(because(COMMIT))?;
    if made.id() == tree {
        return Ok(sha.to_string());
    }
    let verified = repo.find_tree(tree).map_err(because(COMMIT))?;
    let differing = snapshot::changes(COMMIT, repo, Some(&verified), Some(&made))?;
    Err(Blocked::Changed(differing.into_iter().map(|file| file.path).collect()))
}

/// Moves the pilot's work tree from `base` to the commit `sha`, by fast-forward only. Whatever else is staged or changed
/// there stays exactly as it is (PC-541).
pub fn advance(real: &Path, base: &str, sha: &str) -> Result<(), Blocked> {
    let repo = Repository::open(real).map_err(|error| not_tried(MERGE, error.message()))?;
    let (base, sha) = (oid(MERGE, base)?, oid(MERGE, sha)?);
    if is_there(&repo, base, sha)? {
        return Ok(());
    }
    if base != sha && !repo.graph_descendant_of(sha, base).map_err(because(MERGE))? {
        return Err(not_tried(MERGE, format!("{sha} does not follow {base}")).into());
    }
    let dirty = dirty(&repo, base, sha)?;
    if !dirty.is_empty() {
        return Err(Blocked::Dirty(dirty));
    }
    let git = Git { root: real, env: &[] };
    let sha_text = sha.to_string();
    // Neither what is ignored nor what is staged may give way: git's defaults would overwrite the one, and a setting of
    // the pilot's could stash the other and bring it back unstaged.
    let args =
        ["merge", "--ff-only", "--no-autostash", "--no-overwrite-ignore", "-q", "--no-stat", &sha_text];
    if let Err(refused) = git.run(MERGE, &args, &[], COMMIT_DEADLINE) {
        // Somebody may have been faster since the look above.
        if is_there(&repo, base, sha)? {
            return Ok(());
        }
        let dirty = self::dirty(&repo, base, sha)?;
        let named: Vec<String> =
            refused.stderr.lines().filter_map(|line| line.strip_prefix('\t')).map(str::to_string).collect();
        return Err(match (dirty.is_empty(), named.is_empty()) {
            (false, _) => Blocked::Dirty(dirty),
            (true, false) => Blocked::Dirty(named),
            (true, true) => refused.into(),
        });
    }
    if is_there(&repo, base, sha)? {
        return Ok(());
    }
    Err(not_tried(MERGE, format!("git reported success, but {} is not at {sha}", real.display())).into())
}

/// Moves the commits of the work tree's branch onto another commit. Gives back that commit as the new base, or the
/// files in conflict, and then the branch is as it was. Nothing may be uncommitted.
pub fn rebase(at: &Path, onto: &str) -> Result<Result<String, Vec<String>>, Refused> {
    let ours = ours::open(REBASE, at)?;
    let onto = oid(REBASE, onto)?;
    ours.repo.find_commit(onto).map_err(because(REBASE))?;
    let editor = [("GIT_EDITOR".to_string(), "true".to_string())];
    let git = ours.git(&editor);
    let abort = || git.run("git rebase --abort", &["rebase", "--abort"], &[], COMMIT_DEADLINE);
    // A run that was killed half-way.
    if is_rebasing(&ours.repo) {
        abort()?;
    }
    let onto = onto.to_string();
    let args = ["rebase", "--no-autostash", "--no-autosquash", "--no-update-refs", "-q", &onto];
    let Err(refused) = git.run(REBASE, &args, &[], COMMIT_DEADLINE) else { return Ok(Ok(onto)) };
    if !is_rebasing(&ours.repo) {
        return Err(refused);
    }
    let conflicts = conflicts(&ours.repo);
    abort()?;
    match conflicts {
        Ok(files) if !files.is_empty() => Ok(Err(files)),
        _ => Err(refused),
    }
}

/// The file has the content of this blob.
pub fn holds(file: &Path, blob: &str) -> bool {
    Oid::hash_file(ObjectType::Blob, file).is_ok_and(|found| found.to_string() == blob)
}

/// Writes the files of a copy back to the folder it was copied from. All of them are compared first, and each once more
/// right before it is written: a file that somebody has changed since is left alone and named. Done twice it is done once.
pub fn apply_copy(real: &Path, at: &Path, files: &[Changed]) -> Result<(), Blocked> {
    let ours = ours::open(COPY, at)?;
    let real = real.canonicalize().map_err(because(COPY))?;
    let failed = |path: &str| {
        let path = path.to_string();
        move |error: std::io::Error| not_tried(COPY, format!("{path}: {error}"))
    };
    let gone: BTreeSet<&str> =
        files.iter().filter(|file| file.kind == Kind::Deleted).map(|file| file.path.as_str()).collect();
    let dirty: Vec<String> = files
        .iter()
        .filter(|file| standing(&real, file).is_none() && !gives_way(&real, file, &gone))
        .map(|file| file.path.clone())
        .collect();
    if !dirty.is_empty() {
        return Err(Blocked::Dirty(dirty));
    }
    // First what goes, so that a folder may take the place of a file.
    let (gone, written): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.kind == Kind::Deleted);
    for file in gone.into_iter().chain(written) {
        let Some(standing) = standing(&real, file) else {
            return Err(Blocked::Dirty(vec![file.path.clone()]));
        };
        let Standing::Before(permissions) = standing else { continue };
        if file.kind == Kind::Deleted {
            beneath::remove(&real, &file.path).map_err(failed(&file.path))?;
            continue;
        }
        let id = oid(COPY, &file.after)?;
        let blob = ours.repo.find_blob(id).map_err(because(COPY))?;
        let permissions = permissions.filter(|_| file.after_mode != LINK);
        beneath::replace(&real, &file.path, blob.content(), file.after_mode, permissions)
            .map_err(failed(&file.path))?;
    }
    Ok(())
}

/// Which side of a change a file in the pilot's folder is on.
enum Standing {
    /// As it was, with its permission bits.
    Before(Option<u32>),
    /// As it shall be: an earlier run came this far.
    After,
}

/// `None` when the file is on neither side, or cannot be reached without following a link.
fn standing(real: &Path, file: &Changed) -> Option<Standing> {
    let goes = file.kind == Kind::Deleted;
    // Below a file there is no file, so one that was to go is gone. Below a link there may be anything.
    if goes
        && above(&file.path).any(|path| real.join(path).symlink_metadata().is_ok_and(|found| found.is_file()))
    {
        return Some(Standing::After);
    }
    let (content, mode, permissions) = match beneath::read(real, &file.path).ok()? {
        Found::Absent => (None, 0, None),
        Found::File(bytes, bits) => {
            let mode = if bits & 0o100 == 0 { 0o100_644 } else { beneath::EXECUTABLE };
            (Some(bytes), mode, Some(bits))
        }
        Found::Link(target) => (Some(target), LINK, None),
        Found::Other if goes => return Some(Standing::After),
        Found::Other => return None,
    };
    let id = match content {
        Some(bytes) => Oid::hash_object(ObjectType::Blob, &bytes).ok()?.to_string(),
        None => Oid::ZERO_SHA1.to_string(),
    };
    if (&id, mode) == (&file.after, file.after_mode) {
        Some(Standing::After)
    } else if (&id, mode) == (&file.before, file.before_mode) {
        Some(Standing::Before(permissions))
    } else {
        None
    }
}

/// The folders of a path.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

/// True for a new file whose place is free once the files in `gone` are: it replaces a file by a folder, or a folder
/// that holds nothing else by a file.
fn gives_way(real: &Path, file: &Changed, gone: &BTreeSet<&str>) -> bool {
    if file.kind != Kind::Added {
        return false;
    }
    if above(&file.path).any(|path| gone.contains(path)) {
        return true;
    }
    let mut open = vec![file.path.clone()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(real.join(&folder)) else { return false };
        for entry in entries {
            let Ok(entry) = entry else { return false };
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(_) if gone.contains(path.as_str()) => {}
                _ => return false,
            }
        }
    }
    true
}

/// True when HEAD is at or past `sha`; an error when it is elsewhere than at `base`.
fn is_there(repo: &Repository, base: Oid, sha: Oid) -> Result<bool, Blocked> {
    let head = repo.head().and_then(|head| head.peel_to_commit()).map_err(because(MERGE))?.id();
    if head == sha || repo.graph_descendant_of(head, sha).unwrap_or(false) {
        return Ok(true);
    }
    if head == base {
        Ok(false)
    } else {
        Err(Blocked::Moved { base: base.to_string(), head: head.to_string() })
    }
}

/// The files that differ between the two commits and are not as `base` has them in the work tree or the index.
fn dirty(repo: &Repository, base: Oid, sha: Oid) -> Result<Vec<String>, Refused> {
    let tree = |id: Oid| snapshot::tree_of(MERGE, repo, &id.to_string());
    let touched = snapshot::changes(MERGE, repo, tree(base)?.as_ref(), tree(sha)?.as_ref())?;
    let mut options = StatusOptions::new();
    // An ignored file under a name of ours is somebody's file all the same.
    options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .include_ignored(true)
        .recurse_ignored_dirs(true);
    options.disable_pathspec_match(true);
    for file in &touched {
        options.pathspec(file.path.as_str());
    }
    if touched.is_empty() {
        return Ok(Vec::new());
    }
    let statuses = repo.statuses(Some(&mut options)).map_err(because(MERGE))?;
    let mut dirty: Vec<String> = statuses
        .iter()
        .filter(|entry| entry.status() != Status::CURRENT)
        .map(|entry| String::from_utf8_lossy(entry.path_bytes()).into_owned())
        .collect();
    dirty.sort();
    dirty.dedup();
    Ok(dirty)
}

fn is_rebasing(repo: &Repository) -> bool {
    use RepositoryState::{ApplyMailbox, ApplyMailboxOrRebase, Rebase, RebaseInteractive, RebaseMerge};
    matches!(repo.state(), Rebase | RebaseInteractive | RebaseMerge | ApplyMailbox | ApplyMailboxOrRebase)
}

fn conflicts(repo: &Repository) -> Result<Vec<String>, git2::Error> {
    let mut index = repo.index()?;
    index.read(true)?;
    let mut files = Vec::new();
    for conflict in index.conflicts()? {
        let conflict = conflict?;
        let entry = conflict.our.or(conflict.their).or(conflict.ancestor);
        files.extend(entry.map(|entry| String::from_utf8_lossy(&entry.path).into_owned()));
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn paths_file(list: &Path, files: &[String]) -> std::io::Result<()> {
    let _ = fs::remove_file(list);
    let mut bytes = Vec::new();
    for file in files {
        bytes.extend(b":(literal)");
        bytes.extend(file.as_bytes());
        bytes.push(0);
    }
    fs::OpenOptions::new().write(true).create_new(true).open(list)?.write_all(&bytes)
}

fn oid(step: &'static str, id: &str) -> Result<Oid, Refused> {
    Oid::from_str(id).map_err(|_| Refused {
        step,
        code: None,
        stderr: format!("{id} names no object"),
        cause: Cause::Unreadable,
    })
}

#[cfg(test)]
mod tests;
