//! Signals that a screen must answer: the end, the loss of its terminal, the shell's stop and wake-up, another size.

use std::io;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    /// The terminal is gone.
    HangUp,
    Interrupt,
    Quit,
    Stop,
    Continue,
    /// The terminal has another size.
    Size,
}

/// The numbers that tokio has no names for; they differ between systems.
#[cfg(target_os = "linux")]
const STOP_CONTINUE: (i32, i32) = (20, 18);
#[cfg(not(target_os = "linux"))]
const STOP_CONTINUE: (i32, i32) = (18, 19);

pub struct Signals {
    streams: [(Signal, Stream); 7],
}

impl Signals {
    pub fn listen() -> io::Result<Signals> {
        let raw = |n| signal(SignalKind::from_raw(n));
        Ok(Signals {
            streams: [
                (Signal::Terminate, signal(SignalKind::terminate())?),
                (Signal::HangUp, signal(SignalKind::hangup())?),
                (Signal::Interrupt, signal(SignalKind::interrupt())?),
                (Signal::Quit, signal(SignalKind::quit())?),
                (Signal::Stop, raw(STOP_CONTINUE.0)?),
                (Signal::Continue, raw(STOP_CONTINUE.1)?),
                (Signal::Size, signal(SignalKind::window_change())?),
            ],
        })
    }

    /// The next of them.
    pub async fn next(&mut self) -> Signal {
        std::future::poll_fn(|cx| {
            for (signal, stream) in &mut self.streams {
                if stream.poll_recv(cx).is_ready() {
                    return std::task::Poll::Ready(*signal);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}
