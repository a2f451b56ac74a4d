//! What a text shows by itself about whether it is one whole reply. It is no proof: a reply that was cut behind a full
//! stop reads like a whole one.

use crate::domain::session::marker::{self, Fence};

/// The text has frontmatter of lines like `key: value`, and does not begin with it a second time: no piece of a broken
/// try stands before it.
pub fn begins_once(text: &str) -> bool {
    let mut lines = text.trim_start_matches(['\u{feff}', '\n', '\r']).lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return false;
    }
    let head: Vec<&str> = lines.by_ref().take_while(|line| *line != "---").collect();
    let Some(first) = head.iter().find(|line| !line.is_empty()) else { return false };
    let is_entry = |line: &&str| {
        line.is_empty()
            || line.starts_with([' ', '\t', '-', '#'])
            || line.split_once(':').is_some_and(|(key, _)| is_key(key))
    };
    head.iter().all(is_entry) && text.matches(*first).count() == 1
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The text ends where a sentence, a code block, a comment or a marker does, and no code block stands open.
pub fn ends(text: &str) -> bool {
    let mut fence = Fence::default();
    let Some((last, is_code)) = text.trim_end().lines().map(|line| (line.trim(), fence.holds(line))).last()
    else {
        return false;
    };
    if fence.is_open() {
        return false;
    }
    let is_closer =
        |c: char| matches!(c, ')' | ']' | '}' | '"' | '\'' | '»' | '”' | '’' | '`' | '*' | '_' | '|' | ' ');
    let sentence = last.trim_end_matches(is_closer);
    sentence.ends_with(['.', '!', '?', '…', ';', '。', '！', '？'])
        || last.ends_with("-->")
        || is_code
        || marker::markers(last) != marker::Markers::default() && marker::without_markers(last).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_text_may_end() {
        for whole in [
            "Yes.",
            "Да!",
            "Is it?",
            "(Yes.)",
            "**Yes.**",
            "Yes.\n\nPASS\n",
            "so\nCONSENSUS: keep it",
            "```\nx\n```",
            "a\n<!-- b -->",
            "| a | b. |",
        ] {
            assert!(ends(whole), "{whole:?}");
        }
        for cut in ["", "Ye", "- one\n- tw", "Yes,", "```\nx.", "---\nstatus: ", "CONSENS", "the rate is 5 %"]
        {
            assert!(!ends(cut), "{cut:?}");
        }
    }

    #[test]
    fn what_begins_once() {
        for once in [
            "---\na: 1\n---\nyes",
            "\n---\r\na: 1\r\nb:\r\n  - c\r\n---\r\nyes",
            "---\n# note\nproposed.roles: x\n---\n",
        ] {
            assert!(begins_once(once), "{once:?}");
        }
        for not in [
            "",
            "yes",
            "---\n---\nyes",
            "---\nsta---\nstatus: ok\n---\nyes",
            "⚠ no reply\n---\na: 1\n---\nyes",
        ] {
            assert!(!begins_once(not), "{not:?}");
        }
    }
}
