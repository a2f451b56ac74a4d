//! The programs that flightdeck replaces. They are no part of this repository: `FLIGHTDECK_REFERENCE` names a checkout of
//! them, and without it their rows are not measured.

use std::path::PathBuf;
use std::process::{Command, Stdio};

const NAME: &str = "FLIGHTDECK_REFERENCE";

/// A file of the reference, or why it cannot be measured. Its scripts need Python and Perl.
pub fn file(name: &str) -> Result<PathBuf, String> {
    let root = std::env::var_os(NAME).ok_or_else(|| format!("no {NAME}"))?;
    let path = PathBuf::from(root).join(name);
    if !path.is_file() {
        return Err(format!("no {}", path.display()));
    }
    for program in ["python3", "perl"] {
        let version = Command::new(program).arg("-v").stdin(Stdio::null()).output();
        version.map_err(|why| format!("{program}: {why}"))?;
    }
    path.canonicalize().map_err(|why| why.to_string())
}
