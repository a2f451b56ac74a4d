//! One session through the real `claude` and `codex` programs, against a model server on loopback that this test
//! starts. Opt-in: it needs the two packages, and nothing else; see "Real CLIs" in `CONTRIBUTING.md`.

use crate::stage::{Stage, finish};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const VARIABLE: &str = "FLIGHTDECK_REAL_CLI";

#[test]
fn pc_035_a_session_with_the_real_claude_and_codex() {
    let Some(packages) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        println!("skipped: {VARIABLE} names no folder with node_modules (CONTRIBUTING.md, Real CLIs)");
        return;
    };
    let scope = packages.join("node_modules");
    let claude = program(&scope.join("@anthropic-ai"), "claude");
    let codex = program(&scope.join("@openai"), "codex");
    let server = Server::start();
    let stage = Stage::new();
    let url = format!("http://127.0.0.1:{}", server.port);
    std::fs::create_dir_all(stage.home().join(".codex")).unwrap();
    let provider = [
        r#"model_provider="stub""#.to_string(),
        r#"model_providers.stub.name="stub""#.into(),
        format!(r#"model_providers.stub.base_url="{url}/v1""#),
        r#"model_providers.stub.env_key="CODEX_STUB_KEY""#.into(),
        r#"model_providers.stub.wire_api="responses""#.into(),
        "model_providers.stub.request_max_retries=1".into(),
        "model_providers.stub.stream_max_retries=1".into(),
    ];
    let args: Vec<&str> = provider.iter().flat_map(|setting| ["-c", setting.as_str()]).collect();
    let config = json!({
        "writer": "claude",
        "peers": ["codex"],
        "vendors": {
            "claude": {"kind": "native", "bin": claude, "deadline": "60s", "env": {
                "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-stub",
            }},
            "codex": {"kind": "native", "bin": codex, "deadline": "60s", "model": "stub-model", "args": args, "env": {
                "CODEX_HOME": stage.home().join(".codex"), "CODEX_STUB_KEY": "sk-stub",
            }},
        },
    });
    // JSON is YAML.
    std::fs::write(stage.home().join(".config/flightdeck/config.yaml"), config.to_string()).unwrap();
    let ran = finish(
        stage.command(&["run", "--close", "auto", "--decision", "A", "--yes", "How large is the cache"]),
        "",
    );
    stage.assert_closed(&ran);
    let asked = server.asked.lock().unwrap().clone();
    assert_eq!(
        asked,
        [
            "messages opening",
            "responses peer",
            "messages turn",
            "responses peer",
            "messages summary",
            "messages synthesis"
        ]
    );
    assert_eq!(stage.show()["turns"], json!(["00-writer.md", "01-peer.md", "02-writer.md", "03-peer.md"]));
    assert!(stage.file("00-writer.md").contains("Keep the cache small"));
    assert!(stage.file("03-peer.md").contains("CONSENSUS: the cache stays small"));
    assert_eq!(stage.show()["result_class"], "agreed");
    // Tokens are kept where a vendor reports them.
    assert!(ran.err.is_empty(), "{}", ran.err);
}

/// The program of this name in a package of the platform. The launcher of the main package would need node.
fn program(scope: &Path, name: &str) -> PathBuf {
    let mut folders = vec![scope.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()) {
            let is_program = path.file_name().is_some_and(|n| n == name) && path.is_file();
            if is_program && std::fs::metadata(&path).is_ok_and(|m| m.len() > 1_000_000) {
                return path;
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    panic!("no program {name} below {}", scope.display());
}

/// A model that answers by what it is asked for, in the streams of both vendors. Binds loopback only.
struct Server {
    port: u16,
    /// `<api> <purpose>` of every request.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = asked.clone();
        // Ends with the test program.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = log.clone();
                std::thread::spawn(move || serve(stream, &log));
            }
        });
        Server { port, asked }
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<String>>) -> Option<()> {
    let (path, body) = request(&stream)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let prompt = words(body.get("messages").or(body.get("input")).unwrap_or(&Value::Null));
    let purpose = purpose(&prompt);
    let events = if path.ends_with("/messages") {
        log.lock().unwrap().push(format!("messages {purpose}"));
        messages(&answer(purpose, &prompt), body["model"].as_str().unwrap_or_default())
    } else if path.ends_with("/responses") {
        log.lock().unwrap().push(format!("responses {purpose}"));
        responses(&answer(purpose, &prompt))
    } else {
        let none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
        return (&stream).write_all(none).ok();
    };
    let mut out = &stream;
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").ok()?;
    for event in events {
        write!(out, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()).ok()?;
    }
    out.flush().ok()
}

