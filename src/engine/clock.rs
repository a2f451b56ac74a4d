//! Where the engine takes the time from: the system, or tokio's clock, which tests pause.

use crate::domain::time::Stamp;
use crate::store::write::fault;
use tokio::time::Instant;

/// A clock. Rules never read one; the engine passes the time in.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    System,
    /// `base` plus what tokio's clock has run since `start`.
    Tokio {
        base: Stamp,
        start: Instant,
    },
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the system for the time")]
    pub fn now(&self) -> Stamp {
        match self {
            Clock::System => Stamp(jiff::Timestamp::now().as_second() + fault::clock()),
            Clock::Tokio { base, start } => Stamp(base.0 + start.elapsed().as_secs() as i64),
        }
    }
}

/// `YYYY-MM-DD` where the pilot is (AMB-21).
pub fn local_date(now: Stamp) -> String {
    let zoned =
        jiff::Timestamp::from_second(now.0).map(|t| t.to_zoned_datetime(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| now.to_string()[..10].to_string(), |z| z.date().to_string())
}

/// The ISO week where the pilot is, for the week plan (PC-110).
pub fn iso_week(now: Stamp) -> u8 {
    let zoned =
        jiff::Timestamp::from_second(now.0).map(|t| t.to_zoned_datetime(jiff::tz::TimeZone::system()));
    zoned.map_or(1, |z| z.date().iso_week_date().week().unsigned_abs())
}
