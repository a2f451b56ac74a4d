//! May a reply enter the log? The four checks of PC-340 to PC-346, and what is only worth a warning.

use super::claim::{Checked, Finding};
use super::clean::{Pass, judge_pass};
use super::failure::Reason;
use super::head::{ConsensusWord, Head, RoleAccepted};
use super::marker::{Markers, markers, prose, without_markers};
use super::slug::collapse;
use super::turn::Turn;
use crate::domain::lang::Lang;
use crate::domain::time::Stamp;
use std::collections::HashSet;
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// A body or a reason with fewer characters says nothing (PC-341, PC-344).
const LEAST_CHARS: usize = 40;

/// What the engine knows about the reply it asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Expect<'a> {
    pub discovery: bool,
    /// The agent id of the caller's books; empty = nothing to compare.
    pub agent_id: &'a str,
    /// Agreed roles of that agent; empty = nothing to check.
    pub roles: &'a [String],
    /// In discovery: the role that the writer proposed.
    pub proposed_role: &'a str,
    pub prompt: &'a str,
    pub facts: &'a [Checked],
}

/// Why a reply does not count; kept with it and told to the peer (PC-347).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub reason: Reason,
    /// One sentence for the peer and the pilot.
    pub detail: String,
}

/// What is odd about a reply and does not make it invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The frontmatter names another number than the file (PC-238).
    Turn { claimed: Option<u32>, real: u32 },
    /// The frontmatter names another agent (PC-238); models misreport who they are.
    Agent { claimed: String, real: String },
    /// The timestamp cannot be read (PC-238).
    Timestamp(String),
    /// The `consensus` word and the markers disagree; the markers count (PC-239).
    Consensus(ConsensusWord),
    /// A line that looks like a marker but is none (PC-373).
    NearMiss(String),
    /// A side-effect marker (PC-345) where it does not reject: the turn-loop (AMB-42).
    SideEffect(String),
    /// A contradicted fact where it does not reject: the turn-loop (AMB-42).
    Fact(String),
}

/// Validates a reply of the round-loop; the first failing check decides. A valid reply may still have warnings.
pub fn validate(turn: &Turn, expect: &Expect) -> Result<Vec<Warning>, Rejection> {
    let body = turn.body();
    let found = markers(body);
    if turn.text.trim().is_empty() {
        return reject(Reason::OnTopic, "the reply is empty");
    }
    let head = match &turn.head {
        Ok(head) => head,
        Err(problem) => {
            return reject(Reason::Frontmatter, format!("the frontmatter cannot be read: {problem}"));
        }
    };
    if expect.discovery && head.role_accepted.is_none() {
        return reject(Reason::Frontmatter, "role_accepted must be true, false or clarify");
    }
    on_topic(body, &found, expect.prompt)?;
    role(head, body, expect)?;
    if let Some(line) = side_effect(body) {
        return reject(Reason::SideEffects, format!("the reply reports a side effect: {line}"));
    }
    if let Some(contradiction) = contradictions(expect.facts).next() {
        return reject(Reason::FactMismatch, contradiction);
    }
    Ok(warnings(turn, expect))
}

/// Everything odd about a reply without judging it; the turn-loop uses only this (AMB-42).
pub fn warnings(turn: &Turn, expect: &Expect) -> Vec<Warning> {
    let body = turn.body();
    let found = markers(body);
    let mut warnings = Vec::new();
    if let Ok(head) = &turn.head {
        let real = if expect.discovery { 0 } else { turn.name.number };
        if head.turn != Some(real) {
            warnings.push(Warning::Turn { claimed: head.turn, real });
        }
        if !expect.agent_id.is_empty() && head.agent_id != expect.agent_id {
            warnings
                .push(Warning::Agent { claimed: head.agent_id.clone(), real: expect.agent_id.to_string() });
        }
        if Stamp::parse(&head.timestamp).is_none() {
            warnings.push(Warning::Timestamp(head.timestamp.clone()));
        }
        if !word_fits(head.consensus, &found) {
            warnings.push(Warning::Consensus(head.consensus));
        }
    }
    warnings.extend(found.near_misses.into_iter().map(Warning::NearMiss));
    warnings.extend(side_effect(body).map(|line| Warning::SideEffect(line.to_string())));
    warnings.extend(contradictions(expect.facts).map(Warning::Fact));
    warnings
}

