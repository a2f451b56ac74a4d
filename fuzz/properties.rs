//! What must hold for any bytes that come from outside: from agents, from files that people and scripts edit, from
//! settings. The fuzz targets and a test of the suite (`tests/suite/fuzzed.rs`) run the same functions.

use flightdeck::agents::acp;
use flightdeck::agents::call::Progress;
use flightdeck::agents::registry::Native;
use flightdeck::agents::stream::{Stream, cause, mark};
use flightdeck::domain::lang::Lang;
use flightdeck::domain::session::claim::claims;
use flightdeck::domain::session::clean::judge_pass;
use flightdeck::domain::session::id::SessionId;
use flightdeck::domain::session::marker::{markers, prose, without_markers};
use flightdeck::domain::session::meta::{Meta, ResultClass, Status};
use flightdeck::domain::session::pipeline::change::{ChangeKind, Edit, FileChange, Hunk, ReservedEdit, Tree};
use flightdeck::domain::session::pipeline::finding::{self, Severity};
use flightdeck::domain::session::pipeline::{announce, change};
use flightdeck::domain::session::turn::TurnName;
use flightdeck::domain::time::Stamp;
use flightdeck::engine::wire::{Ask, Patch, Tell};
use flightdeck::git::hunk;
use flightdeck::store::report::{self, EngineHead};
use flightdeck::store::verify::{VerifyInput, verify as check};
use flightdeck::store::{escalation as question, frontmatter as head, index as rows, meta as head_file};
use flightdeck::ui::keymap::Keymap;
use flightdeck::ui::markdown::{self, Marks, paint};
use flightdeck::ui::model::pipeline::doc::{Doc, Kind, NONE};
use flightdeck::ui::text as screen;
use flightdeck::ui::theme::{Colours, Theme};
use flightdeck::ui::view::pipeline::flow::Flow;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// A target: its name, which is that of its corpus, and what it runs.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: [Target; 18] = [
    ("frontmatter", frontmatter),
    ("meta", meta),
    ("index", index),
    ("escalation", escalation),
    ("markers", marker_lines),
    ("report", reports),
    ("verify", verify),
    ("stream", stream),
    ("acp", acp_lines),
    ("wire", wire),
    ("keymap", keymap),
    ("theme", theme),
    ("config", config),
    ("text", text),
    ("markdown", markdown_pages),
    ("diff", diff),
    ("findings", findings),
    ("announcements", announcements),
];

