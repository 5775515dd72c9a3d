//! One seed for a run, one independent random stream for each stage and work unit.
//!
//! Nothing here depends on threads: a work unit (a node, a block of rows) always draws from its own stream.
//! The draws are written out, with golden values in the tests, so that an upgrade of a random-number crate cannot
//! move results.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

/// Stages that use randomness. New ones go to the end: a stage keeps its number for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u64)]
pub enum Stream {
    /// The permutation that splits the edges.
    LinkSplit = 1,
    /// Negatives of validation and test.
    EvaluationNegatives = 2,
    /// Negatives that the compatibility matrix is fitted on.
    CompatNegatives = 3,
    /// Negatives that place the bins of Probe.
    ProbeNegatives = 4,
    /// Negatives that Act is trained on.
    TrainingNegatives = 5,
    /// Random walks of component R.
    Walks = 6,
    /// Test matrices of the randomised SVD.
    Sketch = 7,
    /// Generated graphs.
    Synth = 8,
    /// Choice of the edges that the compatibility matrix is fitted on.
    CompatEdges = 9,
    /// The permutations that split the nodes, one a class.
    NodeSplit = 10,
    /// Starts of k-means.
    KMeans = 11,
    /// Permutations of labels.
    Permutations = 12,
    /// Folds of cross-fitting.
    Folds = 13,
    /// Further negatives that choices are made on.
    ChoiceNegatives = 14,
    /// Hard negatives, where too few pairs look like edges.
    HardNegatives = 15,
}

/// The seed of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// The random stream of one work unit of one stage.
    pub fn stream(self, stage: Stream, unit: u64) -> Draw {
        debug_assert!(unit < 1 << 48);
        let mut rng = ChaCha8Rng::seed_from_u64(self.0);
        rng.set_stream(((stage as u64) << 48) | unit);
        Draw(rng)
    }
}

/// A source of random draws.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer in `0..n`, without bias (Lemire's method). `n` must be positive.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "no integer lies below zero");
        loop {
            let wide = u64::from(self.0.next_u32()) * u64::from(n);
            // The low half says whether this draw falls into the overhang that would favour small results.
            let low = wide as u32;
            if low >= n || low >= n.wrapping_neg() % n {
                return (wide >> 32) as u32;
            }
        }
    }

    /// A uniform number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A standard normal number (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Shuffles in place (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last + 1).expect("at most 2^32 items are shuffled");
            items.swap(last, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_pinned() {
        let mut a = Seed(7).stream(Stream::Walks, 3);
        let drawn: Vec<u32> = (0..6).map(|_| a.below(1000)).collect();
        assert_eq!(drawn, [545, 67, 42, 809, 413, 270]);
        let mut items: Vec<u32> = (0..8).collect();
        Seed(7).stream(Stream::LinkSplit, 0).shuffle(&mut items);
        assert_eq!(items, [7, 3, 2, 1, 4, 0, 5, 6]);
    }

    #[test]
    fn streams_differ_by_seed_stage_and_unit() {
        let first = |seed: u64, stage, unit| Seed(seed).stream(stage, unit).bits();
        let base = first(0, Stream::Walks, 0);
        assert_ne!(base, first(1, Stream::Walks, 0));
        assert_ne!(base, first(0, Stream::Sketch, 0));
        assert_ne!(base, first(0, Stream::Walks, 1));
        assert_eq!(base, first(0, Stream::Walks, 0));
    }

    #[test]
    fn normal_has_mean_zero_and_variance_one() {
        let mut draw = Seed(1).stream(Stream::Synth, 0);
        let sample: Vec<f64> = (0..20_000).map(|_| draw.normal()).collect();
        let mean = sample.iter().sum::<f64>() / 20_000.0;
        let variance = sample.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    }

    #[test]
    fn below_is_uniform() {
        let mut draw = Seed(2).stream(Stream::Synth, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[draw.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|&c| (9_600..10_400).contains(&c)), "{counts:?}");
    }
}
