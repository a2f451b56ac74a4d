//! Advice at the opening, never a block: the writer's model (PC-116), who suits the work (PC-117), and the log of
//! choices against that advice (PC-118).

use crate::config::places::Iwe;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::time::Stamp;
use crate::engine::wp::WpId;
use crate::store::{frontmatter, write};
use std::path::Path;
use std::{fs, io};

/// `verification_class`: how well the result can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationClass {
    Trivial,
    ClosedLoop,
    OpenLoop,
    ProblemFraming,
}

impl VerificationClass {
    const ALL: [VerificationClass; 4] = [
        VerificationClass::Trivial,
        VerificationClass::ClosedLoop,
        VerificationClass::OpenLoop,
        VerificationClass::ProblemFraming,
    ];

    pub fn key(self) -> &'static str {
        match self {
            VerificationClass::Trivial => "trivial",
            VerificationClass::ClosedLoop => "closed-loop",
            VerificationClass::OpenLoop => "open-loop",
            VerificationClass::ProblemFraming => "problem-framing",
        }
    }

    pub fn parse(text: &str) -> Option<VerificationClass> {
        Self::ALL.into_iter().find(|class| class.key() == text.trim())
    }

    /// The class that a task names. A task that asks whether to do something at all has no test that could close it,
    /// so it is open-loop.
    pub fn of_task(task: &str) -> Option<VerificationClass> {
        let task = task.to_lowercase();
        let named = |class: &&VerificationClass| has_phrase(&task, class.key());
        let undecided = || YES_OR_NO.iter().any(|phrase| has_phrase(&task, phrase));
        Self::ALL
            .iter()
            .rev()
            .find(named)
            .copied()
            .or_else(|| undecided().then_some(VerificationClass::OpenLoop))
    }

    /// `writer_model_recommended`.
    pub fn model(self) -> &'static str {
        match self {
            VerificationClass::OpenLoop | VerificationClass::ProblemFraming => "opus",
            VerificationClass::Trivial | VerificationClass::ClosedLoop => "sonnet",
        }
    }
}

const YES_OR_NO: [&str; 8] =
    ["yes or no", "go or no-go", "go/no-go", "whether to", "should we", "да или нет", "стоит ли", "нужно ли"];

/// The class on the WP's card, `inbox/WP-N/WP-N.md` or `inbox/WP-N.md`, numbers as written or with three digits.
pub fn class_on_card(governance: &Path, wp: WpId) -> Option<VerificationClass> {
    let names = [wp.to_string(), format!("WP-{:03}", wp.0)];
    let cards = names.iter().flat_map(|name| [format!("{name}/{name}.md"), format!("{name}.md")]);
    let text = cards
        .map(|card| governance.join("inbox").join(card))
        .find_map(|path| fs::read_to_string(path).ok())?;
    let (head, _) = frontmatter::read(&text).ok()?;
    VerificationClass::parse(&frontmatter::plain(head.get("verification_class")?))
}

/// The two lines of PC-116. `program` is what runs the writer when that is not Claude Code.
pub fn model_advice(class: VerificationClass, program: Option<&str>, lang: Lang) -> [String; 2] {
    let (model, class, program) = (class.model(), class.key(), program.unwrap_or("Claude Code"));
    match lang {
        Lang::En => [
            format!("Recommended writer model: {model}"),
            format!("(Task class: {class}. Select the model at {program} startup.)"),
        ],
        Lang::Ru => [
            format!("Модель писателя (рекомендуется): {model}"),
            format!("(Класс задачи: {class}. Выбери модель при запуске {program}.)"),
        ],
    }
}

/// The rows of the routing table (PC-117).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkClass {
    Cleanup,
    ShallowVerification,
    DeepVerification,
    Implementation,
    Design,
}

/// Beginnings of words, so that `refactoring` and `рефакторинг` are found too. A class is known only when the words
/// of exactly one row occur: a wrong hint is worse than none.
const WORDS: [(WorkClass, &[&str]); 5] = [
    (
        WorkClass::Cleanup,
        &["cleanup", "clean up", "reformat", "formatting", "triage", "уборк", "почист", "форматир", "триаж"],
    ),
    (WorkClass::ShallowVerification, &["checklist", "drift", "lint", "чеклист", "дрейф"]),
    (WorkClass::DeepVerification, &["invariant", "cross-file", "инвариант"]),
    (WorkClass::Implementation, &["implement", "refactor", "реализ", "рефактор"]),
    (
        WorkClass::Design,
        &["design", "architect", "scope", "roadmap", "plan ", "planning", "дизайн", "архитект", "планиров"],
    ),
];

impl WorkClass {
    pub fn of_task(task: &str) -> Option<WorkClass> {
        let task = format!("{} ", task.to_lowercase());
        let mut found = WORDS.iter().filter(|(_, words)| words.iter().any(|word| begins_word(&task, word)));
        let class = found.next()?.0;
        found.next().is_none().then_some(class)
    }

