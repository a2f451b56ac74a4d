//! The list of keys.

use super::*;

#[test]
fn help_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Help);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…    round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    |── keys ────────────────────────────────────────────────────────────────────────
    | › type to narrow
    |  Enter            answer            Answer the session's open question
    |  ! F2             next-question     Open the question that has waited longest
    |  d                direct            Give the writer words for its next turn
    |  x                cut-in            Stop the running call, add your words, go…
    |  p                pause             Pause the session, or let a standing one…
    |  i                interrupt         Interrupt the session; it can be resumed…
    |                   finalize          Write the report of an interrupted sessio…
    |  r                reports           Read the session's report
    |  t                turn-files        List the session's files
    |  P                pipeline          The implementation: diff, findings, check…
    |  R                replay            Go through the session step by step
    |  T                trace             Where this comes from, and what became of…
    |  Tab              next-lane         Next participant
    |  Shift+Tab        previous-lane     Previous participant
    |  z                zoom              One participant on the whole screen, and…
    |  e                stderr            What this participant's last ca ↓ 72 more
    | answer: Answer the session's open question · Enter
    |
    |────────────────────────────────────────────────────────────────────────────────
    | Enter choose   Esc back
    ");
}

#[test]
fn help_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Help);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries     round 2 of 6
    | △ 2 invited · 1   ! 2 waiting · 14 min
    | spoke · 1 vendor · hermes is out
    |── keys ────────────────────────────────
    | › type to narrow
    |  Enter    Answer the session's open q…
    |  ! F2     Open the question that has…
    |  d        Give the writer words for i…
    |  x        Stop the running call, add…
    |  p        Pause the session, or let a…
    |  i        Interrupt the ses ↓ 82 more
    | answer: Answer the session's open
    | question · Enter
    |────────────────────────────────────────
    | Enter choose   Esc back
    ");
}

#[test]
fn help_ru_120() {
    let (size, lang) = ((120, 40), Lang::Ru);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Help);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may the fetcher try again?                     раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл                            ! ждут тебя: 2 · дольше всех 14 мин
    | ▸claude · │── клавиши ─────────────────────────────────────────────────────────────────────────────────────│
    |  · отвечае│ › печатай, чтобы сузить                                                                        │
    | раунд 0 · │  Enter               answer            Ответить на вопрос сессии                               │
    | # Opening │  ! F2                next-question     Открыть вопрос, который ждёт дольше всех                │
    |           │  d                   direct            Дать писателю указание к следующему ходу                │
    | Three trie│  x                   cut-in            Остановить идущий вызов, добавить свои слова, продолжи… │
    | The phone │  p                   pause             Приостановить сессию или продолжить стоящую             │
    |           │  i                   interrupt         Прервать сессию; её можно продолжить позже              │
    | раунд 1 · │                      finalize          Написать отчёт прерванной сессии и закрыть её           │
    | codex is r│  r                   reports           Читать отчёт сессии                                     │
    | them.     │  t                   turn-files        Список файлов сессии                                    │
    |           │  P                   pipeline          Реализация: diff, замечания, проверки, деплой           │
    | red ␛]0;ow│  R                   replay            Пройти сессию шаг за шагом                              │
    | 👨‍👩‍👧 ❤️ שלום│  T                   trace             Откуда это взялось и что с этим стало                   │
    |           │  Tab                 next-lane         Следующий участник                                      │
    |           │  Shift+Tab           previous-lane     Предыдущий участник                                     │
    |           │  z                   zoom              Один участник на весь экран и обратно                   │
    |           │  e                   stderr            Что последний вызов участника вывел помимо ответа       │
    |           │  f                   follow            Следить за новым текстом дорожки или остаться на месте  │
    |           │  y                   copy-path         Копировать путь этого файла                             │
    |           │  j Down              down              На строку вниз; в повторе — на раунд вперёд             │
    |           │  k Up                up                На строку вверх; в повторе — на раунд назад             │
    |           │  PageDown            page-down         На страницу вниз                                        │
    |           │  PageUp              page-up           На страницу вверх                                       │
    |           │  g Home              first             В начало                                                │
    |           │  G End               last              В конец                                                 │
    |           │  Esc q               back              Вернуться                                               │
    |           │  Alt+1               slot-1            Открыть сессию с номером 1; номер остаётся за ней, пок… │
    |           │  Alt+2               slot-2            Открыть сессию с номером 2; номер остаётся за ней, пок… │
    |           │  Alt+3               slot-3            Открыть сессию с номером 3; номер остаётся за ней, пок… │
    |           │  Alt+4               slot-4            Открыть сессию с номером 4; номер остаётся за ней, пок… │
    |           │  Alt+5               slot-5            Открыть сессию с номером 5; номер остаётся за ней, пок… │
    |───────────│  Alt+6               slot-6            Открыть сессию с номером 6; номер остаётся за ней, пок… │───────────
    | раунд 0  c│  Alt+7               slot-7            Открыть сессию с номером 7; номер остаётся за ↓ 56 ещё  │
    | раунд 1  c│ answer: Ответить на вопрос сессии · Enter                                                      │ right…
    | раунд 2  c│                                                                                                │
    | R0 ●──R1 ●│────────────────────────────────────────────────────────────────────────────────────────────────│
    | Enter выбрать   Esc назад
    ");
}

#[test]
fn what_the_selected_action_does_is_read_whole_at_any_width() {
    for (width, context) in [(40, Action::Help), (80, Action::Palette), (80, Action::Help)] {
        let mut m = on_session((width, 24), Lang::Ru, session());
        act(&mut m, context);
        (0..3).for_each(|_| drop(act(&mut m, Action::Down)));
        let shown = drawn(&mut m).lines().map(|l| l.trim_matches(['|', ' '])).collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains("cut-in: Остановить идущий вызов, добавить свои слова, продолжить"),
            "{shown}"
        );
    }
}
