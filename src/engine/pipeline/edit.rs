//! What the trees hold: read from the files themselves, with every edit of a reserved file taken apart (PC-503, PC-512).

use super::crew::Crew;
use super::job::Shop;
use crate::domain::session::pipeline::change::{
    self, ChangeKind, Edit, FileChange, Hunk, ReservedEdit, Tree,
};
use crate::domain::session::pipeline::content;
use crate::domain::session::pipeline::reserved::{Reserved, is_formatting};
use crate::domain::session::pipeline::track::short;
use crate::git::hunk;
use crate::git::snapshot::{self, Changed, Kind};
use crate::git::worktree;
use std::path::Path;

/// A link's content is where it points to.
const LINK: u32 = 0o120000;

/// Makes a tree that somebody removed since; what it held is in the repository's objects.
pub fn remake(tree: &Tree) -> Result<(), String> {
    if !tree.git {
        return Err(format!("{}: the copy {} is gone", tree.name, tree.path));
    }
    let added = worktree::add(Path::new(&tree.real), Path::new(&tree.path), &tree.branch)
        .map_err(|e| format!("{}: {e}", tree.name))?;
    match added.branch == tree.branch {
        true => Ok(()),
        false => Err(format!("{}: the branch {} holds other work", tree.name, tree.branch)),
    }
}

/// Puts the trees back to the last recorded edit: what a call that was cut off left in them counts for nothing (PC-707).
pub fn restore(shop: &Shop) -> Result<(), String> {
    shop.track.trees.iter().try_for_each(|tree| restore_one(shop, tree))
}

/// The same for one tree.
pub fn restore_one(shop: &Shop, tree: &Tree) -> Result<(), String> {
    let last = shop.track.edit.as_ref().and_then(|e| e.tree(&tree.name));
    snapshot::restore(Path::new(&tree.path), &tree.base, last.unwrap_or(&tree.base))
        .map_err(|e| format!("{}: {e}", tree.name))
}

/// The state of the trees as edit `number`. `report` is what the agent printed, if it was an agent.
pub fn read(shop: &Shop, crew: &Crew, number: u32, report: Option<&str>) -> Result<Edit, String> {
    read_in(shop, crew, &shop.track.trees, number, report)
}

/// The same of trees that were just moved.
pub fn read_in(
    shop: &Shop,
    crew: &Crew,
    trees: &[Tree],
    number: u32,
    report: Option<&str>,
) -> Result<Edit, String> {
    let reserved = Reserved::new(&crew.setting.reserved)?;
    let mut edit = Edit {
        number,
        files: Vec::new(),
        trees: Vec::new(),
        reserved: Vec::new(),
        missing: Vec::new(),
        unclaimed: Vec::new(),
        reviews: shop.reviews,
        verifies: shop.verifies,
        pinpoint: false,
    };
    for tree in trees {
        let at = Path::new(&tree.path);
        let taken = snapshot::take(at, &tree.base, &shop.index(&tree.name))
            .map_err(|e| format!("{}: {e}", tree.name))?;
        for changed in taken.files {
            let file = file(tree, changed);
            if reserved.holds(&file.path) {
                edit.reserved.extend(taken_apart(at, &file).map_err(|e| format!("{}: {e}", file.label()))?);
            }
            edit.files.push(file);
        }
        edit.trees.push((tree.name.clone(), taken.tree));
    }
    if let Some(claims) = report.and_then(change::claims) {
        (edit.missing, edit.unclaimed) = change::compare(&claims, &mut edit.files, trees);
    }
    Ok(edit)
}

fn file(tree: &Tree, c: Changed) -> FileChange {
    FileChange {
        repo: tree.name.clone(),
        path: c.path,
        kind: match c.kind {
            Kind::Added => ChangeKind::Added,
            Kind::Modified => ChangeKind::Modified,
            Kind::Deleted => ChangeKind::Deleted,
        },
        before: c.before,
        after: c.after,
        before_mode: c.before_mode,
        after_mode: c.after_mode,
        added: c.added,
        removed: c.removed,
        binary: c.binary,
        says: String::new(),
    }
}

