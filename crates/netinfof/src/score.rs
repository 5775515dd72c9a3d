//! The score: 2 to the power of minus the conditional entropy of a contingency table (paper, section 3.3).

use serde::Serialize;

/// How often each label (column) occurs in each bin (row).
///
/// ```
/// use netinfof::Contingency;
/// let mut table = Contingency::new(2, 2);
/// for (bin, label) in [(0, 0), (0, 0), (1, 1), (1, 1)] {
///     table.add(bin, label);
/// }
/// assert_eq!((table.score(), table.accuracy()), (1.0, 1.0));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contingency {
    labels: usize,
    counts: Vec<u64>,
}

impl Contingency {
    /// An empty table.
    pub fn new(bins: usize, labels: usize) -> Self {
        Contingency { labels, counts: vec![0; bins * labels] }
    }

    /// The table with these counts, bin by bin.
    pub(crate) fn from_counts(labels: usize, counts: Vec<u64>) -> Self {
        Contingency { labels, counts }
    }

    /// Counts one sample.
    pub fn add(&mut self, bin: usize, label: usize) {
        self.counts[bin * self.labels + label] += 1;
    }

    /// Adds this many samples.
    pub(crate) fn add_many(&mut self, bin: usize, label: usize, count: u64) {
        self.counts[bin * self.labels + label] += count;
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// How often each label occurs.
    pub fn label_counts(&self) -> Vec<u64> {
        let mut sums = vec![0; self.labels];
        for row in self.rows() {
            sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// Number of samples.
    pub fn samples(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.counts.len() / self.labels
    }

    /// The counts, bin by bin.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks_exact(self.labels)
    }

    /// H(Y|X) in bits; 0 log 0 = 0.
    pub fn conditional_entropy(&self) -> f64 {
        let all = self.samples() as f64;
        let mut entropy = 0.0;
        for row in self.rows() {
            let total: u64 = row.iter().sum();
            for &count in row.iter().filter(|&&count| count > 0) {
                entropy -= count as f64 / all * (count as f64 / total as f64).log2();
            }
        }
        entropy
    }

    /// The NetInfoF score 2^−H(Y|X), at most [`Contingency::accuracy`] (the paper's theorem 2).
    pub fn score(&self) -> f64 {
        (-self.conditional_entropy()).exp2()
    }

    /// H(Y|X) in bits, without the bias of few samples: Grassberger's estimator (2003), which replaces `ln n`
    /// by `G(n)`.
    pub fn corrected_entropy(&self) -> f64 {
        let all = self.samples() as f64;
        let mut entropy = 0.0;
        for row in self.rows() {
            let total = grassberger(row.iter().sum());
            for &count in row.iter().filter(|&&count| count > 0) {
                entropy += count as f64 / all * (total - grassberger(count));
            }
        }
        entropy / std::f64::consts::LN_2
    }

    /// The score without the bias of few samples (docs/design/information-and-verdict.md compares it with
    /// other estimators).
    pub fn corrected_score(&self) -> f64 {
        (-self.corrected_entropy()).exp2()
    }

    /// The score of the label frequencies, 2^−H(Y), without using the bins.
    pub fn no_information(&self) -> f64 {
        Contingency::from_counts(self.labels, self.label_counts()).score()
    }

    /// Accuracy of the best guess in every bin, Σ_x max_y p(x, y).
    pub fn accuracy(&self) -> f64 {
        let best: u64 = self.rows().map(|row| row.iter().max().copied().unwrap_or(0)).sum();
        best as f64 / self.samples() as f64
    }
}

/// Grassberger's `G(n) = ψ(n) + ½ (−1)ⁿ (ψ((n+1)/2) − ψ(n/2))`, which for an even n is `2 h(n) − h(n/2) − γ −
/// ln 2` with the harmonic numbers h, and for an odd one the same as for the even one below it.
fn grassberger(n: u64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let harmonic = |n: u64| -> f64 {
        if n < 32 {
            return (1..=n).map(|k| 1.0 / k as f64).sum();
        }
        let n = n as f64;
        n.ln() + EULER + 0.5 / n - 1.0 / (12.0 * n * n) + 1.0 / (120.0 * n.powi(4))
    };
    let even = n - n % 2;
    2.0 * harmonic(even) - harmonic(even / 2) - EULER - std::f64::consts::LN_2
}

/// A score on a scale from 0, the score without information, to 1; 0 if the entropy is zero.
pub(crate) fn normalized(score: f64, no_information: f64) -> f64 {
    if no_information < 1.0 { (score - no_information) / (1.0 - no_information) } else { 0.0 }
}

/// Borders of `bins` equally filled bins; equal borders are merged, so there may be fewer.
pub(crate) fn quantile_borders(values: &[f32], bins: usize) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let last = sorted.len() - 1;
    let mut borders: Vec<f32> = (1..bins)
        .map(|k| {
            // Linear interpolation between order statistics, NumPy's default.
            let place = k as f64 / bins as f64 * last as f64;
            let below = place.floor() as usize;
            let (low, high) = (f64::from(sorted[below]), f64::from(sorted[(below + 1).min(last)]));
            (low + (place - below as f64) * (high - low)) as f32
        })
        .collect();
    borders.dedup();
    borders
}

/// The bin of a value: how many borders lie at or below it.
pub(crate) fn bin(borders: &[f32], value: f32) -> usize {
    borders.partition_point(|&border| border <= value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_worked_table() {
        // Bin 0: 3 yes, 1 no; bin 1: 2 yes, 2 no. H = ½ (0.8113 + 1) = 0.9056.
        let mut table = Contingency::new(2, 2);
        for (bin, label, count) in [(0, 1, 3), (0, 0, 1), (1, 1, 2), (1, 0, 2)] {
            (0..count).for_each(|_| table.add(bin, label));
        }
        assert!((table.conditional_entropy() - 0.905_639).abs() < 1e-6);
        assert!((table.score() - 0.533_796).abs() < 1e-6);
        assert_eq!(table.accuracy(), 5.0 / 8.0);
    }

    #[test]
    fn no_information_scores_one_over_the_classes() {
        let mut table = Contingency::new(3, 4);
        (0..3).for_each(|bin| (0..4).for_each(|label| table.add(bin, label)));
        assert!((table.score() - 0.25).abs() < 1e-12);
        assert!((table.no_information() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn correction_takes_the_bias_of_noise_away() {
        use crate::seed::{Seed, Stream};
        // Pure noise, 7 labels, 14 bins, 135 samples: the plug-in score is six points too high, Miller and
        // Madow's still two.
        let (mut plain, mut corrected) = (0.0, 0.0);
        for seed in 0..400 {
            let mut draw = Seed(seed).stream(Stream::Synth, 2);
            let mut table = Contingency::new(14, 7);
            (0..135).for_each(|_| table.add(draw.below(14) as usize, draw.below(7) as usize));
            plain += table.score() / 400.0;
            corrected += table.corrected_score() / 400.0;
        }
        assert!(plain > 0.2 && (corrected - 1.0 / 7.0).abs() < 0.006, "{plain} {corrected}");
        // Nothing to correct if every bin has one label.
        let mut sure = Contingency::new(2, 2);
        (0..4).for_each(|k| sure.add(k % 2, k % 2));
        assert_eq!(sure.corrected_score(), 1.0);
    }

    #[test]
    fn grassbergers_numbers() {
        // SciPy: digamma(n) + 0.5 * (-1)**n * (digamma((n + 1) / 2) - digamma(n / 2)).
        for (n, value) in [
            (1, -1.270_362_845_461_478),
            (2, 0.729_637_154_538_522),
            (3, 0.729_637_154_538_522),
            (4, 1.396_303_821_205_189),
            (7, 1.796_303_821_205_189),
            (64, 4.158_923_766_513_539),
            (1001, 6.907_755_445_648_688),
        ] {
            assert!((grassberger(n) - value).abs() < 1e-10, "{n}: {} {value}", grassberger(n));
        }
    }

    #[test]
    fn borders_are_numpys_quantiles_and_merge() {
        let values: Vec<f32> = (0..9).map(|v| v as f32).collect();
        assert_eq!(quantile_borders(&values, 4), [2.0, 4.0, 6.0]);
        assert_eq!(quantile_borders(&[1.0, 1.0, 1.0, 2.0], 4), [1.0, 1.25]);
        assert_eq!(bin(&[2.0, 4.0], 1.9), 0);
        assert_eq!(bin(&[2.0, 4.0], 2.0), 1);
        assert_eq!(bin(&[2.0, 4.0], 9.0), 2);
    }
}
