//! The content gate of an implementation: what is reserved for the pilot, hunk by hunk (PC-500 to PC-507).

use super::world::{FINE, STRATEGY, World};
use crate::garbled::{Damage, How};
use serde_json::Value;

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

/// The file alone grants something, so what it lost is asked for again, and the pilot is told why, once.
#[test]
fn pc_508_decisions_that_the_gate_lost_are_told_and_asked_for_again() {
    for how in [How::Empty, How::Half, How::Zeros, How::Rubbish] {
        let world = World::new(&["app"], RESERVED, FINE, "true");
        world.run(&[]);
        assert_eq!(world.answer("content-01-1-2", "yes").code, Some(3));
        Damage { file: "_gate.jsonl", how }.strike(&world.stage).unwrap();
        let resume = || {
            let ran = world.stage.run(&["resume", "--headless", "--decision", "B", &world.stage.id()]);
            assert_eq!(ran.code, Some(3), "{how:?}: {ran:?}");
            format!("{}{}", ran.out, ran.err)
        };
        let told =
            "_gate.jsonl lacks decisions that were made, so they are asked for again: app/Strategy.md #2";
        let first = resume();
        assert!(first.contains(told), "{how:?}: {first}");
        assert!(!resume().contains(told), "{how:?}: twice");
        let ids: Vec<String> = world.open().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["content-01-1-1", "content-01-1-2", "content-01-1-3"], "{how:?}");
    }
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
