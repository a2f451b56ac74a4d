//! A participant's lane: everything it said, in order, as blocks that wrap on their own; then the text that comes.

use super::rounds::{lane_of, numbered};
use super::watched::Watched;
use crate::domain::lang::Lang;
use crate::domain::session::evidence::{Mark, summed};
use crate::domain::session::notes::Cut;
use crate::domain::session::state::Session;
use crate::domain::session::turn::Turn;
use crate::ui::theme::Role;
use crate::ui::words;

/// Who speaks in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    /// The vendor's key, or the writer's.
    pub name: String,
    pub role: String,
    /// Empty for the writer; the key of tables by vendor.
    pub vendor: String,
}

/// A piece of a lane.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// Stable within the lane.
    pub id: String,
    pub heading: String,
    pub role: Role,
    /// From an agent, not yet safe to draw.
    pub body: &'a str,
    pub turn: Option<&'a Turn>,
}

/// The writer, then the peers in calling order.
pub fn voices(s: &Session, lang: Lang) -> Vec<Voice> {
    let role = |agent: &str, otherwise: &str| {
        let roles = s.meta.roles_of(agent).join(", ");
        if roles.is_empty() { otherwise.to_string() } else { roles }
    };
    let writer = if s.notes.writer_vendor.is_empty() { &s.meta.writer_agent } else { &s.notes.writer_vendor };
    let mut all = vec![Voice {
        name: writer.clone(),
        role: role(&s.meta.writer_agent, lang.pick("writer", "писатель")),
        vendor: String::new(),
    }];
    all.extend(s.peers().into_iter().map(|p| Voice {
        role: role(&p.agent, lang.pick("peer", "напарник")),
        name: p.vendor.clone(),
        vendor: p.vendor,
    }));
    all
}

/// What stands in a lane, oldest first.
pub fn blocks<'a>(w: &'a Watched, lane: usize, lang: Lang) -> Vec<Block<'a>> {
    let s = w.session();
    let unit = words::unit(s, lang);
    let mut out = Vec::new();
    for (number, turn) in numbered(s) {
        if lane_of(s, &turn.name) != lane {
            continue;
        }
        cuts(s, &mut out, lang, |cut| cut.call.name.as_ref() == Some(&turn.name));
        out.extend(kept_aside(s, turn, lang));
        let (facts, role) = evidence(s, turn, lang);
        out.push(Block {
            id: turn.name.to_string(),
            heading: format!("{unit} {number} · {}{facts}", turn.name),
            role,
            body: turn.body(),
            turn: Some(turn),
        });
        out.extend(near_misses(turn, lang));
        out.extend(answers(s, turn, lang));
    }
    let spoken = |cut: &Cut| cut.call.name.as_ref().is_some_and(|name| s.has(name));
    let here = |cut: &Cut| lane_of_call(s, cut.call.vendor.as_deref()) == lane && !spoken(cut);
    cuts(s, &mut out, lang, here);
    if let Some(running) = w.call.as_ref().filter(|r| lane_of_call(s, r.call.vendor.as_deref()) == lane) {
        let purpose = running.call.purpose.text(lang);
        out.push(Block {
            id: "preview".into(),
            heading: format!(
                "{unit} {} · {purpose} · {}",
                running.call.round,
                lang.pick("as it comes", "по мере поступления")
            ),
            role: Role::Running,
            body: words_of(&w.view.preview),
            turn: None,
        });
    }
    out
}

/// What became of the facts that the turn names, behind its name.
fn evidence(s: &Session, turn: &Turn, lang: Lang) -> (String, Role) {
    let Some((_, items)) = s.notes.evidence.iter().find(|(of, _)| *of == turn.name) else {
        return (String::new(), Role::Muted);
    };
    let has = |mark: Mark| items.iter().any(|item| item.mark == mark);
    let role = match (has(Mark::NotFound), has(Mark::ChangedSince)) {
        (true, _) => Role::Failed,
        (false, true) => Role::Warning,
        (false, false) => Role::Muted,
    };
    (format!(" · {}", summed(items, lang)), role)
}

/// What is said in an unfinished reply: a peer's begins with a head for the engine, which is nothing to read.
pub fn words_of(text: &str) -> &str {
    let Some(head) = text.trim_start().strip_prefix("---") else { return text };
    head.split_once("\n---").map_or("", |(_, body)| body.trim_start_matches(['-', '\r', '\n']))
}

/// The lane of a call.
pub fn lane_of_call(s: &Session, vendor: Option<&str>) -> usize {
    vendor.map_or(0, |v| s.peers().iter().position(|p| p.vendor == v).map_or(1, |n| n + 1))
}

/// What the pilot stopped, with his words, before what came of it.
fn cuts<'a>(s: &'a Session, out: &mut Vec<Block<'a>>, lang: Lang, wanted: impl Fn(&Cut) -> bool) {
    for cut in s.notes.cuts.iter().filter(|cut| wanted(cut)) {
        let heading = lang.pick("stopped, counts nothing", "остановлено, не засчитано");
        out.push(Block {
            id: cut.title(),
            heading: format!("✂ {heading} · {}", cut.title()),
            role: Role::Warning,
            body: words_of(&cut.partial),
            turn: None,
        });
        if !cut.text.is_empty() {
            out.push(Block {
                id: format!("{} words", cut.title()),
                heading: lang.pick("the pilot said:", "слова пилота:").to_string(),
                role: Role::Waiting,
                body: &cut.text,
                turn: None,
            });
        }
    }
}

/// Lines that look like a marker and are none (PC-373): the pilot would else wonder why nobody counts them.
fn near_misses<'a>(turn: &'a Turn, lang: Lang) -> Vec<Block<'a>> {
    let lines = turn.markers().near_misses.iter().enumerate();
    let heading = lang.pick("possible misformatted marker:", "возможно, неверно записанный маркер:");
    lines
        .map(|(n, line)| Block {
            id: format!("{} near-{n}", turn.name),
            heading: format!("△ {heading}"),
            role: Role::Warning,
            body: line,
            turn: None,
        })
        .collect()
}

/// Replies that did not count, before the one that did.
fn kept_aside<'a>(s: &Session, turn: &Turn, lang: Lang) -> Vec<Block<'a>> {
    let rejected = s.rejected.iter().filter(|r| r.name == turn.name);
    rejected
        .map(|r| Block {
            id: format!("{}.rejected-{}", r.name.stem(), r.k),
            heading: format!(
                "✗ {} {} · {}: {}",
                lang.pick("reply", "ответ"),
                r.k,
                lang.pick("not accepted", "не принят"),
                r.reason
            ),
            role: Role::Failed,
            body: "",
            turn: None,
        })
        .collect()
}

/// What the pilot said to an escalation of this turn.
fn answers<'a>(s: &'a Session, turn: &Turn, lang: Lang) -> Vec<Block<'a>> {
    let file = turn.name.to_string();
    let raised = s.escalations.iter().filter(|e| e.source == file);
    raised
        .map(|e| Block {
            id: e.file_name(),
            heading: if e.is_open() {
                format!(
                    "! {} {} · {}",
                    lang.pick("escalation", "эскалация"),
                    e.number,
                    lang.pick("waits for you", "ждёт тебя")
                )
            } else {
                format!(
                    "! {} {} · {}",
                    lang.pick("escalation", "эскалация"),
                    e.number,
                    lang.pick("the pilot answered", "пилот ответил")
                )
            },
            role: Role::Escalated,
            body: &e.response,
            turn: None,
        })
        .collect()
}
