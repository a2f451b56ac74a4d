//! Everything but a few places: the kernel's rules only allow, so what stands beside the way to those places is named.

use super::Confinement;
use std::path::{Path, PathBuf};

/// Reads everything; writes whatever exists now outside of `guarded`, and `write` even inside. New names directly in a
/// folder above a guarded one cannot be made.
pub fn all_but(guarded: &[PathBuf], write: &[PathBuf]) -> Confinement {
    let guarded: Vec<PathBuf> =
        guarded.iter().map(|p| p.canonicalize().unwrap_or_else(|_| p.clone())).collect();
    let mut allowed = Vec::new();
    beside(Path::new("/"), &guarded, &mut allowed);
    allowed.extend(write.iter().cloned());
    Confinement { read: vec![PathBuf::from("/")], write: allowed, wrapper: None }
}

fn beside(dir: &Path, guarded: &[PathBuf], allowed: &mut Vec<PathBuf>) {
    if guarded.iter().any(|g| g == dir) {
        return;
    }
    if !guarded.iter().any(|g| g.starts_with(dir)) {
        allowed.push(dir.to_path_buf());
        return;
    }
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        // A link is judged by where it leads, which the kernel resolves by itself.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            beside(&entry.path(), guarded, allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_512_what_stands_beside_is_allowed_and_the_guarded_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for path in ["repo/.git/worktrees/x", "state/deep", "sessions"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(root.join("calls.log"), "").unwrap();
        let own = root.join("repo/.git/worktrees/x");
        let found = all_but(&[root.join("repo"), root.join("sessions")], std::slice::from_ref(&own));
        let inside: Vec<&PathBuf> = found.write.iter().filter(|p| p.starts_with(&root)).collect();
        let want = [root.join("state"), root.join("calls.log"), own];
        assert!(want.iter().all(|p| inside.contains(&p)), "{inside:?}");
        assert_eq!(inside.len(), want.len(), "{inside:?}");
        assert!(!found.write.contains(&PathBuf::from("/")));
        assert!(found.write.contains(&PathBuf::from("/usr")));
    }
}
