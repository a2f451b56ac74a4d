//! Marks around a reply, for CLIs that pass a broken stream or a cut reply off as a whole one.
//!
//! The prompt asks for them. What stands outside of them is not the reply: a piece of a broken try, or the CLI's own
//! words. A reply without them is taken only when it reads like a whole one, and that it is not proven is said.

use super::{Refused, whole};
use crate::agents::contract::Code;

const BEGIN: &str = "[begin of reply]";
const END: &str = "[end of reply]";

/// Which marks a CLI's replies need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    End,
    /// For a CLI that glues a broken piece and the whole reply together.
    Both,
}

/// A reply without its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub text: String,
    /// A mark that was asked for is missing; the text only reads like a whole one.
    pub is_unproven: bool,
}

/// The prompt with the request for the marks behind it.
pub fn ask(prompt: String, marks: Marks) -> String {
    let begin = match marks {
        Marks::Both => format!("Before the first line of your reply write the line {BEGIN}\n"),
        Marks::End => String::new(),
    };
    format!(
        "{prompt}\n\n{begin}After the last line of your reply write the line {END}\nThese lines only show that your reply is complete; they are removed before anybody reads it."
    )
}

/// The reply between its marks, or one that reads like a whole one without them.
pub fn between(text: &str, marks: Marks, who: &str) -> Result<Body, Refused> {
    let (begun, body) = match text.rfind(BEGIN) {
        Some(at) if marks == Marks::Both => (true, &text[at + BEGIN.len()..]),
        _ => (marks == Marks::End, text),
    };
    // A model may set the mark off with signs of its own.
    let rest = body.trim_end_matches(is_around);
    let ended = rest.strip_suffix(END).map(|rest| rest.strip_suffix(['`', '*']).unwrap_or(rest));
    let is_unproven = !begun || ended.is_none();
    let body = ended.unwrap_or(body).trim_end();
    let body = if begun { body.trim_start_matches(is_around) } else { body };
    let begins = begun || whole::begins_once(body);
    let ends = ended.is_some() || (whole::ends(body) && !is_piece_of_a_mark(body));
    match (begins, ends) {
        (true, true) => Ok(Body { text: format!("{body}\n"), is_unproven }),
        (false, _) => Err(missing(who, BEGIN, "may hold a piece of a broken try")),
        (true, false) => Err(missing(who, END, "breaks off")),
    }
}

/// What may stand between a mark and its line's ends.
fn is_around(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '*')
}

fn missing(who: &str, mark: &str, how: &str) -> Refused {
    let detail = format!(
        "the reply of {who} is not complete: it {how}, and the line {mark}, which it was asked for, is missing"
    );
    Refused::new(Code::General, detail)
}

/// The last line is the beginning of the mark, or holds it among other words.
fn is_piece_of_a_mark(body: &str) -> bool {
    let last = body.lines().next_back().unwrap_or_default().trim_matches(is_around);
    END.starts_with(last) || body.contains(END)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_051_the_marks_are_no_part_of_the_reply() {
        let of = |text, marks| match between(text, marks, "x") {
            Ok(body) => {
                assert!(!body.is_unproven, "{text:?}");
                Ok(body.text)
            }
            Err(refused) => Err(refused.detail),
        };
        assert_eq!(
            of("---\na: 1\n---\nyes\n\n[end of reply]\n", Marks::End).unwrap(),
            "---\na: 1\n---\nyes\n"
        );
        assert_eq!(of("yes\n`[end of reply]`", Marks::End).unwrap(), "yes\n");
        let glued = "[begin of reply]\n---\nstatus: [begin of reply]\n---\na: 1\n---\nyes\n[end of reply]";
        assert_eq!(of(glued, Marks::Both).unwrap(), "---\na: 1\n---\nyes\n");
        for cut in ["", "---\nstatus: ", "yes\n[end of", "yes [end of reply] and more"] {
            assert!(of(cut, Marks::End).unwrap_err().contains(END), "{cut:?}");
        }
        assert!(of("yes\n[end of reply]", Marks::Both).unwrap_err().contains(BEGIN));
    }

    #[test]
    fn pc_051_a_reply_without_marks_is_taken_when_it_reads_like_a_whole_one() {
        let whole = "---\na: 1\n---\nКэш нужен.\n\nCONSENSUS: keep it\n";
        for (text, marks) in [
            (whole.to_string(), Marks::End),
            (whole.to_string(), Marks::Both),
            (format!("{BEGIN}\n{whole}"), Marks::Both),
            (format!("{whole}\n{END}"), Marks::Both),
        ] {
            let body = between(&text, marks, "x").unwrap();
            assert_eq!((body.text.as_str(), body.is_unproven), (whole, true), "{text:?}");
        }
        for cut in [
            "---\na: 1\n---\nKeep the",
            "---\na: 1\n---\nKeep it.\n[end of",
            "---\na: 1\n---\nKeep it.\n[",
            "---\na: 1\n---\nKeep it. [end of reply] No.",
        ] {
            assert!(between(cut, Marks::End, "x").is_err(), "{cut:?}");
        }
        for glued in [
            "---\na---\na: 1\n---\nYes.",
            "---\na: 1\n---\nYe---\na: 1\n---\nYes.",
            "---\na: 1\n---\na: 1\nb: 2\n---\nYes.",
            "Yes.Yes.",
        ] {
            assert!(between(glued, Marks::Both, "x").unwrap_err().detail.contains(BEGIN), "{glued:?}");
        }
    }

    #[test]
    fn pc_051_the_prompt_asks_for_what_is_checked() {
        let asked = ask("question".into(), Marks::Both);
        assert!(asked.starts_with("question\n") && asked.contains(BEGIN) && asked.contains(END));
        assert!(!ask("question".into(), Marks::End).contains(BEGIN));
    }
}
