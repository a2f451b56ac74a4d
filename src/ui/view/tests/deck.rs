//! The deck in its states.

use super::*;

#[test]
fn deck_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = model(size, lang);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | flightdeck                                 ! 2 waiting for you · oldest 14 min
    |────────────────────────────────────────────────────────────────────────────────
    | waiting
    |▌! 4 cap-fetcher-retries    round 2/6   codex escalates: is downtime…    14 min
    | ◆ 2 choose-cache-eviction  turn 1/6    Consensus reached.                3 min
    | live
    | ● 3 agree-log-rotation     round 1/6   ✎ hermes writing · 41 s
    | ● 1 port-auth-middleware   turn 4/10   red ␛]0;owned␇ ␛]52;c;aGk=␇ a…    09:41
    | today
    | ✗   drop-legacy-token-tab… not agreed  2 escalations                     09:41
    | ◐   rename-metrics         partial     Decide about rename-metrics       09:41
    | earlier · 206 older ones in the library
    | ✓   pereimenovat-metriki   agreed      Переименовать метрики без про…    08-19
    | ◌   △ other-programs-sess… interrupted Decide about other-programs-s…    08-18
    |
    |
    |
    |
    |
    |
    |
    |
    |────────────────────────────────────────────────────────────────────────────────
    | Enter open  ! next question  n new  p pause  / filter  L library        ? keys
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
    |▌! 4 cap-fetcher-retries    round 2/6   codex escalates: is d…   14 min │ Decide about cap-fetcher-retries
    | ◆ 2 choose-cache-eviction  turn 1/6    Consensus reached.        3 min │
    | live                                                                   │ ! escalation · escalation-00 · 14 min
    | ● 3 agree-log-rotation     round 1/6   ✎ hermes writing · 41…          │ codex escalates: is downtime allowed?
    | ● 1 port-auth-middleware   turn 4/10   red ␛]0;owned␇ ␛]52;c…    09:41 │
    | today                                                                  │
    | ✗   drop-legacy-token-tab… not agreed  2 escalations             09:41 │
    | ◐   rename-metrics         partial     Decide about rename-m…    09:41 │
    | earlier · 206 older ones in the library                                │
    | ✓   pereimenovat-metriki   agreed      Переименовать метрики…    08-19 │
    | ◌   △ other-programs-sess… interrupted Decide about other-pr…    08-18 │
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
    | Enter open   ! next question   n new   p pause   / filter   L library   q quit                                  ? keys
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
    |▌! 4 cap-fetcher-retries         14 min
    | ◆ 2 choose-cache-eviction        3 min
    | live
    | ● 3 agree-log-rotation        writing
    | ● 1 port-auth-middleware    live 09:41
    | today
    | ✗   drop-legacy-tok…  not agreed 09:41
    | ◐   rename-metrics       partial 09:41
    | earlier · 206 older ones in the library
    | ✓   pereimenovat-metriki  agr ↓ 1 more
    |────────────────────────────────────────
    | Enter open  ! next question     ? keys
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
    |▌! 4 cap-fetcher-retries    раунд 2/6    codex escalates: is downtime…   14 мин
    | ◆ 2 choose-cache-eviction  ход 1/6      Consensus reached.               3 мин
    | идут
    | ● 3 agree-log-rotation     раунд 1/6    ✎ hermes пишет · 41 с
    | ● 1 port-auth-middleware   ход 4/10     red ␛]0;owned␇ ␛]52;c;aGk=␇…     09:41
    | сегодня
    | ✗   drop-legacy-token-tab… без согласия 2 эскалации                      09:41
    | ◐   rename-metrics         частично     Decide about rename-metrics      09:41
    | раньше · 206 более старых — в архиве
    | ✓   pereimenovat-metriki   согласие     Переименовать метрики без пр…    08-19
    | ◌   △ other-programs-sess… прервана     Decide about other-programs-…    08-18
    |
    |
    |
    |
    |
    |
    |
    |
    |────────────────────────────────────────────────────────────────────────────────
    | Enter открыть  ! след. вопрос  n новая  p пауза  / фильтр  L архив   ? клавиши
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
    |▌! 4 cap-fetcher-retries         14 мин
    | ◆ 2 choose-cache-eviction        3 мин
    | идут
    | ● 3 agree-log-rotation          пишет
    | ● 1 port-auth-middleware    идёт 09:41
    | сегодня
    | ✗   drop-legacy-t…  без согласия 09:41
    | ◐   rename-metrics      частично 09:41
    | раньше · 206 более старых — в архиве
    | ✓   pereimenovat-metr…  соглас ↓ 1 ещё
    |────────────────────────────────────────
    | Enter открыть  n новая       ? клавиши
    ");
}

#[test]
fn the_footer_says_that_a_standing_session_can_go_on() {
    use crate::domain::session::meta::Status;
    use crate::engine::wire::Owner;
    for (owner, status, lang, want) in [
        (Owner::Here, Status::Started, Lang::En, "p pause"),
        (Owner::Nobody, Status::Started, Lang::En, "p go on"),
        (Owner::Nobody, Status::Interrupted, Lang::Ru, "p продолжить"),
        (Owner::Nobody, Status::Completed, Lang::En, ""),
    ] {
        let mut m = model((120, 24), lang);
        let selected = m.deck.rows[0].id.clone();
        m.deck.selected = Some(selected);
        (m.deck.rows[0].owner, m.deck.rows[0].status) = (owner, status);
        let screen = drawn(&mut m);
        assert!(screen.contains(want), "{owner:?} {status:?}\n{screen}");
        let offered = screen.contains("p pause") || screen.contains("p go on");
        assert!(!want.is_empty() || !offered, "a closed session knows neither\n{screen}");
    }
}
