//! From matches in a session's bytes to lines that a person can read.

use super::best::{Best, Rank};
use super::pattern::Pattern;
use super::read::{File, Text};
use super::walk::Entry;
use super::{Hit, lock};
use crate::domain::session::report::{Section, heading};
use crate::store::layout::META;
use crate::store::report::parts;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Mutex;

/// Lines of one file that are kept; whoever wants the others opens the file.
const PER_FILE: usize = 20;

/// Bytes before the first match and altogether that are shown of a long line.
const BEFORE: usize = 120;
const SHOWN: usize = 400;

/// A file with more matches counts as one with so many.
const COUNTED: usize = 256;

/// A line with matches: its range, the matches in it, the words in it.
struct Line {
    range: Range<usize>,
    matches: Vec<(usize, usize)>,
    words: u32,
}

/// Puts the lines of this session that hold a word. `age` is 0 for the newest session.
pub fn collect(entry: &Entry, text: &Text, pattern: &Pattern, age: usize, best: &Mutex<Best>) {
    let Some(first) = pattern.find_at(&text.bytes, 0) else { return };
    let mut found = Vec::new();
    let mut at = first.0;
    for (index, file) in text.files.iter().enumerate().filter(|(_, file)| file.end > first.0) {
        at = at.max(file.start);
        let (lines, count) = in_file(&text.bytes, file, pattern, at);
        if count > 0 {
            found.push((index, lines, count));
        }
    }
    let in_session = found.iter().flat_map(|(_, lines, _)| lines).fold(0, |bits, line| bits | line.words);
    for (index, lines, count) in found {
        let file = &text.files[index];
        let bytes = &text.bytes[file.start..file.end];
        let decision = decision(&file.name, bytes);
        let mut numbers = Numbers { bytes, at: 0, line: 1 };
        for line in lines {
            let start = line.range.start - file.start;
            let number = numbers.of(start);
            let title = file.name == META || is_title(&bytes[start..line.range.end - file.start]);
            let rank = Rank {
                in_line: line.words.count_ones(),
                place: title || decision.contains(&start),
                in_session: in_session.count_ones(),
                many: count.min(COUNTED).ilog2(),
                age: Reverse(age),
            };
            if !lock(best).wants(rank) {
                continue;
            }
            let (text, marks) = shown(&text.bytes[line.range.clone()], &line, pattern);
            lock(best).put(Hit {
                id: entry.id.clone(),
                file: file.name.clone(),
                line: number,
                text,
                marks,
                rank,
            });
        }
    }
}

/// The first lines with matches of one file, and the number of matches.
fn in_file(bytes: &[u8], file: &File, pattern: &Pattern, from: usize) -> (Vec<Line>, usize) {
    let bytes = &bytes[..file.end];
    let (mut lines, mut count, mut at): (Vec<Line>, usize, usize) = (Vec::new(), 0, from);
    while let Some((start, end)) = pattern.find_at(bytes, at) {
        at = end;
        let words = pattern.words_in(&bytes[start..end]);
        if let Some(line) = lines.last_mut().filter(|line| line.range.contains(&start)) {
            count += 1;
            line.words |= words;
            line.matches.push((start, end));
        } else {
            let range = line_around(bytes, file.start, start, end);
            // Of `meta.yaml` only the task is worth finding: agent ids and states stand in every session.
            if file.name == META && !bytes[range.clone()].starts_with(b"task_") {
                at = range.end.max(end);
                continue;
            }
            if lines.len() == PER_FILE {
                count += 1;
                break;
            }
            count += 1;
            lines.push(Line { range, matches: vec![(start, end)], words });
        }
        if count >= COUNTED {
            break;
        }
    }
    (lines, count)
}

/// A match holds no line end, because words do not.
fn line_around(bytes: &[u8], floor: usize, start: usize, end: usize) -> Range<usize> {
    let from = bytes[floor..start].iter().rposition(|b| *b == b'\n').map_or(floor, |at| floor + at + 1);
    let to = bytes[end..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| end + at);
    from..to
}

/// Line numbers in rising order, each counted from the one before.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl Numbers<'_> {
    fn of(&mut self, offset: usize) -> u32 {
        self.line += self.bytes[self.at..offset].iter().filter(|b| **b == b'\n').count() as u32;
        self.at = offset;
        self.line
    }
}

/// The heading of level 1.
fn is_title(line: &[u8]) -> bool {
    line.starts_with(b"# ") && heading(&String::from_utf8_lossy(line)).is_some_and(|(level, _)| level == 1)
}

/// Where the recorded decision stands in a report; empty elsewhere.
fn decision(name: &str, bytes: &[u8]) -> Range<usize> {
    // Turns and escalations never hold one, and most results are turns.
    let can = !name.starts_with(|c: char| c.is_ascii_digit()) || name.get(2..3) != Some("-");
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|_| can && name.ends_with(".md")) else {
        return 0..0;
    };
    parts::find(text, Section::Decision).map_or(0..0, |part| {
        let start = part.body.as_ptr() as usize - text.as_ptr() as usize;
        start..start + part.body.len()
    })
}

/// The part of the line to show and the matches in it. Bad bytes become `�`, which is why the marks are counted anew.
fn shown(bytes: &[u8], line: &Line, pattern: &Pattern) -> (String, Vec<(u32, u32)>) {
    let first = line.matches.first().map_or(0, |(start, _)| start - line.range.start);
    let from = if bytes.len() <= SHOWN { 0 } else { boundary(bytes, first.saturating_sub(BEFORE)) };
    let to = boundary(bytes, (from + SHOWN).min(bytes.len()));
    let cut = bytes[from..to].strip_suffix(b"\r").unwrap_or(&bytes[from..to]);
    let (mut text, mut marks, mut at) = (String::new(), Vec::<(u32, u32)>::new(), 0);
    let mut push = |text: &mut String, bytes: &[u8]| text.push_str(&String::from_utf8_lossy(bytes));
    while let Some((start, end)) = pattern.find_at(cut, at) {
        push(&mut text, &cut[at..start]);
        let begin = text.len() as u32;
        push(&mut text, &cut[start..end]);
        match marks.last_mut().filter(|last| last.1 == begin) {
            Some(last) => last.1 = text.len() as u32,
            None => marks.push((begin, text.len() as u32)),
        }
        at = end;
    }
    push(&mut text, &cut[at..]);
    (text, marks)
}

/// The next place where no character is cut, for UTF-8; anywhere for other bytes.
fn boundary(bytes: &[u8], at: usize) -> usize {
    (at..bytes.len()).take(4).find(|at| bytes[*at] & 0xc0 != 0x80).unwrap_or(at.min(bytes.len()))
}
