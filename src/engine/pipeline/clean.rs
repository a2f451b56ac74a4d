//! The end of the trees: their teardown commands, then their removal, as far as nothing in them would be lost.

use super::crew::Crew;
use super::isolate;
use super::job::{Shop, blocking};
use crate::agents::shell::{self, How};
use crate::domain::effect::Purpose;
use crate::domain::session::pipeline::change::Tree;
use crate::git::worktree::{self, Kept};
use std::path::Path;

/// Runs the teardown commands and removes the trees. Gives back what stays or went wrong, one line each.
pub async fn clean(shop: &Shop, crew: &Crew) -> Vec<String> {
    let mut notes = Vec::new();
    for setting in &crew.setting.repos {
        let tree = shop.track.trees.iter().find(|t| t.name == setting.name);
        let Some(tree) = tree.filter(|t| Path::new(&t.path).exists()) else { continue };
        for (n, text) in setting.teardown.iter().enumerate() {
            let log = format!("teardown-{}-{}.log", setting.name, n + 1);
            let at = Path::new(&tree.path);
            let command = shop.command(text, at, setting.deadline, &log, Purpose::Clean);
            match shell::run(command, &*shop.progress, shop.cancelled()).await {
                Ok(ended) if ended.how == How::Exit(Some(0)) => {}
                Ok(ended) => {
                    notes.push(format!("{}: `teardown` command `{text}`: {}", setting.name, ended.how))
                }
                Err(e) => notes.push(format!("{}: {e}", setting.name)),
            }
        }
    }
    notes.extend(remove(shop.clone()).await);
    notes
}

/// Removes the trees; gives back what stays, and why.
pub async fn remove(shop: Shop) -> Vec<String> {
    let removed = blocking(move || Ok(shop.track.trees.iter().filter_map(|t| one(&shop, t)).collect())).await;
    removed.unwrap_or_else(|e| vec![e])
}

fn one(shop: &Shop, tree: &Tree) -> Option<String> {
    let at = Path::new(&tree.path);
    // Who died between the tree and its branch has left the branch; a copy has none.
    if !tree.git && !at.exists() {
        return None;
    }
    let removed = match (tree.git, shop.track.ended.is_some()) {
        (true, _) => worktree::remove(Path::new(&tree.real), at, &tree.branch)
            .map_err(|kept| kept.iter().map(reason).collect::<Vec<_>>().join(", ")),
        // What was in the copy is where it came from.
        (false, false) => worktree::discard(at).map_err(|e| e.to_string()),
        (false, true) => Err("its changes were not deployed".into()),
    };
    match removed {
        Ok(()) => {
            let _ = std::fs::remove_file(isolate::marker(at));
            None
        }
        Err(why) => Some(format!("{}: {} stays: {why}", tree.name, at.display())),
    }
}

/// What keeps a tree, in a few words.
fn reason(kept: &Kept) -> String {
    let names = |paths: &[std::path::PathBuf]| {
        paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    match kept {
        Kept::Commits(n) => format!("{n} commits that are nowhere else"),
        Kept::Changed(files) => format!("changed files: {}", names(files)),
        Kept::Untracked(files) => format!("untracked files: {}", names(files)),
        Kept::Process(pid) => format!("process {pid} works in it"),
        Kept::DefaultBranch => "it is the default branch".into(),
        Kept::CheckedOutElsewhere => "its branch is checked out elsewhere".into(),
        Kept::Unreadable(why) => why.clone(),
    }
}
