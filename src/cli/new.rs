//! `new` and `run`: opening (group E), then the loop.

use super::args::{New, Place};
use super::context::Context;
use super::dash;
use super::error::{CliError, Kind};
use super::finish;
use super::line::{self, View};
use crate::agents::check::Problem;
use crate::domain::policy::Policy;
use crate::domain::question::QuestionKind;
use crate::engine::begin;
use crate::engine::clock::Clock;
use crate::engine::opening::{self, Opening};
use crate::engine::prepare::{PlanError, Prepared, Why, prepare};
use crate::engine::wire::Plan;
use std::io::{BufRead, Write};

pub fn run(place: &Place, args: New) -> Result<u8, CliError> {
    let context = Context::calling(place, &args.who, &args.limits, args.drive.is_here())?;
    let policy = context.policy(&args.drive)?;
    let given = |text: &Option<String>| text.clone().unwrap_or_default();
    if args.who.peer.as_deref() == Some("") {
        return Err(CliError::usage("--peer is empty", "name at least one vendor: --peer codex"));
    }
    let plan = Plan {
        task: args.task.join(" "),
        peers: given(&args.who.peer),
        model: given(&args.who.model),
        wp: given(&args.who.wp),
        roles: given(&args.who.roles),
        yes: args.drive.yes,
        ..Plan::default()
    };
    let prepared = prepare(context.setting(), &plan)?;
    let json = args.drive.json;
    // Who takes part is settled before anybody is announced (PC-100).
    confirm(&prepared.opening, &policy, &prepared.problems, |kind| kind == QuestionKind::Vendor)?;
    if !json {
        for line in &prepared.opening.announcement {
            println!("{}", crate::ui::text::sanitize(line));
        }
    }
    confirm(&prepared.opening, &policy, &prepared.problems, |kind| kind != QuestionKind::Vendor)?;
    if dash::wanted(place, &args.drive) {
        let values = &context.effective.values;
        let plan = Plan {
            writer: values.writer.clone(),
            lang: context.lang().key().into(),
            turns_limit: values.turns_limit,
            rounds_limit: values.rounds_limit,
            max_peer_attempts: values.max_peer_attempts,
            policy,
            yes: true,
            cwd: context.cwd.clone(),
            ..plan
        };
        return dash::run(&context, place.inline, dash::Goal::Begin(Box::new(plan)));
    }
    start(&context, prepared, policy, args.who.model.as_deref(), json)
}

impl From<PlanError> for CliError {
    fn from(e: PlanError) -> CliError {
        let kind = match e.why {
            Why::Usage => Kind::Usage,
            Why::NoPeer => Kind::NoPeer,
        };
        CliError::new(kind, e.cause, e.next)
    }
}

/// The opening's questions. Headless without `--yes` nothing is created (PC-031, PC-114).
fn confirm(
    opening: &Opening,
    policy: &Policy,
    problems: &[Problem],
    now: impl Fn(QuestionKind) -> bool,
) -> Result<(), CliError> {
    for question in opening.questions.iter().filter(|q| now(q.kind)) {
        if policy.headless {
            let unknown = problems.iter().any(|p| matches!(p, Problem::Unknown { .. }));
            let kind = match question.kind {
                QuestionKind::Vendor if unknown => Kind::Usage,
                QuestionKind::Vendor => Kind::NoPeer,
                _ => Kind::Waiting,
            };
            let next = match question.kind {
                QuestionKind::Vendor => "correct --peer, or go on with the rest with --yes",
                _ => "answer it with --yes, or run without --headless",
            };
            return Err(CliError::new(kind, &question.text, next));
        }
        println!("\n? {}", question.text);
        for choice in &question.choices {
            println!("    {:<10} {}", choice.key, choice.label);
        }
        let _ = std::io::stdout().flush();
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
        let goes_on = question.choices.first().is_some_and(|c| c.key.eq_ignore_ascii_case(line.trim()));
        if read == 0 || !(opening::is_yes(&line) || goes_on) {
            return Err(CliError::new(
                Kind::Waiting,
                "not confirmed, so nothing was created",
                "give --yes to confirm beforehand",
            ));
        }
    }
    Ok(())
}

/// Creates the session and drives it.
fn start(
    context: &Context,
    prepared: Prepared,
    policy: Policy,
    model: Option<&str>,
    json: bool,
) -> Result<u8, CliError> {
    let Prepared { opening, writer, registry, .. } = prepared;
    let desk = context.desk(registry, model);
    let (sender, updates) = tokio::sync::mpsc::unbounded_channel();
    let begun = begin::begin(&context.layout, &opening, &writer, desk, policy, Clock::System, Some(sender));
    let runner = begun.map_err(|e| finish::not_begun(&e))?;
    let id = runner.session.meta.session_id.clone();
    let view = if json { View::Json } else { View::Lines };
    let (runner, finish) =
        line::drive(runner, updates, (view, context.lang()), None).map_err(CliError::failed)?;
    finish::report(&runner, &id, finish, json)
}
