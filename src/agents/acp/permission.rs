//! What an agent asks leave for, in words of ours, and the answer in words of the protocol.

use crate::agents::privacy::pii;
use crate::agents::stream::one_line;
use crate::domain::session::permission::{Detail, Offer, OfferKind, Request};
use agent_client_protocol::v1::schema::{
    ContentBlock, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SelectedPermissionOutcome, ToolCallContent,
};
use serde_json::Value;

/// More of it would push the choices off a screen; what is left out is said.
const PATHS: usize = 8;
const LINES: usize = 30;
const LINE: usize = 500;
const INPUT: usize = 1000;

/// The request as the pilot reads it: on lines of ours, without control characters, without what looks like a secret.
pub fn request(asked: &RequestPermissionRequest) -> Request {
    let fields = &asked.tool_call.fields;
    let texts: Vec<&str> = fields.content.iter().flatten().filter_map(text).collect();
    // Some agents write what the tool is given as a text.
    let written = || texts.iter().find_map(|text| serde_json::from_str(text).ok().filter(Value::is_object));
    let raw = fields.raw_input.clone().or_else(written).unwrap_or_default();
    let command = command(&raw);
    let mut details: Vec<Detail> = Vec::new();
    let mut paths: Vec<String> =
        fields.locations.iter().flatten().map(|place| place.path.display().to_string()).collect();
    let diffs = fields.content.iter().flatten().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(diff.path.display().to_string()),
        _ => None,
    });
    paths.extend(diffs);
    paths.dedup();
    details.extend(paths.iter().take(PATHS).map(|path| Detail::Path(cut(path, LINE, &mut 0))));
    let mut more: usize = paths.iter().skip(PATHS).map(|path| path.chars().count()).sum();
    match command {
        Some(command) => {
            let command = pii::redact(&command);
            for (n, line) in command.lines().enumerate() {
                if n < LINES {
                    details.push(Detail::Command(cut(line, LINE, &mut more)));
                } else {
                    more += line.chars().count();
                }
            }
        }
        None if raw.as_object().is_some_and(|raw| !raw.is_empty()) => {
            details.push(Detail::Input(cut(&pii::redact(&raw.to_string()), INPUT, &mut more)));
        }
        None if !texts.is_empty() => {
            let text = one_line(&texts.join(" "));
            details.push(Detail::Input(cut(&pii::redact(&text), INPUT, &mut more)));
        }
        None => {}
    }
    if more > 0 {
        details.push(Detail::More(more));
    }
    let kind = fields.kind.and_then(|kind| serde_json::to_value(kind).ok());
    Request {
        tool: kind.as_ref().and_then(Value::as_str).unwrap_or_default().to_string(),
        title: pii::redact(&one_line(fields.title.as_deref().unwrap_or_default())),
        details,
        offers: offers(asked),
    }
}

fn text(content: &ToolCallContent) -> Option<&str> {
    let ToolCallContent::Content(content) = content else { return None };
    let ContentBlock::Text(text) = &content.content else { return None };
    Some(&text.text).filter(|text| !text.trim().is_empty()).map(String::as_str)
}

/// Options of a kind that is not known here are not offered: nobody could say what they do.
fn offers(asked: &RequestPermissionRequest) -> Vec<Offer> {
    let offer = |(kind, name): (OfferKind, &str)| Offer { kind, name: one_line(name) };
    known(asked).into_iter().map(|(kind, at)| offer((kind, &asked.options[at].name))).collect()
}

fn known(asked: &RequestPermissionRequest) -> Vec<(OfferKind, usize)> {
    let kind = |kind: &PermissionOptionKind| match kind {
        PermissionOptionKind::AllowOnce => Some(OfferKind::AllowOnce),
        PermissionOptionKind::AllowAlways => Some(OfferKind::AllowAlways),
        PermissionOptionKind::RejectOnce => Some(OfferKind::RejectOnce),
        PermissionOptionKind::RejectAlways => Some(OfferKind::RejectAlways),
        _ => None,
    };
    let numbered = asked.options.iter().enumerate();
    numbered.filter_map(|(at, option)| kind(&option.kind).map(|kind| (kind, at))).collect()
}

/// What the agent is told, and whether that allows what it wanted.
pub fn outcome(asked: &RequestPermissionRequest, chosen: Option<usize>) -> (RequestPermissionOutcome, bool) {
    match chosen.and_then(|n| known(asked).get(n).copied()) {
        Some((kind, at)) => {
            let id = asked.options[at].option_id.clone();
            (RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id)), kind.allows())
        }
        None => (refusal(asked), false),
    }
}

/// The option that refuses, by its kind and never by its place.
pub fn refusal(asked: &RequestPermissionRequest) -> RequestPermissionOutcome {
    let of = |kind: PermissionOptionKind| asked.options.iter().find(|option| option.kind == kind);
    match of(PermissionOptionKind::RejectOnce).or_else(|| of(PermissionOptionKind::RejectAlways)) {
        Some(option) => {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
        }
        None => RequestPermissionOutcome::Cancelled,
    }
}

/// A command stands under this name with all agents that were measured, as text or as a list of words.
fn command(raw: &Value) -> Option<String> {
    match &raw["command"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    }
}

/// One line without control characters; what does not fit is counted.
fn cut(text: &str, most: usize, more: &mut usize) -> String {
    let shown: String = text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    *more += text.chars().count().saturating_sub(most);
    shown
}
