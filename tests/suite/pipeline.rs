//! From decision to deployment (group U), end to end: scripted implementers and reviewers on scratch repositories.

mod traces;
mod verifier;
mod world;

use crate::stage::{Running, Stage};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use world::{EDIT, FINE, STRATEGY, World};

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

/// Three separate changes of a reserved file, one of them in a table, beside an ordinary one.
const RESERVED: &str = r#"
echo "edit $FLIGHTDECK_ROUND" >> code.txt
sed -i 's/^first$/first of all/; s/^third$/third and last/; s/^| ada .*$/&\n| bo | reads |/' Strategy.md
echo done"#;

#[test]
fn pc_503_a_reserved_file_is_decided_hunk_by_hunk() {
    let world = World::new(&["app"], RESERVED, FINE, "true");
    let ran = world.run(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let ids: Vec<String> = world.open().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["content-01-1-1", "content-01-1-2", "content-01-1-3"]);
    assert_eq!(world.count("review"), 0, "nothing goes on before the pilot has decided");
    let table = &world.open()[2].1;
    assert!(table.contains("| ada | writes |\n| bo | reads |"), "the whole table is shown: {table}");
    // A general yes to the file is none; each is asked on its own.
    assert_eq!(world.answer("content-01-1-2", "no").code, Some(3));
    assert_eq!(world.answer("content-01-1-1", "yes").code, Some(3));
    let ran = world.answer("content-01-1-3", "yes");
    // What is left is shown again as a new edit.
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let ids: Vec<String> = world.open().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["content-02-1-1", "content-02-1-2"]);
    world.answer("content-02-1-1", "yes");
    let ran = world.answer("content-02-1-2", "да");
    world.assert_deployed(&ran, &["app"]);
    let strategy = world.read("app/Strategy.md");
    assert!(
        strategy.contains("first of all\nsecond\nthird\n") && strategy.contains("| bo | reads |"),
        "{strategy}"
    );
    let log = world.stage.file("_gate.jsonl");
    let lines: Vec<Value> = log.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 8, "two presentations, five decisions, one use: {log}");
    assert!(lines.iter().all(|l| l["path"] == "app/Strategy.md" && l["before"].is_string()), "{log}");
    assert_eq!(lines[1]["hunks"][0]["decision"], "reject");
    assert_eq!(lines[7]["used"], world.git("app", &["rev-parse", "HEAD"]));
}

#[test]
fn pc_505_all_rejected_leaves_the_file_out() {
    let world = World::new(&["app"], RESERVED, FINE, "true");
    world.run(&[]);
    let mut ran = None;
    for hunk in 1..=3 {
        ran = Some(world.answer(&format!("content-01-1-{hunk}"), "n"));
    }
    world.assert_deployed(&ran.unwrap(), &["app"]);
    assert_eq!(world.read("app/Strategy.md"), STRATEGY);
    assert_eq!(world.read("app/code.txt"), "one\nedit 1\n");
}

#[test]
fn pc_504_a_rule_is_applied_and_its_result_shown() {
    let edit = r#"case "$FLIGHTDECK_ROUND" in
1) sed -i 's/^first$/first!/; s/^third$/third!/' Strategy.md ;;
*) git checkout -q -- Strategy.md 2>/dev/null || sed -i 's/^first!$/first/; s/^third!$/third/' Strategy.md
   sed -i 's/^first$/first!/' Strategy.md ;;
esac; echo done"#;
    let world = World::new(&["app"], edit, FINE, "true");
    world.run(&[]);
    let ran = world.answer("content-01-1-1", "keep only what stands in the first line");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        world
            .stage
            .prompt("ada-implement-2-1")
            .contains("app/Strategy.md: keep only what stands in the first line")
    );
    let ids: Vec<String> = world.open().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["content-02-1-1"], "the rule closed nothing; its result is a new edit");
    let ran = world.answer("content-02-1-1", "yes");
    world.assert_deployed(&ran, &["app"]);
}

