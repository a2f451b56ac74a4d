//! Text that others wrote, made safe to draw and to print: no control can act on the terminal, nothing can hide, and no
//! line is wider than its place. The only door for agent text to a screen.
//!
//! Escape sequences are not interpreted but disarmed: colours are dropped, other complete CSI sequences leave one `␛`,
//! and of everything else (titles, links, device strings) only the control turns into a visible mark. No parser state
//! outlives a character, so an unfinished sequence cannot swallow the text behind it.

pub mod prose;

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const TAB: usize = 4;

/// Marks on one letter beyond this number are piled up to disturb other lines.
const MARKS: usize = 8;

/// What stands for something that must not act or hide.
const MARK: char = '\u{fffd}';

/// The text without anything that acts or hides. Line breaks stay (CR LF becomes LF), tabs become spaces up to the next
/// fourth column, controls become pictures such as `␛`, bidi controls and invisible characters become `�`. Joiners
/// stay where scripts and emoji need them. Doing it twice changes nothing.
pub fn sanitize(text: &str) -> String {
    // Most text is plain, and this runs for every reply.
    if text.split('\n').all(is_simple) {
        return text.to_string();
    }
    let mut out = Line { text: String::with_capacity(text.len()), column: 0, marks: 0, before: '\n' };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = behind;
        match c {
            '\n' | '\u{2028}' | '\u{2029}' => out.line_break(),
            '\r' if behind.starts_with('\n') => {}
            '\t' => out.tab(),
            '\u{1b}' => match csi(behind) {
                Some((length, colour)) => {
                    rest = &behind[length..];
                    if !colour {
                        out.letter('␛');
                    }
                }
                None => out.letter('␛'),
            },
            '\0'..='\u{1f}' => out.letter(char::from_u32(0x2400 + c as u32).unwrap_or(MARK)),
            '\u{7f}' => out.letter('␡'),
            '\u{80}'..='\u{9f}' => out.letter(MARK),
            '\u{200c}' | '\u{200d}' => out.joiner(c, behind.chars().next()),
            '\u{fe0e}' | '\u{fe0f}' => out.variant(c),
            _ if is_invisible(c) => out.letter(MARK),
            _ if c.width() == Some(0) => out.combining(c),
            _ => out.letter(c),
        }
    }
    out.text
}

/// True when each character is one column wide and joins no other, so that nobody has to look for graphemes: most of what
/// is on a screen, in two alphabets, with its lines and shapes.
pub fn is_simple(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~')) || text.chars().all(simple)
}

fn simple(c: char) -> bool {
    matches!(c, ' '..='~'
        | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{ff}'
        | '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}'
        | '–' | '—' | '‖' | '‘'..='”' | '…' | '←'..='↓' | '\u{2500}'..='\u{259f}'
        | '△' | '▲' | '▸' | '◆' | '○' | '◌' | '◐' | '●' | '✎' | '✓' | '✗')
}

/// The text on one line of at most `max_width` columns; a cut is shown by `…`.
pub fn one_line(text: &str, max_width: usize) -> String {
    if is_simple(text) {
        return one_simple_line(text, max_width);
    }
    let safe = sanitize(text);
    let flat = safe.split_whitespace().collect::<Vec<_>>().join(" ");
    let pieces: Vec<&str> = visible(&flat).collect();
    if pieces.iter().map(|piece| piece.width()).sum::<usize>() <= max_width {
        return pieces.concat();
    }
    let (mut out, mut width) = (String::new(), 0);
    for piece in pieces {
        if width + piece.width() + 1 > max_width {
            break;
        }
        width += piece.width();
        out.push_str(piece);
    }
    out.truncate(out.trim_end().len());
    if max_width > 0 {
        out.push('…');
    }
    out
}

/// The same where a letter is a column: most of what a list shows, with every frame.
fn one_simple_line(text: &str, max_width: usize) -> String {
    let flat = match text.trim() == text && !text.contains("  ") {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    };
    let mut letters = flat.char_indices().map(|(at, _)| at).skip(max_width.saturating_sub(1));
    match (letters.next(), letters.next()) {
        (Some(cut), Some(_)) if max_width > 0 => format!("{}…", flat[..cut].trim_end()),
        (Some(_), _) if max_width == 0 => String::new(),
        _ => flat.into_owned(),
    }
}

/// The text in lines of at most `width` columns (at least 1), sanitised, broken at spaces where possible. An empty line
/// stays an empty line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut out = Vec::new();
    for line in sanitize(text).split('\n') {
        wrap_line(line, width, &mut out);
    }
    out
}

