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
    let first = m.layout.wraps.whole(&id(9, "cap-fetcher-retries"), "00-writer.md", "", 1);
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
fn deck_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = model(size, lang);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | flightdeck                                 ! 2 waiting for you · oldest 14 min
    |────────────────────────────────────────────────────────────────────────────────
    | waiting
    |▌! cap-fetcher-retries      round 2/6   codex escalates: is downtime…    14 min
    | ◆ choose-cache-eviction    turn 1/6    Consensus reached.                3 min
    | live
    | ● agree-log-rotation       round 1/6   ✎ hermes writing · 41 s
    | ● port-auth-middleware     turn 4/10   red ␛]0;owned␇ ␛]52;c;aGk=␇ a…    09:41
    | today
    | ✗ drop-legacy-token-table  not agreed  2 escalations                     09:41
    | ◐ rename-metrics           partial     Decide about rename-metrics       09:41
    | earlier · 206 older ones in the library
    | ✓ pereimenovat-metriki     agreed      Переименовать метрики без про…    08-19
    | ◌ △ other-programs-session interrupted Decide about other-programs-s…    08-18
    |
    |
    |
    |
    |
    |
    |
    |
    |────────────────────────────────────────────────────────────────────────────────
    | Enter open   ! next question   n new   p pause   / filter   r report    ? keys
    ");
}

#[test]
fn deck_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = model(size, lang);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | flightdeck                                                                         ! 2 waiting for you · oldest 14 min
    |────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    | waiting                                                                │ 2026-08-24-09-cap-fetcher-retries
    |▌! cap-fetcher-retries      round 2/6   codex escalates: is d…   14 min │ Decide about cap-fetcher-retries
    | ◆ choose-cache-eviction    turn 1/6    Consensus reached.        3 min │
    | live                                                                   │ ! escalation-00 · 14 min
    | ● agree-log-rotation       round 1/6   ✎ hermes writing · 41…          │ codex escalates: is downtime allowed?
    | ● port-auth-middleware     turn 4/10   red ␛]0;owned␇ ␛]52;c…    09:41 │
    | today                                                                  │
    | ✗ drop-legacy-token-table  not agreed  2 escalations             09:41 │
    | ◐ rename-metrics           partial     Decide about rename-m…    09:41 │
    | earlier · 206 older ones in the library                                │
    | ✓ pereimenovat-metriki     agreed      Переименовать метрики…    08-19 │
    | ◌ △ other-programs-session interrupted Decide about other-pr…    08-18 │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |                                                                        │
    |────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    | Enter open   ! next question   n new   p pause   / filter   r report   L library   q quit                       ? keys
    ");
}

#[test]
fn deck_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = model(size, lang);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | flightdeck        ! 2 waiting · 14 min
    |────────────────────────────────────────
    | waiting
    |▌! cap-fetcher-retries           14 min
    | ◆ choose-cache-eviction          3 min
    | live
    | ● agree-log-rotation
    | ● port-auth-middleware           09:41
    | today
    | ✗ drop-legacy-token-table        09:41
    | ◐ rename-metrics                 09:41
    | earlier · 206 older ones in the library
    | ✓ pereimenovat-metriki        ↓ 1 more
    |────────────────────────────────────────
    | Enter open   ! next question    ? keys
    ");
}

#[test]
fn deck_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = model(size, lang);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | flightdeck                                 ! ждут тебя: 2 · дольше всех 14 мин
    |────────────────────────────────────────────────────────────────────────────────
    | ждут
    |▌! cap-fetcher-retries      раунд 2/6   codex escalates: is downtime…    14 мин
    | ◆ choose-cache-eviction    ход 1/6     Consensus reached.                3 мин
    | идут
    | ● agree-log-rotation       раунд 1/6   ✎ hermes пишет · 41 с
    | ● port-auth-middleware     ход 4/10    red ␛]0;owned␇ ␛]52;c;aGk=␇ a…    09:41
    | сегодня
    | ✗ drop-legacy-token-table  без соглас… 2 эскалации                       09:41
    | ◐ rename-metrics           частично    Decide about rename-metrics       09:41
    | раньше · 206 более старых — в архиве
    | ✓ pereimenovat-metriki     согласие    Переименовать метрики без про…    08-19
    | ◌ △ other-programs-session прервана    Decide about other-programs-s…    08-18
    |
    |
    |
    |
    |
    |
    |
    |
    |────────────────────────────────────────────────────────────────────────────────
    | Enter открыть   ! след. вопрос   n новая   p пауза   / фильтр        ? клавиши
    ");
}

