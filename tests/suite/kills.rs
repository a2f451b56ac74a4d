//! SIGKILL at any moment, and what stands in the way of writing: nothing accepted is lost, nothing is said twice.

use crate::dash::Desk;
use crate::stage::{AGREES, Ran, Running, Stage, finish, until};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Kills per session; each resume gets a little further.
const KILLS: u64 = 30;

/// A session that has everything: discovery, three rounds, a rejected reply, a skip, two calls of stderr, a hand-off.
pub fn long(stage: &Stage) {
    stage.script(
        "bo",
        &format!(
            r#"sleep 0.02
case "$at" in
peer:1:1) echo "not a reply"; exit ;;
peer:1:*|peer:2:*) reply critic "Bo objects in round $FLIGHTDECK_ROUND: the load at night has not been measured at all."; exit ;;
esac
{AGREES}"#
        ),
    );
    stage.script(
        "cy",
        &format!(
            r#"sleep 0.02
case "$FLIGHTDECK_ROUND" in
1) reply critic "Cy objects in round 1, because nobody has said what a miss costs the customer."; exit ;;
2) [ "$FLIGHTDECK_CALL" = peer ] && {{ echo "slow today" >&2; reply critic "I take the token in round 2 and shall write down what a miss costs.
ACCEPT_HANDOFF"; exit; }} ;;
esac
{AGREES}"#
        ),
    );
    stage.writer(
        r#"sleep 0.02
[ "$FLIGHTDECK_CALL" = turn ] && [ "$FLIGHTDECK_ROUND" = 1 ] && { echo "Cy knows what a miss costs, so cy shall write on.
OFFER_HANDOFF: cy — the cost is its subject"; exit; }
"#,
    );
}

const ARGS: [&str; 9] =
    ["run", "--close", "auto", "--decision", "A", "--yes", "--peer", "bo,cy", "How large is the cache"];

/// Every file below the sessions folder with what may differ between two runs taken out.
pub fn tree(sessions: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![sessions.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(sessions).unwrap().to_string_lossy().into_owned();
            found.insert(name, without_times(&String::from_utf8_lossy(&fs::read(&path).unwrap())));
        }
    }
    found
}

