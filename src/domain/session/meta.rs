//! The values of `meta.yaml` (PC-163). How they are spelled on disk is `store::meta`.

use super::failure::Reason;
use super::id::SessionId;
use crate::domain::lang::Lang;

/// `status` (PC-163, key 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Started,
    Completed,
    Interrupted,
}

impl Status {
    pub fn key(self) -> &'static str {
        match self {
            Status::Started => "started",
            Status::Completed => "completed",
            Status::Interrupted => "interrupted",
        }
    }

    pub fn parse(text: &str) -> Option<Status> {
        [Status::Started, Status::Completed, Status::Interrupted].into_iter().find(|s| s.key() == text.trim())
    }
}

/// How a session ended (`engine_result_class`, report `result_class`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultClass {
    Agreed,
    Partial,
    Escalated,
    NotAgreed,
}

impl ResultClass {
    pub const ALL: [ResultClass; 4] =
        [ResultClass::Agreed, ResultClass::Partial, ResultClass::Escalated, ResultClass::NotAgreed];

    pub fn key(self) -> &'static str {
        match self {
            ResultClass::Agreed => "agreed",
            ResultClass::Partial => "partial",
            ResultClass::Escalated => "escalated",
            ResultClass::NotAgreed => "not-agreed",
        }
    }

    pub fn parse(text: &str) -> Option<ResultClass> {
        Self::ALL.into_iter().find(|c| c.key() == text.trim())
    }
}

/// `engine_decision` (PC-164): what came out of the Decision Gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// A: record only.
    Record,
    /// B: implement now.
    Implement,
    DeferWp,
    DeferArchgate,
    DeferContext,
    /// B because nobody answered within `--gate-timeout` (PC-465).
    DefaultImplement,
    /// B was wanted but nothing can implement (PC-467).
    NotImplementable,
}

impl Decision {
    pub const ALL: [Decision; 7] = [
        Decision::Record,
        Decision::Implement,
        Decision::DeferWp,
        Decision::DeferArchgate,
        Decision::DeferContext,
        Decision::DefaultImplement,
        Decision::NotImplementable,
    ];

    pub fn key(self) -> &'static str {
        match self {
            Decision::Record => "A",
            Decision::Implement => "B",
            Decision::DeferWp => "defer-wp",
            Decision::DeferArchgate => "defer-archgate",
            Decision::DeferContext => "defer-context",
            Decision::DefaultImplement => "default-B",
            Decision::NotImplementable => "not-implementable",
        }
    }

    pub fn parse(text: &str) -> Option<Decision> {
        Self::ALL.into_iter().find(|d| d.key() == text.trim())
    }

    /// True when the pipeline runs (PC-464).
    pub fn implements(self) -> bool {
        matches!(self, Decision::Implement | Decision::DefaultImplement)
    }
}

/// One entry of `peer_failures` (PC-351).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PeerFailure {
    pub round: u32,
    pub vendor: String,
    pub reason: Reason,
}

/// One entry of `handoff_history` (PC-392). `from` and `to` are agent ids.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Handoff {
    pub round: u32,
    pub from: String,
    pub to: String,
    pub reason: String,
}

/// One entry of `extensions` (PC-617). `appended_at` has minute precision and no zone (PC-193).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Extension {
    pub turns: Vec<u32>,
    pub reason: String,
    pub appended_at: String,
}

/// One entry of `ad_hoc_roles` (PC-280); the key is the role's name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AdHocRole {
    pub name: String,
    pub agent_id: String,
    pub rationale: String,
    pub first_used_turn: u32,
}

