//! `codex exec --json` (recorded with codex 0.171.0). It has no deltas: a message comes whole.

use super::{Refused, Said, cause, no_end_event, one_line};
use crate::agents::call::{Cause, Progress, Usage};
use crate::agents::contract::{self, Code};
use serde_json::Value;
use std::process::ExitStatus;

#[derive(Debug, Default)]
pub struct Codex {
    is_resumed: bool,
    conversation: Option<String>,
    /// The last message of the agent.
    text: Option<String>,
    /// `turn.completed`.
    completed: Option<Value>,
    /// The message of `turn.failed`, or of the trouble in which it would only wait.
    failed: Option<String>,
    is_hopeless: bool,
}

impl Codex {
    pub fn new(is_resumed: bool) -> Codex {
        Codex { is_resumed, ..Codex::default() }
    }

    pub fn event(&mut self, event: &Value) -> Vec<Progress> {
        match event["type"].as_str().unwrap_or_default() {
            "thread.started" => self.conversation = event["thread_id"].as_str().map(String::from),
            "turn.completed" => self.completed = Some(event.clone()),
            "turn.failed" => {
                self.failed = Some(event["error"]["message"].as_str().unwrap_or("no message").to_string());
            }
            // Connection trouble; only `turn.failed` ends the turn.
            "error" => {
                let message = event["message"].as_str().unwrap_or_default();
                let is_retry = message.starts_with("Reconnecting");
                let is_refused = matches!(cause::of(None, message), Cause::Auth | Cause::RateLimit { .. })
                    || is_cut(message);
                if is_retry && is_refused {
                    self.is_hopeless = true;
                    self.failed = Some(message.to_string());
                }
                return vec![notice(&event["message"])];
            }
            "item.completed" => return self.item(&event["item"]),
            _ => {}
        }
        Vec::new()
    }

    fn item(&mut self, item: &Value) -> Vec<Progress> {
        match (item["type"].as_str().unwrap_or_default(), item["text"].as_str()) {
            ("agent_message", Some(text)) => {
                let had_text = self.text.replace(text.to_string()).is_some_and(|old| !old.is_empty());
                let restart = had_text.then_some(Progress::Restart);
                let shown = (!text.is_empty()).then(|| Progress::Text(text.to_string()));
                restart.into_iter().chain(shown).collect()
            }
            // A mere warning, for example about an unknown model.
            ("error", _) => vec![notice(&item["message"])],
            _ => Vec::new(),
        }
    }

    /// It tries five times by itself, and each time waits in silence for as long as the service asks for.
    pub fn is_hopeless(&self) -> bool {
        self.is_hopeless
    }

    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        if let Some(message) = &self.failed {
            // codex calls these a stream that broke, but the same prompt would end in the same way.
            let why = match () {
                () if message.contains("max_output_tokens") => {
                    "the reply was cut at the model's output limit"
                }
                () if is_cut(message) => "the model's service did not finish the reply",
                () => return Err(Refused::by_vendor(None, &format!("codex: {message}"))),
            };
            return Err(Refused::new(Code::General, format!("codex: {why}: {message}")));
        }
        let Some(completed) = self.completed.filter(|_| status.success()) else {
            return Err(no_end_event(status, stderr));
        };
        let text = self.text.unwrap_or_default();
        if contract::is_blank(&text) {
            return Err(Refused::new(Code::Empty, "codex gave an empty reply"));
        }
        // In a resumed thread the numbers are sums over the whole thread, not of this call.
        let total = usage(&completed["usage"]);
        let usage = total.clone().filter(|_| !self.is_resumed);
        Ok(Said { text, usage, total, conversation: self.conversation, is_unproven: false })
    }
}

/// The service ended the reply on purpose and says why: a limit, or a filter of contents.
fn is_cut(message: &str) -> bool {
    message.contains("Incomplete response returned")
}

fn notice(message: &Value) -> Progress {
    Progress::Notice(one_line(&format!("codex: {}", message.as_str().unwrap_or("a warning without text"))))
}

