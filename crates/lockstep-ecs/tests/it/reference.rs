//! A naive world beside the real one: ordered lists, one thread, no cleverness, driven by the same random programs.
//!
//! The program of a frame is a function of (seed, frame, entity, value): every row decides what it does. The naive world runs it row by
//! row and applies what was recorded in order; the real one runs it as parallel systems in every mode. Compared after every frame:
//! ids in iteration order, values, pairs, the event stream, the observer stream, failures. Nothing is sorted.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
enum Op {
    Spawn { b: Option<u32>, pointing: Entity },
    SpawnAndUse { a: u32 },
    Despawn(Entity),
    InsertB(Entity, u32),
    RemoveB(Entity),
    InsertS(Entity, u32),
    RemoveS(Entity),
    Relate(Entity, u32, Entity),
    Unrelate(Entity, Entity),
    Parent(Entity, Entity),
    Send(u32),
}

/// What a row does: a function of its identity and value.
fn decide(seed: u64, frame: u64, e: Entity, a: u32, others: &[Entity]) -> Vec<Op> {
    let h = mix(seed ^ mix(frame ^ mix(e.to_bits() ^ u64::from(a))));
    let other = others[(h >> 32) as usize % others.len()];
    match h % 41 {
        0 | 1 => vec![Op::Spawn { b: (h & 64 != 0).then_some(a), pointing: e }],
        2 => vec![Op::SpawnAndUse { a: h as u32 & 1023 }],
        3 => vec![Op::Despawn(e)],
        4 => vec![Op::Despawn(other)],
        5 => vec![Op::InsertB(e, a), Op::Send(a)],
        6 => vec![Op::RemoveB(other)],
        7 => vec![Op::InsertS(other, h as u32 & 255)],
        8 => vec![Op::RemoveS(e)],
        9 | 10 => vec![Op::Relate(e, a, other)],
        11 => vec![Op::Unrelate(e, other), Op::Send(1)],
        12 => vec![Op::Parent(e, other)],
        13 => vec![Op::Despawn(e), Op::InsertB(e, 1), Op::Relate(other, 1, e)],
        14 => vec![Op::Send(h as u32)],
        _ => vec![],
    }
}
fn panics(seed: u64, frame: u64, e: Entity) -> bool {
    mix(seed ^ frame << 20 ^ e.to_bits()) % 9001 == 0
}

