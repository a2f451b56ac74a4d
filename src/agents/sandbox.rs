//! Keeping a child in its place: what it may read and write, enforced by the kernel (Landlock, or the namespaces that
//! bubblewrap makes) where there is one that can. Elsewhere nothing is enforced, and everybody who asks is told so.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod none;
#[cfg(not(target_os = "linux"))]
use none as system;

mod bubblewrap;
mod guard;
mod paths;
mod state;

pub use paths::Place;

use crate::agents::call::Call;
use crate::agents::native::codex;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Kind, Native, Sandbox, Vendor};
use crate::domain::lang::Both;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use tokio::process::{Child, Command};

/// What a child and everything that it starts may touch. Paths that do not exist give no right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// Files and folders with everything below.
    pub read: Vec<PathBuf>,
    /// May be read too.
    pub write: Vec<PathBuf>,
    /// The program that enforces it; `None` for Landlock.
    pub wrapper: Option<PathBuf>,
}

impl Confinement {
    /// The wrapper and its arguments in front of the program, where one enforces this.
    pub fn wrapped(&self, program: &Path, cwd: &Path) -> Option<(PathBuf, Vec<OsString>)> {
        let wrapper = self.wrapper.clone()?;
        let mut args = bubblewrap::arguments(self, cwd);
        args.push(program.into());
        Some((wrapper, args))
    }

    /// Starts the command so that neither it nor its descendants get more. An error means that nothing was started.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        system::spawn(self, command)
    }
}

/// Why this system cannot confine a child; `Ok` when it can.
pub fn support() -> Result<(), Both> {
    system::support()
}

/// What a call of a vendor meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Confined,
    /// An implementing call of a program whose state nobody has told: it may write anything but the real trees and the
    /// sessions.
    Guarded,
    /// An implementing call of a program that keeps its own commands in a sandbox, which ours would not let it make.
    Own,
    /// Confined by this program.
    Wrapped(PathBuf),
    /// Runs without; the text says why.
    Free(Both),
    /// `sandbox: required`, and it cannot be had.
    Refused(Both),
}

impl Decision {
    /// One line for people.
    pub fn text(&self) -> Both {
        match self {
            Decision::Confined => Both::new(
                "landlock: reads the system and its own state, writes its scratch folder and its own state",
                "landlock: читает систему и своё состояние, пишет во временную папку и своё состояние",
            ),
            Decision::Guarded => Both::new(
                "landlock: writes its trees and its own state, never the real trees or the sessions",
                "landlock: пишет в свои деревья и состояние, но не в настоящие деревья и не в сессии",
            ),
            Decision::Own => Both::new(
                "the CLI's own: its commands write the trees and their scratch folder, have no network, and read whatever \
                 you may",
                "собственная у CLI: её команды пишут в деревья и временную папку, сети не имеют, читают всё, что можешь ты",
            ),
            Decision::Wrapped(program) => Both::new(
                format!(
                    "{}: sees the system, its scratch folder and its own state, and writes the last two",
                    program.display()
                ),
                format!(
                    "{}: видит систему, временную папку и своё состояние, пишет в два последних",
                    program.display()
                ),
            ),
            Decision::Free(why) => {
                Both::new(format!("not enforced: {}", why.en), format!("не ограничена: {}", why.ru))
            }
            Decision::Refused(why) => Both::new(
                format!("required, but not enforced: {}; calls are refused", why.en),
                format!("требуется, но не ограничена: {}; вызовы не делаются", why.ru),
            ),
        }
    }

    fn off() -> Decision {
        Decision::Free(Both::new("`sandbox: off`", "`sandbox: off`"))
    }

    /// The same of an implementing call.
    pub fn editing_text(&self) -> Both {
        match self {
            Decision::Confined => Both::new(
                "landlock: reads the system, writes its trees, its scratch folder and its own state",
                "landlock: читает систему, пишет в свои деревья, временную папку и своё состояние",
            ),
            Decision::Wrapped(program) => Both::new(
                format!(
                    "{}: sees the system, writes its trees, its scratch folder and its own state",
                    program.display()
                ),
                format!(
                    "{}: видит систему, пишет в свои деревья, временную папку и своё состояние",
                    program.display()
                ),
            ),
            other => other.text(),
        }
    }
}

