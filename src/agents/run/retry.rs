//! Whether and when a failed call is made again. Retries are in this one place; the CLIs' own are off where they can be.

use crate::agents::call::{CallFailure, Cause, Reset};
use crate::agents::contract::Code;
use crate::domain::session::failure::Reason;
use std::time::Duration;

/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// A limit that is lifted later than this is for the pilot to wait for, not for a running call.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The retries of one call.
#[derive(Debug)]
pub struct Retries {
    left: u32,
    made: u32,
    was_empty: bool,
}

impl Retries {
    pub fn new(most: u32) -> Retries {
        Retries { left: most, made: 0, was_empty: false }
    }

    /// How long to wait before the call is made again; `None` when it is not. `time` is what is left of the deadline.
    pub fn next(&mut self, failure: &CallFailure, time: Duration) -> Option<Duration> {
        let backoff = FIRST_WAIT.saturating_mul(1 << self.made.min(5)).min(LONGEST_WAIT);
        let wait = match &failure.cause {
            // Waiting does not log anybody in.
            Cause::Auth | Cause::LostConversation => None,
            Cause::RateLimit { reset: Some(Reset::After(wait)) } => {
                Some(*wait).filter(|w| *w <= LONGEST_WAIT)
            }
            Cause::RateLimit { reset: Some(Reset::At(_)) } => None,
            Cause::RateLimit { reset: None } | Cause::Overload => Some(backoff),
            Cause::Other => {
                let is_empty =
                    matches!(failure.reason, Reason::Empty) || failure.reason == Code::Empty.reason();
                (is_empty && !std::mem::replace(&mut self.was_empty, true)).then_some(Duration::ZERO)
            }
        };
        let wait = wait.filter(|wait| self.left > 0 && *wait < time)?;
        self.left -= 1;
        self.made += 1;
        Some(wait)
    }
}

/// The failure's line with its class in front.
pub fn with_cause(detail: String, cause: &Cause) -> String {
    match cause {
        Cause::Auth => format!("{detail}; log in with the vendor's own program"),
        Cause::RateLimit { reset: Some(reset) } => format!("rate limit, lifted {reset}: {detail}"),
        Cause::RateLimit { reset: None } => format!("rate limit: {detail}"),
        Cause::Overload => format!("the vendor's service is busy or broken: {detail}"),
        Cause::LostConversation => format!("{detail}; it is forgotten, and the next call begins a new one"),
        Cause::Other => detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(cause: Cause) -> CallFailure {
        CallFailure {
            reason: Reason::Exit(1),
            cause,
            detail: String::new(),
            stderr: String::new(),
            elapsed: Duration::ZERO,
        }
    }

    const LONG: Duration = Duration::from_secs(300);

    fn waits(most: u32, failure: &CallFailure, time: Duration) -> Vec<u64> {
        let mut retries = Retries::new(most);
        std::iter::from_fn(|| retries.next(failure, time)).map(|wait| wait.as_secs()).collect()
    }

    #[test]
    fn pc_060_classes_have_their_own_retries() {
        let after = |seconds| Cause::RateLimit { reset: Some(Reset::After(Duration::from_secs(seconds))) };
        for (cause, want) in [
            (Cause::Auth, vec![]),
            (Cause::LostConversation, vec![]),
            (Cause::Other, vec![]),
            (Cause::Overload, vec![2, 4, 8]),
            (Cause::RateLimit { reset: None }, vec![2, 4, 8]),
            (after(7), vec![7, 7, 7]),
            (after(61), vec![]),
            (Cause::RateLimit { reset: Some(Reset::At("3pm".into())) }, vec![]),
        ] {
            assert_eq!(waits(3, &failure(cause.clone()), LONG), want, "{cause:?}");
        }
        assert_eq!(waits(0, &failure(Cause::Overload), LONG), Vec::<u64>::new());
        assert_eq!(
            waits(5, &failure(Cause::Overload), Duration::from_secs(3)),
            [2],
            "no wait beyond the deadline"
        );
    }

    #[test]
    fn pc_053_an_empty_reply_is_asked_for_once_more() {
        let empty = CallFailure { reason: Reason::Exit(7), ..failure(Cause::Other) };
        assert_eq!(waits(3, &empty, LONG), [0]);
        assert_eq!(waits(0, &empty, LONG), Vec::<u64>::new());
    }
}
