//! From a key to what it does. While a text is edited, what types or edits goes to the text; everything else means what
//! the keymap says; what the keymap does not know goes to the editor too, which has shortcuts of its own.

use super::{act, form, part, reply};
use crate::ui::key::Key;
use crate::ui::keymap::Found;
use crate::ui::model::edits::Edits;
use crate::ui::model::part::Input;
use crate::ui::model::reply::editor;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::text::{one_line, sanitize};
use crate::ui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tui_textarea::TextArea;

pub fn pressed(model: &mut Model, event: KeyEvent) -> Vec<Cmd> {
    if event.kind == KeyEventKind::Release {
        return Vec::new();
    }
    model.dirty = true;
    let key = Key::pressed(event);
    let edits = model.edits();
    // What a key could not do has been read when the next one is pressed; it would say nothing about that one.
    if !is_text(key, edits) && model.toast.as_ref().is_some_and(|t| t.role == Role::Muted) {
        model.toast = None;
    }
    if model.typed.is_empty() && is_text(key, edits) {
        return typed(model, event);
    }
    model.typed.push(key);
    let context = model.context();
    match model.look.keymap.find(context, &model.typed) {
        Found::Action(action) => {
            model.typed.clear();
            act(model, action)
        }
        Found::Begins => Vec::new(),
        Found::Nothing if model.typed.len() > 1 => {
            // A sequence that came to nothing: its last key may begin anew.
            model.typed.clear();
            pressed(model, event)
        }
        Found::Nothing => {
            model.typed.clear();
            if edits == Edits::Nothing { choice(model, key) } else { typed(model, event) }
        }
    }
}

pub fn pasted(model: &mut Model, text: &str) -> Vec<Cmd> {
    model.dirty = true;
    model.typed.clear();
    let text = sanitize(&text.replace('\r', "\n"));
    match model.edits() {
        Edits::Nothing => Vec::new(),
        Edits::Query => {
            let line = one_line(&text, 200);
            query(model, |q| q.push_str(&line));
            Vec::new()
        }
        Edits::Search => part::give(model, Input::Paste(&one_line(&text, 200))),
        Edits::Line => {
            let line = one_line(&text, 2_000);
            into_editor(model, |area| area.insert_str(&line))
        }
        Edits::Lines => into_editor(model, |area| area.insert_str(&text)),
    }
}

/// The editor was left: its text is the text now.
pub fn edited(model: &mut Model, result: Result<String, String>) -> Vec<Cmd> {
    match result {
        Ok(text) => into_editor(model, |area| {
            *area = editor(text.trim_end_matches('\n'));
            true
        }),
        Err(why) => {
            let said = model.lang().pick("the editor gave no text:", "редактор не дал текста:");
            model.say(format!("{said} {why}"), Role::Failed);
            Vec::new()
        }
    }
}

fn is_text(key: Key, edits: Edits) -> bool {
    let plain = key.mods.is_empty();
    match (edits, key.code) {
        (Edits::Nothing, _) => false,
        (_, KeyCode::Char(_) | KeyCode::Backspace) => plain,
        (Edits::Query | Edits::Search, _) => false,
        (_, KeyCode::Delete | KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End) => true,
        // In one line these move between the fields.
        (_, KeyCode::Enter | KeyCode::Up | KeyCode::Down) => plain && edits == Edits::Lines,
        _ => false,
    }
}

fn typed(model: &mut Model, event: KeyEvent) -> Vec<Cmd> {
    match model.edits() {
        Edits::Nothing => Vec::new(),
        Edits::Query => {
            let control = event.modifiers.contains(KeyModifiers::CONTROL);
            match event.code {
                KeyCode::Char('u') if control => query(model, String::clear),
                KeyCode::Char(c) if !control && !event.modifiers.contains(KeyModifiers::ALT) => {
                    query(model, |q| q.push(c));
                }
                KeyCode::Backspace => query(model, |q| {
                    q.pop();
                }),
                _ => {}
            }
            Vec::new()
        }
        Edits::Search => match Key::pressed(event) {
            Key { code: KeyCode::Backspace, .. } => part::give(model, Input::Backspace),
            key => key.types().map_or_else(Vec::new, |c| part::give(model, Input::Char(c))),
        },
        Edits::Line => match event.code {
            KeyCode::Enter | KeyCode::Down => form::step(model, 1),
            KeyCode::Up => form::step(model, -1),
            _ => into_editor(model, |area| area.input(event)),
        },
        Edits::Lines => into_editor(model, |area| area.input(event)),
    }
}

/// Changes the query of the menu or the filter; the selection begins anew.
fn query(model: &mut Model, change: impl FnOnce(&mut String)) {
    match model.overlays.last_mut() {
        Some(Overlay::Menu(menu)) => {
            change(&mut menu.query);
            menu.selected = 0;
        }
        Some(Overlay::Filter) => {
            change(&mut model.deck.filter);
            super::deck::reselect(model);
        }
        _ => {}
    }
}

/// Changes the text in front, whichever it is, and keeps the draft.
fn into_editor(model: &mut Model, change: impl FnOnce(&mut TextArea<'static>) -> bool) -> Vec<Cmd> {
    match (model.overlays.last_mut(), model.screens.last_mut()) {
        (Some(Overlay::Reply(reply)), _) => {
            change(&mut reply.editor);
            reply::keep(model);
        }
        (None, Some(Screen::New(form))) => {
            change(form.area());
            // What the opening said is about the plan as it was.
            (form.opening, form.problem) = (None, None);
            form::keep(model);
        }
        _ => {}
    }
    Vec::new()
}

/// Digits pick a choice of a question; they do not send it.
fn choice(model: &mut Model, key: Key) -> Vec<Cmd> {
    let digit = key.types().and_then(|c| c.to_digit(10)).and_then(|d| d.checked_sub(1));
    if let (Some(Overlay::Reply(reply)), Some(n)) = (model.overlays.last_mut(), digit) {
        let choices = reply.question().map_or(0, |q| q.choices.len());
        if (n as usize) < choices {
            reply.choice = n as usize;
        }
    }
    Vec::new()
}
