//! Beyond the work tree: publishing a commit, and carrying a change to where its repository is now.

use super::cli::{Git, done, not_tried};
use super::commit::Refused;
use super::repo;
use std::path::Path;
use std::time::Duration;

const PUSH_DEADLINE: Duration = Duration::from_secs(300);
const DEADLINE: Duration = Duration::from_secs(600);

/// Where the current branch is pushed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    pub remote: String,
    /// The branch's full name over there.
    pub branch: String,
    /// The commit that we know of, `None` when none was ever fetched.
    pub head: Option<String>,
}

/// `None` when the branch has no upstream, or HEAD is on no branch.
pub fn upstream(real: &Path) -> Result<Option<Upstream>, Refused> {
    let git = Git { root: real, env: &[] };
    let symbolic = ["symbolic-ref", "--quiet", "--short", "HEAD"];
    let Some(branch) = git.ask("git symbolic-ref", &symbolic)? else { return Ok(None) };
    let setting = |key: &str| git.ask("git config", &["config", "--get", &format!("branch.{branch}.{key}")]);
    let (Some(remote), Some(merge)) = (setting("remote")?, setting("merge")?) else { return Ok(None) };
    let head = git.ask("git rev-parse", &["rev-parse", "--verify", "--quiet", "@{upstream}"])?;
    Ok(Some(Upstream { remote, branch: merge, head: head.filter(|id| !id.is_empty()) }))
}

/// Publishes `sha` on the upstream branch, by fast-forward or not at all; hooks run (PC-542). Said in the real tree,
/// where a remote may be named by a relative path.
pub fn push(real: &Path, to: &Upstream, sha: &str, env: &[(String, String)]) -> Result<(), Refused> {
    let git = Git { root: real, env };
    // No `+` and no option that would force: who was faster over there stays.
    let refspec = format!("{sha}:{}", to.branch);
    git.run("git push", &["push", "--porcelain", &to.remote, &refspec], &[], PUSH_DEADLINE)
}

/// Learns where the upstream is now.
pub fn fetch(real: &Path, from: &Upstream, env: &[(String, String)]) -> Result<Upstream, Refused> {
    let git = Git { root: real, env };
    git.run("git fetch", &["fetch", "--quiet", &from.remote], &[], PUSH_DEADLINE)?;
    upstream(real)?.ok_or_else(|| not_tried("git fetch", "the upstream is gone"))
}

/// The commit that the real tree stands on.
pub fn head(real: &Path) -> Result<String, Refused> {
    let found = repo::discover(real).ok().flatten().and_then(|repo| repo.head());
    found.ok_or_else(|| not_tried("git rev-parse HEAD", format!("{} has no commit", real.display())))
}

/// True when `commit` follows `base`, or is it. A commit that is not known here follows nothing.
pub fn follows(at: &Path, commit: &str, base: &str) -> Result<bool, Refused> {
    let git = Git { root: at, env: &[] };
    match git.ask("git merge-base", &["merge-base", "--is-ancestor", base, commit]) {
        Err(refused) if refused.code == Some(128) => Ok(false),
        answer => Ok(answer?.is_some()),
    }
}

/// The tree that has the change from `base` to `tree` on top of `onto`, or the files in conflict. Nothing is moved.
pub fn carry(at: &Path, base: &str, tree: &str, onto: &str) -> Result<Result<String, Vec<String>>, Refused> {
    const STEP: &str = "git merge-tree";
    let identity = ["GIT_AUTHOR", "GIT_COMMITTER"].into_iter().flat_map(|who| {
        [
            (format!("{who}_NAME"), "flightdeck".to_string()),
            (format!("{who}_EMAIL"), "flightdeck@localhost".into()),
        ]
    });
    let env: Vec<(String, String)> = identity.collect();
    let git = Git { root: at, env: &env };
    // A commit that no branch knows: merge-tree compares commits.
    let made = done(STEP, &mut git.plumbing(&["commit-tree", tree, "-p", base, "-m", "a change"]), DEADLINE)?;
    let change = made.stdout.trim().to_string();
    let merge_base = format!("--merge-base={base}");
    let args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", &merge_base, onto, &change];
    let merged = git.question(&args)?;
    let mut lines = merged.stdout.lines().map(str::trim);
    match (merged.code, lines.next()) {
        (Some(0), Some(tree)) => Ok(Ok(tree.to_string())),
        (Some(1), Some(_)) => {
            let mut files: Vec<String> = lines.filter(|l| !l.is_empty()).map(str::to_string).collect();
            files.dedup();
            Ok(Err(files))
        }
        _ => Err(super::cli::refused(STEP, &merged)),
    }
}
