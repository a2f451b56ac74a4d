//! `rehearse`: one participant of a rehearsal, as a child process of `demo`.

use crate::agents::rehearsal;
use std::ffi::OsString;
use std::process::ExitCode;

pub fn main(words: &[OsString]) -> ExitCode {
    let args: Vec<String> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let env = |name: &str| std::env::var(name).ok();
    ExitCode::from(rehearsal::rehearse(&args, &env, std::io::stdin(), std::io::stdout(), std::io::stderr()))
}
