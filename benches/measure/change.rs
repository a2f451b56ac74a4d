//! A change that another program makes on disk, until the dashboard shows it.

use crate::table::{Table, median, ms};
use crate::world::{NEWEST, PROGRAM, World};
use std::time::{Duration, Instant};

pub fn run(table: &mut Table) {
    let (sizes, runs): (&[usize], usize) =
        if table.short { (&[10, 1000], 3) } else { (&[10, 100, 1000, 10_000], 9) };
    let mut points = Vec::new();
    for size in sizes {
        let world = World::new(*size);
        let mut screen = world.screen(PROGRAM, &[]);
        screen.shows(NEWEST);
        screen.settle(Duration::from_millis(400), Duration::from_secs(5));
        let index = world.sessions().join("00-index.md");
        let times: Vec<Duration> = (0..runs)
            .map(|run| {
                // The newest session gets another task, and its row is written again.
                let text = std::fs::read_to_string(&index).unwrap();
                let row = text.lines().find(|line| line.contains(NEWEST)).unwrap();
                let id = row.split('|').nth(2).unwrap().trim();
                let meta = world.sessions().join(&id[..7]).join(&id[8..10]).join(id).join("meta.yaml");
                let old = std::fs::read_to_string(&meta).unwrap();
                let line = old.lines().find(|line| line.starts_with("task_description:")).unwrap();
                let mark = format!("Changed {run}");
                std::fs::write(&meta, old.replace(line, &format!("task_description: \"{mark}\""))).unwrap();
                // As a program that keeps the files does: the index last, in one step. Writing it is its own work, and
                // takes ten milliseconds with 10,000 rows.
                let temp = index.with_extension("new");
                std::fs::write(&temp, text).unwrap();
                let start = Instant::now();
                std::fs::rename(&temp, &index).unwrap();
                let seen = screen.until(&mark, |screen| screen.contains(&mark));
                screen.settle(Duration::from_millis(400), Duration::from_secs(2));
                seen.saturating_duration_since(start)
            })
            .collect();
        points.push((*size, ms(median(&times))));
        screen.quit("q");
    }
    let (first, last) = (points[0].1, points[points.len() - 1].1);
    let size = sizes.last().unwrap();
    let batch = String::from("a batch is 150 ms");
    table.row(
        "change-ms",
        &format!("a change on disk on screen, {size} sessions, ms"),
        format!("{last:.0} ms"),
        batch,
        last,
    );
    let small = format!("{} sessions {first:.0} ms", sizes[0]);
    table.row("change-growth", "the same ÷ with few sessions", format!("{last:.0} ms"), small, last / first);
    table.growth("growth-change", "change on screen, ms by sessions", &points);
}
