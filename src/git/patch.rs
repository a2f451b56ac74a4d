//! What happened to each file between two trees, as text for somebody who reads it.

use super::cli::{because, not_tried};
use super::commit::Refused;
use super::ours;
use super::snapshot::{DIFF_LIMIT, Kind, options, tree_of};
use git2::{Delta, Patch};
use std::path::Path;

const READ: &str = "reading from git";

/// In the place of a second tree: what is staged.
pub const INDEX: &str = "index";

/// One file's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Relative to the repository, with forward slashes.
    pub path: String,
    pub kind: Kind,
    pub added: u32,
    pub removed: u32,
    pub binary: bool,
    /// Hunks of a unified diff, each with its `@@` line; empty where the text of all files together became too long.
    pub text: String,
}

/// The change of every file, or of `only` one, and whether text was left out. `at` is a work tree of ours or any
/// repository; zeros for a tree stand for nothing at all,
/// [`INDEX`] for the second one for what is staged.
pub fn patches(
    at: &Path,
    (from, to): (&str, &str),
    only: Option<&str>,
    context: u32,
) -> Result<(Vec<FilePatch>, bool), Refused> {
    let repo = ours::reading(READ, at)?;
    let from = tree_of(READ, &repo, from)?;
    let mut options = options();
    options.context_lines(context);
    if let Some(path) = only {
        options.disable_pathspec_match(true).pathspec(path);
    }
    let diff = if to == INDEX {
        repo.diff_tree_to_index(from.as_ref(), None, Some(&mut options))
    } else {
        let to = tree_of(READ, &repo, to)?;
        repo.diff_tree_to_tree(from.as_ref(), to.as_ref(), Some(&mut options))
    };
    let diff = diff.map_err(because(READ))?;
    let (mut files, mut room, mut cut) = (Vec::new(), DIFF_LIMIT, false);
    for n in 0..diff.deltas().len() {
        let patch = Patch::from_diff(&diff, n).map_err(because(READ))?;
        let Some(delta) = diff.get_delta(n) else { continue };
        let (_, added, removed) = match &patch {
            Some(patch) => patch.line_stats().map_err(because(READ))?,
            None => (0, 0, 0),
        };
        let path = delta.new_file().path_bytes().or(delta.old_file().path_bytes()).unwrap_or_default();
        let count = |lines| u32::try_from(lines).unwrap_or(u32::MAX);
        let text = match patch.filter(|_| room > 0) {
            Some(mut patch) => text(&mut patch, &mut room)?,
            None => None,
        };
        cut |= text.is_none() && added + removed > 0;
        files.push(FilePatch {
            path: String::from_utf8_lossy(path).into_owned(),
            kind: match delta.status() {
                Delta::Added => Kind::Added,
                Delta::Deleted => Kind::Deleted,
                _ => Kind::Modified,
            },
            added: count(added),
            removed: count(removed),
            binary: delta.flags().is_binary(),
            text: text.unwrap_or_default(),
        });
    }
    Ok((files, cut))
}

/// The text of the hunks; `None` when there is no room for them, and then none for what follows.
fn text(patch: &mut Patch, room: &mut usize) -> Result<Option<String>, Refused> {
    let mut text = Vec::new();
    for h in 0..patch.num_hunks() {
        let (hunk, lines) = patch.hunk(h).map_err(because(READ))?;
        text.extend_from_slice(hunk.header());
        for l in 0..lines {
            let line = patch.line_in_hunk(h, l).map_err(because(READ))?;
            match line.origin() {
                sign @ ('+' | '-' | ' ') => {
                    text.push(sign as u8);
                    text.extend_from_slice(line.content());
                }
                // "\ No newline at end of file", which begins by ending the line before it.
                _ => text.extend_from_slice(line.content()),
            }
        }
        if text.len() > *room {
            *room = 0;
            return Ok(None);
        }
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    *room -= text.len().min(*room);
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// The commit at the end of a branch.
pub fn tip(at: &Path, branch: &str) -> Result<String, Refused> {
    let repo = ours::reading(READ, at)?;
    let found = repo.find_branch(branch, git2::BranchType::Local).map_err(because(READ))?;
    found.get().peel_to_commit().map(|commit| commit.id().to_string()).map_err(because(READ))
}

/// The first parent of a commit.
pub fn parent(at: &Path, sha: &str) -> Result<String, Refused> {
    let repo = ours::reading(READ, at)?;
    let id = git2::Oid::from_str(sha).map_err(because(READ))?;
    let commit = repo.find_commit(id).map_err(because(READ))?;
    match commit.parent_id(0) {
        Ok(id) => Ok(id.to_string()),
        Err(_) => Err(not_tried(READ, format!("{sha} is the first commit"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::scratch::Scratch;

    fn committed(files: &[(&str, &str)]) -> (Scratch, String) {
        let scratch = Scratch::new();
        let sha = commit(&scratch, files);
        (scratch, sha)
    }

    fn commit(scratch: &Scratch, files: &[(&str, &str)]) -> String {
        files.iter().for_each(|(name, text)| scratch.write(name, text));
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-q", "-m", "more"]);
        scratch.head()
    }

    #[test]
    fn every_file_has_a_patch_of_its_own() {
        let (scratch, first) = committed(&[("a.txt", "one\ntwo\n"), ("b.txt", "x")]);
        let second = commit(&scratch, &[("a.txt", "one\n2\n"), ("b.txt", "x\n"), ("c.bin", "\0\u{1}")]);
        let (files, cut) = patches(&scratch.root(), (&first, &second), None, 3).unwrap();
        let got: Vec<(&str, &str)> = files.iter().map(|f| (f.path.as_str(), f.text.as_str())).collect();
        assert_eq!(
            got,
            [
                ("a.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
                ("b.txt", "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"),
                ("c.bin", ""),
            ]
        );
        assert_eq!((cut, files[2].kind, files[2].binary), (false, Kind::Added, true));
        let (only, _) = patches(&scratch.root(), (&first, &second), Some("b.txt"), 3).unwrap();
        assert_eq!(only.len(), 1);
        assert_eq!(parent(&scratch.root(), &second).unwrap(), first);
        let root = parent(&scratch.root(), &first).unwrap();
        assert!(parent(&scratch.root(), &root).is_err(), "nothing is before the first commit");
    }

    #[test]
    fn what_is_too_long_is_said_to_be_left_out() {
        let (scratch, first) = committed(&[("a", "1\n")]);
        let long = "0123456789abcdef\n".repeat(DIFF_LIMIT / 17 + 1);
        let second = commit(&scratch, &[("a", long.as_str()), ("b", "2\n")]);
        let (files, cut) = patches(&scratch.root(), (&first, &second), None, 3).unwrap();
        assert!(cut && files.len() == 2 && files.iter().all(|f| f.text.is_empty()));
        assert_eq!(files[1].added, 1, "what is left out is counted");
    }
}