    pub fn name(self, lang: Lang) -> &'static str {
        match self {
            WorkClass::Cleanup => {
                lang.pick("cleanup / formatting / triage", "уборка / форматирование / триаж")
            }
            WorkClass::ShallowVerification => lang.pick(
                "shallow verification (format, checklist, drift)",
                "верификация shallow (формат, чеклист, drift)",
            ),
            WorkClass::DeepVerification => lang
                .pick("deep verification (cross-file invariant)", "верификация deep (cross-file invariant)"),
            WorkClass::Implementation => {
                lang.pick("multi-file implementation / tight loop", "реализация multi-file / tight-loop")
            }
            WorkClass::Design => lang.pick("design / scope / planning", "дизайн / scope / планирование"),
        }
    }

    pub fn recommended(self, lang: Lang) -> &'static str {
        match self {
            WorkClass::Cleanup | WorkClass::ShallowVerification => "Kimi",
            WorkClass::DeepVerification | WorkClass::Implementation => "Claude",
            WorkClass::Design => {
                lang.pick("a strong model (Claude/Opus or Kimi)", "сильная модель (Claude/Opus или Kimi)")
            }
        }
    }

    /// The line shown at the opening.
    pub fn hint(self, lang: Lang) -> String {
        let (name, who) = (self.name(lang), self.recommended(lang));
        match lang {
            Lang::En => format!("Routing hint: {name} → {who}"),
            Lang::Ru => format!("Подсказка по маршрутизации: {name} → {who}"),
        }
    }

    /// "Against" the hint: the recommended vendor is neither the writer nor a peer (PC-118).
    pub fn is_against<'a>(self, mut chosen: impl Iterator<Item = &'a str>) -> bool {
        let wanted: &[&str] = match self {
            WorkClass::Cleanup | WorkClass::ShallowVerification => &["kimi"],
            WorkClass::DeepVerification | WorkClass::Implementation => &["claude"],
            WorkClass::Design => &["claude", "kimi"],
        };
        !chosen.any(|vendor| wanted.contains(&vendor))
    }
}

/// Who was chosen for a new session, by vendor key.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    pub writer: &'a str,
    pub peers: &'a [String],
}

/// Counts the choice and, at the second one in a row against the hint, writes the signal to the drift log. Gives the
/// line that was written. Call once per new session; without a known class nothing changes. An error may be shown and
/// must not stop the session.
pub fn note_choice(
    iwe: &Iwe,
    session: &SessionId,
    at: Stamp,
    lang: Lang,
    class: Option<WorkClass>,
    chosen: Chosen,
) -> io::Result<Option<String>> {
    let Some(class) = class else { return Ok(None) };
    let runtime = iwe.workspace.join(".iwe-runtime/peer-sessions");
    let state = runtime.join("routing-state.json");
    let before = in_a_row(&state);
    let against =
        class.is_against([chosen.writer].into_iter().chain(chosen.peers.iter().map(String::as_str)));
    let after = if against { before + 1 } else { 0 };
    let line = (after >= 2).then(|| drift_line(session, at, lang, class, chosen));
    if let Some(line) = &line {
        let folder = iwe.governance.join("inbox/WP-383");
        write::ensure_dir(&folder)?;
        write::append_line(&folder.join("routing-drift.log"), line)?;
    }
    let after = if line.is_some() { 0 } else { after };
    if after != before {
        write::ensure_dir(&runtime)?;
        write::atomic(&state, format!("{{\"against_in_a_row\": {after}}}\n").as_bytes())?;
    }
    Ok(line)
}

fn drift_line(session: &SessionId, at: Stamp, lang: Lang, class: WorkClass, chosen: Chosen) -> String {
    let signal = lang.pick(
        "routing table is outdated or classification is wrong",
        "routing-таблица устарела или классификация неверна",
    );
    format!(
        "{at} | {session} | {} | recommended={} | chosen={}/{} | {signal}",
        class.name(lang),
        class.recommended(lang),
        chosen.writer,
        chosen.peers.join("+"),
    )
}

/// A missing or broken counter is 0: it is advice about advice.
fn in_a_row(state: &Path) -> u32 {
    let value: Option<serde_json::Value> =
        fs::read(state).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    value
        .and_then(|v| v.get("against_in_a_row")?.as_u64())
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(0)
        .min(1)
}

/// True when the phrase stands in the text with no letter or digit touching it.
fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, found)| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + found.len()..].starts_with(char::is_alphanumeric)
    })
}

