//! A session: columns, tabs, zoom.

use super::*;

#[test]
fn session_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…    round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [✎ claude]  ! codex   ✗ hermes                                          writer
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
    | round 2 · reply · as it comes
    | I write
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | and more
    |────────────────────────────────────────────────────────────────────────────────
    | round 2
    |  codex ! escalates: is downtime allowed?
    |  hermes ✗ no reply: timeout
    |  claude … not yet
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter answer  x cut in  p pause  d direct  Tab lane  t files  T trace   ? keys
    ");
}

#[test]
fn session_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may the fetcher try again?                      round 2 of 6 · token: writer · 18 min
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
    | round 2 · reply · as it comes          │                                       │
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
    | Enter answer  x cut in  p pause  d direct  Tab lane  t files  T trace  R replay  z zoom  ! next question        ? keys
    ");
}

#[test]
fn session_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries     round 2 of 6
    | △ 2 invited · 1   ! 2 waiting · 14 min
    | spoke · 1 vendor · hermes is out
    | [✎ claude]  ! codex   ✗ hermes  writer
    | ✎ writing · 0 s · 3.4 kB · pid 4711
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | round 2 · reply · as it comes
    | I write
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | and more
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○
    | Enter answer  x cut in  z zoom  ? keys
    ");
}

#[test]
fn session_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…   раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл      ! 2 ждут · 14 мин
    | [✎ claude]  ! codex   ✗ hermes                                        писатель
    | ✎ пишет · 0 с · 3.4 кБ · pid 4711
    | # Opening
    |
    | Three tries, then a minute of rest. The phone app counts on its own.
    |
    | раунд 1 · 01-writer.md
    | codex is right about writes; I add them.
    |
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    | раунд 2 · ответ · по мере поступления
    | I write
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | and more
    |────────────────────────────────────────────────────────────────────────────────
    | раунд 2
    |  codex ! эскалирует: is downtime allowed?
    |  hermes ✗ нет ответа: время вышло
    |  claude … ещё нет
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter ответить  x вмешаться  p пауза  d указать  Tab дорожка         ? клавиши
    ");
}

#[test]
fn session_ru_120() {
    let (size, lang) = ((120, 40), Lang::Ru);
    let mut m = on_session(size, lang, session());
    running(&mut m, None, &format!("I write\n{HOSTILE}\nand more"));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may the fetcher try again?                     раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл                            ! ждут тебя: 2 · дольше всех 14 мин
    | ▸claude · писатель                     │ codex · load critic                   │ hermes · критик клиентов
    |  ✎ пишет · 0 с · 3.4 кБ · pid 4711     │ ! эскалирует · раунд 2                │ ✗ выбыл: время вышло
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
    | раунд 2 · ответ · по мере поступления  │                                       │
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
    | раунд 2  codex ! эскалирует: is downtime a…  hermes ✗ нет ответа: время вышло    claude … ещё нет
    | R0 ●──R1 ●──R2 !──R3 ○──R4 ○──R5 ○──R6 ○
    | Enter ответить  x вмешаться  p пауза  d указать  Tab дорожка  t файлы  T след  R повтор  z крупно  e stderr  ? клавиши
    ");
}

#[test]
fn session_zoomed_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::NextLane);
    act(&mut m, Action::Zoom);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may the fetcher try again?                      round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out                                   ! 2 waiting for you · oldest 14 min
    |  · claude  [! codex]  ✗ hermes                                                                             load critic
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
    | Enter answer  p pause  d direct  Tab lane  t files  T trace  R replay  z zoom  ! next question  e stderr        ? keys
    ");
}

#[test]
fn a_key_is_shown_when_it_does_something_and_a_report_is_opened_when_there_is_one() {
    let mut m = on_session((120, 40), Lang::Ru, session());
    assert!(!drawn(&mut m).contains("r отчёт"));
    act(&mut m, Action::Reports);
    let shown = drawn(&mut m);
    assert!(shown.contains("отчёта ещё нет") && shown.contains("раунд 2 из 6"), "{shown}");
    let mut closed = session();
    closed.report = crate::domain::session::state::ReportState::Final { stub: false };
    let mut m = on_session((120, 40), Lang::Ru, closed);
    assert!(drawn(&mut m).contains("r отчёт"));
    act(&mut m, Action::Reports);
    assert!(drawn(&mut m).contains("report.md"));
}

#[test]
fn a_session_that_ended_names_its_result_and_whom_it_did_not_come_to() {
    let mut s = at_gate();
    s.meta.status = crate::domain::session::meta::Status::Completed;
    s.meta.engine_result_class = Some(crate::domain::session::meta::ResultClass::Partial);
    let mut m = on_session((120, 40), Lang::Ru, s);
    let shown = drawn(&mut m);
    assert!(shown.contains("закрыта · частично") && !shown.contains("partial"), "{shown}");
    assert!(!shown.contains("— — ·"), "{shown}");
}
