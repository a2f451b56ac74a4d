//! `resume`: go on where the files say the session stands (PC-670).

use super::answer;
use super::args::{Place, Resume};
use super::context::{self, Context};
use super::dash;
use super::error::{CliError, Kind};
use super::finish;
use super::line::{self, View};
use crate::domain::fact::Fact;
use crate::domain::input::Input;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::{Phase, Wait, phase};
use crate::domain::session::state::Session;
use crate::engine::clock::Clock;
use crate::engine::questions::open_questions;
use crate::engine::runner::{OpenError, Runner, Update, Updates};
use crate::store::load::load;
use crate::store::record::StoreError;

pub fn run(place: &Place, args: Resume) -> Result<u8, CliError> {
    let context = Context::calling(place, &args.who, &args.limits, args.drive.is_here())?;
    let id = context::id(&args.id)?;
    let policy = context.policy(&args.drive)?;
    if dash::wanted(place, &args.drive) && is_plain_resume(&args) {
        let id = resumable(&context, &id, args.drive.yes)?;
        return dash::run(&context, place.inline, dash::Goal::Resume { id, yes: true });
    }
    let (sender, updates) = tokio::sync::mpsc::unbounded_channel();
    let mut runner = open(&context, &id, policy, args.who.model.as_deref(), Some(sender))?;
    fixed(&runner.session, &args)?;
    if let Some(writer) = &args.who.writer {
        if runner.desk.registry.get(writer).is_none() {
            let next = "`flightdeck doctor` lists the vendors";
            return Err(CliError::usage(format!("the writer {writer:?} is not registered"), next));
        }
        runner.session.notes.writer_vendor = writer.clone();
    }
    reopen(&mut runner, &args)?;
    let is_new = args.limits.limit_usd.is_some() || args.limits.limit_tokens.is_some();
    let storage = |e| paused(&id, &e);
    runner.limit(context.effective.values.budget(), is_new).map_err(storage)?;
    raise_limits(&mut runner, &args)?;
    if let Some(given) = &args.answer {
        let text = context::text(given)?;
        let open = open_questions(&runner.session, &runner.desk);
        let Some(question) = open.first() else {
            let cause = format!("{id}: nothing waits for the answer {text:?}; nothing was changed");
            return Err(CliError::usage(cause, format!("flightdeck resume {id} goes on")));
        };
        let before = runner.session.clone();
        crate::engine::answer::give(&mut runner, &question.id, &text).map_err(storage)?;
        if runner.session.same_on_disk(&before) {
            let cause = format!("{id}: {text:?} does not answer {}; nothing was changed", question.id);
            return Err(CliError::usage(cause, answer::choices(&open, &question.id)));
        }
    }
    // To resume is to try again: a failed call is repeated without another question.
    if matches!(
        phase(&runner.session),
        Phase::Wait(Wait::PeerRetry | Wait::WriterRetry | Wait::ImplementRetry)
    ) {
        runner.record(Fact::Retried).map_err(storage)?;
    }
    let view = if args.drive.json { View::Json } else { View::Lines };
    let (runner, ended) =
        line::drive(runner, updates, (view, context.lang()), None).map_err(CliError::failed)?;
    finish::report(&runner, &id, ended, args.drive.json)
}

fn paused(id: &SessionId, error: &StoreError) -> CliError {
    let next = format!("{}, then resume again", error.remedy(Lang::En));
    CliError::new(Kind::Waiting, format!("{id} is paused: {error}"), next)
}

/// Nothing but the id: whatever else is given is for this run alone, and the engine in the background does not know it.
fn is_plain_resume(args: &Resume) -> bool {
    let Resume { who, limits, drive, answer, .. } = args;
    let given = [&who.peer, &who.writer, &who.model, &who.wp, &who.roles, &who.lang, answer]
        .iter()
        .any(|g| g.is_some());
    let limited =
        [limits.turns_limit, limits.rounds_limit, limits.max_peer_attempts].iter().any(Option::is_some)
            || limits.limit_usd.is_some()
            || limits.limit_tokens.is_some();
    let driven = drive.gate_timeout.is_some()
        || [&drive.decision, &drive.close, &drive.reflection].iter().any(|word| *word != "ask")
        || drive.commit
        || drive.no_commit
        || drive.push
        || drive.no_push;
    !(given || limited || driven)
}

/// The session exists; taking up an interrupted one is confirmed before the screen comes (PC-670).
fn resumable(context: &Context, id: &SessionId, yes: bool) -> Result<SessionId, CliError> {
    let loaded = load(&context.layout, id).map_err(|e| context::not_loaded(context, e))?;
    if loaded.session.meta.status == Status::Interrupted && !yes {
        confirmed(id)?;
    }
    Ok(id.clone())
}

