//! The cases: how many operations one run of each is, and the kernels all contestants share.

/// (case, operations of one run).
pub const CASES: &[(&str, u64)] = &[
    ("world_new_drop", 1),
    ("simple_insert", 10_000),
    ("spawn_single_10k", 10_000),
    ("batch_spawn_1m", 1_000_000),
    ("simple_iter_10k", 10_000),
    ("iter_1m", 1_000_000),
    ("frag_iter", 520),
    ("add_remove_10k", 20_000),
    ("add_remove_fat_10k", 20_000),
    ("add_remove_sparse_10k", 20_000),
    ("despawn_10k", 10_000),
    ("get_random_10k", 10_000),
    ("get_random_1m", 1_000_000),
    ("change_scan_100k", 100_000),
    ("commands_10k", 20_000),
    ("hierarchy_11k", 11_111),
    ("messages_100k", 100_000),
    ("snapshot_100k", 400_000),
    ("hash_100k", 400_000),
    ("rollback_100k", 400_000),
    ("heavy_compute", 1_000),
    ("heavy_compute_serial", 1_000),
    ("par_iter_1m", 1_000_000),
    ("par_iter_10k", 10_000),
    ("schedule_60k", 60_000),
    ("empty_systems_100", 100),
    ("empty_systems_100_pool", 100),
];

pub const P: [f32; 3] = [1.0, 0.0, 0.0];
pub const R: [f32; 3] = [1.0, 0.0, 0.0];
pub const V: [f32; 3] = [1.0, 0.5, 0.25];

pub fn matrix() -> [f32; 16] {
    std::array::from_fn(|i| if i % 5 == 0 { 1.5 } else { 0.01 * i as f32 })
}

#[inline(always)]
pub fn step(p: &mut [f32; 3], v: &[f32; 3]) {
    p[0] += v[0];
    p[1] += v[1];
    p[2] += v[2];
}

/// About two microseconds of arithmetic.
pub fn heavy(m: &mut [f32; 16], p: &mut [f32; 3]) {
    for _ in 0..100 {
        let mut out = [0.0; 16];
        for r in 0..4 {
            for c in 0..4 {
                let mut s = 0.0;
                for k in 0..4 {
                    s += m[r * 4 + k] * m[k * 4 + c];
                }
                out[r * 4 + c] = s / 3.0;
            }
        }
        *m = out.map(|x| if x.abs() > 1e3 { 1.0 } else { x });
    }
    p[0] += m[0];
}

/// The same order for all.
pub fn shuffle<X>(v: &mut [X]) {
    let mut s = 0x9e37_79b9_7f4a_7c15_u64;
    for i in (1..v.len()).rev() {
        s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        v.swap(i, ((s >> 33) % (i as u64 + 1)) as usize);
    }
}
