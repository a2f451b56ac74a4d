//! The dashboard as it is used: the built program in a terminal, the engine as a process of its own, participants that
//! are scripts. Only keys go in.

use crate::pty::Pty;
use crate::stage::{AGREES, Stage};
use portable_pty::CommandBuilder;

/// What a terminal sends for Alt+Enter.
pub const SEND: &str = "\x1b\r";

/// A stage whose engine is ended with it.
pub struct Desk {
    pub stage: Stage,
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.stage.run(&["engines", "--stop", "--force"]);
    }
}

impl Desk {
    pub fn new() -> Desk {
        Desk { stage: Stage::new() }
    }

    /// The program in a terminal of this size.
    pub fn open(&self, args: &[&str], size: (u16, u16)) -> Pty {
        self.open_with(args, size, &[])
    }

    /// The same with more variables.
    pub fn open_with(&self, args: &[&str], size: (u16, u16), vars: &[(&str, &str)]) -> Pty {
        let mut plain = std::process::Command::new("true");
        self.stage.clean(&mut plain);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_flightdeck"));
        command.env_clear();
        for (name, value) in plain.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.stage.home().join("bin").display()));
        command.cwd(self.stage.home().join("work"));
        vars.iter().for_each(|(name, value)| command.env(name, value));
        command.args(args);
        Pty::open(command, size)
    }

    /// A new session with these peers.
    pub fn session(&self, peers: &str, size: (u16, u16)) -> Pty {
        self.open(&["new", "--yes", "--peer", peers, "How large is the cache"], size)
    }

    /// Lets one call of a participant say something and then stand still until it is ended.
    fn holds(&self, at: &str, words: &str) -> String {
        std::fs::write(self.stage.home().join("hold"), "").unwrap();
        format!(
            r#"if [ "$at" = {at} ] && [ -e "$HOME/hold" ]; then rm "$HOME/hold"; {words}; while :; do sleep 1; done; fi
"#
        )
    }
}

