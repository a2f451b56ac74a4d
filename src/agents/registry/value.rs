//! Reading the values of a vendor's keys. Every error says what was expected.

use super::{ConfigProblem, DEADLINE, PromptLimit};
use serde_json::Value;
use std::time::Duration;

/// A scalar as text: numbers and booleans are taken as they are spelt.
pub fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) if text.contains('\0') => Err("contains a NUL character".into()),
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err("must be a text".into()),
    }
}

/// A name that goes into files: letters, digits, `.`, `_`, `-`.
pub fn name(value: &Value) -> Result<String, String> {
    let text = text(value)?;
    let ok = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    if ok && !text.is_empty() {
        Ok(text)
    } else {
        Err("must be a name of letters, digits, `.`, `_` and `-`".into())
    }
}

pub fn list(value: &Value) -> Result<Vec<String>, String> {
    let Value::Array(items) = value else { return Err("must be a list of texts".into()) };
    items.iter().map(text).collect()
}

pub fn flag(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "must be true or false".into())
}

pub fn count(value: &Value) -> Result<usize, String> {
    let number = value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
    number.ok_or_else(|| "must be a whole number above 0".into())
}

/// More would hide a lasting trouble behind waiting.
const MOST_RETRIES: u64 = 5;

pub fn retries(value: &Value) -> Result<u32, String> {
    let number = value.as_u64().filter(|n| *n <= MOST_RETRIES).and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| format!("must be a whole number from 0 to {MOST_RETRIES}"))
}

/// `30s`, `5m`, `1h30m`, `500ms`, `300`.
pub fn duration(value: &Value) -> Result<Duration, String> {
    let wrong = || "must be a duration above 0 such as 30s, 5m, 1h30m or 300 (seconds)".to_string();
    parse_duration(text(value).map_err(|_| wrong())?.trim()).ok_or_else(wrong)
}

/// `4000`, `4000 chars`, `120000 bytes`.
pub fn prompt_limit(value: &Value) -> Result<PromptLimit, String> {
    let wrong = || "must be a number above 0, or such as `4000 chars` or `120000 bytes`".to_string();
    let text = text(value).map_err(|_| wrong())?;
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let max: usize = text[..text.len() - digits.len()].parse().map_err(|_| wrong())?;
    match (max, digits.trim()) {
        (1.., "" | "char" | "chars" | "characters") => Ok(PromptLimit::Chars(max)),
        (1.., "byte" | "bytes") => Ok(PromptLimit::Bytes(max)),
        _ => Err(wrong()),
    }
}

/// `IWE_PEER_TIMEOUT_SECONDS` replaces the default deadline (PC-068).
pub fn env_deadline(raw: Option<&str>, problems: &mut Vec<ConfigProblem>) -> Duration {
    let Some(raw) = raw.map(str::trim).filter(|raw| !raw.is_empty()) else { return DEADLINE };
    match raw.parse() {
        Ok(seconds @ 1..=MAX_SECONDS) => Duration::from_secs(seconds),
        _ => {
            problems.push(ConfigProblem {
                origin: "environment".into(),
                key: "IWE_PEER_TIMEOUT_SECONDS".into(),
                message: format!(
                    "must be a whole number of seconds from 1 to {MAX_SECONDS}; correct or unset it"
                ),
            });
            DEADLINE
        }
    }
}

/// A month. Longer limits are mistakes, and far larger ones overflow the clock.
const MAX_SECONDS: u64 = 30 * 24 * 3600;

fn parse_duration(text: &str) -> Option<Duration> {
    let mut total = 0u64;
    let mut rest = text;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number: u64 = rest[..rest.len() - unit.len()].parse().ok()?;
        let unit_len = unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len());
        let scale = match &unit[..unit_len] {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "" if rest == text => 1000,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(scale)?)?;
        rest = &unit[unit_len..];
    }
    let is_sane = total > 0 && total <= MAX_SECONDS * 1000;
    is_sane.then(|| Duration::from_millis(total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pc_068_durations() {
        let millis = |v: Value| duration(&v).map(|d| d.as_millis());
        assert_eq!(millis(json!("30s")), Ok(30_000));
        assert_eq!(millis(json!("5m")), Ok(300_000));
        assert_eq!(millis(json!("1h30m")), Ok(5_400_000));
        assert_eq!(millis(json!("500ms")), Ok(500));
        assert_eq!(millis(json!(300)), Ok(300_000));
        assert_eq!(millis(json!("300")), Ok(300_000));
        for bad in [
            json!("0"),
            json!(-1),
            json!("5 m"),
            json!("5d"),
            json!(""),
            json!("5m30"),
            json!("m"),
            json!(1.5),
        ] {
            assert!(duration(&bad).is_err(), "{bad}");
        }
        assert!(duration(&json!("99999999999999999999s")).is_err());
        assert!(duration(&json!("18446744073709551615h")).is_err());
        assert!(duration(&json!("5м")).is_err());
    }

    #[test]
    fn pc_033_prompt_limits_have_a_unit() {
        assert_eq!(prompt_limit(&json!("4000 chars")), Ok(PromptLimit::Chars(4000)));
        assert_eq!(prompt_limit(&json!(4000)), Ok(PromptLimit::Chars(4000)));
        assert_eq!(prompt_limit(&json!("120000 bytes")), Ok(PromptLimit::Bytes(120_000)));
        for bad in [json!("0 bytes"), json!("many"), json!("10 words"), json!([1])] {
            assert!(prompt_limit(&bad).is_err(), "{bad}");
        }
        assert!(PromptLimit::Chars(3).allows("три") && !PromptLimit::Bytes(3).allows("три"));
    }
}
