//! Every file and folder name of a session tree (0.3, groups F and I, "Files of a session").

use crate::domain::session::id::SessionId;
use crate::domain::session::turn::TurnName;
use crate::store::{lock, write};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const INDEX: &str = "00-index.md";
pub const META: &str = "meta.yaml";
pub const DRAFT: &str = "report-draft.md";
pub const REPORT: &str = "report.md";
pub const OUTCOME: &str = "_outcome.md";
pub const GATE: &str = "_gate.jsonl";

/// Where the sessions of one governance repository live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// `<governance>/sessions`.
    pub sessions: PathBuf,
    /// `<workspace>/.iwe-runtime/peer-sessions`; outside the repository, so that it is never committed.
    pub runtime_root: PathBuf,
    /// The folder that holds `sessions`: the paths in git, ORZ files and summaries are relative to it.
    pub governance: PathBuf,
}

impl Layout {
    pub fn new(sessions: impl Into<PathBuf>, runtime_root: impl Into<PathBuf>) -> Layout {
        let sessions = sessions.into();
        let governance = sessions.parent().unwrap_or(&sessions).to_path_buf();
        Layout { sessions, runtime_root: runtime_root.into(), governance }
    }

    /// `<sessions>/00-index.md`.
    pub fn index(&self) -> PathBuf {
        self.sessions.join(INDEX)
    }

    /// `<sessions>/<YYYY-MM>/<DD>`, where new sessions are created (PC-140).
    pub fn day_dir(&self, id: &SessionId) -> PathBuf {
        self.sessions.join(id.month()).join(id.day())
    }

    /// `<sessions>/<YYYY-MM>/<DD>/<ID>`, the only place that is written (PC-146).
    pub fn session_dir(&self, id: &SessionId) -> PathBuf {
        self.day_dir(id).join(id.as_str())
    }

    /// The existing directory of a session: with the day level, then without it (PC-146).
    pub fn find_session(&self, id: &SessionId) -> Option<PathBuf> {
        let flat = self.sessions.join(id.month()).join(id.as_str());
        [self.session_dir(id), flat].into_iter().find(|dir| dir.is_dir())
    }

    /// The ORZ file `<sessions>/<YYYY-MM>/<ID>.md` (PC-640).
    pub fn orz(&self, id: &SessionId) -> PathBuf {
        self.sessions.join(id.month()).join(format!("{id}.md"))
    }

    /// `<runtime root>/<ID>`: the lock, captured prompts and output of one session.
    pub fn runtime(&self, id: &SessionId) -> PathBuf {
        self.runtime_root.join(id.as_str())
    }

    /// The path as ORZ files, summaries and git spell it: `sessions/<M>/<D>/<ID>/report.md`. A path outside the
    /// sessions dir is returned as it is.
    pub fn relative(&self, path: &Path) -> String {
        match (self.sessions.file_name(), path.strip_prefix(&self.sessions)) {
            (Some(name), Ok(rest)) => slashed(&Path::new(name).join(rest)),
            _ => path.to_string_lossy().into_owned(),
        }
    }

    /// The path as the links of the index spell it: relative to the sessions dir (PC-213).
    pub fn in_sessions(&self, path: &Path) -> String {
        slashed(path.strip_prefix(&self.sessions).unwrap_or(path))
    }
}

/// The next running number of a day: one more than the sessions there are, and more than the highest (PC-141).
pub fn next_number(day_dir: &Path, date: &str) -> u32 {
    let Ok(entries) = fs::read_dir(day_dir) else { return 1 };
    let numbers: Vec<u32> = entries
        .flatten()
        .filter(is_dir)
        .filter_map(|entry| SessionId::parse(entry.file_name().to_str()?))
        .filter(|id| id.date() == date)
        .filter_map(|id| id.number())
        .collect();
    let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    numbers.into_iter().max().unwrap_or(0).max(count).saturating_add(1)
}

