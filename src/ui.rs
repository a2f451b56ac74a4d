//! What the pilot sees. Agent text is made safe in one place ([`text`]).

pub mod markdown;
pub mod text;
pub mod theme;
