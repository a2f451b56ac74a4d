//! The frontmatter of a turn file (PC-235, PC-236, PC-274, PC-277). Parsing it is `store::frontmatter`.

/// Informational verdict in the frontmatter; only markers in the body steer the loop (PC-239).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsensusWord {
    #[default]
    None,
    Proposed,
    Reached,
    Escalate,
}

impl ConsensusWord {
    pub fn key(self) -> &'static str {
        match self {
            ConsensusWord::None => "none",
            ConsensusWord::Proposed => "proposed",
            ConsensusWord::Reached => "reached",
            ConsensusWord::Escalate => "escalate",
        }
    }

    pub fn parse(text: &str) -> Option<ConsensusWord> {
        match text.trim() {
            "none" => Some(ConsensusWord::None),
            "proposed" => Some(ConsensusWord::Proposed),
            "reached" => Some(ConsensusWord::Reached),
            "escalate" => Some(ConsensusWord::Escalate),
            _ => None,
        }
    }
}

/// `role_accepted` of a discovery reply (PC-274).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoleAccepted {
    Yes,
    No,
    Clarify,
}

/// What a turn's frontmatter says. Every field is a claim of its author: the file name is the truth (PC-238).
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Head {
    pub turn: Option<u32>,
    pub role: String,
    pub agent_id: String,
    pub content_role: String,
    pub process_position: String,
    pub timestamp: String,
    pub consensus: ConsensusWord,
    pub role_accepted: Option<RoleAccepted>,
    /// Agent id → role name, in the order written.
    pub proposed_roles: Vec<(String, String)>,
    pub suggested_initiator_role: String,
    /// `None` when the key is absent: its presence makes a file the discovery file (PC-234).
    pub agreed_roles: Option<Vec<(String, String)>>,
    pub writer_role: String,
    pub discovery_turns: Option<u32>,
    /// Dissenting vendors or agents whose objection the writer accepts (PC-406).
    pub accepts: Vec<String>,
}
