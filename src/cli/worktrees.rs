//! `worktrees`: what sessions have left in repositories, what would be lost with it, and removing the rest (PC-694).

use super::args::{Place, Worktrees};
use super::context::Context;
use super::error::CliError;
use crate::domain::lang::Lang;
use crate::engine::leftovers::{self, OurTree};
use crate::git::worktree::Kept;
use crate::ui::text::one_line;
use crate::ui::words::{self, plural};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Wider than any terminal; a line is cut before it floods one.
const WIDTH: usize = 400;

/// Names shown of a list of files.
const NAMES: usize = 3;

/// What became of a tree.
enum Fate {
    Stays,
    Removed,
    /// It looked free, but the last look or git itself found something.
    Refused,
}

/// Exit code 0; 1 when a tree that keeps nothing could not be removed.
pub fn run(place: &Place, args: &Worktrees) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let lang = context.lang();
    let mut around = vec![context.layout.governance.clone()];
    around.extend(std::env::current_dir());
    let mut trees = leftovers::find(&context.layout, &around);
    let fates: Vec<Fate> = trees
        .iter_mut()
        .map(|tree| {
            if !args.clean || !tree.is_removable() {
                return Fate::Stays;
            }
            match leftovers::remove(&context.layout, tree) {
                Ok(()) => Fate::Removed,
                Err(kept) => {
                    tree.kept = kept;
                    Fate::Refused
                }
            }
        })
        .collect();
    let refused = fates.iter().any(|fate| matches!(fate, Fate::Refused));
    if args.json {
        let rows: Vec<Value> = trees.iter().zip(&fates).map(|(tree, fate)| row(tree, fate)).collect();
        println!("{}", serde_json::to_string_pretty(&rows).map_err(CliError::failed)?);
        return Ok(u8::from(refused));
    }
    if trees.is_empty() {
        println!(
            "{}",
            lang.pick("no work trees and no branches of sessions", "нет рабочих деревьев и веток сессий")
        );
    }
    for (tree, fate) in trees.iter().zip(&fates) {
        for line in lines(tree, fate, args.clean, lang) {
            println!("{line}");
        }
    }
    if args.clean && !trees.is_empty() {
        println!("{}", total(&trees, &fates, lang));
    }
    Ok(u8::from(refused))
}

fn lines(tree: &OurTree, fate: &Fate, clean: bool, lang: Lang) -> Vec<String> {
    // Names come from the disk and git's words from anywhere.
    let label =
        |en: &str, ru: &str, text: &str| format!("  {:<12} {}", lang.pick(en, ru), one_line(text, WIDTH));
    let mut lines = vec![one_line(&tree.session, WIDTH)];
    if let Some(path) = &tree.path {
        lines[0].push_str(&format!("  {}", words::bytes(tree.bytes, lang)));
        lines.push(label("tree", "дерево", &path.display().to_string()));
    }
    match &tree.home {
        Some(home) if home.copy => {
            let text = lang.pick("a copy of a folder without git", "копия папки без git");
            lines.push(label("repository", "репозиторий", text));
        }
        Some(home) => {
            lines.push(label("repository", "репозиторий", &home.repository.display().to_string()));
            lines.push(label("branch", "ветка", &home.branch));
        }
        None => {}
    }
    let why = why(tree, lang);
    lines.push(match fate {
        Fate::Removed => format!("  {}", lang.pick("removed", "удалено")),
        Fate::Refused => label("not removed", "не удалено", &why),
        Fate::Stays if why.is_empty() && !clean => {
            label("keeps", "хранит", lang.pick("nothing; --clean removes it", "ничего; --clean удалит"))
        }
        Fate::Stays if clean => label("stays", "остаётся", &why),
        Fate::Stays => label("keeps", "хранит", &why),
    });
    lines
}

/// Everything that speaks against removing it; empty when nothing does.
fn why(tree: &OurTree, lang: Lang) -> String {
    let running = tree.running.map(|pid| match lang {
        Lang::En => format!("its session runs (process {pid})"),
        Lang::Ru => format!("её сессия идёт (процесс {pid})"),
    });
    let kept = tree.kept.iter().map(|kept| reason(kept, lang));
    running.into_iter().chain(kept).collect::<Vec<_>>().join("; ")
}