#[test]
fn pc_506_formatting_alone_needs_no_decision() {
    let edit = r#"sed -i 's/^| ada .*$/| ada   |   writes  |/; s/^second$/second  /' Strategy.md; echo x >> code.txt; echo done"#;
    let world = World::new(&["app"], edit, FINE, "true");
    let ran = world.run(&[]);
    world.assert_deployed(&ran, &["app"]);
    assert!(!world.stage.has("_gate.jsonl"));
}

#[test]
fn pc_500_ways_around_the_list_lead_to_the_gate() {
    for (edit, hunks) in [
        // Another case of the name, a rename onto it, a link in its place, its deletion, a mode, a folder of that name.
        ("echo mine > STRATEGY.MD", 1),
        ("mkdir -p plans; mv code.txt 'plans/WeekPlan W48.md'", 1),
        ("ln -sf code.txt Strategy.md", 1),
        ("rm Strategy.md", 1),
        ("chmod +x Strategy.md", 1),
        ("printf 'a\\0b' > Strategy.md", 1),
        ("ln -s Strategy.md alias.md; sed -i 's/^last$/the end/' \"$(readlink alias.md)\"", 1),
    ] {
        let world = World::new(&["app"], &format!("{edit}; echo done"), FINE, "true");
        let ran = world.run(&[]);
        assert_eq!(ran.code, Some(3), "{edit}: {ran:?}");
        let open = world.open();
        assert!(
            open.len() == hunks && open.iter().all(|(id, _)| id.starts_with("content-")),
            "{edit}: {open:?}"
        );
        let ran = world.answer(&open[0].0, "no");
        // The rejected change is gone; what else was changed goes on, or there is nothing left.
        assert!(ran.code == Some(0) || world.open()[0].0.starts_with("unchanged-"), "{edit}: {ran:?}");
        assert_eq!(world.read("app/Strategy.md"), STRATEGY, "{edit}");
        assert_eq!(
            world.git("app", &["ls-files", "-s", "Strategy.md"]).split(' ').next(),
            Some("100644"),
            "{edit}"
        );
    }
}

#[test]
fn pc_505_a_second_edit_of_the_file_is_decided_again() {
    let review = r#"case "$FLIGHTDECK_ROUND" in
1) printf '## Critical\n- app/Strategy.md:3: not yet\n' ;;
*) printf '## OK\n' ;;
esac"#;
    let edit = r#"sed -i 's/^last.*$/last, '"$FLIGHTDECK_ROUND"'/' Strategy.md; echo done"#;
    let world = World::new(&["app"], edit, review, "true");
    world.run(&[]);
    let ran = world.answer("content-01-1-1", "yes");
    assert_eq!(ran.code, Some(3), "the approval of the first edit is none of the second: {ran:?}");
    assert_eq!(world.open()[0].0, "content-02-1-1");
    let ran = world.answer("content-02-1-1", "yes");
    world.assert_deployed(&ran, &["app"]);
}

#[test]
fn pc_505_an_approved_tree_that_is_edited_afterwards_is_not_deployed() {
    let world = World::new(
        &["app"],
        RESERVED,
        FINE,
        "sed -i 's/second/second, but changed behind the back/' Strategy.md",
    );
    world.run(&[]);
    for hunk in 1..=2 {
        world.answer(&format!("content-01-1-{hunk}"), "yes");
    }
    let (id, text) = world.question(&world.answer("content-01-1-3", "yes"));
    assert_eq!(id, "deploy");
    assert!(text.contains("changed since it was verified: Strategy.md"), "{text}");
    assert_eq!(world.read("app/Strategy.md"), STRATEGY);
}

#[test]
fn pc_507_silence_and_a_default_b_approve_nothing() {
    let world = World::new(&["app"], RESERVED, FINE, "true");
    let mut args =
        vec!["run", "--headless", "--gate-timeout", "1", "--close", "auto", "--reflection", "skip", "--yes"];
    args.push("How large is the cache");
    let ran = world.stage.run(&args);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(world.stage.meta().contains("engine_decision: \"default-B\""), "{}", world.stage.meta());
    assert_eq!(world.open().len(), 3);
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
