//! What stands in the way of one file (PC-063 to PC-066): one judgement, for the copy and for whoever asks before it.

use super::ignore::{Ignore, Origin};
use super::pii::{self, Rule};
use rustix::fs::OFlags;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Why a file, or a folder with all that is in it, is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Ignored(Origin),
    /// Packed objects of a repository cannot be scanned, so its insides are never shown.
    Repository,
    Link,
    /// A pipe, a socket, a device.
    Special,
    /// It was an ordinary file when the folder was listed and is none any more.
    Changed,
    Name(&'static Rule),
    Content(&'static Rule),
    /// More than [`pii::FILE_LIMIT`].
    TooBig,
    Unreadable(String),
}

impl Kept {
    /// True for what is not merely left out: a directory that holds it is shown to nobody.
    pub fn stops(&self) -> bool {
        matches!(self, Kept::Name(_) | Kept::Content(_) | Kept::TooBig | Kept::Unreadable(_))
    }
}

/// The judgement before anything is opened. `shown` is the path relative to the directory, as text.
pub fn entry(ignore: &Ignore, shown: &str, kind: FileType) -> Option<Kept> {
    let name = shown.rsplit('/').next().unwrap_or_default();
    if name == ".git" {
        return Some(Kept::Repository);
    }
    let rule = if kind.is_dir() { ignore.folder(shown) } else { ignore.file(shown) };
    match rule {
        Some(origin) => Some(Kept::Ignored(origin.clone())),
        None if kind.is_symlink() => Some(Kept::Link),
        None if !kind.is_dir() && !kind.is_file() => Some(Kept::Special),
        None => None,
    }
}

/// The judgement about an ordinary file: its name, its size, its text. When nothing stands in the way the buffer holds
/// the whole file, so that what was scanned is what is given on. The size comes with it where the file could be opened.
pub fn file(path: &Path, buffer: &mut Vec<u8>) -> (u64, Option<Kept>) {
    buffer.clear();
    let named = path.file_name().and_then(|name| pii::file_name(name.as_encoded_bytes()));
    let (mut opened, size) = match open(path) {
        Ok(Some(opened)) => opened,
        Ok(None) => return (0, Some(named.map_or(Kept::Changed, Kept::Name))),
        Err(e) => return (0, Some(Kept::Unreadable(e.to_string()))),
    };
    if let Some(rule) = named {
        return (size, Some(Kept::Name(rule)));
    }
    if size > pii::FILE_LIMIT {
        return (size, Some(Kept::TooBig));
    }
    // One byte more than the limit: it may have grown since.
    if let Err(e) = (&mut opened).take(pii::FILE_LIMIT + 1).read_to_end(buffer) {
        return (size, Some(Kept::Unreadable(e.to_string())));
    }
    if buffer.len() as u64 > pii::FILE_LIMIT {
        return (buffer.len() as u64, Some(Kept::TooBig));
    }
    (buffer.len() as u64, pii::content(buffer).map(Kept::Content))
}

/// The file and its size; `None` when the path is no ordinary file any more.
fn open(path: &Path) -> io::Result<Option<(File, u64)>> {
    // Between the walk and now a file may have become a link or a pipe: neither is followed nor waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = match OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound || e.raw_os_error() == Some(LOOP) => return Ok(None),
        other => other?,
    };
    let meta = file.metadata()?;
    Ok(meta.is_file().then_some((file, meta.len())))
}

/// What opening a link without following it gives.
const LOOP: i32 = rustix::io::Errno::LOOP.raw_os_error();

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn pc_063_a_file_that_became_a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (mut buffer, at) = (Vec::new(), |name: &str| dir.path().join(name));
        fs::write(at("a.md"), "x").unwrap();
        std::os::unix::fs::symlink("a.md", at("b.md")).unwrap();
        assert_eq!(file(&at("b.md"), &mut buffer).1, Some(Kept::Changed));
        assert_eq!(file(&at("gone.md"), &mut buffer).1, Some(Kept::Changed));
        assert_eq!(file(&at("a.md"), &mut buffer), (1, None));
        assert_eq!(buffer, b"x");
        // Fail closed: what cannot be opened is not taken for harmless.
        assert!(matches!(file(&at(&"n".repeat(300)), &mut buffer).1, Some(Kept::Unreadable(_))));
    }
}
