use super::*;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::content::{Decision, Mark, Record};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::ui::model::pipeline::tests::{
    deployed, findings, gated, heard_diff, implementing, on_pipeline, patches, verified,
};
use crate::ui::model::tests::{event, hear, id, now, question};
use crate::ui::msg::Msg;
use crate::ui::update::update;
use crate::ui::view::tests::drawn;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

const SIZE: (u16, u16) = (80, 24);

fn cap() -> SessionId {
    id(9, "cap-fetcher-retries")
}

fn at_gate() -> Model {
    let mut m = on_pipeline(SIZE, Lang::En, gated());
    heard_diff(&mut m);
    m
}

fn typed(m: &mut Model, text: &str) -> Vec<Cmd> {
    let key = |c| Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::empty()));
    text.chars().flat_map(|c| update(m, key(c))).collect()
}

fn press(m: &mut Model, code: KeyCode) -> Vec<Cmd> {
    update(m, Msg::Key(KeyEvent::new(code, KeyModifiers::empty())))
}

fn asks(cmds: &[Cmd]) -> Vec<Ask> {
    cmds.iter().filter_map(|c| if let Cmd::Ask(ask) = c { Some((**ask).clone()) } else { None }).collect()
}

fn answered(question: &str, text: &str) -> Ask {
    Ask::Command { id: cap(), command: Command::Answer { question: question.into(), text: text.into() } }
}

fn here(m: &Model) -> &Pipeline {
    match m.screens.last() {
        Some(Screen::Pipeline(p)) => p,
        _ => panic!("another screen is in front"),
    }
}

fn line(m: &Model) -> String {
    let p = here(m);
    let doc = p.doc.as_ref().unwrap();
    doc.text(&doc.rows[p.cursor]).to_string()
}

fn said(m: &Model) -> &str {
    m.toast.as_ref().map_or("", |t| t.text.as_str())
}

fn diff_asked(scope: Scope, file: Option<&str>) -> Ask {
    let context = if file.is_some() { WHOLE } else { CONTEXT };
    Ask::Diff { id: cap(), scope, file: file.map(str::to_string), context }
}

fn waits(m: &mut Model, kind: QuestionKind, id: &str, choices: &[(&str, &str)]) {
    let q = question(kind, id, 1, "What now?", choices);
    m.watched.values_mut().for_each(|w| w.view.questions = vec![q.clone()]);
}

#[test]
fn pc_503_each_change_is_answered_by_its_own_id_and_the_next_one_comes() {
    let mut m = at_gate();
    assert_eq!(here(&m).question().as_deref(), Some("content-01-1-1"), "the first open one is in front");
    drawn(&mut m);
    assert_eq!(asks(&typed(&mut m, "y")), [answered("content-01-1-1", "yes")]);
    assert_eq!(here(&m).question().as_deref(), Some("content-01-1-2"));
    drawn(&mut m);
    assert_eq!(asks(&typed(&mut m, "n")), [answered("content-01-1-2", "no")]);
    assert!(drawn(&mut m).contains("rejection sent"), "{}", drawn(&mut m));
}

#[test]
fn pc_503_what_was_not_drawn_is_not_decided_on() {
    let mut m = at_gate();
    drawn(&mut m);
    let cmds = typed(&mut m, "yyyy");
    assert_eq!(asks(&cmds), [answered("content-01-1-1", "yes")], "a held key approves nothing unseen");
    press(&mut m, KeyCode::Tab);
    drawn(&mut m);
    assert_eq!(asks(&typed(&mut m, "y")), [], "the diff is not on the screen");
}

