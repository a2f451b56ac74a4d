//! Paragraphs that somebody wrapped by hand, made whole again, so that a narrow or a wide place can wrap them anew: a line
//! that was broken only because the next word had no room goes on with that word.
//!
//! Lists, tables, headings, code, quotes, markers and short lines stay as they are.

use crate::domain::session::marker::Fence;
use unicode_width::UnicodeWidthChar;

/// A line that is shorter was ended on purpose.
const SHORTEST: usize = 60;

/// Nobody wraps prose at fewer columns: a word that would have fitted was moved on purpose.
const NARROWEST: usize = 72;

/// Reads a text piece by piece; remembers whether a code block is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prose {
    fence: Fence,
}

/// The whole text with its paragraphs joined.
pub fn joined(text: &str) -> String {
    Prose::default().take(text, true).0
}

impl Prose {
    /// Joins the lines of `text`; gives them and the bytes that they took. Unless it is the end, the last paragraph is left
    /// for the next time: its next line may belong to it.
    pub fn take(&mut self, text: &str, is_end: bool) -> (String, usize) {
        let mut out = String::with_capacity(text.len());
        let (mut at, mut begun, mut fence) = (0, 0, self.fence);
        let mut before: Option<&str> = None;
        for raw in text.split_inclusive('\n') {
            let line = raw.trim_end_matches(['\n', '\r']);
            let ahead = fence;
            let is_code = fence.holds(line);
            match before {
                Some(before) if !is_code && goes_on(before, line) => {
                    out.truncate(out.trim_end().len());
                    out.push(' ');
                    out.push_str(line.trim_start());
                }
                _ => {
                    if before.is_some() {
                        out.push('\n');
                    }
                    (begun, self.fence) = (at, ahead);
                    out.push_str(line);
                }
            }
            // What stands behind the end of a code block is no part of it.
            before = Some(if is_code { "" } else { line });
            at += raw.len();
        }
        if is_end {
            if text.ends_with('\n') {
                out.push('\n');
            }
            self.fence = fence;
            return (out, text.len());
        }
        let kept: usize = out.rfind('\n').map_or(0, |at| at + 1);
        out.truncate(kept);
        (out, begun)
    }
}

fn goes_on(before: &str, line: &str) -> bool {
    let body = line.trim_start();
    let Some(word) = body.split(' ').next().filter(|word| !word.is_empty()) else { return false };
    let long = before.chars().count();
    long >= SHORTEST
        && long + 1 + word.chars().count() > NARROWEST
        && !before.ends_with("  ")
        && !before.ends_with('\\')
        && !stands_alone(before.trim_start())
        && !stands_alone(body)
        && !is_item(body)
        && (indent(line) < 4 || indent(before) + 4 > indent(line) || is_item(before.trim_start()))
        && before.chars().next_back().into_iter().chain(body.chars().next()).all(|c| c.width() != Some(2))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Headings, quotes, tables, rules, and what the loop reads.
fn stands_alone(line: &str) -> bool {
    let is_rule = line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '));
    line.is_empty() || line.starts_with(['#', '>', '|']) || is_rule || is_marker(line)
}

/// `PASS`, `CONSENSUS: …` and whatever else is spelled like them.
fn is_marker(line: &str) -> bool {
    let word: usize = line.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').count();
    word >= 4 && line[word..].chars().next().is_none_or(|c| c == ':')
}

fn is_item(line: &str) -> bool {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = &line[digits..];
    let is_numbered = (1..=3).contains(&digits) && rest.starts_with(['.', ')']);
    let rest =
        if is_numbered { &rest[1..] } else { line.strip_prefix(['-', '*', '+', '•']).unwrap_or("x") };
    rest.is_empty() || rest.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WRAPPED: &str = "Roles: mira looks at what happens to a payment when something fails in between, because she\nreads transactions for a living. Otto looks at load, backups and the night shift, because\nboth stores are run by his team.\n\nQuestions: what is lost?\n";

    #[test]
    fn a_paragraph_becomes_one_line() {
        let lines: Vec<String> = joined(WRAPPED).lines().map(str::to_string).collect();
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(lines[0].contains("because she reads") && lines[0].ends_with("his team."), "{lines:#?}");
        let crlf = joined(&WRAPPED.replace('\n', "\r\n"));
        assert_eq!(crlf.lines().count(), 3, "{crlf:?}");
    }

    #[test]
    fn what_is_no_paragraph_stays() {
        let long = "a line of text that is long enough to have been wrapped by somebody at its end";
        for next in [
            "- an item",
            "12. an item",
            "# head",
            "> said",
            "| a | b |",
            "```",
            "CONSENSUS: yes",
            "PASS",
            "",
            "---",
        ] {
            let text = format!("{long}\n{next}\n");
            assert_eq!(joined(&text), text, "{next}");
        }
        for before in [
            "short",
            "| a table row that is long enough to have been wrapped by somebody here |",
            "CONSENSUS: a payload that is long enough to have been wrapped by some body",
            "a line with two blanks at its end, which are a break of its own, and yes  ",
            "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
        ] {
            let text = format!("{before}\nand the next line\n");
            assert_eq!(joined(&text), text, "{before}");
        }
        let code = format!("```\n{long}\nnext\n```\n{long}\nnext");
        assert_eq!(joined(&code), format!("```\n{long}\nnext\n```\n{long} next"));
        let item = format!("- {long}\n  next\n\n{long}\n    code");
        assert_eq!(joined(&item), format!("- {long} next\n\n{long}\n    code"));
        let fits = format!("{}\nword", "a line that ends here although a word would fit, on purpose.");
        assert_eq!(joined(&fits), fits);
    }

    proptest! {
        /// Whatever the pieces in which a text comes, what is fixed is never taken back.
        #[test]
        fn pieces_join_like_the_whole(lines in prop::collection::vec("[a-z ]{0,90}|- [a-z]{3,80}|```|PASS", 0..9), cut in 0usize..9) {
            let text = lines.join("\n");
            let head: String = lines.iter().take(cut).map(|line| format!("{line}\n")).collect();
            let head = &text[..head.len().min(text.len())];
            let mut prose = Prose::default();
            let (fixed, taken) = prose.take(head, false);
            let (rest, _) = prose.take(&text[taken..], true);
            prop_assert_eq!(fixed + &rest, joined(&text));
        }

        #[test]
        fn no_word_is_lost(text in "[a-z#|>` \n-]{0,300}") {
            let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
            prop_assert_eq!(words(&joined(&text)), words(&text));
        }
    }
}
