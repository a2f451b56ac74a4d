//! The report of a panic: where it happened and what to do, never the panic's own text, which may quote a prompt.

use color_eyre::config::{HookBuilder, Theme};
use color_eyre::section::PanicMessage;
use std::fmt;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;

/// Installs the hooks. `RUST_BACKTRACE=1` adds the backtrace.
pub fn install() {
    // It paints pipes too, if it is let.
    let paint = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let theme = if paint { Theme::dark() } else { Theme::new() };
    let hooks = HookBuilder::new().theme(theme).display_env_section(false).panic_message(Place);
    // It fails only where hooks stand already, and then a report is printed all the same.
    let _ = hooks.install();
}

struct Place;

impl PanicMessage for Place {
    fn display(&self, info: &PanicHookInfo<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        write!(
            f,
            "flightdeck {} stopped because of a fault of its own at {place}.\n\
             Your sessions are as their files say: `flightdeck list` shows them, `flightdeck resume <id>` goes on.\n\
             Please report the place and the version; the report holds nothing of your prompts.",
            super::args::version()
        )
    }
}
