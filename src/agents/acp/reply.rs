//! What an agent says in pieces, put together: the reply apart from warnings, thoughts and repetitions.

use super::Told;
use super::agent::{self, Agent};
use crate::agents::call::{Progress, Usage};
use crate::agents::contract;
use crate::agents::stream::mark::Body;
use crate::agents::stream::{Refused, one_line};
use agent_client_protocol::v1::schema::{ContentBlock, ContentChunk, MessageId, SessionUpdate};
use serde_json::Value;

/// The updates of one prompt.
#[derive(Debug, Default)]
pub struct Collected {
    agent: Agent,
    is_prompted: bool,
    pieces: Vec<Piece>,
    /// At which pieces it began to say something new, after it had used a tool, lost a reply or was prompted once more.
    begins: Vec<usize>,
    /// The session's cost so far, before and after the prompt.
    cost_before: Option<f64>,
    cost: Option<f64>,
    /// codex' agent tells an error as a message without an id, and that it is one in words of its own.
    is_error: bool,
    /// Its real messages have ids, so that all others are warnings.
    is_codex: bool,
    /// The message that it writes, and has done nothing since.
    message: Option<MessageId>,
    /// What it does from here on is not wanted and may cost: it would only try again and wait, or ask without end.
    hopeless: Option<Refused>,
}

#[derive(Debug)]
struct Piece {
    has_id: bool,
    text: String,
}

impl Collected {
    pub fn update(&mut self, told: Told) -> Vec<Progress> {
        let update = match told {
            Told::Prompted => {
                if !self.is_prompted {
                    self.cost_before = self.cost;
                }
                self.is_prompted = true;
                self.step();
                return Vec::new();
            }
            Told::Leave(title, is_allowed) => {
                let what = if is_allowed { "allowed by the pilot" } else { "refused a permission" };
                return vec![Progress::Notice(one_line(&format!("{what}: {title}")))];
            }
            Told::Named(agent) => {
                self.agent = agent;
                return Vec::new();
            }
            Told::Update(notification) => notification.update,
        };
        match update {
            SessionUpdate::AgentMessageChunk(chunk) if self.is_prompted => self.chunk(chunk),
            SessionUpdate::ToolCall(call) if self.is_prompted => {
                self.step();
                vec![Progress::Notice(one_line(&format!("uses a tool: {}", call.title)))]
            }
            // claude's tool for its list of things to do is told as this alone.
            SessionUpdate::Plan(_) if self.is_prompted => {
                self.step();
                Vec::new()
            }
            SessionUpdate::UsageUpdate(usage) => {
                let in_dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("usd"));
                self.cost = in_dollars.map(|cost| cost.amount).or(self.cost);
                Vec::new()
            }
            SessionUpdate::SessionInfoUpdate(info) if self.is_prompted => {
                let meta = serde_json::to_value(info.meta).unwrap_or_default();
                self.codex(&meta["codex"])
            }
            _ => Vec::new(),
        }
    }

    fn step(&mut self) {
        self.message = None;
        if self.begins.last() != Some(&self.pieces.len()) {
            self.begins.push(self.pieces.len());
        }
    }

    fn codex(&mut self, told: &Value) -> Vec<Progress> {
        self.is_codex |= told.is_object();
        self.is_error |= told["threadStatus"]["type"] == "systemError";
        let error = &told["error"];
        if error["willRetry"] != true {
            return Vec::new();
        }
        let part = |key: &str| error[key].as_str().unwrap_or_default();
        let text = one_line(&format!("{} {}", part("message"), part("additionalDetails")));
        if agent::is_hopeless(&text) {
            self.hopeless = Some(Refused::by_vendor(None, &text));
        }
        // What came of the broken try is no part of the next one's reply.
        self.step();
        vec![Progress::Notice(text)]
    }

    /// What went wrong, where the agent does not say so by the protocol.
    pub fn error(&self) -> Option<String> {
        let told = || self.pieces.iter().filter(|piece| !piece.has_id).map(|piece| piece.text.trim());
        self.is_error.then(|| told().next_back().unwrap_or("an error without text").to_string())
    }

    pub fn hopeless(&mut self) -> Option<Refused> {
        self.hopeless.take()
    }

    fn chunk(&mut self, chunk: ContentChunk) -> Vec<Progress> {
        let ContentBlock::Text(content) = chunk.content else { return Vec::new() };
        let has_id = chunk.message_id.is_some();
        // claude's own word for a warning of the adapter.
        let kind = chunk.meta.as_ref().and_then(|meta| meta.get("claudeCode")?.get("kind"));
        if kind.is_some() {
            return vec![Progress::Notice(one_line(&content.text))];
        }
        if self.begins_again(chunk.message_id) {
            let detail = "the agent began its reply anew by itself, as it does after a broken, cut or refused one; \
                          it was stopped";
            self.hopeless = Some(Refused::busy(detail));
        }
        let is_new = !self.pieces.is_empty() && self.begins.last() == Some(&self.pieces.len());
        self.pieces.push(Piece { has_id, text: content.text.clone() });
        is_new.then_some(Progress::Restart).into_iter().chain([Progress::Text(content.text)]).collect()
    }

    /// After a broken stream opencode begins another message, and another one, each time at a price. claude goes on after
    /// a broken, a cut or a refused one; what its agent tells is then pieces of both, and once only the rest of what came
    /// twice before, so that no rule puts them together. A text needs one message.
    fn begins_again(&mut self, id: Option<MessageId>) -> bool {
        let before = std::mem::replace(&mut self.message, id);
        matches!(self.agent, Agent::Claude | Agent::Opencode) && before.is_some() && before != self.message
    }

    /// The reply in what was said.
    pub fn reply(&self) -> Result<Body, Refused> {
        self.agent.reply(&self.text())
    }

    /// Where an agent gives its messages ids, what comes without one is a warning and no part of the reply. Nor is what it
    /// says before it uses a tool, unless that was the last that it said.
    fn text(&self) -> String {
        let has_ids = self.is_codex || self.pieces.iter().any(|piece| piece.has_id);
        let said = |pieces: &[Piece]| -> String {
            pieces.iter().filter(|piece| piece.has_id || !has_ids).map(|piece| piece.text.as_str()).collect()
        };
        let mut to = self.pieces.len();
        for from in self.begins.iter().rev().copied().chain([0]) {
            let text = said(&self.pieces[from..to]);
            if !contract::is_blank(&text) {
                return text;
            }
            to = from;
        }
        String::new()
    }

    /// Of all prompts together.
    pub fn usage(&self, given: &[agent_client_protocol::v1::schema::Usage]) -> Option<Usage> {
        let cost_usd = self.cost.map(|after| after - self.cost_before.unwrap_or(0.0));
        let counted = given.iter().map(counted).reduce(plus);
        match counted {
            Some(usage) => Some(Usage { cost_usd, ..usage }),
            None => cost_usd.map(|_| Usage { cost_usd, ..Usage::default() }),
        }
    }
}

