//! `adapter <vendor>`: ours is an adapter by the contract (group C), so other tools can use it.

use super::args::{Limits, Place, Who};
use super::context::Context;
use super::out;
use crate::agents::serve;
use crate::engine::desk::surroundings;
use std::ffi::OsString;
use std::process::ExitCode;

pub fn main(words: &[OsString]) -> ExitCode {
    let place = Place { sessions_dir: None, plain: true, inline: false };
    let registry = Context::calling(&place, &Who::default(), &Limits::default(), false)
        .and_then(|context| Ok(context.registry()?));
    let registry = match registry {
        Ok(registry) => registry,
        Err(error) => return refused(&error.to_string()),
    };
    let key = words.first().map(|w| w.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(vendor) = registry.get(&key) else {
        return refused(&format!(
            "ERROR: unknown vendor {key:?}; known: {}",
            registry.peer_keys().join(", ")
        ));
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return refused(&format!("ERROR: {error}")),
    };
    let rest = words.get(1..).unwrap_or_default();
    let served = runtime.block_on(async {
        serve::serve(vendor, rest, tokio::io::stdin(), &surroundings(), serve::stop_signal()).await
    });
    // A blocked read of standard input must not keep a finished call alive.
    runtime.shutdown_background();
    eprint!("{}", served.stderr);
    print!("{}", served.stdout);
    // Half a reply with code 0 would pass for a whole one.
    match out::whole() {
        Ok(()) => ExitCode::from(served.code),
        Err(lost) => refused(&format!("ERROR: {}", lost.cause)),
    }
}

fn refused(problem: &str) -> ExitCode {
    eprintln!("{problem}");
    ExitCode::from(1)
}
