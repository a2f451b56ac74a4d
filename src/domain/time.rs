//! Points in time as the files spell them.

use std::fmt;

/// Seconds since the Unix epoch, UTC. Written as `YYYY-MM-DDTHH:MM:SSZ` (PC-237); the calendar arithmetic is
/// the civil-from-days algorithm, kept here so that the domain needs no clock library.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
pub struct Stamp(pub i64);

impl Stamp {
    /// Reads `YYYY-MM-DDTHH:MM[:SS[.fraction]][Z|±HH[:]MM]`; without a zone the text is UTC.
    pub fn parse(text: &str) -> Option<Stamp> {
        let text = text.trim().trim_matches(['"', '\'']);
        let (date, rest) = text.split_once(['T', ' ', 't'])?;
        let mut parts = date.splitn(3, '-');
        let (y, m, d) = (number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
        if !(1..=12).contains(&m) || !(1..=31).contains(&d) || !(0..=9999).contains(&y) {
            return None;
        }
        let (clock, offset) = split_zone(rest)?;
        let mut parts = clock.splitn(3, ':');
        let (h, min) = (number(parts.next()?)?, number(parts.next()?)?);
        let sec = parts.next().map_or(Some(0), |s| number(s.split('.').next().unwrap_or("")))?;
        if h > 23 || min > 59 || sec > 60 {
            return None;
        }
        Some(Stamp(days_from_civil(y, m, d) * 86_400 + h * 3600 + min * 60 + sec - offset))
    }

    /// Whole minutes from `earlier` to `self`, rounded down; 0 when the clock went back.
    pub fn minutes_since(self, earlier: Stamp) -> i64 {
        (self.0 - earlier.0).max(0) / 60
    }

    /// Minutes from `earlier` to `self`, half up (PC-620 `duration_min`).
    pub fn minutes_since_rounded(self, earlier: Stamp) -> i64 {
        ((self.0 - earlier.0).max(0) + 30) / 60
    }

    /// `YYYY-MM-DDTHH:MM`, the precision of `extensions.appended_at` (PC-193).
    pub fn to_minute(self) -> String {
        self.to_string()[..16].to_string()
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, rest) = (self.0.div_euclid(86_400), self.0.rem_euclid(86_400));
        let (y, m, d) = civil_from_days(days);
        write!(f, "{y:04}-{m:02}-{d:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
    }
}

/// The text is a day, a month or a year of the calendar: `2026-08-24`, `2026-08` or `2026`.
pub fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_spelt = parts.iter().zip([4, 2, 2]).all(|(part, digits)| part.len() == digits);
    let numbers: Vec<i64> = parts.iter().filter_map(|part| number(part)).collect();
    if !is_spelt || numbers.len() != parts.len() {
        return false;
    }
    match numbers[..] {
        [_] => true,
        [_, m] => (1..=12).contains(&m),
        [y, m, d] => civil_from_days(days_from_civil(y, m, d)) == (y, m, d),
        _ => false,
    }
}

fn number(text: &str) -> Option<i64> {
    let ok = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
    if ok { text.parse().ok() } else { None }
}

/// The clock part and its distance from UTC in seconds.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let zone = text[at + 1..].replace(':', "");
    let (h, m) = (number(zone.get(..2)?)?, number(zone.get(2..4).unwrap_or("00"))?);
    let sign = if text.as_bytes()[at] == b'-' { -1 } else { 1 };
    Some((&text[..at], sign * (h * 3600 + m * 60)))
}

fn days_from_civil(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let yoe = y - era * 400;
    let doy = (153 * (m + if m > 2 { -3 } else { 9 }) + 2) / 5 + d - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z - era * 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (d, m) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    (yoe + era * 400 + i64::from(m <= 2), m, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_237_readers_accept_quotes_fractions_and_offsets() {
        let want = Stamp::parse("2026-08-24T09:00:40Z").unwrap();
        assert_eq!(want.to_string(), "2026-08-24T09:00:40Z");
        for text in ["\"2026-08-24T09:00:40.123Z\"", "2026-08-24T12:00:40+03:00", "2026-08-24T04:00:40-0500"]
        {
            assert_eq!(Stamp::parse(text), Some(want), "{text}");
        }
        for text in
            ["", "yesterday", "2026-13-01T00:00:00Z", "2026-08-24", "2026-08-24T25:00:00Z", "2026-08-24Té:00"]
        {
            assert_eq!(Stamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn search_days_of_the_calendar() {
        for day in ["2026", "2026-08", "2026-12", "2026-08-24", "2024-02-29", "0001-01-01"] {
            assert!(is_day(day), "{day}");
        }
        for no in [
            "",
            "26",
            "2026-",
            "2026-8",
            "2026-00",
            "2026-13",
            "2026-02-29",
            "2026-04-31",
            "2026-08-24-1",
            "2026-0a",
            "-2026",
        ] {
            assert!(!is_day(no), "{no}");
        }
    }

    #[test]
    fn pc_620_duration_is_rounded_half_up() {
        let a = Stamp(0);
        assert_eq!(Stamp(18 * 60 + 37).minutes_since_rounded(a), 19);
        assert_eq!(Stamp(18 * 60 + 37).minutes_since(a), 18);
        assert_eq!(Stamp(-60).minutes_since_rounded(a), 0);
    }
}