/// Creates the directory of a new session and gives its id (PC-140, PC-141, PC-144). `date` is the local date. Two
/// processes never get the same directory, nor the same number as long as both can lock the runtime root. `before` is called
/// with the id before anything of the session is written (PC-154), and once more if another process was faster.
pub fn create_session_dir(
    layout: &Layout,
    date: &str,
    slug: &str,
    mut before: impl FnMut(&SessionId),
) -> io::Result<SessionId> {
    let bad =
        || io::Error::new(io::ErrorKind::InvalidInput, format!("no session id from {date:?} and {slug:?}"));
    let first = SessionId::new(date, 1, slug).ok_or_else(bad)?;
    let day_dir = layout.day_dir(&first);
    // Best effort: the exclusive creation below is what two processes cannot get past.
    let _lock = lock::wait_for(&layout.runtime_root.join(".numbers.lock"), Duration::from_secs(2));
    write::ensure_dir(&day_dir)?;
    let mut number = next_number(&day_dir, date);
    loop {
        let id = SessionId::new(date, number, slug).ok_or_else(bad)?;
        // An old tree may hold this id without the day level; two sessions never share an id (PC-144).
        if layout.find_session(&id).is_none() {
            before(&id);
            match fs::create_dir(layout.session_dir(&id)) {
                Ok(()) => return Ok(id),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        number = number.checked_add(1).ok_or_else(bad)?;
    }
}

/// `escalation-NN.md`, `index` counted from 0 (PC-441).
pub fn escalation(index: u32) -> String {
    format!("escalation-{index:02}.md")
}

/// `review-NN.md` (PC-520).
pub fn review(number: u32) -> String {
    format!("review-{number:02}.md")
}

/// `verify-NN.md` (PC-531).
pub fn verify(number: u32) -> String {
    format!("verify-{number:02}.md")
}

/// `<stem>.rejected-<K>.txt`, K counted from 1 (PC-232). `stem` is [`TurnName::stem`].
pub fn rejected(stem: &str, k: u32) -> String {
    format!("{stem}.rejected-{k}.txt")
}

/// `<stem>.err` (PC-072).
pub fn err(stem: &str) -> String {
    format!("{stem}.err")
}

pub fn parse_escalation(file: &str) -> Option<u32> {
    numbered(file, "escalation-")
}

pub fn parse_review(file: &str) -> Option<u32> {
    numbered(file, "review-")
}

pub fn parse_verify(file: &str) -> Option<u32> {
    numbered(file, "verify-")
}

/// The turn a rejected reply was meant for, and its K.
pub fn parse_rejected(file: &str) -> Option<(TurnName, u32)> {
    let (stem, k) = file.strip_suffix(".txt")?.rsplit_once(".rejected-")?;
    let digits = !k.is_empty() && k.bytes().all(|b| b.is_ascii_digit());
    Some((TurnName::parse(&format!("{stem}.md"))?, k.parse().ok().filter(|_| digits)?))
}

/// True for a directory and for a link to one.
pub(in crate::store) fn is_dir(entry: &fs::DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
        Ok(kind) => kind.is_dir(),
        Err(_) => false,
    }
}

fn numbered(file: &str, prefix: &str) -> Option<u32> {
    let digits = file.strip_prefix(prefix)?.strip_suffix(".md")?;
    let ok = digits.len() >= 2 && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| ok)
}

