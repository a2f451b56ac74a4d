//! `engine` is the background process; `engines` lists and stops it.

use super::args::{Engines, Place};
use super::context::Context;
use super::error::{CliError, Kind};
use crate::config::places::Why;
use crate::engine::client;
use crate::engine::server;
use crate::engine::wire::{Ask, PROTOCOL, Tell};

/// Listens until nothing runs and nobody watches.
pub fn run(place: &Place) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(CliError::failed)?;
    // Whoever started us waits for this line.
    let ready = || println!("{}", client::READY);
    let mut setting = context.setting().clone();
    setting.places.why = Why::Starter;
    let served = runtime.block_on(server::serve(setting, ready));
    // Threads of sessions that were asked to stop have stopped; blocking reads may still hang.
    runtime.shutdown_background();
    match served {
        Ok(()) => Ok(0),
        Err(e) if e.kind() == std::io::ErrorKind::AddrInUse => {
            Err(CliError::new(Kind::Busy, e, "`flightdeck engines` shows it"))
        }
        Err(e) => Err(CliError::failed(e)),
    }
}

/// Says whether an engine runs for this sessions folder, and ends it on request.
pub fn engines(place: &Place, args: &Engines) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::failed)?;
    runtime.block_on(async {
        let Some((asks, mut tells)) = client::find(context.setting()).await else {
            println!("no engine runs for {}", context.places.sessions.display());
            return Ok(0);
        };
        let hello = Ask::Hello { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into() };
        let _ = asks.send(hello).await;
        if args.stop {
            let _ = asks.send(Ask::Stop { force: args.force }).await;
        }
        while let Some(tell) = tells.recv().await {
            match tell {
                Tell::Welcome { version, pid, sessions, .. } => {
                    println!("process {pid} · version {version} · {}", sessions.display());
                    if !args.stop {
                        return Ok(0);
                    }
                }
                Tell::Bye { why } => {
                    println!("ended: {why}");
                    return Ok(0);
                }
                Tell::Refused { why, .. } => return Err(CliError::new(Kind::Failed, why, "")),
                _ => {}
            }
        }
        Ok(0)
    })
}
