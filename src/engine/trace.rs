//! From a deployed line back to what argued for it, and from an objection forward to what became of it.
//!
//! Commits, edits, findings and decisions are looked up. Which sentences argued for a line is not recorded anywhere:
//! those are found by shared words, and whoever shows them says so.

mod files;
pub mod steps;

use crate::domain::fact::Fact;
use crate::domain::session::honesty::points::{Point, points};
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Decision;
use crate::domain::session::pipeline::argued::{self, Sentence};
use crate::domain::session::pipeline::change::{Edit, Tree};
use crate::domain::session::pipeline::content;
use crate::domain::session::pipeline::finding::Review;
use crate::domain::session::state::Session;
use crate::git::{blame, repo};
use crate::store::layout::Layout;
use crate::store::runtime::{self, Event};
use crate::store::{layout, load};
use std::path::Path;

/// Sentences that are shown of each kind.
const SENTENCES: usize = 3;

/// Telling words that two texts share when one may be about the other.
const SHARED: usize = 2;

/// What is known about one line.
#[derive(Debug, Clone)]
pub struct Trace {
    pub line: blame::Line,
    /// `None` when no session deployed it.
    pub origin: Option<Origin>,
}

/// The session behind a commit.
#[derive(Debug, Clone)]
pub struct Origin {
    pub session: SessionId,
    pub task: String,
    pub repo: String,
    pub decision: Option<Decision>,
    /// When the gate was closed, and when the work was deployed; empty when the events are gone.
    pub decided_at: String,
    pub deployed_at: String,
    /// The edit that first held the line; `None` when its content is gone.
    pub edit: Option<Step>,
    /// Decisions on this file at the content gate.
    pub approvals: Vec<Approval>,
    /// Findings of the reviews about this file.
    pub findings: Vec<(String, String)>,
    pub consensus: Vec<String>,
    pub sentences: Vec<Sentence>,
    pub objections: Vec<Point>,
}

/// The pilot's yes to a change, in one edit: the same lines may be approved again in the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub at: String,
    pub edit: u32,
    pub lines: String,
}

/// One edit of the implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub number: u32,
    /// What asked for it: a review, a verification, the pilot; empty for the first.
    pub wanted_by: String,
    /// What the agent said about the file.
    pub says: String,
}

/// Looks a line up. The error names cause and next step.
pub fn line(layout: &Layout, cwd: &Path, file: &Path, number: u32) -> Result<Trace, String> {
    let path = cwd.join(file);
    let found = repo::discover(&path).map_err(|e| e.to_string())?;
    let found = found.ok_or_else(|| format!("{} is in no repository", path.display()))?;
    let line = blame::line(found.root(), &path, number, None).map_err(|e| e.to_string())?;
    behind(layout, found.root(), line)
}

/// The session behind a line that git knows.
fn behind(layout: &Layout, root: &Path, line: blame::Line) -> Result<Trace, String> {
    if !line.is_committed() {
        return Ok(Trace { line, origin: None });
    }
    let message = blame::message(root, &line.sha).map_err(|e| e.to_string())?;
    let session =
        message.lines().find_map(|l| SessionId::parse(l.strip_prefix("Refs: peer-session ")?.trim()));
    let Some(id) = session else { return Ok(Trace { line, origin: None }) };
    let loaded = load::load(layout, &id).map_err(|e| format!("the line is of session {id}: {e}"))?;
    let events = runtime::events(&layout.runtime(&id));
    let of_repo = loaded.session.meta.deploy_shas.iter().find(|(_, sha)| *sha == line.sha);
    let repo = of_repo.map(|(name, _)| name.clone()).unwrap_or_default();
    let origin = origin((root, repo), id, &loaded.session, &events, &line);
    Ok(Trace { line, origin: Some(origin) })
}

fn origin(
    (root, repo): (&Path, String),
    session: SessionId,
    s: &Session,
    events: &[Event],
    line: &blame::Line,
) -> Origin {
    let edit = edit(root, events, &repo, line);
    let label = format!("{repo}/{}", line.path);
    let says = edit.as_ref().map(|e| e.says.clone()).unwrap_or_default();
    let about = format!("{} {says} {}", line.text, line.path);
    let time = |is: fn(&Fact) -> bool| {
        events.iter().rfind(|e| is(&e.fact)).map(|e| e.time.clone()).unwrap_or_default()
    };
    let approved = s.gate_log.iter().filter(|r| r.path == label).flat_map(|r| {
        let marks = r.hunks.iter().filter(|m| m.decision == content::Decision::Approve);
        let approval = |lines: &String| Approval { at: r.ts.clone(), edit: r.edit, lines: lines.clone() };
        marks.map(|m| approval(&m.lines)).collect::<Vec<_>>()
    });
    Origin {
        task: s.meta.task_description.clone(),
        decision: s.meta.engine_decision,
        decided_at: time(|f| matches!(f, Fact::GateClosed { .. })),
        deployed_at: time(|f| matches!(f, Fact::Deployment { refusal: None, .. })),
        approvals: approved.collect(),
        findings: findings(&s.reviews, &label, &line.path),
        consensus: consensus(s),
        sentences: argued::sentences(s, &about, SENTENCES),
        objections: points(s),
        edit,
        repo,
        session,
    }
}

