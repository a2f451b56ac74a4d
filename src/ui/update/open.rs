//! Going somewhere and coming back. A session is watched while something on the screen is about it, no longer.

use super::{part, pipeline, reply};
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::id::SessionId;
use crate::engine::wire::Ask;
use crate::ui::model::gate::Gate;
use crate::ui::model::library::Library;
use crate::ui::model::pipeline::asks;
use crate::ui::model::reader::Reader;
use crate::ui::model::replay::Replay;
use crate::ui::model::reply::{Reply, Target};
use crate::ui::model::report::Report;
use crate::ui::model::{Model, Screen, Shown};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::theme::Role;
use crate::ui::view::layout::Pane;

/// Opens a session's screen.
pub fn session(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    model.overlays.clear();
    if matches!(model.screens.last(), Some(Screen::Session(shown)) if shown.id == *id) {
        return Vec::new();
    }
    // Coming here twice does not stack it twice.
    model.screens.retain(|s| !matches!(s, Screen::Session(shown) if shown.id == *id));
    model.screens.push(Screen::Session(Shown { id: id.clone(), lane: 0, zoom: false }));
    let mut cmds = watch(model, id);
    cmds.push(Cmd::ask(Ask::Events { id: id.clone() }));
    cmds.extend(settle(model));
    cmds
}

/// Opens a question over its session, the gate as a screen of its own.
pub fn question(model: &mut Model, id: &SessionId, question: &Question) -> Vec<Cmd> {
    if asks(question.kind) {
        return pipeline::question(model, id, question);
    }
    let mut cmds = session(model, id);
    if question.kind == QuestionKind::Gate {
        model.layout.scrolls.remove(&Pane::Gate);
        model.screens.push(Screen::Gate(Gate::new(id.clone())));
    } else {
        over(model, id, Target::Question(Box::new(question.clone())));
    }
    cmds.extend(settle(model));
    cmds
}

/// Opens an editor over the screen, with the draft that was left.
pub fn over(model: &mut Model, id: &SessionId, target: Target) {
    model.layout.scrolls.remove(&Pane::Question);
    let empty = Reply::new(id.clone(), target, "");
    let draft = model.drafts.get(&empty.key()).cloned().unwrap_or_default();
    let Reply { id, target, .. } = empty;
    model.overlays.push(Overlay::Reply(Box::new(Reply::new(id, target, &draft))));
}

/// Opens the question that waits longest; from a question, the one after it.
pub fn next_question(model: &mut Model) -> Vec<Cmd> {
    let here = match (model.overlays.last(), model.screens.last()) {
        (Some(Overlay::Reply(r)), _) => r.question().map(|q| (r.id.clone(), q.id.clone())),
        (None, Some(Screen::Gate(g))) => Some((g.id.clone(), "gate".to_string())),
        (None, Some(Screen::Pipeline(p))) => p.question().map(|q| (p.id.clone(), q)),
        _ => None,
    };
    let all = model.questions();
    let at = here.and_then(|(id, q)| all.iter().position(|(i, other)| **i == id && other.id == q));
    let next = match at {
        Some(at) => all.get((at + 1) % all.len().max(1)),
        None => all.first(),
    };
    let Some((id, next)) = next.map(|(id, q)| ((*id).clone(), (*q).clone())) else {
        let text = model.lang().pick("no question stands open", "открытых вопросов нет");
        model.say(text, Role::Muted);
        return Vec::new();
    };
    reply::close(model);
    if matches!(model.screens.last(), Some(Screen::Gate(_))) {
        model.screens.pop();
    }
    question(model, &id, &next)
}

/// Opens the session that has this number.
pub fn slot(model: &mut Model, slot: u8) -> Vec<Cmd> {
    let Some(id) = model.slots.session(slot).cloned() else {
        let text = model.lang().pick("no session has the number", "нет сессии с номером");
        model.say(format!("{text} {slot}"), Role::Muted);
        return Vec::new();
    };
    reply::close(model);
    session(model, &id)
}

