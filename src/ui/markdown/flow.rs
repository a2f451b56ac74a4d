//! Breaking text into rows: at blanks where possible, between letters where not, never wider than there is room.

use super::{Ink, Kind, Piece, Row};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Rows under construction.
pub struct Flow<'a> {
    rest: &'a str,
    width: usize,
    row: Row,
    done: Vec<Row>,
    /// Where text begins in the current row, behind the prefix.
    start: usize,
    fresh: bool,
}

impl<'a> Flow<'a> {
    /// The prefixes never take more than half of the width.
    pub fn new(first: &str, rest: &'a str, width: usize, line: u32) -> Flow<'a> {
        let mut flow = Flow { rest, width, row: Row::default(), done: Vec::new(), start: 0, fresh: true };
        flow.prefix(first, line);
        flow
    }

    /// Columns for text in every row.
    pub fn room(&self) -> usize {
        self.width - self.width.min(fitted(self.rest, self.width).1).min(self.width - 1)
    }

    /// Puts a word behind what is there, on a new row when it does not fit.
    pub fn word(&mut self, text: &str, ink: Ink, line: u32) {
        self.words(&[(text, ink, line)], 0);
    }

    /// A word in several inks, with so many blanks in front of it unless it begins a row.
    pub fn words(&mut self, word: &[(&str, Ink, u32)], blanks: usize) {
        let width: usize = word.iter().map(|(text, ..)| wide(text)).sum();
        let Some(first) = word.first() else { return };
        let blanks = if self.fresh { 0 } else { blanks };
        if self.row.width + blanks + width <= self.width {
            if blanks > 0 {
                // The blank belongs to a link or code only when both sides do.
                let before = self.row.pieces.last().map(|(_, ink)| *ink).unwrap_or_default();
                let ink = if before == first.1 { before } else { Ink::default() };
                self.row.push(&" ".repeat(blanks), ink, blanks);
            }
            for (text, ink, line) in word {
                self.put(text, *ink, wide(text), *line);
            }
            return;
        }
        if !self.fresh {
            self.break_row(first.2);
        }
        if self.row.width + width <= self.width {
            for (text, ink, line) in word {
                self.put(text, *ink, wide(text), *line);
            }
            return;
        }
        for (text, ink, line) in word {
            self.letters(text, *ink, *line);
        }
    }

    /// Letter by letter, blanks included.
    pub fn letters(&mut self, text: &str, ink: Ink, line: u32) {
        for letter in text.graphemes(true) {
            let (letter, width) = match letter.width() {
                width if width > self.width - self.start.min(self.width - 1) => ("\u{fffd}", 1),
                width => (letter, width),
            };
            if self.row.width + width > self.width {
                self.break_row(line);
            }
            self.put(letter, ink, width, line);
        }
    }

    /// A row that is already laid out.
    pub fn row(&mut self, pieces: Vec<(String, Ink)>, width: usize, line: u32) {
        if !self.fresh {
            self.break_row(line);
        }
        for (text, ink) in pieces {
            self.row.push(&text, ink, 0);
        }
        self.row.width += width;
        self.row.line = line;
        self.fresh = false;
    }

    /// Ends the row, empty or not.
    pub fn break_row(&mut self, line: u32) {
        let row = std::mem::take(&mut self.row);
        self.done.push(row);
        let rest = self.rest;
        self.prefix(rest, line);
    }

    pub fn end(mut self, rows: &mut Vec<Row>) {
        self.done.push(self.row);
        rows.append(&mut self.done);
    }

    fn put(&mut self, text: &str, ink: Ink, width: usize, line: u32) {
        if self.fresh {
            self.row.line = line;
            self.fresh = false;
        }
        self.row.push(text, ink, width);
    }

    fn prefix(&mut self, text: &str, line: u32) {
        let (text, width) = fitted(text, self.width);
        self.row.line = line;
        if !text.is_empty() {
            self.row.push(text, Ink { kind: Kind::Muted, ..Ink::default() }, width);
        }
        self.start = width;
        self.fresh = true;
    }
}

/// The beginning of a prefix that takes at most half of the width.
fn fitted(text: &str, width: usize) -> (&str, usize) {
    let mut used = 0;
    for (at, letter) in text.grapheme_indices(true) {
        if used + letter.width() > width / 2 {
            return (&text[..at], used);
        }
        used += letter.width();
    }
    (text, used)
}

/// Prose: blanks between words are where rows end.
pub fn soft(pieces: &[Piece], flow: &mut Flow<'_>) {
    let mut word: Vec<(&str, Ink, u32)> = Vec::new();
    let mut blanks = 0;
    for piece in pieces {
        for part in piece.text.split_inclusive([' ', '\n']) {
            let bare = part.trim_end_matches([' ', '\n']);
            if !bare.is_empty() {
                word.push((bare, piece.ink, piece.line));
            }
            if bare.len() < part.len() {
                if !word.is_empty() {
                    flow.words(&word, blanks);
                    word.clear();
                }
                if part.ends_with('\n') {
                    flow.break_row(piece.line);
                }
                blanks = usize::from(part.ends_with(' '));
            }
        }
    }
    flow.words(&word, blanks);
}

/// Code: every blank counts; each piece is a line.
pub fn hard(pieces: &[Piece], flow: &mut Flow<'_>) {
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 {
            flow.break_row(piece.line);
        }
        if piece.text.is_ascii() && flow.row.width + piece.text.len() <= flow.width {
            flow.put(&piece.text, piece.ink, piece.text.len(), piece.line);
        } else if piece.ink.kind == Kind::Muted && flow.row.width + wide(&piece.text) > flow.width {
            // The head of a file holds sentences, which no program reads from the screen.
            soft(std::slice::from_ref(piece), flow);
        } else {
            flow.letters(&piece.text, piece.ink, piece.line);
        }
    }
}

/// Columns of a text, letter by letter, as the screen draws it.
pub fn wide(text: &str) -> usize {
    match plain(text) {
        Some(width) => width,
        None => text.graphemes(true).map(UnicodeWidthStr::width).sum(),
    }
}

/// The number of columns of a text in which every character is a letter of its own, one column wide: nearly all text,
/// and a hundred times faster than finding letters.
pub fn plain(text: &str) -> Option<usize> {
    let one = |c| {
        matches!(c, ' '..='~' | '\u{a1}'..='\u{a8}' | '\u{aa}'..='\u{ac}' | '\u{b0}'..='\u{2ff}'
            | '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}' | '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201e}' | '…' | '→')
    };
    let mut width = 0;
    for c in text.chars() {
        if !one(c) {
            return None;
        }
        width += 1;
    }
    Some(width)
}