#[test]
fn pc_701_cut_in_on_a_peer_asks_it_again_with_the_pilots_words() {
    for (peers, file) in [("bo", "01-peer.md"), ("bo,cy", "01-peer-bo.md")] {
        let desk = Desk::new();
        let holds = desk.holds("peer:1:1", r#"reply critic "Half a thought about the cold start""#);
        desk.stage.script("bo", &format!("{holds}{AGREES}"));
        let mut s = desk.session(peers, (120, 40));
        s.shows("Half a thought about the cold start");
        s.keys("x");
        s.shows("stop and ask again: bo");
        s.keys("look at the cold start last");
        s.shows("start last");
        s.keys(SEND);
        s.shows("✂ stopped, counts nothing");
        s.shows("1 waiting for you");
        s.keys("\r");
        s.shows("What was agreed");
        let twice = desk.stage.calls().iter().filter(|c| *c == "bo peer 1 1").count();
        assert_eq!(twice, 2, "{:?}", desk.stage.calls());
        let prompt = desk.stage.prompt("bo-peer-1-1");
        assert!(prompt.contains("look at the cold start last"), "{prompt}");
        let turn = desk.stage.file(file);
        assert!(turn.contains("the cache stays small") && !turn.contains("Half a thought"), "{turn}");
        assert!(!desk.stage.meta().contains("peer_failures: [{"), "{}", desk.stage.meta());
        // What was said is still there to be looked at, in the lane and in the list.
        s.keys("\x1b");
        s.until("the session", |s| !s.text().contains("What was agreed"));
        s.keys("t");
        s.shows("01-peer");
        s.keys("cut");
        s.shows("cut-1");
        s.keys("\r");
        s.shows("— the pilot said:");
        s.shows("Half a thought about the cold start");
        s.keys("\x03");
        assert_eq!(s.code(), 0);
        s.clean();
    }
}

#[test]
fn pc_701_cut_in_on_the_writer_goes_on_in_the_same_round() {
    for peers in ["bo", "bo,cy"] {
        let desk = Desk::new();
        desk.stage.writer(&desk.holds("opening:0:1", "echo I begin with the large cache"));
        let mut s = desk.session(peers, (120, 40));
        s.shows("I begin with the large cache");
        s.keys("x");
        s.shows("stop and ask again: writer");
        s.keys("begin with the small one");
        s.shows("small one");
        s.keys(SEND);
        s.shows("1 waiting for you");
        assert!(desk.stage.prompt("ada-opening-0-1").contains("begin with the small one"));
        assert!(!desk.stage.file("00-writer.md").contains("large cache"));
    }
}

#[test]
fn complaint_47_a_lane_shows_the_process_and_shows_it_again_after_a_reattach() {
    let desk = Desk::new();
    let holds = desk.holds(
        "peer:1:1",
        r#"echo "first line" >&2; echo "retrying with sk-abcdefghijklmnopqrstuvwx soon" >&2; reply critic "Half a thought"; while [ ! -e "$HOME/fail" ]; do sleep 0.1; done; exit 2"#,
    );
    desk.stage.script("bo", &format!("{holds}{AGREES}"));
    desk.stage.config("vendor.bo: deadline: 300s");
    let mut s = desk.session("bo", (200, 40));
    let lively = |s: &Pty| {
        let text = s.text();
        text.contains("of 5 min") && text.contains("pid ") && text.contains("⚠ retrying with [redacted] soon")
    };
    s.until("the process", lively);
    assert!(!String::from_utf8_lossy(&s.raw).contains("sk-abcdef"), "a secret reached the screen");
    let pid = |s: &Pty| {
        let text = s.text();
        let from = text.find("pid ").unwrap() + 4;
        text[from..].chars().take_while(char::is_ascii_digit).collect::<String>()
    };
    let before = pid(&s);
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    assert!(String::from_utf8_lossy(&s.raw).contains("1 running on"), "how to come back");
    let mut s = desk.open(&[], (200, 40));
    s.shows("how-large-is-the");
    s.keys("\r");
    s.until("the process again, with what it said", |s| lively(s) && s.text().contains("Half a thought"));
    assert_eq!(pid(&s), before, "the same process");
    s.keys("\te");
    s.shows("first line");
    s.keys("\x1b");
    s.until("the session", |s| !s.text().contains("first line"));
    // How it ended stays in its lane while the pilot is asked.
    std::fs::write(desk.stage.home().join("fail"), "").unwrap();
    s.shows(", code 2 after");
    s.shows("1 waiting for you");
    s.keys("e");
    s.shows("first line");
    assert!(!String::from_utf8_lossy(&s.raw).contains("sk-abcdef"), "a secret reached the screen");
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

/// Rule 1: a bell and a notice, once, for a question that stands where nobody looks.
#[test]
fn complaint_39_a_question_rings_once_and_never_while_its_session_is_in_view() {
    let desk = Desk::new();
    desk.stage.config("screen: {notice: osc9}");
    let waits = r#"while [ ! -e "$HOME/go" ]; do sleep 0.05; done
"#;
    desk.stage.script("bo", &format!("{waits}{AGREES}"));
    let notice = "\x1b]9;how-large-is-the waits for you\x07";
    let rings = |s: &Pty| String::from_utf8_lossy(&s.raw).matches(notice).count();
    let mut s = desk.session("bo", (80, 24));
    // bo, who waits for the test, and not the writer before it.
    s.shows("turn 1 of");
    s.keys("\x1b");
    s.shows("live");
    std::fs::write(desk.stage.home().join("go"), "").unwrap();
    s.shows("! 1 waiting for you");
    s.until("the notice", |s| rings(s) == 1);
    s.until("the bell that follows it", |s| s.raw.windows(2).any(|w| w == b"\x07\x07"));
    // The gate is answered in view of its session: what is asked next does not ring.
    s.keys("!");
    s.shows("What was agreed");
    s.keys("a");
    s.shows("Enter answer");
    s.keys("\r");
    s.shows("close or extend");
    let lasted = |s: &Pty| {
        let text = s.text();
        let age = text.split_once("waits ").and_then(|(_, rest)| rest.split_once(" s"));
        age.and_then(|(age, _)| age.parse::<u32>().ok()).is_some_and(|age| age >= 3)
    };
    s.until("longer than a bell takes", lasted);
    assert_eq!(rings(&s), 1);
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

#[test]
fn a_notice_may_be_a_program() {
    let desk = Desk::new();
    desk.stage.config("screen: {notice: notify-send, bell: false}");
    let waits = r#"while [ ! -e "$HOME/go" ]; do sleep 0.05; done
"#;
    desk.stage.script("bo", &format!("{waits}{AGREES}"));
    let bin = desk.stage.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let program = bin.join("notify-send");
    std::fs::write(&program, "#!/bin/sh\necho \"$@\" >>\"$HOME/noticed\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    let mut s = desk.session("bo", (80, 24));
    // bo, who waits for the test, and not the writer before it.
    s.shows("turn 1 of");
    s.keys("\x1b");
    s.shows("live");
    std::fs::write(desk.stage.home().join("go"), "").unwrap();
    s.shows("! 1 waiting for you");
    let noticed = || std::fs::read_to_string(desk.stage.home().join("noticed")).unwrap_or_default();
    crate::stage::until("the program was run", || noticed().ends_with('\n'));
    assert_eq!(noticed(), "--app-name=flightdeck -- flightdeck how-large-is-the waits for you\n");
    assert!(!String::from_utf8_lossy(&s.raw).contains("waits for you\x07"));
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

impl Desk {
    /// The rehearsal in a folder that the test knows, at once.
    fn demo(&self, story: &str, size: (u16, u16)) -> Pty {
        let sessions = self.stage.sessions();
        let sessions = sessions.to_str().unwrap();
        self.open(&["--sessions-dir", sessions, "demo", "--speed", "0", "--story", story], size)
    }

    /// Ends the engine as a crash would.
    pub fn kill_engine(&self) {
        let told = self.stage.run(&["engines"]).out;
        let pid: String =
            told.split_once("process ").unwrap().1.chars().take_while(char::is_ascii_digit).collect();
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        crate::stage::until("the engine is gone", || rustix::process::test_kill_process(pid).is_err());
    }
}

/// Answers the escalation, decides at the gate (a weak panel wants the key twice) and closes.
fn to_the_end(s: &mut Pty) {
    s.shows("escalates");
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("your answer");
    s.keys("Seven days");
    s.shows("Seven days");
    s.keys(SEND);
    s.shows("Consensus — 1 of 2");
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("every choice takes its key twice");
    s.keys("a");
    s.shows("again to decide A");
    s.keys("a");
    s.until("the gate is over", |s| !s.text().contains("Decision Gate"));
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("close or extend");
    s.keys("\r");
    s.shows("closed · ");
}

#[test]
fn a_rehearsal_goes_from_the_task_to_the_report_by_keys_only() {
    let desk = Desk::new();
    let mut s = desk.demo("three", (80, 24));
    to_the_end(&mut s);
    s.keys("r");
    s.shows("Final Report");
    s.keys("b");
    s.until("back", |s| !s.text().contains("Final Report"));
    s.keys("R");
    s.shows("began — Decide where the payment");
    s.keys("\x1b");
    s.until("back", |s| !s.text().contains("began — "));
    s.keys("\x1b");
    s.shows("L library");
    // Everything that was said is found as it is typed, and opened at its line.
    s.keys("L");
    s.shows("library");
    s.keys("seven days");
    s.shows("report.md:");
    s.keys("\r");
    s.shows("report · decide");
    s.shows("even days");
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    assert!(String::from_utf8_lossy(&s.raw).contains("The rehearsal is in"));
    s.clean();
    let report = desk.stage.file("report.md");
    assert!(report.contains("result_class"), "{report}");
}

#[test]
fn complaint_25_killed_screen_and_engine_are_followed_by_the_same_screen() {
    let desk = Desk::new();
    let mut s = desk.demo("three", (80, 24));
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("your answer");
    s.keys("Seven da");
    let kept = || {
        let files = walk(desk.stage.home());
        files
            .iter()
            .any(|f| f.ends_with("screen.json") && std::fs::read_to_string(f).unwrap().contains("Seven da"))
    };
    crate::stage::until("the draft is kept", kept);
    s.signal(rustix::process::Signal::KILL);
    desk.kill_engine();
    drop(s);
    let mut s = desk.open(&[], (80, 24));
    s.shows("! 1 waiting for you");
    s.keys("!");
    s.shows("Seven da");
    s.keys("ys");
    s.shows("Seven days");
    s.keys(SEND);
    // Nobody drives it any more; the pilot lets it go on, with the actors of its own story.
    s.shows("standing");
    s.keys("p");
    s.shows("Consensus — 1 of 2");
    s.shows("! 1 waiting");
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

#[test]
fn a_rehearsal_is_resumed_by_its_id_alone() {
    let desk = Desk::new();
    let sessions = desk.stage.sessions();
    let run = ["--sessions-dir", sessions.to_str().unwrap(), "demo", "--speed", "0", "--plain"];
    let ran = desk.stage.run(&run);
    assert!(ran.code == Some(3), "{ran:?}");
    let id = desk.stage.id();
    let ran = desk.stage.run(&[
        "resume",
        &id,
        "--headless",
        "--answer",
        "Seven days",
        "--decision",
        "A",
        "--close",
        "auto",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(desk.stage.has("report.md"));
}

/// Every file below a folder.
fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.flat_map(|e| if e.path().is_dir() { walk(&e.path()) } else { vec![e.path()] }).collect()
}

#[test]
fn pc_000_a_session_that_goes_on_takes_the_configuration_as_it_is_now() {
    let desk = Desk::new();
    desk.stage.script("bo", &format!("[ \"$FLIGHTDECK_CALL\" = peer ] && exit 1\n{AGREES}"));
    let mut s = desk.session("bo", (120, 40));
    s.shows("1 waiting for you");
    // The pilot mends the vendor in the configuration while the engine runs.
    let file = desk.stage.home().join(".config/flightdeck/config.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("adapters/bo.sh", "adapters/cy.sh")).unwrap();
    let id = desk.stage.id();
    s.keys("p");
    s.until("nobody drives it", |_| {
        desk.stage.run(&["show", "--json", &id]).out.contains("\"engine\": null")
    });
    s.keys("p");
    s.shows("Consensus — 1 of 1");
    s.until("the gate is asked", |_| desk.stage.questions() == ["gate"]);
    assert!(desk.stage.file("01-peer.md").contains("the cache stays small"));
}