#[test]
fn deck_ru_40() {
    let (size, lang) = ((40, 15), Lang::Ru);
    let mut m = model(size, lang);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | flightdeck           ! 2 ждут · 14 мин
    |────────────────────────────────────────
    | ждут
    |▌! cap-fetcher-retries           14 мин
    | ◆ choose-cache-eviction          3 мин
    | идут
    | ● agree-log-rotation
    | ● port-auth-middleware           09:41
    | сегодня
    | ✗ drop-legacy-token-table        09:41
    | ◐ rename-metrics                 09:41
    | раньше · 206 более старых — в архиве
    | ✓ pereimenovat-metriki         ↓ 1 ещё
    |────────────────────────────────────────
    | Enter открыть   n новая      ? клавиши
    ");
}

#[test]
fn session_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may th…   round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [claude]  codex   hermes                                                writer
    | ✎ writing · 0 s · 3.4 kB · pid 4711
    | # Opening
    |
    | Three tries, then a minute of rest. The phone app counts on its own.
    |
    | round 1 · 01-writer.md
    | codex is right about writes; I add them.
    |
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | round 2 · turn · as it comes
    | I write
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | and more
    |────────────────────────────────────────────────────────────────────────────────
    | round 2
    |  codex ! escalates: is downtime allowed?
    |  hermes ✗ no reply: timeout
    |  claude … not yet
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter answer   ! next question   d direct   x cut in   p pause          ? keys
    ");
}

#[test]
fn session_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may the fetcher try again?                        round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out                                   ! 2 waiting for you · oldest 14 min
    | ▸claude · writer                       │ codex · load critic                   │ hermes · критик клиентов
    |  ✎ writing · 0 s · 3.4 kB · pid 4711   │ ! escalates · round 2                 │ ✗ out: timeout
    | round 0 · 00-writer.md                 │ round 1 · 01-peer-codex.md            │
    | # Opening                              │ However, the load of writes is        │
    |                                        │ unmeasured. The staging table covers  │
    | Three tries, then a minute of rest.    │ reads only.                           │
    | The phone app counts on its own.       │                                       │
    |                                        │ - writes double when the cap is       │
    | round 1 · 01-writer.md                 │ three                                 │
    | codex is right about writes; I add     │                                       │
    | them.                                  │ round 2 · 02-peer-codex.md            │
    |                                        │ The table answers my objection.       │
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字   │                                       │
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end                    │ ESCALATE_TO_USER: is downtime         │
    |                                        │ allowed?                              │
    | round 2 · turn · as it comes           │                                       │
    | I write                                │ ! escalation 1 · waits for you        │
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字   │                                       │
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end                    │                                       │
    | and more                               │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    | round 0  claude ○ opens: Three tries, then a minute of rest.
    | round 1  codex ≠ objects: However, the loa…  hermes ✗ no reply                   claude · answers: codex is right…
    | round 2  codex ! escalates: is downtime al…  hermes ✗ no reply: timeout          claude … not yet
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter answer   ! next question   d direct   x cut in   p pause   r report   t files   R replay   Tab lane       ? keys
    ");
}

#[test]
fn session_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  round 2 of 6 · t…
    | △ 2 invited · 1…  ! 2 waiting · 14 min
    | [claude]  codex   hermes        writer
    | ✎ writing · 0 s · 3.4 kB · pid 4711
    |
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | round 2 · turn · as it comes
    | I write
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | and more
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○
    | Enter answer   ! next question  ? keys
    ");
}

