//! Pure parsers of what vendor CLIs print, one file a vendor.

pub mod claude;
pub mod codex;
