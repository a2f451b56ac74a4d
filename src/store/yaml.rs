//! YAML in one place: the options that make outside text safe to read.

use serde::de::DeserializeOwned;

/// Reads the first document of `text`. Depth, node and alias counts are limited; the error names line and column but
/// never quotes the text, which may be private.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = serde_yaml::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        with_snippet: false,
        budget: serde_yaml::budget! { max_depth: 32, max_nodes: 50_000, max_aliases: 100, max_documents: 8 },
    };
    serde_yaml::from_str_with_options(text, options).map_err(|e| e.to_string())
}

/// Reads any YAML mapping as JSON values, keeping the order of its keys.
pub fn mapping(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, String> {
    match read::<serde_json::Value>(text)? {
        serde_json::Value::Object(map) => Ok(map),
        serde_json::Value::Null => Ok(serde_json::Map::new()),
        _ => Err("not a mapping".into()),
    }
}

/// A double-quoted YAML scalar with `\`, `"`, line breaks and other controls escaped (PC-160).
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            // Strict readers refuse these unescaped even between quotes.
            c @ '\u{80}'..='\u{9f}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            c @ '\u{fffe}'..='\u{ffff}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            '\u{feff}' => out.push_str("\\ufeff"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_reads_back_and_stays_on_one_line() {
        for text in [
            "",
            "plain",
            "a\"b\\c",
            "two\nlines\r\n",
            "tab\tbell\u{7}",
            "Ещё раз: да",
            "\u{2028}\u{feff}x",
            "\u{80}\u{85}\u{9f}\u{ffff}",
            "$(date)",
        ] {
            let quoted = quote(text);
            assert_eq!(quoted.lines().count(), 1);
            assert_eq!(read::<String>(&quoted).unwrap(), text);
        }
    }

    #[test]
    fn errors_do_not_quote_the_text() {
        let error = mapping("a: [secret-token\nb: }").unwrap_err();
        assert!(!error.contains("secret-token"), "{error}");
    }
}
