//! What a person can set.
//!
//! Layers: embedded default < user file < project file < environment < flags. Unknown keys are errors with file,
//! position and a suggestion.

pub mod file;
pub mod implementation;
pub mod layers;
pub mod places;
pub mod suggest;
pub mod trust;
pub mod value;