fn wrap_line(line: &str, width: usize, out: &mut Vec<String>) {
    let (mut current, mut used) = (String::new(), 0);
    // Where the last word begins: its offset in `current` and the width before it.
    let mut word = (0, 0);
    for piece in visible(line) {
        let piece = if piece.width() > width { "\u{fffd}" } else { piece };
        let wide = piece.width();
        if used + wide > width {
            if piece == " " {
                out.push(finish(&mut current));
                (used, word) = (0, (0, 0));
                continue;
            }
            // Only a word with something before it can move down as a whole.
            let (at, before) = word;
            if !current[..at].trim_end().is_empty() && used - before + wide <= width {
                let tail = current.split_off(at);
                out.push(finish(&mut current));
                current = tail;
                used -= before;
            } else {
                out.push(finish(&mut current));
                used = 0;
            }
            word = (0, 0);
        }
        current.push_str(piece);
        used += wide;
        if piece == " " {
            word = (current.len(), used);
        }
    }
    out.push(current);
}

/// Takes the line without the spaces at its end.
fn finish(current: &mut String) -> String {
    let mut line = std::mem::take(current);
    line.truncate(line.trim_end_matches(' ').len());
    line
}

/// Grapheme by grapheme; one without any width would be dropped by the screen and is shown as a mark.
fn visible(text: &str) -> impl Iterator<Item = &str> {
    let mut letters = is_simple(text).then(|| text.char_indices());
    let mut graphemes = text.graphemes(true);
    std::iter::from_fn(move || match &mut letters {
        Some(letters) => letters.next().map(|(at, c)| &text[at..at + c.len_utf8()]),
        None => graphemes.next().map(|piece| if piece.width() == 0 { "\u{fffd}" } else { piece }),
    })
}

/// Text under construction and what is known about its last line.
struct Line {
    text: String,
    column: usize,
    /// Combining marks since the last letter.
    marks: usize,
    before: char,
}

impl Line {
    fn letter(&mut self, c: char) {
        self.text.push(c);
        self.column += c.width().unwrap_or(0);
        self.marks = 0;
        self.before = c;
    }

    fn line_break(&mut self) {
        self.text.push('\n');
        (self.column, self.marks, self.before) = (0, 0, '\n');
    }

    fn tab(&mut self) {
        for _ in 0..TAB - self.column % TAB {
            self.letter(' ');
        }
    }

    /// A mark needs a letter below it and does not come in heaps.
    fn combining(&mut self, c: char) {
        self.marks += 1;
        match self.marks {
            _ if matches!(self.before, '\n' | ' ') => self.letter(MARK),
            1..=MARKS => {
                self.text.push(c);
                self.before = c;
            }
            // One mark for the whole heap, so that doing this again finds nothing.
            _ if self.before != MARK => {
                self.text.push(MARK);
                self.column += 1;
                self.before = MARK;
            }
            _ => {}
        }
    }

    /// Emoji families, Persian and Indic scripts join with it; between other characters it only hides.
    fn joiner(&mut self, c: char, next: Option<char>) {
        let joins = |c: char| {
            !(c.is_ascii()
                || c == MARK
                || c.is_whitespace()
                || c.is_control()
                || is_invisible(c)
                || is_joiner(c))
        };
        if joins(self.before) && next.is_some_and(|next| joins(next) && next.width() != Some(0)) {
            self.combining(c);
        } else {
            self.letter(MARK);
        }
    }

    /// The selectors of emoji and text style, one behind a character.
    fn variant(&mut self, c: char) {
        let can_vary =
            !self.before.is_ascii() || self.before.is_ascii_digit() || matches!(self.before, '#' | '*');
        if can_vary
            && self.before != MARK
            && !is_joiner(self.before)
            && !matches!(self.before, '\u{fe0e}' | '\u{fe0f}')
        {
            self.combining(c);
        } else {
            self.letter(MARK);
        }
    }
}

/// Length of the CSI sequence behind an ESC, and whether it only sets colours. `None` when it is not complete or no CSI.
fn csi(text: &str) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let parameters = bytes[1..].iter().take_while(|b| matches!(b, 0x30..=0x3f)).count();
    let middle = bytes[1 + parameters..].iter().take_while(|b| matches!(b, 0x20..=0x2f)).count();
    let last = *bytes.get(1 + parameters + middle)?;
    let complete = matches!(last, 0x40..=0x7e);
    let private = bytes[1..=parameters].iter().any(|b| matches!(b, b'<'..=b'?'));
    complete.then_some((1 + parameters + middle + 1, last == b'm' && middle == 0 && !private))
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Bidi controls, invisible operators, fillers, tags, annotation and other characters that draw nothing.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
