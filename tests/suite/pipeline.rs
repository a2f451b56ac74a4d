//! From decision to deployment (group U), end to end: scripted implementers and reviewers on scratch repositories.

mod content;
mod deployments;
mod edits;
mod reviews;
mod traces;
mod verifications;
mod verifier;
mod world;

use crate::stage::{Running, Stage};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use world::{EDIT, FINE, World};

#[test]
fn pc_540_a_clean_run_over_two_repositories() {
    let world = World::new(&["app", "site"], EDIT, FINE, "grep -q edit code.txt");
    let ran = world.run(&[]);
    world.assert_deployed(&ran, &["app", "site"]);
    for repo in ["app", "site"] {
        assert_eq!(world.read(&format!("{repo}/code.txt")), "one\nedit 1\n");
        assert_eq!(world.git(repo, &["status", "--short"]), "");
        let message = world.git(repo, &["log", "-1", "--format=%B"]);
        let id = world.stage.id();
        let want = format!("\n\nRefs: peer-session {id}\nReview iters: 1\nVerify: PASS");
        assert!(message.starts_with(&format!("feat({repo}): ")) && message.ends_with(&want), "{message}");
    }
    assert!(world.stage.file("verify-01.md").starts_with("PASS\n\n"));
    assert!(world.stage.file("review-01.md").starts_with("## Critical"));
    assert!(world.stage.meta().contains("review_iterations: 1\nverify_status: \"PASS\""));
    let app = fs::canonicalize(world.path("app")).unwrap();
    let announced =
        format!("Implementing consensus {}\n    Files: {}/code.txt, ", world.stage.id(), app.display());
    assert!(ran.out.contains(&announced), "{}", ran.out);
    assert!(ran.out.contains("Repo: app · site\n    Method: Edit/Write tools directly"), "{}", ran.out);
    assert!(
        world.stage.prompt("ada-implement-1-1").contains("the cache stays small"),
        "the consensus is in the prompt"
    );
    assert!(world.stage.prompt("bo-review-1-1").contains("+edit 1"), "the diff is in the review's prompt");
    assert!(!world.stage.prompt("bo-review-1-1").contains("I propose to keep"), "the review is cold");
    assert!(world.stage.prompt("ada-synthesis-1-1").contains("=== _outcome.md ==="));
}

#[test]
fn pc_467_without_a_configuration_b_is_recorded_and_goes_on_as_a() {
    let stage = Stage::new();
    let ran = stage.run(&["run", "--close", "auto", "--decision", "B", "--yes", "How large is the cache"]);
    stage.assert_closed(&ran);
    assert!(ran.out.contains("`implementation` names no repository"), "{}", ran.out);
    assert!(stage.meta().contains("engine_decision: \"not-implementable\""), "{}", stage.meta());
}

/// Kills the engine at many moments of the same run; each time it is taken up again.
#[test]
fn pc_706_kills_during_an_implementation_lose_and_repeat_nothing() {
    let review = r#"sleep 0.02; case "$FLIGHTDECK_ROUND" in
1) printf '## Critical\n- app/code.txt:2: not yet\n' ;;
*) printf '## OK\n' ;;
esac"#;
    let edit = r#"sleep 0.02; echo "edit $FLIGHTDECK_ROUND" >> code.txt; echo half > half.txt; sleep 0.02; mv half.txt new.txt; echo done"#;
    let world = World::new(&["app"], edit, review, "sleep 0.02; grep -q 'edit 2' code.txt");
    let args = [
        "run",
        "--close",
        "auto",
        "--reflection",
        "skip",
        "--decision",
        "B",
        "--yes",
        "How large is the cache",
    ];
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    for kill in 0..24 {
        let begun = world.stage.dirs().iter().any(|d| d.join("meta.yaml").exists());
        let mut command = if begun {
            let id = world.stage.id();
            let resume =
                ["resume", "--headless", "--close", "auto", "--reflection", "skip", "--decision", "B", &id];
            world.stage.command(&resume)
        } else {
            world.stage.dirs().iter().for_each(|d| fs::remove_dir_all(d).unwrap());
            world.stage.command(&args)
        };
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut engine = Running { child };
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // The pauses grow, so that late steps are hit too.
        let pause = Duration::from_millis(20 + kill * 12 + state % 90);
        let end = std::time::Instant::now() + pause;
        while std::time::Instant::now() < end && engine.child.try_wait().unwrap().is_none() {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        engine.kill();
        let real = world.read("app/code.txt");
        assert!(real == "one\n" || real == "one\nedit 1\nedit 2\n", "{real}");
    }
    let id = world.stage.id();
    let resume = ["resume", "--headless", "--close", "auto", "--reflection", "skip", "--decision", "B", &id];
    let mut ran = world.stage.run(&resume);
    if ran.code == Some(2) {
        // It was closed already; then there is nothing to take up.
        ran.code = Some(0);
    }
    world.assert_deployed(&ran, &["app"]);
    assert_eq!(world.read("app/code.txt"), "one\nedit 1\nedit 2\n", "no edit was made twice");
    assert_eq!(world.git("app", &["log", "--oneline"]).lines().count(), 2);
    assert!(Path::new(&world.path("app/new.txt")).exists());
}
