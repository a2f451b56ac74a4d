//! However the screen ends while a participant speaks, the terminal is given back, the session goes on in the engine, and
//! the next screen shows what was said so far. The built program with its engine; only the screen that has a fault of
//! its own is this test binary, run again for [`child`], on the same engine.

use crate::dash::Desk;
use crate::pty::Pty;
use crate::stage::{AGREES, until};
use flightdeck::cli::args::Place;
use flightdeck::cli::context::Context;
use flightdeck::engine::client;
use flightdeck::ui::app;
use flightdeck::ui::settings::Settings;
use portable_pty::CommandBuilder;
use rustix::process::Signal;
use std::fs;

const FAULT: &str = "FLIGHTDECK_TEST_FAULT";

/// A screen whose editor has a fault.
#[test]
fn child() {
    if std::env::var_os(FAULT).is_none() {
        return;
    }
    flightdeck::cli::panic::install();
    let context = Context::plain(&Place { sessions_dir: None, plain: false, inline: false }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (asks, tells) = client::find(context.setting()).await.expect("the engine");
        let edit = Box::new(|text: &str| panic!("a draft that nobody may read: {text}"));
        app::run(asks, tells, Settings { edit, ..crate::screen::settings("dark") }).await
    });
}

/// A peer that says a number after the other until the test lets it end.
pub fn counts(desk: &Desk) {
    let words = r#"if [ "$FLIGHTDECK_CALL" = peer ]; then
reply critic "I think aloud about the cold start of the service and its load."
n=0; while [ ! -e "$HOME/go" ]; do n=$((n+1)); printf 'count-%s ' $n; sleep 0.02; done
echo; echo 'CONSENSUS: the cache stays small'; exit
fi
"#;
    desk.stage.script("bo", &format!("{words}{AGREES}"));
}

/// The highest number on the screen.
pub fn count(s: &Pty) -> u32 {
    let text = s.text();
    let numbers = text.split("count-").skip(1).map(|rest| rest.chars().take_while(char::is_ascii_digit));
    numbers.filter_map(|digits| digits.collect::<String>().parse().ok()).max().unwrap_or(0)
}

/// Another screen on the running session: what was said is there, and more comes.
fn comes_back(desk: &Desk, before: u32) -> Pty {
    let mut s = desk.open(&[], (120, 40));
    s.shows("how-large-is-the");
    s.keys("\r");
    s.until("what was said before", |s| count(s) >= before);
    let now = count(&s);
    s.until("what is said now", |s| count(s) > now);
    s
}

#[test]
fn rule_8_a_screen_that_ends_on_a_signal_gives_all_back_and_the_next_one_shows_the_live_text() {
    let desk = Desk::new();
    counts(&desk);
    let mut s = desk.session("bo", (120, 40));
    s.until("live text", |s| count(s) > 3);
    let engine = desk.stage.run(&["engines"]).out;
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let before = count(&s);
        s.signal(signal);
        assert_eq!(s.code(), code, "{}", s.text());
        s.clean();
        assert!(!desk.stage.has("01-peer.md"), "the peer still speaks");
        s = comes_back(&desk, before);
    }
    let before = count(&s);
    s.hang_up();
    s = comes_back(&desk, before);
    assert_eq!(desk.stage.run(&["engines"]).out, engine, "the same engine");
    assert_eq!(desk.stage.calls().iter().filter(|c| *c == "bo peer 1 1").count(), 1, "the same call");
    fs::write(desk.stage.home().join("go"), "").unwrap();
    s.shows("1 waiting for you");
    assert!(desk.stage.file("01-peer.md").contains("count-1 count-2 "));
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

#[test]
fn rule_8_a_screen_that_panics_gives_all_back_and_the_next_one_shows_the_live_text() {
    let desk = Desk::new();
    counts(&desk);
    let mut s = desk.session("bo", (120, 40));
    s.until("live text", |s| count(s) > 3);
    let before = count(&s);
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    let mut faulty = std::process::Command::new("true");
    desk.stage.clean(&mut faulty);
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.env_clear();
    for (name, value) in faulty.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.args(["reattach::child", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(FAULT, "1");
    command.env("TERM", "xterm-256color");
    command.cwd(desk.stage.home().join("work"));
    let mut s = Pty::open(command, (120, 40));
    s.shows("how-large-is-the");
    s.keys("\r");
    s.until("live text", |s| count(s) >= before);
    s.keys("d");
    s.shows("words for the writer");
    s.keys("mind the load");
    s.shows("mind the load");
    s.keys("\x05");
    assert_ne!(s.code(), 0);
    s.clean();
    let text = s.text();
    assert!(text.contains("stopped because of a fault of its own at"), "{text}");
    assert!(text.contains("flightdeck resume"), "{text}");
    assert!(!text.contains("mind the load"), "the report quotes what was written: {text}");
    let mut s = comes_back(&desk, before);
    fs::write(desk.stage.home().join("go"), "").unwrap();
    s.shows("1 waiting for you");
    until("the turn is there", || desk.stage.has("01-peer.md"));
    assert_eq!(desk.stage.calls().iter().filter(|c| *c == "bo peer 1 1").count(), 1, "the same call");
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}
