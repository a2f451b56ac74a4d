use super::super::scratch::{Scratch, git_in, write_in};
use super::super::worktree;
use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

struct World {
    scratch: Scratch,
    base: String,
}

impl World {
    fn new() -> World {
        let scratch = Scratch::new();
        scratch.write(".gitignore", "*.log\n");
        scratch.write("d/old.md", "one\ntwo\nthree\n");
        scratch.write("plain", "x\n");
        scratch.git(&["add", ".gitignore", "d", "plain"]);
        scratch.git(&["commit", "-q", "-m", "second"]);
        let base = worktree::add(&scratch.root(), &scratch.tree(), "flightdeck/s").unwrap().base;
        World { scratch, base }
    }

    fn tree(&self) -> PathBuf {
        self.scratch.tree()
    }

    fn take(&self) -> Result<Snapshot, Refused> {
        take(&self.tree(), &self.base, &self.index())
    }

    fn index(&self) -> PathBuf {
        self.scratch.dir.path().join("index")
    }

    fn paths(&self) -> Vec<(String, Kind)> {
        self.take().unwrap().files.into_iter().map(|file| (file.path, file.kind)).collect()
    }

    fn names(&self, tree: &str) -> String {
        git_in(&self.tree(), &["ls-tree", "-r", "--name-only", tree])
    }
}

