//! A model behind the APIs of all vendors, on loopback: it answers by what it is asked for, or fails as it is told to.

use super::apis::{self, Api, Event};
use super::{script, tools};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How the model behaves until it is told otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mood {
    /// Answers what the prompt asks for.
    Good,
    /// This text, whatever was asked, with the marks that the prompt asks for.
    Says(String),
    /// An HTTP error; the number says in how many seconds the limit is lifted.
    Status(u16, Option<u32>),
    /// Takes the request and never answers.
    Hang,
    /// Begins its stream and never goes on.
    Stall,
    /// Begins its stream and hangs up.
    Drop,
    /// Begins its stream and hangs up before any text.
    Break,
    /// A pause before each piece.
    Slow,
    /// In this way once, and well from then on.
    Once(Box<Mood>),
    Empty,
    /// A reply that the token limit cut.
    Cut,
    Refuse,
    /// Works with the tools that it is offered when it is to implement, and tries to write these files too.
    Edits(Vec<String>),
    /// Runs this line with the shell that it is offered, once, and answers then.
    Runs(String),
}

/// What a request was and what the model reported for it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Everything in the request that is text.
    pub words: String,
    pub tools: Vec<String>,
    /// What the tools that it called gave back.
    pub results: Vec<String>,
    /// A call that the CLI makes on its own account, for a title.
    pub is_side: bool,
    /// `None` while no whole reply was sent.
    pub tokens: Option<Tokens>,
}

/// Every request gets numbers of its own, so that a sum and a single one are never mistaken for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Without the cached ones.
    pub input: u64,
    pub cached: u64,
    /// Reasoning is part of it.
    pub output: u64,
    pub reasoning: u64,
}

impl Tokens {
    fn of(n: u64) -> Tokens {
        Tokens { input: 1000 + 7 * n, cached: 200 + 3 * n, output: 40 + n, reasoning: 5 }
    }

    pub fn plus(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input + other.input,
            cached: self.cached + other.cached,
            output: self.output + other.output,
            reasoning: self.reasoning + other.reasoning,
        }
    }
}

/// The server. It ends with the test program.
pub struct Model {
    pub port: u16,
    state: Arc<State>,
}

struct State {
    mood: Mutex<Mood>,
    asked: Mutex<Vec<Asked>>,
}

impl Model {
    /// Binds loopback only.
    pub fn start() -> Model {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State { mood: Mutex::new(Mood::Good), asked: Mutex::default() });
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(&stream);
                    // A client may keep the connection for its next request.
                    while serve(&stream, &mut reader, &state).is_some() {}
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Model { port, state }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn is(&self, mood: Mood) {
        *self.state.mood.lock().unwrap() = mood;
    }

    /// Requests from this one on.
    pub fn asked(&self, from: usize) -> Vec<Asked> {
        self.state.asked.lock().unwrap()[from..].to_vec()
    }

    pub fn count(&self) -> usize {
        self.state.asked.lock().unwrap().len()
    }
}

