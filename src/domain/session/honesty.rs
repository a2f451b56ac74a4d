//! Who really agreed: the honesty line over a result, and the map of what was held against it.
//!
//! Everything here follows from markers, roles and turn files, so the same files always give the same line. Nothing is
//! judged: a call that condenses these lines must say so and link them.

mod echo;
pub mod points;

pub use points::{Fate, Point, points, strongest_open};

use super::consensus::Stance;
use super::failure::Reason;
use super::meta::ResultClass;
use super::order::{is_discovery_reply, reading_order};
use super::phase;
use super::state::{Peer, Session};
use super::turn::Turn;
use crate::domain::lang::Lang;

/// What an invited peer did in the round that decides, or in the last one so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Agrees,
    Passes,
    Dissents,
    /// Gave no reply in this round (PC-350).
    Skipped,
    /// Out of the session (PC-351), with the reason of the last failure.
    Failed(Option<Reason>),
    /// Not called yet in this round.
    Waits,
}

/// One invited peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub vendor: String,
    pub agent: String,
    pub part: Part,
    /// Gave at least one reply that counts; an answer about its role does not.
    pub spoke: bool,
    /// Its last reply is mostly the writer's own words.
    pub repeats: bool,
    /// Rounds without a reply.
    pub skips: Vec<u32>,
}

/// What the result rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// No result yet.
    Open,
    /// All counted peers agreed or passed (PC-401).
    Consensus,
    /// The writer closed the round although these vendors dissented (PC-406).
    WriterOver(Vec<String>),
    /// PC-422.
    Majority,
    NotAgreed,
    /// The pilot decided.
    Escalated,
}

/// Something that makes a result weaker than its heading sounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    Failed(String),
    Skipped(String),
    Repeats(String),
    /// All peers, or all that spoke and the writer, are of this family.
    OneVendor(String),
}

/// The participants of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// In calling order.
    pub seats: Vec<Seat>,
    pub basis: Basis,
    pub doubts: Vec<Doubt>,
}

/// Reads the panel off the files.
pub fn panel(s: &Session) -> Panel {
    let order = reading_order(s.turns.iter(), &s.meta.round_order);
    let round = phase::current_round(s);
    let seats: Vec<Seat> = s.peers().into_iter().map(|peer| seat(s, &order, peer, round)).collect();
    let basis = basis(s, &seats);
    let doubts = doubts(s, &seats);
    Panel { seats, basis, doubts }
}

impl Panel {
    pub fn invited(&self) -> usize {
        self.seats.len()
    }

    pub fn spoke(&self) -> usize {
        self.seats.iter().filter(|seat| seat.spoke).count()
    }

    /// Different vendors among those that spoke.
    pub fn vendors(&self) -> usize {
        let mut families: Vec<&str> =
            self.seats.iter().filter(|seat| seat.spoke).map(|seat| family(&seat.vendor)).collect();
        families.sort_unstable();
        families.dedup();
        families.len()
    }

    /// Recording this result takes one more key, because the panel was less than it looks.
    pub fn needs_extra_key(&self) -> bool {
        let result = matches!(self.basis, Basis::Consensus | Basis::Majority | Basis::WriterOver(_));
        result && !self.doubts.is_empty()
    }

    /// `3 invited · 2 spoke · 1 vendor`.
    pub fn short(&self, lang: Lang) -> String {
        let (invited, spoke, vendors) = (self.invited(), self.spoke(), self.vendors());
        match lang {
            Lang::En => {
                let s = if vendors == 1 { "" } else { "s" };
                format!("{invited} invited · {spoke} spoke · {vendors} vendor{s}")
            }
            Lang::Ru => format!(
                "{} · {} · {}",
                counted(invited, ["приглашён", "приглашены", "приглашено"]),
                counted(spoke, ["высказался", "высказались", "высказалось"]),
                counted(vendors, ["вендор", "вендора", "вендоров"]),
            ),
        }
    }

