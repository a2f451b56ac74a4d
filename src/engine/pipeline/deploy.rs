//! Bringing what was verified into the real repositories (PC-540 to PC-543), and moving it when they have gone on.

use super::crew::Crew;
use super::edit;
use super::job::Shop;
use crate::config::implementation::RepoSetting;
use crate::domain::input::CallResult;
use crate::domain::session::pipeline::change::{ChangeKind, Edit, FileChange, ReservedEdit, Tree};
use crate::domain::session::pipeline::content::{self, Record};
use crate::domain::session::pipeline::track::{COPIED, Deployed, Refusal, Stop, short};
use crate::domain::session::slug::brief;
use crate::git::commit::Refused;
use crate::git::deploy::{self, Blocked};
use crate::git::onward;
use crate::git::snapshot::{self, Changed, Kind};
use std::path::Path;

/// One repository on its way.
struct Van<'a> {
    tree: &'a Tree,
    setting: &'a RepoSetting,
    edit: &'a Edit,
    files: Vec<&'a FileChange>,
}

impl Van<'_> {
    fn at(&self) -> &Path {
        Path::new(&self.tree.path)
    }

    fn real(&self) -> &Path {
        Path::new(&self.tree.real)
    }

    fn stop(&self, kind: Stop, text: impl Into<String>) -> Refusal {
        let text = format!("{}: {}", self.tree.name, text.into());
        Refusal { repo: self.tree.name.clone(), kind, text, escalation: None, way: None }
    }

    fn blocked(&self, blocked: Blocked) -> Refusal {
        let real = self.real().display();
        match blocked {
            Blocked::Moved { base, head } => self.stop(
                Stop::Moved,
                format!("{real} has gone on from {} to {} since the work began", short(&base), short(&head)),
            ),
            Blocked::Dirty(files) => self.stop(
                Stop::Dirty,
                format!("{real} has changes of its own in files of this change: {}", files.join(", ")),
            ),
            Blocked::Changed(files) => self.stop(
                Stop::Changed,
                format!(
                    "a hook changed what was verified: {}; the commit is on {} only",
                    files.join(", "),
                    self.tree.branch
                ),
            ),
            Blocked::Refused(refused) => self.stop(Stop::Commit, refused.to_string()),
        }
    }
}

/// Deploys everything, as far as nothing stands in the way. Done again it goes on where it stopped.
pub fn deploy(shop: &Shop, crew: &Crew) -> CallResult {
    let mut deployed = shop.track.deployed.clone();
    let mut used = Vec::new();
    let refusal = all(shop, crew, &mut deployed, &mut used).err();
    CallResult::Deployment { deployed, refusal, used, result: first(shop) }
}

/// PC-163: the first changed artifact, relative to the workspace; by its repository's name where it lies in none.
fn first(shop: &Shop) -> String {
    let file = shop.track.edit.as_ref().and_then(|e| e.files.first());
    let tree = file.and_then(|f| shop.track.trees.iter().find(|t| t.name == f.repo));
    let (Some(file), Some(tree)) = (file, tree) else { return String::new() };
    let path = Path::new(&tree.real).join(&file.path);
    let inside = path.strip_prefix(&shop.workspace).ok().filter(|_| shop.workspace.is_absolute());
    inside.map_or_else(|| file.label(), |inside| inside.display().to_string())
}

fn all(
    shop: &Shop,
    crew: &Crew,
    deployed: &mut Vec<Deployed>,
    used: &mut Vec<Record>,
) -> Result<(), Refusal> {
    let Some(edit) = &shop.track.edit else { return Ok(()) };
    let vans: Vec<Van> = shop
        .track
        .trees
        .iter()
        .filter_map(|tree| {
            let files: Vec<&FileChange> = edit.of(&tree.name).collect();
            let setting = crew.setting.repos.iter().find(|r| r.name == tree.name)?;
            (!files.is_empty()).then_some(Van { tree, setting, edit, files })
        })
        .collect();
    // All that can be known before anything is written.
    for van in &vans {
        if !deployed.iter().any(|d| d.repo == van.tree.name) {
            approved(shop, van)?;
        }
        unchanged(shop, van)?;
        unmoved(van)?;
    }
    let mut commits = Vec::new();
    for van in &vans {
        commits.push(commit(shop, van)?);
    }
    // Every commit exists before the first is pushed.
    for (van, sha) in vans.iter().zip(&commits) {
        let one = deliver(shop, van, sha)?;
        used.extend(uses(shop, van, &one.sha));
        deployed.retain(|d| d.repo != one.repo);
        deployed.push(one);
    }
    Ok(())
}

/// PC-505: nothing reserved is written without an approval of exactly this content.
fn approved(shop: &Shop, van: &Van) -> Result<(), Refusal> {
    let reserved = van.edit.reserved.iter().filter(|e| e.repo == van.tree.name);
    let open: Vec<String> = reserved
        .filter(|e| !content::is_approved(&shop.gate_log, e) && !under_way(shop, van, e))
        .map(|e| e.label())
        .collect();
    match open.is_empty() {
        true => Ok(()),
        false => {
            let text = format!("no unused approval of this content: {}", open.join(", "));
            Err(van.stop(Stop::Unapproved, text))
        }
    }
}

