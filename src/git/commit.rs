//! Committing and pushing with the git CLI: limited to named paths, hooks run, nothing is forced (PC-540 to 542, 644).

use super::cli::{Git, unreadable};
use super::repo;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Hooks may run a whole test suite.
pub(super) const COMMIT_DEADLINE: Duration = Duration::from_secs(600);
const PUSH_DEADLINE: Duration = Duration::from_secs(300);

/// What a commit came to (PC-645).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The new commit.
    Done(String),
    /// The paths are as in the last commit, or none of them exists.
    Nothing,
    /// The folder belongs to no repository.
    NoRepository,
}

/// What a push came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushOutcome {
    Pushed,
    /// The branch has no upstream, or there is no branch.
    NoUpstream,
    NoRepository,
}

/// git, or a hook it ran, refused. Nothing was forced and nothing was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Such as `git commit`.
    pub step: &'static str,
    /// git's exit code; a hook's own code is not visible here, only its text.
    pub code: Option<i32>,
    /// What git or the hook said.
    pub stderr: String,
    pub cause: Cause,
}

/// The causes with a next step of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// `.gitignore` covers these paths.
    Ignored(Vec<PathBuf>),
    NoIdentity,
    TimedOut,
    /// git itself could not be started.
    NoGit,
    /// The repository cannot be opened.
    Unreadable,
    /// A hook, a lock, a remote …: the text says it.
    Other,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Ignored(paths) => {
                let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                return write!(
                    f,
                    "{}: .gitignore covers {}. Change the rule, or set `commit: never`",
                    self.step,
                    paths.join(", ")
                );
            }
            Cause::NoIdentity => {
                return write!(
                    f,
                    "{}: git does not know who you are. Set user.name and user.email",
                    self.step
                );
            }
            Cause::TimedOut => write!(f, "{} took too long and was stopped", self.step)?,
            Cause::NoGit => write!(f, "git cannot be started; install it or put it on PATH")?,
            Cause::Unreadable => write!(f, "{} was not tried", self.step)?,
            Cause::Other => match self.code {
                Some(code) => write!(f, "{} was refused (code {code})", self.step)?,
                None => write!(f, "{} was killed", self.step)?,
            },
        }
        if self.stderr.is_empty() { Ok(()) } else { write!(f, ": {}", self.stderr) }
    }
}

impl std::error::Error for Refused {}

/// `git add -- <paths>`, then `git commit -m <message> -- <the same paths>`. Paths are absolute or relative to
/// `root`; those that do not exist are left out. What others have staged stays staged and uncommitted (PC-541). `env`
/// reaches the hooks: session-guard's needs the variables of PC-000 to find its tree.
pub fn commit(
    root: &Path,
    paths: &[PathBuf],
    message: &str,
    env: &[(String, String)],
) -> Result<CommitOutcome, Refused> {
    let repo = match repo::discover(root) {
        Ok(Some(repo)) => repo,
        Ok(None) => return Ok(CommitOutcome::NoRepository),
        Err(error) => return Err(unreadable("git commit", &error)),
    };
    let git = Git { root, env };
    let existing: Vec<&PathBuf> =
        paths.iter().filter(|path| root.join(path).symlink_metadata().is_ok()).collect();
    if existing.is_empty() {
        return Ok(CommitOutcome::Nothing);
    }
    git.run("git add", &["add", "--"], &existing, COMMIT_DEADLINE).map_err(|refused| {
        let ignored: Vec<PathBuf> = existing
            .iter()
            .filter(|path| repo.is_ignored(&root.join(path)))
            .map(|path| path.to_path_buf())
            .collect();
        if ignored.is_empty() { refused } else { Refused { cause: Cause::Ignored(ignored), ..refused } }
    })?;
    // An empty folder is accepted by `git add` and unknown to `git commit`.
    let known: Vec<&PathBuf> =
        existing.into_iter().filter(|path| repo.is_tracked(&root.join(path))).collect();
    if known.is_empty() || git.unchanged(&known)? {
        return Ok(CommitOutcome::Nothing);
    }
    git.run("git commit", &["commit", "-m", message, "--"], &known, COMMIT_DEADLINE)
        .map_err(|refused| no_identity(&git, refused))?;
    let head = git.question(&["rev-parse", "HEAD"])?;
    Ok(CommitOutcome::Done(head.stdout.trim().to_string()))
}

/// The refusal of a commit, with its cause when git knows no author.
pub(super) fn no_identity(git: &Git, refused: Refused) -> Refused {
    let unknown =
        |name| git.question(&["var", name]).is_ok_and(|answer: super::child::Finished| !answer.ok());
    let unknown = unknown("GIT_COMMITTER_IDENT") || unknown("GIT_AUTHOR_IDENT");
    if unknown { Refused { cause: Cause::NoIdentity, ..refused } } else { refused }
}

