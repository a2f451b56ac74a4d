//! What drawing finds out and the next key or click needs: positions, what lies where, wrapped text.

use crate::domain::session::id::SessionId;
use crate::ui::action::Action;
use crate::ui::model::pipeline::Part;
use crate::ui::scroll::Scroll;
use crate::ui::text::prose::{Prose, joined};
use crate::ui::text::wrap;
use crate::ui::view::pipeline::flow::Flow;
use ratatui::layout::{Position, Rect};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

/// A text that scrolls.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pane {
    Deck,
    Lane(SessionId, usize),
    Question,
    Gate,
    Menu,
    Reader,
    Pipeline(Part),
    Trace,
}

/// What a click means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    Action(Action),
    Row(SessionId),
    Lane(usize),
    /// A line of the list or of the choices in front.
    Line(usize),
    Field(usize),
    Pipeline(Spot),
    Pane(Pane),
}

/// A place of the pipeline's screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Part(Part),
    File(usize),
    Finding(usize),
    Row(usize),
}

#[derive(Default)]
pub struct Layout {
    /// Rows of the front screen that stay visible under whatever lies over it.
    pub header: u16,
    pub scrolls: HashMap<Pane, Scroll>,
    /// In drawing order: what lies on top comes last.
    pub hits: Vec<(Rect, Hit)>,
    pub wraps: Wraps,
    /// The diff as it was laid out last.
    pub flow: Flow,
    /// The rows of a diff that are seen, and the stamp of their document.
    pub rows: Option<(u64, Range<usize>)>,
    /// The question of the change that stands before the pilot's eyes, under his cursor.
    pub decidable: Option<String>,
}

impl Layout {
    /// The position of a pane. Lanes begin at their end: what comes is what one wants to see.
    pub fn scroll(&mut self, pane: Pane) -> &mut Scroll {
        let follows = matches!(pane, Pane::Lane(..) | Pane::Pipeline(Part::Output));
        let begin = if follows { Scroll::following } else { Scroll::default };
        self.scrolls.entry(pane).or_insert_with(begin)
    }

    pub fn hit(&self, x: u16, y: u16) -> Option<Hit> {
        let at = Position { x, y };
        self.hits
            .iter()
            .rev()
            .find(|(area, hit)| area.contains(at) && !matches!(hit, Hit::Pane(_)))
            .map(|(_, h)| h.clone())
    }

    /// The pane under the mouse.
    pub fn pane(&self, x: u16, y: u16) -> Option<Pane> {
        let at = Position { x, y };
        self.hits.iter().rev().find_map(|(area, hit)| match hit {
            Hit::Pane(pane) if area.contains(at) => Some(pane.clone()),
            _ => None,
        })
    }

    /// Forgets a session that is no longer watched, but not where the pilot read: coming back is coming back.
    pub fn forget(&mut self, id: &SessionId) {
        self.wraps.forget(id);
    }
}

/// What a break in a text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breaks {
    /// The end of a line.
    Lines,
    /// In a paragraph nothing: it is wrapped anew.
    Prose,
}

/// Wrapped texts by session, name, width and breaks.
#[derive(Default)]
pub struct Wraps {
    whole: HashMap<(SessionId, String, u16, Breaks), Wrapped>,
    growing: HashMap<(SessionId, u16, Breaks), Growing>,
}

/// The stamp of a text and its lines.
type Wrapped = (u64, Rc<Vec<String>>);

/// So many wrapped texts are kept; a session has about a hundred files.
const KEPT: usize = 600;

/// A line without a break is wrapped piece by piece from this size on.
const PIECE: usize = 16 * 1024;

/// A text that grows at its end: what is complete is wrapped once.
#[derive(Default)]
struct Growing {
    /// Bytes that are wrapped for good, the last of them, and their lines.
    done: usize,
    edge: Vec<u8>,
    fixed: usize,
    lines: Rc<Vec<String>>,
    seen: usize,
    /// Where the paragraphs stand behind what is done.
    prose: Prose,
}

impl Wraps {
    /// The lines of a text that changes rarely.
    pub fn whole(
        &mut self,
        id: &SessionId,
        name: &str,
        text: &str,
        (width, breaks): (u16, Breaks),
    ) -> Rc<Vec<String>> {
        let stamp = stamp(text);
        let key = (id.clone(), name.to_string(), width, breaks);
        if let Some((_, lines)) = self.whole.get(&key).filter(|(known, _)| *known == stamp) {
            return lines.clone();
        }
        if self.whole.len() >= KEPT {
            self.whole.clear();
        }
        let text = text.trim_end();
        let lines = Rc::new(match breaks {
            Breaks::Lines => wrap(text, usize::from(width)),
            Breaks::Prose => wrap(&joined(text), usize::from(width)),
        });
        self.whole.insert(key, (stamp, lines.clone()));
        lines
    }

    /// The lines of a text that grows.
    pub fn growing(&mut self, id: &SessionId, text: &str, (width, breaks): (u16, Breaks)) -> Rc<Vec<String>> {
        let growing = self.growing.entry((id.clone(), width, breaks)).or_default();
        growing.take(text, usize::from(width), breaks);
        growing.lines.clone()
    }

