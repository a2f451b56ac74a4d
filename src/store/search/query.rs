//! Which sessions a query may be about: what the id and `meta.yaml` decide.

use super::read::View;
use crate::domain::query::Query;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::ResultClass;
use crate::store::layout::META;
use crate::store::meta::script_value;

/// What is asked of a session as a whole.
pub(super) trait Filter {
    /// What the id alone decides.
    fn may_hold(&self, id: &SessionId) -> bool;
    /// What `meta.yaml` decides. A session without one has no class, vendor or WP.
    fn holds(&self, text: View<'_>) -> bool;
}

impl Filter for Query {
    fn may_hold(&self, id: &SessionId) -> bool {
        let date = id.date();
        let last = date.get(..self.until.len()).unwrap_or(date);
        date >= self.since.as_str() && (self.until.is_empty() || last <= self.until.as_str())
    }

    fn holds(&self, text: View<'_>) -> bool {
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
