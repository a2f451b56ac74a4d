//! What a story is, and how its file is read and checked.

use crate::agents::call::Purpose;
use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A story file larger than this is a mistake.
const SIZE_LIMIT: u64 = 1024 * 1024;

const STORIES: [(&str, &str); 5] = [
    ("consensus", include_str!("../../../assets/rehearsals/consensus.yaml")),
    ("three", include_str!("../../../assets/rehearsals/three.yaml")),
    ("disagree", include_str!("../../../assets/rehearsals/disagree.yaml")),
    ("extension", include_str!("../../../assets/rehearsals/extension.yaml")),
    ("deploy", include_str!("../../../assets/rehearsals/deploy.yaml")),
];

/// Everything that is said in one session, and by whom.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// One line for lists.
    pub title: String,
    /// The session's task, word for word.
    pub task: String,
    #[serde(default)]
    pub lang: Lang,
    pub writer: Participant,
    /// In the order in which they speak. One peer makes a turn-loop, more make a round-loop (PC-004).
    pub peers: Vec<Participant>,
    #[serde(default)]
    pub limits: Limits,
    /// What the pilot answers when nobody is there.
    #[serde(default)]
    pub pilot: Vec<Answer>,
    /// Repositories that are made for the story, by name: then choice B is carried out in them.
    #[serde(default)]
    pub repositories: BTreeMap<String, Repository>,
    /// Vendor key of a participant → what it says.
    pub lines: BTreeMap<String, Vec<Line>>,
}

/// A repository of a story as it is in the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// Path → text.
    pub files: BTreeMap<String, String>,
    /// Shell commands; their exit codes decide.
    #[serde(default)]
    pub verify: Vec<String>,
}

/// Writer or peer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Participant {
    /// Registry key, and the name in `lines` and in file names.
    pub vendor: String,
    /// The name in frontmatter and reports.
    pub agent_id: String,
}

/// Limits of the session (PC-420, `max_peer_attempts`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    pub turns: u32,
    pub rounds: u32,
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { turns: 10, rounds: 6, attempts: 2 }
    }
}

/// One answer of the scripted pilot.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub kind: QuestionKind,
    pub text: String,
}

/// One reply of a participant. The first line whose `call`, `round` and `attempt` fit a call is its reply.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub call: Purpose,
    /// Exchange in the turn-loop, round in the round-loop; without it the line fits every round.
    pub round: Option<u32>,
    /// 1 is the first try; without it the line fits every attempt.
    pub attempt: Option<u32>,
    /// `repository/path` → the file's new text; only for `implement`.
    #[serde(default)]
    pub edits: BTreeMap<String, String>,
    /// What goes to stdout, with placeholders.
    #[serde(default)]
    pub say: String,
    /// What goes to stderr.
    #[serde(default)]
    pub stderr: String,
    #[serde(default)]
    pub exit: u8,
    /// Thinking time before the first word: `2s`, `1.5s`, `500ms`.
    #[serde(default, deserialize_with = "pause")]
    pub pause: Duration,
}

/// Names of the embedded stories.
pub fn stories() -> [&'static str; 5] {
    STORIES.map(|(name, _)| name)
}

/// An embedded story by its name, or a story file by its path. The error says what is wrong and where.
pub fn story(name_or_path: &str) -> Result<Story, String> {
    if let Some((_, text)) = STORIES.iter().find(|(name, _)| *name == name_or_path) {
        return Story::parse(text).map_err(|e| format!("story {name_or_path}: {e}"));
    }
    let path = Path::new(name_or_path);
    let Ok(meta) = path.metadata() else {
        let known = stories().join(", ");
        return Err(format!(
            "no story {name_or_path:?}. Known stories: {known}; or give the path of a story file"
        ));
    };
    if !meta.is_file() || meta.len() > SIZE_LIMIT {
        return Err(format!("{name_or_path}: a story is a YAML file of at most 1 MB"));
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name_or_path}: {e}"))?;
    Story::parse(&text).map_err(|e| format!("{name_or_path}: {e}"))
}

