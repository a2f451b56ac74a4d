//! Reading single settings, as YAML gives them and as text of the environment and the command line does.

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_string(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => String::new(),
    }
}

/// Trees are shown by the names in them: the values may be private.
pub fn tree(value: &Value) -> String {
    value.as_object().map_or_else(|| plain(value), names)
}

pub fn names(map: &Map<String, Value>) -> String {
    map.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

pub fn path(value: &Value, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = value.as_str().filter(|text| !text.trim().is_empty() && !text.contains('\0'))?;
    match (text.strip_prefix("~/"), text == "~") {
        (_, true) => home.map(Path::to_path_buf),
        (Some(rest), _) => home.map(|home| home.join(rest)),
        (None, _) => Some(base.join(text)),
    }
}

pub fn word(value: &Value) -> Option<String> {
    let text = plain(value);
    let ok = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',');
    ok.then_some(text)
}

/// A list, or one text with commas. Empty elements and white space are mistakes (PC-008).
pub fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(items) if !items.is_empty() => items.iter().map(word).collect(),
        Value::String(text) => {
            text.split(',').map(|part| word(&Value::from(part)).filter(|w| w == part)).collect()
        }
        _ => None,
    }
}

pub fn count(value: &Value) -> Option<u32> {
    plain(value).parse().ok().filter(|n| (1..=1000).contains(n))
}

pub fn bytes(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text.strip_prefix(digits)?.trim() {
        "" => 1,
        "KiB" => 1024,
        "MiB" => 1024 * 1024,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit).filter(|n| *n > 0)
}
