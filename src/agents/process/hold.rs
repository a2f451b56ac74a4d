//! A clock that somebody may stop: while the pilot thinks about what an agent asks, its call does not run out of time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Shared by a call's process and by whoever lets it wait. The call's clocks stand still while anybody holds.
#[derive(Debug, Clone)]
pub struct Hold {
    state: Arc<Mutex<State>>,
    told: Arc<watch::Sender<bool>>,
}

#[derive(Debug, Default)]
struct State {
    holders: usize,
    since: Option<Instant>,
    total: Duration,
}

/// Lets go when it is dropped.
#[derive(Debug)]
pub struct Held(Hold);

impl Hold {
    pub fn new() -> Hold {
        Hold { state: Arc::default(), told: Arc::new(watch::Sender::new(false)) }
    }

    pub fn hold(&self) -> Held {
        self.change(|state| {
            state.holders += 1;
            state.since.get_or_insert_with(Instant::now);
        });
        Held(self.clone())
    }

    /// How long the clocks have stood still so far.
    pub fn total(&self) -> Duration {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.total + state.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    /// Whether they stand still, and every change of that.
    pub fn watch(&self) -> watch::Receiver<bool> {
        let mut told = self.told.subscribe();
        // Who holds already is news to who begins to listen.
        told.mark_changed();
        told
    }

    fn change(&self, how: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        how(&mut state);
        self.told.send_replace(state.holders > 0);
    }
}

impl Default for Hold {
    fn default() -> Hold {
        Hold::new()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.holders -= 1;
            if state.holders == 0 {
                state.total += state.since.take().map(|since| since.elapsed()).unwrap_or_default();
            }
        });
    }
}
