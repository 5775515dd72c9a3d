//! Conversion of log-odds into probabilities, fitted on data that the weights were not fitted on.
//!
//! The penalty shrinks weights, and edges are more frequent among training pairs than among all pairs: raw
//! log-odds rank well but are not probabilities. For links two numbers (Platt's slope and shift) map them to
//! probabilities. Which two depends on how common edges are among the pairs to be scored: if one pair in ten
//! thousand is an edge, only the highest scores matter, and the slope there differs from that in the middle.
//! So there are two numbers for each of several shares of edges, fitted with pairs weighted to that share.
//! For nodes, one temperature is enough.

use serde::{Deserialize, Serialize};

use crate::evidence::NORMAL;
use crate::linalg::sgl::log_sum_exp;
use crate::linalg::{TargetScale, softplus};

/// Probability of a link from the score of a model, for any share of edges among the pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkCalibration {
    /// By share of edges, from a half downwards.
    pub fits: Vec<LogOdds>,
    /// Number of non-edges that it was fitted on.
    pub negatives: usize,
}

/// Log-odds of a link where this share of pairs are edges: `slope · score + shift + ln(prior / (1 − prior))`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogOdds {
    /// The share of edges for which it was fitted.
    pub prior: f64,
    /// Factor of the scores.
    pub slope: f64,
    /// Constant that is added.
    pub shift: f64,
}

/// Shares of edges below a half that slopes are fitted for, as powers of ten.
const DECADES: i32 = 6;

impl LinkCalibration {
    /// The slope used when validation pairs contradict the ranking of the model.
    pub(crate) const FLAT: f64 = 1e-6;

    /// From the scores of validation edges and other pairs.
    pub(crate) fn fit(positives: &[f64], negatives: &[f64]) -> Self {
        if positives.is_empty() || negatives.is_empty() {
            return LinkCalibration {
                fits: vec![LogOdds { prior: 0.5, slope: 1.0, shift: 0.0 }],
                negatives: 0,
            };
        }
        let mut fits = vec![LogOdds::fit(positives, negatives, 0.5)];
        for decade in 1..=DECADES {
            let prior = 10f64.powi(-decade);
            let start = *fits.last().expect("there is one for a half");
            let found = LogOdds::fit_from(start, positives, negatives, prior);
            fits.push(found);
        }
        LinkCalibration { fits, negatives: negatives.len() }
    }

    /// Whether there were enough pairs for this share of edges: at least as many non-edges per edge as the
    /// share implies.
    pub fn reaches(&self, prior: f64) -> bool {
        prior * self.negatives as f64 >= 1.0
    }

    /// Whether validation pairs contradict the ranking of the model.
    pub(crate) fn is_flat(&self) -> bool {
        self.fits[0].slope <= LinkCalibration::FLAT
    }

    /// Whether the values are valid; those from a file may not be.
    pub(crate) fn is_sound(&self) -> bool {
        let sound = |fit: &LogOdds| {
            fit.prior > 0.0
                && fit.prior < 1.0
                && fit.slope > 0.0
                && fit.slope.is_finite()
                && fit.shift.is_finite()
        };
        !self.fits.is_empty()
            && self.fits.iter().all(sound)
            && self.fits.windows(2).all(|two| two[1].prior < two[0].prior)
    }

    /// Slope and shift for a share of edges, interpolated between the nearest fitted shares.
    fn at(&self, prior: f64) -> LogOdds {
        let fits = &self.fits;
        let after = fits.partition_point(|fit| fit.prior > prior);
        let (above, below) = match after {
            0 => return LogOdds { prior, ..fits[0] },
            at if at == fits.len() => return LogOdds { prior, ..fits[at - 1] },
            at => (fits[at - 1], fits[at]),
        };
        let share = (logit(prior) - logit(above.prior)) / (logit(below.prior) - logit(above.prior));
        let mix = |a: f64, b: f64| a + share * (b - a);
        LogOdds { prior, slope: mix(above.slope, below.slope), shift: mix(above.shift, below.shift) }
    }

