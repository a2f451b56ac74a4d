//! From a plan to an opening: who takes part, what the disk says, which questions stand before the session (groups D
//! and E). Nothing is created here.

use super::clock::{Clock, iso_week};
use super::opening::{self, NewSession, Opening, OpeningError, Participants, PeerChoice, WriterChoice};
use super::setting::Setting;
use super::wire::Plan;
use crate::agents::check::{self, Problem};
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Registry, Vendor};

/// A plan that may begin once its questions are answered.
pub struct Prepared {
    pub opening: Opening,
    pub writer: Vendor,
    pub registry: Registry,
    pub problems: Vec<Problem>,
}

/// What kind of refusal it is (PC-011).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Usage,
    NoPeer,
}

/// A plan that cannot begin.
#[derive(Debug)]
pub struct PlanError {
    pub why: Why,
    pub cause: String,
    pub next: String,
}

impl PlanError {
    fn usage(cause: impl ToString, next: impl ToString) -> PlanError {
        PlanError { why: Why::Usage, cause: cause.to_string(), next: next.to_string() }
    }

    fn no_peer(cause: impl ToString, next: &str) -> PlanError {
        PlanError { why: Why::NoPeer, cause: cause.to_string(), next: next.into() }
    }
}

/// Checks the plan against the setting, in the order of PC-106. The limits and the language are those of `setting`,
/// which was made with the plan's flags.
pub fn prepare(setting: &Setting, plan: &Plan) -> Result<Prepared, PlanError> {
    if plan.task.trim().is_empty() {
        return Err(PlanError::usage("the task is empty", "flightdeck new \"what is to be decided\""));
    }
    let registry = setting.registry().map_err(|e| PlanError::usage(&e.cause, e.next))?;
    let (values, lang) = (&setting.effective.values, setting.lang());
    let writer = registry.get(&values.writer).cloned().ok_or_else(|| {
        let known = registry.vendors.iter().map(|v| v.key.as_str()).collect::<Vec<_>>().join(", ");
        let trust = match setting.effective.untrusted {
            Some(_) => "; those of this project's file are not trusted (`flightdeck config trust`)",
            None => "",
        };
        PlanError::usage(
            format!("the writer {:?} is not registered", values.writer),
            format!("known vendors: {known}{trust}"),
        )
    })?;
    let requested = match plan.peers.as_str() {
        "" => values.peers.clone(),
        list => check::parse_list(list).map_err(|_| {
            let next = "give them comma-separated, without spaces: --peer codex,kimi";
            PlanError::usage(format!("--peer {list:?} is not a list of vendors"), next)
        })?,
    };
    let vars = Vars::real();
    check::available(&writer, &vars).map_err(|why| {
        let cause = format!("the writer {} cannot be called: {}", writer.key, why.text(lang));
        PlanError::no_peer(cause, "see `flightdeck doctor`")
    })?;
    let checked = check::check(&requested, &writer, &registry, &vars);
    let texts: Vec<String> = checked.problems.iter().map(|p| p.text(lang)).collect();
    if checked.problems.iter().any(Problem::stops) {
        return Err(PlanError::usage(texts.join("\n"), "name each participant once"));
    }
    if checked.usable.is_empty() {
        let cause = if texts.is_empty() { "no peer is left".to_string() } else { texts.join("\n") };
        return Err(PlanError::no_peer(cause, "`flightdeck doctor` says which vendors can be called"));
    }
    let given = |text: &str| (!text.is_empty()).then(|| text.to_string());
    let request = NewSession {
        task: plan.task.clone(),
        model: given(&plan.model),
        wp: given(&plan.wp),
        roles: given(&plan.roles),
        turns_limit: values.turns_limit,
        rounds_limit: values.rounds_limit,
        max_peer_attempts: values.max_peer_attempts,
        lang,
        yes: plan.yes,
    };
    let participants = Participants {
        writer: WriterChoice { vendor: writer.key.clone(), agent_id: writer.writer_agent_id.clone() },
        peers: checked.usable.iter().map(choice).collect(),
        problems: texts,
    };
    let week = iso_week(Clock::System.now());
    let host = std::env::var("HOSTNAME").ok();
    let opened =
        opening::look_around(&request, &setting.places, &writer.writer_agent_id, week, host.as_deref())
            .and_then(|found| opening::compose(&request, participants, found));
    let opening = opened.map_err(|e| match e {
        OpeningError::NoPeers => {
            PlanError::no_peer(e, "`flightdeck doctor` says which vendors can be called")
        }
        other => PlanError::usage(other, "`flightdeck new --help` shows the options with examples"),
    })?;
    Ok(Prepared { opening, writer, registry, problems: checked.problems })
}

fn choice(vendor: &Vendor) -> PeerChoice {
    PeerChoice {
        vendor: vendor.key.clone(),
        agent_id: vendor.agent_id.clone(),
        peer_cmd: vendor.peer_cmd.clone(),
    }
}
