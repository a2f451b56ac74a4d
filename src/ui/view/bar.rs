//! The first and the last line of every screen: where one is and what waits; what works here.

use super::draw::{Canvas, safe};
use super::layout::Hit;
use crate::domain::session::meta::Status;
use crate::domain::session::state::ReportState;
use crate::engine::wire::Owner;
use crate::ui::action::{ACTIONS, Action, Context};
use crate::ui::model::{Model, Screen};
use crate::ui::overlay::Overlay;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Title at the left, the number that waits at the right, always (ui.md rule 1).
pub fn top(model: &Model, canvas: &mut Canvas, area: Rect, title: Vec<Span<'static>>) {
    let right = waiting(model, canvas, area.width < 60);
    let mut left = vec![Span::raw(" ")];
    left.extend(title);
    canvas.hit(
        Rect {
            x: area.right().saturating_sub(right.width() as u16),
            width: right.width() as u16,
            height: 1,
            ..area
        },
        Hit::Action(Action::NextQuestion),
    );
    canvas.ends(Rect { height: 1, ..area }, Line::from(left), right);
}

/// The number that waits, in its colour.
pub fn waiting(model: &Model, canvas: &Canvas, short: bool) -> Line<'static> {
    let (count, oldest) = model.waiting();
    let text = words::waiting(count, oldest, model.clock.now, model.lang(), short);
    let role = if count > 0 { Role::Waiting } else { Role::Muted };
    let shape = if count > 0 { "! " } else { "" };
    Line::styled(format!("{shape}{text} "), canvas.style(role))
}

/// What just happened, else the keys that work here.
pub fn bottom(model: &Model, canvas: &mut Canvas, area: Rect) {
    canvas.clear(area);
    if matches!(model.overlays.last(), Some(Overlay::Filter)) {
        return filter(model, canvas, area);
    }
    if let Some(bye) = &model.engine.bye {
        let text = model.lang().pick("the engine ended:", "движок завершился:");
        let line = safe(&format!(" {text} {bye}"), usize::from(area.width), canvas.style(Role::Failed));
        return canvas.line(area, line.into());
    }
    if let Some(toast) = &model.toast {
        let line = safe(&toast.text, usize::from(area.width.saturating_sub(2)), canvas.style(toast.role));
        return canvas.line(area, Line::from(vec![Span::raw(" "), line]));
    }
    if !model.typed.is_empty() {
        let keys: Vec<String> = model.typed.iter().map(ToString::to_string).collect();
        return canvas.text(area, &format!(" {} …", keys.join(" ")), canvas.style(Role::Focus));
    }
    keys(model, canvas, area);
}

fn filter(model: &Model, canvas: &mut Canvas, area: Rect) {
    let label = format!(" {}: ", model.lang().pick("filter", "фильтр"));
    let room = usize::from(area.width).saturating_sub(label.width() + 1);
    let query = safe(&model.deck.filter, room, canvas.style(Role::Text));
    let x = area.x + (label.width() + query.width()) as u16;
    canvas.line(area, Line::from(vec![Span::styled(label, canvas.style(Role::Focus)), query]));
    canvas.frame.set_cursor_position((x.min(area.right() - 1), area.y));
}

/// The footer: from the table and the keymap, as much as fits; help is always there.
fn keys(model: &Model, canvas: &mut Canvas, area: Rect) {
    let context = model.context();
    let label = |action: Action| -> Option<(String, &'static str)> {
        let entry = crate::ui::action::entry(action);
        let key = model.look.keymap.keys(context, action).into_iter().next()?;
        let short = match action {
            // The same key lets a standing session go on; what it does now is what is said.
            Action::Pause if stands(model) => model.lang().pick("go on", "продолжить"),
            _ => entry.short(model.lang()),
        };
        (!short.is_empty()).then_some((key, short))
    };
    let help = label(Action::Help);
    let reserved = help.as_ref().map_or(0, |(k, s)| k.width() + s.width() + 3);
    let (mut x, end) = (area.x + 1, area.right().saturating_sub(reserved as u16 + 1));
    let here =
        ACTIONS.iter().filter(|e| e.contexts.contains(&context) || e.contexts.contains(&Context::Global));
    for entry in here.filter(|e| e.action != Action::Help && works(model, e.action)) {
        let Some((key, short)) = label(entry.action) else { continue };
        let wide = (key.width() + 1 + short.width()) as u16;
        if x + wide > end {
            continue;
        }
        button(canvas, Rect { x, width: wide, ..area }, &key, short, entry.action);
        x += wide + 3;
    }
    if let Some((key, short)) = help {
        let wide = (key.width() + 1 + short.width()) as u16;
        let at = Rect {
            x: area.right().saturating_sub(wide + 1).max(area.x),
            width: wide.min(area.width),
            ..area
        };
        button(canvas, at, &key, short, Action::Help);
    }
}

