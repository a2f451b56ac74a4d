//! What the pipeline's screen does with an action, and what it asks of the engine.

mod decide;

use super::{open, scroll, session, trace};
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::is_implementing;
use crate::domain::session::pipeline::change::Edit;
use crate::domain::session::state::Session;
use crate::engine::run::Command;
use crate::engine::wire::{Ask, Scope, Tell};
use crate::ui::action::{Action, Context};
use crate::ui::code::Painted;
use crate::ui::code::worker::Wish;
use crate::ui::model::menu::{Kind, Menu};
use crate::ui::model::pipeline::doc::{Doc, Place};
use crate::ui::model::pipeline::found::found;
use crate::ui::model::pipeline::{self, CONTEXT, Part, Pipeline, SIDE, WHOLE, steps};
use crate::ui::model::reply::Target;
use crate::ui::model::watched::Watched;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::theme::Role;
use crate::ui::view::layout::{Pane, Spot};

/// Opens the screen over the session's, with what it showed before.
pub fn show(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let is_it = |s: &Screen| matches!(s, Screen::Pipeline(p) if p.id == *id);
    let known = model.screens.iter().position(is_it).map(|at| model.screens.remove(at));
    let mut cmds = open::session(model, id);
    let screen = known.unwrap_or_else(|| Screen::Pipeline(Box::new(Pipeline::new(id.clone()))));
    model.screens.push(screen);
    cmds.extend(open::settle(model));
    cmds.extend(sync(model));
    cmds
}

/// The same, where there is something to see.
pub fn show_any(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    if model.watched.get(id).is_some_and(|w| steps::is_there(w.session())) {
        return show(model, id);
    }
    let text =
        model.lang().pick("nothing is implemented in this session", "в этой сессии ничего не реализуется");
    model.say(text, Role::Muted);
    Vec::new()
}

/// Puts the screen in front, whatever it lies under, at a place of the diff.
pub fn show_at(model: &mut Model, id: &SessionId, place: Place) -> Vec<Cmd> {
    let is_it = |s: &Screen| matches!(s, Screen::Pipeline(p) if p.id == *id);
    let known = model.screens.iter().position(is_it).map(|at| model.screens.remove(at));
    let screen = known.unwrap_or_else(|| Screen::Pipeline(Box::new(Pipeline::new(id.clone()))));
    model.screens.push(screen);
    let cmds = open::watch(model, id);
    [cmds, go(model, place)].concat()
}

/// Opens one of the implementation's questions: a change in the diff where it stands, any other over the screen.
pub fn question(model: &mut Model, id: &SessionId, question: &Question) -> Vec<Cmd> {
    let cmds = show(model, id);
    if question.kind != QuestionKind::Content {
        open::over(model, id, Target::Question(Box::new(question.clone())));
        return cmds;
    }
    let mut more = Vec::new();
    if let Some(p) = front(model) {
        p.focus(Part::Diff);
        (p.scope, p.whole, p.ask) = (Scope::Session, None, Some(question.id.clone()));
        p.go_on();
        more = sync(model);
    }
    [cmds, more].concat()
}

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(Screen::Pipeline(p)) = model.screens.last() else { return Vec::new() };
    let (id, part) = (p.id.clone(), p.part);
    match action {
        Action::Back if trace::return_to(model) => return Vec::new(),
        Action::Back => return open::back(model),
        Action::Approve => return decide::decide(model, true),
        Action::Reject => return decide::decide(model, false),
        Action::Retry => return answer_with(model, &id, "retry"),
        Action::Escalate => return answer_with(model, &id, "escalate"),
        Action::Answer => return answer(model, &id),
        Action::Comment => return comment(model, &id),
        Action::Direct => return speak(model, &id, Target::Direct),
        Action::Pause => return session::pause(model, &id),
        Action::TurnFiles => {
            model.layout.scrolls.remove(&Pane::Menu);
            model.overlays.push(Overlay::Menu(Menu::new(Kind::Files(id), Context::Pipeline)));
        }
        Action::NextPart => focus(model, part.step(1)),
        Action::PreviousPart => focus(model, part.step(-1)),
        Action::NextHunk => step(model, 1, |doc| &doc.changes),
        Action::PreviousHunk => step(model, -1, |doc| &doc.changes),
        Action::NextFile => step(model, 1, |doc| &doc.files),
        Action::PreviousFile => step(model, -1, |doc| &doc.files),
        Action::SideBySide => side(model),
        Action::WholeFile => whole(model),
        Action::Compare => {
            if let Some(p) = front(model) {
                p.scope = match p.scope {
                    Scope::Session => Scope::Branch,
                    Scope::Branch => Scope::Staged,
                    Scope::Staged => Scope::Last,
                    Scope::Last => Scope::Session,
                };
            }
        }
        Action::Open => return enter(model, &id, part),
        _ => movement(model, part, action),
    }
    sync(model)
}

