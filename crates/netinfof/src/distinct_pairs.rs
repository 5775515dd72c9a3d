//! Sets of unordered pairs of nodes.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::csr::{Pair, ordered};

/// A set of unordered pairs: (i, j) and (j, i) are the same. Splits of large graphs insert tens of millions of
/// pairs, so a pair is stored as one number and hashed by one multiplication.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistinctPairs(HashSet<u64, BuildHasherDefault<NumberHasher>>);

impl DistinctPairs {
    pub(crate) fn with_capacity(pairs: usize) -> Self {
        DistinctPairs(HashSet::with_capacity_and_hasher(pairs, BuildHasherDefault::default()))
    }

    /// Adds a pair; `false` if it was in the set already.
    pub(crate) fn insert(&mut self, pair: Pair) -> bool {
        self.0.insert(number(pair))
    }

    pub(crate) fn remove(&mut self, pair: Pair) {
        self.0.remove(&number(pair));
    }

    pub(crate) fn contains(&self, pair: Pair) -> bool {
        self.0.contains(&number(pair))
    }
}

impl<'a> FromIterator<&'a Pair> for DistinctPairs {
    fn from_iter<I: IntoIterator<Item = &'a Pair>>(pairs: I) -> Self {
        DistinctPairs(pairs.into_iter().map(|&pair| number(pair)).collect())
    }
}

/// A number for each pair, the same in both directions.
pub(crate) fn number(pair: Pair) -> u64 {
    let [i, j] = ordered(pair);
    u64::from(i) << 32 | u64::from(j)
}

/// Hashes one number. The table uses the lowest and the highest bits of a hash, so both halves of the product are
/// combined.
#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(number ^ 0x243F_6A88_85A3_08D3) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_one_pair() {
        let mut set = DistinctPairs::with_capacity(2);
        assert!(set.insert([3, 1]) && !set.insert([1, 3]) && set.insert([1, 2]));
        assert!(set.contains([3, 1]) && set.contains([2, 1]) && !set.contains([2, 3]));
        set.remove([1, 3]);
        assert!(!set.contains([3, 1]));
    }

    /// Pairs of a grid differ in few bits; their hashes must still fill both halves evenly.
    #[test]
    fn hashes_of_similar_pairs_are_spread() {
        let mut buckets = [[0u32; 256]; 2];
        for i in 0..256 {
            for j in 256..512 {
                let mut hasher = NumberHasher::default();
                hasher.write_u64(number([i, j]));
                let hash = hasher.finish();
                buckets[0][(hash & 255) as usize] += 1;
                buckets[1][(hash >> 57) as usize] += 1;
            }
        }
        assert!(buckets[0].iter().all(|&count| (128..512).contains(&count)), "{:?}", buckets[0]);
        assert!(buckets[1][..128].iter().all(|&count| (256..1024).contains(&count)), "{:?}", buckets[1]);
    }
}
