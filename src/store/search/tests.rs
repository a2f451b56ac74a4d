use super::*;
use std::fs;
use std::path::Path;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/DS-strategy/sessions");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

fn examples() -> Layout {
    Layout::new(EXAMPLES, "/nowhere")
}

fn all(layout: &Layout, query: &str, limit: usize) -> Vec<Hit> {
    let mut last = Batch::default();
    search(layout, &Query::parse(query), limit, &AtomicBool::new(false), &mut |batch| last = batch);
    assert!(last.done && last.scanned == last.total);
    for hit in &last.hits {
        let mut before = 0;
        for (start, end) in &hit.marks {
            assert!(
                before <= *start && start < end && hit.text.get(*start as usize..*end as usize).is_some()
            );
            before = *end;
        }
    }
    last.hits
}

fn places(hits: &[Hit]) -> Vec<String> {
    hits.iter().map(|h| format!("{}/{}:{}", &h.id.as_str()[11..13], h.file, h.line)).collect()
}

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn search_finds_reports_turns_escalations_closing_files_and_tasks() {
    let found = places(&all(&examples(), "restore", 50));
    for place in ["03/01-peer-codex.md:11", "03/escalation-00.md:5", "03/report.md:38"] {
        assert!(found.iter().any(|f| f == place), "{place} in {found:?}");
    }
    assert_eq!(
        places(&all(&examples(), "thumbnail store", 50))[0],
        "01/meta.yaml:28",
        "the task comes first"
    );
    assert!(all(&examples(), "claude-code", 99).iter().all(|h| h.file != "meta.yaml"));
}

#[test]
fn search_orders_by_words_then_place_then_date() {
    // The decision of the report before a turn that says the same.
    let found = all(&examples(), "adjustable protect", 50);
    assert_eq!(places(&found)[0], "01/report.md:31");
    let hit = &found[0];
    let marked: Vec<&str> = hit.marks.iter().map(|(a, b)| &hit.text[*a as usize..*b as usize]).collect();
    assert_eq!(marked, ["protect", "adjustable"]);
    let closing = all(&examples(), "rotation", 50);
    assert!(closing.iter().any(|h| h.file == "2026-08-24-02-agree-log-rotation-for.md"));
    // One word, the same place: the newest session first.
    let ids: Vec<String> = all(&examples(), "claude-code", 99).iter().map(|h| h.id.to_string()).collect();
    let first = |n: &str| ids.iter().position(|id| id.contains(n)).unwrap();
    assert!(first("-03-") < first("-01-"));
}

#[test]
fn search_the_limit_keeps_the_best() {
    let every = all(&examples(), "the", 10_000);
    assert!(every.len() > 40);
    for limit in [1, 2, 7, 33] {
        assert_eq!(all(&examples(), "the", limit), every[..limit]);
    }
    assert!(all(&examples(), "the", 0).is_empty() && all(&examples(), "", 9).is_empty());
}

#[test]
fn search_filters() {
    let ids = |query: &str| {
        let mut ids: Vec<String> =
            all(&examples(), query, 999).iter().map(|h| h.id.as_str()[11..13].to_string()).collect();
        ids.sort();
        ids.dedup();
        ids.join(" ")
    };
    assert_eq!(ids("the"), "01 02 03");
    assert_eq!(ids("the class:partial"), "02");
    assert_eq!(ids("the class:partial class:agreed"), "01 02");
    assert_eq!(ids("the vendor:kimi"), "03");
    assert_eq!(ids("the vendor:kimi-headless"), "03");
    assert_eq!(ids("the vendor:claude"), "01 02 03");
    assert_eq!(ids("the wp:wp-142"), "01");
    assert_eq!(ids("the wp:WP-14"), "");
    assert_eq!(ids("the since:2026-08-25"), "");
    assert_eq!(ids("the since:2026-08 until:2026-08"), "01 02 03");
    assert_eq!(ids("the until:2026-07-31"), "");
}

