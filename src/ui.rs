//! What the pilot sees: model, update, view. Agent text is made safe in one place ([`text`]).
//!
//! Start at [`app`] (the loop), then [`model`] (everything a screen knows), [`update`] (the only function that changes
//! it) and [`view`] (the only one that draws it). The engine is reached through [`crate::engine::wire`] alone: no files,
//! no processes here.

pub mod action;
pub mod app;
pub mod code;
pub mod frame;
pub mod input;
pub mod key;
pub mod keymap;
pub mod markdown;
pub mod model;
pub mod msg;
pub mod overlay;
pub mod scroll;
pub mod settings;
pub mod signals;
pub mod term;
pub mod text;
pub mod theme;
pub mod update;
pub mod view;
pub mod words;
pub mod yaml;
