use super::*;
use crate::domain::lang::Lang;
use crate::domain::session::failure::Reason;
use crate::domain::session::meta::{
    AdHocRole, Decision, Extension, Handoff, PeerFailure, ResultClass, Status,
};
use proptest::prelude::*;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");
const EXAMPLES: [&str; 3] = [
    "2026-08/24/2026-08-24-01-choose-cache-eviction-policy",
    "2026-08/24/2026-08-24-02-agree-log-rotation-for",
    "2026-08/24/2026-08-24-03-drop-legacy-token-table",
];
const FOREIGN: [&str; 5] = [
    "old/DS-strategy/sessions/2026-06/2026-06-17-01-editor-setup",
    "literal/DS-strategy/sessions/2026-07/20/2026-07-20-01-tidy-build-cache",
    "kimi-writer/DS-strategy/sessions/2026-08/03/2026-08-03-02-pick-queue-library",
    "russian/DS-strategy/sessions/2026-09/02/2026-09-02-01-session",
    "control/DS-strategy/sessions/2026-08/11/2026-08-11-04-writer-alone",
];

fn example(dir: &str) -> String {
    std::fs::read_to_string(format!("{ROOT}examples/DS-strategy/sessions/{dir}/meta.yaml")).unwrap()
}

fn foreign(dir: &str) -> String {
    std::fs::read_to_string(format!("{ROOT}{dir}/meta.yaml")).unwrap()
}

fn id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap()
}

fn good(text: &str) -> Meta {
    let (meta, problems) = parse(text, None);
    assert_eq!(problems, Vec::<String>::new());
    meta.unwrap()
}

/// A file in its own right: every value typed another way, in another order, with strangers in between.
const HAND_MADE: &str = "# by hand\n---\nstatus: 'started'\nextra: {keep: [me]}\nsession_id: 2026-08-24-01-x\n\n\
    start_time: 2026-08-24T09:00:00Z # UTC\npeer_agents:\n- codex\n- \"hermes\"\nround_skips:\n  round_01:\n    - hermes\n\
    # between\n\"turns_count\" : 3\ntask_description: 'it''s \"quoted\" # not a comment' # a comment\npeer_agent: codex\n\
    writer_agent:   claude-code\npeer_failures:\n  - {round: 1, vendor: hermes, reason: exit_1}\n  # inside\n\
    deploy_shas: {app: 12e4567, lib: 0123456}\ntask_id: 0484\nempty:\n";

#[test]
fn pc_160_new_files_have_the_exact_bytes_of_the_examples() {
    for dir in EXAMPLES {
        let text = example(dir);
        let meta = good(&text);
        assert_eq!(render_new(&meta), text, "{dir}");
        assert_eq!(check(&text), Vec::<String>::new());
    }
}

#[test]
fn pc_165_values_of_the_examples_are_understood() {
    let meta = good(&example(EXAMPLES[1]));
    assert_eq!(meta.round_skips, [(1, vec!["hermes".to_string()]), (2, vec!["hermes".to_string()])]);
    assert_eq!(meta.failed, ["hermes"]);
    assert_eq!(meta.peer_attempts, [("codex".to_string(), 0), ("hermes".to_string(), 2)]);
    assert_eq!(
        meta.peer_failures,
        [PeerFailure { round: 2, vendor: "hermes".into(), reason: Reason::Exit(1) }]
    );
    assert_eq!(meta.roles_of("hermes"), ["cost critic"]);
    assert_eq!((meta.engine_decision, meta.engine_lang), (Some(Decision::Record), Some(Lang::En)));
    assert_eq!(meta.status, Status::Completed);
}

