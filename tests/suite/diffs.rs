//! What a screen is told about an implementation: its diff while the trees stand and when they are gone, and every open
//! change of a reserved file as a question. Through the socket of a real engine.

use crate::stage::{AGREES, Ran, Running, Stage, finish, until};
use flightdeck::domain::session::id::SessionId;
use flightdeck::engine::wire::{Ask, PROTOCOL, Patch, Scope, Tell};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STRATEGY: &str = "# Strategy\n\nalpha\nbeta\ngamma\ndelta\nepsilon\n";

const EDIT: &str = r#"sed -i.bak 's/^alpha$/alpha, three times/; s/^epsilon$/omega/' Strategy.md && rm Strategy.md.bak
echo more >> code.txt; echo "changed_files: [code.txt, Strategy.md]""#;

const FINE: &str = r#"printf '## Critical\n- none\n## OK\n- all of it\n'"#;

/// A repository `app` beside the stage, and a session that stands at the content gate.
fn at_gate() -> Stage {
    let stage = Stage::new();
    let at = stage.home().join("app");
    fs::create_dir_all(&at).unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        stage.clean(&mut command).current_dir(&at).args(args);
        let ran = finish(command, "");
        assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.email", "pilot@example.invalid"]);
    git(&["config", "user.name", "Pilot"]);
    fs::write(at.join("code.txt"), "one\n").unwrap();
    fs::write(at.join("Strategy.md"), STRATEGY).unwrap();
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "begin"]);
    stage.config(
        "implementation:\n  reviewer: bo\n  repos:\n    app: {path: ../../app, verify: [\"true\"], push: false}\n",
    );
    stage.writer(&format!(
        "case \"$FLIGHTDECK_CALL\" in\nimplement)\n{EDIT}\nexit ;;\nsynthesis) synthesis() {{ report; }}; report | sed 's/^## 7/## 6. Implementation and verification\\nSee _outcome.md.\\n\\n## 7/'; exit ;;\nesac\n"
    ));
    stage.script("bo", &format!("[ \"$FLIGHTDECK_CALL\" = review ] && {{ {FINE}\nexit; }}\n{AGREES}"));
    let run = [
        "run",
        "--close",
        "auto",
        "--reflection",
        "skip",
        "--decision",
        "B",
        "--yes",
        "How large is the cache",
    ];
    let ran = stage.run(&run);
    assert_eq!((ran.code, stage.questions()), (Some(3), questions(1, 2)), "{ran:?}");
    stage
}

fn questions(edit: u32, hunks: u32) -> Vec<String> {
    (1..=hunks).map(|hunk| format!("content-{edit:02}-1-{hunk}")).collect()
}