#[test]
fn search_old_flat_reports_and_russian_letters() {
    let old = Layout::new(format!("{FIXTURES}old/DS-strategy/sessions"), "/nowhere");
    assert!(!all(&old, "отчёт", 20).is_empty());
    assert_eq!(places(&all(&old, "отчет", 20)), places(&all(&old, "ОТЧЁТ", 20)));
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "2026-05/2026-05-30-release-notes.md",
        "# Итог\n\n## 4. Зафиксированное решение\nЕщё раз\n",
    );
    let hits = all(&Layout::new(dir.path(), "/nowhere"), "еще", 5);
    assert_eq!((hits[0].file.as_str(), hits[0].line), ("2026-05-30-release-notes.md", 4));
    assert!(hits[0].rank.place);
}

#[test]
fn search_hostile_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let base = "2026-08/24/2026-08-24-01-x";
    let long = [vec![b'a'; 3 << 20], "кэш".as_bytes().to_vec(), vec![b'b'; 3 << 20]].concat();
    write(
        dir.path(),
        &format!("{base}/00-writer.md"),
        b"\xff\xfe\xd0 needle\xd0 \x00\x1b]0;needle\r\nlast needle",
    );
    write(dir.path(), &format!("{base}/01-peer.md"), &long);
    write(dir.path(), &format!("{base}/02-writer.md"), "");
    write(dir.path(), &format!("{base}/.git/needle.md"), "needle");
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join(base).join("link.md")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.path().join(base).join("fifo.md")).status();
    assert!(made.unwrap().success());
    let layout = Layout::new(dir.path(), "/nowhere");
    let hits = all(&layout, "needle", 9);
    assert_eq!(places(&hits), ["01/00-writer.md:1", "01/00-writer.md:2"]);
    assert_eq!(hits[0].marks.len(), 2);
    let hits = all(&layout, "КЭШ", 9);
    assert!(hits[0].text.len() < 600 && hits[0].text.contains("кэш"));
    assert!(all(&layout, "root", 9).is_empty(), "links are not followed");
}

#[test]
fn search_can_be_cancelled() {
    let cancel = AtomicBool::new(true);
    let mut batches = Vec::new();
    search(&examples(), &Query::parse("the"), 9, &cancel, &mut |batch| batches.push(batch));
    assert!(batches.last().is_some_and(|b| b.done && b.scanned == 0 && b.hits.is_empty()));
}

#[test]
fn search_the_shelf_sees_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::new(dir.path(), "/nowhere");
    for n in 1..=30 {
        write(dir.path(), &format!("2026-08/24/2026-08-24-{n:02}-x/00-writer.md"), format!("needle {n}\n"));
    }
    for cap in [0, 100, CAP] {
        let shelf = Shelf::new(cap);
        let look = |word: &str| {
            let mut last = Batch::default();
            shelf.search(&layout, &Query::parse(word), 99, &AtomicBool::new(false), &mut |b| last = b);
            last.hits
        };
        assert_eq!(look("needle"), all(&layout, "needle", 99));
        assert_eq!(look("needle"), all(&layout, "needle", 99));
        write(dir.path(), "2026-08/24/2026-08-24-07-x/00-writer.md", "something else\n");
        write(dir.path(), "2026-08/24/2026-08-24-31-x/00-writer.md", "another needle\n");
        fs::remove_dir_all(dir.path().join("2026-08/24/2026-08-24-09-x")).unwrap();
        shelf.forget();
        assert_eq!(look("needle"), all(&layout, "needle", 99));
        assert_eq!(look("else").len(), 1);
        assert!(shelf.weight() <= cap && (cap < 1000 || shelf.weight() > 200), "{}", shelf.weight());
        fs::remove_dir_all(dir.path().join("2026-08/24/2026-08-24-31-x")).unwrap();
        write(dir.path(), "2026-08/24/2026-08-24-07-x/00-writer.md", "needle 7\n");
        write(dir.path(), "2026-08/24/2026-08-24-09-x/00-writer.md", "needle 9\n");
        shelf.empty();
        assert_eq!(shelf.weight(), 0);
        assert_eq!(look("needle"), all(&layout, "needle", 99));
    }
}
