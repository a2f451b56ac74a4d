//! Rust sources as the house tests see them: comments, literals and test code can be told from the rest.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One source file.
pub struct Source {
    /// Relative to the package, with `/`.
    pub path: String,
    pub text: String,
    /// `text` with comments and literals blanked. Offsets and line breaks are those of `text`.
    pub code: String,
    /// Offsets of items under `#[cfg(test)]`; all of the file when it is itself a test module.
    pub tests: Vec<Range<usize>>,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Source {
        let code = blank(text);
        let whole = path.ends_with("/tests.rs") || path.contains("/tests/") || path.starts_with("tests/");
        let mut source = Source { path: path.to_string(), text: text.to_string(), code, tests: Vec::new() };
        if whole {
            source.tests.push(0..text.len());
        } else {
            source.tests = test_items(&source.code);
        }
        source
    }

    /// Code that is shipped: without comments, literals and tests.
    pub fn shipped(&self) -> String {
        let mut bytes = self.code.clone().into_bytes();
        for range in &self.tests {
            wipe(&mut bytes[range.clone()]);
        }
        into_text(bytes)
    }

    /// Code of tests only.
    pub fn tested(&self) -> String {
        let mut bytes = self.code.clone().into_bytes();
        let mut at = 0;
        for range in &self.tests {
            wipe(&mut bytes[at..range.start]);
            at = range.end;
        }
        wipe(&mut bytes[at..]);
        into_text(bytes)
    }

    /// Lines that are not tests, comments included.
    pub fn length(&self) -> usize {
        let lines = |text: &str| text.matches('\n').count();
        lines(&self.text) - self.tests.iter().map(|r| lines(&self.text[r.clone()])).sum::<usize>()
    }

    /// `path:line` of an offset.
    pub fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path, self.text[..offset].matches('\n').count() + 1)
    }
}

/// The package's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder of the package, sorted by path.
pub fn sources(folder: &str) -> Vec<Source> {
    let mut paths = Vec::new();
    walk(&root().join(folder), &mut paths);
    paths.sort();
    let rust = paths.iter().filter(|p| p.extension().is_some_and(|e| e == "rs"));
    rust.map(|path| Source::new(&relative(path), &fs::read_to_string(path).unwrap())).collect()
}

/// Every file that a commit would hold, sorted: what `.gitignore` names is left out.
pub fn tracked() -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(root()).hidden(false).require_git(false).build();
    let mut paths: Vec<PathBuf> = walk.flatten().map(|e| e.into_path()).filter(|p| p.is_file()).collect();
    paths.retain(|p| !relative(p).starts_with(".git/") && relative(p) != ".git");
    paths.sort();
    paths
}

/// The path below the package's root, with `/`.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() { walk(&path, paths) } else { paths.push(path) }
    }
}

/// Blanks comments and the insides of string and character literals.
fn blank(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => at + line_end(&bytes[at..]),
            [b'/', b'*', ..] => at + block_comment_end(&bytes[at..]),
            [b'r', ..] if !in_word(&bytes, at) => match raw_string_end(&bytes[at + 1..]) {
                Some(length) => at + 1 + length,
                None => at,
            },
            [b'b' | b'c', b'r', ..] if !in_word(&bytes, at) => match raw_string_end(&bytes[at + 2..]) {
                Some(length) => at + 2 + length,
                None => at,
            },
            [b'"', ..] => at + quoted_end(&bytes[at..], b'"'),
            // `'a'` is a character, `'a` a lifetime; a character has at most four bytes.
            [b'\'', b'\\', ..] => at + quoted_end(&bytes[at..], b'\''),
            [b'\'', ..] => match bytes[at + 1..].iter().take(5).skip(1).position(|b| *b == b'\'') {
                Some(n)
                    if std::str::from_utf8(&bytes[at + 1..at + 2 + n])
                        .is_ok_and(|s| s.chars().count() == 1) =>
                {
                    at + 3 + n
                }
                _ => at,
            },
            _ => at,
        };
        if end > at {
            wipe(&mut bytes[at..end]);
            at = end;
        } else {
            at += 1;
        }
    }
    into_text(bytes)
}

fn in_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn line_end(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len())
}

fn block_comment_end(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of `#"…"#` with any number of `#`.
fn raw_string_end(bytes: &[u8]) -> Option<usize> {
    let hashes = bytes.iter().take_while(|b| **b == b'#').count();
    if bytes.get(hashes) != Some(&b'"') {
        return None;
    }
    let closing: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = &bytes[hashes + 1..];
    let found = body.windows(closing.len()).position(|w| w == closing);
    Some(found.map_or(bytes.len(), |n| hashes + 1 + n + closing.len()))
}

fn quoted_end(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b if b == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Items under `#[cfg(test)]`, from the attribute to the closing brace or semicolon.
fn test_items(code: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let mut items: Vec<Range<usize>> = Vec::new();
    for (start, _) in code.match_indices(MARK) {
        if items.last().is_some_and(|last| last.contains(&start)) {
            continue;
        }
        let mut depth = 0usize;
        let rest = code[start + MARK.len()..].bytes().enumerate();
        let end = rest.into_iter().find_map(|(n, byte)| {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (depth == 0 && matches!(byte, b'}' | b';')).then_some(start + MARK.len() + n + 1)
        });
        items.push(start..end.unwrap_or(code.len()));
    }
    items
}

fn wipe(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// Whole characters were blanked, so what is left is still UTF-8.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn comments_and_literals_are_blanked_and_the_rest_stays() {
    let text = r####"// use crate::store;
/* a /* nested */ "x */ let a = "use \" crate::ui"; let r = r#"a " b"#; let c = 'ж'; let q = '"'; let e = '\''; fn f<'a>(x: &'a str) {}
let b = b"x"; for r in rows {}"####;
    let code = blank(text);
    assert_eq!(code.len(), text.len());
    for gone in ["crate", "nested", "ж", "\""] {
        assert!(!code.contains(gone), "{gone} in {code}");
    }
    for kept in ["let a =", "let r =", "let q =", "fn f<'a>(x: &'a str) {}", "for r in rows {}"] {
        assert!(code.contains(kept), "{kept} not in {code}");
    }
}

#[test]
fn test_code_is_told_from_shipped_code() {
    let text = "fn a() {}\n#[cfg(test)]\nuse x::{y};\nfn b() {}\n#[cfg(test)]\nmod tests {\n    fn c() { let s = \"}\"; }\n}\nfn d() {}\n";
    let source = Source::new("src/x.rs", text);
    let (shipped, tested) = (source.shipped(), source.tested());
    for name in ["fn a", "fn b", "fn d"] {
        assert!(shipped.contains(name) && !tested.contains(name), "{name}");
    }
    for name in ["fn c", "use x"] {
        assert!(tested.contains(name) && !shipped.contains(name), "{name}");
    }
    assert_eq!(source.length(), 5);
    assert_eq!(Source::new("src/x/tests.rs", text).length(), 0);
    assert_eq!(source.place(text.find("fn b").unwrap()), "src/x.rs:4");
}
