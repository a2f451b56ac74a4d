//! The few ways to put something on the screen. Text that others wrote comes through [`crate::ui::text`] before it gets
//! here.

use super::layout::{Hit, Layout, Pane};
use crate::domain::lang::Lang;
use crate::ui::model::Clock;
use crate::ui::settings::Look;
use crate::ui::text::{is_simple, one_line};
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;
use tui_textarea::TextArea;
use unicode_width::UnicodeWidthStr;

/// The frame with what drawing needs.
pub struct Canvas<'a, 'b> {
    pub frame: &'a mut Frame<'b>,
    pub layout: &'a mut Layout,
    pub look: &'a Look,
    pub clock: Clock,
}

impl Canvas<'_, '_> {
    pub fn style(&self, role: Role) -> Style {
        self.look.theme.of(role)
    }

    pub fn lang(&self) -> Lang {
        self.look.lang
    }

    /// One line in one style, cut at the end of its area.
    pub fn text(&mut self, area: Rect, text: &str, style: Style) {
        self.line(area, Line::styled(text, style));
    }

    pub fn line(&mut self, area: Rect, line: Line) {
        let area = Rect { height: area.height.min(1), ..area }.intersection(self.frame.area());
        if area.is_empty() {
            return;
        }
        if line.alignment.is_none() && line.spans.iter().all(|span| is_simple(&span.content)) {
            letters(self.frame.buffer_mut(), area, &line);
        } else {
            self.frame.render_widget(line, area);
        }
    }

    /// Left and right on one line; the right part is whole, the left one gives way.
    pub fn ends(&mut self, area: Rect, left: Line, right: Line) {
        let wide = (right.width() as u16).min(area.width);
        let rest = area.width.saturating_sub(wide + u16::from(wide > 0));
        self.line(Rect { width: rest, ..area }, left);
        self.line(Rect { x: area.right() - wide, width: wide, ..area }, right);
    }

    /// A thin line between two areas.
    pub fn rule(&mut self, area: Rect) {
        let text = "─".repeat(usize::from(area.width));
        self.text(area, &text, self.style(Role::Border));
    }

    pub fn clear(&mut self, area: Rect) {
        self.frame.render_widget(Clear, area);
    }

    /// Lines at both sides of something that lies over a screen, where the two would run together.
    pub fn sides(&mut self, place: Rect, screen: Rect) {
        if place.width == screen.width {
            return;
        }
        for y in place.y..place.bottom() {
            for x in [place.x.saturating_sub(1), place.right().min(screen.right().saturating_sub(1))] {
                self.text(Rect { x, y, width: 1, height: 1 }, "│", self.style(Role::Border));
            }
        }
    }

    /// Paints an area in a style without touching its text.
    pub fn paint(&mut self, area: Rect, style: Style) {
        self.frame.buffer_mut().set_style(area, style);
    }

    pub fn hit(&mut self, area: Rect, hit: Hit) {
        self.layout.hits.push((area, hit));
    }

    /// Lines that scroll; returns the number of the first one shown.
    pub fn scrolled(&mut self, area: Rect, pane: Pane, lines: &[Line]) {
        self.hit(area, Hit::Pane(pane.clone()));
        let scroll = self.layout.scroll(pane);
        scroll.fit(lines.len(), usize::from(area.height));
        let (top, below) = (scroll.top, scroll.below());
        for (n, line) in lines.iter().skip(top).take(usize::from(area.height)).enumerate() {
            self.line(Rect { y: area.y + n as u16, height: 1, ..area }, line.clone());
        }
        self.more(area, below, false);
    }

    /// How much stands below, in the last line of an area.
    pub fn more(&mut self, area: Rect, below: usize, new: bool) {
        if below == 0 || area.height == 0 {
            return;
        }
        let word =
            if new { self.lang().pick("new", "новых") } else { self.lang().pick("more", "ещё") };
        let text = format!(" ↓ {below} {word} ");
        let wide = (text.width() as u16).min(area.width);
        let at = Rect { x: area.right() - wide, y: area.bottom() - 1, width: wide, height: 1 };
        let role = if new { Role::Running } else { Role::Muted };
        self.clear(at);
        self.text(at, &text, self.style(role));
    }

    /// An editor. The terminal's own cursor stands where the text goes on: input methods and screen readers follow it.
    pub fn editor(&mut self, area: Rect, editor: &TextArea<'static>, focused: bool, hint: &str) {
        if area.width == 0 || area.height == 0 {
            return;
        }
        let mut shown = editor.clone();
        shown.set_style(self.style(Role::Text));
        shown.set_cursor_style(Style::new());
        self.frame.render_widget(&shown, area);
        // Where the text will begin: the editor's own placeholder stands a column beside it.
        if editor.is_empty() {
            self.text(
                Rect { height: 1, ..area },
                &one_line(hint, usize::from(area.width)),
                self.style(Role::Muted),
            );
        }
        if focused {
            let (at, (top, left)) = (shown.screen_cursor(), shown.scroll_offset());
            let x = area.x + (at.col as u16).saturating_sub(left).min(area.width - 1);
            let y = area.y + (at.row as u16).saturating_sub(top).min(area.height - 1);
            self.frame.set_cursor_position((x, y));
        }
    }

    /// The sign of something that runs: it moves only where motion is on.
    pub fn spinner(&self) -> &'static str {
        const FRAMES: [&str; 8] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"];
        if !self.look.motion {
            return "✎";
        }
        FRAMES[(self.clock.at.as_millis() / 100) as usize % FRAMES.len()]
    }
}

/// What ratatui would draw, without looking for graphemes: that is most of what a frame costs.
fn letters(buffer: &mut Buffer, area: Rect, line: &Line) {
    buffer.set_style(area, line.style);
    let letters = line.spans.iter().flat_map(|span| span.content.chars().map(|c| (c, span.style)));
    let row = buffer.index_of(area.x, area.y);
    for (cell, (letter, style)) in buffer.content[row..][..usize::from(area.width)].iter_mut().zip(letters) {
        cell.set_char(letter).set_style(style);
    }
}

/// A span of agent or file text: safe, and on one line of at most so many columns.
pub fn safe(text: &str, width: usize, style: Style) -> Span<'static> {
    // Cutting first keeps a monster line cheap: one column needs at most a few dozen bytes.
    let head = &text[..text.floor_char_boundary(width.saturating_mul(32).max(256))];
    Span::styled(one_line(head, width), style)
}

/// A text in exactly so many columns.
pub fn column(text: &str, width: usize) -> String {
    let mut out = one_line(text, width);
    out.push_str(&" ".repeat(width.saturating_sub(out.width())));
    out
}

/// `text` in the middle of a box of at most this size.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Modifier};
    use ratatui::widgets::Widget;

    #[test]
    fn letters_are_drawn_as_ratatui_draws_them() {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let red = Style::new().fg(Color::Red).bg(Color::Blue);
        let line = Line::from(vec![
            Span::raw("ab"),
            Span::styled("— кэш │", red),
            Span::styled("", bold),
            "x".into(),
        ]);
        for line in [line.clone(), line.style(bold), Line::default()] {
            for width in 0..14 {
                let mut ours = Buffer::filled(Rect::new(3, 1, 12, 2), 'z'.into());
                ours.set_style(ours.area, Style::new().bg(Color::Green));
                let mut theirs = ours.clone();
                let area = Rect { x: 4, y: 2, width, height: 1 }.intersection(ours.area);
                letters(&mut ours, area, &line);
                line.clone().render(area, &mut theirs);
                assert_eq!(ours, theirs, "{width}");
            }
        }
    }
}
