//! What the four model APIs look like on the wire: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini.

use super::model::Tokens;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    Messages,
    Responses,
    Chat,
    Gemini,
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Whole,
    Cut,
    Refused,
}

/// One event of a stream.
pub struct Event {
    pub name: Option<String>,
    pub data: String,
    /// It carries a piece of the reply.
    pub is_text: bool,
}

impl Api {
    pub fn of(path: &str) -> Option<Api> {
        match path {
            _ if path.ends_with("/messages") || path.ends_with("/count_tokens") => Some(Api::Messages),
            _ if path.ends_with("/responses") => Some(Api::Responses),
            _ if path.ends_with("/chat/completions") => Some(Api::Chat),
            _ if path.contains(":generateContent")
                || path.contains(":streamGenerateContent")
                || path.contains(":countTokens") =>
            {
                Some(Api::Gemini)
            }
            _ => None,
        }
    }
}

/// What is asked besides: lists of models.
pub fn side(path: &str) -> Value {
    match path.ends_with("/models") {
        true => json!({"object": "list", "has_more": false, "models": [{"name": "models/stub-model"}],
            "data": [{"id": "stub-model", "object": "model", "type": "model", "owned_by": "stub", "created": 1,
                "context_length": 128_000}]}),
        false => json!({}),
    }
}

pub fn is_streamed(api: Api, body: &Value, path: &str) -> bool {
    match api {
        Api::Gemini => path.contains(":stream"),
        _ => body["stream"] == true,
    }
}

/// All text of the conversation, in its order, and none of the system's.
pub fn words(api: Api, body: &Value) -> String {
    let messages = match api {
        Api::Messages | Api::Chat => &body["messages"],
        Api::Responses => &body["input"],
        Api::Gemini => &body["contents"],
    };
    let all = messages.as_array().cloned().unwrap_or_else(|| vec![messages.clone()]);
    let said = all.iter().filter(|m| m["role"] != "system" && m["role"] != "developer");
    said.map(text).collect::<Vec<_>>().join("\n")
}

fn text(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => {
            ["content", "parts", "text"].iter().filter_map(|k| map.get(*k)).map(text).collect()
        }
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

/// The names of the tools that the CLI offers to the model.
pub fn tools(api: Api, body: &Value) -> Vec<String> {
    let list = body["tools"].as_array().cloned().unwrap_or_default();
    let named = |tool: &Value| {
        let name = tool["name"].as_str().or(tool["function"]["name"].as_str()).or(tool["type"].as_str());
        name.unwrap_or("?").to_string()
    };
    match api {
        Api::Gemini => {
            let declared = list.iter().filter_map(|t| t["functionDeclarations"].as_array()).flatten();
            declared.map(named).collect()
        }
        _ => list.iter().map(named).collect(),
    }
}

pub fn error(api: Api, status: u16, reset: Option<u32>) -> Value {
    // The services' own words: some CLIs pass on nothing else.
    let message = match (api, status) {
        (Api::Messages, 401) => "invalid x-api-key",
        (Api::Messages, 429) => "This request would exceed your organization's rate limit",
        (Api::Messages, _) => "Internal server error",
        (Api::Gemini, 401) => "Request had invalid authentication credentials.",
        (Api::Gemini, 429) => "Resource has been exhausted (e.g. check quota).",
        (Api::Gemini, _) => "An internal error has occurred.",
        (_, 401) => "Incorrect API key provided: sk-stub.",
        (_, 429) => "Rate limit reached for stub-model: Limit 3, Used 3, Requested 1.",
        _ => "The server had an error while processing your request. Sorry about that!",
    };
    match api {
        Api::Messages => {
            let kind = match status {
                401 => "authentication_error",
                429 => "rate_limit_error",
                _ => "api_error",
            };
            json!({"type": "error", "error": {"type": kind, "message": message}})
        }
        Api::Gemini => {
            let name = match status {
                401 => "UNAUTHENTICATED",
                429 => "RESOURCE_EXHAUSTED",
                _ => "INTERNAL",
            };
            let details = reset.map(|s| {
                json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{s}s")}])
            });
            json!({"error": {"code": status, "message": message, "status": name, "details": details}})
        }
        Api::Responses | Api::Chat => {
            let code = match status {
                401 => "invalid_api_key",
                429 => "rate_limit_exceeded",
                _ => "server_error",
            };
            json!({"error": {"message": message, "type": code, "param": null, "code": code}})
        }
    }
}

/// Services give each reply a name of its own, and some agents tell by it where one ends.
fn name(kind: &str, tokens: Tokens) -> String {
    format!("{kind}_{}", tokens.input)
}

/// A reply in one piece.
pub fn whole(api: Api, body: &Value, text: &str, tokens: Tokens) -> Value {
    let model = &body["model"];
    match api {
        Api::Messages => {
            json!({"id": name("msg", tokens), "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": messages_usage(tokens)})
        }
        Api::Responses => responses_object(model, Some(text), tokens, End::Whole),
        Api::Chat => {
            json!({"id": name("chat", tokens), "object": "chat.completion", "created": 1, "model": model,
            "usage": chat_usage(tokens),
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]})
        }
        Api::Gemini => gemini_chunk(text, Some("STOP"), Some(tokens)),
    }
}

