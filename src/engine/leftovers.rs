//! The work trees and branches that sessions have left: what they are, what they keep, and removing those that keep
//! nothing.

use crate::git::worktree::{self, Home, Kept};
use crate::store::layout::Layout;
use crate::store::lock::EngineLock;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of a session's runtime that holds its work trees.
pub const FOLDER: &str = "trees";

/// What the names of our branches begin with; the session's id follows.
pub const BRANCHES: &str = "flightdeck/";

/// A work tree of a session, or a branch whose tree is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OurTree {
    pub session: String,
    /// `None` when nothing says where it comes from.
    pub home: Option<Home>,
    /// Where the tree is or was; `None` for a branch without one.
    pub path: Option<PathBuf>,
    /// What would be lost without it.
    pub kept: Vec<Kept>,
    /// The process that drives its session right now; 0 when it has not said which it is.
    pub running: Option<u32>,
    /// On disk.
    pub bytes: u64,
}

impl OurTree {
    pub fn is_removable(&self) -> bool {
        self.kept.is_empty() && self.running.is_none()
    }
}

/// Every tree below the runtime folders of sessions, and every branch of ours in their repositories and in `more`.
pub fn find(layout: &Layout, more: &[PathBuf]) -> Vec<OurTree> {
    let mut trees = Vec::new();
    let mut repositories: BTreeSet<PathBuf> = more.iter().filter_map(|path| root_of(path)).collect();
    let mut known = BTreeSet::new();
    let sessions = sessions(layout);
    for (session, folder) in &sessions {
        for path in paths(folder) {
            let home = worktree::home(&path);
            if let Some(home) = home.as_ref().filter(|home| !home.copy) {
                repositories.insert(home.repository.clone());
                known.insert((home.repository.clone(), home.branch.clone()));
            }
            trees.push(look(layout, session.clone(), home, Some(path)));
        }
    }
    for repository in repositories {
        for branch in worktree::branches(&repository, BRANCHES) {
            if known.contains(&(repository.clone(), branch.clone())) {
                continue;
            }
            let session = session_of(&branch, &sessions);
            let home = Home { repository: repository.clone(), branch, copy: false };
            trees.push(look(layout, session, Some(home), None));
        }
    }
    trees
}

/// Removes a tree and its branch, after one more look. An error says what keeps it.
pub fn remove(layout: &Layout, tree: &OurTree) -> Result<(), Vec<Kept>> {
    let runtime = layout.runtime_root.join(&tree.session);
    // Held while it goes, so that no engine takes the session up meanwhile.
    let lock = runtime.is_dir().then(|| EngineLock::acquire(&runtime)).transpose();
    let _lock = lock.map_err(|busy| vec![Kept::Unreadable(busy.to_string())])?;
    let path = tree.path.clone().unwrap_or_else(|| nowhere(layout, tree));
    let kept = keeps(tree.home.as_ref(), &path);
    match &tree.home {
        Some(home) if kept.is_empty() && home.copy => {
            worktree::discard(&path).map_err(|error| vec![Kept::Unreadable(error.to_string())])?;
        }
        Some(home) if kept.is_empty() => worktree::remove(&home.repository, &path, &home.branch)?,
        _ => return Err(kept),
    }
    // Only when it was the last one.
    let _ = fs::remove_dir(runtime.join(FOLDER));
    Ok(())
}

fn look(layout: &Layout, session: String, home: Option<Home>, path: Option<PathBuf>) -> OurTree {
    let running = EngineLock::holder(&layout.runtime_root.join(&session)).map(|(pid, _)| pid);
    let bytes = path.as_deref().map_or(0, size);
    let mut tree = OurTree { session, home, path, kept: Vec::new(), running, bytes };
    let at = tree.path.clone().unwrap_or_else(|| nowhere(layout, &tree));
    tree.kept = keeps(tree.home.as_ref(), &at);
    tree
}

fn keeps(home: Option<&Home>, at: &Path) -> Vec<Kept> {
    match home {
        Some(home) if home.copy => worktree::copy_keeps(at),
        // Somebody has switched it to a branch of their own, and that is not ours to delete.
        Some(home) if !home.branch.starts_with(BRANCHES) => {
            vec![Kept::Unreadable(format!("{} is no branch of a session", home.branch))]
        }
        Some(home) => worktree::keeps(&home.repository, at, &home.branch),
        None => vec![Kept::Unreadable("its repository cannot be found".to_string())],
    }
}

/// Where the tree of a branch would be if there were one.
fn nowhere(layout: &Layout, tree: &OurTree) -> PathBuf {
    layout.runtime_root.join(&tree.session).join(FOLDER).join(".gone")
}

/// Runtime folders with work trees, by session.
fn sessions(layout: &Layout) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(&layout.runtime_root).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path().join(FOLDER))))
        .filter(|(_, folder)| folder.is_dir())
        .collect()
}

/// Trees in a folder, and those of which only the note beside them is left.
fn paths(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            match name.strip_prefix('.') {
                Some(hidden) => hidden.strip_suffix(".tree").map(|name| folder.join(name)),
                None => entry.path().is_dir().then(|| entry.path()),
            }
        })
        .collect()
}

/// The session of a branch: the longest known id that it names, else what stands where the id should.
fn session_of(branch: &str, sessions: &BTreeMap<String, PathBuf>) -> String {
    let rest = branch.strip_prefix(BRANCHES).unwrap_or(branch);
    let named = rest.split('/').next().unwrap_or(rest);
    let fits = |id: &&String| {
        named.strip_prefix(id.as_str()).is_some_and(|more| more.is_empty() || more.starts_with('-'))
    };
    let known = sessions.keys().filter(fits).max_by_key(|id| id.len());
    known.cloned().unwrap_or_else(|| named.to_string())
}

fn root_of(path: &Path) -> Option<PathBuf> {
    let root = crate::git::repo::discover(path).ok()??.root().to_path_buf();
    // Asked from a linked tree, the main one answers.
    let main = worktree::list(&root).into_iter().next().map(|tree| tree.path);
    Some(main.unwrap_or(root))
}

/// What the files take on disk. Links are counted, not followed.
fn size(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return 0 };
    let own = found.blocks() * 512;
    if !found.is_dir() {
        return own;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    own + entries.map(|entry| size(&entry.path())).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_belongs_to_the_longest_session_it_names() {
        let ids = ["2026-08-24-01-a", "2026-08-24-01-a-2"];
        let sessions = ids.map(|id| (id.to_string(), PathBuf::new())).into();
        for (branch, session) in [
            ("flightdeck/2026-08-24-01-a", "2026-08-24-01-a"),
            ("flightdeck/2026-08-24-01-a/app", "2026-08-24-01-a"),
            ("flightdeck/2026-08-24-01-a-3", "2026-08-24-01-a"),
            ("flightdeck/2026-08-24-01-a-2-2", "2026-08-24-01-a-2"),
            ("flightdeck/2026-08-24-01-ab", "2026-08-24-01-ab"),
            ("flightdeck/2026-09-01-01-z/app-2", "2026-09-01-01-z"),
        ] {
            assert_eq!(session_of(branch, &sessions), session, "{branch}");
        }
    }
}