/// `git push` to the branch's upstream. Never forces, never asks for a password.
pub fn push(root: &Path, env: &[(String, String)]) -> Result<PushOutcome, Refused> {
    match repo::discover(root) {
        Ok(Some(repo)) if repo.has_upstream() => {}
        Ok(Some(_)) => return Ok(PushOutcome::NoUpstream),
        Ok(None) => return Ok(PushOutcome::NoRepository),
        Err(error) => return Err(unreadable("git push", &error)),
    }
    Git { root, env }.run("git push", &["push"], &[], PUSH_DEADLINE)?;
    Ok(PushOutcome::Pushed)
}

#[cfg(test)]
mod tests {
    use super::super::repo::{Change, ChangeKind, discover};
    use super::super::scratch::Scratch;
    use super::*;
    use std::fs;

    impl Scratch {
        fn commit(&self, paths: &[&str]) -> Result<CommitOutcome, Refused> {
            let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
            commit(&self.root(), &paths, "feat(peer): x — y", &[])
        }
    }

    #[test]
    fn pc_644_only_the_named_paths_are_committed() {
        let scratch = Scratch::new();
        scratch.write("sessions/2026-08/24/id/meta.yaml", "a\n");
        scratch.write("sessions/00-index.md", "a\n");
        scratch.write("foreign.txt", "staged by another\n");
        scratch.write("README", "changed, not ours\n");
        scratch.git(&["add", "foreign.txt"]);
        let outcome = scratch
            .commit(&["sessions/2026-08/24/id", "sessions/00-index.md", "sessions/2026-08/id.md"])
            .unwrap();
        let head = scratch.git(&["rev-parse", "HEAD"]).trim().to_string();
        assert_eq!(outcome, CommitOutcome::Done(head.clone()));
        let files = scratch.git(&["show", "--name-only", "--format=%s", "HEAD"]);
        assert_eq!(
            files.trim(),
            "feat(peer): x — y\n\nsessions/00-index.md\nsessions/2026-08/24/id/meta.yaml"
        );
        assert_eq!(
            scratch.git(&["diff", "--cached", "--name-only"]),
            "foreign.txt\n",
            "PC-541: still staged"
        );
        let repo = discover(&scratch.root()).unwrap().unwrap();
        assert_eq!(repo.head(), Some(head.clone()));
        assert!(repo.resolves(&head) && repo.resolves(&head[..7]) && !repo.resolves("0123456789abcdef"));
        assert!(!repo.resolves("not hex") && !repo.resolves(""));
    }

    #[test]
    fn pc_644_absolute_paths_names_with_patterns_and_empty_folders() {
        let scratch = Scratch::new();
        scratch.write("a[1]*.md", "x\n");
        fs::create_dir(scratch.root().join("empty")).unwrap();
        let paths = [scratch.root().join("a[1]*.md"), scratch.root().join("empty")];
        assert!(matches!(commit(&scratch.root(), &paths, "m", &[]), Ok(CommitOutcome::Done(_))));
        assert_eq!(commit(&scratch.root(), &paths[1..], "m", &[]), Ok(CommitOutcome::Nothing));
    }

    #[test]
    fn pc_645_nothing_to_commit_and_no_repository_are_no_errors() {
        let scratch = Scratch::new();
        assert_eq!(scratch.commit(&["README"]), Ok(CommitOutcome::Nothing));
        assert_eq!(scratch.commit(&["absent"]), Ok(CommitOutcome::Nothing));
        let plain = tempfile::tempdir().unwrap();
        fs::write(plain.path().join("f"), "x").unwrap();
        assert_eq!(commit(plain.path(), &["f".into()], "m", &[]), Ok(CommitOutcome::NoRepository));
        assert_eq!(push(plain.path(), &[]), Ok(PushOutcome::NoRepository));
    }

    #[test]
    fn pc_645_a_hook_that_refuses_is_heard_and_never_bypassed() {
        let scratch = Scratch::new();
        scratch.hook("echo 'SCOPE GATE: new file outside of the session' >&2; exit 6");
        scratch.write("new.md", "x\n");
        let before = scratch.git(&["rev-parse", "HEAD"]);
        let refused = scratch.commit(&["new.md"]).unwrap_err();
        assert_eq!((refused.step, refused.cause.clone()), ("git commit", Cause::Other));
        assert!(refused.to_string().contains("SCOPE GATE: new file outside of the session"), "{refused}");
        assert_eq!(scratch.git(&["rev-parse", "HEAD"]), before);
        scratch.hook("test \"$IWE_ROOT\" = here");
        let env = [("IWE_ROOT".to_string(), "here".to_string())];
        assert!(scratch.commit(&["new.md"]).is_err());
        assert!(matches!(commit(&scratch.root(), &["new.md".into()], "m", &env), Ok(CommitOutcome::Done(_))));
        scratch.write("more.md", "x\n");
        scratch.hook("exit 0");
        let outcome = scratch.commit(&["more.md"]);
        assert!(matches!(outcome, Ok(CommitOutcome::Done(_))), "{outcome:?}");
    }

