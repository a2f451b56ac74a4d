//! The list of keys.

use super::*;

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
    |  T                           trace             Where this comes from, and wha…
    |  Tab                         next-lane         Next participant
    |  Shift+Tab                   previous-lane     Previous participant
    |  z                           zoom              One participant on the whole s…
    |  e                           stderr            What this participant's last c…
    |  f                           follow            Follow the newest text of this…
    |  y                           copy-path         Copy the path of thi ↓ 61 more
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
    |  t             turn-files   ↓ 70 more
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
    | 👨‍👩‍👧 ❤️ שלום│  T                              trace             Откуда это взялось и что с этим стало        │
    |           │  Tab                            next-lane         Следующий участник                           │
    |           │  Shift+Tab                      previous-lane     Предыдущий участник                          │
    |           │  z                              zoom              Один участник на весь экран и обратно        │
    |           │  e                              stderr            Что последний вызов участника вывел помимо…  │
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
    |───────────│  Ctrl+c Ctrl+q                  quit              Выйти; сессии продолжат работать             │───────────
    | раунд 0  c│  y                              approve           Одобрить изменение под курсором в твоём док… │
    | раунд 1  c│  n                              reject            Убрать изменение под курсором (pipeline)     │ right…
    | раунд 2  c│  r                              retry             Повторить шаг, который не удался ( ↓ 45 ещё  │
    | R0 ●──R1 ●│────────────────────────────────────────────────────────────────────────────────────────────────│
    | Enter выбрать   Esc назад                                                                                    ? клавиши
    ");
}
