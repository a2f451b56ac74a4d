//! What changed since the pilot looked: a mark for each session and a few lines about what came after it.

use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::consensus::Stance;
use crate::domain::session::id::SessionId;
use crate::domain::session::order::is_discovery_reply;
use crate::domain::session::phase;
use crate::domain::session::state::{Session, apply};
use crate::domain::spent::Spent;
use crate::engine::wire::Event;
use std::collections::BTreeMap;

/// The last event that the pilot saw of each session. Kept by whoever keeps the screen's state; a session without a
/// mark is all new.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Seen(BTreeMap<SessionId, u64>);

impl Seen {
    pub fn of(&self, id: &SessionId) -> u64 {
        self.0.get(id).copied().unwrap_or(0)
    }

    /// The pilot saw everything up to this number. The mark never goes back.
    pub fn mark(&mut self, id: &SessionId, seq: u64) {
        let mark = self.0.entry(id.clone()).or_insert(0);
        *mark = seq.max(*mark);
    }
}

/// A participant that thinks otherwise than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flip {
    pub vendor: String,
    pub round: u32,
    /// `agrees`, `passes` or `objects`.
    pub from: &'static str,
    pub to: &'static str,
}

/// What came after a mark.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Digest {
    /// Names of the new turn files.
    pub turns: Vec<String>,
    pub flips: Vec<Flip>,
    /// Questions that were asked and still stand, and results.
    pub gates: Vec<String>,
    /// Vendors whose calls failed.
    pub failures: Vec<String>,
    /// USD as far as vendors told it; `None` = unknown.
    pub cost_usd: Option<f64>,
    /// Output tokens as far as told; `None` = unknown.
    pub tokens: Option<u64>,
    /// Calls whose cost nobody told.
    pub untold: usize,
}

impl Digest {
    pub fn is_empty(&self) -> bool {
        *self == Digest::default()
    }

    /// At most five lines.
    pub fn lines(&self, lang: Lang) -> Vec<String> {
        let mut out = Vec::new();
        let mut say = |en: &str, ru: &str, what: &[String]| {
            if !what.is_empty() {
                out.push(format!("{} {}", lang.pick(en, ru), what.join(", ")));
            }
        };
        say("new turns:", "новые реплики:", &self.turns);
        let flips: Vec<String> = self
            .flips
            .iter()
            .map(|flip| format!("{} {} → {}", flip.vendor, word(flip.from, lang), word(flip.to, lang)))
            .collect();
        say("changed their mind:", "передумали:", &flips);
        say("gates:", "решения:", &self.gates);
        say("failed:", "сбои:", &self.failures);
        if self.cost_usd.is_some() || self.tokens.is_some() || self.untold > 0 {
            let cost = self.cost_usd.map_or("—".to_string(), |cost| format!("${cost:.2}"));
            let tokens = self.tokens.map_or("—".to_string(), |n| n.to_string());
            let more = if self.untold > 0 { lang.pick(" at least", " не меньше") } else { "" };
            let unit = lang.pick("tok", "ток.");
            say("spent:", "расход:", &[format!("{cost}{more} · {tokens} {unit}")]);
        }
        out
    }
}

fn word(stance: &str, lang: Lang) -> &str {
    match (stance, lang) {
        ("agrees", Lang::Ru) => "согласен",
        ("passes", Lang::Ru) => "пас",
        ("objects", Lang::Ru) => "возражает",
        _ => stance,
    }
}

/// Sums up the events behind `seen`.
pub fn digest(events: &[Event], seen: u64) -> Digest {
    let mut out = Digest::default();
    let mut session: Option<Session> = None;
    let mut stances: BTreeMap<String, &'static str> = BTreeMap::new();
    let mut asked: Option<String> = None;
    for event in events {
        match (&event.fact, &mut session) {
            (Fact::Began { meta, .. }, _) => session = Some(Session::new((**meta).clone())),
            (fact, Some(session)) => apply(session, fact),
            _ => {}
        }
        let new = event.seq > seen;
        match &event.fact {
            Fact::Spoke { turn } => {
                if new {
                    out.turns.push(turn.name.to_string());
                }
                let discovery =
                    session.as_ref().is_some_and(|s| s.is_round_loop()) && is_discovery_reply(turn);
                if let (true, false, Some(session)) = (turn.name.is_peer(), discovery, &session) {
                    let vendor = turn.name.vendor().unwrap_or("peer").to_string();
                    let stance = match phase::stance(session, turn) {
                        Stance::Agrees(_) => "agrees",
                        Stance::Passes => "passes",
                        Stance::Dissents => "objects",
                    };
                    let before = stances.insert(vendor.clone(), stance);
                    if let Some(from) = before.filter(|before| *before != stance && new) {
                        out.flips.push(Flip { vendor, round: turn.name.number, from, to: stance });
                    }
                }
                asked = None;
            }
            Fact::Asked { question } if new => asked = Some(question.id.clone()),
            Fact::LoopEnded { class, .. } if new => out.gates.push(class.key().to_string()),
            Fact::GateClosed { decision, .. } => {
                asked = None;
                if new {
                    out.gates.push(decision.key().to_string());
                }
            }
            Fact::EscalationAnswered { .. }
            | Fact::Retried
            | Fact::Cleared { .. }
            | Fact::Permitted { .. }
            | Fact::Reactivated { .. }
            | Fact::Clarified { .. }
            | Fact::ReservedAnswered { .. }
            | Fact::CloseSignalled
            | Fact::Extended { .. }
            | Fact::Reflected { .. }
            | Fact::Interrupted { .. } => asked = None,
            Fact::Rejected { vendor, .. } | Fact::Skipped { vendor, .. } if new => {
                out.failures.push(vendor.clone())
            }
            Fact::CallFailed { call, .. } if new => {
                out.failures.push(call.vendor.clone().unwrap_or_else(|| "writer".into()));
            }
            Fact::CallEnded { call, usage, .. } if new && Spent::counts(call, usage.as_ref()) => {
                let usage = usage.as_ref();
                if let Some(cost) = usage.and_then(|usage| usage.cost_usd) {
                    *out.cost_usd.get_or_insert(0.0) += cost;
                } else {
                    out.untold += 1;
                }
                if let Some(tokens) = usage.and_then(|usage| usage.output) {
                    *out.tokens.get_or_insert(0) += tokens;
                }
            }
            _ => {}
        }
    }
    out.gates.extend(asked.map(|id| format!("? {id}")));
    out.failures.dedup();
    out
}