/// Agents that count cached tokens as part of the input say so in the total; so do those that count thoughts beside the
/// output.
fn counted(given: &agent_client_protocol::v1::schema::Usage) -> Usage {
    let cached = given.cached_read_tokens;
    let written = given.cached_write_tokens.unwrap_or(0);
    let beside = given.input_tokens.saturating_add(cached.unwrap_or(0)).saturating_add(written);
    let is_included = given.total_tokens > 0
        && cached.unwrap_or(0) > 0
        && given.total_tokens < beside.saturating_add(given.output_tokens);
    let input = match is_included {
        true => given.input_tokens.saturating_sub(cached.unwrap_or(0)),
        false => given.input_tokens.saturating_add(written),
    };
    let before = if is_included { given.input_tokens.saturating_add(written) } else { beside };
    let thought = given.thought_tokens.unwrap_or(0);
    let is_beside = given.total_tokens >= before.saturating_add(given.output_tokens).saturating_add(thought);
    let output = given.output_tokens.saturating_add(if is_beside { thought } else { 0 });
    Usage {
        input: Some(input),
        cached,
        output: Some(output),
        reasoning: given.thought_tokens,
        ..Usage::default()
    }
}

fn plus(a: Usage, b: Usage) -> Usage {
    let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    Usage {
        input: sum(a.input, b.input),
        cached: sum(a.cached, b.cached),
        output: sum(a.output, b.output),
        reasoning: sum(a.reasoning, b.reasoning),
        ..a
    }
}
