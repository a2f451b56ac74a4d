//! From a wanted call to a prompt and an adapter call: gathers what the prompts need from the session.

use super::desk::Desk;
use super::named;
use super::pipeline::{crew, implement};
use super::prompt::{cut_in, peer, synthesis, writer};
use super::read;
use super::runner::Runner;
use crate::agents;
use crate::agents::registry::{Kind, PromptLimit, Vendor};
use crate::domain::effect::{Call, Purpose};
use crate::domain::session::consensus::Stance;
use crate::domain::session::dispute::{self, Verdict};
use crate::domain::session::failure::Reason;
use crate::domain::session::order::reading_order;
use crate::domain::session::phase::{proposed_role, voices, voters};
use crate::domain::session::projection;
use crate::domain::session::state::Session;
use crate::domain::session::turn::{Turn, TurnName};
use crate::store::layout;
use std::path::PathBuf;

/// A call that is ready to be made.
pub struct Ready {
    pub vendor: Vendor,
    pub call: agents::call::Call,
}

/// Why a call cannot be made.
pub enum Refused {
    /// Nothing can take it; one line for the pilot.
    Vendor(String),
    /// The prompt is longer than the vendor takes, even with the oldest turns left out (PC-293).
    TooLong { bytes: usize },
    /// The pilot writes by hand.
    Pilot,
}

/// Composes the prompt of a call and addresses it.
pub fn ready(runner: &Runner, call: &Call) -> Result<Ready, Refused> {
    let (session, desk) = (&runner.session, &runner.desk);
    let vendor = speaker(desk, session, call)?;
    let prompt = prompt(runner, call, &vendor).map_err(|bytes| Refused::TooLong { bytes })?;
    let wants_dir = !call.purpose.is_plain() && desk.peer_context_dir && vendor.supports.add_dir;
    let call = agents::call::Call {
        vendor: vendor.key.clone(),
        purpose: call.purpose,
        session: session.meta.session_id.to_string(),
        round: call.round,
        attempt: call.attempt,
        prompt,
        model: desk.model.clone(),
        add_dir: wants_dir.then(|| PathBuf::from(runner.recorder().dir())),
        conversation: conversation(runner, call, &vendor),
        runtime: runner.recorder().runtime().to_path_buf(),
        extra_env: desk.places.script_env(),
        work: (call.purpose == Purpose::Implement).then(|| implement::places(runner)),
        leave: None,
    };
    Ok(Ready { vendor, call })
}

/// Whose native conversation a call goes on with, as the runtime folder names it. A vendor that writes and is a peer as
/// well has two, and who judges or reviews remembers nothing.
pub fn remembers(call: &Call, vendor: &str) -> Option<String> {
    match call.purpose {
        Purpose::Dispute | Purpose::Judge => None,
        purpose if purpose.is_pipeline() => None,
        Purpose::Discovery | Purpose::Peer => Some(vendor.to_string()),
        _ => Some(format!("writer-{vendor}")),
    }
}

/// The native conversation of a vendor that keeps one (PC-061): what its last reply said, else the last
/// `session_id:` line in its turn files. Never our own session's id.
fn conversation(runner: &Runner, call: &Call, vendor: &Vendor) -> Option<String> {
    let who = remembers(call, &vendor.key).filter(|_| vendor.supports.session_id)?;
    let noted = crate::store::runtime::conversation(runner.recorder().runtime(), &who);
    let spoken = || {
        call.vendor.as_ref()?;
        let s = &runner.session;
        let of_vendor = |t: &&Turn| t.name.vendor().map_or(!s.is_round_loop(), |v| v == vendor.key);
        let turns = s.turns.iter().filter(|t| t.name.is_peer()).filter(of_vendor);
        let lines = turns.flat_map(|t| t.text.lines());
        lines.rev().find_map(|l| l.strip_prefix("session_id: ")).map(|id| id.trim().to_string())
    };
    noted.or_else(spoken).filter(|id| !id.is_empty())
}

/// Who answers: the peer, the writer, or, when the pilot writes by hand, the first active peer for plain calls that
/// need no judgement about others.
fn speaker(desk: &Desk, s: &Session, call: &Call) -> Result<Vendor, Refused> {
    if let Some(vendor) = &call.vendor {
        return desk.peer(s, vendor).map_err(Refused::Vendor);
    }
    if call.purpose.is_pipeline() {
        let crew = crew::crew(desk, s).map_err(|why| Refused::Vendor(why.text(s.meta.lang()).to_string()))?;
        return Ok(if call.purpose == Purpose::Review { crew.reviewer } else { crew.editor });
    }
    let writer = desk.writer(s).map_err(Refused::Vendor)?;
    if writer.kind != Kind::Pilot {
        return Ok(writer);
    }
    match call.purpose {
        Purpose::Summary | Purpose::Synthesis => {
            let first = s.active_vendors().into_iter().next();
            let first =
                first.ok_or_else(|| Refused::Vendor("no active participant is left to write it".into()))?;
            desk.peer(s, &first).map_err(Refused::Vendor)
        }
        Purpose::Dispute | Purpose::Judge | Purpose::Roles => {
            Err(Refused::Vendor("the pilot writes by hand, so nobody neutral can judge".into()))
        }
        _ => Err(Refused::Pilot),
    }
}

