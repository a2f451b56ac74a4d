//! The world turns against a running engine: its disk, its folders, its clock, its locks.
//!
//! A debug build stands still before the file operation that `FLIGHTDECK_FAULT` names. The test then changes the world
//! around it, lets it go on, heals the world and resumes. Whatever happened and wherever: the pilot was told, no file is
//! torn, nothing that was accepted is lost, and the session ends as a quiet one does. The default suite takes a few
//! operations for each fault, `just fault-walk` every one and prints what came of it.
//!
//! Full and read-only disks are real ones. They are mounted in a namespace of the test's own, which needs no rights where
//! the system gives such namespaces; elsewhere the tests say that they did not run.

use crate::dash::Desk;
use crate::kills::{long, tree, turns};
use crate::stage::{AGREES, Ran, Stage, until};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const FAULT: &str = "FLIGHTDECK_FAULT";

/// Set in the process that has mounts of its own.
const WORLD: &str = "FLIGHTDECK_WORLD";

const ARGS: [&str; 9] =
    ["run", "--close", "auto", "--decision", "A", "--yes", "--peer", "bo,cy", "How large is the cache"];

/// What happens while the engine stands still, and how it is made good afterwards.
struct Fault {
    name: &'static str,
    strike: fn(&Stage),
    heal: fn(&Stage),
}

/// Runs the body in a namespace with mounts and limits of its own: once more the same test, in a process there.
#[expect(clippy::print_stdout, reason = "a test that does not run says so")]
pub fn in_a_world_of_its_own(test: &str) -> bool {
    if std::env::var_os(WORLD).is_some() {
        return true;
    }
    let may = Command::new("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !may.is_ok_and(|done| done.status.success()) {
        println!("not run: this system gives no namespace with mounts of its own");
        return false;
    }
    let mut again = Command::new("unshare");
    again.arg("-Urm").arg(std::env::current_exe().unwrap()).args([test, "--exact", "--nocapture"]);
    let done = again.env(WORLD, "1").output().unwrap();
    print!("{}", String::from_utf8_lossy(&done.stdout));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    false
}

#[track_caller]
pub fn shell(script: &str, args: &[&Path]) {
    let done = Command::new("sh").args(["-ec", script, "sh"]).args(args).output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

fn state(stage: &Stage) -> PathBuf {
    stage.home().join(".local")
}

/// Both folders that the engine writes to.
fn both(stage: &Stage) -> [PathBuf; 2] {
    [stage.sessions(), state(stage)]
}

pub fn fill(stage: &Stage) {
    for place in both(stage) {
        let mut filler = fs::File::create(place.join("filler")).unwrap();
        for size in [64 * 1024, 1] {
            let block = vec![b'x'; size];
            while filler.write_all(&block).is_ok() {}
        }
    }
}

pub fn free(stage: &Stage) {
    both(stage).iter().for_each(|place| fs::remove_file(place.join("filler")).unwrap());
}

pub fn read_only(stage: &Stage) {
    for place in both(stage) {
        shell("mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\"", &[&place]);
    }
}

pub fn read_write(stage: &Stage) {
    both(stage).iter().for_each(|place| shell("umount \"$1\"", &[place]));
}

/// A page is left on each: what is written next fits, half fits, or does not.
fn fill_but_a_page(stage: &Stage) {
    fill(stage);
    for place in both(stage) {
        let filler = fs::File::options().write(true).open(place.join("filler")).unwrap();
        filler.set_len(filler.metadata().unwrap().len() - 4096).unwrap();
    }
}

const MOUNTED: [Fault; 3] = [
    Fault { name: "the disk has a page left", strike: fill_but_a_page, heal: free },
    Fault { name: "the disk is full", strike: fill, heal: free },
    Fault { name: "the disk is read-only", strike: read_only, heal: read_write },
];

/// Folders in which files come and go.
fn folders(stage: &Stage) -> Vec<PathBuf> {
    let runtime = |dir: &PathBuf| runtime_of(stage, &dir.file_name().unwrap().to_string_lossy());
    let dirs = stage.dirs();
    let mut all: Vec<PathBuf> = dirs.iter().filter_map(runtime).collect();
    all.extend(dirs);
    all.push(stage.sessions());
    all.retain(|folder| folder.is_dir());
    all
}

fn forbid(stage: &Stage) {
    for folder in folders(stage) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o500)).unwrap();
    }
}

