//! What a session is, and the only function that changes it.
//!
//! A [`Session`] holds what its files say, nothing more: reading the directory gives the same value as folding the
//! recorded facts (a law, tested). What happens next is derived from it by [`super::phase`]; it is never stored
//! twice. Only [`Live`] is not on disk: it says what runs in this process.

use super::escalation::Escalation;
use super::extension;
use super::failure::Reason;
use super::meta::{Meta, PeerFailure, Status};
use super::notes::{Cut, DisputeNote, ExtensionNote, FailedCall, Notes, SummaryNote};
use super::order::reading_order;
use super::phase;
use super::pipeline::content;
use super::pipeline::finding::Review;
use super::pipeline::verdict::Verification;
use super::secret::{Clearance, Withheld};
use super::turn::{Turn, TurnKind, TurnName};
use crate::domain::effect::{Call, Purpose};
use crate::domain::fact::Fact;
use crate::domain::question::QuestionKind;
use crate::domain::spent::Spent;

mod apply;
mod repair;

pub use repair::repairs;

/// A peer of this session.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Peer {
    pub vendor: String,
    pub agent: String,
}

/// A reply that was kept aside (PC-232).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rejected {
    pub name: TurnName,
    pub k: u32,
    pub reason: Reason,
}

/// Which report files exist (PC-610) and what the draft's log section links (rule D9).
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ReportState {
    #[default]
    None,
    Draft {
        linked: Vec<String>,
        stub: bool,
    },
    Final {
        stub: bool,
    },
}

/// What runs in this process. Not on disk.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Live {
    pub running: Option<Call>,
    /// How many of the queued directions the running writer call was given.
    pub given: usize,
    /// `finalize` was asked for: no gate, no close question, no reflection (PC-656).
    pub finalizing: bool,
    /// `end_time` was written by this run (rule D8 cannot tell in foreign trees, which set it early).
    pub ended: bool,
    /// The closing file could not be written; the session closes without it (PC-643).
    pub closing_failed: bool,
    /// The commit step is due (F10).
    pub commit_due: bool,
}

/// A peer conversation.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Session {
    pub meta: Meta,
    /// Sorted by name.
    pub turns: Vec<Turn>,
    /// Sorted by name and number.
    pub rejected: Vec<Rejected>,
    /// Sorted by index.
    pub escalations: Vec<Escalation>,
    pub report: ReportState,
    /// `_outcome.md` exists (rule D11).
    pub has_outcome: bool,
    /// `review-NN.md`, sorted by number.
    pub reviews: Vec<Review>,
    /// `verify-NN.md`, sorted by number.
    pub verifies: Vec<Verification>,
    /// The lines of `_gate.jsonl` (PC-508).
    pub gate_log: Vec<content::Record>,
    /// The status cell of the index row, `None` without a row.
    pub row: Option<String>,
    /// The row counts other turns or escalations than there are: another program closed the session.
    #[serde(default)]
    pub row_is_stale: bool,
    /// The closing file is written and ours.
    pub closing: bool,
    pub notes: Notes,
    pub live: Live,
}

impl Session {
    pub fn new(meta: Meta) -> Session {
        let mut session = Session {
            meta,
            turns: Vec::new(),
            rejected: Vec::new(),
            escalations: Vec::new(),
            report: ReportState::None,
            has_outcome: false,
            reviews: Vec::new(),
            verifies: Vec::new(),
            gate_log: Vec::new(),
            row: Some("started".into()),
            row_is_stale: false,
            closing: false,
            notes: Notes::default(),
            live: Live::default(),
        };
        session.meta.engine_phase = phase::written(&session).into();
        session
    }

    /// True with two or more peers; fixed at creation, whoever fails later (PC-327).
    pub fn is_round_loop(&self) -> bool {
        self.meta.round_order.len() >= 2
    }

