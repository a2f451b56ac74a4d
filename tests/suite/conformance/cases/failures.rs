//! Each way in which a model can fail, and the class that the contract has for it (PC-059).

use super::sessions::tail;
use super::want;
use crate::conformance::Outcome;
use crate::conformance::lab::Lab;
use crate::conformance::model::Mood;
use crate::stage::Ran;
use serde_json::json;

const PROMPT: &str = "Is the cache small? Answer in one sentence.";

/// Long enough for a slow start, short enough for a test.
const SHORT: &str = "15s";

fn failing(lab: &Lab, mood: Mood) -> Ran {
    lab.mood(mood);
    lab.call(PROMPT, &[])
}

/// The code, nothing on stdout, and a word in the line for the pilot.
fn classed(ran: &Ran, code: i32, words: &[&str]) -> Outcome {
    let line = Lab::last_line(ran);
    want!(ran.code == Some(code), "code {:?}, not {code}: {line} {}", ran.code, tail(&ran.out));
    want!(ran.out.is_empty(), "stdout has {} bytes", ran.out.len());
    want!(words.is_empty() || words.iter().any(|word| line.contains(word)), "none of {words:?} in: {line}");
    Outcome::Ok
}

/// The class of a failed request, unless the agent tells it as an empty turn.
fn classed_if_told(lab: &Lab, ran: &Ran, words: &[&str]) -> Outcome {
    match lab.row.hides_errors && ran.code == Some(7) {
        true => Outcome::Told("the agent ends an empty turn and hides why".into()),
        false => classed(ran, 1, words),
    }
}

pub fn unauthorized(lab: &Lab) -> Outcome {
    classed(&failing(lab, Mood::Status(401, None)), 6, &["log in"])
}

pub fn limited(lab: &Lab) -> Outcome {
    let ran = failing(lab, Mood::Status(429, None));
    want!(!Lab::last_line(&ran).contains("lifted"), "a reset was invented: {}", Lab::last_line(&ran));
    classed_if_told(lab, &ran, &["rate limit"])
}

pub fn limited_with_reset(lab: &Lab) -> Outcome {
    let ran = failing(lab, Mood::Status(429, Some(127)));
    let line = Lab::last_line(&ran);
    match classed_if_told(lab, &ran, &["rate limit"]) {
        Outcome::Ok if line.contains("lifted in 127 s") => Outcome::Told("the reset is told".into()),
        Outcome::Ok if line.contains("lifted") => Outcome::Failed(format!("another reset: {line}")),
        Outcome::Ok => Outcome::Told("the CLI does not pass the reset on".into()),
        other => other,
    }
}

pub fn broken(lab: &Lab) -> Outcome {
    classed_if_told(lab, &failing(lab, Mood::Status(500, None)), &["busy or broken"])
}

pub fn slow(lab: &Lab) -> Outcome {
    let ran = failing(lab, Mood::Slow);
    want!(ran.code == Some(0), "code {:?}: {}", ran.code, Lab::last_line(&ran));
    want!(ran.out.contains("Yes: the answer"), "another reply: {}", tail(&ran.out));
    Outcome::Ok
}

pub fn stall(lab: &Lab) -> Outcome {
    lab.config(&json!({"deadline": SHORT}));
    classed(&failing(lab, Mood::Stall), 1, &["no reply within", "was printed"])
}

pub fn hang(lab: &Lab) -> Outcome {
    lab.config(&json!({"deadline": SHORT}));
    classed(&failing(lab, Mood::Hang), 1, &["no reply within", "was printed"])
}

/// What a broken stream may cost: some CLIs ask again without end.
const MOST: usize = 12;

pub fn dropped(lab: &Lab) -> Outcome {
    let outcome = classed(&failing(lab, Mood::Drop), 1, &[]);
    want!(lab.model.count() <= MOST, "{} requests", lab.model.count());
    outcome
}

/// No text tells that anything came.
pub fn broken_off(lab: &Lab) -> Outcome {
    let ran = failing(lab, Mood::Break);
    want!(lab.model.count() <= MOST, "{} requests", lab.model.count());
    match ran.code {
        Some(7) => Outcome::Told("the program takes it for an empty reply".into()),
        _ => classed(&ran, 1, &[]),
    }
}

/// What a program makes of a reply that failed once, when it asks again by itself: the whole reply or none. Pieces of
/// both are neither.
pub fn broken_once(lab: &Lab) -> Outcome {
    for mood in [Mood::Drop, Mood::Cut, Mood::Refuse] {
        let ran = failing(lab, Mood::Once(Box::new(mood.clone())));
        let line = Lab::last_line(&ran);
        match ran.code {
            Some(0) => {
                want!(ran.out.trim() == super::super::script::answer(PROMPT).trim(), "{mood:?}: {}", ran.out)
            }
            code => want!(code == Some(1) && ran.out.is_empty(), "{mood:?}: code {code:?}: {line}"),
        }
    }
    Outcome::Ok
}

pub fn empty(lab: &Lab) -> Outcome {
    classed(&failing(lab, Mood::Empty), 7, &["empty"])
}

pub fn no_frontmatter(lab: &Lab) -> Outcome {
    lab.mood(Mood::Says("Yes, it is small.\n".into()));
    let outcome = classed(&lab.call(PROMPT, &[]), 1, &["frontmatter"]);
    if outcome != Outcome::Ok {
        return outcome;
    }
    let mut command = lab.call_command(&[]);
    command.env("IWE_PEER_PLAIN", "1");
    let ran = crate::stage::finish(command, PROMPT);
    want!(ran.code == Some(0), "plain: code {:?}: {}", ran.code, Lab::last_line(&ran));
    want!(ran.out == "Yes, it is small.\n" || ran.out == "Yes, it is small.", "plain: {}", tail(&ran.out));
    Outcome::Ok
}

pub fn truncated(lab: &Lab) -> Outcome {
    classed(&failing(lab, Mood::Cut), 1, &[])
}

pub fn refusal(lab: &Lab) -> Outcome {
    classed(&failing(lab, Mood::Refuse), 1, &[])
}

/// Every line of a long reply arrives, once and in order.
pub fn huge(lab: &Lab) -> Outcome {
    let lines: String = (0..5000).map(|n| format!("Line {n} of a long reply, with жизнь in it.\n")).collect();
    let text = format!("---\nturn: 1\nrole: peer\nagent_id: probe\n---\n\n{lines}");
    lab.mood(Mood::Says(text.clone()));
    let ran = lab.call(PROMPT, &[]);
    want!(ran.code == Some(0), "code {:?}: {}", ran.code, Lab::last_line(&ran));
    want!(ran.out.trim() == text.trim(), "{} bytes of {}", ran.out.len(), text.len());
    Outcome::Told(format!("{} bytes", text.len()))
}
