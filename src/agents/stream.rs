//! Pure parsers of what vendor CLIs print, one file a vendor. Exit code 0 alone is never success: the CLI's own end
//! event must say so.

pub mod cause;
pub mod claude;
pub mod codex;
pub mod gemini;
pub mod hermes;
pub mod kimi;
pub mod kimi_code;
pub mod mark;
pub mod opencode;
mod whole;

use crate::agents::call::{Cause, Progress, Usage};
use crate::agents::contract::Code;
use crate::agents::registry::Native;
use crate::domain::session::failure::Reason;
use std::process::ExitStatus;

/// One reply as the stream told it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    pub text: String,
    pub usage: Option<Usage>,
    /// What was used since the conversation began, from a CLI that counts no single turns.
    pub total: Option<Usage>,
    pub conversation: Option<String>,
    /// Whether the text is the whole reply is not proven: a mark that was asked for is missing.
    pub is_unproven: bool,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    pub reason: Reason,
    pub cause: Cause,
    /// One line.
    pub detail: String,
}

impl Refused {
    pub fn new(code: Code, detail: impl AsRef<str>) -> Refused {
        let cause = if code == Code::Auth { Cause::Auth } else { Cause::Other };
        Refused { reason: code.reason(), cause, detail: one_line(detail.as_ref()) }
    }

    /// The vendor's service is busy or broke off.
    pub fn busy(detail: &str) -> Refused {
        Refused { cause: Cause::Overload, ..Refused::new(Code::General, detail) }
    }

    /// What the vendor answered, with the HTTP status where it is known. The detail says when a limit is lifted.
    pub fn by_vendor(status: Option<u64>, text: &str) -> Refused {
        let cause = if is_login_text(text) { Cause::Auth } else { cause::of(status, text) };
        let code = if cause == Cause::Auth { Code::Auth } else { Code::General };
        Refused { cause, ..Refused::new(code, text) }
    }
}

/// A parser fed with stdout as it comes, in pieces of any size.
#[derive(Debug)]
pub struct Stream {
    parser: Parser,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
}

#[derive(Debug)]
enum Parser {
    Claude(claude::Claude),
    Codex(codex::Codex),
    Gemini(gemini::Gemini),
    Opencode(opencode::Opencode),
    Kimi(kimi::Kimi),
    KimiCode(kimi_code::KimiCode),
    Hermes(hermes::Hermes),
}

impl Stream {
    /// `is_resumed`: the call goes on with an earlier conversation.
    pub fn new(native: Native, is_resumed: bool) -> Stream {
        let parser = match native {
            Native::Claude => Parser::Claude(claude::Claude::default()),
            Native::Codex => Parser::Codex(codex::Codex::new(is_resumed)),
            Native::Gemini => Parser::Gemini(gemini::Gemini::default()),
            Native::Opencode => Parser::Opencode(opencode::Opencode::default()),
            Native::Kimi => Parser::Kimi(kimi::Kimi::default()),
            Native::KimiCode => Parser::KimiCode(kimi_code::KimiCode::default()),
            Native::Hermes => Parser::Hermes(hermes::Hermes::default()),
        };
        Stream { parser, partial: Vec::new() }
    }

    /// Takes a piece of stdout; gives what can be shown now, texts joined.
    pub fn feed(&mut self, piece: &[u8]) -> Vec<Progress> {
        let mut shown = Vec::new();
        if let Parser::Hermes(parser) = &mut self.parser {
            parser.stdout.extend_from_slice(piece);
            return shown;
        }
        let mut rest = piece;
        while let Some(at) = rest.iter().position(|b| *b == b'\n') {
            self.partial.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            let line = std::mem::take(&mut self.partial);
            self.line(&line, &mut shown);
        }
        self.partial.extend_from_slice(rest);
        shown
    }

