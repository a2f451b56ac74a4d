//! Reading one configuration file: its keys with their positions, and errors a person can act on.

use crate::store::yaml;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A configuration file larger than this is a mistake.
const SIZE_LIMIT: u64 = 1024 * 1024;

/// A configuration file as read, its keys not yet judged.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigFile {
    pub path: PathBuf,
    /// Where relative paths of this file start.
    pub base: PathBuf,
    pub entries: Vec<Entry>,
}

/// One top-level key. Line and column count from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    pub line: u64,
    pub column: u64,
}

/// What is wrong with a setting: where, what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `file:line:column`, a file, a variable or a flag.
    pub place: String,
    pub what: String,
    pub next: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}. {}", self.place, self.what, self.next)
    }
}

impl std::error::Error for Problem {}

/// Everything that is wrong with the configuration; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(pub Vec<Problem>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            write!(f, "{}{problem}", if n == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// The file at `path`, or `None` when there is none. `base` is where its relative paths start.
pub fn read(path: &Path, base: &Path) -> Result<Option<ConfigFile>, Problem> {
    let unreadable = |what: String| Problem {
        place: path.display().to_string(),
        what,
        next: "Make it a readable YAML file, or move it away".into(),
    };
    let text = match std::fs::metadata(path).and_then(|meta| {
        if meta.len() > SIZE_LIMIT { Err(io::Error::other("larger than 1 MiB")) } else { std::fs::read(path) }
    }) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text".into()))?,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let entries = parse(&text).map_err(|(position, what)| Problem {
        place: match position {
            Some((line, column)) => format!("{}:{line}:{column}", path.display()),
            None => path.display().to_string(),
        },
        what,
        next: "Correct it, or move the file away to use the defaults".into(),
    })?;
    Ok(Some(ConfigFile { path: path.to_path_buf(), base: base.to_path_buf(), entries }))
}

/// Line and column, where known, and what is wrong there.
pub type Broken = (Option<(u64, u64)>, String);

/// The keys of a YAML mapping. The error does not quote the file.
pub fn parse(text: &str) -> Result<Vec<Entry>, Broken> {
    yaml::read::<Entries>(text).map(|entries| entries.0).map_err(|error| split_position(&error))
}

/// The YAML reader says "… at line 3, column 7"; the position belongs in front.
fn split_position(error: &str) -> Broken {
    let positioned = || {
        let (what, position) = error.rsplit_once(" at line ")?;
        let (line, column) = position.split_once(", column ")?;
        Some(((line.parse().ok()?, column.parse().ok()?), what.to_string()))
    };
    match positioned() {
        Some((position, what)) => (Some(position), what),
        None => (None, error.to_string()),
    }
}

struct Entries(Vec<Entry>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        deserializer.deserialize_any(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("keys with values, such as `writer: claude`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<serde_yaml::Spanned<String>, Value>()? {
            let (line, column) = (key.referenced.line(), key.referenced.column());
            entries.push(Entry { key: key.value, value, line, column });
        }
        Ok(Entries(entries))
    }

    /// A file with nothing but comments.
    fn visit_unit<E>(self) -> Result<Entries, E> {
        Ok(Entries(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_carry_their_positions() {
        let entries = parse("# c\nwriter: codex\n\nvendors:\n  x: {a: 1}\nlang:\n").unwrap();
        let seen: Vec<_> = entries.iter().map(|e| (e.key.as_str(), e.line, e.column)).collect();
        assert_eq!(seen, [("writer", 2, 1), ("vendors", 4, 1), ("lang", 6, 1)]);
        assert_eq!(entries[2].value, Value::Null);
        assert_eq!(parse("# only a comment\n").unwrap(), []);
    }

    #[test]
    fn broken_files_name_file_line_column_and_next_step() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.yaml");
        for (text, place) in [
            ("writer: [claude\nlang: en\n", ":2:5"),
            ("writer: claude\nwriter: codex\n", ":2:1"),
            ("- writer\n", ""),
            ("writer: claude\n lang: en\n", ":2:6"),
        ] {
            std::fs::write(&path, text).unwrap();
            let problem = read(&path, dir.path()).unwrap_err();
            assert_eq!(problem.place, format!("{}{place}", path.display()), "{text:?} {problem}");
            assert!(!problem.what.contains(" at line "), "{problem}");
            assert!(problem.to_string().contains("move the file away"), "{problem}");
        }
    }

    #[test]
    fn absent_files_are_no_problem_and_unreadable_ones_are() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(&dir.path().join("no/config.yaml"), dir.path()), Ok(None));
        let path = dir.path().join("config.yaml");
        std::fs::write(&path, b"writer: \xff\xfe\n").unwrap();
        assert!(read(&path, dir.path()).unwrap_err().to_string().contains("not UTF-8"));
        assert!(read(dir.path(), dir.path()).is_err());
    }
}
