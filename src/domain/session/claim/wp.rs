//! `WP-NNN` together with a status word on one line.

use super::Claim;

/// The states that words of plans, registries and sentences fall into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WpState {
    Done,
    Active,
    Blocked,
    Pending,
    Dropped,
}

const WORDS: [(WpState, &[&str]); 5] = [
    (
        WpState::Done,
        &[
            "done",
            "closed",
            "complete",
            "completed",
            "finished",
            "готово",
            "готов",
            "закрыт",
            "закрыто",
            "завершен",
            "завершено",
            "выполнен",
            "выполнено",
            "сделано",
            "✅",
        ],
    ),
    (
        WpState::Active,
        &[
            "active",
            "in progress",
            "in_progress",
            "in-progress",
            "started",
            "активен",
            "в работе",
            "начат",
            "🔄",
        ],
    ),
    (WpState::Blocked, &["blocked", "заблокирован", "блокирован", "⛔"]),
    (WpState::Pending, &["pending", "planned", "not started", "todo", "ожидает", "запланирован", "не начат"]),
    (WpState::Dropped, &["cancelled", "canceled", "dropped", "deferred", "отменен", "отложен", "снят"]),
];

/// A line with one of these does not state how things are: denials, conditions, wishes, futures, parts of the whole.
const DOUBT: [&str; 52] = [
    "not",
    "no",
    "never",
    "isn't",
    "wasn't",
    "aren't",
    "nor",
    "without",
    "if",
    "unless",
    "once",
    "when",
    "until",
    "till",
    "before",
    "after",
    "should",
    "would",
    "could",
    "can",
    "may",
    "might",
    "must",
    "will",
    "shall",
    "be",
    "almost",
    "partly",
    "was",
    "consider",
    "phase",
    "не",
    "нет",
    "без",
    "если",
    "когда",
    "пока",
    "до",
    "после",
    "будет",
    "можно",
    "нужно",
    "надо",
    "должен",
    "должна",
    "может",
    "почти",
    "частично",
    "был",
    "была",
    "считать",
    "фаза",
];

/// The state that a status word or cell means, whatever its case; `None` for a word that is no status.
pub fn wp_state(word: &str) -> Option<WpState> {
    let word = fold(word.trim());
    WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(state, _)| *state)
}

/// Words that may stand between the work package and its state, and make it a statement.
const LINKS: [&str; 21] = [
    "is",
    "are",
    "has",
    "been",
    "now",
    "already",
    "still",
    "currently",
    "status",
    "state",
    "marked",
    "as",
    "in",
    "это",
    "уже",
    "сейчас",
    "статус",
    "статусе",
    "в",
    "стоит",
    "числится",
];

/// At most one claim a line: with two work packages, two states or any doubt it is unclear what is said of which. The
/// state has to follow its work package at once (`WP-7 is done`, `WP-7: done.`, `| WP-7 | done |`): a state elsewhere
/// in the sentence belongs to something else more often than not.
pub fn claim(line: &str) -> Option<Claim> {
    // Cheap test first: most lines name no work package.
    if !line.contains("WP") || line.contains(['?', '？']) {
        return None;
    }
    let words = words(line);
    if words.iter().any(|word| DOUBT.contains(&word.as_str())) {
        return None;
    }
    let mut numbered = words.iter().enumerate().filter_map(|(at, word)| Some((at, number(word)?)));
    let (at, wp) = numbered.next()?;
    let mut states = words.iter().filter_map(|word| wp_state(word));
    let state = states.next()?;
    if numbered.any(|(_, other)| other != wp) || states.any(|other| other != state) {
        return None;
    }
    let behind = &words[at + 1..];
    let status = behind.iter().position(|word| wp_state(word).is_some())?;
    let between = &behind[..status];
    if !between.iter().all(|word| word == PAUSE || LINKS.contains(&word.as_str())) {
        return None;
    }
    // `WP-7 active users` states nothing; without a linking word the state has to end its phrase.
    let linked = between.iter().any(|word| word != PAUSE);
    let ends = behind.get(status + 1).is_none_or(|next| next == PAUSE || next == STOP);
    (linked || ends).then(|| Claim::WpStatus { wp, status_word: behind[status].clone() })
}

