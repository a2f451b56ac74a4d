//! A writer that gives a frame on as a whole. Ratatui and crossterm flush in the middle of one, for the cursor; a frame in
//! two pieces costs a call more, and a terminal that does not know synchronized output shows the first piece alone.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A frame of a large screen with every cell in another colour is larger: it goes out in pieces, in order.
const CAPACITY: usize = 64 * 1024;

pub struct Whole<W: Write> {
    out: BufWriter<W>,
    held: Arc<AtomicBool>,
}

/// Says when a frame begins.
pub struct Hold(Arc<AtomicBool>);

/// While it lives, what is flushed stays; afterwards the next flush gives everything on.
pub struct Frame(Arc<AtomicBool>);

impl<W: Write> Whole<W> {
    pub fn new(out: W) -> (Whole<W>, Hold) {
        let held = Arc::new(AtomicBool::new(false));
        (Whole { out: BufWriter::with_capacity(CAPACITY, out), held: held.clone() }, Hold(held))
    }
}

impl Hold {
    pub fn frame(&self) -> Frame {
        self.0.store(true, Ordering::Relaxed);
        Frame(self.0.clone())
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl<W: Write> Write for Whole<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.load(Ordering::Relaxed) { Ok(()) } else { self.out.flush() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Writes(Vec<Vec<u8>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn complaint_1_a_frame_is_one_write() {
        let (mut whole, hold) = Whole::new(Writes::default());
        let frame = hold.frame();
        for part in ["a frame", " with", " a cursor"] {
            whole.write_all(part.as_bytes()).unwrap();
            whole.flush().unwrap();
        }
        assert!(whole.out.get_ref().0.is_empty());
        drop(frame);
        whole.flush().unwrap();
        assert_eq!(whole.out.get_ref().0, [b"a frame with a cursor"]);
        whole.write_all(b"a bell").unwrap();
        whole.flush().unwrap();
        assert_eq!(whole.out.get_ref().0.len(), 2);
    }
}
