//! The opening against the worked examples EX.1 to EX.3 and the rules of groups A and E.

use super::*;
use crate::engine::wp::WpRow;
use std::fs;

fn request(task: &str) -> NewSession {
    NewSession {
        task: task.into(),
        model: None,
        wp: None,
        roles: None,
        turns_limit: 10,
        rounds_limit: 6,
        max_peer_attempts: 2,
        lang: Lang::En,
        yes: false,
    }
}

fn with(peers: &[&str]) -> Participants {
    let agent =
        |vendor: &str| if vendor == "kimi" { "kimi-headless".to_string() } else { vendor.to_string() };
    Participants {
        writer: WriterChoice { vendor: "claude".into(), agent_id: "claude-code".into() },
        peers: peers
            .iter()
            .map(|v| PeerChoice {
                vendor: v.to_string(),
                agent_id: agent(v),
                peer_cmd: format!("{v}-peer-adapter"),
            })
            .collect(),
        problems: Vec::new(),
    }
}

fn findings(lookup: Lookup) -> Findings {
    Findings { lookup, class: None, personality: "unassigned".into() }
}

fn in_plan(id: u32, title: &str) -> Lookup {
    Lookup::InPlan(WpRow { id: WpId(id), title: title.into(), status: String::new() })
}

fn open(request: &NewSession, peers: &[&str], lookup: Lookup) -> Opening {
    compose(request, with(peers), findings(lookup)).unwrap()
}

/// `Meta` as the example shows it before the first turn: what creation decides, defaults for the rest.
fn example(id: &str, task: &str, start: &str, peers: &[(&str, &str, &str)]) -> Meta {
    let list = |pick: fn(&(&str, &str, &str)) -> String| -> Vec<String> { peers.iter().map(pick).collect() };
    Meta {
        start_time: start.into(),
        peer_agent: peers[0].1.into(),
        peer_cmd: peers[0].2.into(),
        peer_agents: list(|p| p.1.into()),
        peer_cmds: list(|p| p.2.into()),
        engine_lang: Some(Lang::En),
        ..Meta::new(SessionId::parse(id).unwrap(), task)
    }
}

fn meta(opening: &Opening, id: &str, start: &str) -> Meta {
    opening.meta(SessionId::parse(id).unwrap(), Stamp::parse(start).unwrap())
}

#[test]
fn pc_163_ex_1_one_peer() {
    let (id, start) = ("2026-08-24-01-choose-cache-eviction-policy", "2026-08-24T09:00:00Z");
    let task = "Choose cache eviction policy for the thumbnail store (WP-142)";
    let request = NewSession { wp: Some("WP-142".into()), ..request(&format!("  {task}\n ")) };
    let opening = open(&request, &["codex"], in_plan(142, "Cache"));
    let want = Meta {
        task_id: "WP-142".into(),
        ..example(id, task, start, &[("codex", "codex", "codex-peer-adapter")])
    };
    assert_eq!(meta(&opening, id, start), want);
    assert!(opening.questions.is_empty() && !opening.discovery);
}

#[test]
fn pc_163_ex_2_two_peers_with_discovery() {
    let (id, start) = ("2026-08-24-02-agree-log-rotation-for", "2026-08-24T11:00:00Z");
    let task = "Agree log rotation for the worker pool";
    let request = NewSession { wp: Some("WP-150".into()), ..request(task) };
    let opening = open(&request, &["codex", "hermes"], in_plan(150, "Logs"));
    let peers = [("codex", "codex", "codex-peer-adapter"), ("hermes", "hermes", "hermes-peer-adapter")];
    let want = Meta {
        task_id: "WP-150".into(),
        round_order: vec!["codex".into(), "hermes".into()],
        ..example(id, task, start, &peers)
    };
    assert_eq!(meta(&opening, id, start), want);
    assert!(opening.discovery);
}

#[test]
fn pc_163_ex_3_roles_from_the_pilot() {
    let (id, start) = ("2026-08-24-03-drop-legacy-token-table", "2026-08-24T14:00:00Z");
    let task = "Drop legacy token table from the auth database | yes or no";
    let request = NewSession {
        roles: Some("writer=moderator,codex=database critic,kimi=client critic".into()),
        rounds_limit: 2,
        ..request(task)
    };
    let opening = open(&request, &["codex", "kimi"], Lookup::NotFound);
    let peers = [("codex", "codex", "codex-peer-adapter"), ("kimi", "kimi-headless", "kimi-peer-adapter")];
    let role = |agent: &str, role: &str| (agent.to_string(), vec![role.to_string()]);
    let want = Meta {
        round_order: vec!["codex".into(), "kimi".into()],
        rounds_limit: 2,
        writer_model_recommended: "opus".into(),
        roles: vec![
            role("claude-code", "moderator"),
            role("codex", "database critic"),
            role("kimi-headless", "client critic"),
        ],
        ..example(id, task, start, &peers)
    };
    assert_eq!(meta(&opening, id, start), want);
    assert!(!opening.discovery, "PC-270");
    assert_eq!(opening.questions.len(), 1, "no WP in the plan: the pilot is asked");
}

