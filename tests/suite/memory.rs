//! Scratch folders in memory where the system has them: these tests are about what is written, not about the disk.

use std::path::Path;
use tempfile::TempDir;

pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).unwrap()
}
