//! Putting named files into an index: what `git add` does for each of them, and nothing for any other.

use super::cli::{Git, done};
use super::commit::Refused;
use git2::{IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag, Repository};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// Bytes of paths in one command, far below what any system allows.
const ARGUMENTS: usize = 96 * 1024;

const DEADLINE: Duration = Duration::from_secs(600);

/// An entry that git was told not to compare with the file.
pub(super) fn is_hidden(entry: &IndexEntry) -> bool {
    IndexEntryFlag::from_bits_truncate(entry.flags).contains(IndexEntryFlag::VALID)
        || IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended)
            .contains(IndexEntryExtendedFlag::SKIP_WORKTREE)
}

/// A repository inside the work tree that no ignore rule covers.
pub(super) fn is_nested(repo: &Repository, path: &Path) -> bool {
    let full = repo.workdir().map(|root| root.join(path).join(".git"));
    full.is_some_and(|full| full.symlink_metadata().is_ok()) && !repo.is_path_ignored(path).unwrap_or(false)
}

/// Brings the index entries of these paths to what is on disk, which may be nothing. `git add` would read a name as a
/// pattern and a folder as everything below it, ignored files included; this takes names only. Filters run.
pub(super) fn stage(git: &Git, root: &Path, paths: &[String], index: Option<&Path>) -> Result<(), Refused> {
    let is_there = |path: &&String| {
        root.join(path).symlink_metadata().is_ok_and(|found| found.is_file() || found.is_symlink())
    };
    let (there, gone): (Vec<&String>, Vec<&String>) = paths.iter().partition(is_there);
    // First what is gone, so that a folder may take the place of a file and a file that of a folder.
    for (args, paths) in [(&["--force-remove"][..], gone), (&["--add", "--replace"], there)] {
        for chunk in chunks(&paths) {
            let mut all = vec!["update-index"];
            all.extend(args);
            all.push("--");
            let mut command = git.plumbing(&all);
            if let Some(index) = index {
                command.env("GIT_INDEX_FILE", index);
            }
            command.args(chunk.iter().map(OsString::from));
            done("git update-index", &mut command, DEADLINE)?;
        }
    }
    Ok(())
}

fn chunks<'p>(paths: &'p [&'p String]) -> Vec<Vec<&'p String>> {
    let mut chunks: Vec<Vec<&String>> = Vec::new();
    let mut size = ARGUMENTS;
    for path in paths {
        size += path.len() + 1;
        if size > ARGUMENTS || chunks.is_empty() {
            chunks.push(Vec::new());
            size = path.len() + 1;
        }
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(path);
        }
    }
    chunks
}