fn begins_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iwe(root: &Path) -> Iwe {
        Iwe {
            workspace: root.to_path_buf(),
            governance: root.join("gov"),
            governance_name: "gov".into(),
            template: root.join("t"),
            template_set: false,
            scripts: root.join("s"),
            ledger: root.join("l"),
        }
    }

    #[test]
    fn pc_116_the_class_gives_the_model() {
        for (task, want) in [
            ("Choose cache eviction policy for the thumbnail store (WP-142)", None),
            ("Agree log rotation for the worker pool", None),
            ("Drop legacy token table from the auth database | yes or no", Some(("open-loop", "opus"))),
            ("Problem-framing: what hurts?", Some(("problem-framing", "opus"))),
            ("a trivial rename", Some(("trivial", "sonnet"))),
            ("Стоит ли менять формат?", Some(("open-loop", "opus"))),
            ("nontrivial thing", None),
        ] {
            let class = VerificationClass::of_task(task);
            assert_eq!(class.map(|c| (c.key(), c.model())), want, "{task}");
        }
    }

    #[test]
    fn pc_116_the_card_is_found_in_both_places() {
        let dir = tempfile::tempdir().unwrap();
        let card = |path: &str, text: &str| {
            let path = dir.path().join("inbox").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        card("WP-7/WP-7.md", "---\nverification_class: problem-framing  # c\n---\nx");
        card("WP-008.md", "---\nverification_class: 'trivial'\n---\nx");
        card("WP-9.md", "no frontmatter");
        let class = |n| class_on_card(dir.path(), WpId(n)).map(VerificationClass::key);
        assert_eq!(
            [class(7), class(8), class(9), class(10)],
            [Some("problem-framing"), Some("trivial"), None, None]
        );
    }

    #[test]
    fn pc_116_announcement_names_the_real_program() {
        assert_eq!(
            model_advice(VerificationClass::ClosedLoop, None, Lang::En),
            [
                "Recommended writer model: sonnet",
                "(Task class: closed-loop. Select the model at Claude Code startup.)"
            ]
        );
        let [first, second] = model_advice(VerificationClass::OpenLoop, Some("codex"), Lang::Ru);
        assert_eq!(first, "Модель писателя (рекомендуется): opus");
        assert_eq!(second, "(Класс задачи: open-loop. Выбери модель при запуске codex.)");
    }

    #[test]
    fn pc_117_the_table() {
        for (task, want) in [
            ("Triage the inbox", Some("Kimi")),
            ("Проверить чеклист релиза", Some("Kimi")),
            ("Check the cross-file invariant", Some("Claude")),
            ("Refactoring of the parser", Some("Claude")),
            ("Plan the quarter", Some("a strong model (Claude/Opus or Kimi)")),
            ("Design and implement it", None),
            ("Explain the airplane", None),
        ] {
            assert_eq!(WorkClass::of_task(task).map(|c| c.recommended(Lang::En)), want, "{task}");
        }
        assert_eq!(WorkClass::Cleanup.hint(Lang::En), "Routing hint: cleanup / formatting / triage → Kimi");
    }

    #[test]
    fn pc_118_the_second_choice_against_the_hint_is_logged_once() {
        let dir = tempfile::tempdir().unwrap();
        let (iwe, id) = (iwe(dir.path()), SessionId::parse("2026-08-24-01-x").unwrap());
        let log = dir.path().join("gov/inbox/WP-383/routing-drift.log");
        let (with, against) = (["kimi".to_string()], ["codex".to_string(), "hermes".to_string()]);
        let note = |class, peers: &[String]| {
            let chosen = Chosen { writer: "claude", peers };
            note_choice(&iwe, &id, Stamp(0), Lang::En, class, chosen).unwrap()
        };
        let cleanup = Some(WorkClass::Cleanup);
        assert_eq!(note(cleanup, &against), None);
        assert_eq!(note(cleanup, &with), None, "a choice with the hint resets");
        assert_eq!(note(cleanup, &against), None);
        assert_eq!(note(None, &with), None, "an unknown class leaves the counter alone");
        assert!(!log.exists());
        let line = note(cleanup, &against).unwrap();
        assert_eq!(
            line,
            "1970-01-01T00:00:00Z | 2026-08-24-01-x | cleanup / formatting / triage | recommended=Kimi | \
             chosen=claude/codex+hermes | routing table is outdated or classification is wrong"
        );
        assert_eq!(note(cleanup, &against), None, "writing the line resets");
        assert_eq!(fs::read_to_string(&log).unwrap(), format!("{line}\n"));
        fs::write(dir.path().join(".iwe-runtime/peer-sessions/routing-state.json"), "broken").unwrap();
        assert_eq!(note(cleanup, &against), None);
    }

    #[test]
    fn pc_118_the_writer_counts_as_chosen() {
        assert!(!WorkClass::Implementation.is_against(["claude", "codex"].into_iter()));
        assert!(WorkClass::Implementation.is_against(["codex", "kimi"].into_iter()));
        assert!(!WorkClass::Design.is_against(["codex", "kimi"].into_iter()));
    }
}
