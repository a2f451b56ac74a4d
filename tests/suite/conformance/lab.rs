//! One vendor's real program on a stage of its own, with a model behind it, for one case.

use super::model::{Asked, Model, Mood};
use super::vendors::Row;
use crate::stage::{Ran, Running, Stage, finish, until};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Lab {
    pub row: Row,
    pub stage: Stage,
    pub model: Model,
    bin: PathBuf,
}

/// The tokens of one call, as the engine recorded it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    pub purpose: String,
    /// `null` when the vendor told nothing.
    pub usage: Value,
}

impl Lab {
    pub fn new(row: &Row, installed: &Path) -> Lab {
        let lab = Lab { row: *row, stage: Stage::new(), model: Model::start(), bin: row.bin(installed) };
        for (name, text) in row.files(&lab.model.url()) {
            let path = lab.stage.home().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        lab.config(&json!({"deadline": "90s"}));
        lab
    }

    /// Writes the configuration: the scripts of the stage, and the vendor with more keys.
    pub fn config(&self, more: &Value) {
        self.config_with(more, "");
    }

    /// The same with more lines beside the vendors.
    pub fn config_with(&self, more: &Value, lines: &str) {
        let mut entry = self.row.entry(&self.bin, self.stage.home(), &self.model.url());
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        // JSON is YAML.
        self.stage.config(&format!("  {}: {entry}\n{lines}", self.row.vendor));
    }

    /// The configuration of a user whose agent has its tools and asks before it uses them.
    pub fn config_asking(&self, more: &Value) {
        let mut entry = self.row.entry(&self.bin, self.stage.home(), &self.model.url());
        self.row.with_tools(&mut entry, self.stage.home());
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.stage.config(&format!("  {}: {entry}\n", self.row.vendor));
    }

    /// One call by the contract.
    pub fn call(&self, prompt: &str, more: &[&str]) -> Ran {
        finish(self.call_command(more), prompt)
    }

    pub fn call_command(&self, more: &[&str]) -> Command {
        let mut args = vec!["adapter", self.row.vendor];
        args.extend(more);
        self.stage.command(&args)
    }

    /// A session to its end. The facts are its output.
    pub fn session(&self, writer: &str, peers: &str) -> Ran {
        self.stage.run(&session_args(writer, peers))
    }

    pub fn running_session(&self, writer: &str, peers: &str) -> Running {
        Running::start(self.stage.command(&session_args(writer, peers)))
    }

    /// Waits until the model was asked for a reply. A title that an agent has made beside it comes first at times: who
    /// ends the engine at that moment finds the agent's real request among those that came later.
    pub fn until_asked(&self, from: usize) {
        until("the model is asked", || self.model.asked(from).iter().any(|asked| !asked.is_side));
    }

    pub fn mood(&self, mood: Mood) -> usize {
        self.model.is(mood);
        self.model.count()
    }

    /// Who still runs with this stage's home: nobody but the vendor's processes does, once the program has ended.
    pub fn left(&self) -> Vec<String> {
        let home = format!("HOME={}", self.stage.home().display());
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            if environ.split(|b| *b == 0).any(|var| var == home.as_bytes()) {
                let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                found.push(line.chars().take(60).collect());
            }
        }
        found
    }

    /// The words of a call's last line on stderr.
    pub fn last_line(ran: &Ran) -> String {
        ran.err.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_string()
    }
}

fn session_args<'a>(writer: &'a str, peers: &'a str) -> Vec<&'a str> {
    let fixed = ["run", "--json", "--close", "auto", "--decision", "A", "--yes", "--writer"];
    fixed.into_iter().chain([writer, "--peer", peers, "How large is the cache"]).collect()
}

/// What the facts of a session say about the calls of a peer, or of the writer.
pub fn spent(facts: &str, peer: Option<&str>) -> Vec<Spent> {
    let facts = facts.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let facts = facts.map(|line| line.get("fact").filter(|f| f.is_object()).cloned().unwrap_or(line));
    let ended = facts.filter(|f| f["fact"] == "call-ended");
    let of_peer = ended.filter(|f| f["call"]["vendor"].as_str() == peer);
    let one = |f: Value| Spent {
        purpose: f["call"]["purpose"].as_str().unwrap_or_default().to_string(),
        usage: f["usage"].clone(),
    };
    of_peer.map(one).collect()
}

/// The numbers that the model reported for these requests, together.
pub fn told(asked: &[Asked]) -> super::model::Tokens {
    asked.iter().filter_map(|a| a.tokens).fold(Default::default(), super::model::Tokens::plus)
}

/// The first line that the program prints for `--version`.
pub fn version(bin: &Path) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(bin);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", home.path()).current_dir(home.path()).arg("--version");
    let ran = finish(command, "");
    let number = ran.out.split([' ', '\n', ',']).find(|word| {
        word.trim_start_matches('v').split('.').count() > 1 && word.contains(|c: char| c.is_ascii_digit())
    });
    number.unwrap_or("unknown").trim_start_matches('v').to_string()
}
