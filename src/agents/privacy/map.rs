//! The content-filter map: words that make a vendor refuse a legitimate prompt, and what it reads instead (PC-067).

use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// Pairs of marker and replacement, longest marker first. Applied one after the other, so a replacement may hold a
/// shorter marker and is then replaced as well; this is what the adapters of the skill family do.
#[derive(Debug, Clone, Default)]
pub struct Map {
    pairs: Vec<Pair>,
}

#[derive(Debug, Clone)]
struct Pair {
    marker: Regex,
    replacement: String,
}

impl Map {
    /// The map that ships with the program.
    pub fn shipped() -> &'static Map {
        static SHIPPED: LazyLock<Map> = LazyLock::new(|| {
            Map::parse(include_str!("../../../assets/content-filter-map.txt")).unwrap_or_default()
        });
        &SHIPPED
    }

    /// Reads lines `marker<TAB>replacement`; blank lines and lines that start with `#` are skipped. A map that cannot
    /// be read must stop the call (code 2): the prompt is never sent unfiltered. The error names the line, not its text.
    pub fn parse(text: &str) -> Result<Map, String> {
        let mut pairs = Vec::new();
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            match line.split_once('\t') {
                Some((marker, replacement)) if !marker.is_empty() && !replacement.is_empty() => {
                    pairs.push((marker, replacement));
                }
                _ => return Err(format!("line {}: expected a marker, one tab and a replacement", at + 1)),
            }
        }
        pairs.sort_by_key(|(marker, _)| std::cmp::Reverse(marker.chars().count()));
        let pairs = pairs.into_iter().map(|(marker, replacement)| Pair::new(marker, replacement));
        Ok(Map { pairs: pairs.collect::<Result<_, String>>()? })
    }

    /// The prompt with every marker replaced. Without pairs it comes back byte for byte.
    pub fn apply(&self, prompt: &str) -> String {
        self.pairs.iter().fold(prompt.to_string(), |text, pair| pair.apply(&text).unwrap_or(text))
    }
}

impl Pair {
    fn new(marker: &str, replacement: &str) -> Result<Pair, String> {
        // Unicode has four letters "i" that are one letter when case is ignored; the regex crate knows two of them.
        let pattern = regex::escape(marker).replace(['i', 'I', 'ı', 'İ'], "[iIıİ]");
        let marker = RegexBuilder::new(&pattern).case_insensitive(true).build();
        Ok(Pair { marker: marker.map_err(|e| e.to_string())?, replacement: replacement.to_string() })
    }

    /// `None` when nothing was replaced. The word boundaries are looked at by hand: `\b` in the pattern makes the
    /// search over Cyrillic text more than a hundred times slower.
    fn apply(&self, text: &str) -> Option<String> {
        let (mut out, mut kept, mut from) = (String::new(), 0, 0);
        while let Some(hit) = self.marker.find_at(text, from) {
            if hit.is_empty() {
                break;
            }
            if is_boundary(text, hit.start()) && is_boundary(text, hit.end()) {
                out.push_str(&text[kept..hit.start()]);
                out.push_str(&self.replacement);
                kept = hit.end();
                from = hit.end();
            } else {
                from = hit.start() + text[hit.start()..].chars().next().map_or(1, char::len_utf8);
            }
        }
        (kept > 0).then(|| out + &text[kept..])
    }
}

/// True where a word begins or ends: a word character stands on exactly one side.
fn is_boundary(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back().is_some_and(is_word);
    let after = text[at..].chars().next().is_some_and(is_word);
    before != after
}

/// Letters, numbers and `_`. Combining marks do not count, unlike in the regex crate's `\w`.
fn is_word(c: char) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}_]$").ok());
    match &*WORD {
        _ if c.is_ascii() => c.is_ascii_alphanumeric() || c == '_',
        Some(word) => word.is_match(c.encode_utf8(&mut [0; 4])),
        None => c.is_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_067_shipped_map_replaces_whole_words_in_any_case() {
        let map = Map::shipped();
        assert_eq!(map.pairs.len(), 8);
        assert_eq!(
            map.apply("Our PRIVATE KEY, secret keys, (credentials), pem/PEM, tokenizer, Api Token.\n"),
            "Our verification material, secret keys, (auth params), config encoding/config encoding, tokenizer, auth artifact.\n"
        );
        assert_eq!(map.apply("приватный private key и ключ"), "приватный verification material и ключ");
        for same in [
            "",
            "  \r\n\t",
            "myprivate key",
            "private_key",
            "private key_2",
            "ключprivate key",
            "прPEM",
            "no marker\u{1b}[31m\0",
        ] {
            assert_eq!(map.apply(same), same);
        }
    }

    #[test]
    fn pc_067_longest_marker_first_and_one_after_the_other() {
        let map = Map::parse("key\tword\nprivate key\tkey pair\n").unwrap();
        assert_eq!(map.apply("private key, key"), "word pair, word");
        // A dollar sign or backslash in a replacement is text.
        let map = Map::parse("a.b\t$1\\0").unwrap();
        assert_eq!(map.apply("a.b axb"), "$1\\0 axb");
    }

    #[test]
    fn pc_067_a_failed_boundary_does_not_hide_an_overlapping_marker() {
        let map = Map::parse("a a\tX").unwrap();
        assert_eq!(map.apply("xa a a"), "xa X");
        let map = Map::parse("-key\tX").unwrap();
        assert_eq!(map.apply("the-key -key"), "theX -key");
    }

    #[test]
    fn pc_067_case_and_words_follow_unicode() {
        let map = Map::parse("ключ\tX\napi token\tY\nпароль\tZ").unwrap();
        assert_eq!(map.apply("КЛЮЧ ключи Ключ. ПАРОЛЬ"), "X ключи X. Z");
        assert_eq!(map.apply("AP\u{130} TO\u{212a}EN ap\u{131} token"), "Y Y");
        // A combining mark ends a word, a superscript does not.
        assert_eq!(map.apply("ключ\u{301} ключ² ключ_"), "X\u{301} ключ² ключ_");
    }

    #[test]
    fn pc_067_no_map_changes_nothing_and_a_broken_map_is_an_error() {
        assert_eq!(Map::parse("# only a comment\n\n").unwrap().apply("private key\r\n"), "private key\r\n");
        assert_eq!(Map::parse("\u{feff}a\tb\r\n").unwrap().apply("a"), "b");
        for broken in ["one two", "\tx", "a\t", "a\tb\nsecret-word"] {
            let error = Map::parse(broken).unwrap_err();
            assert!(error.starts_with("line ") && !error.contains("secret-word"), "{error}");
        }
    }
}