/// The first edit from which on the line was there until it was deployed.
fn edit(root: &Path, events: &[Event], repo: &str, line: &blame::Line) -> Option<Step> {
    let edits: Vec<(&Edit, String)> = edits(events);
    let holds = |edit: &Edit| {
        let text = edit.tree(repo).and_then(|tree| blame::content(root, tree, &line.path));
        text.is_some_and(|t| t.lines().any(|l| l == line.text))
    };
    let first = edits.iter().rposition(|(edit, _)| !holds(edit)).map_or(0, |n| n + 1);
    let (edit, wanted_by) = edits.get(first)?;
    let says = edit.of(repo).find(|f| f.path == line.path).map(|f| f.says.clone()).unwrap_or_default();
    Some(Step { number: edit.number, wanted_by: wanted_by.clone(), says })
}

/// Every edit with what asked for it.
fn edits(events: &[Event]) -> Vec<(&Edit, String)> {
    let mut wanted = String::new();
    let mut all = Vec::new();
    for event in events {
        match &event.fact {
            Fact::FixWanted { wish } => wanted.clone_from(&wish.from),
            Fact::Edited { edit, .. } => all.push((edit, std::mem::take(&mut wanted))),
            // Another implementation of the same session begins anew.
            Fact::GateClosed { .. } => all.clear(),
            _ => {}
        }
    }
    all
}

fn findings(reviews: &[Review], label: &str, path: &str) -> Vec<(String, String)> {
    let about = |file: &str| file == label || file == path || (!file.is_empty() && path.ends_with(file));
    let each = reviews.iter().flat_map(|r| r.findings.iter().map(move |f| (r, f)));
    each.filter(|(_, f)| about(&f.file))
        .map(|(r, f)| (layout::review(r.number), format!("{}: {}", f.severity.key(), f.line())))
        .collect()
}

/// The marker lines that closed the discussion, each with its file.
fn consensus(s: &Session) -> Vec<String> {
    let marked = s.turns.iter().filter_map(|t| Some((t.name.to_string(), t.markers().consensus.clone()?)));
    marked.map(|(file, text)| format!("{file}: {text}")).collect()
}

/// An objection and what became of it.
#[derive(Debug, Clone)]
pub struct Forward {
    pub point: Point,
    /// Findings that share words with it.
    pub findings: Vec<(String, String)>,
    /// Changed files that share words with it.
    pub files: Vec<String>,
}

/// Every objection of a session, forward to the discussion's answer, the reviews and the changed files.
pub fn objections(layout: &Layout, id: &SessionId) -> Result<Vec<Forward>, String> {
    let loaded = load::load(layout, id).map_err(|e| e.to_string())?;
    Ok(forward(&loaded.session, &runtime::events(&layout.runtime(id))))
}

fn forward(s: &Session, events: &[Event]) -> Vec<Forward> {
    let last = edits(events).into_iter().last().map(|(edit, _)| edit.clone());
    let trees: Vec<Tree> = s.notes.track.as_ref().map(|t| t.trees.clone()).unwrap_or_default();
    let changed: Vec<(String, String)> = last.iter().flat_map(|e| texts(e, &trees)).collect();
    let forward = points(s).into_iter().map(|point| {
        let touches = |text: &str| argued::shared(&point.text, text) >= SHARED;
        let found = s.reviews.iter().flat_map(|r| r.findings.iter().map(move |f| (r.number, f)));
        let findings = found
            .filter(|(_, f)| touches(&f.line()))
            .map(|(n, f)| (layout::review(n), format!("{}: {}", f.severity.key(), f.line())))
            .collect();
        let files =
            changed.iter().filter(|(_, text)| touches(text)).map(|(label, _)| label.clone()).collect();
        Forward { point, findings, files }
    });
    forward.collect()
}

/// Each changed file with what was said and what now stands in it.
fn texts(edit: &Edit, trees: &[Tree]) -> Vec<(String, String)> {
    let text = |repo: &str, path: &str| {
        let (tree, real) = (edit.tree(repo)?, trees.iter().find(|t| t.name == repo)?);
        blame::content(Path::new(&real.real), tree, path)
    };
    let each = edit.files.iter().map(|f| {
        let content = text(&f.repo, &f.path).unwrap_or_default();
        (f.label(), format!("{} {} {content}", f.path, f.says))
    });
    each.collect()
}