#[derive(Default)]
struct Naive {
    generations: Vec<u32>,
    free: Vec<u32>,
    /// (components, rows), in order of creation.
    tables: Vec<(Vec<&'static str>, Vec<Entity>)>,
    a: BTreeMap<Entity, u32>,
    b: BTreeMap<Entity, u32>,
    s: BTreeMap<Entity, u32>,
    r: BTreeMap<Entity, Entity>,
    likes: Vec<(Entity, Entity, u32)>,
    parents: Vec<(Entity, Entity)>,
    sent: Vec<u32>,
    stream: Vec<(u8, Entity, u32)>,
    frame: u64,
    operations: u64,
}

impl Naive {
    fn alive(&self, e: Entity) -> bool {
        self.a.contains_key(&e) || self.tables.iter().any(|t| t.1.contains(&e))
    }
    fn mint(&mut self) -> Entity {
        match self.free.pop() {
            Some(i) => Entity::from_parts(i, self.generations[i as usize]),
            None => {
                self.generations.push(0);
                Entity::from_parts(self.generations.len() as u32 - 1, 0)
            }
        }
    }
    fn shape(&self, e: Entity) -> Vec<&'static str> {
        let mut out = Vec::new();
        if self.a.contains_key(&e) {
            out.push("a");
        }
        if self.b.contains_key(&e) {
            out.push("b");
        }
        if self.r.contains_key(&e) {
            out.push("r");
        }
        if self.likes.iter().any(|l| l.0 == e) {
            out.push("likes");
        }
        if self.parents.iter().any(|p| p.0 == e) {
            out.push("child");
        }
        out
    }
    /// Puts the entity into the table of its shape, by the rule of swap-removal.
    fn settle(&mut self, e: Entity) {
        let shape = self.shape(e);
        if let Some(t) = self.tables.iter_mut().find(|t| t.1.contains(&e)) {
            if t.0 == shape {
                return;
            }
            let at = t.1.iter().position(|x| *x == e).unwrap();
            t.1.swap_remove(at);
        }
        match self.tables.iter_mut().find(|t| t.0 == shape) {
            Some(t) => t.1.push(e),
            None => self.tables.push((shape, vec![e])),
        }
    }
    fn order(&self) -> Vec<Entity> {
        self.tables.iter().flat_map(|t| t.1.iter().copied()).collect()
    }
    fn despawn(&mut self, e: Entity) {
        if !self.alive(e) {
            return;
        }
        let mut all = vec![e];
        let mut k = 0;
        while k < all.len() {
            for p in &self.parents {
                if p.1 == all[k] && !all.contains(&p.0) {
                    all.push(p.0);
                }
            }
            k += 1;
        }
        for e in all.into_iter().rev() {
            // Relations in order of registration: Likes, ChildOf. As a subject first, then as a target.
            self.likes.retain(|l| l.0 != e);
            while let Some(k) = self.likes.iter().position(|l| l.1 == e) {
                let s = self.likes.remove(k).0;
                self.settle(s);
            }
            self.parents.retain(|p| p.0 != e);
            while let Some(k) = self.parents.iter().position(|p| p.1 == e) {
                let s = self.parents.remove(k).0;
                self.settle(s);
            }
            if let Some(v) = self.b.remove(&e) {
                self.stream.push((2, e, v));
            }
            self.a.remove(&e);
            self.r.remove(&e);
            self.s.remove(&e);
            for t in &mut self.tables {
                if let Some(k) = t.1.iter().position(|x| *x == e) {
                    t.1.swap_remove(k);
                }
            }
            self.generations[e.index() as usize] += 1;
            self.free.push(e.index());
        }
    }
    fn apply(&mut self, op: Op, minted: &mut impl Iterator<Item = Entity>) {
        match op {
            Op::Spawn { b, pointing } => {
                let e = minted.next().unwrap();
                self.a.insert(e, 1);
                self.r.insert(e, pointing);
                if let Some(b) = b {
                    self.b.insert(e, b);
                    self.stream.push((1, e, b));
                }
                self.settle(e);
            }
            Op::SpawnAndUse { a } => {
                let (e, f) = (minted.next().unwrap(), minted.next().unwrap());
                self.a.insert(e, a);
                self.settle(e);
                self.a.insert(f, a + 1);
                self.r.insert(f, e);
                self.settle(f);
                self.relate(e, a, f);
                self.r.insert(e, f);
                self.settle(e);
            }
            Op::Despawn(e) => self.despawn(e),
            Op::InsertB(e, v) => {
                if self.alive(e) {
                    if self.b.insert(e, v).is_none() {
                        self.stream.push((1, e, v));
                    }
                    self.settle(e);
                }
            }
            Op::RemoveB(e) => {
                if let Some(v) = self.b.remove(&e) {
                    self.stream.push((2, e, v));
                    self.settle(e);
                }
            }
            Op::InsertS(e, v) => {
                if self.alive(e) {
                    self.s.insert(e, v);
                }
            }
            Op::RemoveS(e) => drop(self.s.remove(&e)),
            Op::Relate(s, v, t) => self.relate(s, v, t),
            Op::Unrelate(s, t) => {
                self.likes.retain(|l| (l.0, l.1) != (s, t));
                if self.alive(s) {
                    self.settle(s);
                }
            }
            Op::Parent(c, p) => {
                if self.alive(c) && self.alive(p) && !self.parents.contains(&(c, p)) {
                    self.parents.retain(|x| x.0 != c);
                    self.parents.push((c, p));
                    self.settle(c);
                }
            }
            Op::Send(x) => self.sent.push(x),
        }
    }
    fn relate(&mut self, s: Entity, v: u32, t: Entity) {
        if self.alive(s) && self.alive(t) {
            match self.likes.iter_mut().find(|l| (l.0, l.1) == (s, t)) {
                Some(l) => l.2 = v,
                None => self.likes.push((s, t, v)),
            }
            self.settle(s);
        }
    }
    fn frame(&mut self, seed: u64) -> Result<(), ()> {
        self.frame += 1;
        let order = self.order();
        let rows: Vec<Entity> = order.iter().copied().filter(|e| self.a.contains_key(e)).collect();
        // Wave 1: values in place. A panic ends its chunk of a few rows of a table; the frame ends with the wave.
        let mut failed = false;
        for t in self.tables.iter().filter(|t| t.0.contains(&"a")) {
            for chunk in t.1.chunks(DEFAULT_CHUNK as usize) {
                for &e in chunk {
                    if panics(seed, self.frame, e) {
                        failed = true;
                        break;
                    }
                    let a = self.a.get_mut(&e).unwrap();
                    *a = a.wrapping_mul(5).wrapping_add(e.index()) & 0xffff;
                }
            }
        }
        if failed {
            return Err(());
        }
        // Wave 2: commands.
        let ops: Vec<Op> =
            rows.iter().flat_map(|&e| decide(seed, self.frame, e, self.a[&e], &rows)).collect();
        let n: usize = ops
            .iter()
            .map(|o| match o {
                Op::Spawn { .. } => 1,
                Op::SpawnAndUse { .. } => 2,
                _ => 0,
            })
            .sum();
        self.operations += ops.len() as u64;
        let minted: Vec<Entity> = (0..n).map(|_| self.mint()).collect();
        let mut minted = minted.into_iter();
        for op in ops {
            self.apply(op, &mut minted);
        }
        Ok(())
    }
}