fn confirmed(id: &SessionId) -> Result<(), CliError> {
    println!("{id} was interrupted. Take it up again? [yes/no]");
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
    if crate::engine::opening::is_yes(&line) {
        return Ok(());
    }
    let next = "give --yes to confirm beforehand";
    Err(CliError::new(Kind::Waiting, "not confirmed, so nothing was changed", next))
}

/// Opens a session for driving; the errors name the next step. Where nobody takes updates, what was mended is said here:
/// it is recorded as told.
pub fn open(
    context: &Context,
    id: &crate::domain::session::id::SessionId,
    policy: crate::domain::policy::Policy,
    model: Option<&str>,
    updates: Option<Updates>,
) -> Result<Runner, CliError> {
    let desk = context.desk(context.registry()?, model);
    let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
    let updates = updates.unwrap_or(sender);
    let opened = Runner::open(&context.layout, id, desk, policy, Clock::System, Some(updates));
    while let Ok(Update::Event(event)) = told.try_recv() {
        if let (Fact::Repaired { .. }, Some(line)) =
            (&event.fact, line::describe(&event.fact, context.lang()))
        {
            eprintln!("{line}");
        }
    }
    opened.map_err(|e| match e {
        OpenError::Busy(busy) => CliError::new(
            Kind::Busy,
            format!("{id}: {busy}"),
            format!("flightdeck answer {id} … reaches the engine that holds it"),
        ),
        OpenError::Load(error) => context::not_loaded(context, error),
        OpenError::Store(e) => paused(id, &e),
    })
}

/// Completed sessions never go on; interrupted ones after an explicit yes (PC-670).
fn reopen(runner: &mut Runner, args: &Resume) -> Result<(), CliError> {
    let id = runner.session.meta.session_id.clone();
    match runner.session.meta.status {
        Status::Started => Ok(()),
        Status::Completed if phase(&runner.session) == Phase::Closed => {
            runner.session.live.commit_due = runner.uncommitted();
            Ok(())
        }
        Status::Completed => Ok(()),
        Status::Interrupted => {
            if !args.drive.yes {
                if args.drive.headless {
                    return Err(CliError::new(
                        Kind::Waiting,
                        format!("{id} was interrupted"),
                        "resume it with --yes, or write its report with `flightdeck finalize`",
                    ));
                }
                confirmed(&id)?;
            }
            runner.feed_quietly(Input::Reopen).map_err(CliError::failed)
        }
    }
}

/// What is settled when a session begins cannot be given anew; the same value may be repeated. To pass over another one
/// in silence would let somebody wait for what never comes.
fn fixed(s: &Session, args: &Resume) -> Result<(), CliError> {
    let Resume { who, limits, .. } = args;
    let peers = s.peers().into_iter().map(|p| p.vendor).collect::<Vec<_>>().join(",");
    let other = |given: &Option<String>, is: &str| given.as_deref().is_some_and(|given| given != is);
    let flag = [
        ("--peer", other(&who.peer, &peers)),
        ("--wp", other(&who.wp, &s.meta.task_id)),
        ("--roles", who.roles.is_some()),
        ("--lang", other(&who.lang, s.meta.lang().key())),
        ("--max-peer-attempts", limits.max_peer_attempts.is_some_and(|n| n != s.meta.max_peer_attempts)),
    ];
    match flag.into_iter().find(|(_, differs)| *differs) {
        None => Ok(()),
        Some((flag, _)) => Err(CliError::usage(
            format!(
                "{flag} counts only when a session begins; {} keeps what it began with",
                s.meta.session_id
            ),
            format!("resume it without {flag}, or begin another session with `flightdeck new`"),
        )),
    }
}

/// A limit given on the command line is kept in meta.yaml like at the creation (PC-010). A completed session has none to
/// raise: it never goes on (PC-670).
fn raise_limits(runner: &mut Runner, args: &Resume) -> Result<(), CliError> {
    let meta = &runner.session.meta;
    let turns_limit = args.limits.turns_limit.unwrap_or(meta.turns_limit);
    let rounds_limit = args.limits.rounds_limit.unwrap_or(meta.rounds_limit);
    if (turns_limit, rounds_limit) == (meta.turns_limit, meta.rounds_limit) {
        return Ok(());
    }
    if meta.status == Status::Completed {
        let cause = format!("{} is completed, so it has no limit to raise", meta.session_id);
        return Err(CliError::usage(cause, "begin another session with `flightdeck new`"));
    }
    runner.record(Fact::LimitsRaised { turns_limit, rounds_limit }).map_err(CliError::failed)
}
