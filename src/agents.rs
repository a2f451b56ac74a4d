//! Talking to agents: the adapter contract (group C), the vendor registry (group B), processes, streams, filters.
//!
//! This layer knows no session: it gets a [`call::Call`] and gives a [`call::Outcome`]. Nothing is read from a screen,
//! and exit code 0 alone is never success. Start at [`call`].

pub mod acp;
pub mod call;
pub mod check;
pub mod contract;
pub mod native;
pub mod privacy;
pub mod probe;
pub mod process;
pub mod registry;
pub mod rehearsal;
pub mod run;
pub mod sandbox;
pub mod serve;
pub mod shell;
pub mod stream;
