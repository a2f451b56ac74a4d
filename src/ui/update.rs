//! The only function that changes the model. It waits for nothing and touches nothing outside: what is to be done comes
//! back as commands.

mod deck;
mod form;
mod gate;
mod keys;
mod menu;
mod mouse;
pub mod open;
mod part;
mod pipeline;
mod reply;
mod session;
mod tell;
mod trace;

use super::action::{Action, Context};
use super::model::menu::{Kind, Menu};
use super::model::reader::Reader;
use super::model::{Model, Screen};
use super::msg::{Cmd, Msg};
use super::overlay::{Confirm, Overlay};
use super::settings::Start;
use super::theme::Role;
use super::view::layout::Pane;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::engine::wire::Ask;
use std::time::Duration;

/// Takes one message and says what is to be done.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Cmd> {
    match msg {
        Msg::Key(event) => keys::pressed(model, event),
        Msg::Mouse(event) => mouse::event(model, event),
        Msg::Paste(text) => keys::pasted(model, &text),
        Msg::Resize(width, height) => {
            model.size = (width, height);
            model.dirty = true;
            Vec::new()
        }
        Msg::Focus(has) => {
            model.focused = has;
            Vec::new()
        }
        Msg::Tell(tell) => tell::heard(model, *tell),
        Msg::Tick => tick(model),
        Msg::Drawn => pipeline::paint(model),
        Msg::Painted(painted) => {
            pipeline::painted(model, painted);
            Vec::new()
        }
        Msg::Edited(result) => {
            model.dirty = true;
            keys::edited(model, result)
        }
    }
}

/// What to ask for when the screen opens.
pub fn start(model: &mut Model, start: &Start) -> Vec<Cmd> {
    let mut cmds = vec![Cmd::ask(Ask::Deck { limit: super::model::deck::LIMIT })];
    match start {
        Start::Deck => {}
        Start::Session(id) => cmds.extend(open::session(model, id)),
        Start::New => cmds.extend(deck::act(model, Action::New)),
    }
    cmds
}

/// Does what a key, a button or the palette asks for.
pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    model.dirty = true;
    let context = model.context();
    if let Some(slot) = action.slot() {
        return open::slot(model, slot);
    }
    match action {
        Action::Help => menu_over(model, Kind::Help, context),
        Action::Palette => menu_over(model, Kind::Palette, context),
        Action::NextQuestion => open::next_question(model),
        Action::Redraw => vec![Cmd::Redraw],
        Action::Suspend => vec![Cmd::Suspend],
        Action::Quit => vec![Cmd::Keep, Cmd::Quit],
        Action::Doctor => {
            model.overlays.push(Overlay::Reader(Reader::text("doctor", None)));
            vec![Cmd::ask(Ask::Doctor)]
        }
        Action::Trace if model.overlays.is_empty() => trace::show(model),
        _ => front(model, action),
    }
}

/// What the front makes of an action.
fn front(model: &mut Model, action: Action) -> Vec<Cmd> {
    match model.overlays.last() {
        Some(Overlay::Reply(_)) => reply::act(model, action),
        Some(Overlay::Menu(_)) => menu::act(model, action),
        Some(Overlay::Reader(_)) => reader(model, action),
        Some(Overlay::Confirm(_)) => confirm(model, action),
        Some(Overlay::Filter) => deck::filter(model, action),
        None => match model.screens.last() {
            Some(Screen::Session(_)) => session::act(model, action),
            Some(Screen::Gate(_)) => gate::act(model, action),
            Some(Screen::Pipeline(_)) => pipeline::act(model, action),
            Some(Screen::Trace(_)) => trace::act(model, action),
            Some(Screen::New(_)) => form::act(model, action),
            Some(Screen::Report(_) | Screen::Library(_) | Screen::Replay(_)) => part::act(model, action),
            None => deck::act(model, action),
        },
    }
}

fn menu_over(model: &mut Model, kind: Kind, context: Context) -> Vec<Cmd> {
    // A list over a list would hide what it lists.
    if !matches!(model.overlays.last(), Some(Overlay::Menu(_))) {
        model.layout.scrolls.remove(&Pane::Menu);
        model.overlays.push(Overlay::Menu(Menu::new(kind, context)));
    }
    Vec::new()
}

