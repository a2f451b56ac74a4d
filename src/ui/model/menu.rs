//! Lists to choose from: help, palette, files. Letters narrow them; every word must occur.

use super::Model;
use crate::domain::session::id::SessionId;
use crate::ui::action::{ACTIONS, Action, Context};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Every action with its keys, for the context below the help.
    Help,
    /// The same, to run one.
    Palette,
    Files(SessionId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Menu {
    pub kind: Kind,
    pub query: String,
    pub selected: usize,
    /// Where the pilot was: what works there comes first.
    pub context: Context,
}

/// What choosing a line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Run(Action),
    File(SessionId, String),
    /// What a call had said when the pilot stopped it, by its place in the session's list.
    Cut(SessionId, usize),
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    pub detail: String,
    pub keys: String,
    /// It works where the pilot is.
    pub here: bool,
    pub choice: Choice,
}

impl Menu {
    pub fn new(kind: Kind, context: Context) -> Menu {
        Menu { kind, query: String::new(), selected: 0, context }
    }

    /// The lines that fit what was typed.
    pub fn items(&self, model: &Model) -> Vec<Item> {
        let query = self.query.to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let fits = |item: &Item| {
            let text = format!("{} {} {}", item.name, item.detail, item.keys).to_lowercase();
            words.iter().all(|w| text.contains(w))
        };
        let mut items: Vec<Item> = match &self.kind {
            Kind::Files(id) => files(model, id),
            Kind::Help | Kind::Palette => self.actions(model),
        };
        items.retain(fits);
        items
    }

    fn actions(&self, model: &Model) -> Vec<Item> {
        let item = |e: &'static crate::ui::action::Entry| {
            let here = e.contexts.contains(&self.context) || e.contexts.contains(&Context::Global);
            let context = if here { self.context } else { e.contexts[0] };
            let place = if here { String::new() } else { format!(" ({})", context.key()) };
            Item {
                name: e.name.to_string(),
                detail: format!("{}{place}", e.help(model.lang())),
                keys: model.look.keymap.keys(context, e.action).join("  "),
                here,
                choice: Choice::Run(e.action),
            }
        };
        let mut items: Vec<Item> = ACTIONS.iter().map(item).collect();
        if self.kind == Kind::Palette {
            items.retain(|i| i.here);
        }
        items.sort_by_key(|i| !i.here);
        items
    }
}

fn files(model: &Model, id: &SessionId) -> Vec<Item> {
    let Some(w) = model.watched.get(id) else { return Vec::new() };
    let item = |file: &String| Item {
        name: file.clone(),
        detail: String::new(),
        keys: String::new(),
        here: true,
        choice: Choice::File(id.clone(), file.clone()),
    };
    let mut files: Vec<Item> = w.view.files.iter().map(item).collect();
    // Turns accepted since the snapshot are on disk too.
    for turn in &w.session().turns {
        let name = turn.name.to_string();
        if !w.view.files.contains(&name) {
            files.push(item(&name));
        }
    }
    for (n, cut) in w.session().notes.cuts.iter().enumerate() {
        let stopped =
            model.lang().pick("stopped by the pilot, counts nothing", "остановлено пилотом, не засчитано");
        files.push(Item {
            name: format!("{} · ✂ {stopped}", cut.title()),
            choice: Choice::Cut(id.clone(), n),
            ..item(&String::new())
        });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}