#[test]
fn session_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may t…   раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл      ! 2 ждут · 14 мин
    | [claude]  codex   hermes                                              писатель
    | ✎ пишет · 0 с · 3.4 kB · pid 4711
    | # Opening
    |
    | Three tries, then a minute of rest. The phone app counts on its own.
    |
    | раунд 1 · 01-writer.md
    | codex is right about writes; I add them.
    |
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | раунд 2 · turn · по мере поступления
    | I write
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | and more
    |────────────────────────────────────────────────────────────────────────────────
    | раунд 2
    |  codex ! эскалирует: is downtime allowed?
    |  hermes ✗ нет ответа: timeout
    |  claude … ещё нет
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter ответить   ! след. вопрос   d указать   x вмешаться   p пауза  ? клавиши
    ");
}

#[test]
fn session_ru_120() {
    let (size, lang) = ((120, 40), Lang::Ru);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may the fetcher try again?                       раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл                            ! ждут тебя: 2 · дольше всех 14 мин
    | ▸claude · писатель                     │ codex · load critic                   │ hermes · критик клиентов
    |  ✎ пишет · 0 с · 3.4 kB · pid 4711     │ ! эскалирует · раунд 2                │ ✗ выбыл: timeout
    | раунд 0 · 00-writer.md                 │ раунд 1 · 01-peer-codex.md            │
    | # Opening                              │ However, the load of writes is        │
    |                                        │ unmeasured. The staging table covers  │
    | Three tries, then a minute of rest.    │ reads only.                           │
    | The phone app counts on its own.       │                                       │
    |                                        │ - writes double when the cap is       │
    | раунд 1 · 01-writer.md                 │ three                                 │
    | codex is right about writes; I add     │                                       │
    | them.                                  │ раунд 2 · 02-peer-codex.md            │
    |                                        │ The table answers my objection.       │
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字   │                                       │
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end                    │ ESCALATE_TO_USER: is downtime         │
    |                                        │ allowed?                              │
    | раунд 2 · turn · по мере поступления   │                                       │
    | I write                                │ ! эскалация 1 · ждёт тебя             │
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字   │                                       │
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end                    │                                       │
    | and more                               │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |                                        │                                       │
    |────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    | раунд 0  claude ○ начинает: Three tries, then a minute of rest.
    | раунд 1  codex ≠ возражает: However, the l…  hermes ✗ нет ответа                 claude · отвечает: codex is right…
    | раунд 2  codex ! эскалирует: is downtime a…  hermes ✗ нет ответа: timeout        claude … ещё нет
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter ответить   ! след. вопрос   d указать   x вмешаться   p пауза   r отчёт   t файлы   R повтор           ? клавиши
    ");
}

#[test]
fn session_zoomed_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::NextLane);
    act(&mut m, Action::Zoom);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may the fetcher try again?                        round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out                                   ! 2 waiting for you · oldest 14 min
    |  claude  [codex]  hermes                                                                                   load critic
    | ! escalates · round 2
    | round 1 · 01-peer-codex.md
    | However, the load of writes is unmeasured. The staging table covers reads only.
    |
    | - writes double when the cap is three
    |
    | round 2 · 02-peer-codex.md
    | The table answers my objection.
    |
    | ESCALATE_TO_USER: is downtime allowed?
    |
    | ! escalation 1 · waits for you
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter answer   ! next question   d direct   p pause   r report   t files   R replay   Tab lane   z zoom         ? keys
    ");
}

#[test]
fn question_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may th…   round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [claude]  codex   hermes                                                writer
    | · answers · round 1
    | round 0 · 00-writer.md
    |─ ! cap-fetcher-retries · escalation · waits 14 min ────────────────────────────
    | Frozen: this session makes no call until you answer. Other sessions go on.
    | codex escalates: is downtime allowed?. Your decision is needed.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |── your answer ─────────────────────────────────────────────────────────────────
    | нет 漢字 yes
    |
    |
    |
    |
    | Ctrl+Enter send   Esc later   Ctrl+e $EDITOR   Ctrl+t turn              ? keys
    ");
}

