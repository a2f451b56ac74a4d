//! The terminal: every mode that is set is undone, on the way out, when suspended, and first of all when something
//! panics, so that the report can be read. What goes to the terminal beside frames (title, notices, clipboard) goes
//! through here, wrapped for tmux where it must.

mod steady;
mod whole;

use super::code::worker::THREAD;
use super::settings::Desktop;
use super::text::one_line;
use crossterm::clipboard::CopyToClipboard;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use crossterm::{Command, execute};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{self, Stdout, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use steady::Steady;
use whole::{Hold, Whole};

/// Alternate screen, title kept aside, bracketed paste, focus events, keys told apart (Ctrl+Enter from Enter).
const ENTER: &str = "\x1b[?1049h\x1b[22;0t\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[?25l";

/// Presses, drags and the wheel with wide coordinates, without every movement of the mouse.
const MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// The reverse, in reverse order, and the cursor. Undoing what was never done harms nothing.
const LEAVE: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[<1u\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[0m\x1b[?25h\x1b[23;0t\x1b[?1049l";

/// The modes are set. The panic hook may run in any thread.
static ENTERED: AtomicBool = AtomicBool::new(false);

static HOOK: Once = Once::new();

/// The terminal in our modes. Dropping it undoes them.
pub struct Term {
    terminal: Terminal<Steady<CrosstermBackend<Whole<Stdout>>>>,
    hold: Hold,
    options: Options,
    title: String,
    /// The size of the last frame.
    area: Rect,
}

/// What the terminal is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub mouse: bool,
    pub bell: bool,
    pub desktop: Desktop,
    pub tmux: bool,
}

impl Term {
    /// Takes the terminal. The guard stands before the first mode is set: an error on the way undoes what was done.
    pub fn enter(options: Options) -> io::Result<Term> {
        HOOK.call_once(restore_before_panics);
        let (out, hold) = Whole::new(io::stdout());
        let backend = Steady::new(CrosstermBackend::new(out));
        let area = area(size_now());
        // Told, not asked for with every frame: that would open the terminal each time.
        let viewport = TerminalOptions { viewport: Viewport::Fixed(area) };
        let terminal = Terminal::with_options(backend, viewport)?;
        let mut term = Term { terminal, hold, options, title: String::new(), area };
        term.resume()?;
        Ok(term)
    }

    /// Sets the modes, also after a suspension; the next frame is drawn whole.
    pub fn resume(&mut self) -> io::Result<()> {
        ENTERED.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        let mut out = io::stdout();
        out.write_all(ENTER.as_bytes())?;
        if self.options.mouse {
            out.write_all(MOUSE.as_bytes())?;
        }
        out.flush()?;
        self.title.clear();
        self.redraw()
    }

    /// Gives the terminal back as it was.
    pub fn leave(&mut self) {
        restore();
    }

    /// Draws everything anew with the next frame. Ratatui's own `clear` asks the terminal where its cursor stands, and
    /// one that does not answer would cost two seconds and the screen.
    fn redraw(&mut self) -> io::Result<()> {
        self.terminal.backend_mut().clear()?;
        self.terminal.swap_buffers();
        Ok(())
    }

    pub fn size(&self) -> (u16, u16) {
        size_now()
    }

    /// Draws one frame of this size, which the terminal shows at once where it can, and the title when it changed.
    pub fn draw(
        &mut self,
        size: (u16, u16),
        title: String,
        render: impl FnOnce(&mut ratatui::Frame),
    ) -> io::Result<()> {
        // A panic elsewhere has given the terminal back; what is drawn now would spoil the report.
        if !ENTERED.load(Ordering::SeqCst) {
            return Err(io::Error::other("the terminal was given back"));
        }
        let whole = self.hold.frame();
        self.terminal.backend_mut().write_all(b"\x1b[?2026h")?;
        if self.area != area(size) {
            self.area = area(size);
            self.terminal.resize(self.area)?;
        }
        if title != self.title {
            let safe = one_line(&title, 120);
            write!(self.terminal.backend_mut(), "\x1b]0;{safe}\x07")?;
            self.title = title;
        }
        self.terminal.draw(render)?;
        self.terminal.backend_mut().write_all(b"\x1b[?2026l")?;
        drop(whole);
        Write::flush(self.terminal.backend_mut())
    }

    /// Asks the terminal to copy. Whether it does, it does not say.
    pub fn copy(&self, text: &str) -> io::Result<()> {
        let mut sequence = String::new();
        CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence).map_err(io::Error::other)?;
        self.pass(&sequence)
    }

    /// Bell and desktop notice, as configured.
    pub fn notice(&self, text: &str) -> io::Result<()> {
        let text = one_line(text, 120);
        match self.options.desktop {
            Desktop::Off | Desktop::Program => {}
            Desktop::Osc9 => self.pass(&format!("\x1b]9;{text}\x07"))?,
            Desktop::Osc777 => {
                self.pass(&format!("\x1b]777;notify;flightdeck;{}\x07", text.replace(';', ",")))?
            }
            Desktop::Osc99 => self.pass(&format!("\x1b]99;;{text}\x1b\\"))?,
        }
        if self.options.bell {
            let mut out = io::stdout();
            out.write_all(b"\x07")?;
            out.flush()?;
        }
        Ok(())
    }

    /// Sends a sequence to the terminal itself, through tmux where we are inside it.
    fn pass(&self, sequence: &str) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(wrapped(sequence, self.options.tmux).as_bytes())?;
        out.flush()
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        // While panicking the hook has done it already, and its report must not be cleared away.
        if !std::thread::panicking() {
            restore();
        }
    }
}

fn size_now() -> (u16, u16) {
    crossterm::terminal::size().unwrap_or((80, 24))
}

fn area((width, height): (u16, u16)) -> Rect {
    Rect::new(0, 0, width, height)
}

/// Gives the terminal back, once. Errors are of no use: the terminal may be gone.
fn restore() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(out, Raw(LEAVE));
        let _ = disable_raw_mode();
    }
}

fn restore_before_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // A syntax that fails on some text costs the colours, not the screen.
        if std::thread::current().name() == Some(THREAD) {
            return;
        }
        restore();
        before(info);
    }));
}

struct Raw(&'static str);

impl Command for Raw {
    fn write_ansi(&self, f: &mut impl std::fmt::Write) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

fn wrapped(sequence: &str, tmux: bool) -> String {
    if tmux {
        format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
    } else {
        sequence.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_undone() {
        for mode in ["1049", "2004", "1004", "1000", "1002", "1006"] {
            assert!(format!("{ENTER}{MOUSE}").contains(&format!("\x1b[?{mode}h")), "{mode}");
            assert!(LEAVE.contains(&format!("\x1b[?{mode}l")), "{mode}");
        }
        assert!(ENTER.contains("\x1b[>1u") && LEAVE.contains("\x1b[<1u"), "key flags");
        assert!(ENTER.contains("\x1b[22;0t") && LEAVE.contains("\x1b[23;0t"), "title");
        assert!(LEAVE.contains("\x1b[?25h"), "cursor");
        assert!(!MOUSE.contains("1003"), "movements would wake us for nothing");
    }

    #[test]
    fn tmux_gets_sequences_wrapped() {
        assert_eq!(wrapped("\x1b]9;x\x07", true), "\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\");
        assert_eq!(wrapped("\x1b]9;x\x07", false), "\x1b]9;x\x07");
    }
}