/// Times and minutes differ between runs, and with them the names of commits (not those of files' contents). How long a
/// verification took differs too.
pub fn without_times(text: &str) -> String {
    let moment = regex::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z?").unwrap();
    let text = moment.replace_all(text, "…");
    let commit = regex::Regex::new(r#"("used":"|commit |: ")[0-9a-f]{40}"#).unwrap();
    let text = commit.replace_all(&text, "$1…");
    let took = regex::Regex::new(r"after \d+\.\d s; the whole").unwrap();
    let text = took.replace_all(&text, "after … s; the whole");
    let lines = text.lines().map(|line| {
        let key = line.split(':').next().unwrap_or("").trim();
        match key {
            "timestamp" | "start_time" | "end_time" | "generated_at" | "duration_min" | "duration_h" => {
                format!("{key}: …")
            }
            _ => line.to_string(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Turn files with their text.
pub fn turns(stage: &Stage) -> BTreeMap<String, String> {
    let is_turn = |name: &str| {
        name.ends_with(".md") && name.as_bytes()[0].is_ascii_digit() && name.as_bytes().get(2) == Some(&b'-')
    };
    stage.files().into_iter().filter(|n| is_turn(n)).map(|n| (n.clone(), stage.file(&n))).collect()
}

/// A killed engine is said by its screen, which leaves the terminal as it was; a killed screen takes nothing with it.
#[test]
fn pc_706_killed_screens_and_engines_lose_nothing() {
    let quiet = Stage::new();
    long(&quiet);
    quiet.assert_closed(&quiet.run(&ARGS));
    let plays = if std::env::var_os("FLIGHTDECK_FAULTS").is_some() { 90 } else { 6 };
    for play in 0..plays {
        let desk = Desk::new();
        long(&desk.stage);
        let mut s = desk.session("bo,cy", (100, 30));
        s.shows("how-large-is-the");
        let pause = Duration::from_micros((play as u64 + 1).wrapping_mul(0x9e37_79b9) % 900_000);
        let end = std::time::Instant::now() + pause;
        while std::time::Instant::now() < end {
            std::thread::park_timeout(end.saturating_duration_since(std::time::Instant::now()));
        }
        let what = format!("play {play}, killed after {pause:?}");
        if play % 3 != 0 {
            s.signal(rustix::process::Signal::KILL);
        }
        let accepted = turns(&desk.stage);
        if play % 3 != 1 {
            desk.kill_engine();
        }
        if play % 3 == 0 {
            assert_eq!(s.code(), 1, "{what}");
            assert!(String::from_utf8_lossy(&s.raw).contains("the engine ended"), "{what}");
            s.clean();
        } else {
            s.code();
        }
        if play % 3 == 1 {
            until("the engine comes to the gate alone", || desk.stage.questions() == ["gate"]);
            assert_eq!(desk.stage.run(&["engines", "--stop", "--force"]).code, Some(0), "{what}");
        }
        desk.stage.assert_closed(&desk.stage.resume(&[]));
        let found = turns(&desk.stage);
        for (name, text) in &accepted {
            assert_eq!(found.get(name), Some(text), "{name} was accepted; {what}");
        }
        assert_eq!(tree(&desk.stage.sessions()), tree(&quiet.sessions()), "{what}");
        let mut calls = desk.stage.calls();
        let repeated = calls.len() - quiet.calls().len();
        calls.dedup();
        assert!(calls == quiet.calls() && repeated <= 1, "{what}: {:?}", desk.stage.calls());
    }
}

#[test]
fn pc_706_thirty_kills_end_in_the_tree_of_a_quiet_run() {
    let quiet = Stage::new();
    long(&quiet);
    let ran = quiet.run(&ARGS);
    quiet.assert_closed(&ran);
    let expected = tree(&quiet.sessions());

    let stage = Stage::new();
    long(&stage);
    let mut accepted = BTreeMap::new();
    let mut resumes = 0;
    // A fixed sequence of pauses, so that a failure can be repeated; they spread over the first calls of each run.
    let seed = std::env::var("FLIGHTDECK_KILL_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut state: u64 = seed.unwrap_or(0x2545_f491_4f6c_dd1d);
    println!("FLIGHTDECK_KILL_SEED={state}");
    for kill in 0..KILLS {
        let mut command = match stage.dirs().len() {
            0 => stage.command(&ARGS),
            _ => {
                resumes += 1;
                let id = stage.id();
                stage.command(&["resume", "--headless", "--close", "auto", "--decision", "A", &id])
            }
        };
        let engine = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut engine = Running { child: engine };
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let pause = Duration::from_millis(8 + state % 170);
        let end = std::time::Instant::now() + pause;
        let mut ended = false;
        while std::time::Instant::now() < end && !ended {
            ended = engine.child.try_wait().unwrap().is_some();
            std::thread::park_timeout(Duration::from_millis(1));
        }
        engine.kill();
        if stage.dirs().iter().any(|d| d.join("meta.yaml").exists()) {
            let now = turns(&stage);
            for (name, text) in &accepted {
                assert_eq!(now.get(name), Some(text), "kill {kill}: {name} was accepted before");
            }
            accepted = now;
        } else {
            // D1: an orphan directory is not a session; the next run begins anew.
            stage.dirs().iter().for_each(|d| fs::remove_dir_all(d).unwrap());
        }
        if ended {
            break;
        }
    }
    assert!(resumes > 5, "the kills came too late to show anything: {resumes}");
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
    let found = tree(&stage.sessions());
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{:?}", stage.calls());
    for (name, text) in &expected {
        assert_eq!(found.get(name), Some(text), "{name}");
    }
}

#[test]
fn pc_706_the_adapter_of_a_dead_engine_is_ended_before_its_call_is_repeated() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &format!(
            r#"[ -e "$HOME/well" ] || {{ sleep 300 & echo "$$ $!" > "$HOME/pids.new"; mv "$HOME/pids.new" "$HOME/pids"; wait; }}
{AGREES}"#
        ),
    );
    let mut command =
        stage.command(&["run", "--close", "auto", "--decision", "A", "--yes", "How large is it"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let engine = Running { child: command.spawn().unwrap() };
    until("the peer is called", || stage.home().join("pids").exists());
    engine.kill();
    let pids = fs::read_to_string(stage.home().join("pids")).unwrap();
    let alive = || pids.split_whitespace().filter(|pid| Path::new(&format!("/proc/{pid}")).exists()).count();
    assert_eq!(alive(), 2, "the children outlive the engine");
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
    until("the old adapter and its child are gone", || alive() == 0);
}

#[test]
fn pc_701_sigterm_pauses_and_counts_nothing() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &format!(
            r#"[ -e "$HOME/well" ] || {{ touch "$HOME/called"; sleep 300; }}
{AGREES}"#
        ),
    );
    let mut engine =
        Running::start(stage.command(&["run", "--close", "auto", "--decision", "A", "--yes", "How large"]));
    until("the peer is called", || stage.home().join("called").exists());
    let mut kill = std::process::Command::new("kill");
    kill.arg(engine.child.id().to_string());
    assert!(kill.status().unwrap().success());
    assert_eq!(engine.code(), Some(3));
    let shown = stage.show();
    assert_eq!((shown["status"].as_str(), shown["phase"].as_str()), (Some("started"), Some("peer_call")));
    assert!(!stage.has("01-peer.md") && !stage.has("01-peer.err"));
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
}

/// Runs the program below a limit for the size of files, as a full disk behaves: the write fails half-way.
fn limited(stage: &Stage, kilobytes: u32, args: &[&str]) -> Ran {
    let mut shell = std::process::Command::new("bash");
    stage.clean(&mut shell);
    // SIGXFSZ would end the program; a full disk does not.
    let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_flightdeck")]).args(args);
    finish(shell, "")
}

#[test]
fn sm_0_a_full_disk_pauses_the_session_and_resume_goes_on() {
    let stage = Stage::new();
    stage.script(
        "bo",
        r#"reply critic "$(yes 'the same argument in other words, again and again' | head -n 2000)
CONSENSUS: the cache stays small""#,
    );
    let ran = limited(&stage, 40, &["run", "--close", "auto", "--decision", "A", "--yes", "How large is it"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("is paused: cannot write") && ran.err.contains("next: "), "{ran:?}");
    let shown = stage.show();
    assert_eq!(shown["status"], "started", "{shown:#}");
    assert!(!stage.has("01-peer.md"), "a half-written turn is a lie");
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
    assert!(stage.file("01-peer.md").len() > 40_000);
}

#[test]
fn sm_0_a_place_that_cannot_be_written_pauses_with_the_reason() {
    let stage = Stage::new();
    // Where the index belongs stands a folder: no user and no root can write a file there.
    stage.script(
        "bo",
        &format!(
            r#"[ "$at" = peer:1:1 ] && {{ rm "$HOME"/sessions/00-index.md; mkdir "$HOME"/sessions/00-index.md; }}
{AGREES}"#
        ),
    );
    let ran = stage.session(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("00-index.md"), "{ran:?}");
    let path = stage.sessions().join("00-index.md");
    fs::remove_dir(&path).unwrap();
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
}

#[test]
fn sm_0_no_place_for_the_session_is_said_and_nothing_is_left() {
    let stage = Stage::new();
    fs::write(stage.sessions(), "a file where the folder belongs").unwrap();
    let ran = stage.session(&[]);
    assert!(matches!(ran.code, Some(1..=3)), "{ran:?}");
    assert!(ran.err.contains(&stage.sessions().display().to_string()), "{ran:?}");
    assert!(stage.calls().is_empty());
    assert_eq!(fs::read_to_string(stage.sessions()).unwrap(), "a file where the folder belongs");
}

#[test]
fn pc_146_torn_and_edited_files_load_and_go_on() {
    let stage = Stage::new();
    stage.script(
        "bo",
        &format!(
            r#"[ -e "$HOME/well" ] || exit 1
{AGREES}"#
        ),
    );
    assert_eq!(stage.session(&[]).code, Some(3));
    let dir = stage.dir();
    fs::write(dir.join("zz-notes.txt"), [0xff, 0xfe, 0]).unwrap();
    fs::write(dir.join("01-peer.md.tmp"), "half").unwrap();
    let meta = stage.meta();
    fs::write(
        dir.join("meta.yaml"),
        format!("# by hand\n{}", meta.replace("turns_count: 1", "turns_count: 77")),
    )
    .unwrap();
    let runtime = walk(&stage.home().join(".local"), "notes.json");
    fs::write(&runtime, "{ torn").unwrap();
    fs::write(stage.home().join("well"), "").unwrap();
    let ran = stage.resume(&[]);
    stage.assert_closed(&ran);
    assert!(ran.out.contains("repaired"), "repairs are shown: {ran:?}");
    assert!(stage.meta().starts_with("# by hand\n") && stage.meta().contains("turns_count: 2"));
    assert!(stage.has("zz-notes.txt"));
}

#[test]
fn pc_160_a_torn_meta_is_shown_and_never_made_up() {
    let stage = Stage::new();
    stage.script("bo", "exit 1");
    assert_eq!(stage.session(&[]).code, Some(3));
    let (id, meta) = (stage.id(), stage.meta());
    let path = stage.dir().join("meta.yaml");
    for torn in ["", "\0\0\0", &meta[..9], "{[: not yaml"] {
        fs::write(&path, torn).unwrap();
        assert!(!stage.show()["problems"].as_array().unwrap().is_empty(), "{torn:?}");
        for args in [&["resume", "--headless", &id][..], &["finalize", &id], &["interrupt", &id]] {
            let ran = stage.run(args);
            assert_eq!(ran.code, Some(1), "{torn:?} {args:?}: {ran:?}");
            assert!(ran.err.contains("meta.yaml"), "{ran:?}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), torn, "nothing is written over it");
    }
    fs::write(&path, meta).unwrap();
    stage.script("bo", AGREES);
    stage.assert_closed(&stage.resume(&[]));
}

fn walk(dir: &Path, name: &str) -> std::path::PathBuf {
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().flatten().map(|e| e.path()) {
            if path.file_name().is_some_and(|n| n == name) {
                return path;
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    panic!("no {name}");
}
