//! The repositories of a story: made in the session's runtime folder, so that a rehearsal has something to implement.

use crate::agents::rehearsal;
use crate::config::implementation::{Implementation, RepoSetting};
use crate::domain::session::notes::Rehearsal;
use crate::git::fresh;
use crate::store::write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long anything of a story may take.
const DEADLINE: Duration = Duration::from_secs(300);

/// Below the session's runtime folder.
const FOLDER: &str = "rehearsed";

/// What a story puts in the place of `implementation`; `None` when it has no repositories.
pub fn setting(rehearsal: &Rehearsal, runtime: &Path) -> Result<Option<Implementation>, String> {
    let story = rehearsal::story(&rehearsal.story)?;
    let repo = |(name, repository): (&String, &rehearsal::Repository)| RepoSetting {
        name: name.clone(),
        path: place(runtime, name),
        verify: repository.verify.clone(),
        setup: Vec::new(),
        teardown: Vec::new(),
        push: true,
        copy: Vec::new(),
        deadline: DEADLINE,
    };
    let repos: Vec<RepoSetting> = story.repositories.iter().map(repo).collect();
    Ok((!repos.is_empty()).then_some(Implementation {
        vendor: None,
        reviewer: None,
        verifier: None,
        repos,
        reserved: Vec::new(),
        checklist: Vec::new(),
        deadline: DEADLINE,
    }))
}

/// Makes the story's repositories with their first commit, unless they are there.
pub fn make(rehearsal: &Rehearsal, runtime: &Path) -> Result<(), String> {
    let story = rehearsal::story(&rehearsal.story)?;
    for (name, repository) in &story.repositories {
        let at = place(runtime, name);
        if at.join(".git/refs/heads/main").exists() {
            continue;
        }
        for (path, text) in &repository.files {
            let path = at.join(path);
            let dir = path.parent().unwrap_or(&at);
            let failed = |e: std::io::Error| format!("{}: {e}", path.display());
            write::ensure_dir(dir).map_err(failed)?;
            write::atomic(&path, text.as_bytes()).map_err(failed)?;
        }
        let files: Vec<String> = repository.files.keys().cloned().collect();
        fresh::repository(&at, &files, &story.title).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn place(runtime: &Path, name: &str) -> PathBuf {
    let path = runtime.join(FOLDER).join(name);
    std::path::absolute(&path).unwrap_or(path)
}
