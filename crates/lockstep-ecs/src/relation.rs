//! Relations: pairs (subject, target) with a payload, navigable from both ends.
//!
//! Pairs lie in one arena a relation type, threaded on two doubly linked lists: the pairs of a subject and the pairs of a target,
//! both in order of creation. `Linked<R>` is a component that is present iff the subject has a pair, so "has any" is a question
//! to the archetype, and retargeting an exclusive relation moves no row.
//!
//! Invariant: a pair exists iff both its ends are alive and it hangs on both lists; an exclusive relation has at most one pair a subject.

use crate::component::{Component, ComponentId, Storage};
use crate::entity::Entity;
use crate::plain::{DecodeError, Plain, Pod, Reader};
use crate::value::{Value, ValueInfo};
use crate::world::World;
use std::any::{Any, TypeId};
use std::marker::PhantomData;

/// A kind of pair; its values are the payloads. Derive it.
pub trait Relation: Value + Send + Sync {
    /// At most one target a subject: relating again retargets.
    const EXCLUSIVE: bool = false;
    /// Subjects are despawned with their target.
    const CASCADE: bool = false;
}

/// The component of all subjects of `R`: filter with `With<Linked<R>>`. Kept by the world; do not insert or remove it yourself.
pub struct Linked<R>(PhantomData<fn() -> R>);

impl<R: Relation> Plain for Linked<R> {
    const SCHEMA: u64 = crate::plain::FNV_START;
    const POD: Pod = <() as Plain>::POD;
    fn encode(&self, _: &mut Vec<u8>) {}
    fn decode(_: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Linked(PhantomData))
    }
}
impl<R: Relation> Value for Linked<R> {
    fn type_name() -> &'static str {
        std::any::type_name::<Self>()
    }
    fn describe() -> ValueInfo {
        crate::value::describe::<Self>(
            Self::type_name(),
            Some(crate::value::codec_of::<Self>()),
            None,
            None,
            false,
        )
    }
}
impl<R: Relation> Component for Linked<R> {
    const KEY: u64 = 0;
    const STORAGE: Storage = Storage::Table;
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    subject: Entity,
    target: Entity,
    next_of_subject: u32,
    previous_of_subject: u32,
    next_of_target: u32,
    previous_of_target: u32,
    /// Order of creation.
    sequence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    first: u32,
    last: u32,
    count: u32,
}
const EMPTY: Head = Head { first: NONE, last: NONE, count: 0 };

/// All pairs of one relation type.
#[derive(Debug)]
pub struct Pairs<R> {
    nodes: Vec<Node>,
    payloads: Vec<Option<R>>,
    free: Vec<u32>,
    by_subject: Vec<Head>,
    by_target: Vec<Head>,
    sequence: u64,
    len: usize,
    version: u64,
}

fn head(heads: &[Head], e: Entity) -> Head {
    heads.get(e.index() as usize).copied().unwrap_or(EMPTY)
}
fn head_mut(heads: &mut Vec<Head>, e: Entity) -> &mut Head {
    let i = e.index() as usize;
    if i >= heads.len() {
        heads.resize((i + 1).next_power_of_two(), EMPTY);
    }
    &mut heads[i]
}

