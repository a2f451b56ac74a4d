//! The report of a panic: where it happened and what to do, never the panic's own text, which may quote a prompt.

use std::panic;

/// Installs the hook. `RUST_BACKTRACE=1` still adds the backtrace.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        eprintln!(
            "flightdeck {} stopped because of a fault of its own at {place}.\n\
             Your sessions are as their files say: `flightdeck list` shows them, `flightdeck resume <id>` goes on.\n\
             Please report the place and the version; the report holds nothing of your prompts.",
            super::args::version()
        );
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
            eprintln!("{}", std::backtrace::Backtrace::force_capture());
        }
    }));
}
