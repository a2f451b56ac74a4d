//! What happened to a session, in the past tense. Every change of a session is one of these; each is written to the
//! session's files before anybody acts on it or sees it. Facts are also the lines of `events.jsonl` and of
//! `run --json`, which is why they carry serde derives.

use super::policy::ReflectionPolicy;
use super::question::Question;
use super::session::dispute::Dispute;
use super::session::escalation::Escalation;
use super::session::evidence::Evidence;
use super::session::failure::Reason;
use super::session::gate::Summary;
use super::session::meta::{AdHocRole, Decision, Handoff, Meta, ResultClass};
use super::session::notes::Rehearsal;
use super::session::pipeline::change::{Edit, Tree};
use super::session::pipeline::content::Record;
use super::session::pipeline::track::{Deployed, Refusal, Way, Wish};
use super::session::pipeline::verdict::Verdict;
use super::session::secret::{Clearance, Find};
use super::session::turn::{Turn, TurnName};
use super::spent::{Budget, Spent};
use super::time::Stamp;

/// One fact. Facts marked *live* leave no trace in the session's files: they tell a screen what runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "fact", rename_all = "kebab-case")]
pub enum Fact {
    /// The session directory, `meta.yaml` and the index row exist.
    Began {
        meta: Box<Meta>,
        /// Registry key of the writer, for the runtime notes.
        #[serde(default)]
        writer_vendor: String,
    },
    /// The session is a rehearsal: its participants speak the lines of a story.
    Rehearsed {
        rehearsal: Rehearsal,
    },
    /// *Live.* A call runs.
    CallStarted {
        call: super::effect::Call,
    },
    /// *Live.* The call ended; `failure` is absent for a reply.
    CallEnded {
        call: super::effect::Call,
        failure: Option<Reason>,
        millis: u64,
        usage: Option<Usage>,
    },
    /// A turn file was accepted.
    Spoke {
        turn: Turn,
    },
    /// What became of the facts that a turn names, when it spoke or later.
    Evidence {
        turn: TurnName,
        items: Vec<Evidence>,
    },
    /// A reply was judged invalid and kept aside (PC-232, PC-347). `counted` is false for a clarification (PC-275).
    Rejected {
        name: TurnName,
        vendor: String,
        k: u32,
        reason: Reason,
        detail: String,
        text: String,
        counted: bool,
        failed: bool,
    },
    /// A transport failure: no reply in this round (PC-350). `failed` when the attempts are used up (PC-351).
    Skipped {
        round: u32,
        vendor: String,
        reason: Reason,
        detail: String,
        failed: bool,
    },
    /// A call outside the round-loop's rules failed and the pilot is asked (PC-255, PC-294).
    CallFailed {
        call: super::effect::Call,
        reason: Reason,
        detail: String,
        stderr: String,
        /// When a limit is lifted, if the vendor said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Stamp>,
    },
    /// The prompt of a call holds what looks like a secret: the call was not made, and the pilot is asked.
    Withheld {
        call: super::effect::Call,
        finds: Vec<Find>,
    },
    /// The pilot said what becomes of these secrets for the rest of the session.
    Cleared {
        marks: Vec<String>,
        how: Clearance,
    },
    /// What became of something that an agent asked leave for; `title` is what, in the agent's words.
    Permitted {
        question: String,
        call: super::effect::Call,
        choice: String,
        title: String,
        /// By the pilot; else nobody was there, and it was refused.
        answered: bool,
    },
    /// The pilot wants the failed call again.
    Retried,
    /// The pilot gave failed participants another chance (PC-327).
    Reactivated {
        vendors: Vec<String>,
    },
    /// The pilot had a participant called again in this round, or took it out (PC-354).
    Overruled {
        round: u32,
        vendor: String,
        failed: bool,
    },
    /// Roles are settled (PC-277). `fallback` says why the writer's answer was not used.
    RolesAgreed {
        roles: Vec<(String, Vec<String>)>,
        discovery_turns: u32,
    },
    /// A participant asks the pilot about its role and was answered (PC-275).
    Clarified {
        vendor: String,
        k: u32,
        answer: String,
    },
    /// Free-text roles are in use (PC-280).
    AdHocRoles {
        roles: Vec<AdHocRole>,
    },
    /// The write token moved, or the replay of the turn files says it had (PC-392, PC-705).
    HandedOff {
        holder: String,
        history: Vec<Handoff>,
    },
    /// `escalation-NN.md` exists.
    Escalated {
        escalation: Escalation,
    },
    EscalationAnswered {
        index: u32,
        answer: String,
    },
    /// The writer met a decision reserved for the pilot, who answered (PC-691).
    ReservedAnswered {
        turn: TurnName,
        answer: String,
    },
    /// A doubtful PASS was judged (PC-402).
    PassJudged {
        turn: TurnName,
        clean: bool,
    },
    /// What the writer says about positions and reversibility; `None` when the call gave nothing usable (PC-424).
    DisputeJudged {
        round: u32,
        dispute: Option<Dispute>,
        why: String,
    },
    /// The round or turn limit was raised by the pilot (PC-426, PC-618).
    LimitsRaised {
        turns_limit: u32,
        rounds_limit: u32,
    },
    /// The loop ended (PC-410).
    LoopEnded {
        class: ResultClass,
        majority: bool,
    },
    /// The plain-language summary of the gate (PC-461).
    Summarized {
        at: u32,
        summary: Summary,
    },
    GateClosed {
        decision: Decision,
        close: bool,
    },
    /// `implementation_pipeline` was true without an outcome (PC-606).
    PipelineDropped,
    /// Every repository has a tree of its own to be edited in (PC-512).
    Isolated {
        trees: Vec<Tree>,
    },
    /// PC-510: what will be changed. `labels` are the files that were not announced before.
    Announced {
        labels: Vec<String>,
        text: String,
    },
    /// The trees hold another state. `report` is what the agent printed; empty when no agent made it. `moved` are the
    /// trees with their new bases; empty when they stand where they stood.
    Edited {
        edit: Edit,
        report: String,
        #[serde(default)]
        moved: Vec<Tree>,
    },
    /// A reserved edit was put before the pilot (PC-503).
    ContentShown {
        record: Record,
    },
    /// The pilot decided on one hunk.
    ContentDecided {
        record: Record,
    },
    /// `review-NN.md` exists.
    Reviewed {
        number: u32,
        text: String,
    },
    /// What should have been this review was none, twice (PC-522).
    ReviewUnusable {
        number: u32,
        text: String,
    },
    /// Nothing of this review is to be fixed now (PC-525, PC-526).
    ReviewSettled {
        number: u32,
        iterations: u32,
        unresolved: u32,
    },
    /// Another edit is wanted.
    FixWanted {
        wish: Wish,
    },
    /// The pilot wants the review or the verification once more.
    StepAgain,
    /// `verify-NN.md` exists.
    Verified {
        number: u32,
        verdict: Verdict,
        text: String,
    },
    /// The pilot deploys what nothing could verify.
    Unverified,
    /// How far the deployment came: all that is deployed, and what stopped the rest. `used` are approvals (PC-505).
    Deployment {
        deployed: Vec<Deployed>,
        refusal: Option<Refusal>,
        used: Vec<Record>,
        /// `result_path`: the first changed file, relative to the workspace, or by its repository's name.
        #[serde(default)]
        result: String,
    },
    /// The pilot answered the question of a stopped deployment.
    DeployAnswered {
        way: Way,
    },
    /// The pilot ended the implementation without deploying, or deploying the rest.
    PipelineEnded {
        why: String,
    },
    /// `_outcome.md` exists (PC-546).
    OutcomeWritten {
        text: String,
    },
    /// The trees are removed; `kept` says what stays, and why.
    Cleaned {
        kept: Vec<String>,
    },
    /// `report-draft.md` exists. `linked` are the files its log section names; `findings` what the checks still say.
    Drafted {
        text: String,
        linked: Vec<String>,
        stub: bool,
        findings: Vec<String>,
    },
    /// The pilot asked for more (PC-613); `from` is the first exchange or round of the extension.
    Extended {
        reason: String,
        from: u32,
    },
    /// The pilot closed (PC-612).
    CloseSignalled,
    /// The reflection question is over (group V).
    Reflected {
        answer: ReflectionPolicy,
    },
    /// F5: `end_time` is set and the draft refreshed.
    Ended {
        end_time: Stamp,
    },
    /// F6: the draft became `report.md`.
    Published,
    /// F7.
    Completed,
    /// F8: the index row is final.
    Indexed,
    /// F9: the closing file is written; `problem` when it could not be (PC-643).
    ClosingWritten {
        problem: Option<String>,
    },
    /// F10, F11: what became of commit, push and semaphore, one line each.
    Committed {
        sha: Option<String>,
        pushed: bool,
        notes: Vec<String>,
    },
    /// The commit or push was refused (PC-645); the pilot is asked.
    CommitRefused {
        text: String,
    },
    Interrupted {
        end_time: Stamp,
    },
    /// An interrupted session goes on (PC-670).
    Resumed,
    /// The pilot's words for the next writer turn (PC-254).
    Directed {
        text: String,
    },
    /// What the session may cost before the pilot is asked; `None` lifts the limit. `spent` is what it has cost so far.
    Budgeted {
        budget: Option<Budget>,
        spent: Spent,
    },
    /// The pilot stopped a running call to say something: it counts nothing (PC-701) and is made again. `text` goes
    /// into its prompt, `partial` is what had been said by then.
    CutIn {
        call: super::effect::Call,
        text: String,
        partial: String,
    },
    /// A question stands open.
    Asked {
        question: Question,
    },
    /// Recovery mended something that can be derived (PC-705).
    Repaired {
        what: Vec<String>,
    },
    /// Something the pilot should know; nothing changed.
    Noted {
        text: String,
    },
}

/// Tokens and cost of one call, each unknown unless the CLI reported it. Unknown is never 0.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Input tokens without cached ones.
    pub input: Option<u64>,
    pub cached: Option<u64>,
    pub output: Option<u64>,
    /// Part of the output.
    pub reasoning: Option<u64>,
    /// USD, only where the vendor gives a figure.
    pub cost_usd: Option<f64>,
    pub model: Option<String>,
}
