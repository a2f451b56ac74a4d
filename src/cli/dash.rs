//! The dashboard: what the screen needs from the outside, the engine at the other end, and what is said on the way out.

mod look;
mod outside;

use super::context::Context;
use super::error::{CliError, Kind};
use crate::domain::lang::Lang;
use crate::engine::wire::{Ask, Tell};
use crate::ui::app::{self, Exit, Why};
use crate::ui::settings::Start;
use crate::ui::signals::Signal;
use std::future::Future;
use std::io::{self, IsTerminal};
use tokio::sync::mpsc;

/// The two ends that a screen talks to.
pub type Engine = (mpsc::Sender<Ask>, mpsc::Receiver<Tell>);

/// Shows the dashboard. `connect` finds the engine or starts one.
pub fn run(
    context: &Context,
    start: Start,
    connect: impl Future<Output = io::Result<Engine>>,
) -> Result<u8, CliError> {
    fits()?;
    let settings = look::settings(context, start)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::failed)?;
    let exit = runtime.block_on(async {
        let (asks, tells) = connect.await.map_err(|e| {
            CliError::new(Kind::Failed, format!("no engine: {e}"), "flightdeck --inline runs without one")
        })?;
        Ok::<Exit, CliError>(app::run(asks, tells, settings).await)
    })?;
    outside::keep(context, &exit.kept);
    goodbye(&exit, context.lang())
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
    Ok(if matches!(exit.why, Why::Quit) { 0 } else { 143 })
}
