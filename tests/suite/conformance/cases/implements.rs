//! Choice B carried out by a real program: it edits files of the worktree and none outside, another call of it reviews,
//! and the change is on the repository's branch.

use super::sessions::tail;
use super::want;
use crate::conformance::Outcome;
use crate::conformance::lab::{Lab, spent, told};
use crate::conformance::model::{Asked, Mood};
use crate::conformance::tools::{IMPLEMENTER, SAID, VERIFIER};
use crate::stage::{AGREES, Ran, Running, finish, until};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// The report has a chapter more when something was implemented.
const SYNTHESIS: &str = "[ \"$FLIGHTDECK_CALL\" = synthesis ] && { report | sed 's/^## 7/## 6. Implementation and verification\\nSee _outcome.md.\\n\\n## 7/'; exit; }\n";

pub fn implements(lab: &Lab) -> Outcome {
    deploy(lab, &json!({}), &["app"])
}

/// The folder of the call is then the one around the trees.
pub fn two(lab: &Lab) -> Outcome {
    deploy(lab, &json!({}), &["app", "site"])
}

/// With a token claude is started in another mode than with an API key.
pub fn without_key(lab: &Lab) -> Outcome {
    if lab.row.edits && lab.row.name != "claude" {
        return Outcome::Cannot("the way in makes no difference to how it edits".into());
    }
    let env = json!({"ANTHROPIC_BASE_URL": lab.model.url(), "ANTHROPIC_AUTH_TOKEN": "stub"});
    deploy(lab, &json!({"env": env}), &["app"])
}

/// Only our sandbox stands between the model and the files outside: the CLI's own is off, and its permissions are given.
pub fn required(lab: &Lab) -> Outcome {
    match lab.row.name {
        "claude" => deploy(
            lab,
            &json!({"sandbox": "required", "args": ["--allowedTools", "Write"]}),
            &["app", "site"],
        ),
        _ => deploy(lab, &json!({"sandbox": "required"}), &["app", "site"]),
    }
}

/// No command checks the change: the verdict is the program's, which runs one itself, and writes nothing outside.
pub fn verifies(lab: &Lab) -> Outcome {
    if lab.row.name != "codex" {
        return Outcome::Cannot("it runs no commands here".into());
    }
    let home = lab.stage.home().canonicalize().unwrap();
    let outside = home.join("app/outside.txt");
    let mut refusals = Vec::new();
    for more in [json!({}), json!({"sandbox": "required"})] {
        let from = lab.model.count();
        repository(lab, "app");
        let implementation = json!({"reviewer": "bo", "verifier": lab.row.vendor, "deadline": 120,
            "repos": {"app": {"path": home.join("app"), "push": false}}});
        lab.config_with(&more, &format!("implementation: {implementation}"));
        lab.stage.writer(&format!(
            "[ \"$FLIGHTDECK_CALL\" = implement ] && {{ printf 'small\\n%s\\n' \"$FLIGHTDECK_SESSION\" >code.txt; echo done; exit; }}\n{SYNTHESIS}"
        ));
        lab.stage.script("bo", &format!("[ \"$FLIGHTDECK_CALL\" = review ] && {{ printf '## Critical\\n- none\\n## High\\n- none\\n## Medium\\n- none\\n## OK\\n- all of it\\n'; exit; }}\n{AGREES}"));
        lab.mood(Mood::Edits(vec![outside.display().to_string()]));
        let ran = lab.stage.run(&[&ARGS[..], &["How large is the cache"]].concat());
        want!(ran.code == Some(0), "code {:?}: {}", ran.code, tail(&ran.err));
        let file = lab.stage.file("verify-01.md");
        want!(file.starts_with("PASS\n\nverifier: codex\n"), "the verdict: {}", tail(&file));
        let asked: Vec<Asked> =
            lab.model.asked(from).into_iter().filter(|a| a.words.contains(VERIFIER)).collect();
        let results = asked.last().map(|a| a.results.clone()).unwrap_or_default();
        want!(results.len() == 2, "{} tools answered: {}", results.len(), results.join(" | "));
        let is_refused = ["Read-only", "denied"].iter().any(|word| results[1].contains(word));
        want!(is_refused && !outside.exists(), "it wrote outside: {}", results[1]);
        refusals.push(home_free(lab, results[1].split_once("Output:\n").map_or("", |(_, said)| said).trim()));
        let calls = spent(&ran.out, None);
        let usage = calls.iter().find(|c| c.purpose == "verify").map(|c| c.usage.clone()).unwrap_or_default();
        let want = told(&asked);
        want!(usage["input"] == want.input && usage["output"] == want.output, "tokens {usage}, not {want:?}");
        until("nobody is left", || lab.left().is_empty());
    }
    Outcome::Told(format!("outside: {}; in our sandbox: {}", refusals[0], refusals[1]))
}

