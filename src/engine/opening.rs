//! The opening of a new session: what is announced, what is asked, and the meta it starts with (groups A and E).
//!
//! Nothing is created here. [`look_around`] reads the plans, [`compose`] is pure; the session begins only when every
//! question is answered (PC-114, PC-119).

pub mod personality;
pub mod roles;
mod text;

use self::roles::{Nameable, RolesError};
use crate::config::places::Places;
use crate::domain::lang::Lang;
use crate::domain::question::{Choice, QuestionKind};
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Meta;
use crate::domain::time::Stamp;
use crate::engine::routing::{self, VerificationClass, WorkClass};
use crate::engine::wp::{self, Lookup, WpId};
use std::fmt;

/// What the pilot asks for. Limits already have their effective values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// White space as typed; it is collapsed here (PC-002).
    pub task: String,
    /// `--model`.
    pub model: Option<String>,
    /// `--wp`.
    pub wp: Option<String>,
    /// `--roles`.
    pub roles: Option<String>,
    pub turns_limit: u32,
    pub rounds_limit: u32,
    pub max_peer_attempts: u32,
    pub lang: Lang,
    /// `--yes` answers every question of the opening.
    pub yes: bool,
}

/// Who takes part, after the capability check (group D).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participants {
    pub writer: WriterChoice,
    /// In the order asked for; the unusable ones are gone.
    pub peers: Vec<PeerChoice>,
    /// What was wrong with those that are gone, as the pilot reads it (PC-031, PC-103).
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterChoice {
    pub vendor: String,
    /// `writer_agent_id` of the registry.
    pub agent_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerChoice {
    pub vendor: String,
    pub agent_id: String,
    pub peer_cmd: String,
}

/// What the disk says about the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    pub lookup: Lookup,
    /// The class on the WP's card.
    pub class: Option<VerificationClass>,
    pub personality: String,
}

/// A question that must be answered before anything is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningQuestion {
    /// `Vendor` or `WpGate`.
    pub kind: QuestionKind,
    pub text: String,
    /// The first one goes on, the second one ends the opening.
    pub choices: Vec<Choice>,
}

/// A session that may begin once its questions are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The lines of PC-105, PC-113, PC-116 and PC-117.
    pub announcement: Vec<String>,
    /// Empty with `--yes`.
    pub questions: Vec<OpeningQuestion>,
    pub task: String,
    pub wp: Option<WpId>,
    /// Known when the task's words name one row of the routing table.
    pub work_class: Option<WorkClass>,
    /// Role discovery runs: several peers, and not every one of them has a role from the pilot (PC-271, AMB-39).
    pub discovery: bool,
    lang: Lang,
    model: String,
    recommended: &'static str,
    limits: [u32; 3],
    personality: String,
    roles: Vec<(String, Vec<String>)>,
    writer: WriterChoice,
    peers: Vec<PeerChoice>,
}

/// Why nothing can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningError {
    EmptyTask,
    BadWp(String),
    Roles(RolesError),
    /// Process exit 4 (PC-104); the others are usage errors, exit 2.
    NoPeers,
}

impl OpeningError {
    pub fn text(&self, lang: Lang) -> String {
        match self {
            OpeningError::EmptyTask => lang
                .pick(
                    "no task given. Say in a sentence what is to be decided",
                    "задача не названа. Скажи одним предложением, что решаем",
                )
                .into(),
            OpeningError::BadWp(text) => lang
                .pick("--wp: `{{text}}` is not a WP id. Write WP-142", "--wp: `{{text}}` — не id WP. Пиши WP-142")
                .replace("{{text}}", &text.escape_debug().to_string()),
            OpeningError::Roles(error) => error.text(lang),
            OpeningError::NoPeers => lang
                .pick(
                    "no usable peer is left. `flightdeck doctor` shows what each one lacks; --peer names others",
                    "не осталось ни одного годного пира. `flightdeck doctor` покажет, чего им не хватает; --peer назовёт других",
                )
                .into(),
        }
    }
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for OpeningError {}

impl NewSession {
    /// The task as it is stored (PC-002): white space collapsed, controls gone.
    fn task(&self) -> Result<String, OpeningError> {
        let spaced: String = self.task.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let task = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
        if task.is_empty() { Err(OpeningError::EmptyTask) } else { Ok(task) }
    }

