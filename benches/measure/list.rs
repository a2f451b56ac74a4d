//! The list of sessions on the screen: with an engine that runs and without one, beside `git status` on the same tree.

use crate::table::{Table, median, ms};
use crate::world::{NEWEST, PROGRAM, World};
use std::time::{Duration, Instant};

pub fn run(table: &mut Table) {
    let (sizes, runs): (&[usize], usize) =
        if table.short { (&[10, 1000], 5) } else { (&[10, 100, 1000, 10_000], 11) };
    let mut points = Vec::new();
    let (mut small, mut last, mut start, mut git) = (Duration::ZERO, Duration::ZERO, Duration::ZERO, None);
    for size in sizes {
        let world = World::new(*size);
        start = median(&(0..3).map(|_| cold(&world)).collect::<Vec<_>>());
        let first = open(&world);
        first.1.quit("q");
        let times: Vec<Duration> = (0..runs)
            .map(|_| {
                let (time, screen) = open(&world);
                screen.quit("q");
                time
            })
            .collect();
        last = median(&times);
        points.push((*size, ms(last)));
        if *size == sizes[0] {
            small = last;
        }
        if size == sizes.last().unwrap() {
            git = status(&world);
        }
    }
    let size = sizes.last().unwrap();
    table.ratio(
        "list-growth",
        &format!("list of {size} on screen ÷ of {}", sizes[0]),
        last,
        ("small", small),
    );
    table.row(
        "list-ms",
        &format!("list of {size} on screen, ms"),
        format!("{:.1} ms", ms(last)),
        String::new(),
        ms(last),
    );
    let what = "the same with the engine's start, ms";
    table.row("list-start-ms", what, format!("{:.1} ms", ms(start)), String::new(), ms(start));
    match git {
        Some(git) => table.ratio("list-git-status", "list on screen ÷ git status", last, ("git status", git)),
        None => table.missing("list-git-status", "list on screen ÷ git status", "no git"),
    }
    table.growth("growth-list", "list on screen, ms by sessions", &points);
}

fn open(world: &World) -> (Duration, crate::world::Screen) {
    let mut screen = world.screen(PROGRAM, &[]);
    let shown = screen.shows(NEWEST);
    (shown - screen.started, screen)
}

/// Without an engine: it starts, reads and answers.
fn cold(world: &World) -> Duration {
    world.stop();
    let (time, screen) = open(world);
    screen.quit("q");
    time
}

/// The tree in a repository with a first commit.
fn status(world: &World) -> Option<Duration> {
    let git = |args: &[&str]| {
        let mut command = world.command("git", args);
        command.current_dir(world.sessions());
        command.output().ok().filter(|out| out.status.success())
    };
    git(&["init", "-q"])?;
    git(&["add", "-A"])?;
    git(&["-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-q", "-m", "all"])?;
    let times: Vec<Duration> = (0..5)
        .filter_map(|_| {
            let start = Instant::now();
            git(&["status", "--porcelain"])?;
            Some(start.elapsed())
        })
        .collect();
    (!times.is_empty()).then(|| median(&times))
}
