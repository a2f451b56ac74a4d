//! The last look at a prompt before it leaves the machine: what looks like a secret stops the call, until the pilot has
//! said what becomes of it.

use super::runner::Runner;
use crate::agents::privacy::prompt::{self, Secret};
use crate::agents::registry::{Kind, Vendor};
use crate::domain::session::secret::{Clearance, Find};
use std::collections::BTreeMap;

/// So many places of one secret are named.
const PLACES: usize = 3;

/// The prompt as it may be sent, or what the pilot has to decide about first.
pub fn checked(runner: &Runner, vendor: &Vendor, text: String) -> Result<String, Vec<Find>> {
    // A rehearsed participant is this program: nothing leaves.
    if !runner.desk.asks_about_secrets || matches!(vendor.kind, Kind::Rehearsal { .. }) {
        return Ok(text);
    }
    let secrets = prompt::secrets(&text);
    if secrets.is_empty() {
        return Ok(text);
    }
    let cleared = &runner.session.notes.cleared;
    let said = |secret: &Secret| cleared.iter().rfind(|(mark, _)| *mark == secret.mark).map(|(_, how)| *how);
    let mut open: BTreeMap<&str, &Secret> = BTreeMap::new();
    for secret in secrets.iter().filter(|secret| said(secret).is_none()) {
        open.entry(&secret.mark).or_insert(secret);
    }
    if open.is_empty() {
        return Ok(prompt::redacted(&text, &secrets, |secret| said(secret) == Some(Clearance::Redact)));
    }
    let sources = sources(runner);
    let mut open: Vec<&Secret> = open.into_values().collect();
    open.sort_by_key(|secret| secret.bytes.start);
    Err(open.into_iter().map(|secret| find(runner, &sources, &text, secret)).collect())
}

fn find(runner: &Runner, sources: &[(String, String)], text: &str, secret: &Secret) -> Find {
    let bare = &text[secret.bytes.clone()];
    let line = |text: &str, at: usize| text[..at].matches('\n').count() + 1;
    let of_source =
        |(name, text): &(String, String)| text.find(bare).map(|at| format!("{name}:{}", line(text, at)));
    let mut places: Vec<String> = sources.iter().filter_map(of_source).take(PLACES).collect();
    if places.is_empty() {
        places.push(format!("prompt:{}", line(text, secret.bytes.start)));
    }
    Find {
        places,
        what: secret.rule.name(runner.session.meta.lang()).to_string(),
        masked: prompt::masked(bare),
        mark: secret.mark.clone(),
    }
}

/// What prompts are made of, by the names that the pilot knows.
fn sources(runner: &Runner) -> Vec<(String, String)> {
    let s = &runner.session;
    let turns = s.turns.iter().map(|turn| (turn.name.to_string(), turn.text.to_string()));
    let escalations = s.escalations.iter().map(|e| {
        let name = e.file_name();
        let text = std::fs::read_to_string(runner.recorder().dir().join(&name)).unwrap_or_default();
        (name, text)
    });
    let task = ("task".to_string(), s.meta.task_description.clone());
    let told = s.notes.directions.iter().chain(s.notes.reserved.iter().map(|(_, text)| text));
    let told = told.chain(s.notes.clarified.iter().map(|(.., text)| text));
    let told = told.map(|text| (s.meta.lang().pick("your words", "твои слова").to_string(), text.clone()));
    std::iter::once(task).chain(turns).chain(escalations).chain(told).collect()
}
