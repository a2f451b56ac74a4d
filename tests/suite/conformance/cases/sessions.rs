//! Whole sessions, their tokens, and what goes on after a restart.

use super::want;
use crate::conformance::Outcome;
use crate::conformance::lab::{Lab, Spent, spent, told};
use crate::conformance::model::{Asked, Mood, Tokens};
use crate::stage::{Ran, until};
use serde_json::{Value, json};

pub fn one_peer(lab: &Lab) -> Outcome {
    let ran = lab.session("ada", lab.row.vendor);
    judged(lab, &ran, Some(lab.row.vendor), &["peer"])
}

pub fn writes(lab: &Lab) -> Outcome {
    let ran = lab.session(lab.row.vendor, "bo");
    judged(lab, &ran, None, &["opening", "summary", "synthesis"])
}

pub fn three(lab: &Lab) -> Outcome {
    let ran = lab.session("ada", &format!("bo,{}", lab.row.vendor));
    judged(lab, &ran, Some(lab.row.vendor), &["discovery", "peer"])
}

/// The session is closed, and the tokens of each call are those that the model reported for it.
fn judged(lab: &Lab, ran: &Ran, peer: Option<&str>, purposes: &[&str]) -> Outcome {
    want!(ran.code == Some(0), "code {:?}: {} {}", ran.code, tail(&ran.err), questions(lab));
    want!(lab.stage.meta().contains(r#"status: "completed""#), "the session is not completed");
    let verified = lab.stage.run(&["verify", &lab.stage.id()]);
    want!(verified.code == Some(0), "verify: {}", tail(&verified.out));
    let calls = spent(&ran.out, peer);
    for purpose in purposes {
        want!(calls.iter().any(|c| c.purpose == *purpose), "no call for {purpose}: {calls:?}");
    }
    tokens(lab, &calls, &lab.model.asked(0))
}

fn tokens(lab: &Lab, calls: &[Spent], asked: &[Asked]) -> Outcome {
    if !lab.row.has_usage {
        want!(calls.iter().all(|c| c.usage.is_null()), "tokens from nowhere: {calls:?}");
        return Outcome::Told("it tells no tokens".into());
    }
    let asked: Vec<Asked> = asked.iter().filter(|a| !a.is_side).cloned().collect();
    let ends = asked.iter().map(|a| a.words.chars().rev().take(60).collect::<Vec<_>>());
    let ends: Vec<String> = ends.map(|end| end.into_iter().rev().collect()).collect();
    want!(calls.len() == asked.len(), "{} calls made {} requests: {ends:?}", calls.len(), asked.len());
    for (call, asked) in calls.iter().zip(&asked) {
        if let Err(wrong) = same(&call.usage, asked.tokens.unwrap_or_default()) {
            return Outcome::Failed(format!("{}: {wrong}", call.purpose));
        }
    }
    let sum = told(&asked);
    Outcome::Told(format!(
        "{} calls, {} in, {} cached, {} out",
        calls.len(),
        sum.input,
        sum.cached,
        sum.output
    ))
}

/// Reasoning is not told by every vendor.
fn same(usage: &Value, want: Tokens) -> Result<(), String> {
    let got = |key: &str| usage[key].as_u64();
    let is_same = got("input") == Some(want.input)
        && got("cached") == Some(want.cached)
        && got("output") == Some(want.output)
        && got("reasoning").is_none_or(|n| n == want.reasoning || n == 0);
    if is_same { Ok(()) } else { Err(format!("tokens {usage}, not {want:?}")) }
}

/// The engine is killed while the vendor works; the next one ends what was left and goes on.
pub fn restart(lab: &Lab) -> Outcome {
    lab.mood(Mood::Hang);
    let running = lab.running_session("ada", lab.row.vendor);
    lab.until_asked(0);
    running.kill();
    let from = lab.mood(Mood::Good);
    let ran = lab.stage.resume(&["--json"]);
    want!(ran.code == Some(0), "resume: code {:?}: {} {}", ran.code, tail(&ran.err), questions(lab));
    want!(lab.stage.meta().contains(r#"status: "completed""#), "the session is not completed");
    until("nobody is left", || lab.left().is_empty());
    tokens(lab, &spent(&ran.out, Some(lab.row.vendor)), &lab.model.asked(from))
}

/// With `session_id` the second call goes on with the first one's conversation, and costs only itself.
pub fn sticky(lab: &Lab) -> Outcome {
    if !lab.row.is_sticky {
        return Outcome::Cannot("it cannot go on with a conversation".into());
    }
    lab.config(&json!({"deadline": "90s", "supports": {"session_id": true, "model": true}}));
    let ran = lab.session("ada", lab.row.vendor);
    let outcome = judged(lab, &ran, Some(lab.row.vendor), &["peer"]);
    if matches!(outcome, Outcome::Failed(_)) {
        return outcome;
    }
    let asked = lab.model.asked(0);
    let last = asked
        .iter()
        .rfind(|a| !a.is_side)
        .map(|a| a.words.matches("You are a peer agent").count())
        .unwrap_or(0);
    let most = asked.iter().map(|a| a.tools.len()).max().unwrap_or(0);
    want!(lab.row.keeps_tools || most <= lab.row.tools, "the conversation has {most} tools");
    want!(last >= 2, "the last request does not hold the first call's prompt");
    outcome
}

/// A conversation that the CLI does not know is not replaced by a new one in silence.
pub fn unknown_conversation(lab: &Lab) -> Outcome {
    if !lab.row.is_sticky {
        return Outcome::Cannot("it cannot go on with a conversation".into());
    }
    lab.config(&json!({"deadline": "90s", "supports": {"session_id": true}}));
    let id = match lab.row.name {
        "opencode" | "opencode-acp" => "ses_00000000ffffffffffffffffff",
        "kimi-code" | "kimi-code-acp" => "session_3f2a7c1e-0000-4000-8000-000000000001",
        "hermes" | "hermes-acp" => "20260101_000000_abcdef",
        _ => "3f2a7c1e-0000-4000-8000-000000000001",
    };
    let ran = lab.call("Is the cache small?", &["--session-id", id]);
    want!(ran.code == Some(1), "code {:?}: {}", ran.code, tail(&ran.err));
    let line = Lab::last_line(&ran);
    want!(line.contains("conversation"), "not said: {line}");
    Outcome::Ok
}

pub fn tail(text: &str) -> String {
    let line: Vec<&str> = text.lines().rev().take(3).collect();
    line.into_iter().rev().collect::<Vec<_>>().join(" / ").chars().take(400).collect()
}

/// What a session that ended with questions asks.
fn questions(lab: &Lab) -> String {
    if lab.stage.dirs().is_empty() {
        return String::new();
    }
    let ran = lab.stage.run(&["show", "--json", &lab.stage.id()]);
    let state: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    state["questions"][0]["text"].as_str().unwrap_or_default().to_string()
}
