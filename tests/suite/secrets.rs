//! Secrets in outgoing prompts: the call waits, the pilot decides (issue 4; patterns of PC-065).

use crate::stage::{AGREES, Stage};
use std::fs;

fn token() -> String {
    format!("ghp_{}", "x9".repeat(18))
}

/// A peer that quotes a token in its first round and objects there.
fn quotes() -> String {
    format!(
        r#"[ "$at" = peer:1:1 ] && {{ reply critic "The deploy script holds {} in plain sight, and nobody rotates it."; exit; }}
{AGREES}"#,
        token()
    )
}

fn asked(stage: &Stage) -> String {
    let state = stage.show();
    let question = &state["questions"][0];
    assert_eq!(question["kind"], "secret", "{state}");
    question["text"].as_str().unwrap().to_string()
}

#[test]
fn pc_065_a_secret_in_a_prompt_waits_and_is_masked() {
    let stage = Stage::new();
    stage.script("bo", &quotes());
    let ran = stage.session(&["--peer", "bo"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.calls(), ["ada opening 0 1", "bo peer 1 1"], "the writer was not called");
    let text = asked(&stage);
    let file = stage.file("01-peer.md");
    let line = file.lines().position(|line| line.contains("ghp_")).unwrap() + 1;
    assert!(
        text.contains(&format!("01-peer.md:{line}")) && text.contains("a GitHub token (ghp_), ghp_…"),
        "{text}"
    );
    let notes = fs::read_dir(stage.home().join(".local/state/flightdeck/sessions")).unwrap();
    let notes = notes.flatten().map(|root| root.path().join(stage.id()).join("notes.json"));
    for shown in std::iter::once(text).chain(notes.map(|path| fs::read_to_string(path).unwrap())) {
        assert!(!shown.contains("x9x9x9x9x9x9x9x9x9x9x9x9"), "{shown}");
    }
    // Words that are no answer change nothing, and a single key sends nothing.
    for word in ["s", "yes", "…"] {
        let ran = stage.run(&["answer", &stage.id(), "secret-1", word]);
        assert_eq!(ran.code, Some(2), "{word}: {ran:?}");
    }
    assert_eq!(stage.resume(&[]).code, Some(3));
    assert_eq!(stage.calls().len(), 2);

    let ran = stage.answer_and_resume("secret-1", "redact");
    stage.assert_closed(&ran);
    for call in ["ada-turn-1-1", "bo-peer-2-1", "ada-synthesis-2-1"] {
        let prompt = stage.prompt(call);
        assert!(
            prompt.contains("holds [redacted] in plain sight") && !prompt.contains(&token()),
            "{call}: {prompt}"
        );
    }
    assert_eq!(stage.file("01-peer.md"), file, "files are unchanged");
}

#[test]
fn pc_065_a_secret_is_sent_only_for_the_whole_word() {
    let stage = Stage::new();
    stage.script("bo", &quotes());
    assert_eq!(stage.session(&["--peer", "bo", "--lang", "ru"]).code, Some(3));
    let text = asked(&stage);
    assert!(text.contains("похожее на секрет") && text.contains("токен GitHub (ghp_)"), "{text}");
    let ran = stage.answer_and_resume("secret-1", "отправить");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.prompt("ada-turn-1-1").contains(&token()));
}

#[test]
fn pc_065_an_answer_is_for_its_own_secret() {
    let stage = Stage::new();
    let other = format!("AKIA{}", "A1".repeat(8));
    stage.script(
        "bo",
        &format!(
            r#"[ "$at" = peer:2:1 ] && {{ reply critic "And there is another one, {other}, in the same file, for the bucket."; exit; }}
{}"#,
            quotes()
        ),
    );
    assert_eq!(stage.session(&["--peer", "bo"]).code, Some(3));
    assert_eq!(stage.answer_and_resume("secret-1", "send").code, Some(3));
    let text = asked(&stage);
    assert!(text.contains("03-peer.md") && text.contains("AKIA…") && !text.contains("01-peer"), "{text}");
    // The old id is over: it must not send the new secret.
    stage.run(&["answer", &stage.id(), "secret-1", "send"]);
    assert_eq!(stage.resume(&[]).code, Some(3));
    let ran = stage.answer_and_resume("secret-2", "redact");
    stage.assert_closed(&ran);
    let prompt = stage.prompt("ada-turn-2-1");
    assert!(
        prompt.contains(&token()) && prompt.contains("[redacted]") && !prompt.contains(&other),
        "{prompt}"
    );
}

#[test]
fn pc_255_an_aborted_writer_call_is_a_failed_one() {
    let stage = Stage::new();
    stage.script("bo", &quotes());
    assert_eq!(stage.session(&["--peer", "bo"]).code, Some(3));
    let ran = stage.run(&["answer", &stage.id(), "secret-1", "abort"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(stage.questions(), ["writer-retry"]);
    assert_eq!(stage.resume(&[]).code, Some(3));
    assert_eq!(stage.questions(), ["secret-1"], "the same prompt asks again");
}

#[test]
fn pc_350_an_aborted_call_of_a_round_is_a_skip() {
    let stage = Stage::new();
    stage.writer(&format!(r#"[ "$at" = turn:1:1 ] && {{ echo "I looked into the script: {} is what it holds, and it is live."; exit; }}"#, token()));
    let objects = format!(
        r#"[ "$at" = peer:1:1 ] && {{ reply critic "I object in round one: $VENDOR sees a load at which the cache empties."; exit; }}
{AGREES}"#
    );
    stage.script("bo", &objects);
    let ran = stage.session(&["--peer", "bo,cy"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(asked(&stage).contains("01-writer_r1.md:"), "{}", asked(&stage));
    let ran = stage.answer_and_resume("secret-1", "abort");
    assert_eq!(ran.code, Some(3), "the next peer would get the same: {ran:?}");
    assert!(stage.meta().contains("round_skips"), "{}", stage.meta());
    let ran = stage.answer_and_resume("secret-1", "redact");
    stage.assert_closed(&ran);
    assert!(stage.calls().iter().all(|call| !call.starts_with("bo peer 2")), "{:?}", stage.calls());
}

#[test]
fn pc_065_a_task_with_a_secret_asks_before_the_first_call_and_off_sends() {
    let stage = Stage::new();
    let task = format!("Who may read {} from the log", token());
    let all = ["run", "--close", "auto", "--decision", "A", "--yes", "--peer", "bo", &task];
    let ran = stage.run(&all);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(stage.calls().is_empty() && asked(&stage).contains("task:1"));

    stage.config("secrets: off\n");
    let ran = stage.run(&all);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.run(&["doctor"]).out.contains("not checked: prompts are sent whatever they hold"));
}
