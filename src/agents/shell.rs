//! A command of the configuration, such as a project's tests: run by the shell, heard live, ended with all it started.

use super::call::{Progress, Purpose};
use super::process::{self, End, Event, Spec, Stdin, vars::Vars};
use super::run::Record;
use std::ffi::OsString;
use std::fs::File;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More output than this is a fault of its own.
const CAP: u64 = 1 << 30;

/// How much of the output is kept for the verdict's file, from its end; the log has all of it.
const KEPT: usize = 64 * 1024;

/// One command and where it runs.
#[derive(Debug, Clone)]
pub struct Command {
    pub text: String,
    pub cwd: PathBuf,
    pub deadline: Duration,
    pub env: Vec<(String, String)>,
    /// The whole output goes here.
    pub log: PathBuf,
    /// For the record of what runs (PC-706).
    pub runtime: PathBuf,
    pub purpose: Purpose,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub how: How,
    /// The end of stdout and stderr, as they came.
    pub tail: String,
    pub elapsed: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The exit code; `None` when a signal ended it.
    Exit(Option<i32>),
    Deadline,
    TooLarge,
    Cancelled,
}

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            How::Exit(Some(code)) => write!(f, "exit code {code}"),
            How::Exit(None) => f.write_str("killed by a signal"),
            How::Deadline => f.write_str("over its deadline"),
            How::TooLarge => f.write_str("too much output"),
            How::Cancelled => f.write_str("stopped"),
        }
    }
}

/// Runs it. The error says why it could not be started.
pub async fn run(
    command: Command,
    progress: &(dyn Fn(Progress) + Send + Sync),
    cancel: impl Future<Output = ()>,
) -> Result<Ended, String> {
    let mut env = Vars::real();
    command.env.iter().for_each(|(name, value)| env.set(name, value));
    let spec = Spec {
        program: PathBuf::from("/bin/sh"),
        // One stream, in the order in which a person at a terminal would read it.
        args: ["-c", &format!("exec 2>&1\n{}", command.text)].map(OsString::from).into(),
        env,
        cwd: command.cwd.clone(),
        stdin: Stdin::Whole(Vec::new()),
        deadline: command.deadline,
        idle: None,
        hold: None,
        output_cap: CAP,
        confinement: None,
    };
    let mut record = Record::of(&command.runtime, "sh", command.purpose);
    let mut out = Output { log: log(&command.log)?, tail: Vec::new() };
    let finished = process::run(
        spec,
        |event| match event {
            Event::Started(target) => {
                record.write(target);
                progress(Progress::Started { pid: target.root.pid, started_at: target.root.started_at });
            }
            Event::Stdout(piece) => {
                out.hear(piece);
                progress(Progress::Text(String::from_utf8_lossy(piece).into_owned()));
            }
            // It goes where stdout goes.
            Event::Stderr(_) => {}
        },
        cancel,
    );
    let finished = finished.await.map_err(|e| format!("cannot start `{}`: {e}", command.text))?;
    let how = match finished.end {
        End::Exited(status) => How::Exit(status.code()),
        End::Deadline | End::Idle => How::Deadline,
        End::TooLarge => How::TooLarge,
        End::Cancelled | End::Stopped | End::Fed => How::Cancelled,
    };
    Ok(Ended { how, tail: String::from_utf8_lossy(&out.tail).into_owned(), elapsed: finished.elapsed })
}

#[expect(clippy::disallowed_methods, reason = "a log in the runtime folder: evidence, no session file")]
fn log(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

struct Output {
    log: File,
    tail: Vec<u8>,
}

impl Output {
    fn hear(&mut self, piece: &[u8]) {
        // The verdict is the exit code; a log that cannot be written does not change it.
        let _ = self.log.write_all(piece);
        self.tail.extend_from_slice(piece);
        let surplus = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    async fn sh(text: &str, deadline: Duration) -> (Ended, String, String) {
        let dir = tempfile::tempdir().unwrap();
        let command = Command {
            text: text.into(),
            cwd: dir.path().into(),
            deadline,
            env: vec![("X".into(), "is set".into())],
            log: dir.path().join("log"),
            runtime: dir.path().into(),
            purpose: Purpose::Verify,
        };
        let live = Mutex::new(String::new());
        let hear = |p: Progress| {
            if let Progress::Text(text) = p {
                live.lock().unwrap().push_str(&text);
            }
        };
        let ended = run(command, &hear, std::future::pending()).await.unwrap();
        let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
        assert!(!dir.path().join("call.json").exists(), "nothing runs any more");
        (ended, live.into_inner().unwrap(), log)
    }

    #[tokio::test]
    async fn pc_530_the_exit_code_decides_and_the_text_is_kept() {
        let (ended, live, log) = sh("echo one; echo two >&2; echo $X; exit 3", Duration::from_secs(30)).await;
        assert_eq!(ended.how, How::Exit(Some(3)));
        assert_eq!((ended.tail.as_str(), live.as_str()), ("one\ntwo\nis set\n", "one\ntwo\nis set\n"));
        assert_eq!(log, ended.tail);
    }

    #[tokio::test]
    async fn pc_530_a_deadline_is_no_pass() {
        let (ended, ..) = sh("echo begun; sleep 300", Duration::from_millis(300)).await;
        assert_eq!((ended.how, ended.tail.as_str()), (How::Deadline, "begun\n"));
    }
}
