//! The pipeline screen: an implementation from choice B to the outcome, and where the pilot looks.

pub mod doc;
pub mod found;
pub mod steps;
pub mod stood;

use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::id::SessionId;
use crate::domain::session::phase::is_implementing;
use crate::domain::session::pipeline::content;
use crate::domain::session::state::Session;
use crate::engine::wire::Scope;
use crate::ui::action::Action;
use crate::ui::code::Colours;
use crate::ui::model::watched::Watched;
use doc::{Doc, Place};
use std::sync::Arc;

/// From this width on a diff may stand side by side.
pub const SIDE: u16 = 120;

/// From this width on files and findings stand beside the diff.
pub const WIDE: u16 = 100;

/// What the outcome file is called.
pub const OUTCOME: &str = "_outcome.md";

/// Lines around a change, and for a file as a whole.
pub const CONTEXT: u32 = 3;
pub const WHOLE: u32 = 10_000_000;

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Files,
    Diff,
    Findings,
    Output,
    Result,
}

impl Part {
    pub const ALL: [Part; 5] = [Part::Files, Part::Diff, Part::Findings, Part::Output, Part::Result];

    pub fn step(self, by: isize) -> Part {
        let at = Part::ALL.iter().position(|p| *p == self).unwrap_or(0) as isize;
        Part::ALL[(at + by).rem_euclid(Part::ALL.len() as isize) as usize]
    }
}

/// What was asked of the engine, with what it depends on: when that changes it is asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub scope: Scope,
    pub file: Option<String>,
    edit: u32,
    trees: Vec<(String, String)>,
    deployed: usize,
}

#[derive(Debug)]
pub struct Pipeline {
    pub id: SessionId,
    /// The part that has the keys.
    pub part: Part,
    /// What stands in the large area where there is room for files and findings beside it.
    pub large: Part,
    pub file: usize,
    pub finding: usize,
    /// Side by side or not, once the pilot has chosen.
    pub side: Option<bool>,
    pub scope: Scope,
    /// The file that is shown as a whole.
    pub whole: Option<String>,
    pub doc: Option<Arc<Doc>>,
    pub colours: Colours,
    /// Why there is no diff, or not all of it.
    pub why: Option<String>,
    pub asked: Option<Wanted>,
    /// The row that the pilot stands on.
    pub cursor: usize,
    /// Where to stand when the diff has come.
    pub goal: Option<Place>,
    /// The pilot has just come, or has decided on all that was shown: what waits next is where he goes on.
    pub follows: bool,
    /// The question whose change to stand on, once the diff has it.
    pub ask: Option<String>,
    /// The verification that was asked for, and its text.
    pub verify: Option<(String, Option<String>)>,
    /// Decisions on their way to the engine: question and yes.
    pub sent: Vec<(String, bool)>,
    stamp: u64,
}

/// What was decided about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    Open,
    Approved,
    Rejected,
    /// The answer is on its way.
    Sent(bool),
}

impl Pipeline {
    pub fn new(id: SessionId) -> Pipeline {
        Pipeline {
            id,
            part: Part::Diff,
            large: Part::Diff,
            file: 0,
            finding: 0,
            side: None,
            scope: Scope::Session,
            whole: None,
            doc: None,
            colours: Colours::default(),
            why: None,
            asked: None,
            cursor: 0,
            goal: None,
            follows: true,
            ask: None,
            verify: None,
            sent: Vec::new(),
            stamp: 0,
        }
    }

    /// What the diff should show of the session as it is now.
    pub fn wanted(&self, s: &Session) -> Option<Wanted> {
        let track = s.notes.track.as_ref();
        let edit = track.and_then(|t| t.edit.as_ref());
        if edit.is_none() && s.meta.deploy_shas.is_empty() {
            return None;
        }
        Some(Wanted {
            scope: self.scope,
            file: self.whole.clone(),
            edit: edit.map_or(0, |e| e.number),
            trees: edit.map(|e| e.trees.clone()).unwrap_or_default(),
            deployed: track.map_or(0, |t| t.deployed.len()),
        })
    }

    /// Takes a diff. The pilot stays at the same place of the same file, or goes where he wanted to go, or on to what is
    /// shown again after his decisions.
    pub fn take(&mut self, doc: Doc, s: &Session) {
        let first = self.doc.is_none();
        let goal = self.goal.take();
        self.follows &= goal.is_none();
        let place = goal.or_else(|| self.doc.as_ref().and_then(|d| d.place(self.cursor)));
        let open = || first_open(self, &doc, s);
        self.cursor = match place {
            Some(place) => doc.row_at(&place).unwrap_or(0),
            None if first => open().unwrap_or(0),
            None => 0,
        };
        self.doc = Some(Arc::new(doc));
        self.follow(s);
        self.go_on();
    }

    /// Goes on to what waits now, when the pilot had decided on all that was shown, or has just come, and has not moved
    /// since. The diff may come before the edit is put before him, or after.
    pub fn follow(&mut self, s: &Session) {
        let open = self.doc.as_ref().filter(|_| self.follows).and_then(|doc| first_open(self, doc, s));
        if let Some(row) = open {
            (self.cursor, self.follows) = (row, false);
        }
    }