fn prompt(runner: &Runner, call: &Call, vendor: &Vendor) -> Result<String, usize> {
    if call.purpose.is_pipeline() {
        let text = implement::prompt(runner, call).unwrap_or_default();
        return if vendor.prompt_limit.is_none_or(|limit| limit.allows(&text)) {
            Ok(text)
        } else {
            Err(text.len())
        };
    }
    // First without the projection: what is left of the vendor's limit is the projection's budget (PC-293).
    let overhead = if vendor.prompt_limit.is_some() { compose(runner, call, "").len() } else { 0 };
    let s = &runner.session;
    let turns = reading_order(s.turns.iter(), &s.meta.round_order);
    let mut pieces = projection::projection(&turns, &s.meta, &s.escalations, &[]);
    // The writer is told in its own prompt.
    for (name, answer) in s.notes.reserved.iter().filter(|_| call.vendor.is_some()) {
        let asked = s.turn(name).and_then(|t| t.markers().reserved.clone()).unwrap_or_default();
        pieces.push(projection::pilots(name.to_string(), &asked, answer));
    }
    if call.purpose == Purpose::Opening {
        let named = named::files(&s.meta.task_description, &runner.desk.roots);
        pieces.extend(named.into_iter().map(|(name, text)| projection::named_file(&name, &text)));
    }
    // A character is at least one byte, so a byte budget never overruns a character limit.
    let budget = vendor.prompt_limit.map(|limit| match limit {
        PromptLimit::Bytes(n) | PromptLimit::Chars(n) => n,
    });
    let text = projection::fit(&pieces, budget, overhead)?;
    let prompt = compose(runner, call, &text);
    if vendor.prompt_limit.is_none_or(|limit| limit.allows(&prompt)) { Ok(prompt) } else { Err(prompt.len()) }
}

fn compose(runner: &Runner, call: &Call, projection: &str) -> String {
    let s = &runner.session;
    let words: Vec<&str> =
        s.notes.cuts.iter().filter(|cut| cut.concerns(call)).map(|cut| cut.text.as_str()).collect();
    cut_in(s.meta.lang(), &words) + &asked(runner, call, projection)
}

fn asked(runner: &Runner, call: &Call, projection: &str) -> String {
    match call.purpose {
        Purpose::Peer | Purpose::Discovery => peer_prompt(&runner.session, call, projection),
        Purpose::Synthesis => synthesis_prompt(runner, call),
        _ => writer_prompt(&runner.session, call, projection),
    }
}

/// The token holder as participants know it (AMB-57).
fn holder(s: &Session) -> &str {
    match s.meta.write_token_holder.as_str() {
        "writer_agent" => &s.meta.writer_agent,
        other => other,
    }
}

fn peer_prompt(s: &Session, call: &Call, projection: &str) -> String {
    let vendor = call.vendor.clone().unwrap_or_default();
    let agent = s.peer(&vendor).map(|p| p.agent).unwrap_or_default();
    let role = proposed_role(s, &agent);
    let agreed = s.meta.roles_of(&agent).join(", ");
    let clarification =
        s.notes.clarified.iter().rfind(|(v, ..)| *v == vendor).map(|(.., answer)| answer.as_str());
    let ask = if call.purpose == Purpose::Discovery {
        peer::Ask::Discovery { holder: holder(s), proposed_role: &role, clarification }
    } else if s.is_round_loop() {
        peer::Ask::Round {
            round: call.round,
            limit: s.meta.rounds_limit,
            holder: holder(s),
            content_role: &agreed,
        }
    } else {
        let file_number = call.name.as_ref().map_or(0, |n| n.number);
        peer::Ask::Turn { turn: call.round, limit: s.meta.turns_limit, file_number }
    };
    let reason = call.complaints.first().map(|r| Reason::from(r.as_str())).filter(|r| *r != Reason::Clarify);
    let detail = call.complaints.get(1).map(String::as_str).unwrap_or("");
    peer::compose(&peer::PeerPrompt {
        lang: s.meta.lang(),
        session: s.meta.session_id.as_str(),
        task: &s.meta.task_description,
        agent_id: &agent,
        projection,
        ask,
        retry: reason.as_ref().map(|r| (r, detail)),
        template: None,
    })
}