    /// The log-odds of a link where this share of all pairs are edges.
    pub fn log_odds(&self, score: f64, prior: f64) -> f64 {
        let LogOdds { slope, shift, .. } = self.at(prior);
        slope * score + shift + logit(prior)
    }

    /// The probability of a link where this share of all pairs are edges.
    pub fn probability(&self, score: f64, prior: f64) -> f64 {
        sigmoid(self.log_odds(score, prior))
    }
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

impl LogOdds {
    pub(super) fn fit(positives: &[f64], negatives: &[f64], prior: f64) -> Self {
        LogOdds::fit_from(LogOdds { prior, slope: 1.0, shift: 0.0 }, positives, negatives, prior)
    }

    /// The maximum-likelihood slope and shift when edges have the total weight `prior` and other pairs the
    /// rest.
    fn fit_from(start: LogOdds, positives: &[f64], negatives: &[f64], prior: f64) -> Self {
        let mut found = LogOdds { prior, ..start };
        let offset = logit(prior);
        // Slightly below 1 (Platt's smoothing): perfectly separated edges would have no finite slope.
        let sure = (positives.len() as f64 + 1.0) / (positives.len() as f64 + 2.0);
        let sides = [(positives, prior, sure), (negatives, 1.0 - prior, 0.0)];
        // The same for other pairs, without adding to the share of edges: it penalises slopes far above the
        // starting value.
        let ridge = 1e-4 * prior / positives.len().min(negatives.len()) as f64;
        let loss = |at: &LogOdds| -> f64 {
            let side = |&(scores, weight, t): &(&[f64], f64, f64)| {
                let of = |&s: &f64| {
                    let z = at.slope * s + at.shift + offset;
                    // −t ln p − (1 − t) ln(1 − p), without overflow.
                    z.max(0.0) - t * z + (-z.abs()).exp().ln_1p()
                };
                weight * scores.iter().map(of).sum::<f64>() / scores.len() as f64
            };
            sides.iter().map(side).sum::<f64>() + 0.5 * ridge * at.slope * at.slope
        };
        for _ in 0..100 {
            let (mut g, mut h) = ([ridge * found.slope, 0.0], [ridge + 1e-14 * prior, 0.0, 1e-14 * prior]);
            for &(scores, weight, t) in &sides {
                let weight = weight / scores.len() as f64;
                for &s in scores {
                    let p = sigmoid(found.slope * s + found.shift + offset);
                    let (r, q) = (weight * (p - t), weight * p * (1.0 - p));
                    g[0] += r * s;
                    g[1] += r;
                    h[0] += q * s * s;
                    h[1] += q * s;
                    h[2] += q;
                }
            }
            let det = h[0] * h[2] - h[1] * h[1];
            if det <= 0.0 || !det.is_finite() {
                break;
            }
            let step = [(h[2] * g[0] - h[1] * g[1]) / det, (h[0] * g[1] - h[1] * g[0]) / det];
            let before = loss(&found);
            // Newton step, halved until it improves the loss.
            let better = (0..40).map(|k| 0.5f64.powi(k)).find_map(|t| {
                let next =
                    LogOdds { prior, slope: found.slope - t * step[0], shift: found.shift - t * step[1] };
                (loss(&next) < before).then_some(next)
            });
            let Some(next) = better else { break };
            let moved = (next.slope - found.slope).abs() + (next.shift - found.shift).abs();
            found = next;
            if moved < 1e-10 {
                break;
            }
        }
        if found.slope <= LinkCalibration::FLAT || !found.slope.is_finite() || !found.shift.is_finite() {
            // A few contradicting validation pairs are not enough evidence to reverse the ranking.
            return LogOdds { prior, slope: LinkCalibration::FLAT, shift: 0.0 };
        }
        found
    }
}

fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let e = z.exp();
        e / (1.0 + e)
    }
}

