//! What a filtered copy of a directory would hold and what it would leave out, without making it.

use super::copy::{BYTES, FILES};
use super::ignore::Ignore;
use super::judge::{self, Kept};
use super::pii;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// The judgement about every file of a directory. Paths are relative to it and sorted by their bytes.
#[derive(Debug, Default)]
pub struct Survey {
    pub passed: Vec<PathBuf>,
    /// Files that do not pass, and folders of which nothing can.
    pub kept: Vec<(PathBuf, Kept)>,
    /// Of the files that pass.
    pub bytes: u64,
    /// UTF-8 characters in the files that pass; counted when asked for.
    pub characters: u64,
    /// Public IPv4 addresses in them: a warning (PC-065); counted when asked for.
    pub public_ips: u64,
    /// Files and bytes behind the ignore rules, as the limits of a directory count them (PC-066).
    counted: (usize, u64),
}

impl Survey {
    /// True when nothing but ignored files is missing from a copy, and there would be one.
    pub fn is_given(&self) -> bool {
        !self.is_too_large() && !self.kept.iter().any(|(_, kept)| kept.stops())
    }

    /// PC-066.
    pub fn is_too_large(&self) -> bool {
        self.counted.0 > FILES || self.counted.1 > BYTES
    }

    fn add(&mut self, other: Survey) {
        self.passed.extend(other.passed);
        self.kept.extend(other.kept);
        self.bytes += other.bytes;
        self.characters += other.characters;
        self.public_ips += other.public_ips;
        self.counted = (self.counted.0 + other.counted.0, self.counted.1 + other.counted.1);
    }
}

/// Looks at every file of the directory, with as many threads as pay. An error means that nothing can be said.
pub fn survey(dir: &Path, home: Option<&Path>, counts: bool) -> Result<Survey, String> {
    let dir = opened(dir)?;
    let ignore = Ignore::for_dir(&dir, home)?;
    let all = Mutex::new(Survey::default());
    let walk = WalkBuilder::new(&dir).standard_filters(false).follow_links(false).threads(0).build_parallel();
    walk.run(|| {
        let mut worker = Worker {
            dir: &dir,
            ignore: &ignore,
            counts,
            mine: Survey::default(),
            buffer: Vec::new(),
            all: &all,
        };
        Box::new(move |entry| worker.take(entry))
    });
    let mut all = all.into_inner().unwrap_or_else(|e| e.into_inner());
    all.passed.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
    all.kept.sort_unstable_by(|(a, _), (b, _)| bytes(a).cmp(bytes(b)));
    Ok(all)
}

/// One path of the directory: where it is, relative to it, and what stands in its way: of itself, or of the first folder
/// above it that is left out.
pub fn explain(dir: &Path, home: Option<&Path>, path: &Path) -> Result<(PathBuf, Option<Kept>), String> {
    let dir = opened(dir)?;
    let ignore = Ignore::for_dir(&dir, home)?;
    let mut at = PathBuf::new();
    let parts: Vec<Component> = path.components().filter(|part| *part != Component::CurDir).collect();
    for part in &parts {
        at.push(part);
        let found = fs::symlink_metadata(dir.join(&at)).map_err(|e| format!("{}: {e}", at.display()))?;
        if let Some(kept) = judge::entry(&ignore, &at.to_string_lossy(), found.file_type()) {
            return Ok((at, Some(kept)));
        }
        if !found.is_dir() {
            let (_, kept) = judge::file(&dir.join(&at), &mut Vec::new());
            return Ok((at, kept));
        }
    }
    Ok((at, None))
}

/// The directory by its real name. It must be one that can be listed.
pub fn opened(dir: &Path) -> Result<PathBuf, String> {
    let real = dir.canonicalize().and_then(|real| fs::read_dir(&real).map(|_| real));
    real.map_err(|e| format!("{}: {e}", dir.display()))
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

struct Worker<'a> {
    dir: &'a Path,
    ignore: &'a Ignore,
    counts: bool,
    mine: Survey,
    buffer: Vec<u8>,
    all: &'a Mutex<Survey>,
}

impl Worker<'_> {
    fn take(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let at = place(&error).unwrap_or(self.dir);
                let at = at.strip_prefix(self.dir).unwrap_or(at).to_path_buf();
                let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                self.mine.kept.push((at, Kept::Unreadable(why)));
                return WalkState::Continue;
            }
        };
        let (Ok(path), Some(kind)) = (entry.path().strip_prefix(self.dir), entry.file_type()) else {
            return WalkState::Continue;
        };
        if path.as_os_str().is_empty() {
            return WalkState::Continue;
        }
        if let Some(kept) = judge::entry(self.ignore, &path.to_string_lossy(), kind) {
            self.mine.kept.push((path.to_path_buf(), kept));
            return WalkState::Skip;
        }
        if kind.is_dir() {
            return WalkState::Continue;
        }
        let (size, kept) = judge::file(entry.path(), &mut self.buffer);
        if kept != Some(Kept::Changed) {
            self.mine.counted.0 += 1;
            self.mine.counted.1 += size;
        }
        match kept {
            Some(kept) => self.mine.kept.push((path.to_path_buf(), kept)),
            None => {
                self.mine.passed.push(path.to_path_buf());
                self.mine.bytes += size;
                if self.counts {
                    self.mine.characters += pii::characters(&self.buffer);
                    self.mine.public_ips += pii::public_ips(&self.buffer);
                }
            }
        }
        WalkState::Continue
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(|e| e.into_inner()).add(std::mem::take(&mut self.mine));
    }
}

/// The path that an error of the walk is about.
fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(place),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
