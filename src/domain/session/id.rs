//! Session ids (PC-009, PC-140, PC-145).

use std::fmt;

/// `<YYYY-MM-DD>-<NUM>-<slug>`. Month and day of a running session always come from here, never from the clock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// Accepts `^\d{4}-\d{2}-\d{2}-[A-Za-z0-9][A-Za-z0-9._-]*$` without `..` (PC-009).
    pub fn parse(text: &str) -> Option<SessionId> {
        let bytes = text.as_bytes();
        let shape = b"dddd-dd-dd-";
        let head = bytes.len() > shape.len()
            && shape.iter().zip(bytes).all(|(want, got)| match want {
                b'd' => got.is_ascii_digit(),
                other => other == got,
            });
        let tail = bytes.get(shape.len()..)?;
        let ok = head
            && tail[0].is_ascii_alphanumeric()
            && tail.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
            && !text.contains("..");
        ok.then(|| SessionId(text.to_string()))
    }

    /// `date` is `YYYY-MM-DD`; from 100 on the number simply has three digits (PC-141).
    pub fn new(date: &str, number: u32, slug: &str) -> Option<SessionId> {
        SessionId::parse(&format!("{date}-{number:02}-{slug}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `YYYY-MM-DD`.
    pub fn date(&self) -> &str {
        &self.0[..10]
    }

    /// `YYYY-MM`.
    pub fn month(&self) -> &str {
        &self.0[..7]
    }

    /// `DD`.
    pub fn day(&self) -> &str {
        &self.0[8..10]
    }

    /// The running number of the day, if the id has one.
    pub fn number(&self) -> Option<u32> {
        self.0[11..].split('-').next().filter(|n| n.len() >= 2).and_then(|n| n.parse().ok())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_009_ids_on_the_command_line() {
        for good in ["2026-08-24-01-choose-cache", "2026-06-17-x", "2026-08-24-100-a.b_c"] {
            assert!(SessionId::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "2026-08-24",
            "2026-08-24-",
            "2026-08-24--x",
            "2026-8-24-01-x",
            "2026-08-24-01-a/b",
            "2026-08-24-a..b",
        ] {
            assert!(SessionId::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn pc_145_month_and_day_come_from_the_id() {
        let id = SessionId::parse("2026-08-24-03-drop-legacy").unwrap();
        assert_eq!((id.month(), id.day(), id.number()), ("2026-08", "24", Some(3)));
    }
}
