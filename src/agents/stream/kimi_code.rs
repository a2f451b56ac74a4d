//! `kimi -p … --output-format stream-json` (kimi-code; recorded with 2.1.0). No deltas, no usage, no end event.

use super::mark::{self, Body, Marks};
use super::{Refused, Said, no_end_event, one_line};
use crate::agents::call::Progress;
use crate::agents::contract::{self, Code};
use serde_json::Value;
use std::process::ExitStatus;

#[derive(Debug, Default)]
pub struct KimiCode {
    text: Option<String>,
    conversation: Option<String>,
    /// Status and words of a refusal for which it would try ten times, each time after a longer wait.
    hopeless: Option<(u64, String)>,
}

impl KimiCode {
    pub fn event(&mut self, event: &Value) -> Vec<Progress> {
        match (event["role"].as_str().unwrap_or_default(), event["type"].as_str()) {
            ("assistant", _) => {
                let Some(text) = event["content"].as_str().filter(|text| !text.is_empty()) else {
                    return Vec::new();
                };
                let restart = self.text.replace(text.to_string()).map(|_| Progress::Restart);
                restart.into_iter().chain([Progress::Text(text.into())]).collect()
            }
            ("meta", Some("session.resume_hint")) => {
                self.conversation = event["session_id"].as_str().map(String::from);
                Vec::new()
            }
            ("meta", Some("turn.step.retrying")) => {
                if let Some(status @ (401 | 429)) = event["status_code"].as_u64() {
                    let told = event["error_message"].as_str().unwrap_or("the service refuses");
                    self.hopeless = Some((status, told.to_string()));
                }
                let status = event["status_code"].as_u64().map(|s| s.to_string()).unwrap_or_default();
                vec![Progress::Notice(one_line(&format!("kimi tries again: {status}")))]
            }
            _ => Vec::new(),
        }
    }

    pub fn is_hopeless(&self) -> bool {
        self.hopeless.is_some()
    }

    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        if let Some((known, told)) = &self.hopeless {
            return Err(Refused::by_vendor(Some(*known), &format!("kimi: {told}")));
        }
        if !status.success() {
            return Err(refusal(status, stderr));
        }
        let Some(text) = self.text else { return Err(no_end_event(status, stderr)) };
        if contract::is_blank(&text) {
            return Err(Refused::new(Code::Empty, "kimi gave an empty reply"));
        }
        // It exits with 0 after a dropped stream and at the output limit.
        let Body { text, is_unproven } = mark::between(&text, Marks::End, "kimi")?;
        Ok(Said { text, conversation: self.conversation, is_unproven, ..Said::default() })
    }
}

fn refusal(status: ExitStatus, stderr: &str) -> Refused {
    const HEAD: &str = "failed to run prompt: ";
    let Some((_, rest)) = stderr.split_once(HEAD) else { return no_end_event(status, stderr) };
    let message = rest.lines().next().unwrap_or_default();
    if message.contains("empty response") {
        return Refused::new(Code::Empty, "kimi gave an empty reply");
    }
    let known = match message.split(':').next().unwrap_or_default() {
        "provider.auth_error" => Some(401),
        "provider.rate_limit" => Some(429),
        // `provider.api_error: 500 …`
        _ => message.split_once(": ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()),
    };
    Refused::by_vendor(known, &format!("kimi: {message}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{replay, replay_with};
    use crate::agents::call::Cause;
    use crate::agents::registry::Native;
    use crate::agents::stream::Stream;
    use crate::domain::session::failure::Reason;

    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("fixtures/kimi-code-", $name))
        };
    }

    #[test]
    fn pc_051_a_reply_without_usage() {
        let (_, said) = replay(Native::KimiCode, recorded!("ok.jsonl"), 0);
        let said = said.unwrap();
        assert_eq!(said.text, "---\nstatus: ok\n---\nHello from the stub.\n");
        assert_eq!(said.usage, None, "unknown is never 0");
        assert!(said.conversation.unwrap().starts_with("session_"));
    }

    #[test]
    fn pc_059_classes() {
        for (stderr, want, cause) in [
            (recorded!("401.err"), Reason::Exit(6), Cause::Auth),
            (recorded!("429.err"), Reason::Exit(1), Cause::RateLimit { reset: None }),
            (recorded!("500.err"), Reason::Exit(1), Cause::Overload),
            (recorded!("empty.err"), Reason::Exit(7), Cause::Other),
            (recorded!("refuse.err"), Reason::Exit(1), Cause::Other),
        ] {
            let refused = replay_with(Native::KimiCode, recorded!("refuse.jsonl"), 1, stderr).1.unwrap_err();
            assert_eq!((refused.reason, refused.cause), (want, cause), "{}", refused.detail);
        }
    }

    #[test]
    fn pc_060_a_limit_for_which_it_would_try_ten_times_ends_the_call() {
        let mut stream = Stream::new(Native::KimiCode, false);
        let mut lines = recorded!("429-tries.jsonl").split_inclusive('\n');
        stream.feed(lines.next().unwrap().as_bytes());
        assert!(!stream.wants_stop());
        stream.feed(lines.next().unwrap().as_bytes());
        assert!(stream.wants_stop());
        let refused = stream.end(Default::default(), "").unwrap_err();
        assert_eq!(refused.cause, Cause::RateLimit { reset: None });
        assert_eq!(refused.detail, "kimi: 429 stub: rate limit reached");
    }

    #[test]
    fn a_truncated_stream_is_no_reply_though_the_code_is_0() {
        // Cut behind a full stop it reads like a whole one, and is in doubt.
        let whole = recorded!("maxtok.jsonl");
        assert!(replay(Native::KimiCode, whole, 0).1.unwrap().is_unproven);
        for cut in [recorded!("drop.jsonl"), &whole.replace("server.\\n", "ser")] {
            let refused = replay(Native::KimiCode, cut, 0).1.unwrap_err();
            assert!(refused.detail.contains("not complete"), "{}", refused.detail);
        }
    }
}
