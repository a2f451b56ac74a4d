//! A work tree of ours and the git folder it was made with.
//!
//! An agent may write everything in its tree, the `.git` file too, and git believes that file: configuration, filters
//! and hooks come from the folder it names. So that folder is noted beside the tree, where the agent has no access,
//! and the file is put back before anything of git runs in the tree.

use super::beneath;
use super::cli::{Git, because, not_tried};
use super::commit::Refused;
use git2::{Oid, Repository};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// An opened work tree of ours.
pub(super) struct Ours {
    /// Links resolved.
    pub root: PathBuf,
    /// The branch it was made on.
    pub branch: String,
    pub repo: Repository,
}

impl Ours {
    pub fn git<'a>(&'a self, env: &'a [(String, String)]) -> Git<'a> {
        Git { root: &self.root, env }
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Option<Oid> {
        self.repo.head().ok()?.peel_to_commit().ok().map(|commit| commit.id())
    }
}

/// What stands in the note.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub branch: String,
    pub git_dir: PathBuf,
}

/// `.<name>.tree` beside the tree.
pub(super) fn note_path(at: &Path) -> Option<PathBuf> {
    beside(at, "tree")
}

/// `.<name>.<what>` beside the tree.
pub(super) fn beside(at: &Path, what: &str) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(at.file_name()?);
    name.push(".");
    name.push(what);
    Some(at.parent()?.join(name))
}

pub(super) fn remember(at: &Path, note: &Note) -> io::Result<()> {
    let path = note_path(at).ok_or(io::ErrorKind::InvalidInput)?;
    let mut bytes = format!("{}\n", note.branch).into_bytes();
    bytes.extend(note.git_dir.as_os_str().as_bytes());
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    beneath::replace(folder, name, &bytes, 0o100_644, None)
}

pub(super) fn note(at: &Path) -> Option<Note> {
    let bytes = fs::read(note_path(at)?).ok()?;
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let branch = String::from_utf8(bytes[..end].to_vec()).ok()?;
    Some(Note { branch, git_dir: OsString::from_vec(bytes[end + 1..].to_vec()).into() })
}

/// Opens a tree that [`super::worktree::add`] or [`super::worktree::copied`] made, and no other.
pub(super) fn open(step: &'static str, at: &Path) -> Result<Ours, Refused> {
    let failed = |error: &dyn std::fmt::Display| not_tried(step, format!("{}: {error}", at.display()));
    let root = at.canonicalize().map_err(|error| failed(&error))?;
    let note = note(&root).ok_or_else(|| failed(&"this is not a work tree that flightdeck made"))?;
    if !note.git_dir.is_dir() {
        return Err(failed(&format!("its git folder {} is gone", note.git_dir.display())));
    }
    point(&root, &note.git_dir).map_err(|error| failed(&error))?;
    let repo = Repository::open(&root).map_err(|error| failed(&error.message()))?;
    let same = |a: Option<&Path>, b: &Path| a.and_then(|a| a.canonicalize().ok()) == b.canonicalize().ok();
    if !same(repo.workdir(), &root) || !same(Some(repo.path()), &note.git_dir) {
        return Err(failed(&"its git folder belongs to another work tree"));
    }
    Ok(Ours { root, branch: note.branch, repo })
}

/// For reading only: a tree of ours with its own git folder, else whatever repository this is.
pub(super) fn reading(step: &'static str, at: &Path) -> Result<Repository, Refused> {
    let resolved = at.canonicalize().map_err(because(step))?;
    if note(&resolved).is_some() {
        return open(step, &resolved).map(|ours| ours.repo);
    }
    Repository::open(at).map_err(|error| not_tried(step, error.message()))
}

/// Makes `.git` of the tree name this git folder, whatever an agent has made of it.
fn point(root: &Path, git_dir: &Path) -> io::Result<()> {
    let file = root.join(".git");
    match file.symlink_metadata() {
        Ok(found) if found.is_dir() => {
            return Err(io::Error::other("its .git is a folder now: another repository was made there"));
        }
        Ok(found) if found.is_file() => {
            let said = fs::read(&file)?;
            let named = said.strip_prefix(b"gitdir: ").map(|rest| rest.strip_suffix(b"\n").unwrap_or(rest));
            if named.is_some_and(|named| root.join(OsString::from_vec(named.to_vec())) == git_dir) {
                return Ok(());
            }
        }
        _ => {}
    }
    let mut line = b"gitdir: ".to_vec();
    line.extend(git_dir.as_os_str().as_bytes());
    line.push(b'\n');
    let temp = root.join(format!(".flightdeck-git-{}.tmp", std::process::id()));
    let _ = fs::remove_file(&temp);
    write_new(&temp, &line)?;
    rustix::fs::rename(&temp, &file).map_err(io::Error::from)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}