/// Everything `meta.yaml` says, in the order of PC-163. Maps keep the order of the file, which is why they are
/// lists of pairs. Unknown keys and `swap_history` live in the file only: edits keep lines they do not own (PC-162).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Meta {
    /// WP id or empty (AMB-18).
    pub task_id: String,
    /// `YYYY-MM-DD`, equal to the id's prefix.
    pub date: String,
    pub session_id: SessionId,
    /// `YYYY-MM-DDTHH:MM:SSZ`; kept as text because a foreign tree may hold anything here.
    pub start_time: String,
    /// Empty until close, interrupt or finalize.
    pub end_time: String,
    pub writer_agent: String,
    pub personality: String,
    /// First peer's agent id (kept for old readers).
    pub peer_agent: String,
    pub peer_cmd: String,
    /// Agent ids in vendor order.
    pub peer_agents: Vec<String>,
    pub peer_cmds: Vec<String>,
    /// Vendor keys; empty for one peer.
    pub round_order: Vec<String>,
    /// `writer_agent` (the word) or an agent id (AMB-57).
    pub write_token_holder: String,
    pub peer_model: String,
    pub status: Status,
    pub turns_count: u32,
    pub turns_limit: u32,
    pub rounds_limit: u32,
    /// Round number → vendors that gave no reply in it.
    pub round_skips: Vec<(u32, Vec<String>)>,
    /// Vendors with status `failed`; a missing vendor is active (AMB-26).
    pub failed: Vec<String>,
    pub max_peer_attempts: u32,
    /// Vendor → consecutive unsuccessful calls (PC-348).
    pub peer_attempts: Vec<(String, u32)>,
    pub peer_failures: Vec<PeerFailure>,
    pub handoff_history: Vec<Handoff>,
    pub escalations_count: u32,
    pub extensions: Vec<Extension>,
    pub result_path: String,
    pub task_description: String,
    pub implementation_pipeline: bool,
    pub review_iterations: u32,
    /// `""`, `PASS` or `FAIL`.
    pub verify_status: String,
    /// Repository name → sha.
    pub deploy_shas: Vec<(String, String)>,
    pub writer_model_recommended: String,
    /// Agent id → roles.
    pub roles: Vec<(String, Vec<String>)>,
    pub discovery_turns: u32,
    pub ad_hoc_roles: Vec<AdHocRole>,
    /// High/Medium findings left open; absent unless a review recorded it (AMB-28).
    pub unresolved: Option<u32>,
    pub engine_phase: String,
    pub engine_decision: Option<Decision>,
    pub engine_result_class: Option<ResultClass>,
    /// `None` in trees of other programs.
    pub engine_lang: Option<Lang>,
    /// Set in control sessions, which are not ours (PC-147).
    pub test_subject: String,
}

impl Meta {
    /// A meta with the defaults of PC-163 for everything that creation does not decide.
    pub fn new(session_id: SessionId, task: &str) -> Meta {
        Meta {
            task_id: String::new(),
            date: session_id.date().to_string(),
            session_id,
            start_time: String::new(),
            end_time: String::new(),
            writer_agent: "claude-code".into(),
            personality: "unassigned".into(),
            peer_agent: String::new(),
            peer_cmd: String::new(),
            peer_agents: Vec::new(),
            peer_cmds: Vec::new(),
            round_order: Vec::new(),
            write_token_holder: "writer_agent".into(),
            peer_model: String::new(),
            status: Status::Started,
            turns_count: 0,
            turns_limit: 10,
            rounds_limit: 6,
            round_skips: Vec::new(),
            failed: Vec::new(),
            max_peer_attempts: 2,
            peer_attempts: Vec::new(),
            peer_failures: Vec::new(),
            handoff_history: Vec::new(),
            escalations_count: 0,
            extensions: Vec::new(),
            result_path: String::new(),
            task_description: task.to_string(),
            implementation_pipeline: false,
            review_iterations: 0,
            verify_status: String::new(),
            deploy_shas: Vec::new(),
            writer_model_recommended: "sonnet".into(),
            roles: Vec::new(),
            discovery_turns: 0,
            ad_hoc_roles: Vec::new(),
            unresolved: None,
            engine_phase: String::new(),
            engine_decision: None,
            engine_result_class: None,
            engine_lang: None,
            test_subject: String::new(),
        }
    }

    /// The language of new files of this session.
    pub fn lang(&self) -> Lang {
        self.engine_lang.unwrap_or_default()
    }

    pub fn attempts(&self, vendor: &str) -> u32 {
        self.peer_attempts.iter().find(|(v, _)| v == vendor).map_or(0, |(_, n)| *n)
    }

    /// Vendors stand in the order of the rounds, whichever of them counted first.
    pub fn set_attempts(&mut self, vendor: &str, n: u32) {
        match self.peer_attempts.iter_mut().find(|(v, _)| v == vendor) {
            Some(entry) => entry.1 = n,
            None => {
                self.peer_attempts.push((vendor.to_string(), n));
                let order = &self.round_order;
                self.peer_attempts.sort_by_key(|(v, _)| order.iter().position(|o| o == v));
            }
        }
    }

    pub fn is_failed(&self, vendor: &str) -> bool {
        self.failed.iter().any(|v| v == vendor)
    }

    pub fn skipped(&self, round: u32, vendor: &str) -> bool {
        self.round_skips.iter().any(|(r, vendors)| *r == round && vendors.iter().any(|v| v == vendor))
    }

    /// Adds the vendor to `round_skips` of this round, once (PC-350).
    pub fn skip(&mut self, round: u32, vendor: &str) {
        if self.skipped(round, vendor) {
            return;
        }
        match self.round_skips.iter_mut().find(|(r, _)| *r == round) {
            Some((_, vendors)) => vendors.push(vendor.to_string()),
            None => self.round_skips.push((round, vec![vendor.to_string()])),
        }
    }

    /// Roles of an agent, empty when none are agreed.
    pub fn roles_of(&self, agent: &str) -> &[String] {
        self.roles.iter().find(|(a, _)| a == agent).map_or(&[], |(_, roles)| roles)
    }
}
