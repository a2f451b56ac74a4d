use crate::domain::lang::Lang;
use crate::engine::wire::trace::{Goal, Kind, Step, Traced};
use crate::engine::wire::{Ask, Tell};
use crate::ui::action::{Action, Context};
use crate::ui::model::pipeline::Part;
use crate::ui::model::pipeline::doc::Kind as Row;
use crate::ui::model::pipeline::tests::{deployed, findings, gated, heard_diff, on_pipeline};
use crate::ui::model::tests::{HOSTILE, hear, id};
use crate::ui::model::{Model, Screen};
use crate::ui::msg::{Cmd, Msg};
use crate::ui::update::{act, update};
use crate::ui::view::tests::drawn;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

fn cap() -> crate::domain::session::id::SessionId {
    id(9, "cap-fetcher-retries")
}

fn file(name: &str, line: u32) -> Option<Goal> {
    Some(Goal::File { id: cap(), file: name.into(), line })
}

/// The way of a deployed line, as the engine tells it.
fn way() -> Vec<Step> {
    let label = "app/src/fetch/retry.rs";
    let step = Step::new;
    vec![
        step(Kind::Line, "while tries < LIMIT {", Some(Goal::Diff { label: label.into(), line: 11 })),
        step(Kind::Commit { sha: "3f".repeat(20) }, "fix: cap the retries", None),
        step(Kind::Session, "How often may the fetcher try again?", Some(Goal::Session { id: cap() })),
        step(Kind::Deployed { at: "2026-08-24T09:58:00Z".into() }, "", file("_outcome.md", 1)),
        step(
            Kind::Edit { number: 2, wanted_by: "review-01.md".into() },
            "caps the retries",
            file("review-01.md", 1),
        ),
        Step::new(
            Kind::Finding,
            format!(
                "Critical: src/fetch/retry.rs:13: the counter wraps around at 255 tries {HOSTILE} | fix: saturate it, and say so in the log of the fetcher"
            ),
            file("review-01.md", 2),
        ),
        step(
            Kind::Decision { choice: "B".into(), at: "2026-08-24T09:40:00Z".into() },
            "",
            file("meta.yaml", 12),
        ),
        step(Kind::Consensus, "three tries, then a minute of rest", file("02-peer-codex.md", 6)),
        step(
            Kind::Sentence { shared: vec!["tries".into(), "limit".into()] },
            "The limit of three tries is what the server's own documentation asks for.",
            file("01-writer.md", 9),
        ),
        step(
            Kind::Objection { holder: "codex".into(), round: 1 },
            "However, the load of writes is unmeasured.",
            file("01-peer-codex.md", 4),
        ),
        step(Kind::Answered, "", file("01-writer.md", 4)).below(),
    ]
}

/// The trace of the third line of the code, opened by its key.
fn traced(size: (u16, u16), lang: Lang, steps: Vec<Step>) -> Model {
    let mut m = on_pipeline(size, lang, deployed());
    m.watched.values_mut().for_each(|w| w.view.questions.clear());
    heard_diff(&mut m);
    to_row(&mut m, "while tries < LIMIT");
    let asked = press(&mut m, 'T');
    let of = of(&asked);
    hear(&mut m, Tell::Trace { id: cap(), of, steps, why: None });
    m
}

fn to_row(m: &mut Model, text: &str) {
    let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!("no pipeline") };
    let doc = p.doc.as_ref().unwrap();
    p.cursor = doc.rows.iter().position(|r| doc.text(r).contains(text)).unwrap();
}

fn press(m: &mut Model, c: char) -> Vec<Cmd> {
    update(m, Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::empty())))
}

fn of(cmds: &[Cmd]) -> Traced {
    let found = cmds.iter().find_map(|c| match c {
        Cmd::Ask(ask) => match &**ask {
            Ask::Trace { of, .. } => Some(of.clone()),
            _ => None,
        },
        _ => None,
    });
    found.expect("something is traced")
}

fn reads(cmds: &[Cmd]) -> Vec<String> {
    let read = |c: &Cmd| match c {
        Cmd::Ask(ask) => match &**ask {
            Ask::Read { file, .. } => Some(file.clone()),
            _ => None,
        },
        _ => None,
    };
    cmds.iter().filter_map(read).collect()
}