fn reason(kept: &Kept, lang: Lang) -> String {
    match kept {
        Kept::Commits(n) => {
            let en = ("commit that exists nowhere else", "commits that exist nowhere else");
            let ru = (
                "коммит, которого больше нигде нет",
                "коммита, которых больше нигде нет",
                "коммитов, которых больше нигде нет",
            );
            format!("{n} {}", plural(*n, lang, en, ru))
        }
        Kept::Changed(paths) => names(lang.pick("changed", "изменено"), paths, lang),
        Kept::Untracked(paths) => names(lang.pick("untracked", "вне git"), paths, lang),
        Kept::Process(pid) => match lang {
            Lang::En => format!("process {pid} works in it"),
            Lang::Ru => format!("в нём работает процесс {pid}"),
        },
        Kept::DefaultBranch => {
            lang.pick("the repository's own branch", "основная ветка репозитория").to_string()
        }
        Kept::CheckedOutElsewhere => {
            lang.pick("another work tree is on the branch", "на этой ветке другое рабочее дерево").to_string()
        }
        Kept::Unreadable(text) => format!("{}: {text}", lang.pick("not certain", "неясно")),
    }
}

fn names(what: &str, paths: &[PathBuf], lang: Lang) -> String {
    let shown: Vec<String> = paths.iter().take(NAMES).map(|path| path.display().to_string()).collect();
    let shown = shown.join(", ");
    match paths.len().saturating_sub(NAMES) {
        0 => format!("{what}: {shown}"),
        more => match lang {
            Lang::En => format!("{what}: {shown} and {more} more"),
            Lang::Ru => format!("{what}: {shown} и ещё {more}"),
        },
    }
}

fn total(trees: &[OurTree], fates: &[Fate], lang: Lang) -> String {
    let removed = || trees.iter().zip(fates).filter(|(_, fate)| matches!(fate, Fate::Removed));
    let (gone, bytes) = (removed().count(), removed().map(|(tree, _)| tree.bytes).sum());
    let (kept, size) = (trees.len() - gone, words::bytes(bytes, lang));
    match lang {
        Lang::En => format!("removed {gone} ({size}), kept {kept}"),
        Lang::Ru => format!("удалено {gone} ({size}), оставлено {kept}"),
    }
}

fn row(tree: &OurTree, fate: &Fate) -> Value {
    let home = tree.home.as_ref();
    json!({
        "session": tree.session,
        "repository": home.filter(|home| !home.copy).map(|home| home.repository.display().to_string()),
        "path": tree.path.as_ref().map(|path| path.display().to_string()),
        "branch": home.filter(|home| !home.copy).map(|home| &home.branch),
        "copy": home.is_some_and(|home| home.copy),
        "bytes": tree.bytes,
        "running": tree.running,
        "keeps": tree.kept.iter().map(kept).collect::<Vec<_>>(),
        "removable": tree.is_removable(),
        "removed": matches!(fate, Fate::Removed),
    })
}

fn kept(kept: &Kept) -> Value {
    let list = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    match kept {
        Kept::Commits(n) => json!({"kind": "commits", "count": n}),
        Kept::Changed(paths) => json!({"kind": "changed", "paths": list(paths)}),
        Kept::Untracked(paths) => json!({"kind": "untracked", "paths": list(paths)}),
        Kept::Process(pid) => json!({"kind": "process", "pid": pid}),
        Kept::DefaultBranch => json!({"kind": "default_branch"}),
        Kept::CheckedOutElsewhere => json!({"kind": "checked_out_elsewhere"}),
        Kept::Unreadable(text) => json!({"kind": "unreadable", "text": text}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_694_reasons_in_both_languages() {
        let files: Vec<PathBuf> = ["a", "b", "c", "d", "e"].map(PathBuf::from).into();
        for (kept, en, ru) in [
            (Kept::Commits(1), "1 commit that exists nowhere else", "1 коммит, которого больше нигде нет"),
            (Kept::Commits(3), "3 commits that exist nowhere else", "3 коммита, которых больше нигде нет"),
            (Kept::Changed(files.clone()), "changed: a, b, c and 2 more", "изменено: a, b, c и ещё 2"),
            (Kept::Untracked(files[..1].to_vec()), "untracked: a", "вне git: a"),
            (Kept::Process(7), "process 7 works in it", "в нём работает процесс 7"),
        ] {
            assert_eq!((reason(&kept, Lang::En), reason(&kept, Lang::Ru)), (en.to_string(), ru.to_string()));
        }
    }
}
