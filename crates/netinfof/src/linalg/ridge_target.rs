//! What a ridge regression predicts, and how its scores become probabilities or a density.
//!
//! *Classes*: one-hot columns; the softmax of scores over a temperature. *Numbers*: one column, standardised on the
//! training samples; a Gaussian around the scaled score, with the variance of leave-one-out residuals. *Label sets*:
//! one column of 0 and 1 per label; for each the logistic function of its scaled score, with one scale for all.

use super::block_ridge::{shares, temperature};
use crate::kernel::SmallMatrix;

/// The target of the training samples.
#[derive(Clone)]
pub(crate) enum RidgeTarget {
    Classes {
        labels: Vec<u32>,
        log_shares: Vec<f64>,
    },
    /// Mean 0 and variance 1.
    Numbers(Vec<f64>),
    Labels {
        /// 0 or 1, sample after sample.
        rows: Vec<u8>,
        shares: Vec<f64>,
    },
}

/// How scores become predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreFit {
    /// Factor of the scores.
    pub(crate) temperature: f64,
    /// Mean loss in nats for each sample. Numbers: relative to the best constant Gaussian, so that the variance
    /// is `exp(2 loss)`.
    pub(crate) loss: f64,
}

impl RidgeTarget {
    pub(crate) fn classes(labels: Vec<u32>, classes: usize) -> Self {
        let log_shares = shares(&labels, classes, 0.5).iter().map(|share| share.ln()).collect();
        RidgeTarget::Classes { labels, log_shares }
    }

    /// Shares of labels have half a pseudo-count on both sides.
    pub(crate) fn labels(rows: Vec<u8>, labels: usize) -> Self {
        let samples = rows.len() / labels.max(1);
        let share = |label: usize| {
            let own = rows.iter().skip(label).step_by(labels).filter(|&&has| has == 1).count();
            (own as f64 + 0.5) / (samples as f64 + 1.0)
        };
        let shares = (0..labels).map(share).collect();
        RidgeTarget::Labels { rows, shares }
    }