/// Moves as the wheel does.
pub fn wheel(model: &mut Model, x: u16, y: u16, action: Action, lines: usize) {
    let Some(Pane::Pipeline(part)) = model.layout.pane(x, y) else { return };
    (0..lines).for_each(|_| movement(model, part, action));
}

pub fn press(model: &mut Model, spot: Spot) -> Vec<Cmd> {
    let Some(p) = front(model) else { return Vec::new() };
    match spot {
        Spot::Part(part) => p.focus(part),
        Spot::Row(row) => {
            p.focus(Part::Diff);
            (p.cursor, p.follows) = (row, false);
        }
        Spot::File(n) | Spot::Finding(n) => {
            let part = if matches!(spot, Spot::File(_)) { Part::Files } else { Part::Findings };
            let at = if part == Part::Files { &mut p.file } else { &mut p.finding };
            let again = *at == n && p.part == part;
            *at = n;
            p.focus(part);
            if again {
                let id = p.id.clone();
                return enter(model, &id, part);
            }
        }
    }
    sync(model)
}

/// Asks for what the screen should show and has not asked for yet.
pub fn sync(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    for screen in &mut model.screens {
        let Screen::Pipeline(p) = screen else { continue };
        let Some(w) = model.watched.get(&p.id) else { continue };
        let s = w.session();
        p.sent.retain(|(sent, _)| w.view.questions.iter().any(|q| q.id == *sent));
        p.follow(s);
        if let Some(wanted) = p.wanted(s).filter(|wanted| p.asked.as_ref() != Some(wanted)) {
            let context = if wanted.file.is_some() { WHOLE } else { CONTEXT };
            let (scope, file) = (wanted.scope, wanted.file.clone());
            cmds.push(Cmd::ask(Ask::Diff { id: p.id.clone(), scope, file, context }));
            p.asked = Some(wanted);
        }
        let last = s.verifies.last().map(|v| format!("verify-{:02}.md", v.number));
        if let Some(file) = last.filter(|file| p.verify.as_ref().is_none_or(|(known, _)| known != file)) {
            p.verify = Some((file.clone(), None));
            cmds.push(Cmd::ask(Ask::Read { id: p.id.clone(), file }));
        }
    }
    cmds
}

/// Takes what the engine says for this screen.
pub fn tell(model: &mut Model, tell: &Tell) {
    for screen in &mut model.screens {
        let Screen::Pipeline(p) = screen else { continue };
        match tell {
            Tell::File { id, file, text } if *id == p.id => {
                if let Some((known, held)) = &mut p.verify
                    && known == file
                {
                    *held = Some(text.clone());
                }
            }
            // An answer that was not taken is not on its way.
            Tell::Refused { .. } => p.sent.clear(),
            _ => {}
        }
    }
}

/// Takes a diff, if it is the one that was asked for last.
pub fn diff(model: &mut Model, tell: Tell) {
    let Tell::Diff { id, scope, file, edit, patches, cut, why } = tell else { return };
    let Some(w) = model.watched.get(&id) else { return };
    for screen in &mut model.screens {
        let Screen::Pipeline(p) = screen else { continue };
        let asked = p.asked.as_ref().is_some_and(|a| a.scope == scope && a.file == file);
        if p.id != id || !asked {
            continue;
        }
        let shown = w.session().notes.track.as_ref().and_then(|t| t.edit.as_ref());
        let shown = shown.filter(|e| scope == Scope::Session && e.number == edit);
        let reserved = shown.map(|e| e.reserved.as_slice()).unwrap_or_default();
        let stamp = p.next_stamp();
        p.why = why.clone();
        p.take(Doc::new(patches, reserved, edit, cut, stamp), w.session());
        return;
    }
}