/// What a call with or without a directory to read would meet. `doctor` asks the same.
pub fn decide(vendor: &Vendor, has_dir: bool, env: &Vars) -> Decision {
    let is_native = matches!(vendor.kind, Kind::Native(_));
    if vendor.sandbox == Some(Sandbox::Bubblewrap) {
        return bubblewrap::find(env).map_or_else(Decision::Refused, Decision::Wrapped);
    }
    match (vendor.sandbox, support()) {
        (Some(Sandbox::Off), _) => Decision::off(),
        (Some(Sandbox::Required), Err(why)) => Decision::Refused(why),
        (Some(Sandbox::Required), Ok(())) => Decision::Confined,
        (None, _) if !is_native => Decision::Free(Both::new(
            "this vendor's state is not known; set `sandbox` and `state`",
            "где этот вендор хранит состояние, неизвестно; задай `sandbox` и `state`",
        )),
        (_, Err(why)) => Decision::Free(why),
        // The CLI then runs its own tools in a sandbox of its own, which needs mounts.
        (_, Ok(())) if has_dir && is_native => Decision::Free(Both::new(
            "a directory is read with the CLI's own read-only sandbox",
            "папку читает собственная песочница CLI, только для чтения",
        )),
        (_, Ok(())) => Decision::Confined,
    }
}

/// What an implementing call meets.
pub fn decide_editing(vendor: &Vendor, env: &Vars) -> Decision {
    let is_native = matches!(vendor.kind, Kind::Native(_));
    if vendor.sandbox == Some(Sandbox::Bubblewrap) {
        return bubblewrap::find(env).map_or_else(Decision::Refused, Decision::Wrapped);
    }
    match (vendor.sandbox, support()) {
        // Its own sandbox is made of mounts, which ours forbids.
        _ if vendor.kind == Kind::Native(Native::Codex) && !codex::is_edit_in_ours(vendor) => Decision::Own,
        (Some(Sandbox::Off), _) => Decision::off(),
        (Some(Sandbox::Required), Err(why)) => Decision::Refused(why),
        (_, Err(why)) => Decision::Free(why),
        (None, Ok(())) if !is_native && vendor.state.is_empty() => Decision::Guarded,
        (_, Ok(())) => Decision::Confined,
    }
}

/// The confinement of one call, or why there is none.
pub fn confinement(
    vendor: &Vendor,
    call: &Call,
    place: &Place,
    env: &Vars,
) -> (Decision, Option<Confinement>) {
    if let Some(work) = &call.work {
        let decision = decide_editing(vendor, env);
        let wrapper = match &decision {
            Decision::Wrapped(program) => Some(program.clone()),
            _ => None,
        };
        let confinement = match decision {
            Decision::Confined | Decision::Wrapped(_) => {
                let mut confinement = paths::confinement(vendor, place, env);
                confinement.write.extend(work.write.iter().cloned());
                // The folder around several trees is where a search begins.
                confinement.read.push(work.dir.clone());
                // git reads what the trees are made of in their repositories.
                confinement.read.extend(work.guarded.iter().map(|dir| dir.join(".git")));
                Some(Confinement { wrapper, ..confinement })
            }
            Decision::Guarded => {
                let scratch = place.scratch.to_path_buf();
                Some(guard::all_but(&work.guarded, &[&work.write[..], &[scratch]].concat()))
            }
            _ => None,
        };
        return (decision, confinement);
    }
    let decision = decide(vendor, call.add_dir.is_some() && vendor.supports.add_dir, env);
    let wrapper = match &decision {
        Decision::Confined => None,
        Decision::Wrapped(program) => Some(program.clone()),
        Decision::Guarded | Decision::Own | Decision::Free(_) | Decision::Refused(_) => {
            return (decision, None);
        }
    };
    let confinement = Confinement { wrapper, ..paths::confinement(vendor, place, env) };
    (decision, Some(confinement))
}

#[cfg(test)]
mod tests;
