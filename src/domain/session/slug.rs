//! Short names made of a task: the slug of a session id, the task cell of the index.

use regex::Regex;
use std::sync::LazyLock;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

const WORDS: usize = 4;
const WORD_LENGTH: usize = 40;
const SLUG_LENGTH: usize = 60;

/// The last part of a session id: up to four Latin words of the task, `session` when it has none (PC-143).
pub fn slug(task: &str) -> String {
    static DATE_YEAR_FIRST: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}\b"));
    static DATE_YEAR_LAST: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}\b"));
    static WP: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bWP-?0*([0-9]+)\b"));

    let task = collapse(task);
    let task = DATE_YEAR_FIRST.replace_all(&task, " ");
    let task = DATE_YEAR_LAST.replace_all(&task, " ");
    let task = WP.replace_all(&task, "wp$1");
    let task = without_inner_apostrophes(&latin(&task));

    let mut words = task
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.bytes().any(|b| b.is_ascii_alphabetic()))
        .take(WORDS)
        .map(|word| word[..word.len().min(WORD_LENGTH)].to_ascii_lowercase());
    let Some(mut slug) = words.next() else { return "session".into() };
    for word in words {
        if slug.len() + 1 + word.len() > SLUG_LENGTH {
            break;
        }
        slug.push('-');
        slug.push_str(&word);
    }
    slug
}

/// The task as it is stored: white space collapsed to single spaces (PC-002).
pub fn collapse(task: &str) -> String {
    let mut out = String::with_capacity(task.len());
    for word in task.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The task in at most `max_chars` Unicode scalar values; a cut is shown by `…` (PC-214, without its escaping).
pub fn brief(task: &str, max_chars: usize) -> String {
    let task = collapse(task);
    if task.chars().count() <= max_chars {
        return task;
    }
    let kept: String = task.chars().take(max_chars.saturating_sub(1)).collect();
    let mut kept = kept.trim_end().to_string();
    if max_chars > 0 {
        kept.push('…');
    }
    kept
}

/// Accents off, letters that no decomposition reaches spelled out.
fn latin(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for c in text.chars() {
        spelled.push_str(match c {
            'ß' | 'ẞ' => "ss",
            'æ' | 'Æ' => "ae",
            'œ' | 'Œ' => "oe",
            'ø' | 'Ø' => "o",
            'ł' | 'Ł' => "l",
            'đ' | 'Đ' | 'ð' | 'Ð' => "d",
            'þ' | 'Þ' => "th",
            'ı' => "i",
            _ => {
                spelled.push(c);
                continue;
            }
        });
    }
    spelled.nfkd().filter(|c| !is_combining_mark(*c)).collect()
}

fn without_inner_apostrophes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let inner = matches!(c, '\'' | '’')
            && before.is_alphanumeric()
            && chars.peek().is_some_and(|next| next.is_alphanumeric());
        if !inner {
            out.push(c);
        }
        before = c;
    }
    out
}

#[expect(clippy::expect_used, reason = "the patterns are constants and every one is used by a test")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("constant pattern")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pc_143_slug_table() {
        for (task, want) in [
            ("Choose cache eviction policy for the thumbnail store", "choose-cache-eviction-policy"),
            ("Выбрать политику кэша", "session"),
            ("Создать инструкцию docs/KIMI-SETUP.md по подключению Kimi", "docs-kimi-setup-md"),
            ("WP-484 new order cutover 2026-07-31", "wp484-new-order-cutover"),
            ("2026-08-24 12 000 30%", "session"),
            ("Don't drop it", "dont-drop-it"),
            ("café société naïve Ångström", "cafe-societe-naive-angstrom"),
            ("Фикс API v2.1 для iOS-клиента", "api-v2-ios"),
            ("12.10.2026 review", "review"),
            ("fix 3 bugs in http2 parser", "fix-bugs-in-http2"),
            ("a/b/c/d/e", "a-b-c-d"),
        ] {
            assert_eq!(slug(task), want, "{task}");
        }
        let x = "x".repeat(80);
        assert_eq!(slug(&format!("{x} b c d")), format!("{}-b-c-d", &x[..40]));
    }

    #[test]
    fn pc_143_slug_stays_within_sixty() {
        let word = "y".repeat(30);
        assert_eq!(slug(&format!("{word} {word} b")), word, "words end where the next one would not fit");
        let word = "y".repeat(29);
        assert_eq!(slug(&format!("{word} {word} b")), format!("{word}-{word}"));
    }

    #[test]
    fn pc_143_slug_work_packages_and_letters() {
        assert_eq!(slug("close wp007 and WP-12"), "close-wp7-and-wp12");
        assert_eq!(slug("Straße Łódź Þórr Æther Øl"), "strasse-lodz-thorr-aether");
        assert_eq!(slug("the pilot’s 'own' rock'n'roll"), "the-pilots-own-rocknroll");
        assert_eq!(slug("31/12/99 1.2.2026 2026/1/2"), "session");
    }

    #[test]
    fn pc_214_brief_counts_scalars() {
        assert_eq!(brief("  two\n words ", 50), "two words");
        let fifty = "ж".repeat(50);
        assert_eq!(brief(&fifty, 50), fifty);
        assert_eq!(brief(&format!("{fifty}ж"), 50), format!("{}…", "ж".repeat(49)));
        let task = "Drop legacy token table from the auth database | yes or no";
        assert_eq!(brief(task, 50), "Drop legacy token table from the auth database |…");
        assert_eq!(
            brief("Choose cache eviction policy for the thumbnail store (WP-142)", 50).chars().count(),
            50
        );
        assert_eq!((brief("abc", 1), brief("abc", 0)), ("…".into(), String::new()));
    }

    proptest! {
        #[test]
        fn pc_143_any_text_gives_a_name(task in any::<String>()) {
            let slug = slug(&task);
            prop_assert!(!slug.is_empty() && slug.len() <= 60);
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!slug.starts_with('-') && !slug.ends_with('-'));
            prop_assert!(crate::domain::session::id::SessionId::new("2026-08-24", 1, &slug).is_some());
        }

        #[test]
        fn pc_214_never_longer(task in any::<String>(), max in 0usize..80) {
            prop_assert!(brief(&task, max).chars().count() <= max);
        }
    }
}
