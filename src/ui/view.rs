//! How the screens are drawn.

pub mod library;
pub mod page;
pub mod replay;
pub mod report;