/// The edit of a reserved file, change by change; `None` when only its formatting differs (PC-506).
fn taken_apart(at: &Path, file: &FileChange) -> Result<Option<ReservedEdit>, String> {
    let text = |id: &str| -> Result<Option<String>, String> {
        let bytes = snapshot::blob(at, id).map_err(|e| e.to_string())?;
        Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')))
    };
    let same_kind = file.before_mode == file.after_mode;
    let hunks = match (text(&file.before)?, text(&file.after)?) {
        (Some(before), Some(after)) if same_kind && file.kind == ChangeKind::Modified => {
            if is_formatting(&before, &after) {
                return Ok(None);
            }
            hunks(&before, &after)
        }
        // What comes, goes or becomes another kind of file is decided on as a whole.
        (Some(before), Some(after)) => vec![whole(&before, &after, file)],
        _ => vec![whole("", &format!("(binary) {} → {}\n", short(&file.before), short(&file.after)), file)],
    };
    let (repo, path) = (file.repo.clone(), file.path.clone());
    Ok(Some(ReservedEdit { repo, path, before: file.before.clone(), after: file.after.clone(), hunks }))
}

fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    hunk::hunks(before, after)
        .into_iter()
        .map(|h| Hunk {
            around: table(after, &h),
            old_start: h.old_start,
            old: h.old_lines,
            new_start: h.new_start,
            new: h.new_lines,
        })
        .collect()
}

fn whole(before: &str, after: &str, file: &FileChange) -> Hunk {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_string).collect::<Vec<_>>();
    let mut new = lines(after);
    if file.before_mode != file.after_mode && file.before_mode != 0 && file.after_mode != 0 {
        new.push(format!("(mode {:o} → {:o})\n", file.before_mode, file.after_mode));
    }
    if file.after_mode == LINK {
        new.insert(0, "(a link to)\n".into());
    }
    Hunk { old_start: 1, old: lines(before), new_start: 1, new, around: String::new() }
}

/// PC-503: the whole table when rows come or go.
fn table(after: &str, h: &hunk::Hunk) -> String {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let touches = h.old_lines.iter().chain(&h.new_lines).any(|l| is_row(l));
    if !touches || h.old_lines.len() == h.new_lines.len() {
        return String::new();
    }
    let lines: Vec<&str> = after.lines().collect();
    let near = (h.new_start as usize).saturating_sub(1).min(lines.len());
    let near = (near.saturating_sub(1)..lines.len().min(near + 2)).find(|n| is_row(lines[*n]));
    let Some(near) = near else { return String::new() };
    let first = (0..=near).rev().take_while(|n| is_row(lines[*n])).last().unwrap_or(near);
    lines[first..].iter().take_while(|l| is_row(l)).copied().collect::<Vec<_>>().join("\n")
}

/// Takes the rejected hunks out of the trees; what is left is a new edit (PC-505). Computed from what was shown, so that
/// doing it twice does the same.
pub fn prune(shop: &Shop, crew: &Crew, number: u32) -> Result<Edit, String> {
    let Some(edit) = &shop.track.edit else { return Err("there is no edit to take anything out of".into()) };
    for shown in &edit.reserved {
        let decided = content::decisions(&shop.gate_log, edit.number, shown);
        if !decided.contains(&Some(false)) {
            continue;
        }
        let found = edit.files.iter().find(|f| f.repo == shown.repo && f.path == shown.path);
        let tree = shop.track.trees.iter().find(|t| t.name == shown.repo);
        let (Some(file), Some(tree)) = (found, tree) else { continue };
        take_out(Path::new(&tree.path), file, shown, &decided)
            .map_err(|e| format!("{}: {e}", shown.label()))?;
    }
    read(shop, crew, number, None).map(|new| Edit { pinpoint: edit.pinpoint, ..new })
}

fn take_out(
    at: &Path,
    file: &FileChange,
    shown: &ReservedEdit,
    decided: &[Option<bool>],
) -> Result<(), String> {
    let bytes = snapshot::blob(at, &file.before).map_err(|e| e.to_string())?;
    let text = String::from_utf8(bytes.clone()).ok();
    let in_parts = file.kind == ChangeKind::Modified && file.before_mode == file.after_mode && !file.binary;
    let content = match (text, in_parts) {
        (Some(before), true) => {
            let hunks: Vec<hunk::Hunk> = shown.hunks.iter().map(back).collect();
            Some(hunk::apply(&before, &hunks, |n| decided.get(n) == Some(&Some(true))).into_bytes())
        }
        _ if file.kind == ChangeKind::Added => None,
        _ => Some(bytes),
    };
    let mode = if file.before_mode == 0 { file.after_mode } else { file.before_mode };
    snapshot::write(at, &file.path, content.as_deref(), mode).map_err(|e| e.to_string())
}

fn back(h: &Hunk) -> hunk::Hunk {
    hunk::Hunk {
        old_start: h.old_start,
        old_lines: h.old.clone(),
        new_start: h.new_start,
        new_lines: h.new.clone(),
    }
}
