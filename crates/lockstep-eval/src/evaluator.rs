//! The evaluator of one worker: states, successors, checks and values of a program.
//!
//! An [`Evaluator`] and its [`State`]s stay on their thread; states cross threads as bytes.
//! Results depend on the program and the arguments alone, not on what was evaluated before,
//! except for what the specification itself keeps in registers.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use lockstep_syntax::Span;

use crate::action::Continuation;
use crate::error::{EvalError, EvalResult, Partial, code};
use crate::eval::{Machine, NextState, Role, Shared, Written, thaw};
use crate::ir::{
    Act, ActId, ActionInfo, EntryPoint, Frozen, NodeId, Part, Program, Property, act_parts,
};
use crate::orbit::Orbit;
use crate::value::{Ctx, ModelId, Value, decode, encode, fold, hash64, mix, permute};

/// Which part of Next made a step: an index into [`Program::actions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ActionId(pub u32);

impl ActionId {
    /// The place in [`Program::actions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A state: the values of all variables in order of declaration.
#[derive(Clone)]
pub struct State {
    values: Rc<[Value]>,
    fingerprint: Cell<u128>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "State({} values)", self.values.len())
    }
}

impl State {
    /// A state of these values.
    pub fn new(values: impl Into<Rc<[Value]>>) -> Self {
        Self { values: values.into(), fingerprint: Cell::new(0) }
    }

    /// The hashes of the values, of those that have one.
    pub fn hashes(&self, ctx: &mut Ctx) -> Vec<u64> {
        self.values.iter().filter_map(|it| hash64(ctx, it).ok()).collect()
    }

