//! What the screen may not do itself: files, other programs, stopping.

use crate::cli::context::Context;
use crate::store::write;
use crate::ui::settings::Kept;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Stdio;

/// Unsent answers and seen-marks outlive the screen.
fn kept_file(context: &Context) -> PathBuf {
    context.places.runtime_root.join("screen.json")
}

/// A file that cannot be read holds nothing.
pub fn kept(context: &Context) -> Kept {
    std::fs::read(kept_file(context)).ok().and_then(|b| serde_json::from_slice(&b).ok()).unwrap_or_default()
}

/// Keeps them, best effort: the screen holds them anyway.
pub fn keep(context: &Context, kept: &Kept) {
    save(&kept_file(context), kept);
}

pub fn keeper(context: &Context) -> Box<dyn Fn(&Kept) + Send> {
    let file = kept_file(context);
    Box::new(move |kept| save(&file, kept))
}

fn save(file: &std::path::Path, kept: &Kept) {
    if *kept == Kept::default() && !file.exists() {
        return;
    }
    let saved = file.parent().map_or(Ok(()), write::ensure_dir);
    if let (Ok(()), Ok(bytes)) = (saved, serde_json::to_vec_pretty(kept)) {
        let _ = write::atomic(file, &bytes);
    }
}

/// `$VISUAL`, `$EDITOR` or vi on a file with the text.
pub fn edit(text: &str) -> io::Result<String> {
    let program = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.trim().is_empty()));
    let program = program.unwrap_or_else(|| "vi".into());
    let mut words = program.split_whitespace();
    let Some(command) = words.next() else { return Err(io::Error::other("no editor is named")) };
    let path = std::env::temp_dir().join(format!("flightdeck-{}.md", std::process::id()));
    let _ = std::fs::remove_file(&path);
    private(&path)?.write_all(text.as_bytes())?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the editor takes the terminal and has neither deadline nor cap"
    )]
    let ran = std::process::Command::new(command).args(words).arg(&path).status();
    let result = match ran {
        Ok(status) if status.success() => std::fs::read_to_string(&path),
        // It was ended, not left: what it had saved by then is the pilot's.
        Ok(status)
            if status.code().is_none() && std::fs::read(&path).is_ok_and(|now| now != text.as_bytes()) =>
        {
            return Err(io::Error::other(format!("{command} ended with {status}; {}", path.display())));
        }
        Ok(status) => Err(io::Error::other(format!("{command} ended with {status}"))),
        Err(e) => Err(io::Error::other(format!("{command}: {e}"))),
    };
    let _ = std::fs::remove_file(&path);
    result
}

/// A new file that only the pilot can read: an answer may be confidential.
fn private(path: &std::path::Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Tells the desktop. The program is waited for elsewhere: a desktop that does not answer must not hold the screen.
pub fn notify(text: &str) -> io::Result<()> {
    const PROGRAM: &str = "notify-send";
    #[expect(clippy::disallowed_methods, reason = "a desktop's own program, with our own words")]
    let mut command = std::process::Command::new(PROGRAM);
    command.args(["--app-name=flightdeck", "--", "flightdeck", text]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| io::Error::new(e.kind(), format!("{PROGRAM}: {e}")))?;
    std::thread::Builder::new().name(PROGRAM.into()).spawn(move || child.wait())?;
    Ok(())
}

/// Stops this process as the shell's Ctrl+Z does. SIGTSTP is ours to handle, so the stop itself is SIGSTOP.
pub fn suspend() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
}
