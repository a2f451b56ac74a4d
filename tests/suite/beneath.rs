//! What an implementation does outside of the session's files: git's commands, and the disk below repositories and work
//! trees.
//!
//! The story goes from the decision through the content gate, review and verification to a pushed commit. Each git
//! command that the engine starts is struck in turn: the engine is killed before or behind it, git dies, git cannot
//! write. And real disks are filled or made read-only, and folders closed, while the engine stands still at a file
//! operation. However it was struck, the decision is carried out once and exactly, nothing accepted is lost, and
//! what stood in the way was said. The default suite takes a few places, `just crash-walk deploy` all of them.

use crate::faults::{begin, end, in_a_world_of_its_own, pid, plain, possible, shell, stands_still};
use crate::stage::{Ran, Stage, finish};
use crate::walk::{Fault, Meddle, Play, Story, rehearsed};
use rustix::process::{Signal, kill_process};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const REPOSITORY: &str = "sender";
const REMOTE: &str = "sender.git";

/// Before the program `git` stands this one. It counts what the engine asks for and does to one of the commands what the
/// plan says.
const GIT: &str = r#"#!/bin/sh
home=${0%/bin/git}
git() { "$REAL" "$@"; }
[ -e "$home/git.plan" ] && [ "$(cat /proc/$PPID/comm)" = flightdeck ] || exec "$REAL" "$@"
n=1
until mkdir "$home/git.asked/$n" 2>/dev/null; do n=$((n + 1)); done
printf '%s\n' "$n $(echo "$*" | tr '\n' ' ')" >> "$home/git.log"
read act at < "$home/git.plan"
case $act:$n in
dead-before:$at) kill -9 $PPID; exit 1 ;;
dead-behind:$at) git "$@"; kill -9 $PPID; exit 1 ;;
git-dies:$at) kill -9 $$ ;;
no-room:$at) trap '' XFSZ; ulimit -f 0; exec "$REAL" "$@" ;;
no-room-on:*) [ "$n" -ge "$at" ] && { trap '' XFSZ; ulimit -f 0; }; exec "$REAL" "$@" ;;
*) exec "$REAL" "$@" ;;
esac
"#;

/// The story `deploy` with a remote, and git behind a program that can be told to fail.
fn story() -> Story {
    let mut told = rehearsed("deploy");
    let repository = std::mem::replace(&mut told.prepare, Box::new(|_| ()));
    told.prepare = Box::new(move |stage: &Stage| {
        repository(stage);
        git(stage, ".", &["init", "-q", "--bare", "-b", "main", REMOTE]);
        git(stage, REPOSITORY, &["remote", "add", "origin", &format!("../{REMOTE}")]);
        git(stage, REPOSITORY, &["push", "-q", "-u", "origin", "main"]);
        let real = ["/usr/local/bin/git", "/usr/bin/git", "/bin/git"];
        let real = real.into_iter().find(|path| fs::exists(path).unwrap()).expect("git in a usual place");
        fs::create_dir(stage.home().join("git.asked")).unwrap();
        let path = stage.home().join("bin/git");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, GIT.replace("$REAL", real)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    });
    told
}

#[track_caller]
fn git(stage: &Stage, at: &str, args: &[&str]) -> String {
    let mut command = Command::new("git");
    stage.clean(&mut command).current_dir(stage.home().join(at)).args(args);
    let ran = finish(command, "");
    assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
    ran.out.trim().to_string()
}

/// What the pilot and others have of it in the end.
fn carried_out(stage: &Stage) -> BTreeMap<&'static str, String> {
    let own = |args: &[&str]| git(stage, REPOSITORY, args);
    let trees = own(&["worktree", "list"]);
    BTreeMap::from([
        ("files", own(&["ls-files", "--stage"])),
        ("not committed", own(&["status", "--short"])),
        ("commits", own(&["log", "--format=%s", "main"])),
        ("trees", trees.lines().count().to_string()),
        ("branches", own(&["branch", "--format=%(refname)"])),
        ("damage", own(&["fsck", "--strict", "--no-dangling", "--no-progress"])),
        ("pushed", (git(stage, REMOTE, &["rev-parse", "main"]) == own(&["rev-parse", "main"])).to_string()),
        ("damage there", git(stage, REMOTE, &["fsck", "--strict", "--no-dangling", "--no-progress"])),
    ])
}

