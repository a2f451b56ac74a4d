//! What the deck does with an action.

use super::{open, session, steps};
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::model::Screen;
use crate::ui::model::form::Form;
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::view::layout::Pane;
use std::time::Duration;

/// A selection that rests this long is looked into.
const RESTS: Duration = Duration::from_millis(120);

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let page = model.layout.scrolls.get(&Pane::Deck).map_or(1, |s| s.height);
    if let Some(by) = steps(action, page) {
        step(model, by);
        return Vec::new();
    }
    let selected = model.deck.selected.clone();
    match (action, selected) {
        (Action::Open, Some(id)) => open::session(model, &id),
        (Action::New, _) => {
            let task = model.drafts.get("new/task").cloned().unwrap_or_default();
            model.screens.push(Screen::New(Box::new(Form::new(&task))));
            Vec::new()
        }
        (Action::Filter, _) => {
            model.overlays.push(Overlay::Filter);
            Vec::new()
        }
        (Action::Library, _) => open::library(model),
        (Action::Reports, Some(id)) => session::report(model, &id),
        (Action::Pause, Some(id)) => session::pause(model, &id),
        _ => Vec::new(),
    }
}

/// While the filter is typed, the list still moves.
pub fn filter(model: &mut Model, action: Action) -> Vec<Cmd> {
    match action {
        Action::Back => {
            model.overlays.pop();
            model.deck.filter.clear();
            reselect(model);
            Vec::new()
        }
        Action::Choose => {
            model.overlays.pop();
            Vec::new()
        }
        _ => act(model, action),
    }
}

/// Selects by so many sessions from here.
pub fn step(model: &mut Model, by: isize) {
    let lines = model.deck.lines(model.clock, &model.look.zone);
    let before = model.deck.selected.clone();
    model.deck.step(&lines, by);
    if model.deck.selected != before {
        model.deck.peek_at = Some(model.clock.at + RESTS);
    }
}

/// Keeps the selection where it is still shown, else takes the first session.
pub fn reselect(model: &mut Model) {
    step(model, 0);
}
