//! Scripted participants: stories in which a writer and peers discuss a task without any vendor, account or network.
//!
//! A story (`assets/rehearsals/*.yaml`, or a file of the user) holds what everybody says. Each participant runs as a
//! child process, `flightdeck rehearse <story> <participant>`, under the same contract as a real adapter (group C):
//! prompt on stdin, one reply on stdout, diagnostics on stderr. What the pilot would answer is in the story as well,
//! so that a demo can run with nobody present.

mod speak;
mod story;

pub use speak::rehearse;
pub use story::{Answer, Limits, Line, Participant, Repository, Story, stories, story};

#[cfg(test)]
mod tests;