    /// Peers in calling order. Trees of other programs may name no vendor: then the command or the agent id serves.
    pub fn peers(&self) -> Vec<Peer> {
        let meta = &self.meta;
        let agents = if meta.peer_agents.is_empty() {
            vec![meta.peer_agent.clone()]
        } else {
            meta.peer_agents.clone()
        };
        let commands =
            if meta.peer_cmds.is_empty() { vec![meta.peer_cmd.clone()] } else { meta.peer_cmds.clone() };
        agents
            .into_iter()
            .enumerate()
            .map(|(i, agent)| {
                let from_command =
                    || commands.get(i).and_then(|c| c.strip_suffix("-peer-adapter")).map(str::to_string);
                let vendor =
                    meta.round_order.get(i).cloned().or_else(from_command).unwrap_or_else(|| agent.clone());
                Peer { vendor, agent }
            })
            .collect()
    }

    pub fn peer(&self, vendor: &str) -> Option<Peer> {
        self.peers().into_iter().find(|p| p.vendor == vendor)
    }

    /// Vendors that have not failed.
    pub fn active_vendors(&self) -> Vec<String> {
        self.peers().into_iter().map(|p| p.vendor).filter(|v| !self.meta.is_failed(v)).collect()
    }

    pub fn turn(&self, name: &TurnName) -> Option<&Turn> {
        self.turns.binary_search_by(|t| t.name.cmp(name)).ok().map(|i| &self.turns[i])
    }

    pub fn has(&self, name: &TurnName) -> bool {
        self.turn(name).is_some()
    }

    /// How many replies for this file were kept aside.
    pub fn rejected_count(&self, name: &TurnName) -> u32 {
        self.rejected.iter().filter(|r| r.name == *name).map(|r| r.k).max().unwrap_or(0)
    }

    pub fn open_escalation(&self) -> Option<&Escalation> {
        self.escalations.iter().find(|e| e.is_open())
    }

    /// The file that settled the roles, when discovery wrote one.
    pub fn roles_turn(&self) -> Option<&Turn> {
        self.turns.iter().find(|t| t.settles_roles())
    }

    /// The name of the writer's file of a round: `01-writer.md` may be taken by discovery (AMB-34).
    pub fn writer_name(&self, round: u32) -> TurnName {
        let taken = round == 1 && self.turn(&TurnName::writer(1)).is_some_and(Turn::settles_roles);
        TurnName { number: round, kind: if taken { TurnKind::WriterRound1 } else { TurnKind::Writer } }
    }

    /// The turns behind the draft: those of a running extension (rule D9). We know what was there when the draft was
    /// written. A tree without notes has the draft's log: turns behind the last one it links. A draft that links
    /// nothing, a stub or a careless one, says nothing about it.
    pub fn unlinked(&self) -> Vec<&Turn> {
        let ReportState::Draft { linked, .. } = &self.report else { return Vec::new() };
        if !self.notes.drafted.is_empty() {
            return self.turns.iter().filter(|t| !self.notes.drafted.contains(&t.name)).collect();
        }
        let spoken = reading_order(self.turns.iter(), &self.meta.round_order);
        let last = spoken.iter().rposition(|t| linked.iter().any(|l| *l == t.name.to_string()));
        last.map(|at| spoken[at + 1..].to_vec()).unwrap_or_default()
    }

    /// Equality of what is on disk, leaving out what only this process knows.
    pub fn same_on_disk(&self, other: &Session) -> bool {
        let bare = |s: &Session| Session { live: Live::default(), ..s.clone() };
        bare(self) == bare(other)
    }
}

/// The only mutation. Unknown names and double facts are harmless: facts say what is, not what to add.
pub fn apply(session: &mut Session, fact: &Fact) {
    change(session, fact);
    session.meta.engine_phase = phase::written(session).into();
}