#[derive(Resource, Plain, Clone, Default)]
struct Program {
    seed: u64,
    frame: u64,
}
#[derive(Resource, Default)]
#[resource(transient)]
struct Stream(Vec<(u8, Entity, u32)>);

fn values(mut q: Query<(Entity, &mut A)>, p: Res<Program>) {
    let (seed, frame) = (p.seed, p.frame);
    q.par_for_each(|(e, a)| {
        assert!(!panics(seed, frame, e), "as programmed");
        a.0 = a.0.wrapping_mul(5).wrapping_add(e.index()) & 0xffff;
    });
}
fn commands(mut q: Query<(Entity, &A)>, p: Res<Program>, mut c: Commands) {
    let rows: Vec<Entity> = q.iter().map(|x| x.0).collect();
    let (seed, frame) = (p.seed, p.frame);
    q.par_for_each_with(&mut c, |c, (e, a)| {
        for op in decide(seed, frame, e, a.0, &rows) {
            match op {
                Op::Spawn { b: Some(b), pointing } => drop(c.spawn((A(1), Ref(pointing), B(b)))),
                Op::Spawn { b: None, pointing } => drop(c.spawn((A(1), Ref(pointing)))),
                Op::SpawnAndUse { a } => {
                    let e = c.spawn(A(a));
                    let f = c.spawn((A(a + 1), Ref(e)));
                    c.relate(e, Likes(a), f).insert(e, Ref(f));
                }
                Op::Despawn(e) => drop(c.despawn(e)),
                Op::InsertB(e, v) => drop(c.insert(e, B(v))),
                Op::RemoveB(e) => drop(c.remove::<B>(e)),
                Op::InsertS(e, v) => drop(c.insert(e, S(v))),
                Op::RemoveS(e) => drop(c.remove::<S>(e)),
                Op::Relate(s, v, t) => drop(c.relate(s, Likes(v), t)),
                Op::Unrelate(s, t) => drop(c.unrelate::<Likes>(s, t)),
                Op::Parent(s, t) => drop(c.relate(s, ChildOf, t)),
                Op::Send(x) => drop(c.send(Ping(x))),
            }
        }
    });
}