fn permit(stage: &Stage) {
    for folder in folders(stage) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Files that stand in these folders, without the locks: their rights are their holders'.
fn files(stage: &Stage) -> Vec<PathBuf> {
    let inside = folders(stage).into_iter().flat_map(|folder| fs::read_dir(folder).unwrap().flatten());
    let is_lock = |path: &PathBuf| path.extension().is_some_and(|e| e == "lock");
    inside.map(|entry| entry.path()).filter(|path| path.is_file() && !is_lock(path)).collect()
}

fn hide_texts(stage: &Stage) {
    for file in files(stage) {
        fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
    }
}

fn show_texts(stage: &Stage) {
    for file in files(stage) {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    }
}

fn elsewhere(stage: &Stage) -> PathBuf {
    stage.home().join("elsewhere")
}

fn move_all(stage: &Stage) {
    fs::rename(stage.sessions(), elsewhere(stage)).unwrap();
}

fn move_all_back(stage: &Stage) {
    assert!(!stage.sessions().exists(), "half of a new tree is in the way: {:?}", tree(&stage.sessions()));
    fs::rename(elsewhere(stage), stage.sessions()).unwrap();
}

fn session(stage: &Stage) -> PathBuf {
    let noted = fs::read_to_string(stage.home().join("moved")).unwrap();
    noted.into()
}

fn move_session(stage: &Stage) {
    let dir = stage.dir();
    fs::write(stage.home().join("moved"), dir.to_str().unwrap()).unwrap();
    fs::rename(&dir, dir.with_file_name(format!("{}-by-hand", stage.id()))).unwrap();
}

fn move_session_back(stage: &Stage) {
    let dir = session(stage);
    assert!(!dir.exists(), "half of a new session is in the way");
    let renamed = format!("{}-by-hand", dir.file_name().unwrap().to_string_lossy());
    fs::rename(dir.with_file_name(renamed), &dir).unwrap();
}

/// Deleted; there is a copy of it elsewhere.
fn delete_session(stage: &Stage) {
    let dir = stage.dir();
    fs::write(stage.home().join("moved"), dir.to_str().unwrap()).unwrap();
    fs::rename(&dir, elsewhere(stage)).unwrap();
}

fn restore_session(stage: &Stage) {
    let dir = session(stage);
    assert!(!dir.exists(), "half of a new session is in the way");
    fs::rename(elsewhere(stage), &dir).unwrap();
}

/// What is beside the sessions may be lost.
fn delete_runtime(stage: &Stage) {
    let runtime = runtime_of(stage, &stage.id()).unwrap();
    fs::remove_dir_all(runtime).unwrap();
}

/// Another engine wants the same session.
fn second_engine(stage: &Stage) {
    let id = stage.id();
    if !stage.has("meta.yaml") {
        return;
    }
    let before = tree(&stage.sessions());
    for args in [&["resume", "--headless", &id][..], &["finalize", &id], &["resume", "--yes", &id]] {
        let ran = stage.run(args);
        let told = ran.err.contains("engine process") && ran.err.contains("next: ");
        assert!(ran.code == Some(5) && told, "{args:?}: {ran:?}");
    }
    assert_eq!(tree(&stage.sessions()), before, "the second one changes nothing");
}

/// A folder listing that lags behind, as on a network disk: the newest turn is not there yet.
fn hide_newest(stage: &Stage) {
    let newest = turns(stage).into_keys().next_back();
    if let Some(name) = newest {
        let path = stage.dir().join(&name);
        fs::write(stage.home().join("moved"), path.to_str().unwrap()).unwrap();
        fs::rename(path, elsewhere(stage)).unwrap();
    }
}

fn show_newest(stage: &Stage) {
    if elsewhere(stage).exists() {
        fs::rename(elsewhere(stage), session(stage)).unwrap();
    }
}

fn nothing(_: &Stage) {}

const LATE: &str = "a turn is seen late";

const FAULTS: [Fault; 8] = [
    Fault { name: "the files may not be read", strike: hide_texts, heal: show_texts },
    Fault { name: "the folders may not be written", strike: forbid, heal: permit },
    Fault { name: "the sessions are moved away", strike: move_all, heal: move_all_back },
    Fault { name: "the session is renamed", strike: move_session, heal: move_session_back },
    Fault { name: "the session is deleted", strike: delete_session, heal: restore_session },
    Fault { name: "the runtime folder is deleted", strike: delete_runtime, heal: nothing },
    Fault { name: "a second engine comes", strike: second_engine, heal: nothing },
    Fault { name: LATE, strike: hide_newest, heal: show_newest },
];

pub fn runtime_of(stage: &Stage, id: &str) -> Option<PathBuf> {
    let mut folders = vec![state(stage)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
            if path.file_name().is_some_and(|name| name.to_string_lossy() == id) {
                return Some(path);
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    None
}

/// The program without the rights by which root passes over permissions.
pub fn plain(stage: &Stage, args: &[&str]) -> Command {
    let program = stage.command(args);
    if !rustix::process::getuid().is_root() {
        return program;
    }
    let mut command = Command::new("setpriv");
    stage.clean(&mut command);
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--"]);
    command.arg(program.get_program()).args(program.get_args());
    command
}

/// What a process printed goes to files: nobody reads it while it stands still.
pub fn begin(mut command: Command, stage: &Stage) -> Child {
    let file = |name: &str| fs::File::create(stage.home().join(name)).unwrap();
    command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err")).spawn().unwrap()
}

pub fn end(mut child: Child, stage: &Stage) -> Ran {
    let code = child.wait().unwrap().code();
    let text = |name: &str| fs::read_to_string(stage.home().join(name)).unwrap();
    Ran { code, out: text("out"), err: text("err") }
}

pub fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed()).unwrap()
}

/// True when it stands still, false when it has ended.
pub fn stands_still(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid(child)), options).unwrap().unwrap().stopped()
}

