//! The project's own commands as a verdict (PC-530 to PC-533).

use super::world::{EDIT, FINE, World};

#[test]
fn pc_532_a_failed_verification_is_fixed_and_passes() {
    let world = World::new(
        &["app"],
        EDIT,
        FINE,
        "echo checking; grep -q 'edit 2' code.txt || { echo 'no edit 2' >&2; exit 7; }",
    );
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "verify-01");
    assert!(text.contains("Fix and retry, or escalate?"), "{text}");
    assert!(world.stage.file("verify-01.md").starts_with("FAIL\n\napp: $ "));
    assert!(world.stage.meta().contains("verify_status: \"FAIL\""));
    let ran = world.answer(&id, "fix");
    world.assert_deployed(&ran, &["app"]);
    assert!(
        world.stage.prompt("ada-implement-2-1").contains("exit code 7")
            && world.stage.prompt("ada-implement-2-1").contains("no edit 2")
    );
    assert!(world.stage.file("verify-02.md").starts_with("PASS"));
    assert_eq!(world.count("review"), 2, "a fix is reviewed again");
    assert!(world.stage.file("_outcome.md").contains("PASS (fixed after 1 FAIL)"));
}

#[test]
fn pc_532_a_pinpoint_fix_goes_straight_to_the_verification() {
    let world = World::new(&["app"], EDIT, FINE, "grep -q 'edit 2' code.txt");
    let (id, _) = world.question(&world.run(&[]));
    let ran = world.answer(&id, "pinpoint");
    world.assert_deployed(&ran, &["app"]);
    assert_eq!(world.count("review"), 1);
}

#[test]
fn pc_530_not_run_is_not_passed() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    let config = "implementation:\n  repos:\n    app: {path: ../../app}\n";
    world.stage.config(config);
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "verify-01");
    assert!(text.contains("Not run is not passed"), "{text}");
    assert!(world.stage.file("verify-01.md").starts_with("NOT RUN\n"));
    assert!(world.stage.meta().contains("verify_status: \"\""));
    let ran = world.answer(&id, "unverified");
    world.assert_deployed(&ran, &["app"]);
    assert!(world.stage.file("_outcome.md").contains("**Smoke verification:** not run"));
    assert!(world.git("app", &["log", "-1", "--format=%B"]).ends_with("Verify: not run"));
}
