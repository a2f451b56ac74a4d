//! What a list over the screen does with an action.

use super::{act as run, open, steps};
use crate::domain::session::id::SessionId;
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::model::menu::Choice;
use crate::ui::model::reader::Reader;
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::view::layout::Pane;

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(Overlay::Menu(menu)) = model.overlays.last() else { return Vec::new() };
    let items = menu.items(model);
    let page = model.layout.scrolls.get(&Pane::Menu).map_or(1, |s| s.height);
    let selected = menu.selected;
    if let Some(by) = steps(action, page) {
        let last = items.len().saturating_sub(1);
        if let Some(Overlay::Menu(menu)) = model.overlays.last_mut() {
            menu.selected = selected.saturating_add_signed(by).min(last);
        }
        return Vec::new();
    }
    match action {
        Action::Back => {
            model.overlays.pop();
            Vec::new()
        }
        Action::Choose => {
            let Some(item) = items.into_iter().nth(selected) else { return Vec::new() };
            model.overlays.pop();
            match item.choice {
                Choice::File(id, file) if file.ends_with(".md") => open::report(model, &id, &file, 1, &[]),
                Choice::File(id, file) => open::file(model, &id, &file, None),
                Choice::Cut(id, n) => stopped(model, &id, n),
                // Of another screen: nothing would come of it here.
                Choice::Run(_) if !item.here => Vec::new(),
                Choice::Run(action) => run(model, action),
            }
        }
        _ => Vec::new(),
    }
}

/// Shows what a call had said when the pilot stopped it, and his words.
fn stopped(model: &mut Model, id: &SessionId, n: usize) -> Vec<Cmd> {
    let said = model.lang().pick("the pilot said:", "слова пилота:");
    let Some(cut) = model.watched.get(id).and_then(|w| w.session().notes.cuts.get(n)) else {
        return Vec::new();
    };
    let words = if cut.text.is_empty() { String::new() } else { format!("\n\n— {said}\n{}", cut.text) };
    let reader = Reader::text(
        &cut.title(),
        Some(format!("{}{words}", crate::ui::model::lanes::words_of(&cut.partial))),
    );
    model.layout.scrolls.remove(&Pane::Reader);
    model.overlays.push(Overlay::Reader(reader));
    Vec::new()
}
