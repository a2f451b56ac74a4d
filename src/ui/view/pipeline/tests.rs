use crate::domain::effect::{Call, Purpose};
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use crate::domain::session::pipeline::content::{Decision, Mark, Record};
use crate::domain::session::pipeline::track::{Deployed, Refusal, Stop, Way};
use crate::domain::session::pipeline::verdict::Verdict;
use crate::engine::wire::{Progress, Tell};
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::model::pipeline::tests::{
    deployed, findings, gated, heard_diff, implementing, on_pipeline, verified,
};
use crate::ui::model::tests::{event, hear, id, now, question};
use crate::ui::update::act;
use crate::ui::view::tests::drawn;

fn screen(model: &mut Model) -> String {
    drawn(model)
}

fn call(purpose: Purpose, vendor: Option<&str>) -> Call {
    Call { purpose, vendor: vendor.map(str::to_string), round: 1, attempt: 1, name: None, complaints: vec![] }
}

/// A step that runs and has printed something.
fn running(m: &mut Model, purpose: Purpose, vendor: Option<&str>, notice: &str, text: &str) {
    let call = call(purpose, vendor);
    hear(m, event(41, Fact::CallStarted { call: call.clone() }));
    for progress in [Progress::Notice(notice.into()), Progress::Text(text.into())] {
        hear(m, Tell::Progress { id: id(9, "cap-fetcher-retries"), call: call.clone(), progress });
    }
    m.clock.now.0 += 12;
}

fn editing(size: (u16, u16), lang: Lang) -> Model {
    let mut s = implementing();
    if let Some(track) = &mut s.notes.track {
        track.edit = None;
    }
    let mut m = on_pipeline(size, lang, s);
    running(&mut m, Purpose::Implement, Some("claude"), "", "I cap the retries.\nNow the tests.\n");
    m
}

fn at_gate(size: (u16, u16), lang: Lang) -> Model {
    let mut s = gated();
    // The first change is approved, the second rejected, the third waits.
    let edit = s.notes.track.clone().unwrap().edit.unwrap();
    for (id, decision) in [(1, Decision::Approve), (2, Decision::Reject)] {
        let marks = vec![Mark { id, lines: String::new(), decision }];
        s.gate_log.push(Record::new(now().to_string(), 1, &edit.reserved[0], marks));
    }
    let mut m = on_pipeline(size, lang, s);
    heard_diff(&mut m);
    m
}

fn verifying(size: (u16, u16), lang: Lang) -> Model {
    let mut m = on_pipeline(size, lang, implementing());
    heard_diff(&mut m);
    let text = "running 12 tests\ntest cap::limit ... ok\ntest cap::rest ... FAILED\n";
    running(&mut m, Purpose::Verify, None, "app 1/2: $ cargo test", text);
    (0..2).for_each(|_| drop(act(&mut m, Action::NextPart)));
    m
}

fn failed(size: (u16, u16), lang: Lang) -> Model {
    let mut m = on_pipeline(size, lang, verified(Verdict::Fail));
    let verify = question(
        QuestionKind::Verify,
        "verify-01",
        3,
        "The verification failed (verify-01.md). Fix and retry, or escalate?",
        &[("fix", "fix"), ("retry", "again"), ("escalate", "write it down")],
    );
    m.watched.values_mut().for_each(|w| w.view.questions = vec![verify.clone()]);
    heard_diff(&mut m);
    let text = "FAIL\n\napp: $ cargo test\nexit code 101 after 2.1 s\n\ntest cap::rest ... FAILED\n";
    let file = "verify-01.md".to_string();
    hear(&mut m, Tell::File { id: id(9, "cap-fetcher-retries"), file, text: text.into() });
    (0..2).for_each(|_| drop(act(&mut m, Action::NextPart)));
    m
}

fn refused(size: (u16, u16), lang: Lang) -> Model {
    let mut s = verified(Verdict::Pass);
    if let Some(track) = &mut s.notes.track {
        let done =
            Deployed { repo: "app".into(), sha: "3f".repeat(20), pushed: false, note: "no remote".into() };
        track.deployed = vec![done];
        let text = "site moved on from 1111111 to 2222222 since the tree was made";
        track.refused = Some(Refusal {
            repo: "site".into(),
            kind: Stop::Moved,
            text: text.into(),
            escalation: None,
            way: None,
        });
    }
    let mut m = on_pipeline(size, lang, s);
    let choices = [("retry", "again"), ("rebase", "move"), ("keep", "keep the branch"), ("escalate", "…")];
    let deploy =
        question(QuestionKind::Deploy, "deploy", 2, "site moved on from 1111111 to 2222222", &choices);
    m.watched.values_mut().for_each(|w| w.view.questions = vec![deploy.clone()]);
    heard_diff(&mut m);
    (0..3).for_each(|_| drop(act(&mut m, Action::NextPart)));
    m
}

