//! The table against a `BTreeMap`: what is new, which link wins, through many growths and with many workers.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::WorkerPool;

/// Miri runs a few thousand times slower: it gets fewer keys.
const FEWER: u64 = if cfg!(miri) { 200 } else { 1 };

/// A reproducible stream of well-mixed numbers (splitmix64, twice).
struct Stream(u64);

impl Stream {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }
}

/// The fingerprint of a small number.
fn print(number: u64) -> Fingerprint {
    let mut stream = Stream(number);
    Fingerprint(u128::from(stream.word()) << 64 | u128::from(stream.word()))
}

/// The links of all keys in the table, which must be exactly `expected`.
fn assert_holds(table: &mut FingerprintTable, expected: &BTreeMap<u64, u64>) {
    let leader = table.leader();
    assert_eq!(leader.len(), expected.len());
    for (number, link) in expected {
        assert_eq!(leader.find(print(*number)), Some(*link), "key {number}");
    }
    let mut all = 0;
    leader.between(Fingerprint(0), Fingerprint(u128::MAX), |_, _| all += 1);
    assert_eq!(all, expected.len());
}

#[test]
fn one_worker_agrees_with_a_map_through_growth() {
    for links in [Links::None, Links::Narrow, Links::Wide] {
        let mut table = FingerprintTable::new(8, links).unwrap();
        let mut map = BTreeMap::new();
        let mut stream = Stream(1);
        {
            let mut leader = table.leader();
            for _ in 0..30_000 / FEWER {
                let (number, link) = (stream.below(9000 / FEWER), stream.below(1 << 32));
                let new = leader.insert(Key { fingerprint: print(number), link }, 1).unwrap();
                let kept = map.entry(number);
                assert_eq!(new, matches!(kept, std::collections::btree_map::Entry::Vacant(_)));
                let kept = kept.or_insert(0);
                *kept = link.max(*kept);
            }
        }
        if links == Links::None {
            map.values_mut().for_each(|link| *link = 0);
        }
        assert_holds(&mut table, &map);
    }
}

/// Every worker inserts its own shuffle of overlapping keys; each key must be new exactly once and the greatest link win.
fn race(seed: u64, workers: usize, keys: u64, slots: usize, links: Links) {
    let pool = WorkerPool::new(workers);
    let mut table = FingerprintTable::new(slots, links).unwrap();
    let handles: Vec<_> = table.split(workers).into_iter().map(|it| Mutex::new(Some(it))).collect();
    let new_keys = Mutex::new(Vec::new());
    let levels = 3;
    pool.run(|worker| {
        let mut handle = handles[worker].lock().unwrap().take().unwrap();
        let mut stream = Stream(seed ^ (worker as u64) << 32);
        for level in 0..levels {
            let mut mine = Vec::new();
            for _ in 0..stream.below(40) + keys / 24 {
                let batch: Vec<u64> =
                    (0..stream.below(32) + 1).map(|_| stream.below(keys)).collect();
                let keys: Vec<Key> = batch
                    .iter()
                    .map(|number| Key {
                        fingerprint: print(*number),
                        link: (number * 7 + worker as u64 * 1000) % 65_536,
                    })
                    .collect();
                for key in &keys {
                    handle.prefetch(key.fingerprint);
                }
                let new = handle.insert(&keys, 1).unwrap();
                mine.extend(
                    batch.iter().enumerate().filter(|(i, _)| new >> i & 1 == 1).map(|it| *it.1),
                );
            }
            new_keys.lock().unwrap().extend(mine);
            let met = handle
                .meet(|leader| {
                    let all = new_keys.lock().unwrap().len();
                    assert_eq!(all, leader.len(), "level {level}");
                })
                .unwrap();
            assert_eq!(met.is_some(), worker == 0);
        }
    })
    .unwrap();
    drop(handles);
    let mut all = new_keys.into_inner().unwrap();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(count, all.len(), "a key was new twice");
    let leader = table.leader();
    assert_eq!(leader.len(), count);
    assert!(all.iter().all(|number| leader.find(print(*number)).is_some()));
}

#[test]
fn workers_race_through_growth() {
    for seed in 0..if cfg!(miri) { 1 } else { 4 } {
        for workers in [1, 2, 3, 8] {
            race(seed, workers, 20_000 / FEWER, 8, Links::Narrow);
        }
        race(seed, 2, 1000 / FEWER.min(10), 16, Links::Wide);
        race(seed, 4, 100_000 / FEWER / FEWER.min(2), 64, Links::None);
    }
}

/// Run with `LOCKSTEP_STRESS=rounds cargo test -p lockstep-runtime --release stress`.
#[test]
fn stress_by_seed() {
    let rounds = std::env::var("LOCKSTEP_STRESS")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(if cfg!(miri) { 0 } else { 3 });
    for seed in 100..100 + rounds {
        let mut stream = Stream(seed);
        let workers = 1 + stream.below(8) as usize;
        let keys = 100 + stream.below(60_000);
        let slots = 8 << stream.below(8);
        let links = [Links::None, Links::Narrow, Links::Wide][stream.below(3) as usize];
        race(seed, workers, keys, slots, links);
    }
}

