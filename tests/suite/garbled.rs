//! Files that the engine reads for what it knows, cut off or filled with rubbish while nobody drives the session.
//!
//! Each is told by name or of no weight, none stops the program by a fault of its own, none costs a turn, and the session
//! goes on to its end; where it cannot, the reason is said and it goes on once the file is back. The default suite takes
//! some damages of each file, `just fault-walk` every one at more places.

use crate::stage::{AGREES, Stage, until};
use crate::walk::{Fault, Story, quiet, rehearsed, rough};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Empty,
    Half,
    /// What some file systems leave after a power failure.
    Zeros,
    Rubbish,
    /// A line in its middle.
    Line,
}

/// What becomes of a file.
#[derive(Debug, Clone)]
pub struct Damage {
    pub file: &'static str,
    pub how: How,
}

/// A damaged file as it was.
pub struct Whole {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Whole {
    pub fn restore(self) {
        fs::write(self.path, self.bytes).unwrap();
    }
}

impl Damage {
    /// `None` when there is no such file yet.
    pub fn strike(&self, stage: &Stage) -> Option<Whole> {
        let path = find(stage, self.file)?;
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, self.how.spoil(&bytes)).unwrap();
        Some(Whole { path, bytes })
    }
}

impl How {
    fn spoil(self, bytes: &[u8]) -> Vec<u8> {
        let rubbish = |n: usize| (0..n).map(|k| (k as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]);
        match self {
            How::Empty => Vec::new(),
            How::Half => bytes[..bytes.len() / 2].to_vec(),
            How::Zeros => vec![0; bytes.len()],
            How::Rubbish => rubbish(bytes.len().max(64)).collect(),
            How::Line => {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let middle = lines.len() / 2;
                lines.resize(lines.len().max(1), Vec::new());
                lines[middle] = rubbish(40).filter(|b| *b != b'\n').chain(*b"\n").collect();
                lines.concat()
            }
        }
    }
}

fn find(stage: &Stage, name: &str) -> Option<PathBuf> {
    let mut folders = vec![stage.sessions(), stage.home().join(".local"), stage.home().join(".config")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap() == name {
                return Some(path);
            }
        }
    }
    None
}

/// A file, and whether its damage is told wherever it can be seen. What is not told has nothing that counts.
const FILES: [(&str, bool); 10] = [
    ("meta.yaml", true),
    ("00-index.md", false),
    ("notes.json", true),
    ("events.jsonl", true),
    ("engine.lock", false),
    (".00-index.lock", false),
    (".numbers.lock", false),
    ("call.json", false),
    ("_gate.jsonl", true),
    ("review-01.md", false),
];

const HOWS: [How; 5] = [How::Empty, How::Half, How::Zeros, How::Rubbish, How::Line];

fn one(story: &Story, fault: &Fault) -> &'static str {
    let damage = fault.damage.as_ref().unwrap();
    let stage = story.stage();
    let play = story.play(&stage, Some(fault));
    if play.said.is_empty() {
        return "not there";
    }
    let what = format!("{} {fault:?}: {}", story.name, play.said);
    assert!(!play.said.contains("a fault of its own"), "{what}");
    let told = play.said.contains(damage.file);
    assert!(told || !play.restored, "it did not say why: {what}");
    let must = FILES.iter().any(|(name, told)| *name == damage.file && *told);
    // An empty log or an empty list says nothing wrong; a line that was cut at its end may be whole.
    let visible = matches!(damage.how, How::Zeros | How::Rubbish | How::Line);
    assert!(told || !must || !visible, "it was not told: {what}");
    let end = |name: &str| play.tree.iter().find(|(path, _)| path.ends_with(&format!("/{name}")));
    for (name, text) in &play.kept {
        let (_, last) = end(name).unwrap_or_else(|| panic!("{name} is lost: {what}"));
        assert_eq!(&crate::kills::without_times(text), last, "{name}: {what}");
    }
    assert!(end("report.md").is_some(), "{what}");
    match (play.restored, told) {
        (true, _) => "put back",
        (_, true) => "told",
        _ => "went on",
    }
}