/// Probabilities of classes: the softmax of scores over this temperature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeCalibration {
    /// Above 1 if the model is overconfident, below 1 if it is underconfident.
    pub temperature: f64,
}

impl NodeCalibration {
    /// From the scores of nodes that the weights were not fitted on, class after class, and their true
    /// classes.
    pub(crate) fn fit(scores: &[f64], truth: &[u32], classes: usize) -> Self {
        if truth.is_empty() || classes < 2 {
            return NodeCalibration { temperature: 1.0 };
        }
        let loss = |log_t: f64| -> f64 {
            let rows = scores.chunks_exact(classes).zip(truth);
            let fit: f64 = rows
                .map(|(row, &class)| {
                    let cooled: Vec<f64> = row.iter().map(|s| s / log_t.exp()).collect();
                    log_sum_exp(&cooled) - cooled[class as usize]
                })
                .sum();
            // A few nodes that are all classified correctly would otherwise give a temperature of zero.
            fit + 0.5 * log_t * log_t
        };
        // The loss is unimodal, so golden-section search finds the minimum.
        let (mut low, mut high) = (-4.0f64, 4.0f64);
        let ratio = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..60 {
            let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
            if loss(a) < loss(b) { high = b } else { low = a }
        }
        NodeCalibration { temperature: (0.5 * (low + high)).exp() }
    }

    /// Replaces the scores of one node's classes by their probabilities.
    pub fn probabilities(self, scores: &mut [f64]) {
        for s in scores.iter_mut() {
            *s /= self.temperature;
        }
        let total = log_sum_exp(scores);
        for s in scores {
            *s = (*s - total).exp();
        }
    }
}

/// From scores of a numeric target to predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NumberCalibration {
    /// The scale of the scores.
    pub scale: TargetScale,
    /// Variance of the errors on this scale, on nodes that the weights were not fitted on.
    pub variance: f64,
    /// Quantiles of these errors, ascending.
    errors: Vec<f64>,
    /// A transformed target: expected values are these means plus their distance from the first, times the slope.
    means: [f64; 2],
    slope: f64,
}

/// The prediction of a numeric target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NumberPrediction {
    /// The expected value: the least squared error.
    pub value: f64,
    /// The median: the least absolute error. The expected value if the target was not transformed.
    pub median: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Maximum number of quantiles of errors.
const MOST_ERRORS: usize = 200;
/// With fewer errors, intervals are those of a Gaussian.
const FEW_ERRORS: usize = 80;

impl NumberCalibration {
    /// From the scores and the targets of nodes that the weights were not fitted on.
    pub(crate) fn fit(scale: TargetScale, scores: &[f64], truth: &[f64]) -> Self {
        let mut errors: Vec<f64> =
            scores.iter().zip(truth).map(|(score, &value)| scale.standardised(value) - score).collect();
        errors.sort_unstable_by(f64::total_cmp);
        let count = errors.len();
        // One pseudo-sample has the variance of the target.
        let squares = errors.iter().map(|error| error * error).sum::<f64>();
        let variance = (squares + 1.0) / (count + 1) as f64;
        let taken = count.min(MOST_ERRORS);
        let errors = (0..taken).map(|at| errors[((2 * at + 1) * count) / (2 * taken)]).collect();
        let mut own = NumberCalibration { scale, variance, errors, means: [0.0; 2], slope: 1.0 };
        if own.scale.transformation().is_some() && count > 0 {
            // With a heavy tail, expected values vary too much if there are few errors: they shrink to the mean.
            let found: Vec<f64> = scores.iter().map(|&score| own.expected(score)).collect();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / count as f64;
            let means = [mean(&found), mean(truth)];
            let (products, squares) =
                found.iter().zip(truth).fold((0.0, 0.0), |(products, squares), (v, y)| {
                    (products + (v - means[0]) * (y - means[1]), squares + (v - means[0]).powi(2))
                });
            own.means = means;
            own.slope = if squares > 0.0 { (products / squares).clamp(0.0, 1.0) } else { 0.0 };
        }
        own
    }

