//! The process list through `ps`, for systems without `/proc`. Only used when something has to be killed.

use super::{Row, Seen};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg_attr(target_os = "linux", expect(dead_code, reason = "compiled for tests only there"))]
/// A child was started just now, so no `ps` is needed to know when.
pub fn birth(_pid: u32) -> u64 {
    now()
}

pub fn started_at(pid: u32) -> Option<u64> {
    rows(&["-p", &pid.to_string()]).into_iter().find(|r| r.seen.pid == pid).map(|r| r.seen.started_at)
}

/// `etime` has whole seconds only.
pub fn is_same_start(a: u64, b: u64) -> bool {
    a.abs_diff(b) <= 2
}

pub fn list() -> Vec<Row> {
    rows(&["-A"])
}

/// Environments of other processes cannot be read portably.
#[cfg_attr(target_os = "linux", expect(dead_code, reason = "compiled for tests only there"))]
pub fn has_mark(_pid: u32, _mark: &str) -> bool {
    false
}

/// On a machine so busy that a look takes seconds, the ages of that look are not sure: look again.
fn rows(select: &[&str]) -> Vec<Row> {
    let mut looks = 1;
    loop {
        let before = now();
        let text = look(select);
        let now = now();
        if now.saturating_sub(before) <= 1 || looks == 5 {
            return text.lines().filter_map(|line| row(line, now)).collect();
        }
        looks += 1;
    }
}

#[expect(clippy::disallowed_methods, reason = "a short look at the process table, which ends by itself")]
fn look(select: &[&str]) -> String {
    let output = Command::new("ps")
        .args(select)
        .args(["-o", "pid=,ppid=,pgid=,stat=,etime="])
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    output.map_or_else(|_| String::new(), |o| String::from_utf8_lossy(&o.stdout).into_owned())
}

#[expect(clippy::disallowed_methods, reason = "process ages are told by the system's clock")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

fn row(line: &str, now: u64) -> Option<Row> {
    let mut fields = line.split_ascii_whitespace();
    let mut number = || fields.next()?.parse::<u32>().ok();
    let (pid, parent, group) = (number()?, number()?, number()?);
    let is_zombie = fields.next()?.starts_with('Z');
    let elapsed = elapsed(fields.next()?)?;
    // Of a process that began in this very tick `ps` may tell an age below 0, wrapped: `441077234-00:18:40`.
    let started_at = now.checked_sub(elapsed).unwrap_or(now);
    (!is_zombie).then_some(Row { seen: Seen { pid, started_at }, parent, group })
}

/// `[[dd-]hh:]mm:ss` in seconds.
fn elapsed(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let mut seconds = days.parse::<u64>().ok()?;
    let parts: Vec<u64> = clock.split(':').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, rest] = match parts[..] {
        [m, s] => [0, m, s],
        [h, m, s] => [h, m, s],
        _ => return None,
    };
    seconds = seconds * 24 + hours;
    Some((seconds * 60 + minutes) * 60 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_706_elapsed_times_of_ps() {
        assert_eq!(elapsed("00:07"), Some(7));
        assert_eq!(elapsed("01:02:03"), Some(3723));
        assert_eq!(elapsed("2-00:00:01"), Some(172_801));
        assert_eq!(elapsed("x"), None);
        let row = row("  12   1   12 Ss+ 00:05", 100).unwrap();
        assert!(super::row("12 1 12 Z 00:05", 100).is_none());
        let newborn = super::row("12 1 12 S 441077234-00:18:40", 1_796_000_000).unwrap();
        assert_eq!(newborn.seen.started_at, 1_796_000_000);
        assert_eq!((row.seen.pid, row.parent, row.group, row.seen.started_at), (12, 1, 12, 95));
    }
}
