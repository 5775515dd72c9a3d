//! Ridge regression on weighted blocks of columns.
//!
//! Every block has a weight. Weights, penalty and temperature are chosen by the likelihood of leave-one-out
//! predictions, which are known in closed form.

use std::ops::Range;

use super::kernel_ridge::{kernel_ridge, leave_one_out, leave_one_out_of_rows};
use super::ridge_target::RidgeTarget;
use crate::error::Result;
use crate::kernel::SmallMatrix;

/// Ridge penalties for kernels with a mean diagonal of 1.
pub(crate) const PENALTIES: [f64; 4] = [0.01, 0.1, 1.0, 10.0];
/// The first one that is tried.
const MIDDLE: usize = 1;

/// Weights, penalty and temperature, and the loss that they lead to.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Leave-one-out loss of the training samples, in nats ([`super::ScoreFit::loss`]).
    pub(crate) loss: f64,
    /// A weight for every block.
    pub(crate) weights: Vec<f64>,
    pub(crate) penalty: f64,
    pub(crate) temperature: f64,
}

/// A block of columns: its rows, and their kernel.
pub(crate) struct RidgeBlock<'a> {
    pub(crate) rows: &'a SmallMatrix,
    pub(crate) kernel: SmallMatrix,
    /// Whether the kernel consists of the products of the rows.
    pub(crate) products: bool,
}

/// Training samples of a ridge regression.
pub(crate) struct BlockRidge {
    pub(crate) outcome: RidgeTarget,
    /// Its columns without their means: of classes, one-hot labels minus the classes' shares.
    pub(crate) target: SmallMatrix,
    /// For every block, products of the training samples' rows; the mean diagonal is 1.
    pub(crate) kernels: Vec<SmallMatrix>,
    /// The factors that were needed for that.
    pub(crate) scales: Vec<f64>,
    /// Rows of all blocks that are compared by products, on the same scale, and the columns of each block.
    pub(crate) rows: SmallMatrix,
    pub(crate) columns: Vec<Option<Range<usize>>>,
    /// Whether blocks are single scores with their hinges, as for pairs.
    pub(crate) single_scores: bool,
}

impl BlockRidge {
    pub(crate) fn new(outcome: RidgeTarget, blocks: Vec<RidgeBlock<'_>>, single_scores: bool) -> Self {
        let (target, samples) = (outcome.matrix(), outcome.len());
        let width = blocks.iter().filter(|block| block.products).map(|block| block.rows.cols()).sum();
        let mut rows = SmallMatrix::zeros(samples, width);
        let (mut kernels, mut scales, mut columns, mut first) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for RidgeBlock { rows: own, mut kernel, products } in blocks {
            let mean = (0..kernel.rows()).map(|i| kernel[(i, i)]).sum::<f64>() / kernel.rows().max(1) as f64;
            let scale = if mean > 0.0 { 1.0 / mean } else { 0.0 };
            kernel.scale(scale);
            kernels.push(kernel);
            scales.push(scale);
            columns.push(products.then(|| first..first + own.cols()));
            if products {
                for row in 0..samples {
                    for col in 0..own.cols() {
                        rows[(row, first + col)] = scale.sqrt() * own[(row, col)];
                    }
                }
                first += own.cols();
            }
        }
        BlockRidge { outcome, target, kernels, scales, rows, columns, single_scores }
    }

    /// Coefficients of all columns of all blocks, for every output, times the temperature. All blocks must be
    /// compared by products.
    pub(crate) fn coefficients(&self, choice: &Choice) -> Result<SmallMatrix> {
        let mut all = SmallMatrix::zeros(self.rows.cols(), self.target.cols());
        let active = || (0..self.kernels.len()).filter(|&at| choice.weights[at] > 0.0);
        let of = |at: usize| self.columns[at].clone().expect("blocks are compared by products");
        let root = |at: usize| (choice.weights[at] * self.scales[at]).sqrt();
        let mut set = |at: usize, value: &dyn Fn(usize, usize) -> f64| {
            for (from, to) in of(at).enumerate() {
                for class in 0..all.cols() {
                    all[(to, class)] =
                        choice.temperature * root(at) * value(from, class) * self.outcome.factor(class);
                }
            }
        };
        if let Some(rows) = self.active_rows(&choice.weights) {
            let gram = rows.transpose_times(&rows);
            let found = kernel_ridge(&gram, choice.penalty, &rows.transpose_times(&self.target))?;
            let mut first = 0;
            for at in active() {
                set(at, &|col, class| found[(first + col, class)]);
                first += of(at).len();
            }
        } else {
            let alpha = kernel_ridge(&self.kernel(&choice.weights), choice.penalty, &self.target)?;
            let products = self.rows.transpose_times(&alpha);
            for at in active() {
                let (first, root) = (of(at).start, choice.weights[at].sqrt());
                set(at, &|col, class| root * products[(first + col, class)]);
            }
        }
        Ok(all)
    }

