//! Steps that lead into a session's files, and where in them something stands.

use crate::domain::session::honesty::points::{Fate, Point};
use crate::domain::session::id::SessionId;
use crate::domain::session::pipeline::argued;
use crate::engine::wire::trace::{Goal, Kind, Step};
use crate::store::layout;
use std::path::Path;

/// The files of a session, and where in them something stands.
pub struct Files<'a> {
    pub id: &'a SessionId,
    pub dir: &'a Path,
}

impl Files<'_> {
    pub fn goal(&self, file: &str, line: u32) -> Goal {
        Goal::File { id: self.id.clone(), file: file.to_string(), line }
    }

    pub fn existing(&self, file: &str, line: u32) -> Option<Goal> {
        let there = !file.is_empty() && !file.contains('/') && self.dir.join(file).is_file();
        there.then(|| self.goal(file, line))
    }

    pub fn text(&self, file: &str) -> String {
        let plain = !file.contains('/') && !file.starts_with('.');
        let bytes = plain.then(|| std::fs::read(self.dir.join(file)).ok()).flatten().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The first line that has all of these words, else the first of them, else the file's first.
    pub fn line_of(&self, file: &str, needles: &[&str]) -> u32 {
        let text = self.text(file);
        let all = |line: &&str| needles.iter().all(|n| line.contains(n));
        let first = |line: &&str| needles.first().is_some_and(|n| line.contains(n));
        let at = |is: &dyn Fn(&&str) -> bool| text.lines().position(|line| is(&line));
        at(&all).or_else(|| at(&first)).map_or(1, |n| n as u32 + 1)
    }

    pub fn decided(&self, choice: Option<&str>, at: &str, consensus: &[String]) -> Vec<Step> {
        let mut out = Vec::new();
        if let Some(choice) = choice {
            let kind = Kind::Decision { choice: choice.to_string(), at: at.to_string() };
            let line = self.line_of(layout::META, &["engine_decision"]);
            out.push(Step::new(kind, "", Some(self.goal(layout::META, line))));
        }
        for (file, text) in consensus.iter().filter_map(|c| c.split_once(": ")) {
            // Several markers of a turn are joined; the first one is where they begin.
            let begin = text.split("; ").next().unwrap_or(text);
            let line = self.line_of(file, &["CONSENSUS", begin]);
            out.push(Step::new(Kind::Consensus, text, Some(self.goal(file, line))));
        }
        out
    }

    pub fn sentences(&self, all: &[argued::Sentence]) -> Vec<Step> {
        let step = |s: &argued::Sentence| {
            let kind = Kind::Sentence { shared: s.shared.clone() };
            Step::new(kind, &s.text, Some(self.goal(&s.file, s.line)))
        };
        all.iter().map(step).collect()
    }

    /// An objection, and below it what became of it.
    pub fn objection(&self, p: &Point) -> [Step; 2] {
        let kind = Kind::Objection { holder: p.holder.clone(), round: p.round };
        let (fate, goal) = match &p.fate {
            Fate::Open => (Kind::Open, None),
            Fate::Answered { file, line } => (Kind::Answered, Some(self.goal(file, *line))),
            Fate::Withdrawn { file, line } => (Kind::Withdrawn, Some(self.goal(file, *line))),
            Fate::Overruled => (Kind::Overruled, self.existing(layout::REPORT, 1)),
            Fate::Escalated { file } => (Kind::Escalated, self.existing(file, 1)),
        };
        let made = Step::new(kind, &p.text, Some(self.goal(&p.file, p.line)));
        [made, Step::new(fate, "", goal).below()]
    }
}
