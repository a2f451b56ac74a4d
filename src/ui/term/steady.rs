//! A backend that leaves nothing to how wide a terminal thinks a letter is. Terminals disagree about flags, joined
//! emoji, variation selectors and combining marks; after one of them the cursor stands somewhere else than we count,
//! and what follows on the line lands on a border. So the cursor is set anew behind each such letter, its own columns
//! are emptied before it comes, and a row that holds one is written whole whenever something on it changes: what a
//! terminal drew too wide is overwritten, also when the letter itself is long gone. Rows without such letters are
//! written as ever, where they changed.

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use std::collections::BTreeSet;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Draws through another backend.
pub struct Steady<B> {
    inner: B,
    /// What was drawn, to write a row whole.
    drawn: Buffer,
    /// Rows that hold, or held at their last drawing, a letter whose width is a matter of opinion.
    doubtful: BTreeSet<u16>,
}

impl<B> Steady<B> {
    pub fn new(inner: B) -> Steady<B> {
        Steady { inner, drawn: Buffer::empty(Rect::ZERO), doubtful: BTreeSet::new() }
    }
}

/// Whether terminals may disagree about the width of this cell: several characters that are drawn as one, and the
/// emoji, which old tables do not know.
fn is_doubtful(symbol: &str) -> bool {
    // Most cells hold one byte.
    if symbol.len() < 3 {
        return false;
    }
    let mut chars = symbol.chars();
    let Some(first) = chars.next() else { return false };
    chars.next().is_some() || matches!(first, '\u{231a}'..='\u{2bff}' | '\u{1f000}'..) && symbol.width() == 2
}

impl<B: Backend> Steady<B> {
    /// Writes a row from its first column to its last. The letters at `new` were not there before.
    fn row(&mut self, y: u16, new: &BTreeSet<(u16, u16)>) -> Result<(), B::Error> {
        let mut plain: Vec<(u16, Cell)> = Vec::new();
        let (mut x, mut doubts) = (0, false);
        while x < self.drawn.area.width {
            let cell = self.drawn[(x, y)].clone();
            let wide = (cell.symbol().width().max(1) as u16).min(self.drawn.area.width - x);
            if is_doubtful(cell.symbol()) {
                doubts = true;
                // Emptied once: doing it each time would make the letter flicker.
                if new.contains(&(y, x)) {
                    let mut blank = cell.clone();
                    blank.set_symbol(" ");
                    plain.extend((0..wide).map(|n| (x + n, blank.clone())));
                }
                self.run(y, &mut plain)?;
                self.inner.draw(std::iter::once((x, y, &cell)))?;
            } else {
                plain.push((x, cell));
            }
            x += wide;
        }
        self.run(y, &mut plain)?;
        if !doubts {
            self.doubtful.remove(&y);
        }
        Ok(())
    }

    /// Writes cells one behind the other. Each call of the backend sets the cursor first.
    fn run(&mut self, y: u16, cells: &mut Vec<(u16, Cell)>) -> Result<(), B::Error> {
        self.inner.draw(cells.iter().map(|(x, cell)| (*x, y, cell)))?;
        cells.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.drawn = Buffer::empty(Rect::ZERO);
        self.doubtful.clear();
    }
}

/// Keeps what is drawn, in a buffer that grows with the terminal. The columns behind the first of a wide letter are drawn by
/// nobody: what stood there is gone.
fn keep(drawn: &mut Buffer, x: u16, y: u16, cell: &Cell) {
    let area = drawn.area;
    if x >= area.width || y >= area.height {
        let (width, height) = (area.width.max(x + 1), area.height.max(y + 1));
        let mut larger = Buffer::empty(Rect::new(0, 0, width, height));
        larger.merge(drawn);
        *drawn = larger;
    }
    drawn[(x, y)].clone_from(cell);
    // No wide letter is shorter.
    let wide = if cell.symbol().len() < 3 { 1 } else { cell.symbol().width() as u16 };
    for covered in x + 1..x.saturating_add(wide).min(drawn.area.width) {
        drawn[(covered, y)].clone_from(cell);
        drawn[(covered, y)].set_symbol(" ");
    }
}

impl<B: Backend> Backend for Steady<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), B::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let Steady { inner, drawn, doubtful } = self;
        let (mut whole, mut new) = (BTreeSet::new(), BTreeSet::new());
        inner.draw(content.filter(|(x, y, cell)| {
            keep(drawn, *x, *y, cell);
            if is_doubtful(cell.symbol()) {
                doubtful.insert(*y);
                new.insert((*y, *x));
            }
            let later = !doubtful.is_empty() && doubtful.contains(y);
            if later {
                whole.insert(*y);
            }
            !later
        }))?;
        whole.into_iter().try_for_each(|y| self.row(y, &new))
    }

    fn hide_cursor(&mut self) -> Result<(), B::Error> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), B::Error> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, B::Error> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), B::Error> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), B::Error> {
        self.forget();
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> Result<(), B::Error> {
        // Ratatui clears the whole of its viewport, which is all of our screen, in one of several ways.
        self.forget();
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> Result<Size, B::Error> {
        self.inner.size()
    }

    fn window_size(&mut self) -> Result<WindowSize, B::Error> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> Result<(), B::Error> {
        self.inner.flush()
    }
}

impl<B: Write> Write for Steady<B> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests;
