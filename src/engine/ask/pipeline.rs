//! The questions of an implementation (group U): the exact state, and what each answer will do.

use crate::domain::lang::Lang;
use crate::domain::question::Choice;
use crate::domain::session::phase::Wait;
use crate::domain::session::pipeline::finding::Severity;
use crate::domain::session::pipeline::track::{Stop, Track};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::domain::session::state::Session;

/// Text, choices, and whether free text is an answer.
pub type Asked = (String, Vec<Choice>, bool);

/// `None` when the wait is none of a track's.
pub fn question(s: &Session, wait: &Wait, lang: Lang) -> Option<Asked> {
    let none = Track::default();
    let track = s.notes.track.as_ref().unwrap_or(&none);
    Some(match wait {
        Wait::Content { file, hunk, .. } => content(track, *file, *hunk, lang),
        Wait::Findings(n) => findings(s, *n, lang),
        Wait::Review(n) => review(*n, lang),
        Wait::Verify(n) => verify(s, track, *n, lang),
        Wait::Deploy => deploy(track, lang),
        Wait::Unchanged(_) => (
            lang.pick("The implementer changed no file.", "Исполнитель не изменил ни одного файла.").into(),
            choices(lang, &[RETRY_EDIT, STOP]),
            false,
        ),
        Wait::ImplementRetry => failed(s, lang),
        _ => return None,
    })
}

