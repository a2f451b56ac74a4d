//! Whole sessions that are killed, or refused by the disk, at one file operation after the other.
//!
//! A story is played by a pilot who looks at the session and does what is next: starts it, answers, resumes. The quiet
//! play says what has to come out; every other play has one fault at one operation of one of its processes, and then
//! goes on. The default suite takes a few operations of each story, `just crash-walk` all of them and a thousand
//! random instants (`FLIGHTDECK_WALK=all`, or the name of a story, `story/ENOENT` for one way in which the disk refuses,
//! or `story/step/operation` for one play of it).

use crate::garbled::{Damage, Whole};
use crate::kills::{tree, turns};
use crate::stage::{AGREES, Ran, Running, Stage, finish};
use flightdeck::agents::rehearsal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Where a test says which operation is struck; only a debug build looks at it.
const FAULT: &str = "FLIGHTDECK_FAULT";

/// A session to play: what it needs, how it begins, what the pilot says.
pub struct Story {
    pub name: String,
    pub prepare: Box<dyn Fn(&Stage) + Sync + Send>,
    /// Arguments of `run`.
    run: Vec<String>,
    /// Arguments of `resume`.
    resume: Vec<String>,
    /// Kind of question → the answers to it, in order. Without one, the gate gets A.
    answers: Vec<(String, String)>,
}

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| word.to_string()).collect()
}

/// A story of `flightdeck demo`, through script adapters, so that its calls are counted.
pub fn rehearsed(name: &str) -> Story {
    let told = rehearsal::story(name).unwrap();
    let keys: Vec<(String, String)> =
        told.participants().map(|p| (p.vendor.clone(), p.agent_id.clone())).collect();
    let peers: Vec<&str> = told.peers.iter().map(|p| p.vendor.as_str()).collect();
    let limits = told.limits;
    let mut run =
        words(&["run", "--yes", "--lang", told.lang.key(), "--writer", &told.writer.vendor, "--peer"]);
    run.push(peers.join(","));
    for (flag, limit) in [("--turns-limit", limits.turns), ("--rounds-limit", limits.rounds)] {
        run.extend([flag.to_string(), limit.to_string()]);
    }
    run.push(told.task.clone());
    let story = name.to_string();
    let repositories = told.repositories.clone();
    let prepare = move |stage: &Stage| {
        let mut config = String::from("vendors:\n");
        for (key, agent) in &keys {
            config.push_str(&format!(
                "  {key}: {{kind: script, path: ../../adapters/{key}.sh, agent_id: {agent}, writer_agent_id: {agent}, env: {{VENDOR: {key}}}}}\n"
            ));
            let program = env!("CARGO_BIN_EXE_flightdeck");
            stage.script(
                key,
                &format!("exec {program} rehearse {story} {key} --speed 0 < \"$HOME/prompts/$note\"\n"),
            );
        }
        if !repositories.is_empty() {
            config.push_str("implementation:\n  repos:\n");
        }
        for (name, repository) in &repositories {
            let (at, verify) = (stage.home().join(name), serde_json::to_string(&repository.verify).unwrap());
            for (file, text) in &repository.files {
                fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
                fs::write(at.join(file), text).unwrap();
            }
            let files: Vec<String> = repository.files.keys().cloned().collect();
            flightdeck::git::fresh::repository(&at, &files, "begin").unwrap();
            config.push_str(&format!("    {name}: {{path: ../../{name}, verify: {verify}}}\n"));
        }
        fs::write(stage.home().join(".config/flightdeck/config.yaml"), config).unwrap();
    };
    let answers = told.pilot.iter().map(|a| (kind(&a.kind), a.text.clone())).collect();
    Story { name: name.into(), prepare: Box::new(prepare), run, resume: words(&[]), answers }
}

fn kind(kind: &flightdeck::domain::question::QuestionKind) -> String {
    serde_json::to_value(kind).unwrap().as_str().unwrap().to_string()
}

