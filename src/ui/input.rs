//! The terminal's events, read in a thread of their own. Crossterm reads in the thread that polls it, and it does not come
//! back from a terminal that is gone or from a key sequence that nobody finishes; the loop must, to end in order. The
//! thread sleeps in the kernel: a key wakes it, and it wakes the loop, with nobody in between.

use crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{self, IsTerminal, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A reader that has not ended after this long is stuck in a terminal that is gone.
const ENDS: Duration = Duration::from_millis(200);

/// The one reader of the terminal.
pub struct Input {
    events: mpsc::Receiver<io::Result<Event>>,
    /// Closing it wakes the thread, which ends.
    stop: PipeWriter,
    ended: oneshot::Receiver<()>,
}

impl Input {
    pub fn open() -> io::Result<Input> {
        let (send, events) = mpsc::channel(64);
        let (stopped, stop) = io::pipe()?;
        let (end, ended) = oneshot::channel();
        std::thread::spawn(move || {
            // With its input taken elsewhere the terminal is still what we draw on.
            let (stdin, stdout) = (io::stdin(), io::stdout());
            let terminal = if stdin.is_terminal() { stdin.as_fd() } else { stdout.as_fd() };
            if let Err(e) = read(terminal, &stopped, &send) {
                let _ = send.blocking_send(Err(e));
            }
            let _ = end.send(());
        });
        Ok(Input { events, stop, ended })
    }

    /// The next event; `None` when the terminal cannot be read any more.
    pub async fn next(&mut self) -> Option<io::Result<Event>> {
        self.events.recv().await
    }

    /// Lets go of the terminal, so that another program can read it.
    pub async fn close(self) {
        drop(self.stop);
        let _ = tokio::time::timeout(ENDS, self.ended).await;
    }
}

/// Until it is told to stop, or nobody listens.
fn read(
    terminal: BorrowedFd,
    stopped: &PipeReader,
    send: &mpsc::Sender<io::Result<Event>>,
) -> io::Result<()> {
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    loop {
        let mut ready =
            [PollFd::from_borrowed_fd(terminal, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let [terminal, stopped] = ready.map(|fd| fd.revents());
        if !stopped.is_empty() {
            return Ok(());
        }
        if terminal.intersects(gone) {
            return Err(io::Error::other("the terminal is gone"));
        }
        while event::poll(Duration::ZERO)? {
            if send.blocking_send(Ok(event::read()?)).is_err() {
                return Ok(());
            }
        }
    }
}
