//! What a report is: its sections, words and fixed texts in both languages (group W, PC-648).

use super::meta::Meta;
use crate::domain::lang::Lang;
use crate::domain::time::Stamp;

/// The sections of schema 1 in their order (PC-622).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    Problem,
    /// Only in reports that Kimi wrote as the writer; read, never written.
    Roles,
    Positions,
    Rejected,
    Decision,
    Open,
    Implementation,
    Metadata,
}

/// The one table of headings: section, number, English title, Russian title.
const SECTIONS: [(Section, &str, &str, &str); 8] = [
    (Section::Problem, "1", "Original problem statement", "Исходная постановка"),
    (Section::Roles, "1.5", "Participant roles", "Роли участников"),
    (Section::Positions, "2", "Positions by topic", "Позиции по темам"),
    (Section::Rejected, "3", "Rejected alternatives", "Отвергнутые альтернативы"),
    (Section::Decision, "4", "Recorded decision", "Зафиксированное решение"),
    (Section::Open, "5", "Open questions and escalations", "Открытые вопросы и эскалации"),
    (Section::Implementation, "6", "Implementation and verification", "Реализация и проверка"),
    (Section::Metadata, "7", "Metadata and navigation", "Метаданные и навигация"),
];

impl Section {
    /// The sections that every report has (PC-622).
    pub const ALWAYS: [Section; 4] =
        [Section::Problem, Section::Positions, Section::Decision, Section::Metadata];

    /// `7`; `1.5` for the roles.
    pub fn number(self) -> &'static str {
        self.row().1
    }

    pub fn title(self, lang: Lang) -> &'static str {
        lang.pick(self.row().2, self.row().3)
    }

    /// `## 4. Recorded decision`.
    pub fn heading(self, lang: Lang) -> String {
        format!("## {}. {}", self.number(), self.title(lang))
    }

    /// The section of a heading line and the number that stands in it. The title decides, because older reports count
    /// differently (AMB-88); anything behind the title is ignored, as in `## 4. Зафиксированное решение [synthesized]`.
    pub fn of_heading(line: &str) -> Option<(Section, &str)> {
        let (_, text) = heading(line)?;
        let words = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = text[..text.len() - words.len()].trim_end_matches('.');
        let title = words.trim_start().to_lowercase();
        let begins = |with: &str| {
            title
                .strip_prefix(with.to_lowercase().as_str())
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        SECTIONS
            .iter()
            .find(|(_, _, en, ru)| begins(en) || begins(ru))
            .map(|(section, ..)| (*section, number))
    }

    fn row(self) -> &'static (Section, &'static str, &'static str, &'static str) {
        &SECTIONS[self as usize]
    }
}

/// Level and text of an ATX heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t'])).then(|| (level, rest.trim()))
}

/// `# Final Report` (PC-621).
pub fn title(lang: Lang) -> &'static str {
    lang.pick("# Final Report", "# Итоговый отчёт")
}

/// §4 of a session that found no agreement (PC-623).
pub fn not_reached(lang: Lang) -> &'static str {
    lang.pick("Consensus not reached", "Консенсус не достигнут")
}

/// The tag of statements that the synthesizer made (PC-623).
pub const SYNTHESIZED: &str = "[synthesized]";

/// `confidence` (PC-620), from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Low,
    Med,
    High,
}

impl Confidence {
    pub fn key(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Med => "med",
            Confidence::High => "high",
        }
    }

    pub fn parse(text: &str) -> Option<Confidence> {
        [Confidence::Low, Confidence::Med, Confidence::High].into_iter().find(|c| c.key() == text.trim())
    }
}

/// `cost_source` (PC-620).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CostSource {
    /// A vendor reported the figure.
    Api,
    Estimated,
    Missing,
}

impl CostSource {
    pub fn key(self) -> &'static str {
        match self {
            CostSource::Api => "api",
            CostSource::Estimated => "estimated",
            CostSource::Missing => "missing",
        }
    }

    pub fn parse(text: &str) -> Option<CostSource> {
        [CostSource::Api, CostSource::Estimated, CostSource::Missing]
            .into_iter()
            .find(|c| c.key() == text.trim())
    }
}

/// `ttl_event`: until when a decision holds (PC-620).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ttl {
    /// `until merge PR-12`; holds `PR-12`.
    Merge(String),
    /// `until WP-142`; holds `WP-142`.
    Wp(String),
    PilotCancels,
}

