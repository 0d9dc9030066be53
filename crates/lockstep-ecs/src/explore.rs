//! A world as a transition system: every input sequence, to a depth or to a fix-point (feature `explore`).
//!
//! A state is a world between two frames, a step is one input and one frame. [`Simulation`] says how the world is made, which
//! inputs there are and which invariants must hold; [`lockstep_explore::check`] visits what can be reached and gives the shortest
//! input sequence to a violation.
//!
//! Two worlds are one state when they hold the same (what [`World::hash`] covers, without the frame's number) and when filters over
//! `Added` and `Changed` would see the same: what was written in the last frame counts by how long ago it was written, all that is
//! older counts as old. That is exact while every system that uses such a filter runs in every frame.
//!
//! Invariant: a step is a function of the state and the input. Systems that break the rules of determinism (clocks, random seeds,
//! addresses) break this, too; `check` with several workers, or a replay, shows it.

use crate::schedule::Schedule;
use crate::time::Snapshot;
use crate::world::World;
use lockstep_explore::{
    ActionId, ConstraintId, Context, Failure, Fingerprint, Outcome, PropertyId, TransitionSystem,
    Violation, ViolationKind,
};
use std::fmt::{Debug, Write};
use std::ops::ControlFlow;
use std::rc::Rc;
use xxhash_rust::xxh3::Xxh3;

type Look = Box<dyn Fn(&mut World) -> bool + Send + Sync>;
type Feed<I> = Box<dyn Fn(&mut World, &I) + Send + Sync>;

/// A simulation to explore: a world, a schedule, an alphabet of inputs, invariants.
pub struct Simulation<I> {
    make: Box<dyn Fn() -> (World, Schedule) + Send + Sync>,
    apply: Feed<I>,
    inputs: Vec<I>,
    invariants: Vec<(String, Look)>,
    within: Option<Look>,
}

impl<I: Debug> Debug for Simulation<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

/// A step that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepError {
    /// The input, as `Debug` shows it.
    pub input: String,
    /// What happened.
    pub message: String,
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "after input {}: {}", self.input, self.message)
    }
}
impl std::error::Error for StepError {}

/// The world and schedule of one worker.
#[derive(Debug)]
pub struct Desk {
    world: World,
    schedule: Schedule,
}

/// A world between two frames.
#[derive(Clone, Debug)]
pub struct State {
    print: Fingerprint,
    /// The first invariant that does not hold, as number + 1.
    violated: u32,
    outside: bool,
    bytes: Rc<[u8]>,
}

