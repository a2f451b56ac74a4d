//! Taking a report apart by its headings, as a person may have edited it.

use crate::domain::session::report::{Section, heading};

/// One section with its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// `None` for a heading that schema 1 does not know, such as an extension.
    pub section: Option<Section>,
    /// As it stands in the heading, `""` without one.
    pub number: &'a str,
    pub heading: &'a str,
    pub body: &'a str,
    /// Where the body begins in the text.
    pub at: usize,
}

/// All sections in the order of the file. Known titles are recognised at any of the first three levels.
pub fn all(text: &str) -> Vec<Part<'_>> {
    let mut starts = Vec::new();
    let mut fence = Fence::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if fence.prose(line) {
            let known = Section::of_heading(line);
            match heading(line) {
                Some((level, _)) if level <= 2 || (level == 3 && known.is_some()) => {
                    starts.push((at, at + line.len(), known));
                }
                _ => {}
            }
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, ..)| *start).chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((start, body, known), end)| Part {
            section: known.map(|(section, _)| section),
            number: known.map_or("", |(_, number)| number),
            heading: text[*start..*body].trim_end(),
            body: &text[*body..end],
            at: *body,
        })
        .collect()
}

/// The first section of this kind.
pub fn find(text: &str, section: Section) -> Option<Part<'_>> {
    all(text).into_iter().find(|part| part.section == Some(section))
}

/// The text behind a list marker.
pub fn list_item(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) =
        line.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.is_empty() || rest.starts_with(' '))
    {
        return Some(rest.trim());
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = (rest.len() < line.len()).then(|| rest.strip_prefix(['.', ')'])).flatten()?;
    rest.starts_with(' ').then(|| rest.trim())
}

/// The targets of the Markdown links outside code, in order.
pub fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        let mut rest = line.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let (target, tail) = match rest.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
                Some((target, tail)) => (target, tail),
                None => {
                    let end = closing(rest);
                    (rest[..end].split_whitespace().next().unwrap_or(""), &rest[end..])
                }
            };
            found.push(target.to_string());
            rest = tail;
        }
    }
    found
}

/// A link target as a path below the session directory; `None` for addresses, anchors and absolute paths.
pub fn relative(target: &str) -> Option<&str> {
    let path = target.split(['#', '?']).next().unwrap_or("");
    let path = path.strip_prefix("./").unwrap_or(path);
    let scheme =
        path.split_once(':').is_some_and(|(scheme, _)| scheme.bytes().all(|b| b.is_ascii_alphabetic()));
    (!path.is_empty() && !path.starts_with('/') && !scheme).then_some(path)
}

/// The lines outside fenced code, with inline code taken out.
pub fn prose(text: &str) -> Vec<String> {
    let mut fence = Fence::default();
    text.lines().filter(|line| fence.prose(line)).map(without_code).collect()
}

/// Whether a line stands in a fenced code block; an unclosed one runs to the end.
#[derive(Debug, Default)]
pub struct Fence {
    open: Option<(char, usize)>,
}

impl Fence {
    /// Feeds the next line; true when it is outside code. The fence lines themselves are code.
    pub fn prose(&mut self, line: &str) -> bool {
        let line = line.trim();
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            return self.open.is_none();
        };
        let width = line.chars().take_while(|c| *c == mark).count();
        match self.open {
            None if width >= 3 && (mark == '~' || !line[width..].contains('`')) => {
                self.open = Some((mark, width))
            }
            None => return true,
            Some((open, least)) if open == mark && width >= least && line.len() == width => self.open = None,
            Some(_) => {}
        }
        false
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

/// Offset of the parenthesis that closes a link, or the end of the line.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn without_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let width = rest[at..].chars().take_while(|c| *c == '`').count();
        let ticks = &rest[at..at + width];
        match rest[at + width..].find(ticks) {
            Some(end) => {
                out.push_str(&rest[..at]);
                out.push(' ');
                rest = &rest[at + width + end + width..];
            }
            None => {
                out.push_str(&rest[..at + width]);
                rest = &rest[at + width..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amb_88_sections_survive_hand_edits() {
        let text = "---\na: 1\n---\n# Final Report\n\n## 1. Original problem statement\na\n```\n## 4. Recorded decision\n```\n\
                    ### 4. recorded decision (mine)\n- b\n#### 7. Metadata and navigation\n## Extension (turns 4–4, x)\n\
                    ### Turn 4 — x\nc\n## 6. Метаданные и навигация\nd";
        let got: Vec<_> = all(text).into_iter().map(|p| (p.section, p.number, p.body.trim())).collect();
        assert_eq!(
            got,
            [
                (None, "", ""),
                (Some(Section::Problem), "1", "a\n```\n## 4. Recorded decision\n```"),
                (Some(Section::Decision), "4", "- b\n#### 7. Metadata and navigation"),
                (None, "", "### Turn 4 — x\nc"),
                (Some(Section::Metadata), "6", "d"),
            ]
        );
        assert!(all("").is_empty() && all("no heading").is_empty());
    }

    #[test]
    fn pc_660_links_outside_code() {
        let text = "[a](a.md), [b](<b c.md>) `[x](x.md)` [c](c(1).md \"t\") [d](\n```\n[y](y.md)\n```\n[e](https://x/y.md)[](./f.md#top)";
        assert_eq!(links(text), ["a.md", "b c.md", "c(1).md", "", "https://x/y.md", "./f.md#top"]);
        let kept: Vec<_> = links(text).iter().filter_map(|l| relative(l).map(str::to_string)).collect();
        assert_eq!(kept, ["a.md", "b c.md", "c(1).md", "f.md"]);
        assert_eq!((relative("mailto:a@b"), relative("/etc/passwd"), relative("#x")), (None, None, None));
    }

    #[test]
    fn list_items() {
        assert_eq!(list_item("- a"), Some("a"));
        assert_eq!(list_item("  12) b"), Some("b"));
        assert_eq!(list_item("**bold**"), None);
        assert_eq!(list_item("2026 was"), None);
        assert_eq!(list_item("-"), Some(""));
    }
}
