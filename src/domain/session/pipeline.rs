//! From decision to deployment (group U): what is implemented, shown, reviewed, verified and deployed.
//!
//! The steps themselves happen in the engine; here is what they mean. Where a session stands on this track is derived
//! like everything else, in [`super::phase`].

pub mod announce;
pub mod argued;
pub mod change;
pub mod content;
pub mod finding;
pub mod outcome;
pub mod reserved;
pub mod say;
pub mod track;
pub mod verdict;
