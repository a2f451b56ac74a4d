//! How fast does `flightdeck filter DIR --list` say what an agent may get, beside `rg --files-without-match` with the
//! same patterns? Both are whole processes, by turns; each is taken at its best, since other work on the machine only
//! ever adds time. The files are in the system's cache for both.

use crate::random::Random;
use crate::table::Table;
use crate::world::{PROGRAM, has};
use flightdeck::agents::privacy::pii;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Prose, code and addresses, with much that begins like a secret and is none.
const WORDS: &str = "the disk-cache segment task-list holds https://docs.example.org/a 2026-08-24 10:22:31 key: fn \
    main() y::z(); 127.0.0.1:8080 сессия напарник отказе Major // sk-1 1234567890 e.g. Bearer redis: measured";

pub fn run(table: &mut Table) {
    let (files, megabytes, runs) = if table.short { (500, 12, 3) } else { (5_000, 120, 7) };
    let what = format!("filter of {files} files, {megabytes} MB ÷ rg with the same patterns");
    if !has("rg") {
        return table.missing("filter-rg", &what, "no rg");
    }
    let folder = tempfile::tempdir().unwrap();
    let clean = make(&folder.path().join("tree"), files, (megabytes << 20) / files);
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

/// How many files are clean; one of a hundred has a secret.
fn make(root: &Path, files: usize, bytes: usize) -> usize {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = Random::new();
    for n in 0..files {
        let dir = root.join(format!("{}/{}", n % 37, n % 11));
        fs::create_dir_all(&dir).unwrap();
        let mut text = String::new();
        let mut secret = n % 100 == 7;
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
    files - (0..files).filter(|n| n % 100 == 7).count()
}
