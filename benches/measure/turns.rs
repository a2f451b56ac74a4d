//! Engine overhead per turn: a session of 100 instant turns against a bare shell loop that makes the same 100 calls,
//! side by side; what is left of it beside what the reference's shell adapter adds to a call; and how it grows with the
//! turns of a session and with the sessions beside it.

use crate::reference;
use crate::table::{Table, median, ms};
use crate::world::{PROGRAM, World};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EXCHANGES: usize = 50;
const PEER: &str = "---\nturn: 1\nrole: peer\nagent_id: alpha\ntimestamp: 2026-01-01T00:00:00Z\nconsensus: none\n---\n\n\
                    I disagree with the thesis, for a reason that is long enough to count as one.\n";

pub fn run(table: &mut Table) {
    let runs = if table.short { 3 } else { 5 };
    let world = ready(0);
    let (mut engine, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        bare.push(timed(|| shell_loop(&world, 2 * EXCHANGES)));
        engine.push(session(&world, EXCHANGES));
    }
    let what = format!("{} turns of instant peers ÷ a shell loop", 2 * EXCHANGES);
    let (engine, bare) = (median(&engine), median(&bare));
    table.ratio("turns-shell", &what, engine, ("sh", bare));
    let calls = 2 * EXCHANGES as u32;
    beside_reference(table, &world, engine.saturating_sub(bare) / calls, bare / calls);
    grown(table, runs);
}

/// What the engine adds to a call, beside what the reference's adapter adds to one.
fn beside_reference(table: &mut Table, world: &World, ours: Duration, bare: Duration) {
    let what = "what is added to a call ÷ the reference's adapter";
    let adapter = match reference::file("scripts/codex-peer-adapter.sh") {
        Ok(adapter) => adapter,
        Err(why) => return table.missing("turns-reference", what, &why),
    };
    // Its CLI answers at once into the file that it is told.
    let cli = script(
        &world.root().join("cli.sh"),
        &format!(
            "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\ncat >/dev/null\ncat >\"$out\" <<'X'\n{PEER}X"
        ),
    );
    let template = adapter.parent().and_then(Path::parent).unwrap();
    let calls: Vec<Duration> = (0..if table.short { 5 } else { 20 })
        .map(|_| {
            let mut command = world.command("bash", &[&adapter.display().to_string(), "-p"]);
            command.env("CODEX_BIN", &cli).env("IWE_TEMPLATE", template);
            command.env("IWE_PEER_LOCK_DIR", world.root().join("locks"));
            let start = Instant::now();
            let ran = command.stdin(Stdio::null()).output().unwrap();
            let time = start.elapsed();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(
                ran.status.success() && ran.stdout.starts_with(b"---"),
                "the reference's adapter: {said}"
            );
            time
        })
        .collect();
    let theirs = median(&calls).saturating_sub(bare);
    table.ratio("turns-reference", what, ours, ("adapter", theirs));
}

fn grown(table: &mut Table, runs: usize) {
    // A turn-loop has at most 99 exchanges.
    let lengths: &[usize] = if table.short { &[10, 100] } else { &[10, 100, 198] };
    let points: Vec<(usize, f64)> = lengths
        .iter()
        .map(|turns| {
            let world = ready(0);
            let times: Vec<Duration> = (0..runs).map(|_| session(&world, turns / 2)).collect();
            (*turns, ms(median(&times)))
        })
        .collect();
    table.growth("growth-turns", "a session of instant peers, ms by turns", &points);
    let sizes: &[usize] = if table.short { &[10, 1000] } else { &[10, 100, 1000, 10_000] };
    let points: Vec<(usize, f64)> = sizes
        .iter()
        .map(|size| {
            let world = ready(*size);
            let times: Vec<Duration> = (0..runs).map(|_| session(&world, 20)).collect();
            (*size, ms(median(&times)) / 40.0)
        })
        .collect();
    table.growth("growth-turn", "one turn, ms by sessions", &points);
}

/// A home with two instant participants and so many finished sessions.
fn ready(sessions: usize) -> World {
    let world = World::new(sessions);
    let path = script(&adapter(&world), &format!("cat >/dev/null\ncat <<'X'\n{PEER}X"));
    world.config(&format!(
        "vendors:\n  alpha: {{kind: script, path: {path}}}\n  beta: {{kind: script, path: {path}}}\nwriter: beta\npeers: [alpha]\n"
    ));
    world
}

fn adapter(world: &World) -> PathBuf {
    world.root().join("adapter.sh")
}

fn script(path: &Path, body: &str) -> String {
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn shell_loop(world: &World, calls: usize) {
    let script = format!("for i in $(seq {calls}); do {} <prompt >reply.$i; done", adapter(world).display());
    std::fs::write(world.root().join("prompt"), "x".repeat(2000)).unwrap();
    let status = Command::new("sh").arg("-c").arg(script).current_dir(world.root()).status().unwrap();
    assert!(status.success());
}

fn session(world: &World, exchanges: usize) -> Duration {
    let limit = exchanges.to_string();
    let args = ["run", "--yes", "--close", "auto", "--turns-limit", &limit, "measure the engine"];
    let mut command = world.command(PROGRAM, &args);
    command.stdout(Stdio::null());
    timed(|| assert!(command.status().unwrap().success()))
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
