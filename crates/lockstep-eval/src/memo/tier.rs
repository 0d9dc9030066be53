//! Successors, invariants and predicates on slots.
//!
//! Invariants are taken apart into conjuncts and the bindings of `\A` over constant sets; a part
//! is looked at again only if a slot changed that it ever read (the parent state satisfied it).
//! Which slots a part ever read is shared by all workers, because the parent may have been looked
//! at by another one.

use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;

use super::derived::Derived;
use super::interner::{Interner, LocalValues};
use super::layout::{Layout, Plan, SlotId};
use super::trie::{Found, Root, Trie, UNKNOWN};
use crate::error::EvalResult;
use crate::eval::Written;
use crate::evaluator::{ActionId, Evaluator, State, finish_lanes, lanes_of};
use crate::ir::{
    Act, ActionInfo, EntryPoint, Node, NodeId, Part, Program, Slot, Target, VarId, is_effect,
    visit_below,
};
use crate::value::{Items, SetIter, Value, finish_function, hash_entry};

/// A state as numbers of values: those of the state it was made from, and what differs. It is
/// moved about more often than it is read, so it is small.
#[derive(Clone, Debug)]
pub struct SlotState {
    base: Rc<Base>,
    /// The slots in which it differs from `base`, each once.
    changes: SmallVec<[(SlotId, u32); 4]>,
    lanes: (u64, u64),
}

/// A state in full.
#[derive(Debug)]
struct Base {
    ids: Box<[u32]>,
    /// For each cut variable the sum of its entries' hashes.
    sums: Box<[u64]>,
    /// The same under each permutation of the symmetry sets, once asked for.
    permuted: OnceCell<Box<[Permuted]>>,
}

/// A state's hashes under one permutation.
#[derive(Debug)]
struct Permuted {
    lanes: (u64, u64),
    sums: SmallVec<[u64; 6]>,
}

/// The numbers of a state in full.
type Ids = SmallVec<[u32; 32]>;

impl SlotState {
    /// The number in a slot.
    #[inline]
    fn id(&self, slot: SlotId) -> u32 {
        for (changed, id) in &self.changes {
            if *changed == slot {
                return *id;
            }
        }
        self.base.ids[usize::from(slot)]
    }

    fn ids(&self) -> Ids {
        let mut ids = Ids::from_slice(&self.base.ids);
        for (slot, id) in &self.changes {
            ids[usize::from(*slot)] = *id;
        }
        ids
    }
}

/// What the tiers of all workers share.
pub struct Shared {
    plan: Plan,
    interner: Arc<Interner>,
    /// For each part of an invariant the slots it ever read, a bit each.
    supports: Vec<Box<[AtomicU64]>>,
    version: AtomicU64,
    n_words: usize,
    parts: Vec<InvariantPart>,
}

/// A part of an invariant with the values of the bound names above it.
#[derive(Clone, Debug)]
struct InvariantPart {
    node: NodeId,
    n_slots: u16,
    presets: Vec<(Slot, Vec<u8>)>,
}

/// The most parts an invariant is taken apart into.
const MAX_PARTS: usize = 4096;
/// The most bytes of values that are kept by number.
const MAX_INTERNED: usize = 768 << 20;

impl Shared {
    /// Looks at a program and its first states. `None` when this tier has no use for it.
    pub fn new(evaluator: &mut Evaluator) -> Option<Shared> {
        let program = evaluator.program().clone();
        // What is printed or drawn must happen once a step, as in the plain tier.
        let pure = program.actions.iter().all(|it| !is_impure(&program, Part::Act(it.body)))
            && program.init.iter().all(|it| !is_impure(&program, Part::Act(it.body)));
        if !pure || program.actions.is_empty() {
            return None;
        }
        let plan = Plan::of(evaluator)?;
        let layout = Layout::new(evaluator.ctx(), &program, &plan).ok()?;
        if !layout.is_usable() {
            return None;
        }
        let mut all = Vec::new();
        for invariant in &program.invariants {
            let mut list = Vec::new();
            take_apart(
                evaluator,
                &program,
                invariant.entry.node,
                invariant.entry.n_slots,
                &[],
                &mut list,
            );
            all.extend(list);
        }
        let n_words = layout.n_slots.div_ceil(64);
        let supports =
            all.iter().map(|_| (0..n_words).map(|_| AtomicU64::new(0)).collect()).collect();
        Some(Shared {
            plan,
            interner: Arc::default(),
            supports,
            version: AtomicU64::new(0),
            n_words,
            parts: all,
        })
    }
}

