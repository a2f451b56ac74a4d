//! The files of one session in one buffer, read with as few system calls as there can be: most of the time of a
//! search is spent on opening small files.

use super::sieve::Sieve;
use super::walk::Entry;
use crate::store::layout::META;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, read};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::AsFd;
use std::path::Path;

/// What a session's files hold, one behind the other, each followed by a line end so that no match spans two.
#[derive(Debug, Default)]
pub struct Text {
    pub bytes: Vec<u8>,
    pub files: Vec<File>,
}

/// The same to be looked through.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub bytes: &'a [u8],
    pub files: &'a [File],
    /// Of the bytes, where it was worth making: for what is searched once it is not.
    pub sieve: Option<Sieve<'a>>,
}

/// A file's place in the buffer.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub start: usize,
    pub end: usize,
}

/// Of one file; more than a person or an agent writes. The rest is not searched.
const FILE_LIMIT: usize = 64 << 20;

const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

impl Text {
    pub fn view(&self) -> View<'_> {
        View { bytes: &self.bytes, files: &self.files, sieve: None }
    }
}

impl<'a> View<'a> {
    pub fn file(&self, name: &str) -> Option<&'a [u8]> {
        let file = self.files.iter().find(|file| file.name == name)?;
        self.bytes.get(file.start..file.end)
    }
}

/// Fills `text` with the session's files. What cannot be read is left out.
pub fn load(entry: &Entry, text: &mut Text) {
    text.bytes.clear();
    text.files.clear();
    if let Some(dir) = &entry.dir {
        let _ = directory(dir, text);
    }
    if let Some(path) = &entry.beside {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let _ = file(CWD, path.as_path(), name, text);
    }
}

/// A number that changes with names, sizes and times of the files.
pub fn stamp(entry: &Entry) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut add = |at: std::os::fd::BorrowedFd<'_>, name: &std::ffi::CStr| {
        name.hash(&mut hasher);
        if let Ok(stat) = statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
            (stat.st_size, stat.st_mtime, stat.st_mtime_nsec, stat.st_ino).hash(&mut hasher);
        }
    };
    let listed = entry.dir.as_deref().and_then(|dir| list(dir).ok());
    if let Some((fd, names)) = listed.as_ref().and_then(|(dir, names)| Some((dir.fd().ok()?, names))) {
        names.iter().for_each(|name| add(fd, name));
    }
    let beside =
        entry.beside.as_ref().and_then(|path| CString::new(path.as_os_str().as_encoded_bytes()).ok());
    if let Some(path) = beside {
        add(CWD, &path);
    }
    hasher.finish()
}

fn directory(path: &Path, text: &mut Text) -> Result<(), Errno> {
    let (dir, names) = list(path)?;
    let dir = dir.fd()?;
    for name in names {
        let shown = name.to_string_lossy().into_owned();
        let _ = file(dir, name.as_c_str(), shown, text);
    }
    Ok(())
}

/// The names of the files to search, sorted: the order of a directory is accidental, that of results is not.
fn list(path: &Path) -> Result<(Dir, Vec<CString>), Errno> {
    let mut dir = Dir::new(openat(CWD, path, FLAGS | OFlags::DIRECTORY, Mode::empty())?)?;
    let mut names = Vec::new();
    while let Some(found) = dir.read() {
        let Ok(found) = found else { break };
        let regular = matches!(found.file_type(), FileType::RegularFile | FileType::Unknown);
        if regular && is_searched(found.file_name().to_bytes()) {
            names.push(found.file_name().to_owned());
        }
    }
    names.sort_unstable();
    Ok((dir, names))
}

/// Turns, escalations, reports, what was left of rejected replies, and `meta.yaml` for the task.
fn is_searched(name: &[u8]) -> bool {
    name.ends_with(b".md") || name.ends_with(b".txt") || name == META.as_bytes()
}

fn file(at: impl AsFd, path: impl rustix::path::Arg, name: String, text: &mut Text) -> Result<(), Errno> {
    let fd = openat(at, path, FLAGS, Mode::empty())?;
    let start = text.bytes.len();
    loop {
        let have = text.bytes.len();
        // Double what is there, so that large files do not take a call for each piece.
        let room = (have - start).clamp(16 << 10, 4 << 20);
        text.bytes.resize(have + room, 0);
        let count = match read(&fd, &mut text.bytes[have..]) {
            Ok(count) => count,
            Err(Errno::INTR) => {
                text.bytes.truncate(have);
                continue;
            }
            Err(error) => {
                text.bytes.truncate(start);
                return Err(error);
            }
        };
        text.bytes.truncate(have + count);
        // A regular file gives less than asked for only at its end.
        if count < room || have + count - start >= FILE_LIMIT {
            break;
        }
    }
    let end = text.bytes.len();
    text.bytes.push(b'\n');
    text.files.push(File { name, start, end });
    Ok(())
}