impl Ttl {
    pub fn parse(text: &str) -> Option<Ttl> {
        let text = text.trim().trim_matches(['«', '»', '"']);
        let rest = text.strip_prefix("until ").or_else(|| text.strip_prefix("до "))?.trim();
        let numbered = |text: &str, prefix: &str| {
            text.strip_prefix(prefix).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        match rest.strip_prefix("merge ") {
            Some(pr) => numbered(pr, "PR-").then(|| Ttl::Merge(pr.to_string())),
            None if numbered(rest, "WP-") => Some(Ttl::Wp(rest.to_string())),
            None => matches!(rest, "pilot cancels" | "отмены пилотом").then_some(Ttl::PilotCancels),
        }
    }

    pub fn text(&self, lang: Lang) -> String {
        let until = lang.pick("until", "до");
        match self {
            Ttl::Merge(pr) => format!("{until} merge {pr}"),
            Ttl::Wp(wp) => format!("{until} {wp}"),
            Ttl::PilotCancels => lang.pick("until pilot cancels", "до отмены пилотом").to_string(),
        }
    }
}

/// `peer` of the frontmatter: the one agent id, or all of `peer_agents` joined (PC-620).
pub fn peer_value(meta: &Meta) -> String {
    match meta.peer_agents.as_slice() {
        [] => meta.peer_agent.clone(),
        agents => agents.join(", "),
    }
}

/// The report of a session whose synthesis gave nothing (PC-607). Its last line names the skill's command and ours.
pub fn stub(lang: Lang, session: &str, now: Stamp) -> String {
    let (note, transcript, retry, or) = match lang {
        Lang::En => (
            "synthesis not performed (sub-agent unavailable or returned an empty result)",
            "Transcript: see turn files in the session directory.",
            "Retry synthesis:",
            "or",
        ),
        Lang::Ru => (
            "синтез не выполнен (субагент недоступен или вернул пустой результат)",
            "Стенограмма: см. файлы реплик в папке сессии.",
            "Повтори синтез:",
            "или",
        ),
    };
    format!(
        "---\nsession_id: {session}\ngenerated_at: {now}\nnote: {note}\n---\n\n{}\n\n{transcript}\n\
         {retry} `/peer-conversation --finalize {session}` {or} `flightdeck finalize {session}`\n",
        title(lang)
    )
}

/// One turn of an extension: its number, what it was about, and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionTurn {
    /// File number, or round number in the round-loop (PC-617).
    pub number: u32,
    pub topic: String,
    pub text: String,
}

/// The section that one extension appends to the report (PC-614), empty without turns.
pub fn extension(lang: Lang, turns: &[ExtensionTurn], now: Stamp) -> String {
    let (Some(first), Some(last)) =
        (turns.iter().map(|t| t.number).min(), turns.iter().map(|t| t.number).max())
    else {
        return String::new();
    };
    let mut out = format!("{}{now})\n", extension_head(lang, first, last));
    for turn in turns {
        out.push_str(&format!(
            "\n### Turn {} — {}\n\n{}\n",
            turn.number,
            turn.topic.trim(),
            turn.text.trim()
        ));
    }
    out
}

/// The part of an extension's heading by which it is found again: `## Extension (turns 4–6, `.
pub fn extension_head(lang: Lang, first: u32, last: u32) -> String {
    format!("## {} (turns {first}–{last}, ", lang.pick("Extension", "Дополнение"))
}

/// What the pilot reads at the very end (PC-648).
#[derive(Debug, Clone, Copy)]
pub struct InChat<'a> {
    pub lang: Lang,
    /// Turns in the turn-loop, rounds in the round-loop.
    pub turns: u32,
    pub writer: &'a str,
    /// Agent ids.
    pub peers: &'a [String],
    pub escalations: u32,
    /// First item of §4; `None` for an empty report or a stub.
    pub decision: Option<&'a str>,
    /// `sessions/<MONTH>/<DAY>/<SESSION_ID>/report.md`.
    pub report: &'a str,
}

