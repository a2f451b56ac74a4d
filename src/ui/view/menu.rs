//! A list to choose from, over the screen: palette, help, files.

use super::draw::{Canvas, centred, column, safe};
use super::layout::{Hit, Pane};
use crate::ui::model::Model;
use crate::ui::model::menu::{Item, Kind, Menu};
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// From this width on the actions' names have a column.
const NAMED: u16 = 60;
const NAME: usize = 17;

/// Lines for what the selected action does.
const WORDS: usize = 2;

pub fn draw(model: &Model, menu: &Menu, canvas: &mut Canvas, area: Rect) {
    let items = menu.items(model);
    let wanted =
        if menu.kind == Kind::Help { area.height } else { (items.len() as u16 + 3 + WORDS as u16).max(8) };
    let place = centred(area, 96, wanted);
    canvas.clear(place);
    canvas.sides(place, area);
    let lang = canvas.lang();
    let title = match &menu.kind {
        Kind::Help => lang.pick("keys", "клавиши"),
        Kind::Palette => lang.pick("run", "выполнить"),
        Kind::Files(_) => lang.pick("files", "файлы"),
    };
    canvas.rule(Rect { height: 1, ..place });
    canvas.text(
        Rect { x: place.x + 2, width: place.width.saturating_sub(2), height: 1, ..place },
        &format!(" {title} "),
        canvas.style(Role::Focus),
    );
    let second = Rect { x: place.x + 1, y: place.y + 1, width: place.width.saturating_sub(2), height: 1 };
    query(menu, canvas, second);
    let list = Rect {
        x: place.x + 1,
        y: place.y + 2,
        width: place.width.saturating_sub(2),
        height: place.height.saturating_sub(3),
    };
    let (list, words) = explained(menu, &items, list);
    for (n, line) in words.iter().enumerate() {
        let at = Rect { y: list.bottom() + n as u16, height: 1, ..list };
        canvas.text(at, line, canvas.style(Role::Text));
    }
    canvas.rule(Rect { y: place.bottom() - 1, height: 1, ..place });
    canvas.hit(list, Hit::Pane(Pane::Menu));
    let scroll = canvas.layout.scroll(Pane::Menu);
    scroll.fit(items.len(), usize::from(list.height));
    scroll.show(menu.selected);
    let (top, below) = (scroll.top, scroll.below());
    if items.is_empty() {
        canvas.text(list, lang.pick("nothing fits", "ничего не подходит"), canvas.style(Role::Muted));
    }
    // A narrow list keeps what each key does, and the name stands below.
    let names = usize::from(list.width >= NAMED) * NAME;
    let keys = items.iter().map(|i| i.keys.width()).max().unwrap_or(0).min(usize::from(list.width) / 5);
    for (n, item) in items.iter().enumerate().skip(top).take(usize::from(list.height)) {
        let at = Rect { y: list.y + (n - top) as u16, height: 1, ..list };
        let role = if item.here { Role::Text } else { Role::Muted };
        let mut spans = vec![Span::raw(" ")];
        if keys > 0 {
            spans.push(Span::styled(column(&item.keys, keys), canvas.style(Role::Focus)));
            spans.push(Span::raw("  "));
        }
        let name = if matches!(menu.kind, Kind::Files(_)) {
            usize::from(list.width).saturating_sub(2)
        } else {
            names
        };
        spans.push(Span::styled(column(&item.name, name), canvas.style(role)));
        let gap = usize::from(name > 0);
        let rest = usize::from(list.width).saturating_sub(keys + 3 + name + gap);
        if rest > 4 {
            spans.push(Span::raw(" ".repeat(gap)));
            spans.push(safe(&item.detail, rest, canvas.style(Role::Muted)));
        }
        canvas.line(at, Line::from(spans));
        if n == menu.selected {
            canvas.paint(at, canvas.style(Role::Selection));
        }
        canvas.hit(at, Hit::Line(n));
    }
    canvas.more(list, below, false);
}

/// The list, and below it what the selected action does in full: a line of the list has no room for it.
fn explained(menu: &Menu, items: &[Item], list: Rect) -> (Rect, Vec<String>) {
    let item = match menu.kind {
        Kind::Files(_) => None,
        Kind::Help | Kind::Palette => items.get(menu.selected),
    };
    let Some(item) = item else { return (list, Vec::new()) };
    let text = format!("{}: {} · {}", item.name, item.detail, item.keys.replace("  ", ", "));
    let mut words = wrap(text.trim_end_matches([' ', '·']), usize::from(list.width));
    words.truncate(WORDS);
    // The height does not change with the selection, or the list would jump.
    (Rect { height: list.height.saturating_sub(WORDS as u16), ..list }, words)
}

fn query(menu: &Menu, canvas: &mut Canvas, area: Rect) {
    let text = safe(&menu.query, usize::from(area.width).saturating_sub(3), canvas.style(Role::Text));
    let x = area.x + 2 + text.width() as u16;
    let hint = if menu.query.is_empty() {
        canvas.lang().pick("type to narrow", "печатай, чтобы сузить")
    } else {
        ""
    };
    let spans = vec![
        Span::styled("› ", canvas.style(Role::Focus)),
        text,
        Span::styled(hint, canvas.style(Role::Muted)),
    ];
    canvas.line(area, Line::from(spans));
    canvas.frame.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
}
