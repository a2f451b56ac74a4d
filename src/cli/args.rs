//! The arguments of every command. The doc comments are the help texts.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  flightdeck demo                                        watch a rehearsed session
  flightdeck new --peer codex \"Choose a cache policy\"    a real one, with questions answered here
  flightdeck run --peer codex,kimi --close auto \"…\"       without a person; exit code 3 = it waits for you
  flightdeck show 2026-08-24-01-choose-cache --json      everything about a session, open questions included
  flightdeck answer 2026-08-24-01-choose-cache gate A    answer a question by its id

Exit codes: 0 done, 1 failed, 2 usage, 3 waiting for the pilot, 4 no usable peer, 5 another engine holds the session.
The skill's own spellings work too: --list, --interrupt <id>, --finalize <id>, --peer <list> <task>.";

/// The pilot's dashboard for multi-agent sessions: a writer and its peers, turn by turn, to a decision you own.
#[derive(Debug, Parser)]
#[command(name = "flightdeck", version = version(), after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub place: Place,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The version with the commit it was built from.
pub fn version() -> &'static str {
    env!("FLIGHTDECK_VERSION")
}

/// Where things are.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// The folder that holds the sessions [default: see `flightdeck doctor`]
    #[arg(long, global = true, value_name = "DIR")]
    pub sessions_dir: Option<PathBuf>,
    /// Lines instead of the dashboard
    #[arg(long, global = true)]
    pub plain: bool,
    /// Keep the engine in this process: it ends with the screen
    #[arg(long, global = true)]
    pub inline: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Begin a session on a task
    #[command(after_help = "Examples:\n\
         \x20 flightdeck new \"Choose a cache policy\"\n\
         \x20 flightdeck new --peer codex,kimi --rounds-limit 3 --roles codex=\"database critic\" \"Choose a cache policy\"")]
    New(New),
    /// Begin a session without a person: the same as `new --headless`
    #[command(after_help = "Examples:\n\
         \x20 flightdeck run --peer codex --close auto --decision A \"Choose a cache policy\"\n\
         \x20 flightdeck run --json --yes \"Choose a cache policy\" | jq .fact")]
    Run(New),
    /// Watch a rehearsed session with scripted participants
    #[command(after_help = "Examples:\n\
         \x20 flightdeck demo\n\
         \x20 flightdeck demo --story disagree --speed 0 --headless")]
    Demo(Demo),
    /// Print the sessions, newest first
    #[command(after_help = "Examples:\n\
         \x20 flightdeck list\n\
         \x20 flightdeck list --json --limit 5")]
    List(List),
    /// Search the text of all sessions; the most relevant lines first
    #[command(after_help = "Example:\n\
         \x20 flightdeck search \"second hit\" --class agreed --since 2026-08\n\n\
         Exit codes: 0 lines were found, 1 none was, 2 usage.")]
    Search(Search),
    /// Show one session: its state, its questions, its files
    #[command(after_help = "Examples:\n\
         \x20 flightdeck show 2026-08-24-01-choose-cache\n\
         \x20 flightdeck show 2026-08-24-01-choose-cache --json | jq .questions")]
    Show(Show),
    /// Go on with a session where its files say it stands
    #[command(after_help = "Examples:\n\
         \x20 flightdeck resume 2026-08-24-01-choose-cache\n\
         \x20 flightdeck resume 2026-08-24-01-choose-cache --headless --answer \"Seven days\" --close auto")]
    Resume(Resume),
    /// Answer a question that a session waits for
    #[command(after_help = "Examples:\n\
         \x20 flightdeck answer 2026-08-24-01-choose-cache A\n\
         \x20 flightdeck answer 2026-08-24-01-choose-cache escalation-00 @answer.md\n\
         \x20 echo \"Seven days\" | flightdeck answer 2026-08-24-01-choose-cache escalation-00 -")]
    Answer(Answer),
    /// Overrule the bookkeeping of a participant: call it again, accept its rejected reply, take it out
    Override(Overrule),
    /// Stop a session; its files stay
    #[command(after_help = "Example:\n\
         \x20 flightdeck interrupt 2026-08-24-01-choose-cache")]
    Interrupt(Interrupt),
    /// Write the report of an interrupted session and close it
    #[command(after_help = "Examples:\n\
         \x20 flightdeck finalize 2026-08-24-01-choose-cache\n\
         \x20 flightdeck finalize 2026-08-24-01-choose-cache --force --writer codex")]
    Finalize(Finalize),
    /// Check the report of a session against the rules
    #[command(after_help = "Example:\n\
         \x20 flightdeck verify 2026-08-24-01-choose-cache --json")]
    Verify(Verify),
    /// Be an adapter: prompt on stdin, one reply on stdout, exit codes 0 to 7
    #[command(after_help = "Example:\n\
         \x20 IWE_PEER_PLAIN=1 flightdeck adapter codex --model some-model < prompt.txt")]
    Adapter {
        /// The vendor's name in the registry
        vendor: String,
        /// -p, --model NAME, --add-dir DIR, --session-id ID, as the vendor supports them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        flags: Vec<String>,
    },
    /// Show what of a directory would leave the machine, and why the rest would not
    #[command(after_help = "Examples:\n\
         \x20 flightdeck filter .\n\
         \x20 flightdeck filter . --list\n\
         \x20 flightdeck filter . --explain src/config.rs\n\n\
         Exit codes: 0 the directory could be given (with --explain: the path passes; with --list: the list was made),\n\
         1 something stops it (with --explain: the path is kept back), 2 usage.")]
    Filter(Filter),
    /// Say what was found where: places, vendors, repository
    #[command(after_help = "Example:\n\
         \x20 flightdeck doctor --sessions-dir ./sessions\n\
         \x20 flightdeck doctor --probe codex")]
    Doctor(Doctor),
    /// Say whether a background engine runs for this sessions folder
    Engines(Engines),
    /// Be the background engine (started on demand)
    #[command(hide = true)]
    Engine,
    /// List the work trees and branches that sessions have left, and what would be lost with each
    #[command(after_help = "Examples:\n\
         \x20 flightdeck worktrees\n\
         \x20 flightdeck worktrees --clean")]
    Worktrees(Worktrees),
    /// Follow a deployed line back to commit, finding, decision and argument, or a session's objections forward
    #[command(after_help = "Examples:\n\
         \x20 flightdeck trace src/retry.rs:41\n\
         \x20 flightdeck trace 2026-08-24-01-choose-cache\n\n\
         What argued for a line is found by shared words, and shown as no more than that. Exit code 1: no session\n\
         stands behind the line.")]
    Trace(Trace),
    /// Print the effective configuration and where each value comes from
    #[command(after_help = "Examples:\n\
         \x20 flightdeck config\n\
         \x20 flightdeck config trust")]
    Config(ConfigArgs),
    /// Print shell completions
    #[command(after_help = "Example:\n\
         \x20 flightdeck completions bash > ~/.local/share/bash-completion/completions/flightdeck")]
    Completions { shell: clap_complete::Shell },
    /// Play one participant of a rehearsal (used by `demo`)
    #[command(hide = true)]
    Rehearse {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// Who speaks and within which limits.
#[derive(Debug, Clone, Default, Args)]
pub struct Who {
    /// Peers, comma-separated, without spaces [default: the configuration's]
    #[arg(long, value_name = "V1,V2,…")]
    pub peer: Option<String>,
    /// The vendor that writes
    #[arg(long, value_name = "VENDOR")]
    pub writer: Option<String>,
    /// Model for the calls, where the vendor takes one
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The work product that the session belongs to
    #[arg(long, value_name = "WP-NNN")]
    pub wp: Option<String>,
    /// Roles: writer=moderator,codex="database critic"
    #[arg(long, value_name = "AGENT=ROLE,…")]
    pub roles: Option<String>,
    /// Language of prompts and files: en or ru
    #[arg(long, value_name = "LANG")]
    pub lang: Option<String>,
}

/// The limits of a session; all of them are kept in meta.yaml.
#[derive(Debug, Clone, Default, Args)]
pub struct Limits {
    /// Exchanges with one peer
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub turns_limit: Option<u32>,
    /// Rounds with several peers
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub rounds_limit: Option<u32>,
    /// Unsuccessful calls in a row before a peer is left out
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub max_peer_attempts: Option<u32>,
    /// Ask before the session costs more dollars than this, as far as the vendors report it
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub limit_usd: Option<String>,
    /// Ask before the session takes more tokens than this
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub limit_tokens: Option<String>,
}

/// How the session is driven.
#[derive(Debug, Clone, Default, Args)]
pub struct Drive {
    /// Nobody is here to answer: a question ends the run with exit code 3
    #[arg(long)]
    pub headless: bool,
    /// Print one fact a line as JSON
    #[arg(long)]
    pub json: bool,
    /// The Decision Gate: ask, A (record) or B (implement)
    #[arg(long, value_name = "ask|A|B", default_value = "ask")]
    pub decision: String,
    /// High and Medium findings of a review: ask, fix now, or after the deployment
    #[arg(long, value_name = "ask|now|after", default_value = "ask")]
    pub findings: String,
    /// Seconds after which an unanswered gate means B [default: never]
    #[arg(long, value_name = "S")]
    pub gate_timeout: Option<u64>,
    /// The close question: ask, or auto (close)
    #[arg(long, value_name = "ask|auto", default_value = "ask")]
    pub close: String,
    /// The reflection question: ask, skip, or the answer itself
    #[arg(long, value_name = "ask|skip|TEXT", default_value = "ask")]
    pub reflection: String,
    /// Answer the questions of the opening with yes
    #[arg(long)]
    pub yes: bool,
    /// Commit the session's files when it is closed
    #[arg(long, conflicts_with = "no_commit")]
    pub commit: bool,
    /// Do not commit
    #[arg(long)]
    pub no_commit: bool,
    /// Push after the commit
    #[arg(long, conflicts_with = "no_push")]
    pub push: bool,
    /// Do not push
    #[arg(long)]
    pub no_push: bool,
}

impl Drive {
    /// Somebody may be asked: the run is neither headless nor read by a program.
    pub fn is_here(&self) -> bool {
        !self.headless && !self.json
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct New {
    #[command(flatten)]
    pub who: Who,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub drive: Drive,
    /// What is to be decided
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Demo {
    /// The story: consensus, three, disagree, extension, deploy, or a file
    #[arg(long, default_value = "three")]
    pub story: String,
    /// How fast the participants speak; 0 = at once
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    #[command(flatten)]
    pub drive: Drive,
}

#[derive(Debug, Clone, Args)]
pub struct List {
    /// At most so many rows of sessions that the index does not know
    #[arg(long, default_value_t = 50)]
    pub limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Search {
    /// Words in any case; "a phrase" in quotes; filters such as class:agreed, vendor:codex, since:2026-08, wp:WP-142
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<String>,
    /// At most so many lines
    #[arg(long, default_value_t = 100)]
    pub limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Only sessions that ended so: agreed, partial, escalated, not-agreed
    #[arg(long, value_name = "CLASS,…")]
    pub class: Option<String>,
    /// Only sessions with one of these participants
    #[arg(long, value_name = "VENDOR,…")]
    pub vendor: Option<String>,
    /// Only sessions from this day, month or year on
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only sessions up to this day, month or year
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Only sessions of this work product
    #[arg(long, value_name = "WP-NNN")]
    pub wp: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Show {
    /// The session's id
    pub id: String,
    /// Print the whole state as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a session was begun with, and answers for questions that are not asked: taken, so that a script may repeat its
/// flags, but nothing to offer.
const BEGUN: &[&str] = &["peer", "wp", "roles", "lang"];
const ASKED: &[&str] = &["decision", "findings", "gate_timeout", "close", "reflection", "yes"];

fn taken(arg: clap::Arg, hidden: [&[&str]; 2]) -> clap::Arg {
    let hides = hidden.iter().any(|names| names.contains(&arg.get_id().as_str()));
    arg.hide(hides)
}

#[derive(Debug, Clone, Args)]
#[command(mut_args(|arg| taken(arg, [BEGUN, &["max_peer_attempts"]])))]
pub struct Resume {
    /// The session's id
    pub id: String,
    #[command(flatten)]
    pub who: Who,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub drive: Drive,
    /// Answer the open question first: text, @file or -
    #[arg(long, value_name = "TEXT|@FILE|-")]
    pub answer: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Answer {
    /// The session's id
    pub id: String,
    /// The question's id; without one the answer stands here and the one open question is meant
    #[arg(value_name = "QUESTION", allow_hyphen_values = true)]
    pub question: String,
    /// The answer: text, @file or -
    #[arg(value_name = "TEXT|@FILE|-", allow_hyphen_values = true)]
    pub text: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Overrule {
    /// The session's id
    pub id: String,
    /// The peer's vendor key
    pub vendor: String,
    /// rerun, accept or fail
    #[arg(value_parser = ["rerun", "accept", "fail"])]
    pub how: String,
}

#[derive(Debug, Clone, Args)]
#[command(mut_args(|arg| taken(arg, [ASKED, &["json"]])))]
pub struct Interrupt {
    /// The session's id
    pub id: String,
    #[command(flatten)]
    pub drive: Drive,
}

#[derive(Debug, Clone, Args)]
#[command(mut_args(|arg| taken(arg, [BEGUN, ASKED])))]
pub struct Finalize {
    /// The session's id
    pub id: String,
    /// Replace a report that is not a stub
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub who: Who,
    #[command(flatten)]
    pub drive: Drive,
}

#[derive(Debug, Clone, Args)]
pub struct Filter {
    /// The directory that an agent would get
    pub dir: PathBuf,
    /// Print the paths that pass, one a line, sorted by their bytes, and nothing else
    #[arg(long)]
    pub list: bool,
    /// Say of one path whether it passes, and which rule keeps it back; a secret is never printed
    #[arg(long, value_name = "PATH", conflicts_with = "list")]
    pub explain: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Let this project's configuration run what it names, while it says exactly this
    #[command(after_help = "Examples:\n\
         \x20 flightdeck config trust\n\
         \x20 flightdeck config trust --list\n\
         \x20 flightdeck config trust --revoke")]
    Trust(Trust),
}

#[derive(Debug, Clone, Args)]
pub struct Trust {
    /// Go on without what it names, and do not ask again
    #[arg(long)]
    pub refuse: bool,
    /// Print what was said about which file
    #[arg(long, conflicts_with = "refuse")]
    pub list: bool,
    /// Forget what was said about a file
    #[arg(long, conflicts_with_all = ["list", "refuse"])]
    pub revoke: bool,
    /// The file to forget [default: this project's]
    #[arg(requires = "revoke")]
    pub file: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct Doctor {
    /// Make one tiny real call to a vendor, which its account pays for
    #[arg(long, value_name = "VENDOR")]
    pub probe: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Engines {
    /// End it
    #[arg(long)]
    pub stop: bool,
    /// End it although sessions run: they are paused and go on with `resume`
    #[arg(long, requires = "stop")]
    pub force: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Verify {
    /// The session's id
    pub id: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Trace {
    /// A place, path:line, or a session's id
    #[arg(value_name = "PATH:LINE|ID")]
    pub what: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Worktrees {
    /// Remove those that keep nothing and whose session does not run; say of every other one why it stays
    #[arg(long)]
    pub clean: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