impl Story {
    /// Reads and checks a story. Unknown keys are errors with line and column.
    pub fn parse(text: &str) -> Result<Story, String> {
        let options = serde_yaml::options! {
            strict_booleans: true,
            leading_zero_numbers_as_strings: true,
            with_snippet: false,
            budget: serde_yaml::budget! { max_depth: 32, max_nodes: 50_000, max_aliases: 100, max_documents: 1 },
        };
        let story: Story = serde_yaml::from_str_with_options(text, options).map_err(|e| e.to_string())?;
        story.check()?;
        Ok(story)
    }

    /// Writer first, then the peers in order.
    pub fn participants(&self) -> impl Iterator<Item = &Participant> {
        std::iter::once(&self.writer).chain(&self.peers)
    }

    /// What the scripted pilot says to the `nth` question of this kind, counted from 0. The last answer of a kind is
    /// repeated, so that a loop which asks again comes to an end.
    pub fn answer(&self, kind: QuestionKind, nth: usize) -> Option<&str> {
        let answers: Vec<&str> =
            self.pilot.iter().filter(|a| a.kind == kind).map(|a| a.text.as_str()).collect();
        answers.get(nth).or(answers.last()).copied()
    }

    /// The line for one call, and the file number that goes into its frontmatter (PC-237, AMB-33).
    pub fn line(&self, vendor: &str, call: Purpose, round: u32, attempt: u32) -> Option<(&Line, u32)> {
        let fits = |line: &&Line| {
            line.call == call
                && line.round.is_none_or(|r| r == round)
                && line.attempt.is_none_or(|a| a == attempt)
        };
        Some((self.lines.get(vendor)?.iter().find(fits)?, self.turn(call, round)))
    }

    fn turn(&self, call: Purpose, round: u32) -> u32 {
        match (call, self.peers.len()) {
            (Purpose::Peer, 1) => round.saturating_mul(2).saturating_sub(1),
            (Purpose::Turn, 1) => round.saturating_mul(2),
            (Purpose::Peer | Purpose::Turn, _) => round,
            _ => 0,
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.task.trim().is_empty() {
            return Err("task: must not be empty".into());
        }
        if self.peers.is_empty() {
            return Err("peers: a story needs at least one".into());
        }
        let mut seen = Vec::new();
        for participant in self.participants() {
            for name in [&participant.vendor, &participant.agent_id] {
                if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
                {
                    return Err(format!("participant {name:?}: letters, digits, `.`, `_` and `-` only"));
                }
            }
            if seen
                .iter()
                .any(|p: &&Participant| p.vendor == participant.vendor || p.agent_id == participant.agent_id)
            {
                return Err(format!("participant {}: the name is used twice", participant.vendor));
            }
            if !self.lines.contains_key(&participant.vendor) {
                return Err(format!("lines: {} has none", participant.vendor));
            }
            seen.push(participant);
        }
        for (vendor, lines) in &self.lines {
            if !seen.iter().any(|p| p.vendor == *vendor) {
                return Err(format!("lines.{vendor}: no participant of this name"));
            }
            for (at, line) in lines.iter().enumerate() {
                let place = format!("lines.{vendor}[{at}] ({})", line.call.key());
                let is_review = line.call == Purpose::Review;
                if !is_review && line.call.is_plain() != (*vendor == self.writer.vendor) {
                    return Err(format!(
                        "{place}: only a peer is called for discovery and peer, only the writer for the rest"
                    ));
                }
                let is_path = |path: &String| !path.split('/').any(|part| part.is_empty() || part == "..");
                if !line.edits.is_empty() && line.call != Purpose::Implement
                    || !line.edits.keys().all(is_path)
                {
                    return Err(format!("{place}: `edits` belong to implement, as repository/path"));
                }
                if line.exit == 0 && line.say.is_empty() {
                    return Err(format!("{place}: needs `say`, or an `exit` other than 0"));
                }
            }
        }
        Ok(())
    }
}

fn pause<'de, D: Deserializer<'de>>(source: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(source)?;
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s').unwrap_or(""), 1.0),
    };
    let seconds = number.trim().parse::<f64>().ok().map(|n| n * unit).filter(|n| (0.0..=600.0).contains(n));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| D::Error::custom("pause: expected a time such as 2s or 500ms, at most 600s"))
}
