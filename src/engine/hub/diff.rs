//! What an implementation changed, read from git for a screen: from the trees while they stand, from the real
//! repositories afterwards.

use super::{Hub, locked};
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::pipeline::change::{ChangeKind, Edit, Tree};
use crate::domain::session::pipeline::track::{COPIED, Track, short};
use crate::engine::wire::{Patch, Scope, Tell};
use crate::git::snapshot::Kind;
use crate::git::{onward, patch};
use crate::store::{load, runtime};
use std::path::Path;

/// The most text that one answer carries; the rest is read file by file.
const LIMIT: usize = 8 * 1024 * 1024;

/// What a screen asked for.
pub struct Wanted {
    pub id: SessionId,
    pub scope: Scope,
    pub file: Option<String>,
    pub context: u32,
}

/// What can be compared in one repository, best first: where, from, to.
pub type Ways = Vec<(String, String, String)>;

/// Reads it off the hub's task and tells the screen.
pub fn start(hub: &Hub, me: u64, wanted: Wanted) {
    let hub = hub.clone();
    tokio::task::spawn_blocking(move || {
        let (edit, read) = match read(&hub, &wanted) {
            Ok(found) => found,
            Err(why) => (0, Read { problems: vec![why], ..Read::default() }),
        };
        let Wanted { id, scope, file, .. } = wanted;
        let why = (!read.problems.is_empty()).then(|| read.problems.join("; "));
        hub.tell(me, Tell::Diff { id, scope, file, edit, patches: read.patches, cut: read.cut, why });
    });
}

#[derive(Default)]
struct Read {
    patches: Vec<Patch>,
    cut: bool,
    problems: Vec<String>,
}

fn read(hub: &Hub, wanted: &Wanted) -> Result<(u32, Read), String> {
    let known = locked(&hub.shared.views).get(&wanted.id).map(|v| v.session.clone());
    let session = match known {
        Some(session) => session,
        None => load::load(&hub.shared.setting.layout, &wanted.id).map_err(|e| e.to_string())?.session,
    };
    let lang = session.meta.lang();
    let track = session.notes.track.clone().unwrap_or_default();
    let number = track.edit.as_ref().map_or(0, |e| e.number);
    if track.trees.is_empty() {
        // The engine's memory of the trees is gone; the commits are not.
        let ways = deployed(hub, &session.meta.deploy_shas);
        return if ways.is_empty() {
            Err(nowhere(&session.meta.deploy_shas, lang))
        } else {
            Ok((number, collect(wanted, ways)))
        };
    }
    let Some(edit) = &track.edit else {
        return Err(lang.pick("there is no edit yet", "правки ещё нет").into());
    };
    let before = match wanted.scope {
        Scope::Last => Some(previous(hub, &wanted.id, edit).ok_or_else(|| first(lang))?),
        _ => None,
    };
    let of = |t: &Tree| Ok((t.name.clone(), ways(&track, t, edit, before.as_ref(), wanted.scope)?));
    let ways: Result<_, String> = track.trees.iter().map(of).collect();
    Ok((number, collect(wanted, ways?)))
}

/// Why there is no diff of these commits: none was made, or no repository that we know of has them.
fn nowhere(shas: &[(String, String)], lang: Lang) -> String {
    if shas.is_empty() {
        return lang.pick("nothing was implemented here", "здесь ничего не реализовано").into();
    }
    let commits: Vec<String> = shas.iter().map(|(repo, sha)| format!("{repo} {}", short(sha))).collect();
    let commits = commits.join(", ");
    match lang {
        Lang::En => {
            format!("deployed as {commits}; no repository of the configuration has it, so there is no diff")
        }
        Lang::Ru => {
            format!("развёрнуто как {commits}; ни в одном репозитории настроек его нет, поэтому и диффа нет")
        }
    }
}

fn first(lang: Lang) -> String {
    lang.pick("this is the first edit; there is none before it", "это первая правка; до неё не было ни одной")
        .into()
}

