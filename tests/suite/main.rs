//! One test binary: it links once, and its modules share the helpers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, write fixtures and start programs"
)]

mod bin;
mod pty;
mod source;
mod stage;

mod beneath;
mod cli;
mod complaints;
mod conformance;
mod cuts;
mod dash;
mod derive;
mod diffs;
mod docs;
mod ends;
mod evidence;
mod faults;
mod filter;
mod fuzzed;
mod garbled;
mod git;
mod hostile;
mod kills;
mod laws;
mod layers;
mod memory;
mod native;
mod panics;
mod permissions;
mod pictures;
mod pipeline;
mod reattach;
mod screen;
mod secrets;
mod sessions;
mod shipped;
mod soak;
mod terminals;
mod tidy;
mod traps;
mod trust;
mod unread;
mod walk;
mod worktrees;
mod worlds;