fn slashed(path: &Path) -> String {
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(dir: &tempfile::TempDir) -> Layout {
        Layout::new(dir.path().join("DS-strategy/sessions"), dir.path().join(".iwe-runtime/peer-sessions"))
    }

    fn id(text: &str) -> SessionId {
        SessionId::parse(text).unwrap()
    }

    #[test]
    fn pc_140_paths_come_from_the_id() {
        let layout = Layout::new("/w/gov/sessions", "/w/.iwe-runtime/peer-sessions");
        let id = id("2026-08-24-03-drop-legacy");
        assert_eq!(
            layout.session_dir(&id),
            Path::new("/w/gov/sessions/2026-08/24/2026-08-24-03-drop-legacy")
        );
        assert_eq!(layout.orz(&id), Path::new("/w/gov/sessions/2026-08/2026-08-24-03-drop-legacy.md"));
        assert_eq!(layout.index(), Path::new("/w/gov/sessions/00-index.md"));
        assert_eq!(layout.governance, Path::new("/w/gov"));
        let report = layout.session_dir(&id).join(REPORT);
        assert_eq!(layout.relative(&report), "sessions/2026-08/24/2026-08-24-03-drop-legacy/report.md");
        assert_eq!(layout.in_sessions(&report), "2026-08/24/2026-08-24-03-drop-legacy/report.md");
        assert_eq!(layout.relative(Path::new("/elsewhere/x")), "/elsewhere/x");
        let moved = Layout::new("/w/MC-sessions", "/r");
        assert_eq!(moved.relative(&moved.index()), "MC-sessions/00-index.md");
    }

    #[test]
    fn pc_141_numbers_follow_the_highest() {
        let dir = tempfile::tempdir().unwrap();
        let day = dir.path();
        assert_eq!(next_number(&day.join("missing"), "2026-08-24"), 1);
        for name in ["2026-08-24-01-a", "2026-08-24-07-b", "2026-08-23-50-other-day", "2026-08-24-x", "notes"]
        {
            fs::create_dir(day.join(name)).unwrap();
        }
        fs::write(day.join("2026-08-24-90-a-file"), "").unwrap();
        assert_eq!(next_number(day, "2026-08-24"), 8);
        fs::create_dir(day.join("2026-08-24-99-c")).unwrap();
        assert_eq!(next_number(day, "2026-08-24"), 100);
        fs::create_dir(day.join("2026-08-24-100-d")).unwrap();
        assert_eq!(next_number(day, "2026-08-24"), 101);
    }

    #[test]
    fn pc_141_racing_processes_never_share_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        let layout = layout(&dir);
        let mut ids: Vec<SessionId> = std::thread::scope(|scope| {
            let layout = &layout;
            let make = |n: usize| {
                move || create_session_dir(layout, "2026-08-24", ["same", "other"][n % 2], |_| ()).unwrap()
            };
            let tries: Vec<_> = (0..12).map(|n| scope.spawn(make(n))).collect();
            tries.into_iter().map(|t| t.join().unwrap()).collect()
        });
        ids.sort_by_key(|id| id.number());
        let numbers: Vec<u32> = ids.iter().filter_map(|id| id.number()).collect();
        assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
        assert!(ids.iter().all(|id| layout.session_dir(id).is_dir()));
    }

    #[test]
    fn pc_141_refuses_what_is_no_id() {
        let dir = tempfile::tempdir().unwrap();
        for (date, slug) in [("2026-8-24", "a"), ("2026-08-24", "../x"), ("../../etc/x", "a")] {
            let error = create_session_dir(&layout(&dir), date, slug, |_| ()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
        assert!(!dir.path().join("DS-strategy").exists());
    }

    #[test]
    fn pc_146_finds_sessions_without_the_day_level() {
        let dir = tempfile::tempdir().unwrap();
        let layout = layout(&dir);
        let id = id("2026-06-17-01-setup");
        assert_eq!(layout.find_session(&id), None);
        let flat = layout.sessions.join("2026-06").join(id.as_str());
        fs::create_dir_all(&flat).unwrap();
        assert_eq!(layout.find_session(&id), Some(flat));
        let made = create_session_dir(&layout, "2026-06-17", "setup", |_| ()).unwrap();
        assert_eq!(made.as_str(), "2026-06-17-02-setup", "the old tree keeps its id to itself");
        fs::create_dir_all(layout.session_dir(&id)).unwrap();
        assert_eq!(layout.find_session(&id), Some(layout.session_dir(&id)));
    }

    #[test]
    fn pc_140_linked_months_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let layout = layout(&dir);
        let elsewhere = dir.path().join("archive");
        fs::create_dir_all(&elsewhere).unwrap();
        fs::create_dir_all(&layout.sessions).unwrap();
        std::os::unix::fs::symlink(&elsewhere, layout.sessions.join("2026-08")).unwrap();
        let id = create_session_dir(&layout, "2026-08-24", "a", |_| ()).unwrap();
        assert!(elsewhere.join("24").join(id.as_str()).is_dir());
        assert_eq!(layout.find_session(&id), Some(layout.session_dir(&id)));
    }

    #[test]
    fn pc_232_companion_names_read_back() {
        let turn = TurnName::peer_of(2, "kimi-2");
        assert_eq!(rejected(&turn.stem(), 3), "02-peer-kimi-2.rejected-3.txt");
        assert_eq!(parse_rejected("02-peer-kimi-2.rejected-3.txt"), Some((turn.clone(), 3)));
        assert_eq!(parse_rejected("01-peer.rejected-1.txt"), Some((TurnName::peer(1), 1)));
        for name in ["01-peer.rejected-.txt", "01-peer.rejected-+1.txt", "x.rejected-1.txt", "01-peer.md"] {
            assert_eq!(parse_rejected(name), None, "{name}");
        }
        assert_eq!(err(&turn.stem()), "02-peer-kimi-2.err");
    }

    #[test]
    fn pc_441_numbered_names_read_back() {
        assert_eq!(
            (escalation(0), review(1), verify(12)),
            ("escalation-00.md".into(), "review-01.md".into(), "verify-12.md".into())
        );
        assert_eq!(parse_escalation("escalation-00.md"), Some(0));
        assert_eq!(parse_escalation("escalation-100.md"), Some(100));
        assert_eq!((parse_review("review-01.md"), parse_verify("verify-01.md")), (Some(1), Some(1)));
        for name in
            ["escalation-1.md", "escalation-+1.md", "escalation-0a.md", "escalation-00.txt", "review-01.md"]
        {
            assert_eq!(parse_escalation(name), None, "{name}");
        }
    }
}
