//! A tree of its own for every repository that takes part (PC-512).

use super::crew::Crew;
use super::edit;
use super::job::{Shop, blocking};
use crate::agents::privacy::copy::filtered_copy;
use crate::agents::shell::{self, How};
use crate::config::implementation::RepoSetting;
use crate::domain::effect::Purpose;
use crate::domain::session::pipeline::change::Tree;
use crate::git::{repo, worktree};
use crate::store::write;
use globset::{Glob, GlobSetBuilder};
use std::path::{Path, PathBuf};

/// Makes the trees, or finds those that a run before made. The error names the repository and the next step.
pub async fn isolate(shop: &Shop, crew: &Crew) -> Result<Vec<Tree>, String> {
    let mut trees: Vec<Tree> = Vec::new();
    for setting in &crew.setting.repos {
        let (real, at) = (setting.path.clone(), shop.trees.join(&setting.name));
        let branch = shop.branch.clone();
        let patterns = setting.copy.clone();
        shop.notice(format!("{}: {} → {}", setting.name, real.display(), at.display()));
        let name = setting.name.clone();
        let (tree, is_new, copied) = blocking(move || one(&name, &real, &at, &branch, &patterns))
            .await
            .map_err(|e| format!("{}: {e}", setting.name))?;
        if let Some(other) = trees.iter().find(|t| t.real == tree.real) {
            return Err(format!("{} and {} are the same repository: {}", other.name, tree.name, tree.real));
        }
        for file in copied {
            shop.notice(format!("{}: untracked, but needed: {file}", setting.name));
        }
        if is_new {
            setup(shop, setting, &tree).await?;
            ready(Path::new(&tree.path))?;
        }
        trees.push(tree);
    }
    Ok(trees)
}

/// Makes trees that somebody removed since as they were: with what is copied into a new tree, its setup, and the last
/// recorded edit. A tree whose setup was cut off is one of these.
pub async fn present(shop: &Shop, crew: &Crew) -> Result<(), String> {
    let is_whole = |t: &Tree| Path::new(&t.path).exists() && marker(Path::new(&t.path)).exists();
    for tree in shop.track.trees.iter().filter(|t| !is_whole(t)) {
        let setting = crew.setting.repos.iter().find(|r| r.name == tree.name);
        let setting = setting.ok_or_else(|| format!("{}: no longer among `repos`", tree.name))?;
        shop.notice(format!("{}: {} → {}", tree.name, tree.real, tree.path));
        let (lost, patterns) = (tree.clone(), setting.copy.clone());
        blocking(move || remade(&lost, &patterns)).await?;
        setup(shop, setting, tree).await?;
        let (shop, tree) = (shop.clone(), tree.clone());
        blocking(move || {
            edit::restore_one(&shop, &tree)?;
            ready(Path::new(&tree.path))
        })
        .await?;
    }
    Ok(())
}

fn remade(tree: &Tree, patterns: &[String]) -> Result<(), String> {
    let (real, at) = (Path::new(&tree.real), Path::new(&tree.path));
    if !at.exists() {
        // Gone first: a new tree is not ready because an old one was.
        let _ = write::remove(&marker(at));
        edit::remake(tree)?;
    }
    match repo::discover(real).map_err(|e| e.to_string())? {
        Some(repo) if tree.git => needed(&repo, real, at, patterns).map(drop),
        _ => Ok(()),
    }
}

fn one(
    name: &str,
    real: &Path,
    at: &Path,
    branch: &str,
    patterns: &[String],
) -> Result<(Tree, bool, Vec<String>), String> {
    let real = real.canonicalize().map_err(|e| format!("{}: {e}; correct its `path`", real.display()))?;
    if !real.is_dir() {
        return Err(format!("{} is not a folder; correct its `path`", real.display()));
    }
    let is_new = !marker(at).exists() || !at.exists();
    let found = repo::discover(&real).map_err(|e| e.to_string())?;
    let (added, git) = match &found {
        Some(_) => (worktree::add(&real, at, branch).map_err(|e| e.to_string())?, true),
        None => {
            if is_new {
                // Half a copy of a run that was killed is made anew.
                let _ = worktree::discard(at);
                write::ensure_dir(at).map_err(|e| format!("{}: {e}", at.display()))?;
                filtered_copy(&real, at).map_err(|e| e.to_string())?;
            }
            (worktree::copied(at).map_err(|e| e.to_string())?, false)
        }
    };
    let copied = match &found {
        Some(repo) if is_new => needed(repo, &real, at, patterns)?,
        _ => Vec::new(),
    };
    let text = |path: &Path| {
        path.to_str().map(str::to_string).ok_or_else(|| format!("{} is not UTF-8", path.display()))
    };
    let tree = Tree {
        name: name.to_string(),
        real: text(&real)?,
        path: text(at)?,
        branch: added.branch,
        base: added.base,
        git,
    };
    Ok((tree, is_new, copied))
}

/// Copies what is untracked but needed, by the patterns of `copy`. It must be ignored by git: else it would be a part of
/// the change.
fn needed(repo: &repo::Repo, real: &Path, at: &Path, patterns: &[String]) -> Result<Vec<String>, String> {
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(|e| format!("`copy: {pattern}` is not a pattern: {}", e.kind()))?);
    }
    let set = set.build().map_err(|e| e.to_string())?;
    let mut copied = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(real.join(&folder)).map_err(|e| e.to_string())?.flatten() {
            let path = folder.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(path);
            } else if kind.is_file() && set.is_match(&path) && !repo.is_tracked(&path) {
                if !repo.is_ignored(&path) {
                    let next = "add it to .gitignore or .git/info/exclude, else it would count as a change";
                    return Err(format!(
                        "`copy` names {}, which git does not ignore; {next}",
                        path.display()
                    ));
                }
                let to = at.join(&path);
                let from = real.join(&path);
                write::copy(&from, &to).map_err(|e| format!("{}: {e}", from.display()))?;
                copied.push(path.display().to_string());
            }
        }
    }
    copied.sort();
    Ok(copied)
}

async fn setup(shop: &Shop, setting: &RepoSetting, tree: &Tree) -> Result<(), String> {
    for (n, text) in setting.setup.iter().enumerate() {
        shop.notice(format!("{}: $ {text}", setting.name));
        let log = format!("setup-{}-{}.log", setting.name, n + 1);
        let command = shop.command(text, Path::new(&tree.path), setting.deadline, &log, Purpose::Isolate);
        let ended = shell::run(command, &*shop.progress, shop.cancelled()).await?;
        if ended.how != How::Exit(Some(0)) {
            let tail = crate::agents::privacy::pii::tail(&ended.tail, 20);
            return Err(format!(
                "{}: `setup` command `{text}` failed ({}):\n{tail}",
                setting.name, ended.how
            ));
        }
    }
    Ok(())
}

fn ready(at: &Path) -> Result<(), String> {
    let path = marker(at);
    write::atomic(&path, b"").map_err(|e| format!("{}: {e}", path.display()))
}

/// Says that a tree is complete: copied files and setup included. It lies beside the tree, not in it.
pub fn marker(at: &Path) -> PathBuf {
    let name = at.file_name().unwrap_or_default().to_string_lossy();
    at.with_file_name(format!(".{name}.ready"))
}