#[test]
fn pc_113_announcement_of_a_turn_loop() {
    let opening = open(&request("Choose a cache"), &["codex"], in_plan(142, "Cache \"x\""));
    assert_eq!(
        opening.announcement,
        [
            "Peer: codex (codex)",
            "Opening Peer Session (DP.SC.154)",
            "Role: Writer (Claude) | Peer(s): codex (codex)",
            "Task: Choose a cache",
            "WP: WP-142 \"Cache \"x\"\"",
            "Method: turn-loop ≤10 turns (PEER_COUNT==1)",
            "Recommended writer model: sonnet",
            "(Task class: closed-loop. Select the model at Claude Code startup.)",
        ]
    );
}

#[test]
fn pc_113_announcement_of_a_round_loop_in_russian() {
    let request =
        NewSession { lang: Lang::Ru, rounds_limit: 4, ..request("Рефакторинг кэша") };
    let opening = compose(
        &request,
        Participants {
            writer: WriterChoice { vendor: "codex".into(), agent_id: "codex".into() },
            ..with(&["kimi", "hermes"])
        },
        findings(Lookup::NotFound),
    )
    .unwrap();
    assert_eq!(
        opening.announcement,
        [
            "Напарники (2):",
            "  1. kimi (kimi-headless)",
            "  2. hermes (hermes)",
            "Открываю peer-сессию (DP.SC.154)",
            "Роль: Писатель (Codex) | Напарник(и): kimi (kimi-headless), hermes (hermes)",
            "Задача: Рефакторинг кэша",
            "РП: не найден в плане",
            "Метод: round-loop ≤4 раундов (PEER_COUNT>=2, WP-509)",
            "Модель писателя (рекомендуется): sonnet",
            "(Класс задачи: closed-loop. Выбери модель при запуске codex.)",
            "Подсказка по маршрутизации: реализация multi-file / tight-loop → Claude",
        ]
    );
    assert_eq!(
        opening.meta(SessionId::parse("2026-01-01-01-x").unwrap(), Stamp(0)).engine_lang,
        Some(Lang::Ru)
    );
}

#[test]
fn pc_112_pc_114_only_a_wp_of_the_plan_opens_without_a_question() {
    let row = || WpRow { id: WpId(7), title: "Old".into(), status: String::new() };
    let opening = open(&request("x y"), &["codex"], Lookup::RegistryOnly(row()));
    assert!(opening.announcement.contains(&"WP: WP-7 \"Old\" — not found in plan".to_string()));
    let question = &opening.questions[0];
    assert_eq!((question.kind, question.choices[0].key.as_str()), (QuestionKind::WpGate, "yes"));
    assert!(question.text.contains("x y") && question.text.contains("WP-7"));
    assert_eq!(opening.wp, Some(WpId(7)));
    let yes = NewSession { yes: true, ..request("x y") };
    assert!(open(&yes, &["codex"], Lookup::NotFound).questions.is_empty());
    for (answer, want) in
        [("yes", true), (" Да\n", true), ("ok", false), ("", false), ("no", false), ("yes, but", false)]
    {
        assert_eq!(is_yes(answer), want, "{answer}");
    }
}

#[test]
fn pc_115_without_a_plan_there_is_one_question() {
    let opening = open(&request("Choose a cache for WP-3"), &["codex"], Lookup::NoPlan);
    assert_eq!(opening.questions.len(), 1);
    assert_eq!(
        opening.questions[0].text,
        "No plan found. Open a session for this task: Choose a cache for WP-3?"
    );
    assert_eq!(opening.wp, None, "the WP is unknown");
    let asked = open(&request("Is the cache small?"), &["codex"], Lookup::NoPlan);
    assert!(asked.questions[0].text.ends_with("task: Is the cache small?"));
    let named = NewSession { wp: Some("wp3".into()), ..request("Choose a cache") };
    assert_eq!(open(&named, &["codex"], Lookup::NoPlan).wp, Some(WpId(3)), "the pilot said so");
}

