//! When to draw: on request, at most once in 16 ms. Pure, so that instants test it.

use std::time::Duration;

/// The shortest time between two frames: a screen shows 60 of them in a second.
pub const LEAST: Duration = Duration::from_millis(16);

/// The times of the frames.
#[derive(Debug, Default)]
pub struct Frames {
    last: Option<Duration>,
}

impl Frames {
    /// When the next frame may be drawn, not before `at`.
    pub fn next(&self, at: Duration) -> Duration {
        self.last.map_or(at, |last| at.max(last + LEAST))
    }

    /// True when one may be drawn now, and then it counts as drawn.
    pub fn take(&mut self, at: Duration) -> bool {
        let now = self.next(at) <= at;
        if now {
            self.last = Some(at);
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_frames_are_16_ms_apart_and_the_first_is_at_once() {
        let ms = Duration::from_millis;
        let mut frames = Frames::default();
        assert!(frames.take(ms(3)));
        assert!(!frames.take(ms(4)));
        assert_eq!(frames.next(ms(4)), ms(19));
        assert!(!frames.take(ms(18)));
        assert!(frames.take(ms(19)));
        assert_eq!(frames.next(ms(100)), ms(100));
    }

    #[test]
    fn a_flood_of_changes_is_60_frames_a_second() {
        let mut frames = Frames::default();
        let drawn = (0..100_000).filter(|n| frames.take(Duration::from_micros(n * 10))).count();
        assert!((60..=63).contains(&drawn), "{drawn}");
    }
}