    /// `Consensus — 2 of 3: codex agrees, kimi passed, hermes failed (exit_1) · 2 vendors`. The basis, everybody by
    /// name, and what is doubtful.
    pub fn heading(&self, lang: Lang) -> String {
        let basis = match &self.basis {
            Basis::Open => lang.pick("No result yet", "Итога пока нет").to_string(),
            Basis::Consensus => lang.pick("Consensus", "Консенсус").to_string(),
            Basis::WriterOver(who) if who.is_empty() => {
                lang.pick("Closed by the writer alone", "Закрыто одним писателем").to_string()
            }
            Basis::WriterOver(who) => {
                let over = lang.pick("Closed by the writer over", "Закрыто писателем вопреки возражению:");
                format!("{over} {}", who.join(", "))
            }
            Basis::Majority => lang.pick("Majority", "Большинство").to_string(),
            Basis::NotAgreed => lang.pick("Not agreed", "Согласия нет").to_string(),
            Basis::Escalated => lang.pick("Decided by the pilot", "Решил пилот").to_string(),
        };
        let consents = |seat: &&Seat| matches!(seat.part, Part::Agrees | Part::Passes);
        let count = self.seats.iter().filter(consents).count();
        let of = lang.pick("of", "из");
        let everybody: Vec<String> = self.seats.iter().map(|seat| seat.text(lang)).collect();
        let mut out = format!("{basis} — {count} {of} {}: {}", self.invited(), everybody.join(", "));
        let one = self.doubts.iter().find_map(|doubt| match doubt {
            Doubt::OneVendor(family) => Some(family),
            _ => None,
        });
        match one {
            Some(family) => out.push_str(&format!(" · {}: {family}", lang.pick("one vendor", "один вендор"))),
            None => out.push_str(&match lang {
                Lang::En if self.vendors() == 1 => " · 1 vendor".to_string(),
                Lang::En => format!(" · {} vendors", self.vendors()),
                Lang::Ru => format!(" · {}", counted(self.vendors(), ["вендор", "вендора", "вендоров"])),
            }),
        }
        out
    }
}

impl Seat {
    fn text(&self, lang: Lang) -> String {
        let what = match &self.part {
            Part::Agrees => lang.pick("agrees", "согласен").to_string(),
            Part::Passes => lang.pick("passed", "пас").to_string(),
            Part::Dissents => lang.pick("objects", "возражает").to_string(),
            Part::Skipped => lang.pick("gave no reply", "не ответил").to_string(),
            Part::Failed(reason) => {
                let failed = lang.pick("failed", "отказал");
                reason
                    .as_ref()
                    .map_or(failed.to_string(), |reason| format!("{failed} ({})", reason.text(lang)))
            }
            Part::Waits => lang.pick("has not spoken yet", "ещё не высказался").to_string(),
        };
        let repeats = if self.repeats {
            lang.pick(" in the writer's own words", " словами самого писателя")
        } else {
            ""
        };
        format!("{} {what}{repeats}", self.vendor)
    }
}

/// `claude` for `claude-code`, `kimi` for `kimi-headless` and a second entry `kimi-2`: one vendor under many names.
fn family(name: &str) -> &str {
    name.split('-').next().unwrap_or(name)
}

/// The vendor whose turn this is; the turn-loop's files name none.
fn speaker(s: &Session, turn: &Turn) -> String {
    let only = || s.peers().into_iter().next().map(|peer| peer.vendor).unwrap_or_default();
    turn.name.vendor().map_or_else(only, str::to_string)
}

/// The replies of this vendor that say something about the matter.
fn replies<'a>(s: &'a Session, order: &'a [&'a Turn], vendor: &'a str) -> impl Iterator<Item = &'a Turn> {
    order.iter().copied().filter(move |turn| is_reply(s, turn) && speaker(s, turn) == vendor)
}

