use super::*;
use crate::domain::session::claim::Claim;
use crate::domain::session::turn::TurnName;
use proptest::prelude::*;

const LONG: &str = "Rotate by size or by day, whichever comes first, and keep fourteen files.";

fn good_head() -> Head {
    Head {
        turn: Some(2),
        role: "peer".into(),
        agent_id: "codex".into(),
        content_role: "operations critic".into(),
        timestamp: "2026-08-24T11:13:30Z".into(),
        ..Head::default()
    }
}

fn reply(head: Head, body: &str) -> Turn {
    Turn::new(TurnName::peer_of(2, "codex"), Ok(head), body.into(), 0)
}

fn reason(turn: &Turn, expect: &Expect) -> Option<Reason> {
    validate(turn, expect).err().map(|rejection| rejection.reason)
}

fn judged(body: &str) -> Option<Reason> {
    reason(&reply(good_head(), body), &Expect::default())
}

#[test]
fn pc_340_a_good_reply_has_no_warnings() {
    let roles = ["operations critic".to_string()];
    let expect = Expect { agent_id: "codex", roles: &roles, prompt: "Task: rotate", ..Expect::default() };
    assert_eq!(validate(&reply(good_head(), LONG), &expect), Ok(vec![]));
}

#[test]
fn pc_340_the_first_failing_check_decides() {
    let roles = ["x".to_string()];
    let facts = [Checked {
        claim: Claim::Commit { sha: "ab12cd3".into() },
        finding: Finding::Contradicted("no such commit".into()),
    }];
    let expect = Expect { roles: &roles, facts: &facts, ..Expect::default() };
    let all = Expect { roles: &[], ..expect };
    let bad = format!("{LONG}\nFILE_WRITTEN: a");
    assert_eq!(reason(&reply(good_head(), "short"), &expect), Some(Reason::OnTopic));
    assert_eq!(reason(&reply(good_head(), &bad), &expect), Some(Reason::Role));
    assert_eq!(reason(&reply(good_head(), &bad), &all), Some(Reason::SideEffects));
    let rejection = validate(&reply(good_head(), LONG), &all).unwrap_err();
    assert_eq!(rejection.to_string(), "fact_mismatch — commit ab12cd3: no such commit");
    let fine = reply(Head::default(), "short");
    let broken = Turn::new(fine.name.clone(), Err("no frontmatter".into()), fine.text.clone(), fine.body_at);
    assert_eq!(reason(&broken, &expect), Some(Reason::Frontmatter));
    let empty = Turn::new(broken.name.clone(), broken.head.clone(), " \n".into(), 0);
    assert_eq!(reason(&empty, &expect), Some(Reason::OnTopic));
}

#[test]
fn pc_341_on_topic() {
    assert_eq!(judged(&"ж".repeat(40)), None);
    assert_eq!(judged(&"ж".repeat(39)), Some(Reason::OnTopic));
    assert_eq!(judged("CONSENSUS: x"), None);
    assert_eq!(judged("ACCEPT_HANDOFF"), None);
    assert_eq!(judged("PASS\nbut why?"), None, "a doubtful PASS is still on topic");
    assert_eq!(judged("REQUEST_HANDOFF: the whole of the database work please"), Some(Reason::OnTopic));
    assert_eq!(judged("CONSENSUS: <summary> — if so"), Some(Reason::OnTopic), "PC-371: an echo is no marker");
    assert_eq!(judged(&format!("```\n{LONG}\n```")), None, "code is kept");
}

#[test]
fn pc_341_repetition_of_the_prompt() {
    let lines: Vec<String> = (0..10).map(|n| format!("this is line number {n} of the prompt")).collect();
    let prompt = lines.join("\n");
    let expect = Expect { prompt: &prompt, ..Expect::default() };
    let body = |echoed: usize, own: usize| {
        let own = (0..own).map(|n| format!("my own answer number {n} to it"));
        let mut all: Vec<String> = lines[..echoed].iter().map(|l| format!("  {l}\r")).collect();
        all.extend(own);
        all.join("\n")
    };
    assert_eq!(reason(&reply(good_head(), &body(4, 6)), &expect), None, "60 % own lines are enough");
    assert_eq!(reason(&reply(good_head(), &body(5, 7)), &expect), Some(Reason::OnTopic));
    assert_eq!(
        reason(&reply(good_head(), &format!("{}\nCONSENSUS: x", body(9, 0))), &expect),
        Some(Reason::OnTopic)
    );
}

