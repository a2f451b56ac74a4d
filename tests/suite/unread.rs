//! Files of a session that are there and that the system does not give: a lost permission, a bad sector, a server that is
//! away.
//!
//! What they hold is not known, and it is not nothing. Whoever would go on from there says which file it is and changes
//! nothing; when the file is given again the session goes on to the end of a quiet one. The default suite takes some
//! files before each step of a story, `just crash-walk` every one.

use crate::faults::{plain, possible, runtime_of};
use crate::kills::tree;
use crate::stage::{Ran, Stage, finish};
use crate::walk::{Fault, quiet, rehearsed, rough};
use flightdeck::store::layout::OUTCOME;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

static HIDDEN: AtomicUsize = AtomicUsize::new(0);

fn rights(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// What a session is read from.
fn files(stage: &Stage) -> Vec<PathBuf> {
    let dirs = stage.dirs();
    let Some(dir) = dirs.iter().find(|dir| dir.join("meta.yaml").exists()) else { return Vec::new() };
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path()).collect();
    let runtime = runtime_of(stage, &dir.file_name().unwrap().to_string_lossy()).unwrap();
    files.extend(["notes.json", "events.jsonl"].map(|name| runtime.join(name)));
    // What a call printed is evidence; what an implementation came to is only added to.
    let is_read = |path: &PathBuf| !path.ends_with(OUTCOME) && path.extension().is_some_and(|e| e != "err");
    files.retain(|path| path.is_file() && is_read(path));
    files.sort();
    files
}

/// The step with one file hidden after the other, and then as it is.
fn hidden(stage: &Stage, command: Command, _: &str) -> Ran {
    let args: Vec<&str> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
    let all = std::env::var_os("FLIGHTDECK_WALK").is_some();
    for (n, path) in files(stage).into_iter().enumerate() {
        if !all && !(n + stage.calls().len()).is_multiple_of(4) {
            continue;
        }
        HIDDEN.fetch_add(1, Ordering::Relaxed);
        let (before, calls) = (tree(&stage.sessions()), stage.calls());
        let mode = path.metadata().unwrap().permissions().mode();
        rights(&path, 0o000);
        let ran = finish(plain(stage, &args), "");
        let shown = finish(plain(stage, &["show", &stage.id()]), "");
        rights(&path, mode);
        let what = format!("{} before {args:?}: {ran:?}", path.display());
        let name = path.file_name().unwrap().to_str().unwrap();
        let told = ran.err.contains(name) && ran.err.contains("os error 13") && ran.err.contains("next: ");
        assert!(ran.code == Some(1) && told, "{what}");
        assert_eq!(stage.calls(), calls, "{what}");
        assert_eq!(tree(&stage.sessions()), before, "{what}");
        // Whoever only looks sees the rest.
        let is_shown = format!("{}{}", shown.out, shown.err).contains(name) || name == "events.jsonl";
        assert!(is_shown, "{name}: {shown:?}");
    }
    finish(command, "")
}

#[test]
fn pc_705_a_file_that_is_not_given_is_not_taken_for_missing() {
    if !possible() {
        return;
    }
    for story in [rough(), rehearsed("deploy")] {
        HIDDEN.store(0, Ordering::Relaxed);
        let (quiet, _) = quiet(&story);
        let fault = Fault { meddle: Some(hidden), ..Fault::default() };
        let play = story.play(&story.stage(), Some(&fault));
        let repeated = story.check(&quiet, &fault, &play);
        println!(
            "{}: {} files hidden before {} steps",
            story.name,
            HIDDEN.load(Ordering::Relaxed),
            play.steps
        );
        assert!(repeated == 0 && HIDDEN.load(Ordering::Relaxed) > 10);
    }
}
