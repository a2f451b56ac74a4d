//! The background loop: decide, record, act. The only place that spawns work.

pub mod facts;
pub mod guard;
pub mod ledger;
pub mod opening;
pub mod prompt;
pub mod routing;
pub mod wp;
