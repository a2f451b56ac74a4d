//! Files → state. Reads one session directory and its runtime notes; never refuses a tree because of one bad file.

use crate::domain::lang::Lang;
use crate::domain::session::failure::Reason;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::{Meta, Status};
use crate::domain::session::order::length;
use crate::domain::session::state::{Live, Rejected, ReportState, Session};
use crate::domain::session::turn::{Turn, TurnName};
use crate::store::index::Row;
use crate::store::layout::{self, Layout};
use crate::store::list::Listed;
use crate::store::{closing, escalation, frontmatter, index, meta, pipeline, report, runtime};
use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A session as read, with what was wrong on the way.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub session: Session,
    pub dir: PathBuf,
    pub problems: Vec<String>,
    /// Escalations whose answer was typed below the last line and stands nowhere else (PC-444).
    pub by_hand: Vec<u32>,
    /// A file that is there and that the system does not give, with the code of its reason. What it holds is not known,
    /// so nobody may go on as if it were not there.
    pub unread: Option<(PathBuf, i32)>,
}

impl Loaded {
    /// For those who go on from what the files say.
    pub fn whole(self) -> Result<Loaded, LoadError> {
        match self.unread {
            Some((path, code)) => Err(LoadError::Unreadable(path, io::Error::from_raw_os_error(code))),
            None => Ok(self),
        }
    }
}

/// Why there is no session to load.
#[derive(Debug)]
pub enum LoadError {
    NotFound(SessionId),
    /// A directory without `meta.yaml` (rule D1).
    Orphan(PathBuf),
    /// A control session of another program (PC-147).
    Foreign(PathBuf),
    Unreadable(PathBuf, io::Error),
}