/// The step with one of its git commands struck.
fn git_struck(stage: &Stage, command: Command, plan: &str) -> Ran {
    fs::write(stage.home().join("git.plan"), plan).unwrap();
    let ran = finish(command, "");
    fs::remove_file(stage.home().join("git.plan")).unwrap();
    ran
}

fn asked(stage: &Stage) -> Vec<String> {
    let log = fs::read_to_string(stage.home().join("git.log")).unwrap_or_default();
    log.lines().map(String::from).collect()
}

/// `FLIGHTDECK_WALK=all`, `deploy`, or `deploy/act/step/place` for one play of it.
fn taken(act: &str, places: &[(usize, usize)], few: usize) -> Vec<(usize, usize)> {
    match std::env::var("FLIGHTDECK_WALK") {
        Err(_) => (0..few).map(|n| places[(n * places.len() + act.len() * 5) / few % places.len()]).collect(),
        Ok(word) if word == "all" || word == "deploy" => places.to_vec(),
        Ok(word) => {
            let name = |(step, at): &(usize, usize)| format!("deploy/{act}/{step}/{at}");
            places.iter().filter(|place| name(place) == word).copied().collect()
        }
    }
}

/// One play with the fault; how often a call was made again.
fn one(story: &Story, quiet: &(Play, BTreeMap<&'static str, String>), fault: &Fault, stage: &Stage) -> usize {
    let play = story.play(stage, Some(fault));
    let said: Vec<_> = play.struck.iter().map(|ran| &ran.err).collect();
    let what = format!("{fault:?}: {said:#?}, {:#?}", asked(stage));
    let ran = &play.struck[0];
    // A tree that could not be removed keeps nothing back; it is said, and removed when the pilot asks for it.
    if ran.out.contains(" stays: ") {
        let cleaned = stage.run(&["worktrees", "--clean"]);
        assert_eq!(cleaned.code, Some(0), "{cleaned:?}; {what}");
    }
    assert_eq!(carried_out(stage), quiet.1, "{what}");
    if ran.code.is_none() {
        return story.check(&quiet.0, fault, &play);
    }
    // A refusal leaves its own files beside those of the quiet play, and the pages that tell of the session tell of it.
    let end = |name: &str| play.tree.iter().find(|(path, _)| path.ends_with(&format!("/{name}")));
    for (name, text) in &play.kept {
        let (_, last) = end(name).unwrap_or_else(|| panic!("{name} was accepted and is lost; {what}"));
        assert_eq!(&crate::kills::without_times(text), last, "{name} was changed; {what}");
    }
    let told = |name: &str| {
        ["meta.yaml", "report.md", "_outcome.md", "00-index.md"].iter().any(|n| name.ends_with(n))
    };
    for (name, text) in &quiet.0.tree {
        let found = play.tree.get(name).unwrap_or_else(|| panic!("no {name}; {what}"));
        let same = found == text || told(name) || name.contains("/verify-");
        assert!(same, "{name}; {found}; {what}");
    }
    for name in play.tree.keys().filter(|name| !quiet.0.tree.contains_key(*name)) {
        let own = name.contains("/escalation-") || name.contains("/verify-") || name.ends_with(".err");
        assert!(own, "{name} is left; {what}");
    }
    let once = |calls: &[String]| {
        let mut calls: Vec<String> =
            calls.iter().map(|call| call.rsplit_once(' ').unwrap().0.into()).collect();
        calls.dedup();
        calls
    };
    // What an agent did counts when git has taken it; until then its call is in flight, and is tried again.
    assert_eq!(once(&play.calls), once(&quiet.0.calls), "only the call in flight may be repeated; {what}");
    play.calls.len() - quiet.0.calls.len()
}

#[expect(clippy::print_stdout, reason = "the counts are what a full walk is run for")]
fn walk(
    story: &Story,
    quiet: &(Play, BTreeMap<&'static str, String>),
    (act, meddle): (&str, Meddle),
    places: &[(usize, usize)],
    few: usize,
    set: &(dyn Fn() -> Stage + Sync),
    judge: &(dyn Fn(&Stage) + Sync),
) {
    let taken = taken(act, places, few);
    let (next, repeated, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..if taken.len() > few { 4 } else { 2 } {
            scope.spawn(|| {
                while let Some(&(step, at)) = taken.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let play = std::panic::AssertUnwindSafe(|| {
                        let fault = Fault {
                            step: Some(step),
                            plan: format!("{act} {at}"),
                            meddle: Some(meddle),
                            ..Fault::default()
                        };
                        let stage = set();
                        repeated.fetch_add(one(story, quiet, &fault, &stage), Ordering::Relaxed);
                        judge(&stage);
                    });
                    if std::panic::catch_unwind(play).is_err() {
                        failed.lock().unwrap().push(format!("deploy/{act}/{step}/{at}"));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:#?}");
    println!("{act:<12} at {:>3} places: {} calls repeated, 0 losses", taken.len(), repeated.into_inner());
}

/// The quiet play, what came of it, and how many places each step has by this count.
fn quiet(story: &Story, stage: Stage, meddle: Meddle) -> ((Play, BTreeMap<&'static str, String>), Vec<Ran>) {
    let noted = Fault { plan: "note 0".into(), meddle: Some(meddle), ..Fault::default() };
    let mut play = story.play(&stage, Some(&noted));
    let steps = std::mem::take(&mut play.struck);
    play.kept.clear();
    let out = carried_out(&stage);
    assert_eq!((out["commits"].lines().count(), out["pushed"].as_str()), (2, "true"), "{out:#?}");
    ((play, out), steps)
}

fn places(steps: &[usize]) -> Vec<(usize, usize)> {
    steps.iter().enumerate().flat_map(|(step, &n)| (1..=n).map(move |at| (step, at))).collect()
}

/// How many commands the step has.
fn git_noted(stage: &Stage, command: Command, plan: &str) -> Ran {
    let before = asked(stage).len();
    let mut ran = git_struck(stage, command, plan);
    ran.err = (asked(stage).len() - before).to_string();
    ran
}

/// One of them is struck. The last ones of a step may belong to a thread that its end overtakes.
fn git_at(stage: &Stage, command: Command, plan: &str) -> Ran {
    let ran = git_struck(stage, command, plan);
    let (act, at) = plan.split_once(' ').unwrap();
    let reached = asked(stage).len() >= at.parse().unwrap();
    let dead = act.starts_with("dead") && reached;
    let ended = if dead { ran.code.is_none() } else { matches!(ran.code, Some(0..=3)) };
    assert!(ended, "{plan}: {ran:?}, {:#?}", asked(stage));
    ran
}

#[test]
fn pc_706_whatever_happens_to_a_git_command_the_decision_is_carried_out_once() {
    if !fs::exists("/proc/self/comm").unwrap() {
        return println!("not run: no /proc");
    }
    let story = story();
    let (quiet, steps) = quiet(&story, story.stage(), git_noted);
    let counts = counts(&steps);
    assert!(counts.iter().sum::<usize>() > 20, "{counts:?}");
    for (act, few) in
        [("dead-before", 2), ("dead-behind", 2), ("git-dies", 2), ("no-room", 2), ("no-room-on", 1)]
    {
        walk(&story, &quiet, (act, git_at), &places(&counts), few, &|| story.stage(), &|_| ());
    }
}

/// Where the session, its runtime folder with the work trees, and the repository stand.
fn disks(stage: &Stage) -> [PathBuf; 3] {
    [stage.sessions(), stage.home().join(".local"), stage.home().join(REPOSITORY)]
}

/// A stage with a small disk of its own below each of them.
fn mounted(story: &Story) -> Stage {
    let stage = Stage::new();
    for disk in disks(&stage) {
        fs::create_dir_all(&disk).unwrap();
        shell("mount -t tmpfs -o size=4m none \"$1\"", &[&disk]);
    }
    (story.prepare)(&stage);
    stage
}

fn unmount(stage: &Stage) {
    disks(stage).iter().for_each(|disk| shell("umount \"$1\"", &[disk]));
}

/// What the disks are filled with; in the repository it must be no file of the pilot's.
fn fillers(stage: &Stage) -> [PathBuf; 3] {
    let [sessions, state, repository] = disks(stage);
    [sessions.join("filler"), state.join("filler"), repository.join(".git/filler")]
}

fn fill(stage: &Stage) {
    for path in fillers(stage) {
        let mut filler = fs::File::create(path).unwrap();
        for size in [64 * 1024, 1] {
            let block = vec![b'x'; size];
            while filler.write_all(&block).is_ok() {}
        }
    }
}

fn free(stage: &Stage) {
    fillers(stage).iter().for_each(|path| fs::remove_file(path).unwrap());
}

fn read_only(stage: &Stage) {
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\"";
    disks(stage).iter().for_each(|disk| shell(script, &[disk]));
}

fn chmod(stage: &Stage, mode: &str) {
    let script = format!("find \"$1\" -type d -exec chmod {mode} {{}} +");
    disks(stage).iter().filter(|disk| disk.exists()).for_each(|disk| shell(&script, &[disk]));
}

/// Lets the step stand still at the operation that the plan names, turns the world against it, and heals the world when
/// it has ended.
fn struck(stage: &Stage, command: Command, plan: &str, strike: fn(&Stage), heal: fn(&Stage)) -> Ran {
    let (_, at) = plan.split_once(' ').unwrap();
    let args: Vec<&str> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
    let mut command = plain(stage, &args);
    command.env("FLIGHTDECK_FAULT", format!("stop@{at}"));
    let child = begin(command, stage);
    if !stands_still(&child) {
        // The last operations may belong to a thread that the end of the program overtakes.
        return end(child, stage);
    }
    strike(stage);
    kill_process(pid(&child), Signal::CONT).unwrap();
    let ran = end(child, stage);
    heal(stage);
    let told = ran.err.contains("next: ") || ran.out.contains("could not be written");
    assert!(ran.code == Some(0) || matches!(ran.code, Some(1..=3)) && told, "{plan}: {ran:?}");
    ran
}

fn noted(stage: &Stage, command: Command, _: &str) -> Ran {
    let args: Vec<&str> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
    let mut command = plain(stage, &args);
    command.env("FLIGHTDECK_FAULT", "note@1+");
    let mut ran = finish(command, "");
    ran.err = ran.err.matches(": noted operation ").count().to_string();
    ran
}

fn counts(steps: &[Ran]) -> Vec<usize> {
    steps.iter().map(|ran| ran.err.parse().unwrap()).collect()
}

#[test]
fn sm_0_a_disk_that_is_full_or_read_only_below_an_implementation_is_said() {
    if !possible()
        || !in_a_world_of_its_own(
            "beneath::sm_0_a_disk_that_is_full_or_read_only_below_an_implementation_is_said",
        )
    {
        return;
    }
    let story = story();
    let (quiet, steps) = quiet(&story, mounted(&story), noted);
    let places = places(&counts(&steps));
    let full: Meddle = |stage, command, plan| struck(stage, command, plan, fill, free);
    let ro: Meddle = |stage, command, plan| struck(stage, command, plan, read_only, unmount);
    for act in [("full", full), ("read-only", ro)] {
        walk(&story, &quiet, act, &places, 3, &|| mounted(&story), &unmount);
    }
}

#[test]
fn sm_0_folders_that_may_not_be_written_below_an_implementation_are_said() {
    if !possible() {
        return;
    }
    let story = story();
    let (quiet, steps) = quiet(&story, story.stage(), noted);
    let places = places(&counts(&steps));
    let closed: Meddle = |stage, command, plan| {
        struck(stage, command, plan, |stage| chmod(stage, "a-w"), |stage| chmod(stage, "u+w"))
    };
    walk(&story, &quiet, ("closed", closed), &places, 3, &|| story.stage(), &|_| ());
}
