//! `doctor --probe`: one real, tiny call, because only a call proves that a vendor answers.

use super::vendors::probe_folder;
use crate::agents::call::{Call, Outcome, Progress, Purpose};
use crate::agents::registry::Vendor;
use crate::agents::run::run_in;
use crate::agents::serve::stop_signal;
use crate::engine::desk::surroundings;
use std::path::Path;
use std::sync::{Arc, Mutex};

const PROMPT: &str = "This is a test of the connection. Answer with the one word: yes";

/// What came of it, as lines for a person, and whether there was a reply.
pub async fn probe(vendor: &Vendor, state_dir: &Path) -> (bool, String) {
    let call = Call {
        vendor: vendor.key.clone(),
        purpose: Purpose::Turn,
        session: String::new(),
        round: 0,
        attempt: 1,
        prompt: PROMPT.into(),
        model: String::new(),
        add_dir: None,
        conversation: None,
        runtime: probe_folder(state_dir),
        extra_env: Vec::new(),
        work: None,
        leave: None,
    };
    let notices = Arc::new(Mutex::new(Vec::new()));
    let heard = notices.clone();
    let progress = move |progress: Progress| {
        let line = match progress {
            Progress::Sandbox(text) => format!("sandbox    {}", text.en),
            Progress::Notice(text) => format!("notice     {text}"),
            _ => return,
        };
        if let Ok(mut notices) = heard.lock() {
            notices.push(line);
        }
    };
    let outcome = run_in(&surroundings(), vendor, call, progress, stop_signal()).await;
    let mut lines = notices.lock().map(|lines| lines.clone()).unwrap_or_default();
    let is_reply = matches!(outcome, Outcome::Reply(_));
    match outcome {
        Outcome::Reply(reply) => {
            let words: String =
                reply.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
            let words: String = words.chars().filter(|c| !c.is_control()).collect();
            lines.push(format!("reply      {words}"));
            lines.push(format!("time       {} ms", reply.elapsed.as_millis()));
            let count = |n: Option<u64>| n.map_or("unknown".into(), |n| n.to_string());
            if let Some(usage) = reply.usage {
                let (input, cached) = (count(usage.input), count(usage.cached));
                lines.push(format!("tokens     {input} in, {cached} cached, {} out", count(usage.output)));
            }
        }
        Outcome::Failed(failure) => {
            lines.push(format!("failed     {}: {}", failure.reason, failure.detail));
            let stderr = crate::agents::privacy::pii::tail(&failure.stderr, 5);
            lines.extend(stderr.lines().map(|line| format!("stderr     {line}")));
        }
        Outcome::Cancelled => lines.push("stopped".into()),
    }
    (is_reply, lines.join("\n"))
}
