//! hermes' text output (recorded with hermes-agent 0.19.0): errors come as text with exit code 0, and only the usage
//! file of a one-shot call tells them from a reply. A call with a session has no such file: there the exit code and the
//! marks of the reply decide.

use super::mark::{self, Body, Marks};
use super::{Refused, Said, no_end_event};
use crate::agents::call::Usage;
use crate::agents::contract::{self, Code};
use serde_json::Value;
use std::process::ExitStatus;

#[derive(Debug, Default)]
pub struct Hermes {
    pub stdout: Vec<u8>,
    /// What the CLI wrote into the usage file; `None` for a call without one.
    pub usage_file: Option<String>,
}

impl Hermes {
    pub fn end(self, status: ExitStatus, stderr: &str) -> Result<Said, Refused> {
        let stdout = String::from_utf8_lossy(&self.stdout).into_owned();
        let session = || {
            let named = |line: &str| line.strip_prefix("session_id: ").map(|id| id.trim().to_string());
            stderr.lines().rev().find_map(named).or_else(|| stdout.lines().find_map(named))
        };
        let Some(file) = &self.usage_file else {
            if !status.success() {
                return Err(refusal(status, &stdout, stderr));
            }
            let Body { text, is_unproven } = reply(&stdout)?;
            return Ok(Said { text, conversation: session(), is_unproven, ..Said::default() });
        };
        let told: Value = serde_json::from_str(file).unwrap_or_default();
        if told["completed"] != true || told["failed"] != false || !status.success() {
            return Err(refusal(status, &stdout, stderr));
        }
        let Body { text, is_unproven } = reply(&stdout)?;
        // After a broken stream, and at the output limit, it asks again and prints all pieces one after another.
        if told["api_calls"] != 1 {
            return Err(Refused::busy(
                "hermes asked the model more than once, so its reply may be glued together",
            ));
        }
        let conversation = told["session_id"].as_str().map(String::from);
        let usage = Some(usage(&told));
        Ok(Said { text, total: usage.clone(), usage, conversation, is_unproven })
    }
}

fn reply(stdout: &str) -> Result<Body, Refused> {
    if contract::is_blank(stdout) || stdout.starts_with("⚠\u{fe0f} No reply") {
        return Err(Refused::new(Code::Empty, "hermes gave an empty reply"));
    }
    mark::between(stdout, Marks::Both, "hermes")
}

/// The error is what it printed; a text for a reader may follow on the same stream.
fn refusal(status: ExitStatus, stdout: &str, stderr: &str) -> Refused {
    match stdout.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => Refused::by_vendor(None, &format!("hermes: {line}")),
        None => no_end_event(status, stderr),
    }
}

/// The sums of a session, from the line that `hermes sessions export` prints.
pub fn total(exported: &[u8]) -> Option<Usage> {
    let told: Value = serde_json::from_slice(exported.split(|b| *b == b'\n').next()?).ok()?;
    told["input_tokens"].is_u64().then(|| usage(&told))
}

fn usage(told: &Value) -> Usage {
    let count = |key: &str| told.get(key).and_then(Value::as_u64);
    let is_priced = told["cost_status"].as_str().is_some_and(|status| status != "unknown");
    Usage {
        input: count("input_tokens").map(|n| n.saturating_add(count("cache_write_tokens").unwrap_or(0))),
        cached: count("cache_read_tokens"),
        output: count("output_tokens"),
        reasoning: count("reasoning_tokens"),
        // It says 0 where it does not know.
        cost_usd: told["estimated_cost_usd"].as_f64().filter(|_| is_priced),
        model: told["model"].as_str().map(String::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::call::Cause;
    use crate::domain::session::failure::Reason;
    use std::os::unix::process::ExitStatusExt;

    fn ended(stdout: &str, file: Option<&str>, code: i32, stderr: &str) -> Result<Said, Refused> {
        let hermes = Hermes { stdout: stdout.into(), usage_file: file.map(String::from) };
        hermes.end(ExitStatus::from_raw(code << 8), stderr)
    }

    macro_rules! recorded {
        ($name:literal) => {
            (
                include_str!(concat!("fixtures/hermes-", $name, ".txt")),
                Some(include_str!(concat!("fixtures/hermes-", $name, ".json"))),
            )
        };
    }

    #[test]
    fn pc_051_a_reply_with_usage() {
        let (stdout, file) = recorded!("ok");
        let said = ended(&format!("[begin of reply]\n{stdout}"), file, 0, "").unwrap();
        assert_eq!(said.text, "---\nstatus: ok\n---\nHello from the stub.\n");
        let usage = said.usage.unwrap();
        assert_eq!(
            (usage.input, usage.cached, usage.output, usage.reasoning, usage.cost_usd),
            (Some(1000), Some(200), Some(34), Some(5), None),
        );
        assert_eq!(usage.model.as_deref(), Some("stub-model"));
    }

    #[test]
    fn pc_059_errors_on_stdout_with_code_0() {
        for ((stdout, file), want, cause) in [
            (recorded!("401"), Reason::Exit(6), Cause::Auth),
            (recorded!("429"), Reason::Exit(1), Cause::RateLimit { reset: None }),
            (recorded!("refuse"), Reason::Exit(1), Cause::Other),
            (recorded!("empty"), Reason::Exit(7), Cause::Other),
        ] {
            let refused = ended(stdout, file, 0, "").unwrap_err();
            assert_eq!((refused.reason, refused.cause), (want, cause), "{}", refused.detail);
        }
        let (stdout, _) = recorded!("ok");
        let whole = format!("[begin of reply]\n{stdout}");
        assert!(ended(&whole, Some(""), 0, "").is_err(), "no usage file, no success");
    }

    #[test]
    fn a_glued_reply_is_no_reply() {
        let (stdout, file) = recorded!("drop");
        assert!(ended(stdout, file, 0, "").is_err());
        let whole = format!("[begin of reply]\n{}\n[end of reply]", stdout.trim());
        assert!(ended(&whole, file, 0, "").unwrap_err().detail.contains("more than once"));
    }

    #[test]
    fn pc_061_a_session_has_its_id_on_stderr() {
        let (stdout, _) = recorded!("ok");
        let said = ended(&format!("[begin of reply]\n{stdout}"), None, 0, "\nsession_id: 2026_x\n").unwrap();
        assert_eq!((said.conversation.as_deref(), said.usage), (Some("2026_x"), None));
        let refused = ended("HTTP 401: stub: invalid api key\n", None, 1, "").unwrap_err();
        assert_eq!(refused.reason, Reason::Exit(6));
    }
}
