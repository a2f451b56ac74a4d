//! The dashboard: what the screen needs from the outside, the engine at the other end, and what is said on the way out.

mod look;
mod outside;

use super::args::{Drive, Place};
use super::context::Context;
use super::error::{CliError, Kind};
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::engine::client;
use crate::engine::wire::{Ask, Plan, Tell};
use crate::ui::app::{self, Exit, Why};
use crate::ui::settings::Start;
use crate::ui::signals::Signal;
use std::io::{self, IsTerminal};
use tokio::sync::mpsc;

/// What the dashboard opens on.
#[derive(Debug)]
pub enum Goal {
    Deck,
    /// A session that begins now; its questions were answered before the screen came.
    Begin(Box<Plan>),
    /// A session that is taken up; `yes` also takes up an interrupted one.
    Resume {
        id: SessionId,
        yes: bool,
    },
}

/// True when the pilot sits at a terminal that can show a dashboard and did not ask for lines.
pub fn wanted(place: &Place, drive: &Drive) -> bool {
    !place.plain && !drive.headless && !drive.json && fits().is_ok()
}

/// Shows the dashboard on the engine of this sessions folder, which is started when there is none.
pub fn run(context: &Context, inline: bool, goal: Goal) -> Result<u8, CliError> {
    fits()?;
    let runtime = if inline {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
    } else {
        tokio::runtime::Builder::new_current_thread().enable_all().build()
    };
    let runtime = runtime.map_err(CliError::failed)?;
    let exit = runtime.block_on(async {
        let engine = if inline {
            client::inline(context.setting().clone())
        } else {
            client::connect(context.setting()).await
        };
        let (asks, mut tells) = engine.map_err(|e| {
            CliError::new(Kind::Failed, format!("no engine: {e}"), "flightdeck --inline runs without one")
        })?;
        let start = begin(&asks, &mut tells, goal).await?;
        let settings = look::settings(context, start)?;
        Ok::<Exit, CliError>(app::run(asks, tells, settings).await)
    })?;
    runtime.shutdown_background();
    outside::keep(context, &exit.kept);
    goodbye(&exit, context.lang())
}

/// Asks the engine for what the screen opens on.
async fn begin(
    asks: &mpsc::Sender<Ask>,
    tells: &mut mpsc::Receiver<Tell>,
    goal: Goal,
) -> Result<Start, CliError> {
    let gone = |_| CliError::failed("the engine went away");
    match goal {
        Goal::Deck => return Ok(Start::Deck),
        Goal::Resume { id, yes } => {
            asks.send(Ask::Resume { id: id.clone(), yes }).await.map_err(gone)?;
            return Ok(Start::Session(id));
        }
        Goal::Begin(plan) => asks.send(Ask::Begin { plan: *plan }).await.map_err(gone)?,
    }
    while let Some(tell) = tells.recv().await {
        match tell {
            Tell::Began { id, .. } => return Ok(Start::Session(id)),
            Tell::Refused { why, .. } => return Err(CliError::usage(why, "")),
            Tell::Opening { questions, .. } => {
                return Err(CliError::new(Kind::Waiting, questions.join("\n"), "confirm it with --yes"));
            }
            _ => {}
        }
    }
    Err(CliError::failed("the engine went away"))
}

/// A screen needs a terminal that can move its cursor.
fn fits() -> Result<(), CliError> {
    let next = "use --plain for lines, or flightdeck list and flightdeck answer";
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(CliError::usage("the dashboard needs a terminal", next));
    }
    match std::env::var("TERM").as_deref() {
        Ok("dumb") | Ok("") | Err(_) => {
            Err(CliError::usage("this terminal (TERM) cannot show a dashboard", next))
        }
        _ => Ok(()),
    }
}

/// What still runs and how to come back (ui.md rule 8).
fn goodbye(exit: &Exit, lang: Lang) -> Result<u8, CliError> {
    match &exit.why {
        // Nobody can read it, and the code is what a shell expects of the signal.
        Why::Signal(Signal::HangUp) => return Ok(129),
        Why::Terminal(e) => {
            return Err(CliError::new(
                Kind::Failed,
                format!("the terminal cannot be used: {e}"),
                "the sessions run on; flightdeck opens the dashboard again",
            ));
        }
        Why::EngineGone(why) => {
            let why = why.clone().unwrap_or_else(|| "the connection closed".into());
            return Err(CliError::new(
                Kind::Failed,
                format!("the engine ended: {why}"),
                "the sessions are as their files say; flightdeck starts an engine and shows them",
            ));
        }
        Why::Quit | Why::Signal(_) => {}
    }
    let line = match (exit.running, exit.waiting, lang) {
        (0, 0, _) => String::new(),
        (running, waiting, Lang::En) => {
            format!("{running} running on, {waiting} waiting for you. flightdeck brings them back.")
        }
        (running, waiting, Lang::Ru) => {
            format!("Продолжают работать: {running}, ждут тебя: {waiting}. flightdeck вернёт к ним.")
        }
    };
    if !line.is_empty() {
        println!("{line}");
    }
    Ok(match exit.why {
        Why::Signal(Signal::Interrupt) => 130,
        Why::Signal(Signal::Quit) => 131,
        Why::Signal(_) => 143,
        _ => 0,
    })
}
