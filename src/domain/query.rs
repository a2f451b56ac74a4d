//! What is looked for in all sessions, and how it is typed.

use super::session::meta::ResultClass;
use super::time::is_day;
use super::words::typed;

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
    /// Words that have the name of a filter and a value that it does not take. They are among the words: nobody should
    /// get an error while typing; who has typed should hear of it.
    pub unread: Vec<Unread>,
}

/// A filter with a value that is none of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    Class,
    Since,
    Until,
}

impl Unread {
    /// The name in front of the colon.
    pub fn key(self) -> &'static str {
        match self {
            Unread::Class => "class",
            Unread::Since => "since",
            Unread::Until => "until",
        }
    }

    /// The values that it takes.
    pub fn takes(self) -> String {
        match self {
            Unread::Class => ResultClass::ALL.map(ResultClass::key).join(", "),
            Unread::Since | Unread::Until => "2026-08-24, 2026-08, 2026".into(),
        }
    }
}

impl Query {
    /// Reads `retry "second hit" class:agreed vendor:codex since:2026-08 until:2026-09-01 wp:WP-142`. Several values of
    /// a class or a vendor stand between commas. What is quoted is no filter.
    pub fn parse(text: &str) -> Query {
        let mut query = Query::default();
        for (word, is_quoted) in typed(text) {
            let filter = word.split_once(':').filter(|_| !is_quoted);
            if !filter.is_some_and(|(key, value)| query.filter(key, value)) {
                query.words.push(word);
            }
        }
        query
    }

    /// Takes a filter; `false` when it is none, or not with that value.
    fn filter(&mut self, key: &str, value: &str) -> bool {
        // Its value is still to be typed.
        if value.is_empty() {
            return false;
        }
        let mut unread = None;
        match key {
            "class" => match value.split(',').map(ResultClass::parse).collect::<Option<Vec<_>>>() {
                Some(classes) => self.classes.extend(classes),
                None => unread = Some(Unread::Class),
            },
            "vendor" => self.vendors.extend(value.split(',').map(str::to_string)),
            "wp" => self.wp = value.to_string(),
            "since" if is_day(value) => self.since = value.to_string(),
            "until" if is_day(value) => self.until = value.to_string(),
            "since" => unread = Some(Unread::Since),
            "until" => unread = Some(Unread::Until),
            _ => return false,
        }
        self.unread.extend(unread);
        unread.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_what_is_no_filter_is_a_word_and_told() {
        let query = Query::parse("class:nonsense since:2026-13 until:2026-02-31 wp: note:x");
        assert_eq!(query.words, ["class:nonsense", "since:2026-13", "until:2026-02-31", "wp:", "note:x"]);
        assert_eq!(query.unread, [Unread::Class, Unread::Since, Unread::Until]);
        let query = Query::parse("class:agreed,partial vendor:codex,kimi since:2026 until:2026-02-28");
        assert_eq!((query.words.len(), query.unread.len(), query.classes.len()), (0, 0, 2));
        assert_eq!(query.vendors, ["codex", "kimi"]);
        let quoted = Query::parse("\"class:agred\" \"vendor:codex\"");
        assert_eq!((quoted.words.len(), quoted.unread.len(), quoted.vendors.len()), (2, 0, 0));
    }
}
