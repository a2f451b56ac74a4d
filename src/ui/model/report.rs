//! The report screen: one file of a session after the other, rendered, with a way back.

use super::part::{Input, Out};
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::engine::wire::{Ask, Tell};
use crate::ui::markdown::{Document, Marks, Row, Target, parse};
use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A file being read. Drawing lays it out for the width it finds, which is why the layout is in cells.
#[derive(Debug)]
pub struct Report {
    pub id: SessionId,
    pub file: String,
    pub lang: Lang,
    /// The session's directory, for the path that is copied.
    pub dir: PathBuf,
    pub document: Document,
    pub folded: BTreeSet<usize>,
    /// The selected link.
    pub link: Option<u32>,
    pub marks: Marks,
    pub panel: Panel,
    /// What the checks of the report say, once asked: is it an error, the rule, the text.
    pub findings: Option<Vec<(bool, String, String)>>,
    /// A line that says what just happened.
    pub notice: String,
    loading: Option<Place>,
    back: Vec<Place>,
    cursor: Cell<usize>,
    top: Cell<usize>,
    size: Cell<(usize, usize)>,
    rows: RefCell<Option<(usize, Vec<Row>)>>,
}

/// What lies over the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    None,
    /// The headings, with the selected one.
    Outline(usize),
    Findings(usize),
}

/// Where the reader is or was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    file: String,
    line: u32,
}

impl Report {
    /// Opens a file at a line (0 or 1 = the top), with the words that led there marked.
    pub fn open(
        id: SessionId,
        dir: PathBuf,
        file: &str,
        line: u32,
        words: &[String],
        lang: Lang,
    ) -> (Report, Vec<Out>) {
        let place = Place { file: file.to_string(), line };
        let ask = Out::ask(Ask::Read { id: id.clone(), file: file.to_string() });
        let report = Report {
            id,
            file: file.to_string(),
            lang,
            dir,
            document: Document::default(),
            folded: BTreeSet::new(),
            link: None,
            marks: Marks::new(words),
            panel: Panel::None,
            findings: None,
            notice: String::new(),
            loading: Some(place),
            back: Vec::new(),
            cursor: Cell::new(0),
            top: Cell::new(0),
            size: Cell::new((80, 20)),
            rows: RefCell::new(None),
        };
        (report, vec![ask])
    }

    pub fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Whether there is somewhere to go back to.
    pub fn has_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// The source line of the cursor, from 1.
    pub fn line(&self) -> u32 {
        self.rows().get(self.cursor.get()).map_or(1, |row| row.line)
    }

    pub fn update(&mut self, input: Input<'_>) -> Vec<Out> {
        if let Input::Tell(tell) = input {
            self.heard(tell);
            return Vec::new();
        }
        self.notice.clear();
        match self.panel {
            Panel::Outline(at) => return self.outline(at, input),
            Panel::Findings(at) => return self.checked(at, input),
            Panel::None => {}
        }
        let page = self.size.get().1.saturating_sub(1).max(1) as isize;
        match input {
            Input::Up | Input::Char('k') => self.step(-1),
            Input::Down | Input::Char('j') => self.step(1),
            Input::PageUp => self.step(-page),
            Input::PageDown => self.step(page),
            Input::First | Input::Char('g') => self.step(isize::MIN),
            Input::Last | Input::Char('G') => self.step(isize::MAX),
            Input::Tab => self.next_link(true),
            Input::BackTab => self.next_link(false),
            Input::Enter => return self.follow(),
            Input::Char('b') | Input::Left => return self.go_back(),
            Input::Char('o') => self.show_outline(),
            Input::Char(' ') => {
                if let Some(section) = self.document.section_at(self.line()) {
                    self.fold(section);
                }
            }
            Input::Char('z') => self.fold_all(),
            Input::Char('n') => self.next_mark(true),
            Input::Char('N') => self.next_mark(false),
            Input::Char('y') => {
                // Whether it was copied only the terminal knows; the shell says so.
                return vec![Out::Copy(self.dir.join(&self.file).display().to_string())];
            }
            Input::Char('v') => return self.check(),
            Input::Back | Input::Char('q') => return vec![Out::Close],
            _ => {}
        }
        Vec::new()
    }

    fn check(&mut self) -> Vec<Out> {
        self.notice = self.lang.pick("checking …", "проверка …").to_string();
        vec![Out::ask(Ask::Verify { id: self.id.clone() })]
    }

