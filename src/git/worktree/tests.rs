use super::super::scratch::{Scratch, git_in, write_in};
use super::*;
use crate::git::commit::Cause;

const BRANCH: &str = "flightdeck/2026-08-24-01-a";

fn added(scratch: &Scratch) -> Added {
    add(&scratch.root(), &scratch.tree(), BRANCH).unwrap()
}

fn commit_in(tree: &Path, file: &str) {
    write_in(tree, file, "work\n");
    git_in(tree, &["add", file]);
    git_in(tree, &["commit", "-q", "-m", file]);
}

#[test]
fn pc_512_a_tree_is_made_once_and_given_back() {
    let scratch = Scratch::new();
    let first = added(&scratch);
    assert_eq!(first, Added { base: scratch.head(), branch: BRANCH.into() });
    assert_eq!(std::fs::read_to_string(scratch.tree().join("README")).unwrap(), "x\n");
    assert_eq!(added(&scratch), first);
    commit_in(&scratch.tree(), "new");
    let tip = git_in(&scratch.tree(), &["rev-parse", "HEAD"]).trim().to_string();
    assert_eq!(added(&scratch), Added { base: tip.clone(), branch: BRANCH.into() });
    let trees = list(&scratch.root());
    assert_eq!(trees.len(), 2);
    assert_eq!(trees[0].branch.as_deref(), Some("main"));
    assert_eq!((trees[1].branch.as_deref(), trees[1].head.clone()), (Some(BRANCH), Some(tip)));
    assert_eq!(trees[1].path, scratch.tree().canonicalize().unwrap());
    assert_eq!(list(&scratch.tree()), trees, "asked from either side");
}

#[test]
fn pc_512_links_on_the_way_are_seen_through() {
    let scratch = Scratch::new();
    let real = scratch.dir.path().join("elsewhere");
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, scratch.dir.path().join("link")).unwrap();
    let at = scratch.dir.path().join("link/app");
    let first = add(&scratch.root(), &at, BRANCH).unwrap();
    assert!(real.join("app/README").exists());
    assert_eq!(add(&scratch.root(), &at, BRANCH).unwrap(), first);
    assert_eq!(keeps(&scratch.root(), &at, BRANCH), []);
    std::os::unix::fs::symlink(scratch.root(), scratch.dir.path().join("bait")).unwrap();
    assert!(add(&scratch.root(), &scratch.dir.path().join("bait"), "flightdeck/x").is_err());
}

#[test]
fn pc_512_a_deleted_tree_is_made_again_and_no_other_entry_is_pruned() {
    let scratch = Scratch::new();
    added(&scratch);
    let foreign = scratch.dir.path().join("foreign");
    scratch.git(&["worktree", "add", "-q", "-b", "theirs", &foreign.display().to_string()]);
    std::fs::remove_dir_all(&foreign).unwrap();
    std::fs::remove_dir_all(scratch.tree()).unwrap();
    assert_eq!(added(&scratch), Added { base: scratch.head(), branch: BRANCH.into() });
    assert!(list(&scratch.root()).iter().any(|tree| tree.path.ends_with("foreign")), "still registered");
    // With commits of its own the old branch stays and a numbered one is taken.
    commit_in(&scratch.tree(), "work");
    std::fs::remove_dir_all(scratch.tree()).unwrap();
    let again = added(&scratch);
    assert_eq!(again, Added { base: scratch.head(), branch: format!("{BRANCH}-2") });
    assert_eq!(added(&scratch), again);
    assert_eq!(keeps(&scratch.root(), &scratch.tree(), BRANCH), [Kept::Commits(1)]);
}

#[test]
fn pc_512_a_branch_left_by_a_crash_is_used_when_it_holds_nothing() {
    let scratch = Scratch::new();
    scratch.git(&["branch", BRANCH]);
    assert_eq!(added(&scratch).branch, BRANCH);
    // Behind HEAD and merged: begun anew at HEAD.
    let other = "flightdeck/2026-08-24-02-b";
    scratch.git(&["branch", other]);
    scratch.write("later", "x\n");
    scratch.git(&["add", "later"]);
    scratch.git(&["commit", "-q", "-m", "later"]);
    let tree = scratch.dir.path().join("runtime/s2/trees/app");
    let made = add(&scratch.root(), &tree, other).unwrap();
    assert_eq!(made, Added { base: scratch.head(), branch: other.into() });
    // Checked out elsewhere: not taken away from there.
    let third = scratch.dir.path().join("runtime/s3/trees/app");
    assert_eq!(add(&scratch.root(), &third, other).unwrap().branch, format!("{other}-2"));
}