pub fn stream(api: Api, body: &Value, text: &str, tokens: Tokens, end: End) -> Vec<Event> {
    let model = &body["model"];
    match api {
        Api::Messages => messages(model, text, tokens, end),
        Api::Responses => responses(model, text, tokens, end),
        Api::Chat => chat(body, text, tokens, end),
        Api::Gemini => gemini(text, tokens, end),
    }
}

fn plain(data: &Value, is_text: bool) -> Event {
    Event { name: None, data: data.to_string(), is_text }
}

fn named(data: &Value, is_text: bool) -> Event {
    Event { name: data["type"].as_str().map(String::from), data: data.to_string(), is_text }
}

pub fn messages_usage(t: Tokens) -> Value {
    json!({"input_tokens": t.input, "output_tokens": t.output, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": t.cached})
}

fn messages(model: &Value, text: &str, tokens: Tokens, end: End) -> Vec<Event> {
    let stop = match end {
        End::Whole => "end_turn",
        End::Cut => "max_tokens",
        End::Refused => "refusal",
    };
    let mut begun = messages_usage(tokens);
    begun["output_tokens"] = 1.into();
    let message = json!({"id": name("msg", tokens), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": begun});
    let mut events = vec![
        named(&json!({"type": "message_start", "message": message}), false),
        named(
            &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            false,
        ),
    ];
    events.extend(pieces(text).map(|piece| {
        named(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}), true)
    }));
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(named(&json!({"type": "content_block_stop", "index": 0}), false));
    let usage = messages_usage(tokens);
    events.push(named(&json!({"type": "message_delta", "delta": delta, "usage": usage}), false));
    events.push(named(&json!({"type": "message_stop"}), false));
    events
}

pub fn responses_object(model: &Value, text: Option<&str>, t: Tokens, end: End) -> Value {
    let mut object = json!({"id": name("resp", t), "object": "response", "created_at": 1, "model": model,
        "status": "in_progress", "output": [], "usage": null, "error": null, "incomplete_details": null});
    if let Some(text) = text {
        object["status"] = "completed".into();
        object["output"] = json!([responses_item(text, t)]);
        object["usage"] = json!({"input_tokens": t.input + t.cached, "input_tokens_details": {"cached_tokens": t.cached},
            "output_tokens": t.output, "output_tokens_details": {"reasoning_tokens": t.reasoning},
            "total_tokens": t.input + t.cached + t.output});
        if end != End::Whole {
            let why = if end == End::Cut { "max_output_tokens" } else { "content_filter" };
            object["status"] = "incomplete".into();
            object["incomplete_details"] = json!({"reason": why});
        }
    }
    object
}

pub fn responses_item(text: &str, tokens: Tokens) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "id": name("msg", tokens), "role": "assistant", "status": "completed", "content": [part]})
}

