//! One process runner for every kind of adapter: own process group, stdin from its own task, both pipes drained, output
//! cap, two clocks, and the whole tree ended on the way out.
//!
//! The end of a pipe never decides alone: a grandchild may hold it open after the child has exited.

pub mod hold;
pub mod kill;
pub mod tree;
pub mod vars;

use super::sandbox::Confinement;
use hold::Hold;
use kill::{LOOK, TERM_GRACE, Target};
use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use vars::Vars;

/// How long the pipes are still read after the child's exit.
const DRAIN_GRACE: Duration = Duration::from_millis(250);

/// How much of stderr is kept, from its end.
pub const STDERR_KEPT: usize = 64 * 1024;

/// How long a child that was fed to its end may take to end itself.
const FED_GRACE: Duration = Duration::from_secs(2);

/// What to run and within which limits. Not `Debug`: it holds the prompt, which must not get into a log.
pub struct Spec {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The whole environment of the child.
    pub env: Vars,
    pub cwd: PathBuf,
    pub stdin: Stdin,
    pub deadline: Duration,
    /// Longest silence on stdout.
    pub idle: Option<Duration>,
    /// Stops both clocks while somebody holds it.
    pub hold: Option<Hold>,
    /// Most bytes of stdout.
    pub output_cap: u64,
    /// What the child and everything it starts may touch; `None` for no sandbox.
    pub confinement: Option<Confinement>,
}

/// What goes into the child.
pub enum Stdin {
    Whole(Vec<u8>),
    /// Piece by piece while it runs. When the sender is gone, stdin is closed and the child has [`FED_GRACE`] to end.
    Fed(mpsc::UnboundedReceiver<Vec<u8>>),
}

/// What the caller wants after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    GoOn,
    /// Whatever it does from here on is not wanted.
    Stop,
}

impl From<()> for Next {
    fn from((): ()) -> Next {
        Next::GoOn
    }
}

