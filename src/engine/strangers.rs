//! What happened in the session directory while a participant was called (PC-070). Nobody called has any business there,
//! and whatever bears the name of a turn, an escalation or a report counts when the session is read again: one peer could
//! speak for another, or close the session. So such a file is set aside when it appears during a call, and everything is
//! said. A file that was changed stays, because turn files are never written twice (PC-231).

use super::runner::Runner;
use crate::agents::run::LastCall;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::state::ReportState;
use crate::domain::session::turn::TurnName;
use crate::store::record::StoreError;
use crate::store::{layout, runtime, write};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The names in a session directory, and how its turn files look from outside.
#[derive(Debug, Default)]
pub struct Listing {
    touched: Option<SystemTime>,
    names: BTreeMap<String, Option<(u64, Option<SystemTime>)>>,
}

impl Listing {
    pub fn of(dir: &Path) -> Listing {
        let touched = fs::metadata(dir).and_then(|m| m.modified()).ok();
        let Ok(entries) = fs::read_dir(dir) else { return Listing { touched, ..Listing::default() } };
        let look = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let is_turn = TurnName::parse(&name).is_some();
            let seen = is_turn.then(|| entry.metadata().ok()).flatten();
            Some((name, seen.map(|m| (m.len(), m.modified().ok()))))
        };
        Listing { touched, names: entries.flatten().filter_map(look).collect() }
    }
}

/// Compares the directory with what it was when `who` was called, sets aside what must not count, and says so.
pub fn look(runner: &mut Runner, who: &str, before: &Listing) -> Result<(), StoreError> {
    let dir = runner.recorder().dir().to_path_buf();
    let now = Listing::of(&dir);
    if now.names.keys().any(|name| !before.names.contains_key(name)) {
        // Another engine may have taken the session over meanwhile; then all of it is that one's.
        runner.keep()?;
    }
    let lang = runner.session.meta.lang();
    let mut said = Vec::new();
    for (name, seen) in &now.names {
        match before.names.get(name) {
            None if is_ours(runner, name) => {}
            None if counts(name) => said.push(match set_aside(&dir, name, runner.recorder().runtime()) {
                Ok(to) => aside(lang, name, &to),
                Err(e) => format!("{name} ({e})"),
            }),
            None => said.push(name.clone()),
            Some(was) if was != seen => {
                said.push(format!("{name} ({})", lang.pick("changed", "изменён")));
            }
            Some(_) => {}
        }
    }
    let gone = before.names.keys().filter(|name| !now.names.contains_key(*name));
    said.extend(gone.map(|name| format!("{name} ({})", lang.pick("gone", "исчез"))));
    if said.is_empty() && now.touched == before.touched {
        return Ok(());
    }
    let what = match said.is_empty() {
        true => lang.pick("but holds no unknown file", "но неизвестных файлов в нём нет").to_string(),
        false => said.join(", "),
    };
    let text = match lang {
        Lang::En => format!("Integrity: while {who} was called, the session directory changed: {what}"),
        Lang::Ru => format!("Целостность: пока вызывался {who}, каталог сессии изменился: {what}"),
    };
    runner.record(Fact::Noted { text })
}

/// After the death of an engine during a call: turns that came since then and that no engine recorded. Another program may
/// have gone on with the session meanwhile, so they count, but not in silence.
pub fn unheard(runner: &mut Runner) -> Result<(), StoreError> {
    let (dir, runtime) = (runner.recorder().dir().to_path_buf(), runner.recorder().runtime().to_path_buf());
    let Some((last, since)) = LastCall::read(&runtime).zip(LastCall::written(&runtime)) else {
        return Ok(());
    };
    let spoken: HashSet<TurnName> = runtime::events(&runtime)
        .into_iter()
        .filter_map(|event| match event.fact {
            Fact::Spoke { turn } => Some(turn.name),
            _ => None,
        })
        .collect();
    let later =
        |name: &TurnName| fs::symlink_metadata(dir.join(name.to_string())).is_ok_and(|m| m.ctime() >= since);
    let names: Vec<String> = runner
        .session
        .turns
        .iter()
        .map(|t| &t.name)
        .filter(|name| !spoken.contains(*name) && later(name))
        .map(TurnName::to_string)
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let (who, names) = (last.vendor, names.join(", "));
    let text = match runner.session.meta.lang() {
        Lang::En => format!(
            "Integrity: the engine ended while {who} was called; since then these turns came, not from the engine: {names}"
        ),
        Lang::Ru => format!(
            "Целостность: движок завершился, пока вызывался {who}; с тех пор появились эти реплики, не от движка: {names}"
        ),
    };
    runner.record(Fact::Noted { text })
}

/// A name that is read as part of the session.
fn counts(name: &str) -> bool {
    TurnName::parse(name).is_some()
        || layout::parse_rejected(name).is_some()
        || layout::parse_escalation(name).is_some()
        || layout::parse_review(name).or(layout::parse_verify(name)).is_some()
        || [layout::DRAFT, layout::REPORT, layout::OUTCOME, layout::GATE].contains(&name)
}

/// What the engine itself has written during the call.
fn is_ours(runner: &Runner, name: &str) -> bool {
    let s = &runner.session;
    match name {
        layout::META => true,
        layout::DRAFT => matches!(s.report, ReportState::Draft { .. }),
        layout::REPORT => matches!(s.report, ReportState::Final { .. }),
        layout::OUTCOME => s.has_outcome,
        layout::GATE => !s.gate_log.is_empty(),
        name if name.ends_with(".err") => true,
        name => {
            TurnName::parse(name).is_some_and(|n| s.has(&n))
                || layout::parse_rejected(name)
                    .is_some_and(|(n, k)| s.rejected.iter().any(|r| r.name == n && r.k == k))
                || layout::parse_escalation(name).is_some_and(|i| s.escalations.iter().any(|e| e.index == i))
        }
    }
}

fn aside(lang: Lang, name: &str, to: &Path) -> String {
    let to = to.display();
    match lang {
        Lang::En => format!("{name} (not from the engine; set aside as {to})"),
        Lang::Ru => format!("{name} (не от движка; отложен как {to})"),
    }
}

/// Moves a file of the session directory into the runtime folder, under a name of its own.
fn set_aside(dir: &Path, name: &str, runtime: &Path) -> io::Result<PathBuf> {
    let (from, strays) = (dir.join(name), runtime.join("strays"));
    write::ensure_dir(&strays)?;
    let free = |n: usize| match n {
        0 => strays.join(name),
        n => strays.join(format!("{name}.{n}")),
    };
    let to = (0..).map(free).find(|to| to.symlink_metadata().is_err()).unwrap_or_else(|| free(0));
    match write::rename(&from, &to) {
        // The runtime folder may lie on another disk. Only a plain file is worth keeping then.
        Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {
            if fs::symlink_metadata(&from)?.is_file() {
                write::copy(&from, &to)?;
            }
            write::remove(&from)?;
            Ok(to)
        }
        other => other.map(|()| to),
    }
}
