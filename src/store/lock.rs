//! Locks between processes: one engine per session (PC-702), one writer of the index at a time (PC-218).
//!
//! The operating system holds the lock and drops it with the process, so a dead holder never blocks. What is written
//! into the file is for the person who is told that it is busy.

mod process;

use crate::domain::lang::Lang;
use crate::domain::time::Stamp;
use crate::store::write::{self, fault};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// The lock file of a session's engine.
const ENGINE: &str = "engine.lock";

pub use process::{process_alive, process_start};

/// Why a lock was not given.
#[derive(Debug)]
pub enum LockError {
    /// Another living process has it. `pid` is 0 when the holder has not written itself in yet; `since` is when it
    /// took the lock.
    Busy { pid: u32, since: Option<Stamp> },
    /// The lock file cannot be opened or locked.
    Io { path: PathBuf, error: io::Error },
    /// The lock file was deleted under its holder, and another process made a new one.
    Taken,
}

impl LockError {
    /// What is wrong, and what to do.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            LockError::Busy { pid: 0, .. } => lang
                .pick(
                    "another engine process holds it; end that one first",
                    "её держит другой процесс движка; сначала заверши его",
                )
                .into(),
            LockError::Busy { pid, since } => {
                let since = since.map(|since| format!(" {} {since}", lang.pick("since", "с"))).unwrap_or_default();
                match lang {
                    Lang::En => format!("engine process {pid} holds it{since}; end that one first"),
                    Lang::Ru => format!("её держит процесс движка {pid}{since}; сначала заверши его"),
                }
            }
            LockError::Taken => lang
                .pick(
                    "its lock was deleted, and another process has taken the session over; what that one wrote stays",
                    "её замок удалён, и сессию взял другой процесс; то, что он записал, остаётся",
                )
                .into(),
            LockError::Io { path, error } => {
                let remedy = match has_no_locks(error) {
                    true => lang.pick(
                        "without locks two engines could write one session, so let XDG_STATE_HOME name a folder of a \
                         file system that has them",
                        "без замков сессию могли бы писать два движка; пусть XDG_STATE_HOME называет папку файловой \
                         системы, где они есть",
                    ),
                    false => lang.pick(
                        "check that the folder exists and is writable",
                        "проверь, что папка есть и в неё можно писать",
                    ),
                };
                format!("{} {}: {error}; {remedy}", lang.pick("cannot lock", "не запирается"), path.display())
            }
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for LockError {}

/// The right to drive one session (PC-702). Held until dropped.
#[derive(Debug)]
pub struct EngineLock {
    file: File,
    runtime: PathBuf,
}

impl EngineLock {
    /// Takes `<runtime>/engine.lock`, creating the folder and the file as needed. Waits only as long as a glance of
    /// [`EngineLock::holder`] may take.
    pub fn acquire(runtime: &Path) -> Result<EngineLock, LockError> {
        let path = runtime.join(ENGINE);
        let mut file = wait_for(&path, Duration::from_millis(50))?;
        let pid = std::process::id();
        let holder = format!("{pid} {}\n", process_start(pid));
        let written = file.set_len(0).and_then(|()| file.write_all(holder.as_bytes()));
        written.map_err(|error| LockError::Io { path, error })?;
        Ok(EngineLock { file, runtime: runtime.to_path_buf() })
    }