/// An edit that is interrupted ends with the commands that the agent has running.
pub fn interrupted(lab: &Lab) -> Outcome {
    if !lab.row.edits {
        return Outcome::Cannot("it is called for text only".into());
    }
    let runs_commands = lab.row.name == "codex";
    // To write into a file is a command there, and this one does not end by itself.
    lab.mood(if runs_commands { Mood::Edits(vec!["/dev/null; sleep 600".into()]) } else { Mood::Hang });
    for more in [json!({}), json!({"sandbox": "required"})] {
        let from = lab.model.count();
        prepare(lab, &more, &["app"]);
        let mut running =
            Running::start(lab.stage.command(&[&ARGS[..], &["How large is the cache"]].concat()));
        lab.until_asked(from);
        if runs_commands {
            until("the command runs", || lab.left().iter().any(|line| line.contains("sleep 600")));
        }
        let ran = lab.stage.run(&["interrupt", &lab.stage.id()]);
        want!(ran.code == Some(0), "interrupt: {}", tail(&ran.err));
        running.code();
        until("nobody is left", || lab.left().is_empty());
    }
    Outcome::Ok
}

const ARGS: [&str; 10] =
    ["run", "--json", "--headless", "--close", "auto", "--reflection", "skip", "--decision", "B", "--yes"];

/// The repositories, and the configuration that names them.
fn prepare(lab: &Lab, more: &Value, repos: &[&str]) {
    let home = lab.stage.home().canonicalize().unwrap();
    repos.iter().for_each(|repo| repository(lab, repo));
    let setting = |repo: &&str| {
        let verify = ["grep -qx small code.txt"];
        (repo.to_string(), json!({"path": home.join(repo), "verify": verify, "push": false}))
    };
    let repositories: serde_json::Map<String, Value> = repos.iter().map(setting).collect();
    let implementation = json!({"vendor": lab.row.vendor, "reviewer": lab.row.vendor, "deadline": 120,
        "repos": repositories});
    lab.config_with(more, &format!("implementation: {implementation}"));
    lab.stage.writer(SYNTHESIS);
}

