//! A diff taken apart into rows, once, when it comes: what is drawn, moved through and decided on afterwards are rows.

use crate::domain::session::phase::Wait;
use crate::domain::session::pipeline::change::{Hunk, ReservedEdit};
use crate::engine::wire::Patch;
use std::ops::Range;

/// No row.
pub const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The name of a file.
    File,
    /// `@@ -1,4 +1,5 @@`
    Head,
    /// A change that the pilot decides on begins; what was decided stands in the session.
    Gate,
    Same,
    Gone,
    Came,
    /// About the text, not of it: no newline at the end, binary, left out.
    Note,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: Kind,
    /// Index of the patch.
    pub file: u32,
    /// Numbers of the line, from 1; 0 where there is none.
    pub old: u32,
    pub new: u32,
    /// The changed line at the other side.
    pub pair: u32,
    /// Index of the decision plus 1; 0 for none.
    gate: u32,
    /// Where the text stands in the patch.
    text: Range<u32>,
}

/// A change that is decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Of the edit's reserved files, from 0.
    pub reserved: usize,
    /// From 1.
    pub hunk: u32,
    pub of: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doc {
    pub patches: Vec<Patch>,
    pub rows: Vec<Row>,
    pub gates: Vec<Gate>,
    /// First rows of the files and of the changes.
    pub files: Vec<u32>,
    pub changes: Vec<u32>,
    /// Digits of the highest line number.
    pub digits: u16,
    /// The edit that is shown.
    pub edit: u32,
    pub cut: bool,
    /// Different for every document of a screen.
    pub stamp: u64,
}

/// Where something is, in words that outlive a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub label: String,
    /// From 1; 0 for the file as a whole.
    pub line: u32,
}

impl Doc {
    /// `reserved` are the edits whose changes are decided on one by one.
    pub fn new(patches: Vec<Patch>, reserved: &[ReservedEdit], edit: u32, cut: bool, stamp: u64) -> Doc {
        let mut doc = Doc { patches, edit, cut, stamp, ..Doc::default() };
        for file in 0..doc.patches.len() {
            doc.file(file, reserved);
        }
        let highest = doc.rows.iter().map(|r| r.old.max(r.new)).max().unwrap_or(0);
        doc.digits = highest.to_string().len() as u16;
        doc
    }

    pub fn text(&self, row: &Row) -> &str {
        let patch = self.patches.get(row.file as usize).map_or("", |p| p.text.as_str());
        patch.get(row.text.start as usize..row.text.end as usize).unwrap_or_default()
    }

    /// `repo/path` of a row.
    pub fn label(&self, row: &Row) -> String {
        self.patches.get(row.file as usize).map(|p| format!("{}/{}", p.repo, p.path)).unwrap_or_default()
    }

    pub fn gate(&self, row: usize) -> Option<&Gate> {
        let at = self.rows.get(row)?.gate.checked_sub(1)?;
        self.gates.get(at as usize)
    }

    /// The question that a row belongs to.
    pub fn question(&self, row: usize) -> Option<String> {
        let gate = self.gate(row)?;
        let wait = Wait::Content { edit: self.edit, file: gate.reserved as u32 + 1, hunk: gate.hunk };
        Some(wait.id())
    }

    /// The last row of the change that is decided on together with this one; the row itself where nothing is.
    pub fn end(&self, row: usize) -> usize {
        let Some(Row { file, gate, .. }) = self.rows.get(row).filter(|r| r.gate > 0) else { return row };
        let inside = self.rows[row..].iter().take_while(|r| r.file == *file).count();
        let last = self.rows[row..row + inside].iter().rposition(|r| r.gate == *gate);
        row + last.unwrap_or(0)
    }

    /// The first row of the change that a question asks about.
    pub fn row_of(&self, question: &str) -> Option<usize> {
        (0..self.rows.len()).find(|row| {
            self.rows[*row].kind == Kind::Gate && self.question(*row).as_deref() == Some(question)
        })
    }

