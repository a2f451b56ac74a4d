use super::*;
use proptest::prelude::*;

fn consensus(body: &str) -> Option<String> {
    markers(body).consensus
}

#[test]
fn pc_370_each_marker() {
    let found = markers(
        "Some text.\nPASS\nCONSENSUS: two-segment LRU \nESCALATE_TO_USER: may we?\nOFFER_HANDOFF: kimi-headless — knows more\n\
         ACCEPT_HANDOFF\nREQUEST_HANDOFF: my part\nRESERVED_DECISION: accept candidate 7?\n",
    );
    assert!(found.pass && found.accept);
    assert_eq!(found.consensus.as_deref(), Some("two-segment LRU"));
    assert_eq!(found.escalate.as_deref(), Some("may we?"));
    assert_eq!(found.offer, Some(("kimi-headless".into(), "knows more".into())));
    assert_eq!(found.request.as_deref(), Some("my part"));
    assert_eq!(found.reserved.as_deref(), Some("accept candidate 7?"), "PC-691");
    assert!(found.near_misses.is_empty(), "{:?}", found.near_misses);
}

#[test]
fn pc_370_pass_amb_56() {
    for yes in [
        "PASS",
        "PASS  \t",
        "PASS\r",
        "PASS: nothing new",
        "PASS — ok",
        "PASS–x",
        "PASS.",
        "PASS - fine",
        "PASS-",
    ] {
        assert!(markers(yes).pass, "{yes:?}");
    }
    for no in [
        "PASSED",
        "PASS\u{a0}",
        "PASS\u{3000}",
        "PASS\u{b}",
        "PASS rate is 5",
        " PASS",
        "pass",
        "PASS,",
        "PASSé",
        "*PASS*",
        "PASS_X",
    ] {
        assert!(!markers(no).pass, "{no:?}");
    }
    assert!(markers("ACCEPT_HANDOFF — gladly").accept);
    assert!(!markers("ACCEPT_HANDOFFS").accept && !markers("ACCEPT_HANDOFF gladly").accept);
}

#[test]
fn pc_370_payloads() {
    assert_eq!(consensus("CONSENSUS:"), Some("".into()));
    assert_eq!(consensus("CONSENSUS:x"), Some("x".into()), "AMB-55");
    assert_eq!(consensus("CONSENSUS:\t x\r\nmore"), Some("x".into()));
    assert_eq!(markers("ESCALATE_TO_USER:  ").escalate.as_deref(), Some("unspecified"));
    assert_eq!(consensus("CONSENSUS : x"), None);
}

#[test]
fn pc_370_offers() {
    let offer = |line: &str| markers(&format!("OFFER_HANDOFF:{line}")).offer;
    let some = |to: &str, reason: &str| Some((to.to_string(), reason.to_string()));
    assert_eq!(offer("codex"), some("codex", ""));
    assert_eq!(offer(" codex — why"), some("codex", "why"));
    assert_eq!(offer(" codex: why"), some("codex", "why"));
    assert_eq!(offer(" kimi-2 - why"), some("kimi-2", "why"));
    assert_eq!(offer(" codex- why not"), some("codex", "why not"));
    assert_eq!(offer(" writer_agent –"), some("writer_agent", ""));
    for bad in ["", "  ", " the codex agent", " кодекс — x", " - codex"] {
        assert_eq!(offer(bad), None, "{bad:?}");
    }
}

#[test]
fn pc_370_fenced_code_is_skipped() {
    for body in [
        "```\nCONSENSUS: x\n```",
        "~~~text\nCONSENSUS: x\n~~~",
        "````md\n```\nCONSENSUS: x\n```\nCONSENSUS: y\n````",
        "~~~\n```\n~~~ not closing\nCONSENSUS: x\n~~~",
        "1. list\n    ```sh\nCONSENSUS: x\n    ```",
        "```\r\nCONSENSUS: x\r\n```\r\n",
        "``` \nCONSENSUS: unclosed",
    ] {
        assert_eq!(consensus(body), None, "{body:?}");
    }
    assert_eq!(consensus("```\ncode\n```\nCONSENSUS: x"), Some("x".into()));
    assert_eq!(
        consensus("```inline``` code\nCONSENSUS: x"),
        Some("x".into()),
        "no fence: its info string holds backticks"
    );
    assert_eq!(consensus("``\nCONSENSUS: x"), Some("x".into()));
}