    /// The mean over the errors of the value at a score.
    fn expected(&self, score: f64) -> f64 {
        let sum: f64 = self.errors.iter().map(|&error| self.scale.original(score + error)).sum();
        sum / self.errors.len() as f64
    }

    /// Whether its numbers are finite and its lists agree, for files.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = self.means.iter().all(|mean| mean.is_finite());
        self.scale.is_sound() && self.variance > 0.0 && self.errors.is_sorted() && finite && self.slope >= 0.0
    }

    /// The prediction for a score. The expected value is the mean over the errors, because the value at the mean of
    /// a transformed target is not its mean.
    pub fn predict(&self, score: f64) -> NumberPrediction {
        let at = |error: f64| self.scale.original(score + error);
        let median = at(0.0);
        let value = if self.scale.transformation().is_none() || self.errors.is_empty() {
            median
        } else {
            self.means[1] + self.slope * (self.expected(score) - self.means[0])
        };
        let half = NORMAL * self.variance.sqrt();
        let ends = match &self.errors[..] {
            few if few.len() < FEW_ERRORS => [-half, half],
            errors => {
                let place = |p: f64| (p * (errors.len() - 1) as f64).round() as usize;
                [errors[place(0.025)], errors[place(0.975)]]
            }
        };
        let [low, high] = ends.map(at);
        NumberPrediction { value, median, low, high }
    }
}

/// From log-odds of labels to probabilities and predicted labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LabelCalibration {
    /// Names of the labels.
    pub names: Vec<String>,
    /// Above 1 if the model is overconfident, below 1 if it is underconfident.
    pub temperature: f64,
    /// Labels with at least this probability are predicted.
    pub threshold: f64,
}

impl LabelCalibration {
    /// The temperature from log-odds of nodes that the weights were not fitted on, and the threshold from those of
    /// validation nodes.
    pub(crate) fn fit(
        names: &[String],
        unseen: &[f64],
        truth: &[u8],
        valid: &[f64],
        valid_truth: &[u8],
    ) -> Self {
        let loss = |log_t: f64| -> f64 {
            let of = |(score, &has): (&f64, &u8)| {
                let score = score / log_t.exp();
                softplus(if has == 1 { -score } else { score })
            };
            unseen.iter().zip(truth).map(of).sum::<f64>() + 0.5 * log_t * log_t
        };
        let (mut low, mut high) = (-4.0f64, 4.0f64);
        let ratio = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..60 {
            let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
            if loss(a) < loss(b) { high = b } else { low = a }
        }
        let temperature = (0.5 * (low + high)).exp();
        let mut own = LabelCalibration { names: names.to_vec(), temperature, threshold: 0.5 };
        own.threshold = best_threshold(&own.probabilities(valid), valid_truth);
        own
    }

    /// Probabilities for log-odds.
    pub fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        scores.iter().map(|score| sigmoid(score / self.temperature)).collect()
    }
}