    pub fn place(&self, row: usize) -> Option<Place> {
        let at = row;
        let row = self.rows.get(at)?;
        // What has no number stands before what it is about.
        let about = match row.kind {
            Kind::Gate | Kind::Head => self.rows[at..].iter().find(|r| r.new + r.old > 0),
            _ => Some(row),
        };
        let about = about.filter(|r| r.file == row.file).unwrap_or(row);
        let line = if about.new > 0 { about.new } else { about.old };
        Some(Place { label: self.label(row), line })
    }

    /// The row of a place, or the nearest one after it in its file, or the file.
    pub fn row_at(&self, place: &Place) -> Option<usize> {
        let first = self.files.iter().copied().find(|row| {
            let row = &self.rows[*row as usize];
            is_called(&self.patches[row.file as usize], &place.label)
        })? as usize;
        let file = self.rows[first].file;
        let inside = (first..self.rows.len()).take_while(|row| self.rows[*row].file == file);
        let line = inside.filter(|_| place.line > 0).find(|row| {
            let row = &self.rows[*row];
            matches!(row.kind, Kind::Same | Kind::Came) && row.new >= place.line
        });
        Some(line.unwrap_or(first))
    }

    fn file(&mut self, file: usize, reserved: &[ReservedEdit]) {
        let mut rows = parsed(&self.patches[file], file as u32);
        let (repo, path) = (self.patches[file].repo.clone(), self.patches[file].path.clone());
        let decided = reserved.iter().position(|e| e.repo == repo && e.path == path);
        let mut open: Vec<(u32, &Hunk)> = Vec::new();
        if let Some(at) = decided {
            let of = reserved[at].hunks.len() as u32;
            for (hunk, id) in reserved[at].hunks.iter().zip(1..) {
                self.gates.push(Gate { reserved: at, hunk: id, of });
                open.push((self.gates.len() as u32, hunk));
            }
        }
        self.files.push(self.rows.len() as u32);
        self.rows.push(Row { kind: Kind::File, ..blank(file as u32) });
        let mut last = 0;
        let mut in_change = false;
        let mut shown = Vec::new();
        for row in &mut rows {
            let changes = matches!(row.kind, Kind::Gone | Kind::Came);
            if changes && !in_change {
                let begins = self.rows.len() as u32;
                let mine = open.iter().find(|(_, hunk)| holds(hunk, row)).map(|(gate, _)| *gate);
                // A text that tells its lines twice asks about them once.
                if let Some(gate) = mine.filter(|gate| !shown.contains(gate)) {
                    self.rows.push(Row { kind: Kind::Gate, gate, ..blank(file as u32) });
                    shown.push(gate);
                }
                last = mine.unwrap_or(0);
                self.changes.push(begins);
            }
            in_change = changes || (in_change && row.kind == Kind::Note);
            row.gate = if in_change { last } else { 0 };
            self.rows.push(row.clone());
        }
        self.pair(self.files[file] as usize);
        // What the text cannot show (a binary file, one left out) is decided on all the same.
        for (gate, hunk) in open.iter().filter(|(gate, _)| !shown.contains(gate)) {
            self.alone(file as u32, *gate, hunk);
        }
    }

    /// A change with its own text, behind the rows of its file.
    fn alone(&mut self, file: u32, gate: u32, hunk: &Hunk) {
        self.changes.push(self.rows.len() as u32);
        self.rows.push(Row { kind: Kind::Gate, gate, ..blank(file) });
        let text = &mut self.patches[file as usize].text;
        let sides = [(Kind::Gone, &hunk.old, hunk.old_start), (Kind::Came, &hunk.new, hunk.new_start)];
        for (kind, lines, start) in sides {
            for (line, number) in lines.iter().zip(start..) {
                let from = text.len() as u32;
                text.push_str(line.trim_end_matches('\n'));
                let (old, new) = if kind == Kind::Gone { (number, 0) } else { (0, number) };
                self.rows.push(Row { kind, gate, old, new, text: from..text.len() as u32, ..blank(file) });
            }
        }
    }

