use super::*;
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::domain::question::QuestionKind;
use crate::domain::session::meta::ResultClass;
use crate::engine::run::Command;
use crate::engine::wire::{Owner, Progress, Row, Tell};
use crate::ui::action::ACTIONS;
use crate::ui::keymap::Keymap;
use crate::ui::model::reply::Focus;
use crate::ui::model::tests::{
    GATE, at_gate, call, event, hear, id, model, question, row, rows, session, view_of,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const CAP: (u32, &str) = (9, "cap-fetcher-retries");

fn deck() -> Model {
    model((80, 24), Lang::En)
}

fn cap() -> SessionId {
    id(CAP.0, CAP.1)
}

/// The screen of the session that escalates.
fn on_session() -> Model {
    let mut m = deck();
    open::session(&mut m, &cap());
    hear(&mut m, Tell::Snapshot { view: view_of(session()) });
    m
}

fn on_gate(result: ResultClass) -> Model {
    let mut m = deck();
    let mut s = at_gate();
    if result == ResultClass::Agreed {
        // A panel without a doubt: nobody failed, two vendors.
        s.meta.failed.clear();
        s.meta.peer_failures.clear();
        s.meta.round_skips.clear();
        s.turns.push(crate::ui::model::tests::turn("03-peer-hermes.md", "PASS\n"));
        s.turns.sort_by(|a, b| a.name.cmp(&b.name));
    }
    s.meta.engine_result_class = Some(result);
    let mut all = rows();
    all[0].questions = vec![question(QuestionKind::Gate, "gate", 3, "Consensus reached.", GATE)];
    hear(&mut m, Tell::Deck { rows: all, total: 8 });
    open::session(&mut m, &cap());
    let mut view = view_of(s);
    view.questions = vec![question(QuestionKind::Gate, "gate", 3, "Consensus reached.", GATE)];
    hear(&mut m, Tell::Snapshot { view });
    act(&mut m, Action::Answer);
    m
}

fn key(m: &mut Model, code: KeyCode, mods: KeyModifiers) -> Vec<Cmd> {
    update(m, Msg::Key(KeyEvent::new(code, mods)))
}

fn press(m: &mut Model, code: KeyCode) -> Vec<Cmd> {
    key(m, code, KeyModifiers::empty())
}

/// Types characters; the commands of all of them.
fn typed(m: &mut Model, text: &str) -> Vec<Cmd> {
    text.chars().flat_map(|c| press(m, KeyCode::Char(c))).collect()
}

fn asks(cmds: &[Cmd]) -> Vec<Ask> {
    cmds.iter().filter_map(|c| if let Cmd::Ask(ask) = c { Some((**ask).clone()) } else { None }).collect()
}

fn commanded(cmds: &[Cmd]) -> Vec<Command> {
    asks(cmds)
        .into_iter()
        .filter_map(|a| if let Ask::Command { command, .. } = a { Some(command) } else { None })
        .collect()
}

fn answered(question: &str, text: &str) -> Command {
    Command::Answer { question: question.into(), text: text.into() }
}

fn said(m: &Model) -> &str {
    m.toast.as_ref().map_or("", |t| t.text.as_str())
}

fn later(m: &mut Model, seconds: u64) -> Vec<Cmd> {
    m.clock.at += Duration::from_secs(seconds);
    m.clock.now.0 += seconds as i64;
    update(m, Msg::Tick)
}

fn draw(m: &mut Model) {
    let mut terminal = Terminal::new(TestBackend::new(m.size.0, m.size.1)).unwrap();
    terminal.draw(|frame| crate::ui::view::view(m, frame)).unwrap();
}

fn reply(m: &Model) -> &crate::ui::model::reply::Reply {
    match m.overlays.last() {
        Some(Overlay::Reply(reply)) => reply,
        _ => panic!("no question is open"),
    }
}

#[test]
fn rule_6_every_action_does_something_sane_everywhere() {
    let makers: [fn() -> Model; 4] = [
        deck,
        on_session,
        || on_gate(ResultClass::Partial),
        || {
            let mut m = deck();
            act(&mut m, Action::New);
            m
        },
    ];
    for make in makers {
        for entry in ACTIONS {
            let mut m = make();
            act(&mut m, entry.action);
            draw(&mut m);
            // And whatever it opened can be left again.
            for _ in 0..4 {
                act(&mut m, Action::Back);
                act(&mut m, Action::Later);
                act(&mut m, Action::No);
                act(&mut m, Action::Cancel);
            }
            assert!(m.overlays.is_empty(), "{}", entry.name);
            draw(&mut m);
        }
    }
}

#[test]
fn the_deck_moves_and_opens() {
    let mut m = deck();
    assert_eq!(m.deck.selected, Some(cap()), "who waits longest is first");
    press(&mut m, KeyCode::Down);
    assert_eq!(m.deck.selected, Some(id(7, "choose-cache-eviction")));
    typed(&mut m, "G");
    assert_eq!(m.deck.selected, Some(id(2, "other-programs-session")));
    typed(&mut m, "gk");
    assert_eq!(m.deck.selected, Some(cap()));
    let cmds = press(&mut m, KeyCode::Enter);
    assert_eq!(asks(&cmds), [Ask::Watch { id: cap() }, Ask::Events { id: cap() }]);
    assert_eq!(m.context(), Context::Session);
    let cmds = press(&mut m, KeyCode::Esc);
    assert_eq!((m.context(), asks(&cmds)), (Context::Deck, vec![]), "the selected session stays watched");
}

#[test]
fn a_selection_that_rests_is_looked_into_and_one_that_moves_on_is_not() {
    let mut m = deck();
    m.deck.peek_at = None;
    typed(&mut m, "jj");
    let cmds = later(&mut m, 1);
    assert_eq!(asks(&cmds), [Ask::Watch { id: id(8, "agree-log-rotation") }]);
    typed(&mut m, "j");
    let cmds = later(&mut m, 1);
    let other = id(6, "port-auth-middleware");
    assert_eq!(asks(&cmds), [Ask::Watch { id: other }, Ask::Unwatch { id: id(8, "agree-log-rotation") }]);
}

#[test]
fn the_filter_narrows_while_it_is_typed() {
    let mut m = deck();
    typed(&mut m, "/");
    typed(&mut m, "МЕТРИКИ");
    assert_eq!(m.deck.selected, Some(id(3, "pereimenovat-metriki")));
    press(&mut m, KeyCode::Enter);
    assert_eq!((m.context(), m.deck.filter.as_str()), (Context::Deck, "МЕТРИКИ"));
    typed(&mut m, "/");
    press(&mut m, KeyCode::Backspace);
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.deck.filter, "");
}

