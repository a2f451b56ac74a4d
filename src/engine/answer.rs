//! The pilot's answers, from a command, the inbox or an edited file.

use super::questions::hand_written;
use super::read;
use super::runner::Runner;
use crate::domain::effect::{Call, Purpose};
use crate::domain::input::{CallResult, Input};
use crate::domain::session::phase::{Phase, Wait, phase};
use crate::store::record::StoreError;

/// Gives an answer to a session. Where the pilot may write the writer's turn by hand (PC-255, a pilot as writer) any
/// text but the retry words is that turn.
pub fn give(runner: &mut Runner, question: &str, text: &str) -> Result<(), StoreError> {
    if let Some(call) = by_hand(runner, question, text) {
        let Some(name) = call.name.clone() else { return Ok(()) };
        let turn = read::writer_turn(runner, &name, text);
        runner.session.live.running = Some(call.clone());
        let result = CallResult::Turn { turn, facts: Vec::new(), prompt: "".into() };
        return runner.feed_ended(
            call.clone(),
            Input::Ended { call, result },
            None,
            None,
            Default::default(),
        );
    }
    runner.feed(Input::Answered { question: question.to_string(), text: text.to_string() })
}

/// The id of the question that asks the pilot for a turn.
pub fn turn_question(call: &Call) -> String {
    format!("turn-{}", call.name.as_ref().map(|n| n.stem()).unwrap_or_default())
}

fn by_hand(runner: &Runner, question: &str, text: &str) -> Option<Call> {
    let text = text.trim();
    // Without an engine that drives the session nothing runs, but the turn is due all the same.
    let due = runner.session.live.running.clone().or_else(|| hand_written(&runner.session, &runner.desk));
    if let Some(call) = due.filter(|c| turn_question(c) == question) {
        return (!text.is_empty()).then_some(call);
    }
    let waits =
        phase(&runner.session) == Phase::Wait(Wait::WriterRetry) && Wait::WriterRetry.id() == question;
    let failed = runner.session.notes.failed_call.as_ref().filter(|_| waits)?;
    let writes = matches!(failed.call.purpose, Purpose::Opening | Purpose::Turn);
    let is_turn = text.chars().count() > 20 || text.contains('\n');
    (writes && is_turn).then(|| failed.call.clone())
}
