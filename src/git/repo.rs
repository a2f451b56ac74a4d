//! Reading a repository: what is tracked, what changed, what a sha means.

use git2::{ErrorCode, ObjectType, Oid, Repository, Status, StatusOptions};
use std::fmt;
use std::path::{Path, PathBuf};

/// An opened repository. Not shared between threads: open it where it is needed, which is cheap.
pub struct Repo {
    inner: Repository,
    /// The work tree with links resolved; the git folder of a bare repository.
    root: PathBuf,
}

/// A repository is there but cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoError {
    pub path: PathBuf,
    pub what: String,
}

impl fmt::Display for RepoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the repository at {} cannot be read: {}. `git -C {} status` shows what git says about it",
            self.path.display(),
            self.what,
            self.path.display()
        )
    }
}

impl std::error::Error for RepoError {}

/// A path that differs from the last commit. Paths are relative to the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub kind: ChangeKind,
    /// The index already differs from the last commit.
    pub staged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    New,
    Modified,
    Deleted,
    Conflicted,
}

/// The repository that `path` belongs to; `path` itself need not exist. `None` when there is none.
pub fn discover(path: &Path) -> Result<Option<Repo>, RepoError> {
    let Some(existing) = path.ancestors().find(|folder| folder.exists()) else { return Ok(None) };
    let failed =
        |error: git2::Error| RepoError { path: existing.to_path_buf(), what: error.message().to_string() };
    match Repository::discover(existing) {
        Ok(inner) => {
            let root = inner.workdir().unwrap_or(inner.path());
            let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
            Ok(Some(Repo { inner, root }))
        }
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

impl Repo {
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Changes at or below the given paths, untracked files included, ignored ones not.
    pub fn status(&self, paths: &[PathBuf]) -> Result<Vec<Change>, RepoError> {
        let mut options = StatusOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true).disable_pathspec_match(true);
        for path in paths {
            match self.relative(path) {
                Some(path) if path.as_os_str().is_empty() => {}
                Some(path) => drop(options.pathspec(path)),
                None => return Err(self.error(format!("{} lies outside of it", path.display()))),
            }
        }
        let statuses =
            self.inner.statuses(Some(&mut options)).map_err(|e| self.error(e.message().to_string()))?;
        Ok(statuses.iter().filter_map(|entry| change(entry.path_bytes(), entry.status())).collect())
    }

    /// True for a tracked file and for a folder with at least one tracked file.
    pub fn is_tracked(&self, path: &Path) -> bool {
        let (Some(path), Ok(mut index)) = (self.relative(path), self.inner.index()) else { return false };
        let _ = index.read(false);
        let mut folder = path.as_os_str().as_encoded_bytes().to_vec();
        if folder.is_empty() {
            return !index.is_empty();
        }
        let file = folder.clone();
        folder.push(b'/');
        index.iter().any(|entry| entry.path == file || entry.path.starts_with(&folder))
    }

    /// True when an ignore rule covers the path and it is not tracked anyway.
    pub fn is_ignored(&self, path: &Path) -> bool {
        self.relative(path).is_some_and(|relative| {
            !relative.as_os_str().is_empty()
                && self.inner.is_path_ignored(&relative).unwrap_or(false)
                && !self.is_tracked(path)
        })
    }

    /// True when the current branch has an upstream to push to.
    pub fn has_upstream(&self) -> bool {
        self.upstream().is_some()
    }

    /// Commits of the current branch that its upstream does not have: what is "push pending" (PC-645). `None`
    /// without an upstream.
    pub fn ahead(&self) -> Option<usize> {
        let (local, upstream) = self.upstream()?;
        self.inner.graph_ahead_behind(local, upstream).ok().map(|(ahead, _)| ahead)
    }

    /// True when the history or the objects may be incomplete, so that an absent object proves nothing (PC-346).
    pub fn is_partial(&self) -> bool {
        let partial = self.inner.config().is_ok_and(|config| {
            config.get_string("extensions.partialclone").is_ok()
                || config.get_bool("remote.origin.promisor").unwrap_or(false)
        });
        partial || self.inner.is_shallow()
    }

    /// True when an object of this repository has this name or begins with it. An ambiguous beginning counts.
    pub fn resolves(&self, sha: &str) -> bool {
        if !(4..=40).contains(&sha.len()) || !sha.bytes().all(|b| b.is_ascii_hexdigit()) {
            return false;
        }
        let (Ok(oid), Ok(odb)) = (Oid::from_str(sha), self.inner.odb()) else { return false };
        match odb.exists_prefix(oid, sha.len()) {
            Ok(_) => true,
            Err(error) => error.code() == ErrorCode::Ambiguous,
        }
    }

    /// The name of the last commit, `None` before the first.
    pub fn head(&self) -> Option<String> {
        let head = self.inner.head().ok()?.peel(ObjectType::Commit).ok()?;
        Some(head.id().to_string())
    }

    /// The short name of the current branch; `None` when HEAD is on none.
    pub fn branch(&self) -> Option<String> {
        let head = self.inner.head().ok().filter(git2::Reference::is_branch)?;
        head.shorthand().ok().map(String::from)
    }

    fn upstream(&self) -> Option<(Oid, Oid)> {
        let head = self.inner.head().ok().filter(git2::Reference::is_branch)?;
        let local = head.target()?;
        let upstream = git2::Branch::wrap(head).upstream().ok()?;
        Some((local, upstream.get().target()?))
    }

    /// The path below the work tree; `None` when it lies outside. Links above the work tree are seen through.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let absolute = self.root.join(path);
        if let Ok(relative) = absolute.strip_prefix(&self.root) {
            return Some(relative.to_path_buf());
        }
        let (folder, rest) = absolute
            .ancestors()
            .find_map(|a| Some((a.canonicalize().ok()?, absolute.strip_prefix(a).ok()?)))?;
        folder.join(rest).strip_prefix(&self.root).ok().map(Path::to_path_buf)
    }

    fn error(&self, what: String) -> RepoError {
        RepoError { path: self.root.clone(), what }
    }
}

fn change(path: &[u8], status: Status) -> Option<Change> {
    let staged = Status::INDEX_NEW
        | Status::INDEX_MODIFIED
        | Status::INDEX_DELETED
        | Status::INDEX_RENAMED
        | Status::INDEX_TYPECHANGE;
    let kind = if status.contains(Status::CONFLICTED) {
        ChangeKind::Conflicted
    } else if status.intersects(Status::WT_DELETED | Status::INDEX_DELETED)
        && !status.contains(Status::WT_NEW)
    {
        ChangeKind::Deleted
    } else if status.intersects(Status::WT_NEW | Status::INDEX_NEW) {
        ChangeKind::New
    } else if status.is_empty() || status.contains(Status::IGNORED) {
        return None;
    } else {
        ChangeKind::Modified
    };
    let path = PathBuf::from(String::from_utf8_lossy(path).into_owned());
    Some(Change { path, kind, staged: status.intersects(staged) })
}