fn change(s: &mut Session, fact: &Fact) {
    match fact {
        Fact::Began { meta, writer_vendor } => {
            let notes = Notes { writer_vendor: writer_vendor.clone(), ..Notes::default() };
            *s = Session { notes, ..Session::new((**meta).clone()) }
        }
        Fact::Rehearsed { rehearsal } => s.notes.rehearsal = Some(rehearsal.clone()),
        Fact::CallStarted { call } => {
            s.live.running = Some(call.clone());
            let listens = matches!(call.purpose, Purpose::Opening | Purpose::Turn | Purpose::Implement);
            s.live.given = if listens { s.notes.directions.len() } else { 0 };
            // Of a call that an engine took with it when it died.
            s.notes.asked.take_if(|q| q.kind == QuestionKind::Permission);
        }
        Fact::CallEnded { call, usage, .. } => {
            s.live.running = None;
            s.notes.asked.take_if(|q| q.kind == QuestionKind::Permission);
            if s.notes.budget.is_some() {
                s.notes.spent.ended(call, usage.as_ref());
            }
        }
        Fact::Budgeted { budget, spent } => {
            s.notes.budget = *budget;
            s.notes.spent = if budget.is_some() { spent.clone() } else { Spent::default() };
            s.notes.asked.take_if(|q| q.kind == QuestionKind::Budget);
        }
        Fact::Spoke { turn } => spoke(s, turn),
        Fact::Rejected { name, vendor, k, reason, detail, counted, failed, .. } => {
            s.rejected.push(Rejected { name: name.clone(), k: *k, reason: reason.clone() });
            s.rejected.sort_by(|a, b| (&a.name, a.k).cmp(&(&b.name, b.k)));
            s.notes.rejection = Some((name.clone(), *k, detail.clone()));
            if *counted {
                unsuccessful(s, name.number, vendor, reason, *failed);
            }
        }
        Fact::Skipped { round, vendor, reason, failed, .. } => {
            s.meta.skip(*round, vendor);
            unsuccessful(s, *round, vendor, reason, *failed);
        }
        Fact::CallFailed { call, reason, detail, stderr, until } => {
            s.notes.tries += 1;
            s.notes.failed_call = Some(FailedCall {
                call: call.clone(),
                reason: reason.clone(),
                detail: detail.clone(),
                stderr: stderr.clone(),
                until: *until,
            });
        }
        Fact::Evidence { turn, items } => {
            s.notes.evidence.retain(|(name, _)| name != turn);
            s.notes.evidence.push((turn.clone(), items.clone()));
        }
        Fact::Withheld { call, finds } => {
            s.notes.withheld = Some(Withheld { call: call.clone(), finds: finds.clone() });
        }
        Fact::Cleared { marks, how } => {
            s.notes.withheld = None;
            s.notes.asked = None;
            if *how != Clearance::Abort {
                s.notes.cleared.extend(marks.iter().map(|mark| (mark.clone(), *how)));
            }
        }
        Fact::Retried => {
            s.notes.failed_call = None;
            s.notes.asked = None;
        }
        Fact::Reactivated { vendors } => {
            s.meta.failed.retain(|v| !vendors.contains(v));
            vendors.iter().for_each(|v| s.meta.set_attempts(v, 0));
            s.notes.asked = None;
        }
        Fact::Overruled { round, vendor, failed } => {
            s.meta.set_attempts(vendor, 0);
            s.meta.failed.retain(|v| v != vendor);
            for (_, vendors) in s.meta.round_skips.iter_mut().filter(|(r, _)| r == round) {
                vendors.retain(|v| v != vendor);
            }
            s.meta.round_skips.retain(|(_, vendors)| !vendors.is_empty());
            if *failed {
                let reason = Reason::Foreign("pilot".into());
                s.meta.failed.push(vendor.clone());
                s.meta.peer_failures.push(PeerFailure { round: *round, vendor: vendor.clone(), reason });
            }
            s.notes.withheld = None;
            s.notes.asked = None;
        }
        Fact::RolesAgreed { roles, discovery_turns } => {
            s.meta.roles = roles.clone();
            s.meta.discovery_turns = *discovery_turns;
        }
        Fact::Clarified { vendor, k, answer } => {
            s.notes.clarified.push((vendor.clone(), *k, answer.clone()));
            s.notes.asked = None;
        }
        Fact::AdHocRoles { roles } => s.meta.ad_hoc_roles = roles.clone(),
        Fact::HandedOff { holder, history } => {
            s.meta.write_token_holder = holder.clone();
            s.meta.handoff_history = history.clone();
        }
        Fact::Escalated { escalation } => {
            s.escalations.retain(|e| e.index != escalation.index);
            s.escalations.push(escalation.clone());
            s.escalations.sort_by_key(|e| e.index);
            s.meta.escalations_count = s.escalations.len() as u32;
            apply::escalated(s, escalation);
        }
        Fact::EscalationAnswered { index, answer } => {
            if let Some(e) = s.escalations.iter_mut().find(|e| e.index == *index) {
                e.response = answer.clone();
            }
            s.notes.asked = None;
        }
        Fact::ReservedAnswered { turn, answer } => {
            s.notes.reserved.push((turn.clone(), answer.clone()));
            s.notes.asked = None;
        }
        Fact::PassJudged { turn, clean } => s.notes.judged.push((turn.clone(), *clean)),
        Fact::DisputeJudged { round, dispute, why } => {
            s.notes.dispute = Some(DisputeNote { round: *round, dispute: dispute.clone(), why: why.clone() });
        }
        Fact::LimitsRaised { turns_limit, rounds_limit } => {
            s.meta.turns_limit = *turns_limit;
            s.meta.rounds_limit = *rounds_limit;
        }
        Fact::LoopEnded { class, majority } => {
            s.meta.engine_result_class = Some(*class);
            s.notes.majority = *majority;
        }
        Fact::Summarized { at, summary } => {
            s.notes.summary = Some(SummaryNote { at: *at, summary: summary.clone() })
        }
        Fact::GateClosed { decision, close } => {
            s.meta.engine_decision = Some(*decision);
            s.meta.implementation_pipeline = decision.implements();
            s.notes.close_signal |= *close;
            s.notes.asked = None;
            if decision.implements() {
                s.notes.track = Some(apply::begun(s));
            }
        }
        Fact::PipelineDropped => s.meta.implementation_pipeline = false,
        Fact::Drafted { linked, stub, .. } => {
            s.report = ReportState::Draft { linked: linked.clone(), stub: *stub };
            s.notes.drafted = s.turns.iter().map(|t| t.name.clone()).collect();
            s.notes.tries = 0;
        }
        Fact::Extended { reason, from } => {
            s.notes.extensions.push(ExtensionNote { reason: reason.clone(), from: *from });
            s.notes.directions.push(reason.clone());
            s.notes.close_signal = false;
            s.notes.asked = None;
            s.meta.engine_decision = None;
            s.meta.engine_result_class = None;
        }
        Fact::CloseSignalled => {
            s.notes.close_signal = true;
            s.notes.asked = None;
        }
        Fact::Reflected { answer } => {
            s.notes.reflected = Some(answer.clone());
            s.notes.asked = None;
        }
        Fact::Ended { end_time } => {
            let appended = extension::extensions(s, *end_time);
            s.meta.extensions.extend(appended);
            s.meta.engine_result_class = Some(phase::result_class(s));
            s.meta.end_time = end_time.to_string();
            s.notes.extensions.clear();
            s.live.ended = true;
        }
        Fact::Published => {
            s.report = ReportState::Final { stub: matches!(s.report, ReportState::Draft { stub: true, .. }) };
        }
        Fact::Completed => {
            s.meta.status = Status::Completed;
            s.meta.turns_count = s.turns.len() as u32;
            s.meta.escalations_count = s.escalations.len() as u32;
        }
        Fact::Indexed => {
            s.row = Some(s.meta.status.key().into());
            s.row_is_stale = false;
        }
        Fact::ClosingWritten { problem } => {
            s.closing = problem.is_none();
            s.live.closing_failed = problem.is_some();
            s.live.commit_due = true;
        }
        Fact::Committed { .. } => {
            s.live.commit_due = false;
            s.live.finalizing = false;
            s.notes.commit_refused = None;
            s.notes.asked = None;
        }
        Fact::CommitRefused { text } => s.notes.commit_refused = Some(text.clone()),
        Fact::Interrupted { end_time } => {
            s.meta.status = Status::Interrupted;
            s.meta.end_time = end_time.to_string();
            s.meta.turns_count = s.turns.len() as u32;
            s.row = Some(Status::Interrupted.key().into());
            s.notes.asked = None;
            s.notes.failed_call = None;
            s.notes.withheld = None;
            s.live.commit_due = true;
        }
        Fact::Resumed => {
            s.meta.status = Status::Started;
            s.meta.end_time = String::new();
            s.row = Some(Status::Started.key().into());
            s.live.commit_due = false;
        }
        Fact::Directed { text } => s.notes.directions.push(text.clone()),
        Fact::CutIn { call, text, partial } => cut_in(s, call, text, partial),
        Fact::Asked { question } => {
            s.notes.permissions += u32::from(question.kind == QuestionKind::Permission);
            s.notes.asked = Some(question.clone());
        }
        Fact::Permitted { .. } => s.notes.asked = None,
        Fact::Repaired { .. } => repair::repair(s),
        Fact::Noted { .. } => {}
        Fact::Isolated { .. }
        | Fact::Announced { .. }
        | Fact::Edited { .. }
        | Fact::ContentShown { .. }
        | Fact::ContentDecided { .. }
        | Fact::Reviewed { .. }
        | Fact::ReviewUnusable { .. }
        | Fact::ReviewSettled { .. }
        | Fact::FixWanted { .. }
        | Fact::StepAgain
        | Fact::Verified { .. }
        | Fact::Unverified
        | Fact::Deployment { .. }
        | Fact::DeployAnswered { .. }
        | Fact::PipelineEnded { .. }
        | Fact::OutcomeWritten { .. }
        | Fact::Cleaned { .. } => apply::pipeline(s, fact),
    }
}

