//! A peer conversation: one writer, one or more peers, the pilot.

pub mod claim;
pub mod clean;
pub mod consensus;
pub mod decide;
pub mod dispute;
pub mod escalation;
pub mod evidence;
pub mod extension;
pub mod failure;
pub mod gate;
pub mod handoff;
pub mod head;
pub mod honesty;
pub mod id;
pub mod marker;
pub mod meta;
pub mod notes;
pub mod order;
pub mod phase;
pub mod projection;
pub mod report;
pub mod secret;
pub mod slug;
pub mod state;
pub mod turn;
pub mod validate;
