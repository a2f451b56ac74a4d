//! What the engine says. Facts change what is watched, the deck changes what waits; nothing moves the pilot.

use super::{deck, open, part, pipeline, trace};
use crate::domain::fact::Fact;
use crate::domain::session::id::SessionId;
use crate::domain::session::turn::TurnName;
use crate::engine::wire::{Event, Row, Tell};
use crate::ui::model::form::Opening;
use crate::ui::model::replay::digest;
use crate::ui::model::watched::Watched;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::text::one_line;
use crate::ui::theme::Role;
use crate::ui::words;

pub fn heard(model: &mut Model, tell: Tell) -> Vec<Cmd> {
    let was_dirty = std::mem::replace(&mut model.dirty, true);
    let mut cmds = part::tell(model, &tell);
    pipeline::tell(model, &tell);
    trace::tell(model, &tell);
    cmds.extend(core(model, tell, was_dirty));
    cmds.extend(pipeline::sync(model));
    cmds
}

fn core(model: &mut Model, tell: Tell, was_dirty: bool) -> Vec<Cmd> {
    match tell {
        Tell::Welcome { version, pid, sessions, .. } => {
            model.engine.version = version;
            model.engine.pid = pid;
            model.engine.sessions = sessions;
            model.engine.bye = None;
            Vec::new()
        }
        Tell::Deck { rows, total } => new_deck(model, rows, total),
        Tell::Spend { today } => {
            model.deck.today = Some(today);
            Vec::new()
        }
        Tell::Snapshot { view } => {
            let id = view.session.meta.session_id.clone();
            // Who drives it is known at once; the deck hears of it with what else has changed.
            model.deck.rows.iter_mut().filter(|row| row.id == id).for_each(|row| row.owner = view.owner);
            match model.watched.get_mut(&id) {
                Some(watched) => watched.renew(view),
                // Asked for and no longer wanted.
                None if !model.watching.contains(&id) => {}
                None => {
                    model.watched.insert(id, Watched::new(view));
                }
            }
            Vec::new()
        }
        Tell::Event { id, event } => {
            if let Some(w) = model.watched.get_mut(&id) {
                w.event(&event);
            }
            noted(model, &id, &event.fact);
            Vec::new()
        }
        Tell::Progress { id, call, progress } => {
            let now = model.clock.now;
            match model.watched.get_mut(&id) {
                Some(w) => w.progress(&call, &progress, now),
                None => model.dirty = was_dirty,
            }
            Vec::new()
        }
        Tell::Events { id, events } => {
            if let Some(w) = model.watched.get_mut(&id) {
                w.history(&events);
            }
            since_last_time(model, &id, &events);
            Vec::new()
        }
        Tell::Opening { announcement, questions } => {
            if let Some(form) = form(model) {
                form.sent = false;
                form.opening = Some(Opening { announcement, questions });
            }
            Vec::new()
        }
        Tell::Began { id, announcement } => began(model, &id, &announcement),
        Tell::File { id, file, text } => {
            fill(model, |r| r.file.as_ref().is_some_and(|(i, f)| *i == id && *f == file), text);
            Vec::new()
        }
        Tell::Files { id, files } => {
            if let Some(w) = model.watched.get_mut(&id) {
                w.view.files = files;
            }
            Vec::new()
        }
        Tell::Doctor { text } => {
            fill(model, |r| r.file.is_none() && r.title == "doctor", text);
            Vec::new()
        }
        Tell::Refused { what, why } => refused(model, &what, &why),
        Tell::Bye { why } => {
            model.engine.bye = Some(why);
            Vec::new()
        }
        diff @ Tell::Diff { .. } => {
            pipeline::diff(model, diff);
            Vec::new()
        }
        Tell::Found { .. } | Tell::Verified { .. } | Tell::Trace { .. } => Vec::new(),
    }
}

