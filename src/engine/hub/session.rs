//! Sessions as the hub sees them: those that run here, and those that only lie on disk.

use super::{Hub, Live, locked};
use crate::agents::call::Progress;
use crate::domain::fact::Fact;
use crate::domain::input::Input;
use crate::domain::policy::Policy;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::{Phase, Wait, phase};
use crate::domain::session::state::{self, Live as Alive, ReportState};
use crate::domain::time::Stamp;
use crate::engine::clock::Clock;
use crate::engine::questions::{open_questions, standing};
use crate::engine::run;
use crate::engine::runner::{Runner, Update};
use crate::engine::wire::{Owner, Running, Tell, View};
use crate::store::load;
use crate::store::lock::EngineLock;
use crate::store::record::unharmed;
use crate::store::runtime;
use std::path::Path;
use tokio::sync::mpsc;

/// The most preview text that is kept of a running call.
const PREVIEW: usize = 64 * 1024;

/// Drives a session on a thread of its own, and passes on what it tells.
pub fn launch(hub: &Hub, runner: Runner, updates: mpsc::UnboundedReceiver<Update>) {
    let id = runner.session.meta.session_id.clone();
    let (commands, receiver) = mpsc::channel(super::ASKS);
    locked(&hub.shared.live).insert(id.clone(), Live { commands });
    locked(&hub.shared.stopped).remove(&id);
    let view = view_of(hub, &runner);
    locked(&hub.shared.views).insert(id.clone(), view);
    hub.shared.deck_dirty.notify_one();
    tokio::spawn(follow(hub.clone(), id.clone(), updates));
    let (thread_hub, failed) = (hub.clone(), id.clone());
    let runtime = tokio::runtime::Handle::current();
    let spawned = std::thread::Builder::new().name(format!("session-{id}")).spawn(move || {
        let trouble = drive(runner, receiver);
        if let Some(why) = &trouble {
            locked(&thread_hub.shared.stopped).insert(id.clone(), why.clone());
        }
        locked(&thread_hub.shared.live).remove(&id);
        if let Some(why) = trouble {
            thread_hub.tell_all(&Tell::Refused { what: id.to_string(), why });
        }
        runtime.spawn(async move {
            reload(&thread_hub, &id).await;
            thread_hub.shared.deck_dirty.notify_one();
            thread_hub.shared.idle.notify_waiters();
        });
    });
    if let Err(e) = spawned {
        locked(&hub.shared.live).remove(&failed);
        hub.shared.deck_dirty.notify_one();
        let why = hub.lang().pick(
            "no thread for the session: {{e}}; its files are as they were, let it go on later",
            "для сессии нет потока: {{e}}; её файлы прежние, продолжи её позже",
        );
        let why = why.replace("{{e}}", &e.to_string());
        hub.tell_watchers(&failed, &Tell::Refused { what: "resume".into(), why });
    }
}

/// Why it stopped, when nobody wanted that. A panic in a session ends that session's thread, not the engine: its files
/// say where it stands.
fn drive(mut runner: Runner, mut receiver: mpsc::Receiver<run::Command>) -> Option<String> {
    let lang = runner.session.meta.lang();
    let local = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(local) => local,
        Err(error) => return Some(format!("{error}; {}", unharmed(lang))),
    };
    let guarded = std::panic::AssertUnwindSafe(|| local.block_on(run::run(&mut runner, &mut receiver)));
    match std::panic::catch_unwind(guarded) {
        Ok(run::Finish::Storage(error)) => {
            let paused = lang.pick("paused", "на паузе");
            let (why, saved, path) = (&error.source, error.kept(lang), error.path.display());
            Some(format!("{paused}: {}: {why}; {saved} ({path})", error.remedy(lang)))
        }
        Ok(run::Finish::Meddled(what)) => Some(format!("{}: {what}", lang.pick("paused", "на паузе"))),
        Ok(_) => None,
        Err(_) => {
            let fault = lang.pick(
                "stopped by a fault of the engine; what was recorded is kept, let it go on",
                "остановлена из-за ошибки движка; записанное сохранено, продолжи её",
            );
            Some(fault.to_string())
        }
    }
}