#[test]
fn pc_512_what_cannot_be_a_tree_is_refused_with_a_reason() {
    let scratch = Scratch::new();
    let refuse = |real: &Path, at: &Path, branch: &str, word: &str| {
        let refused = add(real, at, branch).unwrap_err();
        assert!(refused.cause == Cause::Unreadable && refused.stderr.contains(word), "{word}: {refused}");
    };
    scratch.write("sub/f", "x\n");
    refuse(&scratch.root().join("sub"), &scratch.tree(), BRANCH, "is a folder of the repository");
    let plain = tempfile::tempdir().unwrap();
    refuse(plain.path(), &scratch.tree(), BRANCH, "belongs to no repository");
    git_in(plain.path(), &["init", "-q"]);
    refuse(plain.path(), &scratch.tree(), BRANCH, "has no commit yet");
    let bare = scratch.dir.path().join("bare.git");
    scratch.git(&["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    refuse(&bare, &scratch.tree(), BRANCH, "bare");
    refuse(&scratch.root(), &scratch.tree(), "main", "own branch");
    refuse(&scratch.root(), &scratch.tree(), "a..b", "no name for a branch");
    refuse(&scratch.root(), &scratch.tree(), "-d", "no name for a branch");
    refuse(&scratch.root(), &scratch.root(), BRANCH, "main work tree");
    assert!(scratch.git(&["branch", "--list", "flightdeck/*"]).is_empty(), "nothing was left behind");
    // Somebody's files are not taken over.
    write_in(&scratch.tree(), "theirs", "x\n");
    assert!(add(&scratch.root(), &scratch.tree(), BRANCH).is_err());
    assert!(scratch.tree().join("theirs").exists());
    added_elsewhere_is_not_ours(&scratch);
}

fn added_elsewhere_is_not_ours(scratch: &Scratch) {
    let tree = scratch.dir.path().join("runtime/s9/trees/app");
    add(&scratch.root(), &tree, BRANCH).unwrap();
    git_in(&tree, &["switch", "-q", "-c", "agents-own"]);
    let refused = add(&scratch.root(), &tree, BRANCH).unwrap_err();
    assert!(refused.stderr.contains("another branch: agents-own"), "{refused}");
    git_in(&tree, &["switch", "-q", "--detach"]);
    assert!(add(&scratch.root(), &tree, BRANCH).unwrap_err().stderr.contains("on no branch"));
}

#[test]
fn pc_694_deleted_entries_that_hold_commits_are_not_pruned() {
    let scratch = Scratch::new();
    added(&scratch);
    git_in(&scratch.tree(), &["switch", "-q", "--detach"]);
    commit_in(&scratch.tree(), "lost");
    std::fs::remove_dir_all(scratch.tree()).unwrap();
    let refused = add(&scratch.root(), &scratch.tree(), BRANCH).unwrap_err();
    assert!(refused.stderr.contains("holds commits of no branch"), "{refused}");
    assert_eq!(keeps(&scratch.root(), &scratch.tree(), BRANCH), [Kept::Commits(1)]);
    assert_eq!(list(&scratch.root()).len(), 2);
}

#[test]
fn pc_512_a_copy_gets_a_base_of_everything_and_nothing_of_the_pilot_takes_part() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("trees/docs");
    write_in(&copy, "a.md", "a\r\n");
    write_in(&copy, ".gitattributes", "* text=auto eol=lf\n");
    write_in(&copy, ".gitignore", "*.log\n");
    write_in(&copy, "sub/x.log", "log\n");
    std::os::unix::fs::symlink("/etc/passwd", copy.join("link")).unwrap();
    let made = copied(&copy).unwrap();
    assert_eq!(made.branch, "copy");
    assert_eq!(copied(&copy).unwrap(), made);
    let files = git_in(&copy, &["ls-tree", "-r", &made.base]);
    let raw = git2::Oid::hash_object(git2::ObjectType::Blob, b"a\r\n").unwrap().to_string();
    assert!(files.contains(&format!("100644 blob {raw}\ta.md")), "byte for byte: {files}");
    assert!(files.contains("sub/x.log") && files.contains("120000 blob"), "{files}");
    assert!(git_in(&copy, &["log", "--format=%an %cn %G?"]).starts_with("flightdeck flightdeck N"));
    assert!(copy.join(".git").is_file(), "hooks and configuration are out of the agent's reach");
    // What an agent does to it does not change the base.
    commit_in(&copy, "new.md");
    assert_eq!(copied(&copy).unwrap(), made);
    std::fs::remove_file(copy.join(".git")).unwrap();
    assert_eq!(copied(&copy).unwrap(), made);

    assert!(discard(dir.path()).is_err());
    discard(&copy).unwrap();
    assert_eq!(std::fs::read_dir(dir.path().join("trees")).unwrap().count(), 0);
    write_in(&copy, "nested/.git/HEAD", "x");
    assert!(copied(&copy).unwrap_err().stderr.contains("nested/.git"));
    assert!(copied(&dir.path().join("absent")).is_err());
}

#[test]
fn pc_512_a_copy_inside_another_repository_is_a_repository_of_its_own() {
    let scratch = Scratch::new();
    let copy = scratch.root().join("runtime/copy");
    write_in(&copy, "a", "a\n");
    copied(&copy).unwrap();
    assert_eq!(scratch.git(&["log", "--format=%s"]), "first\n");
    assert_eq!(git_in(&copy, &["ls-files"]), "a\n");
}

#[test]
fn pc_694_a_tree_without_work_goes_with_its_branch() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "target/\n");
    scratch.git(&["add", ".gitignore"]);
    scratch.git(&["commit", "-q", "-m", "ignore"]);
    added(&scratch);
    write_in(&scratch.tree(), "target/big.o", "built\n");
    assert_eq!(keeps(&scratch.root(), &scratch.tree(), BRANCH), []);
    remove(&scratch.root(), &scratch.tree(), BRANCH).unwrap();
    assert!(!scratch.tree().exists());
    assert_eq!(scratch.git(&["branch", "--list"]), "* main\n");
    assert_eq!(std::fs::read_dir(scratch.tree().parent().unwrap()).unwrap().count(), 0, "the note went too");
    assert_eq!(remove(&scratch.root(), &scratch.tree(), BRANCH), Ok(()), "nothing left to do");
    // Deployed work is in main.
    added(&scratch);
    commit_in(&scratch.tree(), "done");
    assert_eq!(keeps(&scratch.root(), &scratch.tree(), BRANCH), [Kept::Commits(1)]);
    scratch.git(&["merge", "-q", "--ff-only", BRANCH]);
    remove(&scratch.root(), &scratch.tree(), BRANCH).unwrap();
    // Deleted by hand.
    added(&scratch);
    std::fs::remove_dir_all(scratch.tree()).unwrap();
    remove(&scratch.root(), &scratch.tree(), BRANCH).unwrap();
    assert_eq!(list(&scratch.root()).len(), 1);
}

