//! What people say about other programs of this kind, as tests: the built program in a terminal, with its engine and
//! participants that are scripts. The numbers are those of a list of complaints about rendering, keys and clipboard.
//!
//! | kind | where |
//! |---|---|
//! | 1 flicker while text comes | here; `ui::frame` |
//! | 2 the terminal scrolls by itself | here |
//! | 3 floods of events inside a multiplexer | `ui::frame::tests::a_flood_of_changes_is_60_frames_a_second`, `ui::term::tests::what_is_set_is_undone` (no movements of the mouse) |
//! | 4 the reading position is taken | `rule_2_what_comes_does_not_move_the_reader`, `rule_2_new_text_never_moves_the_reader` and others by that rule |
//! | 5 input methods die while lists are drawn | here; `complaint_5_a_letter_that_stands_is_not_emptied_and_drawn_again` |
//! | 6 the size of before, rows that vanish | here; `complaint_6_every_size_is_drawn` |
//! | 7 the whole history is sent again | here |
//! | 8 no way back in the text | here |
//! | 9 the same text at two widths | here |
//! | 10, 11 letters of doubtful width | `complaint_11_a_letter_that_the_terminal_counts_otherwise_moves_nothing_on_its_line` |
//! | 12 controls in a text | `complaint_12_hostile_text_leaves_borders_standing`, `rule_4_nothing_an_agent_wrote_reaches_the_terminal_as_control` |
//! | 13 letters that crash, stay or are cut | `complaint_13_nothing_stays_of_a_letter_that_is_gone`, `ui::text::tests` (any text, any width) |
//! | 14, 15 resizing stops the server or hangs | `complaint_15_a_storm_of_resizes_while_text_streams_ends_in_a_whole_screen`, `complaint_68_a_monster_line_is_drawn_in_time_and_kept` |
//! | 16, 17 keys that nobody can take back | here |
//! | 18 Shift+Enter sends; key flags leak | here; `rule_8_quit_and_every_signal_leave_the_terminal_as_it_was` |
//! | 19 a key counts twice | `a_key_let_go_is_no_key` |
//! | 20 "copied" is claimed | `complaint_20_a_copy_does_not_claim_what_it_cannot_know` |
//! | 21 the wheel is taken | here |
//! | 22 numbered slots | a wish that is not met: `!` goes to who waits, Tab to the next participant |
//! | 23 words typed into another program and lost | here: they are part of a prompt, and nothing is typed |

use crate::dash::{Desk, SEND};
use crate::pty::Pty;
use crate::reattach::{count, counts};
use crate::stage::{AGREES, until};
use flightdeck::ui::keymap::SHIPPED;
use std::fs;
use unicode_width::UnicodeWidthStr;

/// What was written while a participant said so many numbers more.
fn streamed(s: &mut Pty, more: u32) -> String {
    s.until("live text", |s| count(s) > 0);
    let (from, before) = (s.raw.len(), count(s));
    s.until("more text", |s| count(s) > before + more);
    String::from_utf8_lossy(&s.raw[from..]).into_owned()
}

fn leave(mut s: Pty) {
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    s.clean();
}

/// A session whose peer said this and agreed; its lane is in front.
fn said(desk: &Desk, body: &str, size: (u16, u16)) -> Pty {
    let speaks = format!(
        "if [ \"$FLIGHTDECK_CALL\" = peer ]; then\nreply critic \"{body}\n\nCONSENSUS: the cache stays small\"\nexit\nfi\n"
    );
    desk.stage.script("bo", &format!("{speaks}{AGREES}"));
    let mut s = desk.session("bo", size);
    s.shows("1 waiting");
    s.keys("\t");
    s
}

/// Long enough that nobody wants it twice.
const STORY: &str = "$(seq -f 'line-%g of the long story' 1 3000)";

