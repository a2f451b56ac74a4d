//! session-guard, the IWE script that grants commit rights: called on best effort, never in the way (PC-150 to 155,
//! 647, 652).

use crate::config::places::Places;
use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::time::Stamp;
use crate::engine::wp::WpId;
use crate::git::child;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The guard is a local script; one that hangs must not hold the session.
const DEADLINE: Duration = Duration::from_secs(60);

/// After 3.5 h the right to commit is renewed; it lapses after 4 h (PC-155).
const RENEW_AFTER_SECONDS: i64 = 3 * 3600 + 1800;

/// A semaphore is a few lines.
const SEMAPHORE_LIMIT: u64 = 256 * 1024;

/// The guard of one writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// `None` outside an IWE tree and where the script is missing.
    script: Option<PathBuf>,
    env: Vec<(String, String)>,
    /// The folder of the semaphores.
    semaphores: Option<PathBuf>,
    /// Registry field `guard_agent` of the writer.
    agent: String,
    deadline: Duration,
}

/// How a call of the guard ended. Nothing of it blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guarded {
    Done,
    NotInstalled,
    /// One line.
    Failed(String),
}

/// An open semaphore of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Semaphore {
    pub path: PathBuf,
    /// When the right to commit began or was renewed last; `None` when the file does not say.
    pub since: Option<Stamp>,
}

impl Semaphore {
    /// True when the right should be renewed before a commit (PC-155). One of unknown age grants nothing, so renewing
    /// can only help.
    pub fn needs_renewal(&self, now: Stamp) -> bool {
        self.since.is_none_or(|since| now.0 - since.0 > RENEW_AFTER_SECONDS)
    }
}

/// What helps when the guard's pre-commit check refused a commit (PC-645).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Code 4 with a semaphore: the right lapsed.
    Renew,
    /// Code 4 without one.
    Open,
    /// Code 6: the files are not in the session's scope.
    NoteFile,
}

impl Guard {
    pub fn new(places: &Places, agent: &str) -> Guard {
        let iwe = places.active_iwe();
        Guard {
            script: iwe.map(|iwe| iwe.scripts.join("session-guard.sh")).filter(|script| script.is_file()),
            env: places.script_env(),
            semaphores: iwe.map(|iwe| iwe.workspace.join(".iwe-runtime/sessions")),
            agent: agent.to_string(),
            deadline: DEADLINE,
        }
    }

    /// Before the first write of the session (PC-150).
    pub fn open(&self, session: &SessionId, wp: Option<WpId>, task: &str) -> Guarded {
        let wp = wp.map_or_else(|| "unknown".to_string(), |id| id.to_string());
        let task = one_line(task);
        self.call(
            "open",
            &["--wp", &wp, "--agent", &self.agent, "--close-path", "peer-session", "--task", &task],
            session,
        )
    }

    /// Puts a file, or a folder with everything that will be in it, into the session's scope (PC-153). The path must
    /// exist already and be absolute.
    pub fn note_file(&self, session: &SessionId, path: &Path) -> Guarded {
        self.call("note-file", &[&path.to_string_lossy(), "--agent", &self.agent], session)
    }

    /// Extends the right to commit (PC-155).
    pub fn renew(&self, session: &SessionId) -> Guarded {
        self.call("renew", &["--agent", &self.agent], session)
    }

    /// After a successful push, also of an interrupted session (PC-647, PC-652).
    pub fn close(&self, session: &SessionId) -> Guarded {
        self.call("close", &["--agent", &self.agent], session)
    }

    /// The semaphore that is open for this session, whoever opened it (PC-642). Read from disk, so that it is known
    /// after a restart too.
    pub fn semaphore(&self, session: &SessionId) -> Option<Semaphore> {
        let (prefix, line) = (format!("{}-", self.agent), format!("slug: {session}"));
        fs::read_dir(self.semaphores.as_ref()?).ok()?.flatten().map(|entry| entry.path()).find_map(|path| {
            let name = path.file_name()?.to_str()?;
            if !name.starts_with(&prefix) || !name.ends_with(".open") {
                return None;
            }
            let text = small(&path)?;
            text.lines().any(|l| l.trim_end() == line).then(|| Semaphore { since: since(&path, &text), path })
        })
    }

