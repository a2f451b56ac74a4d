//! Reading repositories with libgit2, changing them with the git CLI, because hooks, signing and filters must run.

pub mod child;
pub mod commit;
pub mod hunk;
pub mod repo;
