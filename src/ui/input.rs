//! The terminal's events, read in a thread of their own. Crossterm reads in the thread that polls it, and it does not come
//! back from a key sequence that nobody finishes; the loop must, to end in order. So the thread waits for the terminal by
//! itself, asks crossterm only when there is something to read, and sees when the terminal is gone.

use crossterm::event::{Event, poll, read};
use filedescriptor::{POLLERR, POLLHUP, POLLIN, pollfd};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A reader that has not ended after this long is stuck in a sequence of keys.
const ENDS: Duration = Duration::from_millis(200);

/// Crossterm does not even look at what it has read already when it is given no time, and it spins through less than a
/// millisecond, while whoever is to draw the key may wait for this very processor.
const MORE: Duration = Duration::from_micros(20);

/// The one reader of the terminal.
pub struct Input {
    events: mpsc::Receiver<io::Result<Event>>,
    /// Dropping it stops the reader.
    stop: Option<UnixStream>,
    ended: oneshot::Receiver<()>,
}

impl Input {
    pub fn open() -> Input {
        let (send, events) = mpsc::channel(64);
        let (end, ended) = oneshot::channel();
        let stop = match UnixStream::pair() {
            Ok((stop, stopped)) => {
                std::thread::spawn(move || {
                    if let Err(e) = pass(&send, &stopped) {
                        let _ = send.blocking_send(Err(e));
                    }
                    let _ = end.send(());
                });
                Some(stop)
            }
            Err(e) => {
                let _ = send.try_send(Err(e));
                None
            }
        };
        Input { events, stop, ended }
    }

    /// The next event; `None` when the terminal is gone.
    pub async fn next(&mut self) -> Option<io::Result<Event>> {
        self.events.recv().await
    }

    /// Lets go of the terminal, so that another program can read it.
    pub async fn close(self) {
        drop(self.stop);
        drop(self.events);
        let _ = tokio::time::timeout(ENDS, self.ended).await;
    }
}

/// Passes events on until the terminal is gone or somebody stops us.
fn pass(send: &mpsc::Sender<io::Result<Event>>, stopped: &UnixStream) -> io::Result<()> {
    let wait = |fd: &dyn AsRawFd| pollfd { fd: fd.as_raw_fd(), events: POLLIN, revents: 0 };
    loop {
        let mut both = [wait(&io::stdin()), wait(stopped)];
        match filedescriptor::poll(&mut both, None) {
            Ok(_) => {}
            Err(filedescriptor::Error::Poll(e)) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(io::Error::other(e)),
        }
        let [terminal, stop] = both.map(|fd| fd.revents);
        if stop != 0 || terminal & (POLLHUP | POLLERR) != 0 {
            return Ok(());
        }
        while terminal & POLLIN != 0
            && let Some(event) = next()?
        {
            if send.blocking_send(Ok(event)).is_err() {
                return Ok(());
            }
        }
    }
}

/// What can be read now. Asked twice: who was interrupted the first time had no time left to look.
fn next() -> io::Result<Option<Event>> {
    if poll(MORE)? || poll(MORE)? { read().map(Some) } else { Ok(None) }
}