/// What the demo stories lack: a rejected reply, a skip, a hand-off, an escalation, a second look and a commit.
pub fn rough() -> Story {
    let prepare = |stage: &Stage| {
        crate::kills::long(stage);
        stage.script(
            "di",
            &format!(
                r#"[ "$at" = peer:1:1 ] && {{ reply critic "The size is a promise to customers, and none of us can give it.
ESCALATE_TO_USER: how much memory may it cost?"; exit; }}
{AGREES}"#
            ),
        );
        let mut git = std::process::Command::new("sh");
        stage.clean(&mut git).args([
            "-c",
            "git init -q -b main . && git config user.email p@example.invalid && git config user.name Pilot && git commit -q --allow-empty -m begin",
        ]);
        assert_eq!(finish(git, "").code, Some(0));
    };
    let answers = [
        ("escalation", "Two gigabytes."),
        ("gate", "A"),
        ("close", "extend: what does it cost at night?"),
        ("gate", "A"),
        ("close", "close"),
        ("commit", "yes"),
        ("reflection", "The night was forgotten."),
    ];
    Story {
        name: "rough".into(),
        prepare: Box::new(prepare),
        run: words(&["run", "--yes", "--peer", "bo,cy,di", "How large is the cache"]),
        resume: words(&[]),
        answers: answers.iter().map(|(k, a)| (k.to_string(), a.to_string())).collect(),
    }
}

fn stories() -> Vec<Story> {
    let mut stories: Vec<Story> = rehearsal::stories().iter().map(|name| rehearsed(name)).collect();
    stories.push(rough());
    if let Some(one) = std::env::var("FLIGHTDECK_WALK").ok().filter(|word| word != "all") {
        stories.retain(|story| Some(story.name.as_str()) == one.split('/').next());
    }
    stories
}

/// The step and the operation of the one play that was asked for.
fn only() -> Option<(usize, usize)> {
    let word = std::env::var("FLIGHTDECK_WALK").ok()?;
    let (step, operation) = word.split_once('/')?.1.split_once('/')?;
    Some((step.parse().ok()?, operation.parse().ok()?))
}

/// A fault: at this step of the play, or at each, this value of the variable.
#[derive(Debug, Clone, Default)]
pub struct Fault {
    pub step: Option<usize>,
    pub plan: String,
    /// What becomes of a file after that.
    pub damage: Option<Damage>,
    /// Runs the step in another way, with the plan.
    pub meddle: Option<Meddle>,
}

impl Fault {
    /// Whoever is refused goes on living, and says it.
    fn is_refusal(&self) -> bool {
        self.meddle.is_some() || self.plan.starts_with('E')
    }
}

pub type Meddle = fn(&Stage, Command, &str) -> Ran;

/// How a play went.
#[derive(Debug, Default)]
pub struct Play {
    /// Processes that were started, without those that only look.
    pub steps: usize,
    /// The processes that had the fault.
    pub struck: Vec<Ran>,
    /// Turn files right after the fault.
    pub kept: BTreeMap<String, String>,
    pub calls: Vec<String>,
    pub tree: BTreeMap<String, String>,
    /// What a resume changed in a session that was shown as closed.
    pub not_closed: Vec<String>,
    /// All that was printed after a file was damaged.
    pub said: String,
    /// The damaged file stood in the way, and was put back.
    pub restored: bool,
}

/// What the pilot does next.
enum Next {
    Begin,
    Answer { question: String, text: String, kind: String, mark: String },
    Resume,
    Done,
}

impl Story {
    pub fn stage(&self) -> Stage {
        let stage = Stage::new();
        (self.prepare)(&stage);
        stage
    }

