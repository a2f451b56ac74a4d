//! The pipeline: the steps of an implementation as a track, below it what is to be seen of them.

mod code;
mod diff;
pub mod flow;
mod lists;
mod output;
mod track;

use super::bar;
use super::draw::Canvas;
use super::layout::{Hit, Spot};
use crate::domain::lang::Lang;
use crate::ui::model::Model;
use crate::ui::model::deck::slug;
use crate::ui::model::pipeline::found::{State, found};
use crate::ui::model::pipeline::{Part, Pipeline, WIDE, steps};
use crate::ui::model::watched::Watched;
use crate::ui::text::sanitize;
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// From this height on a second large part stands below the first.
const TALL: u16 = 44;

pub fn draw(model: &Model, p: &Pipeline, canvas: &mut Canvas, area: Rect) {
    // Only what this drawing shows can be decided on.
    canvas.layout.decidable = None;
    let lang = model.lang();
    let title = vec![
        Span::styled(slug(&p.id).to_string(), canvas.style(Role::Focus)),
        Span::styled(format!(" · {}", lang.pick("pipeline", "реализация")), canvas.style(Role::Muted)),
    ];
    bar::top(model, canvas, area, title);
    let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
    let Some(w) = model.watched.get(&p.id) else {
        let text = lang.pick("reading the session …", "читаем сессию …");
        return canvas.text(
            Rect { x: area.x + 1, width: area.width - 1, ..inner },
            text,
            canvas.style(Role::Muted),
        );
    };
    if !steps::is_there(w.session()) {
        let text = lang.pick("nothing is implemented in this session", "в этой сессии ничего не реализуется");
        return canvas.text(
            Rect { x: area.x + 1, width: area.width - 1, ..inner },
            text,
            canvas.style(Role::Muted),
        );
    }
    let used = track::draw(p, w, canvas, inner);
    let body = Rect { y: inner.y + used, height: inner.height.saturating_sub(used), ..inner };
    if body.height < 2 {
        return;
    }
    if area.width >= WIDE { wide(p, w, canvas, body) } else { narrow(p, w, canvas, body) }
}

/// One part at a time.
fn narrow(p: &Pipeline, w: &Watched, canvas: &mut Canvas, area: Rect) {
    tabs(p, w, &Part::ALL, p.part, canvas, Rect { height: 1, ..area });
    let rest = Rect { y: area.y + 1, height: area.height - 1, ..area };
    // The head of the diff costs a line, which a small screen does not have.
    if p.part == Part::Diff && area.height > 10 {
        headline(p, canvas, Rect { x: rest.x + 1, width: rest.width - 1, height: 1, ..rest });
        return part(p, w, p.part, canvas, Rect { y: rest.y + 1, height: rest.height - 1, ..rest });
    }
    part(p, w, p.part, canvas, rest);
}

/// Files and findings beside a large part; where it is tall, the output below that.
fn wide(p: &Pipeline, w: &Watched, canvas: &mut Canvas, area: Rect) {
    let left = (area.width / 4).clamp(32, 44);
    let all = found(w.session()).len();
    let findings = if all == 0 && p.part != Part::Findings { 2 } else { area.height / 2 };
    let upper = area.height.saturating_sub(findings);
    let column = Rect { width: left, ..area };
    section(p, w, Part::Files, canvas, Rect { height: upper, ..column });
    section(p, w, Part::Findings, canvas, Rect { y: area.y + upper, height: findings, ..column });
    for y in area.y..area.bottom() {
        canvas.text(Rect { x: area.x + left, y, width: 1, height: 1 }, "│", canvas.style(Role::Border));
    }
    let right = Rect { x: area.x + left + 1, width: area.width - left - 1, ..area };
    let lower = if area.height >= TALL && p.large == Part::Diff { area.height / 4 } else { 0 };
    let main = Rect { height: area.height - lower, ..right };
    tabs(p, w, &[Part::Diff, Part::Output, Part::Result], p.large, canvas, Rect { height: 1, ..main });
    let mut rest = Rect { y: main.y + 1, height: main.height.saturating_sub(1), ..main };
    if p.large == Part::Diff {
        headline(p, canvas, Rect { x: rest.x + 1, width: rest.width - 1, height: 1, ..rest });
        rest = Rect { y: rest.y + 1, height: rest.height.saturating_sub(1), ..rest };
    }
    part(p, w, p.large, canvas, rest);
    if lower > 0 {
        section(p, w, Part::Output, canvas, Rect { y: main.bottom(), height: lower, ..right });
    }
}

