//! Files below a folder, reached part by part without following a link: an agent may have put one in the way.

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};

/// A file's mode as git writes it.
pub(super) const LINK: u32 = 0o120_000;
pub(super) const EXECUTABLE: u32 = 0o100_755;

/// What stands under a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Absent,
    /// Content and permission bits.
    File(Vec<u8>, u32),
    /// Where the link points.
    Link(Vec<u8>),
    /// A folder, a socket …
    Other,
}

/// The parts of a path that stays below its folder and out of git's own.
fn parts(path: &str) -> io::Result<Vec<&str>> {
    let parts: Option<Vec<&str>> = Path::new(path)
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str().filter(|name| !name.eq_ignore_ascii_case(".git")),
            _ => None,
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("{path} is no path of a file in this folder"))
    })
}

/// The folders from `root` down to the one that holds the file, and the file's name. `None` when a folder is missing.
fn walk<'p>(root: &Path, path: &'p str, create: bool) -> io::Result<Option<(Vec<OwnedFd>, &'p str)>> {
    let parts = parts(path)?;
    let Some((name, folders)) = parts.split_last() else { return Ok(None) };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut chain = vec![fs::open(root, flags, Mode::empty())?];
    for folder in folders {
        let Some(above) = chain.last() else { return Ok(None) };
        let open = || fs::openat(above, *folder, flags | OFlags::NOFOLLOW, Mode::empty());
        let next = match open() {
            Err(Errno::NOENT) if create => {
                match fs::mkdirat(above, *folder, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                open()
            }
            Err(Errno::NOENT) => return Ok(None),
            other => other,
        };
        chain.push(next.map_err(|errno| match errno {
            Errno::LOOP | Errno::NOTDIR => io::Error::other(format!("{folder} in {path} is no folder")),
            other => other.into(),
        })?);
    }
    Ok(Some((chain, name)))
}

pub(super) fn read(root: &Path, path: &str) -> io::Result<Found> {
    let Some((chain, name)) = walk(root, path, false)? else { return Ok(Found::Absent) };
    let Some(folder) = chain.last() else { return Ok(Found::Absent) };
    let stat = match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(Found::Absent),
        Err(error) => return Err(error.into()),
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let mut bytes = Vec::new();
            File::from(fs::openat(folder, name, flags, Mode::empty())?).read_to_end(&mut bytes)?;
            #[allow(clippy::useless_conversion, reason = "some systems have narrower modes")]
            let mode = u32::from(Mode::from_raw_mode(stat.st_mode).bits());
            Ok(Found::File(bytes, mode & 0o7777))
        }
        FileType::Symlink => Ok(Found::Link(fs::readlinkat(folder, name, Vec::new())?.into_bytes())),
        _ => Ok(Found::Other),
    }
}

/// Writes the file complete under a temporary name, then gives it its own. `mode` is git's; `permissions` are the bits
/// to take over from the file that was there.
pub(super) fn replace(
    root: &Path,
    path: &str,
    content: &[u8],
    mode: u32,
    permissions: Option<u32>,
) -> io::Result<()> {
    let absent = || io::Error::new(io::ErrorKind::NotFound, format!("{path} has no folder"));
    let (chain, name) = walk(root, path, true)?.ok_or_else(absent)?;
    let folder = chain.last().ok_or_else(absent)?;
    let temp = format!(".flightdeck-{}.tmp", std::process::id());
    let forget = || {
        let _ = fs::unlinkat(folder, temp.as_str(), AtFlags::empty());
    };
    // One is left over when an earlier process with this id was killed here.
    forget();
    let written = if mode == LINK {
        fs::symlinkat(OsString::from_vec(content.to_vec()), folder, temp.as_str()).map_err(io::Error::from)
    } else {
        put(folder, &temp, content, mode, permissions)
    };
    written
        .and_then(|()| fs::renameat(folder, temp.as_str(), folder, name).map_err(io::Error::from))
        .inspect_err(|_| forget())?;
    // Some file systems cannot sync a folder.
    let _ = fs::fsync(folder);
    Ok(())
}