fn done(size: (u16, u16), lang: Lang) -> Model {
    let mut m = on_pipeline(size, lang, deployed());
    m.watched.values_mut().for_each(|w| w.view.questions.clear());
    heard_diff(&mut m);
    (0..3).for_each(|_| drop(act(&mut m, Action::NextPart)));
    m
}

fn reviewed(size: (u16, u16), lang: Lang) -> Model {
    let mut m = on_pipeline(size, lang, findings());
    let choices = [("now", "fix them"), ("after", "deploy first")];
    let text = "There are 1 High and 1 Medium findings. Fix now or after deploy?";
    let ask = question(QuestionKind::Findings, "findings-02", 1, text, &choices);
    m.watched.values_mut().for_each(|w| w.view.questions = vec![ask.clone()]);
    heard_diff(&mut m);
    act(&mut m, Action::NextPart);
    m
}

type Maker = fn((u16, u16), Lang) -> Model;

const STATES: [Maker; 7] = [editing, at_gate, reviewed, verifying, failed, refused, done];

#[test]
fn rule_7_every_state_is_drawn_at_every_size() {
    for make in STATES {
        for size in [(20, 5), (21, 6), (40, 15), (79, 9), (80, 24), (99, 30), (120, 40), (200, 60), (300, 8)]
        {
            for lang in [Lang::En, Lang::Ru] {
                let mut m = make(size, lang);
                for _ in 0..5 {
                    let text = screen(&mut m);
                    let said = ["2 waiting", "2 ждут", "ждут тебя: 2"].iter().any(|w| text.contains(w));
                    assert!(said, "{size:?}\n{text}");
                    let bad = text.chars().find(|c| c.is_control() && *c != '\n');
                    assert_eq!(bad, None, "{text:?}");
                    act(&mut m, Action::NextPart);
                }
            }
        }
    }
}

#[test]
fn rule_3_steps_differ_without_colour() {
    use crate::ui::model::pipeline::steps::State;
    let states = [
        State::Done,
        State::Running(now()),
        State::Waits,
        State::Failed,
        State::Due,
        State::NotYet,
        State::Left,
    ];
    for lang in [Lang::En, Lang::Ru] {
        let shown: std::collections::BTreeSet<_> =
            states.iter().map(|s| s.shown(lang)).map(|s| (s.0, s.1)).collect();
        assert_eq!(shown.len(), states.len());
    }
}

#[test]
fn pc_530_what_was_not_run_is_not_shown_as_done() {
    let mut s = verified(Verdict::NotRun);
    if let Some(track) = &mut s.notes.track {
        track.unverified = true;
    }
    let text = screen(&mut on_pipeline((120, 40), Lang::En, s));
    assert!(text.contains("– verify NOT RUN") && text.contains("◌ deploy"), "{text}");
}

#[test]
fn the_session_says_that_it_implements() {
    let mut m = verifying((120, 40), Lang::En);
    act(&mut m, Action::Back);
    assert!(screen(&mut m).contains("implementing · verify"), "{}", screen(&mut m));
}

