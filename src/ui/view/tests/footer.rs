//! The footer: what it offers works where it stands, and nothing that it could say is hidden by what says less.

use super::*;
use crate::ui::model::tests::rows;
use crate::ui::theme::Role;

fn footer(model: &mut Model) -> String {
    drawn(model).lines().last().unwrap_or_default().to_string()
}

fn deck(size: (u16, u16), lang: Lang) -> Model {
    let mut m = model(size, lang);
    hear(&mut m, Tell::Deck { rows: rows(), total: 3 });
    m
}

#[test]
fn rule_6_where_a_text_is_edited_no_letter_is_offered_as_a_key() {
    for action in [Action::Library, Action::New] {
        let mut m = deck((120, 40), Lang::En);
        act(&mut m, action);
        let shown = footer(&mut m);
        assert!(shown.contains("F1 keys") && shown.contains("F2 next question"), "{shown}");
        assert!(!shown.contains("? keys") && !shown.contains("! next"), "{shown}");
        // They do what they say, and the letter is text.
        update(&mut m, Msg::Key(KeyEvent::new(KeyCode::Char('?'), KeyModifiers::NONE)));
        assert!(m.overlays.is_empty());
        update(&mut m, Msg::Key(KeyEvent::new(KeyCode::F(1), KeyModifiers::NONE)));
        assert_eq!(m.overlays.len(), 1);
        assert!(!footer(&mut m).contains("keys"), "no list lies over a list");
    }
}

#[test]
fn rule_6_how_an_answer_is_sent_stands_beside_what_just_happened() {
    for size in [(80, 24), (100, 30)] {
        let mut m = on_session(size, Lang::Ru, session());
        act(&mut m, Action::Answer);
        m.say("очень длинное сообщение о том, что только что случилось, которое заняло бы всю строку и ещё одну", Role::Done);
        let shown = footer(&mut m);
        assert!(shown.contains("очень длинное") && shown.contains("… "), "{shown}");
        assert!(shown.contains("отправить") && shown.contains("клавиши"), "{shown}");
    }
}

#[test]
fn rule_6_what_a_key_could_not_do_goes_with_the_next_key() {
    let mut m = on_session((80, 24), Lang::En, session());
    update(&mut m, Msg::Key(KeyEvent::new(KeyCode::Char('P'), KeyModifiers::NONE)));
    assert!(footer(&mut m).contains("nothing is implemented"));
    update(&mut m, Msg::Key(KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE)));
    assert!(footer(&mut m).contains("? keys"));
}

#[test]
fn rule_6_go_on_is_offered_for_a_closing_that_was_cut_off() {
    use crate::domain::session::meta::Status;
    use crate::engine::wire::Owner;
    let mut m = model((80, 24), Lang::En);
    let mut one = rows().remove(0);
    (one.status, one.owner, one.questions) = (Status::Completed, Owner::Nobody, Vec::new());
    for (phase, offered) in [("finalize", true), ("closed", false)] {
        one.phase = phase.into();
        hear(&mut m, Tell::Deck { rows: vec![one.clone()], total: 1 });
        let shown = footer(&mut m);
        assert_eq!(shown.contains("p go on"), offered, "{shown}");
    }
}

#[test]
fn complaint_22_a_number_opens_its_session_from_anywhere() {
    let mut m = deck((80, 24), Lang::En);
    let (slot, id) = (1..=9).find_map(|n| Some((n, m.slots.session(n)?.clone()))).unwrap();
    let digit = char::from_digit(slot.into(), 10).unwrap();
    assert!(drawn(&mut m).contains(&format!("{slot} ")));
    act(&mut m, Action::Library);
    update(&mut m, Msg::Key(KeyEvent::new(KeyCode::Char(digit), KeyModifiers::ALT)));
    assert_eq!(m.front(), Some(&id));
}

#[test]
fn what_happened_stands_before_the_keys_and_not_in_their_place() {
    for lang in [Lang::En, Lang::Ru] {
        let mut m = on_session((80, 24), lang, session());
        let first = footer(&mut m).split_whitespace().next().unwrap_or_default().to_string();
        m.say("copied", Role::Done);
        let shown = footer(&mut m);
        assert!(shown.contains("copied") && shown.contains(&first), "{shown}");
        m.say("a long story ".repeat(20), Role::Done);
        let shown = footer(&mut m);
        assert!(shown.contains("a long story") && shown.contains(" ? "), "{shown}");
    }
}

#[test]
fn an_answer_that_is_on_its_way_is_not_asked_for_again() {
    let mut m = on_session((80, 24), Lang::En, session());
    assert!(footer(&mut m).contains("Enter answer"));
    let id = m.front().unwrap().clone();
    for q in m.watched[&id].view.questions.clone() {
        m.sends(&id, &q.id);
    }
    assert!(!footer(&mut m).contains("Enter answer"));
}
