//! The text of a report: taking over what the synthesizer wrote (PC-603, PC-605), bringing a draft up to date (F5 of
//! PC-600), and reading any report back.

pub mod decision;
pub mod parts;

use crate::domain::lang::Lang;
use crate::domain::session::meta::{Meta, ResultClass};
use crate::domain::session::report::{self, Confidence, CostSource, SYNTHESIZED, Section, Ttl};
use crate::domain::time::Stamp;
use crate::store::{frontmatter, yaml};

/// What the engine knows and therefore writes itself, whatever the synthesizer said (PC-605).
#[derive(Debug, Clone, PartialEq)]
pub struct EngineHead {
    pub lang: Lang,
    pub session_id: String,
    /// The time of the synthesis.
    pub generated_at: Stamp,
    pub writer: String,
    pub peer: String,
    pub duration_min: i64,
    pub escalations_count: u32,
    pub result_class: ResultClass,
    /// The most that may be claimed and why: an unexamined part (AMB-53), a minority (AMB-68), mere silence (PC-407).
    pub max_confidence: Option<(Confidence, String)>,
}

impl EngineHead {
    /// The head of a session that ends now. A start time that cannot be read counts as now.
    pub fn of(meta: &Meta, result_class: ResultClass, now: Stamp) -> EngineHead {
        EngineHead {
            lang: meta.lang(),
            session_id: meta.session_id.to_string(),
            generated_at: now,
            writer: meta.writer_agent.clone(),
            peer: report::peer_value(meta),
            duration_min: Stamp::parse(&meta.start_time).map_or(0, |start| now.minutes_since_rounded(start)),
            escalations_count: meta.escalations_count,
            result_class,
            max_confidence: None,
        }
    }
}

/// The report as it goes to `report-draft.md`: a head in the order of PC-620 and the synthesizer's body.
pub fn finish(text: &str, engine: &EngineHead) -> String {
    let text = strip_fence(text);
    let text = from_head(&text);
    let (stated, body) = match frontmatter::split(text) {
        Some((head, body_at)) => (values(head), &text[body_at..]),
        None => (Vec::new(), text),
    };
    let said = |key: &str| stated.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v.as_str());
    let (confidence, basis) = confidence(engine, said("confidence"), said("confidence_basis"));
    let (cost, source) = cost(said("cost_usd"), said("cost_source"));

    let mut lines = vec![
        "schema_version: 1".to_string(),
        format!("session_id: {}", scalar(&engine.session_id)),
        format!("generated_at: {}", engine.generated_at),
        format!("writer: {}", scalar(&engine.writer)),
        format!("peer: {}", scalar(&engine.peer)),
        format!("duration_min: {}", engine.duration_min),
        format!("escalations_count: {}", engine.escalations_count),
        format!("result_class: {}", engine.result_class.key()),
        format!("confidence: {}", confidence.key()),
    ];
    lines.extend(basis.map(|basis| format!("confidence_basis: {}", scalar(&basis))));
    lines.extend(Ttl::parse(said("ttl_event")).map(|ttl| format!("ttl_event: {}", ttl.text(engine.lang))));
    lines.extend(cost.map(|cost| format!("cost_usd: {cost}")));
    lines.push(format!("cost_source: {}", source.key()));
    format!("---\n{}\n---\n\n{}", lines.join("\n"), tidy_body(body, engine.lang))
}

/// F5: a draft whose session went on. `generated_at` stays the time of the synthesis; a section that the draft already
/// has is not appended again, so that a repeated close changes nothing.
pub fn refresh(
    draft: &str,
    duration_min: i64,
    escalations_count: u32,
    result_class: ResultClass,
    extensions: &[String],
) -> String {
    let draft = plain_lines(draft);
    let mut out = match frontmatter::split(&draft) {
        Some((head, body_at)) if !is_stub(&draft) => {
            let mut lines: Vec<String> = head.lines().map(str::to_string).collect();
            set(&mut lines, "duration_min", &duration_min.to_string());
            set(&mut lines, "escalations_count", &escalations_count.to_string());
            set(&mut lines, "result_class", result_class.key());
            format!("---\n{}\n---\n{}", lines.join("\n"), &draft[body_at..])
        }
        _ => draft,
    };
    for section in extensions.iter().map(|s| s.trim()).filter(|s| !s.is_empty()) {
        let heading = section.lines().next().unwrap_or_default();
        let name = heading.split_once(", ").map_or(heading, |(name, _)| name);
        if !out.lines().any(|line| line.starts_with(name)) {
            out = format!("{}\n\n{section}\n", out.trim_end());
        }
    }
    format!("{}\n", out.trim_end())
}

