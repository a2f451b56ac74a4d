//! The write token, replayed from the turns (group P). Bookkeeping only: who speaks, writes files or implements does
//! not depend on it, and no consensus does (PC-390, PC-395).

use super::meta::{Handoff, Meta};
use super::order::is_discovery_reply;
use super::turn::Turn;

/// The holder as `meta.yaml` spells the writer (AMB-57).
pub const WRITER: &str = "writer_agent";

/// Where the token is and how it came there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// [`WRITER`] or a peer's agent id, as `write_token_holder` spells it.
    pub holder: String,
    /// Every confirmed hand-off, in order.
    pub history: Vec<Handoff>,
    /// An offer that still waits for its addressee.
    pub pending: Option<Offer>,
    /// Offers and acceptances without effect, one line each for the pilot (PC-391, PC-395).
    pub voids: Vec<String>,
}

/// An effective offer. `from` and `to` are agent ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub round: u32,
    pub from: String,
    pub to: String,
    pub reason: String,
}

/// Replays the turns, which come in speaking order. Of `meta` only the participants are read: `writer_agent`,
/// `peer_agents`, `round_order`, `failed` and `peer_failures`. A turn-loop has no hand-offs (PC-375).
pub fn replay<'a>(turns: impl IntoIterator<Item = &'a Turn>, meta: &Meta) -> Token {
    let mut replay =
        Replay { meta, holder: Seat::Writer, pending: None, history: Vec::new(), voids: Vec::new() };
    if meta.round_order.len() >= 2 {
        turns.into_iter().for_each(|turn| replay.turn(turn));
    }
    replay.end()
}

/// A participant: the writer or the peer with this index in `round_order`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seat {
    Writer,
    Peer(usize),
}

struct Replay<'m> {
    meta: &'m Meta,
    holder: Seat,
    /// Round, addressee, reason. The offerer is always the holder.
    pending: Option<(u32, Seat, String)>,
    history: Vec<Handoff>,
    voids: Vec<String>,
}

