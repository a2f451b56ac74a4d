//! Words as people type them into a search.

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