const PAUSE: &str = ":";
const STOP: &str = ".";

/// Folded words, two of them together where they are one state (`not started`); a comma or the end of a sentence is
/// [`STOP`], a colon, dash, bracket or table line [`PAUSE`].
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_here = chars.peek().is_none_or(|next| !next.is_alphanumeric());
        let mark = match c {
            '.' | ',' | ';' | '!' if ends_here => Some(STOP),
            ':' | '(' | ')' | '[' | ']' | '|' | '—' | '–' | '=' | '→' => Some(PAUSE),
            '"' | '`' | '*' | '«' | '»' | '“' | '”' => None,
            c if c.is_whitespace() => None,
            c => {
                word.push(c);
                continue;
            }
        };
        if !word.is_empty() {
            words.push(fold(&std::mem::take(&mut word)).replace('’', "'"));
        }
        words.extend(mark.map(str::to_string));
    }
    if !word.is_empty() {
        words.push(fold(&word).replace('’', "'"));
    }
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        match joined.last_mut() {
            Some(last) if wp_state(&format!("{last} {word}")).is_some() => *last = format!("{last} {word}"),
            _ => joined.push(word),
        }
    }
    joined
}

/// `WP-7` for `wp-7`, `wp-007` and `wp7`.
fn number(word: &str) -> Option<String> {
    let digits = word.strip_prefix("wp")?;
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let short = digits.trim_start_matches('0');
    Some(format!("WP-{}", if short.is_empty() { "0" } else { short }))
}

fn fold(word: &str) -> String {
    word.to_lowercase().replace('ё', "е")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Option<String> {
        claim(line).map(|claim| claim.to_string())
    }

    #[test]
    fn pc_346_states_of_work_packages() {
        for (line, want) in [
            ("WP-142 is done.", "WP-142 done"),
            ("- **WP-007**: in progress", "WP-7 in progress"),
            ("WP7 — Blocked", "WP-7 blocked"),
            ("| 1 | WP-12 | closed |", "WP-12 closed"),
            ("WP-5 уже закрыт", "WP-5 закрыт"),
            ("WP-5 в работе", "WP-5 в работе"),
            ("WP-5 завершён", "WP-5 завершен"),
            ("WP-5 (active), see the plan", "WP-5 active"),
            ("WP-5 is still blocked by the vendor", "WP-5 blocked"),
            ("WP-5: not started", "WP-5 not started"),
            ("WP-5 is done, WP-5 is closed", "WP-5 done"),
        ] {
            assert_eq!(shown(line).as_deref(), Some(want), "{line}");
        }
    }

    #[test]
    fn pc_346_doubtful_lines_are_no_claims() {
        for line in [
            "WP-142 is not done",
            "is WP-142 done?",
            "once WP-142 is done we start",
            "WP-142 should be closed",
            "WP-1 is done, WP-2 is blocked",
            "WP-1 and WP-2 are done",
            "WP-1 was blocked and is active",
            "phase 2 of WP-9 is done",
            "close WP-142",
            "WP-142 needs work",
            "the task is done",
            "WP-5 ещё не закрыт",
            "если WP-5 закрыт",
            "SWP-5 done",
            "see WP-5. Done.",
            "WP-5, done yesterday",
            "WP-5 active users complain",
            "(WP-5): copy and paste is blocked by the gate",
            "done with WP-5",
            "the table is in inbox/WP-5/x.md; the gap is closed",
            "WP-5: the gap is closed",
        ] {
            assert_eq!(shown(line), None, "{line}");
        }
    }

    #[test]
    fn pc_346_words_of_plans() {
        assert_eq!(wp_state(" Done "), Some(WpState::Done));
        assert_eq!(wp_state("Отложён"), Some(WpState::Dropped));
        assert_eq!(wp_state("В РАБОТЕ"), Some(WpState::Active));
        assert_eq!(wp_state("high"), None);
    }
}