#[test]
fn a_question_opens_only_when_asked_for_and_takes_no_keys_before() {
    let mut m = on_session();
    let mut all = rows();
    all[0].questions.push(question(QuestionKind::Close, "close", 0, "Close?", &[]));
    hear(&mut m, Tell::Deck { rows: all, total: 8 });
    assert!(m.overlays.is_empty());
    typed(&mut m, "!");
    typed(&mut m, "q? !nj");
    assert_eq!(reply(&m).text(), "q? !nj", "while text is edited, what types a character types it");
}

#[test]
fn rule_8_a_draft_survives_leaving_and_goes_when_it_is_sent() {
    let mut m = on_session();
    press(&mut m, KeyCode::Enter);
    typed(&mut m, "нет");
    press(&mut m, KeyCode::Enter);
    typed(&mut m, "совсем");
    let cmds = press(&mut m, KeyCode::Esc);
    assert_eq!(cmds, [Cmd::Keep]);
    assert_eq!(m.drafts.values().collect::<Vec<_>>(), ["нет\nсовсем"]);
    press(&mut m, KeyCode::Enter);
    assert_eq!(reply(&m).text(), "нет\nсовсем");
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::CONTROL);
    assert_eq!(commanded(&cmds), [answered("escalation-00", "нет\nсовсем")]);
    assert!(cmds.contains(&Cmd::Keep) && m.drafts.is_empty() && m.overlays.is_empty());
}

