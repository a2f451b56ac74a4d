//! What each participant did in each round: one entry for everybody, also for those who gave nothing (MassGen's tabs
//! taught us: what is left out is not seen). Deterministic from turn files, markers and skips.

use crate::domain::lang::Lang;
use crate::domain::session::clean::{Pass, judge_pass};
use crate::domain::session::marker::{prose, without_markers};
use crate::domain::session::meta::Status;
use crate::domain::session::order::{is_discovery_reply, reading_order};
use crate::domain::session::phase;
use crate::domain::session::state::Session;
use crate::domain::session::turn::{Turn, TurnName};
use crate::ui::theme::Role;
use std::collections::BTreeMap;

/// One round of the round-loop or one exchange of the turn-loop; 0 is opening and discovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    pub number: u32,
    /// In speaking order: peers, then the writer. The opening is the writer's.
    pub said: Vec<Said>,
}

/// One participant's part in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// 0 is the writer.
    pub lane: usize,
    pub mark: Mark,
    /// First sentence, payload or reason; from an agent, so not yet safe to draw.
    pub text: String,
    pub file: Option<TurnName>,
}

/// What a part amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Opens,
    Roles,
    Says,
    Claims,
    Agrees,
    Passes,
    Objects,
    Escalates,
    /// No reply in this round.
    Silent,
    /// Left the session before.
    Out,
    /// Not yet due, or running.
    Due,
    /// The session ended before it came to this.
    Never,
}

impl Mark {
    /// Shape, word and role (ui.md rule 3).
    pub fn shown(self, lang: Lang) -> (&'static str, &'static str, Role) {
        let (shape, en, ru, role) = match self {
            Mark::Opens => ("○", "opens", "начинает", Role::Text),
            Mark::Roles => ("○", "role", "роль", Role::Muted),
            Mark::Says => ("·", "answers", "отвечает", Role::Text),
            Mark::Claims => ("✓", "claims consensus", "заявляет согласие", Role::Done),
            Mark::Agrees => ("✓", "agrees", "согласен", Role::Done),
            Mark::Passes => ("–", "PASS", "PASS", Role::Muted),
            Mark::Objects => ("≠", "objects", "возражает", Role::Warning),
            Mark::Escalates => ("!", "escalates", "эскалирует", Role::Escalated),
            Mark::Silent => ("✗", "no reply", "нет ответа", Role::Failed),
            Mark::Out => ("✗", "out", "выбыл", Role::Failed),
            Mark::Due => ("…", "not yet", "ещё нет", Role::Muted),
            Mark::Never => ("—", "no turn", "без хода", Role::Muted),
        };
        (shape, lang.pick(en, ru), role)
    }
}

/// All rounds so far. `reasons` says why a participant gave nothing.
pub fn rounds(s: &Session, reasons: &BTreeMap<(u32, String), String>) -> Vec<Round> {
    let mut spoken: BTreeMap<u32, Vec<Said>> = BTreeMap::new();
    for (number, turn) in numbered(s) {
        spoken.entry(number).or_default().push(said(s, turn));
    }
    let last =
        if s.is_round_loop() { phase::current_round(s) } else { spoken.keys().max().copied().unwrap_or(0) };
    let last = if s.is_round_loop() && !spoken.keys().any(|n| *n > 0) && s.meta.round_skips.is_empty() {
        0
    } else {
        last
    };
    (0..=last)
        .map(|number| {
            let mut said = spoken.remove(&number).unwrap_or_default();
            fill(s, number, last, reasons, &mut said);
            said.sort_by_key(|p| (if number == 0 { p.lane } else { p.lane.wrapping_sub(1) }, p.file.clone()));
            Round { number, said }
        })
        .collect()
}

/// Turns with the round or exchange that they belong to.
pub fn numbered(s: &Session) -> Vec<(u32, &Turn)> {
    let mut exchange = 0;
    let round_loop = s.is_round_loop();
    let number = |turn: &Turn| {
        if round_loop {
            return if is_discovery_reply(turn) || turn.settles_roles() { 0 } else { turn.name.number };
        }
        exchange += u32::from(turn.name.is_peer());
        exchange
    };
    let turns = reading_order(s.turns.iter(), &s.meta.round_order);
    let mut number = number;
    turns.into_iter().map(|turn| (number(turn), turn)).collect()
}

