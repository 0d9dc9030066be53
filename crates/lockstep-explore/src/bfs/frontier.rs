//! The states that wait: fingerprints and encoded states, packed into chunks.
//!
//! A chunk is what a worker takes at a time. An entry is the fingerprint's upper bytes, the length of the state in base 128
//! and the state's bytes. Chunks are dropped as they are expanded, so a level shrinks while the next one grows.
//!
//! Invariant: only the upper bits of a fingerprint that the table tells apart are ever other than 0, so nothing is lost.

use lockstep_runtime::Fingerprint;

/// A chunk is closed when it has so many states or so many bytes. Few enough that two workers share a level of some
/// thousand states evenly, enough that taking one costs nothing.
const CHUNK_STATES: u32 = 64;
const CHUNK_BYTES: usize = 16 << 10;

#[derive(Debug, Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    states: u32,
}

impl Chunk {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The entries, first in, first out. `width` as in [`Writer::new`].
    pub(crate) fn entries(&self, width: u32) -> Entries<'_> {
        Entries { rest: &self.bytes, fingerprint_bytes: width.div_ceil(8) as usize }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Entries<'a> {
    rest: &'a [u8],
    fingerprint_bytes: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Fingerprint, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (fingerprint, mut rest) = self.rest.split_at(self.fingerprint_bytes);
        let mut raw = [0; 16];
        raw[..self.fingerprint_bytes].copy_from_slice(fingerprint);
        let mut length = 0;
        let mut shift = 0;
        loop {
            let byte = rest[0];
            rest = &rest[1..];
            length |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        let (state, rest) = rest.split_at(length);
        self.rest = rest;
        Some((Fingerprint(u128::from_be_bytes(raw)), state))
    }
}

/// Where one worker puts the new states of a level.
#[derive(Debug)]
pub(crate) struct Writer {
    fingerprint_bytes: usize,
    open: Chunk,
    full: Vec<Chunk>,
    states: usize,
    bytes: usize,
    /// Scratch for one encoded state.
    pub(crate) state: Vec<u8>,
}

impl Writer {
    /// `width`: how many of the upper bits of a fingerprint count.
    pub(crate) fn new(width: u32) -> Self {
        Writer {
            fingerprint_bytes: width.div_ceil(8) as usize,
            open: Chunk::default(),
            full: Vec::new(),
            states: 0,
            bytes: 0,
            state: Vec::new(),
        }
    }

    /// Appends the state whose bytes are in `self.state`.
    pub(crate) fn push(&mut self, fingerprint: Fingerprint) {
        let out = &mut self.open.bytes;
        out.extend_from_slice(&fingerprint.0.to_be_bytes()[..self.fingerprint_bytes]);
        let mut length = self.state.len();
        while length >= 0x80 {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend_from_slice(&self.state);
        self.open.states += 1;
        self.states += 1;
        if self.open.states >= CHUNK_STATES || out.len() >= CHUNK_BYTES {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.open.states > 0 {
            // The next chunk will be about as large as this one.
            let expected = self.open.bytes.len();
            let mut chunk = std::mem::replace(
                &mut self.open,
                Chunk { bytes: Vec::with_capacity(expected), states: 0 },
            );
            chunk.bytes.shrink_to_fit();
            self.bytes += chunk.bytes.len();
            self.full.push(chunk);
        }
    }

    pub(crate) fn states(&self) -> usize {
        self.states
    }

    /// Bytes of the chunks that are full.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What was written since the last call.
    pub(crate) fn take(&mut self) -> Frontier {
        self.close();
        self.open = Chunk::default();
        Frontier {
            chunks: std::mem::take(&mut self.full),
            states: std::mem::take(&mut self.states),
            bytes: std::mem::take(&mut self.bytes),
        }
    }
}

/// The states of a level that are to be expanded.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) states: usize,
    pub(crate) bytes: usize,
}

impl Frontier {
    pub(crate) fn append(&mut self, mut other: Frontier) {
        self.chunks.append(&mut other.chunks);
        self.states += other.states;
        self.bytes += other.bytes;
    }

    /// The same states in the order of their fingerprints.
    pub(crate) fn sorted(&self, width: u32) -> Frontier {
        let mut entries: Vec<_> =
            self.chunks.iter().flat_map(|chunk| chunk.entries(width)).collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        let mut writer = Writer::new(width);
        for (fingerprint, state) in entries {
            writer.state.clear();
            writer.state.extend_from_slice(state);
            writer.push(fingerprint);
        }
        writer.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_went_in() {
        let mut writer = Writer::new(73);
        let expected: Vec<_> = (0..500u32)
            .map(|i| {
                let print = Fingerprint(u128::from(i.wrapping_mul(0x9e37_79b9)) << 64);
                (print, vec![i as u8; i as usize * 3])
            })
            .collect();
        for (print, state) in &expected {
            writer.state.clone_from(state);
            writer.push(*print);
        }
        let frontier = writer.take();
        assert_eq!(frontier.states, 500);
        let all: Vec<_> = frontier
            .chunks
            .iter()
            .flat_map(|chunk| chunk.entries(73))
            .map(|(print, state)| (print, state.to_vec()))
            .collect();
        assert_eq!(all, expected);
        let sorted = frontier.sorted(73);
        let prints: Vec<_> =
            sorted.chunks.iter().flat_map(|chunk| chunk.entries(73)).map(|it| it.0).collect();
        assert!(prints.is_sorted());
        assert_eq!(prints.len(), 500);
    }
}
