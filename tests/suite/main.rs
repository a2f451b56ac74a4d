//! One test binary: it links once, and its modules share the helpers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, write fixtures and start programs"
)]

mod bin;
mod source;
mod stage;

mod cli;
mod cuts;
mod derive;
mod diffs;
mod docs;
mod git;
mod kills;
mod laws;
mod layers;
mod memory;
mod native;
mod panics;
mod pipeline;
mod real_cli;
mod screen;
mod sessions;
mod shipped;
mod tidy;
mod worktrees;
mod worlds;
