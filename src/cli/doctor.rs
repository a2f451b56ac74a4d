//! `doctor`: what was found where; with `--probe`, whether a vendor answers.

use super::args::{Doctor, Place};
use super::context::Context;
use super::error::CliError;
use super::trust;
use crate::engine::doctor;

pub fn run(place: &Place, args: &Doctor) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| CliError::failed(format!("cannot start: {e}")))?;
    let Some(key) = &args.probe else {
        print!("{}", runtime.block_on(doctor::text(context.setting())));
        return Ok(0);
    };
    trust::settle(&context, false)?;
    let registry = context.registry()?;
    let Some(vendor) = registry.get(key) else {
        let known = format!("known are {}", registry.peer_keys().join(", "));
        return Err(CliError::usage(format!("unknown vendor {key:?}"), known));
    };
    let (is_reply, text) = runtime.block_on(doctor::probe(vendor, &context.setting().places.state_dir));
    println!("{text}");
    Ok(if is_reply { 0 } else { 1 })
}
