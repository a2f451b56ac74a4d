//! A vendor's own conversations: whether a call went on with the one that it was to go on with, and what that turn of it
//! cost.

use super::files;
use crate::agents::call::{Cause, Usage};
use crate::agents::contract::Code;
use crate::agents::process::{self, End, Event, Finished, Spec};
use crate::agents::stream::{Refused, Said, hermes, one_line};
use regex::Regex;
use std::future::Future;
use std::path::Path;
use std::sync::LazyLock;

/// The judgement about a call that was to go on with `asked`. A CLI that does not know it says so in its own words, or
/// begins a new one without a word.
pub fn judged(
    vendor: &str,
    asked: Option<&str>,
    stderr: &str,
    said: Result<Said, Refused>,
) -> Result<Said, Refused> {
    let Some(asked) = asked else { return said };
    match said {
        Err(refused) if refused.cause == Cause::Other && is_unknown(&refused.detail, stderr) => {
            let detail = format!("{vendor} does not know the conversation {asked}: {}", refused.detail);
            Err(lost(&detail))
        }
        Ok(Said { conversation: Some(new), .. }) if new != asked => {
            let detail =
                format!("{vendor} began a new conversation in place of {asked}; its reply is not taken");
            Err(lost(&detail))
        }
        other => other,
    }
}

/// The call is not made, because the CLI would begin a new conversation in silence.
pub fn unknown(vendor: &str, asked: &str) -> Refused {
    lost(&format!("{vendor} does not know the conversation {asked}"))
}

fn lost(detail: &str) -> Refused {
    Refused { cause: Cause::LostConversation, ..Refused::new(Code::General, detail) }
}

fn is_unknown(detail: &str, stderr: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        #[expect(clippy::expect_used, reason = "the pattern is a constant that the tests compile")]
        Regex::new(
            r#"(?i)no (?:conversation|rollout|previous sessions?|sessions?) found|error resuming session|resource not found|session was not loaded|(?:session|conversation|thread)(?: \S+)? (?:was )?not found|(?:unknown|invalid|no such) (?:session|thread|conversation)"#,
        )
        .expect("a constant pattern")
    });
    WORDS.is_match(detail) || WORDS.is_match(&one_line(stderr))
}

/// What this turn cost, from a CLI that counts the whole conversation: its count without the one before. Unknown when the
/// one before is.
pub fn usage(runtime: &Path, vendor: &str, asked: Option<&str>, said: &Said) -> Option<Usage> {
    let Some(total) = &said.total else { return said.usage.clone() };
    let before = asked.and_then(|id| files::total(runtime, vendor, id));
    if let Some(id) = &said.conversation {
        files::note_total(runtime, vendor, id, total);
    }
    said.usage.clone().or_else(|| before.map(|before| difference(total, &before)))
}

/// What the CLI says about the cost of its conversation so far. `None` when the call was cancelled meanwhile.
pub async fn account(spec: Spec, cancel: impl Future<Output = ()>) -> Option<Option<Usage>> {
    let mut told = Vec::new();
    let heard = |event: Event| {
        if let Event::Stdout(piece) = event {
            told.extend_from_slice(piece);
        }
    };
    match process::run(spec, heard, cancel).await {
        Ok(Finished { end: End::Cancelled, .. }) => None,
        Ok(Finished { end: End::Exited(status), .. }) if status.success() => Some(hermes::total(&told)),
        _ => Some(None),
    }
}

fn difference(total: &Usage, before: &Usage) -> Usage {
    let less = |after: Option<u64>, before: Option<u64>| Some(after?.saturating_sub(before?));
    Usage {
        input: less(total.input, before.input),
        cached: less(total.cached, before.cached),
        output: less(total.output, before.output),
        reasoning: less(total.reasoning, before.reasoning),
        cost_usd: total.cost_usd.zip(before.cost_usd).map(|(after, before)| after - before),
        model: total.model.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(detail: &str) -> Result<Said, Refused> {
        Err(Refused::new(Code::General, detail))
    }

    #[test]
    fn pc_061_a_conversation_that_is_not_known_is_noticed() {
        for words in [
            "claude: No conversation found with session ID: 3f2a",
            "Error: thread/resume: thread/resume failed: no rollout found for thread id 3f2a (code -32600)",
            "the CLI exited with 42: Error resuming session: No previous sessions found for this project.",
            "the CLI exited with 1: Error: Session not found",
            r#"kimi: Session "session_3f2a" not found."#,
            r#"Internal error: OpenCode service failure (the session was not loaded) {"service":"session"}"#,
            r#"Resource not found {"sessionId":"3f2a"}"#,
        ] {
            let judged = judged("x", Some("3f2a"), "", refused(words)).unwrap_err();
            assert_eq!(judged.cause, Cause::LostConversation, "{words}");
            assert!(
                judged.detail.starts_with("x does not know the conversation 3f2a: "),
                "{}",
                judged.detail
            );
        }
        let other = judged("x", Some("3f2a"), "", refused("the file was not found")).unwrap_err();
        assert_eq!(other.cause, Cause::Other);
        let other = judged("x", None, "", refused("Session not found")).unwrap_err();
        assert_eq!(other.cause, Cause::Other, "none was asked for");
    }

    #[test]
    fn pc_061_a_new_conversation_is_no_old_one() {
        let said = |id: &str| Ok(Said { conversation: Some(id.into()), ..Said::default() });
        assert!(judged("x", Some("a"), "", said("a")).is_ok());
        assert!(judged("x", None, "", said("b")).is_ok());
        let refused = judged("x", Some("a"), "", said("b")).unwrap_err();
        assert_eq!(refused.cause, Cause::LostConversation);
    }

    #[test]
    fn a_turn_is_the_difference_of_two_sums() {
        let dir = tempfile::tempdir().unwrap();
        let sum = |n: u64| Usage { input: Some(1000 * n), output: Some(10 * n), ..Usage::default() };
        let said = |n: u64, is_first: bool| Said {
            usage: is_first.then(|| sum(n)),
            total: Some(sum(n)),
            conversation: Some("a".into()),
            ..Said::default()
        };
        let of = |asked, n, is_first| usage(dir.path(), "x", asked, &said(n, is_first));
        assert_eq!(of(None, 1, true), Some(sum(1)));
        assert_eq!(of(Some("a"), 3, false), Some(sum(2)));
        assert_eq!(of(Some("a"), 4, false), Some(sum(1)));
        assert_eq!(of(Some("b"), 9, false), None, "nobody knows what the conversation had cost before");
    }
}
