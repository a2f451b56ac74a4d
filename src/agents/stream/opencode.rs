//! `opencode run --format json` (recorded with opencode 1.18.33). It has no deltas: a text comes whole.

use super::{Refused, Said, cause, no_end_event, one_line};
use crate::agents::call::{Cause, Progress, Usage};
use crate::agents::contract::{self, Code};
use serde_json::Value;
use std::process::ExitStatus;

const LONGEST_LINE: usize = 64 * 1024;

/// How often it may turn to the model with no tool used in between. A turn without tools takes two: the request, and the
/// look whether another one is due.
const MOST_LOOPS: u32 = 4;

const ASKS_AGAIN: &str =
    "opencode asked the model again by itself, as it does after a broken stream; it was stopped";

/// Its log on stderr, which says at once what stdout says minutes later or never: it tries six times, and waits each time
/// for as long as the service asks for; and after a stream that broke before any text it asks again without end.
#[derive(Debug, Default)]
pub struct Log {
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// A limit of the vendor's for whose end it would wait in silence.
    limit: Option<String>,
    /// Turns to the model since a tool was used; told at the level INFO only.
    loops: u32,
}

impl Log {
    pub fn feed(&mut self, piece: &[u8]) {
        self.partial.extend_from_slice(piece);
        while let Some(at) = self.partial.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=at).collect();
            let line = String::from_utf8_lossy(&line);
            if is_info(&line) {
                match () {
                    () if line.contains(" message=loop session.id=") => self.loops += 1,
                    () if line.contains(" message=evaluated permission=") => self.loops = 0,
                    () => {}
                }
                continue;
            }
            let told = line.split_once("AI_APICallError: ").filter(|_| line.contains("stream error"));
            let told = told.map(|(_, text)| text.trim().trim_end_matches('"'));
            if let Some(text) = told.filter(|text| matches!(cause::of(None, text), Cause::RateLimit { .. })) {
                self.limit = Some(text.to_string());
            }
        }
        // A line without an end is no log.
        if self.partial.len() > LONGEST_LINE {
            self.partial.clear();
        }
    }

    /// Why nothing good can come of the call any more, if so.
    pub fn hopeless(&self) -> Option<Refused> {
        if self.loops > MOST_LOOPS {
            return Some(Refused::busy(ASKS_AGAIN));
        }
        let limit = self.limit.as_ref()?;
        Some(Refused::by_vendor(Some(429), &format!("opencode: {limit}")))
    }
}

/// Its log without what is told only for [`Log`] to count, and would hide the rest.
pub fn without_info(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !is_info(line)).collect()
}

fn is_info(line: &str) -> bool {
    line.starts_with("timestamp=") && line.contains(" level=INFO ")
}

#[derive(Debug, Default)]
pub struct Opencode {
    conversation: Option<String>,
    steps: u32,
    text: String,
    /// The reason of the last step.
    finish: Option<String>,
    usage: Option<Usage>,
    error: Option<Value>,
    pub log: Log,
}

impl Opencode {
    pub fn event(&mut self, event: &Value) -> Vec<Progress> {
        let part = &event["part"];
        if let Some(id) = event["sessionID"].as_str() {
            self.conversation = Some(id.to_string());
        }
        match event["type"].as_str().unwrap_or_default() {
            "step_start" => {
                self.steps += 1;
                self.text.clear();
            }
            "text" => {
                let text = part["text"].as_str().unwrap_or_default();
                self.text.push_str(text);
                return (!text.is_empty()).then(|| Progress::Text(text.into())).into_iter().collect();
            }
            "step_finish" => {
                self.finish = part["reason"].as_str().map(String::from);
                self.usage = Some(sum(self.usage.take(), part));
            }
            "error" => {
                self.error = Some(event["error"].clone());
                return vec![Progress::Notice(one_line(&format!("opencode: {}", message(&event["error"]))))];
            }
            _ => {}
        }
        Vec::new()
    }

    pub fn is_waiting(&self) -> bool {
        self.log.limit.is_some()
    }

    /// After a broken stream, whose step ends as `unknown`, it asks the model again without end, and each time costs. A
    /// text needs one step.
    pub fn is_runaway(&self) -> bool {
        self.steps > 1 || self.finish.as_deref() == Some("unknown")
    }

    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        if self.is_runaway() {
            return Err(Refused::busy(ASKS_AGAIN));
        }
        if let Some(error) = &self.error {
            let headers = &error["data"]["responseHeaders"];
            let after =
                headers["retry-after"].as_str().map(|s| format!(" (retry-after: {s})")).unwrap_or_default();
            let text = format!("opencode: {}{after}", message(error));
            return Err(Refused::by_vendor(error["data"]["statusCode"].as_u64(), &text));
        }
        if let Some(refused) = self.log.hopeless() {
            return Err(refused);
        }
        let Some(finish) = self.finish.filter(|_| status.success()) else {
            return Err(no_end_event(status, stderr));
        };
        match finish.as_str() {
            "stop" => {}
            "length" => {
                let detail = "opencode: the reply was cut at the model's output limit";
                return Err(Refused::new(Code::General, detail));
            }
            other => return Err(Refused::new(Code::General, format!("opencode ended with `{other}`"))),
        }
        if contract::is_blank(&self.text) {
            return Err(Refused::new(Code::Empty, "opencode gave an empty reply"));
        }
        Ok(Said { text: self.text, usage: self.usage, conversation: self.conversation, ..Said::default() })
    }
}

fn message(error: &Value) -> &str {
    error["data"]["message"].as_str().or(error["name"].as_str()).unwrap_or("an error without text")
}

