//! Ending a call's processes: TERM to the group, a short wait, KILL to all that belong to it (PC-068).

use super::tree::{self, Seen};
use rustix::process::{Pid, Signal, kill_process_group};
use std::time::Duration;

/// How long a call may take to end after TERM.
pub const TERM_GRACE: Duration = Duration::from_secs(2);

/// How often it is looked whether everybody is gone. Only while something is being ended.
pub const LOOK: Duration = Duration::from_millis(20);

/// A running call, to be ended as a whole.
#[derive(Debug, Clone)]
pub struct Target {
    /// The leader of its process group.
    pub root: Seen,
    /// Name of the variable that only this call's processes have.
    pub mark: String,
}

impl Target {
    /// Asks the group to end. Returns everybody who belonged to the call at that moment.
    pub fn terminate(&self) -> Vec<Seen> {
        let family = tree::family(self.root.pid, &self.mark);
        self.signal(Signal::TERM);
        family
    }

    /// Kills the group, everybody in `family`, and whoever has come to the call since.
    pub fn kill(&self, family: &[Seen]) {
        self.signal(Signal::KILL);
        family.iter().copied().chain(tree::family(self.root.pid, &self.mark)).for_each(tree::kill);
    }

    /// One system call: what is left in the group after its leader ended. A group id cannot have been given to others
    /// while a member lives, and pids are not used again within the moment between.
    pub fn kill_group(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // Group 0 and group 1 would be our own and everybody's.
        let group = i32::try_from(self.root.pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, signal);
        }
    }
}

/// Ends a call that is not a child of this process, as a dead engine leaves it (PC-706).
pub async fn end_foreign(target: &Target) {
    if !tree::is_alive(target.root) {
        // The leader is gone, and its group's number may be anybody's; the mark is not.
        tree::family(u32::MAX, &target.mark).into_iter().for_each(tree::kill);
        return;
    }
    let family = target.terminate();
    let everybody = || std::iter::once(target.root).chain(family.iter().copied());
    let gone = async {
        while everybody().any(tree::is_alive) {
            tokio::time::sleep(LOOK).await;
        }
    };
    if tokio::time::timeout(TERM_GRACE, gone).await.is_err() {
        target.kill(&family);
    }
}
