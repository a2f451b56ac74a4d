//! The terminal's events, read in a thread of their own. Crossterm reads in the thread that polls it, and it does not come
//! back from a terminal that is gone or from a key sequence that nobody finishes; the loop must, to end in order.

use crossterm::event::{Event, EventStream};
use futures_core::Stream;
use std::future::poll_fn;
use std::io;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A reader that has not ended after this long is stuck in a terminal that is gone.
const ENDS: Duration = Duration::from_millis(200);

/// The one reader of the terminal.
pub struct Input {
    events: mpsc::Receiver<io::Result<Event>>,
    stop: oneshot::Sender<()>,
    ended: oneshot::Receiver<()>,
}

impl Input {
    pub fn open() -> Input {
        let (send, events) = mpsc::channel(64);
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        std::thread::spawn(move || {
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() {
                runtime.block_on(read(send, stopped));
            }
            let _ = end.send(());
        });
        Input { events, stop, ended }
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

async fn read(send: mpsc::Sender<io::Result<Event>>, mut stopped: oneshot::Receiver<()>) {
    let mut stream = EventStream::new();
    loop {
        let event = tokio::select! {
            biased;
            _ = &mut stopped => return,
            event = poll_fn(|cx| std::pin::Pin::new(&mut stream).poll_next(cx)) => event,
        };
        let Some(event) = event else { return };
        if send.send(event).await.is_err() {
            return;
        }
    }
}