#[test]
fn complaint_01_text_that_comes_is_drawn_where_it_comes() {
    let desk = Desk::new();
    counts(&desk);
    let mut s = desk.session("bo", (120, 40));
    let written = streamed(&mut s, 30);
    for clears in ["\x1b[2J", "\x1b[J", "\x1b[3J", "\x1bc"] {
        assert!(!written.contains(clears), "{clears:?}");
    }
    assert!(!written.contains("How large is the cache"), "the heading is drawn again: {written:?}");
    // Every frame is shown at once: nothing is written outside of one.
    for frame in written.split("\x1b[?2026h").skip(1) {
        let outside = frame.split_once("\x1b[?2026l").map_or("", |(_, rest)| rest);
        assert_eq!(outside, "");
    }
    leave(s);
}

#[test]
fn complaint_02_the_terminal_is_never_scrolled() {
    let desk = Desk::new();
    counts(&desk);
    let mut s = desk.session("bo", (40, 15));
    s.shows("turn 1 of");
    // Its lane is a tab here.
    s.keys("\t");
    let written = streamed(&mut s, 60);
    let scrolls = regex::Regex::new(r"\x1b\[[0-9]*[ST]|\x1b\[[0-9;]*r|\x1b[DM]|\n|\x1b\[[0-9]*[LM]").unwrap();
    assert!(!scrolls.is_match(&written), "{written:?}");
    assert!(s.parser.screen().alternate_screen());
    leave(s);
}

#[test]
fn complaint_05_an_input_method_finds_the_cursor_where_the_text_goes_on() {
    let desk = Desk::new();
    counts(&desk);
    let mut s = desk.session("bo", (120, 40));
    s.until("live text", |s| count(s) > 0);
    s.keys("d");
    s.shows("words for the writer");
    let at_end = |s: &Pty, text: &str| {
        let screen = s.parser.screen();
        let rows: Vec<String> = screen.rows(0, 120).collect();
        let row = rows.iter().position(|row| row.trim_end().ends_with(text));
        let place = row.map(|row| (row as u16, (1 + text.width()) as u16));
        place == Some(screen.cursor_position()) && !screen.hide_cursor()
    };
    s.keys("日本語を");
    s.until("the cursor behind the text", |s| at_end(s, "日本語を"));
    // The list and the lanes behind it are drawn meanwhile.
    let drawn = s.raw.len();
    s.until("other frames", |s| s.raw.len() > drawn + 2_000);
    s.until("the cursor still there", |s| at_end(s, "日本語を"));
    s.keys("\x7f");
    s.until("one letter less", |s| at_end(s, "日本語"));
    s.keys("\rе");
    s.until("another line", |s| at_end(s, "е") && s.text().contains("日本語"));
    leave(s);
}

#[test]
fn complaint_06_another_height_shows_every_part_once() {
    let desk = Desk::new();
    let mut s = said(&desk, STORY, (80, 40));
    for rows in [39, 24, 25, 40] {
        s.resize((80, rows));
        let whole = |s: &Pty| {
            let (text, rows) = (s.text(), s.parser.screen().rows(0, 80).collect::<Vec<_>>());
            let last = rows.last().is_some_and(|row| row.trim_end().ends_with("? keys"));
            last && text.matches("? keys").count() == 1
                && text.matches("1 waiting").count() == 1
                && rows.first().is_some_and(|row| row.contains("how-large-is-the"))
        };
        s.until("one heading, one footer", whole);
    }
    leave(s);
}

#[test]
fn complaint_07_another_height_sends_a_screen_and_not_the_history() {
    let desk = Desk::new();
    let mut s = said(&desk, STORY, (80, 40));
    s.shows("line-");
    let from = s.raw.len();
    s.resize((80, 30));
    let last = |s: &Pty| s.parser.screen().rows(0, 80).last().is_some_and(|row| row.contains("? keys"));
    s.until("drawn anew", |s| s.raw.len() > from && last(s));
    let written = s.raw.len() - from;
    assert!(written < 80 * 30 * 4, "{written} bytes for a screen of {} cells", 80 * 30);
    leave(s);
}

#[test]
fn complaint_08_all_of_a_long_text_can_be_read_again() {
    let desk = Desk::new();
    let mut s = said(&desk, STORY, (80, 24));
    s.keys("g");
    s.shows("line-1 of");
    s.keys("G");
    s.shows("line-3000 of");
    s.keys("\x1b[5~");
    s.until("a page back", |s| !s.text().contains("line-3000 of") && s.text().contains("line-29"));
    leave(s);
}

