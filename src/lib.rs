//! flightdeck: the pilot's dashboard for multi-agent sessions.
//!
//! The layers in reading order; who may know whom is a test (`tests/suite/layers.rs`).
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write fixtures, start programs and measure real time")
)]

// The rules of a session, as values and functions without IO.
pub mod domain;

// Every file and folder name; the only writer of session files.
pub mod store;

// Talking to agents: the adapter contract, the registry, processes, streams, filters.
pub mod agents;

// Reading repositories with libgit2, changing them with the git CLI.
pub mod git;

// What a person can set: the embedded default, its layers, the places on disk.
pub mod config;

// The loop: decide, record, act. The only place that spawns work.
pub mod engine;

// What the pilot sees.
pub mod ui;

// One command, one file.
pub mod cli;
