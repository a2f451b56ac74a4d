//! flightdeck: the pilot's dashboard for multi-agent sessions.
//!
//! The layers in reading order; who may know whom is a test (`tests/suite/layers.rs`).

/// Talking to agents: the adapter contract, the registry, processes, streams, filters.
pub mod agents;
/// One command, one file.
pub mod cli;
/// What a person can set: the embedded default, its layers, the places on disk.
pub mod config;
/// The rules of a session, as values and functions without IO.
pub mod domain;
/// The loop: decide, record, act. The only place that spawns work.
pub mod engine;
/// Reading repositories with libgit2, changing them with the git CLI.
pub mod git;
/// Every file and folder name; the only writer of session files.
pub mod store;
/// What the pilot sees.
pub mod ui;
