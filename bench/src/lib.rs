//! Systems to measure the explorer with: states by arithmetic, sizes by option.
//!
//! A [`Grid`] has `digits` counters that go round modulo `base`, one action each; so it has exactly `base^digits` states,
//! `digits` successors for each, and its levels are those of a sum of dice: narrow at both ends, wide in the middle.
//! How much evaluation a successor costs is an option, too, so that the explorer's own share can be told from it.
//!
//! Invariant: nothing here depends on chance or time; two runs with the same options explore the same.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::ops::ControlFlow;

use lockstep_explore::liveness::StepLog;
use lockstep_explore::{ActionId, Context, Fingerprint, Recorder, TransitionSystem};

/// Counters that go round. See the [module](self).
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// How many counters.
    pub digits: u32,
    /// How far each counts.
    pub base: u64,
    /// Rounds of dependent arithmetic for each successor, about a nanosecond each.
    pub work: u32,
}

impl Grid {
    /// How many states it has.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.base.pow(self.digits)
    }

    /// How many states a search generates, the initial one included.
    #[must_use]
    pub fn generated(&self) -> u64 {
        self.states() * u64::from(self.digits) + 1
    }

    /// Calls `f` with each successor of a state.
    #[inline]
    pub fn each_successor(&self, state: u64, mut f: impl FnMut(u32, u64) -> ControlFlow<()>) {
        let mut unit = 1;
        for digit in 0..self.digits {
            let here = state / unit % self.base;
            let next = if here + 1 == self.base { state - here * unit } else { state + unit };
            let mut x = next;
            for _ in 0..self.work {
                x = (x ^ x >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            // What the work gave is not needed, only that it was done.
            black_box(x);
            if f(digit, next).is_break() {
                return;
            }
            unit *= self.base;
        }
    }

    /// The fingerprint of a state: two rounds of a mixer.
    #[inline]
    #[must_use]
    pub fn print(state: u64) -> Fingerprint {
        let high = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        Fingerprint(u128::from(high) << 64 | u128::from(mix(high ^ state)))
    }
}

/// The finalizer of splitmix64.
#[inline]
#[must_use]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl TransitionSystem for Grid {
    type Worker = ();
    type State = u64;
    type Error = std::convert::Infallible;

    fn worker(&self, _index: usize) {}

    fn initial(
        &self,
        _cx: &Context<'_>,
        worker: &mut (),
        mut emit: impl FnMut(&mut (), u64) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        let _ = emit(worker, 0);
        Ok(())
    }

    fn successors(
        &self,
        _cx: &Context<'_>,
        worker: &mut (),
        state: &u64,
        mut emit: impl FnMut(&mut (), ActionId, u64) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        self.each_successor(*state, |digit, next| emit(worker, ActionId(digit), next));
        Ok(())
    }

    fn fingerprint(&self, _worker: &mut (), state: &u64) -> Result<Fingerprint, Self::Error> {
        Ok(Grid::print(*state))
    }

    fn encode(&self, _worker: &mut (), state: &u64, out: &mut Vec<u8>) {
        // As many bytes as the largest state needs.
        let bytes = (64 - (self.states() - 1).leading_zeros()).div_ceil(8).max(1) as usize;
        out.extend_from_slice(&state.to_le_bytes()[..bytes]);
    }

    fn decode(&self, _worker: &mut (), bytes: &[u8]) -> u64 {
        let mut raw = [0; 8];
        raw[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(raw)
    }
}

/// Records the behaviour graph of a [`Grid`]: atom 0 says that a state is the first, atom 1 that a step moves, atom 2 that
/// it goes round.
#[derive(Debug, Clone, Copy)]
pub struct GridRecorder;

impl Recorder<Grid> for GridRecorder {
    type Log = StepLog;

    fn log(&self, _worker: usize) -> StepLog {
        StepLog::default()
    }

    fn initial(
        &self,
        log: &mut StepLog,
        _cx: &Context<'_>,
        _worker: &mut (),
        _state: &u64,
        fingerprint: Fingerprint,
    ) -> Result<(), std::convert::Infallible> {
        log.initial(fingerprint);
        Ok(())
    }

    fn state(
        &self,
        log: &mut StepLog,
        _cx: &Context<'_>,
        _worker: &mut (),
        state: &u64,
        fingerprint: Fingerprint,
    ) -> Result<(), std::convert::Infallible> {
        let class = log.classes.intern(&[u64::from(*state == 0)]);
        log.state(fingerprint, class);
        Ok(())
    }

    fn edge(
        &self,
        log: &mut StepLog,
        _cx: &Context<'_>,
        _worker: &mut (),
        from: (&u64, Fingerprint),
        _action: ActionId,
        to: (&u64, Fingerprint),
    ) -> Result<(), std::convert::Infallible> {
        let row = u64::from(*from.0 == 0) | 2 | u64::from(to.0 < from.0) << 2;
        let class = log.classes.intern(&[row]);
        log.step(to.1, class);
        Ok(())
    }
}
