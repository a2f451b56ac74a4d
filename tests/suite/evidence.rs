//! The evidence lane: what agents name is looked up as they speak (PC-346, issue 4).

use crate::stage::{AGREES, Stage};
use std::fs;

fn marks(stage: &Stage) -> Vec<String> {
    let state = stage.show();
    let items = state["evidence"].as_array().unwrap().iter();
    items.map(|i| format!("{} {} {}", i["turn"], i["claim"], i["mark"]).replace('"', "")).collect()
}

#[test]
fn pc_346_named_facts_are_confirmed_not_found_unverified_and_changed_since() {
    let stage = Stage::new();
    fs::create_dir_all(stage.home().join("work/src")).unwrap();
    let file = stage.home().join("work/src/cache.rs");
    fs::write(&file, "one\ntwo\nthree\n").unwrap();
    stage.script(
        "bo",
        &format!(
            r#"[ "$at" = peer:1:1 ] && {{ reply critic "The second line, src/cache.rs:2, and the third, src/cache.rs:3, bound it; src/cache.rs and notes.md say why, and src/none.rs:7 does not."; exit; }}
[ "$at" = peer:2:1 ] && sed -i 's/two/zwei/' "{}"
{AGREES}"#,
            file.display()
        ),
    );
    let ran = stage.session(&["--peer", "bo"]);
    stage.assert_closed(&ran);
    let in_time = "01-peer.md: ✓ 3 confirmed · ✗ 1 not found · ? 1 unverified (✗ src/none.rs:7)";
    assert!(ran.out.contains(in_time), "told as it spoke: {}", ran.out);
    assert!(ran.out.contains("~ 1 changed since"), "told when the next turn was there: {}", ran.out);
    let expected = [
        "01-peer.md src/cache.rs:2 changed-since",
        "01-peer.md src/cache.rs:3 confirmed",
        "01-peer.md src/none.rs:7 not-found",
        "01-peer.md src/cache.rs confirmed",
        "01-peer.md notes.md unverified",
    ];
    assert_eq!(marks(&stage), expected);
    // As it is now, not as it was noted.
    fs::write(&file, "one\ntwo\n").unwrap();
    assert_eq!(
        marks(&stage)[..2],
        ["01-peer.md src/cache.rs:2 confirmed", "01-peer.md src/cache.rs:3 changed-since"]
    );
    let shown = stage.run(&["show", &stage.id()]).out;
    assert!(
        shown.contains("✗ src/none.rs:7 — not found: src/none.rs is not in the folders of this session"),
        "{shown}"
    );
}

#[test]
fn pc_346_the_writers_facts_are_looked_up_too() {
    let stage = Stage::new();
    stage.writer(r#"[ "$FLIGHTDECK_CALL" = opening ] && { echo "I propose to keep what src/gone.rs:1 does, because it is small and easy to replace."; exit; }"#);
    let ran = stage.session(&["--peer", "bo"]);
    stage.assert_closed(&ran);
    assert_eq!(marks(&stage), ["00-writer.md src/gone.rs:1 not-found"]);
}
