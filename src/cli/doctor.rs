//! `doctor`: what was found where.

use super::args::Place;
use super::context::Context;
use super::error::CliError;

pub fn run(place: &Place) -> Result<u8, CliError> {
    print!("{}", crate::engine::doctor::text(Context::plain(place)?.setting()));
    Ok(0)
}