    fn wp(&self) -> Result<Option<WpId>, OpeningError> {
        let parse = |text: &String| WpId::parse(text).ok_or_else(|| OpeningError::BadWp(text.clone()));
        self.wp.as_ref().map(parse).transpose()
    }
}

/// Reads what the governance repository knows about the task. Outside of an IWE tree there is no plan (PC-115).
/// `week` is the ISO week number, `host` this machine's name.
pub fn look_around(
    request: &NewSession,
    places: &Places,
    writer_agent: &str,
    week: u8,
    host: Option<&str>,
) -> Result<Findings, OpeningError> {
    let (task, given) = (request.task()?, request.wp()?);
    let Some(governance) = places.governance() else {
        let personality = personality::UNASSIGNED.to_string();
        return Ok(Findings { lookup: Lookup::NoPlan, class: None, personality });
    };
    let lookup = wp::read(governance, week).lookup(given, &task);
    let wp = wp_of(&lookup, given);
    Ok(Findings {
        class: wp.and_then(|wp| routing::class_on_card(governance, wp)),
        lookup,
        personality: personality::read(governance, host.unwrap_or(""), writer_agent),
    })
}

/// Puts the opening together.
pub fn compose(
    request: &NewSession,
    with: Participants,
    findings: Findings,
) -> Result<Opening, OpeningError> {
    let (task, given, lang) = (request.task()?, request.wp()?, request.lang);
    if with.peers.is_empty() {
        return Err(OpeningError::NoPeers);
    }
    let nameable = nameable(&with);
    let roles = request.roles.as_ref().map(|text| roles::parse(text, &nameable)).transpose();
    let roles = roles.map_err(OpeningError::Roles)?.unwrap_or_default();
    let has_role = |peer: &PeerChoice| roles.iter().any(|(agent, _)| *agent == peer.agent_id);
    let discovery = with.peers.len() > 1 && !with.peers.iter().all(has_role);
    let class =
        findings.class.or_else(|| VerificationClass::of_task(&task)).unwrap_or(VerificationClass::ClosedLoop);
    let work_class = WorkClass::of_task(&task);
    let mut announcement = if request.yes { with.problems.clone() } else { Vec::new() };
    announcement.extend(text::peer_lines(&with.peers, lang));
    announcement.extend(text::head_lines(request, &task, &with, &findings.lookup));
    let program = (with.writer.agent_id != "claude-code").then_some(with.writer.vendor.as_str());
    announcement.extend(routing::model_advice(class, program, lang));
    announcement.extend(work_class.map(|class| class.hint(lang)));
    Ok(Opening {
        announcement,
        questions: if request.yes {
            Vec::new()
        } else {
            text::questions(&task, &with.problems, &findings.lookup, lang)
        },
        wp: wp_of(&findings.lookup, given),
        task,
        work_class,
        discovery,
        lang,
        model: request.model.clone().unwrap_or_default(),
        recommended: class.model(),
        limits: [request.turns_limit, request.rounds_limit, request.max_peer_attempts],
        personality: findings.personality,
        roles,
        writer: with.writer,
        peers: with.peers,
    })
}

impl Opening {
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The meta of the session as it is created (PC-163), once its directory gave it an id.
    pub fn meta(&self, id: SessionId, start: Stamp) -> Meta {
        let [turns_limit, rounds_limit, max_peer_attempts] = self.limits;
        let several = self.peers.len() > 1;
        let each = |field: fn(&PeerChoice) -> &String| -> Vec<String> {
            self.peers.iter().map(field).cloned().collect()
        };
        let first = |list: &[String]| list.first().cloned().unwrap_or_default();
        let (peer_agents, peer_cmds) = (each(|peer| &peer.agent_id), each(|peer| &peer.peer_cmd));
        Meta {
            task_id: self.wp.map(|wp| wp.to_string()).unwrap_or_default(),
            start_time: start.to_string(),
            writer_agent: self.writer.agent_id.clone(),
            personality: self.personality.clone(),
            peer_agent: first(&peer_agents),
            peer_cmd: first(&peer_cmds),
            peer_agents,
            peer_cmds,
            round_order: if several { each(|peer| &peer.vendor) } else { Vec::new() },
            peer_model: self.model.clone(),
            turns_limit,
            rounds_limit,
            max_peer_attempts,
            writer_model_recommended: self.recommended.to_string(),
            roles: self.roles.clone(),
            engine_lang: Some(self.lang),
            ..Meta::new(id, &self.task)
        }
    }
}

/// True for an explicit "yes" to the WP gate (PC-114). Nothing else starts a session.
pub fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "yes" | "y" | "да" | "д")
}

/// A WP of the tables, or the one that the pilot named.
fn wp_of(lookup: &Lookup, given: Option<WpId>) -> Option<WpId> {
    match lookup {
        Lookup::InPlan(row) | Lookup::RegistryOnly(row) => Some(row.id),
        Lookup::NotFound | Lookup::NoPlan => given,
    }
}

fn nameable(with: &Participants) -> Vec<Nameable> {
    let writer = ("writer".to_string(), &with.writer.agent_id);
    let peers = with.peers.iter().map(|peer| (peer.vendor.clone(), &peer.agent_id));
    [writer]
        .into_iter()
        .chain(peers)
        .map(|(name, id)| Nameable { names: vec![name, id.clone()], agent_id: id.clone() })
        .collect()
}

#[cfg(test)]
mod tests;