/// Only the newest are kept: they are for a pilot who looks, and no rule needs them.
const CUTS: usize = 16;

fn cut_in(s: &mut Session, call: &Call, text: &str, partial: &str) {
    let n = s.notes.cuts.iter().filter(|c| c.concerns(call)).map(|c| c.n).max().unwrap_or(0) + 1;
    let (text, partial) = (text.trim().to_string(), partial.to_string());
    s.notes.cuts.push(Cut { call: call.clone(), n, text, partial });
    let over = s.notes.cuts.len().saturating_sub(CUTS);
    s.notes.cuts.drain(..over);
}

fn spoke(s: &mut Session, turn: &Turn) {
    match s.turns.binary_search_by(|t| t.name.cmp(&turn.name)) {
        Ok(at) => s.turns[at] = turn.clone(),
        Err(at) => s.turns.insert(at, turn.clone()),
    }
    s.meta.turns_count = s.turns.len() as u32;
    if let Some(vendor) = turn.name.vendor().map(str::to_string) {
        s.meta.set_attempts(&vendor, 0);
    }
    if turn.name.is_writer() {
        // What the pilot said while the call ran is for the next one.
        let given = s.live.given.min(s.notes.directions.len());
        s.notes.directions.drain(..given);
        s.live.given = 0;
    }
    s.notes.failed_call = None;
    s.notes.withheld = None;
    s.notes.asked = None;
    s.notes.rejection = None;
    s.notes.tries = 0;
}

fn unsuccessful(s: &mut Session, round: u32, vendor: &str, reason: &Reason, failed: bool) {
    s.meta.set_attempts(vendor, s.meta.attempts(vendor) + 1);
    if failed && !s.meta.is_failed(vendor) {
        s.meta.failed.push(vendor.to_string());
        s.meta.peer_failures.push(PeerFailure { round, vendor: vendor.to_string(), reason: reason.clone() });
    }
}
