//! The engine process: sessions that run, screens that watch.
//!
//! Every session runs on a thread of its own; the hub only passes messages. It holds the last known view of each
//! session that somebody watches or that runs here, and tells every screen what changed. An idle hub wakes nobody but
//! its directory watch.

mod deck;
mod diff;
mod search;
mod serve;
mod session;
mod spend;
mod trace;
mod watch;

use super::run::Command;
use super::setting::Setting;
use super::wire::{Ask, Tell};
use crate::config::layers::FlagValue;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::store::lock::{LockError, ProcessLock};
use crate::store::search::{self as search_store, Shelf};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc, watch as watch_channel};

/// Tells that may wait for a slow screen. When they are full, progress is dropped and the screen gets a snapshot.
pub const TELLS: usize = 256;
/// Asks that may wait for the hub.
pub const ASKS: usize = 64;

/// A screen that does not take its good-bye for so long does not hold the engine.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(2);

/// One screen.
pub(super) struct Client {
    pub tells: mpsc::Sender<Tell>,
    /// Limit of the deck it wants, 0 = none.
    pub deck: usize,
    pub watched: BTreeSet<SessionId>,
    /// Ends the search that runs for it.
    pub search: Arc<AtomicBool>,
}

/// A session that runs in this process.
pub(super) struct Live {
    pub commands: mpsc::Sender<Command>,
}

/// Shared by all tasks of the hub.
pub(super) struct Shared {
    pub setting: Setting,
    pub clients: Mutex<HashMap<u64, Client>>,
    pub live: Mutex<HashMap<SessionId, Live>>,
    pub views: Mutex<HashMap<SessionId, super::wire::View>>,
    /// Why sessions stopped that nobody told to stop.
    pub stopped: Mutex<HashMap<SessionId, String>>,
    pub deck: Mutex<deck::Deck>,
    pub spend: Mutex<spend::Spend>,
    /// The texts that searches have read, within bounds.
    pub shelf: Shelf,
    /// A search began.
    pub searched: Notify,
    /// Something in the deck changed.
    pub deck_dirty: Notify,
    /// The last session ended, or the last screen left: perhaps it is time to go.
    pub idle: Notify,
    /// The engine shall end.
    ended: watch_channel::Sender<bool>,
    next_client: AtomicU64,
    _lock: ProcessLock,
}

/// The engine behind a screen.
#[derive(Clone)]
pub struct Hub {
    pub(super) shared: Arc<Shared>,
}

