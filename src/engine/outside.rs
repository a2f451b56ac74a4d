//! Answers that come from outside while the engine runs: the inbox of the runtime folder, and escalation files that
//! a person edits (PC-444).

use super::runner::Runner;
use crate::domain::fact::Fact;
use crate::domain::say::Say;
use crate::store::record::StoreError;
use crate::store::{escalation, layout, runtime, write};
use notify::{RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// Events are hints; the scan is the truth. It also runs without events, for file systems that give none.
const RESCAN: Duration = Duration::from_secs(2);

/// An answer from outside.
pub struct Given {
    /// A question's id, or [`runtime::INTERRUPT`].
    pub question: String,
    pub text: String,
    /// Its file in the inbox.
    inbox: Option<PathBuf>,
}

impl Given {
    /// Removes the file. Only when the answer is recorded: what a crash repeats meets a closed question and changes
    /// nothing, what it loses is lost.
    pub fn taken(self) {
        if let Some(path) = self.inbox {
            let _ = write::remove(&path);
        }
    }
}

/// Whether the system gives watches at all: other programs can use them up.
pub fn available(folder: &Path) -> notify::Result<()> {
    let mut watcher = notify::recommended_watcher(|_| {})?;
    watcher.watch(folder, RecursiveMode::NonRecursive)
}

/// Watches one session.
pub struct Outside {
    dir: PathBuf,
    runtime: PathBuf,
    /// Escalation files that are no UTF-8, as they were when that was said.
    odd: BTreeMap<u32, Vec<u8>>,
    events: mpsc::Receiver<()>,
    /// Kept alive; where the system gives no watcher, why not.
    watcher: notify::Result<notify::RecommendedWatcher>,
}

impl Outside {
    pub fn watch(runner: &Runner) -> Outside {
        let (sender, events) = mpsc::channel(1);
        let dir = runner.recorder().dir().to_path_buf();
        let runtime = runner.recorder().runtime().to_path_buf();
        // Headless runs listen too: `interrupt` and `answer` reach an engine that has nobody in front of it. They end at
        // a question, so nobody edits an escalation file under them.
        let dir_too = (!runner.policy.headless).then_some(dir.as_path());
        // The folders are known; a long list of them would hide how often is looked instead.
        let plain = |e: notify::Error| notify::Error { paths: Vec::new(), ..e };
        let watcher = watcher(dir_too, &runtime, sender).map_err(plain);
        Outside { dir, runtime, odd: BTreeMap::new(), events, watcher }
    }

    /// Without events answers are found all the same, only later.
    pub fn say_if_unwatched(&self, runner: &mut Runner) -> Result<(), StoreError> {
        let Err(error) = &self.watcher else { return Ok(()) };
        let text = Say::Unwatched { why: &error.to_string() }.text(runner.session.meta.lang());
        runner.record(Fact::Noted { text })
    }

    /// Says what somebody gave as an answer and cannot be read: files of the inbox, and escalation files that are no
    /// UTF-8. Each is said once, an escalation file again when it was changed.
    pub fn put_aside(&mut self, runner: &mut Runner) -> Result<(), StoreError> {
        let lang = runner.session.meta.lang();
        let open: Vec<u32> =
            runner.session.escalations.iter().filter(|e| e.is_open()).map(|e| e.index).collect();
        for index in open {
            let name = layout::escalation(index);
            let Ok(bytes) = fs::read(self.dir.join(&name)) else { continue };
            if std::str::from_utf8(&bytes).is_ok() || self.odd.get(&index) == Some(&bytes) {
                continue;
            }
            self.odd.insert(index, bytes);
            runner.record(Fact::Noted { text: Say::AnswerNotText { file: &name }.text(lang) })?;
        }
        for path in runtime::unreadable(&self.runtime) {
            let shown = path.display().to_string();
            let text = Say::NoAnswerInIt { path: &shown }.text(runner.session.meta.lang());
            runner.record(Fact::Noted { text })?;
            let _ = runtime::put_aside(&path);
        }
        Ok(())
    }

    /// Resolves when something may have changed.
    pub async fn changed(&mut self) {
        tokio::select! {
            event = self.events.recv() => if event.is_none() { tokio::time::sleep(RESCAN).await },
            () = tokio::time::sleep(RESCAN) => {}
        }
    }

    /// Answers that are there now.
    pub fn answers(&self, runner: &Runner) -> Vec<Given> {
        let mut found: Vec<Given> = Vec::new();
        for (path, message) in runtime::inbox(&self.runtime) {
            found.push(Given { question: message.question, text: message.text, inbox: Some(path) });
        }
        for open in runner.session.escalations.iter().filter(|e| e.is_open()) {
            let path = self.dir.join(layout::escalation(open.index));
            let Ok(bytes) = fs::read(path) else { continue };
            let read = escalation::read(bytes, open.index).file;
            if !read.is_open() {
                let question = format!("escalation-{:02}", open.index);
                found.push(Given { question, text: read.response, inbox: None });
            }
        }
        found
    }
}

fn watcher(
    dir: Option<&Path>,
    runtime: &Path,
    sender: mpsc::Sender<()>,
) -> notify::Result<notify::RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading is not a change: our own scans must not wake us.
        if event.is_ok_and(|e| !e.kind.is_access()) {
            let _ = sender.try_send(());
        }
    })?;
    let inbox = runtime::inbox_dir(runtime);
    let _ = write::ensure_dir(&inbox);
    if let Some(dir) = dir {
        watcher.watch(dir, RecursiveMode::NonRecursive)?;
    }
    watcher.watch(&inbox, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}
