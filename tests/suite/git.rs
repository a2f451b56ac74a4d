//! Sessions in a git repository: commit by pathspec, push, hooks that refuse, what somebody else has staged.

use crate::stage::{Ran, Stage, finish};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A stage whose working folder is a clone of a bare repository beside it; sessions lie in it by default.
fn repository() -> (Stage, PathBuf) {
    let stage = Stage::new();
    let root = stage.home().join("work");
    for args in [
        &["init", "-q", "--bare", "../remote.git"][..],
        &["init", "-q", "-b", "main"],
        &["config", "user.email", "pilot@example.invalid"],
        &["config", "user.name", "Pilot"],
        &["commit", "-q", "--allow-empty", "-m", "begin"],
        &["remote", "add", "origin", "../remote.git"],
        &["push", "-q", "-u", "origin", "main"],
    ] {
        git(&stage, args);
    }
    (stage, root)
}

fn git(stage: &Stage, args: &[&str]) -> Ran {
    let mut command = std::process::Command::new("git");
    stage.clean(&mut command).args(args);
    let ran = finish(command, "");
    assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
    ran
}

/// Runs the program without the stage's own sessions folder, so that the repository decides.
fn run(stage: &Stage, args: &[&str]) -> Ran {
    let mut command = stage.command(args);
    command.env_remove("FLIGHTDECK_SESSIONS_DIR");
    finish(command, "")
}

fn session(stage: &Stage, more: &[&str]) -> Ran {
    let mut args = vec!["run", "--close", "auto", "--decision", "A", "--yes"];
    args.extend(more);
    args.push("How large is the cache");
    run(stage, &args)
}

fn id(root: &Path) -> String {
    let index = fs::read_to_string(root.join("sessions/00-index.md")).unwrap();
    let at = index.find("-01-how-large-is-the").unwrap();
    format!("{}-01-how-large-is-the", &index[at - 10..at])
}

