//! What several workers gathered, in the order of its keys.
//!
//! Invariant: the result depends on the items alone, not on who gathered them, as long as no two have equal keys; equal
//! keys come in the order of the workers.

/// Merges one run for each worker into one sequence ordered by key. A run that is sorted costs no sort.
pub fn merge_keyed<K: Ord, T>(runs: Vec<Vec<(K, T)>>) -> Vec<(K, T)> {
    let mut runs: Vec<Vec<(K, T)>> = runs.into_iter().filter(|run| !run.is_empty()).collect();
    for run in &mut runs {
        if !run.is_sorted_by(|a, b| a.0 <= b.0) {
            run.sort_by(|a, b| a.0.cmp(&b.0));
        }
    }
    // Pairs of neighbours, until one is left: every item is moved as often as the logarithm of the workers says.
    while runs.len() > 1 {
        let mut pairs = runs.into_iter();
        let mut merged = Vec::new();
        while let Some(left) = pairs.next() {
            merged.push(match pairs.next() {
                Some(right) => merge_two(left, right),
                None => left,
            });
        }
        runs = merged;
    }
    runs.pop().unwrap_or_default()
}

fn merge_two<K: Ord, T>(left: Vec<(K, T)>, right: Vec<(K, T)>) -> Vec<(K, T)> {
    if left.last().zip(right.first()).is_some_and(|(last, first)| last.0 <= first.0) {
        let mut all = left;
        all.extend(right);
        return all;
    }
    let mut all = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        all.extend(if a.0 <= b.0 { left.next() } else { right.next() });
    }
    all.extend(left);
    all.extend(right);
    all
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 2 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn merging_is_sorting(runs: Vec<Vec<(u8, u8)>>) {
            let mut all: Vec<(u8, (usize, u8))> = Vec::new();
            let tagged: Vec<Vec<(u8, (usize, u8))>> = runs
                .iter()
                .enumerate()
                .map(|(worker, run)| run.iter().map(|(k, v)| (*k, (worker, *v))).collect())
                .collect();
            for run in &tagged {
                all.extend(run);
            }
            all.sort_by_key(|item| (item.0, item.1.0));
            prop_assert_eq!(merge_keyed(tagged), all);
        }
    }
}