impl LoadError {
    pub fn text(&self, lang: Lang) -> String {
        match self {
            LoadError::NotFound(id) => format!("{} {id}", lang.pick("there is no session", "нет сессии")),
            LoadError::Orphan(dir) => {
                let (en, ru) = (
                    "no meta.yaml here, so it is not a session",
                    "здесь нет meta.yaml, значит это не сессия",
                );
                format!("{}: {}", dir.display(), lang.pick(en, ru))
            }
            LoadError::Foreign(dir) => {
                let (en, ru) =
                    ("a control session of another program", "контрольная сессия другой программы");
                format!("{}: {}", dir.display(), lang.pick(en, ru))
            }
            LoadError::Unreadable(path, e) => {
                format!("{} {}: {e}", lang.pick("cannot read", "не читается"), path.display())
            }
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for LoadError {}

/// Reads the session with this id.
pub fn load(layout: &Layout, id: &SessionId) -> Result<Loaded, LoadError> {
    let dir = layout.find_session(id).ok_or_else(|| LoadError::NotFound(id.clone()))?;
    let mut problems = Vec::new();
    let index_text = match fs::read(layout.index()) {
        Ok(bytes) => lossy(&bytes, layout::INDEX, &mut problems),
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => {
            problems.push(format!("{}: {e}", layout::INDEX));
            String::new()
        }
    };
    let mut loaded = load_dir(layout, id, dir, index::row_of(&index_text, id).as_ref())?;
    loaded.problems.extend(problems);
    Ok(loaded)
}

/// Reads a session that a list of sessions names. Its row is the one of the list: with many sessions the index is long,
/// and reading it for each of them would take most of the time.
pub fn load_listed(layout: &Layout, listed: &Listed) -> Result<Loaded, LoadError> {
    let dir = listed.dir.clone().ok_or_else(|| LoadError::NotFound(listed.id.clone()))?;
    load_dir(layout, &listed.id, dir, listed.row.as_ref())
}

fn load_dir(layout: &Layout, id: &SessionId, dir: PathBuf, row: Option<&Row>) -> Result<Loaded, LoadError> {
    let unreadable = |path: &Path| {
        let path = path.to_path_buf();
        move |e| LoadError::Unreadable(path, e)
    };
    let mut problems = Vec::new();
    let meta_path = dir.join(layout::META);
    let meta_text = match fs::read(&meta_path) {
        Ok(bytes) => lossy(&bytes, layout::META, &mut problems),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(LoadError::Orphan(dir)),
        Err(e) => return Err(LoadError::Unreadable(meta_path, e)),
    };
    let (meta, meta_problems) = meta::parse(&meta_text, Some(id));
    problems.extend(meta_problems);
    if !meta_text.is_empty() && !meta_text.ends_with('\n') {
        problems.push(format!(
            "{} ends within a line; if it was cut off, keys at its end are missing",
            layout::META
        ));
    }
    let meta = meta.unwrap_or_else(|| Meta::new(id.clone(), ""));
    if meta.peer_agent.is_empty() && meta.peer_agents.is_empty() && !meta.test_subject.is_empty() {
        return Err(LoadError::Foreign(dir));
    }
    if meta.peer_agent.is_empty() && meta.peer_agents.is_empty() {
        problems.push(format!("{} names no peer", layout::META));
    }
    let mut names: Vec<String> = fs::read_dir(&dir)
        .map_err(unreadable(&dir))?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let unread = RefCell::new(None);
    let plain = |name: &str| plain(&dir.join(name), &unread);
    let (mut escalations, mut by_hand) = (Vec::new(), Vec::new());
    for (name, index) in names.iter().filter_map(|n| Some((n, layout::parse_escalation(n)?))) {
        // What cannot be read is a question all the same.
        let bytes = plain(name).unwrap_or_else(|e| {
            problems.push(format!("{name}: {e}"));
            Vec::new()
        });
        let read = escalation::read(bytes, index);
        let odd = read.problems.into_iter().filter(|_| read.is_odd);
        problems.extend(odd.map(|problem| format!("{name}: {problem}")));
        by_hand.extend(read.by_hand.then_some(index));
        escalations.push(read.file);
    }
    escalations.sort_by_key(|e| e.index);
    let mut read = |name: &str| match plain(name) {
        Ok(bytes) => Some(lossy(&bytes, name, &mut problems)),
        Err(e) => {
            problems.push(format!("{name}: {e}"));
            None
        }
    };
    let (turns, rejected) = files(&names, &mut read);
    let draft = names.iter().any(|n| n == layout::DRAFT).then(|| read(layout::DRAFT)).flatten();
    let published = names.iter().any(|n| n == layout::REPORT).then(|| read(layout::REPORT)).flatten();
    // A stub that was published, and is being written anew, is not what counts.
    let published = published.filter(|text| draft.is_none() || !report::is_stub(text));
    let report = match (published, draft) {
        (Some(text), _) => ReportState::Final { stub: report::is_stub(&text) },
        (None, Some(text)) if report::is_stub(&text) => ReportState::Draft { linked: Vec::new(), stub: true },
        (None, Some(text)) => ReportState::Draft { linked: report::linked_files(&text), stub: false },
        (None, None) => ReportState::None,
    };
    let (reviews, verifies, gate_log, torn) = pipeline::files(&names, &mut read);
    if torn > 0 {
        problems.push(format!("{}: {torn} lines cannot be read; they approve nothing", layout::GATE));
    }
    let has_outcome = names.iter().any(|n| n == layout::OUTCOME);
    let closing = fs::read_to_string(layout.orz(id)).is_ok_and(|text| closing::is_ours(&text, id));
    let (notes, note_problem) = runtime::notes(&layout.runtime(id), &|path, e| note_unread(path, e, &unread));
    problems.extend(note_problem);
    let mut session = Session {
        meta,
        turns,
        rejected,
        escalations,
        report,
        has_outcome,
        reviews,
        verifies,
        gate_log,
        row: row.map(|row| row.status.clone()),
        row_is_stale: false,
        closing,
        notes,
        live: Live::default(),
    };
    let is_closed = |row: &&Row| row.status == Status::Completed.key();
    let counts = (length(&session), session.meta.escalations_count);
    session.row_is_stale = row.filter(is_closed).is_some_and(|row| !row.counts(counts.0, counts.1));
    for (file, turn) in session.recall_escalations() {
        problems.push(match session.meta.lang() {
            Lang::En => format!("{file} does not say what was asked; it is taken from {turn}"),
            Lang::Ru => format!("{file} не говорит, о чём спрашивали; вопрос взят из {turn}"),
        });
    }
    Ok(Loaded { session, dir, problems, by_hand, unread: unread.into_inner() })
}

/// The bytes of a plain file. A pipe or a device would never end; whoever put it there has written no turn.
fn plain(path: &Path, unread: &RefCell<Option<(PathBuf, i32)>>) -> io::Result<Vec<u8>> {
    let read = || match fs::metadata(path)?.is_file() {
        true => fs::read(path),
        false => Err(io::Error::other("not a file")),
    };
    read().inspect_err(|e| note_unread(path, e, unread))
}

/// Remembers the first file that is there and was not given. A link that leads nowhere is no file.
fn note_unread(path: &Path, error: &io::Error, unread: &RefCell<Option<(PathBuf, i32)>>) {
    if let Some(code) = error.raw_os_error().filter(|_| error.kind() != io::ErrorKind::NotFound) {
        unread.borrow_mut().get_or_insert_with(|| (path.to_path_buf(), code));
    }
}

fn lossy(bytes: &[u8], name: &str, problems: &mut Vec<String>) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => {
            problems.push(format!("{name}: not UTF-8, bad bytes are shown as \u{fffd}"));
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

fn files(names: &[String], read: &mut impl FnMut(&str) -> Option<String>) -> (Vec<Turn>, Vec<Rejected>) {
    let (mut turns, mut rejected) = (Vec::new(), Vec::new());
    for name in names {
        if let Some(turn) = TurnName::parse(name) {
            // What cannot be read is no turn; an empty peer file of an old tree is a call without a reply (PC-240).
            let Some(text) = read(name) else { continue };
            if !(turn.is_peer() && text.trim().is_empty()) {
                turns.push(frontmatter::turn(turn, text));
            }
        } else if let Some((turn, k)) = layout::parse_rejected(name) {
            let text = read(name).unwrap_or_default();
            let reason = text.lines().next().and_then(|l| l.strip_prefix("# rejected:")).unwrap_or("").trim();
            rejected.push(Rejected { name: turn, k, reason: Reason::from(reason) });
        }
    }
    turns.sort_by(|a, b| a.name.cmp(&b.name));
    rejected.sort_by(|a, b| (&a.name, a.k).cmp(&(&b.name, b.k)));
    (turns, rejected)
}
