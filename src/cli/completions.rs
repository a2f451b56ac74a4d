//! `completions`: for the shell that is named.

use super::args::Cli;
use super::error::CliError;
use clap::CommandFactory;

pub fn run(shell: clap_complete::Shell) -> Result<u8, CliError> {
    clap_complete::generate(shell, &mut Cli::command(), "flightdeck", &mut std::io::stdout());
    Ok(0)
}