/// codex counts the cached tokens as part of the input.
fn usage(usage: &Value) -> Option<Usage> {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    let cached = count("cached_input_tokens");
    usage.is_object().then(|| Usage {
        input: count("input_tokens").map(|n| n.saturating_sub(cached.unwrap_or(0))),
        cached,
        output: count("output_tokens"),
        reasoning: count("reasoning_output_tokens"),
        cost_usd: None,
        model: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Stream;
    use super::*;
    use crate::agents::registry::Native;
    use crate::domain::session::failure::Reason;
    use std::os::unix::process::ExitStatusExt;

    fn replay(recorded: &str, code: i32, is_resumed: bool) -> (Vec<Progress>, Result<Said, Refused>) {
        let mut stream = Stream::new(Native::Codex, is_resumed);
        let shown = stream.feed(recorded.as_bytes());
        (shown, stream.end(ExitStatus::from_raw(code << 8), ""))
    }

    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("fixtures/codex-", $name, ".jsonl"))
        };
    }

    #[test]
    fn pc_051_a_reply_with_usage() {
        let (shown, said) = replay(recorded!("ok"), 0, false);
        let said = said.unwrap();
        assert!(matches!(&shown[..], [Progress::Notice(_), Progress::Text(text)] if *text == said.text));
        let usage = said.usage.unwrap();
        assert_eq!(
            (usage.input, usage.cached, usage.output, usage.reasoning),
            (Some(1000), Some(200), Some(34), Some(5))
        );
        assert_eq!(usage.cost_usd, None, "unknown is never 0");
        assert_eq!(said.conversation.as_deref(), Some("01a22db7-0000-7000-8000-000000000001"));
        assert_eq!(
            replay(recorded!("ok"), 0, true).1.unwrap().usage,
            None,
            "sums of a thread are not this call's"
        );
    }

    #[test]
    fn pc_060_a_limit_that_it_would_wait_for_ends_the_call() {
        let mut stream = Stream::new(Native::Codex, false);
        for line in recorded!("429-waits").split_inclusive('\n') {
            assert!(!stream.wants_stop());
            stream.feed(line.as_bytes());
        }
        assert!(stream.wants_stop());
        let refused = stream.end(ExitStatus::default(), "").unwrap_err();
        assert_eq!(refused.cause, Cause::RateLimit { reset: None });
        let mut stream = Stream::new(Native::Codex, false);
        stream.feed(b"{\"type\":\"error\",\"message\":\"Reconnecting... 1/5 (stream disconnected)\"}\n");
        assert!(!stream.wants_stop(), "that passes by itself");
    }

    #[test]
    fn pc_059_classes() {
        for (recorded, code, want, word) in [
            (recorded!("401"), 1, Reason::Exit(6), "401"),
            (recorded!("429"), 1, Reason::Exit(1), "429"),
            (recorded!("drop"), 1, Reason::Exit(1), "disconnected"),
            (recorded!("maxtok"), 1, Reason::Exit(1), "output limit"),
            (recorded!("empty"), 0, Reason::Exit(7), "empty"),
            (recorded!("ok"), 2, Reason::Exit(1), "exited with 2"),
        ] {
            let Refused { reason, detail, .. } = replay(recorded, code, false).1.unwrap_err();
            assert_eq!(reason, want, "{detail}");
            assert!(detail.contains(word), "{detail}");
        }
    }

    #[test]
    fn pc_060_a_reply_that_the_service_ends_on_purpose_is_not_asked_for_again() {
        for (reason, word) in [("content_filter", "did not finish"), ("max_output_tokens", "output limit")] {
            let incomplete = format!(
                "stream disconnected before completion: Incomplete response returned, reason: {reason}"
            );
            let failed = format!("{{\"type\":\"turn.failed\",\"error\":{{\"message\":\"{incomplete}\"}}}}\n");
            let refused = replay(&failed, 1, false).1.unwrap_err();
            assert_eq!(
                (refused.reason, refused.cause),
                (Reason::Exit(1), Cause::Other),
                "{}",
                refused.detail
            );
            assert!(refused.detail.contains(word) && refused.detail.contains(reason), "{}", refused.detail);
            let again =
                format!("{{\"type\":\"error\",\"message\":\"Reconnecting... 1/5 ({incomplete})\"}}\n");
            let mut stream = Stream::new(Native::Codex, false);
            stream.feed(again.as_bytes());
            assert!(stream.wants_stop(), "{again}");
        }
    }

    #[test]
    fn pc_053_text_without_frontmatter_is_passed_on() {
        assert!(replay(recorded!("nofm"), 0, false).1.unwrap().text.starts_with("Hello"));
    }

    #[test]
    fn the_last_message_is_the_reply() {
        let two = recorded!("ok").replace(
            "{\"type\":\"turn.completed\"",
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"final\"}}\n{\"type\":\"turn.completed\"",
        );
        let (shown, said) = replay(&two, 0, false);
        assert_eq!(said.unwrap().text, "final");
        assert_eq!(shown[shown.len() - 2..], [Progress::Restart, Progress::Text("final".into())]);
    }
}
