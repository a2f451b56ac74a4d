//! Secrets and personal data: what stops a directory from being shown to an agent (PC-065), and what is cut from an
//! agent's stderr before the pilot sees it (PC-695).

mod rules;

pub use rules::Rule;

use regex::bytes::{Regex, RegexSet, RegexSetBuilder};
use rules::{CONTENTS, NAMES};
use std::ops::Range;
use std::sync::LazyLock;

/// A file over this size is not scanned and is a block itself.
pub const FILE_LIMIT: u64 = 10 * 1024 * 1024;

/// The rule that forbids a file of this content, or `None`.
pub fn content(bytes: &[u8]) -> Option<&'static Rule> {
    static SET: LazyLock<RegexSet> = LazyLock::new(|| set(&CONTENTS));
    first(&SET, &CONTENTS, bytes)
}

/// The rule that forbids a file of this name (its last part, as encoded by the system), or `None`.
pub fn file_name(name: &[u8]) -> Option<&'static Rule> {
    static SET: LazyLock<RegexSet> = LazyLock::new(|| set(&NAMES));
    first(&SET, &NAMES, name.strip_suffix(b"\n").unwrap_or(name))
}

/// The content patterns, for whoever compares this filter with another program.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    CONTENTS.iter().map(|rule| rule.pattern)
}

/// A place in a text at which a rule matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub rule: &'static Rule,
    /// What matched; of a private key its first line.
    pub bytes: Range<usize>,
    /// Counted from 1.
    pub line: usize,
}

/// Everything in the text that a rule forbids, in the order of the text.
pub fn hits(text: &[u8]) -> Vec<Hit> {
    if content(text).is_none() {
        return Vec::new();
    }
    let mut found: Vec<Hit> = Vec::new();
    static RULES: LazyLock<Vec<Regex>> =
        LazyLock::new(|| CONTENTS.iter().map(|rule| compiled(rule.pattern)).collect());
    for (rule, regex) in CONTENTS.iter().zip(RULES.iter()) {
        for captures in regex.captures_iter(text) {
            // The groups hold what stands around a number that has no borders of its own.
            let Some(all) = captures.get(0) else { continue };
            let from = captures.name("before").map_or(all.start(), |m| m.end());
            let to = captures.name("after").map_or(all.end(), |m| m.start());
            found.push(Hit { rule, bytes: from..to, line: 0 });
        }
    }
    found.sort_by_key(|hit| hit.bytes.start);
    let (mut line, mut at) = (1, 0);
    for hit in &mut found {
        line += memchr::memchr_iter(b'\n', &text[at..hit.bytes.start]).count();
        (at, hit.line) = (hit.bytes.start, line);
    }
    found
}

/// How many characters the text has, as UTF-8: every byte but the continuation bytes 10xxxxxx begins one.
pub fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|b| **b & 0xc0 != 0x80).count() as u64
}

/// How many public IPv4 addresses stand in the text. They are only counted, for a warning.
pub fn public_ips(bytes: &[u8]) -> u64 {
    let (mut found, mut from) = (0, 0);
    // Full stops are rare, and only what has them is worth reading byte by byte.
    while let Some(stop) = memchr::memchr(b'.', &bytes[from..]) {
        let stop = from + stop;
        let part = |b: &&u8| b.is_ascii_digit() || **b == b'.';
        let start = stop - bytes[from..stop].iter().rev().take_while(part).count();
        from = stop + bytes[stop..].iter().take_while(part).count();
        if from - start >= "1.1.1.1".len() {
            found += public_in(&bytes[start..from]);
        }
    }
    found
}

/// The same in a run of digits and full stops.
fn public_in(run: &[u8]) -> u64 {
    let (mut found, mut octets, mut len, mut digits, mut value) = (0, [0u32; 4], 0, 0, 0u32);
    // A byte behind the last one ends the last address.
    for &b in run.iter().chain(b" ") {
        if b.is_ascii_digit() {
            digits += 1;
            value = value.saturating_mul(10).saturating_add(u32::from(b - b'0'));
            continue;
        }
        if digits > 0 {
            let valid = digits <= 3 && value <= 255;
            (octets[len], len) = (value, if valid { len + 1 } else { 0 });
            if len == 4 {
                found += u64::from(is_public(octets));
                len = 0;
            }
            if b != b'.' {
                len = 0;
            }
            (digits, value) = (0, 0);
        } else {
            len = 0;
        }
    }
    found
}

