//! Whether a key would do something now: the footer offers nothing else.

use crate::domain::session::meta::Status;
use crate::domain::session::phase::shown;
use crate::domain::session::state::ReportState;
use crate::engine::wire::{Owner, Row};
use crate::ui::action::Action;
use crate::ui::model::library::Focus as Side;
use crate::ui::model::pipeline::{self, steps};
use crate::ui::model::reply::{Focus, Reply};
use crate::ui::model::report::{Panel, Report};
use crate::ui::model::watched::Watched;
use crate::ui::model::{Model, Screen};
use crate::ui::overlay::Overlay;

/// The session in front, or the chosen one of the deck, is driven by nobody and could go on. A closing that was cut off
/// counts: its session is completed, and not finished.
pub fn goes_on(model: &Model) -> bool {
    let Some(row) = model.front().and_then(|id| model.deck.row(id)) else { return false };
    row.owner == Owner::Nobody && !row.foreign && !is_over(row)
}

fn is_over(row: &Row) -> bool {
    row.status == Status::Completed && row.phase != "finalize"
}

/// Whether an action would do something now.
pub fn works(model: &Model, action: Action) -> bool {
    match model.overlays.last() {
        Some(Overlay::Reply(reply)) => replies(reply, action),
        // No list lies over a list.
        Some(Overlay::Menu(menu)) => match action {
            Action::Choose => !menu.items(model).is_empty(),
            _ => action == Action::Back,
        },
        Some(Overlay::Reader(reader)) => match action {
            Action::CopyPath => reader.file.is_some(),
            _ => action == Action::Back,
        },
        Some(_) => !matches!(action, Action::Quit | Action::NextQuestion),
        None => screen(model, action),
    }
}

fn screen(model: &Model, action: Action) -> bool {
    match action {
        Action::NextQuestion => return asks_elsewhere(model),
        // Everywhere else one goes back first.
        Action::Quit => return model.screens.is_empty(),
        _ => {}
    }
    match model.screens.last() {
        None => deck(model, action),
        Some(Screen::Session(shown)) => {
            model.watched.get(&shown.id).is_some_and(|w| session(w, action, model))
        }
        // The gate shows its choices with their keys itself.
        Some(Screen::Gate(_)) => {
            !matches!(action, Action::Record | Action::Implement | Action::RecordAndClose)
        }
        Some(Screen::Pipeline(p)) => {
            let w = model.watched.get(&p.id);
            w.and_then(|w| pipeline::works(p, w, action, model.size.0)).unwrap_or(true)
        }
        Some(Screen::Trace(trace)) => {
            action != Action::Open || trace.steps().get(trace.selected).is_some_and(|s| s.goal.is_some())
        }
        Some(Screen::Report(report)) => reads(report, action),
        Some(Screen::Library(library)) => match action {
            Action::Open if library.focus == Side::Facets => !library.facets.is_empty(),
            Action::Open => !library.is_empty(),
            _ => true,
        },
        Some(Screen::Replay(replay)) => match action {
            Action::Open => replay.current().is_some_and(|m| m.file.is_some()),
            Action::NextNew => replay.moments.iter().any(|m| replay.is_new(m)),
            Action::StepBack => replay.at > 0,
            Action::StepOn => replay.at + 1 < replay.moments.len(),
            Action::Play => replay.moments.len() > 1,
            _ => true,
        },
        Some(Screen::New(_)) => true,
    }
}

/// Some question waits that Enter does not answer here.
fn asks_elsewhere(model: &Model) -> bool {
    let here = match model.screens.last() {
        Some(Screen::Session(shown)) => Some(&shown.id),
        Some(Screen::Pipeline(p)) => Some(&p.id),
        Some(Screen::Gate(gate)) => Some(&gate.id),
        _ => None,
    };
    model.questions().iter().any(|(id, _)| Some(*id) != here)
}

fn deck(model: &Model, action: Action) -> bool {
    let row = model.deck.chosen();
    match action {
        Action::Open => row.is_some(),
        Action::Pause => row.is_some_and(|row| row.owner == Owner::Here || goes_on(model)),
        Action::Reports => row.is_some_and(|row| match model.watched.get(&row.id) {
            Some(w) => w.session().report != ReportState::None,
            None => is_over(row),
        }),
        Action::Filter => !model.deck.rows.is_empty(),
        _ => true,
    }
}

fn session(w: &Watched, action: Action, model: &Model) -> bool {
    let s = w.session();
    let runs = s.meta.status == Status::Started;
    match action {
        // What is answered already is on its way.
        Action::Answer => w.view.questions.iter().any(|q| !model.is_sent(&s.meta.session_id, &q.id)),
        Action::CutIn => w.call.is_some(),
        Action::Direct => runs,
        Action::Pause => w.view.owner == Owner::Here || runs || shown(s) == "finalize" || goes_on(model),
        Action::Pipeline => steps::is_there(s),
        Action::Reports => s.report != ReportState::None,
        Action::NextLane => !s.peers().is_empty(),
        _ => true,
    }
}

fn reads(report: &Report, action: Action) -> bool {
    let document = &report.document;
    match (report.panel, action) {
        (Panel::None, Action::FollowLink | Action::NextLink) => !document.links.is_empty(),
        (Panel::None, Action::Outline | Action::Fold) => !document.headings.is_empty(),
        (Panel::None, Action::NextMark) => !report.marks.is_empty(),
        (Panel::None, Action::Verify) | (Panel::Outline(_), Action::Fold) => true,
        // Enter takes the heading, or leaves what was found.
        (_, Action::FollowLink) => true,
        (Panel::Outline(_) | Panel::Findings(_), Action::Outline | Action::Verify) => true,
        (Panel::Outline(_) | Panel::Findings(_), other) => other == Action::Back,
        _ => true,
    }
}

fn replies(reply: &Reply, action: Action) -> bool {
    let choices = reply.question().is_some_and(|q| !q.choices.is_empty());
    match action {
        Action::SwitchFocus => reply.takes_text() && choices,
        Action::Choose => reply.focus == Focus::Choices,
        Action::Send => reply.focus == Focus::Text,
        Action::Editor => reply.takes_text(),
        Action::ShowTurn => reply.question().is_some(),
        // Over a screen only what the overlay offers is said; the keys work all the same.
        _ => action == Action::Later,
    }
}