/// Asks before it does something that is not easily undone.
fn ask_first(model: &mut Model, text: impl Into<String>, then: Vec<Cmd>) -> Vec<Cmd> {
    model.overlays.push(Overlay::Confirm(Confirm { text: text.into(), then }));
    Vec::new()
}

fn confirm(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(Overlay::Confirm(confirm)) = model.overlays.pop() else { return Vec::new() };
    match action {
        Action::Yes => confirm.then,
        Action::No => Vec::new(),
        _ => {
            model.overlays.push(Overlay::Confirm(confirm));
            Vec::new()
        }
    }
}

fn reader(model: &mut Model, action: Action) -> Vec<Cmd> {
    match action {
        Action::Back => {
            model.overlays.pop();
            open::settle(model)
        }
        Action::CopyPath => {
            let Some(Overlay::Reader(reader)) = model.overlays.last() else { return Vec::new() };
            let Some((id, file)) = reader.file.clone() else { return Vec::new() };
            copy_path(model, &id, Some(&file))
        }
        _ => {
            scroll(model, Pane::Reader, action);
            Vec::new()
        }
    }
}

/// Copies the path of a session's directory or of one of its files, and shows it: the terminal may refuse to copy.
fn copy_path(model: &mut Model, id: &SessionId, file: Option<&str>) -> Vec<Cmd> {
    let Some(w) = model.watched.get(id) else { return Vec::new() };
    let path = file.map_or_else(|| w.view.dir.clone(), |f| w.view.dir.join(f));
    let path = path.display().to_string();
    let said = model.lang().pick(
        "sent to the terminal, which may refuse to copy:",
        "отправлено терминалу, он может отказать в копировании:",
    );
    model.say(format!("{said} {path}"), Role::Muted);
    vec![Cmd::Copy(path)]
}

/// Moves in a pane; false when the action does not move.
fn scroll(model: &mut Model, pane: Pane, action: Action) -> bool {
    let scroll = model.layout.scroll(pane);
    match action {
        Action::Down => scroll.by(1),
        Action::Up => scroll.by(-1),
        Action::PageDown => scroll.page(1),
        Action::PageUp => scroll.page(-1),
        Action::First => scroll.first(),
        Action::Last => scroll.last(),
        Action::Follow => scroll.toggle_follow(),
        _ => return false,
    }
    true
}

/// How far an action moves in a list of choices.
fn steps(action: Action, page: usize) -> Option<isize> {
    let page = page.max(1) as isize;
    match action {
        Action::Down => Some(1),
        Action::Up => Some(-1),
        Action::PageDown => Some(page),
        Action::PageUp => Some(-page),
        Action::First => Some(isize::MIN),
        Action::Last => Some(isize::MAX),
        _ => None,
    }
}

/// Does what is due now.
fn tick(model: &mut Model) -> Vec<Cmd> {
    let at = model.clock.at;
    let due = |when: &mut Option<Duration>| when.is_some_and(|t| t <= at) && when.take().is_some();
    model.dirty = true;
    if model.toast.as_ref().is_some_and(|t| t.until <= at) {
        model.toast = None;
    }
    model.sent.retain(|_, until| *until > at);
    let mut cmds = Vec::new();
    if due(&mut model.keep_at) {
        cmds.push(Cmd::Keep);
    }
    if due(&mut model.deck.peek_at) {
        cmds.extend(open::peek(model));
    }
    if matches!(model.screens.last(), Some(Screen::Replay(_))) {
        cmds.extend(part::give(model, super::model::part::Input::Tick(at)));
    }
    let looks_at = match model.screens.last() {
        Some(Screen::Session(shown)) if model.focused => Some(shown.id.clone()),
        Some(Screen::Gate(gate)) if model.focused => Some(gate.id.clone()),
        Some(Screen::Pipeline(p)) if model.focused => Some(p.id.clone()),
        _ => None,
    };
    let ringing = model.attention.due(at, looks_at.as_ref());
    if let Some(first) = ringing.first() {
        let slug = super::model::deck::slug(first);
        let text = match (ringing.len(), model.lang()) {
            (1, Lang::En) => format!("{slug} waits for you"),
            (1, Lang::Ru) => format!("{slug} ждёт тебя"),
            (n, Lang::En) => format!("{n} questions wait for you"),
            (n, Lang::Ru) => format!("ждут ответа: {n}"),
        };
        cmds.push(Cmd::Notice(text));
    }
    cmds
}

#[cfg(test)]
mod tests;
