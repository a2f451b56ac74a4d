//! A model that works with the tools that the CLI offers: which one it calls next, what that looks like on the wire, and
//! what came back.

use super::apis::{Api, Event};
use super::model::Tokens;
use serde_json::{Value, json};

/// What the implementer's prompt begins with.
pub const IMPLEMENTER: &str = "You are the implementer of a decision";

/// What a verifier's prompt begins with.
pub const VERIFIER: &str = "You verify a change before it is deployed";

/// The next call of a verifier, who runs something in the tree, and then tries to write the file `outside`.
pub fn runs(words: &str, tools: &[String], done: usize, outside: &[String]) -> Option<ToolCall> {
    let (_, places) = words.split_once("\nWhere it lies:\n")?;
    let tree = places.lines().find_map(|line| line.strip_prefix("- ")?.split_once(": "))?.1.trim();
    let lines = [format!("cat {tree}/code.txt"), format!("echo bad >{}", outside.first()?)];
    let line = lines.get(done).filter(|_| tools.iter().any(|tool| tool == "exec_command"))?;
    Some(ToolCall { id: format!("call_{}", done + 1), name: "exec_command", input: json!({"cmd": line}) })
}

/// What a verifier says about what it saw.
pub fn verdict(results: &[String]) -> String {
    let is_small = results.first().is_some_and(|said| said.contains("small"));
    format!("$ cat code.txt\nsmall\n\nVERDICT: {}\n", if is_small { "PASS" } else { "FAIL" })
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: &'static str,
    pub input: Value,
}

/// The next call of an implementer who looks around, reads and edits `code.txt` in each of his trees, and then tries to write each of the files
/// `outside`. `None` when all was tried, or when no tool for it is offered.
pub fn next(words: &str, tools: &[String], done: usize, outside: &[String]) -> Option<ToolCall> {
    let files: Vec<String> = trees(words)?.iter().map(|tree| format!("{tree}/code.txt")).collect();
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    let all: Vec<(&'static str, Value)> = if has("exec_command") {
        let patch = |file: &String| {
            format!(
                "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {file}\n@@\n-one\n+small\n*** End Patch\nEOF"
            )
        };
        let edits = files.iter().flat_map(|file| [format!("cat {file}"), patch(file)]);
        let looks = ["find . -name code.txt", "grep -rl one ."].map(String::from).into_iter();
        let lines = looks.chain(edits).chain(outside.iter().map(|path| format!("echo bad >{path}")));
        lines.map(|line| ("exec_command", json!({"cmd": line}))).collect()
    } else if has("Edit") && has("Write") {
        let edit = |file: &String| json!({"file_path": file, "old_string": "one", "new_string": "small"});
        let edits =
            files.iter().flat_map(|file| [("Read", json!({"file_path": file})), ("Edit", edit(file))]);
        let write = |path: &String| ("Write", json!({"file_path": path, "content": "bad\n"}));
        let looks = [
            ("Glob", json!({"pattern": "**/code.txt"})),
            ("Grep", json!({"pattern": "one", "glob": "*.txt"})),
        ];
        looks.into_iter().chain(edits).chain(outside.iter().map(write)).collect()
    } else {
        return None;
    };
    let (name, input) = all.into_iter().nth(done)?;
    Some(ToolCall { id: format!("call_{}", done + 1), name, input })
}

/// The trees of the prompt.
fn trees(words: &str) -> Option<Vec<&str>> {
    let (_, places) = words.split_once("\nWhere you work:\n")?;
    let lines = places.lines().map_while(|line| line.strip_prefix("- "));
    lines.map(|line| line.split_once(": ").map(|(_, at)| at.trim())).collect()
}

/// What it says beside each call of a tool; no part of the report.
pub const SAID: &str = "One step more.";

/// The last report of an implementer.
pub const REPORT: &str = "I made it small; the files outside are not mine to write.\n\nchanged_files:\n- code.txt — it says small\n";

/// What the tools gave back, in order.
pub fn results(api: Api, body: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let plain = |value: &Value| value.as_str().map_or(value.to_string(), String::from);
    match api {
        Api::Messages => {
            let blocks = list(&body["messages"]).into_iter().flat_map(|m| list(&m["content"]));
            blocks.filter(|b| b["type"] == "tool_result").map(|b| plain(&b["content"])).collect()
        }
        Api::Responses => {
            let items = list(&body["input"]).into_iter();
            items.filter(|i| i["type"] == "function_call_output").map(|i| plain(&i["output"])).collect()
        }
        Api::Chat => {
            let messages = list(&body["messages"]).into_iter();
            messages.filter(|m| m["role"] == "tool").map(|m| plain(&m["content"])).collect()
        }
        Api::Gemini => {
            let parts = list(&body["contents"]).into_iter().flat_map(|c| list(&c["parts"]));
            parts.filter(|p| p["functionResponse"].is_object()).map(|p| p.to_string()).collect()
        }
    }
}

