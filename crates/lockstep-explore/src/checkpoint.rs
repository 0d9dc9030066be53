//! Checkpoints: where a search stands at a fence, as bytes, and how those bytes are kept from damage.
//!
//! What is written is what the next level needs and nothing that depends on the number of workers: the counts, the states
//! that wait, all keys with their links, what a recorder has heard. So a search goes on from a checkpoint as it would have
//! gone on from that fence, with any number of workers. Files, clocks and names are the business of [`Checkpoints`].
//!
//! [`Seal`] and [`Unseal`] cut bytes into blocks, each with its length, number and checksum, and end them with an empty
//! block: a file that was cut short or changed is refused before anything of the damaged part is believed.

use std::io::{self, Read, Write};

use crate::outcome::Progress;

/// Where checkpoints are kept, and when they are made.
pub trait Checkpoints {
    /// Is it time for one? Asked at every fence at which the search goes on.
    fn due(&mut self, progress: &Progress) -> bool;

    /// Keeps one. `write` writes all of it; when it fails, the checkpoint before stays.
    fn save(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

    /// The checkpoint from which the search goes on, if it does. Asked once, before anything else.
    ///
    /// # Errors
    /// There should be one and it cannot be used; the search does not begin then.
    fn open(&mut self) -> io::Result<Option<Box<dyn Read>>>;
}

impl<T: Checkpoints + ?Sized> Checkpoints for &mut T {
    fn due(&mut self, progress: &Progress) -> bool {
        (**self).due(progress)
    }

    fn save(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        (**self).save(write);
    }

    fn open(&mut self) -> io::Result<Option<Box<dyn Read>>> {
        (**self).open()
    }
}

/// No checkpoints.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn due(&mut self, _: &Progress) -> bool {
        false
    }

    fn save(&mut self, _: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {}

    fn open(&mut self) -> io::Result<Option<Box<dyn Read>>> {
        Ok(None)
    }
}

/// Bytes of a block.
const BLOCK: usize = 1 << 16;

fn checksum(number: u64, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = (number ^ FACTOR).wrapping_mul(FACTOR) ^ bytes.len() as u64;
    for part in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        sum ^= sum >> 29;
    }
    sum
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Writes blocks. Nothing is whole before [`Seal::finish`].
pub struct Seal<W> {
    out: W,
    block: Vec<u8>,
    number: u64,
}

impl<W: Write> Seal<W> {
    /// Blocks to `out`.
    pub fn new(out: W) -> Self {
        Seal { out, block: Vec::with_capacity(BLOCK), number: 0 }
    }

    fn put(&mut self) -> io::Result<()> {
        self.out.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.out.write_all(&checksum(self.number, &self.block).to_le_bytes())?;
        self.out.write_all(&self.block)?;
        self.block.clear();
        self.number += 1;
        Ok(())
    }

    /// Writes the end and gives back what was written to.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.block.is_empty() {
            self.put()?;
        }
        self.put()?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Seal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..n]);
        if self.block.len() == BLOCK {
            self.put()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads blocks, and believes none before its checksum.
pub struct Unseal<R> {
    input: R,
    block: Vec<u8>,
    at: usize,
    number: u64,
    ended: bool,
}

impl<R: Read> Unseal<R> {
    /// Blocks from `input`.
    pub fn new(input: R) -> Self {
        Unseal { input, block: Vec::new(), at: 0, number: 0, ended: false }
    }
}

impl<R: Read> Read for Unseal<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.len() && !self.ended {
            let (mut length, mut sum) = ([0; 4], [0; 8]);
            let short = |_| damaged("the checkpoint is cut short");
            self.input.read_exact(&mut length).map_err(short)?;
            self.input.read_exact(&mut sum).map_err(short)?;
            let length = u32::from_le_bytes(length) as usize;
            if length > BLOCK {
                return Err(damaged("the checkpoint is damaged"));
            }
            self.block.resize(length, 0);
            self.input.read_exact(&mut self.block).map_err(short)?;
            if checksum(self.number, &self.block) != u64::from_le_bytes(sum) {
                return Err(damaged("the checkpoint is damaged"));
            }
            self.number += 1;
            self.at = 0;
            self.ended = length == 0;
        }
        let n = out.len().min(self.block.len() - self.at);
        out[..n].copy_from_slice(&self.block[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Numbers and lists of the formats that are kept.
pub mod parts {
    use std::io::{self, Read, Write};

    /// Writes a number.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn put(out: &mut dyn Write, number: u64) -> io::Result<()> {
        out.write_all(&number.to_le_bytes())
    }

    /// Reads a number.
    ///
    /// # Errors
    /// Those of the reader; its end.
    pub fn take(input: &mut dyn Read) -> io::Result<u64> {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Writes numbers.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn put_all(
        out: &mut dyn Write,
        numbers: impl ExactSizeIterator<Item = u64>,
    ) -> io::Result<()> {
        put(out, numbers.len() as u64)?;
        numbers.into_iter().try_for_each(|it| put(out, it))
    }

    /// Reads numbers.
    ///
    /// # Errors
    /// Those of the reader; its end.
    pub fn take_all(input: &mut dyn Read) -> io::Result<Vec<u64>> {
        // What is announced may be a lie, so nothing is reserved for it.
        (0..take(input)?).map(|_| take(input)).collect()
    }

    /// Writes bytes with their length.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
        put(out, bytes.len() as u64)?;
        out.write_all(bytes)
    }

    /// Reads bytes with their length.
    ///
    /// # Errors
    /// Those of the reader; its end.
    pub fn take_bytes(input: &mut dyn Read, into: &mut Vec<u8>) -> io::Result<()> {
        let length = take(input)?;
        into.clear();
        if input.take(length).read_to_end(into)? as u64 == length {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Seal, Unseal};
    use std::io::{Read as _, Write as _};

    fn sealed(bytes: &[u8]) -> Vec<u8> {
        let mut seal = Seal::new(Vec::new());
        seal.write_all(bytes).expect("a vector takes all");
        seal.finish().expect("a vector takes all")
    }

    fn unsealed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut out = Vec::new();
        Unseal::new(bytes).read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn what_is_sealed_comes_back_and_no_change_is_missed() {
        for length in [0, 1, 7, 8, 65_535, 65_536, 65_537, 200_000] {
            let bytes: Vec<u8> = (0..length as u32).map(|it| (it * 7 % 251) as u8).collect();
            let whole = sealed(&bytes);
            assert_eq!(unsealed(&whole).expect("whole"), bytes);
            for cut in [0, 1, whole.len() / 2, whole.len() - 1, whole.len() - 12] {
                assert!(unsealed(&whole[..cut]).is_err(), "{length} cut at {cut}");
            }
            for at in (0..whole.len()).step_by(whole.len() / 40 + 1) {
                let mut other = whole.clone();
                other[at] ^= 1 << (at % 8);
                assert!(unsealed(&other).is_err(), "{length} changed at {at}");
            }
        }
    }
}
