//! Words as people type them into a search.

/// Words and `"quoted phrases"` of what was typed. A quote that is not closed yet runs to the end.
pub fn words(text: &str) -> Vec<String> {
    typed(text).into_iter().map(|(word, _)| word).collect()
}

/// The same, and whether each stood in quotes.
pub fn typed(text: &str) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    for (at, part) in text.split(['"', '«', '»']).enumerate() {
        if at % 2 == 1 {
            out.push((part.trim().to_string(), true));
        } else {
            out.extend(part.split_whitespace().map(|word| (word.to_string(), false)));
        }
    }
    out.retain(|(word, _)| !word.is_empty());
    out
}

/// Lower case, `ё` as `е`.
pub fn fold(text: &str) -> String {
    text.to_lowercase().replace('ё', "е")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_words_and_phrases() {
        assert_eq!(words("a  \"b c\" d \"e f"), ["a", "b c", "d", "e f"]);
        assert_eq!(words("«не сейчас» кэш"), ["не сейчас", "кэш"]);
        assert!(words(" \"\" ").is_empty());
        assert_eq!(fold("Ещё ОТЧЁТ"), "еще отчет");
    }
}
