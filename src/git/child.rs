//! Runs a short command to its end: nothing to read, no terminal, a deadline, bounded output.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, setsid, waitid};
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The end of each stream that is kept; what matters in a long hook report stands last.
const KEEP: usize = 64 * 1024;

/// How long to wait for the last output of a command that ended. Something it left behind may hold the pipe forever.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// A command that ended, or was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The deadline passed and the command was killed with everything it had started.
    pub timed_out: bool,
    /// UTF-8, bad bytes replaced, at most 64 KiB from the end.
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn ok(&self) -> bool {
        self.code == Some(0) && !self.timed_out
    }

    /// What the command said: stderr, or stdout when stderr is empty.
    pub fn said(&self) -> &str {
        let stderr = self.stderr.trim();
        if stderr.is_empty() { self.stdout.trim() } else { stderr }
    }
}

/// A command for [`run`].
#[expect(
    clippy::disallowed_methods,
    reason = "the place of short commands; `run` gives them a deadline and bounds"
)]
pub fn command(program: &str) -> Command {
    Command::new(program)
}

/// Runs the command in a session of its own, so that nothing in it can ask on the pilot's terminal, and so that the
/// deadline ends its children too. Blocks; an error means that it could not be started.
pub fn run(command: &mut Command, deadline: Duration) -> io::Result<Finished> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[expect(unsafe_code, reason = "the standard library has no safe way to start a session")]
    // SAFETY: setsid is async-signal-safe and the closure neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(|| setsid().map(|_| ()).map_err(io::Error::from));
    }
    let mut child = command.spawn()?;
    let (stdout, stderr) = (Tail::of(child.stdout.take()), Tail::of(child.stderr.take()));
    let pid = Pid::from_child(&child);
    let (ended, end) = channel();
    // The exit is observed but not collected, so the pid stays ours until `wait` and the kill cannot hit a stranger.
    thread::spawn(move || {
        while let Err(rustix::io::Errno::INTR) =
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
        let _ = ended.send(());
    });
    let timed_out = end.recv_timeout(deadline).is_err();
    if timed_out {
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let status = child.wait()?;
    Ok(Finished {
        code: status.code(),
        signal: status.signal(),
        timed_out,
        stdout: stdout.finish(),
        stderr: stderr.finish(),
    })
}

/// The kept end of a stream that a thread reads.
struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    done: Receiver<()>,
}

impl Tail {
    fn of(stream: Option<impl Read + Send + 'static>) -> Tail {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (sender, done) = channel();
        if let Some(mut stream) = stream {
            let kept = Arc::clone(&kept);
            thread::spawn(move || {
                let mut buffer = [0; 8192];
                while let Ok(n @ 1..) = stream.read(&mut buffer) {
                    let Ok(mut kept) = kept.lock() else { break };
                    kept.extend_from_slice(&buffer[..n]);
                    let surplus = kept.len().saturating_sub(KEEP);
                    kept.drain(..surplus);
                }
                drop(sender);
            });
        }
        Tail { kept, done }
    }

    fn finish(self) -> String {
        let _ = self.done.recv_timeout(LAST_OUTPUT);
        self.kept.lock().map(|kept| String::from_utf8_lossy(&kept).into_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn sh(script: &str, deadline: Duration) -> Finished {
        run(Command::new("sh").args(["-c", script]), deadline).unwrap()
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn code_and_both_streams_come_back() {
        let finished = sh("echo out; echo err >&2; exit 3", LONG);
        assert_eq!((finished.code, finished.ok(), finished.timed_out), (Some(3), false, false));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(sh("kill -TERM $$", LONG).signal, Some(15));
        assert!(run(&mut Command::new("/no/such/program"), LONG).is_err());
    }

    #[test]
    fn the_deadline_ends_the_command_and_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let pids = dir.path().join("pids");
        let started = Instant::now();
        let script = format!("sleep 300 & echo $! > {0}; echo started; wait", pids.display());
        let finished = sh(&script, Duration::from_millis(500));
        assert!(finished.timed_out && started.elapsed() < LONG);
        assert_eq!(finished.stdout, "started\n");
        let pid: i32 = std::fs::read_to_string(pids).unwrap().trim().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        let gone = || {
            // A zombie that nobody has collected yet is gone too.
            rustix::process::test_kill_process(pid).is_err()
                || std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))
                    .is_ok_and(|s| s.contains(") Z "))
        };
        while !gone() {
            assert!(started.elapsed() < LONG, "the child is still alive");
            thread::yield_now();
        }
    }

    #[test]
    fn a_process_left_behind_does_not_hold_the_result() {
        let started = Instant::now();
        let finished = sh("sleep 5 & echo done", LONG);
        assert!(finished.ok() && started.elapsed() < Duration::from_secs(4));
        assert_eq!(finished.stdout, "done\n");
    }

    #[test]
    fn nothing_can_be_asked_and_output_is_bounded() {
        assert_eq!(sh("read x; echo \"<$x>\"; (: < /dev/tty) 2>/dev/null && echo tty", LONG).stdout, "<>\n");
        let finished = sh("head -c 1000000 /dev/zero; printf '\\377end'", LONG);
        assert!(finished.stdout.len() <= KEEP + 2 && finished.stdout.ends_with("\u{fffd}end"));
    }
}