impl InChat<'_> {
    pub fn text(&self) -> String {
        let link = format!("{} {}", self.lang.pick("Full report:", "Подробный отчёт:"), self.report);
        let Some(decision) = self.decision else { return link };
        let decision = decision.replace(SYNTHESIZED, "").split_whitespace().collect::<Vec<_>>().join(" ");
        let (turns, writer, peers, escalations) =
            (self.turns, self.writer, self.peers.join(", "), self.escalations);
        match self.lang {
            Lang::En => format!(
                "Session complete.\n\nTurns/rounds: {turns} | Roles: {writer} (writer) · {peers} (peer(s)) | \
                 Escalations: {escalations}\n\nDecision: {decision}\n\n{link}"
            ),
            Lang::Ru => format!(
                "Сессия завершена.\n\nХодов/раундов: {turns} | Роли: {writer} (писатель) · {peers} (напарник(и)) | \
                 Эскалаций: {escalations}\n\nРешение: {decision}\n\n{link}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_622_headings() {
        assert_eq!(Section::Problem.heading(Lang::En), "## 1. Original problem statement");
        assert_eq!(Section::Decision.heading(Lang::Ru), "## 4. Зафиксированное решение");
        for lang in [Lang::En, Lang::Ru] {
            for (section, number, ..) in SECTIONS {
                assert_eq!(Section::of_heading(&section.heading(lang)), Some((section, number)));
            }
        }
    }

    #[test]
    fn amb_88_sections_are_known_by_their_title() {
        assert_eq!(Section::of_heading("## 6. Метаданные и навигация"), Some((Section::Metadata, "6")));
        assert_eq!(
            Section::of_heading("## 4. Зафиксированное решение [synthesized]"),
            Some((Section::Decision, "4"))
        );
        assert_eq!(Section::of_heading("### RECORDED DECISION:"), Some((Section::Decision, "")));
        assert_eq!(Section::of_heading("## 1.5 Роли участников"), Some((Section::Roles, "1.5")));
        for line in [
            "## 4. Recorded decisions",
            "Recorded decision",
            "##4. Recorded decision",
            "## Диагностика",
            "#",
            "",
        ] {
            assert_eq!(Section::of_heading(line), None, "{line}");
        }
    }

    #[test]
    fn pc_620_words() {
        for word in ["low", "med", "high"] {
            assert_eq!(Confidence::parse(word).unwrap().key(), word);
        }
        for word in ["api", "estimated", "missing"] {
            assert_eq!(CostSource::parse(word).unwrap().key(), word);
        }
        assert!(Confidence::Low < Confidence::Med && Confidence::Med < Confidence::High);
        assert_eq!((Confidence::parse("medium"), CostSource::parse("")), (None, None));
    }

    #[test]
    fn pc_620_ttl_in_both_languages() {
        for (en, ru) in [
            ("until merge PR-12", "до merge PR-12"),
            ("until WP-142", "до WP-142"),
            ("until pilot cancels", "до отмены пилотом"),
        ] {
            assert_eq!(Ttl::parse(en).unwrap().text(Lang::Ru), ru);
            assert_eq!(Ttl::parse(ru).unwrap().text(Lang::En), en);
        }
        for bad in
            ["", "omit", "until", "until WP-", "until WP-x", "until tomorrow", "until merge WP-1", "WP-142"]
        {
            assert_eq!(Ttl::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn pc_607_stub() {
        let now = Stamp::parse("2026-08-24T09:00:00Z").unwrap();
        assert_eq!(
            stub(Lang::En, "2026-08-24-01-x", now),
            "---\nsession_id: 2026-08-24-01-x\ngenerated_at: 2026-08-24T09:00:00Z\n\
             note: synthesis not performed (sub-agent unavailable or returned an empty result)\n---\n\n# Final Report\n\n\
             Transcript: see turn files in the session directory.\n\
             Retry synthesis: `/peer-conversation --finalize 2026-08-24-01-x` or `flightdeck finalize 2026-08-24-01-x`\n"
        );
        assert_eq!(
            stub(Lang::Ru, "2026-08-24-01-x", now),
            "---\nsession_id: 2026-08-24-01-x\ngenerated_at: 2026-08-24T09:00:00Z\n\
             note: синтез не выполнен (субагент недоступен или вернул пустой результат)\n---\n\n# Итоговый отчёт\n\n\
             Стенограмма: см. файлы реплик в папке сессии.\n\
             Повтори синтез: `/peer-conversation --finalize 2026-08-24-01-x` или `flightdeck finalize 2026-08-24-01-x`\n"
        );
    }

    #[test]
    fn pc_614_extension_section() {
        let turn = |number, topic: &str| ExtensionTurn { number, topic: topic.into(), text: "said\n".into() };
        let now = Stamp::parse("2026-05-23T04:25:00Z").unwrap();
        assert_eq!(
            extension(Lang::En, &[turn(4, "costs"), turn(6, "again")], now),
            "## Extension (turns 4–6, 2026-05-23T04:25:00Z)\n\n### Turn 4 — costs\n\nsaid\n\n### Turn 6 — again\n\nsaid\n"
        );
        assert!(extension(Lang::Ru, &[turn(4, "цена")], now).starts_with("## Дополнение (turns 4–4, "));
        assert_eq!(extension(Lang::En, &[], now), "");
    }

    #[test]
    fn pc_648_in_chat_summary() {
        let peers = ["codex".to_string(), "hermes".to_string()];
        let mut chat = InChat {
            lang: Lang::En,
            turns: 2,
            writer: "claude-code",
            peers: &peers,
            escalations: 1,
            decision: Some("Rotate the logs. [synthesized]"),
            report: "sessions/2026-08/24/x/report.md",
        };
        assert_eq!(
            chat.text(),
            "Session complete.\n\nTurns/rounds: 2 | Roles: claude-code (writer) · codex, hermes (peer(s)) | Escalations: 1\n\n\
             Decision: Rotate the logs.\n\nFull report: sessions/2026-08/24/x/report.md"
        );
        chat.lang = Lang::Ru;
        assert_eq!(
            chat.text(),
            "Сессия завершена.\n\nХодов/раундов: 2 | Роли: claude-code (писатель) · codex, hermes (напарник(и)) | Эскалаций: 1\n\n\
             Решение: Rotate the logs.\n\nПодробный отчёт: sessions/2026-08/24/x/report.md"
        );
        chat.decision = None;
        assert_eq!(chat.text(), "Подробный отчёт: sessions/2026-08/24/x/report.md");
    }
}