/// Everything that keeps a tree is tried; each time the tree and its branch are still there afterwards.
fn kept(scratch: &Scratch, branch: &str) -> Vec<Kept> {
    let (refs, trees) = (scratch.git(&["for-each-ref"]), list(&scratch.root()));
    let kept = keeps(&scratch.root(), &scratch.tree(), branch);
    assert_eq!(remove(&scratch.root(), &scratch.tree(), branch), Err(kept.clone()));
    assert!(scratch.tree().exists());
    assert_eq!((scratch.git(&["for-each-ref"]), list(&scratch.root())), (refs, trees));
    kept
}

#[test]
fn pc_694_commits_that_exist_nowhere_else_keep_a_tree() {
    let scratch = Scratch::new().with_remote();
    added(&scratch);
    let tree = scratch.tree();
    commit_in(&tree, "one");
    commit_in(&tree, "two");
    assert_eq!(kept(&scratch, BRANCH), [Kept::Commits(2)]);
    // A symbolic name of the same branch is no second place.
    scratch.git(&["symbolic-ref", "refs/heads/alias", &format!("refs/heads/{BRANCH}")]);
    assert_eq!(kept(&scratch, BRANCH), [Kept::Commits(2)]);
    scratch.git(&["symbolic-ref", "--delete", "refs/heads/alias"]);
    scratch.git(&["tag", "half", &format!("{BRANCH}~1")]);
    assert_eq!(kept(&scratch, BRANCH), [Kept::Commits(1)]);
    git_in(&tree, &["push", "-q", "origin", BRANCH]);
    assert_eq!(keeps(&scratch.root(), &tree, BRANCH), [], "the remote has them");
    git_in(&tree, &["switch", "-q", "--detach"]);
    commit_in(&tree, "three");
    assert_eq!(kept(&scratch, BRANCH), [Kept::Commits(1)], "a detached HEAD");
}

