//! Findings with their history: one stays in sight until the implementation is over, with what became of it.

use crate::domain::session::pipeline::finding::{Finding, Severity};
use crate::domain::session::state::Session;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// In the last review.
    Open,
    /// In the last review; the pilot lets it wait until after the deployment.
    Deferred,
    /// A later review, this one, does not find it again.
    NotAgain(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// As the last review with it says it.
    pub finding: Finding,
    /// Reviews that have it.
    pub first: u32,
    pub last: u32,
    pub state: State,
}

/// Everything that the reviews of the session's implementation found: what is open first, the worst first.
pub fn found(s: &Session) -> Vec<Found> {
    let track = s.notes.track.as_ref();
    let before = track.map_or(0, |t| t.reviews_before);
    let reviews = || s.reviews.iter().filter(|r| r.usable && r.number > before);
    let mut all: Vec<Found> = Vec::new();
    for review in reviews() {
        // Two findings of one review are two, however alike.
        let known = all.len();
        for finding in &review.findings {
            let same = |f: &&mut Found| f.last < review.number && f.finding.is_same(finding);
            match all[..known].iter_mut().find(same) {
                Some(f) => (f.finding, f.last) = (finding.clone(), review.number),
                None => all.push(Found {
                    finding: finding.clone(),
                    first: review.number,
                    last: review.number,
                    state: State::Open,
                }),
            }
        }
    }
    let numbers: Vec<u32> = reviews().map(|r| r.number).collect();
    let settled = track.is_some_and(|t| numbers.last().is_some_and(|last| t.settled >= *last));
    let deferred = settled && s.meta.unresolved.unwrap_or(0) > 0;
    for f in &mut all {
        f.state = match numbers.iter().find(|n| **n > f.last) {
            Some(next) => State::NotAgain(*next),
            None if deferred && f.finding.severity != Severity::Critical => State::Deferred,
            None => State::Open,
        };
    }
    let over = |f: &Found| matches!(f.state, State::NotAgain(_));
    all.sort_by_key(|f| (over(f), f.finding.severity));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::pipeline::finding::read;
    use crate::domain::session::pipeline::track::Track;
    use crate::ui::model::tests::session;

    const FIRST: &str = "## Critical\n- a.rs:3: the counter wraps around | fix: saturate\n## High\n- a.rs:9: nobody tests the limit\n";
    const SECOND: &str =
        "## High\n- a.rs:12: still nobody tests the limit\n- a.rs:13: nobody tests the limit of writes\n";

    #[test]
    fn a_finding_keeps_its_history() {
        let mut s = session();
        s.notes.track = Some(Track::default());
        s.reviews = vec![read(1, FIRST), read(2, SECOND)];
        let all = found(&s);
        let got: Vec<(&str, u32, u32, State)> =
            all.iter().map(|f| (f.finding.lines.as_str(), f.first, f.last, f.state)).collect();
        assert_eq!(
            got,
            [("12", 1, 2, State::Open), ("13", 2, 2, State::Open), ("3", 1, 1, State::NotAgain(2)),]
        );
    }

    #[test]
    fn pc_525_what_is_put_off_is_said_to_be() {
        let mut s = session();
        s.notes.track = Some(Track { settled: 2, reviews_before: 1, ..Track::default() });
        s.reviews = vec![read(1, FIRST), read(2, SECOND)];
        s.meta.unresolved = Some(2);
        let all = found(&s);
        assert!(all.len() == 2 && all.iter().all(|f| f.state == State::Deferred), "{all:?}");
    }
}