fn answer(stage: &Stage, question: &str, text: &str) {
    let ran = stage.run(&["answer", &stage.id(), question, text]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn resume(stage: &Stage) -> Ran {
    let id = stage.id();
    let how = ["--headless", "--close", "auto", "--reflection", "skip", "--decision", "B"];
    stage.run(&[&["resume"], &how[..], &[&id]].concat())
}

/// A screen of an engine that runs as long as this.
pub struct Screen {
    stream: BufReader<UnixStream>,
    engine: Running,
}

impl Screen {
    pub fn of(stage: &Stage) -> Screen {
        let mut command = stage.command(&["engine"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let engine = Running { child: command.spawn().unwrap() };
        let mut stream = None;
        until("the engine listens", || {
            stream = socket(stage.home()).and_then(|at| UnixStream::connect(at).ok());
            stream.is_some()
        });
        let stream = BufReader::new(stream.unwrap());
        stream.get_ref().set_read_timeout(Some(crate::stage::PATIENCE)).unwrap();
        let mut screen = Screen { stream, engine };
        screen.ask(&Ask::Hello { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into() });
        screen
    }

    pub fn ask(&mut self, ask: &Ask) {
        let mut line = serde_json::to_vec(ask).unwrap();
        line.push(b'\n');
        self.stream.get_mut().write_all(&line).unwrap();
    }

    pub fn told<T>(&mut self, wanted: impl Fn(Tell) -> Option<T>) -> T {
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "the engine left");
            if let Some(found) = wanted(serde_json::from_str(&line).unwrap()) {
                return found;
            }
        }
    }

    fn diff(&mut self, stage: &Stage, scope: Scope, file: Option<&str>) -> (Vec<Patch>, u32, Option<String>) {
        let id = SessionId::parse(&stage.id()).unwrap();
        let context = if file.is_some() { 1_000 } else { 0 };
        self.ask(&Ask::Diff { id, scope, file: file.map(str::to_string), context });
        self.told(|tell| match tell {
            Tell::Diff { patches, edit, why, .. } => Some((patches, edit, why)),
            _ => None,
        })
    }

    pub fn end(self) {
        self.engine.kill();
    }
}

fn socket(below: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(below).ok()?.flatten();
    entries.into_iter().find_map(|e| match e.file_type() {
        Ok(kind) if kind.is_socket() => Some(e.path()),
        Ok(kind) if kind.is_dir() => socket(&e.path()),
        _ => None,
    })
}

fn texts(patches: &[Patch]) -> Vec<(String, &str)> {
    patches.iter().map(|p| (format!("{}/{}", p.repo, p.path), p.text.as_str())).collect()
}

const BOTH: &str = "@@ -3 +3 @@ alpha\n-alpha\n+alpha, three times\n@@ -7 +7 @@ delta\n-epsilon\n+omega\n";

#[test]
fn pc_503_a_screen_gets_the_diff_and_a_question_for_every_change() {
    let stage = at_gate();
    let mut screen = Screen::of(&stage);
    let (patches, edit, why) = screen.diff(&stage, Scope::Session, None);
    let got = texts(&patches);
    assert_eq!((edit, why), (1, None));
    assert_eq!(got[0].0, "app/Strategy.md");
    let changed: Vec<&str> = got[0].1.lines().filter(|l| !l.starts_with('@')).collect();
    assert_eq!(changed, BOTH.lines().filter(|l| !l.starts_with('@')).collect::<Vec<_>>());
    assert_eq!(got[1].0, "app/code.txt");
    let (whole, ..) = screen.diff(&stage, Scope::Session, Some("app/Strategy.md"));
    assert_eq!(whole.len(), 1);
    assert!(whole[0].text.contains("\n beta\n gamma\n delta\n"), "{}", whole[0].text);
    let (none, _, why) = screen.diff(&stage, Scope::Last, None);
    assert!(none.is_empty() && why.unwrap().contains("first edit"));
    let (none, _, why) = screen.diff(&stage, Scope::Branch, None);
    assert_eq!((none, why), (vec![], None), "the agent committed nothing");
    let at = stage.home().join("app");
    fs::write(at.join("mine.txt"), "not for the agent\n").unwrap();
    let mut add = Command::new("git");
    stage.clean(&mut add).current_dir(&at).args(["add", "mine.txt"]);
    assert_eq!(finish(add, "").code, Some(0));
    let (staged, _, why) = screen.diff(&stage, Scope::Staged, None);
    assert_eq!(
        texts(&staged),
        [("app/mine.txt".to_string(), "@@ -0,0 +1 @@\n+not for the agent\n")],
        "{why:?}"
    );
    screen.ask(&Ask::Deck { limit: 5 });
    let waiting = screen.told(|tell| match tell {
        Tell::Deck { rows, .. } => Some(rows[0].questions.iter().map(|q| q.id.clone()).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(waiting, questions(1, 2));
    screen.end();
}

#[test]
fn the_diff_outlives_the_trees_and_knows_the_edit_before() {
    let stage = at_gate();
    answer(&stage, "content-01-1-1", "yes");
    answer(&stage, "content-01-1-2", "no");
    let ran = resume(&stage);
    assert_eq!((ran.code, stage.questions()), (Some(3), questions(2, 1)), "{ran:?}");
    let mut screen = Screen::of(&stage);
    let (since, edit, _) = screen.diff(&stage, Scope::Last, None);
    assert_eq!((edit, since.len()), (2, 1));
    assert!(
        since[0].text.contains("-omega\n+epsilon\n"),
        "what was rejected is out again: {}",
        since[0].text
    );
    screen.end();
    answer(&stage, "content-02-1-1", "yes");
    stage.assert_closed(&resume(&stage));
    let mut screen = Screen::of(&stage);
    for scope in [Scope::Session, Scope::Branch] {
        let (patches, _, why) = screen.diff(&stage, scope, None);
        let files: Vec<String> = texts(&patches).into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            (files, why),
            (vec!["app/Strategy.md".to_string(), "app/code.txt".into()], None),
            "{scope:?}"
        );
    }
    screen.end();
    // Neither the engine's memory nor the configuration knows the repository any more: that is another thing than nothing.
    let runtime = crate::faults::runtime_of(&stage, &stage.id()).unwrap();
    fs::remove_file(runtime.join("notes.json")).unwrap();
    stage.config("");
    let mut screen = Screen::of(&stage);
    let (none, _, why) = screen.diff(&stage, Scope::Session, None);
    let why = why.unwrap();
    assert!(none.is_empty() && why.starts_with("deployed as app "), "{why}");
    screen.end();
}
