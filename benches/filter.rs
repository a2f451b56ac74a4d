//! How fast is `flightdeck filter DIR --list`, beside `rg --files-without-match` (or `grep -L`) with the same patterns?
//!
//! `cargo bench --bench filter [-- FILES [MEGABYTES]]`, 5,000 files of 120 MB unless told. The tree is made in a
//! temporary folder from a fixed seed. Both are whole processes, by turns; every figure is the best of several runs,
//! since other work on the machine only ever adds time. The files are in the system's cache for both.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark is a program of its own"
)]

use flightdeck::agents::privacy::pii;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 9;

/// Prose, code and addresses, with much that begins like a secret and is none.
const WORDS: [&str; 24] = [
    "the",
    "disk-cache",
    "segment",
    "task-list",
    "holds",
    "https://docs.example.org/a",
    "2026-08-24",
    "10:22:31",
    "key:",
    "fn",
    "main()",
    "y::z();",
    "127.0.0.1:8080",
    "сессия",
    "напарник",
    "отказе",
    "Major",
    "// why",
    "sk-1",
    "1234567890",
    "e.g.",
    "Bearer",
    "redis:",
    "measured",
];

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let (files, megabytes) = (numbers.next().unwrap_or(5_000), numbers.next().unwrap_or(120));
    let folder = std::env::temp_dir().join(format!("flightdeck-bench-{}", std::process::id()));
    let secrets = make(&folder.join("tree"), files, (megabytes << 20) / files.max(1));
    let patterns: Vec<&str> = pii::patterns().collect();
    fs::write(folder.join("patterns"), patterns.join("\n")).unwrap();
    println!("{files} files, {megabytes} MB, {secrets} with a secret");
    let (mut ours, mut theirs) = ((Duration::MAX, 0), (Duration::MAX, 0));
    for _ in 0..RUNS {
        ours = ours.min(timed(env!("CARGO_BIN_EXE_flightdeck"), &["filter", "tree", "--list"], &folder));
        let rg = ["--files-without-match", "-a", "--hidden", "--no-ignore", "-f", "patterns", "tree"];
        let other = timed("rg", &rg, &folder);
        let other = if other.1 > 0 { other } else { timed("grep", &["-rLaEf", "patterns", "tree"], &folder) };
        theirs = theirs.min(other);
    }
    println!("{:<12} {:>9.1?}  {} files pass", "filter", ours.0, ours.1);
    println!("{:<12} {:>9.1?}  {} files without a match", "rg/grep", theirs.0, theirs.1);
    println!("{:<12} {:>8.2}×", "", ours.0.as_secs_f64() / theirs.0.as_secs_f64());
    let _ = fs::remove_dir_all(&folder);
}

/// How long the program took, and how many lines it printed; no line when it is not there.
fn timed(program: &str, args: &[&str], at: &Path) -> (Duration, usize) {
    let start = Instant::now();
    let run = Command::new(program).args(args).current_dir(at).env("HOME", at).stderr(Stdio::null()).output();
    let lines = run.map_or(0, |run| run.stdout.iter().filter(|b| **b == b'\n').count());
    (start.elapsed(), lines)
}

/// How many files have a secret.
fn make(root: &Path, files: usize, bytes: usize) -> usize {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let mut secrets = 0;
    for n in 0..files {
        let dir = root.join(format!("{}/{}", n % 37, n % 11));
        fs::create_dir_all(&dir).unwrap();
        let mut text = String::new();
        while text.len() < bytes {
            for _ in 0..10 {
                text.push_str(WORDS[random(WORDS.len())]);
                text.push(' ');
            }
            text.push('\n');
            if n % 100 == 7 && text.len() > bytes / 2 {
                text.push_str(&format!("token ghp_{}\n", "x9".repeat(18)));
            }
        }
        secrets += usize::from(n % 100 == 7);
        fs::write(dir.join(format!("{n}.md")), text).unwrap();
    }
    secrets
}
