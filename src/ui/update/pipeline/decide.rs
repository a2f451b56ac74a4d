//! The pilot's word about a change (PC-503), and why a key for one may decide nothing.

use super::{front, watched};
use crate::domain::lang::Lang;
use crate::domain::session::state::Session;
use crate::engine::run::Command;
use crate::ui::action::{Action, Context};
use crate::ui::model::Model;
use crate::ui::model::pipeline::{Decided, Pipeline, decided, steps};
use crate::ui::msg::Cmd;
use crate::ui::theme::Role;

/// Decides on the change under the cursor, if the pilot has it before him: what was not drawn is not decided on, however
/// fast the keys come.
pub fn decide(model: &mut Model, yes: bool) -> Vec<Cmd> {
    let question = match decidable(model, if yes { Action::Approve } else { Action::Reject }) {
        Ok(question) => question,
        Err(why) => {
            model.say(why, Role::Warning);
            return Vec::new();
        }
    };
    let Some((id, said)) = front(model).map(|p| {
        p.sent.push((question.clone(), yes));
        (p.id.clone(), if yes { "yes" } else { "no" })
    }) else {
        return Vec::new();
    };
    let next = watched(model).and_then(|(p, w)| next_open(p, w.session()));
    match (next, front(model)) {
        (Some(next), Some(p)) => p.cursor = next,
        (None, Some(p)) => p.follows = true,
        _ => {}
    }
    vec![Cmd::command(&id, Command::Answer { question, text: said.into() })]
}

/// The question that this key answers now, else why it answers none and what to do instead.
fn decidable(model: &Model, pressed: Action) -> Result<String, String> {
    let lang = model.lang();
    let key_of = |action| model.look.keymap.shown(Context::Pipeline, action, false).unwrap_or_default();
    let Some((p, w)) = watched(model) else { return Err(elsewhere(lang)) };
    let row = p.doc.as_ref().and_then(|doc| decided(p, doc, p.cursor, w.session()));
    let Some(question) = p.question().filter(|_| row == Some(Decided::Open)) else {
        return Err(match (next_open(p, w.session()), steps::hint(w, lang)) {
            (Some(_), _) => {
                let key = key_of(Action::NextHunk);
                match lang {
                    Lang::En => {
                        format!("not decided: no open change under the cursor; {key} goes to the next")
                    }
                    Lang::Ru => {
                        format!("не решено: под курсором нет открытого изменения; {key} — к следующему")
                    }
                }
            }
            (None, Some(step)) => match lang {
                Lang::En => {
                    format!("not decided: no change waits for you yet ({step}); the key was not kept")
                }
                Lang::Ru => format!("не решено: изменений для тебя ещё нет ({step}); клавиша не запомнена"),
            },
            (None, None) => elsewhere(lang),
        });
    };
    let key = key_of(pressed);
    // The change is there a moment before its question.
    if !w.view.questions.iter().any(|open| open.id == question) {
        return Err(match lang {
            Lang::En => format!("not decided: the question about this change is only coming; {key} again"),
            Lang::Ru => format!("не решено: вопрос об этом изменении ещё только приходит; нажми {key} снова"),
        });
    }
    if model.layout.decidable.as_ref() != Some(&question) {
        return Err(match lang {
            Lang::En => format!(
                "not decided: this change had not been on the screen to its end; look at it, then {key} again"
            ),
            Lang::Ru => format!(
                "не решено: это изменение ещё не было на экране до конца; посмотри его и нажми {key} снова"
            ),
        });
    }
    Ok(question)
}

fn elsewhere(lang: Lang) -> String {
    lang.pick("no change waits for you here", "здесь нет изменений для тебя").to_string()
}

/// The next change that waits, from the cursor on and around.
fn next_open(p: &Pipeline, s: &Session) -> Option<usize> {
    let doc = p.doc.as_ref()?;
    let open = |row: &usize| decided(p, doc, *row, s) == Some(Decided::Open);
    let behind = doc.changes.iter().map(|row| *row as usize).filter(|row| *row > p.cursor);
    let before = doc.changes.iter().map(|row| *row as usize).filter(|row| *row <= p.cursor);
    behind.chain(before).find(open)
}
