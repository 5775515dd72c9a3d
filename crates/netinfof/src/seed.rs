//! One seed per run, and one independent random stream per stage and work unit.
//!
//! Results do not depend on threads: a work unit (a node, a block of rows) always draws from its own stream.
//! The distributions are implemented here, with golden values in the tests, so that an upgrade of a
//! random-number crate cannot change results.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

/// Stages that use randomness. New stages go to the end: a stage never changes its number.
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
    /// The permutations that split the nodes, one per class.
    NodeSplit = 10,
    /// Starts of k-means.
    KMeans = 11,
    /// Permutations of labels.
    Permutations = 12,
    /// Folds of cross-fitting.
    Folds = 13,
    /// Additional negatives used for choices.
    ChoiceNegatives = 14,
    /// Random fill of hard negatives, if too few pairs resemble edges.
    HardNegatives = 15,
    /// Resampled tables for intervals and comparisons.
    Resampling = 16,
    /// Degree-matched negatives that confirm claims.
    MatchedNegatives = 17,
    /// Resampled tables of degree-matched pairs.
    MatchedResampling = 18,
    /// Folds that the probabilities of nodes are calibrated on.
    CalibrationFolds = 19,
    /// Negatives that the probabilities of links are calibrated on.
    CalibrationNegatives = 20,
    /// Features of other nodes, as a control.
    ControlFeatures = 21,
    /// Folds that predictive information is measured in.
    InformationFolds = 22,
    /// Training nodes of the ridge regressions, if there are many.
    RidgeSample = 23,
    /// Edges of a graph with the same degrees, as a control.
    Rewired = 24,
    /// Nodes whose features are compared with those of their neighbours.
    Neighbourhoods = 25,
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
            // The low half shows whether this draw falls into the excess range that would favour small
            // results.
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

    /// The number of successes in `n` trials with probability `p`. Exact up to a mean of 200, a rounded
    /// normal number above.
    pub fn binomial(&mut self, n: u64, p: f64) -> u64 {
        if p > 0.5 {
            return n - self.binomial(n, 1.0 - p);
        }
        let mean = n as f64 * p;
        if n == 0 || p <= 0.0 {
            return 0;
        }
        if mean > EXACT {
            return self.rounded(mean, mean * (1.0 - p), n);
        }
        let odds = p / (1.0 - p);
        let first = (n as f64 * (-p).ln_1p()).exp();
        self.inverted(first, n, |k| odds * (n - k) as f64 / (k + 1) as f64)
    }

    /// The number of marked items among `drawn` from a `population` with `marked` marked items. As exact as
    /// [`Draw::binomial`].
    pub fn hypergeometric(&mut self, population: u64, marked: u64, drawn: u64) -> u64 {
        if marked > population / 2 {
            return drawn - self.hypergeometric(population, population - marked, drawn);
        }
        if drawn > population / 2 {
            return marked - self.hypergeometric(population, marked, population - drawn);
        }
        let most = marked.min(drawn);
        if most == 0 {
            return 0;
        }
        let (all, share) = (population as f64, marked as f64 / population as f64);
        let mean = drawn as f64 * share;
        if mean > EXACT {
            let variance = mean * (1.0 - share) * (all - drawn as f64) / (all - 1.0);
            return self.rounded(mean, variance, most);
        }
        let others = population - marked;
        let first = ln_factorial(others) - ln_factorial(others - drawn) + ln_factorial(population - drawn)
            - ln_factorial(population);
        self.inverted(first.exp(), most, |k| {
            (marked - k) as f64 * (drawn - k) as f64 / ((k + 1) as f64 * (others - drawn + k + 1) as f64)
        })
    }

    /// The counts of several outcomes in `n` trials, by their probabilities.
    pub fn multinomial(&mut self, n: u64, chances: &[f64]) -> Vec<u64> {
        let (mut left, mut chance_left) = (n, chances.iter().sum::<f64>());
        let last = chances.iter().rposition(|&chance| chance > 0.0);
        let mut counts = vec![0; chances.len()];
        for (at, (&chance, count)) in chances.iter().zip(&mut counts).enumerate() {
            *count = if Some(at) == last {
                left
            } else {
                self.binomial(left, (chance / chance_left).clamp(0.0, 1.0))
            };
            left -= *count;
            chance_left -= chance;
        }
        counts
    }

    fn rounded(&mut self, mean: f64, variance: f64, most: u64) -> u64 {
        (mean + variance.sqrt() * self.normal()).round().clamp(0.0, most as f64) as u64
    }

    /// The k at which the cumulative probability exceeds a uniform number, given the first probability and
    /// the ratio of each to the previous one.
    fn inverted(&mut self, first: f64, most: u64, ratio: impl Fn(u64) -> f64) -> u64 {
        let (mut left, mut chance, mut k) = (self.unit(), first, 0);
        while left > chance && k < most {
            left -= chance;
            chance *= ratio(k);
            k += 1;
        }
        k
    }

    /// Shuffles in place (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last + 1).expect("at most 2^32 items are shuffled");
            items.swap(last, self.below(bound) as usize);
        }
    }
}

/// Means above this are drawn as rounded normal numbers.
const EXACT: f64 = 200.0;

/// ln n!, by Stirling's series.
fn ln_factorial(n: u64) -> f64 {
    if n < 16 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let n = n as f64;
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
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
    fn counts_have_the_right_mean_and_variance() {
        let mut draw = Seed(3).stream(Stream::Synth, 0);
        let moments = |sample: Vec<u64>| {
            let n = sample.len() as f64;
            let mean = sample.iter().sum::<u64>() as f64 / n;
            (mean, sample.iter().map(|&v| (v as f64 - mean).powi(2)).sum::<f64>() / n)
        };
        for (n, p) in [(1, 0.3), (10, 0.9), (400, 0.02), (5000, 0.3), (100_000, 0.5)] {
            let (mean, variance) = moments((0..20_000).map(|_| draw.binomial(n, p)).collect());
            let expected = (n as f64 * p, n as f64 * p * (1.0 - p));
            assert!((mean - expected.0).abs() < 0.03 * expected.1.sqrt() + 1e-9, "{n} {p}: {mean}");
            assert!((variance / expected.1 - 1.0).abs() < 0.05, "{n} {p}: {variance} {expected:?}");
        }
        for (population, marked, drawn) in
            [(10, 3, 4), (10, 8, 9), (500, 100, 40), (10_000, 7000, 2500), (100_000, 50_000, 60_000)]
        {
            let sample = (0..20_000).map(|_| draw.hypergeometric(population, marked, drawn)).collect();
            let (mean, variance) = moments(sample);
            let (all, share, n) = (population as f64, marked as f64 / population as f64, drawn as f64);
            let expected = (n * share, n * share * (1.0 - share) * (all - n) / (all - 1.0));
            let named = format!("{population} {marked} {drawn}: {mean} {variance} {expected:?}");
            assert!((mean - expected.0).abs() < 0.03 * expected.1.sqrt(), "{named}");
            assert!((variance / expected.1 - 1.0).abs() < 0.05, "{named}");
        }
        let counts = draw.multinomial(1000, &[0.0, 0.5, 0.25, 0.25, 0.0]);
        assert_eq!((counts[0], counts[4], counts.iter().sum::<u64>()), (0, 0, 1000));
        assert!(counts[1] > 400 && counts[1] < 600);
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
