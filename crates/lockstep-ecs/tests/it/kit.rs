//! Types and small machines shared by the tests.

use lockstep_ecs::*;
use std::cell::Cell;

macro_rules! numbers {
    ($($n:ident)*) => {$(
        #[derive(Component, Plain, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $n(pub u32);
    )*};
}
numbers!(A B C D E F G H I J K L M N O P);

#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
pub struct X(pub f32);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
pub struct Ref(pub Entity);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
pub struct Tag;
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
pub struct S(pub u32);
#[derive(Component, Plain, Clone, Debug, PartialEq)]
pub struct Text(pub String);
#[derive(Component, Debug)]
pub struct Opaque(pub u32);

#[derive(Event, Plain, Clone, Copy, Debug, PartialEq)]
pub struct Ping(pub u32);
#[derive(Event, Plain, Clone, Copy, Debug, PartialEq)]
pub struct Born(pub Entity, pub u32);

#[derive(Resource, Plain, Clone, Debug, Default, PartialEq)]
pub struct Log(pub Vec<u64>);
#[derive(Resource, Plain, Clone, Copy, Debug, Default, PartialEq)]
pub struct Input(pub u32);
#[derive(Resource, Plain, Clone, Copy, Debug, Default, PartialEq)]
pub struct Dt(pub f32);

#[derive(Relation, Plain, Clone, Copy, Debug, PartialEq)]
#[relation(exclusive, cascade)]
pub struct ChildOf;
#[derive(Relation, Plain, Clone, Copy, Debug, PartialEq)]
pub struct Likes(pub u32);

/// A small random generator.
pub struct Rng(pub u64);
impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;
// SAFETY: hands everything on to the system allocator.
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|a| a.set(a.get() + 1));
        // SAFETY: the contract is the same.
        unsafe { std::alloc::System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: std::alloc::Layout) {
        // SAFETY: the contract is the same.
        unsafe { std::alloc::System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: std::alloc::Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|a| a.set(a.get() + 1));
        // SAFETY: the contract is the same.
        unsafe { std::alloc::System.realloc(ptr, layout, size) }
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

/// A world that a schedule of `spawner`, `mover` and friends keeps busy: used where any busy world will do.
pub fn busy(w: &mut World, s: &mut Schedule) {
    w.insert_resource(Log::default());
    w.insert_resource(Input(3));
    w.register::<S>();
    w.register_event::<Born>();
    w.register_event::<Ping>();
    w.register_relation::<Likes>();
    w.register_relation::<ChildOf>();
    w.spawn_batch((0..700).map(|i| (A(i), X(i as f32 * 0.37))));
    w.spawn_batch((0..300).map(|i| (A(i), B(i), Ref(Entity::NULL))));
    s.add(busy_move);
    s.add(busy_edit);
    s.add(busy_relate).after("busy_edit");
    s.add(busy_listen);
}
fn busy_move(mut q: Query<(&mut X, &A)>, input: Res<Input>) {
    q.par_for_each(|(x, a)| x.0 = x.0 * 1.01 + (a.0 ^ input.0) as f32 * 0.003);
}
fn busy_edit(mut q: Query<(Entity, &mut A, Option<&B>)>, mut c: Commands, mut turn: Local<u32>) {
    *turn += 1;
    let turn = *turn;
    q.par_for_each_with(&mut c, |c, (e, a, b)| {
        let h = mix(e.to_bits() ^ u64::from(turn) << 40 ^ u64::from(a.0));
        a.0 = a.0.wrapping_add(h as u32 & 3);
        match h % 29 {
            0 => {
                let n = c.spawn((A(a.0), X(0.5), Ref(e)));
                c.send(Born(n, a.0));
            }
            1 => {
                c.despawn(e);
            }
            2 => {
                c.insert(e, (B(turn), S(a.0)));
            }
            3 if b.is_some() => {
                c.remove::<B>(e);
            }
            4 => {
                let n = c.spawn(A(h as u32 & 255));
                c.insert(e, Ref(n));
                c.relate(n, Likes(turn), e);
            }
            _ => {}
        }
    });
}
fn busy_relate(q: Query<(Entity, &A), With<B>>, mut c: Commands) {
    let mut last = None;
    for (e, a) in &q {
        if a.0 % 5 == 0
            && let Some(l) = last
        {
            c.relate(e, ChildOf, l);
        }
        last = Some(e);
    }
}
fn busy_listen(mut r: EventReader<Born>, mut log: ResMut<Log>) {
    for b in r.read() {
        log.0.push(b.0.to_bits() ^ u64::from(b.1));
    }
    let n = log.0.len();
    if n > 50 {
        log.0.drain(..n - 50);
    }
}
