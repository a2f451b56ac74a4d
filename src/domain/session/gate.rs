//! The Decision Gate (group T): consensus is not implementation, so the pilot chooses how far to go.

use super::slug::collapse;
use crate::domain::lang::Lang;

/// Why the question is not asked and A is taken (PC-466).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Defer {
    #[default]
    None,
    /// Implementation needs a new WP.
    Wp,
    /// An ArchGate is required.
    Archgate,
    /// The context has switched completely.
    Context,
}

/// The plain-language summary that comes before the question (PC-461, PC-462).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    pub discussed: String,
    pub agreed: String,
    /// Changes, one line each.
    pub proposed: Vec<String>,
    /// Hours, such as `2` or `2-3`.
    pub hours: String,
    /// Empty when no other user notices anything.
    pub impact: String,
    #[serde(default)]
    pub defer: Defer,
    /// False when the summary call failed and only `agreed` is known.
    #[serde(default = "yes")]
    pub estimated: bool,
}

/// How the discussion ended, for the first line (AMB-65).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateHead {
    Consensus,
    Majority,
}

/// The pilot's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateAnswer {
    /// A.
    Record,
    /// A, and the close question is answered with it (AMB-75).
    RecordAndClose,
    /// B.
    Implement,
}

/// The summary without the summary call: only the marker's payload is known (PC-462).
pub fn fallback(payload: &str) -> Summary {
    Summary {
        discussed: String::new(),
        agreed: payload.trim().to_string(),
        proposed: Vec::new(),
        hours: String::new(),
        impact: String::new(),
        defer: Defer::None,
        estimated: false,
    }
}

/// The summary as the pilot reads it (PC-461). Missing values are said to be missing.
pub fn render(summary: &Summary, lang: Lang, head: GateHead) -> String {
    let unknown = lang.pick("not estimated", "нет оценки");
    let or_unknown = |text: String| if text.is_empty() { unknown.to_string() } else { text };
    let first = match head {
        GateHead::Consensus => lang.pick("Consensus reached.", "Консенсус достигнут."),
        GateHead::Majority => lang.pick("Majority decision recorded.", "Решение большинства зафиксировано."),
    };
    let impact = match collapse(&summary.impact) {
        text if !text.is_empty() => text,
        _ if summary.estimated => lang.pick("local only", "только локально").to_string(),
        _ => unknown.to_string(),
    };
    let rows = [
        (lang.pick("What was discussed", "Что обсуждалось"), or_unknown(collapse(&summary.discussed))),
        (lang.pick("What was agreed", "К чему пришли"), or_unknown(paragraph(&summary.agreed))),
        (
            lang.pick("What is proposed for implementation", "Что предлагается реализовать"),
            or_unknown(changes(&summary.proposed)),
        ),
        (
            lang.pick("Estimated implementation time", "Сколько займёт реализация"),
            or_unknown(hours(&summary.hours, lang)),
        ),
        (lang.pick("Impact on other users", "Изменения у других пользователей"), impact),
    ];
    let mut out = format!("{first}\n");
    for (name, value) in rows {
        let gap = if value.starts_with('\n') { "" } else { " " };
        out.push_str(&format!("\n{name}:{gap}{value}"));
    }
    if !summary.estimated {
        out.push_str(lang.pick(
            "\n\nThe summary could not be written; the agreement is quoted from the discussion.",
            "\n\nРезюме составить не удалось; договорённость процитирована из обсуждения.",
        ));
    }
    out
}

/// The question (PC-463).
pub fn question(lang: Lang) -> String {
    lang.pick(
        "What next?\n  A. Record only → Step 4 (report.md + commit + close).\n     \
         Implementation — a separate WP/phase in a later session.\n  \
         B. Implement now → Review → verify → deploy → Step 4.",
        "Что дальше?\n  А. Только зафиксировать → Шаг 4 (report.md + commit + close).\n     \
         Реализация — отдельный РП/фаза при следующей сессии.\n  \
         Б. Реализовать сейчас → ревью → проверить → задеплоить → Шаг 4.",
    )
    .to_string()
}

/// Reads one letter in either alphabet and case, with or without `.` or `)` (PC-463). C, in Russian В, is "A and close".
pub fn read_answer(text: &str) -> Option<GateAnswer> {
    match text.trim().trim_end_matches(['.', ')']).trim_end() {
        "A" | "a" | "А" | "а" => Some(GateAnswer::Record),
        "B" | "b" | "Б" | "б" => Some(GateAnswer::Implement),
        "C" | "c" | "С" | "с" | "В" | "в" => Some(GateAnswer::RecordAndClose),
        _ => None,
    }
}

fn yes() -> bool {
    true
}