/// Opens a file of a session over the screen.
pub fn file(model: &mut Model, id: &SessionId, file: &str, line: Option<usize>) -> Vec<Cmd> {
    model.layout.scrolls.remove(&Pane::Reader);
    model.overlays.push(Overlay::Reader(Reader::file(id, file, line)));
    let mut cmds = watch(model, id);
    cmds.push(Cmd::ask(Ask::Read { id: id.clone(), file: file.to_string() }));
    cmds
}

/// Opens a file of a session as a screen of its own, with the words marked that led there.
pub fn report(model: &mut Model, id: &SessionId, file: &str, line: u32, words: &[String]) -> Vec<Cmd> {
    let dir = model.watched.get(id).map_or_else(|| model.engine.sessions.clone(), |w| w.view.dir.clone());
    let (report, outs) = Report::open(id.clone(), dir, file, line, words, model.lang());
    model.overlays.clear();
    model.screens.push(Screen::Report(Box::new(report)));
    let mut cmds = watch(model, id);
    cmds.extend(part::outs(model, outs));
    cmds
}

/// Opens the library on what the deck knows.
pub fn library(model: &mut Model) -> Vec<Cmd> {
    let library = Library::open(&model.deck.rows, model.lang());
    model.screens.push(Screen::Library(Box::new(library)));
    Vec::new()
}

/// Opens a session's replay where the pilot left off.
pub fn replay(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let (replay, outs) = Replay::open(id.clone(), model.seen.of(id), model.lang(), model.look.zone.clone());
    model.screens.push(Screen::Replay(Box::new(replay)));
    let mut cmds = watch(model, id);
    cmds.extend(part::outs(model, outs));
    cmds
}

/// Leaves the front screen. What was on it counts as seen.
pub fn back(model: &mut Model) -> Vec<Cmd> {
    if model.overlays.pop().is_some() {
        return settle(model);
    }
    let mut cmds = Vec::new();
    let seen = match model.screens.pop() {
        Some(Screen::Session(shown)) => model.watched.get(&shown.id).map(|w| (shown.id, w.view.seq)),
        Some(Screen::Replay(replay)) => Some((replay.id.clone(), replay.last_seq())),
        _ => None,
    };
    if let Some((id, seq)) = seen {
        model.seen.mark(&id, seq);
        cmds.push(Cmd::Keep);
    }
    cmds.extend(settle(model));
    cmds
}

/// Looks into the session that the deck selects.
pub fn peek(model: &mut Model) -> Vec<Cmd> {
    let Some(id) = model.deck.selected.clone() else { return Vec::new() };
    let mut cmds = watch(model, &id);
    cmds.extend(settle(model));
    cmds
}

/// Ends the watch of sessions that nothing on the screen is about.
pub fn settle(model: &mut Model) -> Vec<Cmd> {
    let mut wanted: Vec<&SessionId> = model.deck.selected.iter().collect();
    for screen in &model.screens {
        match screen {
            Screen::Session(shown) => wanted.push(&shown.id),
            Screen::Gate(gate) => wanted.push(&gate.id),
            Screen::Pipeline(pipeline) => wanted.push(&pipeline.id),
            Screen::Trace(trace) => wanted.push(&trace.id),
            Screen::Report(report) => wanted.push(&report.id),
            Screen::Replay(replay) => wanted.push(&replay.id),
            Screen::New(_) | Screen::Library(_) => {}
        }
    }
    for overlay in &model.overlays {
        match overlay {
            Overlay::Reply(reply) => wanted.push(&reply.id),
            Overlay::Reader(reader) => wanted.extend(reader.file.as_ref().map(|(id, _)| id)),
            _ => {}
        }
    }
    let over: Vec<SessionId> = model.watching.iter().filter(|id| !wanted.contains(id)).cloned().collect();
    let mut cmds = Vec::new();
    for id in over {
        model.watching.remove(&id);
        model.watched.remove(&id);
        model.layout.forget(&id);
        cmds.push(Cmd::ask(Ask::Unwatch { id }));
    }
    cmds
}

pub fn watch(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    if model.watching.insert(id.clone()) { vec![Cmd::ask(Ask::Watch { id: id.clone() })] } else { Vec::new() }
}