/// A report that only says that there is none (PC-607).
pub fn is_stub(text: &str) -> bool {
    frontmatter::split(text).is_some_and(|(head, _)| {
        let values = values(head);
        let has = |key: &str| values.iter().any(|(k, _)| k == key);
        has("note") && !has("schema_version")
    })
}

/// The first item of §4 on one line, without `[synthesized]`. `None` for a stub and an empty section.
pub fn first_decision(text: &str) -> Option<String> {
    let part = parts::find(text, Section::Decision).filter(|_| !is_stub(text))?;
    let mut words = String::new();
    for line in part.body.lines() {
        let (item, bare) = match parts::list_item(line) {
            Some(rest) => (true, rest),
            None => (false, line.trim()),
        };
        if !words.is_empty() && (item || bare.is_empty()) {
            break;
        }
        words.push_str(bare);
        words.push(' ');
        if words.trim().is_empty() {
            words.clear();
        }
    }
    let words = words.replace(SYNTHESIZED, "");
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// The files that §7 links to, in order.
pub fn linked_files(text: &str) -> Vec<String> {
    parts::find(text, Section::Metadata).map_or(Vec::new(), |part| {
        parts::links(part.body)
            .into_iter()
            .filter_map(|target| parts::relative(&target).map(str::to_string))
            .collect()
    })
}

/// The synthesizer's text without BOM, CR and a surrounding code fence (PC-603), also when prose stands before it.
pub fn strip_fence(text: &str) -> String {
    let text = plain_lines(text);
    let lines: Vec<&str> = text.trim().lines().collect();
    let opens = |line: &&str| {
        let info = line.trim_start_matches('`');
        line.len() - info.len() >= 3 && matches!(info.trim(), "" | "markdown" | "md" | "yaml")
    };
    let named = |line: &&str| opens(line) && matches!(line.trim_start_matches('`').trim(), "markdown" | "md");
    let first = match lines.first() {
        Some(line) if opens(line) => Some(0),
        Some(line) if line.trim_end() == "---" => None,
        _ => lines.iter().position(named),
    };
    let Some(first) = first else { return text };
    let width = lines[first].chars().take_while(|c| *c == '`').count();
    let closes = |line: &&str| line.trim().len() >= width && line.trim().chars().all(|c| c == '`');
    let last = lines.iter().rposition(closes).filter(|last| *last > first).unwrap_or(lines.len());
    lines[first + 1..last].join("\n") + "\n"
}

/// A YAML scalar on one line: as it stands where that reads back as the same text, else quoted.
pub fn scalar(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = line.starts_with(char::is_alphanumeric)
        && yaml::read::<serde_json::Value>(&format!("k: {line}"))
            .is_ok_and(|value| value.get("k").and_then(|v| v.as_str()) == Some(&line));
    if plain { line } else { yaml::quote(&line) }
}

/// Keys and values of a head, also of one that is not quite YAML: an unquoted colon must not lose the confidence.
fn values(head: &str) -> Vec<(String, String)> {
    if let Ok(map) = yaml::mapping(head) {
        return map.iter().map(|(key, value)| (key.clone(), frontmatter::plain(value))).collect();
    }
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.to_string(), value.trim().trim_matches(['"', '\'']).to_string()))
        .collect()
}

/// Drops what a model said before its report.
fn from_head(text: &str) -> &str {
    if frontmatter::split(text).is_some() {
        return text;
    }
    let title = |line: &str| [Lang::En, Lang::Ru].iter().any(|lang| line.starts_with(report::title(*lang)));
    let mut at = 0;
    let mut body = None;
    for line in text.split_inclusive('\n') {
        let next = text[at + line.len()..].trim_start_matches(' ');
        if line.trim_end() == "---"
            && (next.starts_with("schema_version:") || next.starts_with("session_id:"))
        {
            return &text[at..];
        }
        if body.is_none() && title(line) {
            body = Some(at);
        }
        at += line.len();
    }
    body.map_or(text, |at| &text[at..])
}

