//! The content gate (U.1): no edit of a reserved file counts unless the pilot saw it and decided on every hunk.
//!
//! Its memory is `_gate.jsonl` (PC-508). An approval is bound to one path, the content before and the content after, and
//! is used once: whatever changes afterwards is another edit and is shown again.

use super::change::{Edit, ReservedEdit};

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Put before the pilot; nothing is decided.
    Shown,
    Approve,
    Reject,
}

/// One hunk in a line of `_gate.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Mark {
    /// From 1.
    pub id: u32,
    pub lines: String,
    pub decision: Decision,
}

/// One line of `_gate.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    pub ts: String,
    /// `repo/path`.
    pub path: String,
    pub before: String,
    pub after: String,
    pub hunks: Vec<Mark>,
    /// [`Edit::number`].
    #[serde(default)]
    pub edit: u32,
    /// The deployment used the approval up: the commit, or `copy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<String>,
}

impl Record {
    /// A line about `edit` with these marks.
    pub fn new(ts: String, number: u32, edit: &ReservedEdit, hunks: Vec<Mark>) -> Record {
        let (before, after) = (edit.before.clone(), edit.after.clone());
        Record { ts, path: edit.label(), before, after, hunks, edit: number, used: None }
    }

    fn is_of(&self, number: u32, edit: &ReservedEdit) -> bool {
        self.edit == number && self.is_about(edit)
    }

    /// This content of this file, in whichever edit.
    pub fn is_about(&self, edit: &ReservedEdit) -> bool {
        self.path == edit.label() && self.before == edit.before && self.after == edit.after
    }
}

/// True when this edit was put before the pilot.
pub fn was_shown(log: &[Record], number: u32, edit: &ReservedEdit) -> bool {
    log.iter().any(|r| r.is_of(number, edit))
}

/// What was decided about each hunk; the first decision stands.
pub fn decisions(log: &[Record], number: u32, edit: &ReservedEdit) -> Vec<Option<bool>> {
    let marks = || log.iter().filter(|r| r.is_of(number, edit)).flat_map(|r| &r.hunks);
    let decided = |id: u32| {
        marks().filter(|m| m.id == id).find_map(|m| match m.decision {
            Decision::Shown => None,
            Decision::Approve => Some(true),
            Decision::Reject => Some(false),
        })
    };
    (1..=edit.hunks.len() as u32).map(decided).collect()
}

/// PC-505: every hunk of exactly this content was approved on its own, and no deployment has used that up. The edit in
/// which it was shown may be an earlier one: fixing another file asks nothing again.
pub fn is_approved(log: &[Record], edit: &ReservedEdit) -> bool {
    // What was approved before the last use is gone with it.
    let last_use = log.iter().rposition(|r| r.is_about(edit) && r.used.is_some());
    let unused = &log[last_use.map_or(0, |at| at + 1)..];
    let mut shown: Vec<u32> = unused.iter().filter(|r| r.is_about(edit)).map(|r| r.edit).collect();
    shown.dedup();
    let all = |number: &u32| decisions(unused, *number, edit).iter().all(|d| *d == Some(true));
    !edit.hunks.is_empty() && shown.iter().any(all)
}

/// What the deployment of this very edit became when it used the approval up: the commit, or `copy`. It may have been cut
/// off before anything else of it was written down, and goes on with the same approval.
pub fn used_by<'a>(log: &'a [Record], number: u32, edit: &ReservedEdit) -> Option<&'a str> {
    log.iter().rev().filter(|r| r.is_of(number, edit)).find_map(|r| r.used.as_deref())
}

/// What is known about each hunk of an edit, for showing: its own decisions, else those of an earlier edit of the same
/// content, used up or not.
pub fn known(log: &[Record], number: u32, edit: &ReservedEdit) -> Vec<Option<bool>> {
    let own = decisions(log, number, edit);
    if own.iter().any(Option::is_some) {
        return own;
    }
    let earlier = log.iter().filter(|r| r.is_about(edit)).map(|r| decisions(log, r.edit, edit));
    let approved = |of: &Vec<Option<bool>>| of.iter().all(|d| *d == Some(true));
    earlier.into_iter().find(approved).unwrap_or(own)
}

/// What the gate wants before an edit may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// This edit of a reserved file is not yet shown.
    Show(usize),
    /// Everything is shown; these hunks wait: file, hunk from 1.
    Decide(Vec<(usize, u32)>),
    /// All is decided, and something was rejected.
    Prune,
    Nothing,
}