    fn call(&self, verb: &str, args: &[&str], session: &SessionId) -> Guarded {
        let Some(script) = &self.script else { return Guarded::NotInstalled };
        let mut command = child::command("bash");
        command.arg(script).arg(verb).args(args).args(["--slug", session.as_str()]);
        command.envs(self.env.iter().map(|(name, value)| (name, value))).env("IWE_AGENT", &self.agent);
        match child::run(&mut command, self.deadline) {
            Ok(finished) if finished.ok() => Guarded::Done,
            Ok(finished) if finished.timed_out => {
                Guarded::Failed(format!("no answer in {} s", self.deadline.as_secs()))
            }
            Ok(finished) => {
                let code = finished.code.map_or_else(|| "killed".to_string(), |code| format!("code {code}"));
                let said = finished.said().lines().rfind(|line| !line.trim().is_empty()).map(one_line);
                Guarded::Failed(said.map_or_else(|| code.clone(), |said| format!("{code}: {said}")))
            }
            Err(error) => Guarded::Failed(error.to_string()),
        }
    }
}

/// What the pilot is told about `open` (PC-151). `None` when all went well; a missing script is a silent note.
pub fn open_line(result: &Guarded, lang: Lang) -> Option<String> {
    let Guarded::Failed(reason) = result else { return None };
    Some(match lang {
        Lang::En => format!(
            "session-guard open failed ({reason}), continuing without semaphore — manual unblock via touch/note-file \
             may be needed at Step 4.5"
        ),
        Lang::Ru => format!(
            "session-guard open не сработал ({reason}), продолжаю без семафора — на Шаге 4.5 возможна ручная \
             разблокировка через touch/note-file"
        ),
    })
}

/// What the pilot is told about `close` (PC-647): the fixed line, then what the guard said.
pub fn close_lines(result: &Guarded, lang: Lang) -> Vec<String> {
    let Guarded::Failed(reason) = result else { return Vec::new() };
    let line = lang.pick(
        "session-guard close failed — semaphore will remain active until auto-orphan (TTL 30 min on next open), does \
         not block the pilot",
        "session-guard close не прошёл — семафор останется активным до auto-orphan (TTL 30 мин на следующем open), не \
         блокирует пилота",
    );
    vec![line.to_string(), format!("session-guard: {reason}")]
}

/// What the pilot is told about `note-file` and `renew`: a failure is only shown.
pub fn other_line(verb: &str, result: &Guarded, lang: Lang) -> Option<String> {
    let Guarded::Failed(reason) = result else { return None };
    Some(match lang {
        Lang::En => format!("session-guard {verb} failed ({reason})"),
        Lang::Ru => format!("session-guard {verb} не сработал ({reason})"),
    })
}

/// The silent note of PC-151, for logs and `doctor`.
pub const NOT_INSTALLED: &str = "session-guard not installed";

/// The remedy that the text of a refusing hook points to; `None` when it is not the guard's.
pub fn remedy(hook: &str) -> Option<Remedy> {
    let hook = hook.to_lowercase();
    if !hook.contains("session-guard") {
        None
    } else if hook.contains("note-file") {
        Some(Remedy::NoteFile)
    } else if hook.contains("renew") {
        Some(Remedy::Renew)
    } else {
        Some(Remedy::Open)
    }
}

/// `opened_at` of the semaphore or `renewed_at` of its lease, whichever is later.
fn since(semaphore: &Path, text: &str) -> Option<Stamp> {
    let stamp = |text: &str, keys: &[&str]| {
        text.lines().find_map(|line| keys.iter().find_map(|key| Stamp::parse(line.strip_prefix(key)?)))
    };
    let mut lease = semaphore.as_os_str().to_owned();
    lease.push(".lease");
    let opened = stamp(text, &["opened_at: ", "created_at: "]);
    let renewed = small(Path::new(&lease)).and_then(|text| stamp(&text, &["renewed_at: "]));
    // The guard, too, ignores a lease whose semaphore has no readable time.
    opened.map(|opened| renewed.map_or(opened, |renewed| renewed.max(opened)))
}