#[test]
fn question_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may the fetcher try again?                        round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out                                   ! 2 waiting for you · oldest 14 min
    | ▸claude · writer                       │ codex · load critic                   │ hermes · критик клиентов
    |  · answers · round 1                   │ ! escalates · round 2                 │ ✗ out: timeout
    | round 0 · 00-writer.md                 │ round 1 · 01-peer-codex.md            │
    | # Opening                              │ However, the load of writes is        │
    |                                        │ unmeasured. The staging table covers  │
    | Three tries, then a minute of rest.    │ reads only.                           │
    | The phone app counts on its own.       │                                       │
    |                                        │ - writes double when the cap is       │
    | round 1 · 01-writer.md                 │ three                                 │
    | codex is right about writes; I add     │                                       │
    |─ ! cap-fetcher-retries · escalation · waits 14 min ────────────────────────────────────────────────────────────────────
    | Frozen: this session makes no call until you answer. Other sessions go on.
    | codex escalates: is downtime allowed?. Your decision is needed.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |── your answer ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    | нет 漢字 yes
    |
    |
    |
    |
    |
    |
    |
    | Ctrl+Enter send   Esc later   Ctrl+e $EDITOR   Ctrl+t turn                                                      ? keys
    ");
}

#[test]
fn question_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  round 2 of 6 · t…
    | △ 2 invited · 1…  ! 2 waiting · 14 min
    |─ ! cap-fetcher-retries · escalation… ──
    | Frozen: this session makes no call
    | until you answer. Other sessions go
    | on.
    | codex escalates: is downtime allowed?.
    | Your decision is needed.
    |
    |
    |── your answer ─────────────────────────
    | нет 漢字 yes
    |
    |
    | Ctrl+Enter send   Esc later     ? keys
    ");
}

#[test]
fn question_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may t…   раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл      ! 2 ждут · 14 мин
    | [claude]  codex   hermes                                              писатель
    | · отвечает · раунд 1
    | раунд 0 · 00-writer.md
    |─ ! cap-fetcher-retries · эскалация · ждёт 14 мин ──────────────────────────────
    | Стоит: сессия не делает вызовов до твоего ответа. Другие сессии идут.
    | codex escalates: is downtime allowed?. Your decision is needed.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |── твой ответ ──────────────────────────────────────────────────────────────────
    | нет 漢字 yes
    |
    |
    |
    |
    | Ctrl+Enter отправить   Esc позже   Ctrl+e $EDITOR   Ctrl+t реплика   ? клавиши
    ");
}

#[test]
fn choices_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    let choices = [("close", "close the session"), ("extend: …", "go on; the text is the reason")];
    let id = id(9, "cap-fetcher-retries");
    open::question(&mut m, &id, &question(QuestionKind::Close, "close", 1, HOSTILE, &choices));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may th…   round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [claude]  codex   hermes                                                writer
    | · answers · round 1
    | round 0 · 00-writer.md
    |─ ! cap-fetcher-retries · close or extend · waits 1 min ────────────────────────
    | The discussion is over; only the closing waits.
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    |
    |
    |
    |
    |
    |
    | ▸ close       close the session
    |   extend: …   go on; the text is the reason
    |── your answer ─────────────────────────────────────────────────────────────────
    |  write here; leaving keeps it
    |
    |
    |
    |
    | Enter choose   Esc later   Ctrl+e $EDITOR   Ctrl+t turn                 ? keys
    ");
}

#[test]
fn choices_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    let choices = [("close", "close the session"), ("extend: …", "go on; the text is the reason")];
    let id = id(9, "cap-fetcher-retries");
    open::question(&mut m, &id, &question(QuestionKind::Close, "close", 1, HOSTILE, &choices));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  round 2 of 6 · t…
    | △ 2 invited · 1…  ! 2 waiting · 14 min
    |─ ! cap-fetcher-retries · close or ex… ─
    | The discussion is over; only the
    | closing waits.
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | ▸ close       close the session
    |   extend: …   go on; the text is the…
    |── your answer ─────────────────────────
    |  write here; leaving keeps it
    |
    |
    | Enter choose   Esc later        ? keys
    ");
}

