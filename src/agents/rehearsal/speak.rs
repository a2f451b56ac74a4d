//! One scripted reply as a child process, under the adapter contract (group C).

use super::story::story;
use crate::agents::call::Purpose;
use crate::domain::time::Stamp;
use serde::Deserialize;
use serde::de::value::{Error as PlainError, StrDeserializer};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A reply takes between these at speed 1, whatever its length: long enough to follow, short enough to wait for.
const SHORTEST: Duration = Duration::from_secs(3);
const LONGEST: Duration = Duration::from_secs(8);
const PER_WORD: Duration = Duration::from_millis(45);
/// Words written at once.
const STEP: usize = 3;

/// Runs `rehearse <story> <participant> [--speed S]` with the flags of the contract behind it, and gives the exit code.
/// `args` is what follows `rehearse`; `env` reads a variable (`FLIGHTDECK_CALL`, `_ROUND`, `_ATTEMPT`, `_SESSION`).
/// Speed 1 is for a person to read along, 2 is twice as fast, 0 is at once. Blocks until everything is written.
pub fn rehearse(
    args: &[String],
    env: &dyn Fn(&str) -> Option<String>,
    mut input: impl Read,
    mut out: impl Write,
    mut err: impl Write,
) -> u8 {
    match prepare(args, env, &mut input) {
        // A reader that went away is the caller's decision; there is nobody left to tell.
        Ok(reply) => reply.perform(&mut out, &mut err).unwrap_or(1),
        Err(problem) => {
            writeln!(err, "ERROR: {problem}").ok();
            1
        }
    }
}

struct Reply {
    text: String,
    stderr: String,
    exit: u8,
    pause: Duration,
    speed: f64,
    /// Written before the first word.
    edits: Vec<(PathBuf, String)>,
}

/// Where the edits of an implementing line go (`FLIGHTDECK_WORKTREES`).
fn edits<'a>(
    edits: impl Iterator<Item = (&'a String, &'a String)>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(PathBuf, String)>, String> {
    let trees = env("FLIGHTDECK_WORKTREES").unwrap_or_else(|| "{}".into());
    let trees: BTreeMap<String, PathBuf> =
        serde_json::from_str(&trees).map_err(|e| format!("FLIGHTDECK_WORKTREES: {e}"))?;
    let place = |(label, text): (&String, &String)| {
        let (repo, path) = label.split_once('/').unwrap_or((label, ""));
        let tree = trees.get(repo).ok_or_else(|| format!("FLIGHTDECK_WORKTREES names no {repo:?}"))?;
        Ok((tree.join(path), text.clone()))
    };
    edits.map(place).collect()
}

fn prepare(
    args: &[String],
    env: &dyn Fn(&str) -> Option<String>,
    input: &mut impl Read,
) -> Result<Reply, String> {
    let args = Args::parse(args)?;
    let story = story(&args.story)?;
    let participant = story.participants().find(|p| p.vendor == args.participant).ok_or_else(|| {
        let known: Vec<&str> = story.participants().map(|p| p.vendor.as_str()).collect();
        format!("no participant {:?} in this story. Known: {}", args.participant, known.join(", "))
    })?;
    let call = purpose(&env("FLIGHTDECK_CALL").unwrap_or_default())?;
    let (round, attempt) = (number(env, "FLIGHTDECK_ROUND", 0)?, number(env, "FLIGHTDECK_ATTEMPT", 1)?);
    // The prompt is read to its end like by any adapter, and not needed.
    if io::copy(input, &mut io::sink()).map_err(|e| format!("the prompt cannot be read: {e}"))? == 0 {
        return Err("the prompt is empty; it is expected on stdin".into());
    }
    let (line, turn) = story.line(&participant.vendor, call, round, attempt).ok_or_else(|| {
        format!(
            "{} has no line for call {}, round {round}, attempt {attempt}",
            participant.vendor,
            call.key()
        )
    })?;
    let session = env("FLIGHTDECK_SESSION").unwrap_or_default();
    let text = fill(
        &line.say,
        &[
            ("{turn}", &turn.to_string()),
            ("{agent_id}", &participant.agent_id),
            ("{now}", &now().to_string()),
            ("{session}", &session),
        ],
    );
    let edits = edits(line.edits.iter(), env)?;
    Ok(Reply {
        text,
        stderr: line.stderr.clone(),
        exit: line.exit,
        pause: line.pause,
        speed: args.speed,
        edits,
    })
}