    /// The target of some of the samples. Numbers keep their scale.
    pub(crate) fn of(&self, samples: &[usize]) -> Self {
        match self {
            RidgeTarget::Classes { labels, log_shares } => {
                RidgeTarget::classes(samples.iter().map(|&at| labels[at]).collect(), log_shares.len())
            }
            RidgeTarget::Numbers(values) => {
                RidgeTarget::Numbers(samples.iter().map(|&at| values[at]).collect())
            }
            RidgeTarget::Labels { rows, shares } => {
                let own = |&at: &usize| rows[at * shares.len()..(at + 1) * shares.len()].iter().copied();
                RidgeTarget::labels(samples.iter().flat_map(own).collect(), shares.len())
            }
        }
    }

    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        match self {
            RidgeTarget::Classes { labels, .. } => labels.len(),
            RidgeTarget::Numbers(values) => values.len(),
            RidgeTarget::Labels { rows, shares } => rows.len() / shares.len().max(1),
        }
    }

    /// Number of columns.
    pub(crate) fn outputs(&self) -> usize {
        match self {
            RidgeTarget::Classes { log_shares, .. } => log_shares.len(),
            RidgeTarget::Numbers(_) => 1,
            RidgeTarget::Labels { shares, .. } => shares.len(),
        }
    }

    /// The columns that are regressed on: the target without its mean.
    pub(crate) fn matrix(&self) -> SmallMatrix {
        match self {
            RidgeTarget::Classes { labels, log_shares } => {
                let shares = shares(labels, log_shares.len(), 0.5);
                SmallMatrix::from_fn(labels.len(), shares.len(), |row, col| {
                    f64::from(u8::from(labels[row] as usize == col)) - shares[col]
                })
            }
            RidgeTarget::Numbers(_) | RidgeTarget::Labels { .. } => {
                self.matrix_of(&(0..self.len()).collect::<Vec<_>>())
            }
        }
    }

    /// The rows of these columns for some of the samples.
    pub(crate) fn matrix_of(&self, samples: &[usize]) -> SmallMatrix {
        SmallMatrix::from_fn(samples.len(), self.outputs(), |row, col| match self {
            RidgeTarget::Classes { labels, log_shares } => {
                f64::from(u8::from(labels[samples[row]] as usize == col)) - log_shares[col].exp()
            }
            RidgeTarget::Numbers(values) => values[samples[row]],
            RidgeTarget::Labels { rows, shares } => {
                f64::from(rows[samples[row] * shares.len() + col]) - shares[col]
            }
        })
    }

    /// The score without information.
    pub(crate) fn intercept(&self, output: usize) -> f64 {
        match self {
            RidgeTarget::Classes { log_shares, .. } => log_shares[output],
            RidgeTarget::Numbers(_) => 0.0,
            RidgeTarget::Labels { shares, .. } => (shares[output] / (1.0 - shares[output])).ln(),
        }
    }

    /// Factor of the regression's scores: the log-odds of a rare label change more than those of a frequent one.
    pub(crate) fn factor(&self, output: usize) -> f64 {
        match self {
            RidgeTarget::Classes { .. } | RidgeTarget::Numbers(_) => 1.0,
            RidgeTarget::Labels { shares, .. } => 1.0 / (shares[output] * (1.0 - shares[output])),
        }
    }

    /// Mean loss of the constant model, in the units of [`ScoreFit::loss`].
    pub(crate) fn loss_without(&self) -> f64 {
        let samples = self.len().max(1) as f64;
        match self {
            RidgeTarget::Classes { labels, log_shares } => {
                let without = -labels.iter().map(|&label| log_shares[label as usize]).sum::<f64>();
                without / labels.len().max(1) as f64
            }
            RidgeTarget::Numbers(_) => 0.0,
            RidgeTarget::Labels { rows, shares } => {
                let of = |(at, &has): (usize, &u8)| {
                    let share = shares[at % shares.len()];
                    -(if has == 1 { share } else { 1.0 - share }).ln()
                };
                rows.iter().enumerate().map(of).sum::<f64>() / samples
            }
        }
    }

    /// The scale of these scores at which they predict best, and the loss then. `samples` are those that the rows
    /// of the scores belong to; all if `None`.
    pub(crate) fn fit_scores(&self, scores: &SmallMatrix, samples: Option<&[usize]>) -> ScoreFit {
        let at = |row: usize| samples.map_or(row, |samples| samples[row]);
        match self {
            RidgeTarget::Classes { labels, log_shares } => {
                let (temperature, loss) = match samples {
                    None => temperature(scores, labels, log_shares),
                    Some(samples) => {
                        let own: Vec<u32> = samples.iter().map(|&sample| labels[sample]).collect();
                        temperature(scores, &own, log_shares)
                    }
                };
                ScoreFit { temperature, loss }
            }
            RidgeTarget::Numbers(values) => {
                let pairs = (0..scores.rows()).map(|row| (scores[(row, 0)], values[at(row)]));
                gaussian(pairs)
            }
            RidgeTarget::Labels { rows, shares } => {
                let width = shares.len();
                let mut found = Vec::with_capacity(scores.rows() * width);
                for row in 0..scores.rows() {
                    for label in 0..width {
                        let score = self.factor(label) * scores[(row, label)];
                        found.push((self.intercept(label), score, rows[at(row) * width + label] == 1));
                    }
                }
                logistic(&found, scores.rows())
            }
        }
    }

    /// Bits gained over the constant model on a sample with these scores.
    pub(crate) fn bits(&self, truth: &Outcome<'_>, scores: &dyn Fn(usize) -> f64, fit: ScoreFit) -> f64 {
        use std::f64::consts::LN_2;
        match (self, truth) {
            (RidgeTarget::Numbers(_), &Outcome::Number(value)) => {
                let error = value - fit.temperature * scores(0);
                (0.5 * value * value - fit.loss - 0.5 * error * error * (-2.0 * fit.loss).exp()) / LN_2
            }
            (RidgeTarget::Labels { shares, .. }, Outcome::Labels(row)) => {
                let of = |(label, &has): (usize, &u8)| {
                    let share = shares[label];
                    let score = self.intercept(label) + fit.temperature * self.factor(label) * scores(label);
                    let without = if has == 1 { share } else { 1.0 - share };
                    -softplus(if has == 1 { -score } else { score }) - without.ln()
                };
                row.iter().enumerate().map(of).sum::<f64>() / (row.len().max(1) as f64 * LN_2)
            }
            _ => unreachable!("a sample has the kind of the target"),
        }
    }
}

/// The target of one sample.
pub(crate) enum Outcome<'a> {
    Number(f64),
    Labels(&'a [u8]),
}