    pub(crate) fn kernel(&self, weights: &[f64]) -> SmallMatrix {
        let size = self.outcome.len();
        let mut sum = SmallMatrix::zeros(size, size);
        for (kernel, &weight) in self.kernels.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            sum.add_scaled(weight, kernel);
        }
        sum
    }

    /// The weighted rows of the blocks, side by side; `None` if there are more columns than rows, or a block
    /// is compared by distance. Of the two forms of the same regression, this one then has the smaller
    /// matrix.
    pub(crate) fn active_rows(&self, weights: &[f64]) -> Option<SmallMatrix> {
        let active = || weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let width: Option<usize> =
            active().map(|(at, _)| self.columns[at].as_ref().map(ExactSizeIterator::len)).sum();
        width.filter(|&width| width < self.outcome.len())?;
        let columns: Vec<(usize, f64)> = active()
            .flat_map(|(at, weight)| self.columns[at].clone().unwrap_or(0..0).map(|col| (col, weight.sqrt())))
            .collect();
        Some(SmallMatrix::from_fn(self.outcome.len(), columns.len(), |row, col| {
            let (own, root) = columns[col];
            root * self.rows[(row, own)]
        }))
    }

    /// The leave-one-out loss of these weights and this penalty.
    pub(crate) fn tried(&self, weights: Vec<f64>, penalty: f64) -> Result<Choice> {
        let scores = match self.active_rows(&weights) {
            Some(rows) => leave_one_out_of_rows(&rows, penalty, &self.target)?,
            None => leave_one_out(&self.kernel(&weights), penalty, &self.target)?,
        };
        let fit = self.outcome.fit_scores(&scores, None);
        Ok(Choice { loss: fit.loss, weights, penalty, temperature: fit.temperature })
    }

    /// Weights, penalty and temperature for a group: starting from equal weights, from every block alone and
    /// from the choices for its parts, one weight after the other is changed while the loss decreases.
    pub(crate) fn choose(&self, blocks: &[usize], parts: &[Choice]) -> Result<Choice> {
        let none = vec![0.0; self.kernels.len()];
        let mut equal = none.clone();
        for &at in blocks {
            equal[at] = 1.0 / blocks.len() as f64;
        }
        let better = |best: &mut Choice, weights: Vec<f64>, penalty: f64| -> Result<bool> {
            if weights.iter().any(|&weight| weight > 0.0) {
                let other = self.tried(weights, penalty)?;
                if other.loss < best.loss {
                    *best = other;
                    return Ok(true);
                }
            }
            Ok(false)
        };
        // The loss falls with the penalty and then rises, so a direction in which it rises is not followed.
        let mut best = self.tried(equal.clone(), PENALTIES[MIDDLE])?;
        let mut falls = false;
        for &penalty in &PENALTIES[MIDDLE + 1..] {
            if !better(&mut best, equal.clone(), penalty)? {
                break;
            }
            falls = true;
        }
        for &penalty in PENALTIES[..MIDDLE].iter().rev() {
            if falls || !better(&mut best, equal.clone(), penalty)? {
                break;
            }
        }
        if blocks.len() == 1 {
            return Ok(best);
        }
        // The choices for smaller groups of the same blocks are starting points.
        for part in parts {
            let within = part.weights.iter().enumerate().all(|(at, &w)| w == 0.0 || blocks.contains(&at));
            if within && part.loss < best.loss {
                best = part.clone();
            }
        }
        // Columns of a single score share one weight.
        if self.single_scores {
            return Ok(best);
        }
        for &at in blocks {
            let known =
                parts.iter().any(|part| (0..none.len()).all(|b| (part.weights[b] > 0.0) == (b == at)));
            if !known {
                let mut alone = none.clone();
                alone[at] = 1.0;
                better(&mut best, alone, PENALTIES[2])?;
            }
        }
        for &at in blocks {
            let base = best.clone();
            let factors: &[f64] = if base.weights[at] > 0.0 { &[0.25, 0.0, 4.0] } else { &[0.25, 1.0] };
            let mut lower = false;
            for factor in factors {
                // A larger weight is not better where a smaller one is.
                if lower && *factor > 1.0 {
                    continue;
                }
                let mut weights = base.weights.clone();
                weights[at] = if weights[at] > 0.0 { weights[at] * factor } else { *factor };
                lower |= better(&mut best, weights, base.penalty)?;
            }
        }
        for factor in [0.3, 3.0] {
            let (weights, penalty) = (best.weights.clone(), best.penalty * factor);
            if better(&mut best, weights, penalty)? {
                break;
            }
        }
        Ok(best)
    }
}

