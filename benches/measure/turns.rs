//! Engine overhead per turn: a session of 100 instant turns against a bare shell loop that makes the same 100 calls,
//! side by side.

use crate::table::{Table, median};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EXCHANGES: usize = 50;
const PEER: &str = "---\nturn: 1\nrole: peer\nagent_id: alpha\ntimestamp: 2026-01-01T00:00:00Z\nconsensus: none\n---\n\n\
                    I disagree with the thesis, for a reason that is long enough to count as one.\n";

pub fn run(table: &mut Table) {
    let runs = if table.short { 3 } else { 5 };
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let adapter = root.join("adapter.sh");
    let script = format!("#!/bin/sh\ncat >/dev/null\ncat <<'X'\n{PEER}X\n");
    std::fs::write(&adapter, script).unwrap();
    std::fs::set_permissions(&adapter, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = root.join("home/.config/flightdeck");
    std::fs::create_dir_all(&config).unwrap();
    let path = adapter.display();
    let vendors = format!(
        "vendors:\n  alpha: {{kind: script, path: {path}}}\n  beta: {{kind: script, path: {path}}}\nwriter: beta\npeers: [alpha]\n"
    );
    std::fs::write(config.join("config.yaml"), vendors).unwrap();
    let (mut engine, mut bare) = (Vec::new(), Vec::new());
    for run in 0..runs {
        bare.push(timed(|| shell_loop(root, &adapter)));
        engine.push(timed(|| session(root, run)));
    }
    let what = format!("{} turns of instant peers ÷ a shell loop", 2 * EXCHANGES);
    table.ratio("turns-shell", &what, median(&engine), ("sh", median(&bare)));
}

fn shell_loop(root: &Path, adapter: &Path) {
    let script =
        format!("for i in $(seq {}); do {} <prompt >reply.$i; done", 2 * EXCHANGES, adapter.display());
    std::fs::write(root.join("prompt"), "x".repeat(2000)).unwrap();
    let status = Command::new("sh").arg("-c").arg(script).current_dir(root).status().unwrap();
    assert!(status.success());
}

fn session(root: &Path, run: usize) {
    let limit = EXCHANGES.to_string();
    let sessions = root.join(format!("sessions-{run}"));
    let status = Command::new(env!("CARGO_BIN_EXE_flightdeck"))
        .args(["run", "--yes", "--close", "auto", "--turns-limit", &limit, "--sessions-dir"])
        .arg(&sessions)
        .arg("measure the engine")
        .env_clear()
        .env("HOME", root.join("home"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(root)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
