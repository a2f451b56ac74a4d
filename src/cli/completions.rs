//! `completions`: for the shell that is named.

use super::args::Cli;
use super::error::CliError;
use super::out::wrote;
use clap::CommandFactory;
use std::io::Write;

pub fn run(shell: clap_complete::Shell) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "flightdeck", &mut script);
    // The generator panics on a closed pipe; a reader that has had enough is no error.
    wrote(std::io::stdout().write_all(&script));
    Ok(0)
}
