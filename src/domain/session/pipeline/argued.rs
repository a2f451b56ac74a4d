//! Which sentences of a session speak of something: by the words they share, and said to be no more than that.

use crate::domain::session::marker::prose;
use crate::domain::session::order::{is_discovery_reply, reading_order};
use crate::domain::session::slug::collapse;
use crate::domain::session::state::Session;
use crate::domain::words::fold;
use std::collections::{BTreeMap, BTreeSet};

/// A sentence and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    pub file: String,
    /// Of the file, from 1.
    pub line: u32,
    pub text: String,
    /// The words it shares, rarest first.
    pub shared: Vec<String>,
}

/// At most `limit` sentences of the turns that share words with `about`, the most telling first. A word tells the more
/// the fewer sentences use it.
pub fn sentences(s: &Session, about: &str, limit: usize) -> Vec<Sentence> {
    let wanted = words(about);
    if wanted.is_empty() {
        return Vec::new();
    }
    let order = reading_order(s.turns.iter(), &s.meta.round_order);
    let mut all = Vec::new();
    for turn in order.into_iter().filter(|t| !t.settles_roles() && !is_discovery_reply(t)) {
        let head = &turn.text[..turn.text.len() - turn.body().len()];
        let above = head.matches('\n').count() as u32;
        for (number, line) in prose(turn.body()) {
            for sentence in line.split_inclusive(['.', '!', '?', ';']).map(str::trim).filter(|s| s.len() > 3)
            {
                all.push((turn.name.to_string(), above + number as u32, sentence, words(sentence)));
            }
        }
    }
    let mut uses: BTreeMap<&String, usize> = BTreeMap::new();
    all.iter().flat_map(|(.., words)| words).for_each(|word| *uses.entry(word).or_default() += 1);
    let mut scored: Vec<(f64, Sentence)> = all
        .iter()
        .filter_map(|(file, line, text, own)| {
            let mut shared: Vec<&String> = own.intersection(&wanted).collect();
            shared.sort_by_key(|word| uses.get(word).copied().unwrap_or(1));
            let weight: f64 = shared.iter().map(|w| 1.0 / uses.get(w).copied().unwrap_or(1) as f64).sum();
            let sentence = Sentence {
                file: file.clone(),
                line: *line,
                text: collapse(text),
                shared: shared.into_iter().cloned().collect(),
            };
            (!sentence.shared.is_empty()).then_some((weight, sentence))
        })
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(limit).map(|(_, sentence)| sentence).collect()
}

/// How many telling words two texts share.
pub fn shared(a: &str, b: &str) -> usize {
    words(a).intersection(&words(b)).count()
}

/// Words of four letters and more; names of code come apart at their joints.
fn words(text: &str) -> BTreeSet<String> {
    let mut apart = String::with_capacity(text.len());
    let mut lower = false;
    for c in text.chars() {
        if c.is_uppercase() && lower {
            apart.push(' ');
        }
        lower = c.is_lowercase();
        apart.push(c);
    }
    let split = |c: char| !c.is_alphanumeric();
    fold(&apart).split(split).filter(|w| w.chars().count() > 3).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::Meta;
    use crate::domain::session::turn::{Turn, TurnName};

    #[test]
    fn the_sentence_with_the_rarest_words_comes_first() {
        let mut meta = Meta::new(SessionId::parse("2026-08-24-01-x").unwrap(), "t");
        meta.peer_agents = vec!["bo".into()];
        let mut s = Session::new(meta);
        let turn = |name: TurnName, text: &str| Turn::new(name, Err(String::new()), text.into(), 0);
        s.turns.push(turn(
            TurnName::writer(0),
            "The cache is small. The cache is kept.\n\nThe retryBudget ends after three tries.",
        ));
        s.turns.push(turn(TurnName::peer(1), "The cache is fine; the budget of retries is not."));
        let found = sentences(&s, "let retry_budget = 3; // cache", 3);
        assert_eq!(found[0].text, "The retryBudget ends after three tries.");
        assert_eq!((found[0].file.as_str(), found[0].line), ("00-writer.md", 3));
        assert!(found[0].shared.contains(&"retry".to_string()), "{:?}", found[0].shared);
        assert!(sentences(&s, "a = 1", 3).is_empty(), "short words tell nothing");
        assert_eq!(shared("retryBudget", "the budget to retry"), 2);
    }
}
