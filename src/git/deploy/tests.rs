use super::super::scratch::{Scratch, git_in, write_in};
use super::super::snapshot::{Snapshot, take};
use super::super::worktree;
use super::*;
use std::path::PathBuf;

struct World {
    scratch: Scratch,
    base: String,
}

impl World {
    fn new() -> World {
        let scratch = Scratch::new();
        scratch.write("ours", "1\n");
        scratch.write("theirs", "1\n");
        scratch.write("gone", "1\n");
        scratch.write(".gitignore", "*.log\n");
        scratch.git(&["add", "ours", "theirs", "gone", ".gitignore"]);
        scratch.git(&["commit", "-q", "-m", "second"]);
        let base = worktree::add(&scratch.root(), &scratch.tree(), "flightdeck/s").unwrap().base;
        World { scratch, base }
    }

    fn tree(&self) -> PathBuf {
        self.scratch.tree()
    }

    fn take(&self, base: &str) -> Snapshot {
        take(&self.tree(), base, &self.scratch.dir.path().join("index")).unwrap()
    }

    /// An agent's work: an edit, a new file, a deleted one.
    fn work(&self) -> Snapshot {
        write_in(&self.tree(), "ours", "2\n");
        write_in(&self.tree(), "new [x]", "new\n");
        std::fs::remove_file(self.tree().join("gone")).unwrap();
        self.take(&self.base)
    }

    fn commit(&self, base: &str, snapshot: &Snapshot) -> Result<String, Blocked> {
        let files: Vec<String> = snapshot.files.iter().map(|file| file.path.clone()).collect();
        commit(&self.tree(), base, &snapshot.tree, &files, "feat: x\n\nVerify: PASS", &[])
    }

    fn committed(&self) -> String {
        let snapshot = self.work();
        self.commit(&self.base, &snapshot).unwrap()
    }

    fn advance(&self, sha: &str) -> Result<(), Blocked> {
        advance(&self.scratch.root(), &self.base, sha)
    }
}

#[test]
fn pc_540_the_verified_tree_is_committed_once() {
    let world = World::new();
    let snapshot = world.work();
    let sha = world.commit(&world.base, &snapshot).unwrap();
    assert_eq!(world.commit(&world.base, &snapshot), Ok(sha.clone()), "after a crash it is found");
    let tree = world.tree();
    assert_eq!(
        git_in(&tree, &["show", "-s", "--format=%P %T", &sha]).trim(),
        format!("{} {}", world.base, snapshot.tree)
    );
    assert_eq!(git_in(&tree, &["status", "--porcelain"]), "");
    let shown = git_in(&tree, &["show", "--name-status", "--format=%B", &sha]);
    assert_eq!(shown, "feat: x\n\nVerify: PASS\n\n\nD\tgone\nA\tnew [x]\nM\tours\n");
    let admin = git_in(&tree, &["rev-parse", "--git-dir"]);
    assert!(!Path::new(admin.trim()).join("flightdeck-paths").exists());
    write_in(&tree, "ours", "3\n");
    let other = world.take(&world.base);
    assert_eq!(world.commit(&world.base, &other), Err(Blocked::Changed(vec!["ours".into()])), "another tree");
    git_in(&tree, &["commit", "-q", "-a", "-m", "one more"]);
    let head = git_in(&tree, &["rev-parse", "HEAD"]).trim().to_string();
    assert_eq!(world.commit(&world.base, &other), Err(Blocked::Moved { base: world.base.clone(), head }));
    let nothing = Snapshot { files: vec![], ..world.take(&sha) };
    let head = git_in(&tree, &["rev-parse", "HEAD"]).trim().to_string();
    assert!(matches!(world.commit(&head, &nothing), Err(Blocked::Refused(_))));
}

