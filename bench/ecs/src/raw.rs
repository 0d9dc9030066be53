//! Bare loops over arrays: the floor.

use crate::cases::{P, V, step};
use crate::{Contestant, repeat};
use std::hint::black_box;

pub fn make(case: &str) -> Vec<Contestant> {
    match case {
        "simple_iter_10k" | "iter_1m" => {
            let n = if case == "iter_1m" { 1_000_000 } else { 10_000 };
            let (mut p, v) = (vec![P; n], vec![V; n]);
            vec![repeat("raw arrays", move || {
                for (p, v) in black_box(&mut p)
                    .as_flattened_mut()
                    .iter_mut()
                    .zip(black_box(&v).as_flattened())
                {
                    *p += v;
                }
                f64::NAN
            })]
        }
        "batch_spawn_1m" => vec![repeat("raw arrays", || {
            black_box((
                vec![P; 1_000_000],
                vec![V; 1_000_000],
                (0..1_000_000u64).collect::<Vec<_>>(),
            ));
            f64::NAN
        })],
        "snapshot_100k" => {
            let src = (vec![P; 100_000], vec![V; 100_000], vec![P; 100_000], vec![7u64; 100_000]);
            let mut dst = src.clone();
            vec![repeat("raw memcpy", move || {
                dst.0.copy_from_slice(black_box(&src.0));
                dst.1.copy_from_slice(&src.1);
                dst.2.copy_from_slice(&src.2);
                dst.3.copy_from_slice(&src.3);
                black_box(&mut dst);
                f64::NAN
            })]
        }
        "par_iter_10k" => {
            let (mut p, v) = (vec![P; 10_000], vec![V; 10_000]);
            vec![repeat("raw serial rows", move || {
                black_box(&mut p).iter_mut().zip(black_box(&v)).for_each(|(p, v)| step(p, v));
                f64::NAN
            })]
        }
        _ => vec![],
    }
}
