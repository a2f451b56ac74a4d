//! Bytes as text while they come: a character may be split between two pieces.

/// Decodes pieces of UTF-8; bad bytes become U+FFFD.
#[derive(Debug, Default)]
pub struct Preview {
    /// The first bytes of a character whose rest has not come, at most three.
    pending: Vec<u8>,
}

impl Preview {
    /// What can be shown now, if anything.
    pub fn feed(&mut self, piece: &[u8]) -> Option<String> {
        let mut bytes = std::mem::take(&mut self.pending);
        bytes.extend_from_slice(piece);
        let mut text = String::with_capacity(bytes.len());
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            let bad = chunk.invalid();
            at += chunk.valid().len() + bad.len();
            let is_unfinished = std::str::from_utf8(bad).is_err_and(|e| e.error_len().is_none());
            if at == bytes.len() && is_unfinished {
                self.pending = bad.to_vec();
            } else if !bad.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_characters_are_put_together() {
        let text = "день 🦀 ok";
        for size in 1..8 {
            let mut preview = Preview::default();
            let shown: String = text.as_bytes().chunks(size).filter_map(|p| preview.feed(p)).collect();
            assert_eq!(shown, text, "{size}");
        }
        let mut preview = Preview::default();
        assert_eq!(preview.feed(b"a\xffb\xd0").as_deref(), Some("a\u{fffd}b"));
        assert_eq!(preview.feed(b"x").as_deref(), Some("\u{fffd}x"));
    }
}