    /// The values in order of declaration.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

/// A value that `TLCCache` keeps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cached {
    place: Span,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// The values of the bound names above an action, by slot.
type Presets = Rc<[(u16, Value)]>;

/// Evaluates a program on one thread.
pub struct Evaluator {
    program: Arc<Program>,
    ctx: Ctx,
    machine: Machine,
    presets: Vec<Option<Presets>>,
    permutations: Option<Rc<[Box<[ModelId]>]>>,
    orbit: Option<Orbit>,
}

impl Evaluator {
    /// An evaluator with nothing evaluated yet.
    pub fn new(program: Arc<Program>) -> Self {
        let ctx = Ctx::new(program.symbols.clone());
        let machine = Machine::new(Shared::new(program.clone()));
        let presets = vec![None; program.actions.len()];
        Self { program, ctx, machine, presets, permutations: None, orbit: None }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Registers, output, limits, randomness and what the search tells the specification.
    pub fn ctx(&mut self) -> &mut Ctx {
        &mut self.ctx
    }

    /// What `TLCCache` keeps: by the place of the expression and the key, as bytes.
    pub fn cached(&mut self) -> Vec<Cached> {
        let cached = self.machine.shared.cached.borrow();
        let mut out = Vec::new();
        #[expect(clippy::iter_over_hash_type, reason = "the list is sorted")]
        for ((place, _), rows) in cached.iter() {
            for (key, value) in rows {
                let mut it = Cached { place: *place, key: Vec::new(), value: Vec::new() };
                // What has no bytes is computed anew.
                if encode(&mut self.ctx, key, &mut it.key).is_ok()
                    && encode(&mut self.ctx, value, &mut it.value).is_ok()
                {
                    out.push(it);
                }
            }
        }
        out.sort();
        out
    }

    /// Keeps what another evaluator has cached.
    pub fn install_cached(&mut self, list: &[Cached]) -> EvalResult<()> {
        for it in list {
            let key = decode(&mut it.key.as_slice(), &mut self.ctx)?;
            let value = decode(&mut it.value.as_slice(), &mut self.ctx)?;
            let hash = hash64(&mut self.ctx, &key)?;
            let mut cached = self.machine.shared.cached.borrow_mut();
            cached.entry((it.place, hash)).or_default().push((key, value));
        }
        Ok(())
    }

    // --- states ---

    /// Calls `emit` for every initial state, in TLC's order and with repetitions, until it says
    /// `false`.
    pub fn initial_states(&mut self, emit: &mut dyn FnMut(State) -> bool) -> EvalResult<()> {
        let program = self.program.clone();
        let n = program.n_variables();
        for part in &program.init {
            self.reset();
            self.machine.set_state(Rc::from([]));
            self.machine.next = NextState::empty(n);
            let presets = thaw_presets(&mut self.ctx, part)?;
            if !self.run_part(part, &presets, code::INIT_INCOMPLETE, &mut |state, _| emit(state))? {
                break;
            }
        }
        Ok(())
    }

    /// Calls `emit` for every step from a state, in TLC's order and with repetitions, until it
    /// says `false`.
    pub fn successors(
        &mut self,
        state: &State,
        emit: &mut dyn FnMut(ActionId, State) -> bool,
    ) -> EvalResult<()> {
        let program = self.program.clone();
        self.enter(state);
        for idx in 0..program.actions.len() {
            let action = ActionId(idx as u32);
            let go_on = self.run_action(&program, action, &mut |next| emit(action, next))?;
            if !go_on {
                break;
            }
        }
        Ok(())
    }

    /// Calls `emit` for every step that one action makes from a state.
    pub fn successors_by(
        &mut self,
        action: ActionId,
        state: &State,
        emit: &mut dyn FnMut(State) -> bool,
    ) -> EvalResult<()> {
        let program = self.program.clone();
        self.enter(state);
        self.run_action(&program, action, emit)?;
        Ok(())
    }

    /// Like [`Evaluator::successors_by`], with how each variable got its value.
    pub(crate) fn successors_written(
        &mut self,
        action: ActionId,
        state: &State,
        emit: &mut dyn FnMut(State, &[Written]) -> bool,
    ) -> EvalResult<()> {
        let program = self.program.clone();
        self.enter(state);
        // What was kept per state was read before anybody took notes.
        self.machine.new_epoch();
        self.run_action_with(&program, action, emit)?;
        Ok(())
    }

    /// The value that a piece of an action yields, and what of its variable it repeats.
    pub(crate) fn evaluate_piece(
        &mut self,
        action: ActionId,
        kind: &crate::memo::PieceKind,
        layout: &crate::memo::Layout,
        state: &State,
    ) -> EvalResult<(Value, Written)> {
        use crate::memo::PieceKind;
        let program = self.program.clone();
        self.enter(state);
        self.machine.new_epoch();
        let presets = self.presets_of(&program, action)?;
        let n_slots = program.actions[action.index()].n_slots;
        let saved = self.machine.open_frame(n_slots);
        // Pieces stand outside the scopes that would clear their slots.
        self.machine.clear(0, n_slots);
        for (slot, value) in presets.iter() {
            self.machine.set(*slot, value.clone());
        }
        let (machine, ctx) = (&mut self.machine, &mut self.ctx);
        let result = match kind {
            PieceKind::Test(node) => machine
                .test(ctx, &program, *node, Role::Formula)
                .map(|holds| (Value::Bool(holds), Written::Whole)),
            PieceKind::Assign(var, node) => machine.value_noted(ctx, &program, *var, *node),
            PieceKind::Element { target, var, idx, body, .. } => {
                let key = layout.key(usize::from(*var), *idx);
                match machine.bind(ctx, *target, key) {
                    Ok(()) => machine.eval(ctx, &program, *body).map(|it| (it, Written::Whole)),
                    Err(err) => Err(err),
                }
            }
        };
        self.machine.close_frame(saved);
        if result.is_err() {
            self.reset();
        }
        result
    }

    /// The values of the bound names above an action.
    fn presets_of(
        &mut self,
        program: &Program,
        action: ActionId,
    ) -> EvalResult<Rc<[(u16, Value)]>> {
        if let Some(presets) = &self.presets[action.index()] {
            return Ok(presets.clone());
        }
        let part = &program.actions[action.index()];
        let presets: Rc<[(u16, Value)]> = thaw_presets(&mut self.ctx, part)?.into();
        self.presets[action.index()] = Some(presets.clone());
        Ok(presets)
    }

    /// Forgets what is kept per state, so that the next evaluation reads all it depends on.
    pub(crate) fn forget(&mut self) {
        self.machine.new_epoch();
    }

    /// Evaluates a state-level definition for the sake of the number of its value.
    pub(crate) fn define(&mut self, node: NodeId, state: &State) -> EvalResult<()> {
        self.enter(state);
        self.machine.new_epoch();
        let program = self.program.clone();
        self.machine.eval(&mut self.ctx, &program, node).map(drop)
    }

    /// Whether an expression in a frame with these slots holds of a state.
    pub(crate) fn test_node(
        &mut self,
        node: NodeId,
        n_slots: u16,
        presets: &[(u16, Value)],
        state: &State,
    ) -> EvalResult<bool> {
        self.enter(state);
        self.machine.new_epoch();
        let saved = self.machine.open_frame(n_slots);
        self.machine.clear(0, n_slots);
        for (slot, value) in presets {
            self.machine.set(*slot, value.clone());
        }
        let result = self.machine.test(&mut self.ctx, &self.program, node, Role::Formula);
        self.machine.close_frame(saved);
        if result.is_err() {
            self.reset();
        }
        result
    }

    fn run_action(
        &mut self,
        program: &Program,
        action: ActionId,
        emit: &mut dyn FnMut(State) -> bool,
    ) -> EvalResult<bool> {
        self.run_action_with(program, action, &mut |state, _| emit(state))
    }

    fn run_action_with(
        &mut self,
        program: &Program,
        action: ActionId,
        emit: &mut dyn FnMut(State, &[Written]) -> bool,
    ) -> EvalResult<bool> {
        let part = &program.actions[action.index()];
        let presets = match &self.presets[action.index()] {
            Some(presets) => presets.clone(),
            None => {
                let presets: Rc<[(u16, Value)]> = thaw_presets(&mut self.ctx, part)?.into();
                self.presets[action.index()] = Some(presets.clone());
                presets
            }
        };
        self.run_part(part, &presets, code::NEXT_INCOMPLETE, emit)
    }

    fn run_part(
        &mut self,
        part: &ActionInfo,
        presets: &[(u16, Value)],
        incomplete: u32,
        emit: &mut dyn FnMut(State, &[Written]) -> bool,
    ) -> EvalResult<bool> {
        let program = &*self.program;
        let machine = &mut self.machine;
        let saved = machine.open_frame(part.n_slots);
        for (slot, value) in presets {
            machine.set(*slot, value.clone());
        }
        let result = machine.run(
            &mut self.ctx,
            program,
            part.body,
            &Continuation::Done,
            &mut |machine, ctx| {
                if !machine.next.is_complete() {
                    return Err(incomplete_state(ctx, program, machine, part, incomplete));
                }
                let mut values: Rc<[Value]> =
                    machine.next.values.iter().flatten().cloned().collect();
                if values.iter().any(|it| matches!(it, Value::Lazy(_))) {
                    values = settled(ctx, program, part, &values)?;
                }
                Ok(emit(State::new(values), &machine.next.written))
            },
        );
        machine.close_frame(saved);
        if result.is_err() {
            self.reset();
        }
        result.map_err(|err| self.in_part(part, err))
    }

    /// Names the part of Init or Next in which an error arose.
    #[cold]
    fn in_part(&mut self, part: &ActionInfo, err: Box<EvalError>) -> Box<EvalError> {
        if err.stack.last().is_some_and(|it| it.name == part.name) {
            return err;
        }
        let mut args = Vec::new();
        for (_, frozen) in &part.params {
            match crate::eval::thaw(&mut self.ctx, frozen) {
                Ok(value) => args.push(crate::value::to_text(&mut self.ctx, &value)),
                Err(_) => return err,
            }
        }
        let name = match args.as_slice() {
            [] => part.name.to_string(),
            _ => format!("{}({})", part.name, args.join(", ")),
        };
        err.within(name, Some(part.span))
    }

    /// Puts the machine in order, whatever an error left behind.
    fn reset(&mut self) {
        self.machine.base = 0;
        self.machine.top = 0;
        self.ctx.depth = 0;
        let n = self.program.n_variables();
        self.machine.next = NextState::empty(n);
    }

    fn enter(&mut self, state: &State) {
        self.reset();
        if !Rc::ptr_eq(&self.machine.cur, &state.values) {
            self.machine.set_state(state.values.clone());
        }
    }

    fn enter_step(&mut self, state: &State, next: &State) {
        self.enter(state);
        self.machine.last_step += 1;
        self.machine.next = NextState::complete(&next.values, self.machine.last_step);
    }

    /// How many states in the middle of `A \cdot B` were made since the last call: TLC counts them
    /// as generated.
    pub fn take_middle_states(&mut self) -> u64 {
        std::mem::take(&mut self.machine.n_middle)
    }

    // --- checks ---

    /// Whether an invariant holds of a state.
    pub fn check_invariant(&mut self, idx: usize, state: &State) -> EvalResult<bool> {
        let program = self.program.clone();
        self.holds(&program.invariants[idx], state)
    }

    /// Whether a property of initial states holds of one.
    pub fn check_initial_property(&mut self, idx: usize, state: &State) -> EvalResult<bool> {
        let program = self.program.clone();
        self.holds(&program.initial_properties[idx], state)
    }

    /// Whether an action property holds of a step.
    pub fn check_action_property(
        &mut self,
        idx: usize,
        state: &State,
        next: &State,
    ) -> EvalResult<bool> {
        let program = self.program.clone();
        self.holds_of_step(&program.action_properties[idx], state, next)
    }

    /// Whether all constraints hold of a state.
    pub fn constraint(&mut self, state: &State) -> EvalResult<bool> {
        let program = self.program.clone();
        for property in &program.constraints {
            if !self.holds(property, state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all action constraints hold of a step.
    pub fn action_constraint(&mut self, state: &State, next: &State) -> EvalResult<bool> {
        let program = self.program.clone();
        for property in &program.action_constraints {
            if !self.holds_of_step(property, state, next)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an assumption (or any property without state) holds.
    pub fn check_constant(&mut self, property: &Property) -> EvalResult<bool> {
        self.reset();
        self.machine.set_state(Rc::from([]));
        self.machine.next = NextState::default();
        self.test(&property.entry)
    }

    /// Whether a property holds of a state.
    pub fn holds(&mut self, property: &Property, state: &State) -> EvalResult<bool> {
        self.holds_entry(&property.entry, state)
    }

    /// Whether a property holds of a step.
    pub fn holds_of_step(
        &mut self,
        property: &Property,
        state: &State,
        next: &State,
    ) -> EvalResult<bool> {
        self.holds_entry_of_step(&property.entry, state, next)
    }

    /// Whether a predicate holds of a state.
    pub fn holds_entry(&mut self, entry: &EntryPoint, state: &State) -> EvalResult<bool> {
        self.enter(state);
        self.test(entry)
    }

    /// Whether a predicate holds of a step.
    pub fn holds_entry_of_step(
        &mut self,
        entry: &EntryPoint,
        state: &State,
        next: &State,
    ) -> EvalResult<bool> {
        self.enter_step(state, next);
        self.test(entry)
    }

    fn test(&mut self, entry: &EntryPoint) -> EvalResult<bool> {
        let saved = self.machine.open_frame(entry.n_slots);
        let result = self.machine.test(&mut self.ctx, &self.program, entry.node, Role::Formula);
        self.machine.close_frame(saved);
        if result.is_err() {
            self.reset();
        }
        result
    }

    // --- values ---

    /// The value of an expression without state.
    pub fn eval_constant(&mut self, entry: &EntryPoint) -> EvalResult<Value> {
        self.reset();
        self.machine.set_state(Rc::from([]));
        self.machine.next = NextState::default();
        self.value(entry)
    }

    /// The value of an expression in a state.
    pub fn eval(&mut self, entry: &EntryPoint, state: &State) -> EvalResult<Value> {
        self.enter(state);
        self.value(entry)
    }

    /// The value of an expression on a step.
    pub fn eval_on_step(
        &mut self,
        entry: &EntryPoint,
        state: &State,
        next: &State,
    ) -> EvalResult<Value> {
        self.enter_step(state, next);
        self.value(entry)
    }

    fn value(&mut self, entry: &EntryPoint) -> EvalResult<Value> {
        let saved = self.machine.open_frame(entry.n_slots);
        let result = self.machine.eval(&mut self.ctx, &self.program, entry.node);
        self.machine.close_frame(saved);
        if result.is_err() {
            self.reset();
        }
        result
    }

    /// The value behind its bytes.
    pub fn thaw(&mut self, frozen: &Frozen) -> EvalResult<Value> {
        thaw(&mut self.ctx, frozen)
    }

    // --- identity of states ---

    /// The fingerprint of a state: of its VIEW if there is one, the same for all permutations of
    /// it if there is SYMMETRY.
    pub fn fingerprint(&mut self, state: &State) -> EvalResult<u128> {
        let known = state.fingerprint.get();
        if known != 0 {
            return Ok(known);
        }
        let fingerprint = self.plain_or_viewed(state)?;
        let fingerprint = match self.program.symmetry {
            None => fingerprint,
            Some(_) => self.smallest(state, fingerprint)?,
        };
        let fingerprint = fingerprint.max(1);
        state.fingerprint.set(fingerprint);
        Ok(fingerprint)
    }

    fn plain_or_viewed(&mut self, state: &State) -> EvalResult<u128> {
        let program = self.program.clone();
        match &program.view {
            None => fingerprint(&mut self.ctx, &state.values),
            Some(view) => {
                let value = self.eval(&view.entry, state)?;
                fingerprint(&mut self.ctx, &[value])
            }
        }
    }

    fn smallest(&mut self, state: &State, plain: u128) -> EvalResult<u128> {
        let permutations = self.permutations()?;
        if self.program.view.is_none() {
            let orbit = self.orbit.get_or_insert_with(|| Orbit::new(permutations));
            return orbit.smallest(&mut self.ctx, &state.values, plain);
        }
        let mut smallest = plain;
        for renaming in permutations.iter() {
            let values = state
                .values
                .iter()
                .map(|value| permute(&mut self.ctx, value, renaming))
                .collect::<EvalResult<Rc<[Value]>>>()?;
            smallest = smallest.min(self.plain_or_viewed(&State::new(values))?);
        }
        Ok(smallest)
    }

    /// The hash of a value under every permutation of SYMMETRY.
    pub(crate) fn hashes_under_permutations(&mut self, value: &Value) -> EvalResult<Vec<u64>> {
        let permutations = self.permutations()?;
        let orbit = self.orbit.get_or_insert_with(|| Orbit::new(permutations));
        orbit.hashes_of(&mut self.ctx, value)
    }

    /// The permutations of model values that SYMMETRY generates, the identity left out.
    pub fn permutations(&mut self) -> EvalResult<Rc<[Box<[ModelId]>]>> {
        if let Some(known) = &self.permutations {
            return Ok(known.clone());
        }
        let program = self.program.clone();
        let mut generators = Vec::new();
        if let Some(symmetry) = &program.symmetry {
            let set = self.eval_constant(&symmetry.entry)?;
            generators = permutations_of(&mut self.ctx, &program, &set)?;
        }
        let group: Rc<[Box<[ModelId]>]> = close_group(generators).into();
        self.permutations = Some(group.clone());
        Ok(group)
    }

    // --- bytes ---

    /// Appends a state as bytes.
    pub fn encode_state(&mut self, state: &State, out: &mut Vec<u8>) -> EvalResult<()> {
        for value in state.values.iter() {
            encode(&mut self.ctx, value, out)?;
        }
        Ok(())
    }

    /// The state behind its bytes.
    pub fn decode_state(&mut self, bytes: &[u8]) -> EvalResult<State> {
        let mut rest = bytes;
        let n = self.program.n_variables();
        let values = (0..n)
            .map(|_| decode(&mut rest, &mut self.ctx))
            .collect::<EvalResult<Rc<[Value]>>>()?;
        Ok(State::new(values))
    }

    /// Whether two states are equal value by value.
    pub fn same_state(&mut self, a: &State, b: &State) -> EvalResult<bool> {
        for (a, b) in a.values.iter().zip(b.values.iter()) {
            if !crate::value::equal(&mut self.ctx, a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The text of a value as TLC prints it.
    pub fn text(&mut self, value: &Value) -> String {
        crate::value::to_text(&mut self.ctx, value)
    }

    /// An expression by its number, for tools that look at the program.
    pub fn eval_node(&mut self, node: NodeId, n_slots: u16, state: &State) -> EvalResult<Value> {
        self.eval(&EntryPoint { node, n_slots }, state)
    }
}

fn thaw_presets(ctx: &mut Ctx, part: &ActionInfo) -> EvalResult<Vec<(u16, Value)>> {
    part.presets.iter().map(|(slot, value)| Ok((*slot, thaw(ctx, value)?))).collect()
}

/// The fingerprint of values in order: sums of mixed hashes in two lanes, so that it can be kept
/// up to date slot by slot. Each value's hash is cached in the value itself.
fn fingerprint(ctx: &mut Ctx, values: &[Value]) -> EvalResult<u128> {
    let mut lanes = (0_u64, 0_u64);
    for (idx, value) in values.iter().enumerate() {
        let (high, low) = lanes_of(salt_of(idx), hash64(ctx, value)?);
        lanes = (lanes.0.wrapping_add(high), lanes.1.wrapping_add(low));
    }
    Ok(finish_lanes(lanes))
}

/// What tells the lanes of a variable from those of others.
pub(crate) fn salt_of(var: usize) -> u64 {
    mix(var as u64 + 1)
}

/// What variable `idx` with the structural hash `hash` adds to the lanes of a fingerprint.
#[inline]
pub(crate) fn lanes_of(salt: u64, hash: u64) -> (u64, u64) {
    (fold(hash ^ salt, salt | 1), fold(hash ^ salt.rotate_left(32), !salt | 1))
}

/// The fingerprint of summed lanes.
#[inline]
pub(crate) fn finish_lanes((high, low): (u64, u64)) -> u128 {
    u128::from(mix(high)) << 64 | u128::from(mix(low ^ high.rotate_left(17)))
}

#[cold]
fn incomplete_state(
    ctx: &mut Ctx,
    program: &Program,
    machine: &Machine,
    part: &ActionInfo,
    code: u32,
) -> Box<EvalError> {
    let missing: Vec<&str> = machine
        .next
        .values
        .iter()
        .zip(&program.variables)
        .filter(|(value, _)| value.is_none())
        .map(|(_, variable)| variable.name.as_str())
        .collect();
    let (verb, list) = match missing.as_slice() {
        [one] => ("variable is", (*one).to_owned()),
        _ => ("variables are", missing.join(", ")),
    };
    let initial = code == code::INIT_INCOMPLETE;
    let message = if initial {
        "current state is not a legal state".to_owned()
    } else {
        let by = match program.actions.as_slice() {
            [_] => "the next-state action".to_owned(),
            _ => format!("action {} of the next-state relation", part.name),
        };
        format!(
            "Successor state is not completely specified by {by}. The following {verb} not defined: {list}."
        )
    };
    let mut values = Vec::with_capacity(machine.next.values.len());
    for value in &machine.next.values {
        let mut out = Vec::new();
        let known = value.as_ref().is_some_and(|it| encode(ctx, it, &mut out).is_ok());
        values.push(known.then_some(out));
    }
    let action = program.actions.iter().position(|it| std::ptr::eq(it, part));
    let action = action.filter(|_| !initial).map(|it| it as u32);
    let mut err = EvalError::new(code, message)
        .with_partial(Partial { action, values })
        .with_values(missing.into_iter().map(str::to_owned).collect())
        .at(part.span);
    // It arose after the last conjunct, not in it.
    err.act = Some(ActId(u32::MAX));
    err
}

/// The values of a state with nothing left to be computed. Its fingerprint would ask for that
/// anyway; here it is known which part of the action an error belongs to.
#[cold]
fn settled(
    ctx: &mut Ctx,
    program: &Program,
    part: &ActionInfo,
    values: &[Value],
) -> EvalResult<Rc<[Value]>> {
    let settle = |(var, value): (usize, &Value)| {
        crate::value::force(ctx, value).map_err(|err| {
            let mut err = err.at(assignment(program, part.body, var).unwrap_or(part.span));
            err.act = Some(ActId(u32::MAX));
            err
        })
    };
    values.iter().enumerate().map(settle).collect()
}

/// The expression that gives a variable its value in an action.
fn assignment(program: &Program, root: ActId, var: usize) -> Option<Span> {
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        match program.act(id) {
            Act::Assign(it, node) if usize::from(*it) == var => return Some(program.span(*node)),
            Act::AssignIn(it, node) | Act::AssignSubset(it, node) if usize::from(*it) == var => {
                return Some(program.span(*node));
            }
            act => act_parts(act, &mut |part| {
                if let Part::Act(act) = part {
                    todo.push(act);
                }
            }),
        }
    }
    None
}

/// A set of permutation functions as renamings of static model values.
fn permutations_of(
    ctx: &mut Ctx,
    program: &Program,
    set: &Value,
) -> EvalResult<Vec<Box<[ModelId]>>> {
    let n = program.symbols.n_models() as u32;
    let mut list = Vec::new();
    let mut iter = crate::value::SetIter::new(ctx, set)?;
    while let Some(item) = iter.next(ctx)? {
        let item = crate::value::force(ctx, &item)?;
        let mut renaming: Box<[ModelId]> = (0..n).map(ModelId).collect();
        if let Some(entries) = crate::value::entries(&item) {
            for idx in 0..entries.len() {
                match (entries.key(idx), entries.value(idx)) {
                    (Value::Model(from), Value::Model(to)) if !from.is_local() => {
                        renaming[from.0 as usize] = *to;
                    }
                    _ => {
                        let text = crate::value::to_text(ctx, &item);
                        return Err(EvalError::general(format!(
                            "The symmetry set must consist of permutations of model values, but \
                             it contains\n{text}"
                        ))
                        .with_values(vec![text]));
                    }
                }
            }
        }
        list.push(renaming);
    }
    Ok(list)
}

/// All products of the generators, the identity left out, in a fixed order.
fn close_group(generators: Vec<Box<[ModelId]>>) -> Vec<Box<[ModelId]>> {
    let mut known: std::collections::BTreeSet<Box<[ModelId]>> =
        generators.iter().cloned().collect();
    let mut todo: Vec<Box<[ModelId]>> = known.iter().cloned().collect();
    while let Some(it) = todo.pop() {
        for generator in &generators {
            let product: Box<[ModelId]> = it.iter().map(|id| generator[id.0 as usize]).collect();
            if known.insert(product.clone()) {
                todo.push(product);
            }
        }
    }
    known
        .into_iter()
        .filter(|renaming| renaming.iter().enumerate().any(|(idx, id)| id.0 as usize != idx))
        .collect()
}
