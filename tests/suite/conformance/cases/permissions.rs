//! A model that calls a tool for which the agent asks leave (PC-062). No sandbox is in the way: what keeps the agent from
//! writing is the answer alone.

use super::sessions::tail;
use super::want;
use crate::conformance::Outcome;
use crate::conformance::lab::Lab;
use crate::conformance::model::Mood;
use crate::stage::Ran;
use serde_json::{Value, json};
use std::fs;

/// What came of the request.
struct Asked {
    /// Neither a file made nor one removed.
    is_untouched: bool,
    /// The pilot was shown the question, with what the agent wants to run.
    is_shown: bool,
    /// What the shell told the model, if it was called.
    result: Option<String>,
    ran: Ran,
}

/// A session with the vendor as its peer, whose pilot types these lines, and then what closes it.
fn session(lab: &Lab, permissions: Option<&str>, typed: &str) -> Asked {
    let home = lab.stage.home();
    let (made, kept) = (home.join("made"), home.join("kept"));
    fs::create_dir(&kept).unwrap();
    let mut more = json!({"deadline": "90s", "sandbox": "off"});
    if let Some(permissions) = permissions {
        more["permissions"] = permissions.into();
    }
    lab.config_asking(&more);
    lab.mood(Mood::Runs(format!("touch {}; rm -rf {}", made.display(), kept.display())));
    let args = ["new", "--yes", "--peer", lab.row.vendor, "How large is the cache"];
    let ran = lab.stage.run_with(&args, &format!("{typed}A\nclose\n"));
    Asked {
        is_untouched: !made.exists() && kept.exists(),
        is_shown: ran.out.contains("asks whether it may do this") && ran.out.contains("made"),
        result: lab.model.asked(0).into_iter().flat_map(|asked| asked.results).next(),
        ran,
    }
}

fn is_closed(lab: &Lab) -> bool {
    !lab.stage.dirs().is_empty() && lab.stage.meta().contains(r#"status: "completed""#)
}

fn how(asked: &Asked) -> String {
    format!("code {:?}: {} {} {:?}", asked.ran.code, tail(&asked.ran.out), tail(&asked.ran.err), asked.result)
}

/// The session goes on without anything done.
pub fn refused_by_default(lab: &Lab) -> Outcome {
    if let Some(cannot) = cannot_ask(lab) {
        return cannot;
    }
    let asked = session(lab, None, "");
    want!(asked.is_untouched, "it wrote: {}", how(&asked));
    want!(!asked.is_shown, "the pilot was asked: {}", how(&asked));
    want!(is_closed(lab), "the session is not completed: {}", how(&asked));
    Outcome::Ok
}

pub fn allowed(lab: &Lab) -> Outcome {
    if let Some(cannot) = cannot_ask(lab) {
        return cannot;
    }
    let times = lab.row.requests;
    let asked = session(lab, Some("ask"), &"allow\n".repeat(times));
    want!(asked.is_shown, "the pilot was not asked: {}", how(&asked));
    want!(!asked.is_untouched, "nothing was done: {}", how(&asked));
    want!(chosen(lab) == vec!["allow"; times], "chosen: {:?}: {}", chosen(lab), how(&asked));
    want!(is_closed(lab), "the session is not completed: {}", how(&asked));
    Outcome::Ok
}

pub fn refused(lab: &Lab) -> Outcome {
    if let Some(cannot) = cannot_ask(lab) {
        return cannot;
    }
    let asked = session(lab, Some("ask"), "reject\n");
    want!(asked.is_shown, "the pilot was not asked: {}", how(&asked));
    want!(asked.is_untouched, "it wrote: {}", how(&asked));
    want!(chosen(lab) == ["reject"], "chosen: {:?}: {}", chosen(lab), how(&asked));
    want!(is_closed(lab), "the session is not completed: {}", how(&asked));
    Outcome::Ok
}

fn cannot_ask(lab: &Lab) -> Option<Outcome> {
    (!lab.row.is_acp).then(|| Outcome::Cannot("it has no tools here".into()))
}

/// What the pilot chose, from the session's record.
fn chosen(lab: &Lab) -> Vec<String> {
    let roots = fs::read_dir(lab.stage.home().join(".local/state/flightdeck/sessions")).into_iter().flatten();
    let logs = roots.flatten().map(|root| root.path().join(lab.stage.id()).join("events.jsonl"));
    let text: String = logs.filter_map(|path| fs::read_to_string(path).ok()).collect();
    let facts = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    facts.filter_map(|line| find(&line, "choice")).collect()
}

fn find(value: &Value, key: &str) -> Option<String> {
    let map = value.as_object()?;
    map.get(key).and_then(Value::as_str).map(String::from).or_else(|| map.values().find_map(|v| find(v, key)))
}
