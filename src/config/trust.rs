//! What a project's file may not decide by itself. It comes with a checkout, from whoever wrote it: its commands would
//! run, and its consents would send things, before its reader has read it. So these keys count only when the pilot has
//! said yes to exactly what they say.

use super::file::{ConfigFile, Entry};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// Keys of a vendor that start nothing, name no place and open nothing.
const HARMLESS: [&str; 10] = [
    "model",
    "deadline",
    "idle",
    "patience",
    "prompt_limit",
    "output_cap",
    "retries",
    "agent_id",
    "writer_agent_id",
    "guard_agent",
];

/// One setting that needs the pilot's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// Such as `vendors.alpha.path`.
    pub key: String,
    /// Its value as JSON, on one line.
    pub value: String,
}

/// Everything in one file that needs the pilot's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub file: PathBuf,
    pub wishes: Vec<Wish>,
    /// Of the file's place and of all that is asked. Other content or another place has another one.
    pub digest: String,
}

/// What the pilot said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Trusted,
    /// These entries are not to be used, and not to be asked about.
    Refused,
    Open,
}

/// The project's file, and who knows what the pilot said about it.
pub struct Guard<'a> {
    pub file: PathBuf,
    pub verdict: &'a dyn Fn(&Asked) -> Verdict,
}

/// What the file asks for; `None` when it asks for nothing that needs a word.
pub fn asked(file: &ConfigFile) -> Option<Asked> {
    let wishes: Vec<Wish> = file.entries.iter().flat_map(wishes).collect();
    if wishes.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    let wished = wishes.iter().flat_map(|wish| [wish.key.as_bytes(), wish.value.as_bytes()]);
    for part in std::iter::once(file.path.as_os_str().as_encoded_bytes()).chain(wished) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Asked { file: file.path.clone(), wishes, digest })
}

/// The file as if what needs a word did not stand in it.
pub fn without(mut file: ConfigFile) -> ConfigFile {
    file.entries.retain_mut(|entry| match (entry.key.as_str(), &mut entry.value) {
        ("vendors", Value::Object(vendors)) => {
            vendors.retain(|_, vendor| !needs_word(vendor));
            !vendors.is_empty()
        }
        _ => wishes(entry).is_empty(),
    });
    file
}

fn wishes(entry: &Entry) -> Vec<Wish> {
    let whole = || vec![Wish { key: entry.key.clone(), value: entry.value.to_string() }];
    match (entry.key.as_str(), &entry.value) {
        (_, Value::Null) => Vec::new(),
        ("vendors", Value::Object(vendors)) => {
            let vendors = vendors.iter().filter(|(_, vendor)| needs_word(vendor));
            vendors.flat_map(|(name, vendor)| keys(name, vendor)).collect()
        }
        ("vendors" | "implementation", _) => whole(),
        // Where the engine writes, and would otherwise write to a place of the pilot's choice.
        ("sessions_dir", _) => whole(),
        // Silence would become a decision (PC-465), or a call that nobody asked for.
        ("gate_timeout", value) if value.as_str() != Some("never") => whole(),
        ("after_limit", value) if value.as_str() != Some("ask") => whole(),
        // A key's meaning: a key that seems to look could decide. The name of a keymap that ships, or is the user's
        // own, cannot.
        ("keymap", value) if !value.is_string() => whole(),
        // Consents of the pilot: what is sent or published without a question.
        ("commit" | "push", value) if value.as_str().is_none_or(|text| !matches!(text, "ask" | "never")) => {
            whole()
        }
        ("secrets", value) if value.as_str() != Some("ask") => whole(),
        _ => Vec::new(),
    }
}

fn needs_word(vendor: &Value) -> bool {
    let Value::Object(keys) = vendor else { return true };
    // A model's name becomes an argument of the CLI: one that looks like a flag is none.
    let is_flag = |value: &Value| value.as_str().is_some_and(|text| text.trim_start().starts_with('-'));
    keys.iter().any(|(key, value)| !HARMLESS.contains(&key.as_str()) || is_flag(value))
}

