//! A stage for whole sessions: a scratch home, participants that are shell scripts, and the built program.
//!
//! Every participant logs its calls to `calls.log`, so a test can say who was asked what and how often.

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes; a wait that reaches it is a failure.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A peer's reply: `reply <role> <body>`. `note` is what the call is called in the log.
const PRELUDE: &str = r#"#!/bin/sh
# The prompt is read to its end first, as the contract asks.
mkdir -p "$HOME/prompts"
note="$VENDOR-$FLIGHTDECK_CALL-$FLIGHTDECK_ROUND-$FLIGHTDECK_ATTEMPT"
cat > "$HOME/prompts/$note"
echo "$VENDOR $FLIGHTDECK_CALL $FLIGHTDECK_ROUND $FLIGHTDECK_ATTEMPT" >> "$HOME/calls.log"
reply() {
    printf -- '---\nturn: %s\nrole: peer\nagent_id: %s\ncontent_role: %s\nprocess_position: peer\n' "$FLIGHTDECK_ROUND" "$VENDOR" "$1"
    printf -- 'timestamp: 2026-08-24T10:00:00Z\nconsensus: none\n'
    [ "$FLIGHTDECK_CALL" = discovery ] && printf -- 'role_accepted: %s\n' "${ACCEPTS:-true}"
    printf -- '---\n\n%s\n' "$2"
}
at="$FLIGHTDECK_CALL:$FLIGHTDECK_ROUND:$FLIGHTDECK_ATTEMPT"
"#;

/// The usual ends of a writer's script.
const WRITER: &str = r#"
case "$FLIGHTDECK_CALL" in
opening) echo "I propose to keep the cache small, because a small cache is easy to reason about and to replace." ;;
turn) echo "I keep my position after round $FLIGHTDECK_ROUND and add what was said about the size of the cache." ;;
roles) printf 'agreed_roles: {}\nwriter_role: moderator\n' ;;
summary) printf 'discussed: "How large the cache is"\nagreed: "It stays small"\nproposed:\n  - "Set its size"\nhours: 2\nimpact: "Less memory is used"\ndefer: none\n' ;;
dispute) printf 'reversible: no\nin_authority: yes\npositions:\n  - {summary: "small", supporters: [ada]}\n  - {summary: "large", supporters: [bo, cy]}\n' ;;
judge) echo "no" ;;
synthesis) report ;;
esac
"#;

/// A report that `verify` passes: the links are taken from the session's own files in the prompt.
pub const REPORT: &str = r#"
report() {
    links=$(grep -oE '[0-9][0-9]-(writer|peer)[A-Za-z0-9_-]*\.md' "$HOME/prompts/$note" | sort -u | sed 's/.*/[&](&)/' | paste -sd, - | sed 's/,/, /g')
    decision="Keep the cache small. [synthesized]"
    grep -q 'result_class: not-agreed' "$HOME/prompts/$note" && decision="Consensus not reached"
    cat <<END
---
confidence: high
ttl_event: until pilot cancels
cost_source: missing
---

# Final Report

## 1. Original problem statement
- **Task:** how large the cache is
- **Writer's initial position:** keep it small.

## 2. Positions by topic

**Topic 1: the size**
- Initiator: ada
- **ada:** small → easy to replace → 00-writer.md
- Evolution: none
- Resolution: small.

## 3. Rejected alternatives
- A large cache → nobody asked for it → 00-writer.md

## 4. Recorded decision
- $decision
- **Key argument:** a small cache is easy to replace.
- **Confidence:** high
- **TTL event:** until pilot cancels

## 5. Open questions and escalations
- Who did not take part to the end, if anybody, is one of bo, cy, di: the load was not checked by them.
- Status: needs-verification
- Reference: 00-writer.md

## 7. Metadata and navigation
- **Log:** $links
- **Related Artifacts:** none
END
}
"#;

/// The usual peer of a session: takes the proposed role and agrees in the first round.
pub const AGREES: &str = r#"
case "$FLIGHTDECK_CALL" in
discovery) reply critic "I am $VENDOR and take the role as proposed; I answer on standard output only, without touching files." ;;
*) reply critic "For $VENDOR the argument about the size holds for our load in round $FLIGHTDECK_ROUND, and I see no case that it does not cover.
CONSENSUS: the cache stays small" ;;
esac
"#;

/// A home with a writer `ada` and peers `bo`, `cy`, `di`, all of them scripts.
pub struct Stage {
    temp: TempDir,
    path: String,
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ran {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Stage {
    pub fn new() -> Stage {
        let temp = tempfile::tempdir().unwrap();
        let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", temp.path().display());
        let stage = Stage { temp, path };
        for folder in ["adapters", "work", "tmp", ".config/flightdeck"] {
            fs::create_dir_all(stage.home().join(folder)).unwrap();
        }
        stage.config("");
        stage.writer("");
        for peer in ["bo", "cy", "di"] {
            stage.script(peer, AGREES);
        }
        stage
    }

    pub fn home(&self) -> &Path {
        self.temp.path()
    }

    pub fn sessions(&self) -> PathBuf {
        self.home().join("sessions")
    }

    /// Writes the configuration: the four participants, then `more` keys. Keys of a vendor are given as
    /// `vendor.<name>: {…}` lines.
    pub fn config(&self, more: &str) {
        let mut text = String::from("writer: ada\npeers: [bo]\nvendors:\n");
        for name in ["ada", "bo", "cy", "di"] {
            let extra = more.lines().find_map(|l| l.strip_prefix(&format!("vendor.{name}: ")));
            let extra = extra.map(|e| format!(", {e}")).unwrap_or_default();
            text.push_str(&format!(
                "  {name}: {{kind: script, path: ../../adapters/{name}.sh, env: {{VENDOR: {name}}}{extra}}}\n"
            ));
        }
        for line in more.lines().filter(|l| !l.starts_with("vendor.")) {
            text.push_str(line);
            text.push('\n');
        }
        fs::write(self.home().join(".config/flightdeck/config.yaml"), text).unwrap();
    }

    /// The writer's script: `first` may answer and `exit`, else the usual answers follow.
    pub fn writer(&self, first: &str) {
        self.script("ada", &format!("{REPORT}{first}{WRITER}"));
    }

    /// A participant's script behind the prelude.
    pub fn script(&self, name: &str, body: &str) {
        let path = self.home().join(format!("adapters/{name}.sh"));
        // A running script must not change under its shell.
        let new = path.with_extension("new");
        fs::write(&new, format!("{PRELUDE}{body}")).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&new, &path).unwrap();
    }

    /// The program with these arguments, not started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flightdeck"));
        self.clean(&mut command);
        command.args(args);
        command
    }