/// What the caller hears while the process runs.
#[derive(Debug)]
pub enum Event<'a> {
    Started(&'a Target),
    /// A piece of stdout; never more than the cap in total.
    Stdout(&'a [u8]),
    /// A piece of stderr, as it comes.
    Stderr(&'a [u8]),
}

/// How it ended. What we did ourselves is not read off the exit status: several CLIs exit with 0 on a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Exited(ExitStatus),
    Deadline,
    Idle,
    TooLarge,
    Cancelled,
    /// Its caller said [`Next::Stop`].
    Stopped,
    /// It was fed to its end and had to be ended.
    Fed,
}

#[derive(Debug)]
pub struct Finished {
    pub end: End,
    /// Bytes of stdout seen, also those over the cap that were read before the end.
    pub stdout_bytes: u64,
    /// The end of stderr, at most [`STDERR_KEPT`] bytes, bad bytes replaced.
    pub stderr: String,
    pub elapsed: Duration,
}

/// Runs it to its end. An error means that nothing was started. When the future is dropped, the whole tree is killed.
pub async fn run<R: Into<Next>>(
    mut spec: Spec,
    mut on: impl FnMut(Event) -> R,
    cancel: impl Future<Output = ()>,
) -> io::Result<Finished> {
    let started = Instant::now();
    let mark = next_mark();
    spec.env.set(&mark, "1");
    let mut child = spawn(&spec).await?;
    let pid = child.id().ok_or_else(|| io::Error::other("the child has no process id"))?;
    // Declared after the child, so that it is dropped first: the tree is killed while the child's pid is still its own.
    let mut guard = Guard { target: Target { root: tree::newborn(pid), mark }, is_armed: true };
    let mut is_wanted = on(Event::Started(&guard.target)).into() == Next::GoOn;

    let is_fed = matches!(spec.stdin, Stdin::Fed(_));
    let stdin = std::mem::replace(&mut spec.stdin, Stdin::Whole(Vec::new()));
    let mut writer = AbortOnDrop(tokio::spawn(feed(child.stdin.take(), stdin)));
    let mut pipes = Pipes::new(&mut child);
    let mut stdout_bytes = 0;
    let mut status = None;
    let mut cancel = pin!(cancel);
    let mut deadline = pin!(sleep_until(started + spec.deadline));
    let mut idle = pin!(sleep(spec.idle.unwrap_or(Duration::MAX)));
    let mut drain = pin!(sleep(Duration::MAX));
    let mut fed = pin!(sleep(Duration::MAX));
    let mut is_feeding = is_fed;
    let mut hold = spec.hold.as_ref().map(Hold::watch);
    let mut held: Option<Instant> = None;
    let end = loop {
        if !is_wanted {
            break End::Stopped;
        }
        tokio::select! {
            biased;
            () = &mut cancel => break End::Cancelled,
            // Who ended in time is judged by its end, not by those who still hold its pipes.
            () = &mut deadline, if status.is_none() && held.is_none() => {
                // This thread may have waited for a disk, or this process may have stood still, while it ended.
                status = child.try_wait()?;
                if status.is_none() {
                    break End::Deadline;
                }
                drain.as_mut().reset(Instant::now() + DRAIN_GRACE);
            }
            is_held = changed(&mut hold), if hold.is_some() => {
                if let (Some(since), false) = (held, is_held) {
                    let until = deadline.deadline() + since.elapsed();
                    deadline.as_mut().reset(until);
                    if let Some(limit) = spec.idle {
                        idle.as_mut().reset(Instant::now() + limit);
                    }
                    held = None;
                } else if is_held {
                    held.get_or_insert_with(Instant::now);
                }
                continue;
            }
            () = &mut fed, if is_fed && status.is_none() => break End::Fed,
            _ = &mut writer.0, if is_feeding => {
                is_feeding = false;
                fed.as_mut().reset(Instant::now() + FED_GRACE);
                continue;
            }
            ended = child.wait(), if status.is_none() => {
                status = Some(ended?);
                drain.as_mut().reset(Instant::now() + DRAIN_GRACE);
            }
            () = &mut drain, if status.is_some() => {}
            piece = pipes.read(), if pipes.is_open() => {
                if let Some(Piece::Err(stderr)) = piece {
                    is_wanted = on(Event::Stderr(stderr)).into() == Next::GoOn;
                } else if let Some(Piece::Out(stdout)) = piece {
                    let room = spec.output_cap.saturating_sub(stdout_bytes);
                    stdout_bytes += stdout.len() as u64;
                    if stdout.len() as u64 > room {
                        break End::TooLarge;
                    }
                    is_wanted = on(Event::Stdout(stdout)).into() == Next::GoOn;
                    if let Some(limit) = spec.idle {
                        idle.as_mut().reset(Instant::now() + limit);
                    }
                }
                if pipes.is_open() || status.is_none() {
                    continue;
                }
            }
            // Last, so that what came while this thread was held up counts as said.
            () = &mut idle, if spec.idle.is_some() && status.is_none() && held.is_none() => break End::Idle,
        }
        // Only three ways lead here: the child has just ended, its pipes too, or its pipes stayed open for too long.
        match status {
            Some(status) if !pipes.is_open() => {
                guard.target.kill_group();
                break End::Exited(status);
            }
            Some(status) if drain.is_elapsed() => {
                guard.target.kill(&[]);
                break End::Exited(status);
            }
            _ => {}
        }
    };
    if !matches!(end, End::Exited(_)) {
        stop(&guard.target, &mut child, &mut pipes, status.is_some()).await;
    }
    guard.is_armed = false;
    Ok(Finished { end, stdout_bytes, stderr: pipes.stderr(), elapsed: started.elapsed() })
}

/// Whether the clocks stand still from now on. Only asked while there is somebody who may say so.
async fn changed(hold: &mut Option<tokio::sync::watch::Receiver<bool>>) -> bool {
    if let Some(told) = hold
        && told.changed().await.is_ok()
    {
        return *told.borrow_and_update();
    }
    *hold = None;
    false
}

/// Ends a running child and everybody with it; its output is thrown away meanwhile, so that it can end.
async fn stop(target: &Target, child: &mut Child, pipes: &mut Pipes, mut is_reaped: bool) {
    let family = target.terminate();
    let gone = async {
        loop {
            tokio::select! {
                _ = child.wait(), if !is_reaped => is_reaped = true,
                _ = pipes.read(), if pipes.is_open() => {}
                () = sleep(LOOK) => if is_reaped && !family.iter().copied().any(tree::is_alive) { break },
            }
        }
    };
    let _ = timeout(TERM_GRACE, gone).await;
    target.kill(&family);
    // A process that even KILL does not end (a dead disk) must not hold the session.
    let _ = timeout(TERM_GRACE, child.wait()).await;
}

/// Writes what the child is to read, then closes its stdin.
async fn feed(pipe: Option<ChildStdin>, stdin: Stdin) {
    let Some(mut pipe) = pipe else { return };
    // An adapter that does not read its prompt breaks the pipe, which is its own affair.
    match stdin {
        Stdin::Whole(bytes) => {
            let _ = pipe.write_all(&bytes).await;
        }
        Stdin::Fed(mut pieces) => {
            while let Some(piece) = pieces.recv().await {
                if pipe.write_all(&piece).await.is_err() || pipe.flush().await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn spawn(spec: &Spec) -> io::Result<Child> {
    let mut tries = 0;
    loop {
        let result = start(spec, &spec.program, &[]);
        match result.as_ref().map_err(rustix::io::Errno::from_io_error) {
            // The file is being written at this moment; whoever does it will be done soon.
            Err(Some(rustix::io::Errno::TXTBSY)) if tries < 20 => {
                tries += 1;
                sleep(Duration::from_millis(10)).await;
            }
            // A script without `#!`, which a shell would run.
            Err(Some(rustix::io::Errno::NOEXEC)) => {
                let script = [spec.program.clone().into_os_string()];
                let bash = start(spec, "bash".as_ref(), &script);
                return match bash {
                    Err(e) if e.kind() == io::ErrorKind::NotFound => start(spec, "/bin/sh".as_ref(), &script),
                    other => other,
                };
            }
            _ => return result,
        }
    }
}

/// Starts it, confined if it shall be.
fn start(spec: &Spec, program: &std::path::Path, before: &[OsString]) -> io::Result<Child> {
    let Some(confinement) = &spec.confinement else { return command(spec, program, before).spawn() };
    match confinement.wrapped(program, &spec.cwd) {
        Some((wrapper, mut args)) => {
            args.extend_from_slice(before);
            command(spec, &wrapper, &args).spawn()
        }
        None => confinement.spawn(&mut command(spec, program, before)),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the place of agents; the caller gives it a deadline, a cap and a group of its own"
)]
fn command(spec: &Spec, program: &std::path::Path, before: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(before).args(&spec.args).current_dir(&spec.cwd);
    command.env_clear().envs(spec.env.iter());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    command
}

/// A variable name that no other call has. The name and not the value differs, so that a call inside a call keeps both.
fn next_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let own = tree::own();
    format!("FLIGHTDECK_MARK_{}_{}_{count}", own.pid, own.started_at)
}

/// Kills the tree when a call is dropped in the middle.
struct Guard {
    target: Target,
    is_armed: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.is_armed {
            self.target.kill(&[]);
        }
    }
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What came, and from which pipe.
enum Piece<'a> {
    Out(&'a [u8]),
    Err(&'a [u8]),
}

/// Both output pipes of a child and what is kept of stderr.
struct Pipes {
    out: Option<tokio::process::ChildStdout>,
    err: Option<tokio::process::ChildStderr>,
    out_buffer: Vec<u8>,
    err_buffer: Vec<u8>,
    kept: Vec<u8>,
}

impl Pipes {
    fn new(child: &mut Child) -> Pipes {
        let buffer = || vec![0; 32 * 1024];
        let (out, err) = (child.stdout.take(), child.stderr.take());
        Pipes { out, err, out_buffer: buffer(), err_buffer: buffer(), kept: Vec::new() }
    }

    fn is_open(&self) -> bool {
        self.out.is_some() || self.err.is_some()
    }

    /// Waits for something on either pipe; keeps stderr. `None` at the end of a pipe.
    async fn read(&mut self) -> Option<Piece<'_>> {
        tokio::select! {
            biased;
            n = read(&mut self.out, &mut self.out_buffer), if self.out.is_some() => {
                if n == 0 {
                    self.out = None;
                }
                Some(&self.out_buffer[..n]).filter(|piece| !piece.is_empty()).map(Piece::Out)
            }
            n = read(&mut self.err, &mut self.err_buffer), if self.err.is_some() => {
                if n == 0 {
                    self.err = None;
                }
                self.kept.extend_from_slice(&self.err_buffer[..n]);
                if self.kept.len() > 2 * STDERR_KEPT {
                    self.kept.drain(..self.kept.len() - STDERR_KEPT);
                }
                Some(&self.err_buffer[..n]).filter(|piece| !piece.is_empty()).map(Piece::Err)
            }
            else => None,
        }
    }

    fn stderr(&self) -> String {
        let from = self.kept.len().saturating_sub(STDERR_KEPT);
        String::from_utf8_lossy(&self.kept[from..]).into_owned()
    }
}

/// Bytes read; 0 at the end. A read error is an end too: nothing more will come.
async fn read(pipe: &mut Option<impl AsyncRead + Unpin>, buffer: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(buffer).await.unwrap_or(0),
        None => 0,
    }
}

#[cfg(test)]
mod tests;
