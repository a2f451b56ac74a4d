//! However the dashboard ends, the terminal is as it was: the program as a user starts it, in a terminal of its own.

use crate::stage::{PATIENCE, Stage};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A terminal that outlives the programs in it.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    slave: Box<dyn SlavePty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// Line discipline: echo, line by line, signals from keys.
    before: String,
}

impl Terminal {
    fn new() -> Terminal {
        let pair = native_pty_system()
            .openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 })
            .unwrap();
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
        let size = |n| NonZero::new(n).unwrap();
        let before = discipline(&*pair.master);
        let parser = vt100::Parser::new(size(24), size(80), 0);
        Terminal { master: pair.master, slave: pair.slave, keys, output, parser, raw: Vec::new(), before }
    }

    fn start(&mut self, stage: &Stage, args: &[&str]) -> Box<dyn Child + Send + Sync> {
        self.start_with(stage, args, &[])
    }

    fn start_with(
        &mut self,
        stage: &Stage,
        args: &[&str],
        vars: &[(&str, &str)],
    ) -> Box<dyn Child + Send + Sync> {
        let plain = stage.command(args);
        let mut command = CommandBuilder::new(plain.get_program());
        command.args(plain.get_args());
        command.env_clear();
        for (name, value) in plain.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command.env("TERM", "xterm-256color");
        vars.iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(stage.home().join("work"));
        self.slave.spawn_command(command).unwrap()
    }

    #[track_caller]
    fn until(&mut self, what: &str, holds: impl Fn(&Terminal) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("never: {what}\n{}", self.parser.screen().contents());
            };
            self.raw.extend(&bytes);
            self.parser.process(&bytes);
        }
    }

    fn open(&mut self) {
        self.until("the dashboard", |t| {
            t.parser.screen().alternate_screen() && t.parser.screen().contents().contains("waiting")
        });
    }

    #[track_caller]
    fn ended(&mut self, child: &mut Box<dyn Child + Send + Sync>) -> u32 {
        let mut code = None;
        crate::stage::until("the dashboard ends", || {
            code = child.try_wait().unwrap();
            code.is_some()
        });
        code.unwrap().exit_code()
    }

    /// Modes of the screen, and nothing that is set more often than it is taken back.
    #[track_caller]
    fn modes_are_back(&mut self) {
        self.until("the modes are back", |t| {
            let screen = t.parser.screen();
            !screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor()
        });
        assert_eq!(self.parser.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let raw = String::from_utf8_lossy(&self.raw);
        for (set, taken) in [("\x1b[>1u", "\x1b[<1u"), ("\x1b[22;0t", "\x1b[23;0t")] {
            assert_eq!(raw.matches(set).count(), raw.matches(taken).count(), "{set:?}");
        }
        for mode in ["1000", "1002", "1004", "1006", "2004", "2026"] {
            let last = |end: &str| raw.rfind(&format!("\x1b[?{mode}{end}"));
            assert!(last("l") > last("h"), "mode {mode} is still set");
        }
    }

    #[track_caller]
    fn clean(&mut self) {
        self.modes_are_back();
        assert_eq!(discipline(&*self.master), self.before, "the line discipline");
    }
}

fn discipline(master: &dyn MasterPty) -> String {
    let modes = master.get_termios().expect("a terminal");
    format!("{:?} {:?} {:?}", modes.input_flags, modes.output_flags, modes.local_flags)
}

fn signal(child: &dyn Child, signal: Signal) {
    kill_process(Pid::from_raw(child.process_id().unwrap().cast_signed()).unwrap(), signal).unwrap();
}

/// Waits until it has stopped itself: a signal before that would reach a screen that runs.
fn stops(child: &dyn Child) {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let pid = Pid::from_raw(child.process_id().unwrap().cast_signed()).unwrap();
    let look = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    crate::stage::until("it stops", || waitid(WaitId::Pid(pid), look).unwrap().is_some());
}

