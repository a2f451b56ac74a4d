//! The screen's end: an engine in a process of its own, started on demand, or one in this process.

use super::hub::Hub;
use super::server;
use super::setting::Setting;
use super::wire::{Ask, PROTOCOL, Tell};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

/// How long a starting engine may take to listen.
const START: Duration = Duration::from_secs(10);

/// What an engine prints when it listens.
pub const READY: &str = "ready";

/// Between two looks at whether an engine is gone.
const NAP: Duration = Duration::from_millis(10);

/// How long to wait for an engine that another screen starts, or for one that is going, before it is looked for again.
const AGAIN: Duration = Duration::from_millis(50);

/// The two ends a screen holds. It does not know where the engine lives.
pub type Handle = (mpsc::Sender<Ask>, mpsc::Receiver<Tell>);

/// An engine in this process (`--inline`).
pub fn inline(setting: Setting) -> io::Result<Handle> {
    let hub = Hub::start(setting).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(hub.connect())
}

/// The engine of this sessions folder, started when there is none. An older one is asked to finish at the next fact
/// boundary, then ours takes over. One that is about to end is waited for.
pub async fn connect(setting: &Setting) -> io::Result<Handle> {
    let mut deadline = tokio::time::Instant::now() + START;
    loop {
        let stream = match UnixStream::connect(server::socket(setting)).await {
            Ok(stream) => stream,
            Err(_) => start(setting).await?,
        };
        let (asks, mut tells) = carry(stream);
        let hello = Ask::Hello { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into() };
        let answer = match asks.send(hello).await {
            Ok(()) => tells.recv().await,
            Err(_) => None,
        };
        match answer {
            Some(Tell::Welcome { version, .. }) if !is_newer(env!("CARGO_PKG_VERSION"), &version) => {
                return Ok((asks, tells));
            }
            Some(Tell::Welcome { .. } | Tell::Refused { .. }) => {
                let _ = asks.send(Ask::Park).await;
                while let Some(tell) = tells.recv().await {
                    if matches!(tell, Tell::Bye { .. }) {
                        break;
                    }
                }
                deadline = tokio::time::Instant::now() + START;
            }
            _ => {}
        }
        if tokio::time::Instant::now() >= deadline {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the engine went away"));
        }
        tokio::time::sleep(NAP).await;
    }
}

/// An engine that listens already, or `None`.
pub async fn find(setting: &Setting) -> Option<Handle> {
    Some(carry(UnixStream::connect(server::socket(setting)).await.ok()?))
}

fn is_newer(ours: &str, theirs: &str) -> bool {
    let numbers = |v: &str| v.split(['.', '-', '+']).map_while(|n| n.parse::<u64>().ok()).collect::<Vec<_>>();
    numbers(ours) > numbers(theirs)
}

/// Starts the same binary as an engine in a session of its own, so that neither the terminal nor the screen takes it
/// down, and waits until it listens.
#[expect(clippy::disallowed_methods, reason = "the engine is not an agent: it outlives this process")]
async fn start(setting: &Setting) -> io::Result<UnixStream> {
    let log = setting.layout.runtime_root.join("engine.log");
    crate::store::write::ensure_dir(&setting.layout.runtime_root)?;
    let errors = std::fs::OpenOptions::new().create(true).append(true).open(&log)?;
    let mut command = tokio::process::Command::new(own_program()?);
    command
        .arg("--sessions-dir")
        .arg(&setting.places.sessions)
        .arg("engine")
        .current_dir(&setting.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors);
    detach(&mut command);
    let path = server::socket(setting);
    let why = || {
        let why = format!("the engine did not start; see {}", log.display());
        io::Error::new(io::ErrorKind::TimedOut, why)
    };
    let listening = async {
        loop {
            let mut child = command.spawn()?;
            let mut line = String::new();
            if let Some(out) = child.stdout.take() {
                BufReader::new(out).read_line(&mut line).await?;
            }
            if line.trim() == READY {
                return UnixStream::connect(&path).await;
            }
            // Ours ended without a word: another screen started one at the same moment, and that one listens soon. Or the
            // one before it was not gone yet: then it takes one more.
            let _ = child.wait().await;
            if let Ok(stream) = UnixStream::connect(&path).await {
                return Ok(stream);
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::time::timeout(START, listening).await.map_err(|_| why())?
}

fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// A session of its own: no terminal's hang-up reaches it.
fn detach(command: &mut tokio::process::Command) {
    // SAFETY: setsid is async-signal-safe and touches no memory of ours.
    #[expect(unsafe_code, reason = "a new session must be made between fork and exec")]
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(io::Error::from));
    }
}

fn carry(stream: UnixStream) -> Handle {
    let (asks, mut to_send) = mpsc::channel::<Ask>(super::hub::ASKS);
    let (told, tells) = mpsc::channel(super::hub::TELLS);
    let (read, mut write) = stream.into_split();
    tokio::spawn(async move {
        while let Some(ask) = to_send.recv().await {
            let Ok(mut line) = serde_json::to_vec(&ask) else { continue };
            line.push(b'\n');
            if write.write_all(&line).await.is_err() {
                break;
            }
        }
    });
    tokio::spawn(async move {
        let mut lines = BufReader::new(read);
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            if let Ok(tell) = serde_json::from_slice::<Tell>(&line)
                && told.send(tell).await.is_err()
            {
                break;
            }
        }
    });
    (asks, tells)
}