fn new_deck(model: &mut Model, rows: Vec<Row>, total: usize) -> Vec<Cmd> {
    (model.deck.rows, model.deck.total, model.deck.loaded) = (rows, total, true);
    let rows = &model.deck.rows;
    model.sent.retain(|(id, q), _| {
        rows.iter().any(|r| r.id == *id && r.questions.iter().any(|open| open.id == *q))
    });
    let open = model.deck.rows.iter().flat_map(|r| r.questions.iter().map(move |q| (&r.id, q.id.as_str())));
    model.attention.see(open, model.clock.at);
    for row in &model.deck.rows {
        if let Some(w) = model.watched.get_mut(&row.id) {
            w.row(row);
        }
    }
    let dealt = model.slots.deal(&model.deck);
    deck::reselect(model);
    for overlay in &mut model.overlays {
        if let Overlay::Reply(reply) = overlay {
            let row = model.deck.rows.iter().find(|r| r.id == reply.id);
            let open = |q: &crate::domain::question::Question| {
                row.is_none_or(|r| r.questions.iter().any(|o| o.id == q.id))
            };
            reply.gone = reply.question().is_some_and(|q| !open(q));
        }
    }
    if dealt { vec![Cmd::Keep] } else { Vec::new() }
}

/// What the engine has to say about a session: notes about the one in front, and what was mended in any. What is odd about
/// one turn stands below it or in the replay.
fn noted(model: &mut Model, id: &SessionId, fact: &Fact) {
    let here = matches!(model.screens.last(), Some(Screen::Session(shown)) if shown.id == *id);
    let is_of_turn =
        |text: &str| text.split_once(": ").is_some_and(|(name, _)| TurnName::parse(name).is_some());
    let text = match fact {
        Fact::Noted { text } if here && !is_of_turn(text) => text.clone(),
        Fact::Repaired { what } if here => words::mended(what, model.lang()),
        Fact::Repaired { what } => format!("{id}: {}", words::mended(what, model.lang())),
        _ => return,
    };
    model.say(one_line(&text, 400), Role::Warning);
}

/// A few words about what the pilot has not seen, for a session that he comes back to.
fn since_last_time(model: &mut Model, id: &SessionId, events: &[Event]) {
    let seen = model.seen.of(id);
    let here = matches!(model.screens.last(), Some(Screen::Session(shown)) if shown.id == *id);
    let digest = digest(events, seen);
    if seen == 0 || !here || digest.is_empty() {
        return;
    }
    let since = model.lang().pick("since you looked:", "с прошлого раза:");
    model.say(format!("{since} {}", digest.lines(model.lang()).join(" · ")), Role::Running);
    // It is to be read, not to flash by.
    if let Some(toast) = &mut model.toast {
        toast.until += std::time::Duration::from_secs(10);
    }
}

fn began(model: &mut Model, id: &SessionId, announcement: &[String]) -> Vec<Cmd> {
    let was_form = matches!(model.screens.last(), Some(Screen::New(_)));
    if was_form {
        model.screens.pop();
        model.drafts.remove("new/task");
    }
    model.deck.selected = Some(id.clone());
    let text: Vec<String> = announcement.iter().map(|l| one_line(l, 200)).collect();
    model.say(text.join(" · "), Role::Done);
    if !was_form {
        return Vec::new();
    }
    let mut cmds = vec![Cmd::Keep];
    cmds.extend(open::session(model, id));
    cmds
}

fn refused(model: &mut Model, what: &str, why: &str) -> Vec<Cmd> {
    if let Some(form) = form(model).filter(|f| f.sent) {
        form.sent = false;
        form.problem = Some(why.to_string());
        return Vec::new();
    }
    if what == "command" {
        model.sent.clear();
    }
    // A text that cannot be read says so where it would have stood.
    fill(model, |_| true, why.to_string());
    model.say(format!("{what}: {why}"), Role::Failed);
    Vec::new()
}

fn form(model: &mut Model) -> Option<&mut crate::ui::model::form::Form> {
    model.screens.iter_mut().find_map(|s| if let Screen::New(form) = s { Some(form.as_mut()) } else { None })
}

/// Gives a text to the reader that waits for it.
fn fill(model: &mut Model, wanted: impl Fn(&crate::ui::model::reader::Reader) -> bool, text: String) {
    let readers =
        model.overlays.iter_mut().filter_map(|o| if let Overlay::Reader(r) = o { Some(r) } else { None });
    if let Some(reader) = readers.rev().find(|r| r.text.is_none() && wanted(r)) {
        reader.text = Some(text);
    }
}
