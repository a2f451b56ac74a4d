//! Where something comes from and what became of it: the steps as the engine found them, and the one the pilot is on.

use crate::domain::session::id::SessionId;
use crate::engine::wire::trace::{Goal, Kind, Step, Traced};
use crate::ui::model::pipeline::stood::Stood;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub id: SessionId,
    pub of: Traced,
    /// `None` until they have come.
    pub steps: Option<Vec<Step>>,
    /// Why there is nothing, or not all.
    pub why: Option<String>,
    pub selected: usize,
    /// Stand at the step that leads to this line of this file, once the steps are there.
    pub at: Option<(String, u32)>,
    /// Where the pilot stood on the pipeline's screen when he opened it there.
    pub from: Option<Stood>,
    /// A step has led to another place of that screen.
    pub led_away: bool,
}

impl Trace {
    pub fn new(id: SessionId, of: Traced) -> Trace {
        Trace { id, of, steps: None, why: None, selected: 0, at: None, from: None, led_away: false }
    }

    pub fn take(&mut self, steps: Vec<Step>, why: Option<String>) {
        let wanted = self.at.take();
        let leads = |step: &Step| match (&step.goal, &wanted) {
            (Some(Goal::File { file, line, .. }), Some((f, l))) => file == f && line == l,
            _ => false,
        };
        self.selected = steps.iter().position(leads).unwrap_or(0);
        (self.steps, self.why) = (Some(steps), why);
    }

    pub fn steps(&self) -> &[Step] {
        self.steps.as_deref().unwrap_or_default()
    }
}

/// What several steps have in common; they stand below one head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Place,
    Making,
    Decision,
    Argument,
    Objection,
}

pub fn group(kind: &Kind) -> Group {
    match kind {
        Kind::Line
        | Kind::Commit { .. }
        | Kind::Uncommitted
        | Kind::Foreign
        | Kind::Session
        | Kind::Deployed { .. }
        | Kind::Changed => Group::Place,
        Kind::Edit { .. } | Kind::Finding | Kind::Gone | Kind::Approval { .. } => Group::Making,
        Kind::Decision { .. } | Kind::Consensus => Group::Decision,
        Kind::Sentence { .. } => Group::Argument,
        Kind::Objection { .. }
        | Kind::Open
        | Kind::Answered
        | Kind::Withdrawn
        | Kind::Overruled
        | Kind::Escalated
        | Kind::Peace => Group::Objection,
    }
}
