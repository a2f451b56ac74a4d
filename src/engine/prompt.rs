//! Prompts, English and Russian (PC-291, PC-322, PC-332, PC-347, PC-521, PC-604).

pub mod peer;
pub mod synthesis;
pub mod writer;
