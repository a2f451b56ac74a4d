//! The disagreement map: each objection, who holds it, where it stands and what became of it.
//!
//! A reply that dissents is one point with its strongest sentence. Its fate is read from what followed, by rule and
//! without a guess: what no rule settles is open.

use super::{is_reply, speaker};
use crate::domain::session::consensus::Stance;
use crate::domain::session::dispute::{DisputeAnswer, read_answer};
use crate::domain::session::escalation::Escalation;
use crate::domain::session::marker::{prose, without_markers};
use crate::domain::session::meta::ResultClass;
use crate::domain::session::order::reading_order;
use crate::domain::session::phase;
use crate::domain::session::slug::{brief, collapse};
use crate::domain::session::state::Session;
use crate::domain::session::turn::Turn;

/// One objection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Vendor key.
    pub holder: String,
    /// Round, or exchange in the turn-loop.
    pub round: u32,
    pub file: String,
    /// Of the file, from 1.
    pub line: u32,
    /// The strongest sentence, on one line.
    pub text: String,
    /// It says in so many words that it objects.
    pub explicit: bool,
    pub fate: Fate,
}

/// What became of a point. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Open,
    /// The writer took it up: named the holder, or accepted.
    Answered {
        file: String,
        line: u32,
    },
    /// The holder agreed or passed later.
    Withdrawn {
        file: String,
        line: u32,
    },
    /// The session closed over it.
    Overruled,
    /// It went to the pilot.
    Escalated {
        file: String,
    },
}

/// All points in the order they were made.
pub fn points(s: &Session) -> Vec<Point> {
    made(s).into_iter().map(|(point, _)| point).collect()
}

/// The objection that the pilot should read before deciding: of those whose holder has not come round, an unanswered
/// one before an answered one, a later before an earlier, an explicit one before a hint.
pub fn strongest_open(s: &Session) -> Option<Point> {
    let weight = |point: &Point| match point.fate {
        Fate::Open => 4,
        Fate::Overruled => 3,
        Fate::Escalated { .. } => 2,
        Fate::Answered { .. } => 1,
        Fate::Withdrawn { .. } => 0,
    };
    let standing = made(s).into_iter().filter(|(point, came_round)| !came_round && weight(point) > 0);
    standing.map(|(point, _)| point).rev_max(|point| (weight(point), point.round, point.explicit))
}

trait RevMax: Iterator + Sized {
    /// The first of the largest; `max_by_key` gives the last.
    fn rev_max<K: Ord>(self, key: impl Fn(&Self::Item) -> K) -> Option<Self::Item> {
        self.reduce(|best, next| if key(&next) > key(&best) { next } else { best })
    }
}

impl<I: Iterator> RevMax for I {}

/// Points, each with whether its holder agreed or passed in the end.
fn made(s: &Session) -> Vec<(Point, bool)> {
    let order = reading_order(s.turns.iter(), &s.meta.round_order);
    let mut out = Vec::new();
    let replies = order.iter().enumerate().filter(|(_, turn)| is_reply(s, turn));
    for (exchange, (at, turn)) in (1..).zip(replies) {
        if phase::stance(s, turn) != Stance::Dissents {
            continue;
        }
        let Some((line, text, explicit)) = strongest_sentence(turn) else { continue };
        let holder = speaker(s, turn);
        let round = if s.is_round_loop() { turn.name.number } else { exchange };
        let later = &order[at + 1..];
        let mine = later.iter().copied().filter(|t| is_reply(s, t) && speaker(s, t) == holder);
        let words: Vec<(&Turn, Stance)> = mine.map(|t| (t, phase::stance(s, t))).collect();
        let fate = fate(s, turn, &holder, round, later, &words);
        let came_round = words.last().is_some_and(|(_, stance)| *stance != Stance::Dissents);
        out.push((
            Point { holder, round, file: turn.name.to_string(), line, text, explicit, fate },
            came_round,
        ));
    }
    out
}

