//! The skill's own spellings (PC-001, PC-008) as our subcommands.

use super::error::CliError;
use crate::config::suggest::nearest;
use std::ffi::OsString;

/// Modes of the skill and the words that PC-010 added, with the subcommand each of them means.
const MODES: [(&str, &str); 6] = [
    ("--list", "list"),
    ("--interrupt", "interrupt"),
    ("--finalize", "finalize"),
    ("--resume", "resume"),
    ("--verify-report", "verify"),
    ("--answer", "answer"),
];

/// Our own subcommands: with one of them in front nothing is translated.
const COMMANDS: &[&str] = &[
    "new",
    "run",
    "demo",
    "list",
    "search",
    "show",
    "resume",
    "answer",
    "interrupt",
    "override",
    "finalize",
    "verify",
    "trace",
    "worktrees",
    "filter",
    "adapter",
    "doctor",
    "config",
    "engine",
    "engines",
    "completions",
    "rehearse",
];

/// Turns `flightdeck --peer codex "task"` into `flightdeck new …` and `--list` into `list`. Two modes at once are an
/// error: running the first one silently would finalize or interrupt by mistake (AMB-01).
pub fn translate(typed: Vec<OsString>) -> Result<Vec<OsString>, CliError> {
    let words: Vec<String> = typed.iter().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    let Some(first) = first_word(&words) else { return Ok(typed) };
    if words[first] == "help" {
        // `help show` is `show --help`.
        let mut out = typed;
        out[1 + first] = "--help".into();
        if words.len() > first + 1 {
            out.swap(1 + first, 2 + first);
        }
        return Ok(out);
    }
    if COMMANDS.contains(&words[first].as_str())
        || matches!(words[first].as_str(), "-h" | "--help" | "-V" | "--version")
    {
        return Ok(typed);
    }
    let found: Vec<(usize, &str)> = words
        .iter()
        .enumerate()
        .filter_map(|(i, w)| MODES.iter().find(|(mode, _)| w == mode).map(|(_, command)| (i, *command)))
        .collect();
    let mut out = typed.clone();
    let meant = nearest(&words[first], COMMANDS.iter().copied());
    match (&found[..], meant) {
        // A mistyped command must not become a task: that would call paid services.
        ([], Some(meant)) => {
            return Err(CliError::usage(
                format!("there is no command {:?}; did you mean {meant:?}?", words[first]),
                "a task that begins with such a word is given as: flightdeck new \"…\"",
            ));
        }
        ([], None) => out.insert(1 + first, "new".into()),
        (&[(at, command)], _) => {
            out.remove(1 + at);
            out.insert(1 + first.min(at), command.into());
        }
        _ => {
            return Err(CliError::usage(
                "several modes at once",
                "give one of --list, --interrupt, --finalize",
            ));
        }
    }
    Ok(out)
}

/// The first word that is not one of our global options.
fn first_word(words: &[String]) -> Option<usize> {
    let mut at = 0;
    while at < words.len() {
        match words[at].as_str() {
            "--sessions-dir" => at += 2,
            "--plain" | "--inline" => at += 1,
            w if w.starts_with("--sessions-dir=") => at += 1,
            _ => return Some(at),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(words: &[&str]) -> Result<String, CliError> {
        let typed = std::iter::once("flightdeck").chain(words.iter().copied()).map(OsString::from).collect();
        translate(typed)
            .map(|out| out.iter().skip(1).map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn pc_001_the_skills_modes_are_subcommands() {
        assert_eq!(translated(&["--list"]).unwrap(), "list");
        assert_eq!(translated(&["--interrupt", "x"]).unwrap(), "interrupt x");
        assert_eq!(
            translated(&["--sessions-dir", "d", "--finalize", "x"]).unwrap(),
            "--sessions-dir d finalize x"
        );
        assert_eq!(translated(&["--peer", "codex", "the task"]).unwrap(), "new --peer codex the task");
        assert_eq!(translated(&["list", "--json"]).unwrap(), "list --json");
        assert_eq!(translated(&[]).unwrap(), "");
        assert_eq!(translated(&["--plain", "--inline", "list"]).unwrap(), "--plain --inline list");
        assert_eq!(translated(&["--inline"]).unwrap(), "--inline", "the dashboard, and no task");
        assert!(translated(&["--inline", "lits"]).is_err());
        assert_eq!(translated(&["--version"]).unwrap(), "--version");
        assert_eq!(translated(&["help"]).unwrap(), "--help");
        assert_eq!(translated(&["help", "show"]).unwrap(), "show --help");
    }

    #[test]
    fn pc_001_every_subcommand_is_left_as_it_is() {
        use clap::CommandFactory;
        for command in super::super::args::Cli::command().get_subcommands() {
            let typed = [command.get_name(), "--list"];
            assert_eq!(translated(&typed).unwrap(), typed.join(" "));
        }
    }

    #[test]
    fn pc_002_a_mistyped_command_is_no_task() {
        assert_eq!(translated(&["lsit"]).unwrap_err().code(), 2);
        assert_eq!(translated(&["shwo", "2026-01-01-01-x"]).unwrap_err().code(), 2);
        assert_eq!(translated(&["choose a cache"]).unwrap(), "new choose a cache");
    }

    #[test]
    fn pc_008_two_modes_at_once_are_a_usage_error() {
        assert_eq!(translated(&["--list", "--finalize", "x"]).unwrap_err().code(), 2);
    }
}
