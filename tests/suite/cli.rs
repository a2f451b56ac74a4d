//! The command line as a stranger meets it: help, exit codes, questions and answers, bad arguments.

use crate::stage::{AGREES, Ran, Stage};
use serde_json::Value;
use std::fs;

const UNKNOWN: &str = "2026-01-01-01-nothing";

/// A peer that escalates in its first reply.
fn escalates() -> String {
    format!(
        r#"[ "$at" = peer:1:1 ] && {{ reply critic "The size is a promise to customers, and none of us can give it.
ESCALATE_TO_USER: how much memory may it cost?"; exit; }}
{AGREES}"#
    )
}

#[test]
fn every_command_has_help_with_examples() {
    let stage = Stage::new();
    for command in [
        "new",
        "run",
        "demo",
        "list",
        "show",
        "resume",
        "answer",
        "interrupt",
        "finalize",
        "verify",
        "adapter",
        "doctor",
        "config",
        "completions",
    ] {
        let ran = stage.run(&[command, "--help"]);
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
        assert!(ran.out.contains(&format!("flightdeck {command}")), "{command}: {}", ran.out);
        assert!(ran.out.contains("Example"), "{command} has no example");
        assert_eq!(stage.run(&["help", command]).out, ran.out, "help {command}");
    }
    let ran = stage.run(&["--help"]);
    assert!(ran.out.contains("Examples:") && ran.out.contains("Exit codes:"), "{ran:?}");
    assert_eq!(stage.run(&["help"]).out, ran.out);
    assert!(stage.run(&["--version"]).out.starts_with("flightdeck "));
    assert!(stage.run(&["completions", "bash"]).out.contains("_flightdeck"));
    assert!(!stage.sessions().exists() && stage.calls().is_empty());
}

#[test]
fn pc_008_bad_arguments_are_code_2_and_write_nothing() {
    let stage = Stage::new();
    let cases: [&[&str]; 28] = [
        &["--list", "--finalize", "x"],
        &["--interrupt"],
        &["--finalize"],
        &["--bogus", "a task"],
        &["run", "--bogus", "a task"],
        &["run"],
        &["run", "  "],
        &["run", "--peer", "bo", "--peer", "cy", "a task"],
        &["run", "--peer", "bo,,cy", "a task"],
        &["run", "--peer", "bo,", "a task"],
        &["run", "--peer", "", "a task"],
        &["run", "--peer", "bo, cy", "a task"],
        &["run", "--peer", "bo,bo", "a task"],
        &["run", "--writer", "nosuch", "a task"],
        &["run", "--decision", "Z", "a task"],
        &["run", "--close", "never", "a task"],
        &["run", "--turns-limit", "0", "a task"],
        &["run", "--rounds-limit", "many", "a task"],
        &["run", "--lang", "de", "a task"],
        &["run", "--roles", "nobody", "a task"],
        &["run", "--commit", "--no-commit", "a task"],
        &["lsit"],
        &["show", "../../etc/passwd"],
        &["show", UNKNOWN],
        &["answer", UNKNOWN, "gate", "A"],
        &["verify", UNKNOWN],
        &["interrupt", UNKNOWN],
        &["resume", UNKNOWN, "--headless"],
    ];
    for args in cases {
        let ran = stage.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        let kind = ran.err.starts_with("usage error: ") && ran.err.contains("\nnext: ");
        let parser = ran.err.starts_with("error: ") && ran.err.contains("--help");
        assert!(kind || parser, "{args:?} has no kind, cause and next step: {}", ran.err);
    }
    assert!(!stage.sessions().exists() && stage.calls().is_empty());
}