/// The path and the body.
fn request(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.split('?').next()?.to_string();
    let (mut length, mut chunked) = (0, false);
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((key, value)) = line.split_once(':') else { break };
        match key.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "transfer-encoding" => chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        reader.take(length).read_to_end(&mut body).ok()?;
        return Some((path, body));
    }
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let size = u64::from_str_radix(line.trim(), 16).ok()?;
        (&mut reader).take(size).read_to_end(&mut body).ok()?;
        reader.read_line(&mut line).ok()?;
        if size == 0 {
            return Some((path, body));
        }
    }
}

/// All text of a request.
fn words(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => ["content", "text"].iter().filter_map(|k| map.get(*k)).map(words).collect(),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

fn purpose(prompt: &str) -> &'static str {
    if prompt.contains("## 7. Metadata and navigation") {
        "synthesis"
    } else if prompt.contains("discussed:") && prompt.contains("defer:") {
        "summary"
    } else if prompt.contains("You are a peer agent") {
        "peer"
    } else if prompt.contains("00-writer.md") {
        "turn"
    } else {
        "opening"
    }
}

fn answer(purpose: &str, prompt: &str) -> String {
    let head = |turn: u32| {
        format!(
            "---\nturn: {turn}\nrole: peer\nagent_id: codex\ntimestamp: 2026-08-24T10:00:00Z\nconsensus: none\n---\n\n"
        )
    };
    match purpose {
        "opening" => "Keep the cache small: a small cache is easy to reason about.".into(),
        "turn" => "The cold start costs two seconds once a day, and that is the whole price.".into(),
        "peer" if prompt.contains("two seconds once a day") => {
            head(3) + "Two seconds once a day are no objection.\n\nCONSENSUS: the cache stays small\n"
        }
        "peer" => head(1) + "I disagree with one point: what does the cold start cost?\n",
        "summary" => {
            "discussed: \"How large the cache is\"\nagreed: \"It stays small\"\nproposed:\n  - \"Set its size\"\nhours: 2\nimpact: \"Less memory is used\"\ndefer: none\n".into()
        }
        _ => REPORT.into(),
    }
}

const REPORT: &str = "---
confidence: high
cost_source: missing
---

# Final Report

## 1. Original problem statement
- **Task:** How large is the cache
- **Writer's initial position:** keep it small.

## 2. Positions by topic

**Topic 1: the size**
- Initiator: claude-code
- **Writer:** small → easy to reason about → 00-writer.md
- **Peer:** what about the cold start → 01-peer.md
- Resolution: small.

## 4. Recorded decision
- Keep the cache small. [synthesized]
- **Key argument:** a small cache is easy to reason about.
- **Confidence:** high
- **TTL event:** until pilot cancels

## 7. Metadata and navigation
- **Log:** [00-writer.md](00-writer.md), [01-peer.md](01-peer.md), [02-writer.md](02-writer.md), [03-peer.md](03-peer.md)
- **Related Artifacts:** none
";

/// The stream of the Messages API.
fn messages(text: &str, model: &str) -> Vec<Value> {
    let usage = json!({"input_tokens": 1200, "output_tokens": 34, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut events = vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ];
    events.extend(pieces(text).map(|piece| {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    }));
    events.push(json!({"type": "content_block_stop", "index": 0}));
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// The stream of the Responses API.
fn responses(text: &str) -> Vec<Value> {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]});
    let started = json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "stub-model",
        "status": "in_progress", "output": [], "usage": null, "error": null, "incomplete_details": null});
    let usage = json!({"input_tokens": 1200, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 34,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1234});
    let mut done = started.clone();
    done["status"] = "completed".into();
    done["output"] = json!([item]);
    done["usage"] = usage;
    let mut events = vec![
        json!({"type": "response.created", "response": started}),
        json!({"type": "response.output_item.added", "output_index": 0,
            "item": {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}}),
    ];
    events.extend(pieces(text).map(|piece| {
        json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": piece})
    }));
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({"type": "response.completed", "response": done}));
    for (n, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = n.into();
    }
    events
}

fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(20).map(|c| c.iter().collect()).collect::<Vec<String>>().into_iter()
}
