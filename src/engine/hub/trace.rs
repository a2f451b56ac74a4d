//! A trace, read from files and git for a screen.

use super::{Hub, diff};
use crate::domain::session::id::SessionId;
use crate::domain::session::state::Session;
use crate::engine::trace::steps::{Repo, steps};
use crate::engine::wire::Tell;
use crate::engine::wire::trace::Traced;

/// Looks it up off the hub's task and tells the screen.
pub fn start(hub: &Hub, me: u64, id: SessionId, of: Traced) {
    let hub = hub.clone();
    tokio::task::spawn_blocking(move || {
        let found = steps(&hub.shared.setting.layout, &id, &of, |s| repos(&hub, s));
        let (steps, why) = match found {
            Ok(steps) => (steps, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        hub.tell(me, Tell::Trace { id, of, steps, why });
    });
}

/// From the engine's memory of the trees, else from the configuration.
fn repos(hub: &Hub, s: &Session) -> Vec<Repo> {
    let track = s.notes.track.clone().unwrap_or_default();
    let known = track.trees.iter().map(|tree| {
        let deployed = track.deployed.iter().find(|d| d.repo == tree.name).map(|d| d.sha.clone());
        let in_meta = || s.meta.deploy_shas.iter().find(|(name, _)| *name == tree.name);
        let sha = deployed.or_else(|| in_meta().map(|(_, sha)| sha.clone()));
        Repo { name: tree.name.clone(), root: tree.real.clone().into(), base: tree.base.clone(), sha }
    });
    let known: Vec<Repo> = known.collect();
    if !known.is_empty() {
        return known;
    }
    let ways = diff::deployed(hub, &s.meta.deploy_shas);
    let of = |(name, ways): (String, diff::Ways)| {
        let (root, base, sha) = ways.into_iter().next()?;
        Some(Repo { name, root: root.into(), base, sha: Some(sha) })
    };
    ways.into_iter().filter_map(of).collect()
}
