//! Agents that ask leave while their call runs, with an agent that speaks the Agent Client Protocol from a script
//! (PC-062). It makes a file when it is allowed to, and takes part in the session either way.

use crate::dash::Desk;
use crate::stage::{Ran, Running, Stage, until};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const AGENT: &str = r#"
result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case $line in
    *'"method":"initialize"'*) result "$id" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) result "$id" '{"sessionId":"s-1"}' ;;
    *'"method":"session/prompt"'*) prompt=$id
      printf '%s\n' '{"jsonrpc":"2.0","id":"p-1","method":"session/request_permission","params":{"sessionId":"s-1","options":[{"optionId":"all","name":"Always","kind":"allow_always"},{"optionId":"one","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}],"toolCall":{"toolCallId":"t-1","title":"Make a file","kind":"execute","rawInput":{"command":"touch made"}}}}' ;;
    *'"id":"p-1"'*)
      printf '%s\n' "$line" >>"$here/answers"
      case $line in *'"optionId":"one"'*) touch "$here/made" ;; esac
      printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"---\nturn: 1\nrole: peer\nagent_id: em\ncontent_role: critic\nprocess_position: peer\ntimestamp: 2026-08-24T10:00:00Z\nconsensus: none\n---\n\nThe argument about the size holds for our load, and I see no case that it does not cover.\nCONSENSUS: the cache stays small"}}}}'
      result "$prompt" '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

/// The agent as the vendor `em`.
fn agent(stage: &Stage, permissions: &str) {
    let path = stage.home().join("adapters/em.sh");
    fs::write(&path, format!("#!/bin/sh\nhere={}\n{AGENT}", stage.home().display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let config = stage.home().join(".config/flightdeck/config.yaml");
    let mut text = fs::read_to_string(&config).unwrap();
    text.push_str(&format!("  em: {{kind: acp, bin: ../../adapters/em.sh, sandbox: off{permissions}}}\n"));
    fs::write(config, text).unwrap();
}

fn answers(stage: &Stage) -> String {
    fs::read_to_string(stage.home().join("answers")).unwrap_or_default()
}

/// The facts of the session, one a line.
fn events(stage: &Stage) -> String {
    let roots = fs::read_dir(stage.home().join(".local/state/flightdeck/sessions")).unwrap();
    let logs = roots.flatten().map(|root| root.path().join(stage.id()).join("events.jsonl"));
    logs.map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// A session whose pilot types these lines, and then what closes it.
fn typed(stage: &Stage, input: &str) -> Ran {
    stage.run_with(&["new", "--yes", "--peer", "em", "How large is the cache"], &format!("{input}A\nclose\n"))
}

#[test]
fn pc_062_a_request_is_a_question_and_the_choice_reaches_the_agent() {
    let stage = Stage::new();
    agent(&stage, ", permissions: ask");
    // The first line is none of the choices: it allows nothing.
    let ran = typed(&stage, "go ahead\nallow\n");
    stage.assert_closed(&ran);
    for shown in [
        "? Make a file",
        "? em asks whether it may do this (execute):",
        "?   $ touch made",
        "allow it this once",
    ] {
        assert!(ran.out.contains(shown), "{shown} in {}", ran.out);
    }
    assert!(ran.out.contains("does not answer permission-1: always, allow, reject"), "{}", ran.out);
    assert!(stage.home().join("made").exists() && answers(&stage).contains(r#""optionId":"one""#));
    let facts = events(&stage);
    let permitted = facts.lines().find(|line| line.contains(r#""choice":"allow""#)).unwrap();
    assert!(permitted.contains("Make a file") && permitted.contains(r#""answered":true"#), "{permitted}");
}

#[test]
fn pc_062_without_the_pilots_wish_nothing_is_asked() {
    let stage = Stage::new();
    agent(&stage, "");
    let ran = typed(&stage, "");
    stage.assert_closed(&ran);
    assert!(!stage.home().join("made").exists() && answers(&stage).contains(r#""optionId":"no""#));
    assert!(!events(&stage).contains("permission-1"));
}

#[test]
fn pc_062_where_nobody_answers_it_is_refused_and_said() {
    let stage = Stage::new();
    agent(&stage, ", permissions: ask");
    let ran = stage.session(&["--headless", "--peer", "em"]);
    stage.assert_closed(&ran);
    assert!(!stage.home().join("made").exists() && answers(&stage).contains(r#""optionId":"no""#));
    assert!(ran.out.contains("nobody answered permission-1"), "{}", ran.out);
    let facts = events(&stage);
    let permitted = facts.lines().find(|line| line.contains(r#""choice":"reject""#)).unwrap();
    assert!(permitted.contains(r#""answered":false"#), "{permitted}");
}

#[test]
fn pc_062_a_request_waits_as_long_as_the_configuration_says() {
    let stage = Stage::new();
    agent(&stage, ", permissions: ask, patience: 1s");
    let mut command = stage.command(&["new", "--yes", "--plain", "--peer", "em", "How large is the cache"]);
    command.stdin(std::process::Stdio::piped());
    let mut running = Running::start(command);
    running.until("nobody answered permission-1");
    until("the gate stands", || stage.questions() == ["gate"]);
    assert!(answers(&stage).contains(r#""optionId":"no""#) && !stage.home().join("made").exists());
    running.kill();
}

#[test]
fn pc_062_a_request_outlives_the_screen() {
    let desk = Desk::new();
    let stage = &desk.stage;
    agent(stage, ", permissions: ask");
    let mut s = desk.session("em", (80, 24));
    s.shows("! 1 waiting");
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    let state = stage.show();
    let question = &state["questions"][0];
    assert_eq!(
        (question["id"].as_str(), question["kind"].as_str()),
        (Some("permission-1"), Some("permission")),
        "{state}"
    );
    // What is no choice changes nothing, and neither does a question that is not there.
    let id = stage.id();
    assert_eq!(stage.run(&["answer", &id, "permission-1", "send"]).code, Some(0));
    assert_eq!(stage.run(&["answer", &id, "permission-2", "allow"]).code, Some(2));

    let mut s = desk.open(&[], (80, 24));
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("Enter answer");
    s.keys("\r");
    s.shows("em asks whether it may do this");
    s.shows("asks for leave");
    s.shows("allow it from now on");
    assert_eq!(answers(stage), "");
    s.keys("\x1b[B\r");
    until("the agent has its answer", || stage.home().join("made").exists());
    until("the gate stands", || stage.questions() == ["gate"]);
    assert!(answers(stage).contains(r#""optionId":"one""#));
    s.keys("\x03");
    assert_eq!(s.code(), 0);
}