fn lossy(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

fn id() -> SessionId {
    SessionId::parse("2026-08-24-01-fuzzed").expect("an id")
}

/// A turn keeps its text, and the body is its end.
pub fn frontmatter(data: &[u8]) {
    let text = lossy(data);
    if let Some((inside, at)) = head::split(&text) {
        assert!(text.is_char_boundary(at) && text[..at].contains(inside));
    }
    let name = TurnName::parse("01-peer-codex.md").expect("a name");
    let turn = head::turn(name, text.clone());
    assert!(text.ends_with(turn.body()));
}

/// What is read and written back unchanged is the same file, and a changed value is read back as it was set.
pub fn meta(data: &[u8]) {
    let text = lossy(data);
    head_file::check(&text);
    let (Some(found), _) = head_file::parse(&text, Some(&id())) else { return };
    assert_eq!(head_file::edit(&text, &found), text, "unchanged");
    let mut changed = found.clone();
    changed.turns_count = found.turns_count.wrapping_add(1) % 1000;
    changed.status = if found.status == Status::Started { Status::Completed } else { Status::Started };
    let edited = head_file::edit(&text, &changed);
    let (again, _) = head_file::parse(&edited, Some(&id()));
    let again = again.expect("it is still a meta.yaml");
    assert_eq!((again.turns_count, again.status), (changed.turns_count, changed.status), "{edited}");
    if let Some(known) = head_file::edit_known(&text, &found, &changed) {
        let (known, _) = head_file::parse(&known, Some(&id()));
        assert_eq!(known.map(|m| (m.turns_count, m.status)), Some((changed.turns_count, changed.status)));
    }
}

/// One row changes, and every other line stays.
pub fn index(data: &[u8]) {
    let text = lossy(data);
    rows::rows(&text);
    let row = rows::Row::started(&Meta::new(id(), "a | task\nof two lines"));
    let (with, _) = rows::upsert(&text, &row);
    assert_eq!(rows::count(&with, &id()), 1, "{with}");
    assert_eq!(rows::row_of(&with, &id()).map(|row| row.status).as_deref(), Some("started"), "{with}");
    let (twice, several) = rows::upsert(&with, &row);
    assert_eq!((twice.as_str(), several), (with.as_str(), false), "again changes nothing");
    let closed = rows::set_status(&with, &id(), Status::Completed, "—").expect("it has a row");
    assert_eq!(rows::row_of(&closed, &id()).map(|row| row.status).as_deref(), Some("completed"), "{closed}");
    for line in text.lines().filter(|line| !line.contains("fuzzed")) {
        assert!(with.contains(line) && closed.contains(line), "lost: {line}");
    }
}

/// An answer that is written into a file is found there.
pub fn escalation(data: &[u8]) {
    let text = lossy(data);
    question::parse(&text, 0);
    let answered = question::with_answer(&text, "Two gigabytes.");
    let (file, _) = question::parse(&answered, 0);
    assert!(!file.is_open(), "{answered}");
}

pub fn marker_lines(data: &[u8]) {
    let text = lossy(data);
    let _ = markers(&text);
    let plain = without_markers(&text);
    assert!(plain.len() <= text.len() + 1);
    for (_, line) in prose(&text) {
        assert!(text.contains(line));
    }
    let _ = (claims(&text), judge_pass(&text), cause::of(Some(429), &text));
    let _ = mark::between(&text, mark::Marks::Both, "hermes");
}

/// A report keeps its shape when it is finished, and finishing twice changes nothing.
pub fn reports(data: &[u8]) {
    let text = lossy(data);
    let _ = (report::is_stub(&text), report::first_decision(&text), report::linked_files(&text));
    let _ = (report::strip_fence(&text), report::scalar(&text));
    let now = Stamp::parse("2026-08-24T10:00:00Z").expect("a time");
    let engine = EngineHead::of(&Meta::new(id(), "a task"), ResultClass::Agreed, now);
    let finished = report::finish(&text, &engine);
    assert!(head::read(&finished).is_ok(), "{finished}");
    let fresh =
        |text: &str| report::refresh(text, 5, 1, ResultClass::Partial, &["## Extension, one\n\nmore".into()]);
    let once = fresh(&finished);
    assert_eq!(fresh(&once), once, "again changes nothing");
}

pub fn verify(data: &[u8]) {
    let text = lossy(data);
    let files: Vec<String> = ["00-writer.md", "01-peer.md", "meta.yaml"].map(String::from).to_vec();
    let meta = Meta::new(id(), "a task");
    let input =
        VerifyInput { report: &text, meta: &meta, files: &files, turn_files: &files[..2], exists: &|_| true };
    check(&input);
}

/// Pieces of any size give what the whole gives. The first byte chooses the vendor, the second the size.
pub fn stream(data: &[u8]) {
    const ALL: [Native; 7] = [
        Native::Claude,
        Native::Codex,
        Native::Gemini,
        Native::Opencode,
        Native::Kimi,
        Native::KimiCode,
        Native::Hermes,
    ];
    let [vendor, size, rest @ ..] = data else { return };
    let native = ALL[usize::from(*vendor) % ALL.len()];
    let play = |size: usize| {
        let mut stream = Stream::new(native, false);
        let shown: Vec<Progress> = rest.chunks(size.max(1)).flat_map(|piece| stream.feed(piece)).collect();
        let shown: String =
            shown.iter().map(|p| if let Progress::Text(text) = p { text.as_str() } else { "" }).collect();
        let _ = (stream.is_done(), stream.wants_stop());
        stream.usage_file(lossy(rest));
        (shown, stream.end(ExitStatus::from_raw(0), "a line of stderr"))
    };
    assert_eq!(play(usize::from(*size)), play(rest.len()), "{native:?}");
}

/// A conversation ends when its agent has said all, whatever that was.
pub fn acp_lines(data: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (mut lines, incoming) = acp::lines();
    lines.feed(data);
    lines.close();
    let (outgoing, _sent) = tokio::sync::mpsc::unbounded_channel();
    let ask = acp::Ask { prompt: "say".into(), conversation: None, cwd: "/".into(), leave: None };
    let _ = runtime.block_on(acp::converse(ask, incoming, outgoing, &|_| ()));
}

/// What passes between a screen and its engine.
pub fn wire(data: &[u8]) {
    if let Ok(ask) = serde_json::from_slice::<Ask>(data) {
        let again = serde_json::to_vec(&ask).expect("it is written");
        assert_eq!(serde_json::from_slice::<Ask>(&again).expect("and read"), ask);
    }
    if let Ok(tell) = serde_json::from_slice::<Tell>(data) {
        serde_json::to_vec(&tell).expect("it is written");
    }
}

pub fn keymap(data: &[u8]) {
    let _ = Keymap::read(&lossy(data), "fuzzed");
}

pub fn theme(data: &[u8]) {
    for colours in [Colours::True, Colours::None] {
        let _ = Theme::read(&lossy(data), "fuzzed", colours);
    }
}

pub fn config(data: &[u8]) {
    let _ = flightdeck::config::file::parse(&lossy(data));
}

/// Nothing that acts or hides reaches a screen, and no line is wider than its place.
pub fn text(data: &[u8]) {
    let text = lossy(data);
    let safe = screen::sanitize(&text);
    assert!(!safe.chars().any(|c| c.is_control() && c != '\n'), "{safe:?}");
    assert!(!safe.contains(['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200b}']), "{safe:?}");
    assert_eq!(screen::sanitize(&safe), safe, "twice changes nothing");
    let width = usize::from(data.first().copied().unwrap_or(20)) % 90;
    for line in screen::wrap(&text, width) {
        assert!(wide(&line) <= width.max(1), "{width}: {line:?}");
    }
    let line = screen::one_line(&text, width);
    assert!(wide(&line) <= width && !line.contains('\n'), "{width}: {line:?}");
}

/// As the screen counts: grapheme by grapheme.
fn wide(line: &str) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    use unicode_width::UnicodeWidthStr;
    line.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// A page is laid out at any width, and its rows are as wide as they say.
pub fn markdown_pages(data: &[u8]) {
    let text = lossy(data);
    let width = usize::from(data.first().copied().unwrap_or(80)) % 120 + 1;
    let document = markdown::parse(&text);
    let marks = Marks::new(&["the".into()]);
    for row in document.rows(width, &BTreeSet::new()) {
        assert!(row.line as usize <= text.lines().count() + 1);
        let painted = paint(&row, &marks, None, &|_| ratatui::style::Style::default());
        let safe: String = painted.spans.iter().map(|span| span.content.as_ref()).collect();
        assert!(!safe.chars().any(char::is_control), "{safe:?}");
    }
    let folded: BTreeSet<usize> = (0..document.headings.len()).collect();
    document.rows(width, &folded);
}

/// Two texts that an agent left, and a diff that somebody says is between them. The first byte is a width, and the first
/// NUL divides the texts.
pub fn diff(data: &[u8]) {
    let Some((width, rest)) = data.split_first() else { return };
    let (before, after) = rest.split_at(rest.iter().position(|b| *b == 0).unwrap_or(rest.len()));
    let (before, after) = (lossy(before), lossy(after.get(1..).unwrap_or_default()));
    let found = hunk::hunks(&before, &after);
    assert_eq!(hunk::apply(&before, &found, |_| true), after, "all of it");
    assert_eq!(hunk::apply(&before, &found, |_| false), before, "nothing of it");
    let hunks: Vec<Hunk> = found
        .into_iter()
        .map(|h| Hunk {
            old_start: h.old_start,
            old: h.old_lines,
            new_start: h.new_start,
            new: h.new_lines,
            around: String::new(),
        })
        .collect();
    let of = hunks.len();
    let (repo, path) = (String::from("app"), String::from("a.md"));
    let reserved =
        ReservedEdit { repo: repo.clone(), path: path.clone(), before: "1".into(), after: "2".into(), hunks };
    // The screen gets the text from elsewhere: whatever it says, every change is shown to be decided on, once.
    for text in [before, after] {
        let patch = Patch {
            repo: repo.clone(),
            path: path.clone(),
            kind: ChangeKind::Modified,
            added: 1,
            removed: 1,
            binary: false,
            text,
        };
        let doc = Doc::new(vec![patch], std::slice::from_ref(&reserved), 1, false, 1);
        assert_eq!(doc.rows.iter().filter(|row| row.kind == Kind::Gate).count(), of, "every change once");
        assert_eq!(doc.gates.len(), of);
        for (n, row) in doc.rows.iter().enumerate() {
            let _ = (doc.text(row), doc.question(n), doc.end(n));
            assert!(row.pair == NONE || doc.rows[row.pair as usize].pair == n as u32, "a pair is mutual");
            if let Some(place) = doc.place(n) {
                assert!(doc.row_at(&place).is_some());
            }
        }
        for side in [false, true] {
            let mut flow = Flow::default();
            flow.take(&doc, u16::from(*width), side);
            for row in 0..doc.rows.len() {
                let (top, lines) = flow.place(row);
                assert!(lines > 0 && top + lines <= flow.total());
                assert!(flow.moved(row, 1, doc.rows.len()) < doc.rows.len());
            }
        }
    }
}

/// What a reviewer said. A finding is one line, and found again in the next review that says the same.
pub fn findings(data: &[u8]) {
    let text = lossy(data);
    let review = finding::read(1, &text);
    assert!(review.usable || review.findings.is_empty());
    let total: usize = Severity::ALL.iter().map(|s| review.count(*s)).sum();
    assert_eq!(total, review.findings.len());
    for found in &review.findings {
        assert!(found.is_same(found));
        assert!(!found.line().contains('\n'), "{found:?}");
        let again = finding::read(2, &format!("## {}\n- {}\n", found.severity.key(), found.line()));
        assert!(again.findings.len() <= 1 && again.findings.iter().all(|f| f.severity == found.severity));
    }
}

/// What an agent says it changed, against files whose names it chose. The announcement keeps its four lines.
pub fn announcements(data: &[u8]) {
    let text = lossy(data);
    let (report, names) = text.split_once('\0').unwrap_or((&text, ""));
    let file = |path: &str| FileChange {
        repo: "app".into(),
        path: path.into(),
        kind: ChangeKind::Modified,
        before: "1".into(),
        after: "2".into(),
        before_mode: 0o100_644,
        after_mode: 0o100_644,
        added: 1,
        removed: 1,
        binary: false,
        says: String::new(),
    };
    let tree = Tree {
        name: "app".into(),
        real: "/r/app".into(),
        path: "/w/app".into(),
        branch: String::new(),
        base: String::new(),
        git: true,
    };
    let mut files: Vec<FileChange> = names.split('\0').filter(|name| !name.is_empty()).map(file).collect();
    let claims = change::claims(report).unwrap_or_default();
    assert!(
        claims.iter().all(|(path, what)| !path.is_empty() && !path.contains('\n') && !what.contains('\n'))
    );
    let (missing, unclaimed) = change::compare(&claims, &mut files, std::slice::from_ref(&tree));
    assert!(missing.len() <= claims.len() && unclaimed.len() <= files.len());
    let edit = Edit {
        number: 1,
        files,
        trees: Vec::new(),
        reserved: Vec::new(),
        missing,
        unclaimed,
        reviews: 0,
        verifies: 0,
        pinpoint: false,
    };
    for lang in [Lang::En, Lang::Ru] {
        let said = announce::text(lang, "2026-08-24-01-fuzzed", &edit, std::slice::from_ref(&tree));
        assert_eq!(said.split('\n').count(), 4, "{said:?}");
    }
    let labels = announce::fresh(&edit, &[]);
    assert!(announce::fresh(&edit, &labels).is_empty());
}