/// The text with everything that looks like a secret replaced by `[redacted]`.
pub fn redact(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for rule in regexes() {
        // What stands around a number that has no borders of its own stays.
        bytes = rule.replace_all(&bytes, &b"${before}[redacted]${after}"[..]).into_owned();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last `lines` lines of a call's stderr as the pilot may see them. Redacted before it is cut, so that a secret
/// which begins above the cut goes as a whole.
pub fn tail(stderr: &str, lines: usize) -> String {
    let text = redact(stderr);
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

fn is_public(octets: [u32; 4]) -> bool {
    !matches!(octets, [10 | 127, ..] | [192, 168, ..] | [172, 16..=31, ..])
}

fn first(set: &RegexSet, rules: &'static [Rule], bytes: &[u8]) -> Option<&'static Rule> {
    // The search for any match stops early; which one it was is asked only then.
    let hit = set.is_match(bytes).then(|| set.matches(bytes).iter().next())??;
    rules.get(hit)
}

/// Bytes, not Unicode: what is looked for is ASCII, and Unicode classes would make Cyrillic text very slow.
#[expect(clippy::expect_used, reason = "the patterns are constants and every test compiles them")]
fn set(rules: &[Rule]) -> RegexSet {
    RegexSetBuilder::new(rules.iter().map(|rule| rule.pattern))
        .unicode(false)
        .build()
        .expect("constant patterns")
}

/// The rules as they find what is to go. Of a private key not only the first line goes, but everything up to its end.
fn regexes() -> &'static [Regex] {
    static RULES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let end = "(?s:.*?-----END [A-Z]+ PRIVATE KEY-----|.*)";
        let key = |rule: &Rule| if rule.is_key() { end } else { "" };
        CONTENTS.iter().map(|rule| compiled(&format!("{}{}", rule.pattern, key(rule)))).collect()
    });
    &RULES
}

#[expect(clippy::expect_used, reason = "the patterns are constants and every test compiles them")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(&format!("(?-u:{pattern})")).expect("constant patterns")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One sample for each content rule, in the order of the rules. Put together at run time, so that this file holds
    /// no text that looks like a secret.
    fn samples() -> Vec<String> {
        let x = |n: usize| "x9".repeat(n).chars().take(n).collect::<String>();
        vec![
            format!("Authorization: Bearer {}", x(20)),
            format!("sk-{}", x(20)),
            format!("ghp_{}", x(36)),
            format!("github_pat_{}", x(22)),
            format!("gho_{}", x(20)),
            format!("xoxb-12-34-{}", x(3)),
            format!("xoxe-{}", x(1)),
            format!("AKIA{}", "A1".repeat(8)),
            format!("AIza{}", x(35)),
            format!("-----BEGIN RSA {} KEY-----", "PRIVATE"),
            format!("12345678:{}", x(35)),
            format!("eyJ{}.eyJ{}.{}", x(4), x(4), x(4)),
            format!("mongodb+srv:{}user:{}@host", "//", x(4)),
            format!("https://user:{}@host", x(4)),
            format!("M{}.{}.{}", x(23), x(6), x(27)),
            format!("({}-{}-{} {})", "123", "456", "789", "01"),
        ]
    }

    #[test]
    fn pc_065_every_content_rule_blocks() {
        for (sample, rule) in samples().iter().zip(&CONTENTS) {
            for text in
                [sample.clone(), format!("ключ: {sample}\n"), format!("{}{sample}", "ж".repeat(100_000))]
            {
                assert_eq!(content(text.as_bytes()), Some(rule));
                assert!(hits(text.as_bytes()).iter().any(|hit| hit.rule == rule), "{}", rule.en);
            }
        }
        assert_eq!(samples().len(), CONTENTS.len());
    }

    #[test]
    fn pc_065_near_misses_pass() {
        let short = format!(
            "sk-{} ghp_{} AKIA{} 1234567:{}",
            "a".repeat(19),
            "b".repeat(19),
            "C".repeat(15),
            "d".repeat(34)
        );
        for text in [
            "",
            "plain text",
            "Bearer of news",
            "https://host:8080/path",
            "5123-456-789 01",
            "123-456-789 012",
            &short,
        ] {
            assert_eq!(content(text.as_bytes()), None, "{text}");
        }
        assert_eq!(content(&[0xff, 0xfe, 0, b'\n', 0xc3]), None);
    }

    #[test]
    fn pc_065_file_names() {
        for name in [
            "cp_profile_7.json",
            "my_cp_profile_a.md",
            "ivan@mail.ru",
            "a.b@c.org",
            "x.token",
            "db-secret.yaml",
            "id.key",
            "c.pem",
            "c.pem\n",
        ] {
            assert!(file_name(name.as_bytes()).is_some(), "{name}");
        }
        for name in [
            "cp_profile_.txt",
            "profile.json",
            "ivan@mail.de",
            "token",
            "secret.yaml",
            "key",
            "pem.md",
            "x.key.txt",
        ] {
            assert_eq!(file_name(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn pc_065_public_addresses_are_counted() {
        assert_eq!(public_ips(b"8.8.8.8 1.1.1.1\n9.9.9.9"), 3);
        assert_eq!(public_ips(b"127.0.0.1 10.1.2.3 192.168.0.1 172.16.0.1 172.31.255.255"), 0);
        assert_eq!(public_ips(b"172.32.0.1 192.169.0.1"), 2);
        assert_eq!(public_ips(b"v1.2.3 1.2.3. 1.2..3.4 300.1.1.1 1.2.3.1000 99999999999999999999.1.1.1"), 0);
        assert_eq!(public_ips("адрес 8.8.4.4, и ещё 8.8.4.4.".as_bytes()), 2);
    }

    #[test]
    fn pc_695_stderr_is_redacted_and_cut() {
        for sample in samples() {
            let text = redact(&format!("до {sample} после"));
            assert!(text.contains("[redacted]"), "{text}");
            assert!(text.starts_with("до ") && !text.contains(&"x9".repeat(2)), "{text}");
        }
        assert_eq!(redact("(123-456-789 01) ok"), "([redacted]) ok");
        let key =
            format!("a\n-----BEGIN RSA {0} KEY-----\nMIIB\nMIIC\n-----END RSA {0} KEY-----\nb", "PRIVATE");
        assert_eq!(redact(&key), "a\n[redacted]\nb");
        let open = format!("a\n-----BEGIN EC {} KEY-----\n{}", "PRIVATE", "MIIB\n".repeat(40));
        assert_eq!(tail(&open, 20), "a\n[redacted]");
        let long: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        assert_eq!(tail(&long, 20).lines().count(), 20);
        assert!(tail(&long, 20).starts_with("line 11\n"));
        assert_eq!(tail("", 20), "");
    }
}
