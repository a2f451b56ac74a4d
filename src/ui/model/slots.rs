//! Number keys of sessions: one that is to go on has a number from 1 to 9 and keeps it as long as that holds, whatever the
//! deck does around it and whoever looks next.

use super::deck::Deck;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::engine::wire::Row;
use std::collections::BTreeMap;

/// There are so many number keys.
pub const SLOTS: u8 = 9;

/// Which session has which number.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Slots(BTreeMap<u8, SessionId>);

impl Slots {
    /// Takes numbers from sessions that are over or gone and gives free ones to those that have none, the oldest first.
    /// True when something changed.
    pub fn deal(&mut self, deck: &Deck) -> bool {
        let before = self.clone();
        self.0.retain(|_, id| deck.row(id).is_some_and(wants));
        for row in deck.rows.iter().rev().filter(|row| wants(row)) {
            let free = (1..=SLOTS).find(|slot| !self.0.contains_key(slot));
            let Some(free) = free.filter(|_| self.of(&row.id).is_none()) else { continue };
            self.0.insert(free, row.id.clone());
        }
        *self != before
    }

    pub fn of(&self, id: &SessionId) -> Option<u8> {
        self.0.iter().find(|(_, has)| *has == id).map(|(slot, _)| *slot)
    }

    pub fn session(&self, slot: u8) -> Option<&SessionId> {
        self.0.get(&slot)
    }
}

/// It waits for somebody, or runs, or stands still on its way.
fn wants(row: &Row) -> bool {
    !row.foreign && (row.status == Status::Started || !row.questions.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::model::tests::{id, row};

    fn deck(names: &[&str]) -> Deck {
        Deck { rows: names.iter().map(|name| row(1, name, "codex")).collect(), ..Deck::default() }
    }

    #[test]
    fn complaint_22_a_session_keeps_its_number() {
        let mut deck = deck(&["c", "b", "a"]);
        let mut slots = Slots::default();
        assert!(slots.deal(&deck) && !slots.deal(&deck));
        let of = |slots: &Slots| ["a", "b", "c", "d"].map(|name| slots.of(&id(1, name)));
        assert_eq!(of(&slots), [Some(1), Some(2), Some(3), None]);
        // Another order and a session that is over move nobody.
        deck.rows.reverse();
        deck.rows[0].status = Status::Completed;
        assert!(slots.deal(&deck));
        assert_eq!(of(&slots), [None, Some(2), Some(3), None]);
        deck.rows.insert(0, row(1, "d", "codex"));
        slots.deal(&deck);
        assert_eq!(of(&slots), [None, Some(2), Some(3), Some(1)]);
        assert_eq!(slots.session(2), Some(&id(1, "b")));
    }

    #[test]
    fn complaint_22_there_may_be_more_sessions_than_keys() {
        let names: Vec<String> = (0..12).map(|n| format!("s{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut slots = Slots::default();
        slots.deal(&deck(&names));
        assert_eq!((1..=SLOTS).filter(|n| slots.session(*n).is_some()).count(), 9);
    }
}
