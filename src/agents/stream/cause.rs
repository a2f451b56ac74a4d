//! What stands behind a failure, from the numbers and words of the vendors.

use crate::agents::call::{Cause, Reset};
use regex::Regex;
use std::sync::LazyLock;
use std::time::Duration;

/// From an HTTP status where the CLI tells it, else from the text.
pub fn of(status: Option<u64>, text: &str) -> Cause {
    match status.or_else(|| status_in(text)) {
        Some(401) => Cause::Auth,
        Some(429) => Cause::RateLimit { reset: reset_in(text) },
        Some(408 | 500 | 502 | 503 | 504 | 529) => Cause::Overload,
        Some(_) => Cause::Other,
        None if is_limit_text(text) => Cause::RateLimit { reset: reset_in(text) },
        None if is_key_text(text) => Cause::Auth,
        None if is_busy_text(text) && !is_trust_text(text) => Cause::Overload,
        None => Cause::Other,
    }
}

/// `HTTP 401`, `status 429`, `Error code: 500`, `"code":401`.
fn status_in(text: &str) -> Option<u64> {
    static STATUS: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?i)(?:http|status|code|api error)\\?"?[: ]+\\?"?([45]\d\d)\b"#));
    STATUS.captures(text)?[1].parse().ok()
}

fn is_limit_text(text: &str) -> bool {
    static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)rate.?limit|usage limit|hit your limit|quota exceeded|resource (?:has been )?exhausted|too many requests",
        )
    });
    LIMIT.is_match(text)
}

/// What the services say about a key that they do not take; some CLIs pass on the words alone.
fn is_key_text(text: &str) -> bool {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)(?:incorrect|invalid) (?:x-)?api[-_ ]?key|api key not valid|invalid authentication credentials|\bunauthorized\b",
        )
    });
    KEY.is_match(text)
}

fn is_busy_text(text: &str) -> bool {
    static BUSY: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)overloaded|high demand|service unavailable|internal server error|internal error has occurred|server had an error|stream (?:disconnected|ended)|connection (?:reset|error|refused|closed)|socket (?:connection was |hang ?up|closed)|cannot connect to api|unable to connect to (?:the )?api|\bECONN(?:RESET|REFUSED|ABORTED)\b",
        )
    });
    BUSY.is_match(text)
}

/// A connection that fails for a certificate or a proxy fails again.
fn is_trust_text(text: &str) -> bool {
    static TRUST: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\bssl\b|certificate|sign in to network"));
    TRUST.is_match(text)
}

/// When the limit is lifted, if the text says so.
pub fn reset_in(text: &str) -> Option<Reset> {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?i)(?:retry.?after|retry.?delay|(?:try again|retry) in|resets? in)\\?"?[:= ]+\\?"?(\d{1,6}(?:\.\d+)?) ?(ms|s|m|h)?([a-z]*)(?:[^\da-z]|$)"#,
        )
    });
    static AT: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)(?:resets?(?: at)?|try again (?:at|in))[: ]+([^\s.|][^.|\r\n]{0,60})"));
    if let Some(found) = AFTER.captures(text) {
        let unit = match (found.get(2).map(|m| m.as_str()), &found[3]) {
            (Some("ms"), "") => Some(0.001),
            (None, "") | (Some("s"), "" | "ec" | "ecs" | "econd" | "econds") => Some(1.0),
            (Some("m"), "" | "in" | "ins" | "inute" | "inutes") => Some(60.0),
            (Some("h"), "" | "our" | "ours") => Some(3600.0),
            _ => None,
        };
        let wait = unit.zip(found[1].parse::<f64>().ok()).map(|(unit, number)| unit * number);
        if let Some(wait) = wait.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            return Some(Reset::After(wait));
        }
    }
    AT.captures(text).map(|found| Reset::At(super::one_line(&found[1])))
}

#[expect(clippy::expect_used, reason = "the patterns are constants that the tests compile")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_059_causes_of_recorded_texts() {
        let limit = |reset| Cause::RateLimit { reset };
        for (status, text, want) in [
            (Some(401), "", Cause::Auth),
            (None, "HTTP 401: stub: invalid api key", Cause::Auth),
            (
                None,
                "Internal error: API Error: 500 internal error. This is a server-side issue",
                Cause::Overload,
            ),
            (None, r#"[API Error: {"error":{"code":401,"message":"x"}}]"#, Cause::Auth),
            (None, "Error code: 429 - {'error': {'message': 'stub: rate limit reached'}}", limit(None)),
            (None, "API call failed after 1 retries: HTTP 500: stub: internal error", Cause::Overload),
            (Some(529), "Overloaded", Cause::Overload),
            (None, "We're currently experiencing high demand", Cause::Overload),
            (None, "exceeded retry limit, last status: 429 Too Many Requests", limit(None)),
            (None, "Incorrect API key provided: sk-x. You can find your API key at", Cause::Auth),
            (None, "invalid x-api-key", Cause::Auth),
            (None, "Request had invalid authentication credentials.", Cause::Auth),
            (None, "invalid key `models` in the settings", Cause::Other),
            (None, "Resource has been exhausted (e.g. check quota).", limit(None)),
            (
                None,
                "The server had an error while processing your request. Sorry about that!",
                Cause::Overload,
            ),
            (None, "Internal error: Internal server error", Cause::Overload),
            (None, "Cannot connect to API: The socket connection was closed unexpectedly.", Cause::Overload),
            (None, "API Error: Unable to connect to API (ECONNRESET)", Cause::Overload),
            (None, "API Error: Connection closed before the response finished", Cause::Overload),
            (None, "Unable to connect to API: SSL certificate verification failed", Cause::Other),
            (None, "Unable to connect to API: sign in to network or proxy", Cause::Other),
            (None, "the socket of the cache", Cause::Other),
            (Some(400), "rate limit of the context", Cause::Other),
            (None, "the model declined", Cause::Other),
        ] {
            assert_eq!(of(status, text), want, "{text}");
        }
    }

    #[test]
    fn pc_060_a_reset_is_read_and_never_invented() {
        let after = |ms| Some(Reset::After(Duration::from_millis(ms)));
        let at = |text: &str| Some(Reset::At(text.into()));
        for (text, want) in [
            ("429, retry-after: 120", after(120_000)),
            (r#""retryDelay":"34s""#, after(34_000)),
            ("Please retry in 34.5s.", after(34_500)),
            ("try again in 2 minutes", after(120_000)),
            ("You've hit your limit · resets 3pm (Europe/Berlin)", at("3pm (Europe/Berlin)")),
            ("usage limit reached. Try again at 3:04 PM.", at("3:04 PM")),
            ("Try again in 2 days 3 hours.", at("2 days 3 hours")),
            ("rate limit reached", None),
            ("try again", None),
            ("retry-after: 99999999999", None),
        ] {
            assert_eq!(reset_in(text), want, "{text}");
        }
    }
}
