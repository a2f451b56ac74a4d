//! The dashboard in terminals as they are: resized without end, taken away, without colours, handed to an editor. The
//! built program with its engine, as in [`crate::dash`].

use crate::dash::{Desk, SEND};
use crate::pty::Pty;
use crate::stage::{AGREES, until};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A peer that speaks a word at a time until the test lets it end.
fn talks(desk: &Desk) {
    let words = r#"if [ "$FLIGHTDECK_CALL" = peer ]; then
reply critic "I think aloud about the cold start of the service and its load."
while [ ! -e "$HOME/go" ]; do printf 'слово 漢字 👨‍👩‍👧 word '; sleep 0.02; done
echo; echo 'CONSENSUS: the cache stays small'; exit
fi
"#;
    desk.stage.script("bo", &format!("{words}{AGREES}"));
}

fn let_go(desk: &Desk) {
    fs::write(desk.stage.home().join("go"), "").unwrap();
}

fn leave(mut s: Pty) {
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

#[test]
fn complaint_15_a_storm_of_resizes_while_text_streams_ends_in_a_whole_screen() {
    let desk = Desk::new();
    talks(&desk);
    let mut s = desk.session("bo", (120, 40));
    s.shows("think aloud");
    for n in 0..120_u16 {
        s.resize((20 + n * 37 % 180, 5 + n * 13 % 50));
    }
    s.resize((20, 5));
    s.shows("0 waiting");
    s.resize((120, 40));
    let whole = |s: &Pty| {
        let text = s.text();
        text.contains("think aloud")
            && text.lines().filter(|l| l.contains('│')).count() > 20
            && text.contains("x cut in")
    };
    s.until("the whole screen again", whole);
    let_go(&desk);
    s.shows("1 waiting for you");
    leave(s);
}

/// Each key stands alone: one that waits for the next key is lost to who typed it.
#[test]
fn complaint_15_a_key_that_comes_with_a_resize_is_a_key() {
    let desk = Desk::new();
    let mut s = desk.open(&[], (120, 40));
    s.shows("? keys");
    s.keys("/");
    let mut typed = String::new();
    for (n, letter) in ('a'..='z').chain('а'..='я').enumerate() {
        typed.push(letter);
        s.resize((if n % 2 == 0 { 110 } else { 120 }, 40));
        s.keys(&letter.to_string());
        s.shows(&typed);
    }
    s.keys("\x03");
    assert_eq!(s.code(), 0);
}

#[test]
fn rule_8_a_terminal_that_is_gone_stops_no_session() {
    let desk = Desk::new();
    talks(&desk);
    let mut s = desk.session("bo", (120, 40));
    s.shows("think aloud");
    s.hang_up();
    let_go(&desk);
    until("the session goes on to its gate", || {
        desk.stage.file("meta.yaml").contains("engine_phase: \"gate\"")
    });
    let mut s = desk.open(&[], (80, 24));
    s.shows("! 1 waiting for you");
    leave(s);
}

#[test]
fn suspended_and_back_nothing_was_missed() {
    let desk = Desk::new();
    talks(&desk);
    let mut s = desk.session("bo", (120, 40));
    s.shows("think aloud");
    s.keys("\x1a");
    s.until("given back", |s| !s.parser.screen().alternate_screen());
    s.clean();
    s.stopped();
    let_go(&desk);
    until("the session goes on meanwhile", || {
        desk.stage.file("meta.yaml").contains("engine_phase: \"gate\"")
    });
    s.signal(rustix::process::Signal::CONT);
    s.until("back", |s| s.parser.screen().alternate_screen() && s.text().contains("1 waiting"));
    leave(s);
}

#[test]
fn the_editor_gets_the_terminal_and_the_screen_comes_back_with_its_text() {
    let desk = Desk::new();
    desk.stage.script("bo", &format!("[ \"$at\" = peer:1:1 ] && exit 1\n{AGREES}"));
    let editor = desk.stage.home().join("bin/ed it");
    fs::create_dir_all(editor.parent().unwrap()).unwrap();
    fs::write(&editor, "#!/bin/sh\necho EDITING; echo 'from the editor' >\"$1\"\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&editor, desk.stage.home().join("bin/edit")).unwrap();
    let mut s = desk.open_with(&["new", "--yes", "--peer", "bo", "A task"], (80, 24), &[("EDITOR", "edit")]);
    s.shows("! 1 waiting");
    s.keys("d");
    s.shows("words for the writer");
    s.keys("before");
    s.shows("before");
    s.keys("\x05");
    s.shows("from the editor");
    assert!(s.parser.screen().alternate_screen());
    assert!(String::from_utf8_lossy(&s.raw).contains("EDITING"), "the editor had the terminal");
    s.keys(SEND);
    s.shows("the writer gets it with its next turn");
    leave(s);
}

#[test]
fn no_colour_means_none_and_a_dumb_terminal_gets_lines() {
    let desk = Desk::new();
    let mut s = desk.open_with(&[], (80, 24), &[("NO_COLOR", "1")]);
    s.shows("0 waiting for you");
    s.keys("q");
    assert_eq!(s.code(), 0);
    let raw = String::from_utf8_lossy(&s.raw);
    for colour in ["\x1b[38;", "\x1b[48;", ";38;5;", ";38;2;", "\x1b[31m", "\x1b[33m"] {
        assert!(!raw.contains(colour), "{colour:?}");
    }
    let mut s = desk.open_with(&[], (80, 24), &[("TERM", "dumb")]);
    assert_eq!(s.code(), 0);
    assert!(s.text().contains("No session is open"), "{}", s.text());
    assert!(!String::from_utf8_lossy(&s.raw).contains("\x1b[?1049h"));
    // A session at such a terminal is shown in lines.
    let args = ["--plain", "new", "--yes", "--peer", "bo", "A task"];
    let mut s = desk.open_with(&args, (80, 24), &[("TERM", "dumb")]);
    s.shows("record and close at once");
    s.keys("\x03");
    s.code();
    assert!(!String::from_utf8_lossy(&s.raw).contains("\x1b[?1049h"));
}

#[test]
fn broken_looks_are_said_with_file_and_line_and_a_broken_configuration_before_the_screen() {
    let desk = Desk::new();
    let folder = desk.stage.home().join(".config/flightdeck");
    for (name, text) in [("themes/mine", "roles:\n  txet: red\n"), ("keymaps/mine", "deck:\n  \"j\": dwon\n")]
    {
        let path = folder.join(format!("{name}.yaml"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    desk.stage.config("theme: mine\nkeymap: mine");
    let mut s = desk.open(&[], (200, 24));
    s.shows("themes/mine.yaml:2");
    s.shows("keymaps/mine.yaml:2");
    s.keys("q");
    assert_eq!(s.code(), 0);
    s.clean();
    desk.stage.config("screen: {bel: true}");
    let mut s = desk.open(&[], (80, 24));
    assert_eq!(s.code(), 2);
    assert!(s.text().contains("did you mean bell?"), "{}", s.text());
    desk.stage.config("wirter: ada");
    let mut s = desk.open(&[], (120, 24));
    assert_eq!(s.code(), 2);
    assert!(s.text().contains("config.yaml:") && s.text().contains("writer"), "{}", s.text());
}

#[test]
fn complaint_20_a_copy_does_not_claim_what_it_cannot_know() {
    let desk = Desk::new();
    let mut s = desk.session("bo", (120, 24));
    s.shows("1 waiting for you");
    s.keys("y");
    s.shows("which may refuse to copy: /");
    s.until("the sequence", |s| String::from_utf8_lossy(&s.raw).contains("\x1b]52;c;"));
    leave(s);
}

#[test]
fn pc_613_an_extension_is_asked_for_and_closed_by_keys() {
    let desk = Desk::new();
    let mut s = desk.session("bo", (80, 24));
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("What was agreed");
    s.keys("a");
    s.shows("Enter answer");
    s.keys("\r");
    s.shows("close or extend");
    s.keys("\x1b[B\r");
    s.shows("extend:");
    s.keys("the cold start is missing");
    s.shows("cold start is missing");
    s.keys(SEND);
    s.until("the extension's turn", |_| desk.stage.has("03-peer.md"));
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("What was agreed");
    s.keys("a");
    s.shows("Enter answer");
    s.keys("\r");
    s.shows("close or extend");
    s.keys("\r");
    s.shows("closed · agreed");
    leave(s);
    assert!(desk.stage.has("report.md"));
}
