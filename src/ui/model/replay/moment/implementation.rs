//! What an implementation did, in the timeline.

use super::{Moment, Shape};
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::content::Decision;
use crate::domain::session::pipeline::track::short;
use crate::domain::session::pipeline::verdict::Verdict;

/// `blank` makes a moment of this event.
pub fn moment(fact: &Fact, lang: Lang, blank: impl Fn(Shape, String) -> Moment) -> Option<Moment> {
    let filed = |file: String, shape, text| Some(Moment { file: Some(file), ..blank(shape, text) });
    match fact {
        Fact::Edited { edit, .. } => {
            let files: Vec<String> = edit.files.iter().map(|f| f.label()).collect();
            let text = format!("{} {}: {}", lang.pick("edit", "правка"), edit.number, files.join(", "));
            Some(blank(Shape::Step, text))
        }
        Fact::ContentDecided { record } => {
            let word = |decision: Decision| match decision {
                Decision::Approve => Some(lang.pick("approved", "одобрено")),
                Decision::Reject => Some(lang.pick("rejected", "отклонено")),
                Decision::Shown => None,
            };
            // The line of the log repeats what was decided before; the last decision is the new one.
            let (lines, word) =
                record.hunks.iter().rev().find_map(|m| Some((&m.lines, word(m.decision)?)))?;
            let pilot = lang.pick("pilot:", "пилот:");
            Some(blank(Shape::Pilot, format!("{pilot} {word} {}:{lines}", record.path)))
        }
        Fact::Reviewed { number, .. } => {
            let text = format!("{} {number}", lang.pick("review", "ревью"));
            filed(format!("review-{number:02}.md"), Shape::Spoke, text)
        }
        Fact::Verified { number, verdict, .. } => {
            let (shape, word) = match verdict {
                Verdict::Pass => (Shape::Step, lang.pick("passed", "прошла")),
                Verdict::Fail => (Shape::Failed, lang.pick("failed", "не прошла")),
                Verdict::NotRun => (Shape::Failed, lang.pick("not run", "не запускалась")),
            };
            let text = format!("{} {number}: {word}", lang.pick("verification", "проверка"));
            filed(format!("verify-{number:02}.md"), shape, text)
        }
        Fact::Deployment { deployed, refusal, .. } => {
            let shas: Vec<String> =
                deployed.iter().map(|d| format!("{} {}", d.repo, short(&d.sha))).collect();
            let (shape, mut text) = match refusal {
                None => (Shape::Verdict, lang.pick("deployed:", "развёрнуто:").to_string()),
                Some(_) => {
                    (Shape::Failed, lang.pick("deployment stopped:", "деплой остановлен:").to_string())
                }
            };
            for part in shas.into_iter().chain(refusal.as_ref().map(|r| r.text.clone())) {
                text.push_str(&format!(" {part}"));
            }
            Some(blank(shape, text))
        }
        Fact::PipelineEnded { why } => {
            let ended = lang.pick("implementation ended:", "реализация окончена:");
            Some(blank(Shape::Pilot, format!("{ended} {why}")))
        }
        Fact::OutcomeWritten { .. } => {
            filed("_outcome.md".into(), Shape::Step, lang.pick("outcome written", "итог записан").into())
        }
        _ => None,
    }
}