/// Each step has its own numbers.
fn sum(before: Option<Usage>, part: &Value) -> Usage {
    let before = before.unwrap_or_default();
    let add = |old: Option<u64>, new: &Value| match (old, new.as_u64()) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    let tokens = &part["tokens"];
    let reasoning = tokens["reasoning"].as_u64();
    // Reasoning is counted beside the output; one meaning for all vendors counts it as part of it.
    let output = tokens["output"].as_u64().map(|n| n.saturating_add(reasoning.unwrap_or(0)));
    Usage {
        input: add(before.input, &tokens["input"]),
        cached: add(before.cached, &tokens["cache"]["read"]),
        output: add(before.output, &output.map_or(Value::Null, Value::from)),
        reasoning: add(before.reasoning, &tokens["reasoning"]),
        cost_usd: match (before.cost_usd, part["cost"].as_f64()) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        },
        model: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::replay;
    use super::*;
    use crate::agents::call::Reset;
    use crate::agents::registry::Native;
    use crate::agents::stream::Stream;
    use crate::domain::session::failure::Reason;
    use std::time::Duration;

    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("fixtures/opencode-", $name, ".jsonl"))
        };
    }

    #[test]
    fn pc_051_a_reply_with_usage() {
        let (shown, said) = replay(Native::Opencode, recorded!("ok"), 0);
        let said = said.unwrap();
        assert!(said.text.starts_with("---\nstatus: ok\n---\nHello from the stub."));
        assert_eq!(shown, [Progress::Text(said.text.clone())]);
        let usage = said.usage.unwrap();
        assert_eq!(
            (usage.input, usage.cached, usage.output, usage.reasoning, usage.cost_usd),
            (Some(1000), Some(200), Some(34), Some(5), Some(0.001088))
        );
        assert!(said.conversation.unwrap().starts_with("ses_"));
    }

    #[test]
    fn pc_059_classes() {
        for (recorded, code, want, cause) in [
            (recorded!("401"), 1, Reason::Exit(6), Cause::Auth),
            (recorded!("429"), 1, Reason::Exit(1), Cause::RateLimit { reset: None }),
            (recorded!("refuse"), 1, Reason::Exit(1), Cause::Other),
            (recorded!("empty"), 0, Reason::Exit(7), Cause::Other),
            (recorded!("maxtok"), 0, Reason::Exit(1), Cause::Other),
        ] {
            let refused = replay(Native::Opencode, recorded, code).1.unwrap_err();
            assert_eq!((refused.reason, refused.cause), (want, cause), "{}", refused.detail);
        }
    }

    #[test]
    fn the_reset_comes_from_the_header() {
        let told = recorded!("429").replace("\"server\":", "\"retry-after\":\"7\",\"server\":");
        let refused = replay(Native::Opencode, &told, 1).1.unwrap_err();
        assert_eq!(refused.cause, Cause::RateLimit { reset: Some(Reset::After(Duration::from_secs(7))) });
    }

    #[test]
    fn pc_060_a_limit_that_it_would_wait_for_ends_the_call() {
        let log = |error: &str| {
            format!(
                "timestamp=2026-11-30T21:51:36Z level=ERROR message=\"stream error\" mode=primary error.error=\"AI_APICallError: {error}\"\n"
            )
        };
        let mut stream = Stream::new(Native::Opencode, false);
        stream.feed_stderr(log("internal error").as_bytes());
        assert!(!stream.wants_stop(), "that passes by itself, and its class comes with the event");
        let limit = log("rate limit reached");
        stream.feed_stderr(&limit.as_bytes()[..90]);
        assert!(!stream.wants_stop());
        stream.feed_stderr(&limit.as_bytes()[90..]);
        assert!(stream.wants_stop());
        let refused = stream.end(Default::default(), &limit).unwrap_err();
        assert_eq!((refused.reason, refused.cause), (Reason::Exit(1), Cause::RateLimit { reset: None }));
        assert_eq!(refused.detail, "opencode: rate limit reached");
    }

    #[test]
    fn an_endless_asking_is_told_by_the_log_alone() {
        let line =
            |what: &str| format!("timestamp=2026-12-01T09:33:29.341Z level=INFO run=c1 message={what}\n");
        let turn = line("loop session.id=ses_1 step=7") + &line("process session.id=ses_1 messageID=msg_1");
        let mut log = Log::default();
        log.feed(turn.repeat(4).as_bytes());
        log.feed(line("evaluated permission=bash pattern=\"touch a\" action.action=ask").as_bytes());
        log.feed(turn.repeat(4).as_bytes());
        assert!(log.hopeless().is_none(), "it uses tools");
        log.feed(turn.as_bytes());
        assert_eq!(log.hopeless().unwrap().cause, Cause::Overload);
        let error = "timestamp=2026-12-01T09:33:29.341Z level=ERROR run=c1 message=\"stream error\"\n";
        assert_eq!(
            without_info(&format!("{turn}a banner\n{error}{turn}no end")),
            format!("a banner\n{error}no end")
        );
    }

    #[test]
    fn an_endless_asking_is_stopped() {
        let twice = recorded!("ok").to_string() + recorded!("ok");
        for (told, want) in [(recorded!("drop"), 2), (twice.as_str(), 3)] {
            let mut stream = Stream::new(Native::Opencode, false);
            let stopped_at = told.split_inclusive('\n').position(|line| {
                stream.feed(line.as_bytes());
                stream.wants_stop()
            });
            assert_eq!(stopped_at, Some(want));
            let refused = stream.end(Default::default(), "").unwrap_err();
            assert_eq!(refused.cause, Cause::Overload, "{}", refused.detail);
        }
    }
}
