//! TLA+ values: the operations that evaluation is made of.
//!
//! `cargo bench -p lockstep-bench --bench values [-- NAME]`.
#![allow(clippy::unwrap_used, reason = "a bench that cannot run should say so")]

use std::hint::black_box;
use std::sync::Arc;

use divan::Bencher;
use lockstep_eval::value::{
    Ctx, Symbols, Value, apply, compare, decode, encode, except, hash64, record, sets,
};

fn main() {
    divan::main();
}

/// A context, and a message as specifications send them.
fn context() -> (Ctx, impl Fn(&mut Ctx, i32) -> Value) {
    let mut symbols = Symbols::new();
    let names = ["from", "to", "type", "value", "request"].map(|it| symbols.intern(it));
    let ctx = Ctx::new(Arc::new(symbols));
    let message = move |ctx: &mut Ctx, number: i32| {
        let fields = vec![
            (names[0], Value::Int(number % 3)),
            (names[1], Value::Int(number % 5)),
            (names[2], Value::Str(names[4])),
            (names[3], Value::Int(number)),
        ];
        record(ctx, fields)
    };
    (ctx, message)
}

fn messages(ctx: &mut Ctx, make: &impl Fn(&mut Ctx, i32) -> Value, n: i32) -> Value {
    let all: Vec<Value> = (0..n).map(|number| make(ctx, number)).collect();
    ctx.set(all)
}

const SIZES: [i32; 3] = [4, 16, 64];

/// `msgs \cup {m}`
#[divan::bench(args = SIZES)]
fn union_with_one(bencher: Bencher<'_, '_>, n: i32) {
    let (mut ctx, make) = context();
    let set = messages(&mut ctx, &make, n);
    let new = make(&mut ctx, n + 1);
    let one = ctx.set(vec![new]);
    bencher.bench_local(|| sets::cup(&mut ctx, black_box(&set), black_box(&one)).unwrap());
}

/// `m \in msgs`
#[divan::bench(args = SIZES)]
fn member(bencher: Bencher<'_, '_>, n: i32) {
    let (mut ctx, make) = context();
    let set = messages(&mut ctx, &make, n);
    let one = make(&mut ctx, n / 2);
    bencher.bench_local(|| sets::member(&mut ctx, black_box(&one), black_box(&set)).unwrap());
}

/// The order of two equal sets that share nothing.
#[divan::bench(args = SIZES)]
fn compare_equal(bencher: Bencher<'_, '_>, n: i32) {
    let (mut ctx, make) = context();
    let (a, b) = (messages(&mut ctx, &make, n), messages(&mut ctx, &make, n));
    bencher.bench_local(|| compare(&mut ctx, black_box(&a), black_box(&b)).unwrap());
}

/// A set as bytes and back, its hash included: what a state costs on its way through the frontier.
#[divan::bench(args = SIZES)]
fn through_bytes(bencher: Bencher<'_, '_>, n: i32) {
    let (mut ctx, make) = context();
    let set = messages(&mut ctx, &make, n);
    let mut bytes = Vec::new();
    bencher.bench_local(|| {
        bytes.clear();
        encode(&mut ctx, black_box(&set), &mut bytes).unwrap();
        let back = decode(&mut &bytes[..], &mut ctx).unwrap();
        hash64(&mut ctx, &back).unwrap()
    });
}

/// `[f EXCEPT ![i] = 7]` and its hash.
#[divan::bench(args = SIZES)]
fn except_one(bencher: Bencher<'_, '_>, n: i32) {
    let (mut ctx, _) = context();
    let function = Value::tuple_from((0..n).map(Value::Int));
    let at = [Value::Int(n / 2)];
    hash64(&mut ctx, &function).unwrap();
    bencher.bench_local(|| {
        let next = except(&mut ctx, black_box(&function), &at, Value::Int(7)).unwrap();
        hash64(&mut ctx, &next).unwrap()
    });
}

/// `f[i]`
#[divan::bench(args = SIZES)]
fn apply_one(bencher: Bencher<'_, '_>, n: i32) {
    let (mut ctx, _) = context();
    let function = Value::tuple_from((0..n).map(Value::Int));
    let at = Value::Int(n / 2);
    bencher.bench_local(|| apply(&mut ctx, black_box(&function), black_box(&at)).unwrap());
}
