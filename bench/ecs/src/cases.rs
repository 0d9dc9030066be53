//! The cases: how many operations one run of each is, and the kernels all contestants share.

/// (case, operations of one run, whether it is parallel).
pub const CASES: &[(&str, u64, bool)] = &[
    ("world_new_drop", 1, false),
    ("simple_insert", 10_000, false),
    ("spawn_single_10k", 10_000, false),
    ("batch_spawn_1m", 1_000_000, false),
    ("simple_iter_10k", 10_000, false),
    ("iter_1m", 1_000_000, false),
    ("frag_iter", 520, false),
    ("add_remove_10k", 20_000, false),
    ("add_remove_fat_10k", 20_000, false),
    ("add_remove_sparse_10k", 20_000, false),
    ("despawn_10k", 10_000, false),
    ("get_random_10k", 10_000, false),
    ("get_random_1m", 1_000_000, false),
    ("change_scan_100k", 100_000, false),
    ("commands_10k", 20_000, false),
    ("hierarchy_11k", 11_111, false),
    ("messages_100k", 100_000, false),
    ("snapshot_100k", 400_000, false),
    ("hash_100k", 400_000, false),
    ("rollback_100k", 400_000, false),
    ("heavy_compute", 1_000, true),
    ("heavy_compute_serial", 1_000, false),
    ("par_iter_1m", 1_000_000, true),
    ("par_iter_10k", 10_000, true),
    ("schedule_60k", 60_000, true),
    ("empty_systems_100", 100, false),
    ("empty_systems_100_pool", 100, true),
    ("frame_6000", 6_000, false),
    ("frame_6000_pool", 6_000, true),
    ("plan_6000", 6_000, false),
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

/// What a position adds to a checksum.
pub fn weigh(p: &[f32; 3]) -> f64 {
    f64::from(p[0]) + 2.0 * f64::from(p[1]) + 3.0 * f64::from(p[2])
}
