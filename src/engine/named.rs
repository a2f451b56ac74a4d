//! The files that a task names: they belong to what the writer gets to read (AMB-37).

use crate::agents::privacy::pii;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Most bytes of one file, and most files.
const FILE: u64 = 64 * 1024;
const FILES: usize = 8;

/// Name and text of every file that the task names and that lies below a root. Nothing outside the roots is read, no
/// link is followed out of them, and a file with secrets is left out.
pub fn files(task: &str, roots: &[PathBuf]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in task.split_whitespace() {
        let name = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '-'));
        let name = name.trim_end_matches('.');
        let looks_like_one = name.contains('.') || name.contains('/');
        let plain =
            Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !looks_like_one || !plain || found.len() == FILES || found.iter().any(|(n, _)| n == name) {
            continue;
        }
        if let Some(text) = roots.iter().find_map(|root| read(root, name)) {
            found.push((name.to_string(), text));
        }
    }
    found
}

fn read(root: &Path, name: &str) -> Option<String> {
    let root = root.canonicalize().ok()?;
    let path = root.join(name).canonicalize().ok()?;
    let size = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
    if !path.starts_with(&root) || size > FILE {
        return None;
    }
    let bytes = fs::read(&path).ok()?;
    let secret = pii::content(&bytes).is_some() || pii::file_name(name.as_bytes()).is_some();
    if secret { None } else { String::from_utf8(bytes).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amb_37_named_files_below_a_root_are_read_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/cache.rs"), "fn lru() {}").unwrap();
        fs::write(root.join("key.txt"), format!("sk-{}", "a".repeat(24))).unwrap();
        fs::write(dir.path().join("outside.txt"), "no").unwrap();
        std::os::unix::fs::symlink(dir.path().join("outside.txt"), root.join("link.txt")).unwrap();
        let task = "Look at `src/cache.rs`, key.txt, ../outside.txt, link.txt, v2.1 and /etc/hostname.";
        assert_eq!(files(task, &[root]), [("src/cache.rs".to_string(), "fn lru() {}".to_string())]);
    }
}