impl Reply {
    fn perform(&self, out: &mut impl Write, err: &mut impl Write) -> io::Result<u8> {
        self.wait(self.pause);
        for (path, text) in &self.edits {
            write(path, text)?;
        }
        let words: Vec<&str> = self.text.split_inclusive([' ', '\n']).collect();
        let time = (PER_WORD * words.len() as u32).clamp(SHORTEST, LONGEST);
        let steps = words.len().div_ceil(STEP).max(1) as u32;
        for step in words.chunks(STEP) {
            for word in step {
                out.write_all(word.as_bytes())?;
            }
            out.flush()?;
            self.wait(time / steps);
        }
        if !self.stderr.is_empty() {
            writeln!(err, "{}", self.stderr.trim_end())?;
        }
        Ok(self.exit)
    }

    #[expect(clippy::disallowed_methods, reason = "a process of its own whose work is to take time")]
    fn wait(&self, time: Duration) {
        if self.speed > 0.0 && !time.is_zero() {
            std::thread::sleep(time.div_f64(self.speed));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a process of its own that edits as an agent would")]
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(path, text)
}

struct Args {
    story: String,
    participant: String,
    speed: f64,
}

impl Args {
    /// `-p`, `--model M` and `--add-dir D` belong to the contract and change nothing here; anything unknown is refused
    /// (PC-056).
    fn parse(args: &[String]) -> Result<Args, String> {
        let (mut names, mut speed, mut rest) = (Vec::new(), 1.0, args.iter());
        while let Some(arg) = rest.next() {
            let mut value = || match rest.next() {
                Some(value) if !value.is_empty() && !value.starts_with('-') => Ok(value),
                _ => Err(format!("{arg} needs a value")),
            };
            match arg.as_str() {
                "-p" => {}
                "--model" | "--add-dir" => drop(value()?),
                "--speed" => {
                    let number = value()?.parse().ok().filter(|n| *n == 0.0 || (0.01..=1000.0).contains(n));
                    speed = number.ok_or("--speed needs 0 (at once) or a number from 0.01 to 1000")?;
                }
                flag if flag.starts_with('-') => {
                    return Err(format!("unknown flag {flag:?}. Known: -p, --model, --add-dir, --speed"));
                }
                name => names.push(name.to_string()),
            }
        }
        let Ok([story, participant]) = <[String; 2]>::try_from(names) else {
            return Err("usage: flightdeck rehearse <story> <participant> [--speed S]".into());
        };
        Ok(Args { story, participant, speed })
    }
}

fn purpose(text: &str) -> Result<Purpose, String> {
    Purpose::deserialize(StrDeserializer::<PlainError>::new(text)).map_err(|_| {
        format!("FLIGHTDECK_CALL is {text:?}; expected the purpose of a call, such as opening or peer")
    })
}

fn number(env: &dyn Fn(&str) -> Option<String>, name: &str, default: u32) -> Result<u32, String> {
    match env(name) {
        Some(text) => text.trim().parse().map_err(|_| format!("{name} is {text:?}; expected a number")),
        None => Ok(default),
    }
}

/// Replaces the placeholders in one pass: a value is never searched again. Other braces stay as they are.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        match values.iter().find(|(name, _)| tail.starts_with(name)) {
            Some((name, value)) => {
                out.push_str(value);
                rest = &tail[name.len()..];
            }
            None => {
                out.push('{');
                rest = &tail[1..];
            }
        }
    }
    out + rest
}

#[expect(clippy::disallowed_methods, reason = "a process of its own, without an engine's clock")]
fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(i64::try_from(since.as_secs()).unwrap_or_default())
}