/// Operations of the quiet session with what each is, and its end.
struct Quiet {
    operations: Vec<String>,
    tree: BTreeMap<String, String>,
    calls: Vec<String>,
}

fn quiet() -> Quiet {
    let stage = Stage::new();
    long(&stage);
    let mut command = plain(&stage, &ARGS);
    command.env(FAULT, "note@1+");
    let ran = end(begin(command, &stage), &stage);
    stage.assert_closed(&ran);
    let noted = ran.err.lines().filter_map(|line| line.split_once(": noted operation "));
    let operations = noted.map(|(_, what)| what.to_string()).collect();
    Quiet { operations, tree: tree(&stage.sessions()), calls: stage.calls() }
}

fn has_session(stage: &Stage) -> bool {
    stage.dirs().iter().any(|dir| dir.join("meta.yaml").exists())
}

/// One play of a session with the fault at this operation; what came of it.
fn play(quiet: &Quiet, fault: &Fault, operation: usize, mounts: bool) -> Option<&'static str> {
    let stage = Stage::new();
    long(&stage);
    if mounts {
        for place in both(&stage) {
            fs::create_dir_all(&place).unwrap();
            shell("mount -t tmpfs -o size=1m none \"$1\"", &[&place]);
        }
    }
    let mut command = plain(&stage, &ARGS);
    command.env(FAULT, format!("stop@{operation}"));
    let child = begin(command, &stage);
    if !stands_still(&child) {
        // The last operations may belong to a thread that the end of the program overtakes.
        stage.assert_closed(&end(child, &stage));
        return None;
    }
    let before = if has_session(&stage) { turns(&stage) } else { BTreeMap::new() };
    let possible = !before.is_empty() || mounts;
    if possible {
        (fault.strike)(&stage);
    }
    kill_process(pid(&child), Signal::CONT).unwrap();
    let ran = end(child, &stage);
    if possible {
        (fault.heal)(&stage);
    }
    let what = format!("{} at {}: {ran:?}", fault.name, quiet.operations[operation - 1]);
    let came = match ran.code {
        Some(0) => "it went on",
        Some(1..=3) => {
            let said = ran.err.lines().filter(|line| !line.contains(FAULT));
            assert!(
                said.filter(|line| line.contains("os error")).count() > 0 && ran.err.contains("next: "),
                "{what}"
            );
            "it stopped and said so"
        }
        _ => panic!("{what}"),
    };
    if has_session(&stage) {
        let now = turns(&stage);
        for (name, text) in &before {
            assert_eq!(now.get(name), Some(text), "{name} was accepted; {what}");
        }
        // PC-643: the closing file is the one that nobody waits for; who reads that it is missing resumes.
        if ran.code != Some(0) || ran.out.contains("the closing file could not be written") {
            stage.assert_closed(&stage.resume(&[]));
        }
    } else {
        // D1: a folder without a meta.yaml is no session; the pilot begins anew.
        stage.dirs().iter().for_each(|d| fs::remove_dir_all(d).unwrap());
        stage.assert_closed(&stage.run(&ARGS));
    }
    let found = tree(&stage.sessions());
    assert_eq!(found.keys().collect::<Vec<_>>(), quiet.tree.keys().collect::<Vec<_>>(), "{what}");
    for (name, text) in &quiet.tree {
        assert_eq!(found.get(name), Some(text), "{name}; {what}");
    }
    let mut calls = stage.calls();
    if fault.name == LATE {
        // A report that links a file which is not there is asked for once more, and the missing file is said.
        calls.retain(|call| call != "ada synthesis 3 2");
    }
    let repeated = calls.len() - quiet.calls.len().min(calls.len());
    calls.dedup();
    assert!(calls == quiet.calls && repeated <= 1, "only the call in flight is repeated: {calls:?}; {what}");
    Some(came)
}

