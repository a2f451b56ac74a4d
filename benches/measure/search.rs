//! How fast is the search, beside `rg -i` on the same tree? The tree is made from a fixed seed. Cold means: nothing in
//! this program's memory; the files are in the system's cache for both. Warm is what searching as you type does.

use crate::random::Random;
use crate::table::{Table, median, ms};
use flightdeck::domain::query::Query;
use flightdeck::store::layout::Layout;
use flightdeck::store::search::{Batch, CAP, Shelf, search};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A rare word, a frequent one, Russian ones with a letter that folds, a word that is nowhere.
const WORDS: [&str; 5] = ["needle", "retry", "отчёт", "вытеснение", "nowhere"];

pub fn run(table: &mut Table) {
    let sizes: &[usize] = if table.short { &[100, 1000] } else { &[10, 100, 1000, 10_000] };
    let runs = if table.short { 3 } else { 5 };
    let (mut points, mut warm_points) = (Vec::new(), Vec::new());
    for size in sizes {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("sessions");
        make(&root, *size, 20 << 10);
        let layout = Layout::new(&root, temp.path());
        let none = AtomicBool::new(false);
        let shelf = Shelf::new(CAP);
        let warm = |word: &str| {
            let start = Instant::now();
            shelf.search(&layout, &Query::parse(word), 200, &none, &mut |_: Batch| {});
            start.elapsed()
        };
        warm("fill the shelf");
        let (mut cold, mut memory, mut other) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        for word in WORDS {
            cold += median(&repeat(runs, || {
                let start = Instant::now();
                search(&layout, &Query::parse(word), 200, &none, &mut |_| {});
                start.elapsed()
            }));
            memory += median(&repeat(runs, || warm(word)));
            other += reference(&root, word, runs).unwrap_or_default();
        }
        points.push((*size, ms(cold) / WORDS.len() as f64));
        warm_points.push((*size, ms(memory) / WORDS.len() as f64));
        if size == sizes.last().unwrap() {
            let (what_cold, what_warm) = (
                format!("search of {size} sessions, cold ÷ rg -i"),
                format!("search of {size} sessions, as you type ÷ rg -i"),
            );
            if other.is_zero() {
                table.missing("search-cold", &what_cold, "no rg");
                table.missing("search-warm", &what_warm, "no rg");
            } else {
                table.ratio("search-cold", &what_cold, cold / 5, ("rg", other / 5));
                table.ratio("search-warm", &what_warm, memory / 5, ("rg", other / 5));
            }
        }
    }
    table.growth("growth-search", "search cold, ms by sessions", &points);
    table.growth("growth-search-warm", "search as you type, ms by sessions", &warm_points);
}

fn repeat(runs: usize, mut run: impl FnMut() -> Duration) -> Vec<Duration> {
    (0..runs).map(|_| run()).collect()
}

/// `rg` without ignore files, which is its faster way and finds the same.
fn reference(root: &Path, word: &str, runs: usize) -> Option<Duration> {
    let times: Vec<Duration> = (0..runs)
        .filter_map(|_| {
            let start = Instant::now();
            let flags = ["-i", "-n", "--no-ignore", "--no-heading", "-j2"];
            Command::new("rg").args(flags).arg(word).arg(root).stdout(Stdio::piped()).output().ok()?;
            Some(start.elapsed())
        })
        .collect();
    (!times.is_empty()).then(|| median(&times))
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
    let mut random = Random::new();
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
                    let word = match random.below(4000) {
                        0..2 => "retry",
                        2 => "вытеснение",
                        3 if index == 6 => "Отчёт",
                        _ => words[random.below(words.len())],
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
