//! "Did you mean": the nearest of a few known words.

/// ` Did you mean `x`?` for a typing mistake, otherwise ` Known: a, b, c.`; begins with a space.
pub fn hint(word: &str, known: &[&str]) -> String {
    let nearest = known.iter().map(|k| (distance(word, k), k)).min();
    match nearest {
        Some((d, k)) if d <= 2 && d < k.chars().count() => format!(" Did you mean `{k}`?"),
        _ => format!(" Known: {}.", known.join(", ")),
    }
}

/// Edits (insert, delete, replace) between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_far_ones_listed() {
        assert_eq!(hint("dead_line", &["deadline", "path"]), " Did you mean `deadline`?");
        assert_eq!(hint("colour", &["deadline", "path"]), " Known: deadline, path.");
        assert_eq!(hint("ключ", &["bin"]), " Known: bin.");
    }
}
