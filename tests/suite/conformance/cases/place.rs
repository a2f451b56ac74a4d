//! What goes in, what stays out, and that nobody is left behind.

use super::sessions::tail;
use super::want;
use crate::conformance::Outcome;
use crate::conformance::lab::Lab;
use crate::conformance::model::Mood;
use crate::stage::{Running, until};
use serde_json::json;
use std::fs;
use std::io::Write;

/// 200 kB arrive as they are, or are refused with their length before anything is started (PC-050).
pub fn long_prompt(lab: &Lab) -> Outcome {
    let lines: String =
        (0..4000).map(|n| format!("Point {n}: how large is the cache, and why? Да.\n")).collect();
    let ran = lab.call(&lines, &[]);
    if ran.code == Some(0) {
        let asked: Vec<_> = lab.model.asked(0).into_iter().filter(|a| !a.is_side).collect();
        want!(asked.len() == 1, "{} requests", asked.len());
        want!(asked[0].words.contains(lines.trim_end()), "the prompt did not arrive as it was");
        return Outcome::Told(format!("{} bytes arrive", lines.len()));
    }
    let line = Lab::last_line(&ran);
    want!(ran.code == Some(1), "code {:?}: {line}", ran.code);
    want!(line.contains(&lines.len().to_string()), "the length is not said: {line}");
    want!(lab.model.count() == 0, "the model was asked");
    Outcome::Told("refused with its length".into())
}

/// Prompts that some CLIs take for a command, an option, or a file to send.
pub fn strange_prompts(lab: &Lab) -> Outcome {
    let secret = lab.stage.home().join("secret.txt");
    fs::write(&secret, "the word is marzipan").unwrap();
    let path = secret.display();
    for prompt in [
        "/help".to_string(),
        "--version".into(),
        "-p".into(),
        "!ls".into(),
        format!("@{path} what does it say?"),
        format!("Ask me@{path} or @/etc/hostname, please."),
        "\"quotes\" $(date) `id` \\ %s {{x}}\r\nжизнь".into(),
    ] {
        let from = lab.model.count();
        let ran = lab.call(&prompt, &[]);
        want!(ran.code == Some(0), "{prompt}: code {:?}: {}", ran.code, Lab::last_line(&ran));
        let asked = lab.model.asked(from);
        let words = asked.iter().map(|a| a.words.as_str()).collect::<String>();
        want!(
            words.contains(&prompt) || words.contains(&prompt.replace("\r\n", "\n")),
            "{prompt}: changed: {}",
            tail(&words)
        );
        want!(!words.contains("marzipan"), "{prompt}: the file was sent");
        let host = fs::read_to_string("/etc/hostname").unwrap_or_default();
        want!(host.trim().len() < 4 || !words.contains(host.trim()), "{prompt}: /etc/hostname was sent");
    }
    Outcome::Ok
}

/// The model is offered no tool that can do anything.
pub fn no_tools(lab: &Lab) -> Outcome {
    let ran = lab.call("Is the cache small?", &[]);
    want!(ran.code == Some(0), "code {:?}: {}", ran.code, Lab::last_line(&ran));
    let tools = lab.model.asked(0).iter().flat_map(|a| a.tools.clone()).collect::<Vec<_>>();
    if lab.row.keeps_tools {
        return Outcome::Told(format!("{} tools stay; permissions are refused", tools.len()));
    }
    want!(tools.len() <= lab.row.tools, "tools: {}", tools.join(", "));
    match tools.len() {
        0 => Outcome::Ok,
        _ => Outcome::Told(format!("{} stays", tools.join(", "))),
    }
}

pub fn timeout_leaves_none(lab: &Lab) -> Outcome {
    lab.config(&json!({"deadline": "12s"}));
    lab.mood(Mood::Stall);
    let ran = lab.call("Is the cache small?", &[]);
    want!(ran.code == Some(1), "code {:?}: {}", ran.code, Lab::last_line(&ran));
    let left = lab.left();
    want!(left.is_empty(), "left: {}", left.join("; "));
    Outcome::Ok
}

/// A call that is stopped ends its processes.
pub fn cut_in_leaves_none(lab: &Lab) -> Outcome {
    lab.mood(Mood::Hang);
    let mut command = lab.call_command(&[]);
    command.stdin(std::process::Stdio::piped());
    let mut running = Running::start(command);
    running.child.stdin.take().unwrap().write_all(b"Is the cache small?").unwrap();
    lab.until_asked(0);
    let pid = rustix::process::Pid::from_child(&running.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let code = running.code();
    want!(code == Some(1), "code {code:?}");
    let left = lab.left();
    want!(left.is_empty(), "left: {}", left.join("; "));
    Outcome::Ok
}

/// A session that is interrupted while the vendor works.
pub fn interrupt_leaves_none(lab: &Lab) -> Outcome {
    lab.mood(Mood::Hang);
    let mut running = lab.running_session("ada", lab.row.vendor);
    lab.until_asked(0);
    let ran = lab.stage.run(&["interrupt", &lab.stage.id()]);
    want!(ran.code == Some(0), "interrupt: {}", tail(&ran.err));
    let code = running.code();
    until("nobody is left", || lab.left().is_empty());
    want!(lab.stage.meta().contains("interrupted"), "code {code:?}; the session is not interrupted");
    Outcome::Ok
}
