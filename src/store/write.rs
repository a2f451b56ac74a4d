//! The only place that changes files: temporary name, sync, rename.
//!
//! After any crash a file is its old self, its new self or absent, never half of either (PC-162, PC-231). The data is
//! synced before it gets its name; the directory is synced afterwards as far as the file system can do that.

pub mod fault;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Replaces or creates `path` in one step. An existing file keeps its mode, a new one is 0644 as far as the umask
/// allows; a symbolic link stays a link and its target is replaced. On any error the old file is untouched and no
/// temporary file is left behind.
#[expect(clippy::disallowed_methods, reason = "the one place that writes files")]
pub fn atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let found = fs::symlink_metadata(path).ok();
    let is_link = found.as_ref().is_some_and(|m| m.file_type().is_symlink());
    let target = if is_link { fs::canonicalize(path)? } else { path.to_path_buf() };
    let found = if is_link { fs::metadata(&target).ok() } else { found };
    let mode = found.map(|m| m.permissions());
    let temp = Temp::write(&target, bytes, mode)?;
    fault::before("rename", &target)?;
    fs::rename(&temp.path, &target)?;
    temp.keep();
    sync_dir_of(&target);
    Ok(())
}

/// Creates a file that must not exist yet, complete or not at all; `AlreadyExists` otherwise. Turn files are written
/// with this and with nothing else (PC-231).
pub fn create_exclusive(path: &Path, bytes: &[u8]) -> io::Result<()> {
    place_new(Temp::write(path, bytes, None)?, path)?;
    sync_dir_of(path);
    Ok(())
}

/// [`create_exclusive`] and then [`atomic`] for a file in the same directory, as one step that waits for the disk once:
/// both texts are synced side by side, then named in this order. The names are not waited for: a power failure may
/// cost the last turn, a killed process costs nothing.
#[expect(clippy::disallowed_methods, reason = "the name alone; see above for what a power failure costs")]
pub fn create_and_replace(new: (&Path, &[u8]), old: (&Path, &[u8])) -> io::Result<()> {
    let fresh = Temp::unsynced(new.0, new.1, None)?;
    let mode = fs::metadata(old.0).ok().map(|m| m.permissions());
    let other = Temp::unsynced(old.0, old.1, mode)?;
    std::thread::scope(|threads| {
        let side = threads.spawn(|| fresh.sync());
        other.sync()?;
        side.join().map_err(|_| io::Error::other("the sync of a file was cut short"))?
    })?;
    place_new(fresh, new.0)?;
    fault::before("rename", old.0)?;
    fs::rename(&other.path, old.0)?;
    other.keep();
    Ok(())
}

/// Gives a synced file its name unless that is taken.
fn place_new(temp: Temp, path: &Path) -> io::Result<()> {
    fault::before("name", path)?;
    match rename_new(&temp.path, path) {
        Ok(()) => {
            temp.keep();
            Ok(())
        }
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(e),
        // Some file systems cannot rename without replacing; a hard link does not replace either.
        Err(_) => fs::hard_link(&temp.path, path),
    }
}

/// Copies a file with its mode; folders above are made.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(dir) = to.parent() {
        ensure_dir(dir)?;
    }
    atomic(to, &fs::read(from)?)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Appends one line in a single write, without waiting for the disk. Line breaks inside `line` become spaces, so that
/// a log keeps one record per line. A torn last line of an earlier crash is closed first.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    append(path, line).map(drop)
}

/// [`append_line`], and the data is on disk when it returns.
pub fn append_line_synced(path: &Path, line: &str) -> io::Result<()> {
    let file = append(path, line)?;
    fault::before("sync", path)?;
    file.sync_data()
}

/// A log that stays open: one write a line.
#[derive(Debug)]
pub struct Log(File);

impl Log {
    /// Opens or creates the log. A torn last line of an earlier crash is closed first.
    pub fn open(path: &Path) -> io::Result<Log> {
        fault::before("open", path)?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        if torn(&mut file)? {
            file.write_all(b"\n")?;
        }
        Ok(Log(file))
    }

    /// Appends one line in a single write, without waiting for the disk.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        let mut record = String::with_capacity(line.len() + 1);
        record.extend(line.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        record.push('\n');
        fault::write(&mut self.0, record.as_bytes(), Path::new("a log"))
    }
}

/// Renames within one file system and makes the new name durable.
#[expect(clippy::disallowed_methods, reason = "the one place that writes files")]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::before("rename", to)?;
    fs::rename(from, to)?;
    sync_dir_of(to);
    if from.parent() != to.parent() {
        sync_dir_of(from);
    }
    Ok(())
}

/// Removes temporary files of `path` that writers left behind when they died. The caller knows that nobody else writes
/// this file now.
pub fn sweep(path: &Path) {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else { return };
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let left = found
            .to_str()
            .and_then(|f| f.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".tmp"));
        if left {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes a file. A power failure may bring it back.
pub fn remove(path: &Path) -> io::Result<()> {
    fault::before("remove", path)?;
    fs::remove_file(path)
}

/// Creates the directory and its parents; not an error when it is there.
pub fn ensure_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    fault::before("make the folder", path)?;
    fs::create_dir_all(path)?;
    sync_dir_of(path);
    Ok(())
}

/// A synced file under a temporary name in the target's directory, removed on drop unless it was moved into place.
struct Temp {
    path: PathBuf,
    file: File,
    placed: bool,
}

