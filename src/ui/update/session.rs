//! What a session's screen does with an action.

use super::{ask_first, copy_path, open, pipeline, scroll};
use crate::domain::effect::Call;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::shown;
use crate::domain::session::state::ReportState;
use crate::engine::run::Command;
use crate::engine::wire::{Ask, Owner};
use crate::ui::action::{Action, Context};
use crate::ui::model::deck::slug;
use crate::ui::model::lanes::lane_of_call;
use crate::ui::model::menu::{Kind, Menu};
use crate::ui::model::reader::Reader;
use crate::ui::model::reply::Target;
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::theme::Role;
use crate::ui::view::layout::Pane;

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(Screen::Session(shown)) = model.screens.last() else { return Vec::new() };
    let (id, lane) = (shown.id.clone(), shown.lane);
    let lanes = model.watched.get(&id).map_or(1, |w| w.session().peers().len() + 1);
    match action {
        Action::NextLane => lane_to(model, (lane + 1) % lanes),
        Action::PreviousLane => lane_to(model, (lane + lanes - 1) % lanes),
        Action::Zoom => {
            if let Some(Screen::Session(shown)) = model.screens.last_mut() {
                shown.zoom = !shown.zoom;
            }
            Vec::new()
        }
        Action::Back => open::back(model),
        Action::Answer => answer(model, &id),
        Action::Direct => speak(model, &id, Target::Direct),
        Action::CutIn => cut_in(model, &id),
        Action::Stderr => stderr(model, &id, lane),
        Action::Pause => pause(model, &id),
        Action::Interrupt => interrupt(model, &id),
        Action::Finalize => finalize(model, &id),
        Action::TurnFiles => {
            model.layout.scrolls.remove(&Pane::Menu);
            model.overlays.push(Overlay::Menu(Menu::new(Kind::Files(id), Context::Session)));
            Vec::new()
        }
        Action::Reports => report(model, &id),
        Action::Replay => open::replay(model, &id),
        Action::Pipeline => pipeline::show_any(model, &id),
        Action::CopyPath => copy_path(model, &id, None),
        _ => {
            scroll(model, Pane::Lane(id, lane), action);
            Vec::new()
        }
    }
}

/// The report, or its draft.
pub fn report(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let known = model.watched.get(id).map(|w| &w.session().report);
    if known == Some(&ReportState::None) {
        let text = "no report yet: it is written when the session is over";
        let text = model.lang().pick(text, "отчёта ещё нет: его пишут, когда сессия закончена");
        model.say(text, Role::Muted);
        return Vec::new();
    }
    let draft = matches!(known, Some(ReportState::Draft { .. }));
    open::report(model, id, if draft { "report-draft.md" } else { "report.md" }, 1, &[])
}

/// Pauses a running session, lets a standing one go on.
pub fn pause(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    // A session whose folder was away is in view before it is in the deck again.
    let unfinished = |phase: &str| phase == "finalize";
    let watched = model.watched.get(id);
    let seen =
        watched.map(|w| (w.view.owner, w.session().meta.status, false, unfinished(shown(w.session()))));
    let row = model.deck.row(id).map(|row| (row.owner, row.status, row.foreign, unfinished(&row.phase)));
    let Some((owner, status, foreign, unfinished)) = row.or(seen) else { return Vec::new() };
    let lang = model.lang();
    let go_on = || {
        let ask = Ask::Resume { id: id.clone(), yes: false };
        (lang.pick("going on", "продолжаем"), Some(Cmd::ask(ask)))
    };
    let (text, cmd) = match (owner, status) {
        _ if foreign => {
            (lang.pick("it belongs to another program", "она принадлежит другой программе"), None)
        }
        (Owner::Other { .. }, _) => (
            lang.pick(
                "another process drives it; read only here",
                "её ведёт другой процесс; здесь только чтение",
            ),
            None,
        ),
        (Owner::Here, _) => (
            lang.pick("pausing; the running call counts nothing", "пауза; идущий вызов не засчитывается"),
            Some(Cmd::command(id, Command::Pause)),
        ),
        (Owner::Nobody, Status::Started) => go_on(),
        // A closing that was cut off is finished like anything else.
        (Owner::Nobody, Status::Completed) if unfinished => go_on(),
        (Owner::Nobody, Status::Interrupted) => {
            let text = lang.pick("Take up the interrupted session again?", "Продолжить прерванную сессию?");
            return ask_first(model, text, vec![Cmd::ask(Ask::Resume { id: id.clone(), yes: true })]);
        }
        (Owner::Nobody, Status::Completed) => (lang.pick("it is closed", "она закрыта"), None),
    };
    model.say(format!("{}: {text}", slug(id)), Role::Muted);
    cmd.into_iter().collect()
}

