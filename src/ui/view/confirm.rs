//! A yes or no over the screen.

use super::draw::{Canvas, centred};
use super::layout::Hit;
use crate::ui::action::{Action, Context, entry};
use crate::ui::overlay::Confirm;
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub fn draw(confirm: &Confirm, canvas: &mut Canvas, area: Rect) {
    let width = 64.min(area.width);
    let lines = wrap(&confirm.text, usize::from(width.saturating_sub(4)));
    let place = centred(area, width, lines.len() as u16 + 4);
    canvas.clear(place);
    canvas.sides(place, area);
    canvas.rule(Rect { height: 1, ..place });
    canvas.rule(Rect { y: place.bottom() - 1, height: 1, ..place });
    for (n, line) in lines.iter().enumerate() {
        let at = Rect {
            x: place.x + 2,
            y: place.y + 1 + n as u16,
            width: place.width.saturating_sub(4),
            height: 1,
        };
        if at.y < place.bottom() - 1 {
            canvas.text(at, line, canvas.style(Role::Text));
        }
    }
    let mut x = place.x + 2;
    for action in [Action::Yes, Action::No] {
        let key = canvas.look.keymap.keys(Context::Confirm, action).into_iter().next().unwrap_or_default();
        let short = entry(action).short(canvas.lang());
        let wide = (key.chars().count() + short.chars().count() + 1) as u16;
        let at = Rect { x, y: place.bottom().saturating_sub(2), width: wide, height: 1 };
        let spans = vec![
            Span::styled(key, canvas.style(Role::Focus)),
            Span::styled(format!(" {short}"), canvas.style(Role::Text)),
        ];
        canvas.line(at, Line::from(spans));
        canvas.hit(at, Hit::Action(action));
        x += wide + 3;
    }
}
