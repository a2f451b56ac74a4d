//! `flightdeck adapter <vendor>`: any vendor of the registry as an adapter by the contract, for other tools (group C).

use crate::agents::call::{Call, Outcome, Progress, Purpose};
use crate::agents::contract::{self, Code, Fault};
use crate::agents::process::{tree, vars::Vars};
use crate::agents::registry::Vendor;
use crate::agents::run::{self, Surroundings};
use crate::domain::lang::Lang;
use crate::domain::say::Say;
use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncRead, AsyncReadExt};

/// What the program prints and exits with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// 0 to 7 (PC-059).
    pub code: u8,
    /// One reply and nothing else, or nothing (PC-051).
    pub stdout: String,
    pub stderr: String,
}

/// The flags of the contract (PC-056).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Flags {
    model: String,
    add_dir: Option<PathBuf>,
    session_id: Option<String>,
}

/// Serves one call. `args` are those behind the vendor's name. Nothing is started unless the arguments are right and a
/// prompt is there.
pub async fn serve(
    vendor: &Vendor,
    args: &[OsString],
    stdin: impl AsyncRead + Unpin,
    around: &Surroundings,
    cancel: impl Future<Output = ()>,
) -> Served {
    let flags = match flags(vendor, args) {
        Ok(flags) => flags,
        Err(problem) => return refused(Code::General, &problem),
    };
    let prompt = match prompt(stdin).await {
        Ok(prompt) => prompt,
        Err(problem) => return refused(Code::General, &problem),
    };
    let temporary = match Temporary::new() {
        Ok(temporary) => temporary,
        Err(e) => {
            return refused(Code::General, &format!("cannot create a temporary folder: {e}; check $TMPDIR"));
        }
    };
    let lock = lock_path(&vendor.key, flags.add_dir.as_deref(), &around.env);
    let around = Surroundings { lock: Some(lock), ..around.clone() };
    let call = call(vendor, flags, prompt, temporary.0.clone(), &around.env);
    let is_plain = call.purpose.is_plain();
    match run::run_in(&around, vendor, call, |_: Progress| {}, cancel).await {
        Outcome::Reply(reply) => match contract::check(&reply.text, is_plain) {
            Ok(()) => {
                let doubt = Say::Unproven { vendor: &vendor.key }.text(Lang::En);
                let doubt = if reply.is_unproven { format!("{doubt}\n") } else { String::new() };
                Served { code: 0, stdout: reply.text, stderr: reply.stderr + &doubt }
            }
            Err(Fault::Empty) => refused(Code::Empty, "the reply was empty"),
            Err(Fault::Frontmatter) => refused(Code::General, "the reply has no frontmatter"),
        },
        Outcome::Failed(failure) => {
            let stderr = match failure.stderr.trim_end() {
                "" => format!("{}\n", failure.detail),
                cli => format!("{cli}\n{}\n", failure.detail),
            };
            Served { code: contract::code(&failure.reason), stdout: String::new(), stderr }
        }
        Outcome::Cancelled => refused(Code::General, "the call was stopped"),
    }
}

/// Ready when this program is asked to end: the CLI runs in a process group of its own, so nobody else tells it.
pub async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind: SignalKind| async move {
        match signal(kind) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = wait(SignalKind::terminate()) => {}
        _ = wait(SignalKind::interrupt()) => {}
        _ = wait(SignalKind::hangup()) => {}
    }
}

fn flags(vendor: &Vendor, args: &[OsString]) -> Result<Flags, String> {
    let mut flags = Flags::default();
    let mut rest = args.iter();
    let mut given: Vec<&str> = Vec::new();
    while let Some(arg) = rest.next() {
        let name = arg.to_str().unwrap_or_default();
        let is_supported = match name {
            "-p" => continue,
            "--model" => vendor.supports.model,
            "--add-dir" => vendor.supports.add_dir,
            "--session-id" => vendor.supports.session_id,
            _ => return Err(format!("unknown argument `{}`; known are {}", arg.display(), known(vendor))),
        };
        if !is_supported {
            return Err(format!("{} does not take {name}; known are {}", vendor.key, known(vendor)));
        }
        if given.contains(&name) {
            return Err(format!("{name} is given twice"));
        }
        given.push(name);
        let value = rest.next().filter(|v| !v.is_empty() && !v.as_encoded_bytes().starts_with(b"-"));
        let value = value.ok_or_else(|| format!("{name} needs a value"))?;
        let text =
            || value.to_str().map(String::from).ok_or_else(|| format!("the value of {name} is not UTF-8"));
        match name {
            "--model" => flags.model = text()?,
            "--session-id" => flags.session_id = Some(text()?),
            _ => {
                let dir = PathBuf::from(value);
                if !dir.is_dir() {
                    return Err(format!("--add-dir: {} is not a folder", dir.display()));
                }
                flags.add_dir = Some(dir);
            }
        }
    }
    Ok(flags)
}