/// Asks for the colours of what was drawn, where they are missing.
pub fn paint(model: &mut Model) -> Vec<Cmd> {
    if !model.look.theme.colours_code() {
        return Vec::new();
    }
    let Some((stamp, rows)) = model.layout.rows.clone() else { return Vec::new() };
    let Some(p) = front(model) else { return Vec::new() };
    let Some(doc) = p.doc.as_ref().filter(|doc| doc.stamp == stamp) else { return Vec::new() };
    let wanted = p.colours.wanted(stamp, doc.rows.len(), rows);
    wanted.map(|rows| Cmd::Paint(Wish { doc: doc.clone(), rows })).into_iter().collect()
}

/// Takes colours, if the document is still there.
pub fn painted(model: &mut Model, painted: Painted) {
    for screen in &mut model.screens {
        let Screen::Pipeline(p) = screen else { continue };
        if p.doc.as_ref().is_some_and(|doc| doc.stamp == painted.stamp) {
            model.dirty |= p.colours.take(painted);
            return;
        }
    }
}

fn front(model: &mut Model) -> Option<&mut Pipeline> {
    match model.screens.last_mut() {
        Some(Screen::Pipeline(p)) => Some(p),
        _ => None,
    }
}

fn watched(model: &Model) -> Option<(&Pipeline, &Watched)> {
    match model.screens.last() {
        Some(Screen::Pipeline(p)) => Some((p, model.watched.get(&p.id)?)),
        _ => None,
    }
}

fn focus(model: &mut Model, part: Part) {
    if let Some(p) = front(model) {
        p.focus(part);
    }
}

fn answer_with(model: &mut Model, id: &SessionId, word: &str) -> Vec<Cmd> {
    let lang = model.lang();
    let open = watched(model).filter(|(p, w)| pipeline::offers(p, w, word));
    let Some(question) = open.and_then(|(p, w)| pipeline::question(p, w)).map(|q| q.id.clone()) else {
        let text = lang
            .pick("the open question does not know this answer:", "открытый вопрос не знает такого ответа:");
        model.say(format!("{text} {word}"), Role::Muted);
        return Vec::new();
    };
    model.say(format!("{}: {word}", lang.pick("answer sent", "ответ отправлен")), Role::Done);
    vec![Cmd::command(id, Command::Answer { question, text: word.into() })]
}

fn answer(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let Some(open) = watched(model).and_then(|(p, w)| pipeline::question(p, w)).cloned() else {
        let text = model.lang().pick("nothing waits for you here", "здесь ничего не ждёт тебя");
        model.say(text, Role::Muted);
        return Vec::new();
    };
    open::over(model, id, Target::Question(Box::new(open)));
    Vec::new()
}

fn comment(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let place = watched(model).and_then(|(p, _)| p.place()).filter(|place| !place.label.is_empty());
    let Some(Place { label, line }) = place else {
        let text = model.lang().pick("there is no line to comment on", "нет строки для заметки");
        model.say(text, Role::Muted);
        return Vec::new();
    };
    let place = if line > 0 { format!("{label}:{line}") } else { label };
    speak(model, id, Target::Comment(place))
}

/// Words that an implementation under way takes up.
fn speak(model: &mut Model, id: &SessionId, target: Target) -> Vec<Cmd> {
    let runs = watched(model)
        .is_some_and(|(_, w)| is_implementing(w.session()) && w.session().meta.status == Status::Started);
    if runs {
        open::over(model, id, target);
    } else {
        let text = model.lang().pick("the implementation is over", "реализация окончена");
        model.say(text, Role::Muted);
    }
    Vec::new()
}

fn side(model: &mut Model) {
    let width = model.size.0;
    if width < SIDE {
        let text = model.lang().pick("side by side needs 120 columns", "рядом — только от 120 колонок");
        return model.say(text, Role::Muted);
    }
    if let Some(p) = front(model) {
        p.side = Some(!p.is_side(width));
        p.focus(Part::Diff);
    }
}

fn whole(model: &mut Model) {
    let Some(p) = front(model) else { return };
    let Some(place) = p.place() else { return };
    p.focus(Part::Diff);
    p.whole = if p.whole.is_some() { None } else { Some(place.label.clone()) };
    p.goal = Some(place);
}