#[test]
fn pc_031_each_problem_with_a_vendor_is_a_question() {
    let problem = "Peer `foo` is not registered. Known vendors: kimi, codex, hermes, claude.".to_string();
    let participants = || Participants { problems: vec![problem.clone()], ..with(&["codex"]) };
    let opening = compose(&request("x"), participants(), findings(in_plan(1, "t"))).unwrap();
    assert_eq!(opening.questions.len(), 1);
    assert_eq!((opening.questions[0].kind, &opening.questions[0].text), (QuestionKind::Vendor, &problem));
    assert_eq!(
        opening.questions[0].choices.iter().map(|c| c.key.as_str()).collect::<Vec<_>>(),
        ["continue", "abort"]
    );
    let yes = NewSession { yes: true, ..request("x") };
    let opening = compose(&yes, participants(), findings(in_plan(1, "t"))).unwrap();
    assert!(opening.questions.is_empty() && opening.announcement[0] == problem, "said, not asked");
}

#[test]
fn pc_002_pc_104_what_cannot_be_opened() {
    let error = |request: NewSession, peers: &[&str]| {
        compose(&request, with(peers), findings(Lookup::NoPlan)).unwrap_err()
    };
    assert_eq!(error(request(" \n\t "), &["codex"]), OpeningError::EmptyTask);
    assert_eq!(error(request("x"), &[]), OpeningError::NoPeers);
    let bad = NewSession { wp: Some("142".into()), ..request("x") };
    assert_eq!(error(bad, &["codex"]), OpeningError::BadWp("142".into()));
    let reserved = NewSession { roles: Some("codex=R15-validator".into()), ..request("x") };
    assert!(matches!(error(reserved, &["codex"]), OpeningError::Roles(RolesError::Reserved(_))), "PC-692");
}

#[test]
fn pc_002_the_task_is_one_line_of_text() {
    let opening = open(&request("a\u{1b}[31m\n\n b\u{0}c"), &["codex"], Lookup::NoPlan);
    assert_eq!(opening.task, "a [31m b c");
}

#[test]
fn amb_39_roles_for_some_peers_still_mean_discovery() {
    let request = NewSession { roles: Some("codex=critic".into()), ..request("x") };
    let opening = open(&request, &["codex", "kimi"], Lookup::NoPlan);
    assert!(opening.discovery);
    assert_eq!(meta(&opening, "2026-08-24-01-x", "2026-08-24T09:00:00Z").roles_of("codex"), ["critic"]);
    assert!(!open(&request, &["codex"], Lookup::NoPlan).discovery);
}

#[test]
fn pc_010_limits_and_model_go_into_the_meta() {
    let request = NewSession {
        model: Some("m".into()),
        turns_limit: 3,
        rounds_limit: 4,
        max_peer_attempts: 5,
        ..request("x")
    };
    let meta = meta(&open(&request, &["codex"], Lookup::NoPlan), "2026-08-24-01-x", "2026-08-24T09:00:00Z");
    assert_eq!((meta.turns_limit, meta.rounds_limit, meta.max_peer_attempts), (3, 4, 5));
    assert_eq!(meta.peer_model, "m");
}

#[test]
fn pc_116_the_card_decides_before_the_task() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join("gov").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("current/WeekPlan W35.md", "| # | РП |\n|--|--|\n| 7 | Cache eviction |\n");
    write("inbox/WP-7/WP-7.md", "---\nverification_class: problem-framing\n---\n");
    write("current/AI Personalities Registry.md", "| desk | 11111111-2222-3333-4444-555555555555 |\n");
    let request = request("Cache eviction, closed-loop");
    let inside = Places::in_tree(dir.path(), true);
    let found = look_around(&request, &inside, "claude-code", 35, Some("desk")).unwrap();
    let opening = compose(&request, with(&["codex"]), found).unwrap();
    let meta = meta(&opening, "2026-08-24-01-x", "2026-08-24T09:00:00Z");
    assert_eq!((meta.task_id.as_str(), meta.writer_model_recommended.as_str()), ("WP-7", "opus"));
    assert_eq!(meta.personality, "11111111-2222-3333-4444-555555555555");
    let outside =
        look_around(&request, &Places::in_tree(dir.path(), false), "claude-code", 35, Some("desk")).unwrap();
    assert_eq!((outside.lookup, outside.personality.as_str()), (Lookup::NoPlan, "unassigned"));
    assert_eq!(fs::read_dir(dir.path().join("gov")).unwrap().count(), 2, "PC-119: nothing was created");
}