/// A lock that a panicking task left is as good as before: the data are replaced as wholes.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// One hub per sessions folder. Must be called inside a tokio runtime.
    pub fn start(setting: Setting) -> Result<Hub, LockError> {
        let lock = ProcessLock::acquire(&setting.layout.runtime_root)?;
        let shared = Arc::new(Shared {
            setting,
            clients: Mutex::default(),
            live: Mutex::default(),
            views: Mutex::default(),
            stopped: Mutex::default(),
            deck: Mutex::default(),
            spend: Mutex::default(),
            shelf: Shelf::new(search_store::CAP),
            searched: Notify::new(),
            deck_dirty: Notify::new(),
            idle: Notify::new(),
            ended: watch_channel::channel(false).0,
            next_client: AtomicU64::new(1),
            _lock: lock,
        });
        let hub = Hub { shared };
        tokio::spawn(watch::watch(hub.clone()));
        tokio::spawn(deck::keep(hub.clone()));
        tokio::spawn(search::tidy(hub.clone()));
        Ok(hub)
    }

    /// The configuration as it is now, for what begins or goes on now; the sessions folder stays. A session that runs
    /// keeps what it began with.
    pub(super) fn setting(&self) -> Result<Setting, String> {
        let known = &self.shared.setting;
        let value = known.places.sessions.to_string_lossy().into_owned();
        let flag = FlagValue { key: "sessions_dir", name: "--sessions-dir", value };
        let mut read = Setting::new(&known.cwd, &[flag]).map_err(|e| format!("{} — {}", e.cause, e.next))?;
        read.places.why = known.places.why.clone();
        Ok(Setting { layout: known.layout.clone(), ..read })
    }

    /// The language of whoever looks at the screens.
    pub(super) fn lang(&self) -> Lang {
        self.setting().map_or_else(|_| self.shared.setting.lang(), |setting| setting.lang())
    }

    /// A new screen. Dropping the sender is leaving.
    pub fn connect(&self) -> (mpsc::Sender<Ask>, mpsc::Receiver<Tell>) {
        let (asks, receiver) = mpsc::channel(ASKS);
        let (tells, told) = mpsc::channel(TELLS);
        tokio::spawn(serve::serve(self.clone(), receiver, tells));
        (asks, told)
    }

    /// Sessions that run here.
    pub fn running(&self) -> Vec<SessionId> {
        locked(&self.shared.live).keys().cloned().collect()
    }

    pub fn has_screens(&self) -> bool {
        !locked(&self.shared.clients).is_empty()
    }

    /// Resolves when no session runs and no screen is connected.
    pub async fn abandoned(&self) {
        loop {
            let notified = self.shared.idle.notified();
            if self.running().is_empty() && !self.has_screens() {
                return;
            }
            notified.await;
        }
    }

    /// Ends every session's running call and stops driving them.
    pub async fn pause_all(&self) {
        self.stop_driving(Command::Pause).await;
    }

    /// Lets every session come to its next fact boundary, keeps the list for the engine that takes over, and ends.
    pub async fn park_and_stop(&self) {
        let ids = self.stop_driving(Command::Park).await;
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        if let Ok(text) = serde_json::to_vec(&ids) {
            let _ = crate::store::write::atomic(&self.parked_file(), &text);
        }
        self.stop("a newer engine takes over");
    }

    /// Takes up what an older engine parked.
    pub async fn take_up_parked(&self) {
        let path = self.parked_file();
        let Ok(bytes) = std::fs::read(&path) else { return };
        let _ = std::fs::remove_file(&path);
        let ids: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_default();
        for id in ids.iter().filter_map(|id| SessionId::parse(id)) {
            let _ = session::resume(self, &id, false, false).await;
        }
    }

    /// Says good-bye to every screen and ends the engine.
    pub fn stop(&self, why: &str) {
        let clients: Vec<u64> = locked(&self.shared.clients).keys().copied().collect();
        for client in clients {
            self.tell(client, Tell::Bye { why: why.into() });
        }
        let _ = self.shared.ended.send(true);
    }

    /// Resolves when the engine was told to end and every screen has its good-bye, or takes nothing any more. Who
    /// carries tells stops with a good-bye, which closes the queue.
    pub async fn stopped(&self) {
        let mut ended = self.shared.ended.subscribe();
        let _ = ended.wait_for(|e| *e).await;
        let senders: Vec<mpsc::Sender<Tell>> =
            locked(&self.shared.clients).values().map(|c| c.tells.clone()).collect();
        let taken = async {
            for sender in &senders {
                sender.closed().await;
            }
        };
        let _ = tokio::time::timeout(FAREWELL, taken).await;
    }

    async fn stop_driving(&self, how: Command) -> Vec<SessionId> {
        let live: Vec<(SessionId, mpsc::Sender<Command>)> =
            locked(&self.shared.live).iter().map(|(id, l)| (id.clone(), l.commands.clone())).collect();
        for (_, commands) in &live {
            let _ = commands.send(how.clone()).await;
        }
        loop {
            let notified = self.shared.idle.notified();
            if self.running().is_empty() {
                return live.into_iter().map(|(id, _)| id).collect();
            }
            notified.await;
        }
    }

    /// Where the list of sessions to take up again is kept across a takeover.
    fn parked_file(&self) -> PathBuf {
        self.shared.setting.layout.runtime_root.join("parked.json")
    }

    /// Tells one screen; a full queue drops the tell only when it may be dropped.
    pub(super) fn tell(&self, client: u64, tell: Tell) {
        let sender = locked(&self.shared.clients).get(&client).map(|c| c.tells.clone());
        if let Some(sender) = sender {
            deliver(&sender, tell);
        }
    }

    /// Tells every screen.
    pub(super) fn tell_all(&self, tell: &Tell) {
        let senders: Vec<mpsc::Sender<Tell>> =
            locked(&self.shared.clients).values().map(|c| c.tells.clone()).collect();
        for sender in senders {
            deliver(&sender, tell.clone());
        }
    }

    /// Tells every screen that watches the session.
    pub(super) fn tell_watchers(&self, id: &SessionId, tell: &Tell) {
        let senders: Vec<mpsc::Sender<Tell>> = locked(&self.shared.clients)
            .values()
            .filter(|c| c.watched.contains(id))
            .map(|c| c.tells.clone())
            .collect();
        for sender in senders {
            deliver(&sender, tell.clone());
        }
    }
}

fn deliver(sender: &mpsc::Sender<Tell>, tell: Tell) {
    match sender.try_send(tell) {
        Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => {}
        Err(mpsc::error::TrySendError::Full(tell)) => {
            if matches!(tell, Tell::Progress { .. }) {
                return;
            }
            // Facts are never dropped: a screen that is slow gets them late.
            let sender = sender.clone();
            tokio::spawn(async move {
                let _ = sender.send(tell).await;
            });
        }
    }
}
