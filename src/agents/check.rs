//! The capability check before a session opens (group D): which of the requested peers can be called.
//!
//! Nothing is called; real errors show at the first call (PC-100).

use crate::agents::native::binary;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Kind, Registry, Vendor};
use crate::domain::lang::{Both, Lang};

/// The plan after the check. When `problems` is not empty the pilot decides (PC-031) — unless one of them
/// [`Problem::stops`], or nothing usable is left.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// In the order of the list. List, count and `round_order` all come from here, so they change together (PC-104).
    pub usable: Vec<Vendor>,
    /// In the order of the checks (PC-106).
    pub problems: Vec<Problem>,
}

impl Checked {
    /// True when the session cannot be opened whatever the pilot says: a problem that stops, or nobody left
    /// (process exit 4, PC-104).
    pub fn must_stop(&self) -> bool {
        self.usable.is_empty() || self.problems.iter().any(Problem::stops)
    }
}

/// One thing to tell the pilot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// PC-031. `known` lists the registry's peers.
    Unknown { vendor: String, known: Vec<String> },
    /// The pilot cannot be called as a peer.
    OnlyWriter { vendor: String },
    /// PC-101.
    Duplicate { vendor: String },
    /// Two participants would share an agent id (PC-034).
    SameAgent { vendor: String, agent_id: String, other: String },
    /// PC-103.
    Unavailable { vendor: String, why: Missing },
}

/// Why a vendor cannot be called (PC-102).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// No adapter file in any place of PC-032.
    NoAdapter,
    AdapterNotFound(String),
    AdapterNotExecutable(String),
    /// The CLI or another needed command; the text says what was looked for.
    NoCommand(Both),
}

/// Why a `--peer` value is not a list of vendors (PC-008). A usage error: process exit 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListError {
    EmptyElement,
    WhiteSpace,
}

/// Splits `--peer a,b`; checks syntax only.
pub fn parse_list(text: &str) -> Result<Vec<String>, ListError> {
    if text.contains(char::is_whitespace) {
        return Err(ListError::WhiteSpace);
    }
    let list: Vec<String> = text.split(',').map(String::from).collect();
    if list.iter().any(String::is_empty) { Err(ListError::EmptyElement) } else { Ok(list) }
}

/// Checks every requested element on its own, in the order of PC-106: unknown, duplicate, available.
pub fn check(requested: &[String], writer: &Vendor, registry: &Registry, vars: &Vars) -> Checked {
    let mut problems = Vec::new();
    let mut known: Vec<&Vendor> = Vec::new();
    for key in requested {
        match registry.get(key) {
            Some(vendor) if vendor.kind != Kind::Pilot => known.push(vendor),
            Some(_) => problems.push(Problem::OnlyWriter { vendor: key.clone() }),
            None => {
                let known = registry.peer_keys().into_iter().map(String::from).collect();
                problems.push(Problem::Unknown { vendor: key.clone(), known });
            }
        }
    }
    let mut distinct: Vec<&Vendor> = Vec::new();
    for vendor in known {
        let clash = |other: &str| Problem::SameAgent {
            vendor: vendor.key.clone(),
            agent_id: vendor.agent_id.clone(),
            other: other.to_string(),
        };
        if distinct.iter().any(|v| v.key == vendor.key) {
            problems.push(Problem::Duplicate { vendor: vendor.key.clone() });
        } else if let Some(other) = distinct.iter().find(|v| v.agent_id == vendor.agent_id) {
            problems.push(clash(&other.key));
        } else if writer.writer_agent_id == vendor.agent_id {
            problems.push(clash(&writer.key));
            distinct.push(vendor);
        } else {
            distinct.push(vendor);
        }
    }
    let mut usable = Vec::new();
    for vendor in distinct {
        match available(vendor, vars) {
            Ok(()) => usable.push(vendor.clone()),
            Err(why) => problems.push(Problem::Unavailable { vendor: vendor.key.clone(), why }),
        }
    }
    Checked { usable, problems }
}

