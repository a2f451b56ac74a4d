//! Fact → files. One fact costs a constant number of file operations, whatever the session's length; the file that
//! proves the fact comes first, `meta.yaml` after it, so that a crash between them is mended by derivation.

use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::policy::ReflectionPolicy;
use crate::domain::session::extension;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Meta;
use crate::domain::session::order::length;
use crate::domain::session::phase;
use crate::domain::session::secret::Clearance;
use crate::domain::session::state::Session;
use crate::domain::session::turn::TurnName;
use crate::domain::time::Stamp;
use crate::store::index::Row;
use crate::store::layout::{self, Layout};
use crate::store::odd::{self, Odd};
use crate::store::runtime::{self, Event};
use crate::store::{closing, escalation, index, lock, meta, pipeline, report, write};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the index lock may be awaited: another engine holds it for one rewrite only.
const INDEX_WAIT: Duration = Duration::from_secs(10);

/// A write that did not happen. The session is unchanged: the fact is not true yet.
#[derive(Debug)]
pub struct StoreError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for StoreError {}

impl StoreError {
    pub fn text(&self, lang: Lang) -> String {
        format!("{} {}: {}", lang.pick("cannot write", "не пишется"), self.path.display(), self.source)
    }

    /// What helps.
    pub fn remedy(&self, lang: Lang) -> &'static str {
        remedy(self.source.kind(), lang)
    }

    /// What is true of the session that could not be written. A folder that is not there may have been moved, or deleted.
    pub fn kept(&self, lang: Lang) -> &'static str {
        match self.source.kind() {
            io::ErrorKind::NotFound => lang.pick(
                "its folder is not there, and what it held stands nowhere else",
                "её папки нет на месте, а то, что было в ней, больше нигде не записано",
            ),
            _ => unharmed(lang),
        }
    }
}

/// What is true of a session whose files are as they were.
pub fn unharmed(lang: Lang) -> &'static str {
    lang.pick("nothing of it is lost", "ничего не потеряно")
}

/// What helps against this kind of trouble with files.
pub fn remedy(kind: io::ErrorKind, lang: Lang) -> &'static str {
    let (en, ru) = match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ("make room", "освободи место"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ("give write access", "дай право на запись")
        }
        io::ErrorKind::NotFound => ("put the folder back where it was", "верни папку на её место"),
        io::ErrorKind::InvalidData => ("it is no UTF-8 text; mend it", "это не текст в UTF-8; исправь его"),
        io::ErrorKind::Other => ("see to that", "устрани это"),
        _ => ("make room or give write access", "освободи место или дай право на запись"),
    };
    lang.pick(en, ru)
}

pub(in crate::store) fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    move |source| StoreError { path: path.to_path_buf(), source }
}

/// Which headings the closing file gets (PC-642).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClosingStyle {
    /// A semaphore is open: its checks want the Russian headings whatever the language is.
    pub russian: bool,
}

/// The writer of one session's files.
#[derive(Debug)]
pub struct Recorder {
    layout: Layout,
    id: SessionId,
    dir: PathBuf,
    runtime: PathBuf,
    seq: u64,
    /// `meta.yaml` as we wrote it last: while it is that on disk, an edit needs no parsing.
    meta_text: Option<String>,
    events: Option<runtime::EventLog>,
    /// The index had several rows of the session, and has one now.
    doubled: bool,
    pub closing_style: ClosingStyle,
}

