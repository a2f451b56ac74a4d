//! Rows and columns of the reading screens: putting a line in its place, a head over a list, text cut to its width.

use crate::ui::markdown::clean;
use crate::ui::text::one_line;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What a role looks like.
pub type Look<'a> = &'a dyn Fn(Role) -> Style;

/// The row `n` of an area, if it has so many.
pub fn row(area: Rect, n: usize) -> Option<Rect> {
    let n = u16::try_from(n).ok().filter(|n| *n < area.height)?;
    Some(Rect { y: area.y + n, height: 1, ..area })
}

/// Puts a line on row `n`; below the area there is nothing to put it on.
pub fn put(frame: &mut Frame, area: Rect, n: usize, line: Line<'_>) {
    if let Some(place) = row(area, n).filter(|place| place.width > 0) {
        frame.render_widget(line, place);
    }
}

/// The area without its first and last rows.
pub fn inner(area: Rect, above: u16, below: u16) -> Rect {
    let height = area.height.saturating_sub(above.saturating_add(below));
    Rect { y: area.y.saturating_add(above.min(area.height)), height, ..area }
}

/// A line with something at its left and its right end; the left one gives way.
pub fn head(frame: &mut Frame, area: Rect, n: usize, left: (&str, Style), right: (&str, Style)) {
    let width = area.width as usize;
    let end = one_line(right.0, width / 2);
    let room = width.saturating_sub(end.width() + usize::from(!end.is_empty()));
    let begin = one_line(left.0, room);
    let gap = width.saturating_sub(begin.width() + end.width());
    let line =
        Line::from(vec![Span::styled(begin, left.1), Span::raw(" ".repeat(gap)), Span::styled(end, right.1)]);
    put(frame, area, n, line);
}

/// Stretches of text on one line of at most `width` columns; a cut is shown by `…`.
pub fn fitted(parts: &[(&str, Style)], width: usize) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut used = 0;
    for (n, (text, style)) in parts.iter().enumerate() {
        let mut piece = String::new();
        let text = clean(text).replace('\n', " ");
        let mut letters = text.graphemes(true).peekable();
        while let Some(letter) = letters.next() {
            let more = letters.peek().is_some() || parts[n + 1..].iter().any(|(text, _)| !text.is_empty());
            if used + letter.width() + usize::from(more) > width {
                if used < width {
                    piece.push('…');
                }
                spans.push(Span::styled(piece, *style));
                return Line::from(spans);
            }
            used += letter.width();
            piece.push_str(letter);
        }
        spans.push(Span::styled(piece, *style));
    }
    Line::from(spans)
}

/// A number with its thousands apart: `10 000`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    /// What a screen of this size shows, without colours.
    pub fn screen(width: u16, height: u16, draw: impl Fn(&mut Frame, Rect, Look)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, frame.area(), &|_| Style::default())).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let mut out = String::new();
        for y in 0..height {
            let mut line = String::new();
            let mut x = 0;
            while x < width {
                let symbol = buffer[(x, y)].symbol();
                line.push_str(symbol);
                // The second column of a wide letter is empty.
                x += symbol.width().max(1) as u16;
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    #[test]
    fn ui_numbers_are_readable() {
        assert_eq!(
            [0, 999, 1000, 10_000, 1_234_567].map(thousands),
            ["0", "999", "1 000", "10 000", "1 234 567"]
        );
    }

    proptest! {
        #[test]
        fn ui_nothing_is_wider_than_its_place(a in ".{0,20}", b in "[\u{4e00}-\u{4e20}e\u{301}\u{200d}👩]{0,9}", width in 0usize..20) {
            let line = fitted(&[(&a, Style::default()), (&b, Style::default())], width);
            let drawn: usize =
                line.spans.iter().flat_map(|s| s.content.graphemes(true)).map(UnicodeWidthStr::width).sum();
            prop_assert!(drawn <= width, "{drawn} > {width}: {line:?}");
        }
    }
}
