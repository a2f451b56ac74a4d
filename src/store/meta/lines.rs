//! A mapping as lines: which lines belong to which top-level key. Used wherever a file is edited and not rewritten.

use std::ops::Range;

/// One top-level key with everything that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    pub key: &'a str,
    /// From the key to the end of its last line, line break included. Blank and comment lines behind the value are not
    /// part of it.
    pub content: Range<usize>,
    /// Behind the colon.
    pub value_at: usize,
}

impl Block<'_> {
    /// The block's lines with another value. `value` begins with a blank or, for a value of several lines, with a line
    /// break. A comment stays when both values take one line.
    pub fn with_value(&self, text: &str, value: &str, eol: &str) -> String {
        let old = &text[self.value_at..self.content.end];
        let body = old.trim_end_matches(['\n', '\r']);
        let (ending, key) = (&old[body.len()..], &text[self.content.start..self.value_at]);
        if value.contains('\n') || body.contains('\n') {
            return format!("{key}{}{ending}", value.replace('\n', eol));
        }
        let gap = &body[..body.len() - body.trim_start().len()];
        let (gap, comment) =
            (if gap.is_empty() { " " } else { gap }, comment_at(body).map_or("", |at| &body[at..]));
        format!("{key}{gap}{}{comment}{ending}", value.trim_start())
    }
}

/// The bytes of the first document that holds a key: older files begin with `---` or hold several documents (PC-161).
pub fn first_mapping(text: &str) -> Range<usize> {
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mut at, mut seen) = (start, false);
    for line in text[start..].split_inclusive('\n') {
        let bare = line.trim_end();
        if bare == "---" || bare == "..." || bare.starts_with("--- ") {
            if seen {
                return start..at;
            }
            start = at + line.len();
        }
        seen = seen || key_of(line).is_some() || bare.starts_with('{');
        at += line.len();
    }
    start..at
}

/// The top-level keys of `text[region]` in order. Never fails: lines that belong to no key are left out.
pub fn blocks(text: &str, region: Range<usize>) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = region.start;
    for line in text[region].split_inclusive('\n') {
        let end = at + line.len();
        let trimmed = line.trim();
        match (key_of(line), blocks.last_mut()) {
            (Some((key, value)), _) => blocks.push(Block { key, content: at..end, value_at: at + value }),
            (None, Some(last)) if !trimmed.is_empty() && !trimmed.starts_with('#') => last.content.end = end,
            _ => {}
        }
        at = end;
    }
    blocks
}

/// The line break of the file: that of its first line.
pub fn eol(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// `text` with the ranges replaced. Ranges must not overlap; insertions at one place keep their order. A torn last
/// line is closed before something is put behind it.
pub fn apply(text: &str, mut changes: Vec<(Range<usize>, String)>, eol: &str) -> String {
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut at) = (String::with_capacity(text.len() + 128), 0);
    for (range, new) in changes {
        out.push_str(&text[at..range.start]);
        if range.is_empty() && !out.is_empty() && !out.ends_with('\n') && !out.ends_with('\u{feff}') {
            out.push_str(eol);
        }
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Where ` # …` begins in a value that takes one line, the blanks in front of it included.
pub fn comment_at(value: &str) -> Option<usize> {
    let (mut quote, mut escaped, mut token_start) = (None, false, true);
    let (mut before, mut closed) = (' ', None);
    for (at, c) in value.char_indices() {
        let just_closed = closed.take();
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(q) if c == q => (quote, closed) = (None, Some(q)),
            Some(_) => {}
            None if matches!(c, '"' | '\'') && token_start => quote = Some(c),
            // `''` inside single quotes is one quote and goes on.
            None if c == '\'' && just_closed == Some(c) => quote = Some(c),
            None if c == '#' && before.is_whitespace() => return Some(value[..at].trim_end().len()),
            None => {}
        }
        token_start = c.is_whitespace() && token_start || matches!(c, '[' | '{' | ',' | ':');
        before = c;
    }
    None
}

/// The key of a line that begins one in column 0, and the offset behind its colon.
fn key_of(line: &str) -> Option<(&str, usize)> {
    let bare = line.trim_end_matches(['\n', '\r']);
    let bare = bare.strip_prefix('\u{feff}').unwrap_or(bare);
    let skipped = line.find(bare)?;
    let first = bare.chars().next()?;
    if let '"' | '\'' = first {
        let close = bare[1..].find(first)? + 1;
        let rest = &bare[close + 1..];
        let colon = rest.len() - rest.trim_start().len();
        let after = rest[colon..].strip_prefix(':')?;
        let ok = after.is_empty() || after.starts_with([' ', '\t']);
        return ok.then_some((&bare[1..close], skipped + close + 1 + colon + 1));
    }
    if first.is_whitespace() || "#[]{},|>&*!%@`?".contains(first) || bare == "-" || bare.starts_with("- ") {
        return None;
    }
    let colon = bare.char_indices().find_map(|(at, c)| {
        let after = &bare[at + c.len_utf8()..];
        (c == ':' && (after.is_empty() || after.starts_with([' ', '\t']))).then_some(at)
    })?;
    let key = bare[..colon].trim_end();
    (!key.is_empty()).then_some((key, skipped + colon + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<&str> {
        blocks(text, first_mapping(text)).into_iter().map(|b| b.key).collect()
    }

    #[test]
    fn pc_161_keys_are_found_in_every_shape() {
        let text = "\u{feff}# note\na: 1 # x\n\"b\" : 2\nlist:\n- x: 1\n- y\nmap:\n  c: 3\n\n# tail\nurl:http://x\nd:\n";
        assert_eq!(keys(text), ["a", "b", "list", "map", "d"]);
        let found = blocks(text, first_mapping(text));
        assert_eq!(&text[found[2].content.clone()], "list:\n- x: 1\n- y\n");
        assert!(text[found[3].content.clone()].ends_with("url:http://x\n"));
        assert_eq!(keys("---\n---\na: 1\n---\nb: 2\n"), ["a"]);
        assert_eq!(keys("a: 1\r\n...\r\nb: 2"), ["a"]);
        assert_eq!(keys(""), Vec::<&str>::new());
    }

    #[test]
    fn pc_161_comments_are_told_from_values() {
        for (value, comment) in [
            (" \"a # b\" # c", " # c"),
            (" plain#x # c", " # c"),
            (" don't # c", " # c"),
            (" 'it''s # x'  # c", "  # c"),
            (" [\"a # b\", 'c # d'] # c", " # c"),
            (" \"a \\\" # b\"", ""),
            (" # only", " # only"),
        ] {
            let found = comment_at(value).map_or("", |at| &value[at..]);
            assert_eq!(found.trim_start(), comment.trim_start(), "{value}");
        }
    }
}
