//! What the screens know, as plain data.

pub mod library;
pub mod part;
pub mod replay;
pub mod report;
