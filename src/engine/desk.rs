//! What a session's engine works with and does not own: the registry, the way to call, the places.

use crate::agents::call::{Call, Outcome, Progress};
use crate::agents::privacy::copy::filtered_copy;
use crate::agents::privacy::map::Map;
use crate::agents::registry::{Registry, Vendor};
use crate::agents::run::{Surroundings, run_in};
use crate::config::implementation::Implementation;
use crate::config::places::Places;
use crate::domain::policy::Implementable;
use crate::domain::session::id::SessionId;
use crate::domain::session::state::Session;
use crate::engine::facts::Sources;
use crate::engine::pipeline::crew;
use crate::engine::rehearse;
use crate::engine::wp::Plans;
use crate::store::layout::Layout;
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
    /// Whether a prompt that seems to hold a secret waits for the pilot (`secrets` of the configuration).
    pub asks_about_secrets: bool,
    /// `orz_headings` of the configuration, `None` = by language and semaphore (PC-642).
    pub russian_closing: Option<bool>,
    /// Who carries out a decision, and where; `None` when nothing is configured (PC-467).
    pub implementation: Option<Arc<Implementation>>,
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
        copy_filter: Some(Arc::new(|from, to, tokens| {
            let copied = filtered_copy(from, to);
            let fits = copied.and_then(|copied| tokens.map_or(Ok(()), |limit| copied.within_tokens(limit)));
            fits.map_err(|e| (e.code(), e.to_string()))
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

    /// The runtime folder of a session.
    pub fn runtime(&self, session: &SessionId) -> PathBuf {
        Layout::new(self.places.sessions.clone(), self.places.runtime_root.clone()).runtime(session)
    }

    /// Whether choice B can be carried out in this session (PC-467).
    pub fn implementable(&self, session: &Session) -> Implementable {
        match crew::crew(self, session) {
            Ok(_) => Implementable::Yes,
            Err(why) => Implementable::No(why),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_066_a_directory_over_a_vendors_tokens_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (from, filter) = (dir.path().join("from"), surroundings().copy_filter.unwrap());
        std::fs::create_dir(&from).unwrap();
        std::fs::write(from.join("a.md"), "ж".repeat(100)).unwrap();
        let to = |name: &str| dir.path().join(name);
        assert_eq!(filter(&from, &to("a"), Some(50)), Ok(()));
        assert_eq!(filter(&from, &to("b"), None), Ok(()));
        assert_eq!(filter(&from, &to("c"), Some(49)).unwrap_err().0, 4);
        ["a", "b", "c"].iter().for_each(|name| crate::agents::privacy::copy::remove_copy(&to(name)).unwrap());
    }
}