impl Recorder {
    /// `dir` exists. The runtime folder is created.
    pub fn new(layout: Layout, id: SessionId, dir: PathBuf) -> Result<Recorder, StoreError> {
        let runtime = layout.runtime(&id);
        write::ensure_dir(&runtime).map_err(at(&runtime))?;
        let seq = runtime::next_seq(&runtime);
        Ok(Recorder {
            layout,
            id,
            dir,
            runtime,
            seq,
            meta_text: None,
            events: None,
            doubled: false,
            closing_style: ClosingStyle::default(),
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn runtime(&self) -> &Path {
        &self.runtime
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Writes what the fact means. `after` is the session with the fact applied; of `before` only meta, notes and a turn
    /// of the same name are looked at. Returns the event that was logged.
    pub fn record(
        &mut self,
        fact: &Fact,
        before: &Session,
        after: &Session,
        now: Stamp,
    ) -> Result<Event, StoreError> {
        if !self.spoken_at_once(fact, before, after)? {
            self.own_file(fact, before, after, now)?;
            if after.meta != before.meta && !matches!(fact, Fact::Began { .. }) {
                self.save_meta(&before.meta, &after.meta)?;
            }
        }
        if after.notes != before.notes {
            runtime::save_notes(&self.runtime, &after.notes).map_err(at(&self.runtime))?;
        }
        self.doubled |= self.rows(fact, after)?;
        let event = Event { seq: self.seq, time: now.to_string(), fact: fact.clone() };
        self.log(&event).map_err(at(&self.runtime))?;
        self.seq += 1;
        Ok(event)
    }

    /// stderr of a call, kept beside its turn file when there is any (PC-072).
    pub fn stderr(&self, name: &TurnName, stderr: &str) -> Result<(), StoreError> {
        if stderr.is_empty() {
            return Ok(());
        }
        let path = self.dir.join(layout::err(&name.stem()));
        write::atomic(&path, stderr.as_bytes()).map_err(at(&path))
    }

    /// The files that belong to this fact alone.
    fn own_file(&self, fact: &Fact, before: &Session, after: &Session, now: Stamp) -> Result<(), StoreError> {
        match fact {
            Fact::Began { .. } => {
                let path = self.dir.join(layout::META);
                write::create_exclusive(&path, meta::render_new(&after.meta).as_bytes()).map_err(at(&path))
            }
            Fact::Spoke { turn } => self.turn_file(&turn.name, &turn.text, before.has(&turn.name)),
            Fact::Rejected { name, k, reason, text, .. } => {
                let path = self.dir.join(layout::rejected(&name.stem(), *k));
                write::atomic(&path, format!("# rejected: {reason}\n\n{text}").as_bytes()).map_err(at(&path))
            }
            Fact::Escalated { escalation } => {
                let path = self.dir.join(layout::escalation(escalation.index));
                let text = escalation::render(escalation, after.meta.lang());
                match write::create_exclusive(&path, text.as_bytes()) {
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                    other => other.map_err(at(&path)),
                }
            }
            Fact::EscalationAnswered { index, answer } => {
                let path = self.dir.join(layout::escalation(*index));
                let old = odd::read(&path).map_err(at(&path))?;
                let asked = after.escalations.iter().find(|e| e.index == *index);
                let new = match asked.filter(|_| escalation::is_empty(&old.text)) {
                    // Nothing of it is left: an answer without its question would be read by nobody.
                    Some(asked) => escalation::render(asked, after.meta.lang()),
                    None => escalation::with_answer(&old.text, answer),
                };
                write::atomic(&path, &old.bytes(&new)).map_err(at(&path))
            }
            Fact::Drafted { text, .. } => self.put(layout::DRAFT, text),
            Fact::Ended { .. } => self.refresh_draft(after),
            Fact::Published => {
                let (from, to) = (self.dir.join(layout::DRAFT), self.dir.join(layout::REPORT));
                match write::rename(&from, &to) {
                    // The rename happened before a crash; the published file is the proof.
                    Err(e) if e.kind() == io::ErrorKind::NotFound && to.exists() => Ok(()),
                    other => other.map_err(at(&to)),
                }
            }
            Fact::ClosingWritten { problem: None } => self.closing_file(&after.meta),
            fact if pipeline::has_file(fact) => pipeline::save(&self.dir, &self.runtime, fact),
            Fact::Directed { text } => self.pilot(now, "direction", text),
            Fact::CutIn { call, text, .. } => {
                let Some(cut) = after.notes.cuts.last() else { return Ok(()) };
                runtime::save_cut(&self.runtime, &cut.title(), &cut.partial).map_err(at(&self.runtime))?;
                let who = call.vendor.as_deref().unwrap_or(&after.meta.writer_agent);
                self.pilot(now, &format!("cut in on {who} ({})", cut.title()), text)
            }
            Fact::Overruled { round, vendor, failed } => {
                let what = if *failed { "taken out" } else { "called again, or its reply accepted" };
                self.pilot(now, &format!("override of {vendor} in round {round}"), what)
            }
            Fact::Extended { reason, .. } => self.pilot(now, "extension", reason),
            Fact::Clarified { vendor, answer, .. } => {
                self.pilot(now, &format!("clarification for {vendor}"), answer)
            }
            Fact::Cleared { marks, how } => {
                let what = match how {
                    Clearance::Redact => "masked",
                    Clearance::Send => "sent as it is",
                    Clearance::Abort => "call not made",
                };
                self.pilot(now, &format!("{} secrets in a prompt", marks.len()), what)
            }
            Fact::Permitted { question, call, choice, title, answered: true } => {
                let who = call.vendor.as_deref().unwrap_or(&after.meta.writer_agent);
                self.pilot(now, &format!("{question} of {who}"), &format!("{choice}: {title}"))
            }
            Fact::ReservedAnswered { turn, answer } => {
                self.pilot(now, &format!("reserved decision in {turn}"), answer)
            }
            Fact::DisputeJudged { dispute, why, .. } => {
                let value = match dispute {
                    Some(dispute) => serde_json::to_value(dispute).unwrap_or_default(),
                    None => serde_json::json!({ "unusable": why }),
                };
                runtime::save_dispute(&self.runtime, &value).map_err(at(&self.runtime))
            }
            Fact::Reflected { answer: ReflectionPolicy::Text(text) } => {
                runtime::save_reflection(&self.runtime, text).map_err(at(&self.runtime))
            }
            _ => Ok(()),
        }
    }

    /// A turn file is complete or absent and never overwritten (PC-231). A file of that name which the session does
    /// not know was written by a participant with its own tools: it is moved out of the way, not lost (PC-070).
    fn turn_file(&self, name: &TurnName, text: &str, known: bool) -> Result<(), StoreError> {
        let path = self.dir.join(name.to_string());
        match write::create_exclusive(&path, text.as_bytes()) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                let same = fs::read(&path).is_ok_and(|found| found == text.as_bytes());
                if same {
                    return Ok(());
                }
                if known {
                    return Err(StoreError { path, source: e });
                }
                let aside = self.runtime.join(format!("stray-{}-{name}", self.seq));
                fs::read(&path).and_then(|bytes| write::atomic(&aside, &bytes)).map_err(at(&aside))?;
                write::atomic(&path, text.as_bytes()).map_err(at(&path))
            }
            other => other.map_err(at(&path)),
        }
    }

    /// A turn and the `meta.yaml` that counts it, with one wait for the disk. False when it is not that case; then
    /// nothing was written.
    fn spoken_at_once(&mut self, fact: &Fact, before: &Session, after: &Session) -> Result<bool, StoreError> {
        let Fact::Spoke { turn } = fact else { return Ok(false) };
        let turn_path = self.dir.join(turn.name.to_string());
        let (meta_path, old, new) = self.meta_texts(&before.meta, &after.meta)?;
        // A link stays a link, bytes stay bytes, and a stranger's file is moved aside first: all are slower ways.
        let is_link = meta_path.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink());
        if new == old.text || old.is_odd || is_link || turn_path.symlink_metadata().is_ok() {
            return Ok(false);
        }
        let pair =
            write::create_and_replace((&turn_path, turn.text.as_bytes()), (&meta_path, new.as_bytes()));
        match pair {
            Ok(()) => {
                self.meta_text = Some(new);
                Ok(true)
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(at(&turn_path)(e)),
        }
    }

    fn save_meta(&mut self, before: &Meta, after: &Meta) -> Result<(), StoreError> {
        let (path, old, new) = self.meta_texts(before, after)?;
        if new != old.text || path.symlink_metadata().is_err() {
            write::atomic(&path, &old.bytes(&new)).map_err(at(&path))?;
        }
        self.meta_text = Some(new).filter(|_| !old.is_odd);
        Ok(())
    }

    /// `meta.yaml` with its text now and as it shall be. One that somebody removed is written again from what we know; a
    /// folder that is gone is not ours to make.
    fn meta_texts(&mut self, before: &Meta, after: &Meta) -> Result<(PathBuf, Odd, String), StoreError> {
        let path = self.dir.join(layout::META);
        let old = match odd::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound && self.dir.is_dir() => {
                let text = self.meta_text.clone().unwrap_or_else(|| meta::render_new(before));
                Odd { text, is_odd: false }
            }
            other => other.map_err(at(&path))?,
        };
        let ours = self.meta_text.take().is_some_and(|text| text == old.text);
        let known = if ours { meta::edit_known(&old.text, before, after) } else { None };
        let new = known.unwrap_or_else(|| meta::edit(&old.text, after));
        if ours {
            self.meta_text = Some(old.text.clone());
        }
        Ok((path, old, new))
    }

    /// True when `meta.yaml` is as this engine wrote it last.
    pub fn meta_is_ours(&self) -> bool {
        let ours = self.meta_text.as_ref();
        ours.is_some_and(|text| fs::read(self.dir.join(layout::META)).is_ok_and(|now| now == text.as_bytes()))
    }

    fn log(&mut self, event: &Event) -> io::Result<()> {
        if self.events.is_none() {
            self.events = Some(runtime::EventLog::open(&self.runtime)?);
        }
        match self.events.as_mut() {
            Some(log) => log.append(event),
            None => Ok(()),
        }
    }

    fn put(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.dir.join(name);
        write::atomic(&path, text.as_bytes()).map_err(at(&path))
    }

    fn pilot(&self, now: Stamp, what: &str, text: &str) -> Result<(), StoreError> {
        runtime::append_pilot(&self.runtime, now, what, text).map_err(at(&self.runtime))
    }

    fn refresh_draft(&self, after: &Session) -> Result<(), StoreError> {
        let path = self.dir.join(layout::DRAFT);
        let old = fs::read_to_string(&path).map_err(at(&path))?;
        let new = refreshed(&old, after);
        if new == old { Ok(()) } else { self.put(layout::DRAFT, &new) }
    }

    /// True once when rows of the index were removed (PC-216).
    pub fn take_doubled(&mut self) -> bool {
        std::mem::take(&mut self.doubled)
    }

    /// Index row, in a critical section of its own (PC-218). True when the session had several.
    fn rows(&self, fact: &Fact, after: &Session) -> Result<bool, StoreError> {
        let row_due = matches!(
            fact,
            Fact::Began { .. }
                | Fact::Indexed
                | Fact::Interrupted { .. }
                | Fact::Resumed
                | Fact::Repaired { .. }
        );
        if !row_due {
            return Ok(false);
        }
        let path = self.layout.index();
        let _lock = lock::IndexLock::acquire(&self.layout.runtime_root, INDEX_WAIT)
            .map_err(|e| StoreError { path: path.clone(), source: io::Error::other(e.to_string()) })?;
        // Under the lock nobody else writes the index: what lies about is of engines that died.
        write::sweep(&path);
        let file = match odd::read(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Odd { text: index::empty(after.meta.lang(), &after.meta.date), is_odd: false }
            }
            Err(e) => return Err(at(&path)(e)),
        };
        let old = &file.text;
        let new = match fact {
            Fact::Indexed => {
                let link = self.layout.in_sessions(&self.dir.join(layout::REPORT));
                index::upsert(old, &Row::completed(&after.meta, length(after), &link)).0
            }
            Fact::Interrupted { .. } | Fact::Resumed => {
                let status = after.meta.status;
                index::set_status(old, &self.id, status, "—").unwrap_or_else(|| {
                    let row = Row { status: status.key().into(), ..Row::started(&after.meta) };
                    index::upsert(old, &row).0
                })
            }
            _ if index::row_of(old, &self.id).is_some() => old.clone(),
            _ => index::upsert(old, &Row::started(&after.meta)).0,
        };
        if new != *old || !path.exists() {
            write::atomic(&path, &file.bytes(&new)).map_err(at(&path))?;
        }
        Ok(index::count(old, &self.id) > index::count(&new, &self.id))
    }

