//! Metrics of scores on positives and negatives. The treatment of ties is documented for each.

pub use crate::score::Contingency;

use crate::evidence::{Estimate, NORMAL, mean_and_error};
use serde::{Deserialize, Serialize};

/// Share of the positives scored strictly above the K-th highest negative; 1 if there are fewer than K
/// negatives (as in OGB's evaluator).
///
/// ```
/// assert_eq!(netinfof::metric::hits_at(2, &[0.9, 0.5, 0.1], &[0.8, 0.4, 0.3]), 2.0 / 3.0);
/// ```
pub fn hits_at(k: usize, positives: &[f64], negatives: &[f64]) -> f64 {
    assert!(k > 0, "Hits@0 has no meaning");
    if negatives.len() < k {
        return 1.0;
    }
    let mut sorted = negatives.to_vec();
    let (_, threshold, _) = sorted.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
    let threshold = *threshold;
    positives.iter().filter(|&&score| score > threshold).count() as f64 / positives.len() as f64
}

/// [`auc`] with its 95 % interval (DeLong et al. 1988).
pub(crate) fn auc_estimate(positives: &[f64], negatives: &[f64]) -> Estimate {
    let placed = |scores: &[f64], among: &[f64]| -> Vec<f64> {
        let among = sorted(among);
        let place = |&score: &f64| {
            let less = among.partition_point(|&n| n < score);
            let not_more = among.partition_point(|&n| n <= score);
            (less + not_more) as f64 / (2 * among.len()).max(1) as f64
        };
        scores.iter().map(place).collect()
    };
    // The variances of both sides add.
    let [first, second] = [placed(positives, negatives), placed(negatives, positives)]
        .map(|shares| mean_and_error(shares.into_iter()).1);
    let (value, half) = (auc(positives, negatives), NORMAL * first.hypot(second));
    Estimate { value, interval: [value - half, value + half] }
}

/// Area under the ROC curve: the probability that a positive scores above a negative, with ties counted as
/// one half.
pub fn auc(positives: &[f64], negatives: &[f64]) -> f64 {
    let negatives = sorted(negatives);
    let below: f64 = positives
        .iter()
        .map(|&score| {
            let less = negatives.partition_point(|&n| n < score);
            let not_more = negatives.partition_point(|&n| n <= score);
            (less + not_more) as f64 / 2.0
        })
        .sum();
    below / (positives.len() as f64 * negatives.len() as f64)
}

/// Average precision: the sum over thresholds of precision times the gain in recall; tied scores share a
/// threshold.
pub fn average_precision(positives: &[f64], negatives: &[f64]) -> f64 {
    let all = ranked(positives, negatives);
    let (mut found, mut seen, mut sum) = (0usize, 0usize, 0.0);
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let more = tied.iter().filter(|entry| entry.1).count();
        found += more;
        seen += tied.len();
        sum += more as f64 * found as f64 / seen as f64;
    }
    sum / positives.len() as f64
}

/// ROC and precision-recall curves over all thresholds, from the highest score to the lowest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Curves {
    /// False-positive rate and true-positive rate.
    pub roc: Vec<[f64; 2]>,
    /// Recall and precision.
    pub precision_recall: Vec<[f64; 2]>,
}

impl Curves {
    /// Number of points per curve: enough for a figure.
    const POINTS: usize = 200;

    /// Both curves, with evenly spaced points.
    pub fn new(positives: &[f64], negatives: &[f64]) -> Self {
        let (p, n) = (positives.len() as f64, negatives.len() as f64);
        let (mut roc, mut precision_recall) = (vec![[0.0, 0.0]], Vec::new());
        // A point is added when the curve has moved this far since the last point; the end is always added.
        let far =
            |[x, y]: [f64; 2], [u, v]: [f64; 2]| (x - u).abs() + (y - v).abs() >= 2.0 / Self::POINTS as f64;
        let all = ranked(positives, negatives);
        let (mut found, mut seen) = (0usize, 0usize);
        for tied in all.chunk_by(|a, b| a.0 == b.0) {
            found += tied.iter().filter(|entry| entry.1).count();
            seen += tied.len();
            let last = seen == all.len();
            let passed = [(seen - found) as f64 / n, found as f64 / p];
            if last || roc.last().is_some_and(|&point| far(point, passed)) {
                roc.push(passed);
            }
            let precise = [found as f64 / p, found as f64 / seen as f64];
            if last || precision_recall.last().is_none_or(|&point| far(point, precise)) {
                precision_recall.push(precise);
            }
        }
        Curves { roc, precision_recall }
    }
}