    /// Plays to the end, with at most one fault.
    pub fn play(&self, stage: &Stage, fault: Option<&Fault>) -> Play {
        let mut play = Play::default();
        let mut given: BTreeMap<String, usize> = BTreeMap::new();
        let mut pending: Option<(String, String)> = None;
        let mut owed = false;
        let mut whole: Option<Whole> = None;
        let mut closed: Option<BTreeMap<String, String>> = None;
        while play.steps < 60 {
            let state = look(stage);
            // An answer that was cut off counts when its question is gone.
            if let Some((kind, mark)) = pending.take()
                && !state.as_ref().is_some_and(|s| marks(s).contains(&mark))
            {
                *given.entry(kind).or_default() += 1;
            }
            let next = match self.next(stage, state.as_ref(), &given, fault) {
                // Who saw a process die, or read that it is paused, resumes, whatever the files say.
                Next::Done if owed => {
                    closed = Some(tree(&stage.sessions()));
                    Next::Resume
                }
                next => next,
            };
            let args = match &next {
                Next::Done => {
                    play.calls = stage.calls();
                    play.tree = tree(&stage.sessions());
                    return play;
                }
                Next::Begin => self.run.clone(),
                Next::Answer { question, text, .. } => words(&["answer", &stage.id(), question, text]),
                Next::Resume => {
                    let mut args = words(&["resume", "--headless", &stage.id()]);
                    args.extend(self.resume.clone());
                    args
                }
            };
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut command = stage.command(&args);
            let here = fault.filter(|f| f.step.is_none_or(|step| step == play.steps));
            let ran = match here {
                Some(Fault { meddle: Some(meddle), plan, .. }) => meddle(stage, command, plan),
                Some(fault) => {
                    command.env(FAULT, &fault.plan);
                    finish(command, "")
                }
                None => finish(command, ""),
            };
            if whole.is_some() {
                let show = stage.run(&["show", &stage.id()]);
                play.said += &format!("{}{}{}{}", show.out, show.err, ran.out, ran.err);
                if !matches!(ran.code, Some(0 | 3)) {
                    // It said why it does not go on; the pilot takes the file from a backup.
                    whole.take().unwrap().restore();
                    play.restored = true;
                    play.steps += 1;
                    continue;
                }
            }
            owed = ran.code != Some(0);
            if let Some(closed) = closed.take() {
                let now = tree(&stage.sessions());
                let is_new = |(name, text): &(&String, &String)| closed.get(*name) != Some(*text);
                play.not_closed.extend(now.iter().filter(is_new).map(|(name, _)| name.clone()));
            }
            if let Next::Answer { kind, mark, .. } = next {
                pending = Some((kind, mark));
            }
            if here.is_some() {
                if stage.dirs().iter().any(|d| d.join("meta.yaml").exists()) {
                    play.kept = turns(stage);
                }
                play.struck.push(ran);
                whole = fault.and_then(|f| f.damage.as_ref()).and_then(|damage| damage.strike(stage));
            } else {
                let ends = matches!(ran.code, Some(0 | 3));
                assert!(ends, "{} {fault:?} {args:?}: {ran:?}", self.name);
            }
            play.steps += 1;
        }
        panic!("{} {fault:?}: the session does not end: {:#?}", self.name, look(stage));
    }

    fn next(
        &self,
        stage: &Stage,
        state: Option<&Value>,
        given: &BTreeMap<String, usize>,
        fault: Option<&Fault>,
    ) -> Next {
        let Some(state) = state else {
            // D1: a folder without a meta.yaml is no session; the pilot begins anew.
            stage.dirs().iter().for_each(|d| fs::remove_dir_all(d).unwrap());
            return Next::Begin;
        };
        if let Some(question) = state["questions"].as_array().unwrap().first() {
            let kind = question["kind"].as_str().unwrap().to_string();
            let nth = given.get(&kind).copied().unwrap_or(0);
            let answers = self.answers.iter().filter(|(k, _)| *k == kind);
            // What `demo` says when its story has no more answers.
            let usual = || match kind.as_str() {
                "gate" => "A",
                "close" => "close",
                // What a spoiled file has forgotten is asked again.
                "content" if fault.is_some_and(|fault| fault.damage.is_some()) => "yes",
                // A step that was refused is a question of its own.
                _ if fault.is_some_and(Fault::is_refusal) => "retry",
                _ => panic!("{} {fault:?}: nothing to say to {question:#}", self.name),
            };
            let text = answers.map(|(_, text)| text.as_str()).nth(nth).unwrap_or_else(usual).to_string();
            let id = question["id"].as_str().unwrap().to_string();
            return Next::Answer { mark: mark(question), question: id, text, kind };
        }
        if state["status"] == "completed" && state["phase"] == "closed" { Next::Done } else { Next::Resume }
    }