fn responses(model: &Value, text: &str, tokens: Tokens, end: End) -> Vec<Event> {
    let begun = json!({"type": "message", "id": name("msg", tokens), "role": "assistant", "status": "in_progress", "content": []});
    let at = json!({"item_id": name("msg", tokens), "output_index": 0, "content_index": 0});
    let with = |kind: &str, more: Value| {
        let mut event = at.clone();
        event["type"] = kind.into();
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let part = |text: &str| json!({"part": {"type": "output_text", "text": text, "annotations": []}});
    let mut list = vec![
        (json!({"type": "response.created", "response": responses_object(model, None, tokens, end)}), false),
        (json!({"type": "response.output_item.added", "output_index": 0, "item": begun}), false),
        (with("response.content_part.added", part("")), false),
    ];
    list.extend(
        pieces(text).map(|piece| (with("response.output_text.delta", json!({"delta": piece})), true)),
    );
    list.push((with("response.output_text.done", json!({"text": text})), false));
    list.push((with("response.content_part.done", part(text)), false));
    list.push((
        json!({"type": "response.output_item.done", "output_index": 0, "item": responses_item(text, tokens)}),
        false,
    ));
    let last = if end == End::Whole { "response.completed" } else { "response.incomplete" };
    list.push((json!({"type": last, "response": responses_object(model, Some(text), tokens, end)}), false));
    let numbered = list.into_iter().enumerate().map(|(n, (mut event, is_text))| {
        event["sequence_number"] = n.into();
        named(&event, is_text)
    });
    numbered.collect()
}

pub fn chat_usage(t: Tokens) -> Value {
    json!({"prompt_tokens": t.input + t.cached, "completion_tokens": t.output,
        "total_tokens": t.input + t.cached + t.output, "prompt_tokens_details": {"cached_tokens": t.cached},
        "completion_tokens_details": {"reasoning_tokens": t.reasoning}, "cached_tokens": t.cached})
}

fn chat(body: &Value, text: &str, tokens: Tokens, end: End) -> Vec<Event> {
    let stop = match end {
        End::Whole => "stop",
        End::Cut => "length",
        End::Refused => "content_filter",
    };
    let chunk = |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({"id": name("chat", tokens), "object": "chat.completion.chunk", "created": 1,
            "model": body["model"], "choices": choices});
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        chunk
    };
    let choice =
        |delta: Value, stop: Option<&str>| json!([{"index": 0, "delta": delta, "finish_reason": stop}]);
    let mut events =
        vec![plain(&chunk(choice(json!({"role": "assistant", "content": ""}), None), None), false)];
    events
        .extend(pieces(text).map(|piece| plain(&chunk(choice(json!({"content": piece}), None), None), true)));
    events.push(plain(&chunk(choice(json!({}), Some(stop)), None), false));
    if body["stream_options"]["include_usage"] == true {
        events.push(plain(&chunk(json!([]), Some(chat_usage(tokens))), false));
    }
    events.push(Event { name: None, data: "[DONE]".into(), is_text: false });
    events
}

/// Gemini counts its thoughts beside the candidates.
pub fn gemini_chunk(text: &str, stop: Option<&str>, tokens: Option<Tokens>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": [{"text": text}]}, "index": 0});
    if let Some(stop) = stop {
        candidate["finishReason"] = stop.into();
    }
    let mut chunk = json!({"candidates": [candidate], "modelVersion": "stub-model", "responseId": "r1"});
    if let Some(t) = tokens {
        chunk["usageMetadata"] = json!({"promptTokenCount": t.input + t.cached, "cachedContentTokenCount": t.cached,
            "candidatesTokenCount": t.output - t.reasoning, "thoughtsTokenCount": t.reasoning,
            "totalTokenCount": t.input + t.cached + t.output});
    }
    chunk
}

fn gemini(text: &str, tokens: Tokens, end: End) -> Vec<Event> {
    let stop = match end {
        End::Whole => "STOP",
        End::Cut => "MAX_TOKENS",
        End::Refused => "SAFETY",
    };
    let mut events: Vec<Event> =
        pieces(text).map(|piece| plain(&gemini_chunk(&piece, None, None), true)).collect();
    events.push(plain(&gemini_chunk("", Some(stop), Some(tokens)), false));
    events
}

/// Pieces of a size that a real stream has; of a long text larger ones.
fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    let size = if text.len() > 20_000 { 2000 } else { 20 };
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size).map(|c| c.iter().collect()).collect::<Vec<String>>().into_iter()
}