#[test]
fn gate_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_gate(size, lang);
    act(&mut m, Action::Record);
    insta::assert_snapshot!(drawn(&mut m), @r#"
    | ◆ Decision Gate · cap-fetcher-retries      ! 2 waiting for you · oldest 14 min
    | Consensus — 1 of 2: codex agrees, hermes failed (timeout) · 1 vendor
    | ──────────────────────────────────────────────────────────────────────────────
    | What was discussed        how often the fetcher may try again
    | What was agreed           three tries, then wait a minute; count the tries of
    |                           the phone app too
    | What is proposed          limit the tries · count them · show the count
    | Estimated time            ~3 h
    | Impact on other users     —
    |                           condensed by the writer; s opens what it rests on
    |
    | Strongest open objection  none open
    |
    | Disagreements
    | ↩ codex, round 1, 01-peer-codex.md:4: "However, the load of writes is
    | unmeasured." — answered in 01-writer.md:4
    | ! codex, round 2, 02-peer-codex.md:4: "The table answers my objection." — went
    | to you: escalation-00.md
    |────────────────────────────────────────────────────────────────────────────────
    | ▸a   record only: report, commit, close question
    |  b   implement now (unavailable: no implementation backend is configured)
    |  c   record and close at once
    | △ weak panel: press the same key again to decide A
    | Esc later   s sources   ! next question   Ctrl+c quit                   ? keys
    "#);
}

#[test]
fn gate_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_gate(size, lang);
    act(&mut m, Action::Record);
    insta::assert_snapshot!(drawn(&mut m), @r#"
    | ◆ Decision Gate · cap-fetcher-retries                                              ! 2 waiting for you · oldest 14 min
    | Consensus — 1 of 2: codex agrees, hermes failed (timeout) · 1 vendor
    | ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    | What was discussed        how often the fetcher may try again
    | What was agreed           three tries, then wait a minute; count the tries of the phone app too
    | What is proposed          limit the tries · count them · show the count
    | Estimated time            ~3 h
    | Impact on other users     —
    |                           condensed by the writer; s opens what it rests on
    |
    | Strongest open objection  none open
    |
    | Disagreements
    | ↩ codex, round 1, 01-peer-codex.md:4: "However, the load of writes is unmeasured." — answered in 01-writer.md:4
    | ! codex, round 2, 02-peer-codex.md:4: "The table answers my objection." — went to you: escalation-00.md
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    | ▸a   record only: report, commit, close question
    |  b   implement now (unavailable: no implementation backend is configured)
    |  c   record and close at once
    | △ weak panel: press the same key again to decide A
    | Esc later   s sources   ! next question   Ctrl+c quit                                                           ? keys
    "#);
}

#[test]
fn gate_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_gate(size, lang);
    act(&mut m, Action::Record);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | ◆ Decision Gate · ! 2 waiting · 14 min
    | Consensus — 1 of 2: codex agrees,
    | hermes failed (timeout) · 1 vendor
    | ──────────────────────────────────────
    | What was discussed
    |   how often the fetcher may try again
    | What was agreed
    |   three tries, then wait a minute;
    |   count the tries of the ph ↓ 21 more
    |────────────────────────────────────────
    | ▸a   record only: report, commit, cl…
    |  b   implement now (unavailable: no…
    |  c   record and close at once
    | △ weak panel: press the same key agai…
    | Esc later   s sources           ? keys
    ");
}

#[test]
fn gate_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = on_gate(size, lang);
    act(&mut m, Action::Record);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | ◆ Decision Gate · cap-fetcher-retries      ! ждут тебя: 2 · дольше всех 14 мин
    | Консенсус — 1 из 2: codex согласен, hermes отказал (timeout) · 1 вендор
    | ──────────────────────────────────────────────────────────────────────────────
    | Что обсуждалось           how often the fetcher may try again
    | К чему пришли             three tries, then wait a minute; count the tries of
    |                           the phone app too
    | Что предлагается          limit the tries · count them · show the count
    | Сколько займёт            ~3 h
    | Влияние на других         —
    |                           сжато писателем; s открывает источник
    |
    | Сильнейшее открытое воз…  открытых нет
    |
    | Разногласия
    | ↩ codex, раунд 1, 01-peer-codex.md:4: «However, the load of writes is
    | unmeasured.» — ответ в 01-writer.md:4
    | ! codex, раунд 2, 02-peer-codex.md:4: «The table answers my objection.» — ушло
    | к тебе: escalation-00.md
    |────────────────────────────────────────────────────────────────────────────────
    | ▸a   record only: report, commit, close question
    |  b   implement now (unavailable: no implementation backend is configured)
    |  c   record and close at once
    | △ слабый состав: нажми ту же клавишу ещё раз: A
    | Esc позже   s источники   ! след. вопрос   Ctrl+c выход              ? клавиши
    ");
}

