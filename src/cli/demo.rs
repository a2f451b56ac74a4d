//! `demo`: a rehearsed session. The participants are child processes that keep the adapter contract; only their words
//! are scripted, and headless the pilot's answers too.

use super::args::{Demo, Limits, Place, Who};
use super::context::Context;
use super::dash;
use super::error::CliError;
use super::finish;
use super::line::{self, View};
use crate::agents::rehearsal::{self, Story};
use crate::domain::fact::Fact;
use crate::domain::policy::Policy;
use crate::domain::question::QuestionKind;
use crate::domain::session::notes::Rehearsal;
use crate::engine::begin;
use crate::engine::clock::Clock;
use crate::engine::prepare::Prepared;
use crate::engine::rehearse;
use crate::engine::wire::Plan;
use std::collections::HashMap;
use std::path::PathBuf;

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
    let on_screen = dash::wanted(&place, &args.drive);
    // Lines are part of the story; the dashboard is the pilot's own, whatever the participants speak.
    let lang = (!on_screen).then(|| story.lang.key().into());
    let who = Who { lang, ..Who::default() };
    let context = Context::new(&place, &who, &Limits::default())?;
    let policy = context.policy(&args.drive)?;
    let json = args.drive.json;
    if !json && !on_screen {
        println!(
            "{} — sessions in {}{}",
            story.title,
            context.places.sessions.display(),
            if scratch { " (a scratch folder)" } else { "" }
        );
    }
    let rehearsal = Rehearsal {
        story: rehearse::kept_name(&args.story).map_err(CliError::failed)?,
        speed: args.speed.to_string(),
    };
    if on_screen {
        return show(&context, place.inline, scratch, rehearsal, policy);
    }
    let prepared = rehearse::prepare(context.setting(), &rehearsal).map_err(CliError::failed)?;
    let Prepared { opening, writer, registry, .. } = prepared;
    if !json {
        opening.announcement.iter().for_each(|line| println!("{line}"));
    }
    let desk = context.desk(registry, None);
    let (sender, updates) = tokio::sync::mpsc::unbounded_channel();
    let headless = policy.headless;
    // The scripted pilot answers as a person would: the engine waits for it.
    let policy = Policy { headless: false, ..policy };
    let begun = begin::begin(&context.layout, &opening, &writer, desk, policy, Clock::System, Some(sender));
    let mut runner = begun.map_err(|e| finish::not_begun(&e))?;
    runner.record(Fact::Rehearsed { rehearsal }).map_err(CliError::failed)?;
    let id = runner.session.meta.session_id.clone();
    let view = if json { View::Json } else { View::Lines };
    let script = headless.then(|| pilot(story));
    let (runner, ended) =
        line::drive(runner, updates, (view, context.lang()), script).map_err(CliError::failed)?;
    let code = finish::report(&runner, &id, ended, json);
    if !json {
        println!("\nThe session's files: {}", runner.recorder().dir().display());
    }
    code
}

/// The dashboard on the rehearsed session: the participants are scripted, the pilot is the one who sits there.
fn show(
    context: &Context,
    inline: bool,
    scratch: bool,
    rehearsal: Rehearsal,
    policy: Policy,
) -> Result<u8, CliError> {
    let plan = Plan {
        rehearsal: Some(rehearsal),
        policy,
        lang: context.lang().key().into(),
        yes: true,
        cwd: context.cwd.clone(),
        ..Plan::default()
    };
    let code = dash::run(context, inline, dash::Goal::Begin(Box::new(plan)))?;
    let sessions = context.places.sessions.display();
    match scratch {
        true => {
            println!("The rehearsal is in {sessions}; flightdeck --sessions-dir {sessions} shows it again.")
        }
        false => println!("The rehearsal is in {sessions}."),
    }
    Ok(code)
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