fn deploy(lab: &Lab, more: &Value, repos: &[&str]) -> Outcome {
    if !lab.row.edits {
        return Outcome::Cannot("it is called for text only".into());
    }
    let home = lab.stage.home().canonicalize().unwrap();
    let outside = ["app/outside.txt", "app/.git/hooks/post-commit", "outside.txt", "tmp/outside.txt"]
        .map(|name| home.join(name));
    // Some CLIs send what a prompt names in this way.
    let secrets = [".claude/secret.txt", ".claude.json", "secret.txt"].map(|name| home.join(name));
    fs::create_dir_all(home.join(".claude")).unwrap();
    secrets.iter().for_each(|at| fs::write(at, r#"{"word": "marzipan"}"#).unwrap());
    let named: Vec<String> = secrets.iter().map(|at| format!("@{}", at.display())).collect();
    let task = format!("How large is the cache, {}", named.join(" "));
    prepare(lab, more, repos);
    lab.mood(Mood::Edits(outside.iter().map(|path| path.display().to_string()).collect()));
    let ran = lab.stage.run(&[&ARGS[..], &[task.as_str()]].concat());
    let steps = steps(lab);
    want!(ran.code == Some(0), "code {:?}: {} {steps}", ran.code, tail(&ran.err));
    want!(lab.stage.meta().contains(r#"status: "completed""#), "the session is not completed");
    let verified = lab.stage.run(&["verify", &lab.stage.id()]);
    want!(verified.code == Some(0), "verify: {}", tail(&verified.out));
    for repo in repos {
        let last = git(lab, repo, &["log", "-1", "--format=%s %b"]).out;
        want!(
            last.contains(&lab.stage.id()) && last.contains("Verify: PASS"),
            "the last commit: {}",
            tail(&last)
        );
        let changed = git(lab, repo, &["show", "--format=", "--name-only"]).out;
        want!(changed.trim() == "code.txt", "the commit holds more: {}", tail(&changed));
        let shown = git(lab, repo, &["show", "main:code.txt"]).out;
        want!(shown == "small\n", "main of {repo} holds {shown:?}: {steps}");
        want!(git(lab, repo, &["status", "--short"]).out.is_empty(), "the real tree of {repo} is not clean");
    }
    for path in &outside {
        want!(!path.exists(), "{} was written", path.display());
    }
    want!(
        ran.out.contains("I made it small") && !ran.out.contains(SAID),
        "what was said between the tools is taken for the reply"
    );
    let sent = lab.model.asked(0).iter().any(|a| a.words.contains("marzipan"));
    want!(!sent, "a file that the prompt names was sent");
    judged(lab, &ran, 2 + 2 * repos.len(), outside.len())
}

/// Every try outside came back to the model as a failure, and the tokens are those of all requests of the call.
fn judged(lab: &Lab, ran: &Ran, inside: usize, tries: usize) -> Outcome {
    let asked: Vec<Asked> = lab.model.asked(0).into_iter().filter(|a| !a.is_side).collect();
    let (edits, others): (Vec<Asked>, Vec<Asked>) =
        asked.into_iter().partition(|a| a.words.contains(IMPLEMENTER));
    let results = edits.last().map(|a| a.results.clone()).unwrap_or_default();
    want!(results.len() == inside + tries, "{} tools answered: {}", results.len(), results.join(" | "));
    for look in &results[..2] {
        want!(look.contains("code.txt"), "it does not find the file: {look}");
    }
    for result in &results[inside..] {
        let is_refusal = ["denied", "Read-only", "EACCES", "permission", "not allowed", "within", "rule"]
            .iter()
            .any(|word| result.contains(word));
        want!(is_refusal, "no refusal: {result}");
    }
    want!(others.iter().any(|a| a.words.contains("You review a change")), "no review was asked");
    let calls = spent(&ran.out, None);
    let edit = calls.iter().find(|c| c.purpose == "implement");
    let want = told(&edits);
    let usage = edit.map(|c| c.usage.clone()).unwrap_or_default();
    want!(
        !lab.row.has_usage || usage["input"] == want.input && usage["output"] == want.output,
        "tokens {usage}, not {want:?}"
    );
    let why =
        results[inside].split_once("Output:\n").map_or(results[inside].as_str(), |(_, said)| said).trim();
    let tools = edits.first().map(|a| a.tools.join(", ")).unwrap_or_default();
    Outcome::Told(format!("tools {tools}; outside: {}", home_free(lab, why)))
}

/// The answer without the stage's own folder, which has another name in each run.
fn home_free(lab: &Lab, text: &str) -> String {
    let home = lab.stage.home().canonicalize().unwrap();
    let text = text.replace(&home.display().to_string(), "~");
    // A temporary file's name is another one in each run, too.
    let text = text.split_once(".tmp.").map_or(text.clone(), |(before, _)| format!("{before}'"));
    text.chars().take(160).collect()
}

/// What the tools said, for a failure.
fn steps(lab: &Lab) -> String {
    let all = lab.model.asked(0);
    let last = all.iter().rfind(|a| a.words.contains(IMPLEMENTER));
    let told = last.map(|a| format!("{:?}, tools {}", a.results, a.tools.join(",")));
    told.unwrap_or_else(|| "no implementing call".into()).chars().take(2000).collect()
}

fn repository(lab: &Lab, name: &str) {
    let at = lab.stage.home().join(name);
    if at.exists() {
        return;
    }
    fs::create_dir_all(&at).unwrap();
    fs::write(at.join("code.txt"), "one\n").unwrap();
    git(lab, name, &["init", "-q", "-b", "main"]);
    git(lab, name, &["config", "user.email", "pilot@example.invalid"]);
    git(lab, name, &["config", "user.name", "Pilot"]);
    git(lab, name, &["add", "code.txt"]);
    let ran = git(lab, name, &["commit", "-q", "-m", "begin"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn git(lab: &Lab, repo: &str, args: &[&str]) -> Ran {
    let mut command = Command::new("git");
    lab.stage.clean(&mut command).current_dir(lab.stage.home().join(repo)).args(args);
    finish(command, "")
}
