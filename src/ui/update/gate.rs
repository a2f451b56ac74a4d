//! What the Decision Gate does with an action.

use super::{open, scroll};
use crate::domain::question::QuestionKind;
use crate::domain::session::honesty;
use crate::engine::run::Command;
use crate::ui::action::Action;
use crate::ui::model::gate::letter;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::theme::Role;
use crate::ui::view::layout::Pane;

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    match action {
        Action::Record | Action::Implement | Action::RecordAndClose => choose(model, action),
        Action::Later => open::back(model),
        Action::Sources => sources(model),
        _ => {
            if !scroll(model, Pane::Gate, action) {
                disarm(model);
            }
            Vec::new()
        }
    }
}

/// A result of a weak panel takes the same key twice (ui.md rule 9).
fn choose(model: &mut Model, action: Action) -> Vec<Cmd> {
    let (Some(Screen::Gate(gate)), Some(letter)) = (model.screens.last_mut(), letter(action)) else {
        return Vec::new();
    };
    let Some(w) = model.watched.get(&gate.id) else { return Vec::new() };
    let open = w.view.questions.iter().find(|q| q.kind == QuestionKind::Gate).map(|q| q.id.clone());
    let Some(question) = open else {
        let said = model.look.lang.pick("the gate is closed", "решение уже принято");
        model.say(said, Role::Muted);
        return Vec::new();
    };
    if honesty::panel(w.session()).needs_extra_key() && gate.armed != Some(action) {
        gate.armed = Some(action);
        return Vec::new();
    }
    let id = gate.id.clone();
    model.screens.pop();
    model.sends(&id, &question);
    let said = model.lang().pick("decided", "решение отправлено");
    model.say(format!("{said}: {letter}"), Role::Done);
    let mut cmds = vec![Cmd::command(&id, Command::Answer { question, text: letter.into() })];
    cmds.extend(open::settle(model));
    cmds
}

fn disarm(model: &mut Model) {
    if let Some(Screen::Gate(gate)) = model.screens.last_mut() {
        gate.armed = None;
    }
}

/// The strongest open objection where there is one, else the turn that claims the agreement.
fn sources(model: &mut Model) -> Vec<Cmd> {
    let Some(Screen::Gate(gate)) = model.screens.last() else { return Vec::new() };
    let Some(w) = model.watched.get(&gate.id) else { return Vec::new() };
    let (id, s) = (gate.id.clone(), w.session());
    let objection = honesty::strongest_open(s).map(|p| (p.file, Some(p.line as usize)));
    let claim = || {
        let last = s.turns.iter().rfind(|t| t.markers().consensus.is_some()).or(s.turns.last());
        last.map(|t| (t.name.to_string(), None))
    };
    match objection.or_else(claim) {
        Some((file, line)) => open::file(model, &id, &file, line),
        None => Vec::new(),
    }
}