/// All scores, highest first, each with whether it belongs to a positive.
fn ranked(positives: &[f64], negatives: &[f64]) -> Vec<(f64, bool)> {
    let mut all: Vec<(f64, bool)> =
        positives.iter().map(|&s| (s, true)).chain(negatives.iter().map(|&s| (s, false))).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all
}

/// Metrics of positives that each have `each` negatives of their own, one after the other: the share of ranks
/// up to `k`, and the mean reciprocal rank; ties as in [`mrr`].
///
/// ```
/// let (hits, mrr) = netinfof::metric::own_ranks(1, 2, &[0.9, 0.5], &[0.8, 0.4, 0.7, 0.1]);
/// assert_eq!((hits, mrr), (0.5, 0.75));
/// ```
pub fn own_ranks(k: usize, each: usize, positives: &[f64], negatives: &[f64]) -> (f64, f64) {
    assert_eq!(positives.len() * each, negatives.len(), "every positive has its negatives");
    let ranks = positives.iter().zip(negatives.chunks_exact(each.max(1))).map(|(&score, own)| {
        let above = own.iter().filter(|&&n| n > score).count();
        let not_below = own.iter().filter(|&&n| n >= score).count();
        (above + not_below) as f64 / 2.0 + 1.0
    });
    let count = positives.len() as f64;
    let (hits, sum) = ranks
        .fold((0usize, 0.0), |(hits, sum), rank| (hits + usize::from(rank <= k as f64), sum + 1.0 / rank));
    (hits as f64 / count, sum / count)
}

/// Mean reciprocal rank of each positive among all negatives; a tie takes the mean of the best and the worst
/// rank, as in OGB's evaluator.
pub fn mrr(positives: &[f64], negatives: &[f64]) -> f64 {
    let negatives = sorted(negatives);
    let count = negatives.len();
    let sum: f64 = positives
        .iter()
        .map(|&score| {
            let above = count - negatives.partition_point(|&n| n <= score);
            let not_below = count - negatives.partition_point(|&n| n < score);
            1.0 / ((above + not_below) as f64 / 2.0 + 1.0)
        })
        .sum();
    sum / positives.len() as f64
}

/// Share of correct predictions.
pub fn accuracy(found: &[u32], truth: &[u32]) -> f64 {
    assert_eq!(found.len(), truth.len(), "one prediction per label");
    found.iter().zip(truth).filter(|(found, truth)| found == truth).count() as f64 / truth.len() as f64
}

/// Counts by true class (row) and predicted class (column).
pub fn confusion(found: &[u32], truth: &[u32], classes: usize) -> Vec<Vec<u64>> {
    let mut counts = vec![vec![0; classes]; classes];
    for (&found, &truth) in found.iter().zip(truth) {
        counts[truth as usize][found as usize] += 1;
    }
    counts
}

/// Mean recall over the classes that are present.
///
/// ```
/// // All of class 0 and half of class 1.
/// assert_eq!(netinfof::metric::balanced_accuracy(&[0, 0, 0, 1], &[0, 0, 1, 1], 3), 0.75);
/// ```
pub fn balanced_accuracy(found: &[u32], truth: &[u32], classes: usize) -> f64 {
    let counts = confusion(found, truth, classes);
    let recalls: Vec<f64> = counts
        .iter()
        .enumerate()
        .filter_map(|(class, row)| {
            let all: u64 = row.iter().sum();
            (all > 0).then(|| row[class] as f64 / all as f64)
        })
        .collect();
    recalls.iter().sum::<f64>() / recalls.len().max(1) as f64
}