/// Folds what a session tells into the hub's view of it, and passes it on.
async fn follow(hub: Hub, id: SessionId, mut updates: mpsc::UnboundedReceiver<Update>) {
    while let Some(update) = updates.recv().await {
        match update {
            Update::Event(event) => {
                let files = fold(&hub, &id, &event);
                hub.tell_watchers(&id, &Tell::Event { id: id.clone(), event: Box::new(event) });
                if let Some(files) = files {
                    hub.tell_watchers(&id, &Tell::Files { id: id.clone(), files });
                }
                hub.shared.deck_dirty.notify_one();
            }
            Update::NoAnswer { .. } => {}
            Update::Progress(call, progress) => {
                if let Some(view) = locked(&hub.shared.views).get_mut(&id) {
                    if let Some(run) = view.running.as_mut().filter(|run| run.call == call) {
                        run.hear(&progress);
                    }
                    preview(view, &progress);
                }
                hub.tell_watchers(&id, &Tell::Progress { id: id.clone(), call, progress });
            }
        }
    }
}

fn preview(view: &mut View, progress: &Progress) {
    match progress {
        Progress::Text(text) if view.preview.len() < PREVIEW => view.preview.push_str(text),
        Progress::Restart => view.preview.clear(),
        _ => {}
    }
}

/// Gives the names of the files when the event has changed them.
fn fold(hub: &Hub, id: &SessionId, event: &runtime::Event) -> Option<Vec<String>> {
    let mut views = locked(&hub.shared.views);
    let view = views.get_mut(id)?;
    if event.seq <= view.seq {
        return None;
    }
    let mut files = None;
    view.seq = event.seq;
    state::apply(&mut view.session, &event.fact);
    match &event.fact {
        Fact::CallStarted { call } => {
            view.preview.clear();
            view.running = Some(Running::new(call.clone(), Stamp::parse(&event.time).unwrap_or_default()));
        }
        Fact::CallEnded { .. } => {
            view.preview.clear();
            view.running = None;
        }
        Fact::Spoke { .. }
        | Fact::Rejected { .. }
        | Fact::Escalated { .. }
        | Fact::Drafted { .. }
        | Fact::Reviewed { .. }
        | Fact::Verified { .. }
        | Fact::ContentShown { .. }
        | Fact::OutcomeWritten { .. }
        | Fact::Published => {
            view.files = names(&view.dir);
            files = Some(view.files.clone());
        }
        _ => {}
    }
    view.questions = standing(&view.session);
    files
}

/// The session as it is now: the kept view of one that runs here, else from its files.
pub async fn view(hub: &Hub, id: &SessionId) -> Result<View, String> {
    if locked(&hub.shared.live).contains_key(id)
        && let Some(view) = locked(&hub.shared.views).get(id)
    {
        return Ok(view.clone());
    }
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_blocking(move || {
        let view = load_view(&hub, &id)?;
        locked(&hub.shared.views).insert(id, view.clone());
        Ok(view)
    })
    .await
    .map_err(|e| e.to_string())?
}

/// Reads the session again and tells its watchers when it is not what they know.
pub async fn reload(hub: &Hub, id: &SessionId) {
    if locked(&hub.shared.live).contains_key(id) {
        return;
    }
    let old = locked(&hub.shared.views).get(id).cloned();
    let new = match (view(hub, id).await, &old) {
        (Ok(new), _) => new,
        // Its folder was taken away: what is known of it is still shown, as what nobody drives.
        (Err(why), Some(old)) => {
            let problems = locked(&hub.shared.stopped).get(id).cloned().into_iter().chain([why]).collect();
            let mut gone = View { owner: Owner::Nobody, running: None, problems, ..old.clone() };
            gone.session.live = Alive::default();
            locked(&hub.shared.views).insert(id.clone(), gone.clone());
            gone
        }
        (Err(_), None) => return,
    };
    if old.as_ref() != Some(&new) {
        hub.tell_watchers(id, &Tell::Snapshot { view: Box::new(new) });
    }
    hub.shared.deck_dirty.notify_one();
}

/// Forgets views that nobody watches and no session keeps.
pub fn forget_unwatched(hub: &Hub) {
    let watched: Vec<SessionId> =
        locked(&hub.shared.clients).values().flat_map(|c| c.watched.iter().cloned()).collect();
    let live = hub.running();
    locked(&hub.shared.views).retain(|id, _| watched.contains(id) || live.contains(id));
}