#[test]
fn rule_8_a_draft_is_kept_a_second_after_it_changed() {
    let mut m = on_session();
    press(&mut m, KeyCode::Enter);
    m.deck.peek_at = None;
    typed(&mut m, "x");
    assert_eq!(m.next_wake().map(|at| at - m.clock.at), Some(Duration::from_secs(1)));
    assert_eq!(later(&mut m, 1), [Cmd::Keep]);
}

#[test]
fn a_question_that_closed_meanwhile_is_not_answered_and_its_text_stays() {
    let mut m = on_session();
    press(&mut m, KeyCode::Enter);
    typed(&mut m, "too late");
    let quiet = rows().into_iter().map(|r| Row { questions: vec![], ..r }).collect();
    hear(&mut m, Tell::Deck { rows: quiet, total: 8 });
    assert!(reply(&m).gone);
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::ALT);
    assert_eq!((commanded(&cmds), reply(&m).text()), (vec![], "too late".to_string()));
    assert!(said(&m).contains("closed"));
}

#[test]
fn choices_are_taken_by_enter_and_those_with_words_go_on_in_the_text() {
    let mut m = on_session();
    let choices = [("close", "close the session"), ("extend: …", "go on; the text is the reason")];
    let q = question(QuestionKind::Close, "close", 1, "Closing?", &choices);
    open::question(&mut m, &cap(), &q);
    assert_eq!(reply(&m).focus, Focus::Choices);
    typed(&mut m, "2");
    assert!(press(&mut m, KeyCode::Enter).is_empty());
    assert_eq!((reply(&m).focus, reply(&m).text()), (Focus::Text, "extend: ".to_string()));
    typed(&mut m, "costs");
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::ALT);
    assert_eq!(commanded(&cmds), [answered("close", "extend: costs")]);
    open::question(&mut m, &cap(), &q);
    press(&mut m, KeyCode::Down);
    press(&mut m, KeyCode::Up);
    assert_eq!(commanded(&press(&mut m, KeyCode::Enter)), [answered("close", "close")]);
}

#[test]
fn nothing_is_sent_without_a_text() {
    let mut m = on_session();
    press(&mut m, KeyCode::Enter);
    typed(&mut m, "  ");
    assert!(commanded(&key(&mut m, KeyCode::Enter, KeyModifiers::CONTROL)).is_empty());
    assert!(said(&m).contains("no text"));
}

#[test]
fn the_editor_gives_its_text_back() {
    let mut m = on_session();
    press(&mut m, KeyCode::Enter);
    typed(&mut m, "short");
    assert_eq!(key(&mut m, KeyCode::Char('e'), KeyModifiers::CONTROL), [Cmd::Edit("short".into())]);
    update(&mut m, Msg::Edited(Ok("long\nand safe \u{1b}[31m\n".into())));
    assert_eq!(reply(&m).text(), "long\nand safe ");
    update(&mut m, Msg::Edited(Err("vi: not found".into())));
    assert!(said(&m).contains("vi: not found"));
    assert_eq!(reply(&m).text(), "long\nand safe ");
}

