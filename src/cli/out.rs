//! What a command prints, and whether it got anywhere.

use super::error::CliError;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Why output was lost, the first time. Commands print from several threads.
static LOST: OnceLock<String> = OnceLock::new();

/// Notes the end of a write to standard output; `false` when there is no use in going on. Whoever stopped reading has seen
/// enough, and a closed pipe is no fault; a full disk is.
pub fn wrote(result: io::Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => false,
        Err(e) => {
            let _ = LOST.set(e.to_string());
            false
        }
    }
}

/// An error when a part of the output was lost.
pub fn whole() -> Result<(), CliError> {
    wrote(io::stdout().flush());
    match LOST.get() {
        None => Ok(()),
        Some(why) => Err(CliError::failed(format!("the output could not be written: {why}"))),
    }
}