/// Lines kept, blank ones dropped.
fn paragraph(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(collapse).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn changes(proposed: &[String]) -> String {
    let lines: Vec<String> =
        proposed.iter().map(|line| collapse(line)).filter(|line| !line.is_empty()).collect();
    match &lines[..] {
        [] => String::new(),
        [one] => one.clone(),
        more => more.iter().map(|line| format!("\n  - {line}")).collect(),
    }
}

/// `2`, `~2h` and `2-3 hours` all become `~…h (…)`; anything else stands as it is.
pub fn hours(text: &str, lang: Lang) -> String {
    let text = collapse(text);
    let bare = text.trim_start_matches(['~', '≈', ' ']);
    let number = bare.trim_end_matches(|c: char| c.is_alphabetic() || matches!(c, '.' | ' '));
    let is_number = !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '–' | '/'))
        && matches!(
            bare[number.len()..].trim(),
            "" | "h" | "hr" | "hrs" | "hour" | "hours" | "ч" | "ч." | "часа" | "часов" | "час"
        );
    if is_number {
        format!(
            "~{number}h {}",
            lang.pick("(including Review + smoke + deploy)", "(включая ревью + smoke + deploy)")
        )
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn summary() -> Summary {
        Summary {
            discussed: "How thumbnails\nleave the cache".into(),
            agreed: "Two segments.\n\nOld ones go first.".into(),
            proposed: vec!["split the cache".into(), "new  setting".into()],
            hours: "3".into(),
            impact: String::new(),
            defer: Defer::None,
            estimated: true,
        }
    }

    #[test]
    fn pc_461_english() {
        assert_eq!(
            render(&summary(), Lang::En, GateHead::Consensus),
            "Consensus reached.\n\n\
             What was discussed: How thumbnails leave the cache\n\
             What was agreed: Two segments.\nOld ones go first.\n\
             What is proposed for implementation:\n  - split the cache\n  - new setting\n\
             Estimated implementation time: ~3h (including Review + smoke + deploy)\n\
             Impact on other users: local only"
        );
    }

    #[test]
    fn pc_461_russian() {
        let summary = Summary {
            proposed: vec!["одно".into()], impact: "новая команда".into(), ..summary()
        };
        let text = render(&summary, Lang::Ru, GateHead::Majority);
        assert!(text.starts_with("Решение большинства зафиксировано.\n\nЧто обсуждалось: "), "AMB-65");
        for line in [
            "\nК чему пришли: Two segments.",
            "\nЧто предлагается реализовать: одно\n",
            "\nСколько займёт реализация: ~3h (включая ревью + smoke + deploy)\n",
            "\nИзменения у других пользователей: новая команда",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(render(&summary, Lang::Ru, GateHead::Consensus).starts_with("Консенсус достигнут.\n\n"));
        assert!(
            render(&summary, Lang::En, GateHead::Majority).starts_with("Majority decision recorded.\n\n")
        );
    }

    #[test]
    fn pc_461_hours() {
        let shown = |hours: &str| {
            let text = render(&Summary { hours: hours.into(), ..summary() }, Lang::En, GateHead::Consensus);
            text.lines().find_map(|l| l.strip_prefix("Estimated implementation time: ")).unwrap().to_string()
        };
        for hours in ["2-3", "~2-3h", "2-3 hours", "≈ 2-3 ч."] {
            assert_eq!(shown(hours), "~2-3h (including Review + smoke + deploy)", "{hours}");
        }
        assert_eq!(shown("two days"), "two days");
        assert_eq!(shown("2 days"), "2 days");
        assert_eq!(shown(""), "not estimated");
    }

    #[test]
    fn pc_462_the_fallback_says_what_it_is() {
        let text = render(&fallback(" keep it "), Lang::En, GateHead::Consensus);
        assert!(text.contains("\nWhat was agreed: keep it\n"), "{text}");
        assert_eq!(text.matches(": not estimated").count(), 4, "{text}");
        assert!(text.contains("could not be written"));
        assert!(render(&fallback(""), Lang::Ru, GateHead::Consensus).contains("К чему пришли: нет оценки"));
    }

    #[test]
    fn pc_463_question() {
        assert_eq!(
            question(Lang::En),
            "What next?\n  A. Record only → Step 4 (report.md + commit + close).\n     Implementation — a separate WP/phase in \
             a later session.\n  B. Implement now → Review → verify → deploy → Step 4."
        );
        assert!(
            question(Lang::Ru).contains("\n  А. Только") && question(Lang::Ru).contains("\n  Б. Реализовать")
        );
    }

    #[test]
    fn pc_463_answers() {
        for text in ["A", "a", "А", "а", " A. ", "a)"] {
            assert_eq!(read_answer(text), Some(GateAnswer::Record), "{text}");
        }
        for text in ["B", "b", "Б", "б", "Б)"] {
            assert_eq!(read_answer(text), Some(GateAnswer::Implement), "{text}");
        }
        for text in ["C", "c", "С", "с", "В", "в."] {
            assert_eq!(read_answer(text), Some(GateAnswer::RecordAndClose), "AMB-75 {text}");
        }
        for text in ["", "AB", "yes", "1", ".", "A and close"] {
            assert_eq!(read_answer(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn pc_461_any_text(text in any::<String>(), proposed in prop::collection::vec(any::<String>(), 0..4)) {
            let all = Summary {
                discussed: text.clone(), agreed: text.clone(), proposed, hours: text.clone(), impact: text.clone(),
                defer: Defer::Wp, estimated: true,
            };
            prop_assert!(render(&all, Lang::Ru, GateHead::Consensus).lines().count() >= 7);
            let _ = read_answer(&text);
        }
    }
}
