//! What happened in the session directory while a participant was called (PC-070). Nobody called has any business there,
//! and whatever bears the name of a turn, an escalation or a report counts when the session is read again: one peer could
//! speak for another, or close the session. So such a file is set aside when it appears during a call, and everything is
//! said. A file that was changed stays, because turn files are never written twice (PC-231); a turn that is gone is written
//! again, because an accepted one is never lost.

use super::runner::Runner;
use crate::agents::run::LastCall;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::say::Say;
use crate::domain::session::state::ReportState;
use crate::domain::session::turn::TurnName;
use crate::store::record::StoreError;
use crate::store::{layout, meta, runtime, write};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The names in a session directory, and how the files look from outside.
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
            let seen = entry.metadata().ok().filter(fs::Metadata::is_file);
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
            // `meta.yaml` may have been written by us meanwhile.
            Some(was) if was != seen && !(name == layout::META && runner.recorder().meta_is_ours()) => {
                said.push(format!("{name} ({})", lang.pick("changed", "изменён")));
            }
            Some(_) => {}
        }
    }
    for name in before.names.keys().filter(|name| !now.names.contains_key(*name)) {
        let word = match put_back(runner, &dir, name)? {
            true => lang.pick("gone; written again", "исчез; записан снова"),
            false => lang.pick("gone", "исчез"),
        };
        said.push(format!("{name} ({word})"));
    }
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

/// Writes a turn that was accepted and is gone, in a directory that is still there. `meta.yaml` comes back with what is
/// recorded next.
fn put_back(runner: &Runner, dir: &Path, name: &str) -> Result<bool, StoreError> {
    let turn = TurnName::parse(name).and_then(|name| runner.session.turn(&name));
    let Some(turn) = turn.filter(|_| dir.is_dir()) else { return Ok(false) };
    let path = dir.join(name);
    write::create_exclusive(&path, turn.text.as_bytes()).map_err(|source| StoreError { path, source })?;
    Ok(true)
}

/// What another program, or a person, did to the session while nobody was called: turns, escalations and reports that came
/// or changed, turns that are gone, another `status`. `seen` is how the directory looked when this was asked last. What the
/// session was loaded with, or wrote itself, is nobody's doing.
pub fn meddled(runner: &Runner, seen: &mut Listing) -> Option<String> {
    let s = &runner.session;
    let (dir, lang) = (runner.recorder().dir(), s.meta.lang());
    let now = Listing::of(dir);
    // A folder that was moved away is no answer to what was changed in it.
    now.touched?;
    let mut said = Vec::new();
    let changed = |name: &str| format!("{name} ({})", lang.pick("changed", "изменён"));
    for (name, stat) in now.names.iter().filter(|(name, stat)| seen.names.get(*name) != Some(*stat)) {
        let text =
            || fs::read(dir.join(name)).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        match TurnName::parse(name) {
            // A pipe is no turn, and an empty peer file no reply (PC-240).
            Some(_) if stat.is_none() => {}
            Some(turn) => match s.turn(&turn) {
                None if turn.is_peer() && text().trim().is_empty() => {}
                None => said.push(name.clone()),
                Some(known) if *known.text != *text() => said.push(changed(name)),
                Some(_) => {}
            },
            None if name == layout::META => {
                let status = meta::parse(&text(), Some(&s.meta.session_id)).0.map(|m| m.status);
                said.extend(
                    status
                        .filter(|is| *is != s.meta.status)
                        .map(|is| format!("{name} (status: {})", is.key())),
                );
            }
            None if layout::parse_escalation(name).is_some()
                || [layout::DRAFT, layout::REPORT].contains(&name.as_str()) =>
            {
                said.extend((!is_ours(runner, name)).then(|| name.clone()));
            }
            None => {}
        }
    }
    let gone = s.turns.iter().map(|t| t.name.to_string()).filter(|name| !now.names.contains_key(name));
    said.extend(gone.map(|name| format!("{name} ({})", lang.pick("gone", "исчез"))));
    if said.is_empty() {
        *seen = now;
        return None;
    }
    Some(Say::Meddled { what: &said.join(", ") }.text(lang))
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