    /// The headings, from the one that is read.
    fn show_outline(&mut self) {
        if !self.document.headings.is_empty() {
            self.panel = Panel::Outline(self.document.section_at(self.line()).unwrap_or(0));
        }
    }

    /// The rows for the width of the last drawing.
    pub fn rows(&self) -> Ref<'_, [Row]> {
        self.lay(self.size.get().0);
        Ref::map(self.rows.borrow(), |rows| rows.as_ref().map_or(&[][..], |(_, rows)| rows))
    }

    /// Takes the size that there is for text; the reading position stays at its words. Gives the first visible row and
    /// the row of the cursor.
    pub fn fit(&self, width: usize, height: usize) -> (usize, usize) {
        self.lay(width);
        self.size.set((width, height));
        let (cursor, height) = (self.cursor.get(), height.max(1));
        let last = self.rows().len().saturating_sub(height);
        let top = self.top.get().min(cursor).max((cursor + 1).saturating_sub(height)).min(last);
        self.top.set(top);
        (top, cursor)
    }

    fn lay(&self, width: usize) {
        let mut rows = self.rows.borrow_mut();
        if rows.as_ref().is_some_and(|(have, _)| *have == width) {
            return;
        }
        let line = rows.as_ref().and_then(|(_, rows)| Some(rows.get(self.cursor.get())?.line));
        let fresh = self.document.rows(width, &self.folded);
        if let Some(line) = line {
            let below = self.cursor.get() - self.top.get().min(self.cursor.get());
            self.cursor.set(Document::row_of(&fresh, line));
            self.top.set(self.cursor.get().saturating_sub(below));
        }
        *rows = Some((width, fresh));
    }

    /// Lays the rows out anew with the cursor at this source line.
    fn again(&mut self, line: u32) {
        let width = self.size.get().0;
        let fresh = self.document.rows(width, &self.folded);
        self.cursor.set(Document::row_of(&fresh, line));
        *self.rows.borrow_mut() = Some((width, fresh));
    }

    fn heard(&mut self, tell: &Tell) {
        match tell {
            Tell::File { id, file, text } if *id == self.id => {
                let Some(place) = self.loading.take_if(|place| place.file == *file) else { return };
                self.document = parse(text);
                self.file = place.file;
                self.folded.clear();
                self.link = None;
                self.top.set(0);
                self.again(place.line);
                if place.line > 1 {
                    // Some lines of context above the one that was wanted.
                    self.top.set(self.cursor.get().saturating_sub(3));
                }
            }
            Tell::Verified { id, findings } if *id == self.id => {
                self.findings = Some(findings.clone());
                self.panel = Panel::Findings(0);
                self.notice.clear();
            }
            Tell::Refused { what, why } => {
                if self.loading.take().is_some() {
                    self.back.pop();
                }
                self.notice = format!("{what}: {why}");
            }
            _ => {}
        }
    }

    fn step(&mut self, by: isize) {
        let last = self.rows().len().saturating_sub(1);
        self.cursor.set(self.cursor.get().saturating_add_signed(by).min(last));
        self.link = None;
    }

    fn next_link(&mut self, forward: bool) {
        let at = self.cursor.get();
        let (links, here) = {
            let rows = self.rows();
            let links: Vec<(usize, u32)> = rows
                .iter()
                .enumerate()
                .flat_map(|(n, row)| row.links().into_iter().map(move |link| (n, link)))
                .collect();
            let here = self.link.and_then(|link| links.iter().position(|(n, l)| *l == link && *n == at));
            (links, here)
        };
        let next = match (here, forward) {
            (Some(here), true) => links[here + 1..].iter().find(|(_, link)| Some(*link) != self.link),
            (Some(here), false) => links[..here].iter().rfind(|(_, link)| Some(*link) != self.link),
            (None, true) => links.iter().find(|(n, _)| *n >= at),
            (None, false) => links.iter().rfind(|(n, _)| *n <= at),
        };
        match next {
            Some((row, link)) => {
                self.cursor.set(*row);
                self.link = Some(*link);
            }
            None => self.notice = self.lang.pick("no more links", "ссылок больше нет").to_string(),
        }
    }

    fn next_mark(&mut self, forward: bool) {
        let at = self.cursor.get();
        let found = {
            let rows = self.rows();
            let has = |n: &usize| !self.marks.find(&rows[*n].text()).is_empty();
            if forward { (at + 1..rows.len()).find(has) } else { (0..at.min(rows.len())).rfind(has) }
        };
        match found {
            Some(row) => self.cursor.set(row),
            None => self.notice = self.lang.pick("no more matches", "совпадений больше нет").to_string(),
        }
    }

    fn follow(&mut self) -> Vec<Out> {
        let (first, heading) = {
            let rows = self.rows();
            let row = rows.get(self.cursor.get());
            (row.and_then(|row| row.links().first().copied()), row.and_then(|row| row.heading))
        };
        let Some(link) = self.link.or(first) else {
            if let Some(heading) = heading {
                self.fold(heading);
            }
            return Vec::new();
        };
        match self.document.links.get(link as usize).cloned() {
            Some(Target::File { id: Some(id), file, line }) if id != self.id => {
                vec![Out::Open { id, file, line: line.unwrap_or(1) }]
            }
            Some(Target::File { file, line, .. }) => {
                self.back.push(Place { file: self.file.clone(), line: self.line() });
                self.go(Place { file, line: line.unwrap_or(1) })
            }
            Some(Target::Address(address)) => vec![Out::Copy(address)],
            None => Vec::new(),
        }
    }

    fn go_back(&mut self) -> Vec<Out> {
        match self.back.pop() {
            Some(place) => self.go(place),
            None => vec![Out::Close],
        }
    }

    fn go(&mut self, place: Place) -> Vec<Out> {
        if place.file == self.file && self.loading.is_none() {
            self.again(place.line);
            self.link = None;
            return Vec::new();
        }
        let ask = Out::ask(Ask::Read { id: self.id.clone(), file: place.file.clone() });
        self.loading = Some(place);
        vec![ask]
    }

    fn fold(&mut self, section: usize) {
        if !self.folded.remove(&section) {
            self.folded.insert(section);
        }
        let line = self.document.headings.get(section).map_or(1, |heading| heading.line);
        self.again(line);
    }

    /// Folds all sections below the title, or opens all.
    fn fold_all(&mut self) {
        let line = self.line();
        if self.folded.is_empty() {
            let sections =
                self.document.headings.iter().enumerate().filter(|(_, heading)| heading.level >= 2);
            self.folded = sections.map(|(index, _)| index).collect();
        } else {
            self.folded.clear();
        }
        let line =
            self.document.section_at(line).map_or(line, |section| self.document.headings[section].line);
        self.again(line);
    }

    fn outline(&mut self, at: usize, input: Input<'_>) -> Vec<Out> {
        let last = self.document.headings.len().saturating_sub(1);
        let page = self.size.get().1.max(1);
        let next = match input {
            Input::Up | Input::Char('k') => at.saturating_sub(1),
            Input::Down | Input::Char('j') => (at + 1).min(last),
            Input::PageUp => at.saturating_sub(page),
            Input::PageDown => (at + page).min(last),
            Input::First => 0,
            Input::Last => last,
            Input::Char(' ') => {
                self.fold(at);
                at
            }
            Input::Enter => {
                let mut section = Some(at);
                // What the pilot goes to must be seen.
                while let Some(open) = section {
                    self.folded.remove(&open);
                    section = self.document.parent(open);
                }
                self.again(self.document.headings.get(at).map_or(1, |heading| heading.line));
                self.top.set(self.cursor.get());
                self.panel = Panel::None;
                return Vec::new();
            }
            Input::Char('v') => return self.check(),
            Input::Back | Input::Char('o' | 'q') => {
                self.panel = Panel::None;
                return Vec::new();
            }
            _ => at,
        };
        self.panel = Panel::Outline(next);
        Vec::new()
    }

    fn checked(&mut self, at: usize, input: Input<'_>) -> Vec<Out> {
        let last = self.findings.as_ref().map_or(0, Vec::len).saturating_sub(1);
        if matches!(input, Input::Char('o')) {
            self.show_outline();
            return Vec::new();
        }
        self.panel = match input {
            Input::Up | Input::Char('k') => Panel::Findings(at.saturating_sub(1)),
            Input::Down | Input::Char('j') => Panel::Findings((at + 1).min(last)),
            Input::Back | Input::Enter | Input::Char('v' | 'q') => Panel::None,
            _ => Panel::Findings(at),
        };
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Final Report\n\n## 4. Recorded decision\n- Split it, see [01-peer.md](01-peer.md:3). [synthesized]\n- https\n\n## 7. Metadata\n- **Log:** [a](https://x/), 02-writer.md\n";

    fn open() -> Report {
        let id = SessionId::parse("2026-08-24-01-x").unwrap();
        let (mut report, outs) =
            Report::open(id.clone(), "/s/x".into(), "report.md", 1, &["split".into()], Lang::En);
        assert_eq!(outs, [Out::ask(Ask::Read { id, file: "report.md".into() })]);
        assert!(report.is_loading());
        tell(&mut report, "report.md", TEXT);
        report
    }

    fn tell(report: &mut Report, file: &str, text: &str) {
        let tell = Tell::File { id: report.id.clone(), file: file.into(), text: text.into() };
        report.update(Input::Tell(&tell));
    }

    #[test]
    fn ui_report_links_lead_to_the_turn_and_back() {
        let mut report = open();
        report.update(Input::Tab);
        assert_eq!((report.line(), report.link), (4, Some(0)));
        let outs = report.update(Input::Enter);
        assert_eq!(outs, [Out::ask(Ask::Read { id: report.id.clone(), file: "01-peer.md".into() })]);
        // An answer to another question changes nothing.
        tell(&mut report, "00-writer.md", "no");
        assert_eq!(report.file, "report.md");
        tell(&mut report, "01-peer.md", "one\n\nthree\n\nfive");
        assert_eq!((report.file.as_str(), report.line(), report.has_back()), ("01-peer.md", 3, true));
        assert_eq!(report.update(Input::Char('b')).len(), 1);
        tell(&mut report, "report.md", TEXT);
        assert_eq!((report.file.as_str(), report.line()), ("report.md", 4));
        assert_eq!(report.update(Input::Char('b')), [Out::Close]);
    }

    #[test]
    fn ui_report_addresses_are_copied_and_never_opened() {
        let mut report = open();
        (0..2).for_each(|_| drop(report.update(Input::Tab)));
        assert_eq!(report.update(Input::Enter), [Out::Copy("https://x/".into())]);
        assert_eq!(report.notice, "", "complaint 20: nobody knows yet whether it was copied");
        assert_eq!(report.update(Input::Char('y')), [Out::Copy("/s/x/report.md".into())]);
        report.update(Input::BackTab);
        assert_eq!(report.link, Some(0));
    }

    #[test]
    fn ui_report_a_file_that_is_gone_leaves_the_reader_where_he_was() {
        let mut report = open();
        report.update(Input::Tab);
        report.update(Input::Enter);
        report.update(Input::Tell(&Tell::Refused { what: "01-peer.md".into(), why: "not there".into() }));
        assert_eq!(
            (report.file.as_str(), report.is_loading(), report.has_back()),
            ("report.md", false, false)
        );
        assert_eq!(report.notice, "01-peer.md: not there");
    }

    #[test]
    fn ui_report_outline_and_folding() {
        let mut report = open();
        report.update(Input::Char('z'));
        assert_eq!(report.rows().iter().filter(|row| !row.pieces.is_empty()).count(), 3);
        report.update(Input::Char('o'));
        report.update(Input::Last);
        assert_eq!(report.panel, Panel::Outline(2));
        report.update(Input::Enter);
        assert_eq!((report.panel, report.line()), (Panel::None, 7));
        assert!(report.folded.contains(&1) && !report.folded.contains(&2));
        report.update(Input::Char(' '));
        assert!(report.folded.contains(&2));
    }

    #[test]
    fn rule_2_another_width_keeps_the_words() {
        let mut report = open();
        report.fit(80, 4);
        report.update(Input::Last);
        assert_eq!(report.line(), 8);
        for width in [20, 7, 120] {
            let (top, cursor) = report.fit(width, 4);
            assert_eq!(report.line(), 8);
            assert!(top <= cursor && cursor < top + 4);
        }
    }

    #[test]
    fn ui_report_findings_are_shown() {
        let mut report = open();
        assert!(
            matches!(&report.update(Input::Char('v'))[..], [Out::Ask(ask)] if matches!(**ask, Ask::Verify { .. }))
        );
        let findings = vec![(true, "PC-623".to_string(), "empty".to_string())];
        report.update(Input::Tell(&Tell::Verified { id: report.id.clone(), findings }));
        assert_eq!(report.panel, Panel::Findings(0));
        report.update(Input::Back);
        assert_eq!(report.panel, Panel::None);
    }

    #[test]
    fn ui_report_marks_are_walked() {
        let mut report = open();
        report.update(Input::Char('n'));
        assert_eq!(report.line(), 4);
        report.update(Input::Char('n'));
        assert!(!report.notice.is_empty());
    }
}
