//! What all sessions cost today, from their event logs. A log that did not grow is not read again.

use super::{Hub, locked};
use crate::domain::session::id::SessionId;
use crate::domain::spent::Spent;
use crate::engine::clock::{Clock, local_date};
use crate::engine::wire::Tell;
use crate::store::runtime;
use std::collections::HashMap;
use std::time::SystemTime;

/// The sums of one day.
#[derive(Default)]
pub struct Spend {
    day: String,
    /// By session: size and time of the log that was read, and what the day's calls in it cost.
    known: HashMap<SessionId, (u64, SystemTime, Spent)>,
    told: Option<Spent>,
}

/// Counts anew what changed; tells the screens when the sum did.
pub fn refresh(hub: &Hub, ids: &[SessionId]) {
    let today = local_date(Clock::System.now());
    let mut spend = std::mem::take(&mut *locked(&hub.shared.spend));
    if spend.day != today {
        spend = Spend { day: today, ..Spend::default() };
    }
    for id in ids {
        let dir = hub.shared.setting.layout.runtime(id);
        let Ok(meta) = std::fs::metadata(runtime::events_file(&dir)) else { continue };
        let Ok(time) = meta.modified() else { continue };
        let known = spend.known.get(id).is_some_and(|(size, at, _)| *size == meta.len() && *at == time);
        let written = jiff::Timestamp::try_from(time).map_or(0, |t| t.as_second());
        if known || local_date(crate::domain::time::Stamp(written)) != spend.day {
            continue;
        }
        let spent = runtime::spent(&dir, |at| local_date(at) == spend.day);
        spend.known.insert(id.clone(), (meta.len(), time, spent));
    }
    let sum = spend.known.values().fold(Spent::default(), |sum, (.., one)| sum.and(one));
    let changed = spend.told.replace(sum.clone()).is_none_or(|told| told != sum);
    *locked(&hub.shared.spend) = spend;
    if changed {
        send(hub, None);
    }
}

/// Tells one screen, or all that show the deck.
pub fn send(hub: &Hub, only: Option<u64>) {
    let Some(today) = locked(&hub.shared.spend).told.clone() else { return };
    let clients: Vec<u64> = locked(&hub.shared.clients)
        .iter()
        .filter(|(id, c)| c.deck > 0 && only.is_none_or(|o| o == **id))
        .map(|(id, _)| *id)
        .collect();
    for client in clients {
        hub.tell(client, Tell::Spend { today: today.clone() });
    }
}
