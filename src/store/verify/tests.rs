//! The three worked examples pass; every single mutation of them is found.

use super::*;
use crate::domain::session::id::SessionId;
use crate::store::yaml;

const DAY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/DS-strategy/sessions/2026-08/24");
const ONE: &str = "2026-08-24-01-choose-cache-eviction-policy";
const PARTIAL: &str = "2026-08-24-02-agree-log-rotation-for";
const APART: &str = "2026-08-24-03-drop-legacy-token-table";

struct Case {
    report: String,
    meta: Meta,
    files: Vec<String>,
    turns: Vec<String>,
}

impl Case {
    fn of(id: &str) -> Case {
        let read = |name: &str| std::fs::read_to_string(format!("{DAY}/{id}/{name}")).unwrap();
        let map = yaml::mapping(&read("meta.yaml")).unwrap();
        let text = |key: &str| frontmatter::plain(&map[key]);
        let list =
            |key: &str| map[key].as_array().unwrap().iter().map(frontmatter::plain).collect::<Vec<_>>();
        let mut meta = Meta::new(SessionId::parse(id).unwrap(), &text("task_description"));
        meta.start_time = text("start_time");
        meta.end_time = text("end_time");
        meta.peer_agent = text("peer_agent");
        meta.peer_agents = list("peer_agents");
        meta.round_order = list("round_order");
        meta.escalations_count = text("escalations_count").parse().unwrap();
        meta.failed = map["participant_status"].as_object().unwrap().keys().cloned().collect();
        meta.engine_result_class = ResultClass::parse(&text("engine_result_class"));
        let report = read("report.md");
        let turns = crate::store::report::linked_files(&report);
        let mut files = turns.clone();
        files.extend(["meta.yaml", "report.md", "escalation-00.md", "escalation-01.md"].map(String::from));
        Case { report, meta, files, turns }
    }

    fn findings(&self) -> Vec<Finding> {
        verify(&VerifyInput {
            report: &self.report,
            meta: &self.meta,
            files: &self.files,
            turn_files: &self.turns,
            exists: &|path| self.files.iter().any(|file| file == path),
        })
    }

    fn with(mut self, from: &str, to: &str) -> Case {
        assert!(self.report.contains(from), "{from}");
        self.report = self.report.replacen(from, to, 1);
        self
    }
}

#[track_caller]
fn finds(case: Case, severity: Severity, rule: &str, words: &str) {
    let findings = case.findings();
    let hit = findings.iter().find(|f| f.rule == rule && f.text.contains(words));
    assert_eq!(hit.map(|f| f.severity), Some(severity), "{rule} {words}: {findings:#?}");
}

#[test]
fn pc_660_the_worked_examples_pass_without_a_warning() {
    for id in [ONE, PARTIAL, APART] {
        assert_eq!(Case::of(id).findings(), [], "{id}");
    }
}

#[test]
fn pc_620_each_key_is_checked() {
    for (line, bad) in [
        ("schema_version: 1\n", "schema_version: 2\n"),
        ("session_id: 2026-08-24-01-choose-cache-eviction-policy\n", "session_id: \"\"\n"),
        ("generated_at: 2026-08-24T09:20:10Z\n", "generated_at: today\n"),
        ("writer: claude-code\n", "writer: null\n"),
        ("peer: codex\n", "peer: []\n"),
        ("duration_min: 24\n", "duration_min: 24.5\n"),
        ("escalations_count: 0\n", "escalations_count: none\n"),
        ("result_class: agreed\n", "result_class: done\n"),
        ("confidence: high\n", "confidence: sure\n"),
        ("cost_source: missing\n", "cost_source: guess\n"),
    ] {
        let key = line.split(':').next().unwrap();
        finds(Case::of(ONE).with(line, bad), Severity::Error, "PC-620", key);
        let severity = match key {
            "schema_version" | "cost_source" => Severity::Warning,
            _ => Severity::Error,
        };
        finds(Case::of(ONE).with(line, ""), severity, "PC-620", key);
    }
    let error = |from, to, words| finds(Case::of(ONE).with(from, to), Severity::Error, "PC-620", words);
    error("until WP-142\ncost", "some day\ncost", "ttl_event");
    error("cost_source", "cost_usd: much\ncost_source", "cost_usd is not a number");
    error("confidence: high", "confidence: high\nconfidence_basis: sure", "must be omitted");
    error("confidence: high", "confidence: med", "is required");
    let contradiction = Case::of(ONE).with("cost_source: missing", "cost_source: api");
    finds(contradiction, Severity::Warning, "PC-620", "contradict");
}

