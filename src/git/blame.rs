//! Which commit wrote a line.

use super::cli::{Git, done, not_tried};
use super::commit::Refused;
use std::path::Path;
use std::time::Duration;

const STEP: &str = "git blame";
const DEADLINE: Duration = Duration::from_secs(120);

/// The last change of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Zeros while the line is not committed.
    pub sha: String,
    /// As the commit wrote it.
    pub text: String,
    /// Its number in that commit, and its path there.
    pub number: u32,
    pub path: String,
    pub summary: String,
}

impl Line {
    pub fn is_committed(&self) -> bool {
        self.sha.bytes().any(|b| b != b'0')
    }
}

/// The commit that wrote line `number` of `file`, relative to `root`: of the file as it lies there, or as it was `at` a
/// commit.
pub fn line(root: &Path, file: &Path, number: u32, at: Option<&str>) -> Result<Line, Refused> {
    let git = Git { root, env: &[] };
    let range = format!("{number},{number}");
    let mut command = git.command(&["blame", "--porcelain", "-L", &range]);
    command.args(at).arg("--");
    let said = done(STEP, command.arg(file), DEADLINE)?.stdout;
    let mut head = said.lines().next().unwrap_or("").split(' ');
    let (Some(sha), Some(Ok(number))) = (head.next(), head.next().map(str::parse)) else {
        return Err(not_tried(STEP, "git said nothing about this line"));
    };
    let field = |name: &str| {
        let found = said.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' '));
        found.unwrap_or_default().to_string()
    };
    let text = said.lines().find_map(|l| l.strip_prefix('\t')).unwrap_or_default().to_string();
    Ok(Line { sha: sha.to_string(), text, number, path: field("filename"), summary: field("summary") })
}

/// The whole message of a commit.
pub fn message(root: &Path, sha: &str) -> Result<String, Refused> {
    let git = Git { root, env: &[] };
    done("git show", &mut git.command(&["show", "-s", "--format=%B", sha]), DEADLINE).map(|f| f.stdout)
}

/// Lines of a file in a tree or commit that are gone or unreadable come back as `None`.
pub fn content(root: &Path, tree: &str, path: &str) -> Option<String> {
    let git = Git { root, env: &[] };
    let said = git.question(&["show", &format!("{tree}:{path}")]).ok()?;
    said.ok().then_some(said.stdout)
}
