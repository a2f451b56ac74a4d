//! What the pilot sees. Agent text is made safe in one place ([`text`]).

pub mod markdown;
pub mod model;
pub mod text;
pub mod theme;
pub mod view;
