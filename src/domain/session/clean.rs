//! Is a PASS only silence, or an objection in disguise? The part that needs no judge (PC-402).

use super::marker::{markers, prose, without_markers};
use super::slug::collapse;

const REST_LIMIT: usize = 280;

/// What the text decides about a PASS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Clean,
    /// A judge decides; without a judge it is not clean.
    Suspicious,
}

const OBJECTIONS: [&str; 8] =
    ["disagree", "object", "however", "but ", "не соглас", "возраж", "однако", " но "];

/// Ways to say on the PASS line itself that there is no objection.
const DENIALS: [&str; 8] = [
    "no objection",
    "not object",
    "n't object",
    "nothing to object",
    "n't disagree",
    "не возраж",
    "нет возраж",
    "без возраж",
];

/// `None` when the body carries no PASS marker.
pub fn judge_pass(body: &str) -> Option<Pass> {
    let found = markers(body);
    if !found.pass {
        return None;
    }
    let rest = without_markers(body);
    let silent = found.escalate.is_none()
        && rest.trim().chars().count() <= REST_LIMIT
        && !rest.contains(['?', '？'])
        && !rest.contains("ESCALATE_TO_USER")
        && !objects(&flat(&rest))
        && !prose(body).any(|(_, line)| line.starts_with("PASS") && objects_on_the_pass_line(line));
    Some(if silent { Pass::Clean } else { Pass::Suspicious })
}

/// `PASS — but this loses data` is a counter-argument although the rest of the body is empty.
fn objects_on_the_pass_line(line: &str) -> bool {
    let mut text = flat(line);
    for denial in DENIALS {
        text = text.replace(denial, "");
    }
    objects(&text)
}

fn objects(text: &str) -> bool {
    OBJECTIONS.iter().any(|stem| text.contains(stem))
}

/// Lower case on one line between spaces, so that stems with spaces also meet the first and the last word.
fn flat(text: &str) -> String {
    format!(" {} ", collapse(text).to_lowercase().replace('’', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pc_402_clean() {
        for body in [
            "PASS",
            "PASS — nothing to add",
            "PASS: no objections",
            "PASS. Не возражаю.",
            "Looks complete to me.\n\nPASS\n",
            "PASS\nREQUEST_HANDOFF: my part?",
        ] {
            assert_eq!(judge_pass(body), Some(Pass::Clean), "{body}");
        }
        assert_eq!(judge_pass(&format!("PASS\n{}", "a".repeat(280))), Some(Pass::Clean));
        assert_eq!(judge_pass("I agree"), None);
        assert_eq!(judge_pass("```\nPASS\n```"), None);
    }

    #[test]
    fn pc_402_suspicious() {
        for body in [
            "PASS\nWhy this number?",
            "PASS\nI Disagree.",
            "PASS\nI object.",
            "PASS\nHOWEVER it is late",
            "PASS\nfine, but slow",
            "PASS\nЯ НЕ СОГЛАСЕН",
            "PASS\nВозражаю",
            "Однако это долго\nPASS",
            "PASS\nда, но медленно",
            "PASS\nда\nно медленно",
            "PASS\nБыстро,\nНо опасно",
            "PASS — but this loses data",
            "PASS: возражаю",
            "PASS\nESCALATE_TO_USER: x",
            "PASS\nsee `ESCALATE_TO_USER`",
        ] {
            assert_eq!(judge_pass(body), Some(Pass::Suspicious), "{body}");
        }
        assert_eq!(judge_pass(&format!("PASS\n{}", "ж".repeat(281))), Some(Pass::Suspicious));
    }

    proptest! {
        #[test]
        fn pc_402_any_text(body in "(PASS|но|\n|\\PC|.){0,40}") {
            prop_assert_eq!(judge_pass(&body).is_some(), markers(&body).pass);
        }
    }
}