#[test]
fn the_turn_behind_a_question_is_one_key_away() {
    let mut m = on_session();
    press(&mut m, KeyCode::Enter);
    let cmds = key(&mut m, KeyCode::Char('t'), KeyModifiers::CONTROL);
    assert_eq!(asks(&cmds), [Ask::Read { id: cap(), file: "02-peer-codex.md".into() }]);
    assert_eq!(m.context(), Context::Reader);
    hear(&mut m, Tell::File { id: cap(), file: "02-peer-codex.md".into(), text: "words".into() });
    let cmds = typed(&mut m, "y");
    assert_eq!(cmds, [Cmd::Copy("/sessions/2026-08/24/cap-fetcher-retries/02-peer-codex.md".into())]);
    assert!(said(&m).contains("may refuse"), "complaint 20: copying says the truth");
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.context(), Context::Question);
}

#[test]
fn rule_9_a_weak_panel_takes_the_same_key_twice() {
    let mut m = on_gate(ResultClass::Partial);
    assert_eq!(m.context(), Context::Gate);
    assert!(commanded(&typed(&mut m, "a")).is_empty());
    assert!(commanded(&typed(&mut m, "c")).is_empty(), "another key begins anew");
    assert_eq!(commanded(&typed(&mut m, "c")), [answered("gate", "C")]);
    assert_eq!(m.context(), Context::Session);
}

#[test]
fn rule_9_a_sound_panel_takes_one_key() {
    let mut m = on_gate(ResultClass::Agreed);
    assert_eq!(commanded(&typed(&mut m, "a")), [answered("gate", "A")]);
}

#[test]
fn the_gate_leads_to_what_it_rests_on() {
    let mut m = on_gate(ResultClass::Partial);
    let read = asks(&typed(&mut m, "s"));
    assert_eq!(read, [Ask::Read { id: cap(), file: "03-peer-codex.md".into() }]);
    press(&mut m, KeyCode::Esc);
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.context(), Context::Session, "the gate stays open and counted");
}

#[test]
fn a_closed_gate_is_not_answered() {
    let mut m = on_gate(ResultClass::Agreed);
    hear(
        &mut m,
        Tell::Deck { rows: vec![Row { questions: vec![], ..row(9, CAP.1, "codex+hermes") }], total: 1 },
    );
    assert!(commanded(&typed(&mut m, "a")).is_empty());
    assert!(said(&m).contains("closed"));
}

fn running(m: &mut Model) -> Call {
    let call = call(Some("codex"), 2);
    hear(m, event(41, Fact::CallStarted { call: call.clone() }));
    hear(m, Tell::Progress { id: cap(), call: call.clone(), progress: Progress::Text("half".into()) });
    call
}

#[test]
fn pc_701_cutting_in_names_the_call_that_it_stops() {
    let mut m = on_session();
    let call = running(&mut m);
    typed(&mut m, "x");
    typed(&mut m, "listen");
    // Meanwhile somebody else speaks: whoever was meant is named, and the engine stops nobody in its place.
    hear(&mut m, event(42, Fact::CallEnded { call: call.clone(), failure: None, millis: 1, usage: None }));
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::ALT);
    assert_eq!(commanded(&cmds), [Command::CutIn { call: Box::new(call), text: "listen".into() }]);
}

#[test]
fn pc_701_a_call_is_stopped_without_words_too() {
    let mut m = on_session();
    let call = running(&mut m);
    typed(&mut m, "x");
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::ALT);
    assert_eq!(commanded(&cmds), [Command::CutIn { call: Box::new(call), text: String::new() }]);
}

#[test]
fn complaint_53_an_answer_on_its_way_is_neither_counted_nor_given_twice() {
    let mut m = on_session();
    let before = m.waiting().0;
    key(&mut m, KeyCode::Enter, KeyModifiers::empty());
    typed(&mut m, "no downtime");
    assert_eq!(commanded(&key(&mut m, KeyCode::Enter, KeyModifiers::ALT)).len(), 1);
    assert_eq!(m.waiting().0, before - 1);
    key(&mut m, KeyCode::Enter, KeyModifiers::empty());
    assert!(m.overlays.is_empty() && said(&m).contains("nothing waits"), "{:?}", m.toast);
    // The engine still names it some seconds later: it was no answer, and the question is back.
    m.clock.at += Duration::from_secs(4);
    assert_eq!(m.waiting().0, before);
    key(&mut m, KeyCode::Enter, KeyModifiers::empty());
    assert_eq!(m.overlays.len(), 1);
}

