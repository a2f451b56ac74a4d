//! Work of the engine itself: the steps of an implementation that call no agent.

use super::crew::{self, Crew};
use super::verifier::{self, Verifier};
use super::{clean, deploy, edit, isolate, verify};
use crate::agents::call::Progress;
use crate::agents::shell;
use crate::domain::effect::{Call, Purpose};
use crate::domain::fact::Usage;
use crate::domain::input::CallResult;
use crate::domain::session::failure::Reason;
use crate::domain::session::notes::Rehearsal;
use crate::domain::session::pipeline::change::Tree;
use crate::domain::session::pipeline::content::Record;
use crate::domain::session::pipeline::track::Track;
use crate::domain::session::secret::Find;
use crate::engine::desk::{CancelSignal, ProgressSink};
use crate::engine::leftovers;
use crate::engine::rehearse::repositories;
use crate::engine::runner::Runner;
use futures::FutureExt;
use futures::future::Shared;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

/// A step on its way. With the usage of an agent that it called.
pub type Work = Pin<Box<dyn Future<Output = (CallResult, Option<Usage>)> + Send>>;

/// What every step needs: taken from the session when the step begins, so that nothing is held while it runs.
#[derive(Clone)]
pub struct Shop {
    pub session: String,
    pub task: String,
    pub track: Track,
    /// The story that is played, which brings its own repositories.
    pub rehearsal: Option<Rehearsal>,
    pub gate_log: Vec<Record>,
    /// Highest numbers of reviews and verifications so far.
    pub reviews: u32,
    pub verifies: u32,
    pub verified: bool,
    pub may_push: bool,
    pub workspace: PathBuf,
    pub runtime: PathBuf,
    /// The session's trees.
    pub trees: PathBuf,
    pub branch: String,
    pub env: Vec<(String, String)>,
    pub progress: ProgressSink,
    cancel: Shared<CancelSignal>,
}

impl Shop {
    pub fn new(runner: &Runner, progress: ProgressSink, cancel: CancelSignal) -> Shop {
        let s = &runner.session;
        let runtime = runner.recorder().runtime().to_path_buf();
        let last = s.verifies.last();
        let mut env = runner.desk.places.script_env();
        env.push(("FLIGHTDECK_SESSION".into(), s.meta.session_id.to_string()));
        Shop {
            session: s.meta.session_id.to_string(),
            task: s.meta.task_description.clone(),
            track: s.notes.track.clone().unwrap_or_default(),
            rehearsal: s.notes.rehearsal.clone(),
            gate_log: s.gate_log.clone(),
            reviews: s.reviews.last().map_or(0, |r| r.number),
            verifies: last.map_or(0, |v| v.number),
            verified: last
                .is_some_and(|v| v.verdict == crate::domain::session::pipeline::verdict::Verdict::Pass),
            may_push: runner.policy.push != crate::domain::policy::Permit::No,
            trees: std::path::absolute(runtime.join(leftovers::FOLDER))
                .unwrap_or_else(|_| runtime.join(leftovers::FOLDER)),
            branch: format!("flightdeck/{}", s.meta.session_id),
            workspace: runner.desk.places.active_iwe().map_or_else(PathBuf::new, |iwe| iwe.workspace.clone()),
            runtime,
            env,
            progress,
            cancel: cancel.shared(),
        }
    }

    /// Ready when the step shall stop.
    pub fn cancelled(&self) -> Shared<CancelSignal> {
        self.cancel.clone()
    }

    pub fn notice(&self, text: String) {
        (self.progress)(Progress::Notice(text));
    }

    /// A command of the configuration, in one of the trees.
    pub fn command(
        &self,
        text: &str,
        cwd: &Path,
        deadline: Duration,
        log: &str,
        purpose: Purpose,
    ) -> shell::Command {
        shell::Command {
            text: text.to_string(),
            cwd: cwd.to_path_buf(),
            deadline,
            env: self.env.clone(),
            log: self.runtime.join(log),
            runtime: self.runtime.clone(),
            purpose,
        }
    }

    /// A file for an index of ours, beside the trees.
    pub fn index(&self, repo: &str) -> PathBuf {
        self.trees.join(format!("{repo}.index"))
    }
}

/// Begins the step that this call names, unless an agent is called in it and the pilot has to decide about its prompt
/// first.
pub fn begin(
    runner: &Runner,
    call: &Call,
    progress: ProgressSink,
    cancel: CancelSignal,
) -> Result<Work, Vec<Find>> {
    let lang = runner.session.meta.lang();
    let crew = crew::crew(&runner.desk, &runner.session).map_err(|why| why.text(lang).to_string());
    let verifier = match (&crew, call.purpose) {
        (Ok(crew), Purpose::Verify) => verifier::ready(runner, crew, call)?,
        _ => None,
    };
    let shop = Shop::new(runner, progress, cancel);
    let (purpose, number) = (call.purpose, call.round);
    Ok(Box::pin(async move {
        match crew {
            Ok(crew) => step(shop, crew, purpose, number, verifier).await,
            // Without a crew there is nobody to run commands; the trees go all the same.
            Err(_) if purpose == Purpose::Clean => (CallResult::Cleaned(clean::remove(shop).await), None),
            Err(why) => (failed(why), None),
        }
    }))
}

async fn step(
    shop: Shop,
    crew: Crew,
    purpose: Purpose,
    number: u32,
    verifier: Option<Verifier>,
) -> (CallResult, Option<Usage>) {
    if !matches!(purpose, Purpose::Isolate | Purpose::Clean)
        && let Err(why) = isolate::present(&shop, &crew).await
    {
        return (failed(why), None);
    }
    if purpose == Purpose::Verify {
        let verified = verify::verify(&shop, &crew, number, verifier).await;
        return verified.unwrap_or_else(|why| (failed(why), None));
    }
    let done = match purpose {
        Purpose::Isolate => isolated(&shop, &crew).await.map(CallResult::Isolated),
        Purpose::Prune => {
            let moved = move || edit::prune(&shop, &crew, number);
            blocking(moved).await.map(|edit| CallResult::Edited {
                edit,
                report: String::new(),
                moved: Vec::new(),
                outside: Vec::new(),
            })
        }
        Purpose::Clean => Ok(CallResult::Cleaned(clean::clean(&shop, &crew).await)),
        Purpose::Renew => blocking(move || deploy::renew(&shop, &crew, number)).await,
        _ => blocking(move || Ok(deploy::deploy(&shop, &crew))).await,
    };
    (done.unwrap_or_else(failed), None)
}

async fn isolated(shop: &Shop, crew: &Crew) -> Result<Vec<Tree>, String> {
    if let Some(rehearsal) = shop.rehearsal.clone() {
        let runtime = shop.runtime.clone();
        blocking(move || repositories::make(&rehearsal, &runtime)).await?;
    }
    isolate::isolate(shop, crew).await
}

/// Work that waits for git or the disk, off the session's thread.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err("the step broke off; see the log".into()))
}

pub fn failed(detail: String) -> CallResult {
    CallResult::Failed { reason: Reason::Exit(1), detail, stderr: String::new(), until: None }
}
