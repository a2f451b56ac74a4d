//! The engine as a process of its own: a unix socket that carries asks and tells as JSON lines.

use super::hub::Hub;
use super::setting::Setting;
use super::wire::{Ask, Tell};
use crate::store::write;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;

/// An engine without sessions and screens waits so long for the next screen before it ends.
const LINGER: Duration = Duration::from_secs(30);
/// The longest line of a screen. Answers are texts of a person.
const LINE: u64 = 4 * 1024 * 1024;
/// `sun_path` holds 108 bytes on Linux and 104 on macOS.
const SOCKET_PATH: usize = 100;

/// Where the engine of this sessions folder listens.
pub fn socket(setting: &Setting) -> PathBuf {
    let near = setting.layout.runtime_root.join("engine.sock");
    if near.as_os_str().len() <= SOCKET_PATH {
        return near;
    }
    let name = setting.layout.runtime_root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let hash = setting
        .layout
        .runtime_root
        .to_string_lossy()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let user = rustix::process::getuid().as_raw();
    std::env::temp_dir().join(format!("flightdeck-{user}")).join(format!("{name:.16}-{hash:016x}.sock"))
}

/// Listens until nothing runs and nobody watches; `ready` is told when it does. Sessions that a takeover left are taken
/// up again.
pub async fn serve(setting: Setting, ready: impl FnOnce()) -> io::Result<()> {
    write::ensure_dir(&setting.layout.runtime_root)?;
    let hub =
        Hub::start(setting.clone()).map_err(|e| io::Error::new(io::ErrorKind::AddrInUse, e.to_string()))?;
    let path = socket(&setting);
    let listener = listen(&path)?;
    ready();
    hub.take_up_parked().await;
    let accepting = hub.clone();
    let accept = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(screen(accepting.clone(), stream));
        }
    });
    let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        () = quiet(&hub) => {}
        () = hub.stopped() => {}
        _ = term.recv() => { hub.pause_all().await; }
    }
    accept.abort();
    let _ = std::fs::remove_file(&path);
    Ok(())
}

/// Resolves when the engine was abandoned and stayed so for a while.
async fn quiet(hub: &Hub) {
    loop {
        hub.abandoned().await;
        tokio::time::sleep(LINGER).await;
        if hub.running().is_empty() && !hub.has_screens() {
            return;
        }
    }
}

/// A socket that only its user can open. A file that a dead engine left is removed: we hold the process lock.
fn listen(path: &Path) -> io::Result<UnixListener> {
    if let Some(dir) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    let _ = std::fs::remove_file(path);
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// One connection: lines in, lines out.
async fn screen(hub: Hub, stream: UnixStream) {
    let (asks, tells) = hub.connect();
    carry(stream, asks, tells).await;
}

/// Carries asks from the stream and tells to it, until either end is gone.
async fn carry(stream: UnixStream, asks: mpsc::Sender<Ask>, mut tells: mpsc::Receiver<Tell>) {
    let (read, mut write) = stream.into_split();
    let writer = tokio::spawn(async move {
        while let Some(tell) = tells.recv().await {
            let Ok(mut line) = serde_json::to_vec(&tell) else { continue };
            line.push(b'\n');
            if write.write_all(&line).await.is_err() || matches!(tell, Tell::Bye { .. }) {
                break;
            }
        }
    });
    let mut lines = BufReader::new(read);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = tokio::io::AsyncReadExt::take(&mut lines, LINE);
        match limited.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if let Ok(ask) = serde_json::from_slice::<Ask>(&line)
            && asks.send(ask).await.is_err()
        {
            break;
        }
    }
    drop(asks);
    writer.abort();
}
