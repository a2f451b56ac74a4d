//! The state's name (PC-164), in `meta.yaml` and for whoever asks.

use super::{Phase, Wait, phase};
use crate::domain::effect::Purpose;
use crate::domain::session::meta::Status;
use crate::domain::session::state::Session;

/// Where it stands, for people and scripts that ask. What this engine began to close and did not finish is not closed yet,
/// whatever `meta.yaml` had to say before the index and the closing file were written; a tree of another program is as that
/// one left it.
pub fn shown(s: &Session) -> &'static str {
    match phase(s) {
        Phase::Finalize(_) if !s.meta.engine_phase.is_empty() => "finalize",
        other => state(s, &other),
    }
}

/// The state's name. A failed call leaves the session in the state that it was made in (T4), which only the notes know.
fn state(s: &Session, phase: &Phase) -> &'static str {
    let failed = || s.notes.failed_call.as_ref().map(|f| f.call.purpose);
    let withheld = || s.notes.withheld.as_ref().map(|w| w.call.purpose);
    let purpose = match phase {
        Phase::Wait(Wait::WriterRetry) => failed(),
        Phase::Wait(Wait::Secret { peer: false, .. }) => withheld(),
        _ => None,
    };
    match purpose {
        Some(Purpose::Opening) => "writer_opening",
        Some(Purpose::Roles) => "discovery",
        Some(Purpose::Judge) => "check",
        Some(Purpose::Dispute) => "dispute",
        Some(Purpose::Summary) => "gate",
        Some(Purpose::Synthesis) => "draft",
        _ => phase.key(),
    }
}

/// The value of `engine_phase` (PC-164). A commit changes nothing in it, because it would change a committed file.
pub fn written(s: &Session) -> &'static str {
    match s.meta.status {
        Status::Interrupted if !s.live.finalizing => Phase::Interrupted.key(),
        _ => state(s, &phase(s)),
    }
}
