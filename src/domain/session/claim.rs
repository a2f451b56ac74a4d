//! Checkable facts named in a reply (PC-346): commits, lines of files, states of work packages. Finding them is here,
//! comparing them with the world is not. A claim that contradicts the world makes a reply invalid, so that precision
//! beats completeness: what is doubtful is not a claim.

use super::marker::prose;
use std::fmt;

mod lines;
mod wp;

pub use wp::{WpState, wp_state};

/// More claims than this in one reply are not looked at.
const LIMIT: usize = 200;

/// One fact that a reply states.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// 7 to 40 hex digits, lower case.
    Commit { sha: String },
    /// `path:line` or `path:from-to`, both from 1; `line_in_reply` is the 1-based line of the body.
    Lines { path: String, from: u32, to: u32, line_in_reply: usize },
    /// `wp` is `WP-7` whatever its spelling (PC-111); `status_word` is lower case, [`wp_state`] reads it.
    WpStatus { wp: String, status_word: String },
    /// A bare file name. It can be there; that it is not says nothing, because nobody said where.
    File { path: String },
}

/// What came out of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    Confirmed,
    /// Why it cannot be true.
    Contradicted(String),
    /// No source knows.
    Unverified,
}

/// A claim and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub claim: Claim,
    pub finding: Finding,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Commit { sha } => write!(f, "commit {sha}"),
            Claim::Lines { path, from, to, .. } if from == to => write!(f, "{path}:{from}"),
            Claim::Lines { path, from, to, .. } => write!(f, "{path}:{from}-{to}"),
            Claim::File { path } => f.write_str(path),
            Claim::WpStatus { wp, status_word } => write!(f, "{wp} {status_word}"),
        }
    }
}

/// The claims of a body in order, each once. Fenced code is an example or a quotation and is not read.
pub fn claims(body: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    for (number, line) in prose(body) {
        commits(line, &mut found);
        lines::claims(line, number, &mut found);
        found.extend(wp::claim(line));
        if found.len() > LIMIT {
            break;
        }
    }
    once(&mut found);
    found
}

/// The same with the bare file names, for showing: these never make a reply invalid.
pub fn named(body: &str) -> Vec<Claim> {
    let mut found = claims(body);
    for (_, line) in prose(body) {
        lines::files(line, &mut found);
        if found.len() > LIMIT {
            break;
        }
    }
    once(&mut found);
    found
}

fn once(found: &mut Vec<Claim>) {
    let mut seen = std::collections::HashSet::new();
    found.retain(|claim| seen.insert(claim.to_string()));
    found.truncate(LIMIT);
}

/// Hex tokens alone in backticks, and hex tokens right after the word commit, SHA or коммит.
fn commits(line: &str, found: &mut Vec<Claim>) {
    let mut add = |token: &str, named: bool| {
        if is_sha(token, named) {
            found.push(Claim::Commit { sha: token.to_ascii_lowercase() });
        }
    };
    for code in line.split('`').skip(1).step_by(2) {
        add(code.trim(), false);
    }
    let mut after_keyword = false;
    for word in
        line.split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | '[' | '"' | '\'' | ':' | '=' | '*'))
    {
        if word.is_empty() {
            continue;
        }
        let bare = word.trim_end_matches([',', '.', ';', ')', ']', '!', '?']);
        if after_keyword {
            add(bare, true);
        }
        after_keyword = is_commit_word(bare);
    }
}

fn is_commit_word(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(word.as_str(), "commit" | "commits" | "sha" | "sha1" | "sha-1") || word.starts_with("коммит")
}

/// A word of hex letters (`defaced`) needs a digit; a bare number in backticks is a number, after the word `commit`
/// it is a commit; 32 digits in backticks are a checksum more often than a commit; 40 digits are always a commit.
fn is_sha(token: &str, named: bool) -> bool {
    let hex = token.bytes().all(|b| b.is_ascii_hexdigit());
    let digit = token.bytes().any(|b| b.is_ascii_digit());
    let letter = token.bytes().any(|b| b.is_ascii_alphabetic());
    match token.len() {
        40 => hex,
        7..40 => hex && digit && (named || (letter && token.len() != 32)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(body: &str) -> Vec<String> {
        claims(body).iter().map(|claim| claim.to_string()).collect()
    }

    #[test]
    fn pc_346_commits() {
        for (body, want) in [
            ("fixed in `ab12cd3`", vec!["commit ab12cd3"]),
            ("fixed in commit ab12cd3.", vec!["commit ab12cd3"]),
            ("commit: `AB12CD3`, done", vec!["commit ab12cd3"]),
            ("SHA=0123456 and more", vec!["commit 0123456"]),
            ("в коммите ab12cd34 исправлено", vec!["commit ab12cd34"]),
            ("коммит «ab12cd34»", vec![]),
            ("see `deadbeef` and `1234567`", vec![]),
            ("every commit defaced the page", vec![]),
            ("commit abc12", vec![]),
            ("md5 `0123456789abcdef0123456789abcdef`", vec![]),
            (
                "`aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd`",
                vec!["commit aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"],
            ),
            ("`0x12345678ab` `#ff8800a1` `ab12cd3..ef45ab6`", vec![]),
            ("commit message: 20260824", vec![]),
            ("```\ncommit ab12cd3\n```", vec![]),
        ] {
            assert_eq!(shown(body), want, "{body}");
        }
    }

    #[test]
    fn pc_346_each_claim_once_and_not_without_end() {
        assert_eq!(shown("`ab12cd3` again `ab12cd3`\nsrc/a.rs:1\nsrc/a.rs:1").len(), 2);
        let many: String = (1..1000).map(|n| format!("src/a.rs:{n} ")).collect();
        assert_eq!(claims(&many).len(), LIMIT);
    }

    proptest! {
        #[test]
        fn pc_346_any_text(body in "(`|commit |коммит |WP-7 |done|src/a.rs:|[0-9]{1,3}|-|:|\n|\\PC|.){0,60}") {
            for claim in claims(&body) {
                if let Claim::Lines { from, to, .. } = claim {
                    prop_assert!(from >= 1 && to >= from);
                }
            }
        }
    }
}
