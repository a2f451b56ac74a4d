//! What a kept text cannot hold, told without looking at it: most words that somebody types are in few sessions.

use super::pattern::project;

/// Marks for each three bytes in a row of a projected text. Two threes may share a mark: a text that holds a part has all
/// the marks of it, one that does not seldom has.
#[derive(Debug)]
pub struct Sieve {
    marks: Box<[u64]>,
}

/// Bytes of text for each byte of marks. A text in one language leaves about four of five marks empty.
const DENSITY: usize = 16;

impl Sieve {
    /// `space` is overwritten.
    pub fn new(bytes: &[u8], space: &mut Vec<u8>) -> Sieve {
        let words = Sieve::size(bytes.len()) / size_of::<u64>();
        let mut marks = vec![0; words].into_boxed_slice();
        project(bytes, space);
        for mark in places(space, words) {
            marks[mark / 64] |= 1 << (mark % 64);
        }
        Sieve { marks }
    }

    /// False when this projected part is not in the text.
    pub fn may_hold(&self, part: &[u8]) -> bool {
        places(part, self.marks.len()).all(|mark| self.marks[mark / 64] & 1 << (mark % 64) != 0)
    }

    /// The bytes of the marks of so many bytes of text.
    pub fn size(text: usize) -> usize {
        (text / DENSITY / size_of::<u64>()).next_power_of_two() * size_of::<u64>()
    }
}

/// The marks of a projected text, of so many words of 64 marks. Their number is a power of two.
fn places(projected: &[u8], words: usize) -> impl Iterator<Item = usize> {
    let shift = u32::BITS - (words * 64).ilog2().min(u32::BITS - 1);
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

    fn sieve(text: &str) -> Sieve {
        Sieve::new(text.as_bytes(), &mut Vec::new())
    }

    fn projected(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        project(text.as_bytes(), &mut out);
        out
    }

    proptest! {
        #[test]
        fn search_a_sieve_lets_through_what_is_there(text in "(\\PC|[а-я ]){0,300}", at in 0_usize..300, length in 0_usize..12) {
            let part: String = text.chars().skip(at).take(length).collect();
            prop_assert!(sieve(&text).may_hold(&projected(&part)));
        }
    }

    #[test]
    fn search_a_sieve_holds_back_most_of_what_is_not_there() {
        let text =
            "The cache holds what two hits have shown to be needed. Кэш хранит то, что понадобилось дважды. "
                .repeat(200);
        let sieve = sieve(&text);
        assert!(Sieve::size(text.len()) <= text.len() / 8);
        assert!(["needed", "ДВАЖДЫ", "Cache", "ca", ""].iter().all(|word| sieve.may_hold(&projected(word))));
        for word in ["nowhere", "вытеснение", "retry", "отказ", "timeout"] {
            assert!(!sieve.may_hold(&projected(word)), "{word}");
        }
    }
}
