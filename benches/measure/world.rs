//! A home of its own with a library of sessions, and programs in a terminal.

use flightdeck::domain::session::id::SessionId;
use flightdeck::domain::session::meta::{Decision, Meta, ResultClass, Status};
use flightdeck::store::{index, meta};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::fs;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_flightdeck");
const PATIENCE: Duration = Duration::from_secs(60);
/// The slug of the newest session: what a measured screen has to show.
pub const NEWEST: &str = "the-newest-of-all";

pub struct World {
    temp: TempDir,
}

impl World {
    /// With so many finished sessions.
    pub fn new(sessions: usize) -> World {
        let world = World { temp: tempfile::tempdir().unwrap() };
        for folder in ["home/.config/flightdeck", "run", "tmp"] {
            fs::create_dir_all(world.root().join(folder)).unwrap();
        }
        library(&world.sessions(), sessions);
        world
    }

    pub fn root(&self) -> &Path {
        self.temp.path()
    }

    pub fn sessions(&self) -> PathBuf {
        self.root().join("sessions")
    }

    pub fn config(&self, text: &str) {
        fs::write(self.root().join("home/.config/flightdeck/config.yaml"), text).unwrap();
    }

    fn vars(&self) -> Vec<(String, String)> {
        let at = |name: &str| self.root().join(name).display().to_string();
        [
            ("HOME", at("home")),
            ("XDG_RUNTIME_DIR", at("run")),
            ("TMPDIR", at("tmp")),
            ("FLIGHTDECK_SESSIONS_DIR", at("sessions")),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("TERM", "xterm-256color".into()),
            ("TZ", "UTC".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
    }

    pub fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(self.vars()).current_dir(self.root()).stdin(Stdio::null());
        command
    }

    /// The program in a terminal of 120 by 40.
    pub fn screen(&self, program: &str, args: &[&str]) -> Screen {
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        self.vars().iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(self.root());
        Screen::open(command)
    }

    /// The process of the engine behind the screens.
    pub fn engine(&self) -> Option<u32> {
        let told = self.command(PROGRAM, &["engines"]).output().ok()?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        text.split_whitespace().nth(1)?.parse().ok()
    }

    pub fn stop(&self) {
        let _ = self.command(PROGRAM, &["engines", "--stop", "--force"]).output();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Finished sessions of a writer and two peers: five small files each, and their rows in the index.
fn library(root: &Path, sessions: usize) {
    fs::create_dir_all(root).unwrap();
    let mut table = index::empty(Default::default(), "2026-08-24");
    let mut rows = Vec::new();
    for n in 0..sessions {
        // Twelve a day, and every day of a month: as many in a month as a busy team makes.
        let (year, month, day, number) = (2023 + n / 4032, 1 + n / 336 % 12, 1 + n / 12 % 28, n % 12 + 1);
        let slug = if n + 1 == sessions { NEWEST.to_string() } else { format!("session-{n}") };
        let id = SessionId::new(&format!("{year}-{month:02}-{day:02}"), number as u32, &slug).unwrap();
        let dir = root.join(format!("{year}-{month:02}/{day:02}/{id}"));
        fs::create_dir_all(&dir).unwrap();
        let meta = finished(id);
        fs::write(dir.join("meta.yaml"), meta::render_new(&meta)).unwrap();
        for (file, role) in [
            ("00-writer.md", "writer"),
            ("01-peer-codex.md", "peer"),
            ("01-peer-kimi.md", "peer"),
            ("report.md", "report"),
        ] {
            let text = format!(
                "---\nturn: 1\nrole: {role}\nagent_id: codex\ntimestamp: {year}-{month:02}-{day:02}T10:00:00Z\n---\n\n{}\n",
                "The cache holds what two hits have shown to be needed, and nothing else. ".repeat(6)
            );
            fs::write(dir.join(file), text).unwrap();
        }
        let link = format!("{year}-{month:02}/{day:02}/{}/report.md", meta.session_id);
        let one = index::upsert(
            &index::empty(Default::default(), "2026-08-24"),
            &index::Row::completed(&meta, 2, &link),
        )
        .0;
        rows.push(one.lines().find(|line| line.contains(meta.session_id.as_str())).unwrap().to_string());
    }
    for row in rows.iter().rev() {
        table.push_str(row);
        table.push('\n');
    }
    fs::write(root.join("00-index.md"), table).unwrap();
}

fn finished(id: SessionId) -> Meta {
    let start = format!("{}T09:00:00Z", id.date());
    let mut meta = Meta::new(id, "How large may the cache be, and who pays for it?");
    meta.end_time = start.replace("T09", "T10");
    meta.start_time = start;
    meta.status = Status::Completed;
    meta.writer_agent = "claude-code".into();
    meta.peer_agents = vec!["codex".into(), "kimi".into()];
    meta.peer_agent = "codex".into();
    meta.round_order = vec!["codex".into(), "kimi".into()];
    meta.turns_count = 3;
    meta.engine_result_class = Some(ResultClass::Agreed);
    meta.engine_decision = Some(Decision::Record);
    meta
}

/// A program in a terminal.
pub struct Screen {
    child: Box<dyn Child + Send + Sync>,
    /// Held open: without it the terminal hangs up.
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    pub started: Instant,
}

impl Screen {
    fn open(command: CommandBuilder) -> Screen {
        let (rows, cols) = (40, 120);
        let pair =
            native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if send.send((Instant::now(), buffer[..n].to_vec())).is_err() {
                    break;
                }
            }
        });
        let size = |n: u16| NonZero::new(n).unwrap();
        let parser = vt100::Parser::new(size(rows), size(cols), 0);
        Screen { child, _master: pair.master, keys, output, parser, started }
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// When the terminal first showed it.
    #[track_caller]
    pub fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> Instant {
        let mut at = Instant::now();
        let end = at + PATIENCE;
        while !holds(&self.text()) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok((when, bytes)) = self.output.recv_timeout(left) else {
                panic!("never: {what}\n{}", self.text());
            };
            self.parser.process(&bytes);
            at = when;
        }
        at
    }

    /// Whether the terminal shows it within this time.
    pub fn within(&mut self, time: Duration, holds: impl Fn(&str) -> bool) -> bool {
        let end = Instant::now() + time;
        while !holds(&self.text()) && Instant::now() < end {
            self.settle(Duration::from_millis(50), Duration::from_millis(200));
        }
        holds(&self.text())
    }

    #[track_caller]
    pub fn shows(&mut self, text: &str) -> Instant {
        self.until(text, |screen| screen.contains(text))
    }

    pub fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Takes what comes until nothing has come for so long, or time is up.
    pub fn settle(&mut self, quiet: Duration, most: Duration) {
        let end = Instant::now() + most;
        while Instant::now() < end
            && let Ok((_, bytes)) = self.output.recv_timeout(quiet)
        {
            self.parser.process(&bytes);
        }
    }

    /// From a key to the first byte of the answer.
    pub fn answer(&mut self, key: &str) -> Option<Duration> {
        while let Ok((_, bytes)) = self.output.try_recv() {
            self.parser.process(&bytes);
        }
        let pressed = Instant::now();
        self.keys(key);
        match self.output.recv_timeout(Duration::from_secs(2)) {
            Ok((at, bytes)) => {
                self.parser.process(&bytes);
                Some(at.saturating_duration_since(pressed))
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    pub fn quit(mut self, keys: &str) {
        self.keys(keys);
        let end = Instant::now() + Duration::from_secs(10);
        while self.child.try_wait().unwrap().is_none() && Instant::now() < end {
            self.settle(Duration::from_millis(5), Duration::from_millis(20));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program is there.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
