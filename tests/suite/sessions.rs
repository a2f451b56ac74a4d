//! Whole sessions with scripted participants: every way a call can end, every way a session can go.

use crate::stage::{AGREES, REPORT, Running, Stage, finish, until};
use std::fs;

/// A peer that objects to everything.
const OBJECTS: &str = r#"
case "$FLIGHTDECK_CALL" in
discovery) reply critic "I am $VENDOR and take the role as proposed; I answer on standard output only." ;;
*) reply critic "I object in round $FLIGHTDECK_ROUND: $VENDOR sees a load at which the small cache empties itself each minute." ;;
esac
"#;

/// `first` decides for some calls and exits, else the peer agrees.
fn peer(first: &str) -> String {
    format!("{first}{AGREES}")
}

#[test]
fn pc_004_one_peer_gives_the_turn_loop() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &peer(
            r#"[ "$FLIGHTDECK_ROUND" = 1 ] && { reply critic "Not yet: what happens to the cold start of the service?"; exit; }"#,
        ),
    );
    let ran = stage.session(&["--peer", "bo"]);
    stage.assert_closed(&ran);
    for name in ["00-writer.md", "01-peer.md", "02-writer.md", "03-peer.md", "report.md", "meta.yaml"] {
        assert!(stage.has(name), "{name}: {:?}", stage.files());
    }
    assert_eq!(
        stage.calls(),
        [
            "ada opening 0 1",
            "bo peer 1 1",
            "ada turn 1 1",
            "bo peer 2 1",
            "ada summary 2 1",
            "ada synthesis 2 1"
        ]
    );
    assert!(stage.prompt("bo-peer-2-1").contains("I keep my position"));
    assert_eq!(stage.show()["result_class"], "agreed");
}

