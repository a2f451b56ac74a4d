//! What the engine remembers about a session outside its directory (the runtime folder). Losing it loses no turn,
//! answer or decision: at worst a question is asked again or a plain call repeated.

use super::dispute::Dispute;
use super::evidence::Evidence;
use super::failure::Reason;
use super::gate::Summary;
use super::pipeline::track::Track;
use super::secret::{Clearance, Withheld};
use super::turn::TurnName;
use crate::domain::effect::Call;
use crate::domain::policy::ReflectionPolicy;
use crate::domain::question::Question;
use crate::domain::spent::{Budget, Spent};
use crate::domain::time::Stamp;

/// A call that failed and waits for the pilot (PC-255, PC-294).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FailedCall {
    pub call: Call,
    pub reason: Reason,
    pub detail: String,
    pub stderr: String,
    /// When a limit is lifted, as the vendor said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Stamp>,
}

/// The judged dispute of a round (PC-424).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DisputeNote {
    pub round: u32,
    pub dispute: Option<Dispute>,
    pub why: String,
}

/// The summary shown at the gate; `at` is the exchange or round that it sums up.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SummaryNote {
    pub at: u32,
    pub summary: Summary,
}

/// A running extension (PC-613).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExtensionNote {
    pub reason: String,
    /// First exchange or round that belongs to it.
    pub from: u32,
}

/// A call that the pilot stopped (PC-701). Its words never become a turn; they are kept to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cut {
    pub call: Call,
    /// 1 for the first time that this call was stopped.
    pub n: u32,
    /// The pilot's words for the call that is made in its place; may be empty.
    pub text: String,
    pub partial: String,
}

impl Cut {
    /// The same question to the same participant, whichever attempt it is.
    pub fn concerns(&self, call: &Call) -> bool {
        let own = &self.call;
        (own.purpose, own.round) == (call.purpose, call.round)
            && (&own.vendor, &own.name) == (&call.vendor, &call.name)
    }

    /// The name under which the stopped text is kept: that of the turn it would have become.
    pub fn title(&self) -> String {
        let stem = self.call.name.as_ref().map(TurnName::stem);
        let stem = stem.unwrap_or_else(|| format!("{:02}-{}", self.call.round, self.call.purpose.key()));
        format!("{stem}.cut-{}", self.n)
    }
}

/// A session whose participants speak the lines of a story.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rehearsal {
    /// The name of a story that ships, or the path of a file.
    pub story: String,
    /// As it is given to the participants.
    pub speed: String,
}

/// The runtime folder's memory of one session.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Notes {
    /// Registry key of the writer, because `meta.yaml` knows its agent id only.
    pub writer_vendor: String,
    /// Where the participants come from when it is not the registry.
    pub rehearsal: Option<Rehearsal>,
    pub failed_call: Option<FailedCall>,
    /// The call whose prompt holds a secret.
    pub withheld: Option<Withheld>,
    /// What became of the facts that turns name, for showing.
    pub evidence: Vec<(TurnName, Vec<Evidence>)>,
    /// What may become of secrets in prompts, by their marks. Without it the pilot is asked again.
    pub cleared: Vec<(String, Clearance)>,
    /// Failed tries of the call that is due, for `FLIGHTDECK_ATTEMPT`.
    pub tries: u32,
    /// The last rejected reply's detail, for the retry prompt.
    pub rejection: Option<(TurnName, u32, String)>,
    /// Answers to role questions: vendor, number of the rejected reply, answer.
    pub clarified: Vec<(String, u32, String)>,
    /// Answers to reserved decisions, by the writer's turn file.
    pub reserved: Vec<(TurnName, String)>,
    /// Verdicts on doubtful PASS replies.
    pub judged: Vec<(TurnName, bool)>,
    pub dispute: Option<DisputeNote>,
    pub summary: Option<SummaryNote>,
    /// The result is a recorded majority, not a consensus (AMB-65).
    pub majority: bool,
    /// The turns that were there when the draft was written (rule D9).
    pub drafted: Vec<TurnName>,
    /// Extensions asked for since the draft was written; the last one runs (PC-613, PC-617).
    pub extensions: Vec<ExtensionNote>,
    /// The pilot closed; the reflection is what remains (PC-612).
    pub close_signal: bool,
    pub reflected: Option<ReflectionPolicy>,
    /// Directions not yet given to a writer call (PC-254).
    pub directions: Vec<String>,
    /// What the session may cost before the pilot is asked, and what it has cost; kept only while there is a limit.
    pub budget: Option<Budget>,
    pub spent: Spent,
    /// Calls that the pilot stopped, oldest first.
    pub cuts: Vec<Cut>,
    /// The question that stands open, with the time it was first asked.
    pub asked: Option<Question>,
    /// How often agents asked for leave: an answer to an earlier request must not allow a later one.
    pub permissions: u32,
    pub commit_refused: Option<String>,
    /// The implementation that runs, or ran (group U).
    pub track: Option<Track>,
}