/// Whether the vendor's adapter can be started (PC-102). Also for the writer and the settings view.
pub fn available(vendor: &Vendor, vars: &Vars) -> Result<(), Missing> {
    match &vendor.kind {
        Kind::Pilot => {}
        Kind::Native(native) => {
            binary::find(*native, vendor, vars).map_err(Missing::NoCommand)?;
        }
        Kind::Acp | Kind::Rehearsal { .. } => match &vendor.bin {
            Some(bin) if binary::named(bin, vars).is_none() => {
                return Err(Missing::NoCommand(binary::not_found(&bin.display().to_string())));
            }
            _ => {}
        },
        Kind::Script => {
            let path = vendor.path.as_ref().ok_or(Missing::NoAdapter)?;
            if !path.is_file() {
                return Err(Missing::AdapterNotFound(path.display().to_string()));
            }
            // The bit is asked for although `bash <path>` would not need it: better a clear word now (AMB-14).
            if !binary::is_executable(path) {
                return Err(Missing::AdapterNotExecutable(path.display().to_string()));
            }
        }
    }
    match &vendor.needs {
        Some(needs) if vendor.kind == Kind::Script && !has_command(vendor, needs, vars) => {
            Err(Missing::NoCommand(binary::not_found(needs)))
        }
        _ => Ok(()),
    }
}

/// `HERMES_BIN` or `PATH` for `hermes`, likewise for any other needed command.
fn has_command(vendor: &Vendor, needs: &str, vars: &Vars) -> bool {
    let variable = format!("{}_BIN", needs.to_uppercase().replace('-', "_"));
    let own = vendor.env.iter().find(|(key, _)| *key == variable).map(|(_, value)| value.as_ref());
    match own.or_else(|| vars.get(&variable)) {
        Some(bin) => binary::named(bin.as_ref(), vars).is_some(),
        None => binary::command(needs, vars).is_some(),
    }
}

impl Problem {
    /// True when the list itself has to be corrected: continuing with the rest is not offered (PC-101).
    pub fn stops(&self) -> bool {
        matches!(self, Problem::Duplicate { .. } | Problem::SameAgent { .. })
    }

    /// The message to the pilot; for unknown vendors in the exact words of PC-031.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            Problem::Unknown { vendor, known } => {
                let known = known.join(", ");
                match lang {
                    Lang::En => format!("Peer `{vendor}` is not registered. Known vendors: {known}."),
                    Lang::Ru => format!("Напарник `{vendor}` не зарегистрирован. Известные: {known}."),
                }
            }
            Problem::OnlyWriter { vendor } => match lang {
                Lang::En => format!("`{vendor}` can only be the writer, not a peer."),
                Lang::Ru => format!("`{vendor}` может быть только ведущим, но не напарником."),
            },
            Problem::Duplicate { vendor } => match lang {
                Lang::En => format!(
                    "Peer `{vendor}` is listed twice. Several participants cannot be faked by calling one peer repeatedly; correct the list."
                ),
                Lang::Ru => format!(
                    "Напарник `{vendor}` указан дважды. Нельзя изображать нескольких участников повторными вызовами одного; исправьте список."
                ),
            },
            Problem::SameAgent { vendor, agent_id, other } => match lang {
                Lang::En => format!(
                    "Peer `{vendor}` and `{other}` would both be `{agent_id}` in this session. Agent ids must be distinct; correct the list."
                ),
                Lang::Ru => format!(
                    "Напарник `{vendor}` и `{other}` назывались бы в сессии одинаково: `{agent_id}`. Имена агентов должны различаться; исправьте список."
                ),
            },
            Problem::Unavailable { vendor, why } => {
                let why = why.text(lang);
                match lang {
                    Lang::En => format!("Peer `{vendor}` is not available: {why}."),
                    Lang::Ru => format!("Напарник `{vendor}` недоступен: {why}."),
                }
            }
        }
    }
}

impl Missing {
    pub fn text(&self, lang: Lang) -> String {
        match self {
            Missing::NoAdapter => lang
                .pick(
                    "no adapter (none of the usual places has one)",
                    "нет адаптера (ни в одном из обычных мест)",
                )
                .into(),
            Missing::AdapterNotFound(path) => {
                format!("{} {path}", lang.pick("no adapter at", "нет адаптера по пути"))
            }
            Missing::AdapterNotExecutable(path) => {
                format!(
                    "{}: chmod +x {path}",
                    lang.pick("the adapter is not executable", "адаптер не исполняемый")
                )
            }
            Missing::NoCommand(what) => {
                format!("{} ({})", lang.pick("no CLI", "нет CLI"), what.text(lang))
            }
        }
    }
}

/// The line or list that announces the peers (PC-105).
pub fn announcement(peers: &[Vendor], lang: Lang) -> String {
    match peers {
        [one] => format!("{}: {} ({})", lang.pick("Peer", "Напарник"), one.key, one.agent_id),
        many => {
            let head = format!("{} ({}):", lang.pick("Peers", "Напарники"), many.len());
            let rows =
                many.iter().enumerate().map(|(i, v)| format!("\n  {}. {} ({})", i + 1, v.key, v.agent_id));
            head + &rows.collect::<String>()
        }
    }
}

#[cfg(test)]
mod tests;
