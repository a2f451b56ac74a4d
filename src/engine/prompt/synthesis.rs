//! What the synthesizer is asked: one plain call with the whole session and the schema as a template (PC-602, PC-604).
//!
//! Whatever the engine knows stands in the template already (PC-605), so that the synthesizer has less to get wrong.

use super::{Text, fill, one_line, text};
use crate::domain::session::meta::Meta;
use crate::domain::session::turn::TurnName;
use crate::store::report::{EngineHead, scalar};

const FRAME: Text = text!("synthesis.txt");
const ONE: Text = text!("synthesis-one.txt");
const MANY: Text = text!("synthesis-many.txt");
const OUTCOME: Text = text!("synthesis-outcome.txt");
const RETRY: Text = text!("synthesis-retry.txt");

/// Everything the synthesizer gets to know.
#[derive(Debug, Clone, Copy)]
pub struct SynthesisPrompt<'a> {
    pub head: &'a EngineHead,
    pub meta: &'a Meta,
    /// Turns in reading order, then escalations, `_outcome.md`, `review-NN.md`, `verify-NN.md` as far as they exist.
    pub documents: &'a [Document<'a>],
    /// USD, when the vendors reported it for every call.
    pub cost_usd: Option<f64>,
    /// What [`crate::store::verify`] found in the first attempt; empty for the first attempt.
    pub violations: &'a [String],
}

/// One file of the session.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// The prompt as it goes to the adapter's stdin.
pub fn compose(prompt: &SynthesisPrompt) -> String {
    let (head, meta, lang) = (prompt.head, prompt.meta, prompt.head.lang);
    let peers = meta.peer_agents.len().max(1);
    let positions = if peers == 1 { &ONE } else { &MANY };
    let implementation = if meta.implementation_pipeline { OUTCOME.of(lang) } else { "" };
    let documents: Vec<String> =
        prompt.documents.iter().map(|d| format!("=== {} ===\n{}", d.name, d.text.trim_end())).collect();
    let body = fill(
        FRAME.of(lang),
        &[
            ("peer_count", &peers.to_string()),
            ("task", &one_line(&meta.task_description)),
            ("notes", &notes(prompt)),
            ("documents", &documents.join("\n\n")),
            ("values", &values(meta)),
            ("limit", &limit(head)),
            ("session", &head.session_id),
            ("generated_at", &head.generated_at.to_string()),
            ("writer", &scalar(&head.writer)),
            ("peer", &scalar(&head.peer)),
            ("duration_min", &head.duration_min.to_string()),
            ("escalations_count", &head.escalations_count.to_string()),
            ("result_class", head.result_class.key()),
            ("cost", &cost(prompt.cost_usd)),
            ("positions", positions.of(lang).trim_end()),
            ("implementation", implementation),
            ("log", &log(prompt.documents)),
            ("facts", &facts(prompt)),
        ],
    );
    let body = body.trim_end();
    if prompt.violations.is_empty() {
        return format!("{body}\n");
    }
    let violations: Vec<String> = prompt.violations.iter().map(|v| format!("- {}", one_line(v))).collect();
    format!("{}\n{body}\n", fill(RETRY.of(lang), &[("violations", &violations.join("\n"))]))
}

/// Which of the files have a place in the report.
fn notes(prompt: &SynthesisPrompt) -> String {
    let lang = prompt.head.lang;
    let has = |prefix: &str| prompt.documents.iter().any(|d| d.name.starts_with(prefix));
    let mut out = String::new();
    if has("_outcome.md") {
        out.push_str(lang.pick("\n`_outcome.md` is mandatory for §6.", "\n`_outcome.md` обязателен для §6."));
    }
    if has("review-") || has("verify-") {
        out.push_str(lang.pick(
            "\nInclude review-NN.md / verify-NN.md as anchors in §5/§6.",
            "\nВключи review-NN.md / verify-NN.md как якоря в §5/§6.",
        ));
    }
    out
}

/// What `meta.yaml` says beyond the frontmatter of the report; keys are English in both languages (PC-721).
fn values(meta: &Meta) -> String {
    let mut lines = vec![
        format!("start_time: {}", meta.start_time),
        format!("implementation_pipeline: {}", meta.implementation_pipeline),
    ];
    if !meta.task_id.is_empty() {
        lines.push(format!("task_id: {}", meta.task_id));
    }
    lines.extend(
        meta.roles.iter().map(|(agent, roles)| format!("role of {agent}: {}", one_line(&roles.join(", ")))),
    );
    lines.extend(
        meta.peer_failures.iter().map(|f| format!("failed: {} in round {}, {}", f.vendor, f.round, f.reason)),
    );
    lines.join("\n")
}

fn limit(head: &EngineHead) -> String {
    let Some((most, why)) = &head.max_confidence else { return String::new() };
    let (lang, most, why) = (head.lang, most.key(), one_line(why));
    format!("\n{} {most}: {why}.", lang.pick("confidence is at most", "confidence не выше"))
}

fn cost(usd: Option<f64>) -> String {
    match usd.filter(|n| n.is_finite()) {
        Some(usd) => format!("cost_usd: {usd:.2}\ncost_source: api"),
        None => "cost_source: missing".to_string(),
    }
}

