//! The mouse: select, scroll, press. Never required.

use super::{act, deck, part, pipeline, scroll, trace};
use crate::ui::action::Action;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::view::layout::Hit;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

/// Lines that one notch of the wheel moves.
const NOTCH: usize = 3;

pub fn event(model: &mut Model, event: MouseEvent) -> Vec<Cmd> {
    let action = match event.kind {
        MouseEventKind::ScrollDown => Action::Down,
        MouseEventKind::ScrollUp => Action::Up,
        MouseEventKind::Down(MouseButton::Left) => {
            model.dirty = true;
            return model.layout.hit(event.column, event.row).map_or_else(Vec::new, |hit| press(model, hit));
        }
        // Movement changes nothing, so it costs nothing.
        _ => return Vec::new(),
    };
    model.dirty = true;
    wheel(model, action, event);
    Vec::new()
}

fn press(model: &mut Model, hit: Hit) -> Vec<Cmd> {
    match hit {
        Hit::Action(action) => act(model, action),
        Hit::Row(id) if model.deck.selected.as_ref() == Some(&id) => act(model, Action::Open),
        Hit::Row(id) => {
            model.deck.selected = Some(id);
            model.deck.peek_at = Some(model.clock.at);
            Vec::new()
        }
        Hit::Lane(lane) => {
            if let Some(Screen::Session(shown)) = model.screens.last_mut() {
                shown.lane = lane;
            }
            Vec::new()
        }
        Hit::Line(n) => match model.overlays.last_mut() {
            Some(Overlay::Menu(menu)) if menu.selected == n => act(model, Action::Choose),
            Some(Overlay::Menu(menu)) => {
                menu.selected = n;
                Vec::new()
            }
            Some(Overlay::Reply(reply)) => {
                reply.choice = n;
                reply.focus = crate::ui::model::reply::Focus::Choices;
                Vec::new()
            }
            None => trace::press(model, n),
            _ => Vec::new(),
        },
        Hit::Field(n) => {
            if let Some(Screen::New(form)) = model.screens.last_mut() {
                form.at = n;
            }
            Vec::new()
        }
        Hit::Pipeline(spot) => pipeline::press(model, spot),
        Hit::Pane(_) => Vec::new(),
    }
}

fn wheel(model: &mut Model, action: Action, event: MouseEvent) {
    if model.overlays.is_empty() && model.screens.is_empty() {
        deck::step(model, if action == Action::Down { 1 } else { -1 });
        return;
    }
    if matches!(model.overlays.last(), Some(Overlay::Menu(_))) {
        super::menu::act(model, action);
        return;
    }
    if model.overlays.is_empty()
        && matches!(model.screens.last(), Some(Screen::Report(_) | Screen::Library(_) | Screen::Replay(_)))
    {
        for _ in 0..NOTCH {
            part::act(model, action);
        }
        return;
    }
    if model.overlays.is_empty() && matches!(model.screens.last(), Some(Screen::Pipeline(_))) {
        return pipeline::wheel(model, event.column, event.row, action, NOTCH);
    }
    if model.overlays.is_empty() && matches!(model.screens.last(), Some(Screen::Trace(_))) {
        trace::act(model, action);
        return;
    }
    if let Some(pane) = model.layout.pane(event.column, event.row) {
        for _ in 0..NOTCH {
            scroll(model, pane.clone(), action);
        }
    }
}
