//! Scratch repositories with remotes, an implementer `ada` and a reviewer `bo`.

use crate::stage::{AGREES, Ran, Stage, finish};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A review without a finding.
pub const FINE: &str =
    r#"printf '## Critical\n- none\n## High\n- none\n## Medium\n- none\n## OK\n- all of it\n'"#;

/// The usual edit: one line more in every tree, and a new file.
pub const EDIT: &str = r#"
for tree in $(printf '%s' "$FLIGHTDECK_WORKTREES" | tr -d '{}" ' | tr ',' '\n' | cut -d: -f2); do
    echo "edit $FLIGHTDECK_ROUND" >> "$tree/code.txt"
    echo new > "$tree/new.txt"
done
echo "I did what was agreed."
"#;

pub struct World {
    pub stage: Stage,
}

impl World {
    /// `edit` is the implementer's script, `review` the reviewer's; `verify` the command of each repository.
    pub fn new(repos: &[&str], edit: &str, review: &str, verify: &str) -> World {
        let world = World { stage: Stage::new() };
        let mut config = String::from("implementation:\n  reviewer: bo\n  repos:\n");
        for repo in repos {
            world.repository(repo);
            config.push_str(&format!("    {repo}: {{path: ../../{repo}, verify: [{verify:?}]}}\n"));
        }
        world.stage.config(&config);
        world.implementer(edit);
        world.reviewer(review);
        world
    }

    pub fn implementer(&self, edit: &str) {
        self.stage.writer(&format!(
            "case \"$FLIGHTDECK_CALL\" in\nimplement)\n{edit}\nexit ;;\nsynthesis) synthesis() {{ report; }}; report | sed 's/^## 7/## 6. Implementation and verification\\nSee _outcome.md.\\n\\n## 7/'; exit ;;\nesac\n"
        ));
    }

    pub fn reviewer(&self, review: &str) {
        self.stage
            .script("bo", &format!("[ \"$FLIGHTDECK_CALL\" = review ] && {{ {review}\nexit; }}\n{AGREES}"));
    }

    pub fn repository(&self, name: &str) {
        let at = self.path(name);
        fs::create_dir_all(&at).unwrap();
        let git = |args: &[&str]| self.git(name, args);
        git(&["init", "-q", "-b", "main"]);
        git(&["config", "user.email", "pilot@example.invalid"]);
        git(&["config", "user.name", "Pilot"]);
        fs::write(at.join("code.txt"), "one\n").unwrap();
        fs::write(at.join("Strategy.md"), STRATEGY).unwrap();
        git(&["add", "code.txt", "Strategy.md"]);
        git(&["commit", "-q", "-m", "begin"]);
        git(&["init", "-q", "--bare", &format!("../{name}.git")]);
        git(&["remote", "add", "origin", &format!("../{name}.git")]);
        git(&["push", "-q", "-u", "origin", "main"]);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.stage.home().join(name)
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    #[track_caller]
    pub fn git(&self, repo: &str, args: &[&str]) -> String {
        let ran = self.try_git(repo, args);
        assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
        ran.out.trim().to_string()
    }

    pub fn try_git(&self, repo: &str, args: &[&str]) -> Ran {
        let mut command = Command::new("git");
        self.stage.clean(&mut command).current_dir(self.path(repo)).args(args);
        finish(command, "")
    }

    pub fn hook(&self, repo: &str, name: &str, script: &str) {
        let path = self.path(repo).join(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn run(&self, more: &[&str]) -> Ran {
        let mut args = vec!["run", "--close", "auto", "--reflection", "skip", "--decision", "B", "--yes"];
        args.extend(more);
        args.push("How large is the cache");
        self.stage.run(&args)
    }

    pub fn answer(&self, question: &str, text: &str) -> Ran {
        let id = self.stage.id();
        let ran = self.stage.run(&["answer", &id, question, text]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        self.stage.run(&[
            "resume",
            "--headless",
            "--close",
            "auto",
            "--reflection",
            "skip",
            "--decision",
            "B",
            &id,
        ])
    }

    /// The one open question: id and text.
    #[track_caller]
    pub fn question(&self, ran: &Ran) -> (String, String) {
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let open = self.open();
        assert_eq!(open.len(), 1, "{open:?}");
        open.into_iter().next().unwrap()
    }

    pub fn open(&self) -> Vec<(String, String)> {
        let list = self.stage.show()["questions"].as_array().unwrap().clone();
        let text = |q: &Value, key: &str| q[key].as_str().unwrap().to_string();
        list.iter().map(|q| (text(q, "id"), text(q, "text"))).collect()
    }

    /// Closed, with a clean deployment: HEAD of the repository and of its remote are the recorded commit.
    #[track_caller]
    pub fn assert_deployed(&self, ran: &Ran, repos: &[&str]) {
        self.stage.assert_closed(ran);
        let meta = self.stage.meta();
        for repo in repos {
            let head = self.git(repo, &["rev-parse", "HEAD"]);
            assert!(
                meta.contains(&format!("{repo}: \"{head}\""))
                    || meta.contains(&format!("\"{repo}\": \"{head}\"")),
                "{meta}"
            );
            assert!(self.stage.file("_outcome.md").contains(&head));
            assert_eq!(self.git(&format!("{repo}.git"), &["rev-parse", "main"]), head);
            assert_eq!(self.git(repo, &["worktree", "list"]).lines().count(), 1, "its tree is gone");
            assert_eq!(self.git(repo, &["branch", "--list", "flightdeck/*"]), "");
        }
    }

    pub fn count(&self, call: &str) -> usize {
        self.stage.calls().iter().filter(|c| c.split(' ').nth(1) == Some(call)).count()
    }
}

pub const STRATEGY: &str =
    "# Strategy\n\nfirst\nsecond\nthird\n\n| who | what |\n|---|---|\n| ada | writes |\n\nlast\n";
