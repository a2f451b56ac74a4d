use super::*;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::text::Line;
use std::cell::RefCell;
use std::num::NonZero;
use std::rc::Rc;
use unicode_width::UnicodeWidthStr;

/// What was written, to be looked at while the backend holds the other end.
#[derive(Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Ten columns of text, a border, and what stands behind it. The terminal counts each character by itself, as many do:
/// a family is six columns wide there, a flag of ours another number than here.
fn shown(frames: &[&str]) -> Vec<String> {
    let sink = Sink::default();
    let backend = Steady::new(CrosstermBackend::new(sink.clone()));
    let viewport = ratatui::Viewport::Fixed(Rect::new(0, 0, 24, 3));
    let mut terminal = Terminal::with_options(backend, ratatui::TerminalOptions { viewport }).unwrap();
    for text in frames {
        terminal
            .draw(|frame| {
                frame.render_widget(Line::raw(*text), Rect::new(0, 1, 14, 1));
                for y in 0..3 {
                    frame.render_widget(Line::raw("│ beside"), Rect::new(14, y, 10, 1));
                }
            })
            .unwrap();
    }
    let size = |n| NonZero::new(n).unwrap();
    let mut screen = vt100::Parser::new(size(3), size(24), 0);
    screen.process(&sink.0.borrow());
    screen.screen().rows(0, 24).collect()
}

#[test]
fn complaint_11_a_letter_that_the_terminal_counts_otherwise_moves_nothing_on_its_line() {
    for letter in ["👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "👍🏽", "한글", "e\u{301}", "漢", "⌚", "क्‍ष"]
    {
        // Against the border, which the second frame has no reason to draw.
        let pad = " ".repeat(14 - letter.width());
        let rows = shown(&["xxxxxxxxxxxxxx", &format!("{pad}{letter}")]);
        for row in &rows {
            let beside: String = row.chars().skip_while(|c| *c != '│').collect();
            assert_eq!(beside.trim_end(), "│ beside", "{letter} {rows:?}");
        }
        assert!(!rows[1].contains('x'), "{letter} {rows:?}");
    }
}

#[test]
fn complaint_13_nothing_stays_of_a_letter_that_is_gone() {
    for letter in ["👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "👍🏽", "漢👍🏽"] {
        // What stood where the letter came is gone too, though no frame says so of the columns behind its first.
        for before in ["", "xxxxxxxx"] {
            let rows = shown(&[before, &format!("a {letter}"), "", "b"]);
            assert_eq!(rows[1].trim_end(), "b             │ beside", "{letter} {rows:?}");
        }
    }
}

#[test]
fn what_was_cleared_does_not_come_back_with_a_row_that_is_written_whole() {
    let sink = Sink::default();
    let viewport = ratatui::Viewport::Fixed(Rect::new(0, 0, 12, 2));
    let options = ratatui::TerminalOptions { viewport };
    let mut terminal =
        Terminal::with_options(Steady::new(CrosstermBackend::new(sink.clone())), options).unwrap();
    terminal.draw(|frame| frame.render_widget("before ❤\u{fe0f}", frame.area())).unwrap();
    terminal.resize(Rect::new(0, 0, 20, 2)).unwrap();
    terminal.draw(|frame| frame.render_widget("     ❤\u{fe0f}", frame.area())).unwrap();
    terminal.draw(|frame| frame.render_widget("     ❤\u{fe0f} b", frame.area())).unwrap();
    let size = |n| NonZero::new(n).unwrap();
    let mut screen = vt100::Parser::new(size(2), size(20), 0);
    screen.process(&sink.0.borrow());
    let row = screen.screen().rows(0, 20).next().unwrap();
    assert!(row.starts_with("     ❤") && row.trim_end().ends_with('b') && !row.contains("before"), "{row:?}");
}

#[test]
fn complaint_5_a_letter_that_stands_is_not_emptied_and_drawn_again() {
    let sink = Sink::default();
    let mut steady = Steady::new(CrosstermBackend::new(sink.clone()));
    let (a, b, heart) = (Cell::new("a"), Cell::new("b"), Cell::new("❤\u{fe0f}"));
    steady.draw([(0, 0, &a), (2, 0, &heart)].into_iter()).unwrap();
    let before = sink.0.borrow().len();
    steady.draw([(0, 0, &b)].into_iter()).unwrap();
    let written = String::from_utf8_lossy(&sink.0.borrow()[before..]).into_owned();
    assert_eq!(written.matches("❤\u{fe0f}").count(), 1, "{written:?}");
    assert!(!written.contains("  "), "its columns were emptied again: {written:?}");
}

#[test]
fn plain_rows_are_written_only_where_they_changed() {
    let sink = Sink::default();
    let mut steady = Steady::new(CrosstermBackend::new(sink.clone()));
    let cell = |symbol: &'static str| Cell::new(symbol);
    let (a, b, heart) = (cell("a"), cell("b"), cell("❤\u{fe0f}"));
    steady.draw([(0, 0, &a), (1, 0, &b), (5, 1, &heart)].into_iter()).unwrap();
    let before = sink.0.borrow().len();
    steady.draw([(1, 0, &a)].into_iter()).unwrap();
    let written = String::from_utf8_lossy(&sink.0.borrow()[before..]).into_owned();
    assert!(written.contains("\u{1b}[1;2H") && !written.contains("\u{1b}[1;1H"), "{written:?}");
}