#[test]
fn words_for_the_writer_stop_nothing() {
    let mut m = on_session();
    typed(&mut m, "d");
    typed(&mut m, "shorter");
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::ALT);
    assert_eq!(commanded(&cmds), [Command::Direct { text: "shorter".into() }]);
}

#[test]
fn pause_does_what_fits_the_owner() {
    let mut m = deck();
    assert_eq!(commanded(&typed(&mut m, "p")), [Command::Pause]);
    let with =
        |owner, status| Tell::Deck { rows: vec![Row { owner, status, ..row(9, CAP.1, "codex") }], total: 1 };
    use crate::domain::session::meta::Status;
    hear(&mut m, with(Owner::Nobody, Status::Started));
    assert_eq!(asks(&typed(&mut m, "p")), [Ask::Resume { id: cap(), yes: false }]);
    hear(&mut m, with(Owner::Other { pid: 7 }, Status::Started));
    assert!(typed(&mut m, "p").is_empty() && said(&m).contains("another process"));
    hear(&mut m, with(Owner::Nobody, Status::Interrupted));
    assert!(typed(&mut m, "p").is_empty());
    assert_eq!(asks(&typed(&mut m, "y")), [Ask::Resume { id: cap(), yes: true }]);
}

#[test]
fn interrupting_and_finalizing_ask_first() {
    let mut m = on_session();
    typed(&mut m, "i");
    assert!(typed(&mut m, "n").is_empty());
    typed(&mut m, "i");
    assert_eq!(commanded(&typed(&mut m, "y")), [Command::Interrupt]);
    act(&mut m, Action::Finalize);
    assert_eq!(asks(&typed(&mut m, "y")), [Ask::Finalize { id: cap() }]);
}

#[test]
fn rule_1_a_new_question_rings_once_after_two_seconds_unless_it_is_in_view() {
    let mut m = deck();
    let mut all = rows();
    all[1].questions = vec![question(QuestionKind::Close, "close", 0, "Close?", &[])];
    hear(&mut m, Tell::Deck { rows: all.clone(), total: 8 });
    assert!(!later(&mut m, 1).iter().any(|c| matches!(c, Cmd::Notice(_))));
    assert_eq!(later(&mut m, 1), [Cmd::Notice("agree-log-rotation waits for you".into())]);
    assert!(later(&mut m, 9).is_empty());
    let mut m = on_session();
    all[0].questions.push(question(QuestionKind::Close, "close", 0, "Close?", &[]));
    all[1].questions.clear();
    hear(&mut m, Tell::Deck { rows: all.clone(), total: 8 });
    assert!(!later(&mut m, 5).iter().any(|c| matches!(c, Cmd::Notice(_))), "its session is in view");
    all[0].questions.push(question(QuestionKind::Commit, "commit", 0, "Commit?", &[]));
    update(&mut m, Msg::Focus(false));
    hear(&mut m, Tell::Deck { rows: all, total: 8 });
    assert!(later(&mut m, 5).iter().any(|c| matches!(c, Cmd::Notice(_))), "the pilot looks elsewhere");
}

#[test]
fn the_next_question_is_the_one_that_waits_longest_then_the_one_after_it() {
    let mut m = deck();
    typed(&mut m, "!");
    assert_eq!((reply(&m).id.clone(), m.front()), (cap(), Some(&cap())));
    act(&mut m, Action::NextQuestion);
    assert!(matches!(m.screens.last(), Some(Screen::Gate(g)) if g.id == id(7, "choose-cache-eviction")));
    act(&mut m, Action::NextQuestion);
    assert_eq!(reply(&m).id, cap(), "around");
}