/// Mean over the classes of F1 = 2 TP / (2 TP + FP + FN); classes that are neither present nor predicted do
/// not count.
pub fn macro_f1(found: &[u32], truth: &[u32], classes: usize) -> f64 {
    let counts = confusion(found, truth, classes);
    let scores: Vec<f64> = (0..classes)
        .filter_map(|class| {
            let present: u64 = counts[class].iter().sum();
            let predicted: u64 = counts.iter().map(|row| row[class]).sum();
            (present + predicted > 0)
                .then(|| 2.0 * counts[class][class] as f64 / (present + predicted) as f64)
        })
        .collect();
    scores.iter().sum::<f64>() / scores.len() as f64
}

/// Share of the variance of the true values that predictions explain; 0 if all true values are equal.
///
/// ```
/// // Squared errors 1 + 0 + 1 of a variance of 4 + 0 + 4.
/// assert_eq!(netinfof::metric::r2(&[2.0, 3.0, 4.0], &[1.0, 3.0, 5.0]), 0.75);
/// ```
pub fn r2(found: &[f64], truth: &[f64]) -> f64 {
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let variance: f64 = truth.iter().map(|value| (value - mean).powi(2)).sum();
    let errors: f64 = found.iter().zip(truth).map(|(found, value)| (found - value).powi(2)).sum();
    if variance > 0.0 { 1.0 - errors / variance } else { 0.0 }
}

/// Mean absolute error.
pub fn mean_absolute_error(found: &[f64], truth: &[f64]) -> f64 {
    found.iter().zip(truth).map(|(found, value)| (found - value).abs()).sum::<f64>() / truth.len() as f64
}

/// Root of the mean squared error.
pub fn root_mean_squared_error(found: &[f64], truth: &[f64]) -> f64 {
    let squares: f64 = found.iter().zip(truth).map(|(found, value)| (found - value).powi(2)).sum();
    (squares / truth.len() as f64).sqrt()
}

