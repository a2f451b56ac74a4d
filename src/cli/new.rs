//! `new` and `run`: opening (group E), then the loop.

use super::args::{New, Place};
use super::context::Context;
use super::error::{CliError, Kind};
use super::finish;
use super::line::{self, View};
use crate::agents::check::{self, Problem};
use crate::agents::process::vars::Vars;
use crate::agents::registry::Vendor;
use crate::domain::policy::Policy;
use crate::engine::begin;
use crate::engine::clock::Clock;
use crate::engine::opening::{self, NewSession, Opening, Participants, PeerChoice, WriterChoice};
use std::io::{BufRead, Write};

pub fn run(place: &Place, args: New) -> Result<u8, CliError> {
    let context = Context::new(place, &args.who, &args.limits)?;
    let policy = context.policy(&args.drive)?;
    let task = args.task.join(" ");
    if task.trim().is_empty() {
        return Err(CliError::usage("the task is empty", "flightdeck new \"what is to be decided\""));
    }
    let registry = context.registry()?;
    let values = &context.effective.values;
    let writer = registry.get(&values.writer).cloned().ok_or_else(|| {
        let known = registry.vendors.iter().map(|v| v.key.as_str()).collect::<Vec<_>>().join(", ");
        CliError::usage(
            format!("the writer {:?} is not registered", values.writer),
            format!("known vendors: {known}"),
        )
    })?;
    let requested = match &args.who.peer {
        Some(list) => check::parse_list(list).map_err(|_| {
            CliError::usage(
                format!("--peer {list:?} is not a list of vendors"),
                "give them comma-separated, without spaces: --peer codex,kimi",
            )
        })?,
        None => values.peers.clone(),
    };
    let vars = Vars::real();
    check::available(&writer, &vars).map_err(|why| {
        CliError::new(
            Kind::NoPeer,
            format!("the writer {} cannot be called: {}", writer.key, why.text(context.lang())),
            "see `flightdeck doctor`",
        )
    })?;
    let checked = check::check(&requested, &writer, &registry, &vars);
    let request = NewSession {
        task,
        model: args.who.model.clone(),
        wp: args.who.wp.clone(),
        roles: args.who.roles.clone(),
        turns_limit: values.turns_limit,
        rounds_limit: values.rounds_limit,
        max_peer_attempts: values.max_peer_attempts,
        lang: context.lang(),
        yes: args.drive.yes,
    };
    refuse(&checked, &context)?;
    let peers = checked.usable.iter().map(choice).collect();
    let problems = checked.problems.iter().map(|p| p.text(context.lang())).collect();
    let writer_choice = WriterChoice { vendor: writer.key.clone(), agent_id: writer.writer_agent_id.clone() };
    let clock = Clock::System;
    let opening = opening(&context, &request, writer_choice, peers, problems, clock)?;
    let json = args.drive.json;
    if !json {
        for line in &opening.announcement {
            println!("{}", crate::ui::text::sanitize(line));
        }
    }
    confirm(&opening, &policy, &checked.problems)?;
    start(&context, opening, &writer, policy, registry, args.who.model.as_deref(), json)
}

/// Stops that no answer helps against (PC-101, PC-104).
fn refuse(checked: &check::Checked, context: &Context) -> Result<(), CliError> {
    let lang = context.lang();
    let texts: Vec<String> = checked.problems.iter().map(|p| p.text(lang)).collect();
    if checked.problems.iter().any(Problem::stops) {
        return Err(CliError::usage(texts.join("\n"), "name each participant once"));
    }
    if checked.usable.is_empty() {
        let cause = if texts.is_empty() { "no peer is left".to_string() } else { texts.join("\n") };
        return Err(CliError::new(
            Kind::NoPeer,
            cause,
            "`flightdeck doctor` says which vendors can be called",
        ));
    }
    Ok(())
}

fn choice(vendor: &Vendor) -> PeerChoice {
    PeerChoice {
        vendor: vendor.key.clone(),
        agent_id: vendor.agent_id.clone(),
        peer_cmd: vendor.peer_cmd.clone(),
    }
}

fn opening(
    context: &Context,
    request: &NewSession,
    writer: WriterChoice,
    peers: Vec<PeerChoice>,
    problems: Vec<String>,
    clock: Clock,
) -> Result<Opening, CliError> {
    let week = crate::engine::clock::iso_week(clock.now());
    let host = std::env::var("HOSTNAME").ok();
    let usage = |e: opening::OpeningError| {
        let kind = if e == opening::OpeningError::NoPeers { Kind::NoPeer } else { Kind::Usage };
        CliError::new(kind, e, "")
    };
    let found = opening::look_around(request, &context.places, &writer.agent_id, week, host.as_deref())
        .map_err(usage)?;
    opening::compose(request, Participants { writer, peers, problems }, found).map_err(usage)
}

/// The opening's questions. Headless without `--yes` nothing is created (PC-031, PC-114).
fn confirm(opening: &Opening, policy: &Policy, problems: &[Problem]) -> Result<(), CliError> {
    for question in &opening.questions {
        if policy.headless {
            let unknown = problems.iter().any(|p| matches!(p, Problem::Unknown { .. }));
            let kind = match question.kind {
                crate::domain::question::QuestionKind::Vendor if unknown => Kind::Usage,
                crate::domain::question::QuestionKind::Vendor => Kind::NoPeer,
                _ => Kind::Waiting,
            };
            return Err(CliError::new(
                kind,
                &question.text,
                "answer it with --yes, or run without --headless",
            ));
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
    opening: Opening,
    writer: &Vendor,
    policy: Policy,
    registry: crate::agents::registry::Registry,
    model: Option<&str>,
    json: bool,
) -> Result<u8, CliError> {
    let desk = context.desk(registry, model);
    let (sender, updates) = tokio::sync::mpsc::unbounded_channel();
    let clock = Clock::System;
    let begun = begin::begin(&context.layout, &opening, writer, desk, policy, clock, Some(sender));
    let begun = begun.map_err(|e| CliError::failed(format!("the session could not be created: {e}")))?;
    let id = begun.runner.session.meta.session_id.clone();
    if !json {
        for note in &begun.notes {
            println!("{note}");
        }
    }
    let view = if json { View::Json } else { View::Lines };
    let (runner, finish) = line::drive(begun.runner, updates, view, None).map_err(CliError::failed)?;
    finish::report(&runner, &id, finish, json)
}