/// The links of §7 to all turn files in reading order (PC-622).
fn log(documents: &[Document]) -> String {
    let turns = documents.iter().filter(|d| TurnName::parse(d.name).is_some());
    turns.map(|d| format!("[{0}]({0})", d.name)).collect::<Vec<_>>().join(", ")
}

/// The lines of §7 that only sessions with several peers have, and the cost.
fn facts(prompt: &SynthesisPrompt) -> String {
    let (meta, lang) = (prompt.meta, prompt.head.lang);
    let round = lang.pick("round", "раунд");
    let mut lines = Vec::new();
    if meta.peer_agents.len() > 1 && !meta.round_skips.is_empty() {
        let skips =
            meta.round_skips.iter().map(|(n, vendors)| format!("{round} {n} — {}", vendors.join(", ")));
        let label = lang.pick("Round skips", "Пропуски раундов");
        lines.push(format!("- **{label}:** {}", skips.collect::<Vec<_>>().join("; ")));
    }
    if meta.peer_agents.len() > 1 && !meta.handoff_history.is_empty() {
        let handoffs = meta
            .handoff_history
            .iter()
            .map(|h| format!("{round} {} → {} → {} → {}", h.round, h.from, h.to, one_line(&h.reason)));
        let label = lang.pick("Write token handoff", "Передача write token");
        lines.push(format!("- **{label}:** {}", handoffs.collect::<Vec<_>>().join("; ")));
    }
    if let Some(usd) = prompt.cost_usd.filter(|n| n.is_finite()) {
        let (label, source) = (lang.pick("Cost", "Стоимость"), lang.pick("source", "источник"));
        lines.push(format!("- **{label}:** ${usd:.2} ({source}: api)"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::lang::Lang;
    use crate::domain::session::failure::Reason;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::{Handoff, PeerFailure, ResultClass};
    use crate::domain::session::report::{Confidence, Section};
    use crate::domain::time::Stamp;
    use crate::engine::prompt::names;
    use crate::store::report::parts;

    fn meta(peers: &[&str], lang: Lang) -> Meta {
        let mut meta = Meta::new(SessionId::parse("2026-08-24-02-x").unwrap(), "Agree {{log}} <task> {}");
        meta.peer_agents = peers.iter().map(|p| p.to_string()).collect();
        meta.start_time = "2026-08-24T11:00:00Z".into();
        meta.engine_lang = Some(lang);
        meta
    }

    fn say(meta: &Meta, documents: &[(&str, &str)], violations: &[&str]) -> String {
        let head = EngineHead::of(meta, ResultClass::Partial, Stamp::parse("2026-08-24T11:31:00Z").unwrap());
        let documents: Vec<_> = documents.iter().map(|(name, text)| Document { name, text }).collect();
        let violations: Vec<_> = violations.iter().map(|v| v.to_string()).collect();
        compose(&SynthesisPrompt {
            head: &head,
            meta,
            documents: &documents,
            cost_usd: None,
            violations: &violations,
        })
    }

    const TURNS: [(&str, &str); 3] =
        [("00-writer.md", "a {{session}}\n\n"), ("01-peer-codex.md", "b"), ("escalation-00.md", "c")];

    #[test]
    fn pc_604_frame_en() {
        let got = say(&meta(&["codex", "hermes"], Lang::En), &TURNS, &[]);
        assert!(got.starts_with(
            "You are a synthesizer of dialog results between multiple agents (DP.SC.154, writer + 2 peer(s)).\n\
             Session task: Agree {{log}} <task> {}\n\n\
             Style: conversational for the pilot (A1-A11). Rewrite, do not copy turn files."
        ));
        for line in [
            "Do not wrap in ```markdown``` — write markdown directly.\n",
            "Invariant: result_class=agreed → §4 is non-empty; not-agreed → §4 = \"Consensus not reached\".",
            "Verify anchors are mandatory for code references (file:line-range). Tags [synthesized] in §4.\n",
            "=== 00-writer.md ===\na {{session}}\n\n=== 01-peer-codex.md ===\nb\n\n=== escalation-00.md ===\nc\n",
            "duration_min: 31\nescalations_count: 0\nresult_class: partial\nconfidence: low | med | high\n",
            "- **Log:** [00-writer.md](00-writer.md), [01-peer-codex.md](01-peer-codex.md)\n",
            "- **<agent_id N>:** ...",
        ] {
            assert!(got.contains(line), "{line}: {got}");
        }
        assert!(!got.contains("## Algorithm"), "PC-625");
    }

    #[test]
    fn pc_604_frame_ru() {
        let got = say(&meta(&["codex"], Lang::Ru), &TURNS, &[]);
        assert!(got.starts_with(
            "Ты — синтезатор итогов диалога нескольких агентов (DP.SC.154, писатель + 1 напарник(а/ов)).\n\
             Задача сессии: Agree {{log}} <task> {}\n\nСтиль: разговорный для пилота (A1-A11). Перепиши, не копируй turn-файлы."
        ));
        for line in [
            "Не оборачивай в ```markdown``` — пиши markdown напрямую.\n",
            "Инвариант: result_class=agreed → §4 непустой; not-agreed → §4 = «Консенсус не достигнут».",
            "Verify-якоря обязательны для код-ссылок (file:line-range). Теги [synthesized] в §4.\n",
            "ttl_event: <«до merge PR-NNN» | «до WP-NNN» | «до отмены пилотом» | omit>\ncost_source: missing\n",
            "- **Писатель:** тезис → обоснование → якорь (file:line-range / Pack-ID)\n- **Напарник:** тезис",
        ] {
            assert!(got.contains(line), "{line}: {got}");
        }
    }

    #[test]
    fn pc_622_the_template_has_the_sections_of_the_table() {
        for lang in [Lang::En, Lang::Ru] {
            for pipeline in [false, true] {
                let mut meta = meta(&["codex"], lang);
                meta.implementation_pipeline = pipeline;
                let got = say(&meta, &TURNS, &[]);
                let schema = &got[got.find("\n---\nschema_version").unwrap()..];
                let headings: Vec<_> =
                    parts::all(schema).iter().map(|p| p.heading.to_string()).skip(1).collect();
                let want = [
                    Section::Problem,
                    Section::Positions,
                    Section::Rejected,
                    Section::Decision,
                    Section::Open,
                    Section::Implementation,
                    Section::Metadata,
                ];
                let want: Vec<_> = want
                    .iter()
                    .filter(|s| pipeline || **s != Section::Implementation)
                    .map(|s| s.heading(lang))
                    .collect();
                assert_eq!(headings, want);
                assert!(!got.contains("\n\n\n"), "{got}");
            }
        }
    }

    #[test]
    fn pc_602_what_meta_and_companion_files_say() {
        let mut meta = meta(&["codex", "hermes"], Lang::En);
        meta.round_skips = vec![(1, vec!["hermes".into()]), (2, vec!["hermes".into()])];
        meta.peer_failures = vec![PeerFailure { round: 2, vendor: "hermes".into(), reason: Reason::Exit(1) }];
        meta.handoff_history = vec![Handoff {
            round: 2,
            from: "claude-code".into(),
            to: "codex".into(),
            reason: "owns it".into(),
        }];
        meta.roles = vec![("codex".into(), vec!["critic".into()])];
        let files = [("00-writer.md", "a"), ("_outcome.md", "b"), ("review-00.md", "c")];
        let got = say(&meta, &files, &[]);
        for line in [
            "role of codex: critic\nfailed: hermes in round 2, exit_1\n",
            "`_outcome.md` is mandatory for §6.\nInclude review-NN.md / verify-NN.md as anchors in §5/§6.\n",
            "- **Round skips:** round 1 — hermes; round 2 — hermes\n",
            "- **Write token handoff:** round 2 → claude-code → codex → owns it\n",
            "- **Log:** [00-writer.md](00-writer.md)\n",
        ] {
            assert!(got.contains(line), "{line}: {got}");
        }
        meta.engine_lang = Some(Lang::Ru);
        assert!(
            say(&meta, &files, &[]).contains("- **Пропуски раундов:** раунд 1 — hermes; раунд 2 — hermes\n")
        );
    }

    #[test]
    fn amb_53_the_limit_of_confidence_and_the_cost_are_told() {
        let meta = meta(&["codex"], Lang::En);
        let mut head = EngineHead::of(&meta, ResultClass::Agreed, Stamp(0));
        head.max_confidence = Some((Confidence::Med, "hermes was skipped".into()));
        let prompt = SynthesisPrompt {
            head: &head,
            meta: &meta,
            documents: &[],
            cost_usd: Some(0.4149),
            violations: &[],
        };
        let got = compose(&prompt);
        assert!(got.contains("in §4.\nconfidence is at most med: hermes was skipped.\n"), "{got}");
        assert!(got.contains("\ncost_usd: 0.41\ncost_source: api\n---\n"), "{got}");
        assert!(got.ends_with("- **Cost:** $0.41 (source: api)\n"), "{got}");
    }

    #[test]
    fn pc_605_the_retry_names_the_violations() {
        let meta = meta(&["codex"], Lang::En);
        let first = say(&meta, &TURNS, &[]);
        let again = say(
            &meta,
            &TURNS,
            &["§7 does not link to {{task}}", "no statement of §4\ncarries [synthesized]"],
        );
        let want = "Your previous report breaks the schema. Correct these points and send the complete report again:\n\
            - §7 does not link to {{task}}\n- no statement of §4 carries [synthesized]\n\n";
        assert_eq!(again, format!("{want}{first}"));
    }

    #[test]
    fn no_placeholder_is_left_and_both_languages_fill_the_same() {
        for text in [FRAME, ONE, MANY, OUTCOME, RETRY] {
            assert_eq!(names(text.en), names(text.ru));
        }
        let mut meta = meta(&["codex"], Lang::En);
        meta.task_description = "x".into();
        assert!(!say(&meta, &[("00-writer.md", "a")], &["v"]).contains("{{"));
    }
}