    /// Lines that went and came in the same change stand beside each other.
    fn pair(&mut self, from: usize) {
        let mut at = from;
        while at < self.rows.len() {
            let run = |kind: Kind, from: usize, rows: &[Row]| {
                let same = |r: &&Row| r.kind == kind || r.kind == Kind::Note;
                from + rows[from..].iter().take_while(same).count()
            };
            if self.rows[at].kind != Kind::Gone {
                at += 1;
                continue;
            }
            let middle = run(Kind::Gone, at, &self.rows);
            let end = run(Kind::Came, middle, &self.rows);
            let of = |kind: Kind, range: Range<usize>| -> Vec<usize> {
                range.filter(|n| self.rows[*n].kind == kind).collect()
            };
            let (gone, came) = (of(Kind::Gone, at..middle), of(Kind::Came, middle..end));
            for (a, b) in gone.into_iter().zip(came) {
                self.rows[a].pair = b as u32;
                self.rows[b].pair = a as u32;
            }
            at = end;
        }
    }
}

/// Whether people would call the file that: with its repository, without it, or by where it lies.
fn is_called(patch: &Patch, name: &str) -> bool {
    let label = format!("{}/{}", patch.repo, patch.path);
    label == name
        || patch.path == name
        || name.ends_with(&format!("/{label}"))
        || name == format!("./{}", patch.path)
}

fn blank(file: u32) -> Row {
    Row { kind: Kind::Note, file, old: 0, new: 0, pair: NONE, gate: 0, text: 0..0 }
}

/// Whether the change that begins with this row is part of the hunk.
fn holds(hunk: &Hunk, row: &Row) -> bool {
    let inside = |start: u32, lines: &[String], at: u32| {
        let start = start.max(1);
        (start..start.saturating_add(lines.len() as u32)).contains(&at)
    };
    match row.kind {
        Kind::Gone => inside(hunk.old_start, &hunk.old, row.old),
        _ => inside(hunk.new_start, &hunk.new, row.new),
    }
}

/// The rows of one file's text.
fn parsed(patch: &Patch, file: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut at, mut old, mut new) = (0u32, 0, 0);
    for line in patch.text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let (begin, end) = (at, at + bare.len() as u32);
        at += line.len() as u32;
        let row = |kind, old, new, text| Row { kind, old, new, text, ..blank(file) };
        let text = begin + 1..end.max(begin + 1);
        rows.push(match bare.as_bytes().first() {
            Some(b'+') => {
                new += 1;
                row(Kind::Came, 0, new - 1, text)
            }
            Some(b'-') => {
                old += 1;
                row(Kind::Gone, old - 1, 0, text)
            }
            Some(b'@') => {
                (old, new) = starts(bare).unwrap_or((old, new));
                row(Kind::Head, 0, 0, begin..end)
            }
            Some(b'\\') => row(Kind::Note, 0, 0, begin..end),
            _ => {
                (old, new) = (old + 1, new + 1);
                row(Kind::Same, old - 1, new - 1, text)
            }
        });
    }
    rows
}

const HIGHEST: u32 = u32::MAX / 2;