#[test]
fn pc_512_everything_that_happened_in_the_tree_is_seen() {
    let world = World::new();
    let tree = world.tree();
    let base_tree = git_in(&tree, &["rev-parse", "HEAD^{tree}"]).trim().to_string();
    assert_eq!(world.take().unwrap(), Snapshot { tree: base_tree, files: vec![] });

    write_in(&tree, "committed", "by the agent\n");
    git_in(&tree, &["add", "committed"]);
    git_in(&tree, &["commit", "-q", "-m", "agent"]);
    write_in(&tree, "staged", "x\n");
    git_in(&tree, &["add", "staged"]);
    write_in(&tree, "d/old.md", "one\n2\nthree\nfour\n");
    write_in(&tree, "new dir/[a]*.md", "no pattern\n");
    write_in(&tree, "seen.log", "ignored\n");
    std::fs::remove_file(tree.join("README")).unwrap();
    symlink("/etc/passwd", tree.join("link")).unwrap();
    write_in(&tree, "bin", "a\0b");
    std::fs::set_permissions(tree.join("plain"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let index =
        std::fs::read(tree.join(git_in(&tree, &["rev-parse", "--git-path", "index"]).trim())).unwrap();

    let taken = world.take().unwrap();
    let seen: Vec<_> = taken
        .files
        .iter()
        .map(|f| (f.path.as_str(), f.kind, f.before_mode, f.after_mode, f.added, f.removed, f.binary))
        .collect();
    use Kind::{Added, Deleted, Modified};
    let file = 0o100_644;
    assert_eq!(
        seen,
        [
            ("README", Deleted, file, 0, 0, 1, false),
            ("bin", Added, 0, file, 0, 0, true),
            ("committed", Added, 0, file, 1, 0, false),
            ("d/old.md", Modified, file, file, 2, 1, false),
            ("link", Added, 0, 0o120_000, 1, 0, false),
            ("new dir/[a]*.md", Added, 0, file, 1, 0, false),
            ("plain", Modified, file, 0o100_755, 0, 0, false),
            ("staged", Added, 0, file, 1, 0, false),
        ]
    );
    assert!(!world.names(&taken.tree).contains("seen.log"));
    assert_eq!(
        blob(&tree, &taken.files[4].after).unwrap(),
        b"/etc/passwd",
        "the link, not what it points to"
    );
    assert_eq!(blob(&tree, &taken.files[0].after).unwrap(), b"");
    assert_eq!(taken.files[0].after, "0".repeat(40));
    let now = std::fs::read(tree.join(git_in(&tree, &["rev-parse", "--git-path", "index"]).trim())).unwrap();
    assert_eq!(now, index, "the tree's own index is untouched");
    assert!(!world.index().exists());
    assert_eq!(world.take().unwrap(), taken);
}

#[test]
fn pc_512_what_an_agent_hides_from_git_is_seen_all_the_same() {
    let world = World::new();
    let tree = world.tree();
    git_in(&tree, &["update-index", "--assume-unchanged", "README"]);
    git_in(&tree, &["update-index", "--skip-worktree", "plain"]);
    write_in(&tree, "README", "hidden\n");
    write_in(&tree, "plain", "hidden\n");
    write_in(&tree, "force.log", "ignored, but staged\n");
    git_in(&tree, &["add", "-f", "force.log"]);
    git_in(&tree, &["rm", "-q", "--cached", "d/old.md"]);
    write_in(&tree, "d/old.md", "unstaged and edited\n");
    use Kind::{Added, Modified};
    let seen = |path: &str, kind| (path.to_string(), kind);
    let expected = [
        seen("README", Modified),
        seen("d/old.md", Modified),
        seen("force.log", Added),
        seen("plain", Modified),
    ];
    assert_eq!(world.paths(), expected);
}

#[test]
fn pc_512_files_and_folders_may_take_each_others_place() {
    let world = World::new();
    let tree = world.tree();
    std::fs::remove_file(tree.join("README")).unwrap();
    write_in(&tree, "README/inner", "x\n");
    write_in(&tree, "README/x.log", "ignored\n");
    std::fs::remove_dir_all(tree.join("d")).unwrap();
    write_in(&tree, "d", "a file\n");
    std::fs::remove_file(tree.join("plain")).unwrap();
    symlink("d", tree.join("plain")).unwrap();
    use Kind::{Added, Deleted, Modified};
    let seen = |path: &str, kind| (path.to_string(), kind);
    assert_eq!(
        world.paths(),
        [
            seen("README", Deleted),
            seen("README/inner", Added),
            seen("d", Added),
            seen("d/old.md", Deleted),
            seen("plain", Modified)
        ]
    );
}

#[test]
fn pc_512_repositories_inside_and_names_that_are_no_text_are_refused() {
    let world = World::new();
    let tree = world.tree();
    for (folder, inner) in [("nested", false), ("nested", true), ("new/nested", false), ("new/nested", true)]
    {
        git_in(&tree, &["init", "-q", folder]);
        if inner {
            write_in(&tree, &format!("{folder}/inner"), "x\n");
        }
        let refused = world.take().unwrap_err();
        assert!(refused.stderr.contains(&format!("{folder} is a repository of its own")), "{refused}");
        std::fs::remove_dir_all(tree.join(folder)).unwrap();
    }
    // In a folder with tracked files git goes on looking at the files, and so do we.
    git_in(&tree, &["init", "-q", "d"]);
    write_in(&tree, "d/inner", "x\n");
    write_in(&tree, "d/old.md", "edited\n");
    let seen = |path: &str, kind| (path.to_string(), kind);
    assert_eq!(world.paths(), [seen("d/inner", Kind::Added), seen("d/old.md", Kind::Modified)]);
    git_in(&tree.join("d"), &["add", "inner"]);
    git_in(&tree.join("d"), &["-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "-m", "x"]);
    assert_eq!(world.paths(), [seen("d/inner", Kind::Added), seen("d/old.md", Kind::Modified)]);
    restore(&tree, &world.base, &world.base).unwrap();
    std::fs::remove_dir_all(tree.join("d/.git")).unwrap();
    assert_eq!(world.paths(), []);
    use std::os::unix::ffi::OsStrExt;
    let odd = tree.join(std::ffi::OsStr::from_bytes(b"odd\xff.md"));
    if std::fs::write(&odd, "x").is_ok() {
        assert!(world.take().unwrap_err().stderr.contains("is no UTF-8"));
    }
}

#[test]
fn pc_512_a_submodule_that_nobody_filled_is_left_alone() {
    let world = World::new();
    let (tree, head) = (world.tree(), world.scratch.head());
    let cache = format!("160000,{head},vendor/lib");
    git_in(&tree, &["update-index", "--add", "--cacheinfo", &cache]);
    git_in(&tree, &["commit", "-q", "-m", "submodule"]);
    std::fs::create_dir_all(tree.join("vendor/lib")).unwrap();
    let base = git_in(&tree, &["rev-parse", "HEAD"]).trim().to_string();
    write_in(&tree, "README", "y\n");
    let taken = take(&tree, &base, &world.index()).unwrap();
    assert_eq!(taken.files.len(), 1);
    assert!(world.names(&taken.tree).contains("vendor/lib"));
    let refused = take(&tree, &world.base, &world.index()).unwrap_err();
    assert!(
        refused.stderr.contains("vendor/lib is a repository"),
        "a submodule that is new since: {refused}"
    );
}

#[test]
fn pc_512_a_git_file_that_an_agent_changed_is_not_believed() {
    let world = World::new();
    let tree = world.tree();
    let evil = Scratch::new();
    let mark = evil.dir.path().join("ran");
    let program = format!("touch '{}'; cat", mark.display());
    evil.git(&["config", "core.fsmonitor", &program]);
    evil.git(&["config", "filter.evil.clean", &program]);
    write_in(&tree, ".gitattributes", "* filter=evil\n");
    write_in(&tree, "README", "y\n");
    std::fs::write(tree.join(".git"), format!("gitdir: {}/.git\n", evil.root().display())).unwrap();
    assert_eq!(world.paths().len(), 2);
    assert!(!mark.exists(), "its configuration is not used");
    assert_eq!(git_in(&tree, &["rev-parse", "HEAD"]).trim(), world.base, "put back");
    std::fs::remove_file(tree.join(".git")).unwrap();
    assert_eq!(world.paths().len(), 2);
    std::fs::remove_file(tree.join(".git")).unwrap();
    git_in(&tree, &["init", "-q"]);
    assert!(world.take().unwrap_err().stderr.contains("another repository was made there"));
    let foreign = take(&world.scratch.root(), &world.base, &world.index()).unwrap_err();
    assert!(foreign.stderr.contains("not a work tree that flightdeck made"), "{foreign}");
}

#[test]
fn pc_512_hooks_in_the_tree_do_not_run_for_a_snapshot() {
    let world = World::new();
    let mark = world.scratch.dir.path().join("ran");
    world.scratch.git(&["config", "core.hooksPath", ".hooks"]);
    for hook in ["post-index-change", "post-checkout", "reference-transaction"] {
        write_in(
            &world.tree(),
            &format!(".hooks/{hook}"),
            &format!("#!/bin/sh\ntouch '{}'\n", mark.display()),
        );
        let file = world.tree().join(".hooks").join(hook);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let taken = world.take().unwrap();
    restore(&world.tree(), &world.base, &taken.tree).unwrap();
    assert!(!mark.exists());
}

#[test]
fn pc_512_restore_makes_the_tree_what_the_snapshot_was() {
    let world = World::new();
    let tree = world.tree();
    write_in(&tree, "README", "round one\n");
    write_in(&tree, "kept/new.md", "new\n");
    std::fs::remove_file(tree.join("plain")).unwrap();
    let taken = world.take().unwrap();
    // Then everything that an agent can do.
    write_in(&tree, "README", "round two\n");
    git_in(&tree, &["update-index", "--assume-unchanged", "README"]);
    write_in(&tree, "committed", "x\n");
    git_in(&tree, &["add", "committed"]);
    git_in(&tree, &["commit", "-q", "-m", "agent"]);
    git_in(&tree, &["switch", "-q", "-c", "astray"]);
    std::fs::remove_dir_all(tree.join("d")).unwrap();
    symlink("/etc", tree.join("d")).unwrap();
    write_in(&tree, "kept/more.md", "untracked\n");
    write_in(&tree, "build.log", "ignored\n");
    git_in(&tree, &["init", "-q", "nested"]);
    write_in(&tree, "nested/f", "x\n");
    restore(&tree, &world.base, &taken.tree).unwrap();
    assert_eq!(world.take().unwrap(), taken);
    assert!(tree.join("build.log").exists() && !tree.join("nested").exists());
    assert_eq!(git_in(&tree, &["rev-parse", "--abbrev-ref", "HEAD"]), "flightdeck/s\n");
    assert_eq!(git_in(&tree, &["rev-parse", "HEAD"]).trim(), world.base);
    assert_eq!(git_in(&tree, &["diff", "--cached", "--name-only"]), "", "the index is that of HEAD");
    assert!(git_in(&tree, &["branch", "--list", "astray"]).contains("astray"), "other branches stay");
    restore(&tree, &world.base, &world.base).unwrap();
    assert_eq!(world.paths(), []);
    assert!(!tree.join("kept").exists());
}

#[test]
fn pc_512_restore_never_touches_the_pilots_tree() {
    let world = World::new();
    world.scratch.write("README", "the pilot's edit\n");
    assert!(restore(&world.scratch.root(), &world.base, &world.base).is_err());
    assert_eq!(std::fs::read_to_string(world.scratch.root().join("README")).unwrap(), "the pilot's edit\n");
    let copy = world.scratch.dir.path().join("copies/docs");
    write_in(&copy, "a", "a\n");
    let base = worktree::copied(&copy).unwrap().base;
    write_in(&copy, "a", "b\n");
    write_in(&copy, "c", "c\n");
    let taken = take(&copy, &base, &world.index()).unwrap();
    assert_eq!(taken.files.len(), 2);
    restore(&copy, &base, &base).unwrap();
    assert!(take(&copy, &base, &world.index()).unwrap().files.is_empty());
    restore(&copy, &base, &taken.tree).unwrap();
    assert_eq!(take(&copy, &base, &world.index()).unwrap(), taken);
}

#[test]
fn pc_505_one_file_is_written_and_nothing_through_a_link() {
    let world = World::new();
    let tree = world.tree();
    let outside = world.scratch.dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, tree.join("door")).unwrap();
    assert!(write(&tree, "door/f", Some(b"x"), 0o100_644).is_err());
    assert!(write(&tree, "../f", Some(b"x"), 0o100_644).is_err());
    assert!(write(&tree, ".git", Some(b"x"), 0o100_644).is_err());
    assert!(write(&world.scratch.root(), "README", Some(b"x"), 0o100_644).is_err());
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    write(&tree, "README", Some(b"y\n"), 0o100_644).unwrap();
    write(&tree, "a/b", Some(b"#!/bin/sh\n"), 0o100_755).unwrap();
    write(&tree, "plain", None, 0).unwrap();
    write(&tree, "plain", None, 0).unwrap();
    let seen: Vec<_> = world.take().unwrap().files.into_iter().map(|f| (f.path, f.after_mode)).collect();
    let expected = [("README", 0o100_644), ("a/b", 0o100_755), ("door", 0o120_000), ("plain", 0)];
    assert_eq!(seen, expected.map(|(path, mode)| (path.to_string(), mode)));
}

#[test]
fn pc_521_a_diff_is_what_git_shows_and_bounded() {
    let world = World::new();
    let tree = world.tree();
    write_in(&tree, "d/old.md", "one\n2\nthree");
    let taken = world.take().unwrap();
    let text = diff(&tree, &world.base, &taken.tree, 1).unwrap();
    let expected = "@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+three\n\\ No newline at end of file\n";
    assert!(text.starts_with("diff --git a/d/old.md b/d/old.md\n") && text.ends_with(expected), "{text}");
    assert!(diff(&tree, &"0".repeat(40), &taken.tree, 3).unwrap().contains("new file mode 100644"));
    assert_eq!(diff(&tree, &taken.tree, &taken.tree, 3).unwrap(), "");
    assert!(diff(&tree, "no", &taken.tree, 3).is_err());
    write_in(&tree, "big", &"0123456789abcdef\n".repeat(600_000));
    let big = world.take().unwrap();
    let text = diff(&tree, &world.base, &big.tree, 3).unwrap();
    assert!(text.len() <= DIFF_LIMIT + 100 && text.ends_with("was cut here]\n"));
    assert!(
        diff(&world.scratch.root(), &world.base, &taken.tree, 3).is_ok(),
        "readable from the main tree too"
    );
}

#[test]
fn pc_540_filters_run_and_many_files_fit() {
    let world = World::new();
    let tree = world.tree();
    world.scratch.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    write_in(&tree, ".gitattributes", "*.up filter=upper\n");
    write_in(&tree, "x.up", "abc\n");
    let long = "n".repeat(180);
    for n in 0..800 {
        write_in(&tree, &format!("many/{long}{n}"), "x\n");
    }
    let taken = world.take().unwrap();
    assert_eq!(taken.files.len(), 802);
    let filtered = taken.files.iter().find(|file| file.path == "x.up").unwrap();
    assert_eq!(blob(&tree, &filtered.after).unwrap(), b"ABC\n");
}
