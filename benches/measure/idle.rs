//! What a dashboard that nothing happens in costs: context switches and processor time of the screen and its engine.

use crate::table::Table;
use crate::world::{NEWEST, PROGRAM, World};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub fn run(table: &mut Table) {
    if !std::path::Path::new("/proc/self/task").is_dir() {
        return table.missing("idle-wakes", "context switches a second, idle", "no /proc");
    }
    let (sizes, seconds): (&[usize], u64) =
        if table.short { (&[100], 5) } else { (&[10, 100, 1000, 10_000], 60) };
    let mut points = Vec::new();
    let mut cost = 0.0;
    let worlds: Vec<_> = sizes
        .iter()
        .map(|size| {
            let world = World::new(*size);
            let mut screen = world.screen(PROGRAM, &[]);
            screen.shows(NEWEST);
            screen.settle(Duration::from_millis(500), Duration::from_secs(5));
            let engine = world.engine().expect("an engine");
            // The look at the engine was a connection of its own, and the first looks around come after five and ten seconds.
            screen.settle(Duration::from_secs(15), Duration::from_secs(16));
            (*size, [screen.pid(), engine], world, screen)
        })
        .collect();
    let before: Vec<_> = worlds.iter().map(|(_, pids, ..)| Spent::of(pids)).collect();
    let start = Instant::now();
    std::thread::sleep(Duration::from_secs(seconds));
    let time = start.elapsed().as_secs_f64();
    for ((size, pids, ..), before) in worlds.iter().zip(before) {
        let now = Spent::of(pids);
        let (switches, ticks) = now.since(&before);
        points.push((*size, switches as f64 / time));
        cost = ticks as f64 * 10.0 / time;
    }
    let (most, wakes) = *points.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let listed = format!("{most} sessions");
    table.row(
        "idle-wakes",
        "context switches a second, idle, at most",
        format!("{wakes:.2}/s"),
        listed,
        wakes,
    );
    let listed = format!("{} sessions", points[points.len() - 1].0);
    table.row("idle-cpu-ms", "processor time a second, idle, ms", format!("{cost:.2} ms"), listed, cost);
    if points.len() > 1 {
        table.growth("growth-idle", "context switches a second by sessions", &points);
    }
    for (.., screen) in worlds {
        screen.quit("q");
    }
}

/// By thread, because one that ends takes its counts with it: context switches, and hundredths of a second.
struct Spent(BTreeMap<PathBuf, (u64, u64)>);

impl Spent {
    /// Of all threads of these processes.
    fn of(pids: &[u32]) -> Spent {
        let mut spent = BTreeMap::new();
        for pid in pids {
            for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
                let switches = status
                    .lines()
                    .filter(|line| line.contains("ctxt_switches"))
                    .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
                    .sum::<u64>();
                let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
                let behind = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
                let ticks = behind
                    .split_whitespace()
                    .skip(11)
                    .take(2)
                    .filter_map(|n| n.parse::<u64>().ok())
                    .sum::<u64>();
                spent.insert(task.path(), (switches, ticks));
            }
        }
        Spent(spent)
    }

    fn since(&self, before: &Spent) -> (u64, u64) {
        let each = self.0.iter().map(|(task, now)| (now, before.0.get(task).copied().unwrap_or_default()));
        each.fold((0, 0), |sum, (now, then)| (sum.0 + now.0 - then.0, sum.1 + now.1 - then.1))
    }
}