    /// To be asked before anything is written. A lock holds the file and not its name: when somebody cleared the
    /// runtime folder, the next process locks a new file. A missing file is made again; one that is there means that
    /// another process has been at the session, and what this one knows of it is old.
    pub fn keep(&mut self) -> Result<(), LockError> {
        let path = self.runtime.join(ENGINE);
        let named = |m: &std::fs::Metadata| (m.dev(), m.ino());
        let fail = |error| LockError::Io { path: path.clone(), error };
        match std::fs::metadata(&path) {
            Ok(found) if self.file.metadata().is_ok_and(|ours| named(&ours) == named(&found)) => Ok(()),
            Ok(_) => Err(LockError::Taken),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write::ensure_dir(&self.runtime).map_err(fail)?;
                *self = EngineLock::acquire(&self.runtime)?;
                Ok(())
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// Who drives the session right now: `(pid, since)`; `None` when nobody does.
    pub fn holder(runtime: &Path) -> Option<(u32, Option<Stamp>)> {
        let mut file = OpenOptions::new().read(true).open(runtime.join(ENGINE)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => match busy(&mut file) {
                LockError::Busy { pid, since } => Some((pid, since)),
                LockError::Io { .. } | LockError::Taken => None,
            },
            _ => None,
        }
    }
}

/// The right to be the engine process of a sessions folder. Held until dropped.
#[derive(Debug)]
pub struct ProcessLock {
    _file: File,
}

impl ProcessLock {
    /// Takes `<runtime_root>/engine-process.lock` without waiting.
    pub fn acquire(runtime_root: &Path) -> Result<ProcessLock, LockError> {
        Ok(ProcessLock { _file: wait_for(&runtime_root.join("engine-process.lock"), Duration::ZERO)? })
    }
}

/// The right to change `00-index.md` (PC-218). Held until dropped.
#[derive(Debug)]
pub struct IndexLock {
    _file: File,
}

impl IndexLock {
    /// Waits up to `patience` for `<runtime_root>/.00-index.lock`. Blocks the thread.
    pub fn acquire(runtime_root: &Path, patience: Duration) -> Result<IndexLock, LockError> {
        Ok(IndexLock { _file: wait_for(&runtime_root.join(".00-index.lock"), patience)? })
    }
}

/// An exclusively locked file; the lock ends with the file. Waits up to `patience`.
#[expect(
    clippy::disallowed_methods,
    reason = "real time is what bounds the wait, and the lock is held for milliseconds"
)]
pub(in crate::store) fn wait_for(path: &Path, patience: Duration) -> Result<File, LockError> {
    let fail = |error| LockError::Io { path: path.to_path_buf(), error };
    let mut file = open(path).map_err(fail)?;
    let deadline = Instant::now() + patience;
    // The blocking call of the system knows no deadline, so short naps it is: the lock is held for milliseconds.
    loop {
        fault::lock().map_err(fail)?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(fail(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Err(busy(&mut file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// The file system knows no locks, or its lock service is away.
fn has_no_locks(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let known = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP];
    error.raw_os_error().is_some_and(|code| known.iter().any(|errno| errno.raw_os_error() == code))
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        write::ensure_dir(dir)?;
    }
    // Never truncated on opening: the content belongs to the holder.
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn busy(file: &mut File) -> LockError {
    let mut text = String::new();
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(64).read_to_string(&mut text));
    let since = file.metadata().and_then(|m| m.modified()).ok();
    let since = since.and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map(|d| Stamp(d.as_secs() as i64));
    let pid = text.split_whitespace().next().and_then(|p| p.parse().ok()).unwrap_or(0);
    LockError::Busy { pid, since }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_702_only_one_engine_drives_a_session() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = dir.path().join("peer-sessions/2026-08-24-01-x");
        assert_eq!(EngineLock::holder(&runtime), None);
        let first = EngineLock::acquire(&runtime).unwrap();
        let Err(LockError::Busy { pid, since }) = EngineLock::acquire(&runtime) else {
            panic!("must be busy")
        };
        assert_eq!(pid, std::process::id());
        assert!(since.is_some());
        assert_eq!(EngineLock::holder(&runtime).map(|(pid, _)| pid), Some(std::process::id()));
        drop(first);
        assert_eq!(EngineLock::holder(&runtime), None);
        EngineLock::acquire(&runtime).unwrap();
    }

    #[test]
    fn pc_702_a_dead_holder_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("engine.lock"), "999999999 1\nrest of an older, longer text\n")
            .unwrap();
        let _lock = EngineLock::acquire(dir.path()).unwrap();
        let text = std::fs::read_to_string(dir.path().join("engine.lock")).unwrap();
        let mut words = text.split_whitespace();
        let pid: u32 = words.next().unwrap().parse().unwrap();
        let start: u64 = words.next().unwrap().parse().unwrap();
        assert_eq!((pid, words.next()), (std::process::id(), None));
        assert!(process_alive(pid, start));
    }

    #[test]
    fn pc_702_a_lock_that_was_deleted_is_taken_again_or_lost_for_good() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = dir.path().join("session");
        let mut first = EngineLock::acquire(&runtime).unwrap();
        first.keep().unwrap();
        std::fs::remove_dir_all(&runtime).unwrap();
        first.keep().unwrap();
        assert!(matches!(EngineLock::acquire(&runtime), Err(LockError::Busy { .. })));
        std::fs::remove_dir_all(&runtime).unwrap();
        drop(EngineLock::acquire(&runtime).unwrap());
        assert!(matches!(first.keep(), Err(LockError::Taken)));
        assert!(matches!(first.keep(), Err(LockError::Taken)), "it stays lost");
    }

    #[test]
    fn pc_218_index_writers_wait_for_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let held = IndexLock::acquire(dir.path(), Duration::ZERO).unwrap();
        assert!(matches!(IndexLock::acquire(dir.path(), Duration::ZERO), Err(LockError::Busy { .. })));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| IndexLock::acquire(dir.path(), Duration::from_secs(30)).is_ok());
            drop(held);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn pc_702_messages_name_the_next_step() {
        let busy = LockError::Busy { pid: 7, since: Stamp::parse("2026-08-24T09:00:00Z") };
        assert_eq!(
            busy.to_string(),
            "engine process 7 holds it since 2026-08-24T09:00:00Z; end that one first"
        );
    }
}
