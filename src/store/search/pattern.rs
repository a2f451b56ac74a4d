//! What to look for: words and quoted phrases, in any case, with `ё` and `е` the same.

use regex::bytes::{Regex, RegexBuilder};
use std::collections::HashSet;

/// The words of one search.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    /// Folded, the longest first, so that a match is the longest word that begins there.
    words: Vec<String>,
}

/// More words than this are no search but a text.
const WORDS: usize = 16;

/// A word longer than this would blow up the automaton.
const LENGTH: usize = 200;

impl Pattern {
    /// `None` when there is no word to look for.
    pub fn new(words: &[String]) -> Option<Pattern> {
        let mut folded: Vec<String> = words
            .iter()
            .map(|w| fold(&w.chars().take(LENGTH).collect::<String>()))
            .filter(|w| !w.trim().is_empty())
            .take(WORDS)
            .collect();
        let mut seen = HashSet::new();
        folded.retain(|word| seen.insert(word.clone()));
        folded.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let source: Vec<String> = folded.iter().map(|word| escape(word)).collect();
        if source.is_empty() {
            return None;
        }
        let regex =
            RegexBuilder::new(&source.join("|")).case_insensitive(true).size_limit(64 << 20).build().ok()?;
        Some(Pattern { regex, words: folded })
    }

    /// How many different words there are.
    pub fn count(&self) -> u32 {
        self.words.len() as u32
    }

    /// The first match at or behind `at`, as a byte range.
    pub fn find_at(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        self.regex.find_at(bytes, at).map(|found| (found.start(), found.end()))
    }

    /// The words that a match holds, one bit each: `login` also holds `log`.
    pub fn words_in(&self, matched: &[u8]) -> u32 {
        if self.words.len() == 1 {
            return 1;
        }
        let text = fold(&String::from_utf8_lossy(matched));
        let held = self.words.iter().enumerate().filter(|(_, word)| text.contains(word.as_str()));
        held.fold(0, |bits, (at, _)| bits | 1 << at)
    }
}

/// Words and `"quoted phrases"` of what was typed. A quote that is not closed yet runs to the end.
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, part) in text.split(['"', '«', '»']).enumerate() {
        if at % 2 == 1 {
            out.push(part.trim().to_string());
        } else {
            out.extend(part.split_whitespace().map(str::to_string));
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Lower case, `ё` as `е`.
pub fn fold(text: &str) -> String {
    text.to_lowercase().replace('ё', "е")
}

fn escape(word: &str) -> String {
    regex::escape(word).replace('е', "[её]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str], text: &str) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        let pattern = Pattern::new(&words).unwrap();
        let (mut at, mut out) = (0, Vec::new());
        while let Some((start, end)) = pattern.find_at(text.as_bytes(), at) {
            out.push(text[start..end].to_string());
            at = end;
        }
        out
    }

    #[test]
    fn search_any_case_and_both_letters() {
        assert_eq!(found(&["отчет"], "Отчёт ОТЧЕТ отчЁт"), ["Отчёт", "ОТЧЕТ", "отчЁт"]);
        assert_eq!(found(&["Ещё"], "еще ЕЩЁ"), ["еще", "ЕЩЁ"]);
        assert_eq!(found(&["a.b(", "CACHE"], "axb( a.b( Cache"), ["a.b(", "Cache"]);
        assert_eq!(found(&["log", "login"], "Login log"), ["Login", "log"]);
    }

    #[test]
    fn search_a_long_word_holds_a_short_one() {
        let pattern = Pattern::new(&["log".into(), "login".into(), "LOG".into()]).unwrap();
        assert_eq!((pattern.count(), pattern.words_in(b"LOGIN"), pattern.words_in(b"log")), (2, 0b11, 0b10));
    }

    #[test]
    fn search_words_and_phrases() {
        assert_eq!(words("a  \"b c\" d \"e f"), ["a", "b c", "d", "e f"]);
        assert_eq!(words("«не сейчас» кэш"), ["не сейчас", "кэш"]);
        assert!(words(" \"\" ").is_empty() && Pattern::new(&words("")).is_none());
    }
}