/// The approval was used by this deployment, which was cut off: what it used it for is there.
fn under_way(shop: &Shop, van: &Van, edit: &ReservedEdit) -> bool {
    match content::used_by(&shop.gate_log, van.edit.number, edit) {
        Some(COPIED) => !van.tree.git && deploy::holds(&van.real().join(&edit.path), &edit.after),
        Some(sha) => onward::head(van.at()).is_ok_and(|head| head == sha),
        None => false,
    }
}

/// The tree still holds what was reviewed and verified. What a verification left behind is not ours to deliver.
fn unchanged(shop: &Shop, van: &Van) -> Result<(), Refusal> {
    let taken = snapshot::take(van.at(), &van.tree.base, &shop.index(&van.tree.name))
        .map_err(|e| van.stop(Stop::Commit, e.to_string()))?;
    let is_same = |f: &FileChange| {
        taken.files.iter().any(|t| t.path == f.path && t.after == f.after && t.after_mode == f.after_mode)
    };
    let other: Vec<String> = van.files.iter().filter(|f| !is_same(f)).map(|f| f.path.clone()).collect();
    if !other.is_empty() {
        let text = format!("changed since it was verified: {}", other.join(", "));
        return Err(van.stop(Stop::Changed, text));
    }
    for left in taken.files.iter().filter(|t| !van.files.iter().any(|f| f.path == t.path)) {
        shop.notice(format!("{}: left behind by a check, not deployed: {}", van.tree.name, left.path));
    }
    Ok(())
}

/// The real repository is where it was, or has the commit already.
fn unmoved(van: &Van) -> Result<(), Refusal> {
    if !van.tree.git {
        return Ok(());
    }
    let head = onward::head(van.real()).map_err(|e| van.stop(Stop::Commit, e.to_string()))?;
    let own = onward::head(van.at()).map_err(|e| van.stop(Stop::Commit, e.to_string()))?;
    let stop = |e: Refused| van.stop(Stop::Commit, e.to_string());
    let is_ours = own != van.tree.base && onward::follows(van.real(), &head, &own).map_err(stop)?;
    match head == van.tree.base || is_ours || is_behind(van, &head).map_err(stop)? {
        true => Ok(()),
        false => Err(van.blocked(Blocked::Moved { base: van.tree.base.clone(), head })),
    }
}

/// The tree was moved to what others had pushed: the real tree follows by fast-forward. A base that is nowhere else was
/// dropped by the pilot, and is not brought back.
fn is_behind(van: &Van, head: &str) -> Result<bool, Refused> {
    let there = onward::upstream(van.real())?.and_then(|u| u.head);
    let Some(there) = there.filter(|_| head != van.tree.base) else { return Ok(false) };
    Ok(onward::follows(van.real(), &van.tree.base, head)?
        && onward::follows(van.real(), &there, &van.tree.base)?)
}

fn commit(shop: &Shop, van: &Van) -> Result<String, Refusal> {
    if !van.tree.git {
        return Ok(COPIED.into());
    }
    let files: Vec<String> = van.files.iter().map(|f| f.path.clone()).collect();
    let tree = van.edit.tree(&van.tree.name).unwrap_or_default();
    shop.notice(format!("{}: git commit, {} files", van.tree.name, files.len()));
    deploy::commit(van.at(), &van.tree.base, tree, &files, &message(shop, van), &shop.env).map_err(
        |blocked| {
            match blocked {
                // The branch holds something else than this change, such as what a hook made of it.
                Blocked::Moved { .. } => van.stop(
                    Stop::Changed,
                    format!("{} holds another commit than the verified one", van.tree.branch),
                ),
                other => van.blocked(other),
            }
        },
    )
}

/// PC-540.
fn message(shop: &Shop, van: &Van) -> String {
    let verify = if shop.verified { "PASS" } else { "not run" };
    format!(
        "feat({}): {}\n\nRefs: peer-session {}\nReview iters: {}\nVerify: {verify}",
        van.tree.name,
        brief(&shop.task, 50),
        shop.session,
        shop.track.reviews(shop.reviews as usize),
    )
}

