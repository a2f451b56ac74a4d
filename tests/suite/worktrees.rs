//! What sessions leave in repositories, as `worktrees` shows it and clears it away.

use crate::stage::{Ran, Stage, finish};
use flightdeck::git::worktree;
use flightdeck::store::lock::EngineLock;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A session that is over, a repository and the session's runtime folder.
struct World {
    stage: Stage,
    id: String,
    repository: PathBuf,
    runtime: PathBuf,
}

impl World {
    fn new() -> World {
        let stage = Stage::new();
        let ran = stage.session(&[]);
        stage.assert_closed(&ran);
        let id = stage.id();
        let states = fs::read_dir(stage.home().join(".local/state/flightdeck/sessions")).unwrap();
        let runtime =
            states.flatten().map(|state| state.path().join(&id)).find(|path| path.is_dir()).unwrap();
        let repository = stage.home().join("app");
        fs::create_dir(&repository).unwrap();
        let world = World { stage, id, repository, runtime };
        world.git(&world.repository, &["init", "-q", "-b", "main"]);
        world.git(&world.repository, &["config", "user.email", "pilot@example.invalid"]);
        world.git(&world.repository, &["config", "user.name", "Pilot"]);
        world.git(&world.repository, &["config", "maintenance.auto", "false"]);
        fs::write(world.repository.join("README"), "x\n").unwrap();
        world.git(&world.repository, &["add", "README"]);
        world.git(&world.repository, &["commit", "-q", "-m", "first"]);
        world
    }

    fn git(&self, at: &Path, args: &[&str]) -> String {
        let mut command = std::process::Command::new("git");
        self.stage.clean(&mut command).args(args).current_dir(at);
        let ran = finish(command, "");
        assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
        ran.out
    }

    fn tree(&self, name: &str) -> PathBuf {
        self.runtime.join("trees").join(name)
    }

    fn branch(&self, name: &str) -> String {
        format!("flightdeck/{}/{name}", self.id)
    }

    fn add(&self, name: &str) -> PathBuf {
        worktree::add(&self.repository, &self.tree(name), &self.branch(name)).unwrap();
        self.tree(name)
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut all = vec!["worktrees"];
        all.extend(args);
        self.stage.run(&all)
    }

    /// Rows by the name of the tree or branch.
    fn rows(&self, args: &[&str]) -> Vec<(String, Value)> {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
        let rows: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
        let name = |row: &Value| {
            let name = row["path"].as_str().or(row["branch"].as_str()).unwrap();
            Path::new(name).file_name().unwrap().to_string_lossy().into_owned()
        };
        rows.into_iter().map(|row| (name(&row), row)).collect()
    }

    fn keeps(&self, args: &[&str]) -> Vec<(String, Value)> {
        self.rows(args).into_iter().map(|(name, mut row)| (name, row["keeps"].take())).collect()
    }
}