    fn closing_file(&self, meta: &Meta) -> Result<(), StoreError> {
        let path = self.layout.orz(&self.id);
        write::sweep(&path);
        // A closing file without its insight would look finished for ever.
        let from = self.dir.join(layout::REPORT);
        let report = fs::read(&from).map_err(at(&from))?;
        let report = String::from_utf8_lossy(&report);
        let lang = if self.closing_style.russian { Lang::Ru } else { Lang::En };
        let insight = closing::insight(&report);
        let text = closing::render(meta, &self.layout.relative(&self.dir), &insight, lang);
        write::atomic(&path, text.as_bytes()).map_err(at(&path))
    }
}

/// F5: duration, counts and class as they are now, and a section for each extension (PC-614).
fn refreshed(draft: &str, session: &Session) -> String {
    let meta = &session.meta;
    let time = |text: &str| Stamp::parse(text);
    let minutes = match (time(&meta.start_time), time(&meta.end_time)) {
        (Some(start), Some(end)) => end.minutes_since_rounded(start),
        _ => 0,
    };
    let class = phase::result_class(session);
    let now = time(&meta.end_time).unwrap_or_default();
    let sections: Vec<String> = meta.extensions.iter().map(|e| extension::section(session, e, now)).collect();
    let draft = report::decision::renewed(draft, session, class);
    report::refresh(&draft, minutes, meta.escalations_count, class, &sections)
}
