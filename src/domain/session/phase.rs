//! What happens next, derived from the files alone (rules D1 to D19, PC-704).
//!
//! There is no stored state machine: [`phase`] looks at the session and says where it stands, live and after a
//! restart alike. Deriving twice gives the same answer and writes nothing (PC-709).

mod concluded;
mod named;
mod pipeline;
mod rounds;
mod turns;

pub use concluded::result_class;
pub use named::{shown, written};
pub use pipeline::{DEPLOYMENT, is_running as is_implementing};

use super::clean::{self, Pass};
use super::consensus::{Stance, Voice};
use super::escalation::Escalation;
use super::handoff::{self, Token};
use super::meta::{ResultClass, Status};
use super::order::{self, is_discovery_reply};
use super::state::{ReportState, Session};
use super::turn::{Turn, TurnName};
use crate::domain::effect::Purpose;
use crate::domain::fact::Fact;
use crate::domain::question::QuestionKind;

/// Rounds or exchanges that "go on" grants when the pilot names no number (PC-426, PC-618).
pub const MORE: u32 = 3;

/// Where a session stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    WriterOpening,
    Discovery {
        vendor: String,
    },
    RolesWriter,
    PeerCall {
        round: u32,
        vendor: String,
        name: TurnName,
    },
    Judge {
        round: u32,
        turn: TurnName,
    },
    WriterTurn {
        round: u32,
        name: TurnName,
    },
    Dispute {
        round: u32,
    },
    /// The plain-language summary is due before the gate can be shown (PC-461).
    Summary {
        at: u32,
        payloads: Vec<String>,
    },
    /// The agent edits (T19).
    Implement,
    Review {
        number: u32,
    },
    /// A step of the implementation that the engine does itself; see [`Purpose::is_job`].
    Job(Purpose),
    Draft,
    Finalize(Step),
    Wait(Wait),
    /// A fact that follows from the files and must be recorded before anything else.
    Due(Box<Fact>),
    Closed,
    Interrupted,
}

/// The steps F5 to F10 of closing (PC-600).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    End,
    Publish,
    Complete,
    Index,
    Closing,
    Commit,
}

/// What a session waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    Escalation(u32),
    Dispute(u32),
    PeerRetry,
    WriterRetry,
    /// The `number`-th question about a secret: an answer to an earlier one must not send a later one.
    Secret {
        number: usize,
        peer: bool,
    },
    Clarify {
        vendor: String,
        k: u32,
    },
    Participants,
    Reserved(TurnName),
    Gate,
    /// One hunk of a reserved edit: edit, file and hunk, all from 1.
    Content {
        edit: u32,
        file: u32,
        hunk: u32,
    },
    /// High or Medium findings of this review.
    Findings(u32),
    /// This review is none.
    Review(u32),
    /// This verification did not pass.
    Verify(u32),
    Deploy,
    /// This edit changed nothing.
    Unchanged(u32),
    /// A step of the implementation failed.
    ImplementRetry,
    Close,
    Reflection,
    Commit,
    /// The session has cost as much as it may; no call is made before the pilot has said so.
    Budget,
}

impl Wait {
    /// The question's id, stable within the session.
    pub fn id(&self) -> String {
        match self {
            Wait::Escalation(n) | Wait::Dispute(n) => format!("escalation-{n:02}"),
            Wait::PeerRetry => "peer-retry".into(),
            Wait::WriterRetry => "writer-retry".into(),
            Wait::Secret { number, .. } => format!("secret-{number}"),
            Wait::Clarify { vendor, k } => format!("clarify-{vendor}-{k}"),
            Wait::Participants => "participants".into(),
            Wait::Reserved(name) => format!("reserved-{}", name.stem()),
            Wait::Gate => "gate".into(),
            Wait::Content { edit, file, hunk } => format!("content-{edit:02}-{file}-{hunk}"),
            Wait::Findings(n) => format!("findings-{n:02}"),
            Wait::Review(n) => format!("review-{n:02}"),
            Wait::Verify(n) => format!("verify-{n:02}"),
            Wait::Deploy => "deploy".into(),
            Wait::Unchanged(n) => format!("unchanged-{n:02}"),
            Wait::ImplementRetry => "implement-retry".into(),
            Wait::Close => "close".into(),
            Wait::Reflection => "reflection".into(),
            Wait::Commit => "commit".into(),
            Wait::Budget => "budget".into(),
        }
    }

