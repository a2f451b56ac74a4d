//! Where the CLIs of native vendors keep their login, settings and caches.

use crate::agents::process::vars::Vars;
use crate::agents::registry::Native;
use std::path::PathBuf;

/// Files and folders that a vendor's CLI may change. The folders in `made` are its own and are made when they are
/// missing: a CLI that starts for the first time cannot make them from inside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    pub made: Vec<PathBuf>,
    pub other: Vec<PathBuf>,
}

pub fn of(native: Native, env: &Vars) -> State {
    let home = env.get("HOME").map(PathBuf::from).unwrap_or_default();
    let at_home = |names: &[&str]| names.iter().map(|name| home.join(name)).collect::<Vec<_>>();
    let own = |variable: &str, default: &str| env.get(variable).map_or(home.join(default), PathBuf::from);
    let xdg = |variable: &str, default: &str, name: &str| own(variable, default).join(name);
    match native {
        Native::Claude => State {
            made: vec![own("CLAUDE_CONFIG_DIR", ".claude")],
            other: at_home(&[
                ".claude.json",
                ".config/claude",
                ".cache/claude",
                ".cache/claude-cli-nodejs",
                ".local/share/claude",
                ".local/state/claude",
            ]),
        },
        Native::Codex => State { made: vec![own("CODEX_HOME", ".codex")], other: Vec::new() },
        Native::Gemini => State { made: Vec::new(), other: at_home(&[".gemini"]) },
        Native::Opencode => State {
            made: vec![
                xdg("XDG_DATA_HOME", ".local/share", "opencode"),
                xdg("XDG_CONFIG_HOME", ".config", "opencode"),
                xdg("XDG_CACHE_HOME", ".cache", "opencode"),
                xdg("XDG_STATE_HOME", ".local/state", "opencode"),
            ],
            other: at_home(&[".opencode"]),
        },
        Native::Kimi => State { made: vec![own("KIMI_SHARE_DIR", ".kimi")], other: Vec::new() },
        Native::KimiCode => State { made: vec![own("KIMI_CODE_HOME", ".kimi-code")], other: Vec::new() },
        Native::Hermes => State { made: vec![own("HERMES_HOME", ".hermes")], other: Vec::new() },
    }
}