#[test]
fn pc_165_every_collection_is_spelled_as_specified() {
    let mut meta = Meta::new(id("2026-05-23-01-x"), "say \"hi\"\n| c:\\x");
    meta.handoff_history = vec![Handoff {
        round: 2,
        from: "claude-code".into(),
        to: "codex".into(),
        reason: "owns the schema".into(),
    }];
    meta.deploy_shas = vec![("app".into(), "1a2b3c4d5e6f".into())];
    meta.ad_hoc_roles = vec![AdHocRole {
        name: "cost critic".into(),
        agent_id: "hermes".into(),
        rationale: "no such role in the catalog".into(),
        first_used_turn: 0,
    }];
    meta.extensions = vec![Extension {
        turns: vec![4, 5, 6],
        reason: "verification R23 + multiplier recalculation".into(),
        appended_at: "2026-05-23T04:25".into(),
    }];
    meta.peer_attempts = vec![("no".into(), 1)];
    meta.unresolved = Some(2);
    let text = render_new(&meta);
    for line in [
        r#"handoff_history: [{round: 2, from: "claude-code", to: "codex", reason: "owns the schema"}]"#,
        r#"deploy_shas: {"app": "1a2b3c4d5e6f"}"#,
        r#"ad_hoc_roles: {"cost critic": {agent_id: "hermes", rationale: "no such role in the catalog", first_used_turn: 0}}"#,
        r#"peer_attempts: {"no": 1}"#,
        r#"task_description: "say \"hi\"\n| c:\\x""#,
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}\n{text}");
    }
    let block = "extensions:\n  - turns: [4, 5, 6]\n    reason: \"verification R23 + multiplier recalculation\"\n    \
                 appended_at: \"2026-05-23T04:25\"\nresult_path";
    assert!(text.contains(block), "{text}");
    assert!(text.contains("swap_history: []\nunresolved: 2\nengine_phase: \"\"\n"), "{text}");
    assert_eq!(good(&text), meta);
}

#[test]
fn pc_161_readers_accept_what_people_and_older_programs_wrote() {
    let old = good(&foreign(FOREIGN[0]));
    assert_eq!(
        (old.peer_agents.as_slice(), old.peer_cmds.as_slice()),
        (&["claude-code".to_string()][..], &["claude-peer-adapter".to_string()][..])
    );
    assert_eq!((old.turns_limit, old.rounds_limit, old.max_peer_attempts), (10, 6, 2));
    assert_eq!((old.personality.as_str(), old.engine_lang, old.unresolved), ("unassigned", None, None));
    assert!(old.implementation_pipeline && old.round_order.is_empty());
    let literal = good(&foreign(FOREIGN[1]));
    assert_eq!(literal.task_id, "WP-077");
    assert_eq!((literal.status, literal.end_time.as_str()), (Status::Completed, "2026-07-20T10:55:00Z"));
    assert_eq!(literal.start_time, "2026-07-20T10:00:00Z");
    assert_eq!(literal.extensions[0].turns, [3]);
    assert_eq!(literal.roles_of("kimi-headless"), ["critic"]);
    assert_eq!(good(&foreign(FOREIGN[2])).status, Status::Interrupted);
    let control = good(&foreign(FOREIGN[4]));
    assert!(
        control.peer_agent.is_empty() && control.peer_agents.is_empty() && !control.test_subject.is_empty()
    );
    let made = good(HAND_MADE);
    assert_eq!(made.peer_agents, ["codex", "hermes"]);
    assert_eq!(made.task_description, "it's \"quoted\" # not a comment");
    assert_eq!(made.task_id, "0484");
    assert_eq!(made.deploy_shas, [("app".into(), "12e4567".into()), ("lib".into(), "0123456".to_string())]);
    assert_eq!((made.turns_count, made.peer_failures.len(), made.date.as_str()), (3, 1, "2026-08-24"));
}

#[test]
fn pc_161_a_broken_line_costs_only_its_own_value() {
    let text = "session_id: \"2026-08-24-01-x\"\npeer_agent: \"codex\"\nroles: {a: [b\ntask_description: Fix: the parser\n\
                turns_count: many\nstatus: \"completed\"\nstatus: \"interrupted\"\nend_time: \"2026-08-2";
    let (meta, problems) = parse(text, None);
    let meta = meta.unwrap();
    assert_eq!(meta.task_description, "Fix: the parser");
    assert_eq!((meta.peer_agent.as_str(), meta.turns_count), ("codex", 0));
    assert_eq!(meta.status, Status::Interrupted, "the last of two counts");
    assert!(
        problems.iter().any(|p| p.contains("`roles`"))
            && problems.iter().any(|p| p.contains("`turns_count`"))
    );
    assert!(!problems.concat().contains("parser"), "problems never quote the file: {problems:?}");
    let mut closed = meta.clone();
    closed.turns_count = 7;
    closed.status = Status::Completed;
    let edited = edit(text, &closed);
    let want = text.replace("\"interrupted\"", "\"completed\"").replace("many", "7");
    assert_eq!(edited, want, "both spellings of the status agree and broken lines stay");
}

