use super::*;
use crate::domain::lang::Lang;
use crate::domain::session::meta::Decision as Chosen;
use crate::domain::session::pipeline::change::{ChangeKind, Edit, FileChange, Hunk, ReservedEdit, Tree};
use crate::domain::session::pipeline::content::{Decision, Mark, Record};
use crate::domain::session::pipeline::finding::read;
use crate::domain::session::pipeline::track::{Deployed, Track};
use crate::domain::session::pipeline::verdict::{Verdict, Verification};
use crate::domain::session::state::{ReportState, Session};
use crate::engine::questions::standing;
use crate::engine::wire::{Patch, Tell};
use crate::ui::model::Model;
use crate::ui::model::tests::{HOSTILE, at_gate, hear, id, model, now, view_of};
use crate::ui::update::{act, open};

fn tree(name: &str) -> Tree {
    Tree {
        name: name.into(),
        real: format!("/home/ada/{name}"),
        path: format!("/run/trees/{name}"),
        branch: "flightdeck/2026-08-24-09-cap-fetcher-retries".into(),
        base: "1".repeat(40),
        git: true,
    }
}

fn file(repo: &str, path: &str, kind: ChangeKind, added: u32, removed: u32) -> FileChange {
    FileChange {
        repo: repo.into(),
        path: path.into(),
        kind,
        before: "1".repeat(40),
        after: "2".repeat(40),
        before_mode: 0o100644,
        after_mode: 0o100644,
        added,
        removed,
        binary: false,
        says: String::new(),
    }
}

fn hunk(old_start: u32, old: &[&str], new_start: u32, new: &[&str]) -> Hunk {
    let own = |lines: &[&str]| lines.iter().map(|l| format!("{l}\n")).collect();
    Hunk { old_start, old: own(old), new_start, new: own(new), around: String::new() }
}

/// Choice B is taken; the first edit stands, announced, with nothing reserved.
pub fn implementing() -> Session {
    let mut s = at_gate();
    s.meta.engine_decision = Some(Chosen::Implement);
    s.meta.implementation_pipeline = true;
    let files = vec![
        FileChange {
            says: "caps the retries".into(),
            ..file("app", "src/fetch/retry.rs", ChangeKind::Modified, 3, 1)
        },
        file("app", "Strategy.md", ChangeKind::Modified, 3, 2),
        file(
            "site",
            "src/a/very/long/way/down/to/the/place/where/the/limit/is/shown.rs",
            ChangeKind::Added,
            1,
            0,
        ),
    ];
    let labels = files.iter().map(FileChange::label).collect();
    let edit = Edit {
        number: 1,
        files,
        trees: vec![("app".into(), "a".repeat(40)), ("site".into(), "b".repeat(40))],
        reserved: Vec::new(),
        missing: vec!["ghost.txt".into()],
        unclaimed: vec!["app/Strategy.md".into()],
        reviews: 0,
        verifies: 0,
        pinpoint: false,
    };
    s.notes.track = Some(Track {
        trees: vec![tree("app"), tree("site")],
        edit: Some(edit),
        announced: labels,
        ..Track::default()
    });
    s
}

/// Three changes of a document wait for the pilot.
pub fn gated() -> Session {
    let mut s = implementing();
    let reserved = ReservedEdit {
        repo: "app".into(),
        path: "Strategy.md".into(),
        before: "1".repeat(40),
        after: "2".repeat(40),
        hunks: vec![
            hunk(3, &["We retry until it works."], 3, &["We retry three times."]),
            hunk(0, &[], 6, &["The phone app counts too."]),
            hunk(8, &["gamma"], 9, &["delta"]),
        ],
    };
    let marks = (1..=3).map(|id| Mark { id, lines: "3".into(), decision: Decision::Shown }).collect();
    s.gate_log = vec![Record::new(now().to_string(), 1, &reserved, marks)];
    if let Some(edit) = s.notes.track.as_mut().and_then(|t| t.edit.as_mut()) {
        edit.reserved = vec![reserved];
    }
    s.notes.asked = Some(crate::ui::model::tests::question(
        QuestionKind::Content,
        "content-01-1-1",
        2,
        "app/Strategy.md is a document whose content is your own decision.",
        &[("yes", "as it stands"), ("no", "take it out"), ("…", "a rule")],
    ));
    s
}

