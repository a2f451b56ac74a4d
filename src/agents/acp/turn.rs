//! One turn of the conversation, and what is seen of it by those who answer the agent while it goes on.

use super::Told;
use super::agent::Agent as Known;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, PromptRequest, RequestPermissionRequest, SessionId, SessionUpdate, StopReason, TextContent,
    ToolCall, ToolCallUpdate, Usage,
};
use agent_client_protocol::{Agent, Error};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Some agents end their turn when leave is refused, and have said nothing yet. They are asked for their reply so often.
const MOST_REFUSED: u32 = 3;

const REFUSED: &str = "You may not do what you asked leave for, and need not: use no tools. \
    Give your reply now, as text, in the form that was asked for.";

/// How a turn ended.
#[derive(Debug)]
pub struct Ended {
    pub reason: StopReason,
    /// What was told of the cost, for each prompt.
    pub usage: Vec<Usage>,
}

pub async fn turn(
    agent: &ConnectionTo<Agent>,
    session: &SessionId,
    known: Known,
    prompt: String,
    seen: &Seen,
    told: &UnboundedSender<Told>,
) -> Result<Ended, Error> {
    let (mut prompt, mut usage, mut left) = (prompt, Vec::new(), MOST_REFUSED);
    loop {
        seen.begin();
        let _ = told.send(Told::Prompted);
        let words = vec![ContentBlock::Text(TextContent::new(known.asked(prompt)))];
        let response = agent.send_request(PromptRequest::new(session.clone(), words)).block_task().await?;
        usage.extend(response.usage);
        let reason = response.stop_reason;
        let is_ended = matches!(reason, StopReason::EndTurn | StopReason::Cancelled);
        if left == 0 || !is_ended || !seen.is_given_up() {
            return Ok(Ended { reason, usage });
        }
        left -= 1;
        prompt = REFUSED.into();
    }
}

#[derive(Debug, Clone, Default)]
pub struct Seen(Arc<Mutex<Turn>>);

#[derive(Debug, Default)]
struct Turn {
    is_spoken: bool,
    is_answered: bool,
    is_refused: bool,
    tools: HashMap<String, ToolCall>,
}

impl Seen {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) {
        let mut turn = self.turn();
        *turn = Turn { is_spoken: turn.is_spoken, ..Turn::default() };
    }

    pub fn update(&self, update: &SessionUpdate) {
        let mut turn = self.turn();
        match update {
            SessionUpdate::UserMessageChunk(_) => turn.is_spoken = true,
            SessionUpdate::AgentMessageChunk(chunk) => {
                turn.is_spoken = true;
                turn.is_answered |=
                    matches!(&chunk.content, ContentBlock::Text(content) if !content.text.trim().is_empty());
            }
            SessionUpdate::ToolCall(call) => {
                turn.is_answered = false;
                turn.tools.insert(call.tool_call_id.0.to_string(), call.clone());
            }
            SessionUpdate::ToolCallUpdate(update) => {
                if let Some(call) = turn.tools.get_mut(&*update.tool_call_id.0) {
                    call.update(update.fields.clone());
                }
            }
            _ => {}
        }
    }

    pub fn refused(&self) {
        let mut turn = self.turn();
        (turn.is_refused, turn.is_answered) = (true, false);
    }

    /// Whether anything was ever said in the conversation, before the prompt or after it.
    pub fn is_spoken(&self) -> bool {
        self.turn().is_spoken
    }

    /// Leave was refused, and nothing said since.
    fn is_given_up(&self) -> bool {
        let turn = self.turn();
        turn.is_refused && !turn.is_answered
    }

    /// The request with what the agent has told of the tool before: some name it in the request and say no more.
    pub fn completed(&self, mut request: RequestPermissionRequest) -> RequestPermissionRequest {
        let Some(call) = self.turn().tools.get(&*request.tool_call.tool_call_id.0).cloned() else {
            return request;
        };
        let before = ToolCallUpdate::from(call).fields;
        let fields = &mut request.tool_call.fields;
        let content = fields.content.take().into_iter().chain(before.content).flatten();
        fields.content = Some(content.collect());
        fields.kind = fields.kind.or(before.kind);
        fields.title = fields.title.take().or(before.title);
        fields.locations = fields.locations.take().or(before.locations);
        fields.raw_input = fields.raw_input.take().or(before.raw_input);
        request
    }
}
