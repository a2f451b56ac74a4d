//! Pure parsers of what vendor CLIs print, one file a vendor. Exit code 0 alone is never success: the CLI's own end
//! event must say so.

pub mod claude;
pub mod codex;

use crate::agents::call::{Progress, Usage};
use crate::agents::contract::Code;
use crate::agents::registry::Native;
use crate::domain::session::failure::Reason;
use std::process::ExitStatus;

/// One reply as the stream told it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    pub text: String,
    pub usage: Option<Usage>,
    pub conversation: Option<String>,
}

/// The class and one line of detail.
pub type Refused = (Reason, String);

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
}

impl Stream {
    /// `is_resumed`: the call goes on with an earlier conversation.
    pub fn new(native: Native, is_resumed: bool) -> Stream {
        let parser = match native {
            Native::Claude => Parser::Claude(claude::Claude::default()),
            Native::Codex => Parser::Codex(codex::Codex::new(is_resumed)),
        };
        Stream { parser, partial: Vec::new() }
    }

    /// Takes a piece of stdout; gives what can be shown now, texts joined.
    pub fn feed(&mut self, piece: &[u8]) -> Vec<Progress> {
        let mut shown = Vec::new();
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

    /// Judges the call after the process has ended by itself.
    pub fn end(mut self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        let line = std::mem::take(&mut self.partial);
        self.line(&line, &mut Vec::new());
        match self.parser {
            Parser::Claude(parser) => parser.end(status, stderr),
            Parser::Codex(parser) => parser.end(status, stderr),
        }
    }

    fn line(&mut self, line: &[u8], shown: &mut Vec<Progress>) {
        // What is not JSON is a banner or a warning; it can neither help nor hurt.
        let Ok(event) = serde_json::from_slice(line) else { return };
        let news: Vec<Progress> = match &mut self.parser {
            Parser::Claude(parser) => parser.event(&event).into_iter().collect(),
            Parser::Codex(parser) => parser.event(&event),
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
        return (Code::Auth.reason(), one_line(last.unwrap_or("not logged in")));
    }
    match (status.signal(), status.code()) {
        (Some(signal), _) => (Reason::Signal(signal), format!("the CLI was ended by signal {signal}")),
        (None, Some(0)) => (Code::General.reason(), "the CLI ended without saying that it was done".into()),
        // A raw code of a CLI means nothing in the contract and becomes 1 (PC-059).
        (None, code) => {
            let code = code.unwrap_or(-1);
            (
                Code::General.reason(),
                one_line(&format!("the CLI exited with {code}: {}", last.unwrap_or("no message"))),
            )
        }
    }
}

/// The words of PC-035 for a missing login, and codex' own.
fn is_login_text(text: &str) -> bool {
    let asks = |line: &str| line.split_once("Please run").is_some_and(|(_, rest)| rest.contains("login"));
    text.contains("Not logged in") || text.contains("codex login") || text.lines().any(asks)
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

    #[test]
    fn garbage_is_no_reply() {
        for native in [Native::Claude, Native::Codex] {
            let mut stream = Stream::new(native, false);
            assert_eq!(
                stream.feed(b"\xff\xfe\x1b[31m\nnull\n[]\n{\"type\":7}\n\"text\"\n{\"type\":\"result\"}\n{"),
                []
            );
            let (reason, detail) = stream.end(ExitStatus::from_raw(0), "").unwrap_err();
            assert_eq!(reason, Reason::Exit(1), "{detail}");
        }
    }

    #[test]
    fn pc_059_raw_codes_never_pass_through() {
        for code in [2, 3, 4, 5, 6, 7, 64] {
            let stream = Stream::new(Native::Codex, false);
            assert_eq!(stream.end(ExitStatus::from_raw(code << 8), "boom\n").unwrap_err().0, Reason::Exit(1));
        }
        let stream = Stream::new(Native::Claude, false);
        assert_eq!(stream.end(ExitStatus::from_raw(15), "").unwrap_err().0, Reason::Signal(15));
        let stream = Stream::new(Native::Codex, false);
        assert_eq!(
            stream.end(ExitStatus::from_raw(256), "Please run `codex login`\n").unwrap_err().0,
            Reason::Exit(6)
        );
    }

    #[test]
    fn details_are_one_clean_line() {
        assert_eq!(one_line("a\n\u{1b}[2J b\u{0}\r\n"), "a [2J b");
        assert_eq!(one_line(&"ж".repeat(1000)).chars().count(), 301);
    }
}