#[test]
fn pc_503_a_change_is_seen_to_its_end_before_it_is_decided_on() {
    let mut m = on_pipeline((40, 15), Lang::En, gated());
    heard_diff(&mut m);
    typed(&mut m, "]]");
    let screen = drawn(&mut m);
    assert!(screen.contains("-gamma") && screen.contains("+delta"), "{screen}");
    assert_eq!(asks(&typed(&mut m, "y")), [answered("content-01-1-3", "yes")]);
    // One that is longer than the screen.
    let mut s = gated();
    let lines: Vec<String> = (0..100).map(|n| format!("line {n}\n")).collect();
    let edit = s.notes.track.as_mut().and_then(|t| t.edit.as_mut()).unwrap();
    edit.reserved[0].hunks[1].new = lines.clone();
    let mut m = on_pipeline(SIZE, Lang::En, s);
    let mut long = patches();
    let added: String = lines.iter().map(|l| format!("+{l}")).collect();
    long[0].text = format!("@@ -5 +5,101 @@\n alpha\n{added}");
    let (scope, edit, cut) = (Scope::Session, 1, false);
    hear(&mut m, Tell::Diff { id: cap(), scope, file: None, edit, patches: long, cut, why: None });
    typed(&mut m, "g]");
    drawn(&mut m);
    assert_eq!(asks(&typed(&mut m, "y")), []);
    assert!(said(&m).contains("to its end"));
    for _ in 0..5 {
        press(&mut m, KeyCode::PageDown);
        drawn(&mut m);
    }
    assert_eq!(asks(&typed(&mut m, "y")), [answered("content-01-1-2", "yes")]);
}

#[test]
fn pc_503_a_decided_change_is_not_decided_on_again() {
    let mut m = at_gate();
    let edit = gated().notes.track.unwrap().edit.unwrap();
    let marks = vec![Mark { id: 1, lines: "3".into(), decision: Decision::Approve }];
    let record = Record::new(now().to_string(), 1, &edit.reserved[0], marks);
    hear(&mut m, event(41, Fact::ContentDecided { record }));
    drawn(&mut m);
    assert_eq!(asks(&typed(&mut m, "n")), []);
    assert!(said(&m).contains("no open change under the cursor"));
    m.toast = None;
    assert!(drawn(&mut m).contains("✓ change 1/3 · approved"));
}

#[test]
fn pc_503_who_came_before_the_gate_stands_at_the_first_change_when_it_is_asked() {
    for moves in [false, true] {
        let mut early = gated();
        let shown = std::mem::take(&mut early.gate_log);
        let mut m = on_pipeline(SIZE, Lang::En, early);
        heard_diff(&mut m);
        assert_eq!(here(&m).question(), None);
        if moves {
            press(&mut m, KeyCode::Down);
        }
        for (n, record) in (41..).zip(shown) {
            hear(&mut m, event(n, Fact::ContentShown { record }));
        }
        let stands = here(&m).question();
        assert_eq!(stands.as_deref(), (!moves).then_some("content-01-1-1"), "his own place is left to him");
    }
}

#[test]
fn an_answer_that_was_refused_is_not_on_its_way() {
    let mut m = at_gate();
    drawn(&mut m);
    typed(&mut m, "y");
    hear(&mut m, Tell::Refused { what: "command".into(), why: "no open question".into() });
    assert!(here(&m).sent.is_empty());
}

#[test]
fn a_rule_in_words_goes_through_the_question() {
    let mut m = at_gate();
    typed(&mut m, "a");
    let Some(Overlay::Reply(reply)) = m.overlays.last() else { panic!("no question") };
    assert_eq!(reply.question().map(|q| q.id.as_str()), Some("content-01-1-1"));
    assert!(drawn(&mut m).contains("+We retry three times."), "{}", drawn(&mut m));
}

#[test]
fn every_open_change_counts_as_waiting() {
    let m = at_gate();
    assert_eq!(m.watched[&cap()].view.questions.len(), 3);
}

