//! `config`: effective values and where each comes from.

use super::args::Place;
use super::context::Context;
use super::error::CliError;

pub fn run(place: &Place) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    for (key, value, origin) in context.effective.lines() {
        println!("{key:<20} {value:<40} {origin}");
    }
    println!("\nfiles looked for:");
    for path in &context.places.config_files {
        let state = if context.effective.files.contains(path) { "read" } else { "not there" };
        println!("  {} ({state})", path.display());
    }
    Ok(0)
}
