//! What the pilot said about the configuration files of projects, kept in the user's state folder.

use crate::config::trust::{Asked, Verdict};
use crate::store::write;
use std::io;
use std::path::{Path, PathBuf};

/// One answer. A file that cannot be read counts as no answer: then the question is asked again.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Said {
    pub file: PathBuf,
    /// Of what was asked, so that other content is another question.
    pub digest: String,
    pub trusted: bool,
}

/// Everything that was said.
pub fn list(state_dir: &Path) -> Vec<Said> {
    std::fs::read(path(state_dir))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

pub fn verdict(state_dir: &Path, asked: &Asked) -> Verdict {
    let said =
        list(state_dir).into_iter().find(|said| said.file == asked.file && said.digest == asked.digest);
    match said {
        Some(Said { trusted: true, .. }) => Verdict::Trusted,
        Some(_) => Verdict::Refused,
        None => Verdict::Open,
    }
}

/// Remembers the answer in place of an older one about this file.
pub fn say(state_dir: &Path, asked: &Asked, trusted: bool) -> io::Result<()> {
    let mut all = list(state_dir);
    all.retain(|said| said.file != asked.file);
    all.push(Said { file: asked.file.clone(), digest: asked.digest.clone(), trusted });
    save(state_dir, &all)
}

/// Forgets what was said about a file; false when nothing was.
pub fn forget(state_dir: &Path, file: &Path) -> io::Result<bool> {
    let mut all = list(state_dir);
    let before = all.len();
    all.retain(|said| said.file != file);
    if all.len() == before {
        return Ok(false);
    }
    save(state_dir, &all).map(|()| true)
}

fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("trust.json")
}

fn save(state_dir: &Path, all: &[Said]) -> io::Result<()> {
    write::ensure_dir(state_dir)?;
    write::atomic(&path(state_dir), &serde_json::to_vec_pretty(all)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(file: &str, digest: &str) -> Asked {
        Asked { file: file.into(), wishes: Vec::new(), digest: digest.into() }
    }

    #[test]
    fn an_answer_is_for_exactly_this_content() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let one = asked("/p/config.yaml", "1");
        assert_eq!(verdict(&state, &one), Verdict::Open);
        say(&state, &one, true).unwrap();
        assert_eq!(verdict(&state, &one), Verdict::Trusted);
        assert_eq!(verdict(&state, &asked("/p/config.yaml", "2")), Verdict::Open);
        assert_eq!(verdict(&state, &asked("/q/config.yaml", "1")), Verdict::Open);
        say(&state, &asked("/p/config.yaml", "2"), false).unwrap();
        assert_eq!(verdict(&state, &asked("/p/config.yaml", "2")), Verdict::Refused);
        assert_eq!(verdict(&state, &one), Verdict::Open, "the older answer is replaced");
        assert_eq!(list(&state).len(), 1);
        assert!(forget(&state, Path::new("/p/config.yaml")).unwrap());
        assert!(!forget(&state, Path::new("/p/config.yaml")).unwrap() && list(&state).is_empty());
        std::fs::write(state.join("trust.json"), "{torn").unwrap();
        assert_eq!(verdict(&state, &one), Verdict::Open);
    }
}
