//! The git CLI: never a terminal, never a variable that points it elsewhere, always a deadline.

use super::child::{self, Finished};
use super::commit::{Cause, Refused};
use super::repo::RepoError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(super) const QUESTION_DEADLINE: Duration = Duration::from_secs(60);

/// The git CLI in one folder.
pub(super) struct Git<'a> {
    pub root: &'a Path,
    pub env: &'a [(String, String)],
}

impl Git<'_> {
    pub fn run(
        &self,
        step: &'static str,
        args: &[&str],
        paths: &[&PathBuf],
        deadline: Duration,
    ) -> Result<(), Refused> {
        let mut command = self.command(args);
        command.args(paths.iter().map(|path| literal(path)));
        done(step, &mut command, deadline).map(drop)
    }

    /// True when the index holds nothing new for these paths.
    pub fn unchanged(&self, paths: &[&PathBuf]) -> Result<bool, Refused> {
        let mut command = self.command(&["diff", "--cached", "--quiet", "--"]);
        command.args(paths.iter().map(|path| literal(path)));
        let finished =
            child::run(&mut command, QUESTION_DEADLINE).map_err(|error| no_git("git diff", &error))?;
        match finished.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(refused("git diff", &finished)),
        }
    }

    /// The answer to a question that git answers with code 1 when there is nothing to say. Any other end is no answer: a
    /// git that died must not be taken for one that said no.
    pub fn ask(&self, step: &'static str, args: &[&str]) -> Result<Option<String>, Refused> {
        let finished =
            child::run(&mut self.command(args), QUESTION_DEADLINE).map_err(|error| no_git(step, &error))?;
        match finished.code {
            Some(0) => Ok(Some(finished.stdout.trim().to_string())),
            Some(1) => Ok(None),
            _ => Err(refused(step, &finished)),
        }
    }

    pub fn question(&self, args: &[&str]) -> Result<Finished, Refused> {
        child::run(&mut self.command(args), QUESTION_DEADLINE).map_err(|error| no_git("git", &error))
    }

    /// A command that moves content between a tree and the object store and makes no commit. No hook may run: a hooks
    /// folder inside the tree is the agent's own work, and nobody has looked at it yet.
    pub fn plumbing(&self, args: &[&str]) -> Command {
        let mut all = vec![
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.splitIndex=false",
        ];
        all.extend(args);
        self.command(&all)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = child::command("git");
        command.arg("-C").arg(self.root).args(args).envs(self.env.iter().map(|(name, value)| (name, value)));
        // A missing password is an error, not a question.
        command.env("GIT_TERMINAL_PROMPT", "0");
        // Started from a hook, these would point every command at the wrong repository.
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_PREFIX",
            "GIT_OBJECT_DIRECTORY",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            "GIT_COMMON_DIR",
            "GIT_NAMESPACE",
            "GIT_LITERAL_PATHSPECS",
            "GIT_GLOB_PATHSPECS",
            "GIT_NOGLOB_PATHSPECS",
            "GIT_ICASE_PATHSPECS",
        ] {
            command.env_remove(name);
        }
        command
    }
}

/// Runs a command whose refusal is an error.
pub(super) fn done(
    step: &'static str,
    command: &mut Command,
    deadline: Duration,
) -> Result<Finished, Refused> {
    let finished = child::run(command, deadline).map_err(|error| no_git(step, &error))?;
    if finished.ok() { Ok(finished) } else { Err(refused(step, &finished)) }
}

/// Paths are names, not patterns. Said per path, because the variable for it would reach the hooks.
pub(super) fn literal(path: &Path) -> OsString {
    let mut spec = OsString::from(":(literal)");
    spec.push(path);
    spec
}

pub(super) fn refused(step: &'static str, finished: &Finished) -> Refused {
    let cause = if finished.timed_out { Cause::TimedOut } else { Cause::Other };
    Refused { step, code: finished.code, stderr: finished.said().to_string(), cause }
}

pub(super) fn no_git(step: &'static str, error: &std::io::Error) -> Refused {
    Refused { step, code: None, stderr: error.to_string(), cause: Cause::NoGit }
}

pub(super) fn unreadable(step: &'static str, error: &RepoError) -> Refused {
    Refused { step, code: None, stderr: error.to_string(), cause: Cause::Unreadable }
}

/// Nothing was tried: what stands in the way is known before.
pub(super) fn not_tried(step: &'static str, why: impl std::fmt::Display) -> Refused {
    Refused { step, code: None, stderr: why.to_string(), cause: Cause::Unreadable }
}

/// For errors of libgit2 and of the file system while reading.
pub(super) fn because<E: std::fmt::Display>(step: &'static str) -> impl Fn(E) -> Refused {
    move |error| not_tried(step, error)
}
