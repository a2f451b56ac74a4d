//! The loop: wait for one thing, take what else is there, do what comes of it, draw once if something changed.
//!
//! There is no ticker. The model names the next time at which something changes by itself; when nothing does, nobody
//! wakes us.

use super::code::Painted;
use super::code::worker::Worker;
use super::frame::Frames;
use super::input::Input;
use super::model::{Clock, Model};
use super::msg::{Cmd, Msg};
use super::settings::{Desktop, Kept, Settings};
use super::signals::{Signal, Signals};
use super::term::{Options, Term};
use super::theme::Role;
use super::update::{start, update};
use super::view::{title, view};
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::engine::clock::Clock as Wall;
use crate::engine::wire::{Ask, Owner, Tell};
use crossterm::event::Event;
use std::future::pending;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// So much is taken before a frame is drawn, however much there is.
const BATCH: usize = 64;

/// If nothing has stopped us after this long, nothing will.
const STOPS: Duration = Duration::from_millis(500);

/// Why the screen closed.
#[derive(Debug)]
pub enum Why {
    Quit,
    /// SIGTERM, or SIGHUP: the terminal is gone.
    Signal(Signal),
    /// The engine's end of the channel closed; with its last words, if it had any.
    EngineGone(Option<String>),
    /// The terminal cannot be read or written.
    Terminal(io::Error),
}

/// What is left when the screen closes.
#[derive(Debug)]
pub struct Exit {
    pub why: Why,
    /// Unsent answers and seen-marks, to be found again.
    pub kept: Kept,
    /// Sessions that run on in the engine, and open questions.
    pub running: usize,
    pub waiting: usize,
    /// The session that was in front.
    pub session: Option<SessionId>,
}

/// What one turn of the loop waits for.
enum Woke {
    Signal(Signal),
    Input(Option<io::Result<Event>>),
    Tell(Option<Tell>),
    Painted(Option<Painted>),
    Time,
}

/// Shows the dashboard until the pilot leaves, on the thread that calls it. The engine is at the other end of the two
/// channels.
pub async fn run(asks: mpsc::Sender<Ask>, mut tells: mpsc::Receiver<Tell>, settings: Settings) -> Exit {
    let began = Instant::now();
    let clock = || Clock { now: Wall::System.now(), at: began.elapsed() };
    let options = Options {
        mouse: settings.mouse,
        bell: settings.bell,
        desktop: settings.desktop,
        tmux: settings.tmux,
    };
    let (mut term, mut signals) = match Term::enter(options).and_then(|term| Ok((term, Signals::listen()?))) {
        Ok(both) => both,
        Err(e) => return Exit::without_screen(e, settings.kept),
    };
    let mut model = Model::new(&settings, clock(), term.size());
    let mut input = Some(Input::open());
    let mut frames = Frames::default();
    let first = start(&mut model, &settings.start);
    let mut out = Outside {
        asks,
        term: &mut term,
        input: &mut input,
        signals: &mut signals,
        settings: &settings,
        painter: Worker::default(),
    };
    let mut ended = out.perform(&mut model, first).await;
    while ended.is_none() {
        let frame = model.dirty.then(|| frames.next(model.clock.at));
        let wake = model.next_wake();
        let deadline = frame.into_iter().chain(wake).min().map(|at| began + at);
        let woke = tokio::select! {
            biased;
            signal = out.signals.next() => Woke::Signal(signal),
            event = next_event(out.input) => Woke::Input(event),
            tell = tells.recv() => Woke::Tell(tell),
            painted = out.painter.next() => Woke::Painted(painted),
            () = async { match deadline { Some(at) => sleep_until(at).await, None => pending().await } } => Woke::Time,
        };
        model.clock = clock();
        let mut cmds = Vec::new();
        ended = out.take(&mut model, woke, &mut cmds);
        for _ in 0..BATCH {
            let Ok(tell) = tells.try_recv() else { break };
            cmds.extend(update(&mut model, Msg::Tell(Box::new(tell))));
        }
        if wake.is_some_and(|at| at <= model.clock.at) {
            cmds.extend(update(&mut model, Msg::Tick));
        }
        ended = ended.or(out.perform(&mut model, cmds).await);
        if ended.is_none() && model.dirty && frames.take(model.clock.at) {
            model.dirty = false;
            let drawn = out.term.draw(model.size, title(&model), |frame| view(&mut model, frame));
            ended = drawn.err().map(Why::Terminal);
            let cmds = update(&mut model, Msg::Drawn);
            ended = ended.or(out.perform(&mut model, cmds).await);
        }
    }
    out.aside().await;
    drop(out);
    drop(term);
    Exit::of(model, ended.unwrap_or(Why::Quit))
}

/// The next event; never one while the terminal is somebody else's.
async fn next_event(input: &mut Option<Input>) -> Option<io::Result<Event>> {
    match input {
        Some(input) => input.next().await,
        None => pending().await,
    }
}

/// What commands act on.
struct Outside<'a> {
    asks: mpsc::Sender<Ask>,
    term: &'a mut Term,
    input: &'a mut Option<Input>,
    signals: &'a mut Signals,
    settings: &'a Settings,
    painter: Worker,
}

