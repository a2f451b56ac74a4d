//! Puts the commit into `--version`. Without git or a repository the version stands alone.

use std::process::Command;

#[expect(clippy::disallowed_methods, reason = "a build script has no engine to ask")]
fn main() {
    let commit = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output().ok();
    let commit = commit.filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    let version = env!("CARGO_PKG_VERSION");
    let version = commit.map_or(version.to_string(), |c| format!("{version} ({})", c.trim()));
    println!("cargo:rustc-env=FLIGHTDECK_VERSION={version}");
    println!("cargo:rerun-if-changed=.git/HEAD");
    println!("cargo:rerun-if-changed=.git/refs");
}
