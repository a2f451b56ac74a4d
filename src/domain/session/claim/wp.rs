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

/// At most one claim a line: with two work packages, two states or any doubt it is unclear what is said of which.
pub fn claim(line: &str) -> Option<Claim> {
    // Cheap test first: most lines name no work package.
    if !line.contains("WP") || line.contains(['?', '？']) {
        return None;
    }
    let words: Vec<String> = line
        .split(|c: char| c.is_whitespace() || ",.;:()[]{}\"`*|«»—–/!".contains(c))
        .filter(|word| !word.is_empty())
        .map(fold)
        .collect();
    let mut numbers = words.iter().filter_map(|word| number(word));
    let wp = numbers.next()?;
    if numbers.any(|other| other != wp) {
        return None;
    }
    let mut status: Option<(WpState, String)> = None;
    let mut at = 0;
    while at < words.len() {
        let pair = words.get(at + 1).map(|next| format!("{} {next}", words[at]));
        let (state, word, used) = match pair.and_then(|pair| Some((wp_state(&pair)?, pair))) {
            Some((state, pair)) => (state, pair, 2),
            None => match wp_state(&words[at]) {
                Some(state) => (state, words[at].clone(), 1),
                None if DOUBT.contains(&words[at].replace('’', "'").as_str()) => return None,
                None => {
                    at += 1;
                    continue;
                }
            },
        };
        at += used;
        match &status {
            Some((earlier, _)) if *earlier != state => return None,
            Some(_) => {}
            None => status = Some((state, word)),
        }
    }
    status.map(|(_, status_word)| Claim::WpStatus { wp, status_word })
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