#[test]
fn pc_542_a_hook_refuses_or_changes_and_is_heard() {
    let world = World::new();
    let snapshot = world.work();
    world.scratch.hook("echo 'no commits on fridays' >&2; exit 6");
    let Err(Blocked::Refused(refused)) = world.commit(&world.base, &snapshot) else { panic!("not refused") };
    assert!(refused.stderr.contains("no commits on fridays"), "{refused}");
    assert_eq!(world.take(&world.base), snapshot, "nothing is lost");
    world.scratch.hook("test \"$PASS\" = yes");
    let files: Vec<String> = snapshot.files.iter().map(|file| file.path.clone()).collect();
    let env = [("PASS".to_string(), "yes".to_string())];
    world.scratch.hook("test \"$PASS\" = yes || exit 1; echo formatted > ours; git add ours");
    let changed = commit(&world.tree(), &world.base, &snapshot.tree, &files, "m", &env);
    assert_eq!(changed, Err(Blocked::Changed(vec!["ours".into()])));
    assert_ne!(git_in(&world.tree(), &["rev-parse", "HEAD"]).trim(), world.base, "the commit stays");
    assert_eq!(world.commit(&world.base, &snapshot), changed, "asked again after a crash");
}

#[test]
fn pc_540_what_is_not_in_the_list_is_not_committed() {
    let world = World::new();
    let snapshot = world.work();
    write_in(&world.tree(), "late", "written after the verification\n");
    git_in(&world.tree(), &["add", "late"]);
    let sha = world.commit(&world.base, &snapshot).unwrap();
    assert!(!git_in(&world.tree(), &["ls-tree", "--name-only", &sha]).contains("late"));
    let world = World::new();
    let snapshot = world.work();
    write_in(&world.tree(), "ours", "edited after the verification\n");
    assert_eq!(world.commit(&world.base, &snapshot), Err(Blocked::Changed(vec!["ours".into()])));
}

#[test]
fn pc_541_foreign_staged_and_dirty_files_stay_exactly_as_they_are() {
    let world = World::new();
    let sha = world.committed();
    let scratch = &world.scratch;
    scratch.write("staged", "staged by another\n");
    scratch.write("theirs", "staged\n");
    scratch.git(&["add", "staged", "theirs"]);
    scratch.write("theirs", "staged, then edited\n");
    scratch.write("loose", "untracked\n");
    // A setting of the pilot's that would stash all this.
    scratch.git(&["config", "merge.autoStash", "true"]);
    let state = || {
        (scratch.git(&["status", "--porcelain"]), scratch.git(&["diff"]), scratch.git(&["diff", "--cached"]))
    };
    let before = state();
    world.advance(&sha).unwrap();
    assert_eq!(scratch.head(), sha);
    assert_eq!(state(), before);
    assert_eq!(before.0, "A  staged\nMM theirs\n?? loose\n");
    assert!(!scratch.root().join("gone").exists() && scratch.root().join("new [x]").exists());
    assert_eq!(scratch.git(&["stash", "list"]), "");
    world.advance(&sha).unwrap();
    scratch.write("more", "x\n");
    scratch.git(&["add", "more"]);
    scratch.git(&["commit", "-q", "-m", "later", "--", "more"]);
    assert_eq!(world.advance(&sha), Ok(()), "past it is there too");
}

#[test]
fn pc_541_changes_on_our_files_stop_the_advance() {
    let world = World::new();
    let sha = world.committed();
    let scratch = &world.scratch;
    let blocked = |paths: &[&str]| Err(Blocked::Dirty(paths.iter().map(|path| path.to_string()).collect()));
    scratch.write("ours", "the pilot's\n");
    assert_eq!(world.advance(&sha), blocked(&["ours"]));
    scratch.git(&["add", "ours"]);
    assert_eq!(world.advance(&sha), blocked(&["ours"]), "staged");
    scratch.write("new [x]", "in the way\n");
    assert_eq!(world.advance(&sha), blocked(&["new [x]", "ours"]));
    assert_eq!(
        (scratch.head(), std::fs::read_to_string(scratch.root().join("ours")).unwrap()),
        (world.base.clone(), "the pilot's\n".into())
    );
}

