//! The Decision Gate.

use super::*;

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
    | Estimated time            ~3h (including Review + smoke + deploy)
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
    | Esc later   s sources   ! next question   T trace                       ? keys
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
    | Estimated time            ~3h (including Review + smoke + deploy)
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
    | Esc later   s sources   ! next question   T trace                                                               ? keys
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
    | What was agreed             ↓ 24 more
    |────────────────────────────────────────
    | ▸a   record only: report, commit,
    |      close question
    |  b   implement now (unavailable: no…
    |  c   record and close at once
    | △ weak panel: press the same key again
    | to decide A
    | Esc later  s sources  T trace   ? keys
    ");
}

#[test]
fn gate_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = on_gate(size, lang);
    act(&mut m, Action::Record);
    insta::assert_snapshot!(drawn(&mut m), @r"
    | ◆ Decision Gate · cap-fetcher-retries      ! ждут тебя: 2 · дольше всех 14 мин
    | Консенсус — 1 из 2: codex согласен, hermes отказал (время вышло) · 1 вендор
    | ──────────────────────────────────────────────────────────────────────────────
    | Что обсуждалось           how often the fetcher may try again
    | К чему пришли             three tries, then wait a minute; count the tries of
    |                           the phone app too
    | Что предлагается          limit the tries · count them · show the count
    | Сколько займёт            ~3h (включая ревью + smoke + deploy)
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
    | Esc позже   s источники   ! след. вопрос   T след                    ? клавиши
    ");
}

#[test]
fn choices_are_read_whole() {
    let mut m = on_gate((60, 24), Lang::En);
    let shown = drawn(&mut m).lines().map(|l| l.trim_start_matches('|').trim()).collect::<Vec<_>>().join(" ");
    assert!(shown.contains("no implementation backend is configured"), "{shown}");
}
