//! The answer to the reflection question goes into the daily ledger, through its own script only (PC-552, PC-555).

use crate::config::places::Places;
use crate::domain::lang::Lang;
use crate::engine::wp::WpId;
use crate::git::child;
use serde_json::json;
use std::time::Duration;

/// The script takes a file lock; one that hangs must not hold the closing.
const DEADLINE: Duration = Duration::from_secs(60);

/// What became of the event. Nothing of it blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged {
    Done,
    /// The installation has no ledger script, or the sessions are outside of an IWE tree.
    NotAvailable,
    Failed(String),
}

/// The answer that stands for none (PC-554).
pub fn no_response(lang: Lang) -> &'static str {
    lang.pick("no response", "нет ответа")
}

/// The event's data, also kept in the session's runtime folder as `reflection.json`.
pub fn reflection(wp: Option<WpId>, answer: &str) -> String {
    let wp = wp.map_or_else(|| "unknown".to_string(), |id| id.to_string());
    json!({ "wp": wp, "answer": answer }).to_string()
}

/// Appends one `session_reflection` event. `date` is the local date, `YYYY-MM-DD`; `data` comes from [`reflection`].
pub fn append(places: &Places, date: &str, data: &str) -> Logged {
    append_within(places, date, data, DEADLINE)
}

/// What the pilot is told.
pub fn line(result: &Logged, lang: Lang) -> Option<String> {
    match result {
        Logged::Done => None,
        Logged::NotAvailable => Some(
            lang.pick(
                "ledger-append.sh is not available on this installation — reflection was not written to the daily ledger",
                "ledger-append.sh недоступен на этой установке — рефлексия не записана в дневной ledger",
            )
            .to_string(),
        ),
        Logged::Failed(reason) => Some(match lang {
            Lang::En => format!("ledger-append.sh failed ({reason}) — reflection was not written to the daily ledger"),
            Lang::Ru => format!("ledger-append.sh не сработал ({reason}) — рефлексия не записана в дневной ledger"),
        }),
    }
}

fn append_within(places: &Places, date: &str, data: &str, deadline: Duration) -> Logged {
    let Some(iwe) = places.active_iwe().filter(|iwe| iwe.ledger.is_file()) else {
        return Logged::NotAvailable;
    };
    let mut command = child::command("bash");
    command.arg(&iwe.ledger).args(["day", date, "session_reflection", data, "peer-conversation"]);
    command.envs(places.script_env());
    // The script's own default is the usual place below HOME, wherever the workspace is.
    if std::env::var_os("IWE_LEDGER_DIR").is_none_or(|dir| dir.is_empty()) {
        command.env("IWE_LEDGER_DIR", iwe.governance.join("machine/ledger"));
    }
    match child::run(&mut command, deadline) {
        Ok(finished) if finished.ok() => Logged::Done,
        Ok(finished) if finished.timed_out => {
            Logged::Failed(format!("no answer in {} s", deadline.as_secs()))
        }
        // Its text is left out: the script may repeat the answer, which is the pilot's own business.
        Ok(finished) => {
            Logged::Failed(finished.code.map_or_else(|| "killed".into(), |code| format!("code {code}")))
        }
        Err(error) => Logged::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::places::{Iwe, Why};
    use std::fs;
    use std::path::Path;

    fn places(root: &Path, in_iwe: bool) -> Places {
        let path = |name: &str| root.join(name);
        let iwe = Iwe {
            workspace: root.to_path_buf(),
            governance: path("gov"),
            governance_name: "gov".into(),
            template: path("t"),
            template_set: false,
            scripts: path("scripts"),
            ledger: path("ledger-append.sh"),
        };
        let (sessions, why) = (path("gov/sessions"), Why::IweTree);
        let (runtime_root, state_dir, config_files) = (path("r"), path("s"), Vec::new());
        Places { sessions, why, iwe: Some(iwe), in_iwe, runtime_root, state_dir, config_files }
    }

    #[test]
    fn pc_552_quotes_and_line_breaks_survive() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path(), true);
        fs::write(
            dir.path().join("ledger-append.sh"),
            "printf '%s\\0' \"$@\" \"$IWE_DIR\" \"$IWE_LEDGER_DIR\" > \"$IWE_DIR/got\"",
        )
        .unwrap();
        let answer = "It's \"fine\",\n$(date) \\ `x` — да\u{0}";
        assert_eq!(append(&places, "2026-08-24", &reflection(Some(WpId(142)), answer)), Logged::Done);
        let got = fs::read_to_string(dir.path().join("got")).unwrap();
        let args: Vec<_> = got.split('\0').collect();
        assert_eq!(args[..3], ["day", "2026-08-24", "session_reflection"]);
        assert_eq!((args[4], args[5]), ("peer-conversation", dir.path().to_str().unwrap()));
        assert!(
            std::env::var_os("IWE_LEDGER_DIR").is_some() || args[6].ends_with("gov/machine/ledger"),
            "PC-555"
        );
        let data: serde_json::Value = serde_json::from_str(args[3]).unwrap();
        assert_eq!(data, json!({"wp": "WP-142", "answer": answer}));
        assert!(args[3].starts_with("{\"wp\":"), "the order of the keys is kept: {}", args[3]);
    }

    #[test]
    fn pc_552_a_missing_script_is_said_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let result = append(&places(dir.path(), true), "2026-08-24", "{}");
        assert_eq!(result, Logged::NotAvailable);
        assert_eq!(
            line(&result, Lang::En).unwrap(),
            "ledger-append.sh is not available on this installation — reflection was not written to the daily ledger"
        );
        assert_eq!(
            line(&result, Lang::Ru).unwrap(),
            "ledger-append.sh недоступен на этой установке — рефлексия не записана в дневной ledger"
        );
        fs::write(dir.path().join("ledger-append.sh"), "exit 0").unwrap();
        assert_eq!(append(&places(dir.path(), false), "2026-08-24", "{}"), Logged::NotAvailable);
    }

    #[test]
    fn pc_552_failure_never_blocks() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("ledger-append.sh"), "echo \"$4\" >&2; exit 1").unwrap();
        let result = append(&places(dir.path(), true), "2026-08-24", "{\"answer\":\"private\"}");
        assert_eq!(result, Logged::Failed("code 1".into()));
        assert!(!line(&result, Lang::En).unwrap().contains("private"));
        fs::write(dir.path().join("ledger-append.sh"), "sleep 300").unwrap();
        let result = append_within(&places(dir.path(), true), "2026-08-24", "{}", Duration::from_millis(100));
        assert!(matches!(result, Logged::Failed(_)));
    }

    #[test]
    fn pc_554_no_answer_has_a_text_of_its_own() {
        assert_eq!(reflection(None, no_response(Lang::En)), r#"{"wp":"unknown","answer":"no response"}"#);
        assert_eq!(no_response(Lang::Ru), "нет ответа");
    }
}