/// Two reviews; High and Medium are left.
pub fn findings() -> Session {
    let mut s = implementing();
    let first = "## Critical\n- src/fetch/retry.rs:13: the counter wraps around at 255 tries | fix: saturate it\n\
                 ## High\n- src/fetch/retry.rs:12: nobody tests the limit of the retries | fix: a test for three and for four tries\n";
    let second = format!(
        "## High\n- src/fetch/retry.rs:12: still nobody tests the limit of the retries | fix: a test for three and for four tries\n\
         ## Medium\n- Strategy.md: says nothing of the minute of rest {HOSTILE}\n"
    );
    s.reviews = vec![read(1, first), read(2, &second)];
    s
}

/// One review without findings, and this verdict.
pub fn verified(verdict: Verdict) -> Session {
    let mut s = implementing();
    s.reviews = vec![read(1, "## OK\n- all\n")];
    s.verifies = vec![Verification { number: 1, verdict, by: String::new() }];
    if let Some(track) = &mut s.notes.track {
        track.settled = 1;
    }
    s
}

pub fn deployed() -> Session {
    let mut s = verified(Verdict::Pass);
    s.has_outcome = true;
    s.report = ReportState::Draft { linked: Vec::new(), stub: false };
    if let Some(track) = &mut s.notes.track {
        let done = |repo: &str, pushed| Deployed {
            repo: repo.into(),
            sha: "3f".repeat(20),
            pushed,
            note: if pushed { String::new() } else { "the branch has no upstream".into() },
        };
        track.deployed = vec![done("app", true), done("site", false)];
        (track.done, track.cleaned) = (true, true);
    }
    s
}

/// The pipeline's screen of a session.
pub fn on_pipeline(size: (u16, u16), lang: Lang, s: Session) -> Model {
    let mut m = model(size, lang);
    let id = s.meta.session_id.clone();
    open::session(&mut m, &id);
    let mut view = view_of(s);
    view.questions = standing(&view.session);
    view.files.push(OUTCOME.into());
    hear(&mut m, Tell::Snapshot { view });
    act(&mut m, Action::Pipeline);
    m
}

fn patch(repo: &str, path: &str, kind: ChangeKind, (added, removed): (u32, u32), text: &str) -> Patch {
    Patch { repo: repo.into(), path: path.into(), kind, added, removed, binary: false, text: text.into() }
}

/// The diff of [`implementing`].
pub fn patches() -> Vec<Patch> {
    let long = "site/".len();
    let strategy = "@@ -1,8 +1,9 @@\n # Strategy\n \n-We retry until it works.\n+We retry three times.\n \n alpha\n+The phone app counts too.\n \n beta\n-gamma\n+delta\n";
    let code = format!(
        "@@ -10,4 +10,6 @@ fn fetch() {{\n     let mut tries = 0;\n-    while tries < 255 {{\n+    while tries < LIMIT {{\n+        // {HOSTILE}\n+        tries += 1;\n \t\ttry_once();\n     }}\n"
    );
    let name = &"site/src/a/very/long/way/down/to/the/place/where/the/limit/is/shown.rs"[long..];
    vec![
        patch("app", "Strategy.md", ChangeKind::Modified, (3, 2), strategy),
        patch("app", "src/fetch/retry.rs", ChangeKind::Modified, (3, 1), &code),
        patch("site", name, ChangeKind::Added, (1, 0), "@@ -0,0 +1 @@\n+pub const LIMIT: u8 = 3;\n"),
    ]
}

pub fn heard_diff(m: &mut Model) {
    let (scope, file) = (Scope::Session, None);
    let tell = Tell::Diff {
        id: id(9, "cap-fetcher-retries"),
        scope,
        file,
        edit: 1,
        patches: patches(),
        cut: false,
        why: None,
    };
    hear(m, tell);
}