#[test]
fn pc_541_an_ignored_file_in_the_way_is_not_overwritten() {
    let world = World::new();
    write_in(&world.tree(), "notes.log", "ours, ignored by name\n");
    git_in(&world.tree(), &["add", "-f", "notes.log"]);
    let snapshot = world.take(&world.base);
    let sha = world.commit(&world.base, &snapshot).unwrap();
    world.scratch.write("notes.log", "the pilot's notes\n");
    assert_eq!(world.advance(&sha), Err(Blocked::Dirty(vec!["notes.log".into()])));
    assert_eq!(
        std::fs::read_to_string(world.scratch.root().join("notes.log")).unwrap(),
        "the pilot's notes\n"
    );
}

#[test]
fn pc_694_a_moved_base_is_named_and_nothing_is_merged() {
    let world = World::new();
    let sha = world.committed();
    world.scratch.write("later", "x\n");
    world.scratch.git(&["add", "later"]);
    world.scratch.git(&["commit", "-q", "-m", "later"]);
    let head = world.scratch.head();
    let moved = Blocked::Moved { base: world.base.clone(), head: head.clone() };
    assert_eq!(world.advance(&sha), Err(moved));
    // Rebased, it fits.
    assert_eq!(rebase(&world.tree(), &head), Ok(Ok(head.clone())));
    assert_eq!(rebase(&world.tree(), &head), Ok(Ok(head.clone())), "done twice");
    let tip = git_in(&world.tree(), &["rev-parse", "HEAD"]).trim().to_string();
    let snapshot = world.take(&head);
    assert_eq!(snapshot.files.len(), 3);
    assert_eq!(world.commit(&head, &snapshot), Ok(tip.clone()), "the rebased commit is the commit");
    advance(&world.scratch.root(), &head, &tip).unwrap();
    assert_eq!(world.scratch.git(&["log", "--format=%s"]), "feat: x\nlater\nsecond\nfirst\n");
    let unrelated = git_in(&world.tree(), &["commit-tree", "-m", "root", "HEAD^{tree}"]);
    assert!(matches!(advance(&world.scratch.root(), &tip, unrelated.trim()), Err(Blocked::Refused(_))));
}

#[test]
fn pc_694_a_rebase_in_conflict_leaves_the_branch_as_it_was() {
    let world = World::new();
    let sha = world.committed();
    world.scratch.write("ours", "the pilot's\n");
    world.scratch.git(&["commit", "-q", "-m", "later", "--", "ours"]);
    let head = world.scratch.head();
    assert_eq!(rebase(&world.tree(), &head), Ok(Err(vec!["ours".into()])));
    let tree = world.tree();
    assert_eq!(git_in(&tree, &["rev-parse", "HEAD"]).trim(), sha);
    assert_eq!(git_in(&tree, &["rev-parse", "--abbrev-ref", "HEAD"]), "flightdeck/s\n");
    assert_eq!(git_in(&tree, &["status", "--porcelain"]), "");
    // One that was killed half-way is ended first.
    let half = Git { root: &tree, env: &[] }.question(&["rebase", &head]).unwrap();
    assert!(!half.ok());
    assert_eq!(rebase(&tree, &head), Ok(Err(vec!["ours".into()])));
    write_in(&tree, "ours", "uncommitted\n");
    assert!(rebase(&tree, &head).is_err());
    assert_eq!(std::fs::read_to_string(tree.join("ours")).unwrap(), "uncommitted\n");
    assert!(rebase(&tree, "0123456789012345678901234567890123456789").is_err());
}

struct Copy {
    dir: tempfile::TempDir,
    base: String,
}

impl Copy {
    /// A folder without git and its copy.
    fn new() -> Copy {
        let dir = tempfile::tempdir().unwrap();
        for root in ["real", "copy"] {
            let root = dir.path().join(root);
            for (path, text) in [("a", "1\r\n"), ("b", "1\n"), ("d/e", "1\n"), ("d/f", "1\n"), ("g", "1\n")] {
                write_in(&root, path, text);
            }
        }
        let base = worktree::copied(&dir.path().join("copy")).unwrap().base;
        Copy { dir, base }
    }

    fn real(&self) -> PathBuf {
        self.dir.path().join("real")
    }

