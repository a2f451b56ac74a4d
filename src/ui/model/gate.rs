//! The Decision Gate as a screen: consensus is not implementation, so the pilot chooses how far to go. A result from a
//! weak panel needs one explicit extra key (ui.md rule 9).

use crate::domain::session::id::SessionId;
use crate::ui::action::Action;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    pub id: SessionId,
    /// The choice that was pressed once and needs a second time.
    pub armed: Option<Action>,
    /// The answer is on its way.
    pub sent: bool,
}

impl Gate {
    pub fn new(id: SessionId) -> Gate {
        Gate { id, armed: None, sent: false }
    }
}

/// The letter that answers the gate's question.
pub fn letter(action: Action) -> Option<&'static str> {
    match action {
        Action::Record => Some("A"),
        Action::Implement => Some("B"),
        Action::RecordAndClose => Some("C"),
        _ => None,
    }
}