#[test]
fn changes_and_files_are_stepped_through() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    heard_diff(&mut m);
    assert_eq!(here(&m).cursor, 0);
    typed(&mut m, "]");
    assert_eq!(line(&m), "We retry until it works.");
    typed(&mut m, "]]]");
    assert_eq!(line(&m), "    while tries < 255 {");
    typed(&mut m, "[");
    assert_eq!(line(&m), "gamma");
    typed(&mut m, "}}");
    assert!(here(&m).place().unwrap().label.starts_with("site/"));
    typed(&mut m, "{");
    assert_eq!(here(&m).place().unwrap().label, "app/src/fetch/retry.rs");
    drawn(&mut m);
    typed(&mut m, "jj");
    assert_eq!(line(&m), "    let mut tries = 0;");
    typed(&mut m, "g");
    assert_eq!(here(&m).cursor, 0);
}

#[test]
fn the_diff_is_asked_for_once_and_again_when_it_may_differ() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    assert!(here(&m).asked.is_some());
    assert_eq!(asks(&sync(&mut m)), []);
    assert_eq!(asks(&typed(&mut m, "v")), [diff_asked(Scope::Branch, None)]);
    heard_diff(&mut m);
    assert!(here(&m).doc.is_none(), "an answer to an older question");
    assert_eq!(asks(&typed(&mut m, "v")), [diff_asked(Scope::Staged, None)]);
    assert_eq!(asks(&typed(&mut m, "v")), [diff_asked(Scope::Last, None)]);
    assert_eq!(asks(&typed(&mut m, "v")), [diff_asked(Scope::Session, None)]);
    let mut edit = implementing().notes.track.unwrap().edit.unwrap();
    edit.number = 2;
    let cmds = hear(&mut m, event(41, Fact::Edited { edit, report: String::new(), moved: vec![] }));
    assert_eq!(asks(&cmds), [diff_asked(Scope::Session, None)]);
}

#[test]
fn rule_2_a_new_diff_leaves_the_pilot_where_he_reads() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    heard_diff(&mut m);
    typed(&mut m, "}]");
    let place = here(&m).place();
    let mut newer = patches();
    newer[0].text.push_str(" more\n more\n");
    let (scope, edit, cut) = (Scope::Session, 1, false);
    hear(&mut m, Tell::Diff { id: cap(), scope, file: None, edit, patches: newer, cut, why: None });
    assert_eq!(here(&m).place().map(|p| p.label), place.map(|p| p.label));
}

#[test]
fn a_file_is_shown_as_a_whole_and_back() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    heard_diff(&mut m);
    typed(&mut m, "}]");
    assert_eq!(asks(&typed(&mut m, "w")), [diff_asked(Scope::Session, Some("app/src/fetch/retry.rs"))]);
    assert_eq!(asks(&typed(&mut m, "w")), [diff_asked(Scope::Session, None)]);
}

#[test]
fn a_finding_leads_to_its_line() {
    let mut m = on_pipeline(SIZE, Lang::En, findings());
    heard_diff(&mut m);
    press(&mut m, KeyCode::Tab);
    assert_eq!(here(&m).part, Part::Findings);
    press(&mut m, KeyCode::Enter);
    assert_eq!((here(&m).part, line(&m).starts_with("        // ")), (Part::Diff, true), "{}", line(&m));
    assert_eq!(here(&m).place().unwrap().line, 12);
}

#[test]
fn a_file_leads_to_its_diff() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    heard_diff(&mut m);
    press(&mut m, KeyCode::BackTab);
    press(&mut m, KeyCode::Down);
    press(&mut m, KeyCode::Down);
    press(&mut m, KeyCode::Enter);
    assert!(here(&m).place().unwrap().label.starts_with("site/"));
    // A file that was claimed and is not there leads nowhere.
    press(&mut m, KeyCode::BackTab);
    press(&mut m, KeyCode::Down);
    assert_eq!((press(&mut m, KeyCode::Enter), here(&m).part), (vec![], Part::Files));
}

#[test]
fn a_comment_names_its_line() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    heard_diff(&mut m);
    typed(&mut m, "}]jj");
    typed(&mut m, "c");
    typed(&mut m, "why?");
    let cmds = update(&mut m, Msg::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::CONTROL)));
    let text = "app/src/fetch/retry.rs:12: why?".to_string();
    assert_eq!(asks(&cmds), [Ask::Command { id: cap(), command: Command::Direct { text } }]);
    assert!(said(&m).contains("another edit"));
}

