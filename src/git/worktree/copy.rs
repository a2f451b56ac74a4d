//! Copies of folders that are under no version control: a git folder of their own makes them comparable.

use super::super::cli::{Git, because, done, not_tried};
use super::super::commit::Refused;
use super::super::ours::{self, Note};
use super::super::{beneath, snapshot};
use super::keeps::processes;
use super::registered::resolved;
use super::{Added, Kept, WRITE_DEADLINE};
use std::fs;
use std::path::{Path, PathBuf};

const INIT: &str = "git init";

/// The branch may move; this stays.
const BASE: &str = "refs/flightdeck/base";

/// Makes the copy of a folder that is under no version control comparable: a git folder beside it and one commit of
/// everything, ignore rules or not. No hook, filter, signature or identity of the pilot takes part.
pub fn copied(at: &Path) -> Result<Added, Refused> {
    const BRANCH: &str = "copy";
    let at = at.canonicalize().map_err(because(INIT))?;
    let git_dir =
        ours::beside(&at, "git").ok_or_else(|| not_tried(INIT, format!("{} has no name", at.display())))?;
    if ours::note(&at).is_some_and(|note| note.git_dir == git_dir) {
        let tree = ours::open(INIT, &at)?;
        let base = tree.repo.refname_to_id(BASE).map_err(because(INIT))?;
        return Ok(Added { base: base.to_string(), branch: BRANCH.to_string() });
    }
    if let Some(nested) = nested(&at).map_err(because(INIT))? {
        let why = format!("{} holds a repository of its own: {}", at.display(), nested.display());
        return Err(not_tried(INIT, why));
    }
    // What an earlier copy of this name, or an attempt cut short, has left.
    if git_dir.exists() {
        fs::remove_dir_all(&git_dir).map_err(because(INIT))?;
    }
    // Kept out of the copy until it is complete: an attempt cut short leaves nothing that looks finished.
    let git = Git { root: &at, env: &[] };
    let mut init = git.plumbing(&["init", "-q", "--template=", "-b", BRANCH, "--bare", "--"]);
    done(INIT, init.arg(&git_dir), WRITE_DEADLINE)?;
    let config = [
        ("core.bare", "false"),
        ("core.autocrlf", "false"),
        ("core.safecrlf", "false"),
        ("core.hooksPath", "/dev/null"),
        ("commit.gpgsign", "false"),
        ("user.name", "flightdeck"),
        ("user.email", "flightdeck@localhost"),
    ];
    for (name, value) in config {
        let mut command = git.plumbing(&["config", "--file"]);
        command.arg(git_dir.join("config")).args([name, value]);
        done(INIT, &mut command, WRITE_DEADLINE)?;
    }
    // The bytes of the copy go into the commit as they are, because they are compared with those of the folder.
    let info = git_dir.join("info");
    fs::create_dir_all(&info).map_err(because(INIT))?;
    let plain = b"* -text -ident -filter -working-tree-encoding\n";
    beneath::replace(&info, "attributes", plain, 0o100_644, None).map_err(because(INIT))?;
    let steps: [&[&str]; 3] = [
        &["add", "-A", "-f", "--", "."],
        &["commit", "-q", "--allow-empty", "-m", "copy"],
        &["update-ref", BASE, "HEAD"],
    ];
    for args in steps {
        let mut command = git.plumbing(args);
        command.env("GIT_DIR", &git_dir).env("GIT_WORK_TREE", &at);
        done(INIT, &mut command, WRITE_DEADLINE)?;
    }
    let note = Note { branch: BRANCH.to_string(), git_dir };
    ours::remember(&at, &note).map_err(because(INIT))?;
    let tree = ours::open(INIT, &at)?;
    let base = tree.repo.refname_to_id(BASE).map_err(because(INIT))?;
    Ok(Added { base: base.to_string(), branch: BRANCH.to_string() })
}

/// Removes a copy that [`copied`] was given, with its git folder. The folder it was copied from holds the original.
pub fn discard(at: &Path) -> std::io::Result<()> {
    let at = resolved(at);
    let (Some(note), Some(git_dir)) = (ours::note_path(&at), ours::beside(&at, "git")) else { return Ok(()) };
    if ours::note(&at).is_none_or(|note| note.git_dir != git_dir) {
        return Err(std::io::Error::other(format!("{} is no copy that flightdeck made", at.display())));
    }
    // The note goes last: while it is there, this can be done again.
    for folder in [&at, &git_dir] {
        if folder.symlink_metadata().is_ok() {
            fs::remove_dir_all(folder)?;
        }
    }
    fs::remove_file(note)
}

/// Why a copy may not be removed: it differs from what was copied, or a process works in it. The folder that it was
/// copied from is not looked at.
pub fn copy_keeps(at: &Path) -> Vec<Kept> {
    let at = resolved(at);
    if at.symlink_metadata().is_err() {
        return Vec::new();
    }
    let changed = copied(&at).and_then(|copy| {
        let index = ours::beside(&at, "index").ok_or_else(|| not_tried(INIT, "the copy has no name"))?;
        snapshot::take(&at, &copy.base, &index)
    });
    let mut kept: Vec<Kept> = match changed {
        Ok(taken) if taken.files.is_empty() => Vec::new(),
        Ok(taken) => vec![Kept::Changed(taken.files.into_iter().map(|file| file.path.into()).collect())],
        Err(refused) => vec![Kept::Unreadable(refused.to_string())],
    };
    kept.extend(processes(&at).into_iter().map(Kept::Process));
    kept
}

/// A `.git` somewhere below the folder.
fn nested(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_name().eq_ignore_ascii_case(".git") {
                return Ok(Some(entry.path()));
            }
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(None)
}
