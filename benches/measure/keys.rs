//! From a key to the first byte of the answer, idle and while participants stream, beside vim.

use crate::table::{Table, median, ms};
use crate::world::{NEWEST, PROGRAM, Screen, World, has};
use flightdeck::domain::policy::Policy;
use flightdeck::engine::wire::{Ask, PROTOCOL, Plan};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// One for each stream: a task's number is not in its slug.
const NAMES: [&str; 20] = [
    "alder", "aspen", "beech", "birch", "cedar", "elder", "hazel", "holly", "larch", "linden", "maple",
    "medlar", "olive", "pear", "plane", "poplar", "quince", "rowan", "spruce", "willow",
];

pub fn run(table: &mut Table) {
    let presses = if table.short { 60 } else { 400 };
    let world = World::new(100);
    let mut screen = world.screen(PROGRAM, &[]);
    screen.shows(NEWEST);
    screen.settle(Duration::from_millis(300), Duration::from_secs(5));
    let idle = press(&mut screen, presses);
    if has("vim") {
        let text: String = (0..500).map(|n| format!("line {n}\n")).collect();
        std::fs::write(world.root().join("text"), text).unwrap();
        let mut vim = world.screen("vim", &["-u", "NONE", "-N", "text"]);
        vim.shows("line 1");
        vim.settle(Duration::from_millis(300), Duration::from_secs(5));
        let beside = press(&mut vim, presses);
        vim.quit(":q!\r");
        table.ratio(
            "keys-idle-vim",
            "key to first byte, p50 ÷ vim's",
            median(&idle),
            ("vim", median(&beside)),
        );
    } else {
        table.missing("keys-idle-vim", "key to first byte, p50 ÷ vim's", "no vim");
    }
    screen.quit("q");
    loaded(table, &world, presses, p99(&idle));
    let sizes: &[usize] = if table.short { &[10, 1000] } else { &[10, 100, 1000, 10_000] };
    let points: Vec<(usize, f64)> = sizes
        .iter()
        .map(|size| {
            let world = World::new(*size);
            let mut screen = world.screen(PROGRAM, &[]);
            screen.shows(NEWEST);
            screen.settle(Duration::from_millis(300), Duration::from_secs(5));
            let p50 = median(&press(&mut screen, presses / 2));
            screen.quit("q");
            (*size, ms(p50))
        })
        .collect();
    table.growth("growth-keys", "key to first byte, p50, ms by sessions", &points);
}

/// Twenty sessions whose peer prints a megabyte a second.
fn loaded(table: &mut Table, world: &World, presses: usize, idle: Duration) {
    let program = std::env::current_exe().unwrap();
    let write = |name: &str, body: &str| {
        let path = world.root().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let peer = write("peer.sh", &format!("cat >/dev/null; exec {} stream 300", program.display()));
    let opening = "cat >/dev/null; echo 'I propose to keep the cache small, because a small one is easy to reason about.'";
    let writer = write("writer.sh", opening);
    // One vendor for each session: a vendor takes one call at a time.
    let mut config = format!(
        "output_cap: 1000 MiB\nwriter: ada\npeers: [alder]\nvendors:\n  ada: {{kind: script, path: {writer}}}\n"
    );
    for name in NAMES {
        config.push_str(&format!("  {name}: {{kind: script, path: {peer}}}\n"));
    }
    world.config(&config);
    world.stop();
    let mut screen = world.screen(PROGRAM, &[]);
    screen.shows(NEWEST);
    let engine = connect(world);
    for name in NAMES {
        let plan = Plan {
            task: format!("Talk about {name} trees"),
            peers: name.to_string(),
            yes: true,
            cwd: world.root().to_path_buf(),
            policy: Policy { yes: true, ..Policy::default() },
            ..Plan::default()
        };
        say(&engine, &Ask::Begin { plan });
    }
    let all = |text: &str| NAMES.iter().all(|name| text.contains(&format!("{name} writing")));
    if !screen.within(Duration::from_secs(20), all) {
        let why = "the streams did not start";
        table.missing("keys-loaded-idle", "the same, p99, 20 streams of 1 MB/s ÷ idle", why);
        return table.missing("keys-loaded-ms", "the same, p99 in ms (a frame is 16.7)", why);
    }
    let end = Instant::now() + Duration::from_secs(if table.short { 3 } else { 8 });
    screen.settle(Duration::from_secs(1), end.saturating_duration_since(Instant::now()));
    let times = press(&mut screen, presses);
    let loaded = p99(&times);
    table.ratio("keys-loaded-idle", "the same, p99, 20 streams of 1 MB/s ÷ idle", loaded, ("idle", idle));
    let p50 = format!("p50 {:.2} ms", ms(median(&times)));
    table.row(
        "keys-loaded-ms",
        "the same, p99 in ms (a frame is 16.7)",
        format!("{:.2} ms", ms(loaded)),
        p50,
        ms(loaded),
    );
    drop(screen);
}

pub fn press(screen: &mut Screen, presses: usize) -> Vec<Duration> {
    let mut times: Vec<Duration> = Vec::new();
    for n in 0..presses {
        // Up and down by turns, so that there is always something to draw.
        let key = if n % 2 == 0 { "j" } else { "k" };
        times.extend(screen.answer(key));
        // Longer than a frame, as a person types: a key right behind a frame waits for the next one.
        screen.settle(Duration::from_millis(30), Duration::from_millis(35));
    }
    assert!(
        times.len() * 10 >= presses * 9,
        "keys without an answer: {} of {presses}",
        presses - times.len()
    );
    times
}

fn p99(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[(sorted.len() * 99).div_ceil(100).min(sorted.len()) - 1]
}

fn connect(world: &World) -> UnixStream {
    let socket = find(world.root()).expect("the engine's socket");
    let stream = UnixStream::connect(socket).unwrap();
    say(&stream, &Ask::Hello { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into() });
    // What it says is not wanted, and must not fill the socket.
    let reader = stream.try_clone().unwrap();
    std::thread::spawn(move || BufReader::new(reader).lines().map_while(Result::ok).for_each(drop));
    stream
}

fn say(mut stream: &UnixStream, ask: &Ask) {
    let mut line = serde_json::to_vec(ask).unwrap();
    line.push(b'\n');
    stream.write_all(&line).unwrap();
}

fn find(folder: &Path) -> Option<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            match path.extension() {
                Some(end) if end == "sock" => return Some(path),
                _ if path.is_dir()
                    && path.file_name().is_some_and(|name| {
                        name != "sessions"
                            || path.join("engine.sock").exists()
                            || !path.join("00-index.md").exists()
                    }) =>
                {
                    folders.push(path)
                }
                _ => {}
            }
        }
    }
    None
}

/// A peer that talks without end: `stream SECONDS`, 10 kB every 10 ms.
pub fn stream(words: &[String]) -> ExitCode {
    let seconds = words.iter().find_map(|word| word.parse().ok()).unwrap_or(60);
    let mut out = std::io::stdout();
    let end = Instant::now() + Duration::from_secs(seconds);
    let head =
        "---\nturn: 1\nrole: peer\nagent_id: p\ntimestamp: 2026-01-01T00:00:00Z\nconsensus: none\n---\n\n";
    let piece = "words that mean nothing and fill the line to its end\n".repeat(10_000 / 53);
    let mut next = Instant::now();
    if out.write_all(head.as_bytes()).is_err() {
        return ExitCode::FAILURE;
    }
    while Instant::now() < end {
        if out.write_all(piece.as_bytes()).and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
        next += Duration::from_millis(10);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    ExitCode::SUCCESS
}
