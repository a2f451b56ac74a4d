//! From an opening to a running session: semaphore, directory, first fact (PC-154).

use super::clock::{Clock, local_date};
use super::desk::Desk;
use super::guard::{self, Guard};
use super::opening::Opening;
use super::routing::{self, Chosen};
use super::runner::{OpenError, Runner, Updates};
use crate::agents::registry::Vendor;
use crate::domain::fact::Fact;
use crate::domain::policy::Policy;
use crate::domain::session::id::SessionId;
use crate::domain::session::notes::Notes;
use crate::domain::session::slug::slug;
use crate::domain::session::state::Session;
use crate::store::layout::{self, Layout};
use crate::store::record::StoreError;

/// Creates the session's directory and writes its first fact. The semaphore is best effort and never blocks (PC-151).
pub fn begin(
    layout: &Layout,
    opening: &Opening,
    writer: &Vendor,
    desk: Desk,
    policy: Policy,
    clock: Clock,
    updates: Option<Updates>,
) -> Result<Runner, OpenError> {
    let now = clock.now();
    let mut notes: Vec<String> = Vec::new();
    let date = local_date(now);
    let store_error = |source| OpenError::Store(StoreError { path: layout.sessions.clone(), source });
    let lang = opening.lang();
    let guard = Guard::new(&desk.places, &writer.guard_agent);
    let open = |id: &SessionId| {
        notes = guard::open_line(&guard.open(id, opening.wp, &opening.task), lang).into_iter().collect();
    };
    let id = layout::create_session_dir(layout, &date, &slug(&opening.task), open).map_err(store_error)?;
    let dir = layout.session_dir(&id);
    if guard.semaphore(&id).is_some() {
        let _ = guard.note_file(&id, &dir);
    }
    let mut session = Session::new(opening.meta(id.clone(), now));
    session.notes = Notes { writer_vendor: writer.key.clone(), ..Notes::default() };
    if let Some(iwe) = desk.places.active_iwe() {
        let peers: Vec<String> = session.peers().into_iter().map(|p| p.vendor).collect();
        let chosen = Chosen { writer: &writer.key, peers: &peers };
        let line = routing::note_choice(iwe, &id, now, lang, opening.work_class, chosen);
        notes.extend(line.ok().flatten());
    }
    let budget = policy.budget;
    let mut runner = Runner::begin(layout, session, desk, policy, clock, updates)?;
    runner.limit(budget, false).map_err(OpenError::Store)?;
    if guard.semaphore(&id).is_some() {
        let _ = guard.note_file(&id, &layout.index());
    }
    // Whoever listens is told, a script as well.
    notes.into_iter().try_for_each(|text| runner.record(Fact::Noted { text })).map_err(OpenError::Store)?;
    Ok(runner)
}
