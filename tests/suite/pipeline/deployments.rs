//! Commit, push and fast-forward, and what may stand in their way (PC-540 to PC-543).

use super::world::{EDIT, FINE, World};
use std::fs;

#[test]
fn pc_542_a_hook_refuses_the_commit() {
    let world = World::new(&["app", "site"], EDIT, FINE, "true");
    world.hook("site", "pre-commit", "[ -e \"$HOME/well\" ] || { echo 'the guard says no' >&2; exit 1; }");
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "escalation-00");
    assert!(text.contains("site") && text.contains("the guard says no"), "{text}");
    for repo in ["app", "site"] {
        let log = world.git(&format!("{repo}.git"), &["log", "--oneline", "main"]);
        assert_eq!(log.lines().count(), 1, "nothing is pushed before every commit is there");
        assert_eq!(world.git(repo, &["log", "--oneline"]).lines().count(), 1);
    }
    fs::write(world.path("well"), "").unwrap();
    let ran = world.answer(&id, "retry");
    world.assert_deployed(&ran, &["app", "site"]);
}

#[test]
fn pc_542_a_hook_that_changes_what_was_verified_is_noticed() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    world.hook("app", "pre-commit", "echo reformatted >> code.txt; git add code.txt");
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "deploy");
    assert!(text.contains("a hook changed what was verified: code.txt"), "{text}");
    assert_eq!(world.git("app", &["log", "--oneline"]).lines().count(), 1);
    fs::remove_file(world.path("app/.git/hooks/pre-commit")).unwrap();
    let ran = world.answer(&id, "renew");
    world.assert_deployed(&ran, &["app"]);
    assert!(world.read("app/code.txt").ends_with("reformatted\n"));
    assert!(world.stage.has("verify-02.md"), "what the hook made of it is verified too");
}

/// Somebody else pushes a commit that touches `file`.
fn elsewhere(world: &World, file: &str, text: &str) {
    world.git("", &["clone", "-q", "-b", "main", "app.git", "other"]);
    fs::write(world.path("other").join(file), text).unwrap();
    world.git("other", &["add", file]);
    world.git(
        "other",
        &["-c", "user.name=B", "-c", "user.email=b@example.invalid", "commit", "-q", "-m", "other"],
    );
    world.git("other", &["push", "-q", "origin", "main"]);
}

#[test]
fn pc_542_the_remote_moved_on() {
    let world = World::new(&["app"], EDIT, FINE, "grep -q edit code.txt");
    elsewhere(&world, "theirs.txt", "theirs\n");
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "escalation-00");
    assert!(text.contains("git push"), "{text}");
    assert_eq!(world.git("app", &["log", "--oneline"]).lines().count(), 1, "the real tree is as it was");
    let ran = world.answer(&id, "rebase");
    world.assert_deployed(&ran, &["app"]);
    assert_eq!(world.read("app/theirs.txt"), "theirs\n");
    assert!(world.stage.has("verify-02.md"), "what was moved is verified again");
    assert_eq!(world.git("app", &["log", "--format=%s"]).lines().nth(1), Some("other"));
}

#[test]
fn pc_542_a_rebase_in_conflict_changes_nothing() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    elsewhere(&world, "code.txt", "one\ntheirs\n");
    let (id, _) = world.question(&world.run(&[]));
    let (id, text) = world.question(&world.answer(&id, "rebase"));
    assert_eq!(id, "deploy");
    assert!(text.contains("in conflict with") && text.contains("code.txt"), "{text}");
    let ran = world.answer(&id, "keep");
    world.stage.assert_closed(&ran);
    assert!(world.stage.file("_outcome.md").contains("- not deployed: app: app: in conflict"));
    assert_eq!(
        world.git("app.git", &["log", "--format=%s", "main"]).lines().next(),
        Some("other"),
        "nothing was forced"
    );
    assert_ne!(world.git("app", &["branch", "--list", "flightdeck/*"]), "", "the branch is kept");
}

#[test]
fn pc_542_the_base_moved_on() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    // While the checks run, somebody commits in the real tree.
    let verify =
        "cd $HOME/app && echo mine > mine.txt && git add mine.txt && git commit -qm mine -- mine.txt; true";
    world.stage.config(&format!(
        "implementation:\n  reviewer: bo\n  repos:\n    app: {{path: ../../app, verify: [{verify:?}]}}\n"
    ));
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "deploy");
    assert!(text.contains("has gone on from"), "{text}");
    world.stage.config("implementation:\n  reviewer: bo\n  repos:\n    app: {path: ../../app, verify: [\"test -f mine.txt\"]}\n");
    let ran = world.answer(&id, "rebase");
    world.assert_deployed(&ran, &["app"]);
    assert_eq!(world.git("app", &["log", "--format=%s"]).lines().nth(1), Some("mine"));
}

#[test]
fn pc_541_what_others_staged_or_changed_stays_as_it_is() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    fs::write(world.path("app/foreign.txt"), "staged\n").unwrap();
    world.git("app", &["add", "foreign.txt"]);
    fs::write(world.path("app/loose.txt"), "loose\n").unwrap();
    let ran = world.run(&[]);
    world.assert_deployed(&ran, &["app"]);
    assert_eq!(world.git("app", &["status", "--short"]), "A  foreign.txt\n?? loose.txt");
    assert_eq!(world.git("app", &["show", "--name-only", "--format=", "HEAD"]), "code.txt\nnew.txt");
}

#[test]
fn pc_541_a_file_of_ours_that_the_pilot_is_editing_is_left_alone() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    fs::write(world.path("app/code.txt"), "one\nmy own words\n").unwrap();
    let (id, text) = world.question(&world.run(&[]));
    assert_eq!(id, "deploy");
    assert!(text.contains("has changes of its own in files of this change: code.txt"), "{text}");
    assert_eq!(world.read("app/code.txt"), "one\nmy own words\n");
    world.git("app", &["checkout", "-q", "--", "code.txt"]);
    let ran = world.answer(&id, "retry");
    world.assert_deployed(&ran, &["app"]);
}

#[test]
fn pc_543_without_a_remote_it_is_not_pushed_and_says_so() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    world.git("app", &["remote", "remove", "origin"]);
    let ran = world.run(&[]);
    world.stage.assert_closed(&ran);
    let head = world.git("app", &["rev-parse", "HEAD"]);
    let outcome = world.stage.file("_outcome.md");
    assert!(outcome.contains(&format!("- app: commit {head} (not pushed")), "{outcome}");
    assert_eq!(world.read("app/code.txt"), "one\nedit 1\n");
}

#[test]
fn pc_543_a_folder_without_git_is_written_file_by_file() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    fs::remove_dir_all(world.path("app/.git")).unwrap();
    let ran = world.run(&[]);
    world.stage.assert_closed(&ran);
    assert_eq!(world.read("app/code.txt"), "one\nedit 1\n");
    assert_eq!(world.read("app/new.txt"), "new\n");
    assert!(!world.path("app/.git").exists());
    assert!(world.stage.file("_outcome.md").contains("- app: written, no repository"));
}
