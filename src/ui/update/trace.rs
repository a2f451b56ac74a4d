//! Opening a trace and going through its steps.

use super::{open, pipeline, steps};
use crate::domain::session::honesty;
use crate::engine::wire::trace::{Goal, Traced};
use crate::engine::wire::{Ask, Tell};
use crate::ui::action::Action;
use crate::ui::model::pipeline::doc::{Doc, Kind, Place, Row};
use crate::ui::model::pipeline::found::found;
use crate::ui::model::pipeline::{Part, WIDE};
use crate::ui::model::trace::Trace;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::theme::Role;
use crate::ui::view::layout::Pane;

/// Traces what the front screen points at.
pub fn show(model: &mut Model) -> Vec<Cmd> {
    let trace = match model.screens.last() {
        Some(Screen::Session(shown)) => Some(Trace::new(shown.id.clone(), Traced::Objections)),
        Some(Screen::Gate(gate)) => {
            let mut trace = Trace::new(gate.id.clone(), Traced::Objections);
            let strongest = model.watched.get(&gate.id).and_then(|w| honesty::strongest_open(w.session()));
            trace.at = strongest.map(|p| (p.file, p.line));
            Some(trace)
        }
        Some(Screen::Report(report)) => {
            let of = Traced::Place { file: report.file.clone(), line: report.line() };
            Some(Trace::new(report.id.clone(), of))
        }
        Some(Screen::Pipeline(_)) => here(model),
        _ => None,
    };
    let Some(trace) = trace else {
        let text = model
            .lang()
            .pick("stand on a line of the diff or on a finding", "встань на строку diff или на замечание");
        model.say(text, Role::Muted);
        return Vec::new();
    };
    let ask = Ask::Trace { id: trace.id.clone(), of: trace.of.clone() };
    let id = trace.id.clone();
    model.layout.scrolls.remove(&Pane::Trace);
    model.screens.push(Screen::Trace(Box::new(trace)));
    let mut cmds = open::watch(model, &id);
    cmds.push(Cmd::ask(ask));
    cmds
}

/// The line or the finding that the pipeline's screen stands on.
fn here(model: &Model) -> Option<Trace> {
    let Some(Screen::Pipeline(p)) = model.screens.last() else { return None };
    let s = model.watched.get(&p.id)?.session();
    let diff =
        p.part == Part::Diff || (p.part != Part::Findings && model.size.0 >= WIDE && p.large == Part::Diff);
    let of = if p.part == Part::Findings {
        let all = found(s);
        let found = all.get(p.finding)?;
        // As it was said last; a finding that is gone, where it was said last.
        let review = s.reviews.iter().find(|r| r.number == found.last)?;
        let at = review.findings.iter().position(|f| *f == found.finding)?;
        Traced::Finding { review: review.number, at }
    } else if diff {
        let doc = p.doc.as_ref()?;
        let row = line(doc, p.cursor)?;
        let old = row.kind != Kind::Came;
        let line = if old { row.old } else { row.new };
        Traced::Line { label: doc.label(row), line, old, text: doc.text(row).to_string() }
    } else {
        return None;
    };
    Some(Trace { from: Some(p.stood()), ..Trace::new(p.id.clone(), of) })
}

/// The line of a row; of the head of a change that is decided on, the line that came, or that went.
fn line(doc: &Doc, at: usize) -> Option<&Row> {
    let row = doc.rows.get(at)?;
    match row.kind {
        Kind::Same | Kind::Gone | Kind::Came => Some(row),
        Kind::Gate => {
            let change = doc.rows.get(at..=doc.end(at))?;
            let first = |kind| change.iter().find(|r| r.kind == kind);
            first(Kind::Came).or_else(|| first(Kind::Gone))
        }
        Kind::File | Kind::Head | Kind::Note => None,
    }
}

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let page = model.layout.scrolls.get(&Pane::Trace).map_or(1, |s| (s.height / 3).max(1));
    let Some(Screen::Trace(trace)) = model.screens.last_mut() else { return Vec::new() };
    if let Some(by) = steps(action, page) {
        let last = trace.steps().len().saturating_sub(1);
        trace.selected = trace.selected.saturating_add_signed(by).min(last);
        return Vec::new();
    }
    match action {
        Action::Back => leave(model),
        Action::Open => enter(model),
        _ => Vec::new(),
    }
}

/// A click selects, a second one enters.
pub fn press(model: &mut Model, n: usize) -> Vec<Cmd> {
    let Some(Screen::Trace(trace)) = model.screens.last_mut() else { return Vec::new() };
    if trace.selected == n {
        return enter(model);
    }
    trace.selected = n.min(trace.steps().len().saturating_sub(1));
    Vec::new()
}

pub fn tell(model: &mut Model, tell: &Tell) {
    let Tell::Trace { id, of, steps, why } = tell else { return };
    for screen in &mut model.screens {
        if let Screen::Trace(trace) = screen
            && trace.id == *id
            && trace.of == *of
            && trace.steps.is_none()
        {
            trace.take(steps.clone(), why.clone());
        }
    }
}

fn enter(model: &mut Model) -> Vec<Cmd> {
    let Some(Screen::Trace(trace)) = model.screens.last_mut() else { return Vec::new() };
    let Some(goal) = trace.steps().get(trace.selected).map(|step| step.goal.clone()) else {
        return Vec::new();
    };
    let id = trace.id.clone();
    trace.led_away |= matches!(goal, Some(Goal::Diff { .. }));
    match goal {
        Some(Goal::File { id, file, line }) => open::file(model, &id, &file, Some(line as usize)),
        Some(Goal::Diff { label, line }) => pipeline::show_at(model, &id, Place { label, line }),
        Some(Goal::Session { id }) => open::session(model, &id),
        None => {
            let text = model.lang().pick("this step leads nowhere", "этот шаг никуда не ведёт");
            model.say(text, Role::Muted);
            Vec::new()
        }
    }
}

/// Back to the screen the trace was opened on, which stands where it stood, wherever in the diff the steps have led.
fn leave(model: &mut Model) -> Vec<Cmd> {
    let stood = match model.screens.last_mut() {
        Some(Screen::Trace(trace)) if trace.led_away => trace.from.take(),
        _ => None,
    };
    let mut cmds = open::back(model);
    if let (Some(stood), Some(Screen::Pipeline(p))) = (stood, model.screens.last_mut()) {
        p.stand(stood);
        cmds.extend(pipeline::sync(model));
    }
    cmds
}

/// Leaving the pipeline that a step led to: the trace is in front again, and the pipeline behind it, where it was.
pub fn return_to(model: &mut Model) -> bool {
    let n = model.screens.len();
    let back = match &model.screens[..] {
        [.., Screen::Trace(trace), Screen::Pipeline(p)] => trace.from.is_some() && trace.id == p.id,
        _ => false,
    };
    if back {
        model.screens.swap(n - 1, n - 2);
    }
    back
}
