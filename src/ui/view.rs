//! Draws the model. Nothing here changes it but the layout, which is what drawing finds out: where things are, how many
//! lines a text has. Only what is visible is laid out; wrapped text is kept by width.

mod bar;
mod confirm;
mod deck;
pub mod draw;
mod form;
mod gate;
mod lane;
pub mod layout;
mod library;
mod menu;
mod page;
pub mod pipeline;
mod preview;
mod reader;
mod replay;
mod reply;
mod report;
mod rounds;
mod session;
mod trace;

use super::model::deck::slug;
use super::model::{Model, Screen};
use super::overlay::Overlay;
use super::theme::Role;
use super::words;
use draw::Canvas;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

/// Below this nothing can be read.
const LEAST: (u16, u16) = (20, 5);

/// Draws one frame.
pub fn view(model: &mut Model, frame: &mut Frame) {
    let mut layout = std::mem::take(&mut model.layout);
    layout.hits.clear();
    layout.header = 1;
    layout.rows = None;
    let area = frame.area();
    let mut canvas = Canvas { frame, layout: &mut layout, look: &model.look, clock: model.clock };
    if area.width < LEAST.0 || area.height < LEAST.1 {
        small(model, &mut canvas, area);
    } else {
        screen(model, &mut canvas, area);
    }
    model.layout = layout;
}

/// The terminal's title: the count first, so that a narrow tab shows it.
pub fn title(model: &Model) -> String {
    let (waiting, _) = model.waiting();
    match (waiting, model.lang()) {
        (0, _) => "flightdeck".to_string(),
        (n, crate::domain::lang::Lang::En) => format!("({n}) flightdeck · {n} waiting"),
        (n, crate::domain::lang::Lang::Ru) => format!("({n}) flightdeck · ждут {n}"),
    }
}

fn screen(model: &Model, canvas: &mut Canvas, area: Rect) {
    match model.screens.last() {
        None => deck::draw(model, canvas, area),
        Some(Screen::Session(shown)) => session::draw(model, shown, canvas, area),
        Some(Screen::Gate(gate)) => gate::draw(model, gate, canvas, area),
        Some(Screen::Pipeline(p)) => pipeline::draw(model, p, canvas, area),
        Some(Screen::Trace(trace)) => trace::draw(model, trace, canvas, area),
        Some(Screen::New(form)) => form::draw(model, form, canvas, area),
        Some(Screen::Report(_) | Screen::Library(_) | Screen::Replay(_)) => reading(model, canvas, area),
    }
    for overlay in &model.overlays {
        // The header with the number that waits stays visible under every overlay (ui.md rule 1).
        let header = canvas.layout.header;
        let below = Rect { y: area.y + header, height: area.height - header - 1, ..area };
        match overlay {
            Overlay::Reply(r) => reply::draw(model, r, canvas, below),
            Overlay::Menu(m) => menu::draw(model, m, canvas, below),
            Overlay::Reader(r) => reader::draw(r, canvas, below),
            Overlay::Confirm(c) => confirm::draw(c, canvas, below),
            Overlay::Filter => {}
        }
    }
    bar::bottom(model, canvas, Rect { y: area.bottom() - 1, height: 1, ..area });
}

/// The reading screens draw themselves between the two bars.
fn reading(model: &Model, canvas: &mut Canvas, area: Rect) {
    let lang = model.lang();
    let name = match model.screens.last() {
        Some(Screen::Report(_)) => lang.pick("report", "отчёт"),
        Some(Screen::Library(_)) => lang.pick("library", "архив"),
        _ => lang.pick("replay", "повтор"),
    };
    let of = match model.front() {
        Some(id) if !matches!(model.screens.last(), Some(Screen::Library(_))) => format!(" · {}", slug(id)),
        _ => String::new(),
    };
    let title =
        vec![Span::styled(name, canvas.style(Role::Focus)), Span::styled(of, canvas.style(Role::Muted))];
    bar::top(model, canvas, area, title);
    let body = Rect { x: area.x + 1, width: area.width - 2, y: area.y + 1, height: area.height - 2 };
    let theme = &canvas.look.theme;
    let style = |role: Role| theme.of(role);
    match model.screens.last() {
        Some(Screen::Report(report)) => report.draw(canvas.frame, body, &style),
        Some(Screen::Library(library)) => library.draw(canvas.frame, body, &style),
        Some(Screen::Replay(replay)) => replay.draw(canvas.frame, body, &style),
        _ => {}
    }
}

fn small(model: &Model, canvas: &mut Canvas, area: Rect) {
    let lang = model.lang();
    let count = words::waiting(model.waiting().0, None, model.clock.now, lang, true);
    let lines = [count, lang.pick("too small", "тесно").to_string()];
    for (n, line) in lines.iter().enumerate() {
        let row = Rect { y: area.y + n as u16, height: 1, ..area };
        if n < area.height as usize {
            canvas.text(row, line, canvas.style(Role::Waiting));
        }
    }
}

#[cfg(test)]
pub mod tests;