/// A part under a line with its name.
fn section(p: &Pipeline, w: &Watched, which: Part, canvas: &mut Canvas, area: Rect) {
    if area.height == 0 {
        return;
    }
    let front = p.part == which;
    canvas.rule(Rect { height: 1, ..area });
    let role = if front { Role::Focus } else { Role::Muted };
    let mark = if front { "▸" } else { " " };
    let text = format!("{mark}{} ", name(which, w, canvas.lang()));
    let wide = (text.width() as u16).min(area.width);
    let at = Rect { x: area.x, width: wide, height: 1, y: area.y };
    canvas.text(at, &text, canvas.style(role));
    canvas.hit(Rect { height: 1, ..area }, Hit::Pipeline(Spot::Part(which)));
    part(p, w, which, canvas, Rect { y: area.y + 1, height: area.height - 1, ..area });
}

fn tabs(p: &Pipeline, w: &Watched, parts: &[Part], open: Part, canvas: &mut Canvas, area: Rect) {
    canvas.rule(area);
    let mut x = area.x;
    for which in parts {
        let front = *which == open;
        let text = name(*which, w, canvas.lang());
        let (left, right) = if front { ("[", "]") } else { (" ", " ") };
        let wide = text.width() as u16 + 2;
        if x + wide > area.right() {
            break;
        }
        let role = if front && p.part == *which { Role::Focus } else { Role::Muted };
        let style = canvas.style(role);
        let style = if front { style.add_modifier(Modifier::BOLD) } else { style };
        let at = Rect { x, width: wide, ..area };
        canvas.line(at, Line::from(Span::styled(format!("{left}{text}{right}"), style)));
        canvas.hit(at, Hit::Pipeline(Spot::Part(*which)));
        x += wide;
    }
}

fn headline(p: &Pipeline, canvas: &mut Canvas, area: Rect) {
    let text = diff::title(p, canvas.frame.area().width, canvas.lang());
    let role = if text.starts_with('△') { Role::Warning } else { Role::Muted };
    let line = super::draw::safe(&text, usize::from(area.width), canvas.style(role));
    canvas.line(area, line.into());
}

fn part(p: &Pipeline, w: &Watched, which: Part, canvas: &mut Canvas, area: Rect) {
    let padded = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let listed = Rect { width: area.width.saturating_sub(1), ..area };
    match which {
        Part::Files => lists::files(p, w.session(), canvas, listed),
        Part::Findings => lists::findings(p, w.session(), canvas, listed),
        Part::Diff => diff::draw(p, w.session(), canvas, area),
        Part::Output => output::output(p, w, canvas, padded),
        Part::Result => output::result(w, canvas, padded),
    }
}

/// A part's name with what it holds.
fn name(part: Part, w: &Watched, lang: Lang) -> String {
    let s = w.session();
    let edit = s.notes.track.as_ref().and_then(|t| t.edit.as_ref());
    let count = |name: &str, n: usize| if n > 0 { format!("{name} {n}") } else { name.to_string() };
    match part {
        Part::Files => count(lang.pick("files", "файлы"), edit.map_or(0, |e| e.files.len())),
        Part::Diff => "diff".into(),
        Part::Findings => {
            let open = found(s).iter().filter(|f| !matches!(f.state, State::NotAgain(_))).count();
            count(lang.pick("findings", "замечания"), open)
        }
        Part::Output => lang.pick("output", "вывод").into(),
        Part::Result => "SHA".into(),
    }
}

/// The end of a text, in so many columns: of a path the end says most.
pub fn tail(text: &str, width: usize) -> String {
    let flat = sanitize(text).replace('\n', " ");
    if flat.width() <= width {
        return flat;
    }
    let mut out: Vec<&str> = Vec::new();
    let mut used = 1;
    for letter in flat.graphemes(true).rev() {
        if used + letter.width() > width {
            break;
        }
        used += letter.width();
        out.push(letter);
    }
    out.push(if width > 0 { "…" } else { "" });
    out.into_iter().rev().collect()
}

#[cfg(test)]
mod tests;
