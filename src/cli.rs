//! The command line: one command, one file, arguments and a call.
//!
//! Errors have a kind, a cause and a next step, and become an exit code in one place ([`error`]).

// Whoever stopped reading is no fault of ours: a closed pipe must end neither a command nor a session with a panic. The
// names shadow the standard macros in every command below.
macro_rules! println {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = crate::cli::out::wrote(writeln!(std::io::stdout(), $($arg)*));
    }};
}
macro_rules! print {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = crate::cli::out::wrote(write!(std::io::stdout(), $($arg)*));
    }};
}
macro_rules! eprintln {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($arg)*);
    }};
}
macro_rules! eprint {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr(), $($arg)*);
    }};
}

pub mod adapter;
pub mod answer;
pub mod args;
pub mod completions;
pub mod config;
pub mod context;
pub mod dash;
pub mod demo;
pub mod doctor;
pub mod engine;
pub mod error;
pub mod filter;
pub mod finalize;
pub mod finish;
mod hand;
pub mod interrupt;
pub mod line;
pub mod list;
pub mod new;
pub mod open;
mod out;
pub mod overrule;
pub mod panic;
pub mod rehearse;
pub mod resume;
pub mod search;
pub mod show;
pub mod skill;
pub mod trace;
pub mod trust;
pub mod verify;
pub mod worktrees;

use args::{Cli, Command, ConfigArgs, ConfigCommand};
use clap::Parser;
use error::CliError;
use std::ffi::OsString;
use std::process::ExitCode;

/// The program. Reads the arguments, runs one command, says what went wrong.
pub fn main() -> ExitCode {
    panic::install();
    let typed: Vec<OsString> = std::env::args_os().collect();
    // Two commands keep the adapter contract and read their arguments themselves: a usage error there has code 1.
    let words = typed.get(1..).unwrap_or_default();
    match words.first().and_then(|w| w.to_str()) {
        Some("adapter") if !asks_help(words) => return adapter::main(&words[1..]),
        Some("rehearse") => return rehearse::main(&words[1..]),
        _ => {}
    }
    #[cfg(debug_assertions)]
    if let Ok(plan) = std::env::var("FLIGHTDECK_FAULT") {
        crate::store::write::fault::arm(&plan);
    }
    let outcome = skill::translate(typed).and_then(|typed| match Cli::try_parse_from(typed) {
        Ok(cli) => dispatch(cli),
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            out::wrote(error.print());
            Ok(code)
        }
    });
    match outcome.and_then(|code| out::whole().map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.code())
        }
    }
}

fn asks_help(words: &[OsString]) -> bool {
    words.iter().any(|w| w == "--help" || w == "-h") || words.len() < 2
}

fn dispatch(cli: Cli) -> Result<u8, CliError> {
    let place = cli.place;
    match cli.command {
        None => open::run(&place),
        Some(Command::New(args)) => new::run(&place, args),
        Some(Command::Run(mut args)) => {
            args.drive.headless = true;
            new::run(&place, args)
        }
        Some(Command::Demo(args)) => demo::run(&place, args),
        Some(Command::List(args)) => list::run(&place, args),
        Some(Command::Search(args)) => search::run(&place, args),
        Some(Command::Show(args)) => show::run(&place, args),
        Some(Command::Resume(args)) => resume::run(&place, args),
        Some(Command::Answer(args)) => answer::run(&place, args),
        Some(Command::Override(args)) => overrule::run(&place, args),
        Some(Command::Interrupt(args)) => interrupt::run(&place, args),
        Some(Command::Finalize(args)) => finalize::run(&place, args),
        Some(Command::Verify(args)) => verify::run(&place, args),
        Some(Command::Adapter { .. }) | Some(Command::Rehearse { .. }) => Ok(2),
        Some(Command::Filter(args)) => filter::run(&place, args),
        Some(Command::Doctor(args)) => doctor::run(&place, &args),
        Some(Command::Engine) => engine::run(&place),
        Some(Command::Engines(args)) => engine::engines(&place, &args),
        Some(Command::Worktrees(args)) => worktrees::run(&place, &args),
        Some(Command::Trace(args)) => trace::run(&place, &args),
        Some(Command::Config(ConfigArgs { command: Some(ConfigCommand::Trust(args)) })) => {
            trust::run(&place, &args)
        }
        Some(Command::Config(_)) => config::run(&place),
        Some(Command::Completions { shell }) => completions::run(shell),
    }
}