    pub fn kind(&self) -> QuestionKind {
        match self {
            Wait::Escalation(_) => QuestionKind::Escalation,
            Wait::Dispute(_) => QuestionKind::Dispute,
            Wait::PeerRetry => QuestionKind::PeerRetry,
            Wait::WriterRetry => QuestionKind::WriterRetry,
            Wait::Secret { .. } => QuestionKind::Secret,
            Wait::Clarify { .. } => QuestionKind::Clarify,
            Wait::Participants => QuestionKind::Participants,
            Wait::Reserved(_) => QuestionKind::Reserved,
            Wait::Gate => QuestionKind::Gate,
            Wait::Content { .. } => QuestionKind::Content,
            Wait::Findings(_) => QuestionKind::Findings,
            Wait::Review(_) => QuestionKind::Review,
            Wait::Verify(_) => QuestionKind::Verify,
            Wait::Deploy => QuestionKind::Deploy,
            Wait::Unchanged(_) | Wait::ImplementRetry => QuestionKind::Implement,
            Wait::Close => QuestionKind::Close,
            Wait::Reflection => QuestionKind::Reflection,
            Wait::Commit => QuestionKind::Commit,
            Wait::Budget => QuestionKind::Budget,
        }
    }
}

impl Phase {
    /// A participant is to be asked, which costs something.
    fn calls(&self) -> bool {
        use Phase::*;
        !matches!(self, Finalize(_) | Wait(_) | Due(_) | Closed | Interrupted)
    }

    /// The value of `engine_phase` (PC-164), in the words of the state machines.
    pub fn key(&self) -> &'static str {
        match self {
            Phase::WriterOpening => "writer_opening",
            Phase::Discovery { .. } | Phase::RolesWriter => "discovery",
            Phase::PeerCall { .. } => "peer_call",
            Phase::Judge { .. } | Phase::Due(_) => "check",
            Phase::WriterTurn { .. } => "writer_turn",
            Phase::Dispute { .. } => "dispute",
            Phase::Summary { .. } => "gate",
            Phase::Implement | Phase::Job(Purpose::Isolate | Purpose::Prune) => "implement",
            Phase::Review { .. } => "review",
            Phase::Job(Purpose::Verify) => "verify",
            Phase::Job(_) => "deploy",
            Phase::Draft => "draft",
            Phase::Finalize(Step::End | Step::Publish | Step::Complete) => "finalize",
            Phase::Finalize(_) | Phase::Closed => "closed",
            Phase::Interrupted => "interrupted",
            Phase::Wait(wait) => match wait {
                Wait::PeerRetry | Wait::Secret { peer: true, .. } => "peer_wait",
                Wait::WriterRetry | Wait::Secret { peer: false, .. } => "writer_turn",
                Wait::Escalation(_) | Wait::Dispute(_) | Wait::Reserved(_) | Wait::Budget => {
                    "escalation_wait"
                }
                Wait::Clarify { .. } => "discovery_wait",
                Wait::Participants => "participants_wait",
                Wait::Gate => "gate",
                Wait::Content { .. } => "content_gate_wait",
                Wait::Findings(_) | Wait::Review(_) => "review_wait",
                Wait::Verify(_) => "verify_wait",
                Wait::Deploy => "deploy",
                Wait::Unchanged(_) | Wait::ImplementRetry => "implement",
                Wait::Close => "close_wait",
                Wait::Reflection => "reflection",
                Wait::Commit => "closed",
            },
        }
    }
}

/// Where the session stands; see the module's header.
pub fn phase(s: &Session) -> Phase {
    let reached = s.notes.budget.is_some_and(|budget| budget.is_reached(&s.notes.spent));
    match standing(s) {
        phase if reached && phase.calls() => Phase::Wait(Wait::Budget),
        phase => phase,
    }
}

fn standing(s: &Session) -> Phase {
    let finalizing = s.live.finalizing;
    if s.meta.status == Status::Interrupted && !finalizing {
        return commit_or(s, Phase::Interrupted);
    }
    if let Some(withheld) = &s.notes.withheld {
        return Phase::Wait(Wait::Secret {
            number: s.notes.cleared.len() + 1,
            peer: withheld.call.vendor.is_some(),
        });
    }
    match &s.report {
        ReportState::Final { stub } if !(*stub && finalizing && !s.live.ended) => return closing(s),
        ReportState::Draft { .. } if finalizing || s.meta.status == Status::Completed => return close(s),
        // PC-606: the report of an implementation that came to no outcome must not have a section about it.
        _ if finalizing && s.meta.implementation_pipeline && !s.has_outcome => {
            return due(Fact::PipelineDropped);
        }
        _ if finalizing || s.meta.status == Status::Completed => return Phase::Draft,
        _ => {}
    }
    if let Some(open) = s.open_escalation() {
        return Phase::Wait(escalation_wait(s, open));
    }
    if let Some(failed) = &s.notes.failed_call {
        return Phase::Wait(match failed.call.purpose {
            Purpose::Peer | Purpose::Discovery => Wait::PeerRetry,
            purpose if purpose.is_pipeline() => Wait::ImplementRetry,
            _ => Wait::WriterRetry,
        });
    }
    if pipeline::is_running(s) {
        return pipeline::pipeline(s);
    }
    // In an extension the outcome of the first run is there and settles nothing (D9 comes before D11, PC-619).
    let drafted = matches!(s.report, ReportState::Draft { .. });
    if drafted && !extending(s) {
        return close(s);
    }
    if s.has_outcome && !drafted {
        return Phase::Draft;
    }
    if s.meta.implementation_pipeline && !s.has_outcome {
        return due(Fact::PipelineDropped);
    }
    if s.meta.engine_decision.is_some() {
        return draft_or_close(s);
    }
    if s.is_round_loop() { rounds::round_loop(s) } else { turns::turn_loop(s) }
}