fn button(canvas: &mut Canvas, area: Rect, key: &str, short: &'static str, action: Action) {
    let spans = vec![
        Span::styled(key.to_string(), canvas.style(Role::Focus)),
        Span::styled(format!(" {short}"), canvas.style(Role::Muted)),
    ];
    canvas.line(area, Line::from(spans));
    canvas.hit(area, Hit::Action(action));
}

/// The session in front, or the chosen one of the deck, is driven by nobody and could go on.
fn stands(model: &Model) -> bool {
    let row = match model.screens.last() {
        Some(Screen::Session(shown)) => model.deck.row(&shown.id),
        Some(Screen::Pipeline(shown)) => model.deck.row(&shown.id),
        _ => model.deck.selected.as_ref().and_then(|id| model.deck.row(id)),
    };
    row.is_some_and(|row| row.owner == Owner::Nobody && row.status != Status::Completed)
}

/// Whether an action would do something now.
fn works(model: &Model, action: Action) -> bool {
    let front = match model.screens.last() {
        Some(Screen::Session(shown)) => model.watched.get(&shown.id),
        _ => None,
    };
    let reply = match model.overlays.last() {
        Some(Overlay::Reply(reply)) => Some(reply),
        _ => None,
    };
    if let (Some(Screen::Pipeline(p)), None) = (model.screens.last(), model.overlays.last()) {
        let w = model.watched.get(&p.id);
        if let Some(works) = w.and_then(|w| crate::ui::model::pipeline::works(p, w, action, model.size.0)) {
            return works;
        }
    }
    match action {
        // Over a screen only what the overlay offers is said; the keys work all the same.
        Action::NextQuestion => model.waiting().0 > 0 && model.overlays.is_empty(),
        Action::Quit => model.overlays.is_empty(),
        // The gate shows its choices with their keys itself.
        Action::Record | Action::Implement | Action::RecordAndClose => false,
        Action::Pipeline => front.is_some_and(|w| crate::ui::model::pipeline::steps::is_there(w.session())),
        Action::Answer => front.is_some_and(|w| !w.view.questions.is_empty()),
        Action::Reports => match model.screens.last() {
            Some(Screen::Session(_)) => front.is_some_and(|w| w.session().report != ReportState::None),
            _ => model.deck.chosen().is_some_and(|row| row.status != Status::Started),
        },
        Action::CopyPath => match model.overlays.last() {
            Some(Overlay::Reader(reader)) => reader.file.is_some(),
            _ => true,
        },
        Action::CutIn => front.is_some_and(|w| w.call.is_some()),
        Action::Direct | Action::Pause if front.is_some() => {
            front.is_some_and(|w| w.session().meta.status == Status::Started)
        }
        Action::SwitchFocus => {
            reply.is_some_and(|r| r.takes_text() && r.question().is_some_and(|q| !q.choices.is_empty()))
        }
        Action::Choose => reply.is_none_or(|r| r.focus == crate::ui::model::reply::Focus::Choices),
        Action::Send => reply.is_none_or(|r| r.focus == crate::ui::model::reply::Focus::Text),
        Action::Editor => reply.is_none_or(|r| r.takes_text()),
        Action::ShowTurn => reply.is_some_and(|r| r.question().is_some()),
        _ => true,
    }
}
