//! Any agent that speaks the Agent Client Protocol over its standard streams, as a vendor of its own (`kind: acp`). The
//! crate that knows the protocol is named in this module and its children only.
//!
//! The agent gets no files and no terminal of ours, and every permission that it asks for is refused.

mod reply;

use crate::agents::call::Progress;
use crate::agents::contract::{self, Code};
use crate::agents::stream::{Refused, Said};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, Implementation, InitializeRequest, LoadSessionRequest, NewSessionRequest,
    PermissionOptionKind, PromptRequest, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification, StopReason,
    TextContent,
};
use agent_client_protocol::{Agent, Client};
use reply::Collected;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What one call asks.
#[derive(Debug)]
pub struct Ask {
    pub prompt: String,
    /// Session to load, where the agent can.
    pub conversation: Option<String>,
    /// The empty folder of the call.
    pub cwd: PathBuf,
}

/// Cuts stdout into lines for [`converse`].
#[derive(Debug)]
pub struct Lines {
    partial: Vec<u8>,
    to: Option<UnboundedSender<String>>,
}

/// The lines that an agent prints, as they come.
pub type Incoming = UnboundedReceiver<String>;

pub fn lines() -> (Lines, Incoming) {
    let (to, incoming) = unbounded_channel();
    (Lines { partial: Vec::new(), to: Some(to) }, incoming)
}

impl Lines {
    pub fn feed(&mut self, piece: &[u8]) {
        let mut pieces = piece.split(|b| *b == b'\n').peekable();
        while let Some(part) = pieces.next() {
            self.partial.extend_from_slice(part);
            if pieces.peek().is_some() {
                let line = std::mem::take(&mut self.partial);
                // Some agents print banners before they speak the protocol.
                if line.trim_ascii_start().starts_with(b"{") {
                    self.send(String::from_utf8_lossy(&line).into_owned());
                }
            }
        }
    }

    fn send(&self, line: String) {
        if let Some(to) = &self.to {
            let _ = to.send(line);
        }
    }

    /// Nothing more comes.
    pub fn close(&mut self) {
        self.to = None;
    }
}

/// Holds the conversation until the reply is there or cannot come. Dropping `outgoing` at its end closes the agent's
/// stdin.
pub async fn converse(
    ask: Ask,
    incoming: Incoming,
    outgoing: UnboundedSender<Vec<u8>>,
    progress: &(impl Fn(Progress) + Send + Sync),
) -> Result<Said, Refused> {
    let (told, mut updates) = unbounded_channel();
    let talk = talk(ask, incoming, outgoing, told);
    let mut talk = std::pin::pin!(talk);
    let mut collected = Collected::default();
    let ended = loop {
        tokio::select! {
            biased;
            Some(update) = updates.recv() => {
                collected.update(update).into_iter().for_each(progress);
                if let Some(error) = collected.error().filter(|_| collected.is_hopeless()) {
                    return Err(Refused::by_vendor(None, &error));
                }
            }
            ended = &mut talk => break ended,
        }
    };
    while let Ok(update) = updates.try_recv() {
        collected.update(update).into_iter().for_each(progress);
    }
    let (response, conversation) = ended.map_err(|error| refused(&error))?;
    let reason = match response.stop_reason {
        StopReason::EndTurn => None,
        StopReason::MaxTokens => Some("the reply was cut at the model's output limit"),
        StopReason::MaxTurnRequests => Some("the agent asked the model too often"),
        StopReason::Refusal => Some("the agent refused to answer"),
        StopReason::Cancelled => Some("the agent cancelled the turn"),
        _ => Some("the agent ended for a reason that is not known here"),
    };
    if let Some(reason) = reason {
        return Err(Refused::new(Code::General, reason));
    }
    if let Some(error) = collected.error() {
        return Err(Refused::by_vendor(None, &error));
    }
    let usage = collected.usage(response.usage.as_ref());
    let text = collected.text();
    if contract::is_blank(&text) {
        return Err(Refused::new(Code::Empty, "the agent gave an empty reply"));
    }
    // hermes tells an HTTP error as its reply.
    if text.lines().count() == 1 && text.starts_with("HTTP ") {
        return Err(Refused::by_vendor(None, &text));
    }
    Ok(Said { text, usage, total: None, conversation })
}

/// What is told while the conversation goes on.
#[derive(Debug)]
pub enum Told {
    Update(Box<SessionNotification>),
    /// A permission was asked for, and refused: its title.
    Refused(String),
    /// What an earlier conversation said is repeated when it is loaded; the reply begins here.
    Prompted,
}