/// To the next or previous of some rows.
fn step(model: &mut Model, by: isize, rows: fn(&Doc) -> &Vec<u32>) {
    let Some(p) = front(model) else { return };
    p.focus(Part::Diff);
    let Some(doc) = &p.doc else { return };
    let rows = rows(doc).iter().map(|row| *row as usize);
    let to = match by {
        1 => rows.clone().find(|row| *row > p.cursor),
        _ => rows.clone().rev().find(|row| *row < p.cursor),
    };
    p.cursor = to.unwrap_or(p.cursor);
    p.follows = false;
}

/// What Enter does where the pilot is.
fn enter(model: &mut Model, id: &SessionId, part: Part) -> Vec<Cmd> {
    let Some((p, w)) = watched(model) else { return Vec::new() };
    let s = w.session();
    match part {
        Part::Files => {
            let label = edit(s).and_then(|e| e.files.get(p.file)).map(|f| f.label());
            label.map_or_else(Vec::new, |label| go(model, Place { label, line: 0 }))
        }
        Part::Findings => {
            let found = found(s).into_iter().nth(p.finding);
            let place =
                found.map(|f| Place { label: f.finding.file.clone(), line: first_line(&f.finding.lines) });
            match place.filter(|place| !place.label.is_empty()) {
                Some(place) => go(model, place),
                None => Vec::new(),
            }
        }
        Part::Diff if p.question().is_some() => answer(model, id),
        Part::Diff => {
            whole(model);
            sync(model)
        }
        Part::Output => match p.verify.as_ref().map(|(file, _)| file.clone()) {
            Some(file) => open::file(model, id, &file, None),
            None => Vec::new(),
        },
        Part::Result if s.has_outcome => open::file(model, id, pipeline::OUTCOME, None),
        Part::Result => Vec::new(),
    }
}

fn first_line(lines: &str) -> u32 {
    lines.split(|c: char| !c.is_ascii_digit()).find_map(|n| n.parse().ok()).unwrap_or(0)
}

/// To a place of the diff that the edit has; what else was shown gives way.
fn go(model: &mut Model, place: Place) -> Vec<Cmd> {
    let lang = model.lang();
    let Some(p) = front(model) else { return Vec::new() };
    p.focus(Part::Diff);
    let row = p.doc.as_ref().and_then(|doc| doc.row_at(&place));
    match row {
        Some(row) => (p.cursor, p.follows) = (row, false),
        None if p.doc.is_none() || p.whole.is_some() || p.scope != Scope::Session => {
            (p.whole, p.scope, p.goal) = (None, Scope::Session, Some(place));
        }
        None => {
            let text = lang.pick("not in this diff:", "в этом diff нет:");
            let line = crate::ui::text::one_line(&place.label, 60);
            model.say(format!("{text} {line}"), Role::Muted);
        }
    }
    sync(model)
}

fn edit(s: &Session) -> Option<&Edit> {
    s.notes.track.as_ref()?.edit.as_ref()
}

fn movement(model: &mut Model, part: Part, action: Action) {
    let Some((p, w)) = watched(model) else { return };
    let files = edit(w.session()).map_or(0, |e| e.files.len() + e.missing.len());
    let findings = found(w.session()).len();
    let page = model.layout.scrolls.get(&Pane::Pipeline(part)).map_or(1, |s| s.height.saturating_sub(1));
    let by = super::steps(action, page);
    match (part, by) {
        (Part::Files, Some(by)) => {
            let to = p.file.saturating_add_signed(by).min(files.saturating_sub(1));
            front(model).into_iter().for_each(|p| p.file = to);
        }
        (Part::Findings, Some(by)) => {
            let to = p.finding.saturating_add_signed(by).min(findings.saturating_sub(1));
            front(model).into_iter().for_each(|p| p.finding = to);
        }
        (Part::Diff, Some(by)) => {
            let rows = p.doc.as_ref().map_or(0, |d| d.rows.len());
            let to = model.layout.flow.moved(p.cursor, by, rows);
            front(model).into_iter().for_each(|p| (p.cursor, p.follows) = (to, false));
        }
        (Part::Output | Part::Result, _) => drop(scroll(model, Pane::Pipeline(part), action)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
