//! The adapter contract: exit codes and what counts as a reply (PC-052, PC-053, PC-059, PC-060).

use crate::domain::session::failure::Reason;
use std::process::ExitStatus;

/// What the codes of an adapter mean. 0 and 1 are mandatory; 2 to 7 are optional but mean only this (PC-059).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Reply = 0,
    General = 1,
    Filter = 2,
    Pii = 3,
    TooLarge = 4,
    Busy = 5,
    Auth = 6,
    Empty = 7,
}

impl Code {
    pub fn reason(self) -> Reason {
        Reason::Exit(self as u8)
    }

    /// The class in words, for the pilot.
    pub fn meaning(self) -> &'static str {
        match self {
            Code::Reply => "a reply",
            Code::General => "general error",
            Code::Filter => "a content or ignore filter stopped the call",
            Code::Pii => "private data in the directory stopped the call",
            Code::TooLarge => "the directory is too large",
            Code::Busy => "a call with the same session key is still running",
            Code::Auth => "authentication failed; log in with the vendor's own program",
            Code::Empty => "the reply was empty",
        }
    }

    pub fn from_number(code: i32) -> Option<Code> {
        use Code::*;
        [Reply, General, Filter, Pii, TooLarge, Busy, Auth, Empty].into_iter().find(|c| *c as i32 == code)
    }
}

/// Why an adapter's end means "no reply" (PC-060); `None` for code 0.
pub fn failure(status: ExitStatus) -> Option<Reason> {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code @ 1..=7), _) => Some(Reason::Exit(code as u8)),
        (Some(code), _) => Some(Reason::ExitOther(code)),
        (None, Some(signal)) => Some(Reason::Signal(signal)),
        (None, None) => Some(Reason::ExitOther(-1)),
    }
}

/// The code with which our own adapter reports a failure. A raw code of a CLI never gets this far: native calls
/// classify it first (PC-059).
pub fn code(reason: &Reason) -> u8 {
    match reason {
        Reason::Exit(code @ 1..=7) => *code,
        Reason::Empty => Code::Empty as u8,
        _ => Code::General as u8,
    }
}

/// What is wrong with the text of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No letter or digit, in the whole text or behind the frontmatter (PC-053, AMB-09).
    Empty,
    /// No `---` line first, or no second one (PC-052).
    Frontmatter,
}

/// Judges a reply. Plain calls need no frontmatter, only text (PC-054).
pub fn check(text: &str, plain: bool) -> Result<(), Fault> {
    if is_blank(text) {
        return Err(Fault::Empty);
    }
    match (body(text), plain) {
        (Some(body), _) if is_blank(body) && !plain => Err(Fault::Empty),
        (None, false) => Err(Fault::Frontmatter),
        _ => Ok(()),
    }
}

/// No letter and no digit of any script (PC-053).
pub fn is_blank(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
}

/// What follows the frontmatter; `None` without frontmatter. The first non-empty line must equal `---` and a later
/// line too; only the first two count (PC-052, AMB-11). A BOM and the CR of line ends do not matter (PC-238).
fn body(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    let mut at = 0;
    let mut opened = false;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let is_fence = line.trim_end_matches(['\n', '\r']) == "---";
        match (opened, is_fence) {
            (false, true) => opened = true,
            (false, false) if line.trim().is_empty() => {}
            (false, false) => return None,
            (true, true) => return Some(&text[at..]),
            (true, false) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn pc_059_codes_and_classes() {
        for code in 0..=7 {
            assert_eq!(Code::from_number(code).map(|c| c as i32), Some(code));
        }
        assert_eq!(Code::from_number(8), None);
        assert_eq!(failure(ExitStatus::from_raw(0)), None);
        assert_eq!(failure(ExitStatus::from_raw(6 << 8)), Some(Code::Auth.reason()));
    }

    #[test]
    fn pc_060_other_codes_and_signals_are_no_reply() {
        for other in [8, 64, 69, 77, 142, 255] {
            assert_eq!(failure(ExitStatus::from_raw(other << 8)), Some(Reason::ExitOther(other)));
            assert_eq!(code(&Reason::ExitOther(other)), 1);
        }
        assert_eq!(failure(ExitStatus::from_raw(9)), Some(Reason::Signal(9)));
        assert_eq!(code(&Reason::Signal(9)), 1);
        assert_eq!(code(&Reason::Timeout), 1);
    }

    #[test]
    fn pc_052_frontmatter_of_a_reply() {
        for good in ["---\na: 1\n---\nyes", "\n\n---\r\na: 1\r\n---\r\nда", "\u{feff}---\n---\nx\n---\n"] {
            assert_eq!(check(good, false), Ok(()), "{good:?}");
        }
        for bad in
            ["yes", "yes\n---\na: 1\n---\nx", "---\na: 1\nx", "-------\na\n---\nx", " ---\na: 1\n---\nx"]
        {
            assert_eq!(check(bad, false), Err(Fault::Frontmatter), "{bad:?}");
        }
    }

    #[test]
    fn pc_053_no_letter_is_empty() {
        for blank in ["", " \n\t\r\n", "\u{feff}", "...\n---\n", "---\n---\n"] {
            assert_eq!(check(blank, false), Err(Fault::Empty), "{blank:?}");
            assert_eq!(check(blank, true), Err(Fault::Empty), "{blank:?}");
        }
        assert_eq!(check("---\na: 1\n---\n \n", false), Err(Fault::Empty), "AMB-09");
    }

    #[test]
    fn pc_054_plain_calls_need_no_frontmatter() {
        assert_eq!(check("just text", true), Ok(()));
        assert_eq!(check("just text", false), Err(Fault::Frontmatter));
        assert_eq!(check("---\nhead: only\n---\n", true), Ok(()));
    }
}