#[test]
fn pc_705_a_spoiled_state_file_is_told_and_costs_no_turn() {
    if !cfg!(debug_assertions) {
        return println!("not run: a release build has no faults");
    }
    let all = std::env::var_os("FLIGHTDECK_FAULTS").is_some();
    let asked = std::env::var("FLIGHTDECK_FAULTS").ok().filter(|word| word.starts_with("garbled/"));
    let mut wrong = Vec::new();
    for (s, story) in [rough(), rehearsed("deploy")].iter().enumerate() {
        let (_, operations) = quiet(story);
        // Where the story stands in its middle and near its end, killed there.
        let places: Vec<(usize, usize)> = operations
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 30)
            .flat_map(|(step, n)| [(step, n / 2), (step, n * 9 / 10)])
            .collect();
        let mut plays = Vec::new();
        for (f, (file, _)) in FILES.iter().enumerate() {
            for (h, how) in HOWS.into_iter().enumerate() {
                for (p, (step, operation)) in places.iter().enumerate() {
                    // The rough session has what every session has; files of an implementation come late in one.
                    let mine = (s == 1) == file.starts_with(['_', 'r']);
                    let late = places.len() - 1 - f % 2;
                    if all || mine && (h + f) % 4 == 0 && p == if s == 1 { late } else { f % places.len() } {
                        let damage = Some(Damage { file, how });
                        plays.push(Fault {
                            step: Some(*step),
                            plan: format!("kill@{operation}"),
                            damage,
                            meddle: None,
                        });
                    }
                }
            }
        }
        let name = |f: &Fault| {
            let d = f.damage.as_ref().unwrap();
            format!("garbled/{}/{}/{:?}/{}/{}", story.name, d.file, d.how, f.step.unwrap(), f.plan)
        };
        plays.retain(|f| asked.as_ref().is_none_or(|asked| name(f).starts_with(asked)));
        let next = AtomicUsize::new(0);
        let (came, failed) =
            (Mutex::new(std::collections::BTreeMap::<_, usize>::new()), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..if all { 4 } else { 2 } {
                scope.spawn(|| {
                    while let Some(fault) = plays.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let play = std::panic::AssertUnwindSafe(|| one(story, fault));
                        match std::panic::catch_unwind(play) {
                            Ok(what) => {
                                let file = fault.damage.as_ref().unwrap().file;
                                *came.lock().unwrap().entry((file, what)).or_default() += 1;
                            }
                            Err(_) => failed.lock().unwrap().push(name(fault)),
                        }
                    }
                });
            }
        });
        println!("{}: {} plays: {:?}", story.name, plays.len(), came.into_inner().unwrap());
        wrong.extend(failed.into_inner().unwrap());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is broken is recorded as told by whoever opens the session first, so that is who tells it.
