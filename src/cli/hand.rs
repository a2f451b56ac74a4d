//! Handing the pilot's word to the engine that drives a session.

use super::error::CliError;
use crate::store::lock::EngineLock;
use crate::store::runtime::{self, Message};
use std::path::Path;
use std::time::Duration;

/// So many looks at what an engine was handed, five seconds. What it takes later is taken all the same.
const LOOKS: usize = 250;
const PAUSE: Duration = Duration::from_millis(20);

/// What became of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// Nobody drives the session.
    Nobody,
    /// To the engine with this process id.
    To(u32),
    /// Whoever held the session ended without taking it, such as a command that looks at nothing that comes meanwhile. The
    /// word was taken back.
    Back,
}

pub fn over(runtime: &Path, message: &Message) -> Result<Handed, CliError> {
    let holder = || EngineLock::holder(runtime).map(|(pid, _)| pid);
    let Some(pid) = holder() else { return Ok(Handed::Nobody) };
    let posted = runtime::post(runtime, message).map_err(CliError::failed)?;
    let mut looks = 0..LOOKS;
    while posted.exists() && holder().is_some() && looks.next().is_some() {
        pause();
    }
    // Whoever removes the file has the word.
    let is_back = holder().is_none() && std::fs::remove_file(&posted).is_ok();
    Ok(if is_back { Handed::Back } else { Handed::To(pid) })
}

/// A moment for another process to get on.
#[expect(clippy::disallowed_methods, reason = "a command of its own thread, which nothing else waits for")]
pub fn pause() {
    std::thread::sleep(PAUSE);
}