    fn forget(&mut self, id: &SessionId) {
        self.whole.retain(|(of, ..), _| of != id);
        self.growing.retain(|(of, ..), _| of != id);
    }
}

impl Growing {
    fn take(&mut self, text: &str, width: usize, breaks: Breaks) {
        let grew = text.len() >= self.seen
            && text.as_bytes().get(..self.done).is_some_and(|d| d.ends_with(&self.edge));
        if grew && text.len() == self.seen {
            return;
        }
        if !grew {
            *self = Growing::default();
        }
        let lines = Rc::make_mut(&mut self.lines);
        lines.truncate(self.fixed);
        loop {
            let rest = &text[self.done..];
            let (whole, taken) = match (breaks, rest.rfind('\n')) {
                (Breaks::Lines, Some(at)) => (Cow::Borrowed(&rest[..=at]), at + 1),
                (Breaks::Prose, Some(at)) => match self.prose.take(&rest[..=at], false) {
                    // A paragraph without an end.
                    (_, 0) if rest.len() > PIECE => {
                        (Cow::Owned(self.prose.take(&rest[..=at], true).0), at + 1)
                    }
                    (joined, taken) => (Cow::Owned(joined), taken),
                },
                (_, None) if rest.len() > PIECE => {
                    let at = rest.floor_char_boundary(PIECE);
                    (Cow::Borrowed(&rest[..at]), at)
                }
                (_, None) => break,
            };
            if taken == 0 {
                break;
            }
            lines.extend(wrap(whole.strip_suffix('\n').unwrap_or(&whole), width));
            self.done += taken;
            self.fixed = lines.len();
        }
        self.edge = text.as_bytes()[self.done.saturating_sub(32)..self.done].to_vec();
        self.seen = text.len();
        if self.done < text.len() {
            let rest = &text[self.done..];
            match breaks {
                Breaks::Lines => lines.extend(wrap(rest, width)),
                Breaks::Prose => {
                    let (joined, _) = self.prose.clone().take(rest, true);
                    lines.extend(wrap(joined.strip_suffix('\n').unwrap_or(&joined), width));
                }
            }
        }
    }
}

/// Tells texts apart without reading all of them: their place, length, beginning and end.
fn stamp(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut hasher = DefaultHasher::new();
    (bytes.as_ptr() as usize, bytes.len()).hash(&mut hasher);
    bytes[..bytes.len().min(256)].hash(&mut hasher);
    bytes[bytes.len().saturating_sub(256)..].hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_text_wraps_like_a_whole_one() {
        let id = SessionId::new("2026-08-24", 1, "a").unwrap();
        let text = "первая строка, длинная\n\nвторая 漢字漢字漢字 и дальше\nконец без перевода";
        let mut wraps = Wraps::default();
        for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let lines = wraps.growing(&id, &text[..at], (11, Breaks::Lines));
            let whole = if at == 0 { vec![] } else { wrap(&text[..at], 11) };
            // A break at the end opens a line only when something stands in it.
            let open = text[..at].ends_with('\n');
            assert_eq!(*lines, whole[..whole.len() - usize::from(open)], "{at}");
        }
        assert_eq!(*wraps.growing(&id, "neu", (11, Breaks::Lines)), ["neu"], "begun anew");
    }

    #[test]
    fn growing_prose_wraps_like_the_whole() {
        let id = SessionId::new("2026-08-24", 1, "a").unwrap();
        let text = "a paragraph that somebody wrapped at eighty columns or so, for a reader of a wide\nscreen, and that goes on here\n\n- an item\n```\ncode\n```\nthe end";
        let mut wraps = Wraps::default();
        for at in 1..=text.len() {
            let lines = wraps.growing(&id, &text[..at], (30, Breaks::Prose));
            let whole = wrap(&joined(&text[..at]), 30);
            let open = text[..at].ends_with('\n');
            assert_eq!(*lines, whole[..whole.len() - usize::from(open)], "{at}");
        }
        let endless = "a line that is long enough to have been wrapped by somebody, and the next one too\n"
            .repeat(1000);
        let lines = wraps.growing(&id, &endless, (30, Breaks::Prose)).len();
        assert!(wraps.growing[&(id, 30, Breaks::Prose)].done > endless.len() - PIECE, "{lines}");
    }

    #[test]
    fn a_monster_line_is_wrapped_piece_by_piece() {
        let id = SessionId::new("2026-08-24", 1, "a").unwrap();
        let mut wraps = Wraps::default();
        let mut text = String::new();
        for _ in 0..100 {
            text.push_str(&"x".repeat(1_000));
            wraps.growing(&id, &text, (50, Breaks::Prose));
        }
        let lines = wraps.growing(&id, &text, (50, Breaks::Prose));
        assert_eq!(lines.iter().map(String::len).sum::<usize>(), 100_000);
    }

    #[test]
    fn a_changed_text_is_wrapped_again() {
        let id = SessionId::new("2026-08-24", 1, "a").unwrap();
        let mut wraps = Wraps::default();
        assert_eq!(wraps.whole(&id, "t", "one two", (4, Breaks::Lines))[..], ["one", "two"]);
        assert_eq!(wraps.whole(&id, "t", "one", (4, Breaks::Lines))[..], ["one"]);
    }
}
