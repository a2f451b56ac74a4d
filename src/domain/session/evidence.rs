//! What became of the facts that a turn names: shown beside it (PC-346). Nothing here decides whether a turn counts.

use super::claim::Claim;
use crate::domain::lang::Lang;

/// What a comparison gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    Confirmed,
    NotFound,
    /// It was there when the turn spoke, and is another one now.
    ChangedSince,
    /// No source knows.
    Unverified,
}

/// One fact of a turn.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Evidence {
    pub claim: Claim,
    pub mark: Mark,
    /// Why it cannot be true; empty when it may be.
    pub why: String,
    /// A hash of what was there, to notice a change. Empty for what does not change.
    pub print: String,
}

impl Mark {
    pub const ALL: [Mark; 4] = [Mark::Confirmed, Mark::NotFound, Mark::ChangedSince, Mark::Unverified];

    /// Its shape and its word.
    pub fn shown(self, lang: Lang) -> (&'static str, &'static str) {
        match self {
            Mark::Confirmed => ("✓", lang.pick("confirmed", "подтверждено")),
            Mark::NotFound => ("✗", lang.pick("not found", "не найдено")),
            Mark::ChangedSince => ("~", lang.pick("changed since", "изменилось")),
            Mark::Unverified => ("?", lang.pick("unverified", "не проверено")),
        }
    }
}

/// How many of each mark, such as `✓ 2 confirmed · ? 1 unverified`.
pub fn summed(items: &[Evidence], lang: Lang) -> String {
    let counted = Mark::ALL.into_iter().filter_map(|mark| {
        let (n, (shape, word)) = (items.iter().filter(|item| item.mark == mark).count(), mark.shown(lang));
        (n > 0).then(|| format!("{shape} {n} {word}"))
    });
    counted.collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_346_the_marks_are_counted_by_shape_and_word() {
        let item = |mark| Evidence {
            claim: Claim::Commit { sha: "ab12cd3".into() },
            mark,
            why: String::new(),
            print: String::new(),
        };
        let items = [Mark::Unverified, Mark::Confirmed, Mark::Confirmed, Mark::ChangedSince].map(item);
        assert_eq!(summed(&items, Lang::En), "✓ 2 confirmed · ~ 1 changed since · ? 1 unverified");
        assert_eq!(summed(&items[..1], Lang::Ru), "? 1 не проверено");
        assert_eq!(summed(&[], Lang::En), "");
    }
}
