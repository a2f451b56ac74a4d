//! What every command needs to know first: configuration, places, registry.

use super::args::{Drive, Limits, Place, Who};
use super::error::{CliError, Kind};
use super::trust;
use crate::config::layers::FlagValue;
use crate::domain::policy::{
    DecisionPolicy, FindingsPolicy, Implementable, Permit, Policy, ReflectionPolicy,
};
use crate::domain::session::id::SessionId;
use crate::engine::setting::{Setting, SettingError};
use crate::store::load::LoadError;
use std::ops::Deref;

/// What every command needs to know first.
pub struct Context {
    setting: Setting,
}

impl Deref for Context {
    type Target = Setting;

    fn deref(&self) -> &Setting {
        &self.setting
    }
}

impl From<SettingError> for CliError {
    fn from(e: SettingError) -> CliError {
        CliError::usage(e.cause, e.next)
    }
}

impl Context {
    /// Reads the configuration with these flags on top.
    pub fn new(place: &Place, who: &Who, limits: &Limits) -> Result<Context, CliError> {
        let cwd = std::env::current_dir().map_err(|e| {
            CliError::new(Kind::Failed, format!("the current folder is gone: {e}"), "change to another one")
        })?;
        Ok(Context { setting: Setting::new(&cwd, &flags(place, who, limits))? })
    }

    /// For commands that call agents: what a project's file asks for is settled first. `is_here` says that the pilot may
    /// be asked.
    pub fn calling(place: &Place, who: &Who, limits: &Limits, is_here: bool) -> Result<Context, CliError> {
        let context = Context::new(place, who, limits)?;
        if trust::settle(&context, is_here)? { Context::new(place, who, limits) } else { Ok(context) }
    }

    pub fn plain(place: &Place) -> Result<Context, CliError> {
        Context::new(place, &Who::default(), &Limits::default())
    }

    /// The setting itself, for parts of the engine that keep it.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// What this run may do without asking.
    pub fn policy(&self, drive: &Drive) -> Result<Policy, CliError> {
        let values = &self.effective.values;
        let decision = match drive.decision.as_str() {
            "ask" => DecisionPolicy::Ask,
            "A" | "a" | "А" | "а" => DecisionPolicy::Record,
            "B" | "b" | "Б" | "б" => DecisionPolicy::Implement,
            other => return Err(CliError::usage(format!("--decision {other:?}"), "give ask, A or B")),
        };
        let close_auto = match drive.close.as_str() {
            "ask" => false,
            "auto" => true,
            other => return Err(CliError::usage(format!("--close {other:?}"), "give ask or auto")),
        };
        let findings = match drive.findings.as_str() {
            "ask" => FindingsPolicy::Ask,
            "now" => FindingsPolicy::Now,
            "after" => FindingsPolicy::After,
            other => {
                return Err(CliError::usage(format!("--findings {other:?}"), "give ask, now or after"));
            }
        };
        let reflection = match drive.reflection.as_str() {
            "ask" => ReflectionPolicy::Ask,
            "skip" => ReflectionPolicy::Skip,
            text => ReflectionPolicy::Text(text.to_string()),
        };
        let (commit, push) = self.permits();
        Ok(Policy {
            headless: drive.headless,
            decision,
            gate_timeout: drive.gate_timeout.or(values.gate_timeout),
            after_limit: values.after_limit,
            close_auto,
            findings,
            implementable: Implementable::default(),
            reflection,
            reflection_timeout: values.reflection_timeout,
            commit: permit(drive.commit, drive.no_commit, commit),
            push: permit(drive.push, drive.no_push || drive.no_commit, push),
            yes: drive.yes,
            budget: values.budget(),
        })
    }
}

fn permit(yes: bool, no: bool, configured: Permit) -> Permit {
    match (yes, no, configured) {
        (true, ..) => Permit::Yes,
        (_, true, _) => Permit::No,
        _ => configured,
    }
}

fn flags(place: &Place, who: &Who, limits: &Limits) -> Vec<FlagValue> {
    let number = |n: &Option<u32>| n.map(|n| n.to_string());
    let dir = place.sessions_dir.as_ref().map(|d| d.to_string_lossy().into_owned());
    [
        ("sessions_dir", "--sessions-dir", dir),
        ("writer", "--writer", who.writer.clone()),
        ("lang", "--lang", who.lang.clone()),
        ("turns_limit", "--turns-limit", number(&limits.turns_limit)),
        ("rounds_limit", "--rounds-limit", number(&limits.rounds_limit)),
        ("max_peer_attempts", "--max-peer-attempts", number(&limits.max_peer_attempts)),
        ("limit_usd", "--limit-usd", limits.limit_usd.clone()),
        ("limit_tokens", "--limit-tokens", limits.limit_tokens.clone()),
    ]
    .into_iter()
    .filter_map(|(key, name, value)| Some(FlagValue { key, name, value: value? }))
    .collect()
}

/// The id of a session as typed (PC-009).
pub fn id(text: &str) -> Result<SessionId, CliError> {
    SessionId::parse(text).ok_or_else(|| {
        CliError::usage(
            format!("{text:?} is not a session id"),
            "an id looks like 2026-08-24-01-choose-cache; `flightdeck list` prints them",
        )
    })
}

/// Why a session cannot be read, with the next step.
pub fn not_loaded(context: &Context, error: LoadError) -> CliError {
    match error {
        LoadError::NotFound(id) => CliError::usage(
            format!("there is no session {id} in {}", context.layout.sessions.display()),
            "`flightdeck list` prints the ids; `flightdeck doctor` says why they are looked for there",
        ),
        other => CliError::new(
            Kind::Failed,
            other,
            "nothing was changed; put the files right, or name another session",
        ),
    }
}

/// Text given as itself, as @file, or as - for standard input.
pub fn text(given: &str) -> Result<String, CliError> {
    let read = match given.strip_prefix('@') {
        Some(path) => std::fs::read(path).map_err(|e| {
            CliError::usage(
                format!("cannot read {path}: {e}"),
                "name a readable file behind the @, or give the text itself",
            )
        })?,
        None if given == "-" => {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map_err(CliError::failed)?;
            bytes
        }
        None => return Ok(given.to_string()),
    };
    Ok(String::from_utf8_lossy(&read).trim_end().to_string())
}