/// Spearman's rank correlation, with the mean rank for ties; 0 if all values of a side are equal.
///
/// ```
/// assert_eq!(netinfof::metric::spearman(&[1.0, 2.0, 9.0], &[1.0, 4.0, 5.0]), 1.0);
/// assert_eq!(netinfof::metric::spearman(&[1.0, 1.0], &[1.0, 4.0]), 0.0);
/// ```
pub fn spearman(found: &[f64], truth: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let (mut ranks, mut before) = (vec![0.0; values.len()], 0);
        for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
            let rank = before as f64 + 0.5 * (tied.len() - 1) as f64;
            for &at in tied {
                ranks[at] = rank;
            }
            before += tied.len();
        }
        ranks
    };
    let (a, b) = (ranks(found), ranks(truth));
    let mean = 0.5 * (a.len() as f64 - 1.0);
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    if scale > 0.0 { product(&a, &b) / scale } else { 0.0 }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_an_auc_is_delongs() {
        // By hand: 3 of 4 pairs in order; shares 1 and 0.5, 0 and 0.5, so the variance is 0.125 / 2 + 0.125 /
        // 2.
        let found = auc_estimate(&[3.0, 2.0], &[1.0, 2.5]);
        assert!((found.value - 0.75).abs() < 1e-12);
        assert!((found.interval[1] - 0.75 - 1.96 * 0.125f64.sqrt()).abs() < 1e-3, "{found:?}");
    }

    const POSITIVES: [f64; 4] = [0.9, 0.6, 0.6, 0.2];
    const NEGATIVES: [f64; 5] = [0.8, 0.6, 0.3, 0.2, 0.1];

    /// By hand: errors 1, −1 and 2 of the values 1, 2 and 6 (mean 3, squares 4 + 1 + 9).
    #[test]
    fn metrics_of_numbers_by_hand() {
        let (found, truth) = ([2.0, 1.0, 8.0], [1.0, 2.0, 6.0]);
        assert!((r2(&found, &truth) - (1.0 - 6.0 / 14.0)).abs() < 1e-12);
        assert!((mean_absolute_error(&found, &truth) - 4.0 / 3.0).abs() < 1e-12);
        assert!((root_mean_squared_error(&found, &truth) - 2f64.sqrt()).abs() < 1e-12);
        // Ranks 2, 1, 3 and 1, 2, 3: 1 − 6 · 2 / (3 · 8).
        assert!((spearman(&found, &truth) - 0.5).abs() < 1e-12);
        // Ties: ranks 1.5, 1.5, 3 and 1, 2, 3: 1.5 / √(1.5 · 2).
        assert!((spearman(&[0.0, 0.0, 1.0], &truth) - 1.5 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(r2(&found, &[2.0; 3]), 0.0);
    }

    #[test]
    fn equal_scikit_learns_with_ties() {
        let oracle = crate::oracle::read();
        assert!((auc(&oracle.positives, &oracle.negatives) - oracle.auc).abs() < 1e-12);
        let found = average_precision(&oracle.positives, &oracle.negatives);
        assert!((found - oracle.average_precision).abs() < 1e-12);
    }

    #[test]
    fn hand_worked_classes() {
        let (found, truth) = ([0, 0, 1, 1, 2], [0, 1, 1, 1, 0]);
        assert_eq!(accuracy(&found, &truth), 0.6);
        assert_eq!(confusion(&found, &truth, 3), [[1, 0, 1], [1, 2, 0], [0, 0, 0]]);
        // F1: 2·1/(2+2), 2·2/(3+2), 0; a fourth class that never occurs does not count.
        let expected = (0.5 + 0.8 + 0.0) / 3.0;
        assert!((macro_f1(&found, &truth, 4) - expected).abs() < 1e-12);
    }

    #[test]
    fn curves_hold_their_areas() {
        let curves = Curves::new(&POSITIVES, &NEGATIVES);
        assert_eq!(
            curves.roc,
            [[0.0, 0.0], [0.0, 0.25], [0.2, 0.25], [0.4, 0.75], [0.6, 0.75], [0.8, 1.0], [1.0, 1.0]]
        );
        assert_eq!(curves.precision_recall[0], [0.25, 1.0]);
        assert_eq!(curves.precision_recall.last(), Some(&[1.0, 4.0 / 9.0]));
        // Thinned curves of many scores keep the area of the full curves.
        let wave = |at: usize, by: f64| (at as f64 * by).sin() + (at as f64 * 0.37).cos();
        let positives: Vec<f64> = (0..3000).map(|at| wave(at, 0.11) + 0.8).collect();
        let negatives: Vec<f64> = (0..5000).map(|at| wave(at, 0.17)).collect();
        let curves = Curves::new(&positives, &negatives);
        assert!(curves.roc.len() <= 203 && curves.precision_recall.len() <= 403);
        let area: f64 = curves.roc.windows(2).map(|w| (w[1][0] - w[0][0]) * (w[0][1] + w[1][1]) / 2.0).sum();
        assert!((area - auc(&positives, &negatives)).abs() < 2e-3, "{area}");
    }

    #[test]
    fn hand_worked() {
        // Strictly above 0.8: 0.9 alone; above 0.6: the same; above 0.3: three of four.
        assert_eq!(hits_at(1, &POSITIVES, &NEGATIVES), 0.25);
        assert_eq!(hits_at(2, &POSITIVES, &NEGATIVES), 0.25);
        assert_eq!(hits_at(3, &POSITIVES, &NEGATIVES), 0.75);
        assert_eq!(hits_at(6, &POSITIVES, &NEGATIVES), 1.0);
        // Wins: 5, 3.5, 3.5, 1.5 of 5 each.
        assert!((auc(&POSITIVES, &NEGATIVES) - 13.5 / 20.0).abs() < 1e-12);
        // Ranks: 1, 2.5, 2.5, 4.5.
        let expected = (1.0 + 1.0 / 2.5 + 1.0 / 2.5 + 1.0 / 4.5) / 4.0;
        assert!((mrr(&POSITIVES, &NEGATIVES) - expected).abs() < 1e-12);
        // Thresholds 0.9: 1/1; 0.6: 3 of 5, two more found; 0.2: 4 of 8, one more.
        let expected = (1.0 + 2.0 * 3.0 / 5.0 + 4.0 / 8.0) / 4.0;
        assert!((average_precision(&POSITIVES, &NEGATIVES) - expected).abs() < 1e-12);
    }
}
