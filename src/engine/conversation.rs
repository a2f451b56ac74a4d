//! A vendor's own conversation, kept for its next call.

use super::compose;
use super::runner::Runner;
use crate::agents::call::{CallFailure, Cause, Outcome, Reply};
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::store::record::StoreError;
use crate::store::runtime;

/// Keeps it, or forgets one that the vendor has lost. Losing it costs the agent's own memory of the talk, not ours: the
/// projection carries the context.
pub fn remember(runner: &mut Runner, call: &Call, vendor: &str, outcome: &Outcome) -> Result<(), StoreError> {
    let Some(who) = compose::remembers(call, vendor) else { return Ok(()) };
    let dir = runner.recorder().runtime();
    match outcome {
        Outcome::Reply(Reply { conversation: Some(id), .. }) => {
            let _ = runtime::save_conversation(dir, &who, id);
        }
        Outcome::Failed(CallFailure { cause: Cause::LostConversation, detail, .. }) => {
            let _ = runtime::save_conversation(dir, &who, "");
            let text = format!("Conversation: {detail}");
            runner.record(Fact::Noted { text })?;
        }
        _ => {}
    }
    Ok(())
}
