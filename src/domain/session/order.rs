//! The order in which the turns of a session were spoken (PC-234).

use super::state::Session;
use super::turn::{Turn, TurnKind};

/// Turns in reading order. `round_order` holds the vendor keys; with fewer than two the session is a turn-loop, where
/// only the number counts and the writer comes first among equals. Files of other kinds are left out: nobody spoke
/// them.
pub fn reading_order<'a>(turns: impl Iterator<Item = &'a Turn>, round_order: &[String]) -> Vec<&'a Turn> {
    let mut turns: Vec<&Turn> = turns.filter(|turn| turn.name.is_writer() || turn.name.is_peer()).collect();
    if round_order.len() < 2 {
        turns.sort_by_key(|turn| (turn.name.number, turn.name.is_peer(), turn.name.clone()));
        return turns;
    }
    // The roles are settled once. A later writer turn that repeats the key stays in its round.
    let roles = turns.iter().filter(|t| t.settles_roles() && t.name.number > 0).map(|t| t.name.clone()).min();
    turns.sort_by_cached_key(|turn| {
        let stage = match &turn.name.kind {
            TurnKind::Writer if turn.name.number == 0 => Stage::Opening,
            _ if is_discovery_reply(turn) => Stage::Discovery,
            _ if roles.as_ref() == Some(&turn.name) => Stage::Roles,
            _ => Stage::Round(turn.name.number, turn.name.is_writer()),
        };
        let rank = turn.name.vendor().and_then(|vendor| round_order.iter().position(|v| v == vendor));
        (stage, rank.unwrap_or(usize::MAX), turn.name.clone())
    });
    turns
}

/// True for a peer's answer about its role: `00-peer-<vendor>.md`, or in foreign trees `01-peer-<vendor>.md` with
/// `role_accepted`. Only for round-loops.
pub fn is_discovery_reply(turn: &Turn) -> bool {
    turn.name.is_peer()
        && match turn.name.number {
            0 => true,
            1 => turn.head.as_ref().is_ok_and(|head| head.role_accepted.is_some()),
            _ => false,
        }
}

/// Within a round the peers speak before the writer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Opening,
    Discovery,
    Roles,
    Round(u32, bool),
}

/// What the index and the summary count: turn files with one peer, rounds in which anything happened with several, discovery
/// not counted (PC-213).
pub fn length(s: &Session) -> u32 {
    if !s.is_round_loop() {
        return s.meta.turns_count;
    }
    let spoken = s.turns.iter().filter(|t| t.name.vendor().is_some()).map(|t| t.name.number);
    let skipped = s.meta.round_skips.iter().map(|(round, _)| *round);
    spoken.chain(skipped).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::head::{Head, RoleAccepted};
    use crate::domain::session::turn::TurnName;

    fn turn(file: &str, head: Head) -> Turn {
        Turn::new(TurnName::parse(file).unwrap(), Ok(head), "".into(), 0)
    }

    fn ordered(mut turns: Vec<Turn>, round_order: &[&str]) -> Vec<String> {
        let order: Vec<String> = round_order.iter().map(|v| v.to_string()).collect();
        let forward: Vec<String> =
            reading_order(turns.iter(), &order).iter().map(|t| t.name.to_string()).collect();
        turns.reverse();
        let backward: Vec<String> =
            reading_order(turns.iter(), &order).iter().map(|t| t.name.to_string()).collect();
        assert_eq!(forward, backward, "the order of the directory does not matter");
        forward
    }

    fn plain(files: &[&str]) -> Vec<Turn> {
        files.iter().map(|file| turn(file, Head::default())).collect()
    }

    #[test]
    fn pc_234_turn_loop() {
        let want =
            ["00-writer.md", "01-peer.md", "02-writer.md", "02-peer.md", "03-writer.md", "10-writer.md"];
        assert_eq!(ordered(plain(&want), &[]), want, "PC-240: literal numbering");
        assert_eq!(
            ordered(plain(&["01-peer-codex.md", "00-writer.md", "07-note.md"]), &["codex"]),
            ["00-writer.md", "01-peer-codex.md"]
        );
    }

    #[test]
    fn pc_234_round_loop() {
        let mut turns = plain(&[
            "00-writer.md",
            "00-peer-kimi.md",
            "00-peer-codex.md",
            "01-peer-kimi.md",
            "01-peer-codex.md",
            "01-peer-zeta.md",
            "01-peer-alpha.md",
            "01-writer_r1.md",
            "02-peer-codex.md",
        ]);
        let roles = Head { agreed_roles: Some(vec![]), ..Head::default() };
        turns.push(turn("01-writer.md", roles.clone()));
        turns.push(turn("02-writer.md", roles));
        assert_eq!(
            ordered(turns, &["kimi", "codex"]),
            [
                "00-writer.md",
                "00-peer-kimi.md",
                "00-peer-codex.md",
                "01-writer.md",
                "01-peer-kimi.md",
                "01-peer-codex.md",
                "01-peer-alpha.md",
                "01-peer-zeta.md",
                "01-writer_r1.md",
                "02-peer-codex.md",
                "02-writer.md",
            ]
        );
    }

    #[test]
    fn pc_234_foreign_discovery_replies() {
        let accepted = Head { role_accepted: Some(RoleAccepted::Yes), ..Head::default() };
        let turns = vec![
            turn("00-writer.md", Head::default()),
            turn("01-peer-kimi.md", accepted.clone()),
            turn("01-peer-codex.md", accepted),
            turn("01-writer.md", Head { agreed_roles: Some(vec![]), ..Head::default() }),
            turn("02-peer-codex.md", Head::default()),
        ];
        assert_eq!(
            ordered(turns, &["codex", "kimi"]),
            ["00-writer.md", "01-peer-codex.md", "01-peer-kimi.md", "01-writer.md", "02-peer-codex.md"]
        );
    }

    #[test]
    fn pc_234_writer_of_round_one_without_discovery() {
        let files =
            ["00-writer.md", "01-peer-codex.md", "01-peer-kimi.md", "01-writer.md", "02-peer-codex.md"];
        assert_eq!(ordered(plain(&files), &["codex", "kimi"]), files);
    }
}