#[test]
fn pc_004_three_peers_give_the_round_loop_with_discovery() {
    let stage = Stage::new();
    for p in ["bo", "cy", "di"] {
        stage.script(
            p,
            &peer(
                r#"[ "$at" = peer:1:1 ] && { reply critic "Round one, $VENDOR: the small cache has not been measured yet, so I object."; exit; }"#,
            ),
        );
    }
    let ran = stage.session(&["--peer", "bo,cy,di"]);
    stage.assert_closed(&ran);
    for name in ["00-peer-di.md", "01-writer.md", "01-peer-cy.md", "01-writer_r1.md", "02-peer-di.md"] {
        assert!(stage.has(name), "{name}: {:?}", stage.files());
    }
    assert_eq!(stage.show()["result_class"], "agreed");
    assert!(stage.meta().contains(r#"roles: {"ada": ["moderator"], "bo": ["critic"]"#), "{}", stage.meta());
}

#[test]
fn pc_003_the_skills_text_tools_read_our_meta() {
    let stage = Stage::new();
    stage.assert_closed(&stage.session(&["--peer", "bo"]));
    let mut shell = std::process::Command::new("sh");
    stage.clean(&mut shell);
    shell.current_dir(stage.dir()).args([
        "-c",
        r#"grep '^start_time:' meta.yaml | sed 's/^start_time: *//; s/"//g'; sed -i 's/^verify_status:.*/verify_status: "kept"/' meta.yaml"#,
    ]);
    let ran = finish(shell, "");
    assert!(ran.out.trim().ends_with('Z') && ran.out.trim().len() == 20, "{ran:?}");
    let shown = stage.show();
    assert_eq!(shown["meta"]["verify_status"], "kept");
    assert_eq!(shown["problems"].as_array().unwrap().len(), 0);
}

/// Every class of PC-059 and PC-060 in the turn-loop: a question, the text of stderr, and a retry that goes on.
#[test]
fn pc_059_every_end_of_a_call_is_a_question_and_a_retry_goes_on() {
    let ends = [
        ("exit_1", "echo boom >&2; exit 1"),
        ("exit_2", "echo boom >&2; exit 2"),
        ("exit_3", "echo boom >&2; exit 3"),
        ("exit_4", "echo boom >&2; exit 4"),
        ("exit_5", "echo boom >&2; exit 5"),
        ("exit_6", "echo boom >&2; exit 6"),
        ("exit_7", "echo boom >&2; exit 7"),
        ("exit_other_64", "echo boom >&2; exit 64"),
        ("signal_9", "echo boom >&2; kill -9 $$"),
        ("frontmatter", "echo boom >&2; echo 'usage: bo [options]'; exit 0"),
        ("empty", "echo boom >&2; printf '  \\n\\n'; exit 0"),
        ("timeout", "echo boom >&2; trap '' TERM; sleep 100"),
        ("output_too_large", "echo boom >&2; yes flood"),
    ];
    let stage = Stage::new();
    stage.config("vendor.bo: deadline: 1s, output_cap: 100000");
    let cases: String = ends
        .iter()
        .map(|(class, act)| format!("if [ \"$at\" = \"peer:1:1\" ] && [ -e \"$HOME/{class}\" ]; then rm \"$HOME/{class}\"; {act}; fi\n"))
        .collect();
    stage.script("bo", &peer(&cases));
    for (class, _) in ends {
        fs::write(stage.home().join(class), "").unwrap();
        let ran = stage.session(&[]);
        assert_eq!(ran.code, Some(3), "{class}: {ran:?}");
        assert!(ran.err.contains("peer-retry"), "{class}: {ran:?}");
        let shown = stage.show();
        let question = &shown["questions"][0];
        assert_eq!(
            (question["id"].as_str(), question["kind"].as_str()),
            (Some("peer-retry"), Some("peer-retry")),
            "{class}"
        );
        let text = question["text"].as_str().unwrap();
        assert!(text.contains(class) && text.contains("boom"), "{class}: {text}");
        assert_eq!(stage.file("01-peer.err").trim(), "boom", "{class}");
        assert!(!stage.has("01-peer.md"));
        // An answer leaves the rest to `resume`.
        let ran = stage.answer_and_resume("peer-retry", "retry");
        stage.assert_closed(&ran);
        fs::remove_dir_all(stage.sessions()).unwrap();
    }
}

#[test]
fn pc_060_a_grandchild_that_holds_the_pipe_does_not_hold_the_session() {
    let stage = Stage::new();
    stage.script("bo", &peer("sleep 300 &\n"));
    let begun = std::time::Instant::now();
    let ran = stage.session(&[]);
    stage.assert_closed(&ran);
    assert!(begun.elapsed().as_secs() < 60);
}

#[test]
fn pc_052_garbage_and_bad_bytes_of_a_single_peer_are_kept_as_they_came() {
    let stage = Stage::new();
    stage.script(
        "bo",
        r#"printf -- '---\nturn: 1\n: : [\n---\n\n\377\376\033[31mred\033[0m \000 words enough to be a reply of some length\nCONSENSUS: small\n'"#,
    );
    let ran = stage.session(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.out.contains('\u{1b}'), "an escape sequence reached the terminal");
    let kept = stage.file("01-peer.md");
    assert!(kept.contains("red") && kept.contains("CONSENSUS: small"), "{kept:?}");
}

#[test]
fn pc_347_rejected_replies_are_kept_and_asked_again() {
    let stage = Stage::new();
    stage.script(
        "cy",
        &peer(
            r#"case "$at" in
peer:1:1) echo "no frontmatter at all, just words"; exit ;;
esac
"#,
        ),
    );
    let ran = stage.session(&["--peer", "bo,cy"]);
    stage.assert_closed(&ran);
    let kept = stage.file("01-peer-cy.rejected-1.txt");
    assert!(kept.starts_with("# rejected: frontmatter\n\nno frontmatter at all"), "{kept}");
    assert!(stage.calls().contains(&"cy peer 1 2".to_string()), "{:?}", stage.calls());
    assert!(stage.prompt("cy-peer-1-2").contains("frontmatter"));
    assert_eq!(stage.show()["result_class"], "agreed");
}

#[test]
fn pc_349_skips_and_failures_of_the_round_loop() {
    let stage = Stage::new();
    stage.script("bo", OBJECTS);
    stage.script("cy", &peer(r#"[ "$FLIGHTDECK_CALL" = peer ] && { echo "quota is used up" >&2; exit 6; }"#));
    stage.script(
        "di",
        &peer(
            r#"[ "$at" = peer:1:1 ] && exit 5
[ "$FLIGHTDECK_ROUND" -lt 3 ] && [ "$FLIGHTDECK_CALL" = peer ] && { reply critic "Not yet, says di in round $FLIGHTDECK_ROUND: the load is not known."; exit; }
"#,
        ),
    );
    stage.writer(
        r#"[ "$at" = turn:3:1 ] && { printf -- '---\naccepts: [bo]\n---\n\nBo is right about the load, so the cache gets a floor; with that all is said.\nCONSENSUS: small with a floor\n'; exit; }"#,
    );
    let ran = stage.session(&["--peer", "bo,cy,di"]);
    stage.assert_closed(&ran);
    let meta = stage.meta();
    assert!(meta.contains("vendor: cy") || meta.contains("cy"), "{meta}");
    let shown = stage.show();
    assert_eq!(shown["meta"]["peer_failures"][0]["vendor"], "cy");
    assert_eq!(shown["meta"]["peer_failures"][0]["reason"], "exit_6");
    assert_eq!(shown["result_class"], "partial");
    assert_eq!(stage.file("01-peer-cy.err").trim(), "quota is used up");
    // Two attempts, then cy is not asked again.
    assert_eq!(stage.calls().iter().filter(|c| c.starts_with("cy peer")).count(), 2);
}

#[test]
fn pc_327_when_all_failed_the_pilot_is_asked() {
    let stage = Stage::new();
    let fails = r#"[ "$FLIGHTDECK_CALL" = peer ] && [ ! -e "$HOME/well" ] && exit 1
"#;
    for p in ["bo", "cy"] {
        stage.script(p, &peer(fails));
    }
    let ran = stage.session(&["--peer", "bo,cy"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.questions(), ["participants"]);
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.answer_and_resume("participants", "retry");
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["result_class"], "agreed");

    let stage = Stage::new();
    for p in ["bo", "cy"] {
        stage.script(p, &peer(fails));
    }
    assert_eq!(stage.session(&["--peer", "bo,cy"]).code, Some(3));
    let ran = stage.answer_and_resume("participants", "close");
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["result_class"], "not-agreed");
}

#[test]
fn pc_275_discovery_clarifies_twice_and_takes_a_counter_proposal() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &peer(
            r#"[ "$FLIGHTDECK_CALL" = discovery ] && { ACCEPTS=clarify reply critic "Attempt $FLIGHTDECK_ATTEMPT of bo: what exactly shall a critic look at here, the size or the place?"; exit; }"#,
        ),
    );
    stage.script(
        "cy",
        r#"
case "$FLIGHTDECK_CALL" in
discovery) ACCEPTS=false reply "load tester" "I am cy and would rather be the load tester, because I can measure what the others only guess." ;;
*) reply "load tester" "As load tester cy measured the small cache in round $FLIGHTDECK_ROUND and it is good enough.
CONSENSUS: small" ;;
esac
"#,
    );
    stage.writer(
        r#"[ "$FLIGHTDECK_CALL" = roles ] && { printf 'agreed_roles: {"bo": "critic", "cy": "load tester"}\nwriter_role: moderator\n'; exit; }"#,
    );
    let ran = stage.session(&["--peer", "bo,cy"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let first = stage.questions();
    assert_eq!(first, ["clarify-bo-1"]);
    assert!(stage.file("00-peer-bo.rejected-1.txt").starts_with("# rejected: clarify"));
    let ran = stage.answer_and_resume("clarify-bo-1", "Look at the size only.");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(stage.prompt("bo-discovery-0-2").contains("Look at the size only."));
    let ran = stage.answer_and_resume("clarify-bo-2", "The size, as said.");
    stage.assert_closed(&ran);
    let shown = stage.show();
    let roles = r#"roles: {"ada": ["moderator"], "bo": ["critic"], "cy": ["load tester"]}"#;
    assert!(stage.meta().contains(roles), "{}", stage.meta());
    // Asking is no failed attempt.
    assert_eq!(shown["meta"]["peer_failures"].as_array().unwrap().len(), 0);
}

#[test]
fn pc_390_the_write_token_is_handed_over() {
    let stage = Stage::new();
    stage.writer(
        r#"[ "$at" = turn:1:1 ] && { echo "Cy knows the load better than I do, so cy shall write on.
OFFER_HANDOFF: cy — the load is its subject"; exit; }"#,
    );
    stage.script(
        "bo",
        &peer(r#"[ "$FLIGHTDECK_ROUND" = 1 ] && { reply critic "Round 1 of bo: the load is not known yet, so I object."; exit; }"#),
    );
    stage.script(
        "cy",
        &peer(
            r#"[ "$at" = peer:2:1 ] && { reply critic "I take the token and will describe the load in the next turn of mine.
ACCEPT_HANDOFF
CONSENSUS: small"; exit; }"#,
        ),
    );
    let ran = stage.session(&["--peer", "bo,cy"]);
    stage.assert_closed(&ran);
    let shown = stage.show();
    assert_eq!(shown["meta"]["write_token_holder"], "cy", "{shown:#}");
    assert_eq!(shown["meta"]["handoff_history"].as_array().unwrap().len(), 1);
}

#[test]
fn pc_422_a_majority_decides_what_can_be_undone() {
    let stage = Stage::new();
    stage.script("bo", OBJECTS);
    stage.writer(
        r#"[ "$FLIGHTDECK_CALL" = dispute ] && { printf 'reversible: yes\nin_authority: yes\npositions:\n  - {summary: "small", supporters: [ada, cy]}\n  - {summary: "large", supporters: [bo]}\n'; exit; }"#,
    );
    let ran = stage.session(&["--peer", "bo,cy", "--rounds-limit", "2"]);
    stage.assert_closed(&ran);
    let report = stage.file("report.md");
    assert!(report.contains("confidence: med"), "{report}");
    assert_eq!(stage.show()["result_class"], "agreed");
    assert!(stage.prompt("ada-summary-2-1").contains("large"), "the minority is told to the writer");
}

#[test]
fn pc_426_a_dispute_is_continued_closed_or_decided() {
    let stage = Stage::new();
    for p in ["bo", "cy"] {
        stage.script(p, OBJECTS);
    }
    let ran = stage.session(&["--peer", "bo,cy", "--rounds-limit", "1"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let shown = stage.show();
    assert_eq!(shown["questions"][0]["kind"], "dispute");
    let keys: Vec<_> =
        shown["questions"][0]["choices"].as_array().unwrap().iter().map(|c| c["key"].clone()).collect();
    assert_eq!(keys, ["continue", "close", "…"]);
    let ran = stage.answer_and_resume("escalation-00", "continue 2");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.show()["meta"]["rounds_limit"], 3);
    assert!(stage.has("03-peer-cy.md") && !stage.has("04-peer-bo.md"), "{:?}", stage.files());
    let ran = stage.answer_and_resume("escalation-01", "Keep it small until the first complaint.");
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["result_class"], "escalated");

    let stage = Stage::new();
    for p in ["bo", "cy"] {
        stage.script(p, OBJECTS);
    }
    assert_eq!(stage.session(&["--peer", "bo,cy", "--rounds-limit", "1"]).code, Some(3));
    let ran = stage.answer_and_resume("escalation-00", "close");
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["result_class"], "not-agreed");
}

#[test]
fn pc_444_an_escalation_is_answered_in_its_file() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &peer(
            r#"[ "$at" = peer:1:1 ] && { reply critic "The size is a promise to customers, and none of us can give it.
ESCALATE_TO_USER: how much memory may it cost?"; exit; }"#,
        ),
    );
    let ran = stage.session(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.questions(), ["escalation-00"]);
    let path = stage.dir().join("escalation-00.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}\nTwo gigabytes.\n")).unwrap();
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
    assert!(stage.prompt("ada-turn-1-1").contains("Two gigabytes."));
    assert_eq!(stage.show()["meta"]["escalations_count"], 1);
}