#[test]
fn pc_660_values_agree_with_meta() {
    for (from, to) in [
        ("session_id: 2026-08-24-02", "session_id: 2026-08-24-03"),
        ("writer: claude-code", "writer: kimi"),
        ("peer: codex, hermes", "peer: codex"),
        ("escalations_count: 0", "escalations_count: 1"),
        ("duration_min: 31", "duration_min: 33"),
    ] {
        finds(Case::of(PARTIAL).with(from, to), Severity::Error, "PC-660", from.split(':').next().unwrap());
    }
    for good in ["duration_min: 30", "duration_min: 32"] {
        assert_eq!(Case::of(PARTIAL).with("duration_min: 31", good).findings(), []);
    }
    let class = Case::of(PARTIAL).with("result_class: partial", "result_class: agreed");
    finds(class, Severity::Warning, "PC-410", "agreed");
}

#[test]
fn pc_660_frontmatter_parses() {
    for (from, to) in
        [("writer: claude-code", "writer: [claude-code"), ("---\n", ""), ("cost_source: missing\n---", "")]
    {
        finds(Case::of(ONE).with(from, to), Severity::Error, "PC-660", "frontmatter");
    }
    let mut stub = Case::of(ONE);
    stub.report = report::stub(Lang::En, ONE, Stamp(0));
    finds(stub, Severity::Error, "PC-607", "finalize");
}

#[test]
fn pc_622_sections() {
    for section in ["## 1. Original problem statement", "## 2. Positions by topic", "## 4. Recorded decision"]
    {
        finds(Case::of(ONE).with(section, "## Other"), Severity::Error, "PC-622", &section[6..]);
    }
    finds(Case::of(ONE).with("## 7. Metadata", "## 7. Meta"), Severity::Error, "PC-622", "Metadata");
    finds(Case::of(ONE).with("## 4. Rec", "## 3. Rec"), Severity::Warning, "PC-622", "number");
    finds(
        Case::of(ONE).with("## 7. M", "## 1. Original problem statement\n## 7. M"),
        Severity::Warning,
        "PC-622",
        "double",
    );
    finds(Case::of(ONE).with("# Final Report", "# Summary"), Severity::Warning, "PC-621", "title");
    finds(
        Case::of(ONE).with("## 7.", "## 6. Implementation and verification\n\n## 7."),
        Severity::Error,
        "PC-622",
        "§6",
    );
    let mut case = Case::of(ONE);
    case.meta.implementation_pipeline = true;
    finds(case, Severity::Error, "PC-622", "§6 is missing");
    let russian = Case::of(ONE).with("## 4. Recorded decision", "## 4. Зафиксированное решение");
    assert_eq!(russian.findings(), []);
}