    #[test]
    fn pc_645_ignored_paths_and_unknown_identity_have_their_next_step() {
        let scratch = Scratch::new();
        scratch.write(".gitignore", "private/\n");
        scratch.write("private/a.md", "x\n");
        let refused = scratch.commit(&["private/a.md"]).unwrap_err();
        assert_eq!(refused.cause, Cause::Ignored(vec!["private/a.md".into()]));
        assert!(refused.to_string().contains(".gitignore covers private/a.md. Change the rule"), "{refused}");

        scratch.git(&["config", "user.useConfigOnly", "true"]);
        scratch.git(&["config", "--unset", "user.email"]);
        scratch.write("b.md", "x\n");
        let inherited = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "EMAIL"]
            .iter()
            .any(|n| std::env::var_os(n).is_some());
        if !inherited
            && (Git { root: &scratch.root(), env: &[] })
                .question(&["config", "user.email"])
                .is_ok_and(|answer| !answer.ok())
        {
            let refused = scratch.commit(&["b.md"]).unwrap_err();
            assert_eq!(refused.cause, Cause::NoIdentity, "{refused}");
            assert!(refused.to_string().contains("user.email"), "{refused}");
        }
    }

    #[test]
    fn pc_645_push_to_a_bare_remote() {
        let scratch = Scratch::new();
        assert_eq!(push(&scratch.root(), &[]), Ok(PushOutcome::NoUpstream));
        let scratch = scratch.with_remote();
        let repo = discover(&scratch.root()).unwrap().unwrap();
        assert_eq!(repo.ahead(), Some(0));
        scratch.write("a.md", "x\n");
        scratch.commit(&["a.md"]).unwrap();
        assert_eq!(repo.ahead(), Some(1), "push pending");
        assert_eq!(push(&scratch.root(), &[]), Ok(PushOutcome::Pushed));
        assert_eq!(repo.ahead(), Some(0));
    }

    #[test]
    fn pc_694_a_refused_push_is_not_forced() {
        let scratch = Scratch::new().with_remote();
        scratch.write("theirs", "x\n");
        scratch.commit(&["theirs"]).unwrap();
        push(&scratch.root(), &[]).unwrap();
        scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
        scratch.write("ours", "x\n");
        scratch.commit(&["ours"]).unwrap();
        let remote = scratch.git(&["rev-parse", "origin/main"]);
        let refused = push(&scratch.root(), &[]).unwrap_err();
        assert!(refused.step == "git push" && !refused.stderr.is_empty(), "{refused}");
        assert_eq!(scratch.git(&["ls-remote", "origin", "main"]).split('\t').next().unwrap(), remote.trim());
    }

    #[test]
    fn reading_tells_tracked_changed_and_ignored() {
        let scratch = Scratch::new();
        scratch.write(".gitignore", "*.tmp\n");
        scratch.write("d/new.md", "x\n");
        scratch.write("d/x.tmp", "x\n");
        scratch.write("README", "changed\n");
        let repo = discover(&scratch.root().join("d/not/there/yet")).unwrap().unwrap();
        assert!(repo.is_tracked(Path::new("README")) && repo.is_tracked(&scratch.root().join("README")));
        assert!(!repo.is_tracked(Path::new("d")) && !repo.is_tracked(Path::new("READ")));
        assert!(repo.is_ignored(Path::new("d/x.tmp")) && !repo.is_ignored(Path::new("d/new.md")));
        assert!(!repo.has_upstream() && !repo.is_partial());
        let changes = repo.status(&["d".into(), scratch.root().join("README")]).unwrap();
        let change = |path: &str, kind| Change { path: path.into(), kind, staged: false };
        assert_eq!(changes, [change("README", ChangeKind::Modified), change("d/new.md", ChangeKind::New)]);
        scratch.git(&["add", "d/new.md"]);
        assert!(repo.is_tracked(Path::new("d")), "the index is read anew");
        assert!(repo.status(&["d".into()]).unwrap()[0].staged);
        assert!(repo.status(&[PathBuf::from("/etc")]).is_err());
    }
}