/// One request. `None` ends the connection.
fn serve(stream: &TcpStream, reader: &mut BufReader<&TcpStream>, state: &State) -> Option<()> {
    let (method, path, body) = request(reader)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(api) = Api::of(&path).filter(|_| method == "POST") else {
        return json_reply(stream, 200, None, &apis::side(&path));
    };
    if path.ends_with("count_tokens") || path.ends_with("countTokens") {
        return json_reply(stream, 200, None, &json!({"input_tokens": 100, "totalTokens": 100}));
    }
    let words = apis::words(api, &body);
    // claude asks in this way whether its key is good.
    if body["max_tokens"] == 1 {
        return json_reply(stream, 200, None, &apis::whole(api, &body, "#", Tokens::of(0)));
    }
    let number = {
        let mut asked = state.asked.lock().unwrap();
        asked.push(Asked {
            words: words.clone(),
            tools: apis::tools(api, &body),
            results: tools::results(api, &body),
            is_side: is_side(&body),
            tokens: None,
        });
        asked.len() - 1
    };
    let mood = {
        let mut mood = state.mood.lock().unwrap();
        match mood.clone() {
            Mood::Once(_) if is_side(&body) => Mood::Good,
            Mood::Once(first) => {
                *mood = Mood::Good;
                *first
            }
            other => other,
        }
    };
    let tokens = Tokens::of(number as u64 + 1);
    let (text, end) = match &mood {
        Mood::Status(status, reset) => {
            return json_reply(stream, *status, *reset, &apis::error(api, *status, *reset));
        }
        Mood::Hang => return until_gone(stream),
        Mood::Empty => (String::new(), apis::End::Whole),
        Mood::Says(text) => (script::marked(&words, text), apis::End::Whole),
        Mood::Cut => (script::half(&script::answer(&words)), apis::End::Cut),
        Mood::Refuse => (script::half(&script::answer(&words)), apis::End::Refused),
        _ if words.contains(tools::VERIFIER) => {
            (tools::verdict(&tools::results(api, &body)), apis::End::Whole)
        }
        _ => (script::marked(&words, &script::answer(&words)), apis::End::Whole),
    };
    let call = match &mood {
        Mood::Edits(outside) if words.contains(tools::IMPLEMENTER) => {
            let done = tools::results(api, &body).len();
            tools::next(&words, &apis::tools(api, &body), done, outside)
        }
        Mood::Edits(outside) if words.contains(tools::VERIFIER) => {
            let done = tools::results(api, &body).len();
            tools::runs(&words, &apis::tools(api, &body), done, outside)
        }
        Mood::Runs(line) if words.contains(script::PEER) && !is_side(&body) => {
            *state.mood.lock().unwrap() = Mood::Good;
            Some(tools::shell(api, &apis::tools(api, &body), line))
        }
        _ => None,
    };
    let told = |state: &State| state.asked.lock().unwrap()[number].tokens = Some(tokens);
    if !apis::is_streamed(api, &body, &path) {
        if matches!(mood, Mood::Drop | Mood::Break | Mood::Stall) {
            let mut out = stream;
            out.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{\"id\":",
            )
            .ok()?;
            return if mood == Mood::Stall { until_gone(stream) } else { None };
        }
        told(state);
        return json_reply(stream, 200, None, &apis::whole(api, &body, &text, tokens));
    }
    let mut out = stream;
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").ok()?;
    let events = match &call {
        Some(call) => tools::stream(api, &body, call, tokens),
        None => apis::stream(api, &body, &text, tokens, end),
    };
    for event in events {
        let Event { name, data, is_text } = event;
        if is_text && mood == Mood::Break {
            return None;
        }
        if let Some(name) = name {
            writeln!(out, "event: {name}").ok()?;
        }
        write!(out, "data: {data}\n\n").ok()?;
        out.flush().ok()?;
        match mood {
            Mood::Stall if is_text => return until_gone(stream),
            Mood::Drop if is_text => return None,
            Mood::Slow if is_text => pause(stream, Duration::from_millis(60))?,
            _ => {}
        }
    }
    told(state);
    None
}

/// claude's ACP agent has the model find a title for the session, in a form that it prescribes.
fn is_side(body: &Value) -> bool {
    let asks = body["system"].to_string() + &body["output_config"].to_string();
    asks.contains("title")
}

/// Waits for the other side to hang up.
fn until_gone(stream: &TcpStream) -> Option<()> {
    let _ = stream.set_read_timeout(None);
    let mut rest = [0; 64];
    while (&mut &*stream).read(&mut rest).is_ok_and(|n| n > 0) {}
    None
}

/// `None` when the other side hung up meanwhile.
fn pause(stream: &TcpStream, time: Duration) -> Option<()> {
    stream.set_read_timeout(Some(time)).ok()?;
    match (&mut &*stream).read(&mut [0; 1]) {
        Ok(0) => None,
        _ => Some(()),
    }
}

fn json_reply(mut stream: &TcpStream, status: u16, reset: Option<u32>, body: &Value) -> Option<()> {
    let body = body.to_string();
    let after = reset.map(|s| format!("Retry-After: {s}\r\n")).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status} Told\r\nContent-Type: application/json\r\n{after}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    stream.flush().ok()
}

/// Method, path and body.
fn request(reader: &mut BufReader<&TcpStream>) -> Option<(String, String, Vec<u8>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut head = line.split(' ');
    let method = head.next()?.to_string();
    let path = head.next()?.split('?').next()?.to_string();
    let (mut length, mut is_chunked) = (0, false);
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((key, value)) = line.split_once(':') else { break };
        match key.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "transfer-encoding" => is_chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !is_chunked {
        reader.take(length).read_to_end(&mut body).ok()?;
        return Some((method, path, body));
    }
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let size = u64::from_str_radix(line.trim(), 16).ok()?;
        reader.take(size).read_to_end(&mut body).ok()?;
        line.clear();
        reader.read_line(&mut line).ok()?;
        if size == 0 {
            return Some((method, path, body));
        }
    }
}