#[test]
fn help_finds_and_the_palette_runs() {
    let mut m = on_session();
    typed(&mut m, "?");
    typed(&mut m, "words writer");
    let Some(Overlay::Menu(menu)) = m.overlays.last() else { panic!("no help") };
    let items = menu.items(&m);
    assert_eq!(items.len(), 1);
    assert_eq!((items[0].name.as_str(), items[0].keys.as_str()), ("direct", "d"));
    press(&mut m, KeyCode::Esc);
    typed(&mut m, ":");
    typed(&mut m, "doctor");
    assert_eq!(asks(&press(&mut m, KeyCode::Enter)), [Ask::Doctor]);
    hear(&mut m, Tell::Doctor { text: "all well".into() });
    assert!(matches!(m.overlays.last(), Some(Overlay::Reader(r)) if r.text.as_deref() == Some("all well")));
}

#[test]
fn files_open_with_links_and_other_files_as_they_are() {
    let mut m = on_session();
    typed(&mut m, "t");
    typed(&mut m, "01-peer");
    assert_eq!(
        asks(&press(&mut m, KeyCode::Enter)),
        [Ask::Read { id: cap(), file: "01-peer-codex.md".into() }]
    );
    assert_eq!(m.context(), Context::Report);
    hear(&mut m, Tell::File { id: cap(), file: "01-peer-codex.md".into(), text: "# One\n\n## Two\n".into() });
    typed(&mut m, "o");
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.context(), Context::Report, "the outline closes first");
    press(&mut m, KeyCode::Esc);
    typed(&mut m, "t");
    typed(&mut m, "meta");
    press(&mut m, KeyCode::Enter);
    assert_eq!(m.context(), Context::Reader);
}

#[test]
fn the_library_takes_what_is_typed_and_opens_at_the_line() {
    let mut m = deck();
    typed(&mut m, "L");
    let found = asks(&typed(&mut m, "да"));
    assert_eq!(found.last(), Some(&Ask::Search { seq: 2, query: "да".into(), limit: 200 }));
    let hit = crate::engine::wire::Hit {
        id: cap(),
        file: "report.md".into(),
        line: 7,
        text: "да".into(),
        marks: vec![],
    };
    hear(&mut m, Tell::Found { seq: 2, hits: vec![hit], done: true, scanned: 1, total: 1 });
    let read = asks(&press(&mut m, KeyCode::Enter));
    assert!(read.contains(&Ask::Read { id: cap(), file: "report.md".into() }), "{read:?}");
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.context(), Context::Library);
}

#[test]
fn pc_705_what_was_found_spoiled_is_said_on_the_screen() {
    let mut m = on_session();
    let fact = Fact::Repaired { what: vec!["notes.json: torn\u{1b}[31m".into()] };
    let event = crate::engine::wire::Event { seq: 41, time: m.clock.now.to_string(), fact };
    hear(&mut m, Tell::Event { id: cap(), event: Box::new(event) });
    assert!(said(&m).contains("mended: notes.json: torn") && !said(&m).contains('\u{1b}'), "{:?}", m.toast);
}

#[test]
fn a_replay_plays_by_ticks_and_marks_what_was_seen() {
    let mut m = on_session();
    assert!(asks(&typed(&mut m, "R")).contains(&Ask::Events { id: cap() }));
    let log: Vec<_> = (1..=3)
        .map(|seq| crate::engine::wire::Event {
            seq,
            time: m.clock.now.to_string(),
            fact: Fact::Noted { text: "x".into() },
        })
        .collect();
    hear(&mut m, Tell::Events { id: cap(), events: log });
    press(&mut m, KeyCode::Right);
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.context(), Context::Session);
    assert_eq!(m.seen.of(&cap()), 3);
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.seen.of(&cap()), 40, "leaving a session marks it as seen");
}

