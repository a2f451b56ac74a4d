//! Files that belong to others too, as text whatever their bytes are: what is no UTF-8 is written back as it was.

use std::fs;
use std::io;
use std::path::Path;

/// Characters that nobody uses. While a text is edited, each stands for one byte that belongs to no character.
const FIRST: u32 = 0x10_FF80;

/// A file's text, to be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    pub text: String,
    /// Some bytes are no UTF-8.
    pub is_odd: bool,
}

/// Reads a file of any bytes.
pub fn read(path: &Path) -> io::Result<Odd> {
    fs::read(path).map(Odd::from)
}

impl From<Vec<u8>> for Odd {
    fn from(bytes: Vec<u8>) -> Odd {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => return Odd { text, is_odd: false },
            Err(error) => error.into_bytes(),
        };
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            for sound in chunk.valid().chars() {
                if is_stand_in(sound) {
                    text.extend(sound.encode_utf8(&mut [0; 4]).bytes().map(stand_in));
                } else {
                    text.push(sound);
                }
            }
            text.extend(chunk.invalid().iter().copied().map(stand_in));
        }
        Odd { text, is_odd: true }
    }
}

impl Odd {
    /// What to write for the text as it was edited.
    pub fn bytes(&self, edited: &str) -> Vec<u8> {
        if !self.is_odd {
            return edited.as_bytes().to_vec();
        }
        let mut bytes = Vec::with_capacity(edited.len());
        for c in edited.chars() {
            match u8::try_from(u32::from(c).wrapping_sub(FIRST) + 0x80) {
                Ok(byte) if is_stand_in(c) => bytes.push(byte),
                _ => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        bytes
    }

    /// A part of the text for people: what is no character is shown as such.
    pub fn legible(&self, part: &str) -> String {
        match self.is_odd {
            true => part.replace(is_stand_in, "\u{fffd}"),
            false => part.to_string(),
        }
    }
}

fn is_stand_in(c: char) -> bool {
    u32::from(c) >= FIRST
}

/// No byte below 0x80 is ever without a character.
fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte & 0x7f)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pc_218_any_bytes_come_back_as_they_were(bytes: Vec<u8>, text: String) {
            for bytes in [bytes, [text.as_bytes(), b"\xff", "\u{10ff90}".as_bytes(), &text.as_bytes()[..text.len() / 2]].concat()] {
                let odd = Odd::from(bytes.clone());
                prop_assert_eq!(odd.bytes(&odd.text), bytes);
            }
        }
    }

    #[test]
    fn pc_218_what_is_added_is_written_as_it_is() {
        let odd = Odd::from(b"| a \xd0 |\n".to_vec());
        assert!(odd.is_odd);
        assert_eq!(
            odd.bytes(&format!("| б |\n{}", odd.text)),
            "| б |\n| a ".bytes().chain(*b"\xd0 |\n").collect::<Vec<_>>()
        );
    }
}
