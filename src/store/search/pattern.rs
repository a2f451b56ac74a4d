//! What to look for: words and quoted phrases, in any case, with `ё` and `е` the same.

use super::sieve::Sieve;
use crate::domain::words::fold;
use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};
use std::collections::HashSet;

/// The words of one search.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    /// Folded, the longest first, so that a match is the longest word that begins there.
    words: Vec<String>,
    /// For each word a part of it, projected. Empty when some word has no part that can be told by its bytes.
    parts: Vec<Finder<'static>>,
}

/// Where words may be in one buffer. Comparing cases is slow, so the bytes are first projected to something that upper
/// and lower case share, and searched for exact bytes; the expression then looks only at lines where one was found.
#[derive(Debug, Default)]
pub struct Probe {
    projected: Vec<u8>,
    /// The next place of each part.
    next: Vec<usize>,
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
        let parts: Option<Vec<Vec<u8>>> = folded.iter().map(|word| part(word)).collect();
        let parts = parts.unwrap_or_default().iter().map(|part| Finder::new(part).into_owned()).collect();
        Some(Pattern { regex, words: folded, parts })
    }

    /// Makes the probe ready for these bytes, of which the sieve is.
    pub fn aim(&self, probe: &mut Probe, bytes: &[u8], sieve: Option<Sieve<'_>>) {
        probe.next.clear();
        probe.next.resize(self.parts.len(), usize::MAX);
        let may_be = |part: &Finder| sieve.is_none_or(|sieve| sieve.may_hold(part.needle()));
        if !self.parts.iter().any(may_be) {
            return;
        }
        project(bytes, &mut probe.projected);
        for (next, part) in probe.next.iter_mut().zip(&self.parts).filter(|(_, part)| may_be(part)) {
            *next = part.find(&probe.projected).unwrap_or(usize::MAX);
        }
    }

    /// A place at or behind `at` whose line may hold a word; no line before it does. `bytes` are those aimed at.
    pub fn candidate(&self, probe: &mut Probe, bytes: &[u8], at: usize) -> Option<usize> {
        if self.parts.is_empty() {
            return self.find_at(bytes, at).map(|(start, _)| start);
        }
        for (next, part) in probe.next.iter_mut().zip(&self.parts) {
            if *next < at {
                let found = probe.projected.get(at..).and_then(|rest| part.find(rest));
                *next = found.map_or(usize::MAX, |found| at + found);
            }
        }
        probe.next.iter().copied().min().filter(|at| *at < bytes.len())
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

/// Byte by byte, so that the compiler can do many at once: ASCII letters in lower case, and of two-byte characters the
/// bits by which Latin, Greek and Cyrillic cases differ taken out. Different letters may become the same; the same
/// letter in two cases always does, or is not used as a part.
pub fn project(bytes: &[u8], into: &mut Vec<u8>) {
    into.clear();
    into.extend(bytes.iter().map(|b| project_byte(*b)));
}

fn project_byte(b: u8) -> u8 {
    let upper = u8::from(b.wrapping_sub(b'A') < 26) << 5;
    let inner = u8::from(b & 0xc0 == 0x80) << 5;
    let lead = u8::from(b & 0xe0 == 0xc0);
    (b | upper) & !inner & !lead
}

/// The longest run of letters whose cases project to the same bytes.
fn part(word: &str) -> Option<Vec<u8>> {
    let projected = |text: &str| text.bytes().map(project_byte).collect::<Vec<u8>>();
    let mut runs: Vec<Vec<u8>> = vec![Vec::new()];
    for c in word.chars() {
        let bytes = projected(&c.to_string());
        // `ё` is as good as `е`, and differs in all its bytes.
        if c != 'е' && bytes == projected(&c.to_uppercase().collect::<String>()) {
            runs.last_mut()?.extend(bytes);
        } else {
            runs.push(Vec::new());
        }
    }
    runs.into_iter().max_by_key(Vec::len).filter(|run| run.len() > 1)
}

fn escape(word: &str) -> String {
    regex::escape(word).replace('е', "[её]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::search::sieve::marks;

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
        assert_eq!(
            (pattern.words.len(), pattern.words_in(b"LOGIN"), pattern.words_in(b"log")),
            (2, 0b11, 0b10)
        );
    }

    #[test]
    fn search_every_match_is_in_a_candidate_line() {
        for word in [
            "Кэш",
            "ещё",
            "е",
            "a",
            "ab",
            "Σίσυφος",
            "straße",
            "İ",
            "Āb",
            "日本",
            "K",
            "вытеснение",
            "x.y",
            "École",
        ] {
            let pattern = Pattern::new(&[word.to_string(), "other".to_string()]).unwrap();
            for text in [word.to_string(), word.to_uppercase(), word.to_lowercase()] {
                let text = format!("zz {text} zz");
                let mut probe = Probe::default();
                let marks = marks(text.as_bytes());
                pattern.aim(&mut probe, text.as_bytes(), Some(Sieve::new(&marks)));
                let found = pattern.find_at(text.as_bytes(), 0).is_some();
                let candidate = pattern.candidate(&mut probe, text.as_bytes(), 0);
                assert!(!found || candidate.is_some(), "{word} in {text}");
            }
        }
    }
}
