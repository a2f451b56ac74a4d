//! The form of a new session.

use super::*;

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
    |▸peers      codex,kimi             △ kimi: not on PATH
    | writer     a vendor, as configured when empty
    | model      the vendor's own when empty
    | roles      vendor=role, …; agreed in discovery when empty
    | WP         found in the plan when empty
    | rounds     as configured when empty
    | turns      as configured when empty
    | attempts   as configured when empty
    | language   en or ru
    | vendors
    | ✓ codex
    | ✗ kimi — not on PATH
    | cost: no limit (limit_usd, limit_tokens set one)
    | Opening Peer Session
    | ? No WP in the plan. Go on?
    | Start again to begin all the same; nothing was created yet.
    | Ctrl+s start  Esc cancel  F2 next question  Ctrl+e $EDITOR  Tab field  F1 keys
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
    | writer     a vendor, as configured wh…
    | model      the vendor's own when empty
    | roles      vendor=role, …; agreed in…
    | WP         found in the plan when emp…
    | rounds     as configured when empty
    | turns      as configured when empty
    | attempts   as configured when empty
    | language   en or ru
    | vendors
    | ✓ codex
    | ✗ kimi — not on PATH
    | Ctrl+s start  Esc cancel       F1 keys
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
    | писатель   вендор; пусто — как настроено
    | модель     пусто — своя у вендора
    | роли       вендор=роль, …; пусто — согласуют сами
    | РП         пусто — найти в плане
    | раунды     пусто — как настроено
    | ходы       пусто — как настроено
    | попытки    пусто — как настроено
    | язык       en или ru
    | вендоры
    | ✓ codex
    | ✗ kimi — not on PATH
    | расход: без лимита (его задают limit_usd, limit_tokens)
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
    | Ctrl+s начать   Esc отмена   F2 след. вопрос   Ctrl+e $EDITOR   Tab поле                                    F1 клавиши
    ");
}