fn writer_prompt(s: &Session, call: &Call, projection: &str) -> String {
    let peers: Vec<String> = s.peers().into_iter().map(|p| p.agent).collect();
    let proposed: Vec<(String, String)> = peers.iter().map(|a| (a.clone(), discovered_role(s, a))).collect();
    let voters = voters(s);
    let payloads = payloads(s, call.round);
    let (position, minority) = majority(s);
    let judged = call.name.as_ref().and_then(|n| s.turn(n)).map(Turn::body).unwrap_or("");
    let mut directions: Vec<String> =
        s.notes.reserved.iter().map(|(turn, a)| format!("({turn}) {a}")).collect();
    directions.extend(s.notes.directions.iter().cloned());
    let ask = match call.purpose {
        Purpose::Opening => writer::Ask::Opening { assigned: &s.meta.roles },
        Purpose::Roles => writer::Ask::Roles { proposed: &proposed },
        Purpose::Summary if s.notes.majority => writer::Ask::Summary {
            outcome: writer::Outcome::Majority { position: &position, minority: &minority },
        },
        Purpose::Summary if payloads.is_empty() => {
            writer::Ask::Summary { outcome: writer::Outcome::AllPassed }
        }
        Purpose::Summary => {
            writer::Ask::Summary { outcome: writer::Outcome::Consensus { payloads: &payloads } }
        }
        Purpose::Dispute => writer::Ask::Dispute { voters: &voters },
        Purpose::Judge => writer::Ask::Judge { reply: judged },
        _ if s.is_round_loop() => writer::Ask::Round {
            round: call.round,
            limit: s.meta.rounds_limit,
            holder: holder(s),
            again: &call.complaints,
        },
        _ => writer::Ask::Turn { turn: call.round, limit: s.meta.turns_limit },
    };
    writer::compose(&writer::WriterPrompt {
        lang: s.meta.lang(),
        session: s.meta.session_id.as_str(),
        task: &s.meta.task_description,
        writer: &s.meta.writer_agent,
        peers: &peers,
        projection,
        directions: &directions,
        ask,
    })
}

/// The role after discovery's first round: the peer's own proposal when it made one (PC-276).
fn discovered_role(s: &Session, agent: &str) -> String {
    let vendor = s.peers().into_iter().find(|p| p.agent == agent).map(|p| p.vendor).unwrap_or_default();
    let reply = s.turn(&TurnName::peer_of(0, &vendor)).and_then(|t| t.head.as_ref().ok());
    reply.map(|h| h.content_role.clone()).filter(|r| !r.is_empty()).unwrap_or_else(|| proposed_role(s, agent))
}

/// Who marked the consensus, with which words (PC-408). In the turn-loop `at` is the peer's file number.
pub fn payloads(s: &Session, at: u32) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = if s.is_round_loop() {
        let agreeing = voices(s, at).into_iter().filter_map(|v| match v.stance {
            Stance::Agrees(payload) => Some((v.agent, payload)),
            _ => None,
        });
        agreeing.collect()
    } else {
        let agent = s.peers().first().map(|p| p.agent.clone()).unwrap_or_default();
        s.turns
            .iter()
            .rfind(|t| t.name == TurnName::peer(t.name.number))
            .and_then(|t| t.markers().consensus.clone())
            .map(|p| (agent, p))
            .into_iter()
            .collect()
    };
    if let Some(own) =
        s.turn(&s.writer_name(at)).filter(|_| s.is_round_loop()).and_then(|t| t.markers().consensus.clone())
    {
        found.insert(0, (s.meta.writer_agent.clone(), own));
    }
    found.retain(|(_, payload)| !payload.trim().is_empty());
    found
}

/// The recorded majority and what the minority holds.
pub fn majority(s: &Session) -> (String, Vec<String>) {
    let dispute = s.notes.dispute.as_ref().and_then(|n| n.dispute.as_ref());
    match dispute.map(|d| dispute::verdict(d, &voters(s))) {
        Some(Verdict::Majority { summary, minority, .. }) => {
            let minority =
                minority.iter().map(|p| format!("{}: {}", p.supporters.join(", "), p.summary)).collect();
            (summary, minority)
        }
        _ => (String::new(), Vec::new()),
    }
}

/// The synthesizer gets every file whole: nothing is elided, because what it does not read is lost to the report.
fn synthesis_prompt(runner: &Runner, call: &Call) -> String {
    let s = &runner.session;
    let turns = reading_order(s.turns.iter(), &s.meta.round_order);
    let mut files: Vec<(String, String)> =
        turns.iter().map(|t| (t.name.to_string(), t.text.to_string())).collect();
    let outcome = s.has_outcome.then(|| layout::OUTCOME.to_string());
    let reviews = s.reviews.iter().map(|r| layout::review(r.number));
    let verifies = s.verifies.iter().map(|v| layout::verify(v.number));
    let others = s.escalations.iter().map(|e| e.file_name());
    files.extend(others.chain(outcome).chain(reviews).chain(verifies).map(|name| {
        let text = std::fs::read_to_string(runner.recorder().dir().join(&name)).unwrap_or_default();
        (name, text)
    }));
    let documents: Vec<synthesis::Document> =
        files.iter().map(|(name, text)| synthesis::Document { name, text }).collect();
    synthesis::compose(&synthesis::SynthesisPrompt {
        head: &read::engine_head(runner),
        meta: &s.meta,
        documents: &documents,
        cost_usd: None,
        violations: &call.complaints,
    })
}