fn lane_to(model: &mut Model, lane: usize) -> Vec<Cmd> {
    if let Some(Screen::Session(shown)) = model.screens.last_mut() {
        shown.lane = lane;
    }
    Vec::new()
}

fn answer(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let row = model.deck.row(id).map(|r| r.questions.clone()).unwrap_or_default();
    let here = model.watched.get(id).map(|w| w.view.questions.clone()).unwrap_or_default();
    match here.iter().chain(&row).find(|q| !model.is_sent(id, &q.id)) {
        Some(question) => open::question(model, id, question),
        None => {
            let text = model.lang().pick("nothing waits for you here", "здесь ничего не ждёт тебя");
            model.say(text, Role::Muted);
            Vec::new()
        }
    }
}

/// What the lane's call prints on stderr now, or what its last one did.
fn stderr(model: &mut Model, id: &SessionId, lane: usize) -> Vec<Cmd> {
    let Some(w) = model.watched.get(id) else { return Vec::new() };
    let s = w.session();
    let of_lane = |call: &Call| lane_of_call(s, call.vendor.as_deref()) == lane;
    let running = w.call.as_ref().filter(|run| of_lane(&run.call)).map(|run| run.stderr.clone());
    let failed = s.notes.failed_call.as_ref().filter(|f| of_lane(&f.call)).map(|f| f.stderr.clone());
    let ended = w.ended.values().find(|e| of_lane(&e.call)).and_then(|e| e.call.name.as_ref());
    let file = ended.filter(|_| lane > 0).map(|name| format!("{}.err", name.stem()));
    match (running.or(failed), file) {
        (None, Some(file)) => open::file(model, id, &file, None),
        (text, _) => {
            model.layout.scrolls.remove(&Pane::Reader);
            model.overlays.push(Overlay::Reader(Reader::text("stderr", Some(text.unwrap_or_default()))));
            Vec::new()
        }
    }
}

/// Words for the call that runs; where none does, for the writer.
fn cut_in(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let Some(w) = model.watched.get(id) else { return Vec::new() };
    if let Owner::Other { pid } = w.view.owner {
        let text = match model.lang() {
            Lang::En => format!("process {pid} drives it; a call is stopped there"),
            Lang::Ru => format!("её ведёт процесс {pid}; вызов останавливают там"),
        };
        model.say(text, Role::Muted);
        return Vec::new();
    }
    let target = w.call.as_ref().map_or(Target::Direct, |run| Target::CutIn(Box::new(run.call.clone())));
    speak(model, id, target)
}

fn speak(model: &mut Model, id: &SessionId, target: Target) -> Vec<Cmd> {
    let status = model.watched.get(id).map(|w| w.session().meta.status);
    if status == Some(Status::Started) {
        open::over(model, id, target);
    } else {
        let text = model.lang().pick("the session does not run", "сессия не идёт");
        model.say(text, Role::Muted);
    }
    Vec::new()
}

fn interrupt(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let text = match model.lang() {
        Lang::En => {
            format!("Interrupt {}? What was said is kept; it can be resumed or finalized later.", slug(id))
        }
        Lang::Ru => {
            format!("Прервать {}? Сказанное сохранится; позже можно продолжить или финализировать.", slug(id))
        }
    };
    ask_first(model, text, vec![Cmd::command(id, Command::Interrupt)])
}

fn finalize(model: &mut Model, id: &SessionId) -> Vec<Cmd> {
    let text = match model.lang() {
        Lang::En => format!("Write the report of {} and close it without further rounds?", slug(id)),
        Lang::Ru => format!("Написать отчёт {} и закрыть без новых раундов?", slug(id)),
    };
    ask_first(model, text, vec![Cmd::ask(Ask::Finalize { id: id.clone() })])
}