#[test]
fn pc_444_a_running_engine_sees_the_edited_file() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &peer(
            r#"[ "$at" = peer:1:1 ] && { reply critic "The size is a promise to customers, and none of us can give it.
ESCALATE_TO_USER: how much memory may it cost?"; exit; }"#,
        ),
    );
    let mut command =
        stage.command(&["new", "--close", "auto", "--decision", "A", "--yes", "How large is the cache"]);
    command.stdin(std::process::Stdio::piped());
    let mut engine = Running::start(command);
    engine.until("Your decision is needed");
    let path = stage.dir().join("escalation-00.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("pilot_response: \"\"", "pilot_response: \"Two gigabytes.\"")).unwrap();
    engine.until("Session complete.");
    assert_eq!(engine.code(), Some(0));
    assert!(stage.prompt("ada-turn-1-1").contains("Two gigabytes."));
}

#[test]
fn pc_613_an_extension_goes_on_and_closes() {
    let stage = Stage::new();
    let ran = stage.run(&["run", "--decision", "A", "--yes", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.questions(), ["close"]);
    let id = stage.id();
    assert_eq!(stage.run(&["answer", &id, "close", "extend: what does it cost at night?"]).code, Some(0));
    let ran = stage.run(&["resume", "--headless", "--decision", "A", &id]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(stage.prompt("ada-turn-1-1").contains("what does it cost at night?"), "{:?}", stage.calls());
    assert!(stage.has("03-peer.md"), "{:?}", stage.files());
    assert_eq!(stage.questions(), ["close"]);
    let ran = stage.answer_and_resume("close", "close");
    stage.assert_closed(&ran);
    assert_eq!(stage.show()["meta"]["extensions"].as_array().unwrap().len(), 1);
    assert!(stage.file("report.md").contains("## Extension"));
}

/// A session that is agreed, then extended, and whose peer says this from its second call on.
fn extended(later: &str) -> Stage {
    let stage = Stage::new();
    stage.script("bo", &format!("[ \"$at\" = peer:2:1 ] && {{ reply critic \"{later}\"; exit; }}\n{AGREES}"));
    let ran = stage.run(&["run", "--decision", "A", "--yes", "--turns-limit", "2", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(stage.file("report-draft.md").contains("result_class: agreed"));
    stage.run(&["answer", &stage.id(), "close", "extend: what does it cost at night?"]);
    stage.run(&["resume", "--headless", "--decision", "A", &stage.id()]);
    stage
}

#[test]
fn pc_410_a_decision_that_an_extension_withdrew_is_recorded_as_withdrawn() {
    let stage = extended("I object, says $VENDOR: nobody has measured the load of the nightly job.");
    assert_eq!(stage.questions(), ["close"]);
    stage.assert_closed(&stage.answer_and_resume("close", "close"));
    let report = stage.file("report.md");
    let (_, rest) = report.split_once("## 4.").unwrap();
    assert!(report.contains("result_class: not-agreed"), "{report}");
    assert!(rest.lines().nth(2) == Some("Consensus not reached") && rest.contains("\n> "), "{report}");
    let verified = stage.run(&["verify", &stage.id()]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let closing = fs::read_to_string(stage.dir().join(format!("../../{}.md", stage.id()))).unwrap();
    assert!(closing.contains("Consensus not reached"), "{closing}");
}

#[test]
fn pc_623_what_the_pilot_decided_in_an_extension_is_the_decision() {
    let stage = extended(
        "I object, says $VENDOR: nobody has measured the nightly job.\nESCALATE_TO_USER: which size?",
    );
    assert_eq!(stage.questions(), ["escalation-00"]);
    stage.assert_closed(&stage.answer_and_resume("escalation-00", "Take ten gigabytes"));
    let report = stage.file("report.md");
    let (_, rest) = report.split_once("## 4.").unwrap();
    assert!(report.contains("result_class: escalated"), "{report}");
    assert!(
        rest.lines()
            .nth(2)
            .unwrap()
            .starts_with("- The pilot decided: Take ten gigabytes ([escalation-00.md]"),
        "{report}"
    );
    let verified = stage.run(&["verify", &stage.id()]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn pc_623_what_an_extension_agreed_upon_is_the_decision() {
    let stage = Stage::new();
    let objects = "I object, says $VENDOR: nobody has measured the load of the nightly job.";
    stage.script(
        "bo",
        &format!("[ \"$at\" = peer:1:1 ] && {{ reply critic \"{objects}\"; exit; }}\n{AGREES}"),
    );
    let ran = stage.run(&["run", "--decision", "A", "--yes", "--turns-limit", "1", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(stage.file("report-draft.md").contains("\n- Consensus not reached"));
    stage.run(&["answer", &stage.id(), "close", "extend: it was measured"]);
    stage.run(&["resume", "--headless", "--decision", "A", &stage.id()]);
    stage.assert_closed(&stage.answer_and_resume("close", "close"));
    let report = stage.file("report.md");
    let (_, rest) = report.split_once("## 4.").unwrap();
    assert!(report.contains("result_class: agreed"), "{report}");
    let first = rest.lines().nth(2).unwrap();
    assert_eq!(first, "- It stays small [synthesized]", "{report}");
    assert!(rest.contains("\n> - Consensus not reached"), "{report}");
    let verified = stage.run(&["verify", &stage.id()]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let closing = fs::read_to_string(stage.dir().join(format!("../../{}.md", stage.id()))).unwrap();
    assert!(!closing.contains("Consensus not reached"), "{closing}");
}

#[test]
fn pc_255_the_pilot_writes_by_hand() {
    let stage = Stage::new();
    let ran = stage.session(&["--writer", "pilot"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let shown = stage.show();
    assert_eq!(shown["questions"][0]["kind"], "pilot-turn", "{shown:#}");
    assert_eq!(shown["questions"][0]["id"], "turn-00-writer");
    let id = stage.id();
    let ran = stage.run_with(
        &["answer", &id, "turn-00-writer", "-"],
        "My position: the cache stays small.\nIt has been enough for a year.\n",
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.file("00-writer.md").contains("enough for a year"));
    // No writer calls are made; the summary and the report come from the peer.
    stage.script("bo", &format!("{REPORT}{PEER_WRITES}{AGREES}"));
    let ran = stage.resume(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.calls().iter().all(|c| c.starts_with("bo ")), "{:?}", stage.calls());
    // The synthesis failed, so a stub stands in until somebody finalizes again (PC-607, PC-657).
    assert!(stage.file("report.md").contains("note: synthesis not performed"));
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.run(&["finalize", &id]);
    stage.assert_closed(&ran);
}

/// A peer that also answers the plain calls of a session whose writer is the pilot.
const PEER_WRITES: &str = r#"
case "$FLIGHTDECK_CALL" in
summary) printf 'discussed: "How large the cache is"\nagreed: "It stays small"\nproposed:\n  - "Set its size"\nhours: 2\nimpact: "Less memory is used"\ndefer: none\n'; exit ;;
synthesis) [ -e "$HOME/well" ] || exit 1; report; exit ;;
esac
"#;

#[test]
fn pc_034_a_vendor_writes_and_answers_under_two_names() {
    let stage = Stage::new();
    stage.config("vendor.ada: writer_agent_id: ada-w");
    stage.writer(&format!("if [ \"$FLIGHTDECK_CALL\" = peer ]; then {AGREES}\nexit; fi\n"));
    let ran = stage.session(&["--peer", "ada"]);
    stage.assert_closed(&ran);
    assert!(stage.meta().contains(r#"writer_agent: "ada-w""#));

    let stage = Stage::new();
    let ran = stage.session(&["--peer", "ada"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(stage.dirs().is_empty());
}

#[test]
fn pc_255_a_failed_writer_is_retried_aborted_or_replaced_by_hand() {
    let stage = Stage::new();
    let fails = r#"[ "$FLIGHTDECK_CALL" = opening ] && [ ! -e "$HOME/well" ] && { echo "no network" >&2; exit 1; }
"#;
    stage.writer(fails);
    let ran = stage.session(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.questions(), ["writer-retry"]);
    let id = stage.id();
    let ran = stage.run(&[
        "answer",
        &id,
        "writer-retry",
        "My own opening: keep the cache as small as it is today.",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(stage.file("00-writer.md").contains("My own opening"));
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);

    let stage = Stage::new();
    stage.writer(fails);
    assert_eq!(stage.session(&[]).code, Some(3));
    let id = stage.id();
    assert_eq!(stage.run(&["answer", &id, "writer-retry", "abort"]).code, Some(0));
    assert_eq!(stage.show()["status"], "interrupted");

    let stage = Stage::new();
    stage.writer(fails);
    assert_eq!(stage.session(&[]).code, Some(3));
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.answer_and_resume("writer-retry", "retry");
    stage.assert_closed(&ran);
}

#[test]
fn pc_691_a_reserved_decision_is_asked_and_told() {
    let stage = Stage::new();
    stage.writer(
        r#"[ "$FLIGHTDECK_CALL" = opening ] && { echo "This touches the priorities of the month, which are not mine to set.
RESERVED_DECISION: may the cache be worked on this month?"; exit; }"#,
    );
    let ran = stage.session(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let shown = stage.show();
    assert_eq!(shown["questions"][0]["kind"], "reserved");
    assert!(shown["questions"][0]["text"].as_str().unwrap().contains("may the cache be worked on"));
    let id = shown["questions"][0]["id"].as_str().unwrap().to_string();
    stage.script(
        "bo",
        &peer(r#"[ "$at" = peer:1:1 ] && { reply critic "Not yet: what happens to the cold start of the service?"; exit; }"#),
    );
    let ran = stage.answer_and_resume(&id, "Yes, in the last week.");
    stage.assert_closed(&ran);
    assert!(stage.prompt("ada-turn-1-1").contains("Yes, in the last week."));
    assert_eq!(stage.show()["meta"]["escalations_count"], 0);
}

#[test]
fn pc_702_a_second_engine_gets_code_5() {
    let stage = Stage::new();
    stage.script("bo", &peer(r#"touch "$HOME/called"; while [ ! -e "$HOME/go" ]; do sleep 0.02; done"#));
    let mut command =
        stage.command(&["run", "--close", "auto", "--decision", "A", "--yes", "How large is it"]);
    command.stdin(std::process::Stdio::null());
    let mut engine = Running::start(command);
    until("the peer is called", || stage.home().join("called").exists());
    let id = stage.id();
    for args in [&["resume", "--headless", &id][..], &["finalize", &id]] {
        let ran = stage.run(args);
        assert_eq!(ran.code, Some(5), "{args:?}: {ran:?}");
        assert!(ran.err.starts_with("busy: "), "{ran:?}");
    }
    assert_eq!(stage.show()["engine"], engine.child.id());
    fs::write(stage.home().join("go"), "").unwrap();
    engine.until("Session complete.");
    assert_eq!(engine.code(), Some(0));
}

#[test]
fn pc_651_interrupt_ends_the_running_call_of_another_engine() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &peer(r#"echo $$ > "$HOME/called.new"; mv "$HOME/called.new" "$HOME/called"; sleep 300"#),
    );
    let mut engine =
        Running::start(stage.command(&["run", "--close", "auto", "--decision", "A", "--yes", "How large"]));
    until("the peer is called", || stage.home().join("called").exists());
    let peer = fs::read_to_string(stage.home().join("called")).unwrap();
    let id = stage.id();
    let ran = stage.run(&["interrupt", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(engine.code(), Some(0));
    assert_eq!(stage.show()["status"], "interrupted");
    let stat = format!("/proc/{}", peer.trim());
    until("the adapter is gone", || !std::path::Path::new(&stat).exists());
    assert!(!stage.has("01-peer.md"));
    // Nothing changes the second time, and a report can be written.
    let before = stage.meta();
    assert_eq!(stage.run(&["interrupt", &id]).code, Some(0));
    assert_eq!(stage.meta(), before);
    let ran = stage.run(&["finalize", &id]);
    stage.assert_closed(&ran);
    assert_eq!(stage.run(&["interrupt", &id]).code, Some(1));
    assert_eq!(stage.run(&["finalize", &id]).code, Some(1));
}

#[test]
fn pc_670_an_interrupted_session_goes_on_after_a_yes() {
    let stage = Stage::new();
    stage.script("bo", &peer(r#"[ -e "$HOME/well" ] || exit 1"#));
    assert_eq!(stage.session(&[]).code, Some(3));
    let id = stage.id();
    assert_eq!(stage.run(&["answer", &id, "peer-retry", "abort"]).code, Some(0));
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.resume(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("--yes"), "{ran:?}");
    let ran = stage.resume(&["--yes"]);
    stage.assert_closed(&ran);
    // A completed one never goes on.
    let calls = stage.calls();
    assert_eq!(stage.resume(&["--yes"]).code, Some(0));
    assert_eq!(stage.calls(), calls);
}
