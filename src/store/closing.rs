//! The ORZ file: the flat closing note of a session beside its day folder (PC-640 to PC-643).

use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Meta;
use crate::domain::time::Stamp;
use crate::store::frontmatter;
use crate::store::layout::REPORT;

/// The whole file (PC-641). `dir` is the session's directory as the governance repository spells it
/// (`sessions/<M>/<D>/<ID>`), `insight` comes from [`insight`]. While a session-guard semaphore is open `lang` must be
/// Russian whatever the session speaks: the guard looks for the Russian headings (PC-642).
pub fn render(meta: &Meta, dir: &str, insight: &str, lang: Lang) -> String {
    let (id, agent) = (&meta.session_id, &meta.writer_agent);
    let wp = if meta.task_id.is_empty() { "unknown" } else { &meta.task_id };
    let see = lang.pick("See report.md §4.", "См. report.md §4.");
    let insight = if insight.is_empty() { see } else { insight };
    let head = format!(
        "---\ndate: {}\ntype: peer-session\nwp: {wp}\nagent: {agent}\nwriter: {agent}\npeer: [{}]\nduration_h: {}\n\
         artifacts: [{dir}/{REPORT}]\nsession_id: {id}\n---\n",
        id.date(),
        meta.peer_agents.join(", "),
        hours(meta),
    );
    let body = match lang {
        Lang::En => format!(
            "## Key insight\n\n{insight}\n\n## Context\n\nPeer Session {id} — full transcript and synthesis in {dir}/.\n\n\
             ## Accomplished\n\n| Artifact | Description |\n|----------|----------|\n\
             | {dir}/{REPORT} | Peer session final report |\n\n## Key decisions\n\n{see}\n"
        ),
        Lang::Ru => format!(
            "## Главный инсайт\n\n{insight}\n\n## Контекст\n\nПир-сессия {id} — полная стенограмма и синтез в {dir}/.\n\n\
             ## Достигнуто\n\n| Артефакт | Описание |\n|----------|----------|\n\
             | {dir}/{REPORT} | Итоговый отчёт пир-сессии |\n\n## Ключевые решения\n\n{see}\n"
        ),
    };
    format!("{head}\n{body}")
}

/// True for a file that was written for this session, false for the scaffold of the guard, which names no session.
pub fn is_ours(text: &str, id: &SessionId) -> bool {
    let Ok((map, _)) = frontmatter::read(text) else { return false };
    let is = |key: &str, want: &str| map.get(key).map(frontmatter::plain).as_deref() == Some(want);
    is("type", "peer-session") && is("session_id", id.as_str())
}

