//! A program in a terminal of its own, as a person at the keyboard has it: keys go in, the screen is looked at.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than anything here takes; a wait that reaches it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// The child in its terminal.
pub struct Pty {
    /// Killed at the end of a test that did not see it end.
    child: Killed,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    pub parser: vt100::Parser,
    /// Everything that was ever written.
    pub raw: Vec<u8>,
}

struct Killed(Box<dyn Child + Send + Sync>);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

fn some(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

impl Pty {
    pub fn open(command: CommandBuilder, (cols, rows): (u16, u16)) -> Pty {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let parser = vt100::Parser::new(some(rows), some(cols), 0);
        Pty { child: Killed(child), master: pair.master, keys, output, parser, raw: Vec::new() }
    }

    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// No frame is half drawn: the last synchronized update was ended.
    pub fn is_whole(&self) -> bool {
        let last = |mark: &[u8]| self.raw.windows(mark.len()).rposition(|bytes| bytes == mark);
        last(b"\x1b[?2026l") >= last(b"\x1b[?2026h")
    }

    /// Takes output until the condition holds.
    #[track_caller]
    pub fn until(&mut self, what: &str, holds: impl Fn(&Pty) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!(
                    "never: {what}\n{}\n{:?}",
                    self.text(),
                    String::from_utf8_lossy(&self.raw[self.raw.len().saturating_sub(300)..])
                );
            };
            self.raw.extend(&bytes);
            self.parser.process(&bytes);
        }
    }

    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        self.until(text, |s| s.text().contains(text));
    }

    pub fn resize(&mut self, (cols, rows): (u16, u16)) {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.parser.screen_mut().set_size(some(rows), some(cols));
    }

    /// Waits for the end and gives its code.
    #[track_caller]
    pub fn code(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        loop {
            while let Ok(bytes) = self.output.try_recv() {
                self.raw.extend(&bytes);
                self.parser.process(&bytes);
            }
            if let Some(status) = self.child.0.try_wait().unwrap() {
                // The reader ends with the last program that has this terminal open: the screen was to be that.
                loop {
                    match self.output.recv_timeout(PATIENCE) {
                        Ok(bytes) => {
                            self.raw.extend(&bytes);
                            self.parser.process(&bytes);
                        }
                        Err(RecvTimeoutError::Disconnected) => return status.exit_code(),
                        Err(RecvTimeoutError::Timeout) => panic!("something keeps the terminal open"),
                    }
                }
            }
            assert!(Instant::now() < end, "still there\n{}", self.text());
            std::thread::yield_now();
        }
    }

    pub fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// The terminal is as it was before.
    #[track_caller]
    pub fn clean(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "alternate screen");
        assert!(!screen.bracketed_paste(), "bracketed paste");
        assert!(!screen.hide_cursor(), "cursor");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let raw = String::from_utf8_lossy(&self.raw);
        assert_eq!(raw.matches("\x1b[>1u").count(), raw.matches("\x1b[<1u").count(), "key flags");
        assert!(!raw.contains("\x1b]0;owned"), "an agent set the title");
        assert!(!raw.contains("\x1b]52;c;aGk="), "an agent wrote the clipboard");
        assert!(!raw.contains('\u{202e}'), "an agent turned the text around");
    }

    /// Waits until the child has stopped itself: a SIGCONT before that would be lost, and the stop would last.
    #[track_caller]
    pub fn stopped(&self) {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let pid = Pid::from_raw(self.child.0.process_id().unwrap().cast_signed()).unwrap();
        let look = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let end = Instant::now() + PATIENCE;
        while waitid(WaitId::Pid(pid), look).unwrap().is_none() {
            assert!(Instant::now() < end, "never stopped");
            std::thread::yield_now();
        }
    }

    /// Takes the terminal away right after a key, and waits for the end.
    pub fn hang_up(self) {
        let Pty { mut child, master, mut keys, output, .. } = self;
        // The reader of the output ends with the next piece of it, and with it the last hold on the terminal.
        drop(output);
        keys.write_all(b"j").unwrap();
        drop((keys, master));
        let end = Instant::now() + PATIENCE;
        while child.0.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "still there without a terminal");
            std::thread::yield_now();
        }
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.0.process_id().unwrap() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }
}
