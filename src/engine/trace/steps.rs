//! The same as steps of a screen, each with the place that it can be entered at.

use super::files::Files;
use super::{Approval, Forward, Origin, Trace, behind, edits, forward, origin};
use crate::domain::fact::Fact;
use crate::domain::session::honesty::points::Point;
use crate::domain::session::id::SessionId;
use crate::domain::session::pipeline::argued;
use crate::domain::session::pipeline::finding::Finding;
use crate::domain::session::pipeline::track::COPIED;
use crate::domain::session::state::Session;
use crate::engine::wire::trace::{Goal, Kind, Step, Traced};
use crate::git::blame;
use crate::store::layout::{self, Layout};
use crate::store::load::{self, Loaded};
use crate::store::runtime::{self, Event};
use std::path::{Path, PathBuf};

/// A repository of the session: where it lies, what its tree began at, what was deployed.
#[derive(Debug, Clone)]
pub struct Repo {
    pub name: String,
    pub root: PathBuf,
    pub base: String,
    pub sha: Option<String>,
}

/// What a trace is looked up in.
struct Ground<'a> {
    layout: &'a Layout,
    id: &'a SessionId,
    dir: PathBuf,
    session: Session,
    events: Vec<Event>,
}

/// The way of `what`. `repos` says where the session's repositories are.
pub fn steps(
    layout: &Layout,
    id: &SessionId,
    what: &Traced,
    repos: impl FnOnce(&Session) -> Vec<Repo>,
) -> Result<Vec<Step>, String> {
    let Loaded { session, dir, .. } = load::load(layout, id).map_err(|e| e.to_string())?;
    let ground = Ground { layout, id, dir, session, events: runtime::events(&layout.runtime(id)) };
    match what {
        Traced::Line { label, line, old, text } => {
            let repos = repos(&ground.session);
            let inside = |r: &&Repo| label.strip_prefix(&r.name).is_some_and(|rest| rest.starts_with('/'));
            let repo = repos.iter().find(inside).ok_or_else(|| format!("{label}: its repository is gone"))?;
            let path = &label[repo.name.len() + 1..];
            ground.line(repo, path, (*line, *old), text)
        }
        Traced::Finding { review, at } => {
            Ok(ground.finding(*review, *at).unwrap_or_else(|| ground.objections(None)))
        }
        Traced::Place { file, line } => Ok(ground.place(file, *line)),
        Traced::Objections => Ok(ground.objections(None)),
    }
}