/// Whether something below prints, sets or reads registers, or draws random values.
fn is_impure(program: &Program, root: Part) -> bool {
    visit_below(program, root, &mut |part| match part {
        Part::Node(id) if is_effect(program.node(id)) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// Whether a set's expression is the same in every state and under every binding.
fn is_closed(program: &Program, node: NodeId) -> bool {
    visit_below(program, Part::Node(node), &mut |part| match part {
        Part::Node(id) => match program.node(id) {
            Node::Cur(_) | Node::Next(_) | Node::Local(_) | Node::Lazy { .. } => {
                ControlFlow::Break(())
            }
            Node::CallOperator { .. } => ControlFlow::Break(()),
            node if is_effect(node) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
        Part::Act(_) | Part::Calls(_) | Part::CallsAct(_) => ControlFlow::Break(()),
        Part::Binds(..) | Part::Reads(_) => ControlFlow::Continue(()),
    })
    .is_continue()
}

/// Takes a conjunction apart, also through `\A` over closed sets.
fn take_apart(
    evaluator: &mut Evaluator,
    program: &Program,
    node: NodeId,
    n_slots: u16,
    presets: &[(Slot, Vec<u8>)],
    out: &mut Vec<InvariantPart>,
) {
    match program.node(node) {
        Node::And(items) => {
            for item in items {
                take_apart(evaluator, program, *item, n_slots, presets, out);
            }
            return;
        }
        // The whole frame is cleared before a part is evaluated.
        Node::Scope { body, .. } => {
            return take_apart(evaluator, program, *body, n_slots, presets, out);
        }
        Node::StateDef { function, .. } => {
            let function = &program.functions[function.index()];
            return take_apart(evaluator, program, function.body, function.n_slots, &[], out);
        }
        Node::Quantified { for_all: true, binds, body }
            if binds
                .iter()
                .all(|it| is_closed(program, it.set) && matches!(it.target, Target::Slot(_))) =>
        {
            let mut rows: Vec<Vec<(Slot, Vec<u8>)>> = vec![presets.to_vec()];
            let mut fits = true;
            'binds: for bind in binds.iter() {
                let Target::Slot(slot) = bind.target else { break };
                let Some(elements) = elements_of(evaluator, bind.set, n_slots) else {
                    fits = false;
                    break 'binds;
                };
                if rows.len() * elements.len() > MAX_PARTS {
                    fits = false;
                    break 'binds;
                }
                rows = rows
                    .iter()
                    .flat_map(|row| {
                        elements.iter().map(move |it| {
                            let mut row = row.clone();
                            row.push((slot, it.clone()));
                            row
                        })
                    })
                    .collect();
            }
            if fits && out.len() + rows.len() <= MAX_PARTS {
                for row in rows {
                    take_apart(evaluator, program, *body, n_slots, &row, out);
                }
                return;
            }
        }
        _ => {}
    }
    out.push(InvariantPart { node, n_slots, presets: presets.to_vec() });
}

fn elements_of(evaluator: &mut Evaluator, set: NodeId, n_slots: u16) -> Option<Vec<Vec<u8>>> {
    let set = evaluator.eval_constant(&EntryPoint { node: set, n_slots }).ok()?;
    let ctx = evaluator.ctx();
    let mut iter = SetIter::new(ctx, &set).ok()?;
    let mut all = Vec::new();
    while let Some(item) = iter.next(ctx).ok()? {
        let mut bytes = Vec::new();
        crate::value::encode(ctx, &item, &mut bytes).ok()?;
        all.push(bytes);
        if all.len() > MAX_PARTS {
            return None;
        }
    }
    Some(all)
}

/// A successor: the slots that change.
type Delta = SmallVec<[(SlotId, u32); 6]>;

/// What an action makes of a state.
enum Steps {
    /// These successors, in order: ranges of [`Tier::deltas`].
    Known(u32, u32),
    /// Some successor does not fit the layout: evaluate each time.
    Unfit,
}

/// The leaf of a piece that was evaluated and not kept.
const UNKEPT: u32 = u32::MAX;

/// A part of an action that makes at most one successor: each depends on the present state alone.
struct Piece {
    kind: PieceKind,
    root: Root,
}

/// What a piece does.
pub(crate) enum PieceKind {
    /// Tests.
    Test(NodeId),
    /// Gives a variable its value.
    Assign(VarId, NodeId),
    /// Gives one slot its value: an element of a function literal on the slots' own domain.
    Element {
        /// The literal's bound.
        target: Target,
        /// Its variable.
        var: VarId,
        /// Which key, in order.
        idx: usize,
        /// The slot.
        slot: SlotId,
        /// The element's expression.
        body: NodeId,
    },
}

/// Takes an action apart if it is a conjunction of tests and assignments that do not look at the
/// next state. `None` for all others.
fn pieces_of(
    program: &Program,
    layout: &Layout,
    action: &ActionInfo,
    trie: &mut Trie,
) -> Option<Vec<Piece>> {
    let mut kinds = Vec::new();
    let mut assigned = vec![false; program.n_variables()];
    let mut todo = vec![action.body];
    while let Some(act) = todo.pop() {
        match program.act(act) {
            Act::And(items) => todo.extend(items.iter().rev()),
            Act::Scope { body, .. } => todo.push(*body),
            Act::Test(node) => {
                if reads_next(program, *node) {
                    return None;
                }
                kinds.push(PieceKind::Test(*node));
            }
            Act::Unchanged(vars) => {
                for var in vars {
                    if std::mem::replace(assigned.get_mut(usize::from(*var))?, true) {
                        return None;
                    }
                }
            }
            Act::Assign(var, node) => {
                if std::mem::replace(assigned.get_mut(usize::from(*var))?, true)
                    || reads_next(program, *node)
                {
                    return None;
                }
                let slots = &layout.vars[usize::from(*var)];
                match program.node(*node) {
                    Node::Function { binds, body, itself: None }
                        if binds.len() == 1
                            && slots.split.is_some()
                            && layout.is_domain(program, usize::from(*var), binds[0].set) =>
                    {
                        for idx in 0..usize::from(slots.n) {
                            kinds.push(PieceKind::Element {
                                target: binds[0].target,
                                var: *var,
                                idx,
                                slot: slots.first + idx as SlotId,
                                body: *body,
                            });
                        }
                    }
                    _ => kinds.push(PieceKind::Assign(*var, *node)),
                }
            }
            Act::AssignIn(..)
            | Act::AssignSubset(..)
            | Act::Or(_)
            | Act::Exists(..)
            | Act::Forall { .. }
            | Act::If(..)
            | Act::Case(..)
            | Act::Call { .. }
            | Act::Compose(..) => return None,
        }
    }
    assigned
        .iter()
        .all(|it| *it)
        .then(|| kinds.into_iter().map(|kind| Piece { kind, root: trie.tree() }).collect())
}

/// The closed sets on which function literals are given to variables.
fn literal_domains(program: &Program) -> Vec<(VarId, NodeId)> {
    let mut found = Vec::new();
    for act in &program.acts {
        if let Act::Assign(var, node) = act
            && let Node::Function { binds, itself: None, .. } = program.node(*node)
            && let [bind] = &**binds
            && is_closed(program, bind.set)
        {
            found.push((*var, bind.set));
        }
    }
    found
}

/// Whether an expression looks at the next state, or below ENABLED makes one.
fn reads_next(program: &Program, node: NodeId) -> bool {
    visit_below(program, Part::Node(node), &mut |part| match part {
        Part::Node(id) if matches!(program.node(id), Node::Next(_)) => ControlFlow::Break(()),
        Part::Act(_) | Part::CallsAct(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// A part of an invariant, ready to be evaluated.
struct PartHere {
    node: NodeId,
    n_slots: u16,
    presets: Vec<(Slot, Value)>,
    root: Root,
    /// Whether it depends on more than the state: looked at every time.
    always: bool,
    support: Vec<u64>,
}

/// One worker's tier.
pub struct Tier {
    shared: Arc<Shared>,
    layout: Rc<Layout>,
    values: LocalValues,
    trie: Trie,
    actions: Vec<Root>,
    /// Actions taken apart, where that can be done.
    pieces: Vec<Option<Vec<Piece>>>,
    steps: Vec<Steps>,
    /// Ends of successors in `deltas`, and the deltas.
    ends: Vec<u32>,
    deltas: Vec<(SlotId, u32)>,
    parts: Vec<PartHere>,
    /// The parts that ever read a slot.
    readers: Vec<Vec<u32>>,
    /// The parts that are looked at every time.
    always: Vec<usize>,
    marks: Vec<u32>,
    mark: u32,
    version: u64,
    /// Trees of predicates, by entry point and whether it is about a step.
    predicates: rustc_hash::FxHashMap<(NodeId, bool), Root>,
    /// The values of the states used last.
    cached: [Option<(Ids, State)>; 2],
    /// By number of a value: the hashes of its permutations.
    permuted: Vec<Option<Box<[u64]>>>,
    /// By permutation and cut variable: the hashes of its keys.
    permuted_keys: Vec<Vec<Box<[u64]>>>,
    /// Whether a state's invariants may be taken from its parent's.
    pub inherit: bool,
}

impl Tier {
    /// The tier of one worker.
    pub fn new(shared: Arc<Shared>, evaluator: &mut Evaluator) -> EvalResult<Tier> {
        let program = evaluator.program().clone();
        let ctx = evaluator.ctx();
        let mut layout = Layout::new(ctx, &program, &shared.plan)?;
        layout.note_domains(evaluator, &literal_domains(&program));
        let layout = Rc::new(layout);
        let ctx = evaluator.ctx();
        ctx.reads.derived = Derived::new(&program, layout.n_slots);
        let mut trie = Trie::default();
        let actions: Vec<Root> = program.actions.iter().map(|_| trie.tree()).collect();
        let pieces =
            program.actions.iter().map(|it| pieces_of(&program, &layout, it, &mut trie)).collect();
        let mut all = Vec::new();
        for part in &shared.parts {
            let mut presets = Vec::new();
            for (slot, bytes) in &part.presets {
                presets.push((*slot, crate::value::decode(&mut bytes.as_slice(), ctx)?));
            }
            let always = is_impure(&program, Part::Node(part.node));
            let root = if always { trie.hopeless_tree() } else { trie.tree() };
            all.push(PartHere {
                always,
                node: part.node,
                n_slots: part.n_slots,
                presets,
                root,
                support: vec![0; shared.n_words],
            });
        }
        Ok(Tier {
            values: LocalValues::new(shared.interner.clone()),
            readers: vec![Vec::new(); layout.n_slots],
            always: (0..all.len()).filter(|idx| all[*idx].always).collect(),
            marks: vec![0; all.len()],
            mark: 0,
            version: 0,
            layout,
            trie,
            actions,
            pieces,
            steps: Vec::new(),
            ends: Vec::new(),
            deltas: Vec::new(),
            parts: all,
            predicates: rustc_hash::FxHashMap::default(),
            cached: [None, None],
            permuted: Vec::new(),
            permuted_keys: Vec::new(),
            inherit: true,
            shared,
        })
    }

    /// Whether new values should no longer be kept by number.
    pub fn is_full(&self) -> bool {
        self.values.shared().size() > MAX_INTERNED
    }

    // --- states ---

    /// The slots of a state, if it has the shape of the layout.
    pub fn slots_of(
        &mut self,
        evaluator: &mut Evaluator,
        state: &State,
    ) -> EvalResult<Option<SlotState>> {
        let layout = self.layout.clone();
        let mut ids = Ids::new();
        for (var, value) in state.values().iter().enumerate() {
            let value = crate::value::force(evaluator.ctx(), value)?;
            let Some(parts) = layout.parts(evaluator.ctx(), var, &value) else { return Ok(None) };
            for part in parts {
                ids.push(self.values.intern(evaluator.ctx(), part)?);
            }
        }
        Ok(Some(self.complete(ids)))
    }

    /// A state from the numbers of its slots.
    fn complete(&self, ids: Ids) -> SlotState {
        let mut sums: SmallVec<[u64; 16]> = SmallVec::new();
        let mut lanes = (0_u64, 0_u64);
        for (var, slots) in self.layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let hash = match &slots.split {
                None => self.values.hash(ids[first]),
                Some((_, keys)) => {
                    let mut sum = 0_u64;
                    for (idx, key) in keys.iter().enumerate() {
                        sum =
                            sum.wrapping_add(hash_entry(*key, self.values.hash(ids[first + idx])));
                    }
                    sums.push(sum);
                    finish_function(keys.len(), sum)
                }
            };
            let (high, low) = lanes_of(var, hash);
            lanes = (lanes.0.wrapping_add(high), lanes.1.wrapping_add(low));
        }
        let base = Rc::new(Base {
            ids: ids.as_slice().into(),
            sums: sums.as_slice().into(),
            permuted: OnceCell::new(),
        });
        SlotState { base, changes: SmallVec::new(), lanes }
    }

    /// The fingerprint, where neither VIEW nor SYMMETRY has a say.
    #[inline]
    pub fn fingerprint(&self, state: &SlotState) -> u128 {
        finish_lanes(state.lanes).max(1)
    }

    /// The smallest fingerprint among all permutations of the state, as the plain tier takes it.
    /// What a permutation makes of a value's hash is kept by the value's number.
    pub fn symmetric_fingerprint(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
    ) -> EvalResult<u128> {
        let permutations = evaluator.permutations()?;
        if self.permuted_keys.len() != permutations.len() {
            self.permuted_keys = permutations
                .iter()
                .map(|renaming| self.keys_under(evaluator, renaming))
                .collect::<EvalResult<_>>()?;
        }
        let base = &*state.base;
        if base.permuted.get().is_none() {
            for id in &base.ids {
                self.permute(evaluator, *id)?;
            }
            let all = (0..permutations.len()).map(|at| self.permuted_base(&base.ids, at)).collect();
            // It was seen empty, and nothing in between fills it.
            let _ = base.permuted.set(all);
        }
        for (_, id) in &state.changes {
            self.permute(evaluator, *id)?;
        }
        let mut smallest = self.fingerprint(state);
        for (at, from) in base.permuted.get().map_or(&[][..], |all| all).iter().enumerate() {
            let lanes = self.lanes_after(
                &state.changes,
                base,
                (from.lanes, &from.sums),
                |number, idx| self.permuted_keys[at][number][idx],
                |id| self.permuted[id as usize].as_deref().map_or(0, |row| row[at]),
            );
            smallest = smallest.min(finish_lanes(lanes));
        }
        Ok(smallest.max(1))
    }

    /// Makes sure that the hashes of a value under all permutations are known.
    fn permute(&mut self, evaluator: &mut Evaluator, id: u32) -> EvalResult<()> {
        let at = id as usize;
        if self.permuted.len() <= at {
            self.permuted.resize(at + 1, None);
        }
        if self.permuted[at].is_none() {
            let value = self.values.value(id);
            self.permuted[at] = Some(evaluator.hashes_under_permutations(&value)?.into());
        }
        Ok(())
    }

    /// The hashes of a state in full under one permutation.
    fn permuted_base(&self, ids: &[u32], at: usize) -> Permuted {
        let hash_of = |id: u32| self.permuted[id as usize].as_deref().map_or(0, |row| row[at]);
        let mut permuted = Permuted { lanes: (0, 0), sums: SmallVec::new() };
        for (var, slots) in self.layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let hash = match &slots.split {
                None => hash_of(ids[first]),
                Some((number, _)) => {
                    let keys = &self.permuted_keys[at][*number];
                    let mut sum = 0_u64;
                    for (idx, key) in keys.iter().enumerate() {
                        sum = sum.wrapping_add(hash_entry(*key, hash_of(ids[first + idx])));
                    }
                    permuted.sums.push(sum);
                    finish_function(keys.len(), sum)
                }
            };
            let (high, low) = lanes_of(var, hash);
            permuted.lanes.0 = permuted.lanes.0.wrapping_add(high);
            permuted.lanes.1 = permuted.lanes.1.wrapping_add(low);
        }
        permuted
    }

    /// The lanes of a state's fingerprint after changes in some slots. `key_of` gives the hash of
    /// a cut variable's key, `hash_of` that of a value.
    #[inline]
    fn lanes_after(
        &self,
        changes: &[(SlotId, u32)],
        base: &Base,
        (mut lanes, sums): ((u64, u64), &[u64]),
        key_of: impl Fn(usize, usize) -> u64,
        hash_of: impl Fn(u32) -> u64,
    ) -> (u64, u64) {
        let layout = &*self.layout;
        // The cut variables written, with their sums.
        let mut touched: SmallVec<[(u16, u64); 4]> = SmallVec::new();
        for (slot, id) in changes {
            let at = usize::from(*slot);
            let var = layout.var_of[at];
            let slots = &layout.vars[usize::from(var)];
            let (before, after) = (hash_of(base.ids[at]), hash_of(*id));
            match &slots.split {
                None => self.shift(&mut lanes, usize::from(var), before, after),
                Some((number, _)) => {
                    let key = key_of(*number, at - usize::from(slots.first));
                    let at = match touched.iter().position(|it| it.0 == var) {
                        Some(at) => at,
                        None => {
                            touched.push((var, sums[*number]));
                            touched.len() - 1
                        }
                    };
                    touched[at].1 = touched[at]
                        .1
                        .wrapping_sub(hash_entry(key, before))
                        .wrapping_add(hash_entry(key, after));
                }
            }
        }
        for (var, sum) in touched {
            if let Some((number, keys)) = &layout.vars[usize::from(var)].split {
                let before = finish_function(keys.len(), sums[*number]);
                let after = finish_function(keys.len(), sum);
                self.shift(&mut lanes, usize::from(var), before, after);
            }
        }
        lanes
    }

    /// The hashes of the keys of all cut variables under a permutation.
    fn keys_under(
        &self,
        evaluator: &mut Evaluator,
        renaming: &[crate::value::ModelId],
    ) -> EvalResult<Vec<Box<[u64]>>> {
        let mut all = Vec::new();
        for slots in self.layout.vars.iter() {
            let Some((_, keys)) = &slots.split else { continue };
            all.push(match &slots.cut {
                super::layout::Cut::Function(domain) => {
                    let mut hashes = Vec::with_capacity(domain.len());
                    for idx in 0..domain.len() {
                        let key =
                            crate::value::permute(evaluator.ctx(), &domain.key(idx), renaming)?;
                        hashes.push(crate::value::hash64(evaluator.ctx(), &key)?);
                    }
                    hashes.into()
                }
                _ => keys.clone(),
            });
        }
        Ok(all)
    }

    /// Appends the state as bytes that all workers of this run understand.
    pub fn encode(&self, state: &SlotState, out: &mut Vec<u8>) {
        for id in state.ids() {
            let mut n = id;
            while n >= 0x80 {
                out.push(n as u8 | 0x80);
                n >>= 7;
            }
            out.push(n as u8);
        }
    }

    /// The state behind its bytes.
    pub fn decode(&mut self, evaluator: &mut Evaluator, bytes: &[u8]) -> EvalResult<SlotState> {
        let mut ids = Ids::new();
        let (mut n, mut shift) = (0_u32, 0);
        for byte in bytes {
            n |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                self.values.know(evaluator.ctx(), n)?;
                ids.push(n);
                (n, shift) = (0, 0);
            } else {
                shift += 7;
            }
        }
        Ok(self.complete(ids))
    }

    /// The values of a state.
    pub fn state(&mut self, state: &SlotState) -> State {
        let wanted = state.ids();
        for (at, cached) in self.cached.iter().enumerate() {
            if let Some((ids, values)) = cached
                && *ids == wanted
            {
                let values = values.clone();
                if at == 1 {
                    self.cached.swap(0, 1);
                }
                return values;
            }
        }
        let mut list: Vec<Value> = Vec::with_capacity(self.layout.vars.len());
        for (var, slots) in self.layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let parts: Items = wanted[first..first + usize::from(slots.n)]
                .iter()
                .map(|id| self.values.value(*id))
                .collect();
            list.push(self.layout.join(var, parts));
        }
        let values = State::new(list);
        self.cached.swap(0, 1);
        self.cached[0] = Some((wanted, values.clone()));
        values
    }

    /// The state that a delta makes of another, which is in full.
    fn step(&self, from: &SlotState, delta: &[(SlotId, u32)]) -> SlotState {
        debug_assert!(from.changes.is_empty(), "what is expanded was decoded");
        let base = &*from.base;
        let mut changes: SmallVec<[(SlotId, u32); 4]> = SmallVec::new();
        for (slot, id) in delta {
            if base.ids[usize::from(*slot)] != *id {
                changes.push((*slot, *id));
            }
        }
        let lanes = self.lanes_after(
            &changes,
            base,
            (from.lanes, &base.sums),
            |number, idx| self.layout.keys(number)[idx],
            |id| self.values.hash(id),
        );
        SlotState { base: from.base.clone(), changes, lanes }
    }

    #[inline]
    fn shift(&self, lanes: &mut (u64, u64), var: usize, before: u64, after: u64) {
        let (a, b) = (lanes_of(var, before), lanes_of(var, after));
        lanes.0 = lanes.0.wrapping_sub(a.0).wrapping_add(b.0);
        lanes.1 = lanes.1.wrapping_sub(a.1).wrapping_add(b.1);
    }

    // --- results ---

    /// The result that is known for a state or a step.
    #[inline]
    fn find(
        &mut self,
        evaluator: &mut Evaluator,
        root: Root,
        state: &SlotState,
        next: Option<&SlotState>,
    ) -> Option<u32> {
        let derived = &evaluator.ctx().reads.derived;
        match self.trie.find(root, |slot| number_on_step(derived, state, next, slot)) {
            Found::Leaf(leaf) => Some(leaf),
            Found::Nothing => None,
            Found::Blocked(slot) => self.find_blocked(evaluator, root, (state, next), slot),
        }
    }

    /// Goes on with a lookup that needs the value of a definition.
    #[cold]
    fn find_blocked(
        &mut self,
        evaluator: &mut Evaluator,
        root: Root,
        (state, next): (&SlotState, Option<&SlotState>),
        mut slot: SlotId,
    ) -> Option<u32> {
        loop {
            let (node, of_next) = evaluator.ctx().reads.derived.expression(slot)?;
            let of = if of_next { next? } else { state };
            let values = self.state(of);
            let layout = self.layout.clone();
            evaluator.ctx().reads.start(&layout, (values.values(), &of.ids()), None);
            let result = evaluator.define(node, &values);
            evaluator.ctx().reads.finish();
            result.ok()?;
            let derived = &evaluator.ctx().reads.derived;
            if number_on_step(derived, state, next, slot) == UNKNOWN {
                return None;
            }
            match self.trie.find(root, |slot| number_on_step(derived, state, next, slot)) {
                Found::Leaf(leaf) => return Some(leaf),
                Found::Nothing => return None,
                Found::Blocked(other) => slot = other,
            }
        }
    }

    // --- successors ---

    /// Calls `emit` for every step from a state, in the order of the plain tier. A successor that
    /// does not fit comes with its values.
    pub fn successors(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        emit: &mut dyn FnMut(ActionId, Result<SlotState, State>),
    ) -> EvalResult<()> {
        let derived = &mut evaluator.ctx().reads.derived;
        if self.trie.is_full() || derived.is_full() || derived.gave_up() {
            derived.clear();
            self.trie.clear();
            self.steps.clear();
            self.ends.clear();
            self.deltas.clear();
        }
        for idx in 0..self.actions.len() {
            let action = ActionId(idx as u32);
            let root = self.actions[idx];
            if self.pieces[idx].is_some() {
                match self.by_pieces(evaluator, state, action) {
                    Some(Some(next)) => emit(action, Ok(next)),
                    Some(None) => {}
                    // An error, or a value that does not fit: the plain tier tells.
                    None => self.unfit(evaluator, state, action, emit)?,
                }
                continue;
            }
            let hopeless = self.trie.is_hopeless(root);
            let known = if hopeless { None } else { self.find(evaluator, root, state, None) };
            match known {
                Some(leaf) => match self.steps[leaf as usize] {
                    Steps::Known(first, last) => {
                        let mut start = self.ends[first as usize];
                        for at in first..last {
                            let end = self.ends[at as usize + 1];
                            let delta = &self.deltas[start as usize..end as usize];
                            emit(action, Ok(self.step(state, delta)));
                            start = end;
                        }
                    }
                    Steps::Unfit => self.unfit(evaluator, state, action, emit)?,
                },
                None => self.evaluate(evaluator, state, action, hopeless, emit)?,
            }
        }
        Ok(())
    }

    /// The one successor that an action taken apart makes, if its tests hold. `None` sends the
    /// caller to the plain tier.
    fn by_pieces(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
    ) -> Option<Option<SlotState>> {
        let pieces = self.pieces[action.index()].take()?;
        let mut delta: SmallVec<[(SlotId, u32); 16]> = SmallVec::new();
        let mut result = Some(true);
        for piece in &pieces {
            let hopeless = self.trie.is_hopeless(piece.root);
            let known = if hopeless { None } else { self.find(evaluator, piece.root, state, None) };
            let leaf = match known {
                Some(leaf) => Some(leaf),
                None => self.evaluate_piece(evaluator, state, action, piece, hopeless, &mut delta),
            };
            match (&piece.kind, leaf) {
                (_, None) => result = None,
                (PieceKind::Test(_), Some(0)) => result = Some(false),
                (PieceKind::Test(_), Some(_)) => {}
                // It was put into the delta as it was evaluated.
                (_, Some(UNKEPT)) => {}
                (_, Some(leaf)) => {
                    if let Steps::Known(first, _) = self.steps[leaf as usize] {
                        let start = self.ends[first as usize] as usize;
                        let end = self.ends[first as usize + 1] as usize;
                        delta.extend_from_slice(&self.deltas[start..end]);
                    }
                }
            }
            if result != Some(true) {
                break;
            }
        }
        self.pieces[action.index()] = Some(pieces);
        result.map(|holds| holds.then(|| self.step(state, &delta)))
    }

    /// Evaluates a piece of an action. `None` after an error or where a value does not fit.
    #[inline(never)]
    fn evaluate_piece(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
        piece: &Piece,
        hopeless: bool,
        delta: &mut SmallVec<[(SlotId, u32); 16]>,
    ) -> Option<u32> {
        let from = self.state(state);
        let layout = self.layout.clone();
        evaluator.ctx().reads.start(&layout, (from.values(), &state.base.ids), None);
        let ids = &state.base.ids;
        let result = evaluator.evaluate_piece(action, &piece.kind, &layout, &from);
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let (value, written) = result.ok()?;
        let found = match &piece.kind {
            PieceKind::Test(_) => {
                let holds = value.as_bool()?;
                if !hopeless {
                    let derived = &evaluator.ctx().reads.derived;
                    self.trie.insert(
                        piece.root,
                        &reads,
                        |slot| number_in(derived, ids, slot),
                        u32::from(holds),
                    );
                }
                return Some(u32::from(holds));
            }
            PieceKind::Element { slot, .. } => {
                let value = crate::value::force(evaluator.ctx(), &value).ok()?;
                let mut found = Delta::new();
                found.push((*slot, self.values.intern(evaluator.ctx(), &value).ok()?));
                found
            }
            PieceKind::Assign(var, _) => {
                let slots = &layout.vars[usize::from(*var)];
                let mask = match written {
                    Written::Unchanged => 0,
                    Written::Slots(mask) => mask,
                    Written::Whole | Written::Given => u64::MAX,
                };
                let mut found = Delta::new();
                if mask != 0 {
                    let value = crate::value::force(evaluator.ctx(), &value).ok()?;
                    let parts = layout.parts(evaluator.ctx(), usize::from(*var), &value)?;
                    for (idx, part) in parts.iter().enumerate() {
                        if mask >> idx & 1 == 1 {
                            let id = self.values.intern(evaluator.ctx(), part).ok()?;
                            found.push((slots.first + idx as SlotId, id));
                        }
                    }
                }
                found
            }
        };
        if hopeless {
            delta.extend(found);
            return Some(UNKEPT);
        }
        if self.ends.is_empty() {
            self.ends.push(0);
        }
        let first = self.ends.len() as u32 - 1;
        self.deltas.extend(found);
        self.ends.push(self.deltas.len() as u32);
        let leaf = self.steps.len() as u32;
        self.steps.push(Steps::Known(first, first + 1));
        let derived = &evaluator.ctx().reads.derived;
        self.trie.insert(piece.root, &reads, |slot| number_in(derived, ids, slot), leaf);
        Some(leaf)
    }

    /// Evaluates an action and, unless that is hopeless, remembers what it makes.
    #[inline(never)]
    fn evaluate(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
        hopeless: bool,
        emit: &mut dyn FnMut(ActionId, Result<SlotState, State>),
    ) -> EvalResult<()> {
        let from = self.state(state);
        let layout = self.layout.clone();
        let mut found: Vec<(State, Vec<Written>)> = Vec::new();
        evaluator.ctx().reads.start(&layout, (from.values(), &state.base.ids), None);
        let result = evaluator.successors_written(action, &from, &mut |next, written| {
            found.push((next, written.to_vec()));
            true
        });
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let mut list: Vec<Delta> = Vec::with_capacity(found.len());
        let mut fits = true;
        'found: for (next, written) in &found {
            let mut delta = Delta::new();
            for (var, written) in written.iter().enumerate() {
                let slots = &layout.vars[var];
                let mask = match written {
                    Written::Unchanged => continue,
                    Written::Slots(mask) => *mask,
                    Written::Whole | Written::Given => u64::MAX,
                };
                let value = crate::value::force(evaluator.ctx(), &next.values()[var])?;
                let Some(parts) = layout.parts(evaluator.ctx(), var, &value) else {
                    fits = false;
                    break 'found;
                };
                for (idx, part) in parts.iter().enumerate() {
                    if mask >> idx & 1 == 1 {
                        let id = self.values.intern(evaluator.ctx(), part)?;
                        delta.push((slots.first + idx as SlotId, id));
                    }
                }
            }
            list.push(delta);
        }
        if fits {
            for delta in &list {
                emit(action, Ok(self.step(state, delta)));
            }
        } else {
            for (next, _) in found {
                let slots = self.slots_of(evaluator, &next)?;
                emit(action, slots.ok_or(next));
            }
        }
        result?;
        if !hopeless {
            let leaf = self.steps.len() as u32;
            if fits {
                if self.ends.is_empty() {
                    self.ends.push(0);
                }
                let first = self.ends.len() as u32 - 1;
                for delta in list {
                    self.deltas.extend(delta);
                    self.ends.push(self.deltas.len() as u32);
                }
                self.steps.push(Steps::Known(first, self.ends.len() as u32 - 1));
            } else {
                self.steps.push(Steps::Unfit);
            }
            let ids = &state.base.ids;
            let derived = &evaluator.ctx().reads.derived;
            self.trie.insert(
                self.actions[action.index()],
                &reads,
                |slot| number_in(derived, ids, slot),
                leaf,
            );
        }
        Ok(())
    }

    #[cold]
    fn unfit(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
        emit: &mut dyn FnMut(ActionId, Result<SlotState, State>),
    ) -> EvalResult<()> {
        let from = self.state(state);
        let mut found = Vec::new();
        let result = evaluator.successors_by(action, &from, &mut |next| {
            found.push(next);
            true
        });
        for next in found {
            let slots = self.slots_of(evaluator, &next)?;
            emit(action, slots.ok_or(next));
        }
        result
    }

    // --- invariants ---

    /// Whether all invariants hold, as far as can be said without an error: `false` sends the
    /// caller to the plain tier, which says which one and how.
    pub fn invariants_hold(&mut self, evaluator: &mut Evaluator, state: &SlotState) -> bool {
        if self.parts.is_empty() {
            return true;
        }
        // ORDERING: supports grow on a level before the one whose states rely on them, and a fence
        // lies between.
        if self.shared.version.load(Ordering::Acquire) != self.version {
            self.merge_supports();
        }
        // A state that was not made from another has nothing to take over.
        if state.changes.is_empty() || !self.inherit {
            return (0..self.parts.len()).all(|idx| self.part_holds(evaluator, state, idx));
        }
        self.mark = self.mark.wrapping_add(1);
        for at in 0..self.always.len() {
            let idx = self.always[at];
            self.marks[idx] = self.mark;
            if !self.part_holds(evaluator, state, idx) {
                return false;
            }
        }
        for (slot, _) in &state.changes {
            for at in 0..self.readers[usize::from(*slot)].len() {
                let idx = self.readers[usize::from(*slot)][at] as usize;
                if self.marks[idx] != self.mark {
                    self.marks[idx] = self.mark;
                    if !self.part_holds(evaluator, state, idx) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn part_holds(&mut self, evaluator: &mut Evaluator, state: &SlotState, idx: usize) -> bool {
        let root = self.parts[idx].root;
        let hopeless = self.trie.is_hopeless(root);
        if !hopeless && let Some(leaf) = self.find(evaluator, root, state, None) {
            return leaf == 1;
        }
        let values = self.state(state);
        let layout = self.layout.clone();
        evaluator.ctx().reads.start(&layout, (values.values(), &state.ids()), None);
        let part = &self.parts[idx];
        let result = evaluator.test_node(part.node, part.n_slots, &part.presets, &values);
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let derived = &evaluator.ctx().reads.derived;
        self.grow_support(derived, idx, &reads);
        let Ok(holds) = result else { return false };
        if !hopeless {
            self.trie.insert(
                root,
                &reads,
                |slot| number_after(derived, state, slot),
                u32::from(holds),
            );
        }
        holds
    }

    fn grow_support(&mut self, derived: &Derived, idx: usize, reads: &[SlotId]) {
        let mut grew = false;
        let layout = self.layout.clone();
        for slot in reads {
            // Behind a definition stands all that it may ever read.
            for var in derived.variables(*slot).unwrap_or(&[]) {
                let slots = &layout.vars[usize::from(*var)];
                for at in slots.first..slots.first + slots.n {
                    grew |= self.supported_by(idx, usize::from(at));
                }
            }
            if usize::from(*slot) < layout.n_slots {
                grew |= self.supported_by(idx, usize::from(*slot));
            }
        }
        if grew {
            self.shared.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Notes that a part depends on a slot; whether that is new.
    fn supported_by(&mut self, idx: usize, at: usize) -> bool {
        let (word, bit) = (at / 64, 1_u64 << (at % 64));
        if self.parts[idx].support[word] & bit != 0 {
            return false;
        }
        self.parts[idx].support[word] |= bit;
        self.readers[at].push(idx as u32);
        self.shared.supports[idx][word].fetch_or(bit, Ordering::Release);
        true
    }

    #[cold]
    fn merge_supports(&mut self) {
        self.version = self.shared.version.load(Ordering::Acquire);
        for (idx, part) in self.parts.iter_mut().enumerate() {
            for word in 0..self.shared.n_words {
                let all = self.shared.supports[idx][word].load(Ordering::Acquire);
                let mut new = all & !part.support[word];
                part.support[word] |= all;
                while new != 0 {
                    let bit = new.trailing_zeros() as usize;
                    new &= new - 1;
                    self.readers[word * 64 + bit].push(idx as u32);
                }
            }
        }
    }

    // --- predicates ---

    /// Whether a predicate holds of a state, or of a step when `next` is there.
    pub fn holds(
        &mut self,
        evaluator: &mut Evaluator,
        entry: &EntryPoint,
        state: &SlotState,
        next: Option<&SlotState>,
    ) -> EvalResult<bool> {
        let root = match self.predicates.get(&(entry.node, next.is_some())) {
            Some(root) => *root,
            None => {
                let program = evaluator.program().clone();
                let root = if is_impure(&program, Part::Node(entry.node)) {
                    self.trie.hopeless_tree()
                } else {
                    self.trie.tree()
                };
                self.predicates.insert((entry.node, next.is_some()), root);
                root
            }
        };
        let hopeless = self.trie.is_hopeless(root);
        if !hopeless && let Some(leaf) = self.find(evaluator, root, state, next) {
            return Ok(leaf == 1);
        }
        let values = self.state(state);
        let next_values = next.map(|it| self.state(it));
        let layout = self.layout.clone();
        if !hopeless {
            evaluator.forget();
            let there = next.map(SlotState::ids);
            evaluator.ctx().reads.start(&layout, (values.values(), &state.ids()), there.as_deref());
        }
        let result = match &next_values {
            None => evaluator.holds_entry(entry, &values),
            Some(next) => evaluator.holds_entry_of_step(entry, &values, next),
        };
        if hopeless {
            return result;
        }
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let holds = result?;
        let derived = &evaluator.ctx().reads.derived;
        let read = |slot| number_on_step(derived, state, next, slot);
        self.trie.insert(root, &reads, read, u32::from(holds));
        Ok(holds)
    }
}

/// The number in a slot of a state in full, or of a definition's value there.
#[inline]
fn number_in(derived: &Derived, ids: &[u32], slot: SlotId) -> u32 {
    match ids.get(usize::from(slot)) {
        Some(id) => *id,
        None => derived.read(slot, &|slot| ids[usize::from(slot)], &|_| UNKNOWN),
    }
}

/// The same of a state that was made from another.
#[inline]
fn number_after(derived: &Derived, state: &SlotState, slot: SlotId) -> u32 {
    if usize::from(slot) < state.base.ids.len() {
        return state.id(slot);
    }
    derived.read(slot, &|slot| state.id(slot), &|_| UNKNOWN)
}

/// The same of a step.
#[inline]
fn number_on_step(
    derived: &Derived,
    state: &SlotState,
    next: Option<&SlotState>,
    slot: SlotId,
) -> u32 {
    if usize::from(slot) < state.base.ids.len() {
        return state.id(slot);
    }
    derived.read(slot, &|slot| state.id(slot), &|slot| next.map_or(UNKNOWN, |next| next.id(slot)))
}
