//! The rules of the specification as values and functions.
//!
//! Nothing here reads a file, a clock or a random number; time comes in as an argument. Start reading at
//! [`session::state`] (what a session is), then [`session::phase`] (what happens next), then
//! [`session::decide`] (what the engine is told to do). Rule numbers (`PC-nnn`) are those of the peer
//! conversation specification.

pub mod effect;
pub mod fact;
pub mod fill;
pub mod input;
pub mod lang;
pub mod policy;
pub mod query;
pub mod question;
pub mod say;
pub mod session;
pub mod spent;
pub mod time;
pub mod words;
