//! Markdown for the screen: parsed once, laid out for a width, painted row by row.
//!
//! Rows know the source line they came from and the links in them; sections fold. All text passes through
//! [`super::text`], and rows are wrapped here, because agent text makes `Paragraph::wrap` panic.

mod flow;
mod link;
mod paint;
mod parse;
mod table;

pub use link::Target;
pub use paint::{Marks, highlight, paint};
pub use parse::{clean, parse};

use flow::{Flow, hard, soft};
use std::collections::BTreeSet;
use table::Table;

/// What a stretch of text is. The screen gives it a colour; weight and shape come from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ink {
    pub kind: Kind,
    pub bold: bool,
    pub italic: bool,
    pub struck: bool,
    /// Index into [`Document::links`].
    pub link: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Text,
    Heading(u8),
    /// A section that an extension added (PC-614).
    Extension,
    Code,
    Muted,
}

/// Text of one ink and where it stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    text: String,
    ink: Ink,
    line: u32,
}

/// A heading and what it heads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    pub text: String,
    /// Source line, from 1.
    pub line: u32,
    pub extension: bool,
    /// The heading of the section around it.
    parent: Option<usize>,
    /// The last source line of the section.
    end: u32,
}

/// A parsed text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    blocks: Vec<Block>,
    pub headings: Vec<Heading>,
    pub links: Vec<Target>,
    /// Source lines.
    pub lines: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    /// In front of the first row, and of all others.
    first: String,
    rest: String,
    body: Body,
    line: u32,
    /// A blank row comes before it.
    gap: bool,
    /// The heading of the section that it stands in.
    section: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Body {
    Flow(Vec<Piece>),
    /// Lines that keep their blanks.
    Verbatim(Vec<Piece>),
    Heading(usize, Vec<Piece>),
    Table(Table),
    Rule,
}

/// One row of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub pieces: Vec<(String, Ink)>,
    /// Source line, from 1.
    pub line: u32,
    /// Set on the first row of a heading.
    pub heading: Option<usize>,
    width: usize,
}

impl Row {
    /// The text of the row.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// In columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The links in the row, in order.
    pub fn links(&self) -> Vec<u32> {
        let mut links: Vec<u32> = self.pieces.iter().filter_map(|(_, ink)| ink.link).collect();
        links.dedup();
        links
    }

    fn push(&mut self, text: &str, ink: Ink, width: usize) {
        self.width += width;
        match self.pieces.last_mut().filter(|(_, last)| *last == ink) {
            Some((last, _)) => last.push_str(text),
            None => self.pieces.push((text.to_string(), ink)),
        }
    }
}

/// Deeper nesting is shown as deep as this.
const DEPTH: usize = 12;

impl Document {
    /// The rows at this width (at least 1), without the bodies of folded sections.
    pub fn rows(&self, width: usize, folded: &BTreeSet<usize>) -> Vec<Row> {
        let width = width.max(1);
        let mut rows = Vec::new();
        let hidden: Vec<bool> = self.hidden(folded);
        for block in &self.blocks {
            let around = match &block.body {
                Body::Heading(index, _) => self.headings[*index].parent,
                _ => block.section,
            };
            if around.is_some_and(|section| hidden[section]) {
                continue;
            }
            if block.gap && !rows.is_empty() {
                rows.push(Row { line: block.line, ..Row::default() });
            }
            self.lay(block, width, folded, &mut rows);
        }
        rows
    }

    /// The row that shows a source line: the first of its own, or the last one before it.
    pub fn row_of(rows: &[Row], line: u32) -> usize {
        let before = rows.partition_point(|row| row.line <= line);
        let mut at = before.saturating_sub(1);
        let same = |a: &Row, b: &Row| a.line == b.line && !a.pieces.is_empty();
        while at > 0 && rows.get(at).is_some_and(|row| same(&rows[at - 1], row)) {
            at -= 1;
        }
        at
    }

    /// The innermost section around a source line.
    pub fn section_at(&self, line: u32) -> Option<usize> {
        self.headings.iter().rposition(|heading| heading.line <= line)
    }

    /// The section around a section.
    pub fn parent(&self, section: usize) -> Option<usize> {
        self.headings.get(section)?.parent
    }

    /// For each section whether its body is folded away, by itself or by a section around it.
    fn hidden(&self, folded: &BTreeSet<usize>) -> Vec<bool> {
        let mut hidden: Vec<bool> = Vec::with_capacity(self.headings.len());
        for (index, heading) in self.headings.iter().enumerate() {
            let around = heading.parent.is_some_and(|parent| hidden[parent]);
            hidden.push(around || folded.contains(&index));
        }
        hidden
    }

    fn lay(&self, block: &Block, width: usize, folded: &BTreeSet<usize>, rows: &mut Vec<Row>) {
        let mut flow = Flow::new(&block.first, &block.rest, width, block.line);
        match &block.body {
            Body::Flow(pieces) => soft(pieces, &mut flow),
            Body::Verbatim(pieces) => hard(pieces, &mut flow),
            Body::Heading(index, pieces) => {
                let heading = &self.headings[*index];
                let is_folded = folded.contains(index);
                if is_folded {
                    flow.word("▸ ", Ink { kind: Kind::Muted, ..Ink::default() }, block.line);
                }
                soft(pieces, &mut flow);
                if is_folded {
                    let ink = Ink { kind: Kind::Muted, ..Ink::default() };
                    let text = format!(" · {} …", heading.end.saturating_sub(heading.line));
                    soft(&[Piece { text, ink, line: block.line }], &mut flow);
                }
            }
            Body::Table(table) => {
                let inner = flow.room();
                for mut row in table.rows(inner) {
                    let line = row.line;
                    flow.row(std::mem::take(&mut row.pieces), row.width, line);
                }
            }
            Body::Rule => {
                let room = flow.room();
                flow.word(&"─".repeat(room), Ink { kind: Kind::Muted, ..Ink::default() }, block.line);
            }
        }
        let start = rows.len();
        flow.end(rows);
        if let (Body::Heading(index, _), Some(row)) = (&block.body, rows.get_mut(start)) {
            row.heading = Some(*index);
        }
    }
}

#[cfg(test)]
mod tests;