/// The Gaussian around scaled scores. One pseudo-sample has the variance of the constant model and no relation to
/// the scores, so that a few good predictions do not make the next one certain, and scores without information get
/// the constant model.
fn gaussian(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> ScoreFit {
    let count = pairs.clone().count() as f64;
    let (products, squares) =
        pairs.clone().fold((0.0, 0.0), |(products, squares), (s, y)| (products + s * y, squares + s * s));
    let temperature = if squares > 0.0 { (products / (squares * (1.0 + 1.0 / count))).max(0.0) } else { 0.0 };
    let residuals: f64 = pairs.map(|(s, y)| (y - temperature * s).powi(2)).sum();
    let variance = (residuals + 1.0) / (count + 1.0);
    ScoreFit { temperature, loss: 0.5 * variance.ln() }
}

/// The scale of log-odds, by Newton's method on a convex function. A weak prior holds it back if all predictions
/// are right.
fn logistic(found: &[(f64, f64, bool)], samples: usize) -> ScoreFit {
    const LARGEST: f64 = 50.0;
    let mean_square =
        found.iter().map(|(_, score, _)| score * score).sum::<f64>() / found.len().max(1) as f64;
    let prior = 0.25 * mean_square;
    let mut t = 1.0;
    for _ in 0..30 {
        let (mut slope, mut curve) = (prior * t, prior);
        for &(intercept, score, has) in found {
            let p = 1.0 / (1.0 + (-(intercept + t * score)).exp());
            slope += score * (p - f64::from(u8::from(has)));
            curve += score * score * p * (1.0 - p);
        }
        let next = (t - (slope / curve.max(1e-12)).clamp(-2.0, 2.0)).clamp(0.0, LARGEST);
        if (next - t).abs() < 1e-8 {
            t = next;
            break;
        }
        t = next;
    }
    let of = |&(intercept, score, has): &(f64, f64, bool)| {
        let log_odds = intercept + t * score;
        softplus(if has { -log_odds } else { log_odds })
    };
    ScoreFit { temperature: t, loss: found.iter().map(of).sum::<f64>() / samples.max(1) as f64 }
}

/// ln(1 + eˣ).
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: scores (1, −1), values (1, −1): t = 2 / (2 · 1.5) = ⅔, residuals 2 / 9 in all, variance (2/9 + 1) / 3.
    #[test]
    fn a_gaussian_leaves_a_doubt() {
        let target = RidgeTarget::Numbers(vec![1.0, -1.0]);
        let scores = SmallMatrix::from_fn(2, 1, |row, _| if row == 0 { 1.0 } else { -1.0 });
        let fit = target.fit_scores(&scores, None);
        assert!((fit.temperature - 2.0 / 3.0).abs() < 1e-12);
        let variance = 11.0 / 27.0;
        assert!((fit.loss - 0.5 * f64::ln(variance)).abs() < 1e-12);
        // ½ log₂ of the ratio of variances, and the squares of the value and of its error.
        let expected = (0.5 * 1.0 - 0.5 * f64::ln(variance) - 0.5 / 9.0 / variance) / 2f64.ln();
        let found = target.bits(&Outcome::Number(1.0), &|_| 1.0, fit);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        // Scores in the wrong direction are not used: no bits are gained or lost.
        let turned = SmallMatrix::from_fn(2, 1, |row, _| -scores[(row, 0)]);
        let fit = target.fit_scores(&turned, None);
        assert_eq!((fit.temperature, fit.loss), (0.0, 0.0));
        assert_eq!(target.bits(&Outcome::Number(1.7), &|_| 3.0, fit), 0.0);
    }

    /// A label that half of the samples have, and scores of ±¼: log-odds ±t, with t where the mean of tanh is the
    /// share of correct signs.
    #[test]
    fn labels_get_the_odds_of_their_errors() {
        let rows: Vec<u8> = (0..4000).map(|at| u8::from(at % 2 == 0)).collect();
        let target = RidgeTarget::labels(rows.clone(), 1);
        // Three of four signs are right.
        let scores = SmallMatrix::from_fn(4000, 1, |row, _| {
            let sign = if rows[row] == 1 { 0.25 } else { -0.25 };
            if row % 8 < 2 { -sign } else { sign }
        });
        let fit = target.fit_scores(&scores, None);
        assert!((fit.temperature - 3f64.ln()).abs() < 1e-2, "{fit:?}");
        let bits: f64 = (0..8)
            .map(|row| target.bits(&Outcome::Labels(&rows[row..=row]), &|_| scores[(row, 0)], fit))
            .sum();
        // 1 − H(¼).
        assert!((bits / 8.0 - 0.188_722).abs() < 1e-4, "{bits}");
        assert!((target.loss_without() - 2f64.ln()).abs() < 1e-9);
    }
}
