//! A rehearsed session: its opening and its participants come from a story, not from the configuration.

pub mod repositories;

use super::opening::{self, Findings, NewSession, Opening, Participants, PeerChoice, WriterChoice};
use super::prepare::Prepared;
use super::setting::Setting;
use super::wp::Lookup;
use crate::agents::registry::places::SkillPaths;
use crate::agents::registry::{Overlay, Registry, Vendor};
use crate::agents::rehearsal::{self, Story};
use crate::domain::session::notes::Rehearsal;
use std::path::{Path, PathBuf};

/// What the session begins with.
pub fn prepare(setting: &Setting, rehearsal: &Rehearsal) -> Result<Prepared, String> {
    let story = rehearsal::story(&rehearsal.story)?;
    let opening = opening(&story)?;
    let mut registry = setting.registry().map_err(|e| e.cause)?;
    registry.vendors = vendors(rehearsal)?;
    let writer = registry.get(&story.writer.vendor).cloned().ok_or("the story has no writer")?;
    Ok(Prepared { opening, writer, registry, problems: Vec::new() })
}

/// One of the story's participants, whatever the configuration calls by that name.
pub fn vendor(rehearsal: &Rehearsal, key: &str) -> Result<Vendor, String> {
    let found = vendors(rehearsal)?.into_iter().find(|v| v.key == key);
    found.ok_or_else(|| format!("the story {} has no participant {key:?}", rehearsal.story))
}

/// The name of a story as a session keeps it: a file by its whole path.
pub fn kept_name(story: &str) -> std::io::Result<String> {
    let path = Path::new(story);
    if !path.is_file() {
        return Ok(story.to_string());
    }
    Ok(path.canonicalize()?.to_string_lossy().into_owned())
}

fn opening(story: &Story) -> Result<Opening, String> {
    let request = NewSession {
        task: story.task.clone(),
        model: None,
        wp: None,
        roles: None,
        turns_limit: story.limits.turns,
        rounds_limit: story.limits.rounds,
        max_peer_attempts: story.limits.attempts,
        lang: story.lang,
        yes: true,
    };
    let choice = |p: &rehearsal::Participant| PeerChoice {
        vendor: p.vendor.clone(),
        agent_id: p.agent_id.clone(),
        peer_cmd: format!("{}-peer-adapter", p.vendor),
    };
    let writer =
        WriterChoice { vendor: story.writer.vendor.clone(), agent_id: story.writer.agent_id.clone() };
    let peers = story.peers.iter().map(choice).collect();
    let found = Findings { lookup: Lookup::NoPlan, class: None, personality: "unassigned".into() };
    let who = Participants { writer, peers, problems: Vec::new() };
    opening::compose(&request, who, found).map_err(|e| e.to_string())
}

/// The participants as registry entries, through the same door as a configuration file.
fn vendors(rehearsal: &Rehearsal) -> Result<Vec<Vendor>, String> {
    let story = rehearsal::story(&rehearsal.story)?;
    let mut map = serde_json::Map::new();
    for p in story.participants() {
        let entry = serde_json::json!({
            "kind": "rehearsal",
            "story": rehearsal.story,
            "role": p.vendor,
            "agent_id": p.agent_id,
            "writer_agent_id": p.agent_id,
            "args": ["--speed", rehearsal.speed],
        });
        map.insert(p.vendor.clone(), entry);
    }
    let overlay = Overlay { vendors: map, base: PathBuf::from("."), origin: "the story".into() };
    let paths = SkillPaths::from_env(|name| std::env::var(name).ok());
    let registry = Registry::load(&[overlay], &paths)
        .map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    Ok(registry.vendors)
}