    /// The end is that of the quiet play, and nothing was lost or said twice on the way.
    pub fn check(&self, quiet: &Play, fault: &Fault, play: &Play) -> usize {
        let what =
            format!("{} {fault:?} {:?}", self.name, play.struck.iter().map(|r| &r.err).collect::<Vec<_>>());
        assert_eq!(
            play.tree.keys().collect::<Vec<_>>(),
            quiet.tree.keys().collect::<Vec<_>>(),
            "{what}: {:?}",
            play.calls
        );
        for (name, text) in &quiet.tree {
            let (got, want) = (play.tree[name].lines(), text.lines());
            let differs: Vec<_> = got.zip(want).filter(|(got, want)| got != want).collect();
            assert!(play.tree[name] == *text, "{what}: {name}: {differs:?}");
        }
        let end = |name: &str| play.tree.iter().find(|(path, _)| path.ends_with(&format!("/{name}")));
        for (name, text) in &play.kept {
            let (_, last) = end(name).unwrap_or_else(|| panic!("{what}: {name} was accepted and is lost"));
            assert_eq!(&crate::kills::without_times(text), last, "{what}: {name} was torn or changed");
        }
        assert!(play.not_closed.is_empty(), "{what}: it was not closed: {:?}", play.not_closed);
        let mut calls = play.calls.clone();
        calls.dedup();
        assert_eq!(calls, quiet.calls, "{what}: only the call in flight may be repeated");
        let repeated = play.calls.len() - quiet.calls.len();
        assert!(repeated <= 1, "{what}: {:?}", play.calls);
        repeated
    }
}

/// `show --json` of the only session; `None` before there is one.
fn look(stage: &Stage) -> Option<Value> {
    stage.dirs().iter().find(|d| d.join("meta.yaml").exists())?;
    Some(stage.show())
}

/// What is still open right after an answer was not answered.
fn mark(question: &Value) -> String {
    question["id"].to_string()
}

fn marks(state: &Value) -> Vec<String> {
    state["questions"].as_array().unwrap().iter().map(mark).collect()
}

/// The whole walk was asked for, of all stories or of one.
fn all() -> bool {
    std::env::var("FLIGHTDECK_WALK").is_ok()
}

/// The quiet play, and the operations of each of its steps.
pub fn quiet(story: &Story) -> (Play, Vec<usize>) {
    let noted = Fault { plan: "note@1+".into(), ..Fault::default() };
    let mut play = story.play(&story.stage(), Some(&noted));
    let operations = play.struck.iter().map(|ran| ran.err.matches(FAULT).count()).collect();
    play.kept.clear();
    (play, operations)
}

