//! The steps of an implementation (group U), done: trees, edits, reviews, verification, deployment.
//!
//! What is due and what a result means is decided in the domain; here it happens. Every step can be done again after a
//! crash and then finds what it had done.

pub mod clean;
pub mod crew;
pub mod deploy;
pub mod edit;
pub mod implement;
pub mod isolate;
pub mod job;
pub mod verifier;
pub mod verify;
