//! What every vendor has to do, one function a case.

mod failures;
mod implements;
mod permissions;
mod place;
mod sessions;

use super::Outcome;
use super::lab::Lab;

pub type Case = fn(&Lab) -> Outcome;

/// In the order of the table.
pub const ALL: [(&str, Case); 36] = [
    ("one peer", sessions::one_peer),
    ("writes", sessions::writes),
    ("three participants", sessions::three),
    ("restart", sessions::restart),
    ("conversation goes on", sessions::sticky),
    ("unknown conversation", sessions::unknown_conversation),
    ("401", failures::unauthorized),
    ("429", failures::limited),
    ("429 with reset", failures::limited_with_reset),
    ("500", failures::broken),
    ("slow", failures::slow),
    ("stall", failures::stall),
    ("drop", failures::dropped),
    ("drop before text", failures::broken_off),
    ("broken once", failures::broken_once),
    ("hang", failures::hang),
    ("empty", failures::empty),
    ("no frontmatter", failures::no_frontmatter),
    ("truncated", failures::truncated),
    ("refusal", failures::refusal),
    ("huge", failures::huge),
    ("long prompt", place::long_prompt),
    ("strange prompts", place::strange_prompts),
    ("no tools", place::no_tools),
    ("permission by default", permissions::refused_by_default),
    ("permission allowed", permissions::allowed),
    ("permission refused", permissions::refused),
    ("implements", implements::implements),
    ("implements in two", implements::two),
    ("implements without a key", implements::without_key),
    ("implements in our sandbox", implements::required),
    ("verifies", implements::verifies),
    ("timeout leaves no child", place::timeout_leaves_none),
    ("cut-in leaves no child", place::cut_in_leaves_none),
    ("interrupted edit leaves no child", implements::interrupted),
    ("interrupt leaves no child", place::interrupt_leaves_none),
];

/// Says `Failed` with the reason unless the condition holds.
macro_rules! want {
    ($condition:expr, $($why:tt)+) => {
        if !$condition {
            return $crate::conformance::Outcome::Failed(format!($($why)+));
        }
    };
}
pub(crate) use want;
