//! Recognising names, anchors and machine language in a report's prose.

use crate::domain::session::turn::TurnName;

/// Whether the text contains this name as a word of its own.
pub fn names(text: &str, name: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    text.match_indices(&name).any(|(at, _)| {
        !inside(text[..at].chars().next_back()) && !inside(text[at + name.len()..].chars().next())
    })
}

/// The part behind the colon of a word that is shaped like `path:line` but is none.
pub fn bad_anchor(word: &str) -> Option<&str> {
    if word.contains("://") {
        return None;
    }
    let (path, line) = word.split_once(':')?;
    let extension =
        path.rsplit_once('.').map(|(stem, ext)| !stem.is_empty() && ext.starts_with(char::is_alphabetic))?;
    let digits = line.strip_prefix(['L', 'l']).unwrap_or(line);
    if !extension || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number =
        |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let good = match line.split_once('-') {
        Some((from, to)) => number(from).zip(number(to)).is_some_and(|(from, to)| from > 0 && from <= to),
        None => number(line).is_some_and(|n| n > 0),
    };
    (!good).then_some(line)
}

/// The name of a turn file or of one of its companions.
pub fn is_session_file(word: &str) -> bool {
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix(".md"))
            .is_some_and(|n| n.len() == 2 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    TurnName::parse(word).is_some_and(|name| name.is_writer() || name.is_peer())
        || ["escalation-", "review-", "verify-"].iter().any(|prefix| numbered(prefix))
}

/// What PC-624 keeps out of §1 to §4.
pub fn machine_markers(text: &str) -> Vec<&'static str> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').collect();
    let exit = words.windows(2).any(|pair| {
        pair[0] == "exit"
            && !pair[1].is_empty()
            && pair[1].trim_end_matches(':').bytes().all(|b| b.is_ascii_digit())
    });
    [
        (words.iter().any(|word| word.trim_end_matches(':') == "PASS"), "PASS"),
        (words.contains(&"SHA:"), "SHA:"),
        (exit, "exit <n>"),
    ]
    .into_iter()
    .filter_map(|(found, marker)| found.then_some(marker))
    .collect()
}
