//! Is a process that wrote down its id still the same living process?

/// A number that tells two processes with the same id apart: on Linux the start time in clock ticks since boot, 0
/// where the system does not say.
pub fn process_start(pid: u32) -> u64 {
    stat(pid).map_or(0, |(_, start)| start)
}

/// True when `pid` lives and, as far as both starts are known, is the process that wrote `start`. A zombie is dead.
pub fn process_alive(pid: u32, start: u64) -> bool {
    match stat(pid) {
        Some((state, now)) => !matches!(state, 'Z' | 'X') && (start == 0 || now == start),
        None => answers(pid),
    }
}

/// State letter and start time of `/proc/<pid>/stat` (fields 3 and 22). The command name in field 2 may hold spaces
/// and brackets, so counting starts behind its last bracket.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<(char, u64)> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn stat(_pid: u32) -> Option<(char, u64)> {
    None
}

#[cfg(any(target_os = "linux", test))]
fn parse_stat(text: &str) -> Option<(char, u64)> {
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// Asks the system whether the id is in use; a process of somebody else also counts.
fn answers(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_702_a_reused_id_is_not_the_same_process() {
        let pid = std::process::id();
        let start = process_start(pid);
        assert!(process_alive(pid, start));
        assert!(process_alive(pid, 0));
        #[cfg(target_os = "linux")]
        assert!(!process_alive(pid, start + 1));
        assert!(!process_alive(0, 0));
        assert!(!process_alive(999_999_999, 0));
        assert!(!process_alive(u32::MAX, 0));
    }

    #[test]
    fn pc_702_a_zombie_is_dead() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        while process_alive(pid, 0) && cfg!(target_os = "linux") {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!process_alive(pid, 0));
    }

    #[test]
    fn pc_702_command_names_may_hold_anything() {
        let text = "42 (a) S (b) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(parse_stat(text), Some(('R', 777)));
        assert_eq!(parse_stat("42 (cut"), None);
    }
}
