//! Landlock. A thread that restricts itself hands the restriction to the children it starts, and to nobody else. So
//! each confined child is started by a thread of its own: no code runs between fork and exec, and nothing is unsafe.

use super::Confinement;
use crate::domain::lang::Both;
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, path_beneath_rules,
};
use std::io;
use std::sync::LazyLock;
use tokio::process::{Child, Command};

/// The first version that also governs truncation (Linux 6.2). Without it a file could still be emptied.
const ABI_NEEDED: ABI = ABI::V3;

pub fn support() -> Result<(), Both> {
    static SUPPORT: LazyLock<Result<(), Both>> = LazyLock::new(|| {
        let why = |_| {
            Both::new(
                "this kernel has no Landlock of version 3 (Linux 6.2 or newer, enabled at boot)",
                "в этом ядре нет Landlock версии 3 (Linux 6.2 или новее, включён при загрузке)",
            )
        };
        ruleset().map(|_| ()).map_err(why)
    });
    SUPPORT.clone()
}

pub fn spawn(confinement: &Confinement, command: &mut Command) -> io::Result<Child> {
    let runtime = tokio::runtime::Handle::try_current().map_err(io::Error::other)?;
    let confined = || {
        restrict(confinement)?;
        let _inside = runtime.enter();
        command.spawn()
    };
    let joined = std::thread::scope(|scope| scope.spawn(confined).join());
    joined.unwrap_or_else(|_| Err(io::Error::other("the thread that starts the confined child failed")))
}

/// Restricts the current thread for good.
fn restrict(confinement: &Confinement) -> io::Result<()> {
    let enforce = || -> Result<RulesetStatus, RulesetError> {
        let read = path_beneath_rules(&confinement.read, AccessFs::from_read(ABI_NEEDED));
        let write = path_beneath_rules(&confinement.write, AccessFs::from_all(ABI_NEEDED));
        Ok(ruleset()?.add_rules(read)?.add_rules(write)?.restrict_self()?.ruleset)
    };
    match enforce() {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(_) => Err(io::Error::other("the sandbox is not fully enforced")),
        Err(e) => Err(io::Error::other(format!("the sandbox cannot be enforced: {e}"))),
    }
}

fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI_NEEDED))?
        .create()
}