fn ways(
    track: &Track,
    tree: &Tree,
    edit: &Edit,
    before: Option<&Edit>,
    scope: Scope,
) -> Result<Ways, String> {
    let sha = track.deployed.iter().find(|d| d.repo == tree.name && d.sha != COPIED).map(|d| d.sha.clone());
    let both = |from: &str, to: &str| {
        [&tree.path, &tree.real].map(|at| (at.clone(), from.to_string(), to.to_string())).to_vec()
    };
    let after = edit.tree(&tree.name).unwrap_or(&tree.base);
    Ok(match scope {
        // A folder without git has no index.
        Scope::Staged if !tree.git => Vec::new(),
        Scope::Staged => {
            let head = onward::head(Path::new(&tree.real)).map_err(|e| format!("{}: {e}", tree.name))?;
            vec![(tree.real.clone(), head, patch::INDEX.to_string())]
        }
        Scope::Last => both(before.and_then(|e| e.tree(&tree.name)).unwrap_or(&tree.base), after),
        Scope::Session => {
            let committed = sha.map(|sha| (tree.real.clone(), tree.base.clone(), sha));
            both(&tree.base, after).into_iter().chain(committed).collect()
        }
        Scope::Branch => {
            let tip = [&tree.path, &tree.real]
                .into_iter()
                .find_map(|at| patch::tip(Path::new(at), &tree.branch).ok());
            both(&tree.base, &tip.or(sha).unwrap_or_else(|| tree.base.clone()))
        }
    })
}

/// The edit before this one, from the log.
fn previous(hub: &Hub, id: &SessionId, edit: &Edit) -> Option<Edit> {
    let events = runtime::events(&hub.shared.setting.layout.runtime(id));
    let mut edits = events.into_iter().rev().filter_map(|e| match e.fact {
        Fact::Edited { edit, .. } => Some(edit),
        _ => None,
    });
    edits.find(|e| e.number < edit.number)
}

/// What the session's files say was deployed, where the configuration says it lies.
pub fn deployed(hub: &Hub, shas: &[(String, String)]) -> Vec<(String, Ways)> {
    let setting = &hub.shared.setting;
    let desk = setting.registry().ok().map(|registry| setting.desk(registry, None));
    let Some(configured) = desk.and_then(|desk| desk.implementation) else { return Vec::new() };
    let known = |(repo, sha): &(String, String)| {
        let real = &configured.repos.iter().find(|r| r.name == *repo)?.path;
        let from = patch::parent(real, sha).ok()?;
        Some((repo.clone(), vec![(real.to_string_lossy().into_owned(), from, sha.clone())]))
    };
    shas.iter().filter_map(known).collect()
}

/// Of every repository the first way that can be read.
fn collect(wanted: &Wanted, repos: Vec<(String, Ways)>) -> Read {
    let (mut read, mut size) = (Read::default(), 0);
    for (repo, ways) in repos {
        let inside = wanted.file.as_deref().map(|label| label.strip_prefix(&format!("{repo}/")));
        let only = match inside {
            Some(None) => continue,
            Some(path) => path,
            None => None,
        };
        let mut problem = None;
        let found = ways.iter().find_map(|(at, from, to)| {
            match patch::patches(Path::new(at), (from, to), only, wanted.context) {
                Ok(found) => Some(found),
                Err(e) => {
                    problem.get_or_insert(format!("{repo}: {e}"));
                    None
                }
            }
        });
        let Some((files, cut)) = found else {
            read.problems.extend(problem);
            continue;
        };
        read.cut |= cut;
        for file in files {
            size += file.text.len();
            let fits = size <= LIMIT;
            read.cut |= !fits;
            read.patches.push(Patch {
                repo: repo.clone(),
                path: file.path,
                kind: match file.kind {
                    Kind::Added => ChangeKind::Added,
                    Kind::Modified => ChangeKind::Modified,
                    Kind::Deleted => ChangeKind::Deleted,
                },
                added: file.added,
                removed: file.removed,
                binary: file.binary,
                text: if fits { file.text } else { String::new() },
            });
        }
    }
    read
}