fn small(path: &Path) -> Option<String> {
    let size = fs::metadata(path).ok()?.len();
    (size <= SEMAPHORE_LIMIT)
        .then(|| fs::read(path).ok())
        .flatten()
        .map(|b| String::from_utf8_lossy(&b).into_owned())
}

/// White space collapsed, other controls dropped, at most 300 characters: semaphores and reports are made of lines.
fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(script: &str) -> (tempfile::TempDir, Guard, SessionId) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("scripts")).unwrap();
        fs::create_dir_all(root.join(".iwe-runtime/sessions")).unwrap();
        if !script.is_empty() {
            fs::write(root.join("scripts/session-guard.sh"), script).unwrap();
        }
        let guard = Guard::new(&Places::in_tree(root, true), "claude-code");
        (dir, guard, SessionId::parse("2026-08-24-01-choose-cache").unwrap())
    }

    const ECHO: &str = "printf '%s\\n' \"$IWE_AGENT\" \"$IWE_ROOT\" \"$@\" > \"$IWE_ROOT/args\"\n";

    #[test]
    fn pc_150_open_gets_every_argument() {
        let (dir, guard, id) = world(ECHO);
        assert_eq!(guard.open(&id, Some(WpId(142)), "Choose\n a \"policy\"\u{1b}[0m"), Guarded::Done);
        let args = |n: usize| {
            fs::read_to_string(dir.path().join("args")).unwrap().lines().skip(n).collect::<Vec<_>>().join("|")
        };
        let root = dir.path().display().to_string();
        assert_eq!(
            args(0),
            format!(
                "claude-code|{root}|open|--wp|WP-142|--agent|claude-code|--close-path|peer-session|--task|\
                 Choose a \"policy\" [0m|--slug|2026-08-24-01-choose-cache"
            )
        );
        guard.open(&id, None, "x");
        assert!(args(2).starts_with("open|--wp|unknown|"));
        guard.note_file(&id, Path::new("/a b/c"));
        assert_eq!(
            args(2),
            "note-file|/a b/c|--agent|claude-code|--slug|2026-08-24-01-choose-cache",
            "PC-153"
        );
        guard.close(&id);
        assert_eq!(args(2), "close|--agent|claude-code|--slug|2026-08-24-01-choose-cache", "PC-647");
        guard.renew(&id);
        assert_eq!(args(2), "renew|--agent|claude-code|--slug|2026-08-24-01-choose-cache", "PC-155");
    }

    #[test]
    fn pc_151_a_failure_is_one_line_and_blocks_nothing() {
        let (_dir, guard, id) = world("echo working; echo 'session-guard: no WP' >&2; exit 2");
        let result = guard.open(&id, None, "x");
        assert_eq!(
            open_line(&result, Lang::En).unwrap(),
            "session-guard open failed (code 2: session-guard: no WP), continuing without semaphore — manual unblock \
             via touch/note-file may be needed at Step 4.5"
        );
        assert_eq!(
            open_line(&result, Lang::Ru).unwrap(),
            "session-guard open не сработал (code 2: session-guard: no WP), продолжаю без семафора — на Шаге 4.5 \
             возможна ручная разблокировка через touch/note-file"
        );
        assert_eq!(
            other_line("renew", &result, Lang::En).unwrap(),
            "session-guard renew failed (code 2: session-guard: no WP)"
        );
    }

    #[test]
    fn pc_151_a_missing_script_is_silent() {
        let (dir, guard, id) = world("");
        assert_eq!(guard.open(&id, None, "x"), Guarded::NotInstalled);
        assert_eq!(open_line(&Guarded::NotInstalled, Lang::En), None);
        assert_eq!(close_lines(&Guarded::NotInstalled, Lang::En), Vec::<String>::new());
        fs::write(dir.path().join("scripts/session-guard.sh"), ECHO).unwrap();
        let outside = Guard::new(&Places::in_tree(dir.path(), false), "claude-code");
        assert_eq!(
            outside.open(&id, None, "x"),
            Guarded::NotInstalled,
            "other trees are not the guard's business"
        );
    }

    #[test]
    fn pc_151_a_hanging_guard_is_ended() {
        let (_dir, guard, id) = world("sleep 300");
        let guard = Guard { deadline: Duration::from_millis(100), ..guard };
        assert!(matches!(guard.open(&id, None, "x"), Guarded::Failed(_)));
    }

    #[test]
    fn pc_647_the_close_message() {
        let lines = close_lines(&Guarded::Failed("code 5: x".into()), Lang::En);
        assert_eq!(
            lines,
            [
                "session-guard close failed — semaphore will remain active until auto-orphan (TTL 30 min on next \
                 open), does not block the pilot",
                "session-guard: code 5: x"
            ]
        );
        assert!(close_lines(&Guarded::Done, Lang::Ru).is_empty());
    }

    #[test]
    fn pc_642_an_open_semaphore_is_found_by_its_slug() {
        let (dir, guard, id) = world("");
        let folder = dir.path().join(".iwe-runtime/sessions");
        let semaphore = |name: &str, slug: &str| {
            let text = format!("---\nagent: x\nslug: {slug}\nopened_at: 2026-08-24T09:00:00Z\n---\n");
            fs::write(folder.join(name), text).unwrap();
        };
        semaphore("claude-code-1.open", "2026-08-24-01-choose-cache-eviction");
        semaphore("claude-code-2.open.closed", id.as_str());
        semaphore("kimi-3.open", id.as_str());
        assert_eq!(guard.semaphore(&id), None);
        semaphore("claude-code-4.open", id.as_str());
        let found = guard.semaphore(&id).unwrap();
        assert!(found.path.ends_with("claude-code-4.open"));
        assert_eq!(found.since, Stamp::parse("2026-08-24T09:00:00Z"));
    }

    #[test]
    fn pc_155_the_right_is_renewed_after_three_and_a_half_hours() {
        let (dir, guard, id) = world("");
        let path = dir.path().join(".iwe-runtime/sessions/claude-code-1.open");
        fs::write(&path, format!("slug: {id}\nopened_at: 2026-08-24T09:00:00Z\n")).unwrap();
        let at = |text: &str| Stamp::parse(text).unwrap();
        let due = |now: &str| guard.semaphore(&id).unwrap().needs_renewal(at(now));
        assert!(!due("2026-08-24T12:30:00Z") && due("2026-08-24T12:30:01Z"));
        fs::write(format!("{}.lease", path.display()), "renewed_at: 2026-08-24T12:31:00Z\n").unwrap();
        assert!(!due("2026-08-24T15:00:00Z"));
        fs::write(&path, format!("slug: {id}\n")).unwrap();
        assert!(due("2026-08-24T09:00:00Z"));
    }

    #[test]
    fn pc_645_remedies_of_the_guards_refusals() {
        let expired =
            "🚫 SESSION-GUARD: коммит заблокирован\n  продлить: bash x/session-guard.sh renew --wp WP-N";
        let scope = "🚫 BLOCK: a\nScope gate\n  bash x/scripts/session-guard.sh note-file <path>";
        let none = "🚫 SESSION-GUARD: коммит заблокирован.\n  bash x/session-guard.sh open --wp WP-N";
        assert_eq!(remedy(expired), Some(Remedy::Renew));
        assert_eq!(remedy(scope), Some(Remedy::NoteFile));
        assert_eq!(remedy(none), Some(Remedy::Open));
        assert_eq!(remedy("eslint failed, renew your code"), None);
    }
}
