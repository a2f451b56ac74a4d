//! The single changes between two texts, so that each can be decided on its own (PC-503).

use git2::{DiffOptions, Patch};

/// A stretch of lines that changes. Lines keep their ends; a last line without one stays without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first of `old_lines`, counted from 1; 0 when there are none.
    pub old_start: u32,
    pub old_lines: Vec<String>,
    /// The first of `new_lines`, counted from 1; 0 when there are none.
    pub new_start: u32,
    pub new_lines: Vec<String>,
}

/// Every stretch of changed lines between two texts, in order, without context. The same texts always give the same
/// hunks: a decision refers to them.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    if before == after {
        return Vec::new();
    }
    let (old, new) = (lines(before), lines(after));
    let whole = || vec![hunk(&old, (0, old.len()), &new, (0, new.len()))];
    let mut options = DiffOptions::new();
    options.context_lines(0).interhunk_lines(0).force_text(true).max_size(i64::MAX);
    // Texts beyond what libgit2 compares are one change.
    let Ok(patch) = Patch::from_buffers(before.as_bytes(), None, after.as_bytes(), None, Some(&mut options))
    else {
        return whole();
    };
    let mut found = Vec::with_capacity(patch.num_hunks());
    for n in 0..patch.num_hunks() {
        let Ok((head, _)) = patch.hunk(n) else { return whole() };
        // An empty side names the line before it.
        let first = |start: u32, count: u32| (start as usize).saturating_sub(usize::from(count > 0));
        let a = first(head.old_start(), head.old_lines());
        let b = first(head.new_start(), head.new_lines());
        let (a, b) = ((a, a + head.old_lines() as usize), (b, b + head.new_lines() as usize));
        if a.1 > old.len() || b.1 > new.len() {
            return whole();
        }
        found.push(hunk(&old, a, &new, b));
    }
    // What the hunks say must be what happened, or they are not what the pilot should decide on.
    if apply(before, &found, |_| true) == after { found } else { whole() }
}

/// The text with only the kept hunks applied. `hunks` is the whole list that [`hunks`] gave for this text.
pub fn apply(before: &str, hunks: &[Hunk], keep: impl Fn(usize) -> bool) -> String {
    let old = lines(before);
    let mut text = String::with_capacity(before.len());
    // How far both texts are read. Between hunks they are the same, so both grow alike there.
    let (mut at, mut other) = (0, 0);
    for (n, hunk) in hunks.iter().enumerate() {
        let begin = if hunk.old_lines.is_empty() {
            at + (hunk.new_start as usize).saturating_sub(1).saturating_sub(other)
        } else {
            (hunk.old_start as usize).saturating_sub(1)
        };
        let begin = begin.clamp(at, old.len());
        text.extend(old[at..begin].iter().copied());
        let end = (begin + hunk.old_lines.len()).min(old.len());
        if keep(n) {
            close(&mut text);
            text.extend(hunk.new_lines.iter().map(String::as_str));
        } else {
            for line in &old[begin..end] {
                close(&mut text);
                text.push_str(line);
            }
        }
        other += begin - at + hunk.new_lines.len();
        at = end;
    }
    if at < old.len() {
        close(&mut text);
    }
    text.extend(old[at..].iter().copied());
    text
}

/// A line that was the last one and had no end gets one when another follows it.
fn close(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(old: &[&str], a: (usize, usize), new: &[&str], b: (usize, usize)) -> Hunk {
    let start =
        |(from, to): (usize, usize)| if from == to { 0 } else { u32::try_from(from + 1).unwrap_or(u32::MAX) };
    let own = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect();
    Hunk {
        old_start: start(a),
        old_lines: own(&old[a.0..a.1]),
        new_start: start(b),
        new_lines: own(&new[b.0..b.1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pc_503_every_change_is_a_hunk_of_its_own() {
        let before = "a\nb\nc\nd\ne\n";
        let after = "a\nB\nc\nnew\nd\n";
        let found = hunks(before, after);
        let line = |text: &str| vec![text.to_string()];
        assert_eq!(
            found,
            [
                Hunk { old_start: 2, old_lines: line("b\n"), new_start: 2, new_lines: line("B\n") },
                Hunk { old_start: 0, old_lines: vec![], new_start: 4, new_lines: line("new\n") },
                Hunk { old_start: 5, old_lines: line("e\n"), new_start: 0, new_lines: vec![] },
            ]
        );
        assert_eq!(apply(before, &found, |n| n == 1), "a\nb\nc\nnew\nd\ne\n");
        assert_eq!(apply(before, &found, |n| n != 1), "a\nB\nc\nd\n");
    }

    #[test]
    fn pc_503_line_ends_and_a_missing_last_one_stay() {
        let found = hunks("a\r\nb\r\n", "a\r\nb\n");
        assert_eq!((found[0].old_lines[0].as_str(), found[0].new_lines[0].as_str()), ("b\r\n", "b\n"));
        let found = hunks("a\nb", "a\nb\n");
        assert_eq!((found.len(), found[0].new_lines[0].as_str()), (1, "b\n"));
        assert_eq!(apply("a\nb", &found, |_| false), "a\nb");
        assert_eq!(hunks("", "x")[0].new_lines, ["x"]);
        assert_eq!(hunks("x", "")[0].old_lines, ["x"]);
        assert_eq!(hunks("x\0y\n", "x\0z\n").len(), 1, "a zero byte makes no text binary");
        assert!(hunks("same\n", "same\n").is_empty());
    }

    /// Texts of few different lines, so that they resemble each other.
    fn text() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["a\n", "b\n", "a\r\n", "\n", "\r\n", "x y\n", "é\n", "\r"]);
        (prop::collection::vec(line, 0..12), prop::sample::select(vec!["", "a", "last", "\r"]))
            .prop_map(|(lines, last)| lines.concat() + last)
    }

    proptest! {
        #[test]
        fn pc_503_all_is_after_none_is_before(before in text(), after in text(), mask in any::<u64>()) {
            let found = hunks(&before, &after);
            prop_assert_eq!(&apply(&before, &found, |_| true), &after);
            prop_assert_eq!(&apply(&before, &found, |_| false), &before);
            let keep = |n: usize| mask >> (n % 64) & 1 == 1;
            let some = apply(&before, &found, keep);
            for (n, hunk) in found.iter().enumerate() {
                let block = if keep(n) { &hunk.new_lines } else { &hunk.old_lines };
                prop_assert!(some.contains(block.concat().trim_end_matches('\n')), "{:?} in {:?}", block, some);
            }
        }

        #[test]
        fn pc_503_hunks_of_another_text_never_panic(before in text(), after in text(), other in text(), mask in any::<u64>()) {
            let found = hunks(&before, &after);
            apply(&other, &found, |n| mask >> (n % 64) & 1 == 1);
            apply(&other, &found[found.len() / 2..], |_| true);
        }
    }
}