#[test]
fn pc_371_echoes_of_the_template() {
    for line in [
        "CONSENSUS: <summary>",
        "CONSENSUS: <summary> — if you believe agreement has been reached",
        "CONSENSUS: <резюме> — если считаешь что договорились",
        "ESCALATE_TO_USER: <reason> — if a significant objection has been ignored",
        "ESCALATE_TO_USER: <причина>",
        "OFFER_HANDOFF: <agent_id> — <reason> — if you want to offer your write token to another",
        "OFFER_HANDOFF: codex — <reason>",
        "REQUEST_HANDOFF: <причина> — необязывающая просьба к держателю",
        "PASS — if you have nothing to add in this round (not an error, an explicit right to remain silent)",
        "PASS — если нечего добавить в этом раунде (не ошибка, явное право промолчать)",
        "ACCEPT_HANDOFF — if you accept an OFFER_HANDOFF directed at you",
        "ACCEPT_HANDOFF — если принимаешь предложенный тебе OFFER_HANDOFF",
    ] {
        assert_eq!(markers(line), Markers::default(), "{line}");
    }
    assert_eq!(consensus("CONSENSUS: <summary>\nCONSENSUS: real"), Some("real".into()));
    assert_eq!(consensus("CONSENSUS: the <summary> tag"), Some("the <summary> tag".into()));
}

#[test]
fn pc_372_repeated_markers() {
    assert_eq!(consensus("CONSENSUS: a\ntext\nCONSENSUS:\nCONSENSUS: b"), Some("a; b".into()));
    assert_eq!(
        markers("ESCALATE_TO_USER:\nESCALATE_TO_USER: a\nESCALATE_TO_USER:").escalate.as_deref(),
        Some("a")
    );
    assert_eq!(markers("OFFER_HANDOFF: a\nOFFER_HANDOFF: b — c").offer, Some(("b".into(), "c".into())));
}

#[test]
fn pc_373_near_misses() {
    for line in [
        "**CONSENSUS:** we agree",
        "**CONSENSUS**: we agree",
        "- CONSENSUS: we agree",
        "consensus: we agree",
        "Consensus: we agree",
        "  CONSENSUS: indented",
        "> ESCALATE_TO_USER: quoted",
        "1. ESCALATE_TO_USER: numbered",
        "Escalate to user: please",
        "CONSENSUS — we agree",
        "`PASS`",
        "**PASS**",
        "pass",
        "accept_handoff",
        "OFFER_HANDOFF: the codex agent",
        "ＣＯＮＳＥＮＳＵＳ： we agree",
        "СОNSENSUS: with two Cyrillic letters",
        "\u{1b}[1mCONSENSUS: in bold\u{1b}[0m",
        "CONSENSUS\u{a0}: we agree",
        "КОНСЕНСУС: да",
        "**КОНСЕНСУС:** да",
    ] {
        let found = markers(line);
        assert_eq!(found.near_misses, [line.trim()], "{line}");
        assert_eq!(Markers { near_misses: vec![], ..found }, Markers::default(), "{line}");
    }
    for line in [
        "Consensus is near",
        "tests pass",
        "- Pass: the build",
        "PASSED",
        "consensus",
        "We offer handoff: maybe",
        "Консенсус: пока его нет",
        "КОНСЕНСУС достигнут не будет",
        "СОВЕТ: мерить нагрузку",
        "",
    ] {
        assert!(markers(line).near_misses.is_empty(), "{line}");
    }
    assert_eq!(markers("```\nCONSENSUS: lost in an open fence").near_misses.len(), 1);
    assert!(markers("```\nCONSENSUS: quoted\n```\ntext").near_misses.is_empty());
    assert_eq!(markers(&"- PASS\n".repeat(1000)).near_misses.len(), NEAR_MISS_LIMIT);
}

#[test]
fn pc_377_side_effect_markers_do_not_steer() {
    assert_eq!(markers("FILE_WRITTEN: x\nMEMORY_UPDATED"), Markers::default());
}

#[test]
fn pc_341_body_without_markers_keeps_code() {
    let body = "one\r\nPASS\n```\nCONSENSUS: in code\n```\nCONSENSUS: x\n- CONSENSUS: near\n";
    assert_eq!(without_markers(body), "one\n```\nCONSENSUS: in code\n```\n- CONSENSUS: near");
    assert_eq!(without_markers("PASS\n\n"), "");
    // A lone CR belongs to its line, which is no marker with it.
    assert_eq!(without_markers("PASS\r\r\n"), "PASS\r\r");
    assert_eq!(markers("PASS\r\r"), markers("PASS\r\r\n"));
    assert!(!markers("PASS\r\r").pass);
}

proptest! {
    #[test]
    fn pc_370_any_text(body in "(PASS|CONSENSUS:|OFFER_HANDOFF:|```|~~~|<summary>|- | |\n|\r\n|\\PC|.){0,60}") {
        let found = markers(&body);
        prop_assert!(found.near_misses.len() <= NEAR_MISS_LIMIT);
        let rest = markers(&without_markers(&body));
        prop_assert!(!rest.pass && rest.consensus.is_none() && rest.offer.is_none() && !rest.accept);
        prop_assert!(prose(&body).count() <= body.split('\n').count());
    }
}
