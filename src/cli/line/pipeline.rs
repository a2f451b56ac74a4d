//! The facts of an implementation, one line each.

use super::one_line;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::content::Decision;
use crate::domain::session::pipeline::finding::{self, Severity};
use crate::domain::session::pipeline::track::short;
use crate::ui::text::sanitize;

/// `None` for those that a reader need not see, and for facts of other kinds.
pub fn describe(fact: &Fact, lang: Lang) -> Option<String> {
    let pick = |en: &'static str, ru: &'static str| lang.pick(en, ru);
    Some(match fact {
        Fact::Isolated { trees } => {
            let list: Vec<String> =
                trees.iter().map(|t| format!("{} {} {}", t.name, pick("in", "в"), t.path)).collect();
            format!("◆ {}: {}", pick("isolated", "изоляция"), list.join(" · "))
        }
        Fact::Announced { text, .. } => sanitize(text).replace('\n', "\n    "),
        Fact::Edited { edit, .. } => {
            let files: Vec<String> = edit.files.iter().map(|f| f.line()).collect();
            let shown = files.iter().take(8).map(|f| one_line(f, 100)).collect::<Vec<_>>().join("\n    ");
            let more = match files.len().saturating_sub(8) {
                0 => String::new(),
                n => match lang {
                    Lang::En => format!("\n    … {n} more"),
                    Lang::Ru => format!("\n    … ещё {n}"),
                },
            };
            let (number, count) = (edit.number, files.len());
            let head = match lang {
                Lang::En => format!("edit {number}: {count} files"),
                Lang::Ru => format!("правка {number}, файлов: {count}"),
            };
            format!("✎ {head}\n    {shown}{more}")
        }
        Fact::ContentShown { record } => {
            let (path, count) = (one_line(&record.path, 80), record.hunks.len());
            match lang {
                Lang::En => format!("◆ content gate: {path}, {count} changes to decide"),
                Lang::Ru => format!("◆ одобрение: {path}, изменений ждут решения: {count}"),
            }
        }
        Fact::ContentDecided { record } => {
            let mark = record.hunks.first()?;
            let word = match mark.decision {
                Decision::Approve => pick("approved", "принято"),
                _ => pick("rejected", "отклонено"),
            };
            format!("  {} {} {}: {word}", one_line(&record.path, 80), pick("line", "строка"), mark.lines)
        }
        Fact::Reviewed { number, text } => {
            let review = finding::read(*number, text);
            let counts = Severity::ALL.map(|s| format!("{} {}", review.count(s), s.key())).join(" · ");
            let first = review.findings.first().map(|f| format!("\n    {}", one_line(&f.line(), 120)));
            format!("◆ {} {number}: {counts}{}", pick("review", "ревью"), first.unwrap_or_default())
        }
        Fact::ReviewUnusable { number, .. } => match lang {
            Lang::En => format!("✗ review {number}: none of the four headings, twice"),
            Lang::Ru => format!("✗ ревью {number}: дважды ни одного из четырёх заголовков"),
        },
        Fact::FixWanted { wish } => {
            format!("◆ {} {}", pick("fixes wanted by", "исправлений требует"), one_line(&wish.from, 60))
        }
        Fact::Verified { number, verdict, .. } => {
            format!("◆ {} {number}: {}", pick("verification", "проверка"), verdict.key())
        }
        Fact::Unverified => {
            pick("◆ the pilot deploys without a verification", "◆ пилот разворачивает без проверки").into()
        }
        Fact::Deployment { deployed, refusal, .. } => {
            let mut lines: Vec<String> = deployed
                .iter()
                .map(|d| {
                    let pushed = match d.pushed {
                        true => pick("pushed", "отправлено"),
                        false => pick("not pushed", "не отправлено"),
                    };
                    let note = if d.note.is_empty() { pushed.to_string() } else { d.note.clone() };
                    let head = pick("deployed", "развёрнуто");
                    format!("◆ {head} {}: {} ({})", d.repo, short(&d.sha), one_line(&note, 80))
                })
                .collect();
            lines.extend(refusal.iter().map(|r| format!("! {}", one_line(&r.text, 200))));
            lines.join("\n")
        }
        Fact::PipelineEnded { why } => {
            let head =
                pick("implementation ended without deploying", "реализация окончена без развёртывания");
            format!("◆ {head}: {}", one_line(why, 160))
        }
        Fact::OutcomeWritten { .. } => pick("◆ _outcome.md written", "◆ _outcome.md записан").into(),
        Fact::Cleaned { kept } if !kept.is_empty() => {
            let list: Vec<String> = kept.iter().map(|k| one_line(k, 160)).collect();
            let head = pick("trees that stay", "деревья, которые остаются");
            format!("◆ {head} (`flightdeck worktrees`):\n    {}", list.join("\n    "))
        }
        _ => return None,
    })
}