impl Replay<'_> {
    fn turn(&mut self, turn: &Turn) {
        // Markers in the opening and in discovery do not count (PC-376).
        if is_discovery_reply(turn)
            || turn.name.number == 0
            || (turn.name.number == 1 && turn.settles_roles())
        {
            return;
        }
        let Some(speaker) = self.speaker(turn) else { return };
        let found = turn.markers();
        // The addressee's turn ends the offer either way (PC-394).
        let offered = self.pending.take_if(|(_, to, _)| *to == speaker);
        match offered {
            Some((_, _, reason)) if found.accept => {
                let (from, to) = (self.agent(self.holder), self.agent(speaker));
                self.history.push(Handoff { round: turn.name.number, from, to, reason });
                self.holder = speaker;
            }
            None if found.accept => self.void(turn, "ACCEPT_HANDOFF without a pending offer"),
            _ => {}
        }
        if let Some((to, reason)) = &found.offer {
            self.offer(turn, speaker, to, reason.clone());
        }
    }

    /// An offer without effect leaves an earlier one standing.
    fn offer(&mut self, turn: &Turn, speaker: Seat, name: &str, reason: String) {
        let round = turn.name.number;
        let problem = match self.seat(name) {
            _ if speaker != self.holder => "the offerer does not hold the token",
            None => "no such participant",
            Some(to) if to == speaker => "offered to oneself",
            Some(to) if self.failed_by(to, round) => "that participant has failed",
            Some(to) => {
                self.pending = Some((round, to, reason));
                return;
            }
        };
        self.void(turn, &format!("OFFER_HANDOFF to {name}: {problem}"));
    }

    fn end(self) -> Token {
        let gone = |to: &Seat| matches!(to, Seat::Peer(at) if self.is_failed(*at));
        let pending = self.pending.as_ref().filter(|(_, to, _)| !gone(to)).map(|(round, to, reason)| Offer {
            round: *round,
            from: self.agent(self.holder),
            to: self.agent(*to),
            reason: reason.clone(),
        });
        let holder = match self.holder {
            Seat::Writer => WRITER.to_string(),
            seat => self.agent(seat),
        };
        Token { holder, history: self.history, pending, voids: self.voids }
    }

    fn speaker(&self, turn: &Turn) -> Option<Seat> {
        if turn.name.is_writer() {
            return Some(Seat::Writer);
        }
        let vendor = turn.name.vendor()?;
        self.meta.round_order.iter().position(|v| v == vendor).map(Seat::Peer)
    }

    /// An agent id, a vendor key or `writer_agent` (PC-391). Peers come first: a writer that shares its id with a peer
    /// is reached by the word.
    fn seat(&self, name: &str) -> Option<Seat> {
        let same = |other: &String| other.eq_ignore_ascii_case(name);
        if let Some(at) = self.meta.peer_agents.iter().position(same) {
            return Some(Seat::Peer(at)).filter(|_| at < self.meta.round_order.len());
        }
        if let Some(at) = self.meta.round_order.iter().position(same) {
            return Some(Seat::Peer(at));
        }
        (name.eq_ignore_ascii_case(WRITER) || same(&self.meta.writer_agent)).then_some(Seat::Writer)
    }

    fn agent(&self, seat: Seat) -> String {
        match seat {
            Seat::Writer => self.meta.writer_agent.clone(),
            Seat::Peer(at) => self.meta.peer_agents.get(at).unwrap_or(&self.meta.round_order[at]).clone(),
        }
    }

    fn is_failed(&self, at: usize) -> bool {
        self.meta.is_failed(&self.meta.round_order[at])
    }

    /// Failed in this round or earlier. What a peer did before it failed keeps its effect.
    fn failed_by(&self, seat: Seat, round: u32) -> bool {
        let Seat::Peer(at) = seat else { return false };
        let vendor = &self.meta.round_order[at];
        let last = self.meta.peer_failures.iter().rev().find(|failure| failure.vendor == *vendor);
        self.is_failed(at) && last.is_none_or(|failure| failure.round <= round)
    }

    fn void(&mut self, turn: &Turn, what: &str) {
        self.voids.push(format!("{}: {what}", turn.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::failure::Reason;
    use crate::domain::session::head::Head;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::PeerFailure;
    use crate::domain::session::turn::TurnName;

    fn meta() -> Meta {
        let mut meta = Meta::new(SessionId::parse("2026-08-24-01-x").unwrap(), "x");
        meta.round_order = vec!["codex".into(), "kimi".into()];
        meta.peer_agents = vec!["codex".into(), "kimi-headless".into()];
        meta
    }

    fn turn(file: &str, body: &str) -> Turn {
        Turn::new(TurnName::parse(file).unwrap(), Ok(Head::default()), body.into(), 0)
    }

    fn run(meta: &Meta, turns: &[(&str, &str)]) -> Token {
        let turns: Vec<Turn> = turns.iter().map(|(file, body)| turn(file, body)).collect();
        replay(&turns, meta)
    }

    #[test]
    fn pc_390_the_writer_holds_it_by_default() {
        let token = run(
            &meta(),
            &[("00-writer.md", "OFFER_HANDOFF: codex — x"), ("01-peer-codex.md", "REQUEST_HANDOFF: me")],
        );
        assert_eq!(
            token,
            Token { holder: WRITER.into(), history: vec![], pending: None, voids: vec![] },
            "PC-376, PC-393"
        );
    }

    #[test]
    fn pc_392_offer_and_acceptance() {
        let mut turns = vec![
            ("01-writer.md", "OFFER_HANDOFF: kimi — knows the client"),
            ("02-peer-codex.md", "ACCEPT_HANDOFF"),
            ("02-peer-kimi.md", "ACCEPT_HANDOFF — gladly"),
        ];
        let token = run(&meta(), &turns);
        assert_eq!(token.holder, "kimi-headless");
        assert_eq!(
            token.history,
            [Handoff {
                round: 2,
                from: "claude-code".into(),
                to: "kimi-headless".into(),
                reason: "knows the client".into(),
            }]
        );
        assert_eq!(token.pending, None);
        assert_eq!(token.voids, ["02-peer-codex.md: ACCEPT_HANDOFF without a pending offer"], "PC-395");
        turns
            .extend([("03-peer-kimi.md", "OFFER_HANDOFF: writer_agent"), ("03-writer.md", "ACCEPT_HANDOFF")]);
        let token = run(&meta(), &turns);
        assert_eq!((token.holder.as_str(), token.history.len()), (WRITER, 2));
        assert_eq!(
            (token.history[1].to.as_str(), token.history[1].round),
            ("claude-code", 3),
            "AMB-57, AMB-58"
        );
    }

    #[test]
    fn pc_391_void_offers() {
        let token = run(
            &meta(),
            &[
                ("01-peer-codex.md", "OFFER_HANDOFF: kimi"),
                ("01-writer.md", "OFFER_HANDOFF: hermes"),
                ("02-writer.md", "OFFER_HANDOFF: claude-code"),
            ],
        );
        assert_eq!(token.pending, None);
        assert_eq!(
            token.voids,
            [
                "01-peer-codex.md: OFFER_HANDOFF to kimi: the offerer does not hold the token",
                "01-writer.md: OFFER_HANDOFF to hermes: no such participant",
                "02-writer.md: OFFER_HANDOFF to claude-code: offered to oneself",
            ]
        );
    }

    #[test]
    fn pc_394_how_an_offer_ends() {
        let offer = ("01-writer.md", "OFFER_HANDOFF: codex — a");
        let pending = run(&meta(), &[offer]).pending.unwrap();
        assert_eq!((pending.to.as_str(), pending.from.as_str(), pending.round), ("codex", "claude-code", 1));
        assert!(run(&meta(), &[offer, ("02-peer-kimi.md", "text")]).pending.is_some());
        let silent =
            run(&meta(), &[offer, ("02-peer-codex.md", "text"), ("03-peer-codex.md", "ACCEPT_HANDOFF")]);
        assert_eq!((silent.pending, silent.holder.as_str(), silent.voids.len()), (None, WRITER, 1));
        let other = run(
            &meta(),
            &[offer, ("02-writer.md", "OFFER_HANDOFF: kimi"), ("03-peer-codex.md", "ACCEPT_HANDOFF")],
        );
        assert_eq!(other.pending.unwrap().to, "kimi-headless");
        assert_eq!(other.holder, WRITER);
        let void = run(&meta(), &[offer, ("02-writer.md", "OFFER_HANDOFF: nobody")]);
        assert_eq!(void.pending.unwrap().to, "codex", "an offer without effect replaces nothing");
        let mut failed = meta();
        failed.failed = vec!["codex".into()];
        assert_eq!(run(&failed, &[offer]).pending, None);
    }

    #[test]
    fn pc_391_a_later_failure_does_not_undo_a_hand_off() {
        let mut meta = meta();
        meta.failed = vec!["codex".into()];
        meta.peer_failures = vec![PeerFailure { round: 3, vendor: "codex".into(), reason: Reason::Timeout }];
        let turns = [("01-writer.md", "OFFER_HANDOFF: codex"), ("02-peer-codex.md", "ACCEPT_HANDOFF")];
        assert_eq!(run(&meta, &turns).holder, "codex");
        let token = run(&meta, &[("03-writer.md", "OFFER_HANDOFF: codex")]);
        assert_eq!(token.voids, ["03-writer.md: OFFER_HANDOFF to codex: that participant has failed"]);
    }

    #[test]
    fn pc_392_accept_and_pass_on_in_one_reply() {
        let token = run(
            &meta(),
            &[
                ("01-writer.md", "OFFER_HANDOFF: codex"),
                ("02-peer-codex.md", "ACCEPT_HANDOFF\nOFFER_HANDOFF: kimi-headless"),
                ("02-peer-kimi.md", "ACCEPT_HANDOFF"),
            ],
        );
        assert_eq!((token.holder.as_str(), token.history.len()), ("kimi-headless", 2));
    }

    #[test]
    fn pc_375_ignored_in_the_turn_loop() {
        let mut meta = meta();
        meta.round_order.clear();
        let token = run(&meta, &[("02-writer.md", "OFFER_HANDOFF: codex"), ("03-peer.md", "ACCEPT_HANDOFF")]);
        assert_eq!((token.holder.as_str(), token.voids.len()), (WRITER, 0));
    }
}