#[test]
fn tags_keep_links_of_older_levels() {
    let mut table = FingerprintTable::new(64, Links::Narrow).unwrap();
    let mut leader = table.leader();
    let key = |link| Key { fingerprint: print(5), link };
    assert!(leader.insert(key(10), 1).unwrap());
    assert!(!leader.insert(key(20), 1).unwrap());
    assert_eq!(leader.find(print(5)), Some(20));
    assert!(!leader.insert(key(30), 2).unwrap());
    assert_eq!(leader.find(print(5)), Some(20), "another level's insert leaves the link alone");
    assert_eq!(leader.close(print(5)), Some(20));
    assert!(!leader.insert(key(40), 1).unwrap());
    assert_eq!(leader.find(print(5)), Some(20), "a closed key keeps its link");
    assert_eq!(leader.close(print(6)), None);
}

#[test]
fn a_full_table_still_takes_the_greater_link_of_a_known_key() {
    let mut table = FingerprintTable::new(8, Links::Narrow).unwrap();
    let mut leader = table.leader();
    let most = leader.capacity();
    for number in 0..most as u64 {
        assert!(leader.insert(Key { fingerprint: print(number), link: 1 }, 1).unwrap());
    }
    assert!(!leader.insert(Key { fingerprint: print(0), link: 9 }, 1).unwrap());
    assert_eq!((leader.find(print(0)), leader.capacity()), (Some(9), most));
}

#[test]
fn growth_can_be_asked_for() {
    for workers in [1, 2, 3] {
        let pool = WorkerPool::new(workers);
        let mut table = FingerprintTable::new((1 << 12) / FEWER as usize, Links::Narrow).unwrap();
        let before = table.leader().capacity();
        let mut map = BTreeMap::new();
        for number in 0..1000 / FEWER.min(100) {
            map.insert(number, number % 77);
            let key = Key { fingerprint: print(number), link: number % 77 };
            assert!(table.leader().insert(key, 0).unwrap());
        }
        let handles: Vec<_> =
            table.split(workers).into_iter().map(|it| Mutex::new(Some(it))).collect();
        pool.run(|worker| {
            let mut handle = handles[worker].lock().unwrap().take().unwrap();
            // The last worker has nothing to say but that it is through; it helps all the same.
            if worker == 0 || worker + 1 < workers {
                assert_eq!(handle.grow(), Ok(()));
                assert_eq!(handle.grow(), Ok(()));
            }
            handle.meet(|_| ()).unwrap();
        })
        .unwrap();
        drop(handles);
        assert!(table.leader().capacity() >= 15 * before, "two growths by four");
        assert_holds(&mut table, &map);
    }
}

#[test]
fn growth_beyond_the_bound_is_refused_and_leaves_all_as_it_was() {
    let pool = WorkerPool::new(2);
    let mut table = FingerprintTable::new(64, Links::Narrow).unwrap();
    let bytes = table.leader().bytes();
    table.limit_bytes(2 * bytes);
    let handles: Vec<_> = table.split(2).into_iter().map(|it| Mutex::new(Some(it))).collect();
    let new = AtomicUsize::new(0);
    pool.run(|worker| {
        let mut handle = handles[worker].lock().unwrap().take().unwrap();
        let mut refused = 0;
        for number in 0..200 {
            let key = Key { fingerprint: print(number), link: number };
            match handle.insert(&[key], 1) {
                Ok(bits) => drop(new.fetch_add(bits as usize, Ordering::Relaxed)),
                Err(TableError::OutOfMemory) => refused += 1,
                Err(TableError::Broken) => panic!("nobody left"),
            }
        }
        assert!(refused > 0);
        assert_eq!(handle.meet(|leader| leader.len()).unwrap().is_some(), worker == 0);
    })
    .unwrap();
    drop(handles);
    let leader = table.leader();
    assert_eq!(leader.bytes(), bytes);
    assert_eq!(leader.len(), new.load(Ordering::Relaxed));
    let found = (0..200).filter(|it| leader.find(print(*it)).is_some()).count();
    assert_eq!(found, leader.len(), "what was new is in, and nothing else");
}

#[test]
fn a_worker_that_leaves_breaks_the_rendezvous() {
    let pool = WorkerPool::new(3);
    let mut table = FingerprintTable::new(8, Links::None).unwrap();
    let handles: Vec<_> = table.split(3).into_iter().map(|it| Mutex::new(Some(it))).collect();
    let error = pool
        .run(|worker| {
            let mut handle = handles[worker].lock().unwrap().take().unwrap();
            if worker == 1 {
                std::panic::resume_unwind(Box::new("gone"));
            }
            let mut result = Ok(0);
            for number in 0..100_000 / FEWER {
                result = handle.insert(&[Key { fingerprint: print(number), link: 0 }], 0);
                if result.is_err() {
                    break;
                }
            }
            assert_eq!(result, Err(TableError::Broken));
            assert_eq!(handle.meet(|_| ()), Err(TableError::Broken));
        })
        .unwrap_err();
    assert_eq!((error.worker, error.message()), (1, "gone"));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn between_finds_the_keys_of_a_stretch(mut numbers: Vec<u128>, a: u128, b: u128, slots in 8usize..5000) {
        let mut table = FingerprintTable::new(slots, Links::Narrow).unwrap();
        let cut = 128 - table.width();
        let mut leader = table.leader();
        for number in &mut numbers {
            *number = *number >> cut << cut;
            leader.insert(Key { fingerprint: Fingerprint(*number), link: *number as u64 >> 32 }, 0).unwrap();
        }
        numbers.sort_unstable();
        numbers.dedup();
        let (low, high) = (a.min(b), a.max(b));
        numbers.retain(|it| low >> cut <= it >> cut && it >> cut <= high >> cut);
        let mut found = Vec::new();
        leader.between(Fingerprint(low), Fingerprint(high), |key, _| found.push(key.0));
        found.sort_unstable();
        prop_assert_eq!(found, numbers);
    }
}
