//! Where a link leads, and names of session files that are links although nobody marked them.

use crate::domain::session::id::SessionId;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What following a link does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file of this session, or of another one. The name never leads out of its directory.
    File { id: Option<SessionId>, file: String, line: Option<u32> },
    /// Anything else. It is shown and copied, never opened: agents write links too.
    Address(String),
}

impl Target {
    /// Reads `01-peer.md`, `./01-peer.md:14`, `report.md#L9`, `sessions/2026-08/24/<ID>/report.md`.
    pub fn of(address: &str) -> Target {
        let other = || Target::Address(address.to_string());
        let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
        let (path, number) = match path.rsplit_once(':') {
            Some((path, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => (path, digits),
            _ => (path, anchor.strip_prefix('L').unwrap_or("")),
        };
        if path.contains(':') || path.contains('\\') {
            return other();
        }
        let mut parts = path.rsplit('/').filter(|part| !part.is_empty() && *part != ".");
        let (Some(file), folder) = (parts.next(), parts.next()) else { return other() };
        let id = match folder {
            None if path.starts_with('/') => return other(),
            None => None,
            Some(folder) => match SessionId::parse(folder) {
                Some(id) => Some(id),
                None => return other(),
            },
        };
        if file.starts_with('.') || file.chars().any(char::is_control) {
            return other();
        }
        Target::File { id, file: file.to_string(), line: number.parse().ok() }
    }
}

#[expect(clippy::expect_used, reason = "a fixed expression, read in the tests")]
static FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u:\b)(?:[0-9]{2}-(?:writer|peer)[A-Za-z0-9._-]{0,60}\.md|escalation-[0-9]{2}\.md|report(?:-draft)?\.md|meta\.yaml)(?::[0-9]{1,7})?",
    )
    .expect("a valid expression")
});

/// The places where session files are named in a text.
pub fn names(text: &str) -> Vec<Range<usize>> {
    if !text.contains(".md") && !text.contains("meta.yaml") {
        return Vec::new();
    }
    FILE.find_iter(text).map(|found| found.range()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_links_lead_to_session_files_only() {
        let file = |file: &str, line| Target::File { id: None, file: file.into(), line };
        assert_eq!(Target::of("01-peer.md"), file("01-peer.md", None));
        assert_eq!(Target::of("./01-peer.md:14"), file("01-peer.md", Some(14)));
        assert_eq!(Target::of("report.md#L9"), file("report.md", Some(9)));
        let id = SessionId::parse("2026-08-24-01-x");
        let there = Target::File { id, file: "report.md".into(), line: None };
        assert_eq!(Target::of("sessions/2026-08/24/2026-08-24-01-x/report.md"), there);
        for bad in [
            "https://x/y.md",
            "/etc/passwd",
            "/x",
            "../../secret",
            "..",
            "",
            "a/b.md",
            "file:x",
            "mailto:a@b",
            "#top",
        ] {
            assert_eq!(Target::of(bad), Target::Address(bad.into()), "{bad}");
        }
    }

    #[test]
    fn ui_named_files_are_links() {
        let text = "→ 01-peer-codex.md:14, `meta.yaml` и escalation-00.md; x01-peer.md README.md";
        let found: Vec<&str> = names(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["01-peer-codex.md:14", "meta.yaml", "escalation-00.md"]);
    }
}
