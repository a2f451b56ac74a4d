//! `claude -p --output-format stream-json --include-partial-messages` (recorded with Claude Code 2.1.332).

use super::{Refused, Said, no_end_event, one_line};
use crate::agents::call::{Cause, Progress, Reset, Usage};
use crate::agents::contract::{self, Code};
use serde_json::Value;
use std::process::ExitStatus;

#[derive(Debug, Default)]
pub struct Claude {
    /// Text was shown that a new message makes void.
    has_preview: bool,
    /// A message ended at the token limit: the CLI goes on by itself, and its result lacks what came before.
    is_cut: bool,
    model: Option<String>,
    /// When the account's limit is lifted.
    reset: Option<Reset>,
    /// The last `result` event.
    result: Option<Value>,
}

impl Claude {
    pub fn event(&mut self, event: &Value) -> Option<Progress> {
        match event["type"].as_str()? {
            "stream_event" => self.streamed(&event["event"]),
            "rate_limit_event" => {
                self.reset = reset(event).or(self.reset.take());
                None
            }
            "system" if event["subtype"] == "api_retry" => Some(retry(event)),
            "result" => {
                self.result = Some(event.clone());
                None
            }
            _ => None,
        }
    }

    fn streamed(&mut self, event: &Value) -> Option<Progress> {
        match event["type"].as_str()? {
            // Broken tries repeat their pieces, so every message starts over.
            "message_start" => {
                self.model = event["message"]["model"].as_str().map(String::from).or(self.model.take());
                std::mem::take(&mut self.has_preview).then_some(Progress::Restart)
            }
            "content_block_delta" => {
                let text = event["delta"]["text"].as_str().filter(|text| !text.is_empty())?;
                self.has_preview = true;
                Some(Progress::Text(text.to_string()))
            }
            "message_delta" => {
                self.is_cut |= event["delta"]["stop_reason"] == "max_tokens";
                None
            }
            _ => None,
        }
    }

    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        let Some(result) = &self.result else { return Err(no_end_event(status, stderr)) };
        let text = result["result"].as_str().unwrap_or_default();
        if result["is_error"] != false || result["subtype"] != "success" {
            return Err(refusal(result, text, self.reset.clone()));
        }
        if !status.success() {
            return Err(no_end_event(status, stderr));
        }
        if self.is_cut || result["stop_reason"] == "max_tokens" {
            return Err(Refused::new(Code::General, "the reply was cut at the model's output limit"));
        }
        // A local command such as /help is answered by the CLI itself.
        if result["num_turns"] == 0 {
            return Err(Refused::new(Code::General, "claude answered without asking the model"));
        }
        if contract::is_blank(text) {
            return Err(Refused::new(Code::Empty, "claude gave an empty reply"));
        }
        let conversation = result["session_id"].as_str().map(String::from);
        Ok(Said {
            text: text.to_string(),
            usage: usage(result, self.model.clone()),
            conversation,
            ..Said::default()
        })
    }
}

fn retry(event: &Value) -> Progress {
    let (attempt, max) = (event["attempt"].as_u64().unwrap_or(0), event["max_retries"].as_u64().unwrap_or(0));
    let status = event["error_status"].as_u64().map(|s| format!("{s} ")).unwrap_or_default();
    let error = event["error"].as_str().unwrap_or("unknown");
    Progress::Notice(one_line(&format!("claude tries again ({attempt}/{max}): {status}{error}")))
}

fn refusal(result: &Value, text: &str, reset: Option<Reset>) -> Refused {
    let told = result["errors"][0].as_str().or(result["subtype"].as_str()).unwrap_or("an error");
    let what = if text.trim().is_empty() { told } else { text };
    let mut refused = Refused::by_vendor(result["api_error_status"].as_u64(), &format!("claude: {what}"));
    if let Cause::RateLimit { reset: known @ None } = &mut refused.cause {
        *known = reset;
    }
    refused
}

/// `rate_limit_event`: the time of the reset in seconds since 1970.
fn reset(event: &Value) -> Option<Reset> {
    let at = jiff::Timestamp::from_second(event["rate_limit_info"]["resetsAt"].as_i64()?).ok()?;
    Some(Reset::At(at.to_string()))
}

