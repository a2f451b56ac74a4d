//! How driving a session ended, in words and as an exit code.

use super::error::{CliError, Kind};
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::order::length;
use crate::domain::session::report::InChat;
use crate::engine::run::Finish;
use crate::engine::runner::{OpenError, Runner};
use crate::store::lock::LockError;
use crate::store::record::remedy;
use crate::store::{layout, report};

/// Prints the end and gives the exit code (PC-011).
pub fn report(runner: &Runner, id: &SessionId, finish: Finish, quiet: bool) -> Result<u8, CliError> {
    let again = format!("flightdeck resume {id}");
    match finish {
        Finish::Closed => {
            if !quiet {
                println!("\n{}", in_chat(runner));
            }
            Ok(0)
        }
        Finish::Interrupted => {
            if !quiet {
                println!("The session {id} is interrupted. `flightdeck finalize {id}` writes its report.");
            }
            Ok(0)
        }
        Finish::Waiting(questions) => {
            let list: Vec<String> =
                questions.iter().map(|q| format!("{} ({})", q.id, kind(q.kind))).collect();
            let first = questions.first().map(|q| q.id.clone()).unwrap_or_default();
            let cause = if list.is_empty() { "the session waits".to_string() } else { list.join(", ") };
            let next = format!("flightdeck answer {id} {first} \"…\", then {again}");
            Err(CliError::new(Kind::Waiting, format!("{id}: {cause}"), next))
        }
        Finish::Paused => Err(CliError::new(Kind::Waiting, format!("{id} is paused"), again)),
        Finish::Meddled(what) => Err(CliError::new(Kind::Waiting, format!("{id} is paused: {what}"), again)),
        Finish::Storage(e) => {
            let next = format!("{}; {}, then {again}", e.kept(Lang::En), e.remedy(Lang::En));
            Err(CliError::new(Kind::Waiting, format!("{id} is paused: {e}"), next))
        }
    }
}

/// A session that could not be created, or whose first step could not be written.
pub fn not_begun(error: &OpenError) -> CliError {
    let helps = match error {
        OpenError::Store(e) => e.remedy(Lang::En),
        OpenError::Busy(LockError::Io { error, .. }) => remedy(error.kind(), Lang::En),
        OpenError::Busy(_) | OpenError::Load(_) => "see to that",
    };
    let next = format!("{helps}, then begin again; if `flightdeck list` has it, resume it");
    CliError::new(Kind::Failed, format!("the session could not be created: {error}"), next)
}

/// The kind of a question as `show --json` spells it.
pub fn kind(kind: crate::domain::question::QuestionKind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
}

/// PC-648.
fn in_chat(runner: &Runner) -> String {
    let s = &runner.session;
    let text = std::fs::read_to_string(runner.recorder().dir().join(layout::REPORT)).unwrap_or_default();
    let decision = report::first_decision(&text);
    let path = runner.recorder().layout().relative(&runner.recorder().dir().join(layout::REPORT));
    let peers: Vec<String> = s.peers().into_iter().map(|p| p.agent).collect();
    InChat {
        lang: s.meta.lang(),
        turns: length(s),
        writer: &s.meta.writer_agent,
        peers: &peers,
        escalations: s.meta.escalations_count,
        decision: decision.as_deref(),
        report: &path,
    }
    .text()
}
