//! Log-odds to probabilities, on the validation data.
//!
//! The penalty shrinks weights and the training pairs are not as common as pairs are: raw log-odds rank well and mean little. Two
//! numbers for links (Platt) and one for nodes (a temperature), fitted on validation data, make them probabilities.

use serde::{Deserialize, Serialize};

use crate::linalg::sgl::log_sum_exp;

/// Probability of a link: `1 / (1 + exp(−(slope · score + shift)))`, where edges and other pairs are equally common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkCalibration {
    /// What log-odds are multiplied by.
    pub slope: f64,
    /// What is added.
    pub shift: f64,
}

impl LinkCalibration {
    /// The slope of a model whose order the validation pairs contradict.
    pub(crate) const FLAT: f64 = 1e-6;

    /// From the scores of validation edges and other pairs, each kind with the same weight in all.
    pub(crate) fn fit(positives: &[f64], negatives: &[f64]) -> Self {
        let mut found = LinkCalibration { slope: 1.0, shift: 0.0 };
        if positives.is_empty() || negatives.is_empty() {
            return found;
        }
        let sides = [(positives, true), (negatives, false)];
        // Platt's targets: not quite 1 and 0, as if each side had one case of the other kind to come.
        let target = |count: usize, edge: bool| {
            let sure = (count as f64 + 1.0) / (count as f64 + 2.0);
            if edge { sure } else { 1.0 - sure }
        };
        let loss = |at: &LinkCalibration| -> f64 {
            sides
                .iter()
                .map(|&(scores, edge)| {
                    let t = target(scores.len(), edge);
                    let of = |&s: &f64| {
                        let z = at.slope * s + at.shift;
                        // −t ln p − (1 − t) ln(1 − p), without overflow.
                        z.max(0.0) - t * z + (-z.abs()).exp().ln_1p()
                    };
                    scores.iter().map(of).sum::<f64>() / scores.len() as f64
                })
                .sum()
        };
        for _ in 0..100 {
            let (mut g, mut h) = ([0.0f64; 2], [1e-12, 0.0, 1e-12]);
            for &(scores, edge) in &sides {
                let (t, weight) = (target(scores.len(), edge), 1.0 / scores.len() as f64);
                for &s in scores {
                    let p = sigmoid(found.slope * s + found.shift);
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
            // Newton, halved until it gains.
            let better = (0..30).map(|k| 0.5f64.powi(k)).find_map(|t| {
                let next =
                    LinkCalibration { slope: found.slope - t * step[0], shift: found.shift - t * step[1] };
                (loss(&next) < before).then_some(next)
            });
            let Some(next) = better else { break };
            let moved = (next.slope - found.slope).abs() + (next.shift - found.shift).abs();
            found = next;
            if moved < 1e-10 {
                break;
            }
        }
        if found.slope <= 0.0 || !found.slope.is_finite() || !found.shift.is_finite() {
            // Validation pairs that contradict the model are too few to turn its order round.
            return LinkCalibration { slope: LinkCalibration::FLAT, shift: 0.0 };
        }
        found
    }

    /// The log-odds of a link where this share of all pairs are edges.
    pub fn log_odds(&self, score: f64, prior: f64) -> f64 {
        self.slope * score + self.shift + (prior / (1.0 - prior)).ln()
    }

    /// The probability of a link where this share of all pairs are edges.
    pub fn probability(&self, score: f64, prior: f64) -> f64 {
        sigmoid(self.log_odds(score, prior))
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
    /// Above 1 where the model is too sure, below where it is not sure enough.
    pub temperature: f64,
}

impl NodeCalibration {
    /// From the scores of validation nodes, class after class, and their true classes.
    pub(crate) fn fit(scores: &[f64], truth: &[u32], classes: usize) -> Self {
        if truth.is_empty() || classes < 2 {
            return NodeCalibration { temperature: 1.0 };
        }
        // Not quite sure, as with links: as if every class had one node still to come. A few nodes that are all right would
        // otherwise make the model as sure as it can be.
        let sure = (truth.len() as f64 + 1.0) / (truth.len() + classes) as f64;
        let unsure = (1.0 - sure) / (classes - 1) as f64;
        let loss = |log_t: f64| -> f64 {
            let rows = scores.chunks_exact(classes).zip(truth);
            rows.map(|(row, &class)| {
                let cooled: Vec<f64> = row.iter().map(|s| s / log_t.exp()).collect();
                let others = cooled.iter().sum::<f64>() - cooled[class as usize];
                log_sum_exp(&cooled) - sure * cooled[class as usize] - unsure * others
            })
            .sum()
        };
        // Convex in one over the temperature, so it has one valley; a golden section finds it.
        let (mut low, mut high) = (-4.0f64, 4.0f64);
        let ratio = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..60 {
            let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
            if loss(a) < loss(b) { high = b } else { low = a }
        }
        NodeCalibration { temperature: (0.5 * (low + high)).exp() }
    }

    /// Probabilities of one node's classes, in place of their scores.
    pub fn probabilities(&self, scores: &mut [f64]) {
        for s in scores.iter_mut() {
            *s /= self.temperature;
        }
        let total = log_sum_exp(scores);
        for s in scores {
            *s = (*s - total).exp();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    /// Scores of two normals: the true log-odds are linear in them, and known.
    #[test]
    fn known_log_odds_are_found() {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let mut drawn =
            |mean: f64, count: usize| -> Vec<f64> { (0..count).map(|_| mean + draw.normal()).collect() };
        // Densities N(1, 1) against N(−1, 1): log-odds 2 s. The sides' sizes must not matter.
        let found = LinkCalibration::fit(&drawn(1.0, 20_000), &drawn(-1.0, 60_000));
        assert!((found.slope - 2.0).abs() < 0.05 && found.shift.abs() < 0.05, "{found:?}");
        let p = found.probability(0.3, 0.5);
        assert!((found.probability(0.3, 0.01) - 0.01 * p / (0.01 * p + 0.99 * (1.0 - p))).abs() < 1e-12);
    }

    #[test]
    fn odd_validation_sets_are_met() {
        let empty = LinkCalibration::fit(&[], &[1.0]);
        assert_eq!((empty.slope, empty.shift), (1.0, 0.0));
        // Told apart without a fault: steep, but finite. The other way round: no order is turned.
        for (positives, negatives) in
            [([2.0, 3.0], [-1.0, -2.0]), ([-1.0, -2.0], [2.0, 3.0]), ([0.0; 2], [0.0; 2])]
        {
            let found = LinkCalibration::fit(&positives, &negatives);
            assert!(found.slope > 0.0 && found.slope.is_finite() && found.shift.is_finite(), "{found:?}");
        }
        assert_eq!(NodeCalibration::fit(&[], &[], 3).temperature, 1.0);
        // A few nodes that are all right: surer than the scores are, but not without bounds.
        let right: Vec<f64> = (0..20).flat_map(|_| [1.0, 0.0, 0.0]).collect();
        let found = NodeCalibration::fit(&right, &[0; 20], 3);
        let mut row = vec![1.0, 0.0, 0.0];
        found.probabilities(&mut row);
        assert!((row[0] - 21.0 / 23.0).abs() < 1e-6, "{found:?} {row:?}");
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