impl<R> Pairs<R> {
    fn new() -> Self {
        Pairs {
            nodes: Vec::new(),
            payloads: Vec::new(),
            free: Vec::new(),
            by_subject: Vec::new(),
            by_target: Vec::new(),
            sequence: 0,
            len: 0,
            version: 0,
        }
    }
    fn find(&self, subject: Entity, target: Entity) -> Option<u32> {
        // The shorter list is searched.
        let s = head(&self.by_subject, subject);
        let t = head(&self.by_target, target);
        if s.count <= t.count {
            let mut k = s.first;
            while k != NONE {
                if self.nodes[k as usize].target == target {
                    return Some(k);
                }
                k = self.nodes[k as usize].next_of_subject;
            }
        } else {
            let mut k = t.first;
            while k != NONE {
                if self.nodes[k as usize].subject == subject {
                    return Some(k);
                }
                k = self.nodes[k as usize].next_of_target;
            }
        }
        None
    }
    fn link(&mut self, subject: Entity, target: Entity, payload: R) -> u32 {
        let s = *head_mut(&mut self.by_subject, subject);
        let t = *head_mut(&mut self.by_target, target);
        let node = Node {
            subject,
            target,
            next_of_subject: NONE,
            previous_of_subject: s.last,
            next_of_target: NONE,
            previous_of_target: t.last,
            sequence: self.sequence,
        };
        self.sequence += 1;
        self.version += 1;
        self.len += 1;
        let k = match self.free.pop() {
            Some(k) => {
                self.nodes[k as usize] = node;
                self.payloads[k as usize] = Some(payload);
                k
            }
            None => {
                self.nodes.push(node);
                self.payloads.push(Some(payload));
                self.nodes.len() as u32 - 1
            }
        };
        if s.last != NONE {
            self.nodes[s.last as usize].next_of_subject = k;
        }
        if t.last != NONE {
            self.nodes[t.last as usize].next_of_target = k;
        }
        self.by_subject[subject.index() as usize] =
            Head { first: if s.first == NONE { k } else { s.first }, last: k, count: s.count + 1 };
        self.by_target[target.index() as usize] =
            Head { first: if t.first == NONE { k } else { t.first }, last: k, count: t.count + 1 };
        k
    }
    fn unlink(&mut self, k: u32) -> R {
        let n = self.nodes[k as usize];
        let s = &mut self.by_subject[n.subject.index() as usize];
        s.count -= 1;
        match n.previous_of_subject {
            NONE => s.first = n.next_of_subject,
            p => self.nodes[p as usize].next_of_subject = n.next_of_subject,
        }
        match n.next_of_subject {
            NONE => s.last = n.previous_of_subject,
            x => self.nodes[x as usize].previous_of_subject = n.previous_of_subject,
        }
        let t = &mut self.by_target[n.target.index() as usize];
        t.count -= 1;
        match n.previous_of_target {
            NONE => t.first = n.next_of_target,
            p => self.nodes[p as usize].next_of_target = n.next_of_target,
        }
        match n.next_of_target {
            NONE => t.last = n.previous_of_target,
            x => self.nodes[x as usize].previous_of_target = n.previous_of_target,
        }
        self.free.push(k);
        self.version += 1;
        self.len -= 1;
        self.payloads[k as usize].take().expect("a linked pair has its payload")
    }
    /// Targets of a subject with payloads, in order of creation.
    pub(crate) fn targets(&self, subject: Entity) -> Targets<'_, R> {
        Targets { pairs: self, next: head(&self.by_subject, subject).first }
    }
    /// Subjects of a target, in order of creation.
    pub(crate) fn subjects(&self, target: Entity) -> Subjects<'_, R> {
        Subjects { pairs: self, next: head(&self.by_target, target).first }
    }
    /// All pairs in order of creation.
    fn in_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&k| self.payloads[k as usize].is_some()).collect();
        order.sort_unstable_by_key(|&k| self.nodes[k as usize].sequence);
        order
    }
}

/// Iterator over the targets of a subject, with payloads.
#[derive(Debug)]
pub struct Targets<'a, R> {
    pairs: &'a Pairs<R>,
    next: u32,
}
impl<'a, R> Iterator for Targets<'a, R> {
    type Item = (Entity, &'a R);
    fn next(&mut self) -> Option<Self::Item> {
        let k = self.next as usize;
        let node = self.pairs.nodes.get(k)?;
        self.next = node.next_of_subject;
        Some((node.target, self.pairs.payloads[k].as_ref()?))
    }
}

/// Iterator over the subjects of a target.
#[derive(Debug)]
pub struct Subjects<'a, R> {
    pairs: &'a Pairs<R>,
    next: u32,
}
impl<R> Iterator for Subjects<'_, R> {
    type Item = Entity;
    #[inline]
    fn next(&mut self) -> Option<Entity> {
        let node = self.pairs.nodes.get(self.next as usize)?;
        self.next = node.next_of_target;
        Some(node.subject)
    }
}

