//! What lies over a screen: confirmations and texts; the reading screens in their frame.

use super::*;

#[test]
fn confirm_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Interrupt);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…    round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [· claude]  ! codex   ✗ hermes                                          writer
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
    | 4 cap-fetcher-retries     раунд 2 из 6
    | △ 2 приглашены · 1   ! 2 ждут · 14 мин
    | высказался · 1 вендор · hermes выбыл
    | [· claude]  ! codex   ✗ hermes  писат…
    | · отвечает · раунд 1
    |────────────────────────────────────────
    |  Прервать cap-fetcher-retries?
    |  Сказанное сохранится; позже можно
    |  продолжить или финализировать.
    |
    |  y да   n нет
    |────────────────────────────────────────
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
    | 4 cap-fetcher-retries     round 2 of 6
    | △ 2 invited · 1   ! 2 waiting · 14 min
    | spoke · 1 vendor · hermes is out
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
    | o outline  z fold  v verify  T trace  y copy path  b back               ? keys
    ");
}
