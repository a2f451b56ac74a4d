//! The deck: the newest sessions, with what waits in them. Only sessions that are not finished are read; the others
//! come from the index.

use super::{Hub, locked, spend};
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::{current_round, exchanges, shown};
use crate::domain::session::state::Session;
use crate::domain::time::Stamp;
use crate::engine::questions::open_questions;
use crate::engine::wire::{Owner, Row, Tell, View};
use crate::store::list::{self, Listed};
use crate::store::load;
use crate::store::lock::EngineLock;
use std::time::Duration;

/// So many of the newest finished sessions are read for their time and result; the index knows neither.
const FINISHED: usize = 24;
/// Changes within this time are told together.
const BATCH: Duration = Duration::from_millis(150);

/// What the screens know.
#[derive(Default)]
pub struct Deck {
    rows: Vec<Row>,
    total: usize,
}

/// Tells the screens whenever something changed.
pub async fn keep(hub: Hub) {
    loop {
        hub.shared.deck_dirty.notified().await;
        tokio::time::sleep(BATCH).await;
        if locked(&hub.shared.clients).values().any(|c| c.deck > 0) {
            refresh(&hub).await;
        }
    }
}

/// Builds the deck anew; sends it when it is different.
pub async fn refresh(hub: &Hub) {
    let limit = locked(&hub.shared.clients).values().map(|c| c.deck).max().unwrap_or(0);
    if limit == 0 {
        return;
    }
    let builder = hub.clone();
    let built = tokio::task::spawn_blocking(move || {
        let deck = build(&builder, limit);
        let ids: Vec<SessionId> = deck.rows.iter().map(|row| row.id.clone()).collect();
        spend::refresh(&builder, &ids);
        deck
    })
    .await;
    let Ok(deck) = built else { return };
    let changed = {
        let mut known = locked(&hub.shared.deck);
        let changed = known.rows != deck.rows || known.total != deck.total;
        *known = deck;
        changed
    };
    if changed {
        send(hub, None);
    }
}

/// Sends the deck to one screen, or to all that want it.
pub fn send(hub: &Hub, only: Option<u64>) {
    let clients: Vec<(u64, usize)> = locked(&hub.shared.clients)
        .iter()
        .filter(|(id, c)| c.deck > 0 && only.is_none_or(|o| o == **id))
        .map(|(id, c)| (*id, c.deck))
        .collect();
    for (client, limit) in clients {
        let tell = {
            let deck = locked(&hub.shared.deck);
            Tell::Deck { rows: deck.rows.iter().take(limit).cloned().collect(), total: deck.total }
        };
        hub.tell(client, tell);
    }
}

fn build(hub: &Hub, limit: usize) -> Deck {
    let setting = &hub.shared.setting;
    let listed = list::newest(&setting.layout, limit);
    let desk = setting.registry().ok().map(|registry| setting.desk(registry, None));
    let mut read = 0;
    let rows: Vec<Row> = listed
        .into_iter()
        .filter_map(|l| {
            if let Some(view) = live_view(hub, &l.id) {
                return Some(from_view(&view));
            }
            let finished =
                l.row.as_ref().is_some_and(|r| matches!(r.status.as_str(), "completed" | "interrupted"));
            read += 1;
            if (finished && read > FINISHED) || l.foreign {
                return Some(from_index(&l));
            }
            let loaded = load::load_listed(&setting.layout, &l).ok()?;
            let owner = match EngineLock::holder(&setting.layout.runtime(&l.id)) {
                Some((pid, _)) => Owner::Other { pid },
                None => Owner::Nobody,
            };
            let questions = desk.as_ref().map(|d| open_questions(&loaded.session, d)).unwrap_or_default();
            Some(Row { questions, owner, ..from_session(&loaded.session) })
        })
        .collect();
    Deck { total: rows.len(), rows }
}

fn live_view(hub: &Hub, id: &SessionId) -> Option<View> {
    let live = locked(&hub.shared.live).contains_key(id);
    if live { locked(&hub.shared.views).get(id).cloned() } else { None }
}

fn from_view(view: &View) -> Row {
    let speaking = view.session.live.running.as_ref().map(|call| {
        let who = call.vendor.clone().unwrap_or_else(|| view.session.meta.writer_agent.clone());
        (who, view.running.as_ref().map(|run| run.since).unwrap_or_default())
    });
    Row { questions: view.questions.clone(), owner: Owner::Here, speaking, ..from_session(&view.session) }
}

fn from_session(s: &Session) -> Row {
    let peers: Vec<String> = s.peers().into_iter().map(|p| p.vendor).collect();
    let at = if s.is_round_loop() {
        (current_round(s), s.meta.rounds_limit)
    } else {
        (exchanges(s), s.meta.turns_limit)
    };
    // What a peer says about the time is a claim; the writer's turns carry ours.
    let ours = s.turns.iter().filter(|t| t.name.is_writer());
    let spoken = ours.filter_map(|t| Stamp::parse(&t.head.as_ref().ok()?.timestamp)).max();
    let spoken = Stamp::parse(&s.meta.end_time).max(spoken);
    Row {
        id: s.meta.session_id.clone(),
        task: s.meta.task_description.clone(),
        peers: peers.join("+"),
        status: s.meta.status,
        phase: shown(s).into(),
        result: s.meta.engine_result_class,
        at,
        questions: Vec::new(),
        speaking: None,
        owner: Owner::Nobody,
        changed: spoken.or_else(|| Stamp::parse(&s.meta.start_time)).unwrap_or_default(),
        escalations: s.meta.escalations_count,
        foreign: false,
    }
}

fn from_index(l: &Listed) -> Row {
    let cell = |f: fn(&crate::store::index::Row) -> &String| {
        l.row.as_ref().map(|r| f(r).clone()).unwrap_or_default()
    };
    let peers = l.row.as_ref().map_or("", |r| r.peers().unwrap_or(&r.agents)).to_string();
    let day = Stamp::parse(&format!("{}T00:00:00Z", l.id.date())).unwrap_or_default();
    Row {
        id: l.id.clone(),
        task: cell(|r| &r.task),
        peers,
        status: Status::parse(&cell(|r| &r.status)).unwrap_or_default(),
        phase: String::new(),
        result: None,
        at: (cell(|r| &r.turns).trim().parse().unwrap_or(0), 0),
        questions: Vec::new(),
        speaking: None,
        owner: Owner::Nobody,
        changed: day,
        escalations: cell(|r| &r.escalations).trim().parse().unwrap_or(0),
        foreign: l.foreign,
    }
}
