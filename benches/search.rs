//! How fast is the search, beside `rg -i` (or `grep -ri` where there is none) on the same tree?
//!
//! `cargo bench --bench search [-- SESSIONS [MEGABYTES]]`, 10,000 sessions of 200 MB unless told. The tree is made in
//! a temporary folder from a fixed seed. Every figure is the best of several runs, since other work on the machine
//! only ever adds time. Cold means: nothing in this program's memory; the files are in the system's cache for both.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark is a program of its own"
)]

use flightdeck::store::layout::Layout;
use flightdeck::store::search::{Batch, CAP, Query, Shelf, search};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const RUNS: usize = 5;

/// A rare word, a frequent one, Russian ones with a letter that folds, a word that is nowhere.
const WORDS: [&str; 5] = ["needle", "retry", "отчёт", "вытеснение", "nowhere"];

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let (sessions, megabytes) = (numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(200));
    let folder = std::env::temp_dir().join(format!("flightdeck-bench-{}", std::process::id()));
    let root = folder.join("sessions");
    let size = make(&root, sessions, (megabytes << 20) / sessions.max(1));
    println!("{sessions} sessions, {} MB", size >> 20);
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7}",
        "word", "rg/grep", "cold", "checked", "warm", "cold", "checked", "warm"
    );
    let layout = Layout::new(&root, &folder);
    let none = AtomicBool::new(false);
    let shelf = Shelf::new(CAP);
    let warm = |word: &str| {
        let mut last = Batch::default();
        let start = Instant::now();
        shelf.search(&layout, &Query::parse(word), 200, &none, &mut |batch| last = batch);
        (start.elapsed(), last.hits.len())
    };
    warm("fill the shelf");
    for word in WORDS {
        let other = best(|| reference(&root, word));
        let cold = best(|| {
            let start = Instant::now();
            search(&layout, &Query::parse(word), 200, &none, &mut |_| {});
            start.elapsed()
        });
        let checked = best(|| {
            shelf.forget();
            warm(word).0
        });
        let memory = best(|| warm(word).0);
        let ratio = |time: Duration| time.as_secs_f64() / other.as_secs_f64();
        println!(
            "{word:<12} {other:>9.1?} {cold:>9.1?} {checked:>9.1?} {memory:>9.1?} {:>6.2}× {:>6.2}× {:>6.2}×",
            ratio(cold),
            ratio(checked),
            ratio(memory)
        );
    }
    let _ = fs::remove_dir_all(&folder);
}

fn best(mut run: impl FnMut() -> Duration) -> Duration {
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}

/// `rg` without ignore files, which is its faster way and finds the same.
fn reference(root: &Path, word: &str) -> Duration {
    let command = |program: &str, flags: &[&str]| {
        let start = Instant::now();
        let run = Command::new(program).args(flags).arg(word).arg(root).stdout(Stdio::piped()).output();
        run.ok().map(|_| start.elapsed())
    };
    command("rg", &["-i", "-n", "--no-ignore", "--no-heading", "-j2"])
        .or_else(|| command("grep", &["-rin"]))
        .unwrap_or(Duration::MAX)
}

/// Eight files a session, each some paragraphs of English or Russian words.
fn make(root: &Path, sessions: usize, bytes: usize) -> usize {
    const EN: [&str; 24] = [
        "the",
        "cache",
        "segment",
        "writer",
        "holds",
        "that",
        "two",
        "hits",
        "are",
        "needed",
        "before",
        "promotion",
        "under",
        "load",
        "timeout",
        "of",
        "client",
        "and",
        "server",
        "rotation",
        "policy",
        "a",
        "measured",
        "limit",
    ];
    const RU: [&str; 20] = [
        "сессия",
        "кэш",
        "писатель",
        "и",
        "напарник",
        "не",
        "согласен",
        "потому",
        "что",
        "нагрузка",
        "растёт",
        "при",
        "отказе",
        "клиента",
        "решение",
        "предлагаю",
        "лимит",
        "очередь",
        "ещё",
        "раз",
    ];
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let mut size = 0;
    for n in 0..sessions {
        let (year, month, day, number) = (2023 + n / 3650, 1 + n / 304 % 12, 1 + n / 12 % 25, n % 12 + 1);
        let id = format!("{year}-{month:02}-{day:02}-{number:02}-session-{n}");
        let dir = root.join(format!("{year}-{month:02}/{day:02}/{id}"));
        if fs::create_dir_all(&dir).is_err() {
            continue;
        }
        let files = [
            "00-writer.md",
            "01-peer-codex.md",
            "01-peer-kimi.md",
            "01-writer.md",
            "02-peer-codex.md",
            "02-peer-kimi.md",
            "report.md",
        ];
        for (index, file) in files.iter().enumerate() {
            let mut text = String::from("---\nturn: 1\nrole: peer\nagent_id: codex\n---\n\n");
            let words: &[&str] = if n % 3 == 0 { &RU } else { &EN };
            while text.len() < bytes / files.len() {
                for _ in 0..12 {
                    let word = match random(4000) {
                        0..2 => "retry",
                        2 => "вытеснение",
                        3 if index == 6 => "Отчёт",
                        _ => words[random(words.len())],
                    };
                    let _ = write!(text, "{word} ");
                }
                text.push('\n');
            }
            if n % 500 == 7 && index == 3 {
                text.push_str("a Needle in it\n");
            }
            size += text.len();
            let _ = fs::write(dir.join(file), text);
        }
        let meta = format!(
            "session_id: \"{id}\"\nstatus: \"completed\"\npeer_agent: \"codex\"\ntask_description: \"Task {n}\"\n"
        );
        let _ = fs::write(dir.join("meta.yaml"), meta);
    }
    size
}