impl Outside<'_> {
    /// Turns what woke us into messages, and the messages into commands.
    fn take(&mut self, model: &mut Model, woke: Woke, cmds: &mut Vec<Cmd>) -> Option<Why> {
        let msg = match woke {
            Woke::Signal(Signal::Stop) => {
                cmds.push(Cmd::Suspend);
                return None;
            }
            // Somebody stopped and woke us from outside: the terminal may show anything.
            Woke::Signal(Signal::Continue) => return self.again(model).err().map(Why::Terminal),
            Woke::Signal(Signal::Size) => {
                let (width, height) = self.term.size();
                Msg::Resize(width, height)
            }
            Woke::Signal(signal) => return Some(Why::Signal(signal)),
            Woke::Input(Some(Ok(event))) => message(event)?,
            Woke::Input(Some(Err(e))) => return Some(Why::Terminal(e)),
            Woke::Input(None) => return Some(Why::Signal(Signal::HangUp)),
            Woke::Tell(Some(tell)) => Msg::Tell(Box::new(tell)),
            Woke::Tell(None) => return Some(Why::EngineGone(model.engine.bye.take())),
            Woke::Painted(Some(painted)) => Msg::Painted(painted),
            Woke::Painted(None) | Woke::Time => return None,
        };
        cmds.extend(update(model, msg));
        None
    }

    async fn perform(&mut self, model: &mut Model, cmds: Vec<Cmd>) -> Option<Why> {
        for cmd in cmds {
            let done = match cmd {
                Cmd::Ask(ask) => {
                    // Waiting here would freeze the screen. A closed channel shows on the other one, with the reason.
                    if let Err(mpsc::error::TrySendError::Full(_)) = self.asks.try_send(*ask) {
                        let busy = model.lang().pick(
                            "the engine is busy: that did not reach it, try again",
                            "движок занят: это до него не дошло, повтори",
                        );
                        model.say(busy, Role::Failed);
                    }
                    Ok(())
                }
                Cmd::Paint(wish) => {
                    self.painter.wish(wish);
                    Ok(())
                }
                Cmd::Copy(text) => self.term.copy(&text),
                Cmd::Notice(text) => self.notice(model, &text),
                Cmd::Keep => {
                    (self.settings.keep)(&model.kept());
                    Ok(())
                }
                Cmd::Redraw => self.again(model),
                Cmd::Suspend => match self.suspend(model).await {
                    Ok(Some(end)) => return Some(Why::Signal(end)),
                    other => other.map(drop),
                },
                Cmd::Edit(text) => self.edit(model, &text).await,
                Cmd::Quit => return Some(Why::Quit),
            };
            if let Err(e) = done {
                return Some(Why::Terminal(e));
            }
        }
        None
    }

    /// Bell and desktop. A program that is not there is said on the screen, where it can be read.
    fn notice(&mut self, model: &mut Model, text: &str) -> io::Result<()> {
        if self.settings.desktop == Desktop::Program
            && let Err(e) = (self.settings.tell_desktop)(text)
        {
            model.say(format!("{text} · {e}"), Role::Warning);
        }
        self.term.notice(text)
    }

    /// Lets the pilot's editor have the terminal.
    async fn edit(&mut self, model: &mut Model, text: &str) -> io::Result<()> {
        self.aside().await;
        let edited = (self.settings.edit)(text).map_err(|e| e.to_string());
        self.again(model)?;
        update(model, Msg::Edited(edited));
        Ok(())
    }

    /// Back to the shell, until it wakes us. The stop reaches the process, not this thread: what follows may still run
    /// for a moment, so the wake-up itself is waited for. A shell that ends a stopped job sends the end before the wake-up,
    /// and then that is what woke us.
    async fn suspend(&mut self, model: &mut Model) -> io::Result<Option<Signal>> {
        self.aside().await;
        (self.settings.suspend)();
        let woke = tokio::select! {
            biased;
            signal = self.signals.next() => Some(signal),
            () = tokio::time::sleep(STOPS) => None,
        };
        let end = woke.filter(|s| !matches!(s, Signal::Continue | Signal::Stop | Signal::Size));
        if end.is_none() {
            self.again(model)?;
        }
        Ok(end)
    }

    /// Gives the terminal to somebody else. The reader of events goes first: two readers would split keys.
    async fn aside(&mut self) {
        if let Some(input) = self.input.take() {
            input.close().await;
        }
        self.term.leave();
    }

    /// Takes the terminal again and draws everything. What is still set is undone first: the terminal counts some modes.
    fn again(&mut self, model: &mut Model) -> io::Result<()> {
        self.term.leave();
        self.term.resume()?;
        self.input.get_or_insert_with(Input::open);
        model.size = self.term.size();
        model.dirty = true;
        Ok(())
    }
}

fn message(event: Event) -> Option<Msg> {
    Some(match event {
        Event::Key(key) => Msg::Key(key),
        Event::Mouse(mouse) => Msg::Mouse(mouse),
        Event::Paste(text) => Msg::Paste(text),
        // The signal tells it.
        Event::Resize(..) => return None,
        Event::FocusGained => Msg::Focus(true),
        Event::FocusLost => Msg::Focus(false),
    })
}

impl Exit {
    fn of(model: Model, why: Why) -> Exit {
        let driven = model.deck.rows.iter().filter(|r| r.owner == Owner::Here && r.status == Status::Started);
        Exit {
            why,
            running: driven.count(),
            waiting: model.waiting().0,
            session: model.front().cloned(),
            kept: model.kept(),
        }
    }

    fn without_screen(e: io::Error, kept: Kept) -> Exit {
        Exit { why: Why::Terminal(e), kept, running: 0, waiting: 0, session: None }
    }
}