#[test]
fn pc_644_commit_and_push_hold_the_session_and_nothing_else() {
    let (stage, root) = repository();
    fs::write(root.join("foreign.txt"), "staged by somebody else").unwrap();
    fs::write(root.join("loose.txt"), "not staged at all").unwrap();
    git(&stage, &["add", "foreign.txt"]);
    let ran = session(&stage, &["--commit", "--push"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let id = id(&root);
    let shown = git(&stage, &["show", "--name-only", "--format=%s", "HEAD"]).out;
    assert!(shown.starts_with(&format!("feat(peer): {id} — How large is the cache")), "{shown}");
    assert!(
        shown.contains("sessions/00-index.md") && shown.contains("report.md") && shown.contains("meta.yaml")
    );
    assert!(
        !shown.contains("foreign.txt") && !shown.contains("loose.txt") && !shown.contains("report-draft")
    );
    // PC-541: what was staged stays staged, what was loose stays loose, and nothing of the session is left over.
    let status = git(&stage, &["status", "--porcelain"]).out;
    assert_eq!(status, "A  foreign.txt\n?? loose.txt\n", "{status}");
    let head = git(&stage, &["rev-parse", "HEAD"]).out;
    assert_eq!(git(&stage, &["--git-dir", "../remote.git", "rev-parse", "main"]).out, head);
    // Resuming a closed and committed session does nothing more.
    let ran = run(&stage, &["resume", "--headless", "--commit", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(git(&stage, &["rev-parse", "HEAD"]).out, head);
}

#[test]
fn pc_645_nothing_is_committed_unasked() {
    let (stage, root) = repository();
    let before = git(&stage, &["rev-parse", "HEAD"]).out;
    let ran = session(&stage, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("--commit"), "{}", ran.out);
    assert_eq!(git(&stage, &["rev-parse", "HEAD"]).out, before);
    assert!(root.join("sessions/00-index.md").exists());
    // A person is asked.
    let id = id(&root);
    let mut command = stage.command(&["resume", &id]);
    command.env_remove("FLIGHTDECK_SESSIONS_DIR");
    let ran = finish(command, "yes\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_ne!(git(&stage, &["rev-parse", "HEAD"]).out, before);
}

#[test]
fn pc_542_a_hook_that_refuses_is_shown_and_obeyed() {
    let (stage, root) = repository();
    let hook = root.join(".git/hooks/pre-commit");
    fs::write(&hook, "#!/bin/sh\necho 'the semaphore is stale: renew it' >&2\nexit 4\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let before = git(&stage, &["rev-parse", "HEAD"]).out;
    let ran = session(&stage, &["--commit"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let id = id(&root);
    let shown = run(&stage, &["show", "--json", &id]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(shown["questions"][0]["kind"], "commit", "{shown:#}");
    assert!(shown["questions"][0]["text"].as_str().unwrap().contains("the semaphore is stale: renew it"));
    assert_eq!(shown["status"], "completed", "the session itself is closed");
    assert_eq!(git(&stage, &["rev-parse", "HEAD"]).out, before);
    // Still refused: the question stays.
    let ran = run(&stage, &["answer", &id, "commit", "yes"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("renew it"), "{ran:?}");
    assert_eq!(git(&stage, &["rev-parse", "HEAD"]).out, before);
    assert_eq!(run(&stage, &["answer", &id, "commit", "perhaps"]).code, Some(2));
    fs::remove_file(&hook).unwrap();
    let ran = run(&stage, &["answer", &id, "commit", "yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_ne!(git(&stage, &["rev-parse", "HEAD"]).out, before);
    assert_eq!(git(&stage, &["status", "--porcelain"]).out, "");
    let shown = run(&stage, &["show", "--json", &id]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(shown["questions"].as_array().unwrap().len(), 0, "{shown:#}");
}

#[test]
fn pc_645_a_push_that_fails_is_told_with_the_command() {
    let (stage, root) = repository();
    fs::remove_dir_all(stage.home().join("remote.git")).unwrap();
    let ran = session(&stage, &["--commit", "--push"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("push pending") && ran.out.contains("git -C "), "{}", ran.out);
    assert!(git(&stage, &["log", "-1", "--format=%s"]).out.contains(&id(&root)));
}

#[test]
fn pc_650_interrupt_commits_where_that_is_allowed() {
    let (stage, root) = repository();
    stage.script("bo", "exit 1");
    assert_eq!(session(&stage, &[]).code, Some(3));
    let id = id(&root);
    let ran = run(&stage, &["interrupt", &id, "--commit"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(git(&stage, &["log", "-1", "--format=%s"]).out.contains(&id));
    assert_eq!(git(&stage, &["status", "--porcelain"]).out, "");
}

/// Another program closes a session that waits for the pilot: both reports stand, and its row counts nothing.
#[test]
fn pc_646_after_another_programs_finalize_the_question_says_what_helps() {
    let (stage, root) = repository();
    let ran = run(&stage, &["run", "--decision", "A", "--yes", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let id = id(&root);
    let dir = root.join(format!("sessions/{}/{}/{id}", &id[..7], &id[8..10]));
    fs::copy(dir.join("report-draft.md"), dir.join("report.md")).unwrap();
    let meta = fs::read_to_string(dir.join("meta.yaml")).unwrap();
    fs::write(
        dir.join("meta.yaml"),
        meta.replace("status: \"started\"", "status: \"completed\"")
            .replace("turns_count: 0", "turns_count: 2"),
    )
    .unwrap();
    let index = fs::read_to_string(root.join("sessions/00-index.md")).unwrap();
    fs::write(
        root.join("sessions/00-index.md"),
        index.replace("| started | — |", "| completed | [report.md](x/report.md) |"),
    )
    .unwrap();
    let ran = run(&stage, &["resume", "--headless", "--commit", &id]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("move the draft away. Then answer yes."), "{ran:?}");
    let index = fs::read_to_string(root.join("sessions/00-index.md")).unwrap();
    assert!(index.contains("| 2 | 0 | completed | [report.md](20"), "{index}");
    fs::rename(dir.join("report-draft.md"), stage.home().join("draft.md")).unwrap();
    let ran = run(&stage, &["answer", &id, "commit", "yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(git(&stage, &["status", "--porcelain"]).out, "");
}
