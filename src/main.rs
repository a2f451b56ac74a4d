//! flightdeck: hooks, parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    flightdeck::cli::main()
}
