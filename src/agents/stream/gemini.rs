//! `gemini -o stream-json` (recorded with gemini-cli 0.61.0).

use super::mark::{self, Body, Marks};
use super::{Refused, Said, no_end_event, one_line};
use crate::agents::call::{Progress, Usage};
use crate::agents::contract::{self, Code};
use serde_json::Value;
use std::process::ExitStatus;

#[derive(Debug, Default)]
pub struct Gemini {
    model: Option<String>,
    conversation: Option<String>,
    text: String,
    /// The message of the last `error` event of that severity: what was said before it does not count.
    error: Option<String>,
    result: Option<Value>,
}

impl Gemini {
    pub fn event(&mut self, event: &Value) -> Vec<Progress> {
        match event["type"].as_str().unwrap_or_default() {
            "init" => {
                self.conversation = event["session_id"].as_str().map(String::from);
                self.model = event["model"].as_str().map(String::from);
            }
            "message" if event["role"] == "assistant" => {
                let piece = event["content"].as_str().unwrap_or_default();
                self.text.push_str(piece);
                return (!piece.is_empty()).then(|| Progress::Text(piece.into())).into_iter().collect();
            }
            "error" => {
                let message = event["message"].as_str().unwrap_or("an error without text").to_string();
                let notice = Progress::Notice(one_line(&format!("gemini: {message}")));
                if event["severity"] == "warning" {
                    return vec![notice];
                }
                self.error = Some(message);
                // Pieces of a broken try are repeated by the next one.
                let restart = (!std::mem::take(&mut self.text).is_empty()).then_some(Progress::Restart);
                return restart.into_iter().chain([notice]).collect();
            }
            "result" => self.result = Some(event.clone()),
            _ => {}
        }
        Vec::new()
    }

    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        let Some(result) = &self.result else { return Err(no_end_event(status, stderr)) };
        // The exit code is the HTTP status modulo 256, or 0 although the turn failed.
        if result["status"] != "success" {
            let message = result["error"]["message"].as_str().or(self.error.as_deref()).unwrap_or("an error");
            if message.contains("empty response") {
                return Err(Refused::new(Code::Empty, "gemini gave an empty reply"));
            }
            return Err(Refused::by_vendor(None, &format!("gemini: {message}")));
        }
        if !status.success() {
            return Err(no_end_event(status, stderr));
        }
        if contract::is_blank(&self.text) {
            return Err(Refused::new(Code::Empty, "gemini gave an empty reply"));
        }
        // A reply that was cut at the output limit ends with `success` too.
        let Body { text, is_unproven } = mark::between(&self.text, Marks::End, "gemini")?;
        Ok(Said {
            text,
            usage: usage(&result["stats"], self.model),
            total: None,
            conversation: self.conversation,
            is_unproven,
        })
    }
}

/// `input` is without the cached tokens. Reasoning stands beside the output and only in the total; one meaning for all
/// vendors counts it as part of the output.
fn usage(stats: &Value, model: Option<String>) -> Option<Usage> {
    let count = |key: &str| stats.get(key).and_then(Value::as_u64);
    let (total, all_input, output) = (count("total_tokens"), count("input_tokens"), count("output_tokens"));
    let reasoning = total.zip(all_input).zip(output).map(|((t, i), o)| t.saturating_sub(i.saturating_add(o)));
    stats.is_object().then(|| Usage {
        input: count("input"),
        cached: count("cached"),
        output: output.map(|n| n.saturating_add(reasoning.unwrap_or(0))),
        reasoning,
        cost_usd: None,
        model,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::replay;
    use super::*;
    use crate::agents::call::Cause;
    use crate::agents::registry::Native;
    use crate::domain::session::failure::Reason;

    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("fixtures/gemini-", $name, ".jsonl"))
        };
    }

    #[test]
    fn pc_051_a_reply_with_usage() {
        let (shown, said) = replay(Native::Gemini, recorded!("ok"), 0);
        let said = said.unwrap();
        assert_eq!(said.text, "---\nstatus: ok\n---\nHello from the stub.\n");
        assert!(matches!(&shown[..], [Progress::Text(text)] if text.starts_with(&said.text)));
        let usage = said.usage.unwrap();
        assert_eq!(
            (usage.input, usage.cached, usage.output, usage.reasoning),
            (Some(1000), Some(200), Some(39), Some(5))
        );
        assert_eq!((usage.cost_usd, usage.model.as_deref()), (None, Some("gemini-2.5-pro")));
        assert_eq!(said.conversation.map(|id| id.len()), Some(36));
    }

    #[test]
    fn pc_059_classes() {
        // The codes are those that were recorded: 0 is none of success.
        for (recorded, code, want, cause) in [
            (recorded!("401"), 145, Reason::Exit(6), Cause::Auth),
            (recorded!("429"), 173, Reason::Exit(1), Cause::RateLimit { reset: None }),
            (recorded!("500"), 244, Reason::Exit(1), Cause::Overload),
            (recorded!("drop"), 0, Reason::Exit(1), Cause::Overload),
            (recorded!("empty"), 0, Reason::Exit(7), Cause::Other),
        ] {
            let refused = replay(Native::Gemini, recorded, code).1.unwrap_err();
            assert_eq!((refused.reason, refused.cause), (want, cause), "{}", refused.detail);
        }
    }

    #[test]
    fn a_reply_cut_at_the_limit_lacks_its_end_mark() {
        // Cut behind a full stop it reads like a whole one, and is in doubt.
        assert!(replay(Native::Gemini, recorded!("maxtok"), 0).1.unwrap().is_unproven);
        let cut = recorded!("maxtok").replace("server.\\n", "ser");
        let refused = replay(Native::Gemini, &cut, 0).1.unwrap_err();
        assert!(refused.detail.contains("[end of reply]"), "{}", refused.detail);
    }

    #[test]
    fn pieces_of_broken_tries_are_taken_back() {
        let (shown, _) = replay(Native::Gemini, recorded!("drop"), 0);
        assert!(
            matches!(&shown[..], [Progress::Text(_), Progress::Restart, Progress::Notice(_)]),
            "{shown:?}"
        );
        let until_error = |line: &&str| !line.contains("\"type\":\"result\"");
        let broken = recorded!("drop").lines().take_while(until_error).collect::<Vec<_>>().join("\n");
        let alone = replay(Native::Gemini, recorded!("ok"), 0).1.unwrap().text;
        let both = replay(Native::Gemini, &format!("{broken}\n{}", recorded!("ok")), 0).1.unwrap().text;
        assert_eq!(both, alone, "no piece of the broken try is in the reply");
    }

    #[test]
    fn pc_060_a_signal_is_no_success_though_the_code_is_0() {
        let half = recorded!("ok").lines().take(4).collect::<Vec<_>>().join("\n");
        assert!(replay(Native::Gemini, &half, 0).1.unwrap_err().detail.contains("without saying"));
    }
}