#[test]
fn pc_010_the_form_asks_begins_and_shows_the_new_session() {
    let mut m = deck();
    typed(&mut m, "n");
    let start = |m: &mut Model| key(m, KeyCode::Enter, KeyModifiers::CONTROL);
    assert!(asks(&start(&mut m)).is_empty(), "without a task nothing is asked");
    typed(&mut m, "Ещё раз?");
    press(&mut m, KeyCode::Tab);
    typed(&mut m, "codex");
    let Some(Ask::Begin { plan }) = asks(&start(&mut m)).pop() else { panic!("not begun") };
    assert_eq!((plan.task.as_str(), plan.peers.as_str(), plan.yes), ("Ещё раз?", "codex", false));
    hear(&mut m, Tell::Opening { announcement: vec!["a".into()], questions: vec!["no WP. Go on?".into()] });
    let Some(Ask::Begin { plan }) = asks(&start(&mut m)).pop() else { panic!("not begun") };
    assert!(plan.yes);
    hear(&mut m, Tell::Refused { what: "begin".into(), why: "no peer".into() });
    assert!(matches!(m.screens.last(), Some(Screen::New(f)) if f.problem.as_deref() == Some("no peer")));
    press(&mut m, KeyCode::Esc);
    assert_eq!(m.drafts["new/task"], "Ещё раз?");
    typed(&mut m, "n");
    start(&mut m);
    let cmds = hear(&mut m, Tell::Began { id: id(10, "new"), announcement: vec![] });
    assert!(asks(&cmds).contains(&Ask::Watch { id: id(10, "new") }));
    assert_eq!((m.context(), m.drafts.len()), (Context::Session, 0));
}

#[test]
fn a_plan_changed_after_the_opening_is_asked_about_again() {
    let mut m = deck();
    typed(&mut m, "n");
    typed(&mut m, "task");
    hear(&mut m, Tell::Opening { announcement: vec![], questions: vec!["?".into()] });
    typed(&mut m, "s");
    let cmds = key(&mut m, KeyCode::Enter, KeyModifiers::CONTROL);
    assert!(matches!(&asks(&cmds)[..], [Ask::Begin { plan }] if !plan.yes));
}

#[test]
fn the_mouse_selects_opens_and_scrolls_and_its_movement_costs_nothing() {
    let mut m = deck();
    draw(&mut m);
    let mouse = |kind, row| MouseEvent { kind, column: 10, row, modifiers: KeyModifiers::empty() };
    let click =
        |m: &mut Model, row| update(m, Msg::Mouse(mouse(MouseEventKind::Down(MouseButton::Left), row)));
    click(&mut m, 6);
    assert_eq!(m.deck.selected, Some(id(8, "agree-log-rotation")));
    click(&mut m, 6);
    assert_eq!(m.context(), Context::Session);
    m.dirty = false;
    update(&mut m, Msg::Mouse(mouse(MouseEventKind::Moved, 3)));
    assert!(!m.dirty);
    let mut m = on_session();
    act(&mut m, Action::Help);
    draw(&mut m);
    update(&mut m, Msg::Mouse(mouse(MouseEventKind::ScrollDown, 8)));
    assert!(matches!(m.overlays.last(), Some(Overlay::Menu(menu)) if menu.selected == 1));
}

#[test]
fn rule_2_what_comes_does_not_move_the_reader() {
    let mut m = on_session();
    m.size = (80, 15);
    let call = call(None, 2);
    hear(&mut m, event(41, Fact::CallStarted { call: call.clone() }));
    let text = |m: &mut Model, n: usize| {
        let progress = Progress::Text("line\n".repeat(n));
        hear(m, Tell::Progress { id: cap(), call: call.clone(), progress });
        draw(m);
    };
    text(&mut m, 30);
    let pane = Pane::Lane(cap(), 0);
    let end = m.layout.scrolls[&pane].top;
    typed(&mut m, "kkk");
    text(&mut m, 30);
    assert_eq!(m.layout.scrolls[&pane].top, end - 3, "complaint 4");
    assert!(m.layout.scrolls[&pane].has_new());
    typed(&mut m, "f");
    text(&mut m, 5);
    assert_eq!(m.layout.scrolls[&pane].below(), 0);
}