/// Shares of the classes, each with this many pseudo-counts.
pub(crate) fn shares(labels: &[u32], classes: usize, more: f64) -> Vec<f64> {
    let mut counts = vec![more; classes];
    for &label in labels {
        counts[label as usize] += 1.0;
    }
    let all: f64 = counts.iter().sum();
    counts.iter().map(|count| count / all).collect()
}

/// The temperature at which these scores predict best, and the mean of −ln p then. Newton's method on a
/// convex function. One pseudo-sample counts as predicted wrongly: otherwise the temperature would go to zero
/// if all predictions are right.
pub(crate) fn temperature(scores: &SmallMatrix, labels: &[u32], log_shares: &[f64]) -> (f64, f64) {
    const HOTTEST: f64 = 200.0;
    let classes = log_shares.len();
    let wrong = 1.0 / (labels.len() as f64 + 2.0);
    let others = wrong / (classes.max(2) - 1) as f64;
    let (mut log_odds, mut odds) = (vec![0.0; classes], vec![0.0; classes]);
    let mut at = |t: f64| {
        let (mut loss, mut slope, mut curve) = (0.0, 0.0, 0.0);
        for (row, &label) in labels.iter().enumerate() {
            for (class, value) in log_odds.iter_mut().enumerate() {
                *value = log_shares[class] + t * scores[(row, class)];
            }
            let largest = log_odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            for (odds, value) in odds.iter_mut().zip(&log_odds) {
                *odds = (value - largest).exp();
                sum += *odds;
            }
            let total = largest + sum.ln();
            let (mut mean, mut square, mut expected) = (0.0, 0.0, 0.0);
            for (class, value) in log_odds.iter().enumerate() {
                let (p, score) = (odds[class] / sum, scores[(row, class)]);
                mean += p * score;
                square += p * score * score;
                let share = if class == label as usize { 1.0 - wrong } else { others };
                expected += share * score;
                loss += share * (total - value);
            }
            slope += mean - expected;
            curve += square - mean * mean;
        }
        let n = labels.len().max(1) as f64;
        (loss / n, slope / n, curve / n)
    };
    let mut t = 1.0;
    for _ in 0..30 {
        let (_, slope, curve) = at(t);
        let step = (slope / curve.max(1e-12)).clamp(-4.0, 4.0);
        let next = (t - step).clamp(0.0, HOTTEST);
        if (next - t).abs() < 1e-6 {
            t = next;
            break;
        }
        t = next;
    }
    (t, at(t).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    /// Coefficients predict what the kernels predict, with fewer columns than rows and with more.
    #[test]
    fn coefficients_equal_the_kernel_form() {
        let mut draw = Seed(8).stream(Stream::Synth, 0);
        for widths in [[2, 3], [9, 12]] {
            let rows = widths.map(|width| SmallMatrix::from_fn(10, width, |_, _| draw.normal()));
            let labels: Vec<u32> = (0..10).map(|at| at % 3).collect();
            let block =
                |rows| RidgeBlock { rows, kernel: SmallMatrix::times_transpose(rows, rows), products: true };
            let ridge =
                BlockRidge::new(RidgeTarget::classes(labels, 3), rows.iter().map(block).collect(), false);
            let choice = Choice { loss: 0.0, weights: vec![0.7, 0.2], penalty: 0.3, temperature: 2.0 };
            let coefficients = ridge.coefficients(&choice).unwrap();
            let kernel = ridge.kernel(&choice.weights);
            let expected = kernel.times(&kernel_ridge(&kernel, 0.3, &ridge.target).unwrap());
            let first = rows[0].times_rows(&coefficients, 0..widths[0]);
            let second = rows[1].times_rows(&coefficients, widths[0]..widths[0] + widths[1]);
            for row in 0..10 {
                for class in 0..3 {
                    let found = first[(row, class)] + second[(row, class)];
                    assert!((found - 2.0 * expected[(row, class)]).abs() < 1e-9, "{widths:?}");
                }
            }
        }
    }
}
