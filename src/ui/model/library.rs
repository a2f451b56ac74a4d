//! The library: every past session, narrowed by facets, and a full-text search while the pilot types.

use super::part::{Input, Out};
use crate::domain::lang::Lang;
use crate::domain::words::words;
use crate::engine::wire::{Ask, Hit, Row, Tell};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// So many results are asked for; more are found by another word.
const LIMIT: usize = 200;

/// By what sessions are narrowed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Class,
    Vendor,
    Month,
    Wp,
}

/// One value of a facet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    pub kind: Kind,
    pub value: String,
    /// Sessions that have it.
    pub count: usize,
    pub on: bool,
}

/// What the keys go to. Letters go to the query from everywhere but the facets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Results,
    Facets,
}

#[derive(Debug)]
pub struct Library {
    pub lang: Lang,
    pub query: String,
    pub focus: Focus,
    /// Results of the search, best first.
    pub hits: Vec<Hit>,
    /// Sessions looked at and altogether, and whether the search has ended.
    pub progress: (usize, usize, bool),
    /// The deck: what is shown without a query.
    sessions: Vec<Row>,
    pub facets: Vec<Facet>,
    on: BTreeSet<(Kind, String)>,
    pub facet: usize,
    pub selected: usize,
    /// Results with an older number belong to a query that is no longer there.
    seq: u64,
    top: Cell<usize>,
    height: Cell<usize>,
}

impl Library {
    /// `sessions` is the deck as known so far.
    pub fn open(sessions: &[Row], lang: Lang) -> Library {
        let mut library = Library {
            lang,
            query: String::new(),
            focus: Focus::Results,
            hits: Vec::new(),
            progress: (0, 0, true),
            sessions: sessions.to_vec(),
            facets: Vec::new(),
            on: BTreeSet::new(),
            facet: 0,
            selected: 0,
            seq: 0,
            top: Cell::new(0),
            height: Cell::new(10),
        };
        library.count();
        library
    }

    /// Whether there is something to search for.
    pub fn searches(&self) -> bool {
        !self.words().is_empty()
    }

    /// What is searched for, to be marked where a result opens.
    pub fn words(&self) -> Vec<String> {
        words(&self.query)
    }

    /// The sessions that the facets leave.
    pub fn sessions(&self) -> impl Iterator<Item = &Row> {
        self.sessions.iter().filter(|row| self.admits(row))
    }

