//! From matches in a session's bytes to lines that a person can read.

use super::best::{Best, Rank};
use super::pattern::{Pattern, Probe};
use super::read::{File, View};
use super::walk::Entry;
use super::{Hit, lock};
use crate::domain::session::report::{Section, heading};
use crate::store::layout::META;
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

/// A line with matches: its range, the first matches in it, the words in it.
struct Line {
    range: Range<usize>,
    matches: Vec<(usize, usize)>,
    words: u32,
}

/// Puts the lines of this session that hold a word. `age` is 0 for the newest session.
pub fn collect(
    entry: &Entry,
    text: View<'_>,
    pattern: &Pattern,
    age: usize,
    best: &Mutex<Best>,
    probe: &mut Probe,
) {
    pattern.aim(probe, text.bytes, text.sieve);
    let Some(first) = pattern.candidate(probe, text.bytes, 0) else { return };
    let mut found = Vec::new();
    for (index, file) in text.files.iter().enumerate().filter(|(_, file)| file.end > first) {
        let (lines, count) = in_file(text.bytes, file, pattern, probe);
        if count > 0 {
            found.push((index, lines, count));
        }
    }
    let in_session = found.iter().flat_map(|(_, lines, _)| lines).fold(0, |bits, line| bits | line.words);
    for (index, lines, count) in found {
        let file = &text.files[index];
        let bytes = &text.bytes[file.start..file.end];
        let decides = may_decide(&file.name);
        let mut numbers = Numbers { bytes, at: 0, line: 1 };
        for line in lines {
            let start = line.range.start - file.start;
            let number = numbers.of(start);
            let title = file.name == META || is_title(&bytes[start..line.range.end - file.start]);
            let rank = Rank {
                in_line: line.words.count_ones(),
                place: title || (decides && in_decision(bytes, start)),
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
fn in_file(bytes: &[u8], file: &File, pattern: &Pattern, probe: &mut Probe) -> (Vec<Line>, usize) {
    let (mut lines, mut count, mut at) = (Vec::new(), 0, file.start);
    while count < COUNTED && lines.len() < PER_FILE {
        let Some(place) = pattern.candidate(probe, bytes, at).filter(|place| *place < file.end) else {
            break;
        };
        let range = line_around(&bytes[..file.end], file.start, place);
        at = range.end + 1;
        // Of `meta.yaml` only the task is worth finding: agent ids and states stand in every session.
        if file.name == META && !bytes[range.clone()].starts_with(b"task_") {
            continue;
        }
        let mut line = Line { range: range.clone(), matches: Vec::new(), words: 0 };
        let mut from = range.start;
        while let Some((start, end)) = pattern.find_at(&bytes[..range.end], from).filter(|_| count < COUNTED)
        {
            line.words |= pattern.words_in(&bytes[start..end]);
            line.matches.push((start, end));
            count += 1;
            from = end;
        }
        if !line.matches.is_empty() {
            lines.push(line);
        }
    }
    (lines, count)
}

/// A match holds no line end, because words do not.
fn line_around(bytes: &[u8], floor: usize, place: usize) -> Range<usize> {
    let from = memchr::memrchr(b'\n', &bytes[floor..place]).map_or(floor, |at| floor + at + 1);
    let to = memchr::memchr(b'\n', &bytes[place..]).map_or(bytes.len(), |at| place + at);
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
        self.line += memchr::memchr_iter(b'\n', &self.bytes[self.at..offset]).count() as u32;
        self.at = offset;
        self.line
    }
}

/// The heading of level 1.
fn is_title(line: &[u8]) -> bool {
    line.starts_with(b"# ") && heading(&String::from_utf8_lossy(line)).is_some_and(|(level, _)| level == 1)
}

/// Turns and escalations never hold a recorded decision, and most results are turns.
fn may_decide(name: &str) -> bool {
    name.ends_with(".md") && (!name.starts_with(|c: char| c.is_ascii_digit()) || name.get(2..3) != Some("-"))
}

/// Whether the section around this offset is the recorded decision. Sections of level 3 count only where their title
/// is known, as everywhere in reports.
fn in_decision(bytes: &[u8], mut at: usize) -> bool {
    while let Some(end) = memchr::memrchr(b'\n', &bytes[..at]) {
        let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1);
        if bytes[start] == b'#' {
            let line = String::from_utf8_lossy(&bytes[start..end]);
            match (heading(&line), Section::of_heading(&line)) {
                (Some((..=3, _)), Some((section, _))) => return section == Section::Decision,
                (Some((..=2, _)), None) => return false,
                _ => {}
            }
        }
        at = start;
    }
    false
}

/// The part of the line to show and the matches in it. Bad bytes become `�`, which is why the marks are counted anew.
fn shown(bytes: &[u8], line: &Line, pattern: &Pattern) -> (String, Vec<(u32, u32)>) {
    let first = line.matches.first().map_or(0, |(start, _)| start - line.range.start);
    let from = if bytes.len() <= SHOWN { 0 } else { boundary(bytes, first.saturating_sub(BEFORE)) };
    let to = boundary(bytes, (from + SHOWN).min(bytes.len()));
    let cut = bytes[from..to].strip_suffix(b"\r").unwrap_or(&bytes[from..to]);
    let (mut text, mut marks, mut at) = (String::new(), Vec::<(u32, u32)>::new(), 0);
    let push = |text: &mut String, bytes: &[u8]| text.push_str(&String::from_utf8_lossy(bytes));
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
