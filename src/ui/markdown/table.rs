//! Tables: columns as wide as their cells where there is room, narrower ones where not, and a list of cells where even
//! that would be too tight.

use super::flow::{Flow, soft, wide};
use super::{Ink, Kind, Piece, Row};

/// Cells by row; the first row is the head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    pub cells: Vec<Vec<Vec<Piece>>>,
}

/// Between columns.
const BETWEEN: &str = " │ ";

/// A column that is narrower is no longer read.
const LEAST: usize = 6;

impl Table {
    pub fn rows(&self, width: usize) -> Vec<Row> {
        let columns = self.cells.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return Vec::new();
        }
        let room = width.saturating_sub(wide(BETWEEN) * (columns - 1));
        match self.widths(columns, room) {
            Some(widths) => self.grid(&widths),
            None => self.list(width),
        }
    }

    /// Natural widths, the widest made narrower until all fit.
    fn widths(&self, columns: usize, room: usize) -> Option<Vec<usize>> {
        let mut widths = vec![1; columns];
        for row in &self.cells {
            for (at, cell) in row.iter().enumerate() {
                let width = cell.iter().map(|piece| wide(&piece.text)).sum();
                widths[at] = widths[at].max(width);
            }
        }
        if widths.iter().sum::<usize>() <= room {
            return Some(widths);
        }
        // The largest bound at which the bounded widths fit.
        let fits = |bound: usize| widths.iter().map(|w| (*w).min(bound)).sum::<usize>() <= room;
        let bound = (LEAST..=room).rev().find(|bound| fits(*bound))?;
        Some(widths.into_iter().map(|w| w.min(bound)).collect())
    }

    fn grid(&self, widths: &[usize]) -> Vec<Row> {
        let muted = Ink { kind: Kind::Muted, ..Ink::default() };
        let mut out = Vec::new();
        for (number, cells) in self.cells.iter().enumerate() {
            let columns: Vec<Vec<Row>> = widths
                .iter()
                .enumerate()
                .map(|(at, width)| {
                    let pieces = cells.get(at).map(Vec::as_slice).unwrap_or_default();
                    let line = pieces.first().map_or(0, |piece| piece.line);
                    let (mut flow, mut rows) = (Flow::new("", "", *width, line), Vec::new());
                    soft(pieces, &mut flow);
                    flow.end(&mut rows);
                    rows
                })
                .collect();
            let line = columns.iter().flatten().map(|row| row.line).find(|line| *line > 0).unwrap_or(1);
            for n in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
                let mut row = Row { line, ..Row::default() };
                for (at, width) in widths.iter().enumerate() {
                    if at > 0 {
                        row.push(BETWEEN, muted, wide(BETWEEN));
                    }
                    let used = columns[at].get(n).map_or(0, |cell| {
                        cell.pieces.iter().for_each(|(text, ink)| row.push(text, *ink, 0));
                        cell.width
                    });
                    row.width += used;
                    if at + 1 < widths.len() {
                        row.push(&" ".repeat(width - used), Ink::default(), width - used);
                    }
                }
                out.push(row);
            }
            if number == 0 {
                let mut row = Row { line, ..Row::default() };
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                let rule = rule.join("─┼─");
                let width = wide(&rule);
                row.push(&rule, muted, width);
                out.push(row);
            }
        }
        out
    }

    /// Each cell under the name of its column.
    fn list(&self, width: usize) -> Vec<Row> {
        let (head, body) =
            self.cells.split_first().map_or((&[][..], &[][..]), |(head, body)| (head.as_slice(), body));
        let mut out = Vec::new();
        for (number, cells) in body.iter().enumerate() {
            if number > 0 {
                out.push(Row {
                    line: cells.iter().flatten().next().map_or(1, |piece| piece.line),
                    ..Row::default()
                });
            }
            for (at, cell) in cells.iter().enumerate() {
                let line = cell.first().map_or(1, |piece| piece.line);
                let mut pieces: Vec<Piece> = head.get(at).cloned().unwrap_or_default();
                pieces.iter_mut().for_each(|piece| piece.line = line);
                let ink = Ink { kind: Kind::Muted, ..Ink::default() };
                pieces.push(Piece { text: ": ".into(), ink, line });
                pieces.extend(cell.iter().cloned());
                let (mut flow, mut rows) = (Flow::new("", "  ", width, line), Vec::new());
                soft(&pieces, &mut flow);
                flow.end(&mut rows);
                out.append(&mut rows);
            }
        }
        out
    }
}