fn put(folder: &OwnedFd, temp: &str, content: &[u8], mode: u32, permissions: Option<u32>) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let bits = if mode == EXECUTABLE { 0o777 } else { 0o666 };
    let mut file = File::from(fs::openat(folder, temp, flags, Mode::from_raw_mode(bits))?);
    file.write_all(content)?;
    if let Some(permissions) = permissions {
        // Executable for those who may read, as far as git's mode says it is executable at all.
        let run = if mode == EXECUTABLE { (permissions & 0o444) >> 2 } else { 0 };
        let raw = (permissions & !0o111) | run;
        fs::fchmod(&file, Mode::from_bits_truncate(raw as _))?;
    }
    file.sync_all()
}

/// Removes a file or a link, then the folders that it leaves empty: git knows no empty folder.
pub(super) fn remove(root: &Path, path: &str) -> io::Result<()> {
    let Some((chain, name)) = walk(root, path, false)? else { return Ok(()) };
    let mut names = parts(path)?;
    match chain.last().map(|folder| fs::unlinkat(folder, name, AtFlags::empty())) {
        None | Some(Ok(()) | Err(Errno::NOENT)) => {}
        Some(Err(error)) => return Err(error.into()),
    }
    names.pop();
    for (folder, name) in chain.iter().rev().skip(1).zip(names.iter().rev()) {
        if fs::unlinkat(folder, *name, AtFlags::REMOVEDIR).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn pc_512_nothing_is_written_or_read_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("in"), dir.path().join("out"));
        std::fs::create_dir_all(root.join("real")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("f"), "theirs").unwrap();
        symlink(&outside, root.join("door")).unwrap();
        symlink(outside.join("f"), root.join("real/link")).unwrap();
        for path in ["door/f", "door/new", "door/deep/new"] {
            assert!(replace(&root, path, b"x", 0o100_644, None).is_err(), "{path}");
            assert!(read(&root, path).is_err() && remove(&root, path).is_err(), "{path}");
        }
        for path in ["", ".", "..", "../out/f", "/etc/passwd", "a/../../out/f", ".git/config", "a/.GIT/x"] {
            assert!(replace(&root, path, b"x", 0o100_644, None).is_err(), "{path}");
        }
        assert!(matches!(read(&root, "real/link").unwrap(), Found::Link(_)));
        replace(&root, "real/link", b"mine", 0o100_644, None).unwrap();
        assert_eq!(
            std::fs::read(outside.join("f")).unwrap(),
            b"theirs",
            "the link was replaced, not followed"
        );
        assert!(!root.join("real/link").is_symlink());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[test]
    fn modes_links_and_empty_folders() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        replace(root, "a/b/run", b"#!", EXECUTABLE, None).unwrap();
        replace(root, "a/l", b"b/run", LINK, None).unwrap();
        assert!(
            matches!(read(root, "a/b/run").unwrap(), Found::File(bytes, mode) if bytes == b"#!" && mode & 0o100 != 0)
        );
        assert_eq!(read(root, "a/l").unwrap(), Found::Link(b"b/run".to_vec()));
        assert_eq!(read(root, "a/b").unwrap(), Found::Other);
        assert_eq!(read(root, "no/such").unwrap(), Found::Absent);
        replace(root, "a/b/run", b"x", 0o100_644, Some(0o750)).unwrap();
        let mode = |path: &str| root.join(path).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("a/b/run"), 0o640);
        replace(root, "a/b/run", b"x", EXECUTABLE, Some(0o640)).unwrap();
        assert_eq!(mode("a/b/run"), 0o750);
        remove(root, "a/b/run").unwrap();
        assert!(!root.join("a/b").exists() && root.join("a").exists());
        remove(root, "a/l").unwrap();
        assert!(!root.join("a").exists() && root.exists());
        remove(root, "a/l").unwrap();
    }
}
