//! Extensions: the session goes on after its draft was written (PC-613 to PC-618).

use super::marker;
use super::meta::Extension;
use super::order::reading_order;
use super::report::{self, ExtensionTurn};
use super::slug::brief;
use super::state::Session;
use super::turn::Turn;
use crate::domain::time::Stamp;

/// The entries that closing appends to `extensions`: one for each extension asked for, with the file numbers
/// (turn-loop) or round numbers (round-loop) that belong to it. A tree whose notes are lost gives one entry for all
/// turns behind the draft.
pub fn extensions(s: &Session, now: Stamp) -> Vec<Extension> {
    let appended_at = now.to_minute();
    // A close that was cut short is repeated: what is listed stays listed once.
    let listed = |t: &&Turn| s.meta.extensions.iter().any(|e| e.turns.contains(&t.name.number));
    let spoken: Vec<&Turn> = s.unlinked().into_iter().filter(|t| !listed(t)).collect();
    if spoken.is_empty() {
        return Vec::new();
    }
    let mut starts: Vec<(u32, String)> =
        s.notes.extensions.iter().map(|e| (first_file(s, e.from), e.reason.clone())).collect();
    if starts.is_empty() {
        starts.push((0, String::new()));
    }
    let ends: Vec<u32> = starts.iter().skip(1).map(|(from, _)| *from).chain([u32::MAX]).collect();
    let lowest = |i: usize, from: u32| if i == 0 { 0 } else { from };
    starts
        .into_iter()
        .zip(ends)
        .enumerate()
        .map(|(i, ((from, reason), end))| Extension {
            turns: numbers(&spoken, lowest(i, from), end),
            reason,
            appended_at: appended_at.clone(),
        })
        .filter(|e| !e.turns.is_empty())
        .collect()
}

/// The report section of one extension (PC-614): each of its turns with its first paragraph and a link to the file.
pub fn section(s: &Session, extension: &Extension, now: Stamp) -> String {
    let turns: Vec<ExtensionTurn> = reading_order(s.turns.iter(), &s.meta.round_order)
        .into_iter()
        .filter(|t| t.name.number > 0 && !t.settles_roles() && extension.turns.contains(&t.name.number))
        .map(|turn| {
            let prose = marker::without_markers(turn.body());
            let paragraph = prose.split("\n\n").map(str::trim).find(|p| !p.is_empty()).unwrap_or("");
            let shown = if paragraph.is_empty() { turn.body().trim() } else { paragraph };
            let sentence = shown.split_inclusive(['.', '!', '?']).next().unwrap_or(shown);
            let topic = brief(sentence.trim_end_matches(['.', '!', '?']), 60);
            let text = format!("{}\n\n[{name}]({name})", quoted(shown), name = turn.name);
            ExtensionTurn { number: turn.name.number, topic, text }
        })
        .collect();
    report::extension(s.meta.lang(), &turns, now)
}

/// Quotes of turns stay as they are, and a heading in them must not become one of the report's.
pub fn quoted(text: &str) -> String {
    text.lines().map(|l| format!("> {l}")).collect::<Vec<_>>().join("\n")
}

/// The number of the first file of exchange or round `from`: in the turn-loop the writer speaks first (PC-613).
fn first_file(s: &Session, from: u32) -> u32 {
    if s.is_round_loop() { from } else { 2 * from.saturating_sub(1) }
}

fn numbers(turns: &[&Turn], from: u32, end: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        turns.iter().map(|t| t.name.number).filter(|n| (from..end).contains(n)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