#[test]
fn a_line_of_the_diff_is_traced_at_the_side_it_stands_on() {
    let mut m = on_pipeline((80, 24), Lang::En, deployed());
    heard_diff(&mut m);
    for (text, line, old) in
        [("while tries < LIMIT", 11, false), ("while tries < 255", 11, true), ("try_once", 12, true)]
    {
        to_row(&mut m, text);
        let asked = of(&act(&mut m, Action::Trace));
        let Traced::Line { label, line: at, old: before, text: said } = asked else { panic!("{asked:?}") };
        assert_eq!((label.as_str(), at, before), ("app/src/fetch/retry.rs", line, old), "{said}");
        act(&mut m, Action::Back);
    }
    to_row(&mut m, "@@");
    assert!(act(&mut m, Action::Trace).is_empty());
    assert!(matches!(m.screens.last(), Some(Screen::Pipeline(_))), "a head is no line");
}

#[test]
fn the_head_of_a_decided_change_stands_for_what_came() {
    let mut m = on_pipeline((80, 24), Lang::En, gated());
    heard_diff(&mut m);
    act(&mut m, Action::NextHunk);
    let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!() };
    let doc = p.doc.as_ref().unwrap();
    let gate = (0..doc.rows.len()).find(|n| doc.rows[*n].kind == Row::Gate).expect("a change is decided on");
    let came = doc.rows[gate..=doc.end(gate)].iter().find(|r| r.kind == Row::Came).unwrap();
    let (label, line, text) = (doc.label(came), came.new, doc.text(came).to_string());
    p.cursor = gate;
    assert_eq!(of(&act(&mut m, Action::Trace)), Traced::Line { label, line, old: false, text });
}

#[test]
fn a_finding_is_traced_as_the_last_review_has_it() {
    let mut m = on_pipeline((80, 24), Lang::En, findings());
    heard_diff(&mut m);
    let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!() };
    p.focus(Part::Findings);
    let asked: Vec<Traced> = (0..3)
        .map(|n| {
            let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!() };
            p.finding = n;
            let asked = of(&act(&mut m, Action::Trace));
            act(&mut m, Action::Back);
            asked
        })
        .collect();
    let of = |review, at| Traced::Finding { review, at };
    assert_eq!(asked, [of(2, 0), of(2, 1), of(1, 0)]);
}

#[test]
fn the_pipeline_stands_where_it_stood_when_the_trace_was_opened() {
    let mut m = on_pipeline((80, 24), Lang::En, findings());
    heard_diff(&mut m);
    to_row(&mut m, "while tries < 255");
    let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!() };
    p.focus(Part::Findings);
    p.finding = 1;
    let stood = p.stood();
    let asked = of(&act(&mut m, Action::Trace));
    hear(&mut m, Tell::Trace { id: cap(), of: asked, steps: way(), why: None });
    act(&mut m, Action::Open);
    let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!("in the diff") };
    assert_ne!(p.stood(), stood);
    act(&mut m, Action::Back);
    assert_eq!(m.context(), Context::Trace);
    act(&mut m, Action::Back);
    let Some(Screen::Pipeline(p)) = m.screens.last_mut() else { panic!("the pipeline again") };
    assert_eq!(p.stood(), stood);
}

#[test]
fn objections_are_traced_from_session_gate_and_report() {
    let mut m = traced((80, 24), Lang::En, way());
    act(&mut m, Action::Back);
    act(&mut m, Action::Back);
    assert_eq!(m.context(), Context::Session);
    assert_eq!(of(&act(&mut m, Action::Trace)), Traced::Objections);
    act(&mut m, Action::Back);
    act(&mut m, Action::Reports);
    let text = "# Report\n\n## 3. Disagreements\n\n- codex: the load of writes is unmeasured\n";
    hear(&mut m, Tell::File { id: cap(), file: "report-draft.md".into(), text: text.into() });
    drawn(&mut m);
    (0..4).for_each(|_| drop(act(&mut m, Action::Down)));
    let asked = of(&act(&mut m, Action::Trace));
    assert!(matches!(&asked, Traced::Place { file, line: 3.. } if file == "report-draft.md"), "{asked:?}");
}

