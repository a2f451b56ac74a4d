//! Themes and keymaps as files: groups of keys with one word each, and the line where each stands.

use serde_yaml::Spanned;
use std::collections::BTreeMap;

/// A top-level key and what stands below it, in the order of the file.
pub struct Group {
    pub name: String,
    pub entries: Vec<Entry>,
}

/// One key with its word. The line counts from 1.
pub struct Entry {
    pub key: String,
    pub value: String,
    pub line: u64,
}

/// The groups of a file. A key that stands twice in a group is an error of the reader, with its line.
pub fn groups(text: &str) -> Result<Vec<Group>, String> {
    let options = serde_yaml::options! {
        with_snippet: false,
        budget: serde_yaml::budget! { max_depth: 4, max_nodes: 5_000, max_aliases: 0, max_documents: 1 },
    };
    let read: BTreeMap<String, Option<BTreeMap<String, Spanned<String>>>> =
        serde_yaml::from_str_with_options(text, options).map_err(|e| e.to_string())?;
    Ok(read
        .into_iter()
        .map(|(name, entries)| {
            let mut entries: Vec<Entry> = entries
                .unwrap_or_default()
                .into_iter()
                .map(|(key, value)| Entry { key, line: value.referenced.line(), value: value.value })
                .collect();
            entries.sort_by_key(|e| e.line);
            Group { name, entries }
        })
        .collect())
}