type Row = (&'static str, &'static str, &'static str);

const RETRY: Row = ("retry", "the same step again", "тот же шаг ещё раз");
const RETRY_EDIT: Row = ("retry", "call the implementer again", "вызвать исполнителя ещё раз");
const STOP: Row = (
    "stop",
    "end the implementation; nothing is deployed, the branch stays",
    "завершить реализацию; ничего не разворачивается, ветка остаётся",
);
const ESCALATE: Row =
    ("escalate", "write it down as an escalation and decide there", "записать как эскалацию и решить там");
const FIX: Row = (
    "fix",
    "fix, then another cold review; more words are a direction",
    "исправить, затем новое ревью; слова после — указание",
);

fn choices(lang: Lang, rows: &[Row]) -> Vec<Choice> {
    rows.iter().map(|(key, en, ru)| Choice::new(key, lang.pick(en, ru))).collect()
}

/// PC-503: the full edit, and this hunk of it to be decided on.
fn content(track: &Track, file: u32, hunk: u32, lang: Lang) -> Asked {
    let edit = track.edit.as_ref().and_then(|e| e.reserved.get(file as usize - 1));
    let Some((edit, shown)) = edit.and_then(|e| Some((e, e.hunks.get(hunk as usize - 1)?))) else {
        return (String::new(), Vec::new(), false);
    };
    let (label, lines, of) = (edit.label(), shown.lines(), edit.hunks.len());
    let mut text = match lang {
        Lang::En => format!(
            "{label} is a document whose content is your own decision. Change {hunk} of {of}, line {lines}:\n\n{}",
            shown.text()
        ),
        Lang::Ru => format!(
            "{label} — документ, содержание которого решаешь только ты. Изменение {hunk} из {of}, строка {lines}:\n\n{}",
            shown.text()
        ),
    };
    if !shown.around.is_empty() {
        let head = lang.pick("The whole table as it would be:", "Вся таблица, какой она станет:");
        text.push_str(&format!("\n\n{head}\n{}", shown.around.trim_end()));
    }
    let rows: [Row; 3] = [
        ("yes", "this change as it stands", "это изменение как есть"),
        (
            "no",
            "take this change out; the rest is shown again",
            "убрать это изменение; остальное покажут снова",
        ),
        (
            "…",
            "a rule in your words: it is applied, and the result is shown again before it counts",
            "правило своими словами: его применят и покажут результат, прежде чем он будет засчитан",
        ),
    ];
    (text, choices(lang, &rows), true)
}

/// PC-523, PC-525.
fn findings(s: &Session, number: u32, lang: Lang) -> Asked {
    let Some(review) = s.reviews.iter().find(|r| r.number == number) else {
        return (String::new(), Vec::new(), false);
    };
    let (high, medium) = (review.count(Severity::High), review.count(Severity::Medium));
    let mut text = match lang {
        Lang::En => format!("There are {high} High and {medium} Medium findings. Fix now or after deploy?"),
        Lang::Ru => format!("Есть {high} High и {medium} Medium замечаний. Фиксить сейчас или после deploy?"),
    };
    for finding in &review.findings {
        text.push_str(&format!("\n- {}: {}", finding.severity.key(), finding.line()));
    }
    let rows: [Row; 2] = [
        (
            "now",
            "fix them, then another review while there is one left",
            "исправить, затем ещё ревью, пока они есть",
        ),
        (
            "after",
            "deploy first; they stay open in the outcome",
            "сначала развернуть; останутся открытыми в итоге",
        ),
    ];
    (text, choices(lang, &rows), false)
}

/// PC-522.
fn review(number: u32, lang: Lang) -> Asked {
    let text = match lang {
        Lang::En => format!("Review {number} gave no review twice: none of the four headings is there."),
        Lang::Ru => format!("Ревью {number} дважды не удалось: нет ни одного из четырёх заголовков."),
    };
    let without: Row = ("without", "go on without a review of this edit", "продолжить без ревью этой правки");
    (text, choices(lang, &[RETRY, without, ESCALATE]), false)
}

/// PC-532.
fn verify(s: &Session, track: &Track, number: u32, lang: Lang) -> Asked {
    let last = s.verifies.iter().find(|v| v.number == number);
    let verdict = last.map(|v| v.verdict);
    if verdict == Some(Verdict::Fail) {
        let text = match lang {
            Lang::En => {
                format!("The verification failed (verify-{number:02}.md). Fix and retry, or escalate?")
            }
            Lang::Ru => {
                format!("Проверка не прошла (verify-{number:02}.md). Исправить и повторить или эскалировать?")
            }
        };
        let pinpoint: Row = (
            "pinpoint",
            "a pinpoint fix: straight to the verification, without a review",
            "точечная правка: сразу к проверке, без ревью",
        );
        return (text, choices(lang, &[FIX, pinpoint, RETRY, ESCALATE, STOP]), false);
    }
    let names: Vec<&str> = track.trees.iter().map(|t| t.name.as_str()).collect();
    let by = last.map_or("", |v| v.by.as_str());
    let text = match lang {
        Lang::En if !by.is_empty() => {
            format!(
                "{by} was to verify and gave no verdict (verify-{number:02}.md). No verdict is not passed."
            )
        }
        Lang::Ru if !by.is_empty() => format!(
            "{by} должен был проверить и не дал вердикта (verify-{number:02}.md). Нет вердикта — не значит прошло."
        ),
        Lang::En => format!(
            "Nothing verifies {}: `implementation.repos.<name>.verify` names no command. Not run is not passed.",
            names.join(", ")
        ),
        Lang::Ru => format!(
            "Проверять {} нечем: `implementation.repos.<name>.verify` не называет команды. Не запущено — не значит прошло.",
            names.join(", ")
        ),
    };
    let unverified: Row = (
        "unverified",
        "deploy without a verification; the outcome says so",
        "развернуть без проверки; итог об этом скажет",
    );
    (text, choices(lang, &[unverified, RETRY, ESCALATE, STOP]), false)
}

/// PC-542: what stands where, and the ways on.
fn deploy(track: &Track, lang: Lang) -> Asked {
    let Some(refusal) = &track.refused else { return (String::new(), Vec::new(), false) };
    let mut text = refusal.text.clone();
    for d in &track.deployed {
        let pushed = if d.pushed {
            lang.pick("pushed", "отправлено")
        } else {
            lang.pick("not pushed", "не отправлено")
        };
        text.push_str(&format!("\n- {}: {} ({pushed})", d.repo, d.sha));
    }
    let rebase: Row = match refusal.kind {
        Stop::Moved | Stop::Push => (
            "rebase",
            "move the change to where the repository is now, and verify it again",
            "перенести правку туда, где репозиторий сейчас, и проверить снова",
        ),
        _ => (
            "renew",
            "take the tree as it is now, and verify it again",
            "взять дерево каким оно стало и проверить снова",
        ),
    };
    let keep: Row = (
        "keep",
        "keep the branch, deploy no more; the outcome says so",
        "оставить ветку, больше не разворачивать",
    );
    (text, choices(lang, &[RETRY, rebase, keep, ESCALATE]), false)
}

fn failed(s: &Session, lang: Lang) -> Asked {
    let Some(failed) = &s.notes.failed_call else { return (String::new(), Vec::new(), false) };
    let (step, reason) = (failed.call.purpose.text(lang), failed.reason.text(lang));
    let mut text = match lang {
        Lang::En => format!("The step \"{step}\" failed. {reason}: {}", failed.detail),
        Lang::Ru => format!("Шаг «{step}» не удался. {reason}: {}", failed.detail),
    };
    if !failed.stderr.trim().is_empty() {
        text.push_str(&format!("\nstderr:\n{}", failed.stderr.trim_end()));
    }
    (text, choices(lang, &[RETRY, STOP]), false)
}

/// What the words of an answer do where an escalation was raised by an implementation.
pub fn escalation(source: &str, lang: Lang) -> Vec<Choice> {
    let fix: Row = (
        "fix",
        "fix, then another review; more words are a direction",
        "исправить, затем новое ревью; слова после — указание",
    );
    let end: Row = (
        "…",
        "any other text is your decision and ends the implementation without deploying",
        "любой другой текст — твоё решение и завершает реализацию без развёртывания",
    );
    let deploy: Row = ("retry", "the same step again", "тот же шаг ещё раз");
    let rebase: Row = (
        "rebase",
        "move the change to where the repository is now, and verify it again",
        "перенести правку туда, где репозиторий сейчас, и проверить снова",
    );
    match source {
        crate::domain::session::phase::DEPLOYMENT => choices(lang, &[deploy, rebase, fix, end]),
        source if source.starts_with("review-") => choices(lang, &[fix, end]),
        source if source.starts_with("verify-") => choices(lang, &[fix, deploy, end]),
        _ => Vec::new(),
    }
}