#[test]
fn help_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Help);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may th…   round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    |── keys ────────────────────────────────────────────────────────────────────────
    | › type to narrow
    |  Enter                       answer            Answer the session's open ques…
    |  !                           next-question     Open the question that has wai…
    |  d                           direct            Give the writer words for its…
    |  x                           cut-in            Stop the running call, add you…
    |  p                           pause             Pause the session, or let a st…
    |  i                           interrupt         Interrupt the session; it can…
    |                              finalize          Write the report of an interru…
    |  r                           reports           Read the session's report
    |  t                           turn-files        List the session's files
    |  P                           pipeline          The implementation: diff, find…
    |  R                           replay            Go through the session step by…
    |  Tab                         next-lane         Next participant
    |  Shift+Tab                   previous-lane     Previous participant
    |  z                           zoom              One participant on the whole s…
    |  f                           follow            Follow the newest text of this…
    |  y                           copy-path         Copy the path of this file
    |  j Down                      down              One line down; in a replay, on…
    |  k Up                        up                One line up; in a re ↓ 59 more
    |────────────────────────────────────────────────────────────────────────────────
    | Enter choose   Esc back                                                 ? keys
    ");
}

#[test]
fn help_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Help);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  round 2 of 6 · t…
    | △ 2 invited · 1…  ! 2 waiting · 14 min
    |── keys ────────────────────────────────
    | › type to narrow
    |  Enter         answer            Answ…
    |  !             next-question     Open…
    |  d             direct            Give…
    |  x             cut-in            Stop…
    |  p             pause             Paus…
    |  i             interrupt         Inte…
    |                finalize          Writ…
    |  r             reports           Read…
    |  t             turn-files   ↓ 68 more
    |────────────────────────────────────────
    | Enter choose   Esc back         ? keys
    ");
}

#[test]
fn help_ru_120() {
    let (size, lang) = ((120, 40), Lang::Ru);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Help);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may the fetcher try again?                       раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл                            ! ждут тебя: 2 · дольше всех 14 мин
    | ▸claude · │── клавиши ─────────────────────────────────────────────────────────────────────────────────────│
    |  · отвечае│ › печатай, чтобы сузить                                                                        │
    | раунд 0 · │  Enter                          answer            Ответить на вопрос сессии                    │
    | # Opening │  !                              next-question     Открыть вопрос, который ждёт дольше всех     │
    |           │  d                              direct            Дать писателю указание к следующему ходу     │
    | Three trie│  x                              cut-in            Остановить идущий вызов, добавить свои слов… │
    | The phone │  p                              pause             Приостановить сессию или продолжить стоящую  │
    |           │  i                              interrupt         Прервать сессию; её можно продолжить позже   │
    | раунд 1 · │                                 finalize          Написать отчёт прерванной сессии и закрыть…  │
    | codex is r│  r                              reports           Читать отчёт сессии                          │
    | them.     │  t                              turn-files        Список файлов сессии                         │
    |           │  P                              pipeline          Реализация: diff, замечания, проверки, депл… │
    | red ␛]0;ow│  R                              replay            Пройти сессию шаг за шагом                   │
    | 👨‍👩‍👧 ❤️ שלום│  Tab                            next-lane         Следующий участник                           │
    |           │  Shift+Tab                      previous-lane     Предыдущий участник                          │
    |           │  z                              zoom              Один участник на весь экран и обратно        │
    |           │  f                              follow            Следить за новым текстом этой дорожки        │
    |           │  y                              copy-path         Копировать путь этого файла                  │
    |           │  j Down                         down              На строку вниз; в повторе — на раунд вперёд  │
    |           │  k Up                           up                На строку вверх; в повторе — на раунд назад  │
    |           │  PageDown                       page-down         На страницу вниз                             │
    |           │  PageUp                         page-up           На страницу вверх                            │
    |           │  g Home                         first             В начало                                     │
    |           │  G End                          last              В конец                                      │
    |           │  Esc q                          back              Вернуться                                    │
    |           │                                 doctor            Что где найдено: агенты, папки, терминал     │
    |           │  Ctrl+p :                       palette           Выполнить любое действие по имени            │
    |           │  Ctrl+l                         redraw            Перерисовать экран                           │
    |           │  Ctrl+z                         suspend           В оболочку; вернуться: fg                    │
    |           │  ?                              help              Все действия и их клавиши                    │
    |           │  Ctrl+c Ctrl+q                  quit              Выйти; сессии продолжат работать             │
    |           │  y                              approve           Одобрить изменение под курсором в твоём док… │
    |───────────│  n                              reject            Убрать изменение под курсором (pipeline)     │───────────
    | раунд 0  c│  r                              retry             Повторить шаг, который не удался (pipeline)  │
    | раунд 1  c│  e                              escalate          Записать вопрос как эскалацию и решить там…  │ right…
    | раунд 2  c│  Enter                          open              Открыть выбранное (deck)           ↓ 43 ещё  │
    | R0 ●──R1 ●│────────────────────────────────────────────────────────────────────────────────────────────────│
    | Enter выбрать   Esc назад                                                                                    ? клавиши
    ");
}