#[test]
fn complaint_09_after_a_reflow_every_word_stands_there_once() {
    let desk = Desk::new();
    let words: Vec<String> = (1..=80).map(|n| format!("w{n:03}")).collect();
    let mut s = said(&desk, &words.join(" "), (120, 40));
    for cols in [120, 50, 91, 44, 89, 200] {
        s.resize((cols, 40));
        s.until("every word once", |s| {
            let text = s.text();
            words.iter().all(|word| text.matches(word.as_str()).count() == 1)
        });
    }
    leave(s);
}

/// Also 17: every key can be given back.
#[test]
fn complaint_16_a_key_that_leaves_can_be_another_one() {
    let desk = Desk::new();
    let shipped = SHIPPED[0].1;
    let mine = shipped.replace("  \"Ctrl+q\": quit\n", "").replace("\"Ctrl+c\": quit", "\"Ctrl+x\": quit");
    assert_eq!(shipped.len() - mine.len(), "  \"Ctrl+q\": quit\n".len());
    let folder = desk.stage.home().join(".config/flightdeck/keymaps");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.yaml"), mine).unwrap();
    desk.stage.config("keymap: mine");
    let mut s = desk.open(&[], (80, 24));
    s.shows("0 waiting for you");
    s.keys("\x11\x03n");
    s.shows("new session");
    s.keys("\x18");
    assert_eq!(s.code(), 0);
    s.clean();
}

#[test]
fn complaint_18_shift_and_enter_begin_a_line() {
    let desk = Desk::new();
    let mut s = desk.session("bo", (80, 24));
    s.shows("1 waiting");
    s.keys("d");
    s.shows("words for the writer");
    s.keys("one");
    s.keys("\x1b[13;2u");
    s.keys("two");
    s.until("two lines", |s| {
        let rows: Vec<String> = s.parser.screen().rows(0, 80).map(|row| row.trim().to_string()).collect();
        rows.windows(2).any(|pair| pair == ["one", "two"])
    });
    assert!(s.text().contains("your answer"), "it was sent");
    leave(s);
}

#[test]
fn complaint_21_the_wheel_can_be_left_to_the_terminal() {
    let desk = Desk::new();
    desk.stage.config("screen: {mouse: false}");
    let mut s = desk.open(&[], (80, 24));
    s.shows("0 waiting for you");
    assert_eq!(s.parser.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    let raw = String::from_utf8_lossy(&s.raw).into_owned();
    assert!(["1000", "1002", "1003", "1006"].iter().all(|mode| !raw.contains(&format!("\x1b[?{mode}h"))));
    leave(s);
    desk.stage.config("screen: {mouse: true}");
    let mut s = desk.open(&[], (80, 24));
    s.shows("0 waiting for you");
    assert_ne!(s.parser.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    leave(s);
}

#[test]
fn complaint_23_words_of_several_lines_are_in_the_next_prompt_and_only_then_said_to_be() {
    let desk = Desk::new();
    let objects = r#"if [ "$at" = peer:1:1 ]; then
while [ ! -e "$HOME/go" ]; do sleep 0.05; done
reply critic "I object: the load of a cold start is not measured by anybody, and it is what the size is for."; exit
fi
"#;
    desk.stage.script("bo", &format!("{objects}{AGREES}"));
    let mut s = desk.session("bo", (120, 40));
    s.shows("turn 1 of");
    s.keys("d");
    s.shows("words for the writer");
    s.keys("\x1b[200~measure the first minute\nand the second\x1b[201~");
    s.shows("and the second");
    assert!(s.text().contains("your answer"), "a pasted line break sends nothing");
    s.keys(SEND);
    s.shows("the writer gets it with its next turn");
    let prompt = || desk.stage.prompt("ada-turn-1-1");
    assert_eq!(prompt(), "", "the writer was not asked yet");
    fs::write(desk.stage.home().join("go"), "").unwrap();
    until("the writer was asked", || prompt().contains("and the second"));
    assert!(prompt().contains("measure the first minute\nand the second"), "{}", prompt());
    s.shows("1 waiting for you");
    leave(s);
}