/// Anthropic counts cached tokens beside the input; tokens written to the cache were sent as input.
fn usage(result: &Value, model: Option<String>) -> Option<Usage> {
    let usage = result["usage"].as_object()?;
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    let written = count("cache_creation_input_tokens").unwrap_or(0);
    Some(Usage {
        input: count("input_tokens").map(|n| n.saturating_add(written)),
        cached: count("cache_read_input_tokens"),
        output: count("output_tokens"),
        reasoning: usage.get("output_tokens_details").and_then(|d| d["thinking_tokens"].as_u64()),
        cost_usd: result["total_cost_usd"].as_f64(),
        model,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Stream;
    use super::*;
    use crate::agents::registry::Native;
    use crate::domain::session::failure::Reason;
    use std::os::unix::process::ExitStatusExt;

    fn replay(recorded: &str, code: i32) -> (Vec<Progress>, Result<Said, Refused>) {
        let mut stream = Stream::new(Native::Claude, false);
        let shown = stream.feed(recorded.as_bytes());
        (shown, stream.end(ExitStatus::from_raw(code << 8), ""))
    }

    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("fixtures/claude-", $name, ".jsonl"))
        };
    }

    #[test]
    fn pc_051_a_reply_with_usage_and_cost() {
        let (shown, said) = replay(recorded!("ok"), 0);
        let said = said.unwrap();
        assert_eq!(said.text, "---\nstatus: ok\nfrom: stub\n---\nHello from the stub model server.\n");
        assert_eq!(shown, [Progress::Text(said.text.clone())]);
        let want = Usage {
            input: Some(1200),
            cached: Some(200),
            output: Some(34),
            reasoning: Some(0),
            cost_usd: Some(0.00276),
            model: Some("claude-sonnet-5-5".into()),
        };
        assert_eq!(said.usage, Some(want));
        assert!(said.conversation.is_some());
    }

    #[test]
    fn pc_059_authentication_failures() {
        let (shown, end) = replay(recorded!("401"), 1);
        assert_eq!(shown, [Progress::Notice("claude tries again (1/1): 401 authentication_failed".into())]);
        assert_eq!(end.unwrap_err().reason, Reason::Exit(6));
        let (_, end) = replay(recorded!("nologin"), 1);
        let refused = end.unwrap_err();
        assert_eq!(refused.reason, Reason::Exit(6));
        assert_eq!(refused.detail, "claude: Not logged in · Please run /login");
    }

    #[test]
    fn pc_059_other_errors_are_1_with_the_cause() {
        for (recorded, word) in
            [(recorded!("429"), "429"), (recorded!("maxtok"), "maximum"), (recorded!("refuse"), "flagged")]
        {
            let Refused { reason, detail, .. } = replay(recorded, 1).1.unwrap_err();
            assert_eq!(reason, Reason::Exit(1));
            assert!(detail.contains(word), "{detail}");
        }
    }

    #[test]
    fn pc_060_a_limit_is_told_with_its_reset() {
        let limit = |recorded: &str| replay(recorded, 1).1.unwrap_err().cause;
        assert_eq!(limit(recorded!("429")), Cause::RateLimit { reset: None });
        let event =
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796067600}}"#;
        let told = format!("{event}\n{}", recorded!("429"));
        assert_eq!(limit(&told), Cause::RateLimit { reset: Some(Reset::At("2026-11-30T19:40:00Z".into())) });
    }

    #[test]
    fn pc_053_empty_reply_is_7_though_the_code_is_0() {
        assert_eq!(replay(recorded!("empty"), 0).1.unwrap_err().reason, Reason::Exit(7));
    }

    #[test]
    fn broken_tries_are_taken_back() {
        let (shown, said) = replay(recorded!("drop"), 0);
        assert!(shown.contains(&Progress::Restart), "{shown:?}");
        assert_eq!(said.unwrap().text.matches("status: ok").count(), 1);
    }

    #[test]
    fn an_answer_of_the_cli_itself_is_no_reply() {
        assert_eq!(replay(recorded!("slash"), 0).1.unwrap_err().reason, Reason::Exit(1));
    }

    #[test]
    fn a_message_cut_at_the_limit_is_no_reply_even_when_the_cli_goes_on() {
        let cut =
            recorded!("ok").replace("\"end_turn\",\"stop_sequence\"", "\"max_tokens\",\"stop_sequence\"");
        let Refused { reason, detail, .. } = replay(&cut, 0).1.unwrap_err();
        assert_eq!((reason, detail.contains("cut")), (Reason::Exit(1), true));
    }

    #[test]
    fn pc_060_success_needs_code_0_too() {
        assert_eq!(replay(recorded!("ok"), 3).1.unwrap_err().reason, Reason::Exit(1));
    }
}