    /// Takes a piece of stderr. Only opencode tells there what it does not tell on stdout: that it waits.
    pub fn feed_stderr(&mut self, piece: &[u8]) {
        if let Parser::Opencode(parser) = &mut self.parser {
            parser.log.feed(piece);
        }
    }

    /// The CLI has said all: its stdin may be closed.
    pub fn is_done(&self) -> bool {
        matches!(&self.parser, Parser::Kimi(parser) if parser.is_done())
    }

    /// What it does from here on is not wanted and may cost.
    pub fn wants_stop(&self) -> bool {
        match &self.parser {
            Parser::Codex(parser) => parser.is_hopeless(),
            Parser::Opencode(parser) => parser.is_runaway() || parser.is_waiting(),
            Parser::KimiCode(parser) => parser.is_hopeless(),
            Parser::Kimi(parser) => parser.wants_stop(),
            _ => false,
        }
    }

    /// What the CLI wrote into the usage file that it was given.
    pub fn usage_file(&mut self, text: String) {
        if let Parser::Hermes(parser) = &mut self.parser {
            parser.usage_file = Some(text);
        }
    }

    /// Judges the call after the process has ended by itself.
    pub fn end(mut self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        let line = std::mem::take(&mut self.partial);
        self.line(&line, &mut Vec::new());
        match self.parser {
            Parser::Claude(parser) => parser.end(status, stderr),
            Parser::Codex(parser) => parser.end(status, stderr),
            Parser::Gemini(parser) => parser.end(status, stderr),
            Parser::Opencode(parser) => parser.end(status, stderr),
            Parser::Kimi(parser) => parser.end(status, stderr),
            Parser::KimiCode(parser) => parser.end(status, stderr),
            Parser::Hermes(parser) => parser.end(status, stderr),
        }
    }

    fn line(&mut self, line: &[u8], shown: &mut Vec<Progress>) {
        // What is not JSON is a banner or a warning; it can neither help nor hurt.
        let Ok(event) = serde_json::from_str(&String::from_utf8_lossy(line)) else { return };
        let news: Vec<Progress> = match &mut self.parser {
            Parser::Claude(parser) => parser.event(&event).into_iter().collect(),
            Parser::Codex(parser) => parser.event(&event),
            Parser::Gemini(parser) => parser.event(&event),
            Parser::Opencode(parser) => parser.event(&event),
            Parser::Kimi(parser) => parser.event(&event),
            Parser::KimiCode(parser) => parser.event(&event),
            Parser::Hermes(_) => Vec::new(),
        };
        for one in news {
            match (shown.last_mut(), one) {
                (Some(Progress::Text(text)), Progress::Text(more)) => text.push_str(&more),
                (_, one) => shown.push(one),
            }
        }
    }
}

/// The failure of a CLI that ended without its end event, or with one that contradicts its exit code.
fn no_end_event(status: ExitStatus, stderr: &str) -> Refused {
    use std::os::unix::process::ExitStatusExt;
    let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
    if is_login_text(stderr) {
        return Refused::new(Code::Auth, last.unwrap_or("not logged in"));
    }
    match (status.signal(), status.code()) {
        (Some(signal), _) => Refused {
            reason: Reason::Signal(signal),
            ..Refused::new(Code::General, format!("the CLI was ended by signal {signal}"))
        },
        (None, Some(0)) => Refused::new(
            Code::General,
            "the CLI ended without saying that it was done; `flightdeck doctor` compares its version with the tested one",
        ),
        // A raw code of a CLI means nothing in the contract and becomes 1 (PC-059).
        (None, code) => {
            let code = code.unwrap_or(-1);
            let last = last.unwrap_or("no message");
            Refused {
                cause: cause::of(None, last),
                ..Refused::new(Code::General, format!("the CLI exited with {code}: {last}"))
            }
        }
    }
}

/// The words of PC-035 for a missing login, and codex' own.
fn is_login_text(text: &str) -> bool {
    let asks = |line: &str| line.split_once("Please run").is_some_and(|(_, rest)| rest.contains("login"));
    text.contains("Not logged in")
        || text.contains("auth_error")
        || text.contains("codex login")
        || text.lines().any(asks)
}