#[test]
fn pc_694_worktrees_are_listed_and_only_empty_ones_go() {
    let world = World::new();
    assert_eq!(world.run(&[]).out, "no work trees and no branches of sessions\n");
    assert_eq!(world.run(&["--clean", "--json"]).out, "[]\n");
    world.add("a-empty");
    fs::write(world.add("b-untracked").join("new.md"), "x\n").unwrap();
    let work = world.add("c-work");
    fs::write(work.join("README"), "y\n").unwrap();
    world.git(&work, &["commit", "-q", "-a", "-m", "work"]);
    // The tree is gone, its work is not.
    let gone = world.add("d-gone");
    world.git(&gone, &["commit", "-q", "--allow-empty", "-m", "work"]);
    fs::remove_dir_all(&gone).unwrap();
    let copy = world.tree("e-copy");
    fs::create_dir_all(&copy).unwrap();
    fs::write(copy.join("a.md"), "a\n").unwrap();
    worktree::copied(&copy).unwrap();
    fs::write(copy.join("a.md"), "b\n").unwrap();
    // A branch of ours whose tree was removed by hand, and one of nobody's.
    world.git(&world.repository, &["branch", &world.branch("f-branch")]);
    world.git(&world.repository, &["branch", "theirs"]);

    let commits = json!([{"kind": "commits", "count": 1}]);
    let kept = vec![
        ("b-untracked".to_string(), json!([{"kind": "untracked", "paths": ["new.md"]}])),
        ("c-work".to_string(), commits.clone()),
        ("d-gone".to_string(), commits),
        ("e-copy".to_string(), json!([{"kind": "changed", "paths": ["a.md"]}])),
    ];
    let mut all = kept.clone();
    all.insert(0, ("a-empty".to_string(), json!([])));
    all.push(("f-branch".to_string(), json!([])));
    assert_eq!(world.keeps(&[]), all);
    let rows = world.rows(&[]);
    let row = &rows[0].1;
    assert_eq!((row["session"].as_str(), row["removable"].as_bool()), (Some(world.id.as_str()), Some(true)));
    assert_eq!(row["branch"].as_str(), Some(world.branch("a-empty").as_str()));
    assert!(row["bytes"].as_u64().unwrap() > 0 && row["removed"] == json!(false));

    let shown = world.run(&[]);
    for text in ["1 commit that exists nowhere else", "untracked: new.md", "a copy of a folder without git"] {
        assert!(shown.out.contains(text), "{text}: {}", shown.out);
    }
    assert_eq!(shown.out.matches("nothing; --clean removes it").count(), 2, "{}", shown.out);

    let cleaned = world.run(&["--clean"]);
    assert_eq!(cleaned.code, Some(0), "{cleaned:?}");
    assert_eq!(cleaned.out.matches("\n  removed\n").count(), 2, "{}", cleaned.out);
    assert!(cleaned.out.lines().last().unwrap().starts_with("removed 2 ("), "{}", cleaned.out);
    assert!(!world.tree("a-empty").exists() && world.tree("b-untracked").exists() && work.exists());
    let branches = world.git(&world.repository, &["branch", "--format=%(refname:lstrip=4)"]);
    assert_eq!(branches.split_whitespace().collect::<Vec<_>>(), ["b-untracked", "c-work", "d-gone"]);
    assert_eq!(world.keeps(&["--clean"]), kept, "what keeps something stays, however often it is tried");
}

#[test]
fn pc_694_the_trees_of_a_running_session_stay() {
    let world = World::new();
    let tree = world.add("app");
    let lock = EngineLock::acquire(&world.runtime).unwrap();
    let rows = world.rows(&["--clean"]);
    assert_eq!(rows[0].1["running"].as_u64(), Some(u64::from(std::process::id())));
    assert!(tree.exists());
    let shown = world.run(&["--clean"]);
    assert!(shown.out.contains("its session runs (process "), "{}", shown.out);
    drop(lock);
    assert_eq!(world.rows(&["--clean"])[0].1["removed"], json!(true));
    assert!(!tree.exists() && !world.runtime.join("trees").exists());
}

#[test]
fn pc_694_a_tree_on_a_branch_of_somebody_elses_stays() {
    let world = World::new();
    let tree = world.tree("app");
    fs::create_dir_all(tree.parent().unwrap()).unwrap();
    world.git(&world.repository, &["worktree", "add", "-q", "-b", "theirs", &tree.display().to_string()]);
    let rows = world.rows(&["--clean"]);
    assert_eq!(rows[0].1["keeps"][0]["text"], json!("theirs is no branch of a session"));
    assert!(tree.exists() && world.git(&world.repository, &["branch"]).contains("theirs"));
}

#[test]
fn pc_694_worktrees_speak_russian_and_refusals_have_a_code() {
    let world = World::new();
    world.stage.config("lang: ru\n");
    let tree = world.add("app");
    assert!(world.run(&[]).out.contains("ничего; --clean удалит"));
    // Locked by the pilot: nothing would be lost, but git says no.
    world.git(&world.repository, &["worktree", "lock", &tree.display().to_string()]);
    let ran = world.run(&["--clean"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("не удалено") && ran.out.contains("удалено 0"), "{}", ran.out);
    assert!(tree.exists());
}