#[test]
fn pipeline_editing_80() {
    insta::assert_snapshot!(screen(&mut editing((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ● edit  ○ content  ○ review  ○ verify  ○ deploy  ○ outcome
    | ✎ edit · running · 12 s · claude
    | files [diff] findings  output  SHA ────────────────────────────────────────────
    | against the base
    | no edit yet; it shows here when the call ends
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
    | Tab part   ! next question   d direct   p pause   t files   Esc back    ? keys
    ");
}

#[test]
fn pipeline_gate_80() {
    insta::assert_snapshot!(screen(&mut at_gate((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ✓ edit  ! content 2/3  ○ review  ○ verify  ○ deploy  ○ outcome
    | ! content gate · waits for you 0 s · app/Strategy.md is a document whose conte…
    | files 3 [diff] findings  output  SHA ──────────────────────────────────────────
    | against the base · change 3/5
    | ~ app/Strategy.md +3 −2
    | @@ -1,8 +1,9 @@
    |  1  1  # Strategy
    |  2  2
    | ✓ change 1/3 · approved
    |  3    -We retry until it works.
    |     3 +We retry three times.
    |  4  4
    |  5  5  alpha
    | ✗ change 2/3 · rejected
    |     6 +The phone app counts too.
    |  6  7
    |  7  8  beta
    |▌! change 3/3 · open · y approve · n reject
    |  8    -gamma
    |     9 +delta
    | ~ app/src/fetch/retry.rs +3 −1
    | @@ -10,4 +10,6 @@ fn fetch() {                                       ↓ 10 more
    | y approve  n reject  a answer  c comment  T trace  Tab part  ] change   ? keys
    ");
}

#[test]
fn pipeline_gate_120() {
    insta::assert_snapshot!(screen(&mut at_gate((120, 40), Lang::En)), @r"
    | cap-fetcher-retries · pipeline                                                     ! 2 waiting for you · oldest 14 min
    | ✓ isolate → ✓ edit 1 → ! content gate 2/3 → ○ review → ○ verify → ○ deploy → ○ outcome
    | ! content gate · waits for you 0 s · app/Strategy.md is a document whose content is your own decision. Change 3 of 3,…
    | files 3 ───────────────────────│[diff] output  SHA ────────────────────────────────────────────────────────────────────
    |▌~ app/src/fetch/retry.rs +3 −1 │ against the base · side by side · change 3/5
    |▌  caps the retries             │ ~ app/Strategy.md +3 −2
    | ~ app/Strategy.md        +3 −2 │ @@ -1,8 +1,9 @@
    |   ! content is your decision   │  1  # Strategy                            │  1  # Strategy
    |   △ changed, not announced     │  2                                        │  2
    | + …the/limit/is/shown.rs +1 −0 │ ✓ change 1/3 · approved
    | ? ghost.txt                    │  3 -We retry until it works.              │  3 +We retry three times.
    |   △ claimed, not on disk       │  4                                        │  4
    |                                │  5  alpha                                 │  5  alpha
    |                                │ ✗ change 2/3 · rejected
    |                                │                                           │  6 +The phone app counts too.
    |                                │  6                                        │  7
    |                                │  7  beta                                  │  8  beta
    |                                │▌! change 3/3 · open · y approve · n reject
    |                                │  8 -gamma                                 │  9 +delta
    |                                │ ~ app/src/fetch/retry.rs +3 −1
    |                                │ @@ -10,4 +10,6 @@ fn fetch() {
    |                                │ 10      let mut tries = 0;                │ 10      let mut tries = 0;
    |                                │ 11 -    while tries < 255 {               │ 11 +    while tries < LIMIT {
    |                                │                                           │ 12 +        // red ␛]0;owned␇ ␛]52;c;aGk=␇
    |                                │                                           │     a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |                                │                                           │ 13 +        tries += 1;
    |                                │ 12          try_once();                   │ 14          try_once();
    |                                │ 13      }                                 │ 15      }
    |                                │ + …/where/the/limit/is/shown.rs +1 −0 new
    |                                │ @@ -0,0 +1 @@
    |                                │                                           │  1 +pub const LIMIT: u8 = 3;
    |                                │
    |                                │
    |                                │
    |                                │
    |                                │
    |                                │
    | findings ──────────────────────│
    | no review yet                  │
    | y approve  n reject  a answer  c comment  T trace  Tab part  ] change  s side  w whole  v compare  d direct     ? keys
    ");
}

#[test]
fn pipeline_gate_40() {
    insta::assert_snapshot!(screen(&mut at_gate((40, 15), Lang::En)), @r"
    | cap-fetcher-retri ! 2 waiting · 14 min
    | ✓ isolate  ✓ edit  ! content 2/3
    | ○ review  ○ verify  ○ deploy  ○ outcome
    | ! content gate · waits for you 0 s · a…
    | files 3 [diff] findings  output  SHA ──
    |  5  alpha
    | ✗ change 2/3 · rejected
    |  6 +The phone app counts too.
    |  7
    |  8  beta
    |▌! change 3/3 · open · y approve · n re…
    |  8 -gamma
    |  9 +delta
    | ~ app/src/fetch/retry.rs +3  ↓ 13 more
    | y approve  n reject  a answer   ? keys
    ");
}

#[test]
fn pipeline_gate_ru_80() {
    insta::assert_snapshot!(screen(&mut at_gate((80, 24), Lang::Ru)), @r"
    | cap-fetcher-retries · реализация           ! ждут тебя: 2 · дольше всех 14 мин
    | ✓ изоляция  ✓ правка  ! одобрение 2/3  ○ ревью  ○ проверка  ○ деплой  ○ итог
    | ! одобрение · ждёт тебя 0 с · app/Strategy.md — документ, содержание которого…
    | файлы 3 [diff] замечания  вывод  SHA ──────────────────────────────────────────
    | с базой · изменение 3/5
    | ~ app/Strategy.md +3 −2
    | @@ -1,8 +1,9 @@
    |  1  1  # Strategy
    |  2  2
    | ✓ изменение 1/3 · одобрено
    |  3    -We retry until it works.
    |     3 +We retry three times.
    |  4  4
    |  5  5  alpha
    | ✗ изменение 2/3 · отклонено
    |     6 +The phone app counts too.
    |  6  7
    |  7  8  beta
    |▌! изменение 3/3 · открыто · y одобрить · n отклонить
    |  8    -gamma
    |     9 +delta
    | ~ app/src/fetch/retry.rs +3 −1
    | @@ -10,4 +10,6 @@ fn fetch() {                                        ↓ 10 ещё
    | y одобрить  n отклонить  a ответить  c заметка  T след  Tab часть    ? клавиши
    ");
}

#[test]
fn pipeline_findings_80() {
    insta::assert_snapshot!(screen(&mut reviewed((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ✓ edit  ✓ content  ! review 2/3 1 High 1 Medium  ○ verify  ○ deploy
    | ○ outcome
    | ! review · waits for you 1 min · There are 1 High and 1 Medium findings. Fix n…
    | files 3  diff [findings 2] output  SHA ────────────────────────────────────────
    |▌! High src/fetch/retry.rs:12
    |▌  still nobody tests the limit of the retries
    |▌  → a test for three and for four tries
    |▌  open · reviews 1–2
    | · Medium Strategy.md
    |   says nothing of the minute of rest red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧…
    |   open · review 2
    | ✓ Critical src/fetch/retry.rs:13
    |   the counter wraps around at 255 tries
    |   not found again in review 2 · review 1
    |
    |
    |
    |
    |
    |
    |
    |
    | a answer  T trace  Tab part  Enter open  ! next question  d direct      ? keys
    ");
}

#[test]
fn pipeline_findings_120() {
    insta::assert_snapshot!(screen(&mut reviewed((120, 40), Lang::En)), @r"
    | cap-fetcher-retries · pipeline                                                     ! 2 waiting for you · oldest 14 min
    | ✓ isolate → ✓ edit 1 → ✓ content gate → ! review 2/3 1 High 1 Medium → ○ verify → ○ deploy → ○ outcome
    | ! review · waits for you 1 min · There are 1 High and 1 Medium findings. Fix now or after deploy?
    | files 3 ───────────────────────│[diff] output  SHA ────────────────────────────────────────────────────────────────────
    |▌~ app/src/fetch/retry.rs +3 −1 │ against the base · side by side · change 0/5
    |▌  caps the retries             │▌~ app/Strategy.md +3 −2
    | ~ app/Strategy.md        +3 −2 │ @@ -1,8 +1,9 @@
    |   △ changed, not announced     │  1  # Strategy                            │  1  # Strategy
    | + …the/limit/is/shown.rs +1 −0 │  2                                        │  2
    | ? ghost.txt                    │  3 -We retry until it works.              │  3 +We retry three times.
    |   △ claimed, not on disk       │  4                                        │  4
    |                                │  5  alpha                                 │  5  alpha
    |                                │                                           │  6 +The phone app counts too.
    |                                │  6                                        │  7
    |                                │  7  beta                                  │  8  beta
    |                                │  8 -gamma                                 │  9 +delta
    |                                │ ~ app/src/fetch/retry.rs +3 −1
    |                                │ @@ -10,4 +10,6 @@ fn fetch() {
    |                                │ 10      let mut tries = 0;                │ 10      let mut tries = 0;
    |                                │ 11 -    while tries < 255 {               │ 11 +    while tries < LIMIT {
    |                                │                                           │ 12 +        // red ␛]0;owned␇ ␛]52;c;aGk=␇
    |▸findings 2 ────────────────────│                                           │     a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |▌! High src/fetch/retry.rs:12   │                                           │ 13 +        tries += 1;
    |▌  still nobody tests the limit │ 12          try_once();                   │ 14          try_once();
    |▌  of the retries               │ 13      }                                 │ 15      }
    |▌  → a test for three and for   │ + …/where/the/limit/is/shown.rs +1 −0 new
    |▌  four tries                   │ @@ -0,0 +1 @@
    |▌  open · reviews 1–2           │                                           │  1 +pub const LIMIT: u8 = 3;
    | · Medium Strategy.md           │
    |   says nothing of the minute…  │
    |   open · review 2              │
    | ✓ Critical …/fetch/retry.rs:13 │
    |   the counter wraps around at… │
    |   not found again in review 2  │
    |                                │
    |                                │
    |                                │
    |                                │
    |                                │
    | a answer  c comment  T trace  Tab part  Enter open  ] change  s side  w whole  v compare  ! next question       ? keys
    ");
}

#[test]
fn pipeline_verifying_80() {
    insta::assert_snapshot!(screen(&mut verifying((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ✓ edit  ✓ content  – review  ● verify  ○ deploy  ○ outcome
    | ✎ verify · running · 12 s · app 1/2: $ cargo test
    | files 3  diff  findings [output] SHA ──────────────────────────────────────────
    | app 1/2: $ cargo test
    | running 12 tests
    | test cap::limit ... ok
    | test cap::rest ... FAILED
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
    | Tab part  ! next question  d direct  p pause  t files  f follow         ? keys
    ");
}

#[test]
fn pipeline_failed_80() {
    insta::assert_snapshot!(screen(&mut failed((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ✓ edit  ✓ content  ✓ review  ✗ verify FAIL  ○ deploy  ○ outcome
    | ✗ verify · failed 3 min · The verification failed (verify-01.md). Fix and retr…
    | files 3  diff  findings [output] SHA ──────────────────────────────────────────
    | FAIL
    |
    | app: $ cargo test
    | exit code 101 after 2.1 s
    |
    | test cap::rest ... FAILED
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
    | r retry  e escalate  a answer  Tab part  Enter open  ! next question    ? keys
    ");
}

#[test]
fn pipeline_failed_40() {
    insta::assert_snapshot!(screen(&mut failed((40, 15), Lang::En)), @r"
    | cap-fetcher-retri ! 2 waiting · 14 min
    | ✓ isolate  ✓ edit  ✓ content  ✓ review
    | ✗ verify FAIL  ○ deploy  ○ outcome
    | ✗ verify · failed 3 min · The verifica…
    | files 3  diff  findings [output] SHA ──
    | FAIL
    |
    | app: $ cargo test
    | exit code 101 after 2.1 s
    |
    | test cap::rest ... FAILED
    |
    |
    |
    | r retry  e escalate  a answer   ? keys
    ");
}

#[test]
fn pipeline_refused_80() {
    insta::assert_snapshot!(screen(&mut refused((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ✓ edit  ✓ content  ✓ review  ✓ verify  ✗ deploy 1/2  ○ outcome
    | ✗ deploy · failed 2 min · site moved on from 1111111 to 2222222
    | files 3  diff  findings  output [SHA]──────────────────────────────────────────
    | ✓ app 3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f
    |   not pushed
    |   no remote
    | ✗ site
    |   site moved on from 1111111 to 2222222 since the tree was made
    | ○ site not deployed
    |   base 1111111111111111111111111111111111111111
    |   branch flightdeck/2026-08-24-09-cap-fetcher-retries
    |   tree /run/trees/site
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
    | r retry  e escalate  a answer  Tab part  ! next question  d direct      ? keys
    ");
}

#[test]
fn pipeline_done_80() {
    insta::assert_snapshot!(screen(&mut done((80, 24), Lang::En)), @r"
    | cap-fetcher-retries · pipeline             ! 2 waiting for you · oldest 14 min
    | ✓ isolate  ✓ edit  ✓ content  ✓ review  ✓ verify  ✓ deploy  ✓ outcome
    | ✓ deployed
    | files 3  diff  findings  output [SHA]──────────────────────────────────────────
    | ✓ app 3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f
    |   pushed
    | ✓ site 3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f
    |   not pushed
    |   the branch has no upstream
    | Enter _outcome.md: what is written about it
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
    | Tab part   Enter open   ! next question   t files   Esc back            ? keys
    ");
}

#[test]
fn pipeline_ended_says_why() {
    let mut s = verified(Verdict::Fail);
    if let Some(track) = &mut s.notes.track {
        (track.ended, track.done, track.cleaned) = (Some("FAIL".into()), true, true);
        let refused = Refusal {
            repo: "app".into(),
            kind: Stop::Push,
            text: "no".into(),
            escalation: None,
            way: Some(Way::End),
        };
        track.refused = Some(refused);
    }
    let mut m = on_pipeline((120, 40), Lang::En, s);
    let text = screen(&mut m);
    assert!(text.contains("✗ ended without a full deployment: FAIL"), "{text}");
}