/// The threshold of probabilities with the highest F1 over all pairs of a node and a label; one half if none has a
/// label.
pub(super) fn best_threshold(probabilities: &[f64], truth: &[u8]) -> f64 {
    let all: u64 = truth.iter().map(|&has| u64::from(has)).sum();
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
    let (mut both, mut found) = (0, 0u64);
    let mut best = (0.0, 0.5);
    for tied in order.chunk_by(|&a, &b| probabilities[a] == probabilities[b]) {
        both += tied.iter().map(|&at| u64::from(truth[at])).sum::<u64>();
        found += tied.len() as u64;
        let f1 = 2.0 * both as f64 / (found + all) as f64;
        if f1 > best.0 {
            best = (f1, probabilities[tied[0]]);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    /// Scores from two normal distributions: the true log-odds are known and linear in the score.
    #[test]
    fn known_log_odds_are_found() {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let mut drawn =
            |mean: f64, count: usize| -> Vec<f64> { (0..count).map(|_| mean + draw.normal()).collect() };
        // Densities N(1, 1) against N(−1, 1): log-odds 2 s. The sides' sizes must not matter.
        let found = LinkCalibration::fit(&drawn(1.0, 20_000), &drawn(-1.0, 60_000));
        let LogOdds { slope, shift, .. } = found.fits[0];
        assert!((slope - 2.0).abs() < 0.05 && shift.abs() < 0.05, "{found:?}");
        // The same log-odds hold at every share of edges, so the fits agree.
        for fit in &found.fits[..4] {
            assert!((fit.slope - 2.0).abs() < 0.2, "{fit:?}");
        }
        assert_eq!(found.probability(0.3, 0.5), sigmoid(slope * 0.3 + shift));
        assert!(found.is_sound());
    }

    /// Scores whose log-odds are steep in the middle and flat at the top: one slope cannot fit both, and the
    /// expected number of edges must be right at every share.
    #[test]
    fn the_expected_number_of_edges_is_right_at_every_share() {
        let mut draw = Seed(6).stream(Stream::Synth, 0);
        let mut drawn = |mean: f64, wide: f64, count: usize| -> Vec<f64> {
            (0..count)
                .map(|_| {
                    if draw.unit() < 0.02 { mean + 4.0 * wide * draw.normal() } else { mean + draw.normal() }
                })
                .collect()
        };
        let (edges, others) = (drawn(2.0, 0.5, 2000), drawn(-2.0, 1.0, 40_000));
        let found = LinkCalibration::fit(&edges, &others);
        let mean = |scores: &[f64], prior: f64| {
            scores.iter().map(|&s| found.probability(s, prior)).sum::<f64>() / scores.len() as f64
        };
        for prior in [0.5, 0.1, 0.03, 1e-2, 1e-3] {
            let expected = prior * mean(&edges, prior) + (1.0 - prior) * mean(&others, prior);
            assert!((expected / prior).ln().abs() < 0.25, "{prior}: {expected}");
        }
    }

    #[test]
    fn odd_validation_sets_are_met() {
        let empty = LinkCalibration::fit(&[], &[1.0]);
        assert_eq!((empty.fits.len(), empty.probability(0.0, 0.3)), (1, 0.3));
        // Perfect separation: steep, but finite. Perfectly reversed: the ranking is not reversed.
        for (positives, negatives) in
            [([2.0, 3.0], [-1.0, -2.0]), ([-1.0, -2.0], [2.0, 3.0]), ([0.0; 2], [0.0; 2])]
        {
            let found = LinkCalibration::fit(&positives, &negatives);
            assert!(found.is_sound(), "{found:?}");
        }
        assert_eq!(NodeCalibration::fit(&[], &[], 3).temperature, 1.0);
        // A few nodes, all correct: more confident than the scores, but bounded.
        let right: Vec<f64> = (0..20).flat_map(|_| [1.0, 0.0, 0.0]).collect();
        let found = NodeCalibration::fit(&right, &[0; 20], 3);
        let mut row = vec![1.0, 0.0, 0.0];
        found.probabilities(&mut row);
        assert!(row[0] > 0.9 && row[0] < 0.9999, "{found:?} {row:?}");
    }

    #[test]
    fn temperature_undoes_what_was_multiplied() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let (mut scores, mut truth) = (Vec::new(), Vec::new());
        for _ in 0..20_000 {
            let row: Vec<f64> = (0..3).map(|_| draw.normal()).collect();
            let total = log_sum_exp(&row);
            let mut u = draw.unit();
            let class = row.iter().position(|s| {
                u -= (s - total).exp();
                u <= 0.0
            });
            truth.push(class.unwrap_or(2) as u32);
            scores.extend(row.iter().map(|s| 3.0 * s));
        }
        let found = NodeCalibration::fit(&scores, &truth, 3);
        assert!((found.temperature - 3.0).abs() < 0.15, "{found:?}");
        let mut row = vec![0.0, 1e4, -1e4];
        found.probabilities(&mut row);
        assert_eq!(row, [0.0, 1.0, 0.0]);
    }
}
