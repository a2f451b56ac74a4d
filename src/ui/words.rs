//! Numbers as people say them: ages, counts, tokens, money. Unknown is `—`, never 0 (ui.md rule 5).

use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use crate::domain::session::state::Session;
use crate::domain::spent::{Budget, Spent};
use crate::domain::time::Stamp;
use jiff::ZonedDateTime;
use jiff::tz::TimeZone;

/// How long something lasts: `41 s`, `14 min`, `3 h`, `2 d`.
pub fn lasted(seconds: i64, lang: Lang) -> String {
    let seconds = seconds.max(0);
    let (n, unit) = match seconds {
        0..60 => (seconds, lang.pick("s", "с")),
        60..5_400 => (seconds / 60, lang.pick("min", "мин")),
        5_400..129_600 => ((seconds + 1_800) / 3_600, lang.pick("h", "ч")),
        _ => ((seconds + 43_200) / 86_400, lang.pick("d", "дн")),
    };
    format!("{n} {unit}")
}

/// How long ago that was.
pub fn age(since: Stamp, now: Stamp, lang: Lang) -> String {
    lasted(now.0 - since.0, lang)
}

/// A point in time in the pilot's zone.
pub fn local(at: Stamp, zone: &TimeZone) -> Option<ZonedDateTime> {
    Some(jiff::Timestamp::from_second(at.0).ok()?.to_zoned_datetime(zone.clone()))
}

/// A point in time as the pilot's clock shows it: `2026-08-24 10:32`. What cannot be read stays as it is.
pub fn moment(text: &str, zone: &TimeZone) -> String {
    let Some(at) = Stamp::parse(text).and_then(|at| local(at, zone)) else { return text.to_string() };
    format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute())
}

/// `950`, `84k`, `1.2M`.
pub fn tokens(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{}k", (n + 500) / 1_000),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

pub fn dollars(usd: Option<f64>) -> String {
    usd.map_or_else(|| "$—".to_string(), |usd| format!("${usd:.2}"))
}

fn token_unit(lang: Lang) -> &'static str {
    lang.pick("tok", "ток.")
}

/// The most that something may cost: `200k tok or $2.00`.
pub fn budget(most: &Budget, lang: Lang) -> String {
    let tokens = most.tokens.map(|n| format!("{} {}", tokens(n), token_unit(lang)));
    let parts: Vec<String> = tokens.into_iter().chain(most.usd.map(|usd| dollars(Some(usd)))).collect();
    parts.join(lang.pick(" or ", " или "))
}

/// Tokens and money of some calls: `84k tok · $0.61`; `≥` when calls are among them that did not say.
pub fn spent(spent: &Spent, lang: Lang) -> String {
    let unit = token_unit(lang);
    let at_least = |others: u32| if others > 0 { "≥" } else { "" };
    let tokens = match spent.tokens {
        Some(n) => format!("{}{} {unit}", at_least(spent.silent), tokens(n)),
        None => format!("— {unit}"),
    };
    let usd = match spent.usd {
        Some(_) => format!("{}{}", at_least(spent.unpriced), dollars(spent.usd)),
        None => dollars(None),
    };
    format!("{tokens} · {usd}")
}

/// What a question is about.
pub fn asks(kind: QuestionKind, lang: Lang) -> &'static str {
    match kind {
        QuestionKind::Vendor => lang.pick("vendor", "вендор"),
        QuestionKind::WpGate => lang.pick("work package", "РП"),
        QuestionKind::Escalation => lang.pick("escalation", "эскалация"),
        QuestionKind::Dispute => lang.pick("dispute at the limit", "спор на лимите"),
        QuestionKind::PeerRetry => lang.pick("peer silent", "напарник молчит"),
        QuestionKind::WriterRetry => lang.pick("writer silent", "писатель молчит"),
        QuestionKind::Secret => lang.pick("secret in the prompt", "секрет в промпте"),
        QuestionKind::Permission => lang.pick("asks for leave", "просит разрешения"),
        QuestionKind::PilotTurn => lang.pick("your turn to write", "твой ход"),
        QuestionKind::Clarify => lang.pick("role question", "вопрос о роли"),
        QuestionKind::Participants => lang.pick("nobody left", "некому говорить"),
        QuestionKind::Reserved => lang.pick("reserved decision", "решение только твоё"),
        QuestionKind::Gate => lang.pick("Decision Gate", "Decision Gate"),
        QuestionKind::Content => lang.pick("content gate", "одобрение правки"),
        QuestionKind::Findings => lang.pick("findings", "замечания"),
        QuestionKind::Review => lang.pick("no review", "нет ревью"),
        QuestionKind::Verify => lang.pick("verification", "проверка"),
        QuestionKind::Deploy => lang.pick("deployment", "развёртывание"),
        QuestionKind::Implement => lang.pick("implementation", "реализация"),
        QuestionKind::Close => lang.pick("close or extend", "закрыть или продолжить"),
        QuestionKind::Reflection => lang.pick("reflection", "рефлексия"),
        QuestionKind::Budget => lang.pick("limit reached", "лимит исчерпан"),
        QuestionKind::Storage => lang.pick("storage", "запись файлов"),
        QuestionKind::Commit => lang.pick("commit", "коммит"),
    }
}