fn fate(
    s: &Session,
    turn: &Turn,
    holder: &str,
    round: u32,
    later: &[&Turn],
    words: &[(&Turn, Stance)],
) -> Fate {
    let file = turn.name.to_string();
    if turn.markers().escalate.is_some() {
        let file = s.escalation_of(&turn.name).map_or(file, Escalation::file_name);
        return Fate::Escalated { file };
    }
    let answered = answer(s, holder, later);
    let concluded = matches!(s.meta.engine_result_class, Some(ResultClass::Agreed | ResultClass::Partial));
    let came_round = words.last().is_some_and(|(_, stance)| *stance != Stance::Dissents);
    let overruled = concluded && !came_round && !accepted(s, holder, later) && !s.meta.is_failed(holder);
    // Whatever the writer replied to the last word of somebody who never came round: the session closed over it.
    if overruled && (words.is_empty() || answered.is_none()) {
        return Fate::Overruled;
    }
    if let Some((file, line)) = answered {
        return Fate::Answered { file, line };
    }
    if let Some((turn, _)) = words.iter().find(|(_, stance)| *stance != Stance::Dissents) {
        return Fate::Withdrawn { file: turn.name.to_string(), line: marker_line(turn) };
    }
    let limit = s.escalations.iter().rfind(|e| e.turn >= round && s.is_dispute(e));
    match limit {
        Some(e) if e.is_open() || matches!(read_answer(&e.response), DisputeAnswer::Decision(_)) => {
            Fate::Escalated { file: e.file_name() }
        }
        _ => Fate::Open,
    }
}

/// Words by which the writer takes a point over.
const ACCEPTS: [&str; 12] = [
    "accept",
    "adopt",
    "agree with",
    "agreed:",
    "you are right",
    "good point",
    "taken over",
    "приня",
    "приним",
    "соглас",
    "учт",
    "верно",
];

/// The first line of a later writer turn that takes the point up.
fn answer(s: &Session, holder: &str, later: &[&Turn]) -> Option<(String, u32)> {
    let peers = s.peers();
    for turn in later.iter().filter(|turn| turn.name.is_writer()) {
        let named_in_head = accepts(s, turn, holder);
        for (line, text) in lines(turn) {
            let text = format!(" {} ", text.to_lowercase());
            let names = |vendor: &str, agent: &str| has_word(&text, vendor) || has_word(&text, agent);
            let named: Vec<&str> =
                peers.iter().filter(|p| names(&p.vendor, &p.agent)).map(|p| p.vendor.as_str()).collect();
            let alone = peers.len() == 1
                && ["you", "your", "peer", "вы", "ваш", "ваше", "напарник"]
                    .iter()
                    .any(|w| has_word(&text, w));
            let takes = named.contains(&holder) || alone || (named.is_empty() && accepting(&text));
            if takes {
                return Some((turn.name.to_string(), line));
            }
        }
        if named_in_head {
            return Some((turn.name.to_string(), first_line(turn)));
        }
    }
    None
}

/// `accepts` in the frontmatter names the holder (PC-406).
fn accepts(s: &Session, turn: &Turn, holder: &str) -> bool {
    let agent = s.peer(holder).map(|peer| peer.agent).unwrap_or_default();
    turn.head.as_ref().is_ok_and(|head| head.accepts.iter().any(|name| *name == holder || *name == agent))
}

fn accepted(s: &Session, holder: &str, later: &[&Turn]) -> bool {
    later.iter().any(|turn| turn.name.is_writer() && accepts(s, turn, holder))
}

fn accepting(text: &str) -> bool {
    ACCEPTS.iter().any(|stem| {
        text.match_indices(stem).any(|(at, _)| {
            let before = &text[..at];
            let begins = before.ends_with(|c: char| !c.is_alphanumeric());
            begins && !["not ", "n't ", "cannot ", "не ", "нельзя "].iter().any(|no| before.ends_with(no))
        })
    })
}

fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let word = word.to_lowercase();
    !word.is_empty()
        && text
            .match_indices(word.as_str())
            .any(|(at, found)| !text[..at].ends_with(inside) && !text[at + found.len()..].starts_with(inside))
}

/// The line of the marker by which the holder came round, else the first of the body.
fn marker_line(turn: &Turn) -> u32 {
    let body = &turn.text[turn.body_at..];
    let is_marker = |line: &str| line.starts_with("CONSENSUS") || line.starts_with("PASS");
    let found = prose(body).find(|(_, line)| is_marker(line));
    found.map_or_else(|| first_line(turn), |(n, _)| above(turn) + n as u32)
}

