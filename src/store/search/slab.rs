//! Memory for what is kept between searches. It is taken in pieces so large that the system gives and takes each one by
//! itself; small ones would stay with the process when they are not needed any more.

use bytes::{Bytes, BytesMut};

/// An allocator keeps what is smaller than some limit, of 32 MB at the most. What is not written costs no memory.
const PIECE: usize = 48 << 20;

/// The piece that is being filled. A piece goes when nothing in it is used.
#[derive(Debug, Default)]
pub struct Slab {
    piece: BytesMut,
}

impl Slab {
    pub fn keep(&mut self, bytes: &[u8]) -> Bytes {
        if self.piece.capacity() < bytes.len() {
            self.piece = BytesMut::with_capacity(PIECE.max(bytes.len()));
        }
        self.piece.extend_from_slice(bytes);
        self.piece.split().freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_what_is_kept_stays_as_it_was() {
        let mut slab = Slab::default();
        let texts: Vec<Vec<u8>> = (0..40_usize).map(|n| vec![n as u8; n * n * 5000]).collect();
        let kept: Vec<Bytes> = texts.iter().map(|text| slab.keep(text)).collect();
        drop(slab);
        assert!(texts.iter().map(Vec::len).sum::<usize>() > 2 * PIECE);
        assert!(texts.iter().zip(&kept).all(|(text, kept)| *text == *kept));
    }
}