    fn copy(&self) -> PathBuf {
        self.dir.path().join("copy")
    }

    fn files(&self) -> Vec<Changed> {
        take(&self.copy(), &self.base, &self.dir.path().join("index")).unwrap().files
    }

    fn apply(&self) -> Result<(), Blocked> {
        apply_copy(&self.real(), &self.copy(), &self.files())
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.real().join(path)).unwrap()
    }
}

#[test]
fn pc_512_a_copy_goes_back_file_by_file() {
    let copy = Copy::new();
    write_in(&copy.copy(), "a", "2\r\n");
    write_in(&copy.copy(), "new/deep/x", "new\n");
    std::fs::remove_file(copy.copy().join("b")).unwrap();
    // A file for a folder, a folder for a file.
    std::fs::remove_dir_all(copy.copy().join("d")).unwrap();
    write_in(&copy.copy(), "d", "file\n");
    std::fs::remove_file(copy.copy().join("g")).unwrap();
    write_in(&copy.copy(), "g/h", "x\n");
    std::os::unix::fs::symlink("a", copy.copy().join("link")).unwrap();
    write_in(&copy.real(), "foreign", "stays\n");
    copy.apply().unwrap();
    assert_eq!(
        (copy.text("a"), copy.text("new/deep/x"), copy.text("d"), copy.text("g/h")),
        ("2\r\n".into(), "new\n".into(), "file\n".into(), "x\n".into())
    );
    assert!(!copy.real().join("b").exists() && copy.real().join("link").is_symlink());
    assert_eq!(copy.text("foreign"), "stays\n");
    assert!(!copy.real().join(".git").exists());
    assert_eq!(copy.apply(), Ok(()), "done twice");
}

#[test]
fn pc_541_a_copy_never_overwrites_what_somebody_changed() {
    let copy = Copy::new();
    write_in(&copy.copy(), "a", "2\n");
    write_in(&copy.copy(), "new", "new\n");
    write_in(&copy.copy(), "b", "2\n");
    write_in(&copy.real(), "b", "the pilot's\n");
    write_in(&copy.real(), "new", "the pilot's\n");
    assert_eq!(copy.apply(), Err(Blocked::Dirty(vec!["b".into(), "new".into()])));
    assert_eq!(
        (copy.text("a"), copy.text("b"), copy.text("new")),
        ("1\r\n".into(), "the pilot's\n".into(), "the pilot's\n".into()),
        "nothing was written"
    );
    // Half of it written by a run that was killed: the rest follows.
    write_in(&copy.real(), "b", "2\n");
    std::fs::remove_file(copy.real().join("new")).unwrap();
    copy.apply().unwrap();
    assert_eq!((copy.text("a"), copy.text("new")), ("2\n".into(), "new\n".into()));
}

#[test]
fn pc_512_a_copy_does_not_leave_the_folder_through_a_link() {
    let copy = Copy::new();
    let outside = copy.dir.path().join("outside");
    write_in(&outside, "e", "1\n");
    std::fs::remove_dir_all(copy.real().join("d")).unwrap();
    std::os::unix::fs::symlink(&outside, copy.real().join("d")).unwrap();
    write_in(&copy.copy(), "d/e", "2\n");
    assert_eq!(copy.apply(), Err(Blocked::Dirty(vec!["d/e".into()])));
    write_in(&copy.copy(), "d/e", "1\n");
    write_in(&copy.copy(), "d/new", "x\n");
    assert_eq!(copy.apply(), Err(Blocked::Dirty(vec!["d/new".into()])));
    assert_eq!(std::fs::read_to_string(outside.join("e")).unwrap(), "1\n");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    // A folder that gives way to a file must hold nothing else.
    let copy = Copy::new();
    std::fs::remove_dir_all(copy.copy().join("d")).unwrap();
    write_in(&copy.copy(), "d", "file\n");
    write_in(&copy.real(), "d/foreign", "x\n");
    assert_eq!(copy.apply(), Err(Blocked::Dirty(vec!["d".into()])));
    assert_eq!(copy.text("d/e"), "1\n");
}
