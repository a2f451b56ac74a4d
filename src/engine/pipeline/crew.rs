//! Who carries a decision out: the implementer, the cold reviewer, the verifier, and where.

use crate::agents::native;
use crate::agents::registry::{Kind, Native, Vendor};
use crate::config::implementation::Implementation;
use crate::domain::lang::Both;
use crate::domain::session::state::Session;
use crate::engine::desk::Desk;
use crate::engine::rehearse::repositories;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Crew {
    pub editor: Vendor,
    pub reviewer: Vendor,
    pub verifier: Option<Vendor>,
    pub setting: Arc<Implementation>,
}

/// The crew of a session, or why choice B cannot be carried out (PC-467).
pub fn crew(desk: &Desk, s: &Session) -> Result<Crew, Both> {
    let nothing = || {
        Both::new(
            "no implementation is configured: `implementation` names no repository",
            "реализация не настроена: `implementation` не называет репозитория",
        )
    };
    let cannot = |vendor: &Vendor, (en, ru)| {
        Both::new(format!("{}: {en}", vendor.key), format!("{}: {ru}", vendor.key))
    };
    let configured = match &s.notes.rehearsal {
        // A rehearsal touches no repository of the user's.
        Some(rehearsal) => repositories::setting(rehearsal, &desk.runtime(&s.meta.session_id))?.map(Arc::new),
        None => desk.implementation.clone(),
    };
    let setting = configured.filter(|i| !i.repos.is_empty()).ok_or_else(nothing)?;
    let mut editor = match &setting.vendor {
        Some(key) => desk.peer(s, key)?,
        None => desk.writer(s)?,
    };
    can_edit(&editor).map_err(|why| cannot(&editor, why))?;
    // An edit takes longer than a turn, is silent while tools run, and is not to be begun twice by itself.
    editor.deadline = setting.deadline;
    editor.idle = None;
    editor.retries = 0;
    let reviewer = match &setting.reviewer {
        Some(key) => desk.peer(s, key)?,
        None => another(desk, s, &editor),
    };
    if reviewer.kind == Kind::Pilot {
        return Err(cannot(&reviewer, ("cannot review", "не может делать ревью")));
    }
    let verifier = setting.verifier.as_ref().map(|key| desk.peer(s, key)).transpose()?.map(|mut vendor| {
        // It runs things, and a verification is not to be made twice by itself.
        (vendor.deadline, vendor.idle, vendor.retries) = (setting.deadline, None, 0);
        vendor
    });
    if let Some(vendor) = &verifier {
        can_verify(vendor).map_err(|why| cannot(vendor, why))?;
    }
    Ok(Crew { editor, reviewer, verifier, setting })
}

/// A participant of another vendor than the implementer, if there is one.
fn another(desk: &Desk, s: &Session, editor: &Vendor) -> Vendor {
    let keys = s.active_vendors().into_iter().chain([s.notes.writer_vendor.clone()]);
    let found = keys.filter(|key| *key != editor.key).find_map(|key| desk.peer(s, &key).ok());
    found.filter(|v| v.kind != Kind::Pilot).unwrap_or_else(|| editor.clone())
}

/// Whether this vendor can verify by running something (PC-530), or why not, in both languages.
pub fn can_verify(vendor: &Vendor) -> Result<(), (&'static str, &'static str)> {
    match &vendor.kind {
        Kind::Script | Kind::Rehearsal { .. } | Kind::Native(Native::Codex) => Ok(()),
        _ => Err((
            "runs no commands here, and reading is no verification; name another `implementation.verifier`",
            "не запускает здесь команд, а чтение — не проверка; назови другой `implementation.verifier`",
        )),
    }
}

/// Whether this vendor can carry a decision out, or why not, in both languages.
pub fn can_edit(vendor: &Vendor) -> Result<(), (&'static str, &'static str)> {
    match &vendor.kind {
        Kind::Pilot => Err(("writes by hand and cannot implement", "пишет от руки и не может реализовать")),
        Kind::Native(native) if !native::edits(*native) => Err((
            "is called for text only; name another `implementation.vendor`",
            "вызывается только для текста; назови другой `implementation.vendor`",
        )),
        Kind::Acp => Err((
            "agents behind ACP get no files; name another `implementation.vendor`",
            "агентам за ACP файлы не даются; назови другой `implementation.vendor`",
        )),
        _ => Ok(()),
    }
}
