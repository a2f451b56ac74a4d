//! What the steps of an implementation may give, at random.

use super::Dice;
use flightdeck::domain::effect::{Call, Purpose};
use flightdeck::domain::input::CallResult;
use flightdeck::domain::session::pipeline::change::{ChangeKind, Edit, FileChange, Hunk, ReservedEdit, Tree};
use flightdeck::domain::session::pipeline::content::{Mark, Record};
use flightdeck::domain::session::pipeline::track::{Deployed, Refusal, Stop};
use flightdeck::domain::session::pipeline::verdict::Verdict;
use flightdeck::domain::session::state::Session;

/// The result of a step.
pub fn result(s: &Session, call: &Call, dice: &mut Dice) -> CallResult {
    match call.purpose {
        Purpose::Isolate => CallResult::Isolated(trees(dice)),
        Purpose::Implement | Purpose::Prune | Purpose::Renew => {
            let moved = if call.purpose == Purpose::Renew { trees(dice) } else { Vec::new() };
            let outside = if dice.below(8) == 0 { vec![dice.odd().into()] } else { Vec::new() };
            let report = if call.purpose == Purpose::Implement { dice.odd() } else { "" };
            CallResult::Edited { edit: edit(s, call.round, dice), report: report.into(), moved, outside }
        }
        Purpose::Review => CallResult::Reviewed(review(dice)),
        Purpose::Verify => {
            let verdict = dice.of(&[Verdict::Pass, Verdict::Pass, Verdict::Fail, Verdict::NotRun]);
            CallResult::Verified { verdict, text: dice.odd().into() }
        }
        Purpose::Clean => {
            CallResult::Cleaned(if dice.below(2) == 0 { vec![dice.odd().into()] } else { vec![] })
        }
        _ => deployment(s, dice),
    }
}

fn trees(dice: &mut Dice) -> Vec<Tree> {
    let names = &["app", "site"][..1 + dice.below(2)];
    let tree = |name: &&str| Tree {
        name: name.to_string(),
        real: format!("/r/{name}"),
        path: format!("/t/{name}"),
        branch: "flightdeck/x".into(),
        base: "b".repeat(40),
        git: true,
    };
    names.iter().map(tree).collect()
}

fn edit(s: &Session, number: u32, dice: &mut Dice) -> Edit {
    let track = s.notes.track.clone().unwrap_or_default();
    let mut edit = Edit {
        number,
        files: Vec::new(),
        trees: Vec::new(),
        reserved: Vec::new(),
        missing: if dice.below(4) == 0 { vec![dice.odd().into()] } else { Vec::new() },
        unclaimed: Vec::new(),
        reviews: s.reviews.last().map_or(0, |r| r.number),
        verifies: s.verifies.last().map_or(0, |v| v.number),
        pinpoint: track.wish.as_ref().is_some_and(|w| w.pinpoint),
    };
    for tree in &track.trees {
        for path in ["a.rs", "Strategy.md"] {
            if dice.below(3) == 0 {
                continue;
            }
            let file = file(&tree.name, path, number);
            if path == "Strategy.md" && dice.below(2) == 0 {
                edit.reserved.push(reserved(&file, dice));
            }
            edit.files.push(file);
        }
        edit.trees.push((tree.name.clone(), format!("{number:040}")));
    }
    edit
}

fn file(repo: &str, path: &str, number: u32) -> FileChange {
    FileChange {
        repo: repo.into(),
        path: path.into(),
        kind: ChangeKind::Modified,
        before: "0".repeat(40),
        after: format!("{number:040}"),
        before_mode: 0o100644,
        after_mode: 0o100644,
        added: 1,
        removed: 0,
        binary: false,
        says: String::new(),
    }
}

fn reserved(file: &FileChange, dice: &mut Dice) -> ReservedEdit {
    let hunk = |text: &str| Hunk {
        old_start: 1,
        old: vec!["x\n".into()],
        new_start: 1,
        new: vec![format!("{text}\n")],
        around: String::new(),
    };
    let hunks = (0..1 + dice.below(2)).map(|_| hunk(dice.odd())).collect();
    let (repo, path) = (file.repo.clone(), file.path.clone());
    ReservedEdit { repo, path, before: file.before.clone(), after: file.after.clone(), hunks }
}

fn review(dice: &mut Dice) -> String {
    let item = dice.odd().replace('\n', " ");
    let found =
        dice.of(&["## Critical\n- a.rs:1: ", "## High\n- ", "## OK\n- ", "## OK\n- ", "No headings: "]);
    format!("{found}{item}\n")
}

fn deployment(s: &Session, dice: &mut Dice) -> CallResult {
    let track = s.notes.track.clone().unwrap_or_default();
    let files = track.edit.as_ref().map(|e| e.files.clone()).unwrap_or_default();
    let mut repos: Vec<String> = files.into_iter().map(|f| f.repo).collect();
    repos.dedup();
    let kind = dice.of(&[
        None,
        None,
        Some(Stop::Moved),
        Some(Stop::Dirty),
        Some(Stop::Commit),
        Some(Stop::Changed),
        Some(Stop::Unapproved),
        Some(Stop::Push),
    ]);
    if kind.is_some() {
        repos.truncate(dice.below(2));
    }
    let deployed = repos.iter().map(|repo| Deployed {
        repo: repo.clone(),
        sha: "c".repeat(40),
        pushed: true,
        note: String::new(),
    });
    let text = dice.odd().to_string();
    let refusal = kind.map(|kind| Refusal { repo: "app".into(), kind, text, escalation: None, way: None });
    let used =
        track.edit.iter().flat_map(|e| e.reserved.iter().map(|r| (e.number, r))).filter(|_| kind.is_none());
    let used = used.map(|(number, r)| Record {
        used: Some("c".into()),
        ..Record::new(String::new(), number, r, Vec::<Mark>::new())
    });
    CallResult::Deployment {
        deployed: deployed.collect(),
        refusal,
        used: used.collect(),
        result: "a.rs".into(),
    }
}
