//! "Did you mean": the nearest known word, for errors about unknown ones.

/// The known word that differs least from `word`, if it differs little enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = plain(word);
    let limit = (plain.len() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| (distance(&plain, &self::plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and the choice between `-` and `_` are never the mistake that matters. Long words are cut: they are near to
/// nothing, and the distance is quadratic.
fn plain(word: &str) -> Vec<char> {
    word.chars().take(64).flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

/// Edits (insert, delete, replace, swap of neighbours) between two words.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                let swapped: &Vec<usize> = &before;
                best = best.min(swapped[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let known = ["writer", "peers", "turns_limit", "rounds_limit"];
        for (word, want) in [
            ("wrtier", Some("writer")),
            ("Writers", Some("writer")),
            ("turn-limit", Some("turns_limit")),
            ("peer", Some("peers")),
            ("colour", None),
            ("", None),
            ("предел", None),
        ] {
            assert_eq!(nearest(word, known), want, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), known), None);
    }
}