#[test]
fn pc_161_the_directory_names_a_session_without_an_id() {
    let fallback = id("2026-06-17-01-x");
    let (meta, problems) = parse("status: started\n", Some(&fallback));
    assert_eq!((meta.unwrap().session_id, problems.len()), (fallback.clone(), 0));
    let (meta, problems) = parse("session_id: \"../../etc\"\n", Some(&fallback));
    assert_eq!((meta.unwrap().session_id, problems.len()), (fallback.clone(), 1));
    assert_eq!(parse("status: started\n", None).0, None);
    for text in ["", "\n# nothing\n", "\u{0}\u{1b}[31m", "---\n---\n", "just text"] {
        let (meta, problems) = parse(text, Some(&fallback));
        assert!(meta.is_none() && !problems.is_empty(), "{text:?}");
    }
}

#[test]
fn pc_162_an_edit_touches_only_the_lines_that_change() {
    let mut meta = good(HAND_MADE);
    meta.status = Status::Interrupted;
    meta.turns_count = 4;
    meta.end_time = "2026-08-24T10:00:00Z".into();
    meta.start_time = "2026-08-24T09:00:01Z".into();
    meta.peer_agents.pop();
    meta.skip(2, "hermes");
    meta.engine_lang = Some(Lang::Ru);
    meta.engine_phase = "closed".into();
    let want = HAND_MADE
        .replace("status: 'started'", "status: \"interrupted\"")
        .replace("\"turns_count\" : 3", "\"turns_count\" : 4")
        .replace("2026-08-24T09:00:00Z # UTC", "\"2026-08-24T09:00:01Z\" # UTC")
        .replace("peer_agents:\n- codex\n- \"hermes\"\n", "peer_agents: [\"codex\"]\n")
        .replace(
            "round_skips:\n  round_01:\n    - hermes\n",
            "round_skips: {round_01: [\"hermes\"], round_02: [\"hermes\"]}\n",
        )
        .replace("task_id: 0484\n", "task_id: 0484\nend_time: \"2026-08-24T10:00:00Z\"\n")
        + "engine_phase: \"closed\"\nengine_lang: \"ru\"\n";
    assert_eq!(edit(HAND_MADE, &meta), want);
    assert_eq!(good(&want), meta);
}

#[test]
fn pc_162_line_breaks_comments_and_torn_ends_are_respected() {
    let crlf = HAND_MADE.replace('\n', "\r\n");
    let mut meta = good(&crlf);
    meta.extensions.push(Extension {
        turns: vec![4],
        reason: "why".into(),
        appended_at: "2026-08-24T10:00".into(),
    });
    let edited = edit(&crlf, &meta);
    assert_eq!(edited.matches('\n').count(), edited.matches("\r\n").count());
    assert_eq!(good(&edited), meta);
    let torn = "session_id: \"2026-08-24-01-x\"\npeer_agent: \"codex\"";
    let mut meta = good(torn);
    meta.engine_phase = "opening".into();
    assert_eq!(edit(torn, &meta), format!("{torn}\nengine_phase: \"opening\"\n"));
    let braces = "{session_id: 2026-08-24-01-x, peer_agent: codex}\n";
    let mut meta = good(braces);
    assert_eq!(edit(braces, &meta), braces);
    meta.turns_count = 2;
    assert_eq!(good(&edit(braces, &meta)), meta);
    meta.unresolved = Some(1);
    let with = edit(&render_new(&meta), &meta);
    meta.unresolved = None;
    assert_eq!(edit(&with, &meta), render_new(&meta), "a value that is gone takes its line along");
}