/// A relation type, erased.
pub(crate) trait AnyRelation: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn info(&self) -> &ValueInfo;
    fn marker(&self) -> ComponentId;
    fn cascades(&self) -> bool;
    fn payload(&self, subject: Entity, target: Entity) -> Option<*const u8>;
    fn first_target(&self, subject: Entity) -> Option<Entity>;
    fn first_subject(&self, target: Entity) -> Option<Entity>;
    fn subjects_of(&self, target: Entity, out: &mut Vec<Entity>);
    fn unrelate(&mut self, subject: Entity, target: Entity) -> Option<crate::erased::ErasedBox>;
    /// All pairs in order of creation, with a pointer to the payload.
    fn each(&self, f: &mut dyn FnMut(Entity, Entity, *const u8));
    fn clear(&mut self);
    /// Appends all pairs in order; fails with the payload's name when it has no encoding and there are pairs.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), &'static str>;
    /// Replaces all pairs.
    fn decode(&mut self, input: &mut Reader<'_>) -> Result<(), DecodeError>;
    /// SAFETY contract: `payload` is a live value of the relation's type, and it moves in.
    unsafe fn link_raw(&mut self, subject: Entity, target: Entity, payload: *mut u8);
    fn len(&self) -> usize;
    fn version(&self) -> u64;
    fn copy_links(&self, from: Entity) -> Vec<(Entity, crate::erased::ErasedBox)>;
}

#[derive(Debug)]
pub(crate) struct Store<R> {
    info: ValueInfo,
    marker: ComponentId,
    pub(crate) pairs: Pairs<R>,
}

impl<R: Relation> AnyRelation for Store<R> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn info(&self) -> &ValueInfo {
        &self.info
    }
    fn marker(&self) -> ComponentId {
        self.marker
    }
    fn cascades(&self) -> bool {
        R::CASCADE
    }
    fn payload(&self, subject: Entity, target: Entity) -> Option<*const u8> {
        let k = self.pairs.find(subject, target)?;
        self.pairs.payloads[k as usize].as_ref().map(|r| std::ptr::from_ref(r).cast())
    }
    fn first_target(&self, subject: Entity) -> Option<Entity> {
        self.pairs.targets(subject).next().map(|p| p.0)
    }
    fn first_subject(&self, target: Entity) -> Option<Entity> {
        self.pairs.subjects(target).next()
    }
    fn subjects_of(&self, target: Entity, out: &mut Vec<Entity>) {
        out.extend(self.pairs.subjects(target));
    }
    fn unrelate(&mut self, subject: Entity, target: Entity) -> Option<crate::erased::ErasedBox> {
        let k = self.pairs.find(subject, target)?;
        Some(crate::erased::ErasedBox::new(self.pairs.unlink(k)))
    }
    fn each(&self, f: &mut dyn FnMut(Entity, Entity, *const u8)) {
        for k in self.pairs.in_order() {
            let node = &self.pairs.nodes[k as usize];
            if let Some(payload) = &self.pairs.payloads[k as usize] {
                f(node.subject, node.target, std::ptr::from_ref(payload).cast());
            }
        }
    }
    fn clear(&mut self) {
        let p = &mut self.pairs;
        p.nodes.clear();
        p.payloads.clear();
        p.free.clear();
        p.by_subject.fill(EMPTY);
        p.by_target.fill(EMPTY);
        p.len = 0;
        p.version += 1;
    }
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        (self.pairs.len as u32).encode(out);
        if self.pairs.len == 0 {
            return Ok(());
        }
        let Some(codec) = self.info.codec else { return Err(self.info.name) };
        self.each(&mut |subject, target, payload| {
            subject.encode(out);
            target.encode(out);
            // SAFETY: `each` shows live payloads of the relation's type.
            unsafe { (codec.encode)(payload, out) };
        });
        Ok(())
    }
    fn decode(&mut self, input: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.clear();
        let n = input.count(16)?;
        for _ in 0..n {
            let subject = Entity::decode(input)?;
            let target = Entity::decode(input)?;
            let codec = self.info.codec.ok_or(DecodeError::Schema)?;
            let mut payload = std::mem::MaybeUninit::<R>::uninit();
            // SAFETY: room for an `R`; it holds one when `decode` succeeds.
            let payload = unsafe {
                (codec.decode)(input, payload.as_mut_ptr().cast())?;
                payload.assume_init()
            };
            self.pairs.link(subject, target, payload);
        }
        Ok(())
    }
    unsafe fn link_raw(&mut self, subject: Entity, target: Entity, payload: *mut u8) {
        // SAFETY: the trait's contract.
        let payload = unsafe { payload.cast::<R>().read() };
        self.pairs.link(subject, target, payload);
    }
    fn len(&self) -> usize {
        self.pairs.len
    }
    fn version(&self) -> u64 {
        self.pairs.version
    }
    fn copy_links(&self, from: Entity) -> Vec<(Entity, crate::erased::ErasedBox)> {
        let mut out = Vec::new();
        for (target, payload) in self.pairs.targets(from) {
            let mut room = crate::erased::ErasedBox::room(self.info.layout, self.info.drop);
            // SAFETY: `payload` is a live `R`, the room fits one.
            if unsafe { self.info.copy_value(std::ptr::from_ref(payload).cast(), room.ptr()) } {
                // SAFETY: just written.
                unsafe { room.set_live() };
                out.push((target, room));
            }
        }
        out
    }
}

