//! Decisions on reserved files that were made and that `_gate.jsonl` no longer holds.
//!
//! Only that file grants anything (PC-505), so such a decision is asked for again, whatever the event log remembers. The
//! pilot who decided once is told why.

use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::content::{self, Decision, Due};
use crate::domain::session::state::Session;
use crate::store::{layout, runtime};
use std::path::Path;

/// What is said about them, once; `None` when nothing is asked again.
pub fn decisions(s: &Session, runtime: &Path) -> Option<String> {
    let edit = s.notes.track.as_ref()?.edit.as_ref()?;
    // The event log may be long. It is read only when a decision is to be asked for.
    if !matches!(content::due(&s.gate_log, edit), Due::Show(_) | Due::Decide(_)) {
        return None;
    }
    let lang = s.meta.lang();
    let lacks = lang.pick("lacks decisions that were made", "не содержит принятых решений");
    let mut lost: Vec<(String, u32)> = Vec::new();
    for event in runtime::events(runtime) {
        match event.fact {
            Fact::ContentDecided { record } if !s.gate_log.contains(&record) => {
                let of_this = edit.reserved.iter().any(|e| record.is_about(e));
                let decided = record.hunks.iter().filter(|m| of_this && m.decision != Decision::Shown);
                lost.extend(decided.map(|m| (record.path.clone(), m.id)));
            }
            Fact::Repaired { what } if what.iter().any(|line| line.contains(lacks)) => lost.clear(),
            _ => {}
        }
    }
    if lost.is_empty() {
        return None;
    }
    let names: Vec<String> = lost.iter().map(|(path, hunk)| format!("{path} #{hunk}")).collect();
    let (file, names) = (layout::GATE, names.join(", "));
    Some(match lang {
        Lang::En => format!("{file} {lacks}, so they are asked for again: {names}"),
        Lang::Ru => format!("{file} {lacks}, поэтому они запрашиваются снова: {names}"),
    })
}
