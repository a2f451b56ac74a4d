//! The background loop: decide, record, act. The only place that spawns work.
//!
//! Start at [`runner`] (one session under this engine), then [`run`] (the waiting around it). [`opening`] is what comes
//! before a session exists.

pub mod answer;
pub mod ask;
pub mod begin;
pub mod client;
pub mod clock;
pub mod compose;
mod conversation;
pub mod desk;
pub mod doctor;
pub mod evidence;
pub mod facts;
pub mod finish;
mod forgotten;
pub mod guard;
pub mod hub;
pub mod leave;
pub mod ledger;
pub mod leftovers;
pub mod named;
pub mod opening;
pub mod outside;
pub mod pipeline;
pub mod prepare;
pub mod prompt;
pub mod questions;
pub mod read;
pub mod rehearse;
pub mod routing;
pub mod run;
pub mod runner;
pub mod secrets;
pub mod server;
pub mod setting;
pub mod strangers;
pub mod trace;
pub mod trust;
pub mod wire;
pub mod wp;