/// The first statement of a report's §4 as one plain line: without list mark and `[synthesized]`; a line that merely
/// goes on from the first is joined to it. Empty when there is no §4 or nothing in it.
pub fn insight(report: &str) -> String {
    let mut found = String::new();
    for line in decision(report).unwrap_or("").lines().map(str::trim) {
        let starts_anew = ["- ", "* ", "#", "**", "```", "|", ">"].iter().any(|mark| line.starts_with(mark));
        match (found.is_empty(), line.is_empty() || starts_anew) {
            (true, _) => found = line.trim_start_matches(['-', '*', '>', ' ']).to_string(),
            (false, true) => break,
            (false, false) => {
                found = format!("{found} {line}");
                break;
            }
        }
    }
    let plain: String = found.replace("[synthesized]", " ").chars().filter(|c| !c.is_control()).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text below the heading of §4. Titles are looked for before numbers: old reports count differently (AMB-88).
fn decision(report: &str) -> Option<&str> {
    let mut sections: Vec<(&str, usize, usize)> = Vec::new();
    let (mut at, mut fenced) = (0, false);
    for line in report.split_inclusive('\n') {
        let start = at;
        at += line.len();
        fenced ^= line.trim_start().starts_with("```");
        if let (Some(heading), false) = (line.strip_prefix("## "), fenced) {
            if let Some(last) = sections.last_mut() {
                last.2 = start;
            }
            sections.push((heading.trim(), at, report.len()));
        }
    }
    let named = |(heading, _, _): &&(&str, usize, usize)| {
        heading.contains("Recorded decision") || heading.contains("Зафиксированное решение")
    };
    let numbered = |(heading, _, _): &&(&str, usize, usize)| heading.starts_with("4.");
    let (_, start, end) = sections.iter().find(named).or_else(|| sections.iter().find(numbered))?;
    report.get(*start..*end)
}

/// Hours from start to end with one decimal, half up; 0.0 while one of them is unknown.
fn hours(meta: &Meta) -> String {
    let tenths = match (Stamp::parse(&meta.start_time), Stamp::parse(&meta.end_time)) {
        (Some(start), Some(end)) => ((end.0 - start.0).max(0) + 180) / 360,
        _ => 0,
    };
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

    fn file(path: &str) -> String {
        std::fs::read_to_string(format!("{ROOT}{path}")).unwrap()
    }

    fn meta(dir: &str) -> Meta {
        crate::store::meta::parse(&file(&format!("{dir}/meta.yaml")), None).0.unwrap()
    }

    #[test]
    fn pc_641_examples_are_written_byte_for_byte() {
        for name in
            ["01-choose-cache-eviction-policy", "02-agree-log-rotation-for", "03-drop-legacy-token-table"]
        {
            let dir = format!("sessions/2026-08/24/2026-08-24-{name}");
            let on_disk = format!("examples/DS-strategy/{dir}");
            let insight = insight(&file(&format!("{on_disk}/report.md")));
            let want = file(&format!("examples/DS-strategy/sessions/2026-08/2026-08-24-{name}.md"));
            let meta = meta(&on_disk);
            assert_eq!(render(&meta, &dir, &insight, Lang::En), want);
            assert!(is_ours(&want, &meta.session_id));
        }
    }

    #[test]
    fn pc_641_russian_headings() {
        let meta = meta("russian/DS-strategy/sessions/2026-09/02/2026-09-02-01-session");
        let text = render(&meta, "sessions/2026-09/02/2026-09-02-01-session", "", Lang::Ru);
        for part in [
            "wp: unknown\n",
            "duration_h: 0.0\n",
            "## Главный инсайт\n\nСм. report.md §4.\n",
            "## Контекст\n\nПир-сессия 2026-09-02-01-session — полная стенограмма и синтез в sessions/2026-09/02/2026-09-02-01-session/.\n",
            "## Достигнуто\n\n| Артефакт | Описание |\n|----------|----------|\n",
            "| Итоговый отчёт пир-сессии |\n\n## Ключевые решения\n\nСм. report.md §4.\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn pc_641_hours_are_rounded_half_up() {
        let mut meta = Meta::new(SessionId::parse("2026-08-24-01-x").unwrap(), "t");
        meta.start_time = "2026-08-24T09:00:00Z".into();
        for (end, want) in [
            ("09:02:59", "0.0"),
            ("09:03:00", "0.1"),
            ("09:15:00", "0.3"),
            ("19:59:00", "11.0"),
            ("08:00:00", "0.0"),
        ] {
            meta.end_time = format!("2026-08-24T{end}Z");
            assert_eq!(hours(&meta), want, "{end}");
        }
    }

    #[test]
    fn pc_640_the_scaffold_of_the_guard_is_not_ours() {
        let id = SessionId::parse("2026-08-24-01-x").unwrap();
        let scaffold = "---\ndate: 2026-08-24\ntype: work\nwp: WP-1\nduration_h: ~\nagent: claude-code\nartifacts: []\n---\n\n\
                        # Сессия 2026-08-24 — t\n\n## Главный инсайт\n\n## Следующий шаг\n";
        assert!(!is_ours(scaffold, &id));
        assert!(!is_ours("", &id));
        let old = file("old/DS-strategy/sessions/2026-06/2026-06-17-editor-setup.md");
        assert!(is_ours(&old, &SessionId::parse("2026-06-17-01-editor-setup").unwrap()));
        assert!(!is_ours(&old, &id));
    }

    #[test]
    fn pc_641_insight_of_older_and_odd_reports() {
        let old = file("old/DS-strategy/sessions/2026-06/2026-06-17-01-editor-setup/report.md");
        assert_eq!(
            insight(&old),
            "Создать `docs/EDITOR-SETUP.md` и общий словарь `docs/words.txt`. Ссылку добавить в руководство участника."
        );
        let wrapped =
            file("literal/DS-strategy/sessions/2026-07/20/2026-07-20-01-tidy-build-cache/report.md");
        assert_eq!(
            insight(&wrapped),
            "Empty build folders after two weeks, after four for release branches."
        );
        assert_eq!(insight("## 3. Зафиксированное решение\n\n* x\n## 4. Метаданные\n- y\n"), "x");
        assert_eq!(insight("## 4. Anything\n- [synthesized] a\u{1b}[31m\n"), "a[31m");
        for none in ["", "text", "## 4. Recorded decision\n", "```\n## 4. Recorded decision\n- x\n```\n"] {
            assert_eq!(insight(none), "", "{none}");
        }
    }
}
