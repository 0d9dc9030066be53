//! A small random stream: splitmix64.
//!
//! Invariant: a stream is a function of its key, on every machine. It is for choosing, not for secrets.

#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream of the `index`-th of many things drawn under one seed.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut of_seed = Random(seed);
        let base = of_seed.next();
        let mut of_index = Random(base ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        Random(of_index.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, each as likely as the others up to one in 2^64.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}
