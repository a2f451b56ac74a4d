//! The filtered, read-only copy of a directory: the only form in which an agent's CLI sees one (PC-063 to PC-066).

use super::ignore::Ignore;
use super::judge::{self, Kept};
use super::pii;
use crate::domain::lang::Lang;
use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Limits of a directory after the ignore rules (PC-066).
pub const BYTES: u64 = 100 * 1024 * 1024;
pub const FILES: usize = 5000;
/// Most of the time goes into the disk; a third thread would gain nothing.
const THREADS: usize = 2;

/// What was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    pub files: usize,
    pub bytes: u64,
    /// UTF-8 characters, for the token estimate.
    pub characters: u64,
    /// Public IPv4 addresses in the text: a warning, not a block (PC-065).
    pub public_ips: u64,
    /// What was left out although no ignore rule says so, one line each.
    pub notes: Vec<String>,
}

/// Why there is no copy. Each names the file and the rule, never the text that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyError {
    /// The filter could not do its work (code 2).
    Filter(String),
    /// A hard block (code 3).
    Pii(String),
    /// Over a size limit (code 4).
    TooLarge(String),
}

impl CopyError {
    /// The adapter's exit code (PC-059).
    pub fn code(&self) -> u8 {
        match self {
            CopyError::Filter(_) => 2,
            CopyError::Pii(_) => 3,
            CopyError::TooLarge(_) => 4,
        }
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (CopyError::Filter(text) | CopyError::Pii(text) | CopyError::TooLarge(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for CopyError {}

impl Copied {
    /// The token estimate that some vendors need: characters / 2 must not exceed `limit` (PC-066, kimi: 130000).
    pub fn within_tokens(&self, limit: u64) -> Result<(), CopyError> {
        let estimate = self.characters / 2;
        if estimate <= limit {
            return Ok(());
        }
        Err(CopyError::TooLarge(format!(
            "the directory is about {estimate} tokens, the limit is {limit}; give a smaller directory or ignore files in .agentigore"
        )))
    }
}

/// Copies `src` to `dst`, which must not exist or be empty, under the ignore files of the user, the repository and the
/// directory. Blocks until done, with two threads. After an error nothing is left in `dst`; a copy is removed with
/// [`remove_copy`], because its folders are read-only.
pub fn filtered_copy(src: &Path, dst: &Path) -> Result<Copied, CopyError> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    copy_for(src, dst, home.as_deref())
}

/// Removes a filtered copy. One that is not there is fine.
pub fn remove_copy(dst: &Path) -> io::Result<()> {
    match chmod_folders(dst, 0o700).and_then(|()| fs::remove_dir_all(dst)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A file to copy: its path below the directory, and the same as text for rules and messages.
struct Job {
    path: PathBuf,
    shown: String,
}

pub(super) fn copy_for(src: &Path, dst: &Path, home: Option<&Path>) -> Result<Copied, CopyError> {
    let src = src.canonicalize().map_err(|e| filter(src, "cannot be opened", &e))?;
    let ignore = Ignore::for_dir(&src, home)
        .map_err(|e| CopyError::Filter(format!("the ignore rules failed: {e}")))?;
    let mut copied = Copied::default();
    let jobs = collect(&src, &ignore, &mut copied)?;
    prepare(dst)?;
    let result = copy_all(&src, dst, &jobs, &mut copied)
        .and_then(|()| chmod_folders(dst, 0o500).map_err(|e| filter(dst, "cannot be made read-only", &e)));
    if let Err(error) = result {
        // The first error is the one to report; what stays behind if this fails is read by nobody.
        remove_copy(dst).ok();
        return Err(error);
    }
    Ok(copied)
}

/// Walks the directory, applies the ignore rules and the size limits, and sorts out what is no plain file.
fn collect(src: &Path, ignore: &Ignore, copied: &mut Copied) -> Result<Vec<Job>, CopyError> {
    let (mut jobs, mut bytes, mut folders) = (Vec::new(), 0, vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let at = src.join(&folder);
        for entry in fs::read_dir(&at).map_err(|e| filter(&at, "cannot be listed", &e))? {
            let entry = entry.map_err(|e| filter(&at, "cannot be listed", &e))?;
            let path = folder.join(entry.file_name());
            let shown = path.to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(|e| filter(&path, "cannot be examined", &e))?;
            match judge::entry(ignore, &shown, kind) {
                Some(Kept::Link) => {
                    copied.notes.push(format!("{} is a link and was left out", plain(&shown)))
                }
                Some(Kept::Special) => {
                    copied.notes.push(format!("{} is no ordinary file and was left out", plain(&shown)));
                }
                Some(_) => {}
                None if kind.is_dir() => folders.push(path),
                None => {
                    bytes += entry.metadata().map_err(|e| filter(&path, "cannot be examined", &e))?.len();
                    jobs.push(Job { path, shown });
                    within_limits(src, jobs.len(), bytes)?;
                }
            }
        }
    }
    jobs.sort_by(|a, b| a.path.cmp(&b.path));
    copied.notes.sort();
    Ok(jobs)
}

fn within_limits(src: &Path, files: usize, bytes: u64) -> Result<(), CopyError> {
    if files <= FILES && bytes <= BYTES {
        return Ok(());
    }
    let over =
        if files > FILES { format!("more than {FILES} files") } else { "more than 100 MB".to_string() };
    Err(CopyError::TooLarge(format!(
        "{} has {over}; give a smaller directory or list what is not needed in .agentigore",
        plain(&src.to_string_lossy())
    )))
}

/// The empty target. Only this user may look into it.
fn prepare(dst: &Path) -> Result<(), CopyError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dst);
    let empty = made
        .and_then(|()| Ok(fs::read_dir(dst)?.next().is_none()))
        .map_err(|e| filter(dst, "cannot be made", &e))?;
    if empty {
        return Ok(());
    }
    Err(CopyError::Filter(format!(
        "{} is not empty: a copy would mix with what is there",
        plain(&dst.to_string_lossy())
    )))
}

fn copy_all(src: &Path, dst: &Path, jobs: &[Job], copied: &mut Copied) -> Result<(), CopyError> {
    let mut made = PathBuf::new();
    for folder in jobs.iter().filter_map(|job| job.path.parent()) {
        // Sorted, so that the folder of the file before is mostly the same.
        if folder != made {
            let at = dst.join(folder);
            fs::create_dir_all(&at).map_err(|e| filter(&at, "cannot be made", &e))?;
            made = folder.to_path_buf();
        }
    }
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sum, first) = (Mutex::new(copied), Mutex::new(None));
    let worker = || {
        let (mut mine, mut buffer) = (Copied::default(), Vec::new());
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { break };
            if let Err(error) = copy_one(src, dst, job, &mut buffer, &mut mine) {
                stop.store(true, Ordering::Relaxed);
                let mut first = first.lock().unwrap_or_else(|e| e.into_inner());
                if first.as_ref().is_none_or(|(before, _)| at < *before) {
                    *first = Some((at, error));
                }
            }
        }
        sum.lock().unwrap_or_else(|e| e.into_inner()).add(mine);
    };
    std::thread::scope(|scope| {
        for _ in 1..THREADS {
            scope.spawn(worker);
        }
        worker();
    });
    match first.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Reads the file once, so that what was scanned is what is written.
fn copy_one(
    src: &Path,
    dst: &Path,
    job: &Job,
    buffer: &mut Vec<u8>,
    copied: &mut Copied,
) -> Result<(), CopyError> {
    let name = plain(&job.shown);
    let block = |rule: &str| {
        Err(CopyError::Pii(format!(
            "{name} has {rule}; nothing was sent. Remove it or list the file in .agentigore"
        )))
    };
    match judge::file(&src.join(&job.path), buffer).1 {
        Some(Kept::Name(rule) | Kept::Content(rule)) => return block(rule.name(Lang::En)),
        Some(Kept::TooBig) => return block("more than 10 MB, which is too much to be scanned"),
        Some(Kept::Unreadable(why)) => {
            return Err(CopyError::Filter(format!("{name} cannot be read: {why}; the call was not made")));
        }
        Some(_) => {
            copied.notes.push(format!("{name} changed while it was copied and was left out"));
            return Ok(());
        }
        None => {}
    }
    let target = OpenOptions::new().write(true).create_new(true).mode(0o400).open(dst.join(&job.path));
    target
        .and_then(|mut file| file.write_all(buffer))
        .map_err(|e| filter(&job.path, "cannot be copied", &e))?;
    copied.files += 1;
    copied.bytes += buffer.len() as u64;
    copied.characters += pii::characters(buffer);
    copied.public_ips += pii::public_ips(buffer);
    Ok(())
}

/// Sets the mode of `folder` and all folders below it.
fn chmod_folders(folder: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            chmod_folders(&entry.path(), mode)?;
        }
    }
    Ok(())
}

impl Copied {
    fn add(&mut self, other: Copied) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.characters += other.characters;
        self.public_ips += other.public_ips;
        self.notes.extend(other.notes);
    }
}

fn filter(path: &Path, what: &str, error: &io::Error) -> CopyError {
    CopyError::Filter(format!("{} {what}: {error}; the call was not made", plain(&path.to_string_lossy())))
}

/// A name in a message on one line: names are outside text and may hold anything.
pub fn plain(name: &str) -> String {
    name.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests;
