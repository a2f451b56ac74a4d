//! What is drawn. Here the small harness and what must hold on every screen; the screens in their states are next to it.

mod deck;
mod footer;
mod form;
mod gate;
mod help;
mod over;
mod question;
mod session;

use super::*;
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use crate::domain::session::state::Session;
use crate::engine::wire::{Progress, Tell};
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::model::tests::{
    GATE, HOSTILE, at_gate, call, event, hear, id, model, question, session, view_of,
};
use crate::ui::msg::Msg;
use crate::ui::settings::Known;
use crate::ui::update::{act, open, update};
use crate::ui::view::layout::Breaks;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 15)];

/// The screen as text, blanks at line ends removed.
pub fn drawn(model: &mut Model) -> String {
    let (width, height) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(model, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut out = String::new();
    for y in 0..height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..width {
            let symbol = buffer[(x, y)].symbol();
            if skip == 0 {
                line.push_str(symbol);
                skip = unicode_width::UnicodeWidthStr::width(symbol).max(1);
            }
            skip -= 1;
        }
        // The bar keeps blanks at the beginning of a line when snapshots are indented.
        out.push_str(&format!("|{}\n", line.trim_end()));
    }
    out
}

fn on_session(size: (u16, u16), lang: Lang, s: Session) -> Model {
    let mut m = model(size, lang);
    let id = s.meta.session_id.clone();
    open::session(&mut m, &id);
    hear(&mut m, Tell::Snapshot { view: view_of(s) });
    m
}

fn running(m: &mut Model, vendor: Option<&str>, text: &str) -> Call {
    let call = call(vendor, 2);
    hear(m, event(41, Fact::CallStarted { call: call.clone() }));
    for progress in
        [Progress::Started { pid: 4711, started_at: 0 }, Progress::Text(text.into()), Progress::Bytes(3_400)]
    {
        hear(m, Tell::Progress { id: id(9, "cap-fetcher-retries"), call: call.clone(), progress });
    }
    call
}

fn press(m: &mut Model, code: KeyCode) -> Vec<crate::ui::msg::Cmd> {
    update(m, Msg::Key(KeyEvent::new(code, KeyModifiers::empty())))
}

fn typed(m: &mut Model, text: &str) {
    text.chars().for_each(|c| drop(press(m, KeyCode::Char(c))));
}

fn on_gate(size: (u16, u16), lang: Lang) -> Model {
    let mut m = on_session(size, lang, at_gate());
    let gate = question(QuestionKind::Gate, "gate", 3, "x", GATE);
    m.watched.values_mut().for_each(|w| w.view.questions = vec![gate.clone()]);
    act(&mut m, Action::Answer);
    m
}

/// Every screen of these tests, for what must hold on all of them.
fn every_screen(size: (u16, u16), lang: Lang) -> Vec<Model> {
    let mut busy = on_session(size, lang, session());
    running(&mut busy, Some("codex"), HOSTILE);
    let mut out = vec![model(size, lang), busy, on_gate(size, lang)];
    for action in
        [Action::New, Action::Help, Action::Palette, Action::Filter, Action::Library, Action::Reports]
    {
        let mut m = model(size, lang);
        act(&mut m, action);
        out.push(m);
    }
    for action in
        [Action::Answer, Action::Direct, Action::TurnFiles, Action::Interrupt, Action::Replay, Action::Zoom]
    {
        let mut m = on_session(size, lang, session());
        act(&mut m, action);
        out.push(m);
    }
    out
}

#[test]
fn rule_1_the_number_that_waits_is_on_every_screen() {
    for size in [(80, 24), (120, 40), (40, 15), (200, 60), (20, 5)] {
        for lang in [Lang::En, Lang::Ru] {
            for mut m in every_screen(size, lang) {
                let screen = drawn(&mut m);
                let said = ["2 waiting", "2 ждут", "ждут тебя: 2"].iter().any(|w| screen.contains(w));
                assert!(said, "{size:?}\n{screen}");
            }
        }
    }
}

