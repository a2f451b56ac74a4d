//! The diff of an implementation that changed every line of a large file: opened on the Pipeline screen, and moved through.

use crate::keys::press;
use crate::table::{Table, median, ms};
use crate::world::{PROGRAM, World};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

const WRITER: &str = r#"cat >/dev/null
case "$FLIGHTDECK_CALL" in
opening) echo 'I propose to write every line anew, because the old ones say nothing that anybody needs.' ;;
summary) printf 'discussed: "The lines"\nagreed: "All anew"\nproposed:\n  - "Write them"\nhours: 1\nimpact: "none"\ndefer: none\n' ;;
implement) sed -i 's/^old/new/' "$(printf '%s' "$FLIGHTDECK_WORKTREES" | cut -d'"' -f4)/code.txt"; echo 'Done as agreed.' ;;
esac"#;

/// Agrees at once, and fails as a reviewer: the session stops where its diff can be read.
const PEER: &str = r#"cat >/dev/null
[ "$FLIGHTDECK_CALL" = peer ] || exit 1
printf -- '---\nturn: 1\nrole: peer\nagent_id: bo\ntimestamp: 2026-01-01T00:00:00Z\nconsensus: none\n---\n\n'
echo 'The old lines say nothing to us either, and I see no case that needs them.'
echo 'CONSENSUS: all lines are written anew'"#;

pub fn run(table: &mut Table) {
    let presses = if table.short { 30 } else { 200 };
    let sizes: &[usize] = if table.short { &[100, 10_000] } else { &[10, 100, 1000, 10_000] };
    let all: Vec<(usize, Measured)> = sizes.iter().map(|lines| (*lines, measure(*lines, presses))).collect();
    let (few, small) = all.iter().find(|(lines, _)| *lines == 100).unwrap();
    let (many, large) = all.last().unwrap();
    // Each line went and came.
    let lines = many * 2;
    table.row(
        "diff-open-ms",
        &format!("a diff of {lines} lines on screen, ms"),
        format!("{:.1} ms", ms(large.open)),
        format!("git diff {:.1} ms", ms(large.git)),
        ms(large.open),
    );
    table.ratio(
        "diff-scroll",
        &format!("key to first byte, p50, {lines} lines ÷ {}", few * 2),
        large.key,
        ("small", small.key),
    );
    let points: Vec<(usize, f64)> = all.iter().map(|(lines, m)| (lines * 2, ms(m.open))).collect();
    table.growth("growth-diff", "a diff on screen, ms by lines", &points);
    let points: Vec<(usize, f64)> = all.iter().map(|(lines, m)| (lines * 2, ms(m.key))).collect();
    table.growth("growth-diff-scroll", "key to first byte in it, p50, ms by lines", &points);
}

struct Measured {
    open: Duration,
    key: Duration,
    git: Duration,
}

fn measure(lines: usize, presses: usize) -> Measured {
    let world = World::new(1);
    implemented(&world, lines);
    let git = (0..5).map(|_| {
        let start = Instant::now();
        let trees = world.command("git", &["-C", "app", "diff", "HEAD~1", "HEAD"]).output().unwrap();
        assert!(trees.stdout.len() > lines * 4);
        start.elapsed()
    });
    let git = median(&git.collect::<Vec<_>>());
    let mut screen = world.screen(PROGRAM, &[]);
    screen.shows("write-every-line");
    let quiet = |screen: &mut crate::world::Screen| {
        screen.settle(Duration::from_millis(300), Duration::from_secs(5));
    };
    quiet(&mut screen);
    screen.keys("\r");
    screen.shows("bo");
    quiet(&mut screen);
    let mut open = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        screen.keys("P");
        open.push(screen.shows("new line 2").saturating_duration_since(start));
        quiet(&mut screen);
        if open.len() < 5 {
            screen.keys("\x1b");
            screen.until("the session again", |text| !text.contains("new line 2"));
            quiet(&mut screen);
        }
    }
    let key = median(&press(&mut screen, presses));
    screen.quit("q");
    Measured { open: median(&open), key, git }
}

/// A session that stands behind the edit of a file of so many lines.
fn implemented(world: &World, lines: usize) {
    let write = |name: &str, body: &str| {
        let path = world.root().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let (writer, peer) = (write("writer.sh", WRITER), write("peer.sh", PEER));
    let app = world.root().join("app");
    world.config(&format!(
        "writer: ada\npeers: [bo]\nvendors:\n  ada: {{kind: script, path: {writer}}}\n  bo: {{kind: script, path: {peer}}}\n\
         implementation:\n  reviewer: bo\n  repos:\n    app: {{path: {}, verify: [\"true\"]}}\n",
        app.display()
    ));
    std::fs::create_dir(&app).unwrap();
    let git = |args: &[&str]| {
        let identity = ["-C", "app", "-c", "user.name=Pilot", "-c", "user.email=pilot@example.invalid"];
        let ran = world.command("git", &[&identity[..], args].concat()).output().unwrap();
        assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    // What came before it is what `git diff` shows beside us: as many lines, all of them others.
    for word in ["before", "old"] {
        let text: String = (1..=lines).map(|n| format!("{word} line {n}\n")).collect();
        std::fs::write(app.join("code.txt"), text).unwrap();
        git(&["add", "code.txt"]);
        git(&["commit", "-q", "-m", word]);
    }
    let mut args = vec!["run", "--yes", "--close", "auto", "--reflection", "skip", "--decision", "B"];
    args.push("Write every line anew");
    let ran = world.command(PROGRAM, &args).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(3), "it waits for a word about the failed review: {said}");
}