#[test]
fn pc_623_the_decision_fits_the_result() {
    let apart = Case::of(APART).with("Consensus not reached", "Keep it");
    finds(apart, Severity::Error, "PC-623", "must say");
    assert_eq!(Case::of(APART).with("Consensus not reached", "- **Консенсус не достигнут.**").findings(), []);
    let start = "- Split the thumbnail cache 20/80";
    let says_no = Case::of(ONE).with(start, "Consensus not reached\n- Split");
    finds(says_no, Severity::Error, "PC-623", "no consensus was reached");
    finds(Case::of(ONE).with(" [synthesized]", ""), Severity::Error, "PC-623", "[synthesized]");
    let mut empty = Case::of(ONE);
    let (before, rest) = empty.report.split_once("- Split").unwrap();
    let (_, after) = rest.split_once("## 7.").unwrap();
    empty.report = format!("{before}\n## 7.{after}");
    finds(empty, Severity::Error, "PC-623", "§4 is empty");
    let escalated = Case::of(APART).with("result_class: not-agreed", "result_class: escalated");
    finds(escalated, Severity::Error, "PC-623", "escalated");
}

#[test]
fn pc_404_the_failed_are_named() {
    finds(
        Case::of(PARTIAL).with("- hermes did not", "- hermes-2 did not"),
        Severity::Error,
        "PC-660",
        "hermes",
    );
    finds(Case::of(PARTIAL).with("## 5. Open questions", "## Open points"), Severity::Error, "PC-622", "§5");
    let mut case = Case::of(PARTIAL)
        .with("- hermes did", "- hermes-headless did")
        .with("codex, hermes\n", "codex, hermes-headless\n");
    case.meta.peer_agents[1] = "hermes-headless".into();
    assert_eq!(case.findings(), []);
}

#[test]
fn pc_660_links() {
    let dead = Case::of(ONE).with("- **Related Artifacts:** WP-142", "- [x](other.md)");
    finds(dead, Severity::Error, "PC-660", "other.md");
    finds(Case::of(ONE).with("[01-peer.md](01-peer.md), ", ""), Severity::Error, "PC-660", "01-peer.md");
    let swapped = Case::of(ONE).with(
        "[00-writer.md](00-writer.md), [01-peer.md](01-peer.md)",
        "[01-peer.md](01-peer.md), [00-writer.md](00-writer.md)",
    );
    finds(swapped, Severity::Warning, "PC-622", "reading order");
    let web = Case::of(ONE).with("WP-142\n", "[PR](https://example.org/1) [top](#x) `[no](no.md)`\n");
    assert!(web.findings().iter().all(|f| !f.text.contains("leads nowhere")));
}

#[test]
fn pc_660_anchors() {
    for bad in [
        "src/cache.rs:0",
        "src/cache.rs:20-10",
        "src/cache.rs:12–15",
        "`src/cache.rs:L12`",
        "(src/cache.rs:12-)",
        "src/cache.rs:12:5",
    ] {
        finds(
            Case::of(ONE).with("→ 00-writer.md", &format!("→ {bad}")),
            Severity::Error,
            "PC-660",
            "the anchor",
        );
    }
    for good in [
        "src/cache.rs:12",
        "`src/cache.rs:12-40`.",
        "00-writer.md:3",
        "at 10:30",
        "http://host.org:80x",
        "00-writer.md: text",
        "v1.2:3",
        "note:1",
        "x\n```\nsrc/a.rs:1:2\n```\n",
    ] {
        assert_eq!(Case::of(ONE).with("→ 00-writer.md", &format!("→ {good}")).findings(), [], "{good}");
    }
    finds(Case::of(ONE).with("→ 01-peer.md", "→ 05-peer.md"), Severity::Warning, "PC-660", "05-peer.md");
    finds(
        Case::of(APART).with("escalation-00.md", "escalation-07.md"),
        Severity::Warning,
        "PC-660",
        "escalation-07.md",
    );
}

#[test]
fn pc_624_machine_markers_warn() {
    for (marker, text) in
        [("PASS", "answered PASS."), ("SHA:", "at SHA: abc"), ("exit <n>", "ended with exit 3")]
    {
        finds(Case::of(ONE).with("a split alone is", text), Severity::Warning, "PC-624", marker);
        assert_eq!(
            Case::of(ONE).with("**Related Artifacts:** WP-142", text).findings(),
            [],
            "§7 may speak so"
        );
    }
    assert_eq!(Case::of(ONE).with("a split alone is", "PASSED, the exit is near,").findings(), []);
    let mut case = Case::of(ONE);
    case.report = case.report.replace(&case.meta.task_description, "Why does PASS appear?");
    case.meta.task_description = "Why does PASS appear?".into();
    assert_eq!(case.findings(), [], "the task is quoted verbatim");
}

