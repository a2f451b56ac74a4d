use super::*;
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use crate::domain::session::state::Session;
use crate::engine::wire::{Owner, Progress, Tell};
use crate::ui::action::Action;
use crate::ui::model::tests::{
    GATE, HOSTILE, at_gate, call, event, hear, id, model, question, session, view_of,
};
use crate::ui::model::{Model, Shown};
use crate::ui::msg::Msg;
use crate::ui::update::{act, open, update};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 15)];

/// The screen as text, blanks at line ends removed.
fn drawn(model: &mut Model) -> String {
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
        out.push_str(line.trim_end());
        out.push('\n');
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

#[test]
fn look() {
    for size in SIZES {
        for lang in [Lang::En, Lang::Ru] {
            let mut m = model(size, lang);
            println!("{}", drawn(&mut m));
            let mut m = on_session(size, lang, session());
            running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
            println!("{}", drawn(&mut m));
            act(&mut m, Action::Answer);
            println!("{}", drawn(&mut m));
            let mut m = on_session(size, lang, at_gate());
            m.watched
                .values_mut()
                .for_each(|w| w.view.questions = vec![question(QuestionKind::Gate, "gate", 3, "x", GATE)]);
            act(&mut m, Action::Answer);
            println!("{}", drawn(&mut m));
            act(&mut m, Action::Help);
            println!("{}", drawn(&mut m));
            let mut m = model(size, lang);
            act(&mut m, Action::New);
            println!("{}", drawn(&mut m));
            act(&mut m, Action::Interrupt);
        }
    }
}