#[test]
fn pc_694_changes_and_untracked_files_keep_a_tree() {
    let scratch = Scratch::new();
    added(&scratch);
    let tree = scratch.tree();
    write_in(&tree, "deep/new.md", "x\n");
    assert_eq!(kept(&scratch, BRANCH), [Kept::Untracked(vec!["deep/new.md".into()])]);
    git_in(&tree, &["add", "deep/new.md"]);
    assert_eq!(kept(&scratch, BRANCH), [Kept::Changed(vec!["deep/new.md".into()])]);
    git_in(&tree, &["rm", "-q", "--cached", "deep/new.md"]);
    std::fs::remove_dir_all(tree.join("deep")).unwrap();
    write_in(&tree, "README", "edited\n");
    assert_eq!(kept(&scratch, BRANCH), [Kept::Changed(vec!["README".into()])]);
    git_in(&tree, &["update-index", "--assume-unchanged", "README"]);
    assert_eq!(kept(&scratch, BRANCH), [Kept::Changed(vec!["README".into()])], "hidden from git");
    git_in(&tree, &["update-index", "--no-assume-unchanged", "README"]);
    git_in(&tree, &["checkout", "-q", "README"]);
    git_in(&tree, &["init", "-q", "nested"]);
    assert_eq!(kept(&scratch, BRANCH), [Kept::Untracked(vec!["nested/".into()])], "a nested repository");
}

#[test]
fn pc_694_unfinished_merges_foreign_folders_and_broken_trees_are_kept() {
    let scratch = Scratch::new();
    added(&scratch);
    let tree = scratch.tree();
    let admin = scratch.root().join(".git/worktrees/app");
    std::fs::write(admin.join("MERGE_HEAD"), scratch.head() + "\n").unwrap();
    assert!(matches!(kept(&scratch, BRANCH)[..], [Kept::Unreadable(_)]));
    std::fs::remove_file(admin.join("MERGE_HEAD")).unwrap();
    std::fs::write(tree.join(".git"), "gitdir: /nowhere\n").unwrap();
    assert!(matches!(kept(&scratch, BRANCH)[..], [Kept::Unreadable(_)]));
    let other = Scratch::new();
    std::fs::write(tree.join(".git"), format!("gitdir: {}/.git\n", other.root().display())).unwrap();
    assert!(matches!(kept(&scratch, BRANCH)[..], [Kept::Unreadable(_)]));
    let stranger = scratch.dir.path().join("stranger");
    std::fs::create_dir(&stranger).unwrap();
    assert!(matches!(keeps(&scratch.root(), &stranger, "flightdeck/none")[..], [Kept::Unreadable(_)]));
    assert!(matches!(keeps(&stranger, &tree, BRANCH)[..], [Kept::Unreadable(_)]), "no repository");
}

#[cfg(target_os = "linux")]
#[test]
fn pc_694_a_running_process_keeps_a_tree() {
    let scratch = Scratch::new();
    added(&scratch);
    let mut sleep = std::process::Command::new("sleep");
    let mut child =
        sleep.arg("300").current_dir(scratch.tree()).stdin(std::process::Stdio::null()).spawn().unwrap();
    let pid = child.id();
    assert_eq!(kept(&scratch, BRANCH), [Kept::Process(pid)]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(keeps(&scratch.root(), &scratch.tree(), BRANCH), []);
}

#[test]
fn pc_694_the_default_branch_and_branches_in_use_stay() {
    let scratch = Scratch::new().with_remote();
    let (root, tree) = (scratch.root(), scratch.tree());
    assert!(keeps(&root, &root, "main").contains(&Kept::DefaultBranch));
    assert!(remove(&root, &root, "flightdeck/none").is_err(), "the main work tree");
    assert!(root.join("README").exists());
    // The default branch in a tree of its own, the main tree on another one, and the remote's word for it.
    scratch.git(&["branch", "-m", "main", "trunk"]);
    scratch.git(&["push", "-q", "origin", "trunk"]);
    scratch.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    scratch.git(&["switch", "-q", "-c", "side"]);
    std::fs::create_dir_all(tree.parent().unwrap()).unwrap();
    scratch.git(&["worktree", "add", "-q", &tree.display().to_string(), "trunk"]);
    assert_eq!(kept(&scratch, "trunk"), [Kept::DefaultBranch]);
    assert_eq!(keeps(&root, &tree, "side"), [Kept::DefaultBranch, Kept::CheckedOutElsewhere]);
    let mine = scratch.dir.path().join("mine");
    scratch.git(&["worktree", "add", "-q", "-b", "flightdeck/x", &mine.display().to_string()]);
    assert_eq!(kept(&scratch, "flightdeck/x"), [Kept::CheckedOutElsewhere]);
}
