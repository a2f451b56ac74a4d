//! Systems where nothing is enforced.

use super::Confinement;
use crate::domain::lang::Both;
use std::io;
use tokio::process::{Child, Command};

pub fn support() -> Result<(), Both> {
    Err(Both::new("this system has no Landlock", "в этой системе нет Landlock"))
}

pub fn spawn(_: &Confinement, _: &mut Command) -> io::Result<Child> {
    Err(io::Error::other("nothing can be enforced on this system"))
}
