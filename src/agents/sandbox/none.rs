//! Systems where nothing is enforced.

use super::Confinement;
use std::io;
use tokio::process::{Child, Command};

pub fn support() -> Result<(), String> {
    Err("this system has no Landlock".into())
}

pub fn spawn(_: &Confinement, _: &mut Command) -> io::Result<Child> {
    Err(io::Error::other("nothing can be enforced on this system"))
}