#[test]
fn pc_164_engine_keys_keep_their_order() {
    let old = foreign(FOREIGN[0]);
    let mut meta = good(&old);
    meta.engine_lang = Some(Lang::Ru);
    let once = edit(&old, &meta);
    assert!(once.ends_with("swap_history: []\nengine_lang: \"ru\"\n---\n"), "{once}");
    meta.engine_result_class = Some(ResultClass::Agreed);
    meta.engine_phase = "closed".into();
    meta.unresolved = Some(1);
    let twice = edit(&once, &meta);
    let tail = "swap_history: []\nunresolved: 1\nengine_phase: \"closed\"\nengine_result_class: \"agreed\"\nengine_lang: \"ru\"\n---\n";
    assert!(twice.ends_with(tail), "{twice}");
    assert_eq!(good(&twice), meta);
}

#[test]
fn pc_160_scripts_can_edit_the_result() {
    let text = example(EXAMPLES[1]);
    let by_script: String = text
        .lines()
        .map(|line| match line.split_once(':') {
            Some(("status", _)) => "status: interrupted\n".to_string(),
            _ => format!("{line}\n"),
        })
        .collect();
    let meta = good(&by_script);
    assert_eq!(meta.status, Status::Interrupted);
    assert_eq!(edit(&by_script, &meta), by_script, "their spelling stays");
    assert_eq!(script_value(&by_script, "start_time"), "2026-08-24T11:00:00Z");
}

#[test]
fn pc_194_checks_are_those_of_the_script() {
    let text = example(EXAMPLES[0]);
    let bad = |from: &str, to: &str| check(&text.replace(from, to));
    assert_eq!(
        bad("end_time: \"2026-08-24T09:24:00Z\"", "end_time: \"2026-08-24T08:24:00Z\""),
        ["`end_time` is earlier than `start_time`"]
    );
    assert_eq!(bad("T09:00:00Z", "T$(date +%H:%M:%SZ)").len(), 1);
    assert_eq!(bad("peer_agent: \"codex\"", "peer_agent: ~"), ["`peer_agent` is missing or empty"]);
    assert_eq!(bad("status: \"completed\"", "status: ''").len(), 1);
    assert_eq!(bad("end_time: \"2026-08-24T09:24:00Z\"", "end_time: \"\""), Vec::<String>::new());
    assert_eq!(check("").len(), 5);
    assert_eq!(check(&foreign(FOREIGN[4])), ["`peer_agent` is missing or empty"]);
}

#[test]
fn pc_722_reading_normalises_nothing() {
    let files = EXAMPLES.map(example).into_iter().chain(FOREIGN.map(foreign)).chain([HAND_MADE.to_string()]);
    for text in files.flat_map(|t| [t.replace('\n', "\r\n"), format!("\u{feff}{t}"), t]) {
        let meta = parse(&text, None).0.unwrap();
        assert_eq!(edit(&text, &meta), text);
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z -]{0,12}",
        any::<String>(),
        prop::sample::select(vec![
            "",
            " ",
            "~",
            "null",
            "true",
            "12e4",
            "0x1f",
            "# x",
            "a: b",
            "- x",
            "Ещё: «раз»",
            "$(date)",
            "\u{85}\u{2028}"
        ])
        .prop_map(str::to_string),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9-]{0,8}",
        prop::sample::select(vec!["no", "y", "1", "a b", "ключ"]).prop_map(str::to_string)
    ]
}

fn pairs<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<(String, T)>> {
    prop::collection::vec((names(), value), 0..3).prop_map(|mut pairs| {
        let mut seen = std::collections::HashSet::new();
        pairs.retain(|(key, _)| seen.insert(key.clone()));
        pairs
    })
}