    /// The environment of every process here.
    pub fn clean<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", &self.path)
            .env("TMPDIR", self.home().join("tmp"))
            .env("FLIGHTDECK_SESSIONS_DIR", self.sessions())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("TZ", "UTC")
            .current_dir(self.home().join("work"))
            .stdin(Stdio::null())
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs with a text on standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        finish(self.command(args), input)
    }

    /// `run --close auto --decision A` with more arguments; the task is fixed.
    pub fn session(&self, args: &[&str]) -> Ran {
        let mut all = vec!["run", "--close", "auto", "--decision", "A", "--yes"];
        all.extend(args);
        all.push("How large is the cache");
        self.run(&all)
    }

    /// The directory of the only session, or of the newest.
    pub fn dir(&self) -> PathBuf {
        let mut dirs = self.dirs();
        dirs.sort();
        dirs.pop().expect("a session directory")
    }

    pub fn dirs(&self) -> Vec<PathBuf> {
        let sub = |dir: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            entries.map(|e| e.path()).filter(|p| p.is_dir()).collect()
        };
        sub(&self.sessions()).iter().flat_map(|month| sub(month)).flat_map(|day| sub(&day)).collect()
    }

    pub fn id(&self) -> String {
        self.dir().file_name().unwrap().to_string_lossy().into_owned()
    }

    pub fn show(&self) -> Value {
        let ran = self.run(&["show", "--json", &self.id()]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Ids of the open questions.
    pub fn questions(&self) -> Vec<String> {
        let state = self.show();
        let list = state["questions"].as_array().unwrap().clone();
        list.iter().map(|q| q["id"].as_str().unwrap().to_string()).collect()
    }

    /// Answers the question and goes on headless.
    pub fn answer_and_resume(&self, question: &str, text: &str) -> Ran {
        let id = self.id();
        let ran = self.run(&["answer", &id, question, text]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        self.resume(&[])
    }

    pub fn resume(&self, more: &[&str]) -> Ran {
        let id = self.id();
        let mut args = vec!["resume", "--headless", "--close", "auto", "--decision", "A", &id];
        args.extend(more);
        self.run(&args)
    }

    pub fn file(&self, name: &str) -> String {
        let path = self.dir().join(name);
        fs::read(&path)
            .map(|b| String::from_utf8_lossy(&b).into_owned())
            .unwrap_or_else(|e| panic!("{}: {e}; there are {:?}", path.display(), self.files()))
    }

    /// Names in the session's directory, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.dir())
            .unwrap()
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn has(&self, name: &str) -> bool {
        self.dir().join(name).exists()
    }

    pub fn meta(&self) -> String {
        self.file("meta.yaml")
    }

    /// The calls so far: `vendor purpose round attempt`.
    pub fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home().join("calls.log")).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// The prompt that a call got.
    pub fn prompt(&self, call: &str) -> String {
        fs::read_to_string(self.home().join("prompts").join(call)).unwrap_or_default()
    }

    /// The session is closed, its report passes, and nothing half-written is left.
    #[track_caller]
    pub fn assert_closed(&self, ran: &Ran) {
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let verified = self.run(&["verify", &self.id()]);
        assert_eq!(verified.code, Some(0), "{verified:?}\n{}", self.file("report.md"));
        assert!(self.meta().contains(r#"status: "completed""#), "{}", self.meta());
        assert!(!self.has("report-draft.md"));
        assert!(self.files().iter().all(|f| !f.ends_with(".tmp")), "{:?}", self.files());
        let index = fs::read_to_string(self.sessions().join("00-index.md")).unwrap();
        assert_eq!(index.lines().filter(|l| l.contains(&self.id()) && l.contains("completed")).count(), 1);
    }
}

/// Runs a command to its end with a text on standard input.
pub fn finish(mut command: Command, input: &str) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input is no failure of the test.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    Ran {
        code: done.status.code(),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// A program that runs while the test goes on; killed at the end.
pub struct Running {
    pub child: Child,
}

impl Running {
    pub fn start(mut command: Command) -> Running {
        Running { child: command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap() }
    }

    /// Reads lines of its output until one contains `text`.
    pub fn until(&mut self, text: &str) {
        let out = self.child.stdout.as_mut().unwrap();
        for line in BufReader::new(out).lines() {
            if line.unwrap().contains(text) {
                return;
            }
        }
        panic!("it ended without printing {text:?}");
    }

    /// Waits for its end.
    pub fn code(&mut self) -> Option<i32> {
        let mut code = None;
        until("the program ends", || {
            code = self.child.try_wait().unwrap().map(|s| s.code());
            code.is_some()
        });
        code.flatten()
    }

    /// SIGKILL, to the program alone.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again until the condition holds.
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "waited in vain until {what}");
        std::thread::yield_now();
        // The condition is asked again; the pause only spares the processor.
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
