//! A repository that did not exist before.

use super::cli::{Git, done};
use super::commit::Refused;
use std::path::Path;
use std::time::Duration;

const STEP: &str = "git init";
const DEADLINE: Duration = Duration::from_secs(60);

/// Makes `at` a repository with one commit of these files. Its identity is its own, so that it works on a machine where
/// git knows nobody.
pub fn repository(at: &Path, files: &[String], message: &str) -> Result<(), Refused> {
    let git = Git { root: at, env: &[] };
    let run = |args: &[&str]| done(STEP, &mut git.command(args), DEADLINE).map(drop);
    run(&["init", "-q", "-b", "main"])?;
    run(&["config", "user.name", "flightdeck demo"])?;
    run(&["config", "user.email", "demo@localhost"])?;
    let mut add = git.command(&["add", "--"]);
    done(STEP, add.args(files), DEADLINE)?;
    run(&["commit", "-q", "--no-gpg-sign", "-m", message])
}