fn known(vendor: &Vendor) -> String {
    let supports = vendor.supports;
    let optional =
        [(supports.model, "--model"), (supports.add_dir, "--add-dir"), (supports.session_id, "--session-id")];
    let optional = optional.into_iter().filter(|(on, _)| *on).map(|(_, name)| name);
    std::iter::once("-p").chain(optional).collect::<Vec<_>>().join(", ")
}

async fn prompt(mut stdin: impl AsyncRead + Unpin) -> Result<String, String> {
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).await.map_err(|e| format!("cannot read the prompt from stdin: {e}"))?;
    let length = bytes.len();
    let prompt = String::from_utf8(bytes).map_err(|_| format!("the prompt ({length} bytes) is not UTF-8"))?;
    if prompt.trim().is_empty() { Err("the prompt on stdin is empty".into()) } else { Ok(prompt) }
}

fn call(vendor: &Vendor, flags: Flags, prompt: String, runtime: PathBuf, env: &Vars) -> Call {
    let is_plain = env.text("IWE_PEER_PLAIN") == Some("1");
    // The purpose only informs the adapter; IWE_PEER_PLAIN decides (PC-054).
    let told = env.text("FLIGHTDECK_CALL").and_then(|key| serde_json::from_value(key.into()).ok());
    let purpose = told.filter(|p: &Purpose| p.is_plain() == is_plain);
    let number = |name: &str| env.text(name).and_then(|v| v.parse().ok());
    Call {
        vendor: vendor.key.clone(),
        purpose: purpose.unwrap_or(if is_plain { Purpose::Turn } else { Purpose::Peer }),
        session: env.text("FLIGHTDECK_SESSION").unwrap_or_default().to_string(),
        round: number("FLIGHTDECK_ROUND").unwrap_or(0),
        attempt: number("FLIGHTDECK_ATTEMPT").unwrap_or(1),
        prompt,
        model: flags.model,
        add_dir: flags.add_dir,
        conversation: flags.session_id,
        runtime,
        extra_env: Vec::new(),
        work: None,
        leave: None,
    }
}

/// The lock of the reference scripts (PC-069). The session is the better key where a caller names it: all sessions of
/// one engine have the same parent process.
fn lock_path(vendor: &str, add_dir: Option<&Path>, env: &Vars) -> PathBuf {
    let dir = match env.get("IWE_PEER_LOCK_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => std::env::temp_dir().join(format!("{vendor}-peer-locks")),
    };
    let folder = add_dir.and_then(|dir| std::path::absolute(dir).ok()?.file_name().map(OsStr::to_os_string));
    let key = match (env.text("FLIGHTDECK_SESSION"), folder) {
        (Some(session), _) => format!("{vendor}-{session}"),
        (None, Some(folder)) => folder.to_string_lossy().into_owned(),
        (None, None) => format!("{vendor}-peer-ppid-{}", std::os::unix::process::parent_id()),
    };
    let safe: String = key.chars().map(|c| if c == '/' || c.is_control() { '_' } else { c }).collect();
    dir.join(format!("{safe}.pid"))
}

fn refused(code: Code, detail: &str) -> Served {
    Served { code: code as u8, stdout: String::new(), stderr: format!("{detail}\n") }
}

/// The folder of one call, removed at the end (PC-076).
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> std::io::Result<Temporary> {
        use std::os::unix::fs::DirBuilderExt;
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let own = tree::own();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("flightdeck-adapter-{}-{}-{count}", own.pid, own.started_at));
        // Fails when it exists: in a shared folder somebody else may have put it there.
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        run::remove_tree(&self.0);
    }
}

#[cfg(test)]
mod tests;