/// First lines of `@@ -12,3 +14 @@`.
fn starts(head: &str) -> Option<(u32, u32)> {
    let mut words = head.split(' ').skip(1);
    let mut number = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let line: u32 = word.split(',').next()?.parse().ok()?;
        // No text has so many lines; what follows counts on from here.
        Some(line.min(HIGHEST))
    };
    Some((number('-')?, number('+')?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::pipeline::change::ChangeKind;

    fn patch(path: &str, text: &str) -> Patch {
        let (repo, path, text) = ("app".into(), path.into(), text.into());
        Patch { repo, path, kind: ChangeKind::Modified, added: 0, removed: 0, binary: false, text }
    }

    fn hunk(old_start: u32, old: &[&str], new_start: u32, new: &[&str]) -> Hunk {
        let own = |lines: &[&str]| lines.iter().map(|l| format!("{l}\n")).collect();
        Hunk { old_start, old: own(old), new_start, new: own(new), around: String::new() }
    }

    const TEXT: &str = "@@ -1,5 +1,5 @@ fn\n a\n-b\n+B\n c\n+d\n-e\n\\ No newline at end of file\n+E\n";

    fn reserved(hunks: Vec<Hunk>) -> ReservedEdit {
        let (before, after) = ("1".repeat(40), "2".repeat(40));
        ReservedEdit { repo: "app".into(), path: "S.md".into(), before, after, hunks }
    }

    #[test]
    fn rows_know_their_lines_and_the_other_side() {
        let doc = Doc::new(vec![patch("S.md", TEXT)], &[], 1, false, 1);
        let got: Vec<(Kind, u32, u32, &str)> =
            doc.rows.iter().map(|r| (r.kind, r.old, r.new, doc.text(r))).collect();
        assert_eq!(
            got[1..5],
            [
                (Kind::Head, 0, 0, "@@ -1,5 +1,5 @@ fn"),
                (Kind::Same, 1, 1, "a"),
                (Kind::Gone, 2, 0, "b"),
                (Kind::Came, 0, 2, "B"),
            ]
        );
        assert_eq!((doc.rows[3].pair, doc.rows[4].pair), (4, 3));
        assert_eq!((doc.files.as_slice(), doc.changes.as_slice()), (&[0][..], &[3, 6][..]));
        let at = doc.row_at(&Place { label: "S.md".into(), line: 3 }).unwrap();
        assert_eq!(doc.text(&doc.rows[at]), "c");
        assert_eq!(doc.row_at(&Place { label: "/w/app/S.md".into(), line: 0 }), Some(0));
        assert_eq!(doc.row_at(&Place { label: "T.md".into(), line: 0 }), None);
    }

    #[test]
    fn pc_503_every_hunk_of_a_reserved_file_has_its_question() {
        let edit = reserved(vec![hunk(2, &["b"], 2, &["B"]), hunk(0, &[], 4, &["d"])]);
        let doc = Doc::new(vec![patch("S.md", TEXT)], &[edit], 3, false, 1);
        let gates: Vec<usize> = (0..doc.rows.len()).filter(|n| doc.rows[*n].kind == Kind::Gate).collect();
        assert_eq!(gates.len(), 2);
        assert_eq!(doc.question(gates[0]).as_deref(), Some("content-03-1-1"));
        assert_eq!(doc.question(gates[0] + 2).as_deref(), Some("content-03-1-1"), "its lines too");
        assert_eq!(doc.question(gates[1] + 1).as_deref(), Some("content-03-1-2"));
        assert_eq!(doc.question(gates[1] - 1), None, "what did not change is no question");
        assert_eq!(doc.row_of("content-03-1-2"), Some(gates[1]));
        assert_eq!(doc.changes, gates.iter().map(|n| *n as u32).collect::<Vec<_>>());
    }

    #[test]
    fn pc_503_what_has_no_text_is_decided_on_all_the_same() {
        let edit = reserved(vec![hunk(1, &[], 1, &["(binary) 1 → 2"])]);
        let doc = Doc::new(vec![Patch { binary: true, ..patch("S.md", "") }], &[edit], 1, false, 1);
        assert_eq!(doc.question(1).as_deref(), Some("content-01-1-1"));
        assert_eq!(doc.text(&doc.rows[2]), "(binary) 1 → 2");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken_apart(text in "([ +@\\\\-]?[a@+ -]{0,4}\n?){0,12}") {
            let edit = reserved(vec![hunk(2, &["b"], 2, &["B"]), hunk(0, &[], 4, &["d"])]);
            let doc = Doc::new(vec![patch("S.md", &text), patch("T.md", &text)], &[edit], 1, true, 1);
            let asked = ["content-01-1-1", "content-01-1-2"].iter().all(|id| doc.row_of(id).is_some());
            proptest::prop_assert!(asked);
            for row in 0..doc.rows.len() {
                doc.text(&doc.rows[row]);
                doc.place(row);
            }
        }
    }
}