#[test]
fn every_step_is_entered_and_left_again() {
    let mut m = traced((80, 24), Lang::En, way());
    (0..8).for_each(|_| drop(act(&mut m, Action::Down)));
    assert_eq!(reads(&act(&mut m, Action::Open)), ["01-writer.md"]);
    assert_eq!(m.context(), Context::Reader);
    press(&mut m, 'b');
    assert_eq!(m.context(), Context::Trace, "b leads back from the file");
    act(&mut m, Action::First);
    act(&mut m, Action::Open);
    let Some(Screen::Pipeline(p)) = m.screens.last() else { panic!("the first step is in the diff") };
    assert_eq!(p.place().map(|at| at.line), Some(11));
    press(&mut m, 'k');
    act(&mut m, Action::Back);
    assert_eq!(m.context(), Context::Trace);
    act(&mut m, Action::Down);
    act(&mut m, Action::Open);
    assert!(m.toast.as_ref().is_some_and(|t| t.text.contains("leads nowhere")), "a commit is no file");
    press(&mut m, 'b');
    assert_eq!(m.context(), Context::Pipeline, "back to where the trace was opened");
    act(&mut m, Action::Back);
    assert_eq!(m.context(), Context::Session);
}

#[test]
fn a_click_selects_and_a_second_one_enters() {
    let mut m = traced((80, 24), Lang::En, way());
    let text = drawn(&mut m);
    let row = text.lines().position(|l| l.contains("_outcome.md")).unwrap() as u16;
    let at = |kind| Msg::Mouse(MouseEvent { kind, column: 5, row, modifiers: KeyModifiers::empty() });
    let click = MouseEventKind::Down(MouseButton::Left);
    assert!(reads(&update(&mut m, at(click))).is_empty());
    assert!(drawn(&mut m).lines().nth(row.into()).unwrap().contains("▌✓ deployed"));
    assert_eq!(reads(&update(&mut m, at(click))), ["_outcome.md"]);
    act(&mut m, Action::Back);
    update(&mut m, at(MouseEventKind::ScrollDown));
    assert!(drawn(&mut m).contains("▌✎ edit 2"));
}

#[test]
fn the_gate_stands_at_the_strongest_open_objection() {
    use crate::domain::session::honesty::{points, strongest_open};
    use crate::ui::model::tests::{GATE, at_gate, question, view_of};
    let mut s = at_gate();
    // Its holder does not come round.
    s.turns.pop();
    s.turns.push(crate::ui::model::tests::turn(
        "03-peer-codex.md",
        "However, the writes double during an outage.",
    ));
    s.escalations.clear();
    let strongest = strongest_open(&s).expect("an objection is open");
    let all = points(&s);
    let mut m = crate::ui::model::tests::model((80, 24), Lang::En);
    crate::ui::update::open::session(&mut m, &cap());
    let mut view = view_of(s);
    let gate = question(crate::domain::question::QuestionKind::Gate, "gate", 3, "x", GATE);
    view.questions = vec![gate];
    hear(&mut m, Tell::Snapshot { view });
    act(&mut m, Action::Answer);
    assert_eq!(m.context(), Context::Gate);
    let of = of(&press(&mut m, 'T'));
    let step = |p: &crate::domain::session::honesty::Point| {
        Step::new(
            Kind::Objection { holder: p.holder.clone(), round: p.round },
            &p.text,
            file(&p.file, p.line),
        )
    };
    let steps = all.iter().rev().map(step).collect();
    hear(&mut m, Tell::Trace { id: cap(), of, steps, why: None });
    let Some(Screen::Trace(trace)) = m.screens.last() else { panic!() };
    assert_eq!(trace.steps()[trace.selected].goal, file(&strongest.file, strongest.line));
}

#[test]
fn every_size_is_drawn_and_hostile_text_is_no_control() {
    let long = Step::new(Kind::Line, HOSTILE.repeat(30), file(&"ж".repeat(200), 7));
    for steps in [way(), vec![], vec![long]] {
        for size in [(20, 5), (21, 6), (39, 7), (40, 15), (80, 24), (200, 60), (300, 8)] {
            for lang in [Lang::En, Lang::Ru] {
                let mut m = traced(size, lang, steps.clone());
                for _ in 0..=steps.len() {
                    let text = drawn(&mut m);
                    let bad = text.chars().find(|c| c.is_control() && *c != '\n');
                    assert_eq!(bad, None, "{text:?}");
                    let seen = steps.is_empty() || size.1 < 9 || text.contains('▌');
                    assert!(seen, "the selected step is on the screen:\n{text}");
                    act(&mut m, Action::Down);
                }
            }
        }
    }
}