/// Push and fast-forward. The push comes first: refused, it leaves the real tree as it was.
fn deliver(shop: &Shop, van: &Van, sha: &str) -> Result<Deployed, Refusal> {
    let repo = van.tree.name.clone();
    if !van.tree.git {
        let files: Vec<Changed> = van.files.iter().map(|f| changed(f)).collect();
        deploy::apply_copy(van.real(), van.at(), &files).map_err(|b| van.blocked(b))?;
        return Ok(Deployed { repo, sha: sha.into(), pushed: false, note: String::new() });
    }
    let undelivered = |e: Refused| {
        van.stop(Stop::Push, format!("{e}; the commit {} is on {}", short(sha), van.tree.branch))
    };
    let (pushed, note) = match onward::upstream(van.real()).map_err(undelivered)? {
        _ if !van.setting.push => (false, "not pushed: `push: false`".to_string()),
        _ if !shop.may_push => (false, "not pushed: --no-push".into()),
        None => (false, "not pushed: the branch has no remote to go to".into()),
        Some(upstream) => {
            shop.notice(format!("{repo}: git push {} {}", upstream.remote, upstream.branch));
            onward::push(van.real(), &upstream, sha, &shop.env).map_err(undelivered)?;
            (true, String::new())
        }
    };
    let head = onward::head(van.real()).unwrap_or_default();
    let from = if is_behind(van, &head).map_err(undelivered)? { &head } else { &van.tree.base };
    deploy::advance(van.real(), from, sha).map_err(|blocked| {
        let mut refusal = van.blocked(blocked);
        if pushed {
            refusal.text.push_str(&format!("; the commit {} is pushed already", short(sha)));
        }
        refusal
    })?;
    Ok(Deployed { repo, sha: sha.into(), pushed, note })
}

fn changed(f: &FileChange) -> Changed {
    Changed {
        path: f.path.clone(),
        kind: match f.kind {
            ChangeKind::Added => Kind::Added,
            ChangeKind::Modified => Kind::Modified,
            ChangeKind::Deleted => Kind::Deleted,
        },
        before: f.before.clone(),
        after: f.after.clone(),
        before_mode: f.before_mode,
        after_mode: f.after_mode,
        added: f.added,
        removed: f.removed,
        binary: f.binary,
    }
}

/// The approvals that this deployment used up.
fn uses(shop: &Shop, van: &Van, sha: &str) -> Vec<Record> {
    let reserved = van.edit.reserved.iter().filter(|e| e.repo == van.tree.name);
    let unused = reserved.filter(|e| content::is_approved(&shop.gate_log, e));
    unused
        .map(|e| Record {
            used: Some(sha.to_string()),
            ..Record::new(String::new(), van.edit.number, e, Vec::new())
        })
        .collect()
}

/// Moves every tree to where its repository is now, upstream included, and reads it as a new edit that is verified
/// again. In conflict nothing is moved.
pub fn renew(shop: &Shop, crew: &Crew, number: u32) -> Result<CallResult, String> {
    let Some(edit) = &shop.track.edit else { return Err("there is no edit to move".into()) };
    let mut plan = Vec::new();
    for tree in &shop.track.trees {
        let at = Path::new(&tree.path);
        let taken = snapshot::take(at, &tree.base, &shop.index(&tree.name)).map_err(|e| e.to_string())?;
        let is_changed =
            shop.track.refused.as_ref().is_some_and(|r| r.kind == Stop::Changed && r.repo == tree.name);
        let content = edit.tree(&tree.name).filter(|_| !is_changed).unwrap_or(&taken.tree).to_string();
        if !tree.git {
            plan.push((tree.clone(), content));
            continue;
        }
        let onto = target(shop, crew, tree).map_err(|e| format!("{}: {e}", tree.name))?;
        match onward::carry(at, &tree.base, &content, &onto).map_err(|e| format!("{}: {e}", tree.name))? {
            Ok(carried) => plan.push((Tree { base: onto, ..tree.clone() }, carried)),
            Err(files) => {
                let text = format!("{}: in conflict with {}: {}", tree.name, short(&onto), files.join(", "));
                let refusal =
                    Refusal { repo: tree.name.clone(), kind: Stop::Moved, text, escalation: None, way: None };
                let deployed = shop.track.deployed.clone();
                let (used, result) = (Vec::new(), first(shop));
                return Ok(CallResult::Deployment { deployed, refusal: Some(refusal), used, result });
            }
        }
    }
    for (tree, content) in &plan {
        let at = Path::new(&tree.path);
        snapshot::restore(at, &tree.base, content).map_err(|e| format!("{}: {e}", tree.name))?;
    }
    let moved: Vec<Tree> = plan.into_iter().map(|(tree, _)| tree).collect();
    let new = edit::read_in(shop, crew, &moved, number, None)?;
    let edit = Edit { pinpoint: true, ..new };
    Ok(CallResult::Edited { edit, report: String::new(), moved, outside: Vec::new() })
}

/// Where the tree goes: the upstream's head when the real tree can follow it there, else the real tree's.
fn target(shop: &Shop, crew: &Crew, tree: &Tree) -> Result<String, String> {
    let real = Path::new(&tree.real);
    let head = onward::head(real).map_err(|e| e.to_string())?;
    let pushes = shop.may_push && crew.setting.repos.iter().any(|r| r.name == tree.name && r.push);
    let upstream = onward::upstream(real).map_err(|e| e.to_string())?.filter(|_| pushes);
    let Some(upstream) = upstream else { return Ok(head) };
    let upstream = onward::fetch(real, &upstream, &shop.env).map_err(|e| e.to_string())?;
    match upstream.head {
        Some(there) if onward::follows(real, &there, &head).map_err(|e| e.to_string())? => Ok(there),
        _ => Ok(head),
    }
}