/// With the id of the conversation when the agent can load it again.
type Ended = (agent_client_protocol::v1::schema::PromptResponse, Option<String>);

async fn talk(
    ask: Ask,
    incoming: Incoming,
    outgoing: UnboundedSender<Vec<u8>>,
    told: UnboundedSender<Told>,
) -> Result<Ended, agent_client_protocol::Error> {
    let incoming = futures::stream::unfold(incoming, |mut lines| async {
        lines.recv().await.map(|line| (Ok::<_, io::Error>(line), lines))
    });
    let outgoing = futures::sink::unfold(outgoing, |to, line: String| async move {
        to.send(format!("{line}\n").into_bytes()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok::<_, io::Error>(to)
    });
    let transport = agent_client_protocol::Lines::new(Box::pin(outgoing), Box::pin(incoming));
    let (updates, refusals) = (told.clone(), told.clone());
    Client
        .v1()
        .name("flightdeck")
        .on_receive_notification(
            async move |update: SessionNotification, _: ConnectionTo<Agent>| {
                let _ = updates.send(Told::Update(Box::new(update)));
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _: ConnectionTo<Agent>| {
                let _ =
                    refusals.send(Told::Refused(request.tool_call.fields.title.clone().unwrap_or_default()));
                responder.respond(RequestPermissionResponse::new(refusal(&request)))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(transport, async move |agent: ConnectionTo<Agent>| {
            let client = Implementation::new("flightdeck", env!("CARGO_PKG_VERSION"));
            let hello = InitializeRequest::new(ProtocolVersion::V1).client_info(client);
            let hello = agent.send_request(hello).block_task().await?;
            let can_load = hello.agent_capabilities.load_session;
            if ask.conversation.is_some() && !can_load {
                let lost = "session not found: this agent cannot load one";
                return Err(agent_client_protocol::Error::invalid_request().data(lost));
            }
            let session = match ask.conversation.filter(|_| can_load) {
                Some(id) => {
                    let id = SessionId::new(id);
                    let load = LoadSessionRequest::new(id.clone(), ask.cwd).meta(text_only());
                    agent.send_request(load).block_task().await?;
                    id
                }
                None => {
                    let new = NewSessionRequest::new(ask.cwd).meta(text_only());
                    agent.send_request(new).block_task().await?.session_id
                }
            };
            let _ = told.send(Told::Prompted);
            let prompt = vec![ContentBlock::Text(TextContent::new(ask.prompt))];
            let response =
                agent.send_request(PromptRequest::new(session.clone(), prompt)).block_task().await?;
            Ok((response, can_load.then(|| session.0.to_string())))
        })
        .await
}

/// The protocol has no word for a session without tools. claude's agent has words of its own; others pass over them. It
/// reads and sends what `@path` in a prompt names even without tools, unless that is denied.
fn text_only() -> agent_client_protocol::v1::schema::Meta {
    let mut meta = serde_json::Map::new();
    let options = serde_json::json!({"tools": [], "settingSources": [],
        "settings": {"permissions": {"deny": ["Read"]}}});
    meta.insert("claudeCode".into(), serde_json::json!({"options": options}));
    meta.insert("systemPrompt".into(), crate::agents::native::SYSTEM.into());
    meta
}

/// The option that refuses, by its kind and never by its place.
fn refusal(request: &RequestPermissionRequest) -> RequestPermissionOutcome {
    let of = |kind: PermissionOptionKind| request.options.iter().find(|option| option.kind == kind);
    match of(PermissionOptionKind::RejectOnce).or_else(|| of(PermissionOptionKind::RejectAlways)) {
        Some(option) => {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
        }
        None => RequestPermissionOutcome::Cancelled,
    }
}

fn refused(error: &agent_client_protocol::Error) -> Refused {
    const AUTH_REQUIRED: i32 = -32000;
    let code = i32::from(error.code);
    let data = error.data.as_ref().map(|data| format!(" {data}")).unwrap_or_default();
    let text = format!("{}{data}", error.message);
    // gemini's code is the HTTP status.
    let status = u64::try_from(code).ok().filter(|status| (400..600).contains(status));
    match code {
        AUTH_REQUIRED => Refused::new(Code::Auth, text),
        _ => Refused::by_vendor(status, &text),
    }
}

/// A conversation that broke off because the process ended says so in the process's own words.
pub fn explained(refused: Refused, status: ExitStatus, stderr: &str) -> Refused {
    if status.success() || refused.reason != Code::General.reason() {
        return refused;
    }
    let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message");
    Refused::by_vendor(None, &format!("the agent ended ({status}): {last}"))
}

#[cfg(test)]
mod tests;
