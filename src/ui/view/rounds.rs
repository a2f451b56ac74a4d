//! The summary of rounds: one entry for each participant, and the timeline.

use super::draw::{Canvas, safe};
use crate::domain::session::failure::Reason;
use crate::domain::session::meta::Status;
use crate::ui::model::lanes;
use crate::ui::model::rounds::{Mark, Round, Said};
use crate::ui::model::watched::Watched;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// A round on one line, its participants in columns.
pub fn wide(w: &Watched, round: &Round, canvas: &Canvas, width: usize) -> Line<'static> {
    let label = label(w, round, canvas);
    let cell = width.saturating_sub(label.width() + 1) / round.said.len().max(1);
    let mut spans = vec![Span::styled(label, canvas.style(Role::Muted))];
    for said in &round.said {
        let entry = entry(w, said, canvas, cell.saturating_sub(2));
        let used: usize = entry.iter().map(|s| s.width()).sum();
        spans.extend(entry);
        spans.push(Span::raw(" ".repeat(cell.saturating_sub(used))));
    }
    Line::from(spans)
}

/// A round below its heading, a line for each participant.
pub fn tall(w: &Watched, round: &Round, canvas: &Canvas, width: usize) -> Vec<Line<'static>> {
    let mut lines =
        vec![Line::styled(label(w, round, canvas).trim_end().to_string(), canvas.style(Role::Muted))];
    lines.extend(round.said.iter().map(|said| {
        let mut spans = vec![Span::raw("  ")];
        spans.extend(entry(w, said, canvas, width.saturating_sub(2)));
        Line::from(spans)
    }));
    lines
}

/// `R0 ●──R1 ●──R2 ◐──R3 ○`: what is over, what runs, what the limit still allows.
pub fn timeline(w: &Watched, canvas: &Canvas, width: usize) -> Line<'static> {
    let s = w.session();
    let running = s.meta.status == Status::Started && s.meta.engine_result_class.is_none();
    let limit = if s.is_round_loop() { s.meta.rounds_limit } else { s.meta.turns_limit };
    let last = w.rounds.last().map_or(0, |r| r.number);
    let mut spans = vec![Span::raw(" ")];
    let mut used = 1;
    for number in 0..=limit.max(last) {
        let round = w.rounds.iter().find(|r| r.number == number);
        let (shape, role) = match round {
            Some(r) if r.said.iter().any(|p| p.mark == Mark::Escalates) => ("!", Role::Escalated),
            Some(_) if number == last && running => ("◐", Role::Running),
            Some(r) if r.said.iter().any(|p| matches!(p.mark, Mark::Silent | Mark::Out)) => {
                ("●", Role::Warning)
            }
            Some(_) => ("●", Role::Done),
            None if running => ("○", Role::Muted),
            None => break,
        };
        let link = if number == 0 { "" } else { "──" };
        let text = format!("R{number} ");
        let wide = link.width() + text.width() + shape.width();
        if used + wide > width {
            break;
        }
        used += wide;
        spans.push(Span::styled(link, canvas.style(Role::Border)));
        spans.push(Span::styled(text, canvas.style(Role::Muted)));
        spans.push(Span::styled(shape, canvas.style(role)));
    }
    Line::from(spans)
}

fn label(w: &Watched, round: &Round, canvas: &Canvas) -> String {
    format!(" {} {:<2} ", words::unit(w.session(), canvas.lang()), round.number)
}

/// Who, what, and in whose words; never without the who.
fn entry(w: &Watched, said: &Said, canvas: &Canvas, width: usize) -> Vec<Span<'static>> {
    let (shape, word, role) = said.mark.shown(canvas.lang());
    let voices = lanes::voices(w.session(), canvas.lang());
    let name = voices.get(said.lane).map_or_else(String::new, |v| v.name.clone());
    let name = safe(&name, 12.min(width), canvas.look.theme.voice(said.lane));
    // Who gave nothing has a reason, which is the engine's word; all other texts are the participant's own.
    let text = match said.mark {
        Mark::Silent | Mark::Out | Mark::Due | Mark::Never => {
            Reason::from(said.text.as_str()).text(canvas.lang())
        }
        _ => said.text.clone(),
    };
    let colon = if said.text.is_empty() { "" } else { ":" };
    let mark =
        safe(&format!(" {shape} {word}{colon}"), width.saturating_sub(name.width()), canvas.style(role));
    // `one_line` takes the blanks away at both ends.
    let mark = Span::styled(format!(" {}", mark.content), mark.style);
    let rest = width.saturating_sub(name.width() + mark.width() + 1);
    let mut spans = vec![name, mark];
    if rest > 3 && !text.is_empty() {
        spans.push(Span::raw(" "));
        spans.push(safe(&text, rest, canvas.style(Role::Text)));
    }
    spans
}
