//! What a well-behaved model answers to each prompt of a session.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a peer's prompt begins with.
pub const PEER: &str = "You are a peer agent in a dialog";

const LEADS: [&str; 5] = [
    PEER,
    "You are the writer agent in a dialog",
    "You are a synthesizer of dialog",
    super::tools::IMPLEMENTER,
    "You review a change before it is deployed",
];

/// The last prompt: a conversation that goes on brings the earlier ones along.
fn last(words: &str) -> &str {
    words.get(LEADS.iter().filter_map(|lead| words.rfind(lead)).max().unwrap_or(0)..).unwrap_or(words)
}

pub fn answer(words: &str) -> String {
    let prompt = last(words);
    if prompt.starts_with(LEADS[2]) {
        return report(prompt);
    }
    if prompt.starts_with(LEADS[3]) {
        return super::tools::REPORT.into();
    }
    if prompt.starts_with(LEADS[4]) {
        return "## Critical\n- none\n## High\n- none\n## Medium\n- none\n## OK\n- all of it\n".into();
    }
    if prompt.starts_with(LEADS[0]) {
        return peer(prompt);
    }
    if !prompt.starts_with(LEADS[1]) {
        // A call outside of sessions.
        return "---\nturn: 1\nrole: peer\nagent_id: probe\n---\n\nYes: the answer to what was asked.\n"
            .into();
    }
    if prompt.contains("Write your opening position") {
        let text = "I propose to keep the cache small, because a small cache is easy to reason about.";
        return match prompt.lines().find(|line| line.starts_with("proposed_roles:")) {
            Some(roles) => {
                let roles = roles.replace("<role_name>", "critic");
                format!("---\n{roles}\nsuggested_initiator_role: \"moderator\"\n---\n\n{text}\n")
            }
            None => format!("{text}\n"),
        };
    }
    let text = if prompt.contains("\nagreed_roles:") {
        "agreed_roles: {}\nwriter_role: \"moderator\"\n"
    } else if prompt.contains("Sum up for the pilot") {
        "discussed: \"How large the cache is\"\nagreed: \"It stays small\"\nproposed:\n  - \"Set its size\"\nhours: 2\nimpact: \"Less memory is used\"\ndefer: none\n"
    } else if prompt.contains("reversible: yes") {
        "reversible: yes\nin_authority: yes\npositions:\n  - {summary: \"small\", supporters: []}\n"
    } else {
        "The cold start costs two seconds once a day, and that is the whole price of a small cache.\n"
    };
    text.into()
}

/// Objects once and agrees then.
fn peer(prompt: &str) -> String {
    let form = prompt.rfind("Write your reply to stdout with frontmatter").unwrap_or(0);
    let value = |key: &str| {
        let line = prompt[form..].lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_default().trim().to_string()
    };
    let (turn, agent) = (value("turn:"), value("agent_id:"));
    let head = |more: &str| {
        format!(
            "---\nturn: {turn}\nrole: peer\nagent_id: {agent}\n{more}timestamp: 2026-08-24T10:00:00Z\nconsensus: none\n---\n\n"
        )
    };
    let place = "content_role: critic\nprocess_position: peer\n";
    if prompt.contains("Round: discovery") {
        return head(&format!("{place}role_accepted: true\n"))
            + "I take the role as proposed and answer on stdout only.\n";
    }
    let place = if prompt.contains("N>2 participants") { place } else { "" };
    match turn.as_str() {
        "1" => head(place) + "I disagree with one point: what does the cold start cost with a small cache?\n",
        _ => {
            head(place)
                + "Two seconds once a day are no objection for our load.\n\nCONSENSUS: the cache stays small\n"
        }
    }
}

fn report(prompt: &str) -> String {
    static TURN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b\d\d-(?:writer|peer)[A-Za-z0-9_-]*\.md\b").unwrap());
    let files: BTreeSet<&str> = TURN.find_iter(prompt).map(|m| m.as_str()).collect();
    let log: Vec<String> = files.iter().map(|file| format!("[{file}]({file})")).collect();
    format!(
        "---
confidence: high
ttl_event: until pilot cancels
cost_source: missing
---

# Final Report

## 1. Original problem statement
- **Task:** how large the cache is
- **Writer's initial position:** keep it small.

## 2. Positions by topic

**Topic 1: the size**
- Initiator: the writer
- **Writer:** small → easy to reason about → 00-writer.md
- **Peer:** what about the cold start → 00-writer.md
- Evolution: none
- Resolution: small.

## 3. Rejected alternatives
- A large cache → nobody asked for it → 00-writer.md

## 4. Recorded decision
- Keep the cache small. [synthesized]
- **Key argument:** a small cache is easy to reason about.
- **Confidence:** high
- **TTL event:** until pilot cancels

## 5. Open questions and escalations
- None is open.
- Status: needs-verification
- Reference: 00-writer.md

## 7. Metadata and navigation
- **Log:** {}
- **Related Artifacts:** none
",
        log.join(", ")
    )
}

/// The text with the marks that the last prompt asks for.
pub fn marked(words: &str, text: &str) -> String {
    let prompt = last(words);
    let begin = if prompt.contains("[begin of reply]") { "[begin of reply]\n" } else { "" };
    let end = if prompt.contains("[end of reply]") { "\n[end of reply]\n" } else { "" };
    format!("{begin}{text}{end}")
}

/// What is there of a reply that breaks off.
pub fn half(text: &str) -> String {
    let half = text.chars().count() / 2;
    text.chars().take(half).collect()
}