fn confidence(engine: &EngineHead, stated: &str, basis: &str) -> (Confidence, Option<String>) {
    let lang = engine.lang;
    let placeholder = basis.starts_with('<') || matches!(basis, "omit" | "null" | "~");
    let mut basis = if placeholder { String::new() } else { basis.trim().to_string() };
    let mut level = Confidence::parse(stated).unwrap_or_else(|| {
        basis =
            lang.pick("the synthesizer stated no confidence", "синтезатор не указал уверенность").to_string();
        Confidence::Low
    });
    if let Some((most, why)) = &engine.max_confidence {
        if level > *most {
            (level, basis) = (*most, String::new());
        }
        if !basis.contains(why.trim()) {
            basis = [basis.trim(), why.trim()]
                .iter()
                .filter(|t| !t.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join("; ");
        }
    }
    if level == Confidence::High {
        return (level, None);
    }
    if basis.is_empty() {
        basis = lang.pick("the synthesizer gave no basis", "синтезатор не привёл обоснования").to_string();
    }
    (level, Some(basis))
}

/// A cost without a source is an estimate, a source without a cost is missing.
fn cost(usd: &str, source: &str) -> (Option<String>, CostSource) {
    let usd = usd.trim().trim_start_matches('$');
    let number = usd.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    match (number, CostSource::parse(source)) {
        (None, _) | (_, Some(CostSource::Missing)) => (None, CostSource::Missing),
        (Some(_), source) => (Some(usd.to_string()), source.unwrap_or(CostSource::Estimated)),
    }
}

/// One title line as in PC-621, no `## Algorithm` (PC-625), no tag in the heading of §4, one line break at the end.
fn tidy_body(body: &str, lang: Lang) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut titled = false;
    let mut fence = parts::Fence::default();
    for line in body.trim().lines() {
        let text = fence.prose(line);
        let level = text.then(|| report::heading(line)).flatten();
        match level {
            Some((1, _)) if !titled && lines.iter().all(|l| l.is_empty()) => {
                titled = true;
                lines.push(report::title(lang).to_string());
            }
            Some((2, "Algorithm")) => {}
            Some((2, _))
                if Section::of_heading(line).is_some_and(|(section, _)| section == Section::Decision) =>
            {
                lines.push(line.replace(SYNTHESIZED, "").trim_end().to_string());
            }
            _ if line.trim().is_empty() && lines.last().is_none_or(|l| l.is_empty()) && !fence.is_open() => {}
            _ => lines.push(line.trim_end().to_string()),
        }
    }
    if !titled {
        lines.splice(0..0, [report::title(lang).to_string(), String::new()]);
    }
    lines.join("\n").trim_end().to_string() + "\n"
}

/// Replaces the line of a key, or adds it in front of the keys that follow it in PC-620.
fn set(lines: &mut Vec<String>, key: &str, value: &str) {
    let line = format!("{key}: {value}");
    let head = format!("{key}:");
    if let Some(old) = lines.iter_mut().find(|l| l.starts_with(&head)) {
        *old = line;
        return;
    }
    let after = ["escalations_count:", "result_class:", "confidence:"];
    let after = &after[after.iter().position(|k| *k == head).map_or(0, |i| i + 1)..];
    let at = lines.iter().position(|l| after.iter().any(|k| l.starts_with(k))).unwrap_or(lines.len());
    lines.insert(at, line);
}

