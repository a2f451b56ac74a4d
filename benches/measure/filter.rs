//! How fast does `flightdeck filter DIR --list` say what an agent may get, beside `rg --files-without-match` with the
//! same patterns? Both are whole processes, by turns; each is taken at its best, since other work on the machine only
//! ever adds time. The files are in the system's cache for both. And how fast is the copy that an agent gets, beside the
//! reference's filter, which makes the same copy?

use crate::random::Random;
use crate::reference;
use crate::table::{Table, ms};
use crate::world::{PROGRAM, has};
use flightdeck::agents::privacy::copy::filtered_copy;
use flightdeck::agents::privacy::pii;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Prose, code and addresses, with much that begins like a secret and is none.
const WORDS: &str = "the disk-cache segment task-list holds https://docs.example.org/a 2026-08-24 10:22:31 key: fn \
    main() y::z(); 127.0.0.1:8080 сессия напарник отказе Major // sk-1 1234567890 e.g. Bearer redis: measured";

pub fn run(table: &mut Table) {
    beside_rg(table);
    beside_reference(table);
    let sizes: &[usize] = if table.short { &[10, 1000] } else { &[10, 100, 1000, 10_000] };
    let points: Vec<(usize, f64)> = sizes
        .iter()
        .map(|files| {
            let folder = tempfile::tempdir().unwrap();
            let clean = make(&folder.path().join("tree"), *files, 12 << 10, true);
            let times = (0..if table.short { 3 } else { 7 }).map(|_| {
                let (time, passed) = timed(PROGRAM, &["filter", "tree", "--list"], folder.path());
                assert_eq!(passed, clean);
                time
            });
            (*files, ms(times.min().unwrap()))
        })
        .collect();
    table.growth("growth-filter", "filter, ms by files of 12 kB", &points);
}

/// A directory without a secret, so that both go through all of it.
fn beside_reference(table: &mut Table) {
    // As many and as much as a copy may hold.
    let (files, megabytes) = if table.short { (500, 10) } else { (5_000, 95) };
    let what = format!("copy of {files} files, {megabytes} MB ÷ the reference's filter");
    let filter = match reference::file("scripts/peer-adapter-filter.py") {
        Ok(filter) => filter,
        Err(why) => return table.missing("filter-reference", &what, &why),
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    make(&at("tree"), files, (megabytes << 20) / files, false);
    fs::write(at("ignore"), "").unwrap();
    fs::create_dir(at("theirs")).unwrap();
    let start = Instant::now();
    let mut command = Command::new("python3");
    command.arg(filter).env("SRC_DIR", at("tree")).env("DST_DIR", at("theirs"));
    let ran = command.env("AGENTIGORE_FILE", at("ignore")).stdout(Stdio::null()).output().unwrap();
    let theirs = start.elapsed();
    assert!(ran.status.success(), "the reference's filter: {}", String::from_utf8_lossy(&ran.stderr));
    let ours = (0..3).map(|run| {
        let start = Instant::now();
        filtered_copy(&at("tree"), &at(&format!("ours-{run}"))).expect("a copy");
        start.elapsed()
    });
    let ours = ours.min().unwrap();
    assert_eq!(count(&at("ours-0")), files, "ours");
    assert_eq!(count(&at("theirs")), files, "theirs");
    table.ratio("filter-reference", &what, ours, ("python", theirs));
}

fn count(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
}

fn beside_rg(table: &mut Table) {
    let (files, megabytes, runs) = if table.short { (500, 12, 3) } else { (5_000, 120, 7) };
    let what = format!("filter of {files} files, {megabytes} MB ÷ rg with the same patterns");
    if !has("rg") {
        return table.missing("filter-rg", &what, "no rg");
    }
    let folder = tempfile::tempdir().unwrap();
    let clean = make(&folder.path().join("tree"), files, (megabytes << 20) / files, true);
    let patterns: Vec<&str> = pii::patterns().collect();
    fs::write(folder.path().join("patterns"), patterns.join("\n")).unwrap();
    let rg = ["--files-without-match", "-a", "--hidden", "--no-ignore", "-f", "patterns", "tree"];
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    for _ in 0..runs {
        for (program, args, best) in
            [(PROGRAM, &["filter", "tree", "--list"][..], &mut ours), ("rg", &rg, &mut theirs)]
        {
            let (time, passed) = timed(program, args, folder.path());
            assert_eq!(passed, clean, "{program} lets through another number of files");
            *best = time.min(*best);
        }
    }
    table.ratio("filter-rg", &what, ours, ("rg", theirs));
}

/// How long the program took, and how many lines it printed.
fn timed(program: &str, args: &[&str], at: &Path) -> (Duration, usize) {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(args).current_dir(at).env("HOME", at).stderr(Stdio::null());
    let output = command.output().unwrap();
    (start.elapsed(), output.stdout.iter().filter(|b| **b == b'\n').count())
}

/// How many files are clean; with `secrets` one of a hundred is not.
fn make(root: &Path, files: usize, bytes: usize, secrets: bool) -> usize {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = Random::new();
    for n in 0..files {
        let dir = root.join(format!("{}/{}", n % 37, n % 11));
        fs::create_dir_all(&dir).unwrap();
        let mut text = String::new();
        let mut secret = secrets && n % 100 == 7;
        while text.len() < bytes {
            for _ in 0..10 {
                text.push_str(words[random.below(words.len())]);
                text.push(' ');
            }
            text.push('\n');
            if secret && text.len() > bytes / 2 {
                text.push_str(&format!("token ghp_{}\n", "x9".repeat(18)));
                secret = false;
            }
        }
        fs::write(dir.join(format!("{n}.md")), text).unwrap();
    }
    files - (0..files).filter(|n| secrets && n % 100 == 7).count()
}