/// Drives a session that stands still (PC-670), or writes its report (Y.2).
pub async fn resume(hub: &Hub, id: &SessionId, yes: bool, finalize: bool) -> Result<(), String> {
    if locked(&hub.shared.live).contains_key(id) {
        return Ok(());
    }
    let setting = hub.setting()?;
    let desk = setting.desk(setting.registry().map_err(|e| e.cause)?, None);
    let (sender, updates) = mpsc::unbounded_channel();
    let (commit, push) = setting.permits();
    let policy = Policy {
        commit,
        push,
        reflection_timeout: setting.effective.values.reflection_timeout,
        gate_timeout: setting.effective.values.gate_timeout,
        after_limit: setting.effective.values.after_limit,
        headless: finalize,
        ..Policy::default()
    };
    let opened = Runner::open(&setting.layout, id, desk, policy, Clock::System, Some(sender));
    let lang = setting.lang();
    let mut runner = opened.map_err(|e| e.text(lang))?;
    runner.limit(setting.effective.values.budget(), false).map_err(|e| e.text(lang))?;
    if finalize {
        if matches!(runner.session.report, ReportState::Final { stub: false }) {
            return Err(format!("{id}: {}", lang.pick("has a report already", "отчёт уже есть")));
        }
        runner.session.live.finalizing = true;
    } else {
        match runner.session.meta.status {
            Status::Interrupted if yes => runner.feed_quietly(Input::Reopen).map_err(|e| e.text(lang))?,
            Status::Interrupted => {
                let why = lang.pick(
                    "was interrupted; confirm to take it up again",
                    "прервана; подтверди, что её нужно возобновить",
                );
                return Err(format!("{id}: {why}"));
            }
            Status::Completed if phase(&runner.session) == Phase::Closed => {
                return Err(format!("{id}: {}", lang.pick("closed", "закрыта")));
            }
            _ => {}
        }
        if matches!(
            phase(&runner.session),
            Phase::Wait(Wait::PeerRetry | Wait::WriterRetry | Wait::ImplementRetry)
        ) {
            runner.record(Fact::Retried).map_err(|e| e.text(lang))?;
        }
    }
    launch(hub, runner, updates);
    if let Ok(view) = view(hub, id).await {
        hub.tell_watchers(id, &Tell::Snapshot { view: Box::new(view) });
    }
    Ok(())
}

fn view_of(hub: &Hub, runner: &Runner) -> View {
    let id = &runner.session.meta.session_id;
    View {
        session: runner.session.clone(),
        dir: runner.recorder().dir().to_path_buf(),
        questions: standing(&runner.session),
        owner: Owner::Here,
        seq: runtime::next_seq(&hub.shared.setting.layout.runtime(id)).saturating_sub(1),
        preview: String::new(),
        running: None,
        problems: Vec::new(),
        files: names(runner.recorder().dir()),
    }
}

fn load_view(hub: &Hub, id: &SessionId) -> Result<View, String> {
    // A broken configuration hides no session.
    let setting = hub.setting().unwrap_or_else(|_| hub.shared.setting.clone());
    let mut loaded = load::load(&setting.layout, id).map_err(|e| e.text(setting.lang()))?;
    if let Some(why) = locked(&hub.shared.stopped).get(id) {
        loaded.problems.insert(0, why.clone());
    }
    let desk = setting.desk(setting.registry().map_err(|e| e.cause)?, None);
    let runtime_dir = setting.layout.runtime(id);
    let owner = match EngineLock::holder(&runtime_dir) {
        Some((pid, _)) => Owner::Other { pid },
        None => Owner::Nobody,
    };
    Ok(View {
        questions: open_questions(&loaded.session, &desk),
        files: names(&loaded.dir),
        dir: loaded.dir,
        owner,
        seq: runtime::next_seq(&runtime_dir).saturating_sub(1),
        preview: String::new(),
        running: None,
        problems: loaded.problems,
        session: loaded.session,
    })
}

/// Names of the plain files in a directory, sorted.
pub fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|e| e.file_type().is_ok_and(|t| t.is_file()))
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| !n.ends_with(".tmp"))
        .collect();
    names.sort();
    names
}
