//! The implementing call and the review: what they are asked, where the agent may write, and what came of its edit.

use super::crew::{self, Crew};
use super::edit;
use super::isolate;
use super::job::{self, Shop, blocking};
use crate::agents::call::{Call as AgentCall, Outcome, Work};
use crate::agents::registry::Vendor;
use crate::domain::effect::{Call, Purpose};
use crate::domain::input::CallResult;
use crate::domain::session::gate::{self, GateHead};
use crate::domain::session::phase::{current_round, exchanges};
use crate::domain::session::pipeline::change::Edit;
use crate::domain::session::pipeline::finding::Severity;
use crate::domain::session::pipeline::track::{REVIEWS, Track, Wish};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::domain::session::state::Session;
use crate::engine::compose;
use crate::engine::desk::{CancelSignal, ProgressSink};
use crate::engine::leftovers;
use crate::engine::prompt::implement::{self, ImplementPrompt, ReviewPrompt};
use crate::engine::runner::Runner;
use crate::git::snapshot;
use crate::store::layout;
use futures::FutureExt;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;

/// Where the implementing call works and what it must not touch.
pub fn places(runner: &Runner) -> Work {
    let track = runner.session.notes.track.clone().unwrap_or_default();
    let runtime = runner.recorder().runtime().to_path_buf();
    let folder = std::path::absolute(runtime.join(leftovers::FOLDER))
        .unwrap_or_else(|_| runtime.join(leftovers::FOLDER));
    let trees: Vec<(String, PathBuf)> =
        track.trees.iter().map(|t| (t.name.clone(), PathBuf::from(&t.path))).collect();
    // Not what git keeps for them: whoever writes there decides which hooks and filters we run.
    let write: Vec<PathBuf> = trees.iter().map(|(_, at)| at.clone()).collect();
    let mut guarded =
        vec![runner.recorder().layout().sessions.clone(), runner.recorder().layout().runtime_root.clone()];
    for tree in &track.trees {
        guarded.push(PathBuf::from(&tree.real));
    }
    let dir = match &trees[..] {
        [(_, only)] => only.clone(),
        _ => folder,
    };
    Work { dir, trees, write, guarded }
}

/// The prompt of an implementing or reviewing call.
pub fn prompt(runner: &Runner, call: &Call) -> Option<String> {
    let s = &runner.session;
    let track = s.notes.track.clone().unwrap_or_default();
    let crew = crew::crew(&runner.desk, s).ok()?;
    let summary = summary(s);
    if call.purpose == Purpose::Review {
        let edit = track.edit.as_ref()?;
        return Some(implement::review(&ReviewPrompt {
            lang: s.meta.lang(),
            session: s.meta.session_id.as_str(),
            summary: &summary,
            files: &edit.files,
            diff: &diff(&track, edit),
            checklist: &crew.setting.checklist,
            again: !call.complaints.is_empty(),
        }));
    }
    let at = if s.is_round_loop() { current_round(s) } else { exchanges(s) };
    let consensus: Vec<String> =
        compose::payloads(s, at).into_iter().map(|(who, what)| format!("- {who}: {what}")).collect();
    Some(implement::implement(&ImplementPrompt {
        lang: s.meta.lang(),
        session: s.meta.session_id.as_str(),
        task: &s.meta.task_description,
        consensus: &consensus,
        summary: &summary,
        trees: &track.trees,
        findings: &findings(runner, track.wish.as_ref()),
        directions: &s.notes.directions,
    }))
}

pub fn summary(s: &Session) -> String {
    let head = if s.notes.majority { GateHead::Majority } else { GateHead::Consensus };
    s.notes.summary.as_ref().map(|n| gate::render(&n.summary, s.meta.lang(), head)).unwrap_or_default()
}

