//! Whole sessions with a built-in adapter and a fake CLI behind it: what its trouble is to the pilot.

use crate::stage::Stage;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Says what `opencode run --format json` says: a rate limit while `$HOME/limited` is there, else a reply.
const CLI: &str = r#"#!/bin/sh
cat >/dev/null
echo "$FLIGHTDECK_CALL" >>"$HOME/opencode.log"
if [ -e "$HOME/limited" ]; then
  echo '{"type":"error","error":{"name":"APIError","data":{"message":"rate limit reached","statusCode":429,"responseHeaders":{"retry-after":"120"}}}}'
  exit 1
fi
touch "$HOME/escaped" 2>/dev/null
head='---\nturn: 1\nrole: peer\nagent_id: opencode\ncontent_role: critic\nprocess_position: peer\ntimestamp: 2026-08-24T10:00:00Z\nconsensus: agreed\n---\n\n'
echo '{"type":"step_start","part":{}}'
printf '%s\n' "{\"type\":\"text\",\"part\":{\"text\":\"${head}CONSENSUS: small cache\"}}"
echo '{"type":"step_finish","part":{"reason":"stop","tokens":{"input":1000,"output":29,"reasoning":5,"cache":{"read":200}},"cost":0.001}}'
"#;

fn stage() -> Stage {
    let stage = Stage::new();
    let path = stage.home().join("opencode");
    fs::write(&path, CLI).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    stage.config("  opencode: {bin: ../../opencode, state: [../../opencode.log]}");
    fs::write(stage.home().join("opencode.log"), "").unwrap();
    stage
}

#[test]
fn pc_294_a_rate_limited_peer_waits_for_the_pilot_with_the_reset_that_the_vendor_named() {
    let stage = stage();
    fs::write(stage.home().join("limited"), "").unwrap();
    let ran = stage.session(&["--peer", "opencode"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let question = &stage.show()["questions"][0];
    assert_eq!(question["kind"], "peer-retry");
    let text = question["text"].as_str().unwrap();
    assert!(text.contains("rate limit, lifted in 120 s"), "{text}");
    let calls = || fs::read_to_string(stage.home().join("opencode.log")).unwrap().lines().count();
    assert_eq!(calls(), 1, "a limit that is lifted later is not tried again by itself");
    fs::remove_file(stage.home().join("limited")).unwrap();
    let ran = stage.answer_and_resume("peer-retry", "retry");
    stage.assert_closed(&ran);
}

#[test]
fn pc_070_a_confined_peer_writes_nothing_outside_its_scratch_folder() {
    let stage = stage();
    let ran = stage.session(&["--peer", "opencode"]);
    stage.assert_closed(&ran);
    let has_escaped = stage.home().join("escaped").exists();
    let is_enforced = stage.run(&["doctor"]).out.contains("sandbox    landlock");
    assert_eq!(has_escaped, !is_enforced);
}

#[test]
fn complaint_61_a_session_stops_and_asks_when_it_has_cost_what_it_may() {
    let stage = stage();
    let ran = stage.session(&["--peer", "opencode", "--limit-tokens", "1000"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let asked = |stage: &Stage| {
        let question = &stage.show()["questions"][0];
        assert_eq!((question["id"].as_str(), question["kind"].as_str()), (Some("budget"), Some("budget")));
        question["text"].as_str().unwrap().to_string()
    };
    // The writer's script told nothing, so it is more than what is known.
    let text = asked(&stage);
    assert!(text.contains("1234 tokens of 1000 tokens") && text.contains("did not report it: 1"), "{text}");
    assert!(!stage.calls().contains(&"ada summary 1 1".to_string()), "{:?}", stage.calls());
    // Nothing is called before the pilot has said so, whoever takes the session up again.
    assert_eq!(stage.resume(&[]).code, Some(3));
    assert!(asked(&stage).contains("1234 tokens of 1000 tokens"));
    let ran = stage.answer_and_resume("budget", "raise");
    stage.assert_closed(&ran);
}

#[test]
fn rule_5_a_limit_in_dollars_counts_what_is_reported_in_dollars() {
    let stage = stage();
    let ran = stage.session(&["--peer", "opencode", "--limit-usd", "0.01"]);
    stage.assert_closed(&ran);
    let ran = stage.session(&["--peer", "opencode", "--limit-usd", "much"]);
    assert!(ran.code == Some(2) && ran.err.contains("an amount of dollars"), "{ran:?}");
}