#[test]
fn rule_4_nothing_an_agent_wrote_reaches_the_terminal_as_control() {
    for size in SIZES {
        for mut m in every_screen(size, Lang::En) {
            let screen = drawn(&mut m);
            let bad = screen.chars().find(|c| {
                (c.is_control() && *c != '\n')
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert_eq!(bad, None, "{screen:?}");
        }
    }
}

#[test]
fn complaint_12_hostile_text_leaves_borders_standing() {
    let mut m = on_session((120, 40), Lang::En, session());
    running(&mut m, Some("codex"), &format!("{HOSTILE}\n\t{}\n{}", "漢".repeat(200), "👨‍👩‍👧".repeat(60)));
    let screen = drawn(&mut m);
    let columns = |line: &str| {
        let mut x = 0;
        let mut at = Vec::new();
        for g in unicode_segmentation::UnicodeSegmentation::graphemes(line, true) {
            if g == "│" {
                at.push(x);
            }
            x += unicode_width::UnicodeWidthStr::width(g);
        }
        at
    };
    let lanes: Vec<Vec<usize>> =
        screen.lines().skip(2).take(30).map(columns).filter(|c| !c.is_empty()).collect();
    assert!(lanes.len() > 20 && lanes.iter().all(|c| *c == [41, 81]), "{screen}");
}

#[test]
fn complaint_6_every_size_is_drawn() {
    for (width, height) in [(1, 1), (2, 9), (19, 4), (20, 5), (21, 6), (39, 7), (40, 3), (300, 100), (500, 2)]
    {
        for m in &mut every_screen((width, height), Lang::Ru) {
            drawn(m);
        }
    }
}

#[test]
fn complaint_68_a_monster_line_is_drawn_in_time_and_kept() {
    let mut s = session();
    s.turns[0] = crate::ui::model::tests::turn("00-writer.md", &"слово ".repeat(400_000));
    let mut m = on_session((120, 40), Lang::En, s);
    drawn(&mut m);
    let first = m.layout.wraps.whole(&id(9, "cap-fetcher-retries"), "00-writer.md", "", (1, Breaks::Prose));
    assert!(first.len() <= 1);
    // What is drawn again is not wrapped again: a hundred frames take no hundredfold time.
    for _ in 0..100 {
        drawn(&mut m);
    }
}

#[test]
fn rule_3_states_differ_without_colour() {
    let m = model((120, 40), Lang::En);
    let mut seen = std::collections::BTreeSet::new();
    for row in &m.deck.rows {
        let state = crate::ui::model::deck::state(row, Lang::En);
        assert!(!state.shape.is_empty() && !state.word.is_empty());
        seen.insert((state.shape, state.word));
    }
    assert!(seen.len() >= 7, "{seen:?}");
}

#[test]
fn rule_1_the_title_carries_the_number() {
    assert_eq!(title(&model((80, 24), Lang::En)), "(2) flightdeck · 2 waiting");
}

#[test]
fn rule_5_what_today_cost_is_on_the_deck_and_unknown_is_a_dash() {
    let today = |usd, unpriced| crate::domain::spent::Spent { tokens: None, usd, silent: 2, unpriced };
    let mut m = model((100, 24), Lang::En);
    assert!(!drawn(&mut m).contains("today  "), "before the engine has told");
    hear(&mut m, Tell::Spend { today: crate::domain::spent::Spent::default() });
    assert!(!drawn(&mut m).contains(" tok"), "no call was made today");
    hear(&mut m, Tell::Spend { today: today(Some(1.84), 0) });
    assert!(drawn(&mut m).contains("— tok · $1.84 today"));
    hear(&mut m, Tell::Spend { today: today(Some(1.84), 1) });
    assert!(drawn(&mut m).contains("≥$1.84 today"));
    hear(&mut m, Tell::Spend { today: today(None, 2) });
    m.size = (80, 24);
    assert!(drawn(&mut m).contains("$— today"));
}