impl Temp {
    fn write(target: &Path, bytes: &[u8], mode: Option<fs::Permissions>) -> io::Result<Temp> {
        let temp = Temp::unsynced(target, bytes, mode)?;
        temp.sync()?;
        Ok(temp)
    }

    fn unsynced(target: &Path, bytes: &[u8], mode: Option<fs::Permissions>) -> io::Result<Temp> {
        let path = temp_path(target)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
        fault::before("create", &path)?;
        let file = match options.open(&path) {
            // A leftover of a crash, or a link that somebody planted, must not be written through.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&path)?;
                options.open(&path)?
            }
            other => other?,
        };
        let mut temp = Temp { path, file, placed: false };
        fault::write(&mut temp.file, bytes, &temp.path)?;
        if let Some(mode) = mode {
            temp.file.set_permissions(mode)?;
        }
        Ok(temp)
    }

    fn sync(&self) -> io::Result<()> {
        fault::before("sync", &self.path)?;
        self.file.sync_all()
    }

    fn keep(mut self) {
        self.placed = true;
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// `meta.yaml.tmp` for `meta.yaml` (PC-162); every other file gets a name that no other writer uses.
fn temp_path(target: &Path) -> io::Result<PathBuf> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name =
        target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    let mut temp = OsString::from(name);
    if name != OsStr::new("meta.yaml") {
        temp.push(format!(".{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    }
    temp.push(".tmp");
    Ok(target.with_file_name(temp))
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn append(path: &Path, line: &str) -> io::Result<File> {
    let mut log = Log::open(path)?;
    log.append(line.trim_end_matches(['\n', '\r']))?;
    Ok(log.0)
}

/// True when the last line has no end.
fn torn(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0u8];
    file.read_exact(&mut last)?;
    Ok(last[0] != b'\n')
}

/// Best effort: the rename has happened and cannot be taken back, and some file systems refuse to sync a directory.
fn sync_dir_of(path: &Path) {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    if fault::before("sync the folder", dir).is_ok()
        && let Ok(dir) = File::open(dir)
    {
        let _ = dir.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn pc_162_replaces_in_one_step_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let meta = dir.path().join("meta.yaml");
        fs::write(dir.path().join("meta.yaml.tmp"), "left by a crash").unwrap();
        atomic(&meta, b"a: 1\n").unwrap();
        atomic(&meta, b"a: 2\n").unwrap();
        assert_eq!(fs::read(&meta).unwrap(), b"a: 2\n");
        assert_eq!(names(dir.path()), ["meta.yaml"]);
        assert_eq!(temp_path(&meta).unwrap(), dir.path().join("meta.yaml.tmp"));
        let index = dir.path().join("00-index.md");
        assert_ne!(temp_path(&index).unwrap(), temp_path(&index).unwrap(), "two writers never share a name");
    }

    #[test]
    fn pc_162_an_error_keeps_the_old_file_and_removes_the_temporary_one() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("report.md");
        fs::create_dir(&target).unwrap();
        assert!(atomic(&target, b"x").is_err(), "a directory is in the way");
        assert_eq!(names(dir.path()), ["report.md"]);
        assert!(atomic(&dir.path().join("no/such/dir.md"), b"x").is_err());
    }

    #[test]
    fn pc_162_mode_and_links_survive() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real.md"), dir.path().join("link.md"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        atomic(&link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    }

    #[test]
    fn pc_231_a_turn_file_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let turn = dir.path().join("01-peer.md");
        create_exclusive(&turn, b"first").unwrap();
        let error = create_exclusive(&turn, b"second").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&turn).unwrap(), b"first");
        assert_eq!(names(dir.path()), ["01-peer.md"]);
    }

    #[test]
    fn pc_231_without_hard_links_the_rename_does_not_replace_either() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a.tmp"), dir.path().join("a.md"));
        fs::write(&from, "new").unwrap();
        rename_new(&from, &to).unwrap();
        fs::write(&from, "newer").unwrap();
        let error = rename_new(&from, &to).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&to).unwrap(), b"new");
    }

    #[test]
    fn pc_231_of_many_racing_writers_exactly_one_wins() {
        let dir = tempfile::tempdir().unwrap();
        let turn = dir.path().join("02-writer.md");
        let wins: usize = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|n| {
                    let turn = &turn;
                    scope.spawn(move || create_exclusive(turn, &[n; 4096]).is_ok())
                })
                .collect();
            tries.into_iter().map(|t| usize::from(t.join().unwrap())).sum()
        });
        assert_eq!(wins, 1);
        let bytes = fs::read(&turn).unwrap();
        assert!(bytes.len() == 4096 && bytes.iter().all(|b| *b == bytes[0]));
    }

    #[test]
    fn pc_508_a_torn_line_does_not_swallow_the_next_record() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("_gate.jsonl");
        append_line(&log, "{\"a\":1}\n").unwrap();
        fs::OpenOptions::new().append(true).open(&log).unwrap().write_all(b"{\"torn").unwrap();
        append_line_synced(&log, "two\nlines").unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap(), "{\"a\":1}\n{\"torn\ntwo lines\n");
    }

    #[test]
    fn pc_603_renaming_and_making_directories() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("x/y"), dir.path().join("x/z"));
        ensure_dir(&a).unwrap();
        ensure_dir(&a).unwrap();
        ensure_dir(&b).unwrap();
        fs::write(a.join("report-draft.md"), "r").unwrap();
        rename(&a.join("report-draft.md"), &b.join("report.md")).unwrap();
        assert_eq!(names(&a), Vec::<String>::new());
        assert_eq!(names(&b), ["report.md"]);
    }
}
