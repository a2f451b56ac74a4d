//! What may not leave the machine (PC-063 to PC-067).

pub mod copy;
pub mod ignore;
pub mod judge;
pub mod map;
pub mod pii;
pub mod prompt;
pub mod survey;
