use super::*;
use proptest::prelude::*;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

fn index(tree: &str) -> String {
    std::fs::read_to_string(format!("{ROOT}{tree}/DS-strategy/sessions/00-index.md")).unwrap()
}

fn id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap()
}

fn metas() -> Vec<Meta> {
    let dirs = ["01-choose-cache-eviction-policy", "02-agree-log-rotation-for", "03-drop-legacy-token-table"];
    dirs.map(|name| {
        let path = format!("{ROOT}examples/DS-strategy/sessions/2026-08/24/2026-08-24-{name}/meta.yaml");
        crate::store::meta::parse(&std::fs::read_to_string(path).unwrap(), None).0.unwrap()
    })
    .to_vec()
}

fn row(session: &str) -> Row {
    Row { session: session.into(), status: "started".into(), report: NONE.into(), ..Row::default() }
}

#[test]
fn pc_210_213_the_examples_give_the_example_index() {
    let mut text = empty(Lang::En, "2026-08-24");
    for (meta, turns) in metas().iter().zip([4, 2, 2]) {
        let (started, _) = upsert(&text, &Row::started(meta));
        assert!(started.contains("| 0 | 0 | started | — |"), "{started}");
        let id = &meta.session_id;
        let report = format!("{}/{}/{id}/report.md", id.month(), id.day());
        (text, _) = upsert(&started, &Row::completed(meta, turns, &report));
        assert_eq!(count(&text, id), 1);
    }
    assert_eq!(text, index("examples"));
}

#[test]
fn pc_210_a_russian_index_has_an_english_notice() {
    let text = empty(Lang::Ru, "2026-09-02");
    assert!(index("russian").starts_with(&text), "{text}");
}

#[test]
fn pc_211_older_tables_are_understood_and_left_in_their_language() {
    let text = index("old");
    let rows = rows(&text);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].id(), Some(id("2026-06-17-01-editor-setup")));
    assert_eq!(
        (rows[1].turns.as_str(), rows[1].report.as_str()),
        ("—", "[отчёт](2026-05/2026-05-30-release-notes.md)")
    );
    assert_eq!(rows[1].id(), Some(id("2026-05-30-release-notes")));
    let (new, _) = upsert(&text, &row("2026-06-18-01-x"));
    let line = "|  | 2026-06-18-01-x |  |  |  |  | started | — |\n";
    assert_eq!(new.replacen(line, "", 1), text);
    assert!(new.contains(&format!("-------|\n{line}| 2026-06-17 |")), "{new}");
}

#[test]
fn pc_214_the_task_cell_is_cut_then_escaped() {
    let mut meta = metas().remove(2);
    assert_eq!(Row::started(&meta).task, "Drop legacy token table from the auth database |…");
    meta.task_description = format!("{} end", "x".repeat(46));
    assert_eq!(Row::started(&meta).task.chars().count(), 50);
    meta.task_description = "я".repeat(51);
    assert_eq!(Row::started(&meta).task, format!("{}…", "я".repeat(49)));
    meta.task_description = "a\\b | c\n\td".into();
    let (text, _) = upsert("", &Row::started(&meta));
    assert!(text.contains("| a\\\\b \\| c d |"), "{text}");
    assert_eq!(rows(&text)[0].task, "a\\b | c d");
}

#[test]
fn pc_215_a_row_is_found_by_its_second_cell() {
    let text = empty(Lang::En, "2026-08-24");
    let (text, _) = upsert(&text, &row("2026-08-24-01-foo"));
    let (text, _) =
        upsert(&text, &Row { task: "see 2026-08-24-01-foo".into(), ..row("2026-08-24-01-foo-bar") });
    let changed = set_status(&text, &id("2026-08-24-01-foo"), Status::Interrupted, NONE).unwrap();
    let statuses: Vec<_> = rows(&changed).into_iter().map(|r| (r.session, r.status)).collect();
    assert_eq!(
        statuses,
        [
            ("2026-08-24-01-foo-bar".into(), "started".into()),
            ("2026-08-24-01-foo".into(), "interrupted".to_string())
        ]
    );
    assert_eq!(set_status(&text, &id("2026-08-24-01-fo"), Status::Interrupted, NONE), None);
}

#[test]
fn pc_216_duplicates_are_removed_and_told() {
    let text = index("examples");
    let double = text.replacen("| 2026-08-24 | 2026-08-24-01", "| 2026-08-24 | 2026-08-24-02-agree-log-rotation-for | x | y | 1 | 1 | started | — |\n| 2026-08-24 | 2026-08-24-01", 1);
    let third = rows(&text).remove(1);
    assert_eq!(upsert(&double, &third), (text.clone(), true));
    assert_eq!(upsert(&text, &third), (text, false));
}