pub fn due(log: &[Record], edit: &Edit) -> Due {
    let granted = |e: &ReservedEdit| is_approved(log, e) || used_by(log, edit.number, e).is_some();
    let shown = |e: &ReservedEdit| granted(e) || was_shown(log, edit.number, e);
    if let Some(at) = edit.reserved.iter().position(|e| !shown(e)) {
        return Due::Show(at);
    }
    let decided: Vec<Vec<Option<bool>>> = edit
        .reserved
        .iter()
        .map(|e| if granted(e) { Vec::new() } else { decisions(log, edit.number, e) })
        .collect();
    let open = decided.iter().enumerate().flat_map(|(file, hunks)| {
        hunks.iter().zip(1u32..).filter(|(d, _)| d.is_none()).map(move |(_, id)| (file, id))
    });
    let open: Vec<(usize, u32)> = open.collect();
    match open.is_empty() {
        false => Due::Decide(open),
        true if decided.iter().flatten().any(|d| *d == Some(false)) => Due::Prune,
        true => Due::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::Hunk;
    use super::*;

    fn hunk(text: &str) -> Hunk {
        Hunk { old_start: 1, old: vec![], new_start: 1, new: vec![text.into()], around: String::new() }
    }

    fn reserved(after: &str) -> ReservedEdit {
        ReservedEdit {
            repo: "gov".into(),
            path: "Strategy.md".into(),
            before: "a".into(),
            after: after.into(),
            hunks: vec![hunk("x\n"), hunk("y\n")],
        }
    }

    fn edit(number: u32, after: &str) -> Edit {
        Edit {
            number,
            files: vec![],
            trees: vec![],
            reserved: vec![reserved(after)],
            missing: vec![],
            unclaimed: vec![],
            reviews: 0,
            verifies: 0,
            pinpoint: false,
        }
    }

    fn line(number: u32, after: &str, marks: &[(u32, Decision)]) -> Record {
        let marks =
            marks.iter().map(|(id, decision)| Mark { id: *id, lines: "1".into(), decision: *decision });
        Record::new(String::new(), number, &reserved(after), marks.collect())
    }

    #[test]
    fn pc_503_every_hunk_is_decided_on_its_own() {
        use Decision::{Approve, Reject, Shown};
        let (edit, mut log) = (edit(1, "b"), Vec::new());
        assert_eq!(due(&log, &edit), Due::Show(0));
        log.push(line(1, "b", &[(1, Shown), (2, Shown)]));
        assert_eq!(due(&log, &edit), Due::Decide(vec![(0, 1), (0, 2)]));
        log.push(line(1, "b", &[(2, Approve)]));
        assert_eq!(due(&log, &edit), Due::Decide(vec![(0, 1)]));
        assert!(!is_approved(&log, &edit.reserved[0]));
        let rejected = [log.clone(), vec![line(1, "b", &[(1, Reject)])]].concat();
        assert_eq!(due(&rejected, &edit), Due::Prune);
        log.push(line(1, "b", &[(1, Approve)]));
        assert_eq!(due(&log, &edit), Due::Nothing);
        assert!(is_approved(&log, &edit.reserved[0]));
    }

    #[test]
    fn pc_505_an_approval_is_for_one_content_and_one_use() {
        use Decision::{Approve, Reject};
        let mut log = vec![line(1, "b", &[(1, Approve), (2, Approve)])];
        assert!(is_approved(&log, &reserved("b")), "whatever else was edited since");
        assert_eq!(due(&log, &edit(2, "b")), Due::Nothing);
        assert!(!is_approved(&log, &reserved("c")), "another content");
        let halves = [line(1, "d", &[(1, Approve), (2, Reject)]), line(2, "d", &[(2, Approve)])];
        assert!(!is_approved(&halves, &reserved("d")), "two halves make no whole");
        assert_eq!(due(&halves[..1], &edit(2, "d")), Due::Show(0), "what was rejected is asked again");
        let other = ReservedEdit { path: "strategy.md".into(), ..reserved("b") };
        assert!(!is_approved(&log, &other), "another file");
        assert_eq!(known(&log, 2, &reserved("b")), [Some(true), Some(true)]);
        log.push(Record { used: Some("sha".into()), ..line(1, "b", &[]) });
        assert_eq!(known(&log, 2, &reserved("b")), [Some(true), Some(true)], "it was approved all the same");
        assert!(!is_approved(&log, &reserved("b")), "used up");
        assert_eq!(used_by(&log, 1, &reserved("b")), Some("sha"));
        assert_eq!(due(&log, &edit(1, "b")), Due::Nothing, "its own deployment goes on");
        assert_eq!(due(&log, &edit(2, "b")), Due::Show(0), "another one asks again");
    }

    #[test]
    fn pc_508_a_line_has_the_keys_of_the_rule() {
        let text = serde_json::to_string(&line(1, "b", &[(1, Decision::Approve)])).unwrap();
        let start = r#"{"ts":"","path":"gov/Strategy.md","before":"a","after":"b","hunks":[{"id":1,"lines":"1","decision":"approve"}]"#;
        assert!(text.starts_with(start), "{text}");
        let foreign = r#"{"ts":"t","path":"p","before":"a","after":"b","hunks":[]}"#;
        assert_eq!(serde_json::from_str::<Record>(foreign).unwrap().edit, 0);
    }
}
