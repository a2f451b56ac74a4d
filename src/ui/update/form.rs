//! What the form of a new session does with an action. Leaving it keeps the task as a draft.

use super::open;
use crate::engine::wire::Ask;
use crate::ui::action::Action;
use crate::ui::model::form::{FIELDS, Field};
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use std::time::Duration;

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(Screen::New(form)) = model.screens.last_mut() else { return Vec::new() };
    match action {
        Action::NextField => step(model, 1),
        Action::PreviousField => step(model, -1),
        Action::Start => begin(model),
        Action::Editor => {
            let text = form.area().lines().join("\n");
            vec![Cmd::Edit(text)]
        }
        Action::Cancel => {
            let mut cmds = vec![Cmd::Keep];
            model.screens.pop();
            cmds.extend(open::settle(model));
            cmds
        }
        _ => Vec::new(),
    }
}

pub fn step(model: &mut Model, by: isize) -> Vec<Cmd> {
    if let Some(Screen::New(form)) = model.screens.last_mut() {
        form.step(by);
    }
    Vec::new()
}

/// Keeps the task as a draft.
pub fn keep(model: &mut Model) {
    let Some(Screen::New(form)) = model.screens.last() else { return };
    let task = form.value(Field::Task);
    if task.is_empty() {
        model.drafts.remove("new/task");
    } else {
        model.drafts.insert("new/task".into(), task);
    }
    model.keep_at.get_or_insert(model.clock.at + Duration::from_secs(1));
}

fn begin(model: &mut Model) -> Vec<Cmd> {
    let (vendors, lang, cwd) = (model.vendors.clone(), model.lang(), model.cwd.clone());
    let Some(Screen::New(form)) = model.screens.last_mut() else { return Vec::new() };
    if let Some((field, _)) = form.problems(&vendors, lang).first() {
        form.at = FIELDS.iter().position(|f| f == field).unwrap_or_default();
        return Vec::new();
    }
    form.sent = true;
    form.problem = None;
    vec![Cmd::ask(Ask::Begin { plan: form.plan(cwd) })]
}