#[test]
fn why_there_is_nothing_is_said() {
    let mut m = traced((80, 24), Lang::En, vec![]);
    assert!(drawn(&mut m).contains("nothing is known about this"));
    act(&mut m, Action::Back);
    let of = of(&press(&mut m, 'T'));
    assert!(drawn(&mut m).contains("looking it up"));
    hear(&mut m, Tell::Trace { id: cap(), of, steps: vec![], why: Some("the tree is gone".into()) });
    assert!(drawn(&mut m).contains("△ the tree is gone"));
}

#[test]
fn trace_en_80() {
    insta::assert_snapshot!(drawn(&mut traced((80, 24), Lang::En, way())), @r"
    | trace · cap-fetcher-retries                ! 2 waiting for you · oldest 14 min
    | where it stands
    |▌▪ line                                          diff app/src/fetch/retry.rs:11
    |▌  while tries < LIMIT {
    | ● commit 3f3f3f3f3f3f
    |   fix: cap the retries
    | ▪ session                                                  cap-fetcher-retries
    |   How often may the fetcher try again?
    | ✓ deployed · 2026-08-24 09:58                                      _outcome.md
    |
    | how it came about
    | ✎ edit 2 · wanted by review-01.md                                 review-01.md
    |   caps the retries
    | ! finding                                                       review-01.md:2
    |   Critical: src/fetch/retry.rs:13: the counter wraps around at 255 tries red
    |   ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end | fix: saturate it, an…
    |
    | who decided it
    | ◆ Decision Gate · B · 2026-08-24 09:40                            meta.yaml:12
    | = consensus                                                 02-peer-codex.md:6
    |   three tries, then a minute of rest
    |
    | what may have argued for it: by shared words, not by meaning         ↓ 7 more
    | Enter open   ! next question   Esc back                                 ? keys
    ");
}

#[test]
fn trace_ru_80() {
    insta::assert_snapshot!(drawn(&mut traced((80, 24), Lang::Ru, way())), @r"
    | след · cap-fetcher-retries                 ! ждут тебя: 2 · дольше всех 14 мин
    | где это стоит
    |▌▪ строка                                        diff app/src/fetch/retry.rs:11
    |▌  while tries < LIMIT {
    | ● коммит 3f3f3f3f3f3f
    |   fix: cap the retries
    | ▪ сессия                                                   cap-fetcher-retries
    |   How often may the fetcher try again?
    | ✓ развёрнуто · 2026-08-24 09:58                                    _outcome.md
    |
    | как это появилось
    | ✎ правка 2 · по требованию review-01.md                           review-01.md
    |   caps the retries
    | ! замечание                                                     review-01.md:2
    |   Critical: src/fetch/retry.rs:13: the counter wraps around at 255 tries red
    |   ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end | fix: saturate it, an…
    |
    | кто это решил
    | ◆ Decision Gate · B · 2026-08-24 09:40                            meta.yaml:12
    | = консенсус                                                 02-peer-codex.md:6
    |   three tries, then a minute of rest
    |
    | что могло говорить за это: по общим словам, не по смыслу              ↓ 7 ещё
    | Enter открыть   ! след. вопрос   Esc назад                           ? клавиши
    ");
}

#[test]
fn trace_en_120() {
    insta::assert_snapshot!(drawn(&mut traced((120, 40), Lang::En, way())), @r"
    | trace · cap-fetcher-retries                                                        ! 2 waiting for you · oldest 14 min
    | where it stands
    |▌▪ line                                                                                  diff app/src/fetch/retry.rs:11
    |▌  while tries < LIMIT {
    | ● commit 3f3f3f3f3f3f
    |   fix: cap the retries
    | ▪ session                                                                                          cap-fetcher-retries
    |   How often may the fetcher try again?
    | ✓ deployed · 2026-08-24 09:58                                                                              _outcome.md
    |
    | how it came about
    | ✎ edit 2 · wanted by review-01.md                                                                         review-01.md
    |   caps the retries
    | ! finding                                                                                               review-01.md:2
    |   Critical: src/fetch/retry.rs:13: the counter wraps around at 255 tries red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️
    |   שלום ещё␀ end | fix: saturate it, and say so in the log of the fetcher
    |
    | who decided it
    | ◆ Decision Gate · B · 2026-08-24 09:40                                                                    meta.yaml:12
    | = consensus                                                                                         02-peer-codex.md:6
    |   three tries, then a minute of rest
    |
    | what may have argued for it: by shared words, not by meaning
    | · shares tries, limit                                                                                   01-writer.md:9
    |   The limit of three tries is what the server's own documentation asks for.
    |
    | objections, and what became of them
    | ≠ codex objects, round 1                                                                            01-peer-codex.md:4
    |   However, the load of writes is unmeasured.
    |    ↩ answered                                                                                           01-writer.md:4
    |
    |
    |
    |
    |
    |
    |
    |
    |
    | Enter open   ! next question   Esc back                                                                         ? keys
    ");
}

#[test]
fn trace_ru_120() {
    insta::assert_snapshot!(drawn(&mut traced((120, 40), Lang::Ru, way())), @r"
    | след · cap-fetcher-retries                                                         ! ждут тебя: 2 · дольше всех 14 мин
    | где это стоит
    |▌▪ строка                                                                                diff app/src/fetch/retry.rs:11
    |▌  while tries < LIMIT {
    | ● коммит 3f3f3f3f3f3f
    |   fix: cap the retries
    | ▪ сессия                                                                                           cap-fetcher-retries
    |   How often may the fetcher try again?
    | ✓ развёрнуто · 2026-08-24 09:58                                                                            _outcome.md
    |
    | как это появилось
    | ✎ правка 2 · по требованию review-01.md                                                                   review-01.md
    |   caps the retries
    | ! замечание                                                                                             review-01.md:2
    |   Critical: src/fetch/retry.rs:13: the counter wraps around at 255 tries red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️
    |   שלום ещё␀ end | fix: saturate it, and say so in the log of the fetcher
    |
    | кто это решил
    | ◆ Decision Gate · B · 2026-08-24 09:40                                                                    meta.yaml:12
    | = консенсус                                                                                         02-peer-codex.md:6
    |   three tries, then a minute of rest
    |
    | что могло говорить за это: по общим словам, не по смыслу
    | · общее: tries, limit                                                                                   01-writer.md:9
    |   The limit of three tries is what the server's own documentation asks for.
    |
    | возражения, и что с ними стало
    | ≠ codex возражает, раунд 1                                                                          01-peer-codex.md:4
    |   However, the load of writes is unmeasured.
    |    ↩ есть ответ                                                                                         01-writer.md:4
    |
    |
    |
    |
    |
    |
    |
    |
    |
    | Enter открыть   ! след. вопрос   Esc назад                                                                   ? клавиши
    ");
}

#[test]
fn trace_en_40() {
    insta::assert_snapshot!(drawn(&mut traced((40, 15), Lang::En, way())), @r"
    | trace · cap-fetch ! 2 waiting · 14 min
    | where it stands
    |▌▪ line  diff app/src/fetch/retry.rs:11
    |▌  while tries < LIMIT {
    | ● commit 3f3f3f3f3f3f
    |   fix: cap the retries
    | ▪ session          cap-fetcher-retries
    |   How often may the fetcher try again?
    | ✓ deployed · 2026-08-24 0… _outcome.md
    |
    | how it came about
    | ✎ edit 2 · wanted by rev… review-01.md
    |   caps the retries
    | ! finding               rev ↓ 18 more
    | Enter open  ! next question     ? keys
    ");
}

#[test]
fn trace_ru_40() {
    insta::assert_snapshot!(drawn(&mut traced((40, 15), Lang::Ru, way())), @r"
    | след · cap-fetcher-r ! 2 ждут · 14 мин
    | где это стоит
    |▌▪ строка …ff app/src/fetch/retry.rs:11
    |▌  while tries < LIMIT {
    | ● коммит 3f3f3f3f3f3f
    |   fix: cap the retries
    | ▪ сессия           cap-fetcher-retries
    |   How often may the fetcher try again?
    | ✓ развёрнуто · 2026-08-24… _outcome.md
    |
    | как это появилось
    | ✎ правка 2 · по требован… review-01.md
    |   caps the retries
    | ! замечание             revi ↓ 18 ещё
    | Enter открыть  Esc назад     ? клавиши
    ");
}
