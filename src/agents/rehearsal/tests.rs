use super::*;
use crate::agents::call::Purpose;
use crate::domain::question::QuestionKind;
use crate::domain::time::Stamp;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Write};

/// Runs one call as the child process would, at once. Exit code, stdout, stderr.
fn run(args: &[&str], env: &[(&str, &str)], prompt: &str) -> (u8, String, String) {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let env: HashMap<&str, &str> = env.iter().copied().collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = rehearse(
        &args,
        &|name| env.get(name).map(ToString::to_string),
        prompt.as_bytes(),
        &mut out,
        &mut err,
    );
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn speak(story: &str, who: &str, call: &str, round: &str) -> (u8, String, String) {
    let env = [
        ("FLIGHTDECK_CALL", call),
        ("FLIGHTDECK_ROUND", round),
        ("FLIGHTDECK_ATTEMPT", "1"),
        ("FLIGHTDECK_SESSION", "2026-08-24-01-x"),
    ];
    run(&[story, who, "--speed", "0", "-p", "--model", "any"], &env, "prompt")
}

fn said(story: &str, who: &str, call: &str, round: u32) -> String {
    let (code, out, err) = speak(story, who, call, &round.to_string());
    assert_eq!((code, err.as_str()), (0, ""), "{story} {who} {call} {round}");
    out
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

/// Frontmatter and body, by the test of the reference scripts (PC-052).
fn parts(text: &str) -> (Value, &str) {
    let head = text.strip_prefix("---\n").expect("the first line is a fence");
    let (head, body) = head.split_once("\n---\n").expect("a later line is a fence");
    assert!(body.chars().any(char::is_alphanumeric));
    (yaml(head), body)
}

fn has(text: &str, marker: &str) -> bool {
    text.lines().any(|line| line.starts_with(marker))
}

#[test]
fn every_story_is_whole_and_a_pilot_can_be_away() {
    for name in stories() {
        let story = story(name).unwrap();
        assert!(!story.title.is_empty() && !story.task.contains('\n'), "{name}");
        for kind in [QuestionKind::WpGate, QuestionKind::Gate, QuestionKind::Close, QuestionKind::Reflection]
        {
            assert!(story.answer(kind, 0).is_some(), "{name} {kind:?}");
        }
        // A person may lead the session elsewhere: later rounds still have something to say.
        for peer in &story.peers {
            assert!(story.line(&peer.vendor, Purpose::Peer, 9, 2).is_some(), "{name} {}", peer.vendor);
        }
        for call in [Purpose::Opening, Purpose::Turn, Purpose::Summary, Purpose::Synthesis] {
            assert!(story.line(&story.writer.vendor, call, 9, 2).is_some(), "{name} {call:?}");
        }
        if story.peers.len() > 1 {
            assert!(story.line(&story.writer.vendor, Purpose::Roles, 0, 1).is_some(), "{name}");
            assert!(
                story.peers.iter().all(|p| story.line(&p.vendor, Purpose::Discovery, 0, 1).is_some()),
                "{name}"
            );
        }
    }
    let extension = story("extension").unwrap();
    let close: Vec<_> = (0..3).filter_map(|nth| extension.answer(QuestionKind::Close, nth)).collect();
    assert!(close[0].contains("extend") && close[1] == "close" && close[2] == "close");
    let closing = ["close", "closing"];
    assert!(!close[0].split(|c: char| !c.is_alphanumeric()).any(|word| closing.contains(&word)), "PC-612");
    assert!(
        story("disagree").unwrap().answer(QuestionKind::Dispute, 0).unwrap().starts_with("Close"),
        "PC-426"
    );
}

#[test]
fn pc_052_every_peer_reply_has_frontmatter_and_no_side_effects() {
    for name in stories() {
        let story = story(name).unwrap();
        for peer in &story.peers {
            for line in story.lines[&peer.vendor].iter().filter(|l| l.call != Purpose::Review) {
                let round = line.round.unwrap_or(9);
                let (code, out, err) = speak(name, &peer.vendor, line.call.key(), &round.to_string());
                if line.exit != 0 {
                    assert_eq!((code, out.as_str()), (line.exit, ""));
                    assert!(!err.is_empty());
                    continue;
                }
                let (head, body) = parts(&out);
                assert_eq!(head["role"], "peer");
                assert_eq!(head["agent_id"], peer.agent_id.as_str());
                assert!(Stamp::parse(head["timestamp"].as_str().unwrap()).is_some());
                let discovery = line.call == Purpose::Discovery;
                let turn = match (discovery, story.peers.len()) {
                    (true, _) => 0,
                    (false, 1) => 2 * round - 1,
                    (false, _) => round,
                };
                assert_eq!(head["turn"], turn, "AMB-33");
                assert_eq!(head.get("content_role").is_some(), story.peers.len() > 1, "PC-236");
                assert_eq!(head.get("role_accepted").is_some(), discovery, "PC-274");
                // The word in the head and the marker in the body agree (PC-239).
                let word = ["ESCALATE_TO_USER:", "CONSENSUS:"].map(|marker| has(body, marker));
                let expected = match word {
                    [true, _] => "escalate",
                    [_, true] => "reached",
                    _ => "none",
                };
                assert_eq!(head["consensus"], expected, "{name} {} {round}", peer.vendor);
                assert!(body.len() > 80 && !body.contains("_WRITTEN") && !body.contains('\t'));
            }
        }
    }
}

#[test]
fn pc_370_markers_stand_where_the_story_needs_them() {
    for (story, who, call, round, marker) in [
        ("consensus", "mira", "peer", 2, "CONSENSUS: "),
        ("three", "mira", "peer", 1, "ESCALATE_TO_USER: "),
        ("three", "ada", "turn", 1, "OFFER_HANDOFF: mira — "),
        ("three", "mira", "peer", 2, "ACCEPT_HANDOFF"),
        ("three", "mira", "peer", 2, "CONSENSUS: "),
        ("disagree", "vera", "peer", 1, "ESCALATE_TO_USER: "),
        ("disagree", "otto", "peer", 2, "PASS — "),
        ("extension", "vera", "peer", 2, "CONSENSUS: "),
        ("extension", "vera", "peer", 3, "CONSENSUS: "),
    ] {
        assert!(has(&said(story, who, call, round), marker), "{story} {who} {round} {marker}");
    }
    for (story, who, call, round) in [
        ("consensus", "mira", "peer", 1),
        ("consensus", "ada", "turn", 1),
        ("three", "ada", "turn", 1),
        ("disagree", "otto", "peer", 1),
        ("disagree", "vera", "peer", 2),
        ("disagree", "ada", "turn", 2),
        ("extension", "vera", "peer", 1),
        ("extension", "ada", "turn", 2),
    ] {
        let text = said(story, who, call, round);
        assert!(!has(&text, "CONSENSUS:") && !has(&text, "PASS"), "{story} {who} {round}");
    }
}

#[test]
fn pc_350_in_three_one_peer_fails_twice() {
    for round in ["1", "2"] {
        let (code, out, err) = speak("three", "otto", "peer", round);
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(err.contains("no answer"), "{err}");
    }
    assert_eq!(story("three").unwrap().limits.attempts, 2);
}

#[test]
fn pc_272_openings_with_several_peers_propose_a_role_for_each() {
    for name in ["three", "disagree"] {
        let story = story(name).unwrap();
        let opening = said(name, "ada", "opening", 0);
        let (head, body) = parts(&opening);
        assert!(body.len() > 400);
        let roles = yaml(&said(name, "ada", "roles", 0));
        assert!(!roles["writer_role"].as_str().unwrap().is_empty());
        assert!(!head["suggested_initiator_role"].as_str().unwrap().is_empty());
        for peer in &story.peers {
            let accepted = parts(&said(name, &peer.vendor, "discovery", 0)).0["content_role"].clone();
            assert_eq!(head["proposed_roles"][&peer.agent_id], accepted);
            assert_eq!(roles["agreed_roles"][&peer.agent_id], accepted);
            if let (0, turn, _) = speak(name, &peer.vendor, "peer", "1") {
                assert_eq!(parts(&turn).0["content_role"], accepted, "PC-343");
            }
        }
    }
}

#[test]
fn structured_answers_have_exactly_their_keys() {
    for name in stories() {
        for round in [2, 3] {
            let summary = yaml(&said(name, "ada", "summary", round));
            let keys: Vec<&String> = summary.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["discussed", "agreed", "proposed", "hours", "impact", "defer"], "PC-462");
            assert!(
                summary["hours"].is_u64() && summary["proposed"].is_array() && summary["defer"] == "none"
            );
        }
    }
    let dispute = yaml(&said("disagree", "ada", "dispute", 2));
    assert_eq!(
        (&dispute["reversible"], &dispute["in_authority"]),
        (&"disputed".into(), &"yes".into()),
        "PC-424"
    );
    let mut voters: Vec<&str> = Vec::new();
    for position in dispute["positions"].as_array().unwrap() {
        voters.extend(position["supporters"].as_array().unwrap().iter().filter_map(Value::as_str));
    }
    voters.sort_unstable();
    assert_eq!(voters, ["ada", "otto", "vera"], "every voter appears once");
}

#[test]
fn pc_622_every_report_has_its_parts() {
    for (name, class, escalations, log) in [
        ("consensus", "agreed", 0, "00-writer 01-peer 02-writer 03-peer"),
        (
            "three",
            "partial",
            1,
            "00-writer 00-peer-mira 00-peer-otto 01-writer 01-peer-mira 01-writer_r1 02-peer-mira",
        ),
        (
            "disagree",
            "not-agreed",
            2,
            "00-writer 00-peer-otto 00-peer-vera 01-writer 01-peer-otto 01-peer-vera 01-writer_r1 02-peer-otto 02-peer-vera 02-writer",
        ),
        ("extension", "agreed", 0, "00-writer 01-peer 02-writer 03-peer"),
    ] {
        let story = story(name).unwrap();
        let report = said(name, "ada", "synthesis", 9);
        let (head, body) = parts(&report);
        assert_eq!(head["session_id"], "2026-08-24-01-x");
        assert_eq!(
            (head["schema_version"].as_u64(), head["escalations_count"].as_u64()),
            (Some(1), Some(escalations))
        );
        assert_eq!((&head["result_class"], &head["cost_source"]), (&class.into(), &"missing".into()));
        assert_eq!(head["writer"], story.writer.agent_id.as_str());
        let peers: Vec<&str> = story.peers.iter().map(|p| p.agent_id.as_str()).collect();
        assert_eq!(head["peer"], peers.join(", ").as_str());
        assert_eq!(head["confidence"] == "high", head.get("confidence_basis").is_none(), "PC-620");
        assert!(head["duration_min"].is_u64() && head.get("generated_at").is_some());

        assert!(body.starts_with("\n# Final Report\n"));
        let sections: Vec<&str> = body.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(
            sections,
            [
                "## 1. Original problem statement",
                "## 2. Positions by topic",
                "## 3. Rejected alternatives",
                "## 4. Recorded decision",
                "## 5. Open questions and escalations",
                "## 7. Metadata and navigation",
            ]
        );
        assert!(
            body.contains(&format!("- **Task:** {}\n", story.task)),
            "{name}: the task stands word for word"
        );
        let decision = body.split("## 4. Recorded decision\n").nth(1).unwrap().split("\n## ").next().unwrap();
        match class {
            "not-agreed" => assert_eq!(decision.trim(), "Consensus not reached", "PC-623"),
            _ => assert!(decision.contains("[synthesized]") && decision.contains("**Key argument:**")),
        }
        let early = body.split("## 5.").next().unwrap();
        assert!(!["PASS", "SHA", "exit "].iter().any(|word| early.contains(word)), "PC-624");
        let open = body.split("## 5.").nth(1).unwrap().split("## 7.").next().unwrap();
        assert!(open.contains("- Status: ") && open.contains("- Reference: "));
        assert_eq!(open.contains("otto") && open.contains("exit_1"), class == "partial");
        assert_eq!(open.matches("- Reference: escalation-").count() as u64, escalations);
        let links: Vec<String> = log.split(' ').map(|file| format!("[{file}.md]({file}.md)")).collect();
        assert!(
            body.contains(&format!("- **Log:** {}\n", links.join(", "))),
            "{name}: all turn files in reading order"
        );
        assert_eq!(body.contains("**Round skips:**"), class == "partial");
    }
}

#[test]
fn the_text_comes_out_exactly() {
    let out = said("three", "mira", "discovery", 0);
    let stamp = out.lines().find_map(|line| line.strip_prefix("timestamp: ")).unwrap();
    let story = story("three").unwrap();
    let (line, turn) = story.line("mira", Purpose::Discovery, 0, 1).unwrap();
    assert_eq!(out, line.say.replace("{now}", stamp).replace("{agent_id}", "mira"));
    assert_eq!(turn, 0);
    assert_eq!(said("consensus", "ada", "opening", 0), story_text("consensus", "ada", Purpose::Opening));
}

fn story_text(name: &str, who: &str, call: Purpose) -> String {
    story(name).unwrap().line(who, call, 0, 1).unwrap().0.say.clone()
}

#[test]
fn placeholders_are_filled_once_and_other_braces_stay() {
    let text = "title: t\ntask: x\nwriter: {vendor: w, agent_id: w}\npeers: [{vendor: p, agent_id: p-1}]\n\
                lines:\n  w: [{call: opening, say: 'x'}]\n  \
                p: [{call: peer, say: '{turn} {agent_id} {session} {other} {{turn} {'}]\n";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let env = [("FLIGHTDECK_CALL", "peer"), ("FLIGHTDECK_ROUND", "2"), ("FLIGHTDECK_SESSION", "{turn}")];
    let (code, out, _) = run(&[file.path().to_str().unwrap(), "p", "--speed", "0"], &env, "x");
    assert_eq!((code, out.as_str()), (0, "3 p-1 {turn} {other} {3 {"));
}

#[test]
fn pc_056_bad_calls_are_refused_with_a_diagnostic() {
    let env = [("FLIGHTDECK_CALL", "peer"), ("FLIGHTDECK_ROUND", "1")];
    for (args, env, prompt, part) in [
        (&["three"][..], &env[..], "x", "usage"),
        (&["three", "mira", "--permission-mode", "plan"], &env, "x", "unknown flag"),
        (&["three", "mira", "--model", "-p"], &env, "x", "--model needs a value"),
        (&["three", "mira", "--speed", "fast"], &env, "x", "--speed"),
        (&["three", "mira", "--speed", "1e-300"], &env, "x", "--speed"),
        (&["nothing", "mira"], &env, "x", "Known stories: consensus"),
        (&["three", "nobody"], &env, "x", "Known: ada, mira, otto"),
        (&["three", "mira"], &env, "", "empty"),
        (&["three", "mira"], &[], "x", "FLIGHTDECK_CALL"),
        (
            &["three", "mira"],
            &[("FLIGHTDECK_CALL", "peer"), ("FLIGHTDECK_ROUND", "one")],
            "x",
            "FLIGHTDECK_ROUND",
        ),
        (&["three", "mira"], &[("FLIGHTDECK_CALL", "review")], "x", "no line for call review"),
    ] {
        let (code, out, err) = run(args, env, prompt);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}");
        assert!(err.starts_with("ERROR: ") && err.contains(part), "{args:?}: {err}");
    }
}