    /// Entries of the list: results, or sessions without a query.
    pub fn len(&self) -> usize {
        if self.searches() { self.hits.len() } else { self.sessions().count() }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn update(&mut self, input: Input<'_>) -> Vec<Out> {
        match input {
            Input::Tell(tell) => {
                self.heard(tell);
                return Vec::new();
            }
            Input::Tab | Input::BackTab => {
                self.focus = if self.focus == Focus::Facets { Focus::Results } else { Focus::Facets };
                return Vec::new();
            }
            _ if self.focus == Focus::Facets => return self.choose(input),
            _ => {}
        }
        let page = self.height.get().max(1);
        let last = self.len().saturating_sub(1);
        match input {
            Input::Up => self.selected = self.selected.saturating_sub(1),
            Input::Down => self.selected = (self.selected + 1).min(last),
            Input::PageUp => self.selected = self.selected.saturating_sub(page),
            Input::PageDown => self.selected = (self.selected + page).min(last),
            Input::First => self.selected = 0,
            Input::Last => self.selected = last,
            Input::Enter => return self.chosen().into_iter().collect(),
            // The key that leads into a search elsewhere; here one is in it already.
            Input::Char('/') if self.query.is_empty() => {}
            Input::Char(c) if !c.is_control() => {
                self.query.push(c);
                return self.search();
            }
            Input::Paste(text) => {
                self.query.extend(text.chars().filter(|c| !c.is_control()).take(1000));
                return self.search();
            }
            Input::Backspace => {
                self.query.pop();
                return self.search();
            }
            Input::Back if !self.query.is_empty() => {
                self.query.clear();
                return self.search();
            }
            Input::Back => return vec![Out::Close],
            _ => {}
        }
        Vec::new()
    }

    /// Takes how many entries fit; gives those that are visible.
    pub fn fit(&self, height: usize) -> Range<usize> {
        let height = height.max(1);
        self.height.set(height);
        let last = self.len().saturating_sub(height);
        let top = self.top.get().min(self.selected).max((self.selected + 1).saturating_sub(height)).min(last);
        self.top.set(top);
        top..(top + height).min(self.len())
    }

    fn heard(&mut self, tell: &Tell) {
        match tell {
            Tell::Found { seq, hits, done, scanned, total } if *seq == self.seq => {
                // The same line stays selected while better ones come in above it.
                let kept = self.hits.get(self.selected).filter(|_| self.selected > 0).cloned();
                self.hits.clone_from(hits);
                self.progress = (*scanned, *total, *done);
                let same = |hit: &&Hit, a: &Hit| (&hit.id, &hit.file, hit.line) == (&a.id, &a.file, a.line);
                let at = kept.and_then(|kept| self.hits.iter().position(|hit| same(&hit, &kept)));
                self.selected = at.unwrap_or(self.selected).min(self.hits.len().saturating_sub(1));
            }
            Tell::Deck { rows, .. } => {
                self.sessions.clone_from(rows);
                self.count();
                self.selected = self.selected.min(self.len().saturating_sub(1));
            }
            _ => {}
        }
    }

    /// Asks anew; what comes for an older question is thrown away, so nothing needs to wait for a pause in the typing.
    fn search(&mut self) -> Vec<Out> {
        self.seq += 1;
        (self.selected, self.progress) = (0, (0, 0, true));
        self.top.set(0);
        if !self.searches() {
            self.hits.clear();
            return Vec::new();
        }
        self.progress.2 = false;
        vec![Out::ask(Ask::Search { seq: self.seq, query: self.asked(), limit: LIMIT })]
    }

    /// What was typed, with the facets as the search spells them.
    fn asked(&self) -> String {
        let mut asked = self.query.trim().to_string();
        // A quote that is still open would swallow the filters.
        if asked.matches('"').count() % 2 == 1 {
            asked.push('"');
        }
        for (kind, value) in &self.on {
            match kind {
                Kind::Class => asked.push_str(&format!(" class:{value}")),
                Kind::Vendor => asked.push_str(&format!(" vendor:{value}")),
                Kind::Wp => asked.push_str(&format!(" wp:{value}")),
                Kind::Month => {}
            }
        }
        let months = || self.on.iter().filter(|(kind, _)| *kind == Kind::Month).map(|(_, month)| month);
        if let (Some(first), Some(last)) = (months().min(), months().max()) {
            asked.push_str(&format!(" since:{first} until:{last}"));
        }
        asked
    }

    fn chosen(&self) -> Option<Out> {
        if self.searches() {
            let hit = self.hits.get(self.selected)?;
            return Some(Out::Open { id: hit.id.clone(), file: hit.file.clone(), line: hit.line });
        }
        let id = self.sessions().nth(self.selected)?.id.clone();
        Some(Out::Open { id, file: "report.md".into(), line: 1 })
    }

    fn choose(&mut self, input: Input<'_>) -> Vec<Out> {
        let last = self.facets.len().saturating_sub(1);
        match input {
            Input::Up | Input::Char('k') => self.facet = self.facet.saturating_sub(1),
            Input::Down | Input::Char('j') => self.facet = (self.facet + 1).min(last),
            Input::First => self.facet = 0,
            Input::Last => self.facet = last,
            Input::Back | Input::Char('/') => self.focus = Focus::Results,
            Input::Enter | Input::Char(' ') => {
                let Some(facet) = self.facets.get(self.facet) else { return Vec::new() };
                let key = (facet.kind, facet.value.clone());
                if !self.on.remove(&key) {
                    // One work product at a time is all that a search takes.
                    self.on.retain(|(kind, _)| *kind != Kind::Wp || key.0 != Kind::Wp);
                    self.on.insert(key);
                }
                self.count();
                return self.search();
            }
            _ => {}
        }
        Vec::new()
    }

    fn admits(&self, row: &Row) -> bool {
        let months =
            || self.on.iter().filter(|(kind, _)| *kind == Kind::Month).map(|(_, month)| month.as_str());
        let in_months = months().next().is_none()
            || (months().min() <= Some(row.id.month()) && Some(row.id.month()) <= months().max());
        let own = values(row);
        let holds = |kind: Kind| {
            let mut wanted = self.on.iter().filter(|(k, _)| *k == kind).peekable();
            wanted.peek().is_none() || wanted.any(|key| own.contains(key))
        };
        in_months && [Kind::Class, Kind::Vendor, Kind::Wp].into_iter().all(holds)
    }

    fn count(&mut self) {
        let mut counts: BTreeMap<(Kind, String), usize> =
            self.on.iter().map(|key| (key.clone(), 0)).collect();
        for value in self.sessions.iter().flat_map(values) {
            *counts.entry(value).or_default() += 1;
        }
        self.facets = counts
            .into_iter()
            .map(|((kind, value), count)| Facet {
                on: self.on.contains(&(kind, value.clone())),
                kind,
                value,
                count,
            })
            .collect();
        // The newest month and work product first.
        self.facets.sort_by(|a, b| {
            let newest = matches!(a.kind, Kind::Month | Kind::Wp);
            let values = if newest { b.value.cmp(&a.value) } else { a.value.cmp(&b.value) };
            a.kind.cmp(&b.kind).then(values)
        });
        self.facet = self.facet.min(self.facets.len().saturating_sub(1));
    }
}

/// What a session can be narrowed down by.
fn values(row: &Row) -> Vec<(Kind, String)> {
    let mut out: Vec<(Kind, String)> =
        row.result.iter().map(|class| (Kind::Class, class.key().to_string())).collect();
    out.extend(
        row.peers.split('+').filter(|v| !v.is_empty()).map(|vendor| (Kind::Vendor, vendor.to_string())),
    );
    out.push((Kind::Month, row.id.month().to_string()));
    let wp = row.task.match_indices("WP-").find_map(|(at, _)| {
        let digits: String = row.task[at + 3..].chars().take_while(char::is_ascii_digit).collect();
        (!digits.is_empty()).then(|| format!("WP-{digits}"))
    });
    out.extend(wp.map(|wp| (Kind::Wp, wp)));
    out
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::{ResultClass, Status};
    use crate::domain::time::Stamp;
    use crate::engine::wire::Owner;

    pub fn row(id: &str, task: &str, peers: &str, result: ResultClass) -> Row {
        Row {
            id: SessionId::parse(id).unwrap(),
            task: task.into(),
            peers: peers.into(),
            status: Status::Completed,
            phase: "closed".into(),
            result: Some(result),
            at: (1, 6),
            questions: Vec::new(),
            speaking: None,
            owner: Owner::Nobody,
            changed: Stamp(0),
            escalations: 0,
            foreign: false,
        }
    }

    pub fn deck() -> Vec<Row> {
        vec![
            row("2026-08-24-03-drop-legacy", "Drop legacy token table", "codex+kimi", ResultClass::NotAgreed),
            row("2026-08-24-01-choose-cache", "Choose cache eviction (WP-142)", "codex", ResultClass::Agreed),
            row(
                "2026-07-02-01-журнал".replace("журнал", "log").as_str(),
                "Журнал 日本語",
                "kimi",
                ResultClass::Agreed,
            ),
        ]
    }

    pub fn hit(id: &str, file: &str, line: u32, text: &str, marked: &str) -> Hit {
        let at = text.find(marked).unwrap() as u32;
        let marks = vec![(at, at + marked.len() as u32)];
        Hit { id: SessionId::parse(id).unwrap(), file: file.into(), line, text: text.into(), marks }
    }

    fn type_in(library: &mut Library, text: &str) -> Vec<Out> {
        text.chars().flat_map(|c| library.update(Input::Char(c))).collect()
    }

    fn found(seq: u64, hits: Vec<Hit>, done: bool) -> Tell {
        Tell::Found { seq, hits, done, scanned: 3, total: 3 }
    }

    #[test]
    fn a_slash_leads_into_the_search_and_is_no_part_of_it() {
        let mut library = Library::open(&deck(), Lang::En);
        type_in(&mut library, "/a/b");
        assert_eq!(library.query, "a/b");
        library.update(Input::Tab);
        assert_eq!(library.focus, Focus::Facets);
        library.update(Input::Char('/'));
        assert_eq!((library.focus, library.query.as_str()), (Focus::Results, "a/b"));
    }

    #[test]
    fn ui_library_asks_at_every_letter_and_forgets_old_answers() {
        let mut library = Library::open(&deck(), Lang::En);
        let outs = type_in(&mut library, "кэш");
        let queries: Vec<String> = outs
            .iter()
            .filter_map(|out| match out {
                Out::Ask(ask) => match &**ask {
                    Ask::Search { query, .. } => Some(query.clone()),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(queries, ["к", "кэ", "кэш"]);
        let old = hit("2026-08-24-01-choose-cache", "00-writer.md", 4, "окно", "о");
        library.update(Input::Tell(&found(2, vec![old], true)));
        assert!(library.hits.is_empty() && !library.progress.2);
        let new = hit("2026-08-24-01-choose-cache", "report.md", 7, "кэш", "кэш");
        library.update(Input::Tell(&found(3, vec![new], true)));
        assert_eq!((library.len(), library.progress), (1, (3, 3, true)));
        let id = library.hits[0].id.clone();
        assert_eq!(library.update(Input::Enter), [Out::Open { id, file: "report.md".into(), line: 7 }]);
        library.update(Input::Back);
        assert_eq!((library.query.as_str(), library.len()), ("", 3));
        assert_eq!(library.update(Input::Back), [Out::Close]);
    }

    #[test]
    fn rule_2_the_selected_line_stays_selected() {
        let mut library = Library::open(&deck(), Lang::En);
        type_in(&mut library, "a");
        let hits: Vec<Hit> =
            (1..5).map(|n| hit("2026-08-24-01-choose-cache", "report.md", n, "a", "a")).collect();
        library.update(Input::Tell(&found(1, hits[1..3].to_vec(), false)));
        library.update(Input::Down);
        assert_eq!(library.hits[library.selected].line, 3);
        library.update(Input::Tell(&found(1, hits, true)));
        assert_eq!(library.hits[library.selected].line, 3);
    }

    #[test]
    fn ui_library_facets_narrow_sessions_and_search() {
        let mut library = Library::open(&deck(), Lang::En);
        let shown: Vec<String> = library.facets.iter().map(|f| format!("{} {}", f.value, f.count)).collect();
        assert_eq!(
            shown,
            ["agreed 2", "not-agreed 1", "codex 2", "kimi 2", "2026-08 2", "2026-07 1", "WP-142 1"]
        );
        library.update(Input::Tab);
        library.update(Input::Char(' '));
        (0..3).for_each(|_| drop(library.update(Input::Down)));
        library.update(Input::Enter);
        let ids: Vec<&str> = library.sessions().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["2026-07-02-01-log"]);
        library.update(Input::Down);
        library.update(Input::Enter);
        library.update(Input::Tab);
        assert_eq!(library.sessions().count(), 0);
        let outs = type_in(&mut library, "x");
        let want = "x class:agreed vendor:kimi since:2026-08 until:2026-08";
        assert_eq!(outs, [Out::ask(Ask::Search { seq: 4, query: want.into(), limit: LIMIT })]);
    }
}
