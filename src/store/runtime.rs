//! The session's runtime folder: what is never committed (PC-000, `Files of a session`).
//!
//! `notes.json` is the engine's memory, `events.jsonl` the evidence of every fact with its number and time,
//! `pilot.log` the pilot's words. `inbox/` takes answers from other processes.

use crate::domain::fact::Fact;
use crate::domain::session::notes::Notes;
use crate::domain::spent::Spent;
use crate::domain::time::Stamp;
use crate::store::write;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const NOTES: &str = "notes.json";
const EVENTS: &str = "events.jsonl";
const LACKS: &str = "events.jsonl cannot be read in";
const PILOT: &str = "pilot.log";
const INBOX: &str = "inbox";
/// A file that nobody has written to for so long is as it will be.
const SETTLED: Duration = Duration::from_secs(2);

/// In place of a question's id: the pilot wants the session interrupted.
pub const INTERRUPT: &str = "/interrupt";

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Event {
    pub seq: u64,
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    pub time: String,
    #[serde(flatten)]
    pub fact: Fact,
}

/// An answer that another process left for the engine.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// The question's id.
    pub question: String,
    pub text: String,
}

/// The notes, or the defaults and a problem when the file cannot be read; `unread` hears when it is the system that does
/// not give it.
pub fn notes(dir: &Path, unread: &dyn Fn(&Path, &io::Error)) -> (Notes, Option<String>) {
    let path = dir.join(NOTES);
    match std::fs::read(&path) {
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(notes) => (notes, None),
            Err(e) => (Notes::default(), Some(format!("{NOTES}: {e}; going on without it"))),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => (Notes::default(), None),
        Err(e) => {
            unread(&path, &e);
            (Notes::default(), Some(format!("{NOTES}: {e}")))
        }
    }
}

pub fn save_notes(dir: &Path, notes: &Notes) -> io::Result<()> {
    write::ensure_dir(dir)?;
    write::atomic(&dir.join(NOTES), &serde_json::to_vec_pretty(notes)?)
}

/// The log's text. A line that is no UTF-8 costs itself and not the others.
fn log(dir: &Path) -> String {
    let bytes = std::fs::read(dir.join(EVENTS)).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// What the log lacks and nobody was told yet: a crash can tear its last line, a disk any. An error is the system's that
/// does not give the log.
pub fn log_problem(dir: &Path) -> Result<Option<String>, (PathBuf, io::Error)> {
    let path = dir.join(EVENTS);
    let bytes = match std::fs::read(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other.map_err(|e| (path, e))?,
    };
    // As every line is that we write; to take them apart for this would make opening slow.
    let sound = |line: &[u8]| {
        line.starts_with(b"{\"seq\":") && line.ends_with(b"}") && std::str::from_utf8(line).is_ok()
    };
    let told = |line: &[u8]| line.windows(LACKS.len()).any(|part| part == LACKS.as_bytes());
    let untold = bytes.split(|b| *b == b'\n').rev().take_while(|line| !told(line));
    let lost = untold.filter(|line| !line.is_empty() && !sound(line)).count();
    let text = || format!("{LACKS} {lost} of its lines; the story and the cost that are shown lack them");
    Ok((lost > 0).then(text))
}

/// The number of the next event.
pub fn next_seq(dir: &Path) -> u64 {
    let text = log(dir);
    let last = text.lines().rev().find_map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        value.get("seq")?.as_u64()
    });
    last.unwrap_or(0) + 1
}

/// The event log of a running session. Evidence, not state: a lost line loses nothing, so it is not synced.
#[derive(Debug)]
pub struct EventLog(write::Log);

impl EventLog {
    pub fn open(dir: &Path) -> io::Result<EventLog> {
        Ok(EventLog(write::Log::open(&dir.join(EVENTS))?))
    }

    pub fn append(&mut self, event: &Event) -> io::Result<()> {
        self.0.append(&serde_json::to_string(event)?)
    }
}