prop_compose! {
    fn metas()(
        words in prop::collection::vec(texts(), 11),
        agents in prop::collection::vec(names(), 1..3),
        numbers in prop::collection::vec(any::<u32>(), 7),
        skips in prop::collection::btree_map(0..120u32, prop::collection::vec(names(), 0..3), 0..3),
        failed in pairs(Just(())),
        attempts in pairs(any::<u32>()),
        shas in pairs(texts()),
        roles in pairs(prop::collection::vec(texts(), 0..3)),
        adhoc in pairs((texts(), texts(), any::<u32>())),
        extension in prop::option::of((prop::collection::vec(any::<u32>(), 0..4), texts(), texts())),
        status in prop::sample::select(vec![Status::Started, Status::Completed, Status::Interrupted]),
        decision in prop::option::of(prop::sample::select(Decision::ALL.to_vec())),
        lang in prop::option::of(prop::sample::select(vec![Lang::En, Lang::Ru])),
        unresolved in prop::option::of(any::<u32>()),
    ) -> Meta {
        let mut words = words.into_iter();
        let mut word = move || words.next().unwrap();
        let mut meta = Meta::new(id("2026-08-24-01-x"), &word());
        meta.task_id = word();
        meta.start_time = word();
        meta.end_time = word();
        meta.peer_model = word();
        meta.result_path = word();
        meta.verify_status = word();
        meta.engine_phase = word();
        meta.peer_agent = agents[0].clone();
        meta.peer_cmds = agents.clone();
        meta.peer_cmd = agents[0].clone();
        meta.peer_agents = agents;
        meta.status = status;
        meta.turns_count = numbers[0];
        meta.turns_limit = numbers[1];
        meta.rounds_limit = numbers[2];
        meta.max_peer_attempts = numbers[3];
        meta.escalations_count = numbers[4];
        meta.review_iterations = numbers[5];
        meta.discovery_turns = numbers[6];
        meta.implementation_pipeline = numbers[6] % 2 == 1;
        meta.round_skips = skips.into_iter().collect();
        meta.failed = failed.into_iter().map(|(vendor, ())| vendor).collect();
        meta.peer_attempts = attempts;
        let vendor = meta.peer_agents[0].clone();
        meta.peer_failures = vec![PeerFailure { round: numbers[0], vendor: vendor.clone(), reason: Reason::from(word()) }];
        meta.handoff_history = vec![Handoff { round: 1, from: vendor.clone(), to: vendor, reason: word() }];
        meta.deploy_shas = shas;
        meta.roles = roles;
        meta.ad_hoc_roles = adhoc
            .into_iter()
            .map(|(name, (agent_id, rationale, first_used_turn))| AdHocRole { name, agent_id, rationale, first_used_turn })
            .collect();
        meta.extensions =
            extension.map(|(turns, reason, appended_at)| Extension { turns, reason, appended_at }).into_iter().collect();
        meta.unresolved = unresolved;
        meta.engine_decision = decision;
        meta.engine_lang = lang;
        meta
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pc_160_what_is_written_reads_back(meta in metas()) {
        let text = render_new(&meta);
        let (read, problems) = parse(&text, None);
        prop_assert_eq!(problems, Vec::<String>::new());
        prop_assert_eq!(read, Some(meta.clone()));
        prop_assert_eq!(edit(&text, &meta), text);
    }

    #[test]
    fn pc_162_an_edit_reaches_every_meta_from_every_file(meta in metas(), pick in 0..9usize) {
        let files: Vec<String> =
            EXAMPLES.map(example).into_iter().chain(FOREIGN.map(foreign)).chain([HAND_MADE.to_string()]).collect();
        let old = &files[pick];
        let mut meta = meta;
        let before = parse(old, None).0.unwrap();
        meta.test_subject = before.test_subject.clone();
        if before.engine_lang.is_some() { meta.engine_lang = meta.engine_lang.or(Some(Lang::En)); }
        let edited = edit(old, &meta);
        let (read, problems) = parse(&edited, None);
        prop_assert_eq!(problems, Vec::<String>::new());
        prop_assert_eq!(read, Some(meta.clone()));
        prop_assert_eq!(edit(&edited, &meta), edited.clone());
        for line in old.lines().filter(|l| l.starts_with("x_note") || l.starts_with("extra") || l.starts_with('#')) {
            prop_assert!(edited.lines().any(|l| l == line), "{} is gone", line);
        }
    }

    #[test]
    fn pc_161_no_file_makes_reading_fail(text in any::<String>(), cut in 0..2000usize, pick in 0..2usize) {
        let fallback = id("2026-08-24-01-x");
        let _ = parse(&text, Some(&fallback));
        let whole = [HAND_MADE.to_string(), example(EXAMPLES[1])][pick].clone();
        let mut cut = cut.min(whole.len());
        while !whole.is_char_boundary(cut) { cut -= 1 }
        let torn = &whole[..cut];
        if let (Some(meta), _) = parse(torn, Some(&fallback)) {
            prop_assert_eq!(edit(torn, &meta), torn);
        }
    }
}