impl<I: Debug + Sync> Simulation<I> {
    /// `make` gives the world before the first frame and its schedule, always the same; `apply` puts an input into the world before
    /// a frame; `inputs` are all inputs there are.
    pub fn new(
        make: impl Fn() -> (World, Schedule) + Send + Sync + 'static,
        apply: impl Fn(&mut World, &I) + Send + Sync + 'static,
        inputs: Vec<I>,
    ) -> Self {
        Simulation {
            make: Box::new(make),
            apply: Box::new(apply),
            inputs,
            invariants: Vec::new(),
            within: None,
        }
    }
    /// What must hold before the first frame and after every frame. It may look, not write.
    #[must_use]
    pub fn invariant(
        mut self,
        name: &str,
        holds: impl Fn(&mut World) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.invariants.push((name.to_owned(), Box::new(holds)));
        self
    }
    /// Worlds for which this does not hold are checked but not gone on from.
    #[must_use]
    pub fn within(mut self, holds: impl Fn(&mut World) -> bool + Send + Sync + 'static) -> Self {
        self.within = Some(Box::new(holds));
        self
    }
    /// The name of an invariant that a violation names.
    #[must_use]
    pub fn property(&self, id: PropertyId) -> &str {
        &self.invariants[id.0 as usize].0
    }
    /// The inputs that lead to a violation, as numbers into the alphabet.
    #[must_use]
    pub fn inputs_of(&self, violation: &Violation<StepError>) -> Vec<usize> {
        violation.trace.iter().filter_map(|s| s.action).map(|a| a.0 as usize).collect()
    }
    /// Plays an input sequence from the start; `seen` gets the world after every frame.
    ///
    /// # Errors
    /// When a frame fails.
    pub fn replay(
        &self,
        inputs: &[usize],
        mut seen: impl FnMut(&mut World),
    ) -> Result<World, StepError> {
        let (mut world, mut schedule) = (self.make)();
        for &k in inputs {
            self.step(&mut world, &mut schedule, k)?;
            seen(&mut world);
        }
        Ok(world)
    }
    /// What was found, for people: the invariant and the shortest input sequence to it. `show` describes a world in one line.
    ///
    /// # Errors
    /// When the replay of the trace fails where the search did not: the simulation is not deterministic.
    pub fn report(
        &self,
        outcome: &Outcome<StepError>,
        show: impl Fn(&mut World) -> String,
    ) -> Result<String, StepError> {
        let mut out = String::new();
        let distinct = outcome.statistics.counters.distinct;
        let Some(violation) = outcome.violations.first() else {
            let _ = writeln!(out, "{:?}: {distinct} states", outcome.verdict);
            return Ok(out);
        };
        let what = match &violation.kind {
            ViolationKind::State(id) => format!("invariant {} does not hold", self.property(*id)),
            ViolationKind::Error(e) => e.to_string(),
            other => format!("{other:?}"),
        };
        let _ = writeln!(out, "{what}");
        let (mut world, mut schedule) = (self.make)();
        let _ = writeln!(out, "  start: {}", show(&mut world));
        for k in self.inputs_of(violation) {
            self.step(&mut world, &mut schedule, k)?;
            let _ = writeln!(out, "  {:?}: {}", self.inputs[k], show(&mut world));
        }
        Ok(out)
    }

    fn step(&self, world: &mut World, schedule: &mut Schedule, k: usize) -> Result<(), StepError> {
        (self.apply)(world, &self.inputs[k]);
        schedule.run(world).map(|_| ()).map_err(|e| StepError {
            input: format!("{:?}", self.inputs[k]),
            message: e.to_string(),
        })
    }
    /// The state that the world is in; `since` is the tick at which its last frame began.
    fn seal(&self, world: &mut World, since: u64) -> Result<State, StepError> {
        world.frame = 0;
        let print = world.identity(since);
        let snapshot = world.snapshot().map_err(|e| StepError {
            input: String::new(),
            message: format!("this world cannot be explored: {e}"),
        })?;
        let bytes = snapshot.to_bytes().into();
        let violated = self.invariants.iter().position(|(_, holds)| !holds(world));
        Ok(State {
            print,
            violated: violated.map_or(0, |k| k as u32 + 1),
            outside: self.within.as_ref().is_some_and(|within| !within(world)),
            bytes,
        })
    }
}

impl<I: Debug + Sync> TransitionSystem for Simulation<I> {
    type Worker = Desk;
    type State = State;
    type Error = StepError;

    fn worker(&self, _index: usize) -> Desk {
        let (world, schedule) = (self.make)();
        Desk { world, schedule }
    }

    fn initial(
        &self,
        _cx: &Context<'_>,
        desk: &mut Desk,
        mut emit: impl FnMut(&mut Desk, State) -> ControlFlow<()>,
    ) -> Result<(), StepError> {
        let (world, schedule) = (self.make)();
        *desk = Desk { world, schedule };
        // What systems remember belongs to the state from the start.
        desk.schedule.build(&mut desk.world).map_err(|e| StepError {
            input: String::new(),
            message: format!("the schedule cannot be built: {e}"),
        })?;
        let tick = desk.world.tick();
        let state = self.seal(&mut desk.world, tick)?;
        let _ = emit(desk, state);
        Ok(())
    }