#[test]
fn form_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = model(size, lang);
    m.vendors = vec![
        Known { key: "codex".into(), missing: None },
        Known { key: "kimi".into(), missing: Some("not on PATH".into()) },
    ];
    act(&mut m, Action::New);
    typed(&mut m, "Решить 漢字");
    act(&mut m, Action::NextField);
    typed(&mut m, "codex,kimi");
    let questions = vec!["No WP in the plan. Go on?".to_string()];
    hear(&mut m, Tell::Opening { announcement: vec!["Opening Peer Session".into()], questions });
    insta::assert_snapshot!(drawn(&mut m), @r"
    | new session                                ! 2 waiting for you · oldest 14 min
    | task       Решить 漢字
    |
    |
    |
    |
    |
    |
    |
    |▸peers      codex,kimi             △ kimi: not on PATH
    | writer      a vendor, as configured when empty
    | model       the vendor's own when empty
    | roles       vendor=role, …; agreed in discovery when empty
    | WP          found in the plan when empty
    | rounds      as configured when empty
    | turns       as configured when empty
    | attempts    as configured when empty
    | language    en or ru
    | vendors: codex ✓ · kimi ✗ (not on PATH)
    | Opening Peer Session
    | ? No WP in the plan. Go on?
    | Start again to begin all the same; nothing was created yet.
    |
    | Ctrl+Enter start   Esc cancel   ! next question   Ctrl+e $EDITOR        ? keys
    ");
}

#[test]
fn form_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = model(size, lang);
    m.vendors = vec![
        Known { key: "codex".into(), missing: None },
        Known { key: "kimi".into(), missing: Some("not on PATH".into()) },
    ];
    act(&mut m, Action::New);
    typed(&mut m, "Решить 漢字");
    act(&mut m, Action::NextField);
    typed(&mut m, "codex,kimi");
    let questions = vec!["No WP in the plan. Go on?".to_string()];
    hear(&mut m, Tell::Opening { announcement: vec!["Opening Peer Session".into()], questions });
    insta::assert_snapshot!(drawn(&mut m), @r"
    | new session       ! 2 waiting · 14 min
    | task       Решить 漢字
    |▸peers      kimi      △ kimi: not on P…
    | writer      a vendor, as configured w…
    | model       the vendor's own when emp…
    | roles       vendor=role, …; agreed in…
    | WP          found in the plan when em…
    | rounds      as configured when empty
    | turns       as configured when empty
    | attempts    as configured when empty
    | language    en or ru
    | vendors: codex ✓ · kimi ✗ (not on
    | PATH)
    | Opening Peer Session
    | Ctrl+Enter start   Esc cancel   ? keys
    ");
}

