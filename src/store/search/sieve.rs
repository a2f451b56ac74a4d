//! What a kept text cannot hold, told without looking at it: most words that somebody types are in few sessions.

use super::pattern::project;

/// Marks for each three bytes in a row of a projected text, one bit each. Two threes may share a mark: a text that holds a
/// part has all the marks of it, one that does not seldom has.
#[derive(Debug, Clone, Copy)]
pub struct Sieve<'a>(&'a [u8]);

/// Bytes of text for each byte of marks. A text in one language leaves about four of five marks empty.
const DENSITY: usize = 16;

impl Sieve<'_> {
    /// Of what [`marks`] made.
    pub fn new(marks: &[u8]) -> Sieve<'_> {
        Sieve(marks)
    }

    /// False when this projected part is not in the text.
    pub fn may_hold(self, part: &[u8]) -> bool {
        places(part, self.0.len()).all(|mark| self.0[mark / 8] & 1 << (mark % 8) != 0)
    }
}

/// The marks of a text.
pub fn marks(text: &[u8]) -> Vec<u8> {
    let mut marks = vec![0; size(text.len())];
    let mut projected = Vec::new();
    project(text, &mut projected);
    for mark in places(&projected, marks.len()) {
        marks[mark / 8] |= 1 << (mark % 8);
    }
    marks
}

/// The bytes of the marks of so many bytes of text.
pub fn size(text: usize) -> usize {
    (text / DENSITY).next_power_of_two()
}

/// The marks of a projected text among so many bytes of them. Their number is a power of two.
fn places(projected: &[u8], bytes: usize) -> impl Iterator<Item = usize> {
    let shift = u32::BITS - (bytes * 8).ilog2().min(u32::BITS - 1);
    projected.windows(3).map(move |three| {
        let number = u32::from_le_bytes([three[0], three[1], three[2], 0]);
        // The upper bits of a product with the golden ratio are spread evenly.
        (number.wrapping_mul(0x9e37_79b1) >> shift) as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn projected(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        project(text.as_bytes(), &mut out);
        out
    }

    proptest! {
        #[test]
        fn search_a_sieve_lets_through_what_is_there(text in "(\\PC|[а-я ]){0,300}", at in 0_usize..300, length in 0_usize..12) {
            let part: String = text.chars().skip(at).take(length).collect();
            prop_assert!(Sieve::new(&marks(text.as_bytes())).may_hold(&projected(&part)));
        }
    }

    #[test]
    fn search_a_sieve_holds_back_most_of_what_is_not_there() {
        let text =
            "The cache holds what two hits have shown to be needed. Кэш хранит то, что понадобилось дважды. "
                .repeat(200);
        let marks = marks(text.as_bytes());
        let sieve = Sieve::new(&marks);
        assert!(marks.len() <= text.len() / 8);
        assert!(["needed", "ДВАЖДЫ", "Cache", "ca", ""].iter().all(|word| sieve.may_hold(&projected(word))));
        for word in ["nowhere", "вытеснение", "retry", "отказ", "timeout"] {
            assert!(!sieve.may_hold(&projected(word)), "{word}");
        }
    }
}
