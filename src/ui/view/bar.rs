//! The first and the last line of every screen: where one is and what waits; what works here.

mod works;

use super::draw::{Canvas, safe};
use super::layout::Hit;
use crate::ui::action::{ACTIONS, Action, Context, entry};
use crate::ui::model::Model;
use crate::ui::overlay::Overlay;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;
use works::{goes_on, works};

/// Title at the left, the number that waits at the right, always (ui.md rule 1).
pub fn top(model: &Model, canvas: &mut Canvas, area: Rect, title: Vec<Span<'static>>) {
    let right = waiting(model, canvas, area.width < 60);
    let mut left = vec![Span::raw(" ")];
    left.extend(title);
    canvas.hit(
        Rect {
            x: area.right().saturating_sub(right.width() as u16),
            width: right.width() as u16,
            height: 1,
            ..area
        },
        Hit::Action(Action::NextQuestion),
    );
    canvas.ends(Rect { height: 1, ..area }, Line::from(left), right);
}

/// The number that waits, in its colour.
pub fn waiting(model: &Model, canvas: &Canvas, short: bool) -> Line<'static> {
    let (count, oldest) = model.waiting();
    let text = words::waiting(count, oldest, model.clock.now, model.lang(), short);
    let role = if count > 0 { Role::Waiting } else { Role::Muted };
    let shape = if count > 0 { "! " } else { "" };
    Line::styled(format!("{shape}{text} "), canvas.style(role))
}

/// The keys that work here; what just happened stands before them, and leaves room for help and for sending an answer.
pub fn bottom(model: &Model, canvas: &mut Canvas, area: Rect) {
    canvas.clear(area);
    if matches!(model.overlays.last(), Some(Overlay::Filter)) {
        return filter(model, canvas, area);
    }
    if let Some(bye) = &model.engine.bye {
        let text = model.lang().pick("the engine ended:", "движок завершился:");
        let line = safe(&format!(" {text} {bye}"), usize::from(area.width), canvas.style(Role::Failed));
        return canvas.line(area, line.into());
    }
    let mut rest = area;
    if let Some(toast) = &model.toast {
        let wide = |action| Button::new(model, action).map_or(0, |button| button.width() + 3);
        let sends = works(model, Action::Send);
        let kept = wide(Action::Help) + if sends { wide(Action::Send) } else { 0 };
        let room = usize::from(area.width.saturating_sub(2 + kept));
        let line = safe(&toast.text, room, canvas.style(toast.role));
        let wide = (line.width() as u16 + 2).min(area.width);
        rest = Rect { x: area.x + wide, width: area.width - wide, ..area };
        canvas.line(area, Line::from(vec![Span::raw(" "), line]));
    }
    if !model.typed.is_empty() {
        let keys: Vec<String> = model.typed.iter().map(ToString::to_string).collect();
        return canvas.text(rest, &format!(" {} …", keys.join(" ")), canvas.style(Role::Focus));
    }
    keys(model, canvas, rest);
}

fn filter(model: &Model, canvas: &mut Canvas, area: Rect) {
    let label = format!(" {}: ", model.lang().pick("filter", "фильтр"));
    let room = usize::from(area.width).saturating_sub(label.width() + 1);
    let query = safe(&model.deck.filter, room, canvas.style(Role::Text));
    let x = area.x + (label.width() + query.width()) as u16;
    canvas.line(area, Line::from(vec![Span::styled(label, canvas.style(Role::Focus)), query]));
    canvas.frame.set_cursor_position((x.min(area.right() - 1), area.y));
}

/// What the footer offers before everything else, where the order of the table would leave it out on 80 columns.
fn first(context: Context) -> &'static [Action] {
    use Action::*;
    match context {
        Context::Session => {
            &[Answer, CutIn, Pause, Direct, Pipeline, Reports, NextLane, TurnFiles, Trace, Replay, Zoom]
        }
        Context::Pipeline => &[Approve, Reject, Retry, Escalate, Answer, Comment, Trace, NextPart, Open],
        Context::Replay => &[StepBack, StepOn, Play, NextNew, Open],
        Context::Report => &[FollowLink, NextLink, NextMark, Outline, Fold, Verify, Trace, CopyPath, Back],
        _ => &[],
    }
}

/// A button of the footer.
struct Button {
    key: String,
    short: &'static str,
    action: Action,
}

impl Button {
    /// `None` for what has no key here, or no word for the footer.
    fn new(model: &Model, action: Action) -> Option<Button> {
        let short = match action {
            // The same key lets a standing session go on; what it does now is what is said.
            Action::Pause if goes_on(model) => model.lang().pick("go on", "продолжить"),
            _ => entry(action).short(model.lang()),
        };
        let key = model.look.keymap.shown(model.context(), action, model.types())?;
        (!short.is_empty()).then_some(Button { key, short, action })
    }

    fn width(&self) -> u16 {
        (self.key.width() + 1 + self.short.width()) as u16
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) {
        let spans = vec![
            Span::styled(self.key.clone(), canvas.style(Role::Focus)),
            Span::styled(format!(" {}", self.short), canvas.style(Role::Muted)),
        ];
        canvas.line(area, Line::from(spans));
        canvas.hit(area, Hit::Action(self.action));
    }
}

/// The footer: from the table and the keymap, as much as fits; help is always there.
fn keys(model: &Model, canvas: &mut Canvas, area: Rect) {
    let context = model.context();
    let help = Button::new(model, Action::Help).filter(|_| context != Context::Menu);
    let reserved = help.as_ref().map_or(0, |b| b.width() + 2);
    let (left, end) = (area.x + 1, area.right().saturating_sub(reserved + 1));
    let here = |action: &Action| {
        let contexts = entry(*action).contexts;
        (contexts.contains(&context) || contexts.contains(&Context::Global)) && *action != Action::Help
    };
    let first = first(context).iter().copied();
    let rest = ACTIONS.iter().map(|e| e.action).filter(|a| !self::first(context).contains(a));
    let buttons: Vec<Button> = first
        .chain(rest)
        .filter(|action| here(action) && works(model, *action))
        .filter_map(|action| Button::new(model, action))
        .collect();
    // Closer together rather than one less.
    let all = |gap: u16| buttons.iter().map(|b| b.width() + gap).sum::<u16>().saturating_sub(gap);
    let gap = if all(3) <= end.saturating_sub(left) { 3 } else { 2 };
    let mut x = left;
    for button in &buttons {
        let wide = button.width();
        if x + wide <= end {
            button.draw(canvas, Rect { x, width: wide, ..area });
            x += wide + gap;
        }
    }
    if let Some(help) = help {
        let x = area.right().saturating_sub(help.width() + 1).max(area.x);
        help.draw(canvas, Rect { x, width: help.width().min(area.width), ..area });
    }
}