#[test]
fn pc_011_codes_3_and_4() {
    let stage = Stage::new();
    // A registered peer that cannot be called.
    fs::remove_file(stage.home().join("adapters/bo.sh")).unwrap();
    let ran = stage.run(&["run", "--peer", "bo", "a task"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("bo.sh"), "{ran:?}");
    // Not executable.
    stage.script("bo", AGREES);
    let path = stage.home().join("adapters/bo.sh");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let ran = stage.run(&["run", "--peer", "bo", "a task"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(stage.dirs().is_empty(), "nothing is created");
    stage.script("bo", AGREES);
    // The question of the opening (no work product) needs a yes; then the gate waits.
    let ran = stage.run(&["run", "--yes", "--peer", "bo", "a task"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.err.starts_with("waiting for the pilot: ") && ran.err.contains("flightdeck answer"),
        "{ran:?}"
    );
    assert_eq!(stage.run(&["run", "--peer", "nosuch", "a task"]).code, Some(4));
    // One usable peer of two: without --yes nothing begins, with it the session has one peer.
    let ran = stage.run(&["run", "--peer", "bo,nosuch", "a task"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = stage.session(&["--peer", "bo,nosuch"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.has("01-peer.md"));
}

#[test]
fn pc_006_list_without_an_index() {
    let stage = Stage::new();
    let en = "session index not yet created (the first Peer Session will create it, step 1.3); see past sessions in the sessions/YYYY-MM/DD/ tree\n";
    for args in [&["list"][..], &["--list"]] {
        let ran = stage.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), en));
    }
    stage.config("lang: ru");
    assert!(stage.run(&["list"]).out.starts_with("индекс сессий ещё не создан"));
    assert_eq!(stage.run(&["list", "--json"]).out.trim(), "[]");
    assert!(!stage.sessions().exists());
    stage.assert_closed(&stage.session(&[]));
    let listed = stage.run(&["--list"]).out;
    assert!(listed.lines().all(|l| l.starts_with('|')) && listed.contains(&stage.id()), "{listed}");
    let json: Value = serde_json::from_str(&stage.run(&["list", "--json"]).out).unwrap();
    assert_eq!(json[0]["id"], stage.id());
}

#[test]
fn pc_001_the_skills_spellings() {
    let stage = Stage::new();
    let ran = stage.run(&["--peer=bo", "--headless", "--yes", "How", "large  is", "the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(stage.meta().contains(r#"task_description: "How large is the cache""#), "{}", stage.meta());
    let id = stage.id();
    assert_eq!(stage.run(&["--interrupt", &id]).code, Some(0));
    assert_eq!(stage.show()["status"], "interrupted");
    let ran = stage.run(&["--finalize", &id]);
    stage.assert_closed(&ran);
    assert_eq!(stage.run(&["--verify-report", &id]).code, Some(0));
}

#[test]
fn show_json_gives_the_whole_state_with_its_questions() {
    let stage = Stage::new();
    stage.script("bo", &escalates());
    assert_eq!(stage.session(&[]).code, Some(3));
    let shown = stage.show();
    for key in
        ["id", "dir", "phase", "status", "meta", "turns", "rejected", "escalations", "questions", "problems"]
    {
        assert!(shown.get(key).is_some(), "{key} is missing");
    }
    let question = &shown["questions"][0];
    assert_eq!(question["id"], "escalation-00");
    assert_eq!(question["kind"], "escalation");
    assert!(question["since"].as_str().unwrap().ends_with('Z'));
    assert!(question["text"].as_str().unwrap().contains("how much memory"));
    assert!(question["choices"].is_array());
    let plain = stage.run(&["show", &stage.id()]).out;
    assert!(plain.contains("? escalation-00") && plain.contains("01-peer.md"), "{plain}");
    // The bare program names it too.
    let bare = stage.run(&[]).out;
    assert!(bare.contains(&stage.id()) && bare.contains("escalation-00"), "{bare}");
}

#[test]
fn answers_come_as_text_as_file_and_from_stdin() {
    for (given, input) in
        [("Two gigabytes.", ""), ("@answer.md", ""), ("-", "Two gigabytes.\n"), ("- Two gigabytes.", "")]
    {
        let stage = Stage::new();
        stage.script("bo", &escalates());
        fs::write(stage.home().join("work/answer.md"), "Two gigabytes.\n").unwrap();
        assert_eq!(stage.session(&[]).code, Some(3));
        let id = stage.id();
        let ran = stage.run_with(&["answer", &id, "escalation-00", given], input);
        assert_eq!(ran.code, Some(0), "{given}: {ran:?}");
        assert!(stage.file("escalation-00.md").contains("Two gigabytes."));
        assert!(stage.questions().is_empty());
    }
}

#[test]
fn an_answer_that_answers_nothing_changes_nothing() {
    let stage = Stage::new();
    stage.script("bo", &escalates());
    assert_eq!(stage.session(&[]).code, Some(3));
    let (id, before) = (stage.id(), stage.meta());
    for args in [
        &["answer", &id, "gate", "A"][..],
        &["answer", &id, "escalation-07", "yes"],
        &["answer", &id, "escalation-00", "  "],
        &["answer", &id, "escalation-00", "@/no/such/file"],
        &["answer", &id],
    ] {
        let ran = stage.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
    }
    assert_eq!(stage.meta(), before);
    assert_eq!(stage.questions(), ["escalation-00"]);
    // Without an id the one open question is meant, and options may follow.
    let dir = stage.sessions().display().to_string();
    let ran = stage.run(&["answer", &id, "One gigabyte", "--sessions-dir", &dir]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.file("escalation-00.md").contains("One gigabyte"));
    assert_eq!(stage.run(&["answer", &id, "again"]).code, Some(2));
}

#[test]
fn pc_463_the_gate_takes_a_b_and_c() {
    for (given, decision) in [("A", "A"), ("б", "not-implementable"), ("C", "A")] {
        let stage = Stage::new();
        let ran = stage.run(&["run", "--yes", "How large is the cache"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let shown = stage.show();
        assert_eq!(shown["questions"][0]["kind"], "gate");
        assert!(shown["questions"][0]["text"].as_str().unwrap().contains("It stays small"), "{shown:#}");
        let id = stage.id();
        assert_eq!(stage.run(&["answer", &id, "gate", "perhaps"]).code, Some(2));
        let ran = stage.run(&["answer", &id, "gate", given]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let ran = stage.run(&["resume", "--headless", &id]);
        assert_eq!(stage.show()["decision"], decision);
        if given == "C" {
            stage.assert_closed(&ran);
        } else {
            assert_eq!(ran.code, Some(3), "{ran:?}");
            assert_eq!(stage.questions(), ["close"]);
            let ran = stage.run(&["resume", "--headless", &id, "--answer", "close"]);
            stage.assert_closed(&ran);
        }
    }
}

#[test]
fn pc_010_options_answer_beforehand() {
    let stage = Stage::new();
    let ran =
        stage.run(&["run", "--yes", "--close", "auto", "--gate-timeout", "1", "How large is the cache"]);
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["decision"], "not-implementable");
    let stage = Stage::new();
    let ran = stage.run(&["run", "--yes", "--close", "auto", "--decision", "B", "How large is the cache"]);
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["decision"], "not-implementable");
}

#[test]
fn pc_010_limits_and_roles_are_kept() {
    let stage = Stage::new();
    let ran = stage.session(&[
        "--peer",
        "bo,cy",
        "--rounds-limit",
        "4",
        "--turns-limit",
        "7",
        "--max-peer-attempts",
        "3",
        "--roles",
        r#"ada=moderator,bo=critic,cy=critic"#,
    ]);
    stage.assert_closed(&ran);
    let meta = stage.meta();
    for line in ["rounds_limit: 4", "turns_limit: 7", "max_peer_attempts: 3", "discovery_turns: 0"] {
        assert!(meta.contains(line), "{line}: {meta}");
    }
    assert!(!stage.calls().iter().any(|c| c.contains("discovery")), "{:?}", stage.calls());
    // Raised on resume, and kept again.
    let stage = Stage::new();
    stage.script("bo", &escalates());
    assert_eq!(stage.session(&[]).code, Some(3));
    let ran = stage.resume(&["--turns-limit", "12", "--answer", "Two gigabytes."]);
    stage.assert_closed(&ran);
    assert!(stage.meta().contains("turns_limit: 12"));
}

#[test]
fn pc_550_reflection_is_asked_after_a_long_session() {
    let stage = Stage::new();
    let ran = stage.run(&["run", "--yes", "--decision", "A", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let began =
        stage.meta().lines().find_map(|l| l.strip_prefix("start_time: ").map(str::to_string)).unwrap();
    let old = began.replace("2026-", "2025-").replace("2027-", "2025-");
    let path = stage.dir().join("meta.yaml");
    fs::write(&path, stage.meta().replace(&began, &old)).unwrap();
    let ran = stage.resume(&["--reflection", "Ask for the load first."]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let state = find(&stage.home().join(".local"), "reflection.json");
    assert!(fs::read_to_string(state).unwrap().contains("Ask for the load first."));
}

fn find(dir: &std::path::Path, name: &str) -> std::path::PathBuf {
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().flatten().map(|e| e.path()) {
            if path.file_name().is_some_and(|n| n == name) {
                return path;
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    panic!("no {name} below {}", dir.display());
}

#[test]
fn json_prints_one_fact_a_line() {
    let stage = Stage::new();
    let ran = stage.session(&["--json", "--peer", "bo,cy"]);
    stage.assert_closed(&ran);
    let mut seq = 0;
    for line in ran.out.lines() {
        let fact: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert_eq!(fact["seq"].as_u64(), Some(seq + 1), "{line}");
        assert!(fact["time"].as_str().unwrap().ends_with('Z'));
        seq += 1;
    }
    assert!(seq > 10, "{seq} facts");
}

#[test]
fn piped_lines_answer_the_questions_in_turn() {
    let stage = Stage::new();
    let ran = stage.run_with(&["new", "--yes", "How large is the cache"], "perhaps\nA\nclose\n");
    stage.assert_closed(&ran);
    assert!(ran.out.contains("perhaps does not answer gate"), "{}", ran.out);
    // Nobody answers: it ends with the question instead of waiting for ever.
    let stage = Stage::new();
    let ran = stage.run_with(&["new", "--yes", "How large is the cache"], "A\n");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.questions(), ["close"]);
    // The opening's own question is answered from the same input.
    let stage = Stage::new();
    let ran = stage.run_with(&["new", "How large is the cache"], "yes\nA\nclose\n");
    assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
}

#[test]
fn config_and_doctor_say_what_comes_from_where() {
    let stage = Stage::new();
    stage.config("rounds_limit: 4");
    let out = stage.run(&["config"]).out;
    let line = out.lines().find(|l| l.starts_with("rounds_limit")).unwrap();
    assert!(line.contains('4') && line.contains("config.yaml"), "{line}");
    let out = stage.run(&["doctor"]).out;
    for part in ["FLIGHTDECK_SESSIONS_DIR", "bo ", "script", "available", "config.yaml"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    stage.config("rounds_limit: none\nno_such_key: 1");
    let ran = stage.run(&["config"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("config.yaml:") && ran.err.contains("no_such_key"), "{ran:?}");
}

#[test]
fn pc_660_every_story_ends_in_a_tree_that_passes() {
    for story in ["consensus", "three", "disagree", "extension"] {
        let stage = Stage::new();
        let ran = stage.run(&[
            "demo",
            "--headless",
            "--speed",
            "0",
            "--story",
            story,
            "--sessions-dir",
            "../sessions",
        ]);
        stage.assert_closed(&ran);
    }
    let stage = Stage::new();
    assert_eq!(stage.run(&["demo", "--story", "nosuch"]).code, Some(2));
    // Somebody has to answer: without a person and without --headless it ends with its question.
    let ran = stage.run(&["demo", "--speed", "0", "--story", "consensus", "--sessions-dir", "../sessions"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
}

#[test]
fn pc_050_the_adapter_command_is_an_adapter() {
    let stage = Stage::new();
    let mut command = stage.command(&["adapter", "bo"]);
    command.env("FLIGHTDECK_CALL", "peer").env("FLIGHTDECK_ROUND", "1").env("FLIGHTDECK_ATTEMPT", "1");
    let ran = crate::stage::finish(command, "a prompt");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.starts_with("---\n") && ran.out.contains("CONSENSUS"), "{ran:?}");
    stage.script("bo", "exit 6");
    assert_eq!(stage.run_with(&["adapter", "bo"], "a prompt").code, Some(6));
    assert_eq!(stage.run(&["adapter", "nosuch"]).code, Some(1));
    assert_eq!(stage.run(&["adapter", "bo", "--bogus"]).code, Some(1));
}

#[test]
fn pc_010_resume_does_not_pass_over_what_it_cannot_do() {
    let stage = Stage::new();
    let ran = stage.run(&["run", "--yes", "--peer", "bo", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let (id, before) = (stage.id(), stage.meta());
    for (flag, value) in [
        ("--peer", "cy"),
        ("--roles", "bo=critic"),
        ("--lang", "ru"),
        ("--wp", "WP-7"),
        ("--max-peer-attempts", "5"),
        ("--writer", "nobody"),
        ("--answer", "neither of them"),
    ] {
        let ran = stage.run(&["resume", "--headless", flag, value, &id]);
        assert_eq!(ran.code, Some(2), "{flag}: {ran:?}");
        assert!(ran.err.contains(value) || ran.err.contains(flag), "{flag}: {ran:?}");
        assert_eq!(stage.meta(), before, "{flag}");
    }
    // What it began with may be repeated.
    let same = ["--peer", "bo", "--lang", "en", "--max-peer-attempts", "2", "--answer", "A"];
    let ran = stage.resume(&same);
    stage.assert_closed(&ran);
    let closed = stage.meta();
    for args in [["--turns-limit", "20"], ["--answer", "A"]] {
        let ran = stage.resume(&args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert_eq!(stage.meta(), closed, "PC-670: a completed session stays as it is");
    }
}

#[test]
fn pc_100_nobody_is_announced_before_it_is_settled_who_takes_part() {
    let stage = Stage::new();
    let ran = stage.run(&["run", "--peer", "nobody,bo", "How large is the cache"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(!ran.out.contains("Opening") && !ran.out.contains("Peer"), "{ran:?}");
    assert!(ran.err.contains("nobody") && ran.err.contains("--peer"), "{ran:?}");
    assert!(fs::read_dir(stage.sessions()).is_err(), "nothing is created");
}

/// Two answers in the same moment: one is given, and the other is told so. Nothing lies about for a later question.
#[test]
fn pc_445_of_answers_in_the_same_moment_one_is_given_and_the_others_hear_of_it() {
    let stage = Stage::new();
    stage.script("bo", AGREES);
    let ran = stage.run(&["run", "--decision", "A", "--yes", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let id = stage.id();
    let words =
        ["extend: what of AAA?", "extend: what of BBB?", "extend: what of CCC?", "extend: what of DDD?"];
    let given: Vec<Ran> = std::thread::scope(|scope| {
        let (stage, id) = (&stage, &id);
        let one = |text| scope.spawn(move || stage.run(&["answer", id, "close", text]));
        words.map(one).into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let told: Vec<_> = given.iter().map(|ran| (ran.code, ran.out.contains("answered close"))).collect();
    assert_eq!(told.iter().filter(|told| **told == (Some(0), true)).count(), 1, "{given:?}");
    assert_eq!(told.iter().filter(|told| **told == (Some(2), false)).count(), 3, "{given:?}");
    let state = stage.home().join(".local/state/flightdeck/sessions");
    let inboxes = fs::read_dir(state).unwrap().map(|of| of.unwrap().path().join(&id).join("inbox"));
    let left: usize = inboxes.map(|inbox| fs::read_dir(inbox).into_iter().flatten().count()).sum();
    assert_eq!(left, 0, "{given:?}");
}

/// Output that is lost is no success; a reader that has seen enough is no failure.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure_and_a_closed_pipe_is_none() {
    let stage = Stage::new();
    stage.script("bo", AGREES);
    let ran = stage.session(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let id = stage.id();
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["show", &id],
        &["doctor"],
        &["config"],
        &["search", "cache"],
        &["--help"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = stage.command(args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("the output could not be written: "), "{args:?}: {said}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = stage.command(args).stdout(writer).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}