/// Foreign text as one line of at most 300 characters without control characters.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    /// What was shown, and the end with an exit code.
    pub fn replay(native: Native, recorded: &str, code: i32) -> (Vec<Progress>, Result<Said, Refused>) {
        replay_with(native, recorded, code, "")
    }

    pub fn replay_with(
        native: Native,
        recorded: &str,
        code: i32,
        stderr: &str,
    ) -> (Vec<Progress>, Result<Said, Refused>) {
        let mut stream = Stream::new(native, false);
        let shown = stream.feed(recorded.as_bytes());
        (shown, stream.end(ExitStatus::from_raw(code << 8), stderr))
    }

    #[test]
    fn pc_053_pieces_of_any_size_give_the_same_reply() {
        let recorded = include_bytes!("stream/fixtures/claude-ok.jsonl");
        for size in [1, 7, 4096, recorded.len()] {
            let mut stream = Stream::new(Native::Claude, false);
            let shown: Vec<Progress> = recorded.chunks(size).flat_map(|piece| stream.feed(piece)).collect();
            let text: String =
                shown.iter().map(|p| if let Progress::Text(t) = p { t.as_str() } else { "" }).collect();
            let said = stream.end(ExitStatus::from_raw(0), "").unwrap();
            assert_eq!((text, said.text.starts_with("---\n")), (said.text.clone(), true));
        }
    }

    const ALL: [Native; 7] = [
        Native::Claude,
        Native::Codex,
        Native::Gemini,
        Native::Opencode,
        Native::Kimi,
        Native::KimiCode,
        Native::Hermes,
    ];

    #[test]
    fn garbage_is_no_reply() {
        for native in ALL {
            let mut stream = Stream::new(native, false);
            assert_eq!(
                stream.feed(b"\xff\xfe\x1b[31m\nnull\n[]\n{\"type\":7}\n\"text\"\n{\"type\":\"result\"}\n{"),
                []
            );
            let refused = stream.end(ExitStatus::from_raw(0), "").unwrap_err();
            assert_eq!(refused.reason, Reason::Exit(1), "{}", refused.detail);
        }
    }

    #[test]
    fn pc_238_bad_bytes_in_an_event_are_replaced() {
        let recorded = include_bytes!("stream/fixtures/claude-ok.jsonl");
        let text = String::from_utf8_lossy(recorded).replace("Hello", "He\u{1}llo");
        let bad: Vec<u8> = text.bytes().map(|b| if b == 1 { 0xff } else { b }).collect();
        let mut stream = Stream::new(Native::Claude, false);
        stream.feed(&bad);
        let said = stream.end(ExitStatus::from_raw(0), "").unwrap();
        assert!(said.text.contains("He\u{fffd}llo"), "{}", said.text);
    }

    #[test]
    fn pc_059_raw_codes_never_pass_through() {
        for code in [2, 3, 4, 5, 6, 7, 64] {
            let stream = Stream::new(Native::Codex, false);
            assert_eq!(
                stream.end(ExitStatus::from_raw(code << 8), "boom\n").unwrap_err().reason,
                Reason::Exit(1)
            );
        }
        let stream = Stream::new(Native::Claude, false);
        assert_eq!(stream.end(ExitStatus::from_raw(15), "").unwrap_err().reason, Reason::Signal(15));
        let stream = Stream::new(Native::Codex, false);
        assert_eq!(
            stream.end(ExitStatus::from_raw(256), "Please run `codex login`\n").unwrap_err().reason,
            Reason::Exit(6)
        );
    }

    #[test]
    fn details_are_one_clean_line() {
        assert_eq!(one_line("a\n\u{1b}[2J b\u{0}\r\n"), "a [2J b");
        assert_eq!(one_line(&"ж".repeat(1000)).chars().count(), 301);
    }
}