/// Plays the story once for each operation of each step, or for a few of them, with `act` at this operation.
#[expect(clippy::print_stdout, reason = "the counts are what a full walk is run for")]
fn walk(story: &Story, act: &str, on: &str, few: usize, judge: &(dyn Fn(&Ran) + Sync)) {
    let (quiet, operations) = quiet(story);
    let faults: Vec<(usize, usize)> =
        operations.iter().enumerate().flat_map(|(step, &n)| (1..=n).map(move |at| (step, at))).collect();
    let taken: Vec<(usize, usize)> = match all() {
        true => faults.iter().copied().filter(|at| only().is_none_or(|one| one == *at)).collect(),
        // Spread over the session; other ones for each act.
        false => (0..few).map(|n| faults[(n * faults.len() + act.len() * 7) / few % faults.len()]).collect(),
    };
    let (next, struck, repeated) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = Mutex::new(Vec::new());
    let one = |step: usize, operation: usize| {
        let fault = Fault { step: Some(step), plan: format!("{act}@{operation}{on}"), ..Fault::default() };
        let play = story.play(&story.stage(), Some(&fault));
        let ran = &play.struck[0];
        // The last operations of a step may belong to a thread that its end overtakes.
        if ran.err.contains(FAULT) {
            judge(ran);
            struck.fetch_add(1, Ordering::Relaxed);
        }
        repeated.fetch_add(story.check(&quiet, &fault, &play), Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..if all() { 4 } else { 2 } {
            scope.spawn(|| {
                while let Some(&(step, operation)) = taken.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // One that fails does not hide the others.
                    let play = std::panic::AssertUnwindSafe(|| one(step, operation));
                    if std::panic::catch_unwind(play).is_err() {
                        failed.lock().unwrap().push(format!("{}/{step}/{operation}", story.name));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{act}{on} at step/operation: {failed:?}");
    let (struck, repeated) = (struck.into_inner(), repeated.into_inner());
    println!(
        "{:<10} {act}{on}: {} processes with {} operations, {struck} struck, {struck} restarts, {repeated} calls repeated, 0 losses",
        story.name,
        quiet.steps,
        faults.len()
    );
    assert!(struck * 10 >= taken.len() * 9, "hardly anything was struck");
}

fn killed(ran: &Ran) {
    assert_eq!(ran.code, None, "{ran:?}");
}

#[test]
fn pc_706_a_kill_at_any_file_operation_loses_nothing() {
    if !cfg!(debug_assertions) {
        return println!("not measured: a release build has no faults");
    }
    for story in stories() {
        walk(&story, "kill", "", 2, &killed);
    }
}

/// What stopped the session is said, or it was of no weight and the session went on.
fn said(ran: &Ran) {
    let said = ran.err.lines().any(|line| !line.contains(FAULT) && line.contains("os error"));
    let ended = matches!(ran.code, Some(1..=3));
    assert!(ran.code == Some(0) || ended && (said || ran.code == Some(3)), "{ran:?}");
}

#[test]
fn sm_0_a_disk_that_refuses_at_any_file_operation_is_said_and_resume_goes_on() {
    if !cfg!(debug_assertions) {
        return println!("not measured: a release build has no faults");
    }
    let acts = [("ENOSPC", "+"), ("EROFS", "+"), ("EACCES", ""), ("EIO", ""), ("ENOENT", ""), ("ESTALE", "")];
    let word = std::env::var("FLIGHTDECK_WALK").unwrap_or_default();
    let asked = word.split('/').nth(1).filter(|part| part.starts_with('E')).map(String::from);
    for (n, story) in stories().iter().enumerate() {
        for (m, (act, on)) in acts.iter().enumerate() {
            if all() && asked.as_ref().is_none_or(|one| one == act) || !all() && m == n % acts.len() {
                walk(story, act, on, 1, &said);
            }
        }
    }
}

#[test]
fn sm_0_a_slow_disk_changes_nothing() {
    for story in if all() { stories() } else { vec![rehearsed("consensus")] } {
        let (quiet, _) = quiet(&story);
        let fault = Fault { plan: "slow@1+".into(), ..Fault::default() };
        let play = story.play(&story.stage(), Some(&fault));
        assert_eq!(play.steps, quiet.steps);
        assert_eq!(story.check(&quiet, &fault, &play), 0);
    }
}

/// Instants that no operation marks: between two of them, in a call, in the middle of a start.
#[test]
fn pc_706_a_thousand_random_instants_lose_nothing() {
    if !all() {
        return println!("not run: FLIGHTDECK_WALK=all");
    }
    let stories = stories();
    let quiet: Vec<Play> = stories.iter().map(|s| quiet(s).0).collect();
    let (next, repeated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= 1000 {
                        return;
                    }
                    let (story, quiet) = (&stories[n % stories.len()], &quiet[n % stories.len()]);
                    let stage = story.stage();
                    let pause = Duration::from_micros((n as u64).wrapping_mul(0x9e37_79b9) % 700_000);
                    kill_after(&stage, story, pause);
                    let plan = format!("random instant {n}, {pause:?}");
                    let fault = Fault { step: Some(usize::MAX), plan, ..Fault::default() };
                    let kept = if look(&stage).is_some() { turns(&stage) } else { BTreeMap::new() };
                    let play = Play { kept, ..story.play(&stage, Some(&fault)) };
                    repeated.fetch_add(story.check(quiet, &fault, &play), Ordering::Relaxed);
                }
            });
        }
    });
    println!("1000 kills, 1000 restarts, {} calls repeated, 0 losses", repeated.into_inner());
}

fn kill_after(stage: &Stage, story: &Story, pause: Duration) {
    let args: Vec<&str> = story.run.iter().map(String::as_str).collect();
    let mut command = stage.command(&args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut engine = Running { child: command.spawn().unwrap() };
    let end = Instant::now() + pause;
    while Instant::now() < end && engine.child.try_wait().unwrap().is_none() {
        std::thread::park_timeout(Duration::from_micros(500));
    }
    engine.kill();
}