fn all() -> bool {
    std::env::var_os("FLIGHTDECK_FAULTS").is_some()
}

/// `FLIGHTDECK_FAULTS=all`, the name of a fault, or `name/operation` for one play of it.
fn asked(fault: &Fault, operation: usize) -> bool {
    let word = std::env::var("FLIGHTDECK_FAULTS").unwrap_or_default();
    let (name, at) = word.split_once('/').unwrap_or((&word, ""));
    (name == "all" || name == fault.name) && (at.is_empty() || at == operation.to_string())
}

#[expect(clippy::print_stdout, reason = "the table is what a full run is for")]
fn every(faults: &[Fault], mounts: bool) {
    let quiet = quiet();
    let count = quiet.operations.len();
    assert!(count > 100, "{count}");
    let mut wrong = Vec::new();
    for (nth, fault) in faults.iter().enumerate() {
        let taken: Vec<usize> = match all() {
            true => (1..=count).filter(|at| asked(fault, *at)).collect(),
            // The beginning of a session, its middle and its end; other operations for each fault.
            false => [1, 4, 7].iter().map(|part| part * count / 8 + nth * 3 % 10).collect(),
        };
        let next = AtomicUsize::new(0);
        let (came, failed) = (Mutex::new(BTreeMap::<&str, usize>::new()), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..if all() { 4 } else { 2 } {
                scope.spawn(|| {
                    while let Some(&operation) = taken.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let one = std::panic::AssertUnwindSafe(|| play(&quiet, fault, operation, mounts));
                        match std::panic::catch_unwind(one) {
                            Ok(what) => {
                                *came.lock().unwrap().entry(what.unwrap_or("it was over")).or_default() += 1
                            }
                            Err(_) => failed.lock().unwrap().push(operation),
                        }
                    }
                });
            }
        });
        println!("{:<32} at {:>3} operations: {:?}", fault.name, taken.len(), came.into_inner().unwrap());
        let failed = failed.into_inner().unwrap();
        if !failed.is_empty() {
            wrong.push(format!("{} at operations {failed:?}", fault.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A release build has no faults; without `setpriv` root could not be refused anything.
#[expect(clippy::print_stdout, reason = "a test that does not run says so")]
pub fn possible() -> bool {
    let root = rustix::process::getuid().is_root();
    let plain = !root || Command::new("setpriv").arg("--version").output().is_ok();
    let possible = cfg!(debug_assertions) && plain;
    if !possible {
        println!("not run: it needs a debug build, and for root `setpriv`");
    }
    possible
}

#[test]
fn sm_0_whatever_happens_to_the_folders_is_said_and_resume_goes_on() {
    if possible() {
        every(&FAULTS, false);
    }
}

#[test]
fn sm_0_a_disk_that_is_full_or_read_only_is_said_and_resume_goes_on() {
    if possible()
        && in_a_world_of_its_own("faults::sm_0_a_disk_that_is_full_or_read_only_is_said_and_resume_goes_on")
    {
        every(&MOUNTED, true);
    }
}

/// A session that begins on another day has other names.
fn without_days(tree: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let day = regex::Regex::new(r"\b\d{4}-\d\d([-/]\d\d)?\b").unwrap();
    let plain = |text: &str| day.replace_all(text, "a day").into_owned();
    tree.iter().map(|(name, text)| (plain(name), plain(text))).collect()
}

/// Deadlines and timers know no wall clock, and whatever the files say about time can be read again.
#[test]
fn pc_237_a_clock_that_jumps_loses_nothing() {
    if !possible() {
        return;
    }
    let quiet = quiet();
    let count = quiet.operations.len();
    // The last one comes back, as a clock does that was set by hand and is set by the network again.
    let jumps =
        [("clock-90000", ""), ("clock+400000000", ""), ("clock-3000000000", ""), ("clock+90000", "-")];
    let step = if all() { 7 } else { count / 3 };
    let expected = without_days(quiet.tree);
    let negative = regex::Regex::new(r#":\s*-\d|-\d+ ?(s|m|h|d|min|мин)\b"#).unwrap();
    for (nth, (jump, back)) in jumps.iter().enumerate() {
        for operation in (1 + 11 * nth..=count).step_by(step) {
            let stage = Stage::new();
            long(&stage);
            let mut command = stage.command(&ARGS);
            let until = if back.is_empty() { String::new() } else { format!("-{}", operation + 20) };
            command.env(FAULT, format!("{jump}@{operation}{until}"));
            let ran = end(begin(command, &stage), &stage);
            stage.assert_closed(&ran);
            assert_eq!(without_days(tree(&stage.sessions())), expected, "{jump} at {operation}");
            assert_eq!(stage.calls(), quiet.calls, "{jump} at {operation}");
            let id = stage.id();
            for args in [&["show", &id][..], &["show", "--json", &id], &["list"], &["verify", &id]] {
                let ran = stage.run(args);
                assert_eq!(ran.code, Some(0), "{jump} at {operation}: {ran:?}");
                assert!(!negative.is_match(&ran.out), "{jump} at {operation}: {}", ran.out);
            }
        }
    }
}

/// Without locks nobody could tell two engines apart, so there is none, and the reason is said.
#[test]
fn pc_702_a_file_system_without_locks_is_said() {
    if !possible() {
        return;
    }
    let stage = Stage::new();
    let mut command = stage.command(&ARGS);
    command.env(FAULT, "nolock@1");
    let ran = end(begin(command, &stage), &stage);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("cannot lock") && ran.err.contains("XDG_STATE_HOME"), "{ran:?}");
    assert!(stage.calls().is_empty() && !has_session(&stage), "{ran:?}");
}

/// Somebody cleared the runtime folder, and a second engine took the session to its end meanwhile.
#[test]
fn pc_702_an_engine_whose_session_was_taken_over_writes_nothing_more() {
    let stage = Stage::new();
    let waits = r#"[ "$at" = peer:1:1 ] && [ ! -e "$HOME/go" ] && { : > "$HOME/here"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; }
"#;
    stage.script("bo", &format!("{waits}{AGREES}"));
    let first =
        begin(stage.command(&ARGS[..7].iter().chain(&["bo", ARGS[8]]).copied().collect::<Vec<_>>()), &stage);
    until("the call runs", || stage.home().join("here").exists());
    delete_runtime(&stage);
    stage.script("bo", AGREES);
    stage.assert_closed(&stage.resume(&[]));
    let before = tree(&stage.sessions());
    fs::write(stage.home().join("go"), "").unwrap();
    let ran = end(first, &stage);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("another process has taken the session over"), "{ran:?}");
    assert_eq!(tree(&stage.sessions()), before);
    stage.assert_closed(&stage.resume(&[]));
}

/// On the screen too: why a session stands still is said where the pilot looks, and one key lets it go on.
#[test]
fn sm_0_the_screen_says_why_a_session_stands_still() {
    for size in [(80, 24), (140, 40)] {
        let desk = Desk::new();
        let waits = r#"while [ ! -e "$HOME/go" ]; do sleep 0.05; done
"#;
        desk.stage.script("bo", &format!("{waits}{AGREES}"));
        let mut s = desk.session("bo", size);
        s.shows("turn 1 of");
        move_all(&desk.stage);
        fs::write(desk.stage.home().join("go"), "").unwrap();
        s.shows("put the folder back");
        s.shows("standing");
        move_all_back(&desk.stage);
        s.keys("p");
        s.shows("! 1 waiting");
        s.until("the trouble is over", |s| !s.text().contains("put the folder back"));
        s.keys("\x03");
        assert_eq!(s.code(), 0);
        s.clean();
    }
}

/// A turn that another machine wrote is seen only after its call was made again. Both texts are kept.
#[test]
fn pc_231_a_turn_that_appears_late_is_kept_beside_the_new_one() {
    if !possible() {
        return;
    }
    let stage = Stage::new();
    long(&stage);
    let mut command = stage.command(&ARGS);
    let quiet = quiet();
    let named = |what: &str| quiet.operations.iter().position(|o| o.contains(what)).unwrap() + 1;
    command.env(FAULT, format!("kill@{}", named("name ") + 40));
    assert_eq!(end(begin(command, &stage), &stage).code, None);
    let (name, text) = turns(&stage).into_iter().next_back().unwrap();
    fs::rename(stage.dir().join(&name), elsewhere(&stage)).unwrap();
    let late = format!("{text}\nThis is what the other machine wrote.\n");
    let id = stage.id();
    let mut operation = 0;
    // The resumed engine asks for the turn again and stands still just before it names the file.
    let child = loop {
        operation += 1;
        let mut command = stage.command(&["resume", "--headless", "--close", "auto", "--decision", "A", &id]);
        command.env(FAULT, format!("stop@{operation}"));
        let mut child = begin(command, &stage);
        assert!(stands_still(&child), "it never names {name}");
        let said = fs::read_to_string(stage.home().join("err")).unwrap();
        if said.lines().any(|l| l.contains(", name ") && l.ends_with(&name)) {
            break child;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    fs::write(stage.dir().join(&name), &late).unwrap();
    kill_process(pid(&child), Signal::CONT).unwrap();
    let ran = end(child, &stage);
    stage.assert_closed(&ran);
    assert_ne!(stage.file(&name), late);
    let runtime = runtime_of(&stage, &id).unwrap();
    let stray = fs::read_dir(runtime).unwrap().flatten().map(|e| e.path());
    let stray: Vec<PathBuf> = stray.filter(|p| p.to_string_lossy().contains("stray-")).collect();
    assert_eq!(stray.len(), 1, "{stray:?}");
    assert_eq!(fs::read_to_string(&stray[0]).unwrap(), late);
}

/// A system whose watches are used up: answers are found by looking, and `doctor` says so.
#[test]
fn pc_444_without_watches_answers_are_found_all_the_same() {
    if !in_a_world_of_its_own("faults::pc_444_without_watches_answers_are_found_all_the_same") {
        return;
    }
    for limit in ["max_inotify_instances", "max_inotify_watches"] {
        let path = Path::new("/proc/sys/user").join(limit);
        let usual = fs::read_to_string(&path).unwrap();
        fs::write(&path, "0").unwrap();
        let stage = Stage::new();
        let doctor = stage.run(&["doctor"]);
        assert!(doctor.out.contains("every 2 s"), "{limit}: {}", doctor.out);
        let mut command =
            stage.command(&["new", "--plain", "--close", "auto", "--yes", "How large is the cache"]);
        // Somebody sits in front of it and types nothing.
        let file = |name: &str| fs::File::create(stage.home().join(name)).unwrap();
        command.stdin(Stdio::piped()).stdout(file("out")).stderr(file("err"));
        let mut child = command.spawn().unwrap();
        until("the gate is asked", || has_session(&stage) && stage.questions() == ["gate"]);
        let ran = stage.run(&["answer", &stage.id(), "gate", "A"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        until("it ends", || child.try_wait().unwrap().is_some());
        let ran = end(child, &stage);
        assert!(ran.out.contains("looked for every 2 s"), "{limit}: {ran:?}");
        stage.assert_closed(&ran);
        fs::write(&path, usual).unwrap();
        assert!(!stage.run(&["doctor"]).out.contains("every 2 s"));
    }
}