/// A hierarchy that is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyCycle {
    /// The entities on the circle, in order of walking up.
    pub members: Vec<Entity>,
}

impl std::fmt::Display for HierarchyCycle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the hierarchy has a circle: ")?;
        for e in &self.members {
            write!(f, "{e} → ")?;
        }
        write!(f, "{}", self.members.first().copied().unwrap_or(Entity::NULL))
    }
}
impl std::error::Error for HierarchyCycle {}

impl World {
    pub(crate) fn relation_id<R: Relation>(&mut self) -> u32 {
        if let Some(&id) = self.relation_ids.get(&TypeId::of::<R>()) {
            return id;
        }
        let marker = self.register::<Linked<R>>();
        let id = self.relations.len() as u32;
        self.relation_ids.insert(TypeId::of::<R>(), id);
        self.relations.push(Box::new(Store::<R> {
            info: R::describe(),
            marker,
            pairs: Pairs::new(),
        }));
        id
    }
    pub(crate) fn pairs<R: Relation>(&self) -> Option<&Pairs<R>> {
        let id = *self.relation_ids.get(&TypeId::of::<R>())?;
        let store: &Store<R> = self.relations[id as usize].as_any().downcast_ref()?;
        Some(&store.pairs)
    }
    fn pairs_mut<R: Relation>(&mut self, id: u32) -> &mut Pairs<R> {
        let store: &mut Store<R> = self.relations[id as usize]
            .as_any_mut()
            .downcast_mut()
            .expect("the id was made for this type");
        &mut store.pairs
    }

