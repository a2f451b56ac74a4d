//! An agent that verifies (PC-530): it passes, it fails, it says nothing that counts, it never comes back.

use super::world::{EDIT, FINE, World};

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
fn pc_530_who_runs_nothing_cannot_verify() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    world.stage.config("implementation:\n  verifier: claude\n  repos:\n    app: {path: ../../app}\n");
    let said = world.stage.run(&["doctor"]).out;
    assert!(said.contains("runs no commands here, and reading is no verification"), "{said}");
}
