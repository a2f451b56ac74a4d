//! Every file and folder name of a session tree, and the only writer of session files.
//!
//! Reading gives `(value, problems)` and never refuses a tree because of one bad file. Writing is temporary name,
//! sync, rename, in one place (`write`). Start at [`load`] (files → state) and [`record`] (fact → files).

pub mod closing;
pub mod compose;
pub mod escalation;
pub mod frontmatter;
pub mod index;
pub mod layout;
pub mod list;
pub mod load;
pub mod lock;
pub mod meta;
pub(in crate::store) mod odd;
pub mod pipeline;
pub mod record;
pub mod report;
pub mod runtime;
pub mod search;
pub mod verify;
pub mod write;
pub mod yaml;