fn is_reply(s: &Session, turn: &Turn) -> bool {
    turn.name.is_peer() && !(s.is_round_loop() && is_discovery_reply(turn))
}

fn seat(s: &Session, order: &[&Turn], peer: Peer, round: u32) -> Seat {
    let last = replies(s, order, &peer.vendor).last();
    // In the turn-loop every reply is the last word until the next one.
    let in_round = last.filter(|turn| !s.is_round_loop() || turn.name.number == round);
    let failure = s.meta.peer_failures.iter().rfind(|failure| failure.vendor == peer.vendor);
    let part = match in_round {
        _ if s.meta.is_failed(&peer.vendor) => Part::Failed(failure.map(|failure| failure.reason.clone())),
        _ if s.meta.skipped(round, &peer.vendor) => Part::Skipped,
        None => Part::Waits,
        Some(turn) => match phase::stance(s, turn) {
            Stance::Agrees(_) => Part::Agrees,
            Stance::Passes => Part::Passes,
            Stance::Dissents => Part::Dissents,
        },
    };
    let skips =
        s.meta.round_skips.iter().filter(|(_, vendors)| vendors.contains(&peer.vendor)).map(|(n, _)| *n);
    Seat {
        part,
        spoke: last.is_some(),
        repeats: last.is_some_and(|turn| echo::repeats(order, turn)),
        skips: skips.collect(),
        vendor: peer.vendor,
        agent: peer.agent,
    }
}

fn basis(s: &Session, seats: &[Seat]) -> Basis {
    let with = |part: fn(&Part) -> bool| seats.iter().filter(move |seat| part(&seat.part));
    match s.meta.engine_result_class {
        None => Basis::Open,
        Some(ResultClass::NotAgreed) => Basis::NotAgreed,
        Some(ResultClass::Escalated) => Basis::Escalated,
        Some(_) if s.notes.majority => Basis::Majority,
        Some(_) => {
            let dissenters: Vec<String> =
                with(|p| *p == Part::Dissents).map(|seat| seat.vendor.clone()).collect();
            let consent = with(|p| matches!(p, Part::Agrees | Part::Passes)).next().is_some();
            if dissenters.is_empty() && consent { Basis::Consensus } else { Basis::WriterOver(dissenters) }
        }
    }
}

fn doubts(s: &Session, seats: &[Seat]) -> Vec<Doubt> {
    let mut out = Vec::new();
    for seat in seats {
        match seat.part {
            Part::Failed(_) => out.push(Doubt::Failed(seat.vendor.clone())),
            Part::Skipped => out.push(Doubt::Skipped(seat.vendor.clone())),
            _ if seat.repeats => out.push(Doubt::Repeats(seat.vendor.clone())),
            _ => {}
        }
    }
    let writer = if s.notes.writer_vendor.is_empty() { &s.meta.writer_agent } else { &s.notes.writer_vendor };
    let spoke: Vec<&str> = seats.iter().filter(|seat| seat.spoke).map(|seat| family(&seat.vendor)).collect();
    let all: Vec<&str> = seats.iter().map(|seat| family(&seat.vendor)).collect();
    let same = |families: &[&str]| families.windows(2).all(|pair| pair[0] == pair[1]);
    match (all.first(), spoke.first()) {
        // One invited peer is the pilot's choice, not a weakness that the panel hides.
        (Some(one), _) if all.len() > 1 && same(&all) => out.push(Doubt::OneVendor(one.to_string())),
        (_, Some(one)) if same(&spoke) && *one == family(writer) => {
            out.push(Doubt::OneVendor(one.to_string()))
        }
        _ => {}
    }
    out
}

/// A number with the Russian word that goes with it.
fn counted(n: usize, [one, few, many]: [&str; 3]) -> String {
    let word = match (n % 10, n % 100) {
        (1, r) if r != 11 => one,
        (2..=4, r) if !(12..=14).contains(&r) => few,
        _ => many,
    };
    format!("{n} {word}")
}

#[cfg(test)]
mod tests;
