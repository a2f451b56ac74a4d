//! Who belongs to a call: the child, its descendants, and those that left its process group.
//!
//! A snapshot is taken before anything is killed: afterwards the orphans hang under init and nothing connects them to
//! the call. Every process is remembered with its start time, because pids are used again.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

// Compiled for tests everywhere, so that the path of other systems is not only checked there.
#[cfg(any(not(target_os = "linux"), test))]
mod portable;
#[cfg(not(target_os = "linux"))]
use portable as system;

use rustix::process::{Pid, Signal, kill_process};

/// One process and when it started, in a unit that only this system compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub pid: u32,
    pub started_at: u64,
}

/// A process as one line of a process list.
#[derive(Debug, Clone, Copy)]
struct Row {
    seen: Seen,
    parent: u32,
    group: u32,
}

/// A child of ours that was started just now and is not yet waited for.
pub fn newborn(pid: u32) -> Seen {
    Seen { pid, started_at: system::birth(pid) }
}

/// This process.
pub fn own() -> Seen {
    static OWN: std::sync::LazyLock<Seen> = std::sync::LazyLock::new(|| newborn(std::process::id()));
    *OWN
}

/// True when that very process still runs; zombies do not.
pub fn is_alive(seen: Seen) -> bool {
    system::started_at(seen.pid).is_some_and(|now| system::is_same_start(now, seen.started_at))
}

/// All living processes of the call whose child is or was `root`: its descendants, the members of its process group,
/// and on Linux everything that was started with the variable `mark`. Not the root itself.
pub fn family(root: u32, mark: &str) -> Vec<Seen> {
    let mut rest = system::list();
    let own = std::process::id();
    rest.retain(|row| row.seen.pid != root && row.seen.pid != own);
    let mut parents = vec![root];
    let mut family = Vec::new();
    // The first pass takes what belongs to the call by group or mark, the later ones the children of what was taken.
    let mut is_first = true;
    loop {
        let (members, others): (Vec<Row>, Vec<Row>) = rest.into_iter().partition(|row| {
            let is_own = is_first && (row.group == root || system::has_mark(row.seen.pid, mark));
            is_own || parents.contains(&row.parent)
        });
        if members.is_empty() {
            return family;
        }
        is_first = false;
        parents = members.iter().map(|row| row.seen.pid).collect();
        family.extend(members.iter().map(|row| row.seen));
        rest = others;
    }
}

/// Kills one remembered process, unless its pid belongs to another one by now.
pub fn kill(seen: Seen) {
    let pid = i32::try_from(seen.pid).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid.filter(|_| is_alive(seen)) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn pc_706_a_process_is_known_by_pid_and_start() {
        let own = newborn(std::process::id());
        assert!(is_alive(own));
        assert!(!is_alive(Seen { started_at: own.started_at + 1000, ..own }));
        assert!(!is_alive(Seen { pid: u32::MAX, ..own }));
    }

    #[test]
    fn pc_068_the_portable_list_knows_children_too() {
        let mut child = Command::new("sleep").arg("30").stdin(Stdio::null()).spawn().unwrap();
        let rows = portable::list();
        let row = rows.iter().find(|r| r.seen.pid == child.id()).copied();
        let alive = portable::started_at(child.id());
        let _ = child.kill();
        let _ = child.wait();
        let row = row.unwrap();
        assert_eq!(row.parent, std::process::id());
        assert!(portable::is_same_start(alive.unwrap(), row.seen.started_at));
        assert_eq!(portable::started_at(child.id()), None);
    }
}
