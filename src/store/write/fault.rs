//! Where a test says at which file operation this process dies or fails. A release build has none of it.
//!
//! [`arm`] takes what the command line found in `FLIGHTDECK_FAULT`. `kill@37` ends the process with SIGKILL instead of its 37th operation, and `ENOSPC@37` lets that
//! one fail. A `+` behind the number means: and every later one. `slow@1+` waits before each and `note@1+` names each. A write is struck in its
//! middle: half of the bytes are there. `stop@37` lets the process stand still until SIGCONT, so that a test can change the
//! world around it. From the 37th operation on `clock-90000@37` sets the clock back by a day and an hour, until the 60th
//! with `@37-60`, and `nolock@37` is a file system that has no locks.

#[cfg(not(debug_assertions))]
mod none {
    use std::fs::File;
    use std::io::{self, Write};
    use std::path::Path;

    #[inline]
    pub fn before(_: &str, _: &Path) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    pub fn write(file: &mut File, bytes: &[u8], _: &Path) -> io::Result<()> {
        file.write_all(bytes)
    }

    #[inline]
    pub fn lock() -> io::Result<()> {
        Ok(())
    }

    #[inline]
    pub fn clock() -> i64 {
        0
    }
}

#[cfg(not(debug_assertions))]
pub use none::{before, clock, lock, write};

#[cfg(debug_assertions)]
mod some {
    use rustix::io::Errno;
    use std::fs::File;
    use std::io::{self, Write};
    use std::path::Path;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{Duration, Instant};

    const NAME: &str = "FLIGHTDECK_FAULT";

    static PLAN: OnceLock<Plan> = OnceLock::new();

    /// Takes the plan of this process. The first one counts, and what is no plan is none.
    pub fn arm(text: &str) {
        if let Some(plan) = Plan::parse(text) {
            let _ = PLAN.set(plan);
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Act {
        Kill,
        Fail(Errno),
        Slow,
        Note,
        Stop,
        /// Seconds that the clock jumps.
        Clock(i64),
        NoLock,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct Plan {
        act: Act,
        from: u64,
        /// The last operation; `u64::MAX` for each later one.
        to: u64,
    }

    impl Plan {
        pub(super) fn parse(text: &str) -> Option<Plan> {
            let (act, at) = text.split_once('@')?;
            let act = match act {
                "kill" => Act::Kill,
                "slow" => Act::Slow,
                "note" => Act::Note,
                "ENOSPC" => Act::Fail(Errno::NOSPC),
                "EROFS" => Act::Fail(Errno::ROFS),
                "EACCES" => Act::Fail(Errno::ACCESS),
                "EIO" => Act::Fail(Errno::IO),
                "ENOENT" => Act::Fail(Errno::NOENT),
                "ESTALE" => Act::Fail(Errno::STALE),
                "stop" => Act::Stop,
                "nolock" => Act::NoLock,
                _ => Act::Clock(act.strip_prefix("clock")?.parse().ok()?),
            };
            let (from, to) = match at.split_once('-') {
                Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
                None if at.ends_with('+') => (at.trim_end_matches('+').parse().ok()?, u64::MAX),
                None => (at.parse().ok()?, at.parse().ok()?),
            };
            Some(Plan { act, from, to })
        }

        pub(super) fn strikes(&self, operation: u64) -> bool {
            (self.from..=self.to).contains(&operation)
        }
    }

    static OPERATIONS: AtomicU64 = AtomicU64::new(0);

    /// Counts the operation; what is to happen to it, if anything.
    fn next() -> Option<(Act, u64)> {
        let plan = PLAN.get()?;
        let operation = OPERATIONS.fetch_add(1, Ordering::Relaxed) + 1;
        plan.strikes(operation).then_some((plan.act, operation))
    }

    fn strike((act, operation): (Act, u64), what: &str, path: &Path) -> io::Result<()> {
        let say = |how: &str| {
            let _ = writeln!(io::stderr(), "{NAME}: {how} operation {operation}, {what} {}", path.display());
        };
        match act {
            Act::Kill => {
                say("killed before");
                let _ =
                    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
                loop {
                    std::thread::park();
                }
            }
            Act::Fail(errno) => {
                say("failed");
                Err(errno.into())
            }
            Act::Slow => {
                rest(Duration::from_millis(20));
                Ok(())
            }
            Act::Note => {
                say("noted");
                Ok(())
            }
            Act::Stop => {
                say("stopped before");
                let _ =
                    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
                // The signal may reach another thread first; this one shall not get ahead of it.
                rest(Duration::from_millis(5));
                Ok(())
            }
            Act::Clock(_) | Act::NoLock => Ok(()),
        }
    }

    /// The plan's act, once its operation was reached.
    fn reached() -> Option<Act> {
        let plan = PLAN.get()?;
        // Without an end it is the whole rest, for these two.
        let to = if plan.to == plan.from { u64::MAX } else { plan.to };
        (plan.from..=to).contains(&(OPERATIONS.load(Ordering::Relaxed) + 1)).then_some(plan.act)
    }

    /// To be asked before a lock is taken.
    pub fn lock() -> io::Result<()> {
        if reached() == Some(Act::NoLock) { Err(Errno::NOLCK.into()) } else { Ok(()) }
    }

    /// How far the clock has jumped.
    pub fn clock() -> i64 {
        if let Some(Act::Clock(seconds)) = reached() { seconds } else { 0 }
    }

    #[expect(clippy::disallowed_methods, reason = "a slow disk takes real time")]
    fn rest(time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            std::thread::park_timeout(end.saturating_duration_since(Instant::now()));
        }
    }

    /// To be asked before a file operation.
    pub fn before(what: &str, path: &Path) -> io::Result<()> {
        next().map_or(Ok(()), |hit| strike(hit, what, path))
    }

    /// Writes all of it, or half.
    pub fn write(file: &mut File, bytes: &[u8], path: &Path) -> io::Result<()> {
        if let Some(hit) = next() {
            if matches!(hit.0, Act::Kill | Act::Fail(_)) {
                file.write_all(&bytes[..bytes.len() / 2])?;
            }
            strike(hit, "write", path)?;
        }
        file.write_all(bytes)
    }
}

#[cfg(debug_assertions)]
pub use some::{arm, before, clock, lock, write};

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::some::Plan;

    #[test]
    fn a_plan_names_an_act_and_an_operation() {
        let once = Plan::parse("kill@3").unwrap();
        assert_eq!([2, 3, 4].map(|n| once.strikes(n)), [false, true, false]);
        let on = Plan::parse("ENOSPC@3+").unwrap();
        assert_eq!([2, 3, 4].map(|n| on.strikes(n)), [false, true, true]);
        let some = Plan::parse("slow@3-4").unwrap();
        assert_eq!([2, 3, 4, 5].map(|n| some.strikes(n)), [false, true, true, false]);
        assert!(Plan::parse("clock-90000@3").is_some() && Plan::parse("clock+60@3").is_some());
        for wrong in ["", "kill", "kill@", "kill@x", "reboot@1", "clock@3"] {
            assert_eq!(Plan::parse(wrong), None, "{wrong}");
        }
    }
}
