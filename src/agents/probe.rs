//! Asking a CLI for its version: for `doctor`, and where only the version tells which program it is.

use crate::agents::process::{self, End, Event, Spec, Stdin, vars::Vars};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, SystemTime};

/// A cold start of a large interpreter on a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// A file as it is: another one at the same place is asked anew.
type Key = (PathBuf, Option<SystemTime>, u64);

static KNOWN: LazyLock<Mutex<HashMap<Key, String>>> = LazyLock::new(Mutex::default);

/// The first line of what `program --version` prints, remembered as long as the file stays the same.
pub async fn version(program: &Path, env: &Vars) -> Result<String, String> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
    let meta = real.metadata().ok();
    let key = (real, meta.as_ref().and_then(|m| m.modified().ok()), meta.map_or(0, |m| m.len()));
    if let Some(known) = KNOWN.lock().ok().and_then(|known| known.get(&key).cloned()) {
        return Ok(known);
    }
    let told = ask(program, env).await?;
    if let Ok(mut known) = KNOWN.lock() {
        known.insert(key, told.clone());
    }
    Ok(told)
}

async fn ask(program: &Path, env: &Vars) -> Result<String, String> {
    let mut env = env.clone();
    env.set("TERM", "dumb");
    let spec = Spec {
        program: program.to_path_buf(),
        args: vec!["--version".into()],
        env,
        cwd: std::env::temp_dir(),
        stdin: Stdin::Whole(Vec::new()),
        deadline: DEADLINE,
        idle: None,
        hold: None,
        output_cap: 64 * 1024,
        confinement: None,
    };
    let mut out = Vec::new();
    let hear = |event: Event| {
        if let Event::Stdout(piece) = event {
            out.extend_from_slice(piece);
        }
    };
    let finished = process::run(spec, hear, std::future::pending()).await;
    let finished = finished.map_err(|e| format!("{} cannot be started: {e}", program.display()))?;
    let text = String::from_utf8_lossy(&out);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    match (finished.end, line) {
        (End::Exited(_), Some(line)) => Ok(super::stream::one_line(line)),
        (End::Exited(_), None) => Err(format!("{} --version prints nothing", program.display())),
        _ => Err(format!("{} --version did not end within {} s", program.display(), DEADLINE.as_secs())),
    }
}