    fn successors(
        &self,
        _cx: &Context<'_>,
        desk: &mut Desk,
        state: &State,
        mut emit: impl FnMut(&mut Desk, ActionId, State) -> ControlFlow<()>,
    ) -> Result<(), StepError> {
        let from = Snapshot::from_bytes(&state.bytes).expect("written by `seal`");
        for k in 0..self.inputs.len() {
            desk.world.restore(&from).map_err(|e| StepError {
                input: format!("{:?}", self.inputs[k]),
                message: format!("the world cannot be restored: {e}"),
            })?;
            let since = desk.world.tick();
            self.step(&mut desk.world, &mut desk.schedule, k)?;
            let next = self.seal(&mut desk.world, since)?;
            if emit(desk, ActionId(k as u32), next).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn fingerprint(&self, _desk: &mut Desk, state: &State) -> Result<Fingerprint, StepError> {
        Ok(state.print)
    }

    fn encode(&self, _desk: &mut Desk, state: &State, out: &mut Vec<u8>) {
        out.extend_from_slice(&state.print.0.to_le_bytes());
        out.extend_from_slice(&state.violated.to_le_bytes());
        out.push(u8::from(state.outside));
        out.extend_from_slice(&state.bytes);
    }

    fn decode(&self, _desk: &mut Desk, bytes: &[u8]) -> State {
        let (print, rest) = bytes.split_first_chunk().expect("written by `encode`");
        let (violated, rest) = rest.split_first_chunk().expect("written by `encode`");
        let (outside, rest) = rest.split_first().expect("written by `encode`");
        State {
            print: Fingerprint(u128::from_le_bytes(*print)),
            violated: u32::from_le_bytes(*violated),
            outside: *outside != 0,
            bytes: rest.into(),
        }
    }

    fn check_state(
        &self,
        _cx: &Context<'_>,
        _desk: &mut Desk,
        state: &State,
    ) -> Result<(), Failure<StepError>> {
        match state.violated.checked_sub(1) {
            Some(k) => Err(Failure::Violated(PropertyId(k))),
            None => Ok(()),
        }
    }

    fn excluded(
        &self,
        _cx: &Context<'_>,
        _desk: &mut Desk,
        state: &State,
    ) -> Result<Option<ConstraintId>, StepError> {
        Ok(state.outside.then_some(ConstraintId(0)))
    }
}

impl World {
    /// What tells this world from others when only the future counts; see the module.
    fn identity(&self, since: u64) -> Fingerprint {
        let mut h = Xxh3::new();
        h.update(&self.state_hash().to_le_bytes());
        let mut age = |tick: u64| h.update(&tick.saturating_sub(since).to_le_bytes());
        for archetype in self.archetypes.iter() {
            for column in archetype.columns() {
                for (p, page) in column.pages.iter().enumerate() {
                    let n = archetype.page_len(p);
                    for array in [page.changed, page.added] {
                        if !array.is_null() {
                            // SAFETY: tick arrays have the page's capacity, and ticks of rows below the length are written.
                            let ticks = unsafe { std::slice::from_raw_parts(array, n) };
                            ticks.iter().for_each(|&t| age(t));
                        }
                    }
                }
            }
        }
        for (set, info) in self.sparse.iter().zip(&self.registry.infos) {
            let Some(set) = set.as_ref().filter(|_| info.track_changed | info.track_added) else {
                continue;
            };
            let mut order: Vec<usize> = (0..set.len()).collect();
            order.sort_unstable_by_key(|&k| set.rows[k].entity.index());
            for k in order {
                age(set.rows[k].changed);
                age(set.rows[k].added);
            }
        }
        for log in &self.removals {
            for r in &log.entries {
                age(r.tick);
                age(since + (r.entity.to_bits() >> 1));
            }
        }
        Fingerprint(h.digest128())
    }
}