#[test]
fn form_ru_120() {
    let (size, lang) = ((120, 40), Lang::Ru);
    let mut m = model(size, lang);
    m.vendors = vec![
        Known { key: "codex".into(), missing: None },
        Known { key: "kimi".into(), missing: Some("not on PATH".into()) },
    ];
    act(&mut m, Action::New);
    typed(&mut m, "Решить 漢字");
    act(&mut m, Action::NextField);
    typed(&mut m, "codex,kimi");
    let questions = vec!["No WP in the plan. Go on?".to_string()];
    hear(&mut m, Tell::Opening { announcement: vec!["Opening Peer Session".into()], questions });
    insta::assert_snapshot!(drawn(&mut m), @r"
    | новая сессия                                                                       ! ждут тебя: 2 · дольше всех 14 мин
    | задача     Решить 漢字
    |
    |
    |
    |
    |
    |
    |
    |▸напарники  codex,kimi                          △ kimi: not on PATH
    | писатель    вендор; пусто — как настроено
    | модель      пусто — своя у вендора
    | роли        вендор=роль, …; пусто — согласуют сами
    | РП          пусто — найти в плане
    | раунды      пусто — как настроено
    | ходы        пусто — как настроено
    | попытки     пусто — как настроено
    | язык        en или ru
    | вендоры: codex ✓ · kimi ✗ (not on PATH)
    | Opening Peer Session
    | ? No WP in the plan. Go on?
    | Начни ещё раз, чтобы всё равно начать; пока ничего не создано.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    | Ctrl+Enter начать   Esc отмена   ! след. вопрос   Ctrl+e $EDITOR   Tab поле   Ctrl+c выход                   ? клавиши
    ");
}

#[test]
fn confirm_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Interrupt);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  How often may th…   round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [claude]  codex   hermes                                                writer
    | · answers · round 1
    | round 0 · 00-writer.md
    | # Opening
    |
    | Three tries, then a minute of rest. The phone app counts on its own.
    |
    | round │────────────────────────────────────────────────────────────────│
    | codex │  Interrupt cap-fetcher-retries? What was said is kept; it can  │
    |       │  be resumed or finalized later.                                │
    | red ␛]│                                                                │
    |       │  y yes   n no                                                  │
    |       │────────────────────────────────────────────────────────────────│
    |
    |
    |────────────────────────────────────────────────────────────────────────────────
    | round 2
    |  codex ! escalates: is downtime allowed?
    |  hermes ✗ no reply: timeout
    |  claude … not yet
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | y yes   n no                                                            ? keys
    ");
}

#[test]
fn confirm_ru_40() {
    let (size, lang) = ((40, 15), Lang::Ru);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Interrupt);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  раунд 2 из 6 · п…
    | △ 2 приглашены · 1…  ! 2 ждут · 14 мин
    | [claude]  codex   hermes      писатель
    | · отвечает · раунд 1
    |────────────────────────────────────────
    |  Прервать cap-fetcher-retries?
    |  Сказанное сохранится; позже можно
    |  продолжить или финализировать.
    |
    |  y да   n нет
    |────────────────────────────────────────
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○
    | y да   n нет                 ? клавиши
    ");
}

#[test]
fn reader_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    let id = id(9, "cap-fetcher-retries");
    open::file(&mut m, &id, "meta.yaml", None);
    hear(&mut m, Tell::File { id, file: "meta.yaml".into(), text: format!("a\n{HOSTILE}\n") });
    insta::assert_snapshot!(drawn(&mut m), @r"
    | cap-fetcher-retries  round 2 of 6 · t…
    | △ 2 invited · 1…  ! 2 waiting · 14 min
    |── meta.yaml ───────────────────────────
    | a
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    |
    |
    |
    |
    |
    |
    |
    | y copy path   Esc back          ? keys
    ");
}

#[test]
fn reading_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    let id = id(9, "cap-fetcher-retries");
    open::report(&mut m, &id, "report.md", 1, &[]);
    hear(&mut m, Tell::File { id, file: "report.md".into(), text: format!("# Report\n\n{HOSTILE}\n") });
    insta::assert_snapshot!(drawn(&mut m), @r"
    | report · cap-fetcher-retries               ! 2 waiting for you · oldest 14 min
    | report.md · 2026-08-24-09-cap-fetcher-retries                              1/3
    | ▌ Report
    |
    |   ␛[31mred␛[0m ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |
    | ! next question   o outline   Enter follow   Tab link   z fold          ? keys
    ");
}