/// The write token as the turn files tell it (PC-390 ff.).
pub fn token(s: &Session) -> Token {
    handoff::replay(order::reading_order(s.turns.iter(), &s.meta.round_order), &s.meta)
}

/// The highest round that anything on disk speaks of, at least 1.
pub fn current_round(s: &Session) -> u32 {
    let spoken = s.turns.iter().filter(|t| t.name.number > 0 && !t.settles_roles() && !is_discovery_reply(t));
    let spoken = spoken.filter(|t| t.name.is_writer() || t.name.vendor().is_some()).map(|t| t.name.number);
    let skipped = s.meta.round_skips.iter().map(|(round, _)| *round);
    let kept_aside = s.rejected.iter().map(|r| r.name.number);
    let extended = s.notes.extensions.iter().map(|e| e.from);
    spoken.chain(skipped).chain(kept_aside).chain(extended).max().unwrap_or(1).max(1)
}

/// Agreed roles by agent as `meta.yaml` spells them, from the discovery file (PC-277).
pub fn roles_from(s: &Session, turn: &Turn) -> Vec<(String, Vec<String>)> {
    let Ok(head) = &turn.head else { return Vec::new() };
    let mut roles = Vec::new();
    if !head.writer_role.is_empty() {
        roles.push((s.meta.writer_agent.clone(), vec![head.writer_role.clone()]));
    }
    roles.extend(head.agreed_roles.iter().flatten().map(|(agent, role)| (agent.clone(), vec![role.clone()])));
    roles
}

/// The roles proposed in the opening position, by agent id (PC-272).
pub fn proposed_role(s: &Session, agent: &str) -> String {
    let head = s.turn(&TurnName::writer(0)).and_then(|t| t.head.as_ref().ok());
    let proposed = head.and_then(|h| h.proposed_roles.iter().find(|(a, _)| a == agent));
    let fixed = s.meta.roles_of(agent).first().cloned();
    fixed.or_else(|| proposed.map(|(_, role)| role.clone())).unwrap_or_else(|| "critic".into())
}

/// Valid replies of a round by peers that count (PC-401).
pub fn voices(s: &Session, round: u32) -> Vec<Voice> {
    s.peers()
        .into_iter()
        .filter(|p| !s.meta.is_failed(&p.vendor) && !s.meta.skipped(round, &p.vendor))
        .filter_map(|p| {
            let turn = s.turn(&TurnName::peer_of(round, &p.vendor)).filter(|t| !is_discovery_reply(t))?;
            Some(Voice { stance: stance(s, turn), vendor: p.vendor, agent: p.agent })
        })
        .collect()
}

/// The number that the next exchange or round of an extension would have.
pub fn next_exchange(s: &Session) -> u32 {
    if s.is_round_loop() { current_round(s) + 1 } else { exchanges(s) + 1 }
}

/// Peer replies of the turn-loop (AMB-33).
pub fn exchanges(s: &Session) -> u32 {
    s.turns.iter().filter(|t| t.name == TurnName::peer(t.name.number)).count() as u32
}

/// What one reply of a peer means (PC-401, PC-402, AMB-43).
pub fn stance(s: &Session, turn: &Turn) -> Stance {
    let markers = turn.markers();
    if markers.escalate.is_some() {
        return Stance::Dissents;
    }
    if let Some(payload) = &markers.consensus {
        return Stance::Agrees(payload.clone());
    }
    if !markers.pass {
        return Stance::Dissents;
    }
    match clean::judge_pass(turn.body()) {
        Some(Pass::Clean) => Stance::Passes,
        Some(Pass::Suspicious) if judged(s, &turn.name) == Some(true) => Stance::Passes,
        _ => Stance::Dissents,
    }
}

