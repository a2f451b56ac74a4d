//! Marks around a reply, for CLIs that pass a broken stream or a cut reply off as a whole one.
//!
//! The prompt asks for them; without the last one the reply is not taken. What stands outside of them is not the reply:
//! a piece of a broken try, or the CLI's own words.

use super::Refused;
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

/// The reply between its marks.
pub fn between(text: &str, marks: Marks, who: &str) -> Result<String, Refused> {
    let missing = |what: &str| {
        Refused::new(Code::General, format!("the reply of {who} is not complete: {what} is missing"))
    };
    let body = match (marks, text.rfind(BEGIN)) {
        (Marks::Both, None) => return Err(missing("its first line")),
        (Marks::Both, Some(at)) => &text[at + BEGIN.len()..],
        (Marks::End, _) => text,
    };
    // A model may set the mark off with signs of its own.
    let rest = body.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*'));
    let body = rest.strip_suffix(END).ok_or_else(|| missing("its last line"))?;
    let body = body.strip_suffix(['`', '*']).unwrap_or(body).trim_end();
    let body = body.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*'));
    Ok(format!("{body}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_051_the_marks_are_no_part_of_the_reply() {
        let of = |text, marks| between(text, marks, "x").map_err(|r| r.detail);
        assert_eq!(
            of("---\na: 1\n---\nyes\n\n[end of reply]\n", Marks::End).unwrap(),
            "---\na: 1\n---\nyes\n"
        );
        assert_eq!(of("yes\n`[end of reply]`", Marks::End).unwrap(), "yes\n");
        let glued = "[begin of reply]\n---\nstatus: [begin of reply]\n---\na: 1\n---\nyes\n[end of reply]";
        assert_eq!(of(glued, Marks::Both).unwrap(), "---\na: 1\n---\nyes\n");
        for cut in ["", "---\nstatus: ", "yes\n[end of", "yes [end of reply] and more"] {
            assert!(of(cut, Marks::End).unwrap_err().contains("its last line"), "{cut:?}");
        }
        assert!(of("yes\n[end of reply]", Marks::Both).unwrap_err().contains("its first line"));
    }

    #[test]
    fn pc_051_the_prompt_asks_for_what_is_checked() {
        let asked = ask("question".into(), Marks::Both);
        assert!(asked.starts_with("question\n") && asked.contains(BEGIN) && asked.contains(END));
        assert!(!ask("question".into(), Marks::End).contains(BEGIN));
    }
}
