//! What a session's engine works with and does not own: the registry, the way to call, the places.

use crate::agents::call::{Call, Outcome, Progress};
use crate::agents::privacy::copy::filtered_copy;
use crate::agents::privacy::map::Map;
use crate::agents::registry::{Registry, Vendor};
use crate::agents::run::{Surroundings, run_in};
use crate::config::places::Places;
use crate::domain::session::state::Session;
use crate::engine::facts::Sources;
use crate::engine::rehearse;
use crate::engine::wp::Plans;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

/// Receives what is known about a running call.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;
/// Resolves when the call shall be stopped.
pub type CancelSignal = Pin<Box<dyn Future<Output = ()> + Send>>;
/// Makes a call. The real one runs a process; whole-session tests pass a script.
pub type Caller = Arc<
    dyn Fn(Vendor, Call, ProgressSink, CancelSignal) -> Pin<Box<dyn Future<Output = Outcome> + Send>>
        + Send
        + Sync,
>;

/// The engine's surroundings.
#[derive(Clone)]
pub struct Desk {
    pub registry: Arc<Registry>,
    pub caller: Caller,
    pub places: Arc<Places>,
    /// `--model`, for peers and writer calls alike; empty for the vendors' own.
    pub model: String,
    /// WP registry and week plan, read once (PC-110).
    pub plans: Arc<Plans>,
    /// Directories whose files and commits a reply may be checked against (PC-346).
    pub roots: Vec<PathBuf>,
    /// Whether vendors that support it get the session directory (AMB-08).
    pub peer_context_dir: bool,
    /// `orz_headings` of the configuration, `None` = by language and semaphore (PC-642).
    pub russian_closing: Option<bool>,
}

/// A [`Caller`] that runs adapters as child processes.
pub fn processes() -> Caller {
    let around = Arc::new(surroundings());
    Arc::new(move |vendor, call, progress, cancel| {
        let around = around.clone();
        Box::pin(async move { run_in(&around, &vendor, call, move |p| progress(p), cancel).await })
    })
}

/// What every call meets: the real environment, and the filters that stand between it and the outside (PC-063, PC-067).
pub fn surroundings() -> Surroundings {
    Surroundings {
        copy_filter: Some(Arc::new(|from, to| match filtered_copy(from, to) {
            Ok(_) => Ok(()),
            Err(e) => Err((e.code(), e.to_string())),
        })),
        prompt_filter: Some(Arc::new(|prompt| Ok(Map::shipped().apply(prompt)))),
        ..Surroundings::real()
    }
}

impl Desk {
    /// What a reply's claims are compared with (PC-346).
    pub fn sources(&self) -> Sources<'_> {
        Sources { repositories: &self.roots, roots: &self.roots, plans: &self.plans }
    }

    /// The writer's registry entry: by the key that the runtime notes hold, else by the agent id in `meta.yaml`.
    pub fn writer(&self, session: &Session) -> Result<Vendor, String> {
        if let Some(rehearsal) = &session.notes.rehearsal {
            return rehearse::vendor(rehearsal, &session.notes.writer_vendor);
        }
        let noted = self.registry.get(&session.notes.writer_vendor);
        let by_agent =
            || self.registry.vendors.iter().find(|v| v.writer_agent_id == session.meta.writer_agent);
        noted.or_else(by_agent).cloned().ok_or_else(|| {
            format!(
                "no configured vendor writes as \"{}\"; name one with --writer",
                session.meta.writer_agent
            )
        })
    }

    pub fn peer(&self, session: &Session, vendor: &str) -> Result<Vendor, String> {
        if let Some(rehearsal) = &session.notes.rehearsal {
            return rehearse::vendor(rehearsal, vendor);
        }
        self.registry
            .get(vendor)
            .cloned()
            .ok_or_else(|| format!("the vendor \"{vendor}\" is not in the registry"))
    }
}