impl Ground<'_> {
    fn line(
        &self,
        repo: &Repo,
        path: &str,
        (number, old): (u32, bool),
        text: &str,
    ) -> Result<Vec<Step>, String> {
        let first = Step::new(
            Kind::Line,
            text,
            Some(Goal::Diff { label: format!("{}/{path}", repo.name), line: number }),
        );
        let committed = |sha: &str| sha != COPIED && sha.bytes().any(|b| b != b'0');
        let trace = if old {
            if !committed(&repo.base) {
                return Ok(vec![first, Step::new(Kind::Uncommitted, "", None)]);
            }
            let line = blame::line(&repo.root, Path::new(path), number, Some(&repo.base));
            behind(self.layout, &repo.root, line.map_err(|e| e.to_string())?)?
        } else {
            let sha = repo.sha.clone().filter(|sha| committed(sha));
            let message =
                sha.as_ref().and_then(|sha| blame::message(&repo.root, sha).ok()).unwrap_or_default();
            let line = blame::Line {
                sha: sha.unwrap_or_else(|| "0".repeat(40)),
                text: text.to_string(),
                number,
                path: path.to_string(),
                summary: message.lines().next().unwrap_or_default().to_string(),
            };
            let origin =
                origin((&repo.root, repo.name.clone()), self.id.clone(), &self.session, &self.events, &line);
            Trace { line, origin: Some(origin) }
        };
        let commit = match trace.line.is_committed() {
            true => Some(Step::new(Kind::Commit { sha: trace.line.sha.clone() }, &trace.line.summary, None)),
            // A folder without git has no commits to tell of.
            false if repo.sha.as_deref() == Some(COPIED) => None,
            false => Some(Step::new(Kind::Uncommitted, "", None)),
        };
        let rest = match &trace.origin {
            Some(found) => self.origin(found),
            None if trace.line.is_committed() => vec![Step::new(Kind::Foreign, "", None)],
            None => Vec::new(),
        };
        Ok([first].into_iter().chain(commit).chain(rest).collect())
    }

    fn origin(&self, o: &Origin) -> Vec<Step> {
        let dir = self.layout.find_session(&o.session).unwrap_or_else(|| self.dir.clone());
        let files = Files { id: &o.session, dir: &dir };
        let mut out = vec![Step::new(Kind::Session, &o.task, Some(Goal::Session { id: o.session.clone() }))];
        if dir.join(layout::OUTCOME).exists() {
            let kind = Kind::Deployed { at: o.deployed_at.clone() };
            out.push(Step::new(kind, "", Some(files.goal(layout::OUTCOME, 1))));
        }
        if let Some(e) = &o.edit {
            let kind = Kind::Edit { number: e.number, wanted_by: e.wanted_by.clone() };
            let goal = files.existing(&e.wanted_by, 1);
            out.push(Step::new(kind, &e.says, goal));
        }
        for (file, text) in &o.findings {
            let bare = text.split_once(": ").map_or(text.as_str(), |(_, bare)| bare);
            out.push(Step::new(Kind::Finding, text, Some(files.goal(file, files.line_of(file, &[bare])))));
        }
        for Approval { at, edit, lines } in &o.approvals {
            let line = files.line_of(layout::GATE, &[at, &format!("\"lines\":\"{lines}\"")]);
            let kind = Kind::Approval { edit: *edit, lines: lines.clone(), at: at.clone() };
            out.push(Step::new(kind, "", Some(files.goal(layout::GATE, line))));
        }
        out.extend(files.decided(o.decision.map(|d| d.key()), &o.decided_at, &o.consensus));
        out.extend(files.sentences(&o.sentences));
        o.objections.iter().for_each(|p| out.extend(files.objection(p)));
        out
    }

    /// A finding from the line it is about to the edit it led to, and to what was said of it before.
    fn finding(&self, number: u32, at: usize) -> Option<Vec<Step>> {
        let s = &self.session;
        let review = s.reviews.iter().find(|r| r.number == number)?;
        let finding = review.findings.get(at)?;
        let files = self.files();
        let mut out = vec![self.found(number, finding)];
        if !finding.file.is_empty() {
            let line = finding.lines.split(|c: char| !c.is_ascii_digit()).find_map(|n| n.parse().ok());
            let place = match finding.lines.as_str() {
                "" => finding.file.clone(),
                lines => format!("{}:{lines}", finding.file),
            };
            let goal = Goal::Diff { label: finding.file.clone(), line: line.unwrap_or(0) };
            out.push(Step::new(Kind::Line, place, Some(goal)));
        }
        let mut wanted = vec![layout::review(number)];
        let later = s.reviews.iter().filter(|r| r.usable && r.number > number);
        let mut gone = None;
        for r in later {
            match r.findings.iter().find(|f| f.is_same(finding)) {
                Some(again) if gone.is_none() => {
                    out.push(self.found(r.number, again));
                    wanted.push(layout::review(r.number));
                }
                Some(_) => {}
                None => {
                    gone.get_or_insert(r.number);
                }
            }
        }
        for (edit, by) in edits(&self.events).into_iter().filter(|(_, by)| wanted.contains(by)) {
            let file = edit.files.iter().find(|f| finding.file == f.label() || finding.file == f.path);
            let kind = Kind::Edit { number: edit.number, wanted_by: by };
            let goal = file.map(|f| Goal::Diff { label: f.label(), line: 0 });
            out.push(Step::new(kind, file.map(|f| f.says.clone()).unwrap_or_default(), goal));
        }
        if let Some(review) = gone {
            out.push(Step::new(Kind::Gone, "", Some(files.goal(&layout::review(review), 1))));
        }
        out.extend(self.decided(&files));
        let about = format!("{} {} {}", finding.issue, finding.fix, finding.file);
        out.extend(files.sentences(&argued::sentences(s, &about, super::SENTENCES)));
        let touches = |f: &Forward| argued::shared(&f.point.text, &about) >= super::SHARED;
        let points = forward(s, &self.events);
        points.iter().filter(|f| touches(f)).for_each(|f| out.extend(files.objection(&f.point)));
        Some(out)
    }

    /// Objections forward: all of them, or the one at a place of a turn.
    fn objections(&self, only: Option<&Point>) -> Vec<Step> {
        let files = self.files();
        let mut out = Vec::new();
        for f in forward(&self.session, &self.events) {
            if only.is_some_and(|p| *p != f.point) {
                continue;
            }
            out.extend(files.objection(&f.point));
            for (file, text) in &f.findings {
                let bare = text.split_once(": ").map_or(text.as_str(), |(_, bare)| bare);
                let goal = files.goal(file, files.line_of(file, &[bare]));
                out.push(Step::new(Kind::Finding, text, Some(goal)).below());
            }
            for label in &f.files {
                let goal = Goal::Diff { label: label.clone(), line: 0 };
                out.push(Step::new(Kind::Changed, label, Some(goal)).below());
            }
        }
        if out.is_empty() {
            out.push(Step::new(Kind::Peace, "", None));
        }
        out.extend(self.decided(&files));
        out
    }

    /// What a line of a file is about. Where that is nothing in particular, every objection.
    fn place(&self, file: &str, line: u32) -> Vec<Step> {
        let s = &self.session;
        let files = self.files();
        if let Some(number) = layout::parse_review(file) {
            let review = s.reviews.iter().find(|r| r.number == number);
            let lines =
                review.iter().flat_map(|r| r.findings.iter().map(|f| files.line_of(file, &needles(f))));
            let at = lines.enumerate().filter(|(_, at)| *at <= line).max_by_key(|(_, at)| *at);
            if let Some(found) = self.finding(number, at.map_or(0, |(n, _)| n)) {
                return found;
            }
        }
        let points = super::points(s);
        let here = points.iter().filter(|p| p.file == file).min_by_key(|p| p.line.abs_diff(line));
        let said =
            files.text(file).lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().to_string();
        let alike = || {
            let near = |p: &&Point| argued::shared(&p.text, &said);
            points.iter().filter(|p| near(p) >= super::SHARED).max_by_key(near)
        };
        self.objections(here.or_else(alike))
    }

    fn found(&self, review: u32, f: &Finding) -> Step {
        let (files, file) = (self.files(), layout::review(review));
        let goal = files.goal(&file, files.line_of(&file, &needles(f)));
        Step::new(Kind::Finding, format!("{}: {}", f.severity.key(), f.line()), Some(goal))
    }

    fn decided(&self, files: &Files) -> Vec<Step> {
        let closed = self.events.iter().rfind(|e| matches!(e.fact, Fact::GateClosed { .. }));
        let at = closed.map(|e| e.time.clone()).unwrap_or_default();
        let choice = self.session.meta.engine_decision.map(|d| d.key());
        files.decided(choice, &at, &super::consensus(&self.session))
    }

    fn files(&self) -> Files<'_> {
        Files { id: self.id, dir: &self.dir }
    }
}

fn needles(f: &Finding) -> Vec<&str> {
    vec![&f.issue, &f.file, &f.lines]
}
