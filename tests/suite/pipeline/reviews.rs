//! Cold reviews, and what their findings lead to (PC-520 to PC-526).

use super::world::{EDIT, FINE, World};
use std::fs;

#[test]
fn pc_524_critical_twice_then_fixed() {
    let review = r#"case "$FLIGHTDECK_ROUND" in
1|2) printf '## Critical\n- app/code.txt:2: the size is wrong | fix: set it\n- app/new.txt:1: and so is this\n## OK\n' ;;
*) printf '## OK\n- fine\n' ;;
esac"#;
    let world = World::new(&["app"], EDIT, review, "true");
    let ran = world.run(&[]);
    world.assert_deployed(&ran, &["app"]);
    assert_eq!((world.count("implement"), world.count("review")), (3, 3));
    assert!(world.stage.meta().contains("review_iterations: 3"));
    assert!(
        world
            .stage
            .prompt("ada-implement-2-1")
            .contains("- Critical: app/code.txt:2: the size is wrong | fix: set it")
    );
    assert!(ran.out.contains("review 1: 2 Critical"), "{}", ran.out);
}

#[test]
fn pc_524_critical_three_times_is_the_pilots() {
    let review = r#"[ -e "$HOME/good" ] && { printf '## OK\n- fine\n'; exit; }
printf '## Critical\n- app/code.txt:2: still wrong | fix: think\n'"#;
    let world = World::new(&["app"], EDIT, review, "true");
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "escalation-00");
    assert!(text.contains("review-03.md") && text.contains("still wrong"), "{text}");
    assert_eq!(world.count("review"), 3);
    fs::write(world.path("good"), "").unwrap();
    let ran = world.answer(&id, "fix: think about the size");
    world.assert_deployed(&ran, &["app"]);
    assert!(world.stage.prompt("ada-implement-4-1").contains("fix: think about the size"));
    assert_eq!(world.count("review"), 4, "the pilot's word is worth one review more");
}

#[test]
fn pc_524_critical_and_a_decision_against_it() {
    let world = World::new(&["app"], EDIT, r#"printf '## Critical\n- app/code.txt:2: wrong\n'"#, "true");
    let (id, _) = world.question(&world.run(&[]));
    let ran = world.answer(&id, "we shall not do this at all");
    world.stage.assert_closed(&ran);
    let outcome = world.stage.file("_outcome.md");
    assert!(
        outcome.contains("- not deployed: ") && outcome.contains("we shall not do this at all"),
        "{outcome}"
    );
    assert!(outcome.contains("- Critical: app/code.txt:2: wrong"), "{outcome}");
    assert_eq!(world.git("app", &["log", "--oneline"]).lines().count(), 1);
    let listed = world.stage.run(&["list"]);
    assert_eq!(listed.code, Some(0));
    assert!(
        world.git("app", &["worktree", "list"]).lines().count() == 2,
        "uncommitted work is not thrown away"
    );
}

#[test]
fn pc_525_high_only_after_the_deployment() {
    let review =
        r#"printf '## High\n- app/code.txt:2: slow\n## Medium\n- app/code.txt:3: odd\n- none\n## OK\n'"#;
    let world = World::new(&["app"], EDIT, review, "true");
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "findings-01");
    assert!(text.starts_with("There are 1 High and 1 Medium findings. Fix now or after deploy?"), "{text}");
    let ran = world.answer(&id, "after");
    world.assert_deployed(&ran, &["app"]);
    assert!(world.stage.meta().contains("unresolved: 2"), "{}", world.stage.meta());
    let outcome = world.stage.file("_outcome.md");
    assert!(
        outcome.contains("**Unresolved (deferred):** 2\n") && outcome.contains("- app/code.txt:2: slow"),
        "{outcome}"
    );
}

#[test]
fn pc_525_findings_now_until_the_reviews_are_used_up() {
    let world = World::new(&["app"], EDIT, r#"printf '## High\n- app/code.txt:2: slow\n## OK\n'"#, "true");
    let ran = world.run(&["--findings", "now"]);
    world.assert_deployed(&ran, &["app"]);
    assert_eq!((world.count("implement"), world.count("review")), (4, 3));
    assert!(world.stage.meta().contains("review_iterations: 3"));
}

#[test]
fn pc_522_what_is_no_review_is_asked_for_again_and_then_the_pilot_is() {
    let world = World::new(&["app"], EDIT, "echo looks good to me", "true");
    let (id, _) = world.question(&world.run(&[]));
    assert_eq!((id.as_str(), world.count("review")), ("review-01", 2));
    world.reviewer(FINE);
    let ran = world.answer(&id, "retry");
    world.assert_deployed(&ran, &["app"]);
}
