//! An agent that verifies (PC-530): it passes, it fails, it says nothing that counts, it never comes back.

use super::world::{EDIT, FINE, World};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// `cy` verifies with this script, after the command `verify`.
fn world(script: &str, verify: &str, more: &str) -> World {
    let world = World::new(&["app"], EDIT, FINE, verify);
    let commands = if verify.is_empty() { String::new() } else { format!(", verify: [{verify:?}]") };
    world.stage.config(&format!(
        "implementation:\n  reviewer: bo\n  verifier: cy\n{more}  repos:\n    app: {{path: ../../app{commands}}}\n"
    ));
    world.stage.script("cy", &format!("[ \"$FLIGHTDECK_CALL\" = verify ] || exit 9\n{script}"));
    world
}

#[test]
fn pc_530_a_verifier_that_passes() {
    // Also without a command of the project: the agent runs something itself.
    for verify in ["grep -q edit code.txt", ""] {
        let world = world("echo '$ cat code.txt'; cat code.txt; echo 'VERDICT: PASS'", verify, "");
        let ran = world.run(&[]);
        world.assert_deployed(&ran, &["app"]);
        let text = world.stage.file("verify-01.md");
        assert!(text.starts_with("PASS\n\nverifier: cy\n\n$ cat code.txt\none\nedit 1\n"), "{text}");
        let outcome = world.stage.file("_outcome.md");
        assert!(outcome.contains("**Smoke verification:** PASS · verifier cy\n"), "{outcome}");
        assert_eq!(world.count("verify"), 1);
        let prompt = world.stage.prompt("cy-verify-1-1");
        assert!(prompt.contains("It stays small") && prompt.contains("- app: "), "{prompt}");
    }
}

#[test]
fn pc_530_a_failed_command_is_not_put_to_the_verifier() {
    let world = world("echo 'VERDICT: PASS'", "false", "");
    let (question, _) = world.question(&world.run(&[]));
    assert_eq!((question.as_str(), world.count("verify")), ("verify-01", 0));
    assert!(world.stage.file("verify-01.md").starts_with("FAIL\n"));
}

#[test]
fn pc_532_a_verifier_that_fails_sends_its_traceback_back() {
    let script = "grep -q 'edit 2' code.txt && echo 'VERDICT: PASS' || printf 'traceback: no edit 2\\nVERDICT: FAIL\\n'";
    let world = world(script, "true", "");
    let (question, _) = world.question(&world.run(&[]));
    assert_eq!(question, "verify-01");
    assert!(world.stage.file("verify-01.md").starts_with("FAIL\n\nverifier: cy\n\ntraceback: no edit 2\n"));
    let ran = world.answer(&question, "fix");
    world.assert_deployed(&ran, &["app"]);
    assert!(world.stage.prompt("ada-implement-2-1").contains("traceback: no edit 2"));
    assert!(world.stage.file("_outcome.md").contains("verifier cy"));
}

#[test]
fn pc_530_whatever_is_no_verdict_is_not_passed() {
    for script in
        ["echo 'All is well, it passed.'", "echo 'VERDICT: FAIL'; echo 'VERDICT: PASS'", "", "exit 3"]
    {
        let world = world(script, "true", "");
        let (question, text) = world.question(&world.run(&[]));
        assert_eq!(question, "verify-01", "{script}");
        assert!(text.contains("cy was to verify and gave no verdict"), "{text}");
        let file = world.stage.file("verify-01.md");
        assert!(file.starts_with("NOT RUN\n\nverifier: cy\n"), "{file}");
        assert_eq!(world.read("app/code.txt"), "one\n", "nothing is deployed");
        if script.is_empty() {
            let ran = world.answer(&question, "unverified");
            world.stage.assert_closed(&ran);
            let outcome = world.stage.file("_outcome.md");
            assert!(outcome.contains("not run · verifier cy"), "{outcome}");
        }
    }
}

#[test]
fn pc_530_a_verifier_that_hangs_is_not_waited_for_and_not_passed() {
    let world = world("sleep 600; echo 'VERDICT: PASS'", "true", "  deadline: 5\n");
    let (question, _) = world.question(&world.run(&[]));
    assert_eq!(question, "verify-01");
    let file = world.stage.file("verify-01.md");
    assert!(file.starts_with("NOT RUN\n\nverifier: cy\n") && file.contains("timeout"), "{file}");
}