    /// Makes the pair (subject, target), or replaces its payload; an exclusive relation lets go of its old target first.
    /// Returns whether both are alive.
    pub fn relate<R: Relation>(&mut self, subject: Entity, payload: R, target: Entity) -> bool {
        let done = self.relate_now(subject, payload, target);
        self.settle();
        done
    }
    pub(crate) fn relate_now<R: Relation>(
        &mut self,
        subject: Entity,
        payload: R,
        target: Entity,
    ) -> bool {
        if !self.is_alive(subject) || !self.is_alive(target) {
            return false;
        }
        let id = self.relation_id::<R>();
        let observed = self.observers.any;
        let pairs = self.pairs_mut::<R>(id);
        if let Some(k) = pairs.find(subject, target) {
            pairs.version += 1;
            pairs.payloads[k as usize] = Some(payload);
            return true;
        }
        let old = head(&pairs.by_subject, subject);
        if R::EXCLUSIVE && old.count > 0 {
            let old_target = pairs.nodes[old.first as usize].target;
            let value = pairs.unlink(old.first);
            if observed {
                self.pending_pair(
                    crate::observer::Happening::Unrelate,
                    id,
                    subject,
                    old_target,
                    Some(crate::erased::ErasedBox::new(value)),
                );
            }
        }
        let first = old.count == 0;
        self.pairs_mut::<R>(id).link(subject, target, payload);
        if first {
            self.insert_now(subject, Linked::<R>(PhantomData));
        }
        if observed {
            self.pending_pair(crate::observer::Happening::Relate, id, subject, target, None);
        }
        true
    }
    pub(crate) fn pending_pair(
        &mut self,
        what: crate::observer::Happening,
        of: u32,
        entity: Entity,
        target: Entity,
        value: Option<crate::erased::ErasedBox>,
    ) {
        if self.observers.handlers.iter().any(|h| h.0 == what && h.1 == of) {
            self.pending.push(crate::observer::Pending { what, of, entity, target, value });
        }
    }
    /// Removes the pair; returns whether it was there.
    pub fn unrelate<R: Relation>(&mut self, subject: Entity, target: Entity) -> bool {
        let id = self.relation_id::<R>();
        let done = self.unrelate_now(id, subject, target);
        self.settle();
        done
    }
    pub(crate) fn unrelate_now(&mut self, relation: u32, subject: Entity, target: Entity) -> bool {
        let store = &mut self.relations[relation as usize];
        let Some(payload) = store.unrelate(subject, target) else { return false };
        let marker = store.marker();
        if store.first_target(subject).is_none() {
            self.remove_component_now(subject, marker);
        }
        if self.observers.any {
            self.pending_pair(
                crate::observer::Happening::Unrelate,
                relation,
                subject,
                target,
                Some(payload),
            );
        }
        true
    }
    /// Whether the pair exists.
    #[must_use]
    pub fn has_pair<R: Relation>(&self, subject: Entity, target: Entity) -> bool {
        self.pairs::<R>().is_some_and(|p| p.find(subject, target).is_some())
    }
    /// The payload of a pair.
    #[must_use]
    pub fn payload<R: Relation>(&self, subject: Entity, target: Entity) -> Option<&R> {
        let pairs = self.pairs::<R>()?;
        pairs.payloads[pairs.find(subject, target)? as usize].as_ref()
    }
    /// The (first) target of a subject.
    #[must_use]
    pub fn target<R: Relation>(&self, subject: Entity) -> Option<Entity> {
        self.targets::<R>(subject).next().map(|p| p.0)
    }
    /// Targets of a subject with payloads, in order of creation.
    pub fn targets<R: Relation>(&self, subject: Entity) -> impl Iterator<Item = (Entity, &R)> {
        let alive = self.is_alive(subject);
        self.pairs::<R>().filter(|_| alive).into_iter().flat_map(move |p| p.targets(subject))
    }
    /// Subjects of a target, in order of creation.
    pub fn subjects<R: Relation>(&self, target: Entity) -> impl Iterator<Item = Entity> + '_ {
        let alive = self.is_alive(target);
        self.pairs::<R>().filter(|_| alive).into_iter().flat_map(move |p| p.subjects(target))
    }
    /// How many pairs exist.
    #[must_use]
    pub fn pair_count<R: Relation>(&self) -> usize {
        self.pairs::<R>().map_or(0, |p| p.len)
    }

    /// Walks down from `root`, parents before children, depth first, children in order of creation.
    pub fn walk_down<R: Relation>(&self, root: Entity, mut visit: impl FnMut(Entity, u32)) {
        let Some(pairs) = self.pairs::<R>() else { return visit(root, 0) };
        let mut seen = vec![false; self.entities.slots.len()];
        // An explicit stack of list positions: depth costs no call frames.
        let mut stack = vec![pairs.subjects(root)];
        seen[root.index() as usize] = true;
        visit(root, 0);
        while let Some(top) = stack.last_mut() {
            match top.next() {
                Some(e) if !std::mem::replace(&mut seen[e.index() as usize], true) => {
                    visit(e, stack.len() as u32);
                    stack.push(pairs.subjects(e));
                }
                Some(_) => {}
                None => {
                    stack.pop();
                }
            }
        }
    }
    /// Walks up from `from` (not included) to the root.
    ///
    /// # Errors
    /// When the way up is a circle.
    pub fn walk_up<R: Relation>(&self, from: Entity) -> Result<Vec<Entity>, HierarchyCycle> {
        let mut up: Vec<Entity> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        seen.insert(from);
        let mut at = from;
        while let Some(next) = self.target::<R>(at) {
            if !seen.insert(next) {
                let mut members = vec![from];
                members.extend(up);
                let start = members.iter().position(|&e| e == next).unwrap_or(0);
                return Err(HierarchyCycle { members: members.split_off(start) });
            }
            up.push(next);
            at = next;
        }
        Ok(up)
    }
    /// All subjects and targets of `R` by depth: roots first, then their children, and so on; each with the position of its
    /// parent in the list (`u32::MAX` for roots). Roots are in order of (archetype, row), children in order of creation.
    ///
    /// # Errors
    /// When there is a circle.
    pub fn depth_order<R: Relation>(&self) -> Result<Vec<(Entity, u32)>, HierarchyCycle> {
        let Some(pairs) = self.pairs::<R>() else { return Ok(Vec::new()) };
        let mut order: Vec<(Entity, u32)> = Vec::with_capacity(pairs.len + 1);
        for archetype in self.archetypes.iter() {
            for row in 0..archetype.len {
                let e = archetype.entity(row);
                if head(&pairs.by_subject, e).count == 0 && head(&pairs.by_target, e).count > 0 {
                    order.push((e, u32::MAX));
                }
            }
        }
        let roots = order.len();
        let mut k = 0;
        while k < order.len() {
            let e = order[k].0;
            order.extend(pairs.subjects(e).map(|c| (c, k as u32)));
            k += 1;
        }
        if order.len() - roots < pairs.len {
            // Somebody was not reached from a root: follow it up to the circle.
            let reached: rustc_hash::FxHashSet<Entity> = order.iter().map(|o| o.0).collect();
            for k in pairs.in_order() {
                let e = pairs.nodes[k as usize].subject;
                if !reached.contains(&e)
                    && let Err(cycle) = self.walk_up::<R>(e)
                {
                    return Err(cycle);
                }
            }
        }
        Ok(order)
    }
    /// How far below its root an entity is.
    ///
    /// # Errors
    /// When the way up is a circle.
    pub fn depth<R: Relation>(&self, entity: Entity) -> Result<usize, HierarchyCycle> {
        self.walk_up::<R>(entity).map(|up| up.len())
    }

    /// Takes all pairs of an entity that is about to go; returns nothing, leaves no dangling pair.
    pub(crate) fn unrelate_all(&mut self, entity: Entity) {
        for relation in 0..self.relations.len() as u32 {
            while let Some(target) = self.relations[relation as usize].first_target(entity) {
                let payload = self.relations[relation as usize].unrelate(entity, target);
                if self.observers.any {
                    self.pending_pair(
                        crate::observer::Happening::Unrelate,
                        relation,
                        entity,
                        target,
                        payload,
                    );
                }
            }
            while let Some(subject) = self.relations[relation as usize].first_subject(entity) {
                self.unrelate_now(relation, subject, entity);
            }
        }
    }
}