#[test]
fn pc_616_one_session_has_one_report() {
    let mut case = Case::of(ONE);
    case.files.push("report-v2.md".into());
    finds(case, Severity::Error, "PC-616", "report-v2.md");
    let mut case = Case::of(ONE);
    case.files.push("report-draft.md".into());
    finds(case, Severity::Error, "PC-610", "side by side");
}

#[test]
fn pc_662_older_shapes_warn_only() {
    let old = |change: &dyn Fn(&str) -> String| {
        let mut case = Case::of(ONE);
        case.report = change(&case.report);
        let findings = case.findings();
        assert!(
            !findings.is_empty() && findings.iter().all(|f| f.severity == Severity::Warning),
            "{findings:#?}"
        );
        assert!(findings.iter().any(|f| f.rule == "PC-662"), "{findings:#?}");
    };
    old(&|r| r.replace("schema_version: 1\n", ""));
    old(&|r| r.replace("cost_source: missing\n", ""));
    old(&|r| r.replace("# Final Report", "# Итоговый отчёт: кеш"));
    old(&|r| {
        r.replace(" [synthesized]", "")
            .replace("## 4. Recorded decision", "## 4. Recorded decision [synthesized]")
    });
    old(&|r| r.replace("## 7. Metadata", "## 6. Metadata").replace(" [synthesized]", ""));
    let quoted = Case::of(ONE).with("writer: claude-code", "writer: \"claude-code\"");
    assert_eq!(quoted.findings(), [], "quotes are read");
}

/// The shape of a tree from June 2026: quoted scalars, no cost, a topic in the title, a tag in the heading, a pipeline
/// without an outcome file.
#[test]
fn pc_662_a_report_of_the_oldest_shape() {
    let mut case = Case::of(ONE);
    case.meta = Meta::new(SessionId::parse("2026-06-17-01-setup").unwrap(), "Создать инструкцию");
    case.meta.writer_agent = "kimi-headless".into();
    case.meta.peer_agent = "claude-code".into();
    case.meta.start_time = "2026-06-17T08:15:58Z".into();
    case.meta.end_time = "2026-06-17T08:34:35Z".into();
    case.meta.implementation_pipeline = true;
    case.report = "---\nschema_version: 1\nsession_id: \"2026-06-17-01-setup\"\ngenerated_at: \"2026-06-17T08:34:35Z\"\n\
        writer: \"kimi-headless\"\npeer: \"claude-code\"\nduration_min: 19\nescalations_count: 0\nresult_class: agreed\n\
        confidence: high\n---\n\n# Итоговый отчёт: инструкция\n\n## 1. Исходная постановка\n\nСоздать инструкцию.\n\n\
        ## 2. Позиции по темам\n\n**Тема 1.**\n\n## 4. Зафиксированное решение [synthesized]\n\nСоздать файл.\n\n\
        ## 5. Открытые вопросы и эскалации\n\nНет.\n\n## 7. Метаданные и навигация\n\n- `00-writer.md`\n"
        .into();
    let findings = case.findings();
    assert!(findings.iter().all(|f| f.severity == Severity::Warning), "{findings:#?}");
    assert!(findings.iter().any(|f| f.text.contains("§6 is missing")));
}

#[test]
fn hostile_reports_do_not_panic() {
    for text in [
        "",
        "---\n",
        "---\n---\n",
        "# \u{202e}\n## 4. Recorded decision\n\u{0}é:1é",
        "](](](\n`",
        "é.é:1–é é.rs:1é",
    ] {
        let mut case = Case::of(ONE);
        case.report = text.into();
        assert!(!case.findings().is_empty());
    }
}