/// The lane of a turn's author: 0 is the writer.
pub fn lane_of(s: &Session, name: &TurnName) -> usize {
    match name.vendor() {
        Some(vendor) => s.peers().iter().position(|p| p.vendor == vendor).map_or(1, |n| n + 1),
        None => usize::from(name.is_peer()),
    }
}

fn said(s: &Session, turn: &Turn) -> Said {
    let markers = turn.markers();
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    let (mark, text) = if turn.name.is_writer() {
        match (&markers.escalate, &markers.consensus, turn.name.number) {
            (Some(_), ..) => (Mark::Escalates, of(&markers.escalate)),
            (None, Some(_), _) => (Mark::Claims, of(&markers.consensus)),
            (None, None, 0) => (Mark::Opens, first_sentence(turn)),
            _ if turn.settles_roles() => (Mark::Roles, first_sentence(turn)),
            _ => (Mark::Says, first_sentence(turn)),
        }
    } else if s.is_round_loop() && is_discovery_reply(turn) {
        let asks = markers.escalate.is_some();
        (if asks { Mark::Escalates } else { Mark::Roles }, first_sentence(turn))
    } else if markers.escalate.is_some() {
        (Mark::Escalates, of(&markers.escalate))
    } else if markers.consensus.is_some() {
        (Mark::Agrees, of(&markers.consensus))
    } else if passes(s, turn) {
        (Mark::Passes, String::new())
    } else {
        (Mark::Objects, first_sentence(turn))
    };
    Said { lane: lane_of(s, &turn.name), mark, text, file: Some(turn.name.clone()) }
}

fn passes(s: &Session, turn: &Turn) -> bool {
    match judge_pass(turn.body()) {
        Some(Pass::Clean) => true,
        Some(Pass::Suspicious) => s.notes.judged.iter().any(|(name, clean)| *name == turn.name && *clean),
        None => false,
    }
}

/// Those who said nothing get an entry too.
fn fill(
    s: &Session,
    number: u32,
    last: u32,
    reasons: &BTreeMap<(u32, String), String>,
    said: &mut Vec<Said>,
) {
    let opening_only = number == 0 && !said.iter().any(|p| p.lane > 0);
    for (n, peer) in s.peers().iter().enumerate() {
        let lane = n + 1;
        if said.iter().any(|p| p.lane == lane) || (opening_only && !s.meta.skipped(0, &peer.vendor)) {
            continue;
        }
        let why = reasons.get(&(number, peer.vendor.clone())).cloned().unwrap_or_default();
        let failed = s.meta.peer_failures.iter().find(|f| f.vendor == peer.vendor);
        let (mark, text) = match failed {
            _ if s.meta.skipped(number, &peer.vendor) => (Mark::Silent, why),
            Some(f) if f.round == number => (Mark::Silent, f.reason.to_string()),
            Some(f) if f.round < number => (Mark::Out, f.reason.to_string()),
            _ => (due(s, number, last), why),
        };
        said.push(Said { lane, mark, text, file: None });
    }
    if !said.iter().any(|p| p.lane == 0) {
        said.push(Said { lane: 0, mark: due(s, number, last), text: String::new(), file: None });
    }
}

fn due(s: &Session, number: u32, last: u32) -> Mark {
    let open = s.meta.status == Status::Started && s.meta.engine_result_class.is_none();
    if open && number == last { Mark::Due } else { Mark::Never }
}

/// The first sentence that says something: no heading, no quote, no list mark, no marker.
pub fn first_sentence(turn: &Turn) -> String {
    // Bodies may be megabytes; what the author wants to say first stands at the beginning.
    let body = turn.body();
    let head = &body[..body.floor_char_boundary(8 * 1024)];
    let bare = without_markers(head);
    let line = prose(&bare)
        .map(|(_, l)| l.trim())
        .find(|l| l.chars().any(char::is_alphanumeric) && !l.starts_with(['#', '>', '|']));
    let line = line.unwrap_or_default().trim_start_matches(['-', '*', ' ']).replace("**", "");
    match line.find(". ").or_else(|| line.find("; ")) {
        Some(end) => line[..=end].trim_end_matches(';').to_string(),
        None => line,
    }
}
