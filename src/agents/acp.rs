//! Any agent that speaks the Agent Client Protocol over its standard streams, as a vendor of its own (`kind: acp`). The
//! crate that knows the protocol is named in this module and its children only.
//!
//! The agent gets no files and no terminal of ours. What it asks leave for is refused, unless the pilot wants to be asked.

mod agent;
mod permission;
mod reply;
mod turn;

pub use agent::ENVIRONMENT;

use crate::agents::call::{Leave, Progress};
use crate::agents::contract::Code;
use crate::agents::process::hold::Hold;
use crate::agents::stream::mark::Body;
use crate::agents::stream::{Refused, Said};
use agent::Agent as Known;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    Implementation, InitializeRequest, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, SessionModeId, SessionModeState,
    SessionNotification, SetSessionModeRequest, StopReason,
};
use agent_client_protocol::{Agent, Client, UntypedMessage};
use reply::Collected;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use turn::{Seen, turn};

/// What one call asks.
#[derive(Debug)]
pub struct Ask {
    pub prompt: String,
    /// Session to load, where the agent can.
    pub conversation: Option<String>,
    /// The empty folder of the call.
    pub cwd: PathBuf,
    /// Whom to ask for leave, and the clock that stands still meanwhile; without it the answer is no.
    pub leave: Option<(Leave, Hold)>,
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
                if let Some(refused) = collected.hopeless() {
                    return Err(refused);
                }
            }
            ended = &mut talk => break ended,
        }
    };
    while let Ok(update) = updates.try_recv() {
        collected.update(update).into_iter().for_each(progress);
    }
    let (turn, conversation) = ended.map_err(|error| refused(&error))?;
    let reason = match turn.reason {
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
    let usage = collected.usage(&turn.usage);
    let Body { text, is_unproven } = collected.reply()?;
    Ok(Said { text, usage, total: None, conversation, is_unproven })
}

/// What is told while the conversation goes on.
#[derive(Debug)]
pub enum Told {
    /// The agent's name for itself.
    Named(Known),
    Update(Box<SessionNotification>),
    /// A permission was asked for, and given or refused: its title.
    Leave(String, bool),
    /// What an earlier conversation said is repeated when it is loaded; the reply begins here, or once more.
    Prompted,
}

/// With the id of the conversation when the agent can load it again.
type Ended = (turn::Ended, Option<String>);

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
    let (updates, answers) = (told.clone(), told.clone());
    let seen = Seen::default();
    let (heard, answered) = (seen.clone(), seen.clone());
    let (leave, asks) = (ask.leave.clone(), ask.leave.is_some());
    Client
        .v1()
        .name("flightdeck")
        .on_receive_notification(
            async move |update: SessionNotification, _: ConnectionTo<Agent>| {
                heard.update(&update.update);
                let _ = updates.send(Told::Update(Box::new(update)));
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, agent: ConnectionTo<Agent>| {
                let title = request.tool_call.fields.title.clone().unwrap_or_default();
                let Some((leave, hold)) = leave.clone() else {
                    answered.refused();
                    let _ = answers.send(Told::Leave(title, false));
                    return responder.respond(RequestPermissionResponse::new(permission::refusal(&request)));
                };
                let (answers, answered) = (answers.clone(), answered.clone());
                // A task of its own: what the agent tells meanwhile is heard.
                agent.spawn(async move {
                    let held = hold.hold();
                    let shown = permission::request(&answered.completed(request.clone()));
                    let chosen = leave.ask(shown).await;
                    drop(held);
                    let (outcome, is_allowed) = permission::outcome(&request, chosen);
                    if !is_allowed {
                        answered.refused();
                    }
                    let _ = answers.send(Told::Leave(title, is_allowed));
                    responder.respond(RequestPermissionResponse::new(outcome))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(transport, async move |agent: ConnectionTo<Agent>| {
            let client = Implementation::new("flightdeck", env!("CARGO_PKG_VERSION"));
            let hello = InitializeRequest::new(ProtocolVersion::V1).client_info(client);
            let hello = agent.send_request(hello).block_task().await?;
            let known = hello.agent_info.map_or(Known::Other, |info| Known::named(&info.name));
            let _ = told.send(Told::Named(known));
            let can_load = hello.agent_capabilities.load_session;
            if ask.conversation.is_some() && !can_load {
                let lost = "session not found: this agent cannot load one";
                return Err(agent_client_protocol::Error::invalid_request().data(lost));
            }
            let is_loaded = ask.conversation.is_some();
            let (session, modes) = match ask.conversation.filter(|_| can_load) {
                Some(id) => {
                    let id = SessionId::new(id);
                    let load = LoadSessionRequest::new(id.clone(), ask.cwd).meta(manner(asks));
                    // As it came: some answer nothing.
                    let load = UntypedMessage::new("session/load", load)?;
                    let answer = agent.send_request(load).block_task().await.map_err(not_loaded)?;
                    let answer: Option<LoadSessionResponse> = serde_json::from_value(answer).ok().flatten();
                    (id, answer.and_then(|answer| answer.modes))
                }
                None => {
                    let new = NewSessionRequest::new(ask.cwd).meta(manner(asks));
                    let new = agent.send_request(new).block_task().await?;
                    (new.session_id, new.modes)
                }
            };
            if let Some(mode) = modes.filter(|_| asks).and_then(asking_mode) {
                let set = SetSessionModeRequest::new(session.clone(), mode);
                agent.send_request(set).block_task().await?;
            }
            let turn = turn(&agent, &session, known, ask.prompt, &seen, &told).await?;
            // hermes loads what is not there without a word, and refuses the prompt then.
            let is_silent = is_loaded && !seen.is_spoken();
            if is_silent && turn.reason == StopReason::Refusal {
                let lost = "session not found: nothing was loaded, and the prompt was refused";
                return Err(agent_client_protocol::Error::invalid_request().data(lost));
            }
            Ok((turn, can_load.then(|| session.0.to_string())))
        })
        .await
}

/// The protocol has no word for a session without tools. claude's agent has words of its own; others pass over them. It
/// reads and sends what `@path` in a prompt names even without tools, unless that is denied. Only an agent that asks the
/// pilot first keeps its other tools.
fn manner(asks: bool) -> agent_client_protocol::v1::schema::Meta {
    let mut meta = serde_json::Map::new();
    let mut options = serde_json::json!({"settingSources": [], "settings": {"permissions": {"deny": ["Read"]}},
            // It has the model guess what the pilot would say next, at the pilot's cost.
            "promptSuggestions": false});
    if !asks {
        options["tools"] = serde_json::json!([]);
        meta.insert("systemPrompt".into(), crate::agents::native::SYSTEM.into());
    }
    meta.insert("claudeCode".into(), serde_json::json!({"options": options}));
    meta
}

/// The mode in which agents ask before they act, where another one is on.
fn asking_mode(modes: SessionModeState) -> Option<SessionModeId> {
    const ASKS: &str = "default";
    let is_offered = modes.available_modes.iter().any(|mode| &*mode.id.0 == ASKS);
    (is_offered && &*modes.current_mode_id.0 != ASKS).then(|| SessionModeId::new(ASKS))
}

/// Whatever the reason in the agent's words, the conversation does not go on. What passes keeps its own class.
fn not_loaded(mut error: agent_client_protocol::Error) -> agent_client_protocol::Error {
    error.message.push_str(" (the session was not loaded)");
    error
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