/// Ends the engine that the dashboards of a stage share.
fn stop(stage: &Stage) {
    let ran = stage.run(&["engines", "--stop"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
}

#[test]
fn rule_8_quit_and_every_signal_leave_the_terminal_as_it_was() {
    let stage = Stage::new();
    let ends = [
        ("q", None, 0),
        ("\x03", None, 0),
        ("", Some(Signal::TERM), 143),
        ("", Some(Signal::INT), 130),
        ("", Some(Signal::QUIT), 131),
        ("", Some(Signal::HUP), 129),
    ];
    for (keys, sent, expected) in ends {
        let mut terminal = Terminal::new();
        let mut child = terminal.start(&stage, &[]);
        terminal.open();
        terminal.keys.write_all(keys.as_bytes()).unwrap();
        if let Some(sent) = sent {
            signal(&*child, sent);
        }
        let code = terminal.ended(&mut child);
        assert_eq!(code, expected, "{keys:?} {sent:?}");
        terminal.clean();
    }
    stop(&stage);
}

#[test]
fn rule_8_an_engine_that_is_killed_leaves_the_terminal_as_it_was() {
    let stage = Stage::new();
    let mut terminal = Terminal::new();
    let mut child = terminal.start(&stage, &[]);
    terminal.open();
    let told = stage.run(&["engines"]);
    let pid: i32 = told.out.split_whitespace().nth(1).unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    assert_eq!(terminal.ended(&mut child), 1);
    terminal.clean();
    terminal.until("the reason", |t| t.parser.screen().contents().contains("engine"));
}

/// A killed screen cannot tidy up. The engine goes on, and the next screen takes back what the first one set.
#[test]
fn rule_8_after_a_killed_screen_the_engine_lives_and_the_next_one_tidies_up() {
    let stage = Stage::new();
    let mut terminal = Terminal::new();
    let mut child = terminal.start(&stage, &[]);
    terminal.open();
    let engine = stage.run(&["engines"]).out;
    signal(&*child, Signal::KILL);
    terminal.ended(&mut child);
    assert_eq!(stage.run(&["engines"]).out, engine, "the same engine");
    // What the first one pushed stays pushed: only its own entry is the second one's to take.
    terminal.raw.clear();
    let mut second = terminal.start(&stage, &[]);
    terminal.until("it is drawn anew", |t| String::from_utf8_lossy(&t.raw).contains("\x1b[?2026l"));
    terminal.keys.write_all(b"q").unwrap();
    assert_eq!(terminal.ended(&mut second), 0);
    terminal.modes_are_back();
    stop(&stage);
}

/// A shell ends a stopped job with the signal first and the wake-up behind it.
#[test]
fn rule_8_a_stopped_screen_that_is_ended_ends() {
    let stage = Stage::new();
    for (sent, expected) in [(Signal::HUP, 129), (Signal::TERM, 143), (Signal::INT, 130), (Signal::QUIT, 131)]
    {
        let mut terminal = Terminal::new();
        let mut child = terminal.start(&stage, &[]);
        terminal.open();
        terminal.keys.write_all(b"\x1a").unwrap();
        stops(&*child);
        terminal.clean();
        signal(&*child, sent);
        signal(&*child, Signal::CONT);
        assert_eq!(terminal.ended(&mut child), expected, "{sent:?}");
        terminal.clean();
    }
    stop(&stage);
}

/// While the editor has the terminal, the screen may be ended with or without a word: the modes are back, and a polite
/// end waits for the pilot's editor.
#[test]
fn rule_8_a_screen_that_ends_while_the_editor_runs_leaves_the_terminal_as_it_was() {
    for (sent, expected) in
        [(Signal::KILL, None), (Signal::ABORT, None), (Signal::TERM, Some(143)), (Signal::HUP, Some(129))]
    {
        let stage = Stage::new();
        let editor = stage.home().join("bin/edit");
        std::fs::create_dir_all(editor.parent().unwrap()).unwrap();
        let script =
            "#!/bin/sh\necho EDITING\nuntil [ -e \"$HOME/go\" ]; do sleep 0.02; done\n: > \"$HOME/over\"\n";
        std::fs::write(&editor, script).unwrap();
        std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut terminal = Terminal::new();
        let mut child =
            terminal.start_with(&stage, &["new", "--yes", "--peer", "bo", "A task"], &[("EDITOR", "edit")]);
        terminal.until("a question", |t| t.parser.screen().contents().contains("! 1 waiting"));
        terminal.keys.write_all(b"d").unwrap();
        terminal.until("the field", |t| t.parser.screen().contents().contains("words for the writer"));
        terminal.keys.write_all(b"\x05").unwrap();
        terminal.until("the editor", |t| t.parser.screen().contents().contains("EDITING"));
        signal(&*child, sent);
        let go = || std::fs::write(stage.home().join("go"), "").unwrap();
        if let Some(expected) = expected {
            go();
            assert_eq!(terminal.ended(&mut child), expected, "{sent:?}");
        } else {
            terminal.ended(&mut child);
        }
        terminal.clean();
        // The system hangs up an editor whose screen led the terminal's session.
        assert_eq!(stage.home().join("over").exists(), expected.is_some(), "{sent:?}");
        go();
        stop(&stage);
    }
}

/// An editor that dies leaves what it had saved, and where that is, is said.
#[test]
fn rule_8_what_a_dead_editor_had_saved_is_kept() {
    let stage = Stage::new();
    let editor = stage.home().join("bin/edit");
    std::fs::create_dir_all(editor.parent().unwrap()).unwrap();
    std::fs::write(&editor, "#!/bin/sh\necho 'half a thought' > \"$1\"\nkill -9 $$\n").unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut terminal = Terminal::new();
    let args = ["new", "--yes", "--peer", "bo", "A task"];
    let mut child = terminal.start_with(&stage, &args, &[("EDITOR", "edit")]);
    terminal.until("a question", |t| t.parser.screen().contents().contains("! 1 waiting"));
    terminal.keys.write_all(b"d").unwrap();
    terminal.until("the field", |t| t.parser.screen().contents().contains("words for the writer"));
    terminal.keys.write_all(b"\x05").unwrap();
    terminal.until("it is said", |t| t.parser.screen().contents().contains("edit ended with signal"));
    let kept = stage.home().join(format!("tmp/flightdeck-{}.md", child.process_id().unwrap()));
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "half a thought\n");
    terminal.keys.write_all(b"\x03").unwrap();
    assert_eq!(terminal.ended(&mut child), 0);
    terminal.clean();
    stop(&stage);
}

/// `engines --stop` returns when the engine has said good-bye, and that is before it is gone.
#[test]
fn a_screen_that_comes_while_the_engine_ends_gets_a_new_one() {
    let stage = Stage::new();
    let mut terminal = Terminal::new();
    for _ in 0..5 {
        let mut child = terminal.start(&stage, &[]);
        terminal.open();
        terminal.keys.write_all(b"q").unwrap();
        assert_eq!(terminal.ended(&mut child), 0, "{}", terminal.parser.screen().contents());
        terminal.clean();
        stop(&stage);
    }
}
