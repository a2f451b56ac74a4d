//! The facts of an implementation, one line each.

use super::one_line;
use crate::domain::fact::Fact;
use crate::domain::session::pipeline::content::Decision;
use crate::domain::session::pipeline::finding::{self, Severity};
use crate::domain::session::pipeline::track::short;
use crate::ui::text::sanitize;

/// `None` for those that a reader need not see, and for facts of other kinds.
pub fn describe(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::Isolated { trees } => {
            let list: Vec<String> = trees.iter().map(|t| format!("{} in {}", t.name, t.path)).collect();
            format!("◆ isolated: {}", list.join(" · "))
        }
        Fact::Announced { text, .. } => sanitize(text).replace('\n', "\n    "),
        Fact::Edited { edit, .. } => {
            let files: Vec<String> = edit.files.iter().map(|f| f.line()).collect();
            let shown = files.iter().take(8).map(|f| one_line(f, 100)).collect::<Vec<_>>().join("\n    ");
            let more =
                if files.len() > 8 { format!("\n    … {} more", files.len() - 8) } else { String::new() };
            format!("✎ edit {}: {} files\n    {shown}{more}", edit.number, files.len())
        }
        Fact::ContentShown { record } => {
            format!(
                "◆ content gate: {}, {} changes to decide",
                one_line(&record.path, 80),
                record.hunks.len()
            )
        }
        Fact::ContentDecided { record } => {
            let mark = record.hunks.first()?;
            let word = if mark.decision == Decision::Approve { "approved" } else { "rejected" };
            format!("  {} line {}: {word}", one_line(&record.path, 80), mark.lines)
        }
        Fact::Reviewed { number, text } => {
            let review = finding::read(*number, text);
            let counts = Severity::ALL.map(|s| format!("{} {}", review.count(s), s.key())).join(" · ");
            let first = review.findings.first().map(|f| format!("\n    {}", one_line(&f.line(), 120)));
            format!("◆ review {number}: {counts}{}", first.unwrap_or_default())
        }
        Fact::ReviewUnusable { number, .. } => format!("✗ review {number}: none of the four headings, twice"),
        Fact::FixWanted { wish } => format!("◆ fixes wanted by {}", one_line(&wish.from, 60)),
        Fact::Verified { number, verdict, .. } => format!("◆ verification {number}: {}", verdict.key()),
        Fact::Unverified => "◆ the pilot deploys without a verification".into(),
        Fact::Deployment { deployed, refusal, .. } => {
            let mut lines: Vec<String> = deployed
                .iter()
                .map(|d| {
                    let pushed = if d.pushed { "pushed" } else { "not pushed" };
                    let note = if d.note.is_empty() { pushed.to_string() } else { d.note.clone() };
                    format!("◆ deployed {}: {} ({})", d.repo, short(&d.sha), one_line(&note, 80))
                })
                .collect();
            lines.extend(refusal.iter().map(|r| format!("! {}", one_line(&r.text, 200))));
            lines.join("\n")
        }
        Fact::PipelineEnded { why } => {
            format!("◆ implementation ended without deploying: {}", one_line(why, 160))
        }
        Fact::OutcomeWritten { .. } => "◆ _outcome.md written".into(),
        Fact::Cleaned { kept } if !kept.is_empty() => {
            let list: Vec<String> = kept.iter().map(|k| one_line(k, 160)).collect();
            format!("◆ trees that stay (`flightdeck worktrees`):\n    {}", list.join("\n    "))
        }
        _ => return None,
    })
}