#[test]
fn pc_342_a_clean_pass_is_on_topic() {
    let expect = Expect { prompt: "I have read everything", ..Expect::default() };
    assert_eq!(reason(&reply(good_head(), "PASS"), &expect), None);
    assert_eq!(reason(&reply(good_head(), "PASS — nothing to add\nI have read everything"), &expect), None);
}

#[test]
fn pc_343_role() {
    let roles = ["Критик Базы".to_string(), "cost, time".to_string()];
    let expect = Expect { roles: &roles, ..Expect::default() };
    let with = |role: &str, body: &str| {
        reason(&reply(Head { content_role: role.into(), ..good_head() }, body), &expect)
    };
    assert_eq!(with("  КРИТИК  базы ", LONG), None);
    assert_eq!(with("cost, time", LONG), None);
    assert_eq!(with("критик базы, критик базы", LONG), None);
    assert_eq!(with("", LONG), Some(Reason::Role));
    assert_eq!(with("auditor", LONG), Some(Reason::Role));
    assert_eq!(with("auditor", &format!("{LONG} I speak as Auditor because nobody counts.")), None);
    assert_eq!(with("auditor", "auditor\nCONSENSUS: x"), Some(Reason::Role));
    assert_eq!(with("", "PASS"), Some(Reason::Role), "silence has a role too");
    assert_eq!(
        reason(&reply(Head::default(), LONG), &Expect::default()),
        None,
        "nothing agreed, nothing to check"
    );
}

#[test]
fn pc_344_role_in_discovery() {
    let expect = Expect { discovery: true, proposed_role: "cost critic", ..Expect::default() };
    let with = |role: &str, accepted, body: &str| {
        reason(
            &reply(Head { content_role: role.into(), role_accepted: accepted, ..good_head() }, body),
            &expect,
        )
    };
    assert_eq!(with("Cost Critic", Some(RoleAccepted::Yes), LONG), None);
    assert_eq!(with("lawyer", Some(RoleAccepted::Yes), LONG), Some(Reason::Role));
    assert_eq!(with("lawyer", Some(RoleAccepted::No), LONG), None);
    assert_eq!(with("", Some(RoleAccepted::Clarify), LONG), None);
    assert_eq!(with("lawyer", Some(RoleAccepted::No), "PASS"), Some(Reason::Role));
    assert_eq!(with("cost critic", None, LONG), Some(Reason::Frontmatter), "PC-274");
}

#[test]
fn pc_345_side_effects() {
    for body in [
        "FILE_WRITTEN",
        "- MEMORY_UPDATED: notes",
        "  * TOOL_CALLED(x)",
        "1. A_B_C_COMMITTED.",
        "REPORT_SAVED—done",
        "DB_ROW_DELETED",
    ] {
        assert_eq!(judged(&format!("{LONG}\n{body}")), Some(Reason::SideEffects), "{body}");
    }
    for body in [
        "WRITTEN",
        "_WRITTEN",
        "A__WRITTEN",
        "FILE_WRITTEN_OK",
        "FILE_WRITTENs",
        "FILE_written",
        "the marker FILE_WRITTEN",
        " FILE_WRITTEN",
        "-FILE_WRITTEN",
        "`FILE_WRITTEN`",
        "FILE1_WRITTEN",
        "```\nFILE_WRITTEN\n```",
    ] {
        assert_eq!(judged(&format!("{LONG}\n{body}")), None, "{body}");
    }
}

#[test]
fn pc_346_only_contradictions_reject() {
    let claim = Claim::Commit { sha: "ab12cd3".into() };
    let facts =
        [Finding::Confirmed, Finding::Unverified].map(|finding| Checked { claim: claim.clone(), finding });
    assert_eq!(reason(&reply(good_head(), LONG), &Expect { facts: &facts, ..Expect::default() }), None);
}

