//! `kimi --wire` (kimi-cli): JSON-RPC on the standard streams, protocol 1.10 (recorded with kimi-cli 1.50.0; the list of
//! slash commands was taken out of the recordings).
//!
//! Its print mode has neither usage nor deltas and tells a dropped stream as a reply.

use super::mark::{self, Body, Marks};
use super::{Refused, Said, no_end_event};
use crate::agents::call::{Progress, Usage};
use crate::agents::contract::{self, Code};
use serde_json::{Value, json};
use std::process::ExitStatus;

const PROMPT_ID: &str = "prompt";

/// What is sent: the greeting and the prompt. Then stdin stays open until the answer is there.
pub fn requests(prompt: &str) -> String {
    let client = json!({"name": "flightdeck", "version": env!("CARGO_PKG_VERSION")});
    let initialize = json!({"jsonrpc": "2.0", "id": "initialize", "method": "initialize",
        "params": {"protocol_version": "1.10", "client": client}});
    let prompt =
        json!({"jsonrpc": "2.0", "id": PROMPT_ID, "method": "prompt", "params": {"user_input": prompt}});
    format!("{initialize}\n{prompt}\n")
}

#[derive(Debug, Default)]
pub struct Kimi {
    steps: u32,
    text: String,
    usage: Option<Usage>,
    /// The answer to the prompt: a result, or an error.
    answer: Option<Value>,
    /// It wants something of us that a text-only call never needs.
    asked: Option<String>,
}

impl Kimi {
    pub fn event(&mut self, event: &Value) -> Vec<Progress> {
        // An error before the prompt was taken has the greeting's id.
        let is_answer = event["id"] == PROMPT_ID || event.get("error").is_some_and(|e| !e.is_null());
        if is_answer && event.get("method").is_none() {
            self.answer = Some(event.clone());
            return Vec::new();
        }
        let params = &event["params"];
        let kind = params["type"].as_str().unwrap_or_default();
        if event["method"] == "request" {
            self.asked = Some(kind.to_string());
            return Vec::new();
        }
        let payload = &params["payload"];
        match kind {
            "StepBegin" => {
                self.steps += 1;
                let had_text = !std::mem::take(&mut self.text).is_empty();
                had_text.then_some(Progress::Restart).into_iter().collect()
            }
            "ContentPart" if payload["type"] == "text" => {
                let piece = payload["text"].as_str().unwrap_or_default();
                self.text.push_str(piece);
                (!piece.is_empty()).then(|| Progress::Text(piece.into())).into_iter().collect()
            }
            "StatusUpdate" => {
                self.usage = usage(&payload["token_usage"]).or(self.usage.take());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The answer is there: nothing more will come.
    pub fn is_done(&self) -> bool {
        self.answer.is_some()
    }

    pub fn wants_stop(&self) -> bool {
        self.asked.is_some()
    }

    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        if let Some(asked) = &self.asked {
            let detail = format!("kimi asked for something that a text-only call does not give ({asked})");
            return Err(Refused::new(Code::General, super::one_line(&detail)));
        }
        let Some(answer) = self.answer else { return Err(no_end_event(status, stderr)) };
        if let Some(message) = answer["error"]["message"].as_str() {
            if message.contains("empty response") {
                return Err(Refused::new(Code::Empty, "kimi gave an empty reply"));
            }
            return Err(Refused::by_vendor(None, &format!("kimi: {message}")));
        }
        match answer["result"]["status"].as_str() {
            Some("finished") if self.steps == 0 => {
                return Err(Refused::new(Code::General, "kimi answered without asking the model"));
            }
            Some("finished") => {}
            other => {
                let detail = format!("kimi ended with `{}`", other.unwrap_or("no status"));
                return Err(Refused::new(Code::General, detail));
            }
        }
        if contract::is_blank(&self.text) {
            return Err(Refused::new(Code::Empty, "kimi gave an empty reply"));
        }
        // A dropped stream and a reply cut at the output limit finish like a whole one.
        let Body { text, is_unproven } = mark::between(&self.text, Marks::End, "kimi")?;
        let told =
            |line: &str| line.trim().strip_prefix("To resume this session: kimi -r ").map(String::from);
        let conversation = stderr.lines().rev().find_map(told);
        Ok(Said { text, usage: self.usage, total: None, conversation, is_unproven })
    }
}

/// What was written to the cache was sent as input.
fn usage(tokens: &Value) -> Option<Usage> {
    let count = |key: &str| tokens.get(key).and_then(Value::as_u64);
    let written = count("input_cache_creation").unwrap_or(0);
    tokens.is_object().then(|| Usage {
        input: count("input_other").map(|n| n.saturating_add(written)),
        cached: count("input_cache_read"),
        output: count("output"),
        ..Usage::default()
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
            &include_str!(concat!("fixtures/kimi-", $name, ".jsonl"))
                .replace("\"id\":\"2\"", "\"id\":\"prompt\"")
        };
    }

    #[test]
    fn pc_051_a_reply_with_usage() {
        let (shown, said) = replay(Native::Kimi, recorded!("ok"), 0);
        let said = said.unwrap();
        assert_eq!(said.text, "---\nstatus: ok\n---\nHello from the stub.\n");
        assert!(matches!(&shown[..], [Progress::Text(text)] if text.starts_with(&said.text)));
        let usage = said.usage.unwrap();
        assert_eq!((usage.input, usage.cached, usage.output), (Some(1000), Some(200), Some(34)));
        assert_eq!((usage.reasoning, usage.cost_usd), (None, None), "unknown is never 0");
    }

    #[test]
    fn pc_059_classes() {
        // It exits with 0 whatever happened.
        for (recorded, want, cause, word) in [
            (recorded!("401"), Reason::Exit(6), Cause::Auth, "401"),
            (recorded!("429"), Reason::Exit(1), Cause::RateLimit { reset: None }, "429"),
            (recorded!("empty"), Reason::Exit(7), Cause::Other, "empty"),
            (
                &recorded!("maxtok").replace("server.\\n", "ser"),
                Reason::Exit(1),
                Cause::Other,
                "not complete",
            ),
            (recorded!("drop"), Reason::Exit(1), Cause::Other, "not complete"),
        ] {
            let refused = replay(Native::Kimi, recorded, 0).1.unwrap_err();
            assert_eq!((refused.reason, refused.cause), (want, cause), "{}", refused.detail);
            assert!(refused.detail.contains(word), "{}", refused.detail);
        }
        // Cut behind a full stop it reads like a whole one, and is in doubt.
        assert!(replay(Native::Kimi, recorded!("maxtok"), 0).1.unwrap().is_unproven);
    }

    #[test]
    fn an_answer_of_the_cli_itself_is_no_reply() {
        let answered =
            format!("{}{}", recorded!("slash"), r#"{"id":"prompt","result":{"status":"finished"}}"#);
        let refused = replay(Native::Kimi, &answered, 0).1.unwrap_err();
        assert!(refused.detail.contains("without asking"), "{}", refused.detail);
    }

    #[test]
    fn pc_055_the_prompt_is_one_line_of_json() {
        let lines = requests("a\nb \"c\"");
        let sent: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((sent.len(), sent[1]["params"]["user_input"].as_str()), (2, Some("a\nb \"c\"")));
    }
}