/// What was found broken in a session's files and put right.
pub fn mended(what: &[String], lang: Lang) -> String {
    format!("{} {}", lang.pick("mended:", "исправлено:"), what.join("; "))
}

/// What a session counts: the rounds of many peers, or the turns with one.
pub fn unit(s: &Session, lang: Lang) -> &'static str {
    if s.is_round_loop() { lang.pick("round", "раунд") } else { lang.pick("turn", "ход") }
}

/// A size of bytes: `512 B`, `3.4 kB`, `12.0 MB`, `1.5 GB`.
pub fn bytes(n: u64, lang: Lang) -> String {
    match n {
        0..1_000 => format!("{n} {}", lang.pick("B", "Б")),
        1_000..1_000_000 => format!("{:.1} {}", n as f64 / 1e3, lang.pick("kB", "кБ")),
        1_000_000..1_000_000_000 => format!("{:.1} {}", n as f64 / 1e6, lang.pick("MB", "МБ")),
        _ => format!("{:.1} {}", n as f64 / 1e9, lang.pick("GB", "ГБ")),
    }
}

/// The right form for a number: `one`, for Russian also `few` and `many`.
pub fn plural<'a>(n: usize, lang: Lang, en: (&'a str, &'a str), ru: (&'a str, &'a str, &'a str)) -> &'a str {
    match lang {
        Lang::En => {
            if n == 1 {
                en.0
            } else {
                en.1
            }
        }
        Lang::Ru => match (n % 10, n % 100) {
            (1, r) if r != 11 => ru.0,
            (2..=4, r) if !(12..=14).contains(&r) => ru.1,
            _ => ru.2,
        },
    }
}

/// The number that is always on screen (ui.md rule 1).
pub fn waiting(count: usize, oldest: Option<Stamp>, now: Stamp, lang: Lang, short: bool) -> String {
    let mut text = match (lang, short) {
        (_, true) => {
            let word = plural(count, lang, ("waiting", "waiting"), ("ждёт", "ждут", "ждут"));
            format!("{count} {word}")
        }
        (Lang::En, false) => format!("{count} waiting for you"),
        (Lang::Ru, false) => {
            format!("{} {count}", plural(count, lang, ("", ""), ("ждёт тебя:", "ждут тебя:", "ждут тебя:")))
        }
    };
    if let Some(oldest) = oldest {
        let label = if short { "" } else { lang.pick("oldest ", "дольше всех ") };
        text.push_str(&format!(" · {label}{}", age(oldest, now, lang)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        for (seconds, want) in
            [(-5, "0 s"), (41, "41 s"), (60, "1 min"), (3_600, "60 min"), (7_200, "2 h"), (200_000, "2 d")]
        {
            assert_eq!(lasted(seconds, Lang::En), want);
        }
        assert_eq!(lasted(840, Lang::Ru), "14 мин");
    }

    #[test]
    fn times_are_those_of_the_pilots_clock() {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(3));
        assert_eq!(moment("2026-08-24T23:15:00Z", &zone), "2026-08-25 02:15");
        assert_eq!(moment("yesterday", &zone), "yesterday");
    }

    #[test]
    fn rule_5_unknown_is_not_zero() {
        assert_eq!(dollars(None), "$—");
        assert_eq!(dollars(Some(0.0)), "$0.00");
        assert_eq!(
            (tokens(999), tokens(84_400), tokens(1_240_000)),
            ("999".into(), "84k".into(), "1.2M".into())
        );
    }

    #[test]
    fn units_are_in_the_pilots_language() {
        let calls = Spent { tokens: Some(84_400), usd: Some(0.61), silent: 1, unpriced: 0 };
        assert_eq!(spent(&calls, Lang::Ru), "≥84k ток. · $0.61");
        assert_eq!((bytes(512, Lang::Ru), bytes(3_400, Lang::En)), ("512 Б".into(), "3.4 kB".into()));
        assert_eq!(waiting(1, None, Stamp(0), Lang::Ru, true), "1 ждёт");
        assert_eq!(waiting(2, None, Stamp(0), Lang::Ru, true), "2 ждут");
    }

    #[test]
    fn rule_1_the_count_is_there_also_when_it_is_0() {
        assert_eq!(waiting(0, None, Stamp(0), Lang::En, false), "0 waiting for you");
        assert_eq!(
            waiting(2, Some(Stamp(0)), Stamp(840), Lang::En, false),
            "2 waiting for you · oldest 14 min"
        );
        assert_eq!(waiting(2, Some(Stamp(0)), Stamp(840), Lang::En, true), "2 waiting · 14 min");
        assert_eq!(waiting(1, None, Stamp(0), Lang::Ru, false), "ждёт тебя: 1");
    }
}
