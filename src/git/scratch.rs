//! Scratch repositories for the tests of this layer.

use super::cli::Git;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A scratch repository with one commit.
pub(in crate::git) struct Scratch {
    pub dir: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Scratch {
        let scratch = Scratch { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(scratch.root()).unwrap();
        scratch.git(&["init", "-q", "-b", "main"]);
        let own = [("user.name", "t"), ("user.email", "t@t"), ("commit.gpgsign", "false")];
        // Housekeeping in the background would be a process that still works in a tree.
        for (key, value) in own.into_iter().chain([("maintenance.auto", "false"), ("gc.auto", "0")]) {
            scratch.git(&["config", key, value]);
        }
        // Absolute, because a relative one means another folder in a linked worktree.
        scratch.git(&["config", "core.hooksPath", &scratch.root().join(".git/hooks").display().to_string()]);
        scratch.write("README", "x\n");
        scratch.git(&["add", "README"]);
        scratch.git(&["commit", "-q", "-m", "first"]);
        scratch
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    pub fn git(&self, args: &[&str]) -> String {
        git_in(&self.root(), args)
    }

    /// Where a work tree of ours goes.
    pub fn tree(&self) -> PathBuf {
        self.dir.path().join("runtime/s1/trees/app")
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_string()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn hook(&self, script: &str) {
        let hook = self.root().join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn with_remote(self) -> Scratch {
        let bare = self.dir.path().join("remote.git").display().to_string();
        self.git(&["init", "-q", "--bare", &bare]);
        self.git(&["remote", "add", "origin", &bare]);
        self.git(&["push", "-q", "-u", "origin", "main"]);
        self
    }
}

pub(in crate::git) fn git_in(root: &Path, args: &[&str]) -> String {
    let finished = Git { root, env: &[] }.question(args).unwrap();
    assert!(finished.ok(), "git {args:?}: {finished:?}");
    finished.stdout
}

pub(in crate::git) fn write_in(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