fn judged(s: &Session, name: &TurnName) -> Option<bool> {
    s.notes.judged.iter().find(|(n, _)| n == name).map(|(_, clean)| *clean)
}

fn extending(s: &Session) -> bool {
    !s.notes.extensions.is_empty() || (s.meta.end_time.is_empty() && !s.unlinked().is_empty())
}

fn commit_or(s: &Session, otherwise: Phase) -> Phase {
    match (s.live.commit_due, &s.notes.commit_refused) {
        // A refusal is remembered: whoever opens the session later can still answer it.
        (_, Some(_)) => Phase::Wait(Wait::Commit),
        (true, None) => Phase::Finalize(Step::Commit),
        (false, None) => otherwise,
    }
}

/// D5 and D6: `report.md` is there.
fn closing(s: &Session) -> Phase {
    if s.meta.status != Status::Completed {
        return Phase::Finalize(Step::Complete);
    }
    // Until the closing file is there, closing is not over, whoever began it.
    let is_stale = s.row_is_stale && !s.closing;
    if s.row.as_deref() != Some(Status::Completed.key()) || is_stale {
        return Phase::Finalize(Step::Index);
    }
    if !s.closing && !s.live.closing_failed {
        return Phase::Finalize(Step::Closing);
    }
    commit_or(s, Phase::Closed)
}

/// D3, D8, D10: the draft is there and the loop is over.
fn close(s: &Session) -> Phase {
    let trust_end_time = s.meta.status == Status::Started && !s.live.finalizing;
    if if trust_end_time { !s.meta.end_time.is_empty() } else { s.live.ended } {
        return Phase::Finalize(Step::Publish);
    }
    if s.live.finalizing {
        return Phase::Finalize(Step::End);
    }
    if !s.notes.close_signal {
        return Phase::Wait(Wait::Close);
    }
    if s.notes.reflected.is_none() {
        return Phase::Wait(Wait::Reflection);
    }
    Phase::Finalize(Step::End)
}

fn draft_or_close(s: &Session) -> Phase {
    if matches!(s.report, ReportState::Draft { .. }) { close(s) } else { Phase::Draft }
}

fn due(fact: Fact) -> Phase {
    Phase::Due(Box::new(fact))
}

/// The question of an open escalation.
pub fn escalation_wait(s: &Session, open: &Escalation) -> Wait {
    if s.is_dispute(open) { Wait::Dispute(open.index) } else { Wait::Escalation(open.index) }
}

/// `Due` when the turn escalates and its file is missing (PC-440, D19).
fn escalate(s: &Session, turn: &Turn) -> Option<Phase> {
    let reason = turn.markers().escalate.clone()?;
    match s.escalation_of(&turn.name) {
        Some(_) => None,
        None => Some(due(Fact::Escalated {
            escalation: Escalation::next(&s.escalations, turn.name.number, &reason, turn.name.to_string()),
        })),
    }
}

/// A reserved decision that the writer met and nobody answered (PC-691).
fn reserved(s: &Session, turn: &Turn) -> Option<Phase> {
    turn.markers().reserved.as_ref()?;
    let answered = s.notes.reserved.iter().any(|(name, _)| *name == turn.name);
    (!answered).then(|| Phase::Wait(Wait::Reserved(turn.name.clone())))
}

/// The loop is over: record its result, then gate or draft.
fn loop_ended(s: &Session, class: ResultClass, majority: bool, at: u32, payloads: Vec<String>) -> Phase {
    if s.meta.engine_result_class != Some(class) || s.notes.majority != majority {
        return due(Fact::LoopEnded { class, majority });
    }
    if matches!(class, ResultClass::Agreed | ResultClass::Partial) {
        return match &s.notes.summary {
            Some(note) if note.at == at => Phase::Wait(Wait::Gate),
            _ => Phase::Summary { at, payloads },
        };
    }
    draft_or_close(s)
}

/// The writer and all active peers, by agent id (PC-422).
pub fn voters(s: &Session) -> Vec<String> {
    let peers = s.peers().into_iter().filter(|p| !s.meta.is_failed(&p.vendor)).map(|p| p.agent);
    std::iter::once(s.meta.writer_agent.clone()).chain(peers).collect()
}

/// The number in "continue 2", else [`MORE`].
pub fn more(answer: &str) -> u32 {
    let digits = answer.split(|c: char| !c.is_ascii_digit()).find(|d| !d.is_empty());
    digits.and_then(|d| d.parse().ok()).filter(|n| (1..=50).contains(n)).unwrap_or(MORE)
}
