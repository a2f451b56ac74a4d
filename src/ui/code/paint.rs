//! The colours of a diff's lines. Both sides are read: what went continues what went before it, what came the new text.
//! A hunk begins anew, because what stands above it is not there.

use super::{Class, Run, Runs};
use crate::ui::model::pipeline::doc::{Doc, Kind};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Rows between two remembered states.
const EVERY: usize = 256;

/// A longer line is data and not code, and patterns may take very long on it.
const LONGEST: usize = 2_000;

/// Colours documents; of the one it is at it remembers how far it has read.
pub struct Painter {
    set: SyntaxSet,
    classes: Vec<(Scope, Option<Class>)>,
    doc: Arc<Doc>,
    /// By row: the state before it.
    states: BTreeMap<usize, Sides>,
}

/// The states of both sides.
#[derive(Clone)]
struct Sides {
    new: State,
    /// `None` while both sides are the same.
    old: Option<State>,
}

#[derive(Clone, PartialEq)]
struct State {
    parse: ParseState,
    scopes: ScopeStack,
}

impl Painter {
    pub fn new() -> Painter {
        Painter {
            set: two_face::syntax::extra_newlines(),
            classes: classes(),
            doc: Arc::new(Doc::default()),
            states: BTreeMap::new(),
        }
    }

    /// The colours of these rows; `None` when `stop` said so meanwhile. What was read until then is not read again.
    pub fn paint(
        &mut self,
        doc: &Arc<Doc>,
        rows: Range<usize>,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Runs>> {
        if !Arc::ptr_eq(&self.doc, doc) {
            (self.doc, self.states) = (doc.clone(), BTreeMap::new());
        }
        let rows = rows.start..rows.end.min(doc.rows.len());
        let mut out = Vec::with_capacity(rows.len());
        let mut at = self.begin(rows.start);
        let mut sides = self.states.get(&at).cloned();
        while at < rows.end {
            if at.is_multiple_of(EVERY) {
                if stop() {
                    return None;
                }
                if let Some(sides) = &sides {
                    self.states.insert(at, sides.clone());
                }
            }
            let row = &doc.rows[at];
            let text = doc.text(row);
            let runs = match row.kind {
                Kind::Head => {
                    sides = self.syntax(row.file, at).map(Sides::new);
                    Runs::default()
                }
                Kind::File => {
                    sides = None;
                    Runs::default()
                }
                Kind::Same | Kind::Gone | Kind::Came => match &mut sides {
                    Some(sides) => self.line(sides, row.kind, text),
                    None => Runs::default(),
                },
                Kind::Gate | Kind::Note => Runs::default(),
            };
            if at >= rows.start {
                out.push(runs);
            }
            at += 1;
        }
        Some(out)
    }

    /// The nearest row at or above this one where the state is known.
    fn begin(&self, row: usize) -> usize {
        let known = self.states.range(..=row).next_back().map_or(0, |(at, _)| *at);
        let head = self
            .doc
            .rows
            .get(known..row)
            .and_then(|above| above.iter().rposition(|r| matches!(r.kind, Kind::Head | Kind::File)));
        head.map_or(known, |n| known + n)
    }

    fn syntax(&self, file: u32, head: usize) -> Option<&SyntaxReference> {
        let patch = self.doc.patches.get(file as usize)?;
        let name = patch.path.rsplit('/').next()?;
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let first = || {
            let row = self.doc.rows.get(head + 1).filter(|r| r.old == 1 || r.new == 1)?;
            let line = Some(self.doc.text(row)).filter(|l| l.len() <= LONGEST)?;
            self.set.find_syntax_by_first_line(line)
        };
        let found = self.set.find_syntax_by_extension(name);
        let found = found.or_else(|| self.set.find_syntax_by_extension(extension?)).or_else(first)?;
        (found.name != "Plain Text").then_some(found)
    }

    fn line(&self, sides: &mut Sides, kind: Kind, text: &str) -> Runs {
        if text.len() > LONGEST {
            return Runs::default();
        }
        let line = format!("{text}\n");
        match kind {
            Kind::Gone => {
                let old = sides.old.get_or_insert_with(|| sides.new.clone());
                self.read(old, &line)
            }
            Kind::Came => {
                sides.old.get_or_insert_with(|| sides.new.clone());
                self.read(&mut sides.new, &line)
            }
            _ => {
                if let Some(old) = &mut sides.old {
                    self.read(old, &line);
                }
                let runs = self.read(&mut sides.new, &line);
                sides.old.take_if(|old| *old == sides.new);
                runs
            }
        }
    }

    /// A line that the syntax cannot be applied to is plain.
    fn read(&self, state: &mut State, line: &str) -> Runs {
        let Ok(ops) = state.parse.parse_line(line, &self.set) else { return Runs::default() };
        let mut runs: Vec<Run> = Vec::new();
        let mut from = 0;
        let end = line.len() - 1;
        let mut piece = |scopes: &ScopeStack, range: Range<usize>| {
            let Some(class) = self.class(scopes).filter(|_| range.start < range.end) else { return };
            let at = range.start as u32..range.end as u32;
            match runs.last_mut() {
                Some(last) if last.class == class && last.at.end == at.start => last.at.end = at.end,
                _ => runs.push(Run { at, class }),
            }
        };
        for (to, op) in &ops {
            let to = (*to).min(end);
            piece(&state.scopes, from..to);
            from = to;
            if state.scopes.apply(op).is_err() {
                break;
            }
        }
        piece(&state.scopes, from..end);
        runs.into()
    }

    /// What the innermost scope says that says anything.
    fn class(&self, scopes: &ScopeStack) -> Option<Class> {
        let known = |scope: &Scope| self.classes.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
        scopes.as_slice().iter().rev().find_map(known).and_then(|(_, class)| *class)
    }
}

impl Default for Painter {
    fn default() -> Painter {
        Painter::new()
    }
}

impl Sides {
    fn new(syntax: &SyntaxReference) -> Sides {
        Sides { new: State { parse: ParseState::new(syntax), scopes: ScopeStack::new() }, old: None }
    }
}

/// Prefixes of scopes, the longer ones first; `None` says that the piece is plain whatever it stands in.
fn classes() -> Vec<(Scope, Option<Class>)> {
    use Class::{Comment, Keyword, Name, String};
    let all = [
        ("comment", Some(Comment)),
        ("meta.interpolation", None),
        ("keyword.operator.word", Some(Keyword)),
        ("keyword.operator", None),
        ("keyword", Some(Keyword)),
        ("storage", Some(Keyword)),
        ("variable.language", Some(Keyword)),
        ("string", Some(String)),
        ("constant", Some(String)),
        ("markup.raw", Some(String)),
        ("markup.heading", Some(Name)),
        ("entity.name", Some(Name)),
        ("entity.other.attribute-name", Some(Name)),
        ("support.function", Some(Name)),
        ("support.type", Some(Name)),
        ("support.class", Some(Name)),
        ("variable.function", Some(Name)),
    ];
    all.into_iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, class))).collect()
}

#[cfg(test)]
mod tests;