    /// Goes to the change that a question asks about, if the diff has it.
    pub fn go_on(&mut self) {
        let row = self.ask.as_ref().zip(self.doc.as_ref()).and_then(|(ask, doc)| doc.row_of(ask));
        if let Some(row) = row {
            (self.cursor, self.ask, self.follows) = (row, None, false);
        }
    }

    pub fn next_stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }

    pub fn is_side(&self, width: u16) -> bool {
        width >= SIDE && self.side.unwrap_or(true)
    }

    /// The question of the change under the cursor.
    pub fn question(&self) -> Option<String> {
        self.doc.as_ref()?.question(self.cursor)
    }

    pub fn place(&self) -> Option<Place> {
        self.doc.as_ref()?.place(self.cursor)
    }

    pub fn focus(&mut self, part: Part) {
        self.part = part;
        if matches!(part, Part::Diff | Part::Output | Part::Result) {
            self.large = part;
        }
    }
}

/// The first change that waits.
fn first_open(p: &Pipeline, doc: &Doc, s: &Session) -> Option<usize> {
    (0..doc.rows.len())
        .find(|row| doc.gate(*row).is_some() && decided(p, doc, *row, s) == Some(Decided::Open))
}

/// What was decided about the change that a row belongs to; `None` for a row that nobody decides on.
pub fn decided(p: &Pipeline, doc: &Doc, row: usize, s: &Session) -> Option<Decided> {
    let gate = doc.gate(row)?;
    let edit = s.notes.track.as_ref()?.edit.as_ref().filter(|e| e.number == doc.edit)?;
    let reserved = edit.reserved.get(gate.reserved)?;
    let decision = content::known(&s.gate_log, edit.number, reserved).get(gate.hunk as usize - 1).copied()?;
    Some(match decision {
        Some(true) => Decided::Approved,
        Some(false) => Decided::Rejected,
        // It is not put before the pilot yet.
        None if !content::was_shown(&s.gate_log, edit.number, reserved) => return None,
        None => {
            let question = doc.question(row);
            let sent = p.sent.iter().find(|(q, _)| Some(q) == question.as_ref());
            sent.map_or(Decided::Open, |(_, yes)| Decided::Sent(*yes))
        }
    })
}

/// Whether a question is one of an implementation's.
pub fn asks(kind: QuestionKind) -> bool {
    matches!(
        kind,
        QuestionKind::Content
            | QuestionKind::Findings
            | QuestionKind::Review
            | QuestionKind::Verify
            | QuestionKind::Deploy
            | QuestionKind::Implement
    )
}

/// The question that the implementation waits for: that of the change under the cursor, else the first.
pub fn question<'a>(p: &Pipeline, w: &'a Watched) -> Option<&'a Question> {
    let here = p.question();
    let all = &w.view.questions;
    all.iter().find(|q| Some(&q.id) == here.as_ref()).or(all.first())
}

/// Whether the open question knows this word as an answer.
pub fn offers(p: &Pipeline, w: &Watched, word: &str) -> bool {
    question(p, w).is_some_and(|q| q.choices.iter().any(|c| c.key == word))
}

/// Whether an action would do something now; `None` for those that always may.
pub fn works(p: &Pipeline, w: &Watched, action: Action, width: u16) -> Option<bool> {
    let s = w.session();
    let rows = p.doc.as_ref().is_some_and(|d| !d.rows.is_empty());
    let diff = rows && (p.part == Part::Diff || (width >= WIDE && p.large == Part::Diff));
    Some(match action {
        Action::Approve | Action::Reject => {
            let open = |doc: &Arc<Doc>| decided(p, doc, p.cursor, s) == Some(Decided::Open);
            diff && p.doc.as_ref().is_some_and(open)
        }
        Action::Retry => offers(p, w, "retry"),
        Action::Escalate => offers(p, w, "escalate"),
        Action::Answer => !w.view.questions.is_empty(),
        Action::Trace => rows && (diff || p.part == Part::Findings),
        Action::Comment => diff && is_implementing(s),
        Action::Direct | Action::Pause => is_implementing(s),
        Action::SideBySide => diff && width >= SIDE,
        Action::NextHunk | Action::WholeFile | Action::Compare => diff,
        Action::Follow => p.part == Part::Output,
        Action::Open => opens(p, s),
        _ => return None,
    })
}

/// Whether Enter leads somewhere: in the diff to the whole file, unless a change waits there for an answer, which has
/// keys of its own.
fn opens(p: &Pipeline, s: &Session) -> bool {
    match p.part {
        Part::Files => {
            s.notes.track.as_ref().and_then(|t| t.edit.as_ref()).is_some_and(|e| p.file < e.files.len())
        }
        Part::Diff => p.question().is_none() && p.place().is_some(),
        Part::Findings => found::found(s).get(p.finding).is_some_and(|f| !f.finding.file.is_empty()),
        Part::Output => p.verify.is_some(),
        Part::Result => s.has_outcome,
    }
}

#[cfg(test)]
pub mod tests;