#[test]
fn pc_217_an_interrupt_changes_two_cells() {
    let text = index("examples");
    let id = id("2026-08-24-03-drop-legacy-token-table");
    let changed = set_status(&text, &id, Status::Interrupted, NONE).unwrap();
    let want = text.replacen(
        "| completed | [report.md](2026-08/24/2026-08-24-03-drop-legacy-token-table/report.md) |",
        "| interrupted | — |",
        1,
    );
    assert_eq!(changed, want);
}

#[test]
fn pc_218_the_rest_of_the_file_stays() {
    let text = "intro\r\n\r\n| a | b | c | d | e | f | g | h |\r\n|:-|-|-|-|-|-|-|-:|\r\n| 2026-08-24 | `2026-08-24-01-x` | a | b | | | started | — |\r\ntail | with bar\r\n";
    let (new, _) = upsert(text, &row("2026-08-24-02-y"));
    assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
    assert_eq!(rows(&new).len(), 2);
    assert!(new.ends_with("| started | — |\r\ntail | with bar\r\n"));
    let changed = set_status(text, &id("2026-08-24-01-x"), Status::Completed, "[r](p)").unwrap();
    assert_eq!(changed, text.replace("| started | — |", "| completed | [r](p) |"));
    let torn = "| a | b | c | d | e | f | g | h |\n|-|-|-|-|-|-|-|-|";
    assert_eq!(
        upsert(torn, &row("2026-08-24-02-y")).0,
        format!("{torn}\n|  | 2026-08-24-02-y |  |  |  |  | started | — |\n")
    );
}

#[test]
fn pc_216_a_file_without_a_table_gets_one_in_its_language() {
    let (text, _) = upsert("# Индекс\n", &row("2026-08-24-02-y"));
    assert_eq!(
        text,
        format!("# Индекс\n\n{RU}\n{SEPARATOR}\n|  | 2026-08-24-02-y |  |  |  |  | started | — |\n")
    );
    let (text, _) = upsert("notes\r\n\r\nmore", &row("2026-08-24-02-y"));
    assert!(text.starts_with(&format!("notes\r\n\r\nmore\r\n\r\n{EN}\r\n")), "{text:?}");
}

#[test]
fn pc_219_foreign_rows_with_too_many_or_too_few_cells() {
    let text = format!(
        "{EN}\n{SEPARATOR}\n| d | 2026-08-24-01-x | a | b | c | ag | 1 | 0 | done | r |\n| d | [2026-08-24-02-y](p) |\n||\n"
    );
    let rows = rows(&text);
    assert_eq!(
        (rows[0].task.as_str(), rows[0].agents.as_str(), rows[0].status.as_str()),
        ("a | b | c", "ag", "done")
    );
    assert_eq!(rows[1].id(), Some(id("2026-08-24-02-y")));
    assert_eq!(rows[2].id(), None);
    let changed = set_status(&text, &id("2026-08-24-02-y"), Status::Interrupted, NONE).unwrap();
    assert!(
        changed.contains("\\(p\\)")
            || changed.contains("| [2026-08-24-02-y](p) |  |  |  |  | interrupted | — |"),
        "{changed}"
    );
}

#[test]
fn pc_212_vendors_not_agent_ids() {
    let mut meta = metas().remove(2);
    assert_eq!(Row::started(&meta).agents, "claude-code / codex+kimi");
    meta.peer_cmds = vec!["/opt/own-adapter".into()];
    meta.round_order.clear();
    assert_eq!(Row::started(&meta).agents, "claude-code / codex+kimi-headless");
}

#[test]
fn pc_212_the_newest_rows_are_read_first() {
    let mut text = empty(Lang::En, "2026-08-24");
    for n in 0..10_000 {
        text.push_str(&format!(
            "| 2026-08-24 | 2026-08-24-{n:02}-x | task | a / b | 1 | 0 | completed | — |\n"
        ));
    }
    let newest = newest(&text, 3);
    assert_eq!(
        newest.iter().map(|r| r.session.as_str()).collect::<Vec<_>>(),
        ["2026-08-24-00-x", "2026-08-24-01-x", "2026-08-24-02-x"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pc_214_any_task_stays_one_cell(task in any::<String>(), other in any::<String>()) {
        let mut meta = Meta::new(id("2026-08-24-01-x"), &task);
        meta.peer_agents = vec!["codex".into()];
        let (text, _) = upsert(&index("examples"), &Row::started(&meta));
        let rows = rows(&text);
        prop_assert_eq!(rows.len(), 4);
        prop_assert_eq!(rows[0].id(), Some(meta.session_id.clone()));
        prop_assert_eq!(&rows[0].status, "started");
        prop_assert_eq!(upsert(&text, &rows[0]).0, text.clone());
        let (odd, _) = upsert(&other, &Row::started(&meta));
        prop_assert_eq!(count(&odd, &meta.session_id), 1);
        prop_assert!(odd.starts_with(other.as_str()) || table(&other).is_some());
    }
}