#[test]
fn nothing_is_said_to_an_implementation_that_is_over() {
    let mut m = on_pipeline(SIZE, Lang::En, deployed());
    heard_diff(&mut m);
    typed(&mut m, "c");
    assert!(m.overlays.is_empty() && said(&m).contains("over"));
}

#[test]
fn retry_and_escalate_answer_where_the_question_knows_them() {
    let mut m = on_pipeline(SIZE, Lang::En, verified(Verdict::Fail));
    waits(&mut m, QuestionKind::Verify, "verify-01", &[("fix", ""), ("retry", ""), ("escalate", "")]);
    assert_eq!(asks(&typed(&mut m, "r")), [answered("verify-01", "retry")]);
    assert_eq!(asks(&typed(&mut m, "e")), [answered("verify-01", "escalate")]);
    waits(&mut m, QuestionKind::Findings, "findings-01", &[("now", ""), ("after", "")]);
    assert_eq!(asks(&typed(&mut m, "re")), []);
    assert!(said(&m).contains("does not know"));
}

#[test]
fn the_text_of_a_verification_is_read_when_there_is_one() {
    let mut m = on_pipeline(SIZE, Lang::En, implementing());
    let verified = Fact::Verified { number: 1, verdict: Verdict::Pass, text: String::new() };
    let cmds = hear(&mut m, event(41, verified));
    assert_eq!(asks(&cmds), [Ask::Read { id: cap(), file: "verify-01.md".into() }]);
    hear(&mut m, Tell::File { id: cap(), file: "verify-01.md".into(), text: "PASS\n".into() });
    assert_eq!(here(&m).verify, Some(("verify-01.md".into(), Some("PASS\n".into()))));
}

#[test]
fn a_question_of_the_implementation_opens_over_its_screen() {
    let mut m = at_gate();
    press(&mut m, KeyCode::Esc);
    press(&mut m, KeyCode::Esc);
    let all = m.watched[&cap()].view.questions.clone();
    open::question(&mut m, &cap(), &all[2]);
    heard_diff(&mut m);
    assert_eq!(here(&m).question().as_deref(), Some("content-01-1-3"));
    assert!(m.overlays.is_empty(), "the diff is where it is answered");
    let verify = question(QuestionKind::Verify, "verify-01", 1, "?", &[("retry", "")]);
    open::question(&mut m, &cap(), &verify);
    assert_eq!((m.overlays.len(), m.screens.len()), (1, 2));
    press(&mut m, KeyCode::Esc);
    press(&mut m, KeyCode::Esc);
    assert!(matches!(m.screens.last(), Some(Screen::Session(_))));
}

#[test]
fn without_an_implementation_there_is_no_screen() {
    let m = on_pipeline(SIZE, Lang::En, crate::ui::model::tests::session());
    assert!(
        matches!(m.screens.last(), Some(Screen::Session(_))) && said(&m).contains("nothing is implemented")
    );
}

#[test]
fn side_by_side_is_for_wide_screens() {
    let mut m = on_pipeline((120, 40), Lang::En, implementing());
    heard_diff(&mut m);
    assert!(drawn(&mut m).contains("side by side"));
    typed(&mut m, "s");
    assert!(!drawn(&mut m).contains("side by side"));
    m.size = (119, 40);
    typed(&mut m, "s");
    assert!(said(&m).contains("120 columns"));
}