#[test]
fn pc_705_a_command_that_only_passes_by_tells_what_it_found_spoiled() {
    for command in ["answer", "interrupt"] {
        let stage = Stage::new();
        let ran = stage.run(&["run", "--close", "auto", "--yes", "How large is the cache"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        Damage { file: "events.jsonl", how: How::Line }.strike(&stage).unwrap();
        let id = stage.id();
        let mut args = vec![command, &id];
        args.extend(["gate", "A"].iter().filter(|_| command == "answer"));
        let ran = stage.run(&args);
        let told = "events.jsonl cannot be read in 1 of its lines";
        assert!(ran.code == Some(0) && ran.err.contains(told), "{ran:?}");
        let again = stage.run(&["resume", "--headless", "--yes", &id]);
        assert!(!again.out.contains(told) && !again.err.contains(told), "{again:?}");
    }
}

/// Whatever becomes of its file, a question is asked under its own name, in its own words, and only once more.
#[test]
fn pc_445_an_escalation_whose_file_was_emptied_is_the_same_question() {
    for (n, how) in [How::Empty, How::Half, How::Zeros, How::Rubbish].into_iter().enumerate() {
        let stage = Stage::new();
        let asks = r#"[ "$at" = peer:1:1 ] && { reply critic "The size is a promise to customers, and none of us can give it.
ESCALATE_TO_USER: how much memory may it cost?"; exit; }
"#;
        stage.script("bo", &format!("{asks}{AGREES}"));
        assert_eq!(stage.session(&[]).code, Some(3));
        let id = stage.id();
        if n % 2 == 0 {
            assert_eq!(stage.run(&["answer", &id, "escalation-00", "Never mind."]).code, Some(0));
        }
        Damage { file: "escalation-00.md", how }.strike(&stage).unwrap();
        let asked = stage.show()["questions"][0].clone();
        let text = asked["text"].as_str().unwrap();
        assert!(asked["id"] == "escalation-00" && text.contains("how much memory"), "{how:?}: {asked:#}");
        let ran = stage.resume(&[]);
        let told = "escalation-00.md does not say what was asked; it is taken from 01-peer.md";
        // Half of a file may still say who asked.
        let is_told = format!("{}{}", ran.out, ran.err).contains(told) || how == How::Half;
        assert!(ran.code == Some(3) && is_told, "{how:?}: {ran:?}");
        assert_eq!(stage.questions(), ["escalation-00"], "{how:?}");
        let ran = stage.answer_and_resume("escalation-00", "Two gigabytes.");
        stage.assert_closed(&ran);
        assert!(!stage.has("escalation-01.md"), "{how:?}: {:?}", stage.files());
        let file = stage.file("escalation-00.md");
        let has_question = file.contains("how much memory") || matches!(how, How::Half | How::Rubbish);
        assert!(file.contains("Two gigabytes.") && has_question, "{how:?}: {file}");
    }
}

/// Settings that cannot be read stop every command that needs them, before it touches anything, and say where they stand.
#[test]
fn spoiled_settings_are_named_and_change_nothing() {
    let stage = Stage::new();
    let ran = stage.run(&["run", "--close", "auto", "--yes", "How large is the cache"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let before = crate::kills::tree(&stage.sessions());
    for how in HOWS {
        let whole = Damage { file: "config.yaml", how }.strike(&stage).unwrap();
        for args in
            [&["list"][..], &["show", &stage.id()], &["doctor"], &["resume", "--headless", &stage.id()]]
        {
            let ran = stage.run(args);
            let named = ran.code == Some(2) && ran.err.contains("config.yaml") && ran.err.contains("next: ");
            // No settings at all are those of somebody who has set nothing: then the session waits, as it did.
            let as_without = how == How::Empty && matches!(ran.code, Some(0 | 3));
            assert!(named || as_without, "{how:?} {args:?}: {ran:?}");
        }
        whole.restore();
        assert_eq!(crate::kills::tree(&stage.sessions()), before, "{how:?}");
    }
    let ran = stage.answer_and_resume("gate", "A");
    stage.assert_closed(&ran);
}

/// An answer that another process left and that is none is said and put aside; a whole one beside it is taken.
#[test]
fn pc_444_what_comes_from_outside_and_is_no_answer_is_said() {
    let stage = Stage::new();
    let waits = r#"[ "$at" = peer:1:1 ] && { : > "$HOME/here"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; }
"#;
    stage.script("bo", &format!("{waits}{AGREES}"));
    let mut command =
        stage.command(&["new", "--plain", "--close", "auto", "--yes", "How large is the cache"]);
    let out = fs::File::create(stage.home().join("out")).unwrap();
    command.stdin(std::process::Stdio::piped()).stdout(out).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    until("the call runs", || stage.home().join("here").exists());
    let inbox = find(&stage, "notes.json").unwrap().with_file_name("inbox");
    for name in ["000000.json", "000001.json"] {
        fs::write(inbox.join(name), How::Rubbish.spoil(b"{}")).unwrap();
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        fs::File::options().append(true).open(inbox.join(name)).unwrap().set_modified(long_ago).unwrap();
    }
    let said = || {
        fs::read_to_string(stage.home().join("out"))
            .unwrap()
            .matches("cannot be read and was put aside")
            .count()
    };
    until("both are said", || said() == 2);
    fs::write(stage.home().join("go"), "").unwrap();
    until("the gate is asked", || stage.questions() == ["gate"]);
    assert_eq!(stage.run(&["answer", &stage.id(), "gate", "A"]).code, Some(0));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(said(), 2, "once");
}
