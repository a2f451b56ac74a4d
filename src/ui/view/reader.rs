//! A text over the screen, with its line numbers where it is a file.

use super::draw::Canvas;
use super::layout::{Breaks, Hit, Pane};
use crate::ui::model::reader::Reader;
use crate::ui::text::{one_line, wrap};
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use std::rc::Rc;

pub fn draw(reader: &Reader, canvas: &mut Canvas, area: Rect) {
    canvas.clear(area);
    canvas.rule(Rect { height: 1, ..area });
    let title = format!(" {} ", one_line(&reader.title, usize::from(area.width).saturating_sub(6)));
    canvas.text(
        Rect { x: area.x + 2, width: area.width.saturating_sub(2), height: 1, ..area },
        &title,
        canvas.style(Role::Focus),
    );
    let body = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2).max(1),
        height: area.height.saturating_sub(1),
    };
    let Some(text) = &reader.text else {
        return canvas.text(body, canvas.lang().pick("reading …", "читаем …"), canvas.style(Role::Muted));
    };
    if text.trim().is_empty() {
        let nothing = canvas.lang().pick("nothing is in it", "здесь пусто");
        return canvas.text(body, nothing, canvas.style(Role::Muted));
    }
    let lines: Rc<Vec<String>> = match &reader.file {
        Some((id, file)) => {
            canvas.layout.wraps.whole(id, &format!("file {file}"), text, (body.width, Breaks::Lines))
        }
        None => Rc::new(hanging(text.trim_end(), usize::from(body.width))),
    };
    canvas.hit(body, Hit::Pane(Pane::Reader));
    let fresh = !canvas.layout.scrolls.contains_key(&Pane::Reader);
    let scroll = canvas.layout.scroll(Pane::Reader);
    scroll.fit_blocks(&[lines.as_slice()], body.width, usize::from(body.height));
    let marked = reader.line.map(|line| wrapped_at(text, line, body.width));
    if let Some(at) = marked.filter(|_| fresh) {
        scroll.top = at.saturating_sub(usize::from(body.height) / 3);
        scroll.fit(lines.len(), usize::from(body.height));
    }
    let (top, below) = (scroll.top, scroll.below());
    for (n, line) in lines.iter().enumerate().skip(top).take(usize::from(body.height)) {
        let at = Rect { y: body.y + (n - top) as u16, height: 1, ..body };
        let role = if line.starts_with('#') { Role::Focus } else { Role::Text };
        canvas.text(at, line, canvas.style(role));
        if marked == Some(n) {
            canvas.paint(at, canvas.style(Role::Selection));
        }
    }
    canvas.more(body, below, false);
}

/// Lines of a report: what does not fit goes on further in than its line began, so that labels stand out.
fn hanging(text: &str, width: usize) -> Vec<String> {
    const IN: usize = 4;
    let line = |line: &str| {
        let lead = (line.len() - line.trim_start_matches(' ').len()).min(width / 3);
        if lead + IN >= width {
            return wrap(line, width);
        }
        let parts = wrap(line.trim_start_matches(' '), width - lead - IN).into_iter().enumerate();
        parts
            .map(|(n, part)| format!("{}{part}", " ".repeat(if n == 0 { lead } else { lead + IN })))
            .collect()
    };
    text.lines().flat_map(line).collect()
}

/// The wrapped line with which a line of the text begins.
fn wrapped_at(text: &str, line: usize, width: u16) -> usize {
    let before = text.lines().take(line.saturating_sub(1));
    before.map(|l| wrap(l, usize::from(width)).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_hangs() {
        let lines = hanging("label   one two three\n  in     four five\n", 16);
        assert_eq!(lines, ["label   one", "    two three", "  in", "      four five"]);
        assert!(hanging("a b c d e f", 3).iter().all(|l| l.len() <= 3));
    }
}
