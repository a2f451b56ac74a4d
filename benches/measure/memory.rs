//! What is held in memory: idle with a large library, and while a peer sends a gigabyte.

use crate::table::Table;
use crate::world::{NEWEST, PROGRAM, World};
use std::fs;
use std::process::Stdio;
use std::time::Duration;

pub fn run(table: &mut Table) {
    if !std::path::Path::new("/proc/self/status").is_file() {
        return table.missing("memory-idle-mb", "memory, idle", "no /proc");
    }
    let sizes: &[usize] = if table.short { &[10, 1000] } else { &[10, 100, 1000, 10_000] };
    let mut points = Vec::new();
    let mut parts = String::new();
    for size in sizes {
        let world = World::new(*size);
        let mut screen = world.screen(PROGRAM, &[]);
        screen.shows(NEWEST);
        screen.settle(Duration::from_millis(500), Duration::from_secs(5));
        let engine = held(world.engine().expect("an engine"), "VmRSS");
        let shown = held(screen.pid(), "VmRSS");
        parts = format!("engine {engine:.1}, screen {shown:.1}");
        points.push((*size, engine + shown));
        screen.quit("q");
    }
    let (first, last) = (points[0].1, points[points.len() - 1].1);
    let size = sizes.last().unwrap();
    table.row(
        "memory-idle-mb",
        &format!("engine and screen, idle, {size} sessions, MB"),
        format!("{last:.1} MB"),
        parts,
        last,
    );
    table.row(
        "memory-growth",
        "the same ÷ with few sessions",
        format!("{last:.1} MB"),
        format!("{first:.1} MB"),
        last / first,
    );
    table.growth("growth-memory", "MB by sessions", &points);
    flood(table);
}

/// A peer that sends a gigabyte, of which the cap lets through 4 MB.
fn flood(table: &mut Table) {
    let sizes: &[usize] = if table.short { &[10, 1024] } else { &[10, 100, 1024] };
    let points: Vec<(usize, f64)> = sizes.iter().map(|megabytes| (*megabytes, flooded(*megabytes))).collect();
    let peak = points.last().unwrap().1;
    table.row(
        "memory-flood-mb",
        "peak while a peer sends 1 GB, MB",
        format!("{peak:.1} MB"),
        "cap 4 MiB".into(),
        peak,
    );
    table.growth("growth-flood", "the same, MB by MB sent", &points);
}

/// The most that was held meanwhile.
fn flooded(megabytes: usize) -> f64 {
    let world = World::new(1);
    let write = |name: &str, body: &str| {
        let path = world.root().join(name);
        fs::write(&path, format!("#!/bin/sh\ncat >/dev/null\n{body}\n")).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let peer = write("peer.sh", &format!("head -c {} /dev/zero | tr '\\0' 'x'", megabytes << 20));
    let writer = write(
        "writer.sh",
        "echo 'I propose to keep the cache small, because a small one is easy to reason about.'",
    );
    world.config(&format!(
        "writer: ada\npeers: [bo]\nvendors:\n  ada: {{kind: script, path: {writer}}}\n  bo: {{kind: script, path: {peer}}}\n"
    ));
    let mut command = world.command(PROGRAM, &["run", "--yes", "--close", "auto", "Flood us"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak: f64 = 0.0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(held(child.id(), "VmHWM"));
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// In megabytes; 0 when the process is gone.
fn held(pid: u32, key: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