/// The first line of the body that says something.
fn first_line(turn: &Turn) -> u32 {
    lines(turn).find(|(_, line)| !line.trim().is_empty()).map_or(above(turn) + 1, |(n, _)| n)
}

/// Lines of the file above the body.
fn above(turn: &Turn) -> u32 {
    turn.text[..turn.body_at].matches('\n').count() as u32
}

/// Prose lines with their numbers in the file, without markers, quotes and headings.
fn lines(turn: &Turn) -> impl Iterator<Item = (u32, &str)> {
    let above = above(turn);
    prose(&turn.text[turn.body_at..])
        .filter(|(_, line)| !line.trim_start().starts_with(['>', '#']))
        .filter(|(_, line)| line.trim().is_empty() || !without_markers(line).is_empty())
        .map(move |(n, line)| (above + n as u32, line))
}

/// Stems of an objection in so many words, and of a reason to think of one.
const EXPLICIT: [&str; 12] = [
    "disagree",
    "not agree",
    "n't agree",
    "cannot agree",
    "i object",
    "objection",
    "counter-argument",
    "counterargument",
    "against",
    "не соглас",
    "возраж",
    "контраргумент",
];
const HINTS: [&str; 16] = [
    "however",
    " but ",
    "wrong",
    "breaks",
    "cannot",
    "loses",
    "risk",
    "unsafe",
    "однако",
    " но ",
    "нельзя",
    "ломает",
    "теря",
    "риск",
    "неверно",
    "ошиб",
];
const DENIALS: [&str; 5] = ["no objection", "no further objection", "not object", "не возраж", "без возраж"];

/// A sentence of fewer words says that there is an objection, and the next one says which.
const TELLING: usize = 6;
const TEXT: usize = 240;

/// Line, text and whether it objects in so many words. `None` for a body without a word.
fn strongest_sentence(turn: &Turn) -> Option<(u32, String, bool)> {
    let sentences = sentences(lines(turn));
    let has = |stems: &[&str], text: &str| {
        let mut text = format!(" {} ", text.to_lowercase().replace('’', "'"));
        DENIALS.iter().for_each(|denial| text = text.replace(denial, ""));
        stems.iter().any(|stem| text.contains(stem))
    };
    let explicit = sentences.iter().position(|(_, text)| has(&EXPLICIT, text));
    let hinted = || sentences.iter().position(|(_, text)| has(&HINTS, text));
    let chosen = explicit.or_else(hinted).or((!sentences.is_empty()).then_some(0));
    let Some(at) = chosen else {
        // Nothing but the question to the pilot.
        let reason = turn.markers().escalate.clone()?;
        let line = prose(&turn.text[turn.body_at..]).find(|(_, line)| line.starts_with("ESCALATE"))?.0;
        return Some((above(turn) + line as u32, brief(&collapse(&reason), TEXT), false));
    };
    let (line, mut text) = sentences[at].clone();
    if let Some((_, next)) = sentences.get(at + 1).filter(|_| text.split_whitespace().count() < TELLING) {
        text = format!("{text} {next}");
    }
    Some((line, brief(&text, TEXT), explicit.is_some()))
}

/// Sentences with the line where each begins. A blank line and a list item end one.
fn sentences<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let mut open = false;
    for (line, text) in lines {
        let text = text.trim();
        let item =
            text.trim_start_matches(['-', '*', '+', '•']).trim_start_matches(|c: char| c.is_ascii_digit());
        let item = item.strip_prefix(['.', ')']).unwrap_or(item);
        let is_item = item.len() < text.len() && item.starts_with(' ');
        open &= !is_item && !text.is_empty();
        for word in if is_item { item } else { text }.split_whitespace() {
            match out.last_mut().filter(|_| open) {
                Some((_, sentence)) => {
                    sentence.push(' ');
                    sentence.push_str(word);
                }
                None => out.push((line, word.to_string())),
            }
            let bare = word.trim_end_matches(['"', '\'', '”', '»', ')', '*', '_']);
            let short =
                matches!(bare.to_lowercase().as_str(), "e.g." | "i.e." | "cf." | "т.е." | "т.к." | "напр.");
            open = !bare.ends_with(['.', '!', '?', '…']) || short;
        }
    }
    out
}
