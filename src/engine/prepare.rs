//! From a plan to an opening: who takes part, what the disk says, which questions stand before the session (groups D
//! and E). Nothing is created here.

use super::clock::{Clock, iso_week};
use super::opening::{self, NewSession, Opening, OpeningError, Participants, PeerChoice, WriterChoice};
use super::setting::Setting;
use super::wire::Plan;
use crate::agents::check::{self, Problem};
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Registry, Vendor};
use crate::domain::lang::Lang;

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
    let (values, lang) = (&setting.effective.values, setting.lang());
    if plan.task.trim().is_empty() {
        let cause = lang.pick("the task is empty", "задача пуста");
        return Err(PlanError::usage(cause, "flightdeck new \"what is to be decided\""));
    }
    let registry = setting.registry().map_err(|e| PlanError::usage(&e.cause, e.next))?;
    let writer = registry.get(&values.writer).cloned().ok_or_else(|| {
        let known = registry.vendors.iter().map(|v| v.key.as_str()).collect::<Vec<_>>().join(", ");
        let trust = match setting.effective.untrusted {
            Some(_) => lang.pick(
                "; those of this project's file are not trusted (`flightdeck config trust`)",
                "; тем, что названы в файле этого проекта, не доверено (`flightdeck config trust`)",
            ),
            None => "",
        };
        PlanError::usage(
            format!("{} {:?}", lang.pick("no such writer is known:", "нет такого писателя:"), values.writer),
            format!("{}: {known}{trust}", lang.pick("known vendors", "известные вендоры")),
        )
    })?;
    let requested = match plan.peers.as_str() {
        "" => values.peers.clone(),
        list => check::parse_list(list).map_err(|_| {
            let next = lang.pick(
                "give them comma-separated, without spaces: --peer codex,kimi",
                "перечисли их через запятую без пробелов: --peer codex,kimi",
            );
            let what = lang.pick("is not a list of vendors", "— не список вендоров");
            PlanError::usage(format!("--peer {list:?} {what}"), next)
        })?,
    };
    let vars = Vars::real();
    check::available(&writer, &vars).map_err(|why| {
        let cause = lang
            .pick("the writer {{key}} cannot be called: ", "писателя {{key}} нельзя вызвать: ")
            .replace("{{key}}", &writer.key);
        PlanError::no_peer(
            cause + &why.text(lang),
            lang.pick("see `flightdeck doctor`", "см. `flightdeck doctor`"),
        )
    })?;
    let checked = check::check(&requested, &writer, &registry, &vars);
    let texts: Vec<String> = checked.problems.iter().map(|p| p.text(lang)).collect();
    if checked.problems.iter().any(Problem::stops) {
        let next = lang.pick("name each participant once", "назови каждого участника один раз");
        return Err(PlanError::usage(texts.join("\n"), next));
    }
    if checked.usable.is_empty() {
        let none = lang.pick("no peer is left", "не осталось ни одного пира");
        let cause = if texts.is_empty() { none.to_string() } else { texts.join("\n") };
        return Err(PlanError::no_peer(cause, doctor(lang)));
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
        OpeningError::NoPeers => PlanError::no_peer(e.text(lang), doctor(lang)),
        other => {
            let next = lang.pick(
                "`flightdeck new --help` shows the options with examples",
                "`flightdeck new --help` покажет параметры с примерами",
            );
            PlanError::usage(other.text(lang), next)
        }
    })?;
    Ok(Prepared { opening, writer, registry, problems: checked.problems })
}

fn doctor(lang: Lang) -> &'static str {
    lang.pick(
        "`flightdeck doctor` says which vendors can be called",
        "`flightdeck doctor` скажет, кого можно вызвать",
    )
}

fn choice(vendor: &Vendor) -> PeerChoice {
    PeerChoice {
        vendor: vendor.key.clone(),
        agent_id: vendor.agent_id.clone(),
        peer_cmd: vendor.peer_cmd.clone(),
    }
}