/// The change of every tree, with the repository's name in front of each.
fn diff(track: &Track, edit: &Edit) -> String {
    let changed = track.trees.iter().filter(|t| edit.of(&t.name).next().is_some());
    let texts = changed.map(|tree| {
        let to = edit.tree(&tree.name).unwrap_or(&tree.base);
        let diff = snapshot::diff(Path::new(&tree.path), &tree.base, to, 10);
        format!("=== {} ===\n{}", tree.name, diff.unwrap_or_else(|e| e.to_string()).trim_end())
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// What the last review or verification wants fixed.
fn findings(runner: &Runner, wish: Option<&Wish>) -> String {
    let Some(wish) = wish else { return String::new() };
    let s = &runner.session;
    let mut text = String::new();
    if let Some(review) = s.reviews.iter().rfind(|r| wish.from == layout::review(r.number)) {
        for severity in Severity::ALL {
            let of = review.findings.iter().filter(|f| f.severity == severity);
            of.for_each(|f| text.push_str(&format!("- {}: {}\n", severity.key(), f.line())));
        }
    }
    if let Some(failed) = s.verifies.last().filter(|v| v.verdict == Verdict::Fail) {
        let name = layout::verify(failed.number);
        if wish.from == name {
            text.push_str(&std::fs::read_to_string(runner.recorder().dir().join(name)).unwrap_or_default());
        }
    }
    let raised = s.escalations.iter().rfind(|e| e.source == wish.from && !e.is_open());
    if let Some(e) = raised {
        text.push_str(&format!("\n{}\n→ {}\n", e.reason, e.response));
    }
    text
}

/// Calls the implementer and reads what it did from the trees (PC-512). `None` when the call gave no reply.
pub fn edit(
    runner: &Runner,
    call: &Call,
    vendor: Vendor,
    ready: AgentCall,
    progress: ProgressSink,
    cancel: CancelSignal,
) -> Pin<Box<dyn Future<Output = (Outcome, Option<CallResult>)> + Send>> {
    let cancel = cancel.shared();
    let shop = Shop::new(runner, progress.clone(), Box::pin(cancel.clone()));
    let lang = runner.session.meta.lang();
    let crew = crew::crew(&runner.desk, &runner.session).map_err(|why| why.text(lang).to_string());
    let (caller, number) = (runner.desk.caller.clone(), call.round);
    Box::pin(async move {
        let crew = match crew {
            Ok(crew) => crew,
            Err(why) => return (Outcome::Cancelled, Some(job::failed(why))),
        };
        if let Err(why) = isolate::present(&shop, &crew).await {
            return (Outcome::Cancelled, Some(job::failed(why)));
        }
        let clean = shop.clone();
        let before = match blocking(move || edit::restore(&clean).map(|()| outside(&clean.track))).await {
            Ok(before) => before,
            Err(why) => return (Outcome::Cancelled, Some(job::failed(why))),
        };
        let outcome = caller(vendor, ready, progress, Box::pin(cancel)).await;
        let report = match &outcome {
            Outcome::Reply(reply) => reply.text.clone(),
            _ => return (outcome, None),
        };
        let read = blocking(move || read(&shop, &crew, number, &report, before)).await;
        let result = match read {
            Ok((edit, report, outside)) => CallResult::Edited { edit, report, moved: Vec::new(), outside },
            Err(why) => job::failed(why),
        };
        (outcome, Some(result))
    })
}

fn read(
    shop: &Shop,
    crew: &Crew,
    number: u32,
    report: &str,
    before: Outside,
) -> Result<(Edit, String, Vec<String>), String> {
    let mut edit = edit::read(shop, crew, number, Some(report))?;
    let wish = shop.track.wish.as_ref();
    // PC-525: after the last review a fix goes straight to verification.
    let used_up = wish.is_some_and(|w| w.from.starts_with("review-")) && shop.track.settled >= shop.reviews;
    edit.pinpoint = wish.is_some_and(|w| w.pinpoint)
        || (used_up && shop.reviews > 0 && shop.track.reviews(shop.reviews as usize) >= REVIEWS);
    let after = outside(&shop.track);
    let touched =
        after.iter().filter(|(path, mark)| before.get(*path) != Some(mark)).map(|(path, _)| path.clone());
    let mut touched: Vec<String> = touched.collect();
    touched.extend(before.keys().filter(|path| !after.contains_key(*path)).cloned());
    touched.truncate(20);
    Ok((edit, report.to_string(), touched))
}

/// Files of the real trees that differ from their last commit, each with a mark that changes when it does.
type Outside = BTreeMap<String, String>;

fn outside(track: &Track) -> Outside {
    let mut marks = Outside::new();
    for tree in track.trees.iter().filter(|t| t.git) {
        let real = Path::new(&tree.real);
        let Some(repo) = crate::git::repo::discover(real).ok().flatten() else { continue };
        marks.insert(format!("{}: HEAD", tree.name), repo.head().unwrap_or_default());
        for change in repo.status(&[real.to_path_buf()]).unwrap_or_default() {
            let file = real.join(&change.path);
            let meta = std::fs::symlink_metadata(&file).ok();
            let mark = meta.map(|m| format!("{:?} {}", m.modified().ok(), m.len())).unwrap_or_default();
            marks.insert(format!("{}/{}", tree.name, change.path.display()), mark);
        }
    }
    marks
}
