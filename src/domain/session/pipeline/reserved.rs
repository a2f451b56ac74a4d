//! Documents whose content is a decision of the pilot (PC-500), and which edits of them decide nothing (PC-506).

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

/// The built-in list. Settings add to it and take nothing away.
pub const BUILT_IN: [&str; 6] = [
    "**/WeekPlan*.md",
    "**/Strategy.md",
    "**/monthly-priorities.md",
    "**/WP-REGISTRY.md",
    "**/*hypothes*-log*.md",
    "**/hypothesis-log*.md",
];

/// Which paths are reserved.
#[derive(Debug, Clone)]
pub struct Reserved(GlobSet);

impl Reserved {
    /// The built-in list and `more`. The error names the pattern that is none.
    pub fn new(more: &[String]) -> Result<Reserved, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in BUILT_IN.into_iter().chain(more.iter().map(String::as_str)) {
            // A file system that knows no case would write `strategy.md` over `Strategy.md`.
            let glob = GlobBuilder::new(&folded(pattern)).case_insensitive(true).build();
            set.add(glob.map_err(|e| format!("`{pattern}` is not a pattern: {}", e.kind()))?);
        }
        set.build().map(Reserved).map_err(|e| e.to_string())
    }

    /// `path` is relative to its repository.
    pub fn holds(&self, path: &str) -> bool {
        self.0.is_match(folded(path))
    }
}

/// One spelling for names that look the same.
fn folded(path: &str) -> String {
    path.replace('\\', "/").nfc().collect::<String>().to_lowercase()
}

/// PC-506: the same words in the same order; only white space and the padding of tables differ.
pub fn is_formatting(before: &str, after: &str) -> bool {
    words(before).eq(words(after))
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().flat_map(|line| {
        let rule = line.contains('-') && line.contains('|') && line.chars().all(|c| " \t|:-".contains(c));
        let spaced = if line.contains('|') { line.replace('|', " | ") } else { line.to_string() };
        let words: Vec<String> = spaced
            .split_whitespace()
            .map(|word| if rule { word.replace('-', "") + "-" } else { word.to_string() })
            .collect();
        words
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_500_the_list_is_added_to_and_never_shortened() {
        let reserved = Reserved::new(&["**/Roadmap.md".into()]).unwrap();
        for path in [
            "Strategy.md",
            "docs/strategy.MD",
            "a/b/WeekPlan W48.md",
            "WP-REGISTRY.md",
            "x/my-hypotheses-log-2026.md",
            "hypothesis-log.md",
            "roadmap.md",
            "plans/Roadmap.md",
            "current/monthly-priorities.md",
        ] {
            assert!(reserved.holds(path), "{path}");
        }
        for path in
            ["Strategy.md.bak", "docs/strategy/notes.md", "src/main.rs", "MyStrategy.md", "Roadmap.txt"]
        {
            assert!(!reserved.holds(path), "{path}");
        }
        assert!(Reserved::new(&["a[".into()]).unwrap_err().contains("`a[`"));
    }

    #[test]
    fn pc_500_one_name_in_two_spellings() {
        let reserved = Reserved::new(&["**/План-й.md".into()]).unwrap();
        let decomposed: String = "x/План-й.md".nfd().collect();
        assert!(reserved.holds(&decomposed) && reserved.holds("x/ПЛАН-Й.md"));
    }

    #[test]
    fn pc_506_padding_is_no_content() {
        let table = "| a | b |\n|---|:-:|\n| 1 | 2 |\n";
        assert!(is_formatting(table, "| a     | b  |\n|-------|:--:|\n|1|2|\n\n"));
        assert!(is_formatting("one two\nthree", "one\n  two three\n"));
        assert!(
            !is_formatting(table, "| a | b |\n|---|---|\n| 1 | 2 |\n"),
            "the alignment is said, not padded"
        );
        assert!(!is_formatting("not able", "notable"));
        assert!(!is_formatting("| 1 | 2 |", "| 1 | -2 |"));
        assert!(!is_formatting("- one", "one"));
        assert!(!is_formatting("", "x"));
    }
}
