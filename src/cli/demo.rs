//! `demo`: a rehearsed session. The participants are child processes that keep the adapter contract; only their words
//! are scripted, and headless the pilot's answers too.

use super::args::{Demo, Limits, Place, Who};
use super::context::Context;
use super::error::CliError;
use super::finish;
use super::line::{self, View};
use crate::agents::registry::Overlay;
use crate::agents::rehearsal::{self, Story};
use crate::domain::question::QuestionKind;
use crate::engine::begin;
use crate::engine::clock::Clock;
use crate::engine::opening::{self, Findings, NewSession, Participants, PeerChoice, WriterChoice};
use crate::engine::wp::Lookup;
use std::collections::HashMap;
use std::path::PathBuf;

mod rehearsed;

pub fn run(place: &Place, args: Demo) -> Result<u8, CliError> {
    let story = rehearsal::story(&args.story).map_err(|e| {
        let known = rehearsal::stories().join(", ");
        CliError::usage(e, format!("stories: {known}, or the path of a story file"))
    })?;
    if !(0.0..=1000.0).contains(&args.speed) {
        return Err(CliError::usage(
            format!("--speed {}", args.speed),
            "give a number from 0 (at once) to 1000",
        ));
    }
    let scratch = place.sessions_dir.is_none();
    let sessions_dir = Some(place.sessions_dir.clone().unwrap_or_else(scratch_dir));
    let place = Place { sessions_dir, ..place.clone() };
    let who = Who { lang: Some(story.lang.key().into()), ..Who::default() };
    let context = Context::new(&place, &who, &Limits::default())?;
    let policy = context.policy(&args.drive)?;
    let json = args.drive.json;
    if !json {
        println!(
            "{} — sessions in {}{}",
            story.title,
            context.places.sessions.display(),
            if scratch { " (a scratch folder)" } else { "" }
        );
    }
    let opening = opening(&story)?;
    let mut registry = context.registry()?;
    registry.vendors = vendors(&story, &args)?;
    let writer = registry.get(&story.writer.vendor).cloned();
    let writer = writer.ok_or_else(|| CliError::failed("the story has no writer"))?;
    if !json {
        opening.announcement.iter().for_each(|line| println!("{line}"));
    }
    let mut desk = context.desk(registry, None);
    desk.implementation = rehearsed::repositories(&story)?;
    let (sender, updates) = tokio::sync::mpsc::unbounded_channel();
    let headless = policy.headless;
    // The scripted pilot answers as a person would: the engine waits for it.
    let policy = crate::domain::policy::Policy { headless: false, ..policy };
    let begun = begin::begin(&context.layout, &opening, &writer, desk, policy, Clock::System, Some(sender));
    let begun = begun.map_err(|e| CliError::failed(format!("the session could not be created: {e}")))?;
    let id = begun.runner.session.meta.session_id.clone();
    let view = if json { View::Json } else { View::Lines };
    let script = headless.then(|| pilot(story));
    let (runner, ended) = line::drive(begun.runner, updates, view, script).map_err(CliError::failed)?;
    let code = finish::report(&runner, &id, ended, json);
    if !json {
        println!("\nThe session's files: {}", runner.recorder().dir().display());
    }
    code
}

/// The scripted answers, by the kind of question; an answer that the story lacks pauses nothing: A, close.
fn pilot(story: Story) -> line::Script {
    let mut asked: HashMap<QuestionKind, usize> = HashMap::new();
    Box::new(move |question| {
        let nth = asked.entry(question.kind).or_default();
        let answer = story.answer(question.kind, *nth).map(str::to_string);
        *nth += 1;
        answer.or_else(|| match question.kind {
            QuestionKind::Gate => Some("A".into()),
            // What the story did not foresee ends without a deployment.
            QuestionKind::Verify | QuestionKind::Implement => Some("stop".into()),
            QuestionKind::Deploy => Some("keep".into()),
            QuestionKind::Review => Some("without".into()),
            QuestionKind::Findings => Some("after".into()),
            QuestionKind::Content => Some("no".into()),
            QuestionKind::Close => Some("close".into()),
            QuestionKind::Commit => Some("no".into()),
            QuestionKind::Reflection => Some("—".into()),
            _ => None,
        })
    })
}

fn scratch_dir() -> PathBuf {
    std::env::temp_dir().join(format!("flightdeck-demo-{}", std::process::id())).join("sessions")
}

fn opening(story: &Story) -> Result<opening::Opening, CliError> {
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
    let peers = story
        .peers
        .iter()
        .map(|p| PeerChoice {
            vendor: p.vendor.clone(),
            agent_id: p.agent_id.clone(),
            peer_cmd: format!("{}-peer-adapter", p.vendor),
        })
        .collect();
    let writer =
        WriterChoice { vendor: story.writer.vendor.clone(), agent_id: story.writer.agent_id.clone() };
    let found = Findings { lookup: Lookup::NoPlan, class: None, personality: "unassigned".into() };
    opening::compose(&request, Participants { writer, peers, problems: Vec::new() }, found)
        .map_err(CliError::failed)
}

/// The participants as registry entries, through the same door as a configuration file.
fn vendors(story: &Story, args: &Demo) -> Result<Vec<crate::agents::registry::Vendor>, CliError> {
    let path = std::path::Path::new(&args.story);
    let name = if path.is_file() {
        path.canonicalize().map_err(CliError::failed)?.to_string_lossy().into_owned()
    } else {
        args.story.clone()
    };
    let mut map = serde_json::Map::new();
    for p in story.participants() {
        let entry = serde_json::json!({
            "kind": "rehearsal",
            "story": name,
            "role": p.vendor,
            "agent_id": p.agent_id,
            "writer_agent_id": p.agent_id,
            "args": ["--speed", args.speed.to_string()],
        });
        map.insert(p.vendor.clone(), entry);
    }
    let overlay = Overlay { vendors: map, base: PathBuf::from("."), origin: "the story".into() };
    let paths = crate::agents::registry::places::SkillPaths::from_env(|name| std::env::var(name).ok());
    let registry = crate::agents::registry::Registry::load(&[overlay], &paths)
        .map_err(|p| CliError::failed(p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))?;
    Ok(registry.vendors)
}