/// Returns the hash at the end and the number of structural operations.
fn compare(seed: u64, frames: u64, executor: &Executor, name: &str) -> (u64, u64) {
    let mut naive = Naive::default();
    let mut w = World::new();
    w.register_relation::<Likes>();
    w.register_relation::<ChildOf>();
    w.insert_resource(Program { seed, frame: 0 });
    w.insert_resource(Stream::default());
    w.on_add::<B>(|t| {
        // The value may have been replaced or have gone by the time of the drain; the naive world notes it at once, so only who counts.
        let e = t.entity();
        t.resource_mut::<Stream>().unwrap().0.push((1, e, 0));
    });
    w.on_remove::<B>(|t| {
        let (e, v) = (t.entity(), t.value().unwrap().0);
        t.resource_mut::<Stream>().unwrap().0.push((2, e, v));
    });
    // The empty table exists in both from the start.
    naive.tables.push((vec![], vec![]));
    for i in 0..120 {
        let e = naive.mint();
        naive.a.insert(e, i);
        naive.settle(e);
        assert_eq!(w.spawn(A(i)), e);
    }
    let mut s = Schedule::default();
    s.add(values);
    s.add(commands).after("values");
    s.set_executor(executor.clone());
    for frame in 1..=frames {
        w.resource_mut::<Program>().unwrap().frame = frame;
        let (expected, got) = (naive.frame(seed), s.run(&mut w));
        let at = format!("{name}, seed {seed}, frame {frame}");
        assert_eq!(got.is_ok(), expected.is_ok(), "{at}: {got:?}");
        let order = naive.order();
        assert_eq!(w.entities().collect::<Vec<_>>(), order, "{at}: ids or order");
        for &e in &order {
            assert_eq!(w.get::<A>(e).map(|x| x.0), naive.a.get(&e).copied(), "{at}: A of {e}");
            assert_eq!(w.get::<B>(e).map(|x| x.0), naive.b.get(&e).copied(), "{at}: B of {e}");
            assert_eq!(w.get::<S>(e).map(|x| x.0), naive.s.get(&e).copied(), "{at}: S of {e}");
            assert_eq!(w.get::<Ref>(e).map(|x| x.0), naive.r.get(&e).copied(), "{at}: Ref of {e}");
            assert!(
                w.targets::<Likes>(e).map(|(t, l)| (e, t, l.0)).eq(naive
                    .likes
                    .iter()
                    .filter(|l| l.0 == e)
                    .copied()),
                "{at}"
            );
            assert!(
                w.subjects::<ChildOf>(e).eq(naive.parents.iter().filter(|p| p.1 == e).map(|p| p.0)),
                "{at}"
            );
        }
        let sent: Vec<u32> = std::mem::take(&mut naive.sent);
        let events: Vec<u32> = w.events::<Ping>().iter().map(|p| p.0).collect();
        assert!(events.ends_with(&sent), "{at}: events");
        let stream: Vec<(u8, Entity, u32)> = std::mem::take(&mut naive.stream)
            .into_iter()
            .map(|(k, e, v)| if k == 1 { (k, e, 0) } else { (k, e, v) })
            .collect();
        assert_eq!(
            std::mem::take(&mut w.resource_mut::<Stream>().unwrap().0),
            stream,
            "{at}: observers"
        );
        if order.len() < 40 || order.len() > 900 {
            break;
        }
    }
    assert_eq!(w.hash(), w.state_hash());
    (w.hash(), naive.operations)
}

#[test]
fn random_programs_equal_the_naive_world() {
    // `LOCKSTEP_ECS_OPERATIONS=1000000 cargo test --release -p lockstep-ecs --test it naive_world -- --nocapture` goes on until every
    // mode has done so many structural operations; `LOCKSTEP_ECS_SEED=n` starts at another seed.
    let number = |name| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let wanted = number("LOCKSTEP_ECS_OPERATIONS").unwrap_or(20_000);
    let first_seed = number("LOCKSTEP_ECS_SEED").unwrap_or(1);
    // Panics of the programs are part of the game: nobody wants to read a million of them.
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload_as_str() != Some("as programmed") {
            tell(info);
        }
    }));
    let executors = modes::executors();
    let (mut done, mut seed) = (0, first_seed);
    while done < wanted {
        let mut first = None;
        for (name, x) in &executors {
            let out = compare(seed, 30, x, name);
            assert_eq!(*first.get_or_insert(out), out, "{name}, seed {seed}");
        }
        done += first.expect("there is a mode").1;
        seed += 1;
    }
    let modes = executors.len();
    println!(
        "{done} operations in each of {modes} modes, seeds {first_seed}..{seed}: no difference"
    );
}