fn keys(name: &str, vendor: &Value) -> Vec<Wish> {
    match vendor {
        Value::Object(keys) => keys
            .iter()
            .map(|(key, value)| Wish { key: format!("vendors.{name}.{key}"), value: value.to_string() })
            .collect(),
        other => vec![Wish { key: format!("vendors.{name}"), value: other.to_string() }],
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;

    fn file(text: &str) -> ConfigFile {
        let path = PathBuf::from("/p/.flightdeck/config.yaml");
        ConfigFile { base: "/p/.flightdeck".into(), path, entries: parse(text).unwrap() }
    }

    fn wished(text: &str) -> Vec<String> {
        asked(&file(text)).map(|a| a.wishes.into_iter().map(|w| w.key).collect()).unwrap_or_default()
    }

    #[test]
    fn what_runs_programs_or_sends_things_needs_a_word() {
        for (text, keys) in [
            ("vendors: {a: {kind: script, path: ./a.sh}}", vec!["vendors.a.kind", "vendors.a.path"]),
            ("vendors: {codex: {bin: ./x}}", vec!["vendors.codex.bin"]),
            ("vendors: {codex: {env: {LD_PRELOAD: ./x.so}}}", vec!["vendors.codex.env"]),
            ("vendors: {codex: {args: [-c]}}", vec!["vendors.codex.args"]),
            (
                "vendors: {codex: {sandbox: off, model: m}}",
                vec!["vendors.codex.sandbox", "vendors.codex.model"],
            ),
            ("vendors: {codex: {model: --yolo}}", vec!["vendors.codex.model"]),
            ("vendors: {codex: x}", vec!["vendors.codex"]),
            ("vendors: [x]", vec!["vendors"]),
            ("implementation: {command: x}", vec!["implementation"]),
            ("commit: always\npush: always\nsecrets: off", vec!["commit", "push", "secrets"]),
            ("commit: Always", vec!["commit"]),
            (
                "sessions_dir: /etc\ngate_timeout: 1\nafter_limit: resume",
                vec!["sessions_dir", "gate_timeout", "after_limit"],
            ),
            ("keymap: {gate: {b: [j]}}", vec!["keymap"]),
        ] {
            assert_eq!(wished(text), keys, "{text}");
        }
    }

    #[test]
    fn the_rest_needs_none_and_stays() {
        let harmless = "writer: codex\nlang: ru\ntheme: {name: light}\nturns_limit: 3\nsecrets: ask\ncommit: never\npush: ask\nvendors:\n  codex: {model: m, deadline: 5m}\nimplementation:\n";
        assert_eq!(asked(&file(harmless)), None);
        let both = file(&format!(
            "{harmless}peers: [a]\nreflection_timeout: 5\ngate_timeout: never\nafter_limit: ask\nkeymap: vim\n"
        ));
        assert_eq!(without(both.clone()), both);
        let mixed = file("push: always\nlang: ru\nvendors:\n  codex: {model: m}\n  a: {path: ./a.sh}\n");
        assert_eq!(without(mixed).entries, {
            let mut left = file("\nlang: ru\nvendors:\n  codex: {model: m}\n").entries;
            left.iter_mut().for_each(|entry| entry.column = 1);
            left
        });
    }

    #[test]
    fn another_content_or_place_is_another_digest() {
        let digest = |text: &str| asked(&file(text)).unwrap().digest;
        let one = "vendors: {a: {path: ./a.sh}}";
        assert_eq!(digest(one), digest(&format!("lang: ru\n{one}")), "what needs no word may change");
        assert_ne!(digest(one), digest("vendors: {a: {path: ./b.sh}}"));
        assert_ne!(digest(one), digest("vendors: {b: {path: ./a.sh}}"));
        let moved = ConfigFile { path: "/q/.flightdeck/config.yaml".into(), ..file(one) };
        assert_ne!(digest(one), asked(&moved).unwrap().digest);
    }
}