/// A call of the shell that is offered; of the one that the API's own program has where none is.
pub fn shell(api: Api, tools: &[String], line: &str) -> ToolCall {
    const SHELLS: [&str; 6] = ["Bash", "bash", "exec_command", "run_shell_command", "terminal", "Shell"];
    let own = if api == Api::Messages { "Bash" } else { "bash" };
    let name = SHELLS.into_iter().find(|shell| tools.iter().any(|tool| tool == shell)).unwrap_or(own);
    let input = match name {
        "exec_command" => {
            json!({"cmd": line, "sandbox_permissions": "require_escalated", "justification": "It is needed."})
        }
        "terminal" => json!({"command": line}),
        _ => json!({"command": line, "description": "Look around"}),
    };
    ToolCall { id: "call_1".into(), name, input }
}

/// The stream of a reply that is a call.
pub fn stream(api: Api, body: &Value, call: &ToolCall, tokens: Tokens) -> Vec<Event> {
    match api {
        Api::Messages => messages(body, call, tokens),
        Api::Responses => responses(body, call, tokens),
        Api::Chat => chat(body, call, tokens),
        Api::Gemini => gemini(call, tokens),
    }
}

fn named(data: Value) -> Event {
    Event { name: data["type"].as_str().map(String::from), data: data.to_string(), is_text: false }
}

fn messages(body: &Value, call: &ToolCall, tokens: Tokens) -> Vec<Event> {
    let usage = super::apis::messages_usage(tokens);
    let message = json!({"id": format!("msg_{}", call.id), "type": "message", "role": "assistant", "model": body["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage});
    let block =
        json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": {}});
    let input = json!({"type": "input_json_delta", "partial_json": call.input.to_string()});
    let stop = json!({"stop_reason": "tool_use", "stop_sequence": null});
    let said = json!({"type": "text_delta", "text": SAID});
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": said}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": block}),
        json!({"type": "content_block_delta", "index": 1, "delta": input}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": stop, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    events.map(named).into()
}

fn responses(body: &Value, call: &ToolCall, tokens: Tokens) -> Vec<Event> {
    let item = json!({"type": "function_call", "id": format!("fc_{}", call.id), "call_id": call.id, "name": call.name,
        "status": "completed", "arguments": call.input.to_string()});
    let object = |text| super::apis::responses_object(&body["model"], text, tokens, super::apis::End::Whole);
    let mut whole = object(Some(""));
    let said = super::apis::responses_item(SAID, tokens);
    whole["output"] = json!([said, item]);
    let events = [
        json!({"type": "response.created", "response": object(None)}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": said}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": said}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": item}),
        json!({"type": "response.completed", "response": whole}),
    ];
    events.map(named).into()
}

fn chat(body: &Value, call: &ToolCall, tokens: Tokens) -> Vec<Event> {
    let function = json!({"name": call.name, "arguments": call.input.to_string()});
    let calls = json!([{"index": 0, "id": call.id, "type": "function", "function": function}]);
    let chunk = |choices: Value| json!({"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": body["model"], "choices": choices});
    let choice =
        |delta: Value, stop: Option<&str>| json!([{"index": 0, "delta": delta, "finish_reason": stop}]);
    let mut last = chunk(json!([]));
    last["usage"] = super::apis::chat_usage(tokens);
    let events = [
        chunk(choice(json!({"role": "assistant", "content": null, "tool_calls": calls}), None)),
        chunk(choice(json!({}), Some("tool_calls"))),
        last,
    ];
    let done = Event { name: None, data: "[DONE]".into(), is_text: false };
    events.map(unnamed).into_iter().chain([done]).collect()
}

fn gemini(call: &ToolCall, tokens: Tokens) -> Vec<Event> {
    let mut chunk = super::apis::gemini_chunk("", Some("STOP"), Some(tokens));
    chunk["candidates"][0]["content"]["parts"] =
        json!([{"functionCall": {"id": call.id, "name": call.name, "args": call.input}}]);
    vec![unnamed(chunk)]
}

fn unnamed(data: Value) -> Event {
    Event { name: None, data: data.to_string(), is_text: false }
}