#[test]
fn pc_238_false_claims_are_warnings() {
    let head = Head { turn: Some(7), agent_id: "gpt".into(), timestamp: "now".into(), ..good_head() };
    let expect = Expect { agent_id: "codex", ..Expect::default() };
    assert_eq!(
        validate(&reply(head, LONG), &expect).unwrap(),
        [
            Warning::Turn { claimed: Some(7), real: 2 },
            Warning::Agent { claimed: "gpt".into(), real: "codex".into() },
            Warning::Timestamp("now".into()),
        ]
    );
    let nothing = Head { agent_id: String::new(), timestamp: String::new(), ..good_head() };
    let warnings = validate(&reply(nothing, LONG), &expect).unwrap();
    assert_eq!(
        warnings.iter().map(|w| w.text(Lang::En)).collect::<Vec<_>>(),
        ["frontmatter has no agent, it is codex", "frontmatter has no timestamp"]
    );
}

#[test]
fn pc_239_word_and_markers() {
    let warns = |consensus, body: &str| {
        let head = Head { consensus, ..good_head() };
        warnings(&reply(head, &format!("{LONG}\n{body}")), &Expect::default())
            .contains(&Warning::Consensus(consensus))
    };
    use ConsensusWord::*;
    for (word, body, want) in [
        (None, "", false),
        (Proposed, "", false),
        (Reached, "", true),
        (Reached, "PASS", true),
        (Escalate, "", true),
        (None, "CONSENSUS: x", true),
        (Proposed, "CONSENSUS: x", false),
        (Reached, "CONSENSUS: x", false),
        (Escalate, "ESCALATE_TO_USER: x", false),
        (Reached, "CONSENSUS: x\nESCALATE_TO_USER: x", true),
    ] {
        assert_eq!(warns(word, body), want, "{word:?} {body}");
    }
}

#[test]
fn pc_373_and_amb_42_warnings_of_the_turn_loop() {
    let facts = [Checked {
        claim: Claim::Lines { path: "a.rs".into(), from: 3, to: 4, line_in_reply: 1 },
        finding: Finding::Contradicted("the file has 2 lines".into()),
    }];
    let expect = Expect { facts: &facts, ..Expect::default() };
    assert_eq!(
        warnings(&reply(good_head(), "**CONSENSUS:** x\nFILE_WRITTEN: y"), &expect),
        [
            Warning::NearMiss("**CONSENSUS:** x".into()),
            Warning::SideEffect("FILE_WRITTEN: y".into()),
            Warning::Fact("a.rs:3-4: the file has 2 lines".into()),
        ]
    );
}

#[test]
fn pc_692_reserved_roles() {
    for name in ["R15-validator", "r15", " R15 validator", "critic, R15-x", "R15–x"] {
        assert!(forbidden_role(name), "{name}");
    }
    for name in ["R150-x", "R1-strategist", "critic", "", "r15x"] {
        assert!(!forbidden_role(name), "{name}");
    }
    let head = Head { content_role: "R15-validator".into(), ..good_head() };
    assert_eq!(reason(&reply(head.clone(), LONG), &Expect::default()), Some(Reason::Role));
    let roles = ["R15-validator".to_string()];
    assert_eq!(
        reason(&reply(head, LONG), &Expect { roles: &roles, ..Expect::default() }),
        Some(Reason::Role)
    );
}

proptest! {
    #[test]
    fn pc_340_any_text(body in any::<String>(), role in any::<String>(), prompt in any::<String>(), discovery: bool) {
        let roles = ["critic".to_string()];
        let head = Head { content_role: role.clone(), role_accepted: Some(RoleAccepted::No), ..Head::default() };
        let expect = Expect { discovery, roles: &roles, proposed_role: "x", prompt: &prompt, ..Expect::default() };
        let _ = validate(&reply(head, &body), &expect);
        let _ = forbidden_role(&role);
    }
}