#[test]
fn the_mouse_selects_and_scrolls() {
    let mut m = on_pipeline((120, 40), Lang::En, findings());
    heard_diff(&mut m);
    let screen = drawn(&mut m);
    let y = screen.lines().position(|l| l.contains("· Medium ")).unwrap() as u16;
    let at =
        |kind, column, row| Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::empty() });
    let click = MouseEventKind::Down(MouseButton::Left);
    update(&mut m, at(click, 4, y));
    assert_eq!((here(&m).part, here(&m).finding), (Part::Findings, 1));
    update(&mut m, at(click, 4, y));
    assert_eq!((here(&m).part, here(&m).place().unwrap().label.as_str()), (Part::Diff, "app/Strategy.md"));
    let before = here(&m).cursor;
    update(&mut m, at(MouseEventKind::ScrollDown, 90, 20));
    assert!(here(&m).cursor > before);
    drawn(&mut m);
    update(&mut m, at(click, 90, 10));
    assert_eq!(here(&m).part, Part::Diff);
}

#[test]
fn every_action_does_something_sane_on_this_screen() {
    for entry in crate::ui::action::ACTIONS {
        for s in [implementing(), gated(), findings(), deployed()] {
            let mut m = on_pipeline(SIZE, Lang::Ru, s);
            act(&mut m, entry.action);
            heard_diff(&mut m);
            drawn(&mut m);
            for _ in 0..6 {
                crate::ui::update::act(&mut m, entry.action);
                drawn(&mut m);
            }
        }
    }
}

#[test]
fn a_long_diff_opens_and_is_walked_through() {
    let mut m = on_pipeline((120, 40), Lang::En, implementing());
    let lines: String = (0..20_000).map(|n| format!("-line {n}\n+line {n} with more words\n")).collect();
    let mut long = patches();
    long[0].text = format!("@@ -1,20000 +1,20000 @@\n{lines}");
    let (scope, edit, cut) = (Scope::Session, 1, true);
    hear(&mut m, Tell::Diff { id: cap(), scope, file: None, edit, patches: long, cut, why: None });
    assert!(drawn(&mut m).contains("longer than 8 MiB"));
    for _ in 0..300 {
        press(&mut m, KeyCode::PageDown);
        drawn(&mut m);
    }
    assert!(here(&m).cursor > 9_000, "{}", here(&m).cursor);
    typed(&mut m, "G");
    assert!(drawn(&mut m).contains("pub const LIMIT"));
}

#[test]
fn colours_come_after_the_first_frame_and_only_for_what_is_seen() {
    use crate::ui::code::paint::Painter;
    use crate::ui::code::{Painted, worker::Wish};
    let wish = |cmds: Vec<Cmd>| {
        cmds.into_iter().find_map(|c| if let Cmd::Paint(wish) = c { Some(wish) } else { None })
    };
    let mut m = on_pipeline((80, 24), Lang::En, deployed());
    heard_diff(&mut m);
    m.look.theme = crate::ui::theme::Theme::shipped("light", crate::ui::theme::Colours::True).unwrap();
    assert_eq!(wish(update(&mut m, Msg::Drawn)), None, "nothing was drawn");
    drawn(&mut m);
    let Wish { doc, rows } = wish(update(&mut m, Msg::Drawn)).expect("colours are wanted");
    assert_eq!(wish(update(&mut m, Msg::Drawn)), None, "they are under way");
    let painted = Painter::new().paint(&doc, rows.clone(), &|| false).unwrap();
    m.dirty = false;
    update(&mut m, Msg::Painted(Painted { stamp: doc.stamp + 7, from: 0, rows: painted.clone() }));
    assert!(!m.dirty, "of a document that is gone");
    update(&mut m, Msg::Painted(Painted { stamp: doc.stamp, from: rows.start, rows: painted }));
    assert!(m.dirty);
    let coloured =
        (0..doc.rows.len()).any(|row| here(&m).colours.of(doc.stamp, row).is_some_and(|r| !r.is_empty()));
    assert!(coloured);
    m.look.theme = crate::ui::theme::Theme::shipped("light", crate::ui::theme::Colours::None).unwrap();
    heard_diff(&mut m);
    drawn(&mut m);
    assert_eq!(wish(update(&mut m, Msg::Drawn)), None, "NO_COLOR");
}