#[test]
fn rule_6_sequences_and_the_russian_layout_work_in_the_screen() {
    let mut m = deck();
    m.look.keymap = Keymap::shipped("vim").unwrap();
    typed(&mut m, "G");
    typed(&mut m, "пп");
    assert_eq!(m.deck.selected, Some(cap()), "g g on a Russian layout");
    typed(&mut m, "g");
    assert_eq!(m.typed.len(), 1);
    typed(&mut m, "j");
    assert!(m.typed.is_empty());
    assert_eq!(m.deck.selected, Some(id(7, "choose-cache-eviction")), "the second key begins anew");
    assert_eq!(typed(&mut m, "й"), [Cmd::Keep, Cmd::Quit]);
}

#[test]
fn a_key_let_go_is_no_key() {
    let mut m = deck();
    let mut event = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::empty());
    event.kind = crossterm::event::KeyEventKind::Release;
    assert!(update(&mut m, Msg::Key(event)).is_empty(), "complaint 19");
}

#[test]
fn pasted_text_is_text() {
    let mut m = on_session();
    update(&mut m, Msg::Paste("q\rn".into()));
    assert_eq!(m.context(), Context::Session, "no keys");
    press(&mut m, KeyCode::Enter);
    update(&mut m, Msg::Paste("one\r\ntwo \u{1b}]0;x\u{7}".into()));
    assert_eq!(reply(&m).text(), "one\n\ntwo ␛]0;x␇");
    press(&mut m, KeyCode::Esc);
    typed(&mut m, ":");
    update(&mut m, Msg::Paste("a\nb".into()));
    assert!(matches!(m.overlays.last(), Some(Overlay::Menu(menu)) if menu.query == "a b"));
}

#[test]
fn what_the_engine_refuses_is_said_where_it_was_asked() {
    let mut m = on_session();
    open::file(&mut m, &cap(), "gone.md", None);
    hear(&mut m, Tell::Refused { what: "read gone.md".into(), why: "there is no such file".into() });
    assert!(
        matches!(m.overlays.last(), Some(Overlay::Reader(r)) if r.text.as_deref() == Some("there is no such file"))
    );
    assert_eq!(said(&m), "read gone.md: there is no such file");
}

#[test]
fn complaint_53_an_answered_question_is_gone_from_the_screen() {
    let mut m = on_session();
    hear(&mut m, event(41, Fact::EscalationAnswered { index: 0, answer: "no".into() }));
    assert!(m.watched[&cap()].view.questions.is_empty());
    let mut all = rows();
    all[0].questions.clear();
    hear(&mut m, Tell::Deck { rows: all, total: 8 });
    assert_eq!(m.waiting().0, 1);
}

#[test]
fn pc_070_what_the_engine_notes_about_the_session_in_front_is_shown() {
    let noted = |text: &str| Tell::Event {
        id: cap(),
        event: Box::new(crate::engine::wire::Event {
            seq: 1_000,
            time: String::new(),
            fact: Fact::Noted { text: text.into() },
        }),
    };
    let mut m = on_session();
    m.toast = None;
    hear(&mut m, noted("01-peer-codex.md: frontmatter says turn 9, it is 1"));
    assert!(m.toast.is_none(), "it stands in the replay");
    hear(&mut m, noted("Integrity: while codex was called, meta.yaml changed"));
    assert_eq!(m.toast.as_ref().unwrap().text, "Integrity: while codex was called, meta.yaml changed");
    m.toast = None;
    press(&mut m, KeyCode::Esc);
    hear(&mut m, noted("Integrity: again"));
    assert!(m.toast.is_none(), "another screen is in front");
}
