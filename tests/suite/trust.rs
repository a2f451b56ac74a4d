//! A project's configuration comes with a checkout: what it would run or send waits for the pilot's word.

use crate::stage::{AGREES, Ran, Stage, finish};
use std::fs;

/// A project in `work` that names a peer of its own, whose script leaves a trace.
fn project(more: &str) -> Stage {
    let stage = Stage::new();
    stage.script("eve", AGREES);
    let folder = stage.home().join("work/.flightdeck");
    fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "rounds_limit: 2\nvendors:\n  eve: {{kind: script, path: ../../adapters/eve.sh, env: {{VENDOR: eve}}}}\n{more}"
    );
    fs::write(folder.join("config.yaml"), text).unwrap();
    stage
}

fn begin(stage: &Stage) -> Ran {
    stage.session(&["--peer", "eve"])
}

#[test]
fn a_strangers_commands_wait_for_a_word() {
    let stage = project("");
    let ran = begin(&stage);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    for part in
        ["vendors.eve.path: \"../../adapters/eve.sh\"", "flightdeck config trust", ".flightdeck/config.yaml"]
    {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert!(stage.calls().is_empty() && stage.dirs().is_empty());
    // What only looks works, says so, and the rest of the file applies.
    for command in ["list", "doctor", "config"] {
        let ran = stage.run(&[command]);
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
        assert!(!ran.out.contains("eve.sh"), "{command}: {}", ran.out);
    }
    assert!(stage.run(&["doctor"]).out.contains("not trusted, so these are not used: vendors.eve.kind"));
    let config = stage.run(&["config"]).out;
    assert!(config.lines().any(|l| l.starts_with("rounds_limit") && l.contains(" 2 ")), "{config}");
    let ran = stage.run_with(&["adapter", "eve"], "a prompt");
    assert!(ran.code == Some(1) && stage.calls().is_empty(), "{ran:?}");

    let ran = stage.run(&["config", "trust"]);
    assert!(ran.code == Some(0) && ran.out.contains("eve.sh"), "{ran:?}");
    let ran = begin(&stage);
    stage.assert_closed(&ran);
    assert!(stage.calls().iter().any(|call| call.starts_with("eve peer")), "{:?}", stage.calls());
}

#[test]
fn trust_is_for_exactly_what_was_read() {
    let stage = project("");
    assert_eq!(stage.run(&["config", "trust"]).code, Some(0));
    assert!(stage.run(&["config", "trust"]).out.contains("nothing in it waits"));
    let file = stage.home().join("work/.flightdeck/config.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("lang: ru\n{text}")).unwrap();
    assert!(stage.run(&["config", "trust"]).out.contains("ничто в нём"), "what needs no word may change");
    fs::write(&file, format!("{text}push: always\n")).unwrap();
    let ran = begin(&stage);
    assert!(ran.code == Some(3) && ran.err.contains("push: \"always\""), "{ran:?}");
    assert!(stage.run(&["config"]).out.lines().any(|l| l.starts_with("push") && l.contains("(not set)")));
    fs::write(&file, &text).unwrap();
    assert!(stage.run(&["config", "trust", "--list"]).out.contains("trusted"));
    assert_eq!(stage.run(&["config", "trust", "--revoke"]).code, Some(0));
    assert_eq!(stage.run(&["config", "trust", "--revoke"]).code, Some(1));
    assert_eq!(begin(&stage).code, Some(3));
    assert!(stage.calls().is_empty());
}

#[test]
fn a_refused_file_is_not_used_and_not_asked_about() {
    let stage = project("");
    assert_eq!(stage.run(&["config", "trust", "--refuse"]).code, Some(0));
    let ran = stage.session(&["--peer", "bo"]);
    stage.assert_closed(&ran);
    let ran = begin(&stage);
    assert!(ran.code == Some(4) || ran.code == Some(2), "eve is nobody here: {ran:?}");
    assert!(stage.calls().iter().all(|call| !call.starts_with("eve")));
    assert!(stage.run(&["doctor"]).out.contains("refused by you"));
    let ran = stage.session(&["--peer", "bo", "--writer", "eve"]);
    assert!(ran.code == Some(2) && ran.err.contains("flightdeck config trust"), "{ran:?}");
}

#[test]
fn the_users_own_file_needs_no_word() {
    let stage = Stage::new();
    let ran = stage.session(&["--peer", "bo"]);
    stage.assert_closed(&ran);
    assert!(stage.run(&["config", "trust"]).out.contains("nothing in it waits"));
}

#[test]
fn where_sessions_are_written_and_what_silence_means_wait_for_a_word() {
    let stage = Stage::new();
    let folder = stage.home().join("work/.flightdeck");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.yaml"), "sessions_dir: ../../elsewhere\ngate_timeout: 1\nturns_limit: 2\n")
        .unwrap();
    let run = |args: &[&str]| {
        let mut command = stage.command(args);
        command.env_remove("FLIGHTDECK_SESSIONS_DIR");
        finish(command, "")
    };
    let ran = run(&["run", "--yes", "--peer", "bo", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("sessions_dir: ") && ran.err.contains("gate_timeout: 1"), "{}", ran.err);
    for command in ["list", "doctor"] {
        assert_eq!(run(&[command]).code, Some(0));
    }
    let value = |key: &str| run(&["config"]).out.lines().find(|l| l.starts_with(key)).unwrap().to_string();
    assert!(value("sessions_dir").contains("(not set)") && value("gate_timeout").contains("default"));
    assert!(value("turns_limit").contains(" 2 "), "what needs no word applies");
    assert!(!stage.home().join("elsewhere").exists());

    assert_eq!(run(&["config", "trust"]).code, Some(0));
    assert!(value("sessions_dir").contains("elsewhere"));
    let ran = run(&[
        "run",
        "--yes",
        "--decision",
        "A",
        "--close",
        "auto",
        "--peer",
        "bo",
        "How large is the cache",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.home().join("elsewhere/00-index.md").exists());
}
