//! The selected session beside the deck: what it is about, who takes part, where it stands, what it asks.

use super::draw::{Canvas, safe};
use super::rounds;
use crate::ui::model::Model;
use crate::ui::model::lanes;
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub fn draw(model: &Model, canvas: &mut Canvas, area: Rect) {
    let Some(row) = model.deck.selected.as_ref().and_then(|id| model.deck.row(id)) else { return };
    let lang = model.lang();
    let width = usize::from(area.width);
    let (text, muted) = (canvas.style(Role::Text), canvas.style(Role::Muted));
    let mut lines: Vec<Line> = vec![Line::styled(row.id.to_string(), canvas.style(Role::Focus))];
    let head = &row.task[..row.task.floor_char_boundary(4_000)];
    lines.extend(wrap(head, width).into_iter().take(5).map(|l| Line::styled(l, text)));
    if let Some(w) = model.watched.get(&row.id) {
        lines.push(Line::default());
        for (n, voice) in lanes::voices(w.session(), lang).into_iter().enumerate() {
            let state = super::lane::state(w, n, canvas);
            let name = Span::styled(format!("{:<10} ", voice.name), canvas.look.theme.voice(n));
            let role = safe(&voice.role, width / 3, muted);
            lines.push(Line::from(vec![name, role, Span::raw("  "), state]));
        }
        lines.push(Line::default());
        let recent = w.rounds.iter().rev().take(3).rev();
        lines.extend(recent.flat_map(|round| rounds::tall(w, round, canvas, width)));
    }
    for q in &row.questions {
        lines.push(Line::default());
        let age = words::age(q.since, model.clock.now, lang);
        lines.push(Line::styled(
            format!("! {} · {} · {age}", words::asks(q.kind, lang), q.id),
            canvas.style(Role::Waiting),
        ));
        let head = q.text(lang);
        let head = &head[..head.floor_char_boundary(4_000)];
        lines.extend(wrap(head, width).into_iter().take(8).map(|l| Line::styled(l, text)));
    }
    for (n, line) in lines.into_iter().take(usize::from(area.height)).enumerate() {
        canvas.line(Rect { y: area.y + n as u16, height: 1, ..area }, line);
    }
}
