//! A copy of an environment: what programs are searched with and what children inherit from.

use std::ffi::{OsStr, OsString};

/// Variables in no particular order. A parameter wherever the environment decides something, so that a test needs no
/// real one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vars(Vec<(OsString, OsString)>);

impl Vars {
    /// Those of this process.
    pub fn real() -> Vars {
        Vars(std::env::vars_os().collect())
    }

    /// The value, unless it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let (_, value) = self.0.iter().find(|(key, _)| key == name)?;
        Some(value.as_os_str()).filter(|v| !v.is_empty())
    }

    /// The value as text; `None` also when it is not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    /// Adds a variable or replaces its value.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.0.retain(|(key, _)| *key != name);
        self.0.push((name, value.into()));
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| key != name);
    }

    /// Only those whose name passes. Names that are not UTF-8 never do.
    pub fn filtered(&self, keep: impl Fn(&str) -> bool) -> Vars {
        Vars(self.0.iter().filter(|(key, _)| key.to_str().is_some_and(&keep)).cloned().collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(key, value)| (key.as_os_str(), value.as_os_str()))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Vars {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Vars {
        let mut vars = Vars::default();
        pairs.into_iter().for_each(|(key, value)| vars.set(key, value));
        vars
    }
}
