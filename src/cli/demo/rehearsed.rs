//! The repositories of a story: made in a scratch folder, so that a demo has something to implement.

use crate::agents::rehearsal::Story;
use crate::cli::error::CliError;
use crate::config::implementation::{Implementation, RepoSetting};
use crate::git::fresh;
use crate::store::write;
use std::sync::Arc;
use std::time::Duration;

/// How long anything of a story may take.
const DEADLINE: Duration = Duration::from_secs(300);

/// Makes the story's repositories with their first commit; `None` when it has none.
pub fn repositories(story: &Story) -> Result<Option<Arc<Implementation>>, CliError> {
    if story.repositories.is_empty() {
        return Ok(None);
    }
    let scratch = std::env::temp_dir().join(format!("flightdeck-demo-{}", std::process::id()));
    let mut repos = Vec::new();
    for (name, repository) in &story.repositories {
        let at = scratch.join(name);
        for (path, text) in &repository.files {
            let path = at.join(path);
            let dir = path.parent().unwrap_or(&at);
            let failed = |e: std::io::Error| CliError::failed(format!("{}: {e}", path.display()));
            write::ensure_dir(dir).map_err(failed)?;
            write::atomic(&path, text.as_bytes()).map_err(failed)?;
        }
        let files: Vec<String> = repository.files.keys().cloned().collect();
        fresh::repository(&at, &files, &story.title).map_err(CliError::failed)?;
        repos.push(RepoSetting {
            name: name.clone(),
            path: at,
            verify: repository.verify.clone(),
            setup: Vec::new(),
            teardown: Vec::new(),
            push: true,
            copy: Vec::new(),
            deadline: DEADLINE,
        });
    }
    let setting = Implementation {
        vendor: None,
        reviewer: None,
        repos,
        reserved: Vec::new(),
        checklist: Vec::new(),
        deadline: DEADLINE,
    };
    Ok(Some(Arc::new(setting)))
}
