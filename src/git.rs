//! Reading repositories with libgit2, changing them with the git CLI, because hooks, signing and filters must run.

mod beneath;
pub mod blame;
pub mod child;
mod cli;
pub mod commit;
pub mod deploy;
pub mod fresh;
pub mod hunk;
pub mod onward;
mod ours;
pub mod patch;
pub mod repo;
#[cfg(test)]
mod scratch;
pub mod snapshot;
mod stage;
pub mod worktree;
