//! The cells of one table row: cutting them apart, escaping, putting a new text in the place of an old one.

use std::ops::Range;

/// The cells of a row between its outer bars, split at every `|` that no backslash escapes (PC-215).
pub fn cells(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let body = line.trim_end();
    let start = body.len() - body.trim_start().len();
    let mut at = start + usize::from(body[start..].starts_with('|'));
    std::iter::from_fn(move || {
        if at >= body.len() {
            return None;
        }
        let mut escaped = false;
        let end = body[at..].char_indices().find_map(|(i, c)| {
            let bar = c == '|' && !escaped;
            escaped = c == '\\' && !escaped;
            bar.then_some(at + i)
        });
        let cell = at..end.unwrap_or(body.len());
        at = cell.end + 1;
        Some(cell)
    })
}

/// `|---|:--:|`
pub fn is_separator(line: &str) -> bool {
    line.contains('-')
        && line.trim().starts_with('|')
        && line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The new content of a cell with the blanks the old one had.
pub fn padded(old: &str, new: &str) -> String {
    let lead = &old[..old.len() - old.trim_start().len()];
    let tail = &old[old.trim_end().len()..];
    if old.trim().is_empty() { format!(" {new} ") } else { format!("{lead}{new}{tail}") }
}

/// One line, white space collapsed, `\` and `|` escaped (PC-214).
pub fn escape(cell: &str) -> String {
    let cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
    cell.chars().filter(|c| !c.is_control()).collect::<String>().replace('\\', "\\\\").replace('|', "\\|")
}

/// The text of a cell; a backslash before anything else stays.
pub fn unescape(cell: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(cell.len()), cell.chars().peekable());
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next @ ('\\' | '|')) if c == '\\' => {
                out.push(*next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}
