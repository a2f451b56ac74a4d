//! How a diff is laid out: which rows stand beside each other and how many lines each takes. Worked out once for a
//! document, a width and a way of showing it; drawing and moving read it.

use crate::ui::model::pipeline::doc::{Doc, Kind, NONE};
use crate::ui::text::wrap;

#[derive(Debug, Default)]
pub struct Flow {
    known: (u64, u16, bool),
    /// Rows at the left and at the right; the same row at both sides stands over the whole width or in both columns.
    items: Vec<(u32, u32)>,
    /// The item of each row.
    of_row: Vec<u32>,
    /// First line of each item, and the end.
    tops: Vec<u32>,
}

impl Flow {
    /// `width` is what a text may take.
    pub fn take(&mut self, doc: &Doc, width: u16, side: bool) {
        let known = (doc.stamp, width, side);
        if self.known == known && self.of_row.len() == doc.rows.len() {
            return;
        }
        *self = Flow { known, ..Flow::default() };
        self.items = if side { beside(doc) } else { (0..doc.rows.len() as u32).map(|n| (n, n)).collect() };
        self.of_row = vec![0; doc.rows.len()];
        self.tops.reserve(self.items.len() + 1);
        let mut top = 0u32;
        for (n, (left, right)) in self.items.iter().enumerate() {
            self.tops.push(top);
            let mut tall = 1;
            for row in [*left, *right].into_iter().filter(|row| *row != NONE) {
                self.of_row[row as usize] = n as u32;
                tall = tall.max(lines(doc, row as usize, width));
            }
            top = top.saturating_add(tall);
        }
        self.tops.push(top);
    }

    pub fn total(&self) -> usize {
        self.tops.last().map_or(0, |top| *top as usize)
    }

    /// The lines that a row's item takes: first, and how many.
    pub fn place(&self, row: usize) -> (usize, usize) {
        let item = self.of_row.get(row).map_or(0, |n| *n as usize);
        let top = self.tops.get(item).map_or(0, |t| *t as usize);
        (top, self.tops.get(item + 1).map_or(1, |t| *t as usize - top))
    }

    /// The items from this line on, each with its first line.
    pub fn from(&self, line: usize) -> impl Iterator<Item = (usize, (u32, u32))> + '_ {
        let first = self.tops.partition_point(|top| *top as usize <= line).saturating_sub(1);
        self.items.iter().copied().enumerate().skip(first).map(|(n, rows)| (self.tops[n] as usize, rows))
    }

    /// The row so many items away.
    pub fn moved(&self, row: usize, by: isize, rows: usize) -> usize {
        if self.of_row.len() != rows || rows == 0 {
            return row.saturating_add_signed(by).min(rows.saturating_sub(1));
        }
        let item = self.of_row[row.min(rows - 1)] as usize;
        let to = item.saturating_add_signed(by).min(self.items.len().saturating_sub(1));
        let (left, right) = self.items[to];
        // The new side is the one that is spoken about.
        if right == NONE { left as usize } else { right as usize }
    }
}

/// How many lines a row takes.
fn lines(doc: &Doc, row: usize, width: u16) -> u32 {
    let row = &doc.rows[row];
    if !matches!(row.kind, Kind::Same | Kind::Gone | Kind::Came) {
        return 1;
    }
    let text = doc.text(row);
    let width = usize::from(width.max(1));
    // Most lines are short and plain, and there may be very many.
    if text.len() <= width && text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return 1;
    }
    wrap(text, width).len() as u32
}

/// What went stands at the left of what came; what is the same stands at both sides.
fn beside(doc: &Doc) -> Vec<(u32, u32)> {
    let mut items = Vec::with_capacity(doc.rows.len());
    let mut at = 0;
    while at < doc.rows.len() {
        let kind = doc.rows[at].kind;
        if !matches!(kind, Kind::Gone | Kind::Came) {
            items.push((at as u32, at as u32));
            at += 1;
            continue;
        }
        let run = |from: usize, kind: Kind| {
            from + doc.rows[from..].iter().take_while(|r| r.kind == kind || r.kind == Kind::Note).count()
        };
        let middle = run(at, Kind::Gone);
        let end = run(middle, Kind::Came);
        for n in 0..(middle - at).max(end - middle) {
            let of = |from: usize, to: usize| if from + n < to { (from + n) as u32 } else { NONE };
            items.push((of(at, middle), of(middle, end)));
        }
        at = end;
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::wire::{ChangeKind, Patch};

    fn doc(text: &str) -> Doc {
        let (repo, path, text) = ("app".into(), "a".into(), text.into());
        let patch =
            Patch { repo, path, kind: ChangeKind::Modified, added: 0, removed: 0, binary: false, text };
        Doc::new(vec![patch], &[], 1, false, 1)
    }

    #[test]
    fn long_lines_take_more_and_the_cursor_moves_by_what_it_sees() {
        let doc = doc("@@ -1,2 +1,3 @@\n same\n-one two three\n+1\n+2\n");
        let mut flow = Flow::default();
        flow.take(&doc, 8, false);
        assert_eq!(flow.total(), 7);
        assert_eq!(flow.place(3), (3, 2));
        assert_eq!(flow.from(4).next(), Some((3, (3, 3))), "from the middle of an item");
        assert_eq!((flow.moved(3, 1, 6), flow.moved(3, -99, 6), flow.moved(3, 99, 6)), (4, 0, 5));
        flow.take(&doc, 8, true);
        assert_eq!(flow.items, [(0, 0), (1, 1), (2, 2), (3, 4), (NONE, 5)]);
        assert_eq!((flow.total(), flow.moved(2, 1, 6)), (6, 4));
    }

    proptest::proptest! {
        #[test]
        fn every_row_has_its_place(text in "([ +-][ab ]{0,9}\n|\\\\ no\n){0,20}", width in 1u16..12, side: bool) {
            let doc = doc(&text);
            let mut flow = Flow::default();
            flow.take(&doc, width, side);
            let shown: usize = flow.items.iter().flat_map(|(a, b)| if a == b { vec![*a] } else { vec![*a, *b] })
                .filter(|row| *row != NONE).count();
            proptest::prop_assert_eq!(shown, doc.rows.len());
            for row in 0..doc.rows.len() {
                let (top, tall) = flow.place(row);
                proptest::prop_assert!(top + tall <= flow.total());
            }
        }
    }
}
