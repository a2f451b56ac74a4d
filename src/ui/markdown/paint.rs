//! Rows in colours, with the words that were searched for and the selected link.

use super::{Ink, Kind, Row};
use crate::ui::theme::Role;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Words to mark, in any case, with `ё` and `е` the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks(Vec<Vec<char>>);

impl Marks {
    pub fn new(words: &[String]) -> Marks {
        let words = words.iter().map(|word| word.chars().map(fold).collect::<Vec<char>>());
        Marks(words.filter(|word| !word.is_empty()).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Byte ranges of whole letters, in order and apart.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.0.is_empty() {
            return found;
        }
        let letters: Vec<(usize, char)> = text.char_indices().map(|(at, c)| (at, fold(c))).collect();
        for word in &self.0 {
            for (n, window) in letters.windows(word.len()).enumerate() {
                if window.iter().map(|(_, c)| c).eq(word.iter()) {
                    let end = letters.get(n + word.len()).map_or(text.len(), |(at, _)| *at);
                    found.push(window[0].0..end);
                }
            }
        }
        if found.is_empty() {
            return found;
        }
        // A mark that begins or ends inside a letter takes the whole letter.
        let mut bounds: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
        bounds.push(text.len());
        for range in &mut found {
            range.start = bounds[bounds.partition_point(|at| *at <= range.start).saturating_sub(1)];
            range.end = bounds[bounds.partition_point(|at| *at < range.end).min(bounds.len() - 1)];
        }
        found.sort_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::new();
        for range in found {
            match apart.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => apart.push(range),
            }
        }
        apart
    }
}

fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some('ё'), None) => 'е',
        (Some(lower), None) => lower,
        _ => c,
    }
}

/// The row as the screen draws it.
pub fn paint<'a>(
    row: &'a Row,
    marks: &Marks,
    selected: Option<u32>,
    style: &dyn Fn(Role) -> Style,
) -> Line<'a> {
    let marked = if marks.is_empty() { Vec::new() } else { marks.find(&row.text()) };
    let mut spans = Vec::with_capacity(row.pieces.len());
    let mut at = 0;
    for (text, ink) in &row.pieces {
        let base = look(*ink, selected, style);
        let (start, end) = (at, at + text.len());
        let mut from = start;
        for range in marked.iter().filter(|range| range.start < end && range.end > start) {
            let (a, b) = (range.start.max(from), range.end.min(end));
            if a > from {
                spans.push(Span::styled(&text[from - start..a - start], base));
            }
            spans.push(Span::styled(&text[a - start..b - start], highlight(base, style)));
            from = b;
        }
        if from < end {
            spans.push(Span::styled(&text[from - start..], base));
        }
        at = end;
    }
    Line::from(spans)
}

/// Shape as well as colour, so that a mark is seen without colours.
pub fn highlight(base: Style, style: &dyn Fn(Role) -> Style) -> Style {
    base.patch(style(Role::Focus)).add_modifier(Modifier::REVERSED)
}

fn look(ink: Ink, selected: Option<u32>, style: &dyn Fn(Role) -> Style) -> Style {
    let mut look = match ink.kind {
        Kind::Text | Kind::Code => style(Role::Text),
        Kind::Heading(1) => style(Role::Text).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Kind::Heading(_) => style(Role::Text).add_modifier(Modifier::BOLD),
        Kind::Extension => style(Role::Gate).add_modifier(Modifier::BOLD),
        Kind::Muted => style(Role::Muted),
    };
    if ink.kind == Kind::Code {
        look = look.patch(style(Role::Muted));
    }
    if ink.link.is_some() {
        look = look.patch(style(Role::Link)).add_modifier(Modifier::UNDERLINED);
    }
    for (set, modifier) in
        [(ink.bold, Modifier::BOLD), (ink.italic, Modifier::ITALIC), (ink.struck, Modifier::CROSSED_OUT)]
    {
        if set {
            look = look.add_modifier(modifier);
        }
    }
    if ink.link.is_some() && ink.link == selected {
        look = look.patch(style(Role::Selection)).add_modifier(Modifier::REVERSED);
    }
    look
}
