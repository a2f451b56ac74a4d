//! Trees of their own, and what is believed about an edit (PC-512).

use super::world::{EDIT, FINE, World};
use std::fs;

#[test]
fn pc_512_the_files_are_believed_and_not_the_agent() {
    let edit = r#"echo more >> code.txt; echo x > secret.txt
printf 'Done.\nchanged_files:\n- code.txt — the size\n- ghost.rs — never touched\n'"#;
    let world = World::new(&["app"], edit, FINE, "true");
    let ran = world.run(&[]);
    world.assert_deployed(&ran, &["app"]);
    assert!(ran.out.contains("Claimed, but not changed on disk: ghost.rs"), "{}", ran.out);
    assert!(ran.out.contains("Changed, but not claimed: app/secret.txt"), "{}", ran.out);
    assert!(world.stage.file("_outcome.md").contains("app/code.txt — the size\napp/secret.txt — +1 −0\n"));
}

#[test]
fn pc_512_nothing_changed_is_a_question() {
    let world = World::new(&["app"], "echo nothing to do", FINE, "true");
    let (id, _) = world.question(&world.run(&[]));
    assert_eq!(id, "unchanged-01");
    let ran = world.answer(&id, "stop");
    world.stage.assert_closed(&ran);
    assert!(world.stage.file("_outcome.md").contains("- not deployed: the implementation changed nothing"));
}

#[test]
fn pc_512_the_agent_cannot_write_into_the_real_tree() {
    let edit = r#"echo leaked >> "$HOME/app/code.txt"; echo leaked > "$HOME/app/leak.txt"; echo leaked > "$HOME/app/.git/hooks/pre-commit"
t=$(mktemp) && echo in > "$t" && cat "$t" >> code.txt; echo done"#;
    let world = World::new(&["app"], edit, FINE, "true");
    let ran = world.run(&[]);
    if flightdeck::agents::sandbox::support().is_err() {
        eprintln!("not run: this kernel has no sandbox");
        return;
    }
    world.assert_deployed(&ran, &["app"]);
    assert_eq!(world.read("app/code.txt"), "one\nin\n");
    assert!(!world.path("app/leak.txt").exists() && !world.path("app/.git/hooks/pre-commit").exists());
}

#[test]
fn pc_512_untracked_but_needed_files_and_setup() {
    let world = World::new(&["app"], EDIT, FINE, "true");
    fs::write(world.path("app/.gitignore"), "settings.env\nbuilt/\n").unwrap();
    world.git("app", &["add", ".gitignore"]);
    world.git("app", &["commit", "-qm", "ignore"]);
    fs::write(world.path("app/settings.env"), "KEY=1\n").unwrap();
    world.stage.config(
        "implementation:\n  reviewer: bo\n  repos:\n    app: {path: ../../app, push: false, copy: [\"*.env\"], setup: [\"mkdir built && cp settings.env built/ready\"], verify: [\"grep -q KEY built/ready\"]}\n",
    );
    let ran = world.run(&[]);
    world.stage.assert_closed(&ran);
    assert!(ran.out.contains("untracked, but needed: settings.env"), "{}", ran.out);
    assert_eq!(world.git("app", &["show", "--name-only", "--format=", "HEAD"]), "code.txt\nnew.txt");
    assert!(world.stage.file("_outcome.md").contains("not pushed: `push: false`"));
}

#[test]
fn pc_512_a_tree_that_was_deleted_by_hand_is_made_again_with_its_setup() {
    let review =
        r#"[ "$FLIGHTDECK_ROUND" = 1 ] && printf '## Medium\n- app/code.txt:2: later\n' || printf '## OK\n'"#;
    let world = World::new(&["app"], EDIT, review, "true");
    fs::write(world.path("app/.gitignore"), "settings.env\nbuilt/\n").unwrap();
    world.git("app", &["add", ".gitignore"]);
    world.git("app", &["commit", "-qm", "ignore"]);
    fs::write(world.path("app/settings.env"), "KEY=1\n").unwrap();
    world.stage.config(
        "implementation:\n  reviewer: bo\n  repos:\n    app: {path: ../../app, push: false, copy: [\"*.env\"], setup: [\"mkdir built && cp settings.env built/ready && echo made >> $HOME/made\"], verify: [\"grep -q KEY built/ready && grep -q 'edit 1' code.txt\"]}\n",
    );
    let ran = world.run(&[]);
    let (question, _) = world.question(&ran);
    let list = world.git("app", &["worktree", "list"]);
    let tree = list.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    fs::remove_dir_all(tree).unwrap();
    let ran = world.answer(&question, "after");
    world.stage.assert_closed(&ran);
    assert_eq!(world.read("made"), "made\nmade\n");
    assert_eq!(world.read("app/code.txt"), "one\nedit 1\n", "no edit was made twice");
}

/// What failed before an agent was called is no attempt of the agent's.
#[test]
fn pc_512_a_tree_that_is_made_at_the_second_try_leaves_the_edit_its_first() {
    let world = World::new(&["app"], "echo more >> code.txt\necho done", FINE, "true");
    let setup = "[ -e ../once ] || { touch ../once; false; }";
    world.stage.config(&format!(
        "implementation:\n  reviewer: bo\n  repos:\n    app: {{path: ../../app, verify: [\"true\"], setup: [{setup:?}]}}\n"
    ));
    let (id, text) = world.question(&world.run(&[]));
    assert!(id == "implement-retry" && text.contains("`setup` command"), "{id}: {text}");
    let ran = world.answer(&id, "retry");
    world.assert_deployed(&ran, &["app"]);
    let calls = world.stage.calls();
    let edits: Vec<&String> = calls.iter().filter(|call| call.contains(" implement ")).collect();
    assert_eq!(edits, ["ada implement 1 1"], "{calls:?}");
}
