//! Words and filters of one search, and how they are typed.

use super::read::View;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::ResultClass;
use crate::domain::words::words;
use crate::store::layout::META;
use crate::store::meta::script_value;

/// What to look for and where. Filters of one kind are alternatives; different kinds must all hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Words and phrases; a line with any of them is found, one with all of them comes first.
    pub words: Vec<String>,
    pub classes: Vec<ResultClass>,
    /// Vendor keys or agent ids, of peers or the writer.
    pub vendors: Vec<String>,
    /// First and last day, `YYYY-MM-DD` or the beginning of one (`2026-08`). Empty = open.
    pub since: String,
    pub until: String,
    /// `WP-142`, in any case.
    pub wp: String,
}

impl Query {
    /// Reads `retry "second hit" class:agreed vendor:codex since:2026-08 until:2026-09-01 wp:WP-142`. A filter that
    /// cannot be read is a word: nobody should get an error while typing.
    pub fn parse(text: &str) -> Query {
        let mut query = Query::default();
        for word in words(text) {
            let (key, value) = word.split_once(':').unwrap_or((&word, ""));
            let value = value.to_string();
            match (key, value.as_str()) {
                (_, "") => query.words.push(word),
                ("class", v) if ResultClass::parse(v).is_some() => {
                    query.classes.extend(ResultClass::parse(v))
                }
                ("vendor", _) => query.vendors.push(value),
                ("since", v) if is_day(v) => query.since = value,
                ("until", v) if is_day(v) => query.until = value,
                ("wp", _) => query.wp = value,
                _ => query.words.push(word),
            }
        }
        query
    }

    /// What the id alone decides.
    pub(super) fn may_hold(&self, id: &SessionId) -> bool {
        let date = id.date();
        let last = date.get(..self.until.len()).unwrap_or(date);
        date >= self.since.as_str() && (self.until.is_empty() || last <= self.until.as_str())
    }

    /// What `meta.yaml` decides. A session without one has no class, vendor or WP.
    pub(super) fn holds(&self, text: View<'_>) -> bool {
        if self.classes.is_empty() && self.vendors.is_empty() && self.wp.is_empty() {
            return true;
        }
        let Some(meta) = text.file(META) else { return false };
        let meta = String::from_utf8_lossy(meta);
        let value = |key: &str| script_value(&meta, key).to_lowercase();
        let class = || ResultClass::parse(&value("engine_result_class")).or_else(|| reported(text));
        let named = |vendor: &String| {
            let vendor = vendor.to_lowercase();
            ["round_order", "peer_agents", "peer_agent", "writer_agent", "peer_cmds", "peer_cmd"]
                .iter()
                .any(|key| names(&value(key)).any(|n| n == vendor || family(n) == vendor))
        };
        let wp = self.wp.to_lowercase();
        (self.classes.is_empty() || class().is_some_and(|class| self.classes.contains(&class)))
            && (self.vendors.is_empty() || self.vendors.iter().any(named))
            && (wp.is_empty() || value("task_id") == wp || word(&value("task_description"), &wp))
    }
}

/// Trees of other programs tell the class in the report only.
fn reported(text: View<'_>) -> Option<ResultClass> {
    let report = text.file(crate::store::layout::REPORT)?;
    let head = String::from_utf8_lossy(report.get(..4096).unwrap_or(report));
    ResultClass::parse(&script_value(&head, "result_class"))
}

/// The names in a YAML list or scalar whose quotes and blanks are gone.
fn names(value: &str) -> impl Iterator<Item = &str> {
    value.split(['[', ']', ',']).filter(|name| !name.is_empty())
}

/// `claude` for `claude-code`, `kimi` for `kimi-headless` and `kimi-peer-adapter`.
fn family(agent: &str) -> &str {
    agent.split('-').next().unwrap_or(agent)
}

/// True when the text holds the word and not a longer number: `wp-14` is not in `wp-142`.
fn word(text: &str, word: &str) -> bool {
    text.match_indices(word)
        .any(|(at, found)| !text[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// `2026`, `2026-08` or `2026-08-24`.
pub fn is_day(text: &str) -> bool {
    let shape = |(at, b): (usize, u8)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() };
    matches!(text.len(), 4 | 7 | 10) && text.bytes().enumerate().all(shape)
}
