//! The reading screens (report, library, replay) know nothing of keys and of the shell; here both meet.

use super::open;
use crate::engine::wire::Tell;
use crate::ui::action::Action;
use crate::ui::model::part::{Input, Out};
use crate::ui::model::{Model, Screen};
use crate::ui::msg::Cmd;
use crate::ui::theme::Role;

/// What a reading screen does with an action.
pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let input = match action {
        Action::Down => Input::Down,
        Action::Up => Input::Up,
        Action::PageDown => Input::PageDown,
        Action::PageUp => Input::PageUp,
        Action::First => Input::First,
        Action::Last => Input::Last,
        Action::StepBack => Input::Left,
        Action::StepOn => Input::Right,
        Action::Open | Action::FollowLink => Input::Enter,
        Action::NextLink | Action::Facets => Input::Tab,
        Action::PreviousLink => Input::BackTab,
        Action::Play | Action::Fold => Input::Char(' '),
        Action::FoldAll => Input::Char('z'),
        Action::NextMark | Action::NextNew => Input::Char('n'),
        Action::PreviousMark => Input::Char('N'),
        Action::Outline => Input::Char('o'),
        Action::Verify => Input::Char('v'),
        Action::CopyPath => Input::Char('y'),
        // In a report, back leads through the files that links opened before it leaves.
        Action::Back if stacked(model) => Input::Char('b'),
        Action::Back => Input::Back,
        _ => return Vec::new(),
    };
    give(model, input)
}

/// Gives the front screen an input, with the time where it keeps one.
pub fn give(model: &mut Model, input: Input<'_>) -> Vec<Cmd> {
    let at = model.clock.at;
    let outs = match model.screens.last_mut() {
        Some(Screen::Report(report)) => report.update(input),
        Some(Screen::Library(library)) => library.update(input),
        Some(Screen::Replay(replay)) => {
            replay.update(Input::Tick(at));
            replay.update(input)
        }
        _ => Vec::new(),
    };
    self::outs(model, outs)
}

/// What the engine says reaches every reading screen, also those below.
pub fn tell(model: &mut Model, tell: &Tell) -> Vec<Cmd> {
    let mut all = Vec::new();
    for screen in &mut model.screens {
        all.extend(match screen {
            Screen::Report(report) => report.update(Input::Tell(tell)),
            Screen::Library(library) => library.update(Input::Tell(tell)),
            Screen::Replay(replay) => replay.update(Input::Tell(tell)),
            _ => Vec::new(),
        });
    }
    outs(model, all)
}

/// Does what a reading screen wants done.
pub fn outs(model: &mut Model, outs: Vec<Out>) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    for out in outs {
        match out {
            Out::Ask(ask) => cmds.push(Cmd::Ask(ask)),
            Out::Copy(text) => {
                let said = model.lang().pick(
                    "sent to the terminal, which may refuse to copy:",
                    "отправлено терминалу, он может отказать в копировании:",
                );
                model.say(format!("{said} {text}"), Role::Muted);
                cmds.push(Cmd::Copy(text));
            }
            Out::Open { id, file, line } => {
                let words = match model.screens.last() {
                    Some(Screen::Library(library)) => library.words(),
                    _ => Vec::new(),
                };
                cmds.extend(open::report(model, &id, &file, line, &words));
            }
            Out::Close => cmds.extend(open::back(model)),
        }
    }
    cmds
}

fn stacked(model: &Model) -> bool {
    use crate::ui::model::report::Panel;
    matches!(model.screens.last(), Some(Screen::Report(r)) if r.has_back() && r.panel == Panel::None)
}
