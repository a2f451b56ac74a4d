//! Bubblewrap, where it is installed and chosen: a child that sees only what it may touch, and no process but its own.
//! What Landlock forbids is not even there; what ends the outer process ends all of the inner ones.

use super::Confinement;
use crate::agents::native::binary;
use crate::agents::process::vars::Vars;
use crate::domain::lang::Both;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The program, or why there is none.
pub fn find(env: &Vars) -> Result<PathBuf, Both> {
    if !cfg!(target_os = "linux") {
        return Err(Both::new("bubblewrap exists on Linux only", "bubblewrap есть только в Linux"));
    }
    binary::command("bwrap", env).ok_or_else(|| {
        Both::new(
            "the command `bwrap` was not found; install bubblewrap",
            "команда `bwrap` не найдена; установи bubblewrap",
        )
    })
}

/// The arguments before the program: a root with nothing in it but what the child may read and write. The network and
/// the environment stay as they are.
pub fn arguments(confinement: &Confinement, cwd: &Path) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--tmpfs", "/tmp"].map(Into::into).into();
    // What may be written comes last, so that it stays writable below a folder that may only be read.
    let binds = [("--ro-bind-try", &confinement.read), ("--bind-try", &confinement.write)];
    for (how, paths) in binds {
        for path in paths.iter().filter(|path| !["/dev", "/proc"].map(Path::new).contains(&path.as_path())) {
            args.extend([how.into(), path.into(), path.into()]);
        }
    }
    args.extend(["--proc", "/proc", "--dev", "/dev", "--chdir"].map(OsString::from));
    args.extend([cwd.into(), "--".into()]);
    args
}