fn plain_lines(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::id::SessionId;
    use proptest::prelude::Strategy;

    const BODY: &str = "# Final Report\n\n## 1. Original problem statement\n- **Task:** x\n\n## 4. Recorded decision\n\
        - Rotate by size\n  or by day. [synthesized]\n- **Key argument:** y\n\n## 7. Metadata and navigation\n\
        - **Log:** [00-writer.md](00-writer.md), [01-peer.md](./01-peer.md)\n- **Related Artifacts:** [PR](https://x/1)\n";

    fn engine() -> EngineHead {
        let mut meta = Meta::new(SessionId::parse("2026-08-24-02-x").unwrap(), "x");
        meta.peer_agents = vec!["codex".into(), "hermes".into()];
        meta.start_time = "2026-08-24T11:00:00Z".into();
        meta.escalations_count = 2;
        EngineHead::of(&meta, ResultClass::Partial, Stamp::parse("2026-08-24T11:30:30Z").unwrap())
    }

    fn head(text: &str) -> &str {
        frontmatter::split(text).unwrap().0
    }

    #[test]
    fn pc_603_fences_are_removed() {
        let inner = "---\nschema_version: 1\n---\n# Final Report\n```\ncode\n```\n";
        for text in [
            inner.to_string(),
            format!("```markdown\n{inner}```\n"),
            format!("````md\n{inner}````"),
            format!("\u{feff}```\n{inner}```"),
            format!("Here it is:\n\n```markdown\n{inner}```\nAnything else?\n"),
            format!("```markdown\n{inner}```").replace('\n', "\r\n"),
        ] {
            assert_eq!(strip_fence(&text), inner, "{text}");
        }
        assert_eq!(strip_fence("```markdown\n# Final Report\n"), "# Final Report\n");
        assert_eq!(strip_fence("```rust\nfn a() {}\n```\n"), "```rust\nfn a() {}\n```\n");
        assert_eq!(strip_fence(""), "");
    }

    #[test]
    fn pc_605_the_engine_owns_what_it_knows() {
        let text = format!(
            "---\nsession_id: other\nresult_class: agreed\nconfidence: med\nconfidence_basis: cost: not examined\n\
             ttl_event: until WP-150\npeer: me\ncost_usd: 0.42\ncost_source: api\nmood: fine\n---\n\n{BODY}"
        );
        assert_eq!(
            finish(&text, &engine()),
            format!(
                "---\nschema_version: 1\nsession_id: 2026-08-24-02-x\ngenerated_at: 2026-08-24T11:30:30Z\n\
                 writer: claude-code\npeer: codex, hermes\nduration_min: 31\nescalations_count: 2\nresult_class: partial\n\
                 confidence: med\nconfidence_basis: \"cost: not examined\"\nttl_event: until WP-150\ncost_usd: 0.42\n\
                 cost_source: api\n---\n\n{BODY}"
            )
        );
    }

    #[test]
    fn pc_605_defaults_for_what_the_synthesizer_left_out() {
        let got = finish(BODY, &engine());
        let end = "result_class: partial\nconfidence: low\nconfidence_basis: the synthesizer stated no confidence\ncost_source: missing\n";
        assert!(head(&got).ends_with(end), "{got}");
        let got = finish(
            &format!(
                "---\nconfidence: low | med | high\nttl_event: omit\ncost_usd: <if known>\ncost_source: x\n---\n{BODY}"
            ),
            &engine(),
        );
        assert!(head(&got).ends_with(end), "{got}");
        let got = finish(&format!("---\nconfidence: med\n---\n{BODY}"), &engine());
        assert!(got.contains("confidence: med\nconfidence_basis: the synthesizer gave no basis\n"), "{got}");
        let got = finish(
            &format!("---\nconfidence: high\nconfidence_basis: sure\ncost_usd: $2\n---\n{BODY}"),
            &engine(),
        );
        assert!(head(&got).ends_with("confidence: high\ncost_usd: 2\ncost_source: estimated\n"), "{got}");
    }

    #[test]
    fn pc_407_confidence_is_clamped_with_its_reason() {
        let mut engine = engine();
        engine.max_confidence = Some((Confidence::Med, "all participants passed".into()));
        for (said, want) in [
            ("confidence: high", "confidence: med\nconfidence_basis: all participants passed\n"),
            (
                "confidence: med\nconfidence_basis: thin",
                "confidence: med\nconfidence_basis: thin; all participants passed\n",
            ),
            (
                "confidence: low\nconfidence_basis: all participants passed!",
                "confidence: low\nconfidence_basis: all participants passed!\n",
            ),
        ] {
            let got = finish(&format!("---\n{said}\n---\n{BODY}"), &engine);
            assert!(got.contains(want), "{got}");
        }
    }

    #[test]
    fn pc_605_prose_titles_and_seed_leftovers_are_tidied() {
        let body = "# Итоговый отчёт: тема\n\n## Algorithm\n\n## 4. Зафиксированное решение [synthesized]\nРешили.\n\n\n";
        let mut engine = engine();
        engine.lang = Lang::Ru;
        let got = finish(
            &format!("Готово, вот отчёт:\n\n---\nschema_version: 1\nconfidence: high\n---\n{body}"),
            &engine,
        );
        assert!(
            got.ends_with("---\n\n# Итоговый отчёт\n\n## 4. Зафиксированное решение\nРешили.\n"),
            "{got}"
        );
        assert!(got.contains("confidence: high\n"));
        let got = finish("Sure.\n# Final Report\n\n## 4. Recorded decision\nx", &engine);
        assert!(got.ends_with("---\n\n# Итоговый отчёт\n\n## 4. Recorded decision\nx\n"), "{got}");
        assert!(finish("", &engine).ends_with("\n\n# Итоговый отчёт\n"));
    }

    #[test]
    fn pc_600_f5_refreshes_three_values_and_appends_once() {
        let draft = finish(BODY, &engine());
        let extension =
            "## Extension (turns 4–6, 2026-08-24T12:00:00Z)\n\n### Turn 4 — cost\n\nsaid\n".to_string();
        let got = refresh(&draft, 45, 3, ResultClass::Agreed, std::slice::from_ref(&extension));
        let want = draft
            .replace("duration_min: 31", "duration_min: 45")
            .replace("escalations_count: 2", "escalations_count: 3")
            .replace("result_class: partial", "result_class: agreed");
        assert_eq!(got, format!("{want}\n{extension}"));
        let later = extension.replace("12:00:00", "12:00:09");
        assert_eq!(refresh(&got, 45, 3, ResultClass::Agreed, &[later]), got);
    }

    #[test]
    fn pc_600_f5_keeps_what_a_person_wrote() {
        let draft = "---\nschema_version: 1\nmood: fine\nconfidence: high\n---\nmine\n";
        let got = refresh(draft, 5, 0, ResultClass::Agreed, &[]);
        let want = "---\nschema_version: 1\nmood: fine\nduration_min: 5\nescalations_count: 0\nresult_class: agreed\nconfidence: high\n---\nmine\n";
        assert_eq!(got, want);
        let stub = report::stub(Lang::En, "2026-08-24-02-x", Stamp(0));
        assert_eq!(refresh(&stub, 5, 0, ResultClass::Agreed, &[]), stub);
    }

    #[test]
    fn pc_607_stubs_are_known_in_every_family() {
        assert!(is_stub(&report::stub(Lang::Ru, "2026-08-24-02-x", Stamp(0))));
        assert!(is_stub(
            "---\nsession_id: \"x\"\nnote: синтез не выполнен: adapter exit 1\n---\n## Диагностика\n"
        ));
        assert!(!is_stub(&finish(BODY, &engine())));
        assert!(!is_stub("# Final Report\n") && !is_stub(""));
        assert_eq!(first_decision(&report::stub(Lang::En, "2026-08-24-02-x", Stamp(0))), None);
    }

    #[test]
    fn pc_648_first_item_of_the_decision() {
        assert_eq!(first_decision(BODY).as_deref(), Some("Rotate by size or by day."));
        for (section, want) in [
            ("Consensus not reached\n", Some("Consensus not reached")),
            ("\n\n1. Keep it [synthesized]\n2. Not", Some("Keep it")),
            ("-\n- a", Some("a")),
            ("\n\n", None),
            ("- [synthesized]\n", None),
        ] {
            assert_eq!(first_decision(&format!("## 4. Recorded decision\n{section}")).as_deref(), want);
        }
        let old = "## 4. Зафиксированное решение [synthesized]\n\nСоздать файл.\nВторой строкой.\n\nПотом.\n";
        assert_eq!(first_decision(old).as_deref(), Some("Создать файл. Второй строкой."));
    }

    #[test]
    fn pc_622_log_links() {
        assert_eq!(linked_files(BODY), ["00-writer.md", "01-peer.md"]);
        assert!(linked_files("").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn pc_605_taking_over_twice_changes_nothing_and_nothing_panics(
            pieces in proptest::collection::vec(
                proptest::prop_oneof![
                    proptest::sample::select(vec![
                        "---\n", "```markdown\n", "```\n", "# Final Report\n", "## 4. Recorded decision [synthesized]\n",
                        "confidence: high\n", "confidence_basis: a: b\n", "ttl_event: until WP-1\n", "## Algorithm\n",
                        "- [a](b.md) `c\n", "\n", "\r\n", "schema_version: 1\n", "cost_usd: 1\n", "\u{feff}", "é:1–é\n",
                    ]).prop_map(str::to_string),
                    ".{0,12}",
                ],
                0..14,
            )
        ) {
            let text = pieces.concat();
            let once = finish(&text, &engine());
            proptest::prop_assert!(once.starts_with("---\nschema_version: 1\n"));
            proptest::prop_assert_eq!(&finish(&once, &engine()), &once);
            let fresh = refresh(&text, 1, 1, ResultClass::Agreed, &[]);
            let _ = (first_decision(&fresh), linked_files(&fresh), is_stub(&fresh), parts::all(&text));
        }
    }
}
