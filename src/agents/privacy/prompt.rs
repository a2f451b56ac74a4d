//! Secrets in outgoing prompts: the rules of PC-065 that denote keys, tokens and passwords. Personal data is what people
//! talk about and does not stop a prompt.

use super::pii::{self, Rule};
use regex::Regex;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::LazyLock;

/// What stands in place of a secret.
pub const MASK: &str = "[redacted]";

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub rule: &'static Rule,
    pub bytes: Range<usize>,
    /// Knows it again without holding it.
    pub mark: String,
}

/// Every secret in the text, in its order and without overlap.
pub fn secrets(text: &str) -> Vec<Secret> {
    let mut found: Vec<(&'static Rule, Range<usize>)> = Vec::new();
    for hit in pii::hits(text.as_bytes()).into_iter().filter(|hit| hit.rule.is_secret) {
        let Some(bytes) = narrowed(text, hit.rule, hit.bytes) else { continue };
        match found.last_mut() {
            Some((_, last)) if bytes.start < last.end => last.end = last.end.max(bytes.end),
            _ => found.push((hit.rule, bytes)),
        }
    }
    let secret = |(rule, bytes): (&'static Rule, Range<usize>)| Secret {
        rule,
        mark: mark(&text[bytes.clone()]),
        bytes,
    };
    found.into_iter().map(secret).collect()
}

/// The text with a mask in place of those secrets that `wanted` names.
pub fn redacted(text: &str, secrets: &[Secret], wanted: impl Fn(&Secret) -> bool) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for secret in secrets.iter().filter(|secret| wanted(secret)) {
        out.push_str(&text[from..secret.bytes.start]);
        out.push_str(MASK);
        from = secret.bytes.end;
    }
    out + &text[from..]
}

/// As much as helps to find it: its beginning, on one line.
pub fn masked(secret: &str) -> String {
    secret.chars().take(4).map(|c| if c.is_control() { ' ' } else { c }).chain(['…']).collect()
}

fn mark(secret: &str) -> String {
    Sha256::digest(secret).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The part of a hit that is a secret in prose, where the rules for directories are too wide: `None` for what is none.
fn narrowed(text: &str, rule: &Rule, hit: Range<usize>) -> Option<Range<usize>> {
    if rule.pattern.starts_with("sk-") {
        // The end of a word, such as `task-` or `disk-` before a hash, is no key.
        let before = text[..hit.start].chars().next_back();
        return before.is_none_or(|c| !c.is_alphanumeric()).then_some(hit);
    }
    if rule.is_key() {
        return key(text, hit);
    }
    (text.is_char_boundary(hit.start) && text.is_char_boundary(hit.end)).then_some(hit)
}

/// A title without its key is what people write about; and a key without an end must not take the rest of the prompt
/// with it.
fn key(text: &str, title: Range<usize>) -> Option<Range<usize>> {
    const TO_END: &str = r"^(?:[^-]|-[^-])*?-----END [A-Z]+ PRIVATE KEY-----";
    const LINES: &str = r"^(?:[ \t>|]*(?:[A-Za-z0-9-]+: [^\n]*|[A-Za-z0-9+/=]{0,15}[ \t]*)\r?\n){0,4}(?:[ \t>|]*[A-Za-z0-9+/=]{16,}[ \t\r]*\n?)+";
    static FORMS: LazyLock<Vec<Regex>> =
        LazyLock::new(|| [TO_END, LINES].iter().filter_map(|form| Regex::new(form).ok()).collect());
    let rest = text.get(title.end..)?;
    let found = FORMS.iter().find_map(|form| form.find(rest))?;
    Some(title.start..title.end + found.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(n: usize) -> String {
        "x9".repeat(n).chars().take(n).collect()
    }

    fn found(text: &str) -> Vec<&str> {
        secrets(text).into_iter().map(|secret| &text[secret.bytes]).collect()
    }

    #[test]
    fn pc_065_secrets_in_prose_are_found_and_masked() {
        let (token, bearer) = (format!("ghp_{}", x(36)), format!("Bearer sk-{}", x(30)));
        let text = format!("ключ {token},\n{bearer} и ещё раз {token}.");
        assert_eq!(found(&text), [&token, &bearer, &token]);
        let all = secrets(&text);
        assert!(all[0].mark == all[2].mark && all[0].mark != all[1].mark && !all[0].mark.contains("x9"));
        assert_eq!(
            redacted(&text, &all, |secret| secret.mark == all[0].mark),
            format!("ключ {MASK},\n{bearer} и ещё раз {MASK}.")
        );
        assert_eq!(masked(&token), "ghp_…");
        assert_eq!(redacted("nothing", &[], |_| true), "nothing");
    }

    #[test]
    fn pc_065_what_people_write_about_is_no_secret() {
        for text in [
            &format!("СНИЛС {}-456-789 01, ivan@mail.ru", 123),
            &format!("the branch task-{}", x(40)),
            &format!("disk-{} and risk-{}", x(24), x(24)),
            &format!("A scanner looks for `-----BEGIN RSA {} KEY-----` and more.\nThat is all.\n", "PRIVATE"),
            "Bearer tokens are rotated; see https://host:8080/path",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn pc_065_a_private_key_is_found_with_its_lines_and_no_further() {
        let (begin, end) = (
            format!("-----BEGIN RSA {} KEY-----", "PRIVATE"),
            format!("-----END RSA {} KEY-----", "PRIVATE"),
        );
        let body = format!("{}\n{}\n", x(64), x(64));
        let whole = format!("{begin}\n{body}{end}");
        let text = format!("He wrote `{begin}`.\n---\n{whole}\nafter");
        assert_eq!(found(&text), [&whole]);
        let open = format!("{begin}\n{body}");
        assert_eq!(found(&format!("{open}Then prose goes on, with more words.\n")), [&open]);
        let quoted = format!("{begin}\n> {}\n> {}\n", x(64), x(64));
        assert_eq!(found(&format!("> {quoted}> so it was\n")), [&quoted]);
    }
}