#[test]
fn pc_065_a_secret_in_a_verifiers_prompt_waits_for_the_pilot_before_anything_runs() {
    // A pinpoint fix goes to the verification without a review: nobody else was asked about the new file's name.
    let token = format!("ghp_{}", "x9".repeat(18));
    let edit = format!("{EDIT}\nif [ \"$FLIGHTDECK_ROUND\" = 2 ]; then touch \"$tree/{token}\"; fi");
    let world = World::new(&["app"], &edit, FINE, "true");
    let runs = "echo ran >>$HOME/tmp/ran";
    world.stage.config(&format!(
        "implementation:\n  reviewer: bo\n  verifier: cy\n  repos:\n    app: {{path: ../../app, verify: [{runs:?}]}}\n"
    ));
    let script = "grep -q 'edit 2' code.txt && echo 'VERDICT: PASS' || echo 'VERDICT: FAIL'";
    world.stage.script("cy", &format!("[ \"$FLIGHTDECK_CALL\" = verify ] || exit 9\n{script}"));
    let (question, _) = world.question(&world.run(&[]));
    assert_eq!((question.as_str(), world.count("verify")), ("verify-01", 1));
    let (question, text) = world.question(&world.answer(&question, "pinpoint"));
    assert_eq!((question.as_str(), world.count("verify")), ("secret-1", 1), "{text}");
    assert!(text.contains("verifying agent") && text.contains("ghp_…") && !text.contains(&token), "{text}");
    let ran = fs::read_to_string(world.path("tmp/ran")).unwrap();
    assert_eq!((ran.lines().count(), world.stage.has("verify-02.md")), (1, false));
    // Without the call the step failed, and asks again when it is repeated.
    let ran = world.stage.run(&["answer", &world.stage.id(), &question, "abort"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!((world.open()[0].0.as_str(), world.count("verify")), ("implement-retry", 1));
    let (question, _) = world.question(&world.answer("implement-retry", "retry"));
    assert_eq!(question, "secret-1");
    let ran = world.answer(&question, "redact");
    world.assert_deployed(&ran, &["app"]);
    let call = world.stage.calls().into_iter().rfind(|call| call.starts_with("cy verify")).unwrap();
    let prompt = world.stage.prompt(&call.replace(' ', "-"));
    assert!(prompt.contains("[redacted]") && !prompt.contains(&token), "{prompt}");
}

/// A codex that runs nothing, says what it is asked for, and tells its tokens.
const CODEX: &str = r#"#!/bin/sh
cat >/dev/null
echo '{"type":"thread.started","thread_id":"t-1"}'
printf '%s\n' '{"type":"item.completed","item":{"type":"agent_message","text":"$ cat code.txt\none\n\nVERDICT: PASS"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":34,"reasoning_output_tokens":5}}'
"#;

#[test]
fn pc_530_what_a_verifier_costs_is_counted() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    let codex = world.path("codex");
    fs::write(&codex, CODEX).unwrap();
    fs::set_permissions(&codex, fs::Permissions::from_mode(0o755)).unwrap();
    world.stage.config(
        "  codex: {bin: ../../codex, sandbox: off}\nimplementation:\n  reviewer: bo\n  verifier: codex\n  repos:\n    app: {path: ../../app, verify: ['true']}\n",
    );
    let ran = world.run(&["--json", "--limit-tokens", "1000"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let (question, text) = world.open().remove(0);
    assert_eq!(question, "budget");
    // Opening, turn, peer, summary, implementation and review told nothing; the steps of the engine are no calls.
    let silent = world.stage.calls().len();
    assert!(text.contains("1234 tokens of 1000 tokens"), "{text}");
    assert!(text.contains(&format!("did not report it: {silent}")), "{silent} {text}");
    let facts = ran.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let ended = facts.filter(|f| f["fact"] == "call-ended" && f["call"]["purpose"] == "verify");
    let usage: Vec<Value> = ended.map(|f| f["usage"].clone()).collect();
    assert_eq!(usage.len(), 1);
    assert_eq!((usage[0]["input"].as_u64(), usage[0]["output"].as_u64()), (Some(1000), Some(34)));
    let ran = world.answer("budget", "off");
    world.assert_deployed(&ran, &["app"]);
}

#[test]
fn pc_530_who_runs_nothing_cannot_verify() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    world.stage.config("implementation:\n  verifier: claude\n  repos:\n    app: {path: ../../app}\n");
    let said = world.stage.run(&["doctor"]).out;
    assert!(said.contains("runs no commands here, and reading is no verification"), "{said}");
}
