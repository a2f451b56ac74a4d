//! The process list of Linux: `/proc`.

use super::{Row, Seen};
use std::fs;

/// The start time of a child, which may have ended already.
pub fn birth(pid: u32) -> u64 {
    stat(pid).map_or(0, |stat| stat.row.seen.started_at)
}

pub fn started_at(pid: u32) -> Option<u64> {
    row(pid).map(|r| r.seen.started_at)
}

/// Clock ticks since boot are exact.
pub fn is_same_start(a: u64, b: u64) -> bool {
    a == b
}

pub fn list() -> Vec<Row> {
    let Ok(dir) = fs::read_dir("/proc") else { return Vec::new() };
    dir.flatten().filter_map(|entry| row(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Reads the environment that the process was started with; only possible for the user's own processes.
pub fn has_mark(pid: u32, mark: &str) -> bool {
    let Ok(environ) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    let is_mark =
        |entry: &[u8]| entry.strip_prefix(mark.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'='));
    !mark.is_empty() && environ.split(|b| *b == 0).any(is_mark)
}

struct Stat {
    row: Row,
    is_dead: bool,
}

fn row(pid: u32) -> Option<Row> {
    stat(pid).filter(|stat| !stat.is_dead).map(|stat| stat.row)
}

fn stat(pid: u32) -> Option<Stat> {
    // The name in parentheses may contain anything, also `)` and bytes that are no UTF-8.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let behind_name = stat.iter().rposition(|b| *b == b')')? + 1;
    let rest = String::from_utf8_lossy(&stat[behind_name..]);
    let field: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| field.get(at)?.parse::<u64>().ok();
    // Fields 3, 4, 5 and 22 of proc(5); the first field behind the name is number 3.
    let (parent, group, started_at) = (number(1)?, number(2)?, number(19)?);
    let seen = Seen { pid, started_at };
    let row = Row { seen, parent: u32::try_from(parent).ok()?, group: u32::try_from(group).ok()? };
    Some(Stat { row, is_dead: matches!(field[0], "Z" | "X") })
}