/// A role that decides in the pilot's place is never an agent's (PC-692): `R15-…`, alone or within a list.
pub fn forbidden_role(name: &str) -> bool {
    name.split([',', ';', '+', '/', '|']).any(|part| {
        let part = fold(part);
        part.strip_prefix("r15").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

fn reject<T>(reason: Reason, detail: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { reason, detail: detail.into() })
}

/// Check 1 (PC-341, PC-342).
fn on_topic(body: &str, found: &Markers, prompt: &str) -> Result<(), Rejection> {
    if judge_pass(body) == Some(Pass::Clean) {
        return Ok(());
    }
    let rest = without_markers(body);
    let speaks = found.pass || found.accept || found.consensus.is_some();
    if !speaks && rest.trim().chars().count() < LEAST_CHARS {
        return reject(
            Reason::OnTopic,
            format!("the body has fewer than {LEAST_CHARS} characters and no marker"),
        );
    }
    // Fences and rules are in every text; only lines with words can be a repetition.
    let words = |line: &&str| line.chars().any(char::is_alphanumeric);
    let known: HashSet<&str> = prompt.lines().map(str::trim).filter(words).collect();
    let (mut all, mut own) = (0usize, 0usize);
    for line in rest.lines().map(str::trim).filter(words) {
        all += 1;
        own += usize::from(!known.contains(line));
    }
    if own * 10 < all * 6 {
        return reject(Reason::OnTopic, format!("only {own} of {all} lines are not lines of the prompt"));
    }
    Ok(())
}

/// Check 2 (PC-343, PC-344, PC-692).
fn role(head: &Head, body: &str, expect: &Expect) -> Result<(), Rejection> {
    let named = head.content_role.trim();
    if forbidden_role(named) {
        return reject(Reason::Role, format!("the role {named} is reserved for a person"));
    }
    let reasoned = || without_markers(body).trim().chars().count() >= LEAST_CHARS;
    if expect.discovery {
        let other = matches!(head.role_accepted, Some(RoleAccepted::No | RoleAccepted::Clarify));
        let proposed = expect.proposed_role.trim();
        if proposed.is_empty() || same_role(named, proposed) || (other && reasoned()) {
            return Ok(());
        }
        return reject(Reason::Role, format!("content_role is not the proposed role \"{proposed}\""));
    }
    if expect.roles.is_empty() {
        return Ok(());
    }
    let agreed = || expect.roles.join("\", \"");
    if named.is_empty() {
        return reject(Reason::Role, format!("content_role is missing; agreed: \"{}\"", agreed()));
    }
    let is_agreed = |name: &str| expect.roles.iter().any(|role| same_role(role, name));
    if is_agreed(named) || named.split(',').all(is_agreed) {
        return Ok(());
    }
    // An ad-hoc role: its reason has to speak of it by name.
    if reasoned() && fold(body).contains(&fold(named)) {
        return Ok(());
    }
    reject(
        Reason::Role,
        format!("content_role \"{named}\" is not agreed (\"{}\") and the body gives no reason", agreed()),
    )
}

/// Check 3 (PC-345): the first line that reports a side effect.
fn side_effect(body: &str) -> Option<&str> {
    const DEEDS: [&str; 10] = [
        "WRITTEN",
        "UPDATED",
        "CREATED",
        "EDITED",
        "DELETED",
        "CALLED",
        "EXECUTED",
        "SAVED",
        "COMMITTED",
        "PUSHED",
    ];
    prose(body).map(|(_, line)| line).find(|line| {
        let bare = without_bullet(line);
        let end = bare.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(bare.len());
        if bare[end..].starts_with(char::is_alphanumeric) {
            return false;
        }
        let mut parts: Vec<&str> = bare[..end].split('_').collect();
        let deed = parts.pop();
        !parts.is_empty()
            && parts.iter().all(|part| !part.is_empty())
            && deed.is_some_and(|d| DEEDS.contains(&d))
    })
}

fn without_bullet(line: &str) -> &str {
    let item = line.trim_start_matches([' ', '\t']);
    let number = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match item.strip_prefix(['-', '*', '+', '•']) {
        Some(behind) => Some(behind),
        None if number.len() < item.len() => number.strip_prefix(['.', ')']),
        None => None,
    };
    match behind {
        Some(behind) if behind.starts_with([' ', '\t']) => behind.trim_start_matches([' ', '\t']),
        _ => line,
    }
}

/// Check 4 (PC-346).
fn contradictions(facts: &[Checked]) -> impl Iterator<Item = String> {
    facts.iter().filter_map(|checked| match &checked.finding {
        Finding::Contradicted(why) => Some(format!("{}: {why}", checked.claim)),
        Finding::Confirmed | Finding::Unverified => None,
    })
}

/// `reached` needs a CONSENSUS marker and `escalate` an ESCALATE_TO_USER (AMB-64), and the other way round.
fn word_fits(word: ConsensusWord, found: &Markers) -> bool {
    match word {
        ConsensusWord::Escalate => found.escalate.is_some(),
        _ if found.escalate.is_some() => false,
        ConsensusWord::Reached => found.consensus.is_some(),
        ConsensusWord::Proposed => true,
        ConsensusWord::None => found.consensus.is_none(),
    }
}

fn same_role(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

/// Trimmed, composed and lower case, Cyrillic included.
fn fold(text: &str) -> String {
    collapse(&text.nfc().collect::<String>()).to_lowercase()
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} — {}", self.reason, self.detail)
    }
}

impl std::error::Error for Rejection {}

impl Warning {
    /// For the pilot.
    pub fn text(&self, lang: Lang) -> String {
        let say = |en: String, ru: String| match lang {
            Lang::En => en,
            Lang::Ru => ru,
        };
        match self {
            Warning::Turn { claimed: Some(claimed), real } => say(
                format!("frontmatter says turn {claimed}, it is {real}"),
                format!("во frontmatter ход {claimed}, на деле {real}"),
            ),
            Warning::Turn { claimed: None, real } => say(
                format!("frontmatter has no turn number, it is {real}"),
                format!("во frontmatter нет номера хода, на деле {real}"),
            ),
            Warning::Agent { claimed, real } if claimed.trim().is_empty() => say(
                format!("frontmatter has no agent, it is {real}"),
                format!("во frontmatter нет агента, на деле {real}"),
            ),
            Warning::Agent { claimed, real } => say(
                format!("frontmatter says agent \"{claimed}\", it is {real}"),
                format!("во frontmatter агент «{claimed}», на деле {real}"),
            ),
            Warning::Timestamp(text) if text.trim().is_empty() => {
                say("frontmatter has no timestamp".into(), "во frontmatter нет времени".into())
            }
            Warning::Timestamp(text) => say(
                format!("frontmatter has an unreadable timestamp \"{text}\""),
                format!("время во frontmatter не читается: «{text}»"),
            ),
            Warning::Consensus(word) => say(
                format!("frontmatter says consensus {}, the markers say otherwise", word.key()),
                format!("во frontmatter consensus {}, маркеры говорят иное", word.key()),
            ),
            Warning::NearMiss(line) => say(
                format!("possible misformatted marker: {line}"),
                format!("возможно, неверно записанный маркер: {line}"),
            ),
            Warning::SideEffect(line) => say(
                format!("the reply reports a side effect: {line}"),
                format!("реплика сообщает о побочном действии: {line}"),
            ),
            Warning::Fact(text) => {
                say(format!("contradicted fact: {text}"), format!("факт не подтверждается: {text}"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