#[test]
fn mistakes_in_a_story_name_their_place() {
    let good = "title: t\ntask: x\nwriter: {vendor: w, agent_id: w}\npeers: [{vendor: p, agent_id: p}]\n\
                lines:\n  w: [{call: opening, say: x}]\n  p: [{call: peer, say: x, pause: 1.5s}]\n";
    assert!(Story::parse(good).is_ok());
    for (from, to, part) in [
        ("title: t", "title: t\nspeeed: 2", "speeed"),
        ("say: x, pause", "says: x, pause", "says"),
        ("call: peer", "call: chat", "chat"),
        ("pause: 1.5s", "pause: soon", "pause: expected"),
        ("pause: 1.5s", "pause: -1s", "pause: expected"),
        ("pause: 1.5s", "exit: 256", "invalid u8 at line 7"),
        ("  p: [", "  q: [", "p has none"),
        ("say: x, pause: 1.5s", "pause: 1s", "lines.p[0] (peer): needs `say`"),
        ("call: peer", "call: turn", "lines.p[0] (turn): only a peer"),
        ("{vendor: p, agent_id: p}", "{vendor: p, agent_id: w}", "used twice"),
        ("{vendor: p, agent_id: p}", "{vendor: p/q, agent_id: p}", "p/q"),
        ("[{vendor: p, agent_id: p}]", "[]", "at least one"),
        ("task: x", "task: ' '", "task"),
    ] {
        assert!(good.contains(from));
        let error = Story::parse(&good.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(part), "{to}: {error}");
    }
    let error = Story::parse(&good.replace("title: t", "title: t\nspeeed: 2")).unwrap_err();
    assert!(error.contains("line 2"), "{error}");
}

/// Counts what arrives piece by piece, and may go away.
struct Reader {
    pieces: usize,
    text: String,
    gone_after: usize,
}

impl Write for &mut Reader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pieces >= self.gone_after {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.text.push_str(std::str::from_utf8(bytes).expect("whole characters"));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pieces += 1;
        Ok(())
    }
}

#[test]
fn a_reply_is_written_a_few_words_at_a_time() {
    let env = |name: &str| (name == "FLIGHTDECK_CALL").then(|| "opening".to_string());
    let args = ["consensus", "ada", "--speed", "1000"].map(String::from);
    let mut reader = Reader { pieces: 0, text: String::new(), gone_after: usize::MAX };
    assert_eq!(rehearse(&args, &env, &b"prompt"[..], &mut reader, io::sink()), 0);
    assert_eq!(reader.text, story_text("consensus", "ada", Purpose::Opening));
    assert!(reader.pieces > 20);

    let mut reader = Reader { pieces: 0, text: String::new(), gone_after: 2 };
    assert_eq!(rehearse(&args, &env, &b"prompt"[..], &mut reader, io::sink()), 1);
}
