//! The work trees that a repository knows, read from its git folder: a deleted tree cannot be asked.

use git2::{Error, Oid, Repository};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A work tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    /// `None` when a commit is checked out without a branch.
    pub branch: Option<String>,
    /// `None` before the first commit.
    pub head: Option<String>,
}

/// What a tree has checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    Branch(String),
    Commit(Oid),
    Unknown,
}

/// A work tree as git's files describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Registered {
    /// Its git folder.
    pub admin: PathBuf,
    /// Links resolved as far as the path exists.
    pub path: PathBuf,
    pub head: Head,
    pub main: bool,
}

/// Every work tree of the repository, the main one first. Nothing when there is no repository.
pub fn list(real: &Path) -> Vec<Found> {
    let Ok(repo) = Repository::discover(real) else { return Vec::new() };
    let trees = all(&repo).unwrap_or_default();
    trees
        .into_iter()
        .map(|tree| match tree.head {
            Head::Branch(name) => {
                let head = repo.refname_to_id(&format!("refs/heads/{name}")).ok();
                Found { path: tree.path, branch: Some(name), head: head.map(|id| id.to_string()) }
            }
            Head::Commit(id) => Found { path: tree.path, branch: None, head: Some(id.to_string()) },
            Head::Unknown => Found { path: tree.path, branch: None, head: None },
        })
        .collect()
}

pub(super) fn all(repo: &Repository) -> Result<Vec<Registered>, Error> {
    let common = repo.commondir().to_path_buf();
    let mut trees = Vec::new();
    let main = Repository::open(&common)?;
    if let Some(path) = main.workdir() {
        trees.push(Registered {
            head: head(&common),
            admin: common.clone(),
            path: resolved(path),
            main: true,
        });
    }
    let io = |error: std::io::Error| Error::from_str(&error.to_string());
    let folders = match fs::read_dir(common.join("worktrees")) {
        Ok(folders) => folders,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(trees),
        Err(error) => return Err(io(error)),
    };
    for folder in folders {
        let admin = folder.map_err(io)?.path();
        let Ok(mut named) = fs::read(admin.join("gitdir")) else { continue };
        named.truncate(named.trim_ascii_end().len());
        // Absolute, or relative to this folder.
        let file = admin.join(std::ffi::OsString::from_vec(named));
        let Some(path) = file.parent() else { continue };
        trees.push(Registered { head: head(&admin), path: resolved(path), admin, main: false });
    }
    trees.sort_by(|a, b| (!a.main, &a.path).cmp(&(!b.main, &b.path)));
    Ok(trees)
}

/// Branches that are nobody's to remove: what remotes call their own, the usual names, the main tree's.
pub(super) fn defaults(repo: &Repository) -> Result<Vec<String>, Error> {
    let mut names = vec!["main".to_string(), "master".to_string()];
    if let Ok(name) = repo.config().and_then(|config| config.get_string("init.defaultBranch")) {
        names.push(name);
    }
    for reference in repo.references()? {
        let reference = reference?;
        let target =
            reference.symbolic_target_bytes().map(|target| String::from_utf8_lossy(target).into_owned());
        let from = reference.name_bytes();
        if let Some(target) = target
            && from.starts_with(b"refs/remotes/")
            && from.ends_with(b"/HEAD")
        {
            let remote = String::from_utf8_lossy(&from[..from.len() - b"HEAD".len()]).into_owned();
            names.extend(target.strip_prefix(&remote).map(str::to_string));
        }
    }
    if let Head::Branch(name) = head(repo.commondir()) {
        names.push(name);
    }
    Ok(names)
}

fn head(admin: &Path) -> Head {
    let Ok(text) = fs::read_to_string(admin.join("HEAD")) else { return Head::Unknown };
    let text = text.trim();
    match text.strip_prefix("ref:") {
        Some(name) => match name.trim().strip_prefix("refs/heads/") {
            Some(name) => Head::Branch(name.to_string()),
            None => Head::Unknown,
        },
        None => Oid::from_str(text).map_or(Head::Unknown, Head::Commit),
    }
}

/// The path with links resolved as far as it exists.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let found = path
        .ancestors()
        .find_map(|folder| Some(folder.canonicalize().ok()?.join(path.strip_prefix(folder).ok()?)));
    // Joining an empty rest leaves a slash at the end, which only looks different.
    found.map_or_else(|| path.to_path_buf(), |path| path.components().collect())
}