/// Clears the folder of a session of the same id that is no more: its notes would answer the new one's questions. The
/// old event log is kept beside the new one.
pub fn clear(dir: &Path) -> io::Result<()> {
    for file in [NOTES, "call.json", "dispute.yaml", "reflection.json"] {
        match write::remove(&dir.join(file)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    for (path, _) in inbox(dir) {
        write::remove(&path)?;
    }
    for log in [EVENTS, PILOT] {
        let path = dir.join(log);
        if path.exists() {
            write::rename(&path, &dir.join(format!("before-{log}")))?;
        }
    }
    Ok(())
}

/// All events; a torn last line is left out.
pub fn events(dir: &Path) -> Vec<Event> {
    log(dir).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The event log's path.
pub fn events_file(dir: &Path) -> PathBuf {
    dir.join(EVENTS)
}

/// What the calls cost that ended at a time that counts. Only their lines are read: a log holds whole turns.
pub fn spent(dir: &Path, counts: impl Fn(Stamp) -> bool) -> Spent {
    let text = log(dir);
    let mut spent = Spent::default();
    for line in text.lines().filter(|line| line.contains("\"fact\":\"call-ended\"")) {
        let Ok(event) = serde_json::from_str::<Event>(line) else { continue };
        if let (Fact::CallEnded { call, usage, .. }, Some(at)) = (&event.fact, Stamp::parse(&event.time))
            && counts(at)
        {
            spent.ended(call, usage.as_ref());
        }
    }
    spent
}

/// Appends the pilot's words with their time (PC-254, PC-691).
pub fn append_pilot(dir: &Path, now: Stamp, what: &str, text: &str) -> io::Result<()> {
    let line = format!("{now} {what}: {}", text.replace('\n', "\\n"));
    write::append_line(&dir.join(PILOT), &line)
}

/// What a call had said when the pilot stopped it. It stays out of the session's directory: there everything counts.
pub fn save_cut(dir: &Path, title: &str, partial: &str) -> io::Result<()> {
    let dir = dir.join("cut");
    write::ensure_dir(&dir)?;
    write::atomic(&dir.join(format!("{title}.txt")), partial.as_bytes())
}

pub fn save_dispute(dir: &Path, value: &serde_json::Value) -> io::Result<()> {
    let text = serde_yaml::to_string(value).map_err(io::Error::other)?;
    write::atomic(&dir.join("dispute.yaml"), text.as_bytes())
}

pub fn save_reflection(dir: &Path, answer: &str) -> io::Result<()> {
    write::atomic(
        &dir.join("reflection.json"),
        &serde_json::to_vec(&serde_json::json!({ "answer": answer }))?,
    )
}

/// The native conversation that a participant's last reply named (PC-061).
pub fn conversation(dir: &Path, who: &str) -> Option<String> {
    let text = std::fs::read_to_string(dir.join(format!("{who}-session-id"))).ok()?;
    Some(text.trim().to_string()).filter(|id| !id.is_empty())
}

/// An empty id forgets it.
pub fn save_conversation(dir: &Path, who: &str, id: &str) -> io::Result<()> {
    write::atomic(&dir.join(format!("{who}-session-id")), format!("{id}\n").as_bytes())
}

/// Leaves an answer for the engine that drives the session, or for the next one. The file is gone when it was taken.
pub fn post(dir: &Path, message: &Message) -> io::Result<PathBuf> {
    let inbox = dir.join(INBOX);
    write::ensure_dir(&inbox)?;
    let taken = std::fs::read_dir(&inbox)?.count();
    for n in taken.. {
        let path = inbox.join(format!("{n:06}.json"));
        match write::create_exclusive(&path, &serde_json::to_vec(message)?) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Waiting answers in the order they came, each with the file to remove when it has been taken.
pub fn inbox(dir: &Path) -> Vec<(PathBuf, Message)> {
    let Ok(entries) = std::fs::read_dir(dir.join(INBOX)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let read = |path: PathBuf| Some((path.clone(), serde_json::from_slice(&std::fs::read(path).ok()?).ok()?));
    paths.into_iter().filter_map(read).collect()
}

/// Files of the inbox that hold no answer. One that was written a moment ago may not be whole yet.
pub fn unreadable(dir: &Path) -> Vec<PathBuf> {
    let readable: Vec<PathBuf> = inbox(dir).into_iter().map(|(path, _)| path).collect();
    let entries = std::fs::read_dir(dir.join(INBOX)).into_iter().flatten().flatten();
    let old = |path: &Path| {
        let written = std::fs::metadata(path).and_then(|m| m.modified()).ok();
        written.and_then(|at| at.elapsed().ok()).is_some_and(|age| age >= SETTLED)
    };
    let is_answer = |path: &PathBuf| path.extension().is_some_and(|e| e == "json");
    entries.map(|e| e.path()).filter(|p| is_answer(p) && !readable.contains(p) && old(p)).collect()
}

/// Keeps such a file where nobody takes it for an answer.
pub fn put_aside(path: &Path) -> io::Result<()> {
    write::rename(path, &path.with_extension("unreadable"))
}

/// The folder that other processes put answers into.
pub fn inbox_dir(dir: &Path) -> PathBuf {
    dir.join(INBOX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::effect::{Call, Purpose};
    use crate::domain::fact::Usage;

    #[test]
    fn the_cost_of_a_day_is_that_of_the_calls_that_ended_on_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = EventLog::open(dir.path()).unwrap();
        let call = Call {
            purpose: Purpose::Peer,
            vendor: Some("bo".into()),
            round: 1,
            attempt: 1,
            name: None,
            complaints: Vec::new(),
        };
        let usage = |usd| Some(Usage { output: Some(10), cost_usd: usd, ..Usage::default() });
        for (seq, time, usage) in [
            (1, "2026-08-23T23:59:59Z", usage(Some(9.0))),
            (2, "2026-08-24T00:00:00Z", usage(Some(0.5))),
            (3, "2026-08-24T10:00:00Z", None),
        ] {
            let fact = Fact::CallEnded { call: call.clone(), failure: None, millis: 1, usage };
            log.append(&Event { seq, time: time.into(), fact }).unwrap();
        }
        let day = Stamp::parse("2026-08-24T00:00:00Z").unwrap();
        let spent = spent(dir.path(), |at| at >= day);
        assert_eq!((spent.tokens, spent.usd, spent.silent, spent.unpriced), (Some(10), Some(0.5), 1, 1));
    }
}
