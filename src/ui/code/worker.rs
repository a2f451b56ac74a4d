//! The thread that colours. It begins with the first wish, so that a screen without a diff has none of it; a newer wish
//! ends the one before.

use super::Painted;
use super::paint::Painter;
use crate::ui::model::pipeline::doc::Doc;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use tokio::sync::mpsc;

/// How the thread is called: when a syntax fails in it, colours are missing and nothing else.
pub const THREAD: &str = "colours";

/// Rows of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    pub doc: Arc<Doc>,
    pub rows: Range<usize>,
}

/// The screen's end.
pub struct Worker {
    wishes: Option<Sender<Wish>>,
    done: (mpsc::Sender<Painted>, mpsc::Receiver<Painted>),
}

impl Default for Worker {
    fn default() -> Worker {
        Worker { wishes: None, done: mpsc::channel(4) }
    }
}

impl Worker {
    pub fn wish(&mut self, wish: Wish) {
        let wishes = self.wishes.get_or_insert_with(|| {
            let (send, wishes) = channel();
            let done = self.done.0.clone();
            // Without a thread there are no colours.
            let _ = std::thread::Builder::new().name(THREAD.into()).spawn(move || work(&wishes, &done));
            send
        });
        let _ = wishes.send(wish);
    }

    /// The next lines that are done; never any before something was wished for.
    pub async fn next(&mut self) -> Option<Painted> {
        self.done.1.recv().await
    }
}

fn work(wishes: &Receiver<Wish>, done: &mpsc::Sender<Painted>) {
    let mut painter = Painter::new();
    let newer: RefCell<Option<Wish>> = RefCell::new(None);
    loop {
        let known = newer.take();
        let Some(Wish { doc, rows }) = known.or_else(|| wishes.recv().ok()) else { return };
        let stop = || loop {
            match wishes.try_recv() {
                Ok(wish) => *newer.borrow_mut() = Some(wish),
                Err(TryRecvError::Empty) => return newer.borrow().is_some(),
                Err(TryRecvError::Disconnected) => return true,
            }
        };
        let from = rows.start;
        let Some(rows) = painter.paint(&doc, rows, &stop) else { continue };
        if done.blocking_send(Painted { stamp: doc.stamp, from, rows }).is_err() {
            return;
        }
    }
}
