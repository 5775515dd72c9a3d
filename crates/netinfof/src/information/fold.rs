//! One fold of the measurement: its models are fitted on some samples, with choices by leave-one-out, and
//! evaluated on the others.

use std::ops::Range;

use super::{BlockGroup, ComponentBlock, shares};
use crate::error::Result;
use crate::exec::Exec;
use crate::kernel::SmallMatrix;
use crate::linalg::sgl::log_sum_exp;
use crate::linalg::{kernel_ridge, leave_one_out, leave_one_out_of_rows};
use crate::seed::{Seed, Stream};

/// Number of models per group.
pub(super) const FOLDS: usize = 5;

/// Maximum number of samples that a model is fitted on: time grows with the cube.
pub(super) const MOST_TRAINING: usize = 400;

/// Maximum number of samples that each model is evaluated on.
pub(super) const MOST_JUDGED: usize = 5000;

/// Ridge penalties for kernels with a mean diagonal of 1.
pub(super) const PENALTIES: [f64; 4] = [0.01, 0.1, 1.0, 10.0];

/// Samples that a model is fitted on, and those it is evaluated on.
pub(super) struct Fold {
    pub(super) training: Vec<usize>,
    pub(super) judged: Vec<usize>,
}

/// Folds are stratified by class. Few samples are all used: each fold is predicted by a model of the others.
/// Of many, each model is fitted on [`MOST_TRAINING`] samples and predicts all others.
pub(super) fn folds(labels: &[u32], seed: Seed) -> Vec<Fold> {
    let count = labels.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    seed.stream(Stream::InformationFolds, 0).shuffle(&mut order);
    order.sort_by_key(|&at| labels[at as usize]);
    let many = count * (FOLDS - 1) / FOLDS > MOST_TRAINING;
    (0..FOLDS)
        .map(|fold| {
            let mut trains = vec![!many; count];
            if many {
                // Evenly spaced, so that the shares of the classes are kept, with different samples in each
                // fold.
                for at in 0..MOST_TRAINING {
                    trains[(at * FOLDS + fold) * count / (MOST_TRAINING * FOLDS)] = true;
                }
            } else {
                (fold..count).step_by(FOLDS).for_each(|at| trains[at] = false);
            }
            let part = |wanted: bool| -> Vec<usize> {
                (0..count).filter(|&at| trains[at] == wanted).map(|at| order[at] as usize).collect()
            };
            let (mut training, mut judged) = (part(true), part(false));
            if judged.len() > MOST_JUDGED {
                judged = (0..MOST_JUDGED).map(|at| judged[at * judged.len() / MOST_JUDGED]).collect();
            }
            training.sort_unstable();
            judged.sort_unstable();
            Fold { training, judged }
        })
        .collect()
}

/// The choices for a group in a fold.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Leave-one-out cross-entropy of the training samples, in nats.
    pub(super) loss: f64,
    /// A weight for every block.
    pub(super) weights: Vec<f64>,
    pub(super) penalty: f64,
    pub(super) temperature: f64,
}

/// The training samples of a fold.
pub(super) struct FoldTraining<'a> {
    pub(super) labels: &'a [u32],
    /// One-hot labels minus the classes' shares.
    pub(super) target: SmallMatrix,
    pub(super) log_shares: Vec<f64>,
    /// For every block, products of the training samples' rows; the mean diagonal is 1.
    pub(super) kernels: Vec<SmallMatrix>,
    /// Rows of all blocks that are compared by products, on the same scale, and the columns of each block.
    pub(super) rows: SmallMatrix,
    pub(super) columns: Vec<Option<Range<usize>>>,
    /// Whether blocks are single scores with their hinges, as for pairs.
    pub(super) single_scores: bool,
}

impl Fold {
    /// Bits gained by every group on every evaluated sample.
    pub(super) fn gains(
        &self,
        blocks: &[ComponentBlock],
        groups: &[BlockGroup],
        labels: &[u32],
        classes: usize,
        exec: &Exec,
    ) -> Result<Vec<Vec<f64>>> {
        let own: Vec<u32> = self.training.iter().map(|&at| labels[at]).collect();
        let shares = shares(&own, classes, 0.5);
        let target = SmallMatrix::from_fn(own.len(), classes, |row, col| {
            f64::from(u8::from(own[row] as usize == col)) - shares[col]
        });
        let rows = |block: &ComponentBlock, of: &[usize]| {
            SmallMatrix::from_fn(of.len(), block.rows.cols(), |row, col| {
                f64::from(block.rows.row(of[row])[col])
            })
        };
        let trained: Vec<SmallMatrix> = blocks.iter().map(|block| rows(block, &self.training)).collect();
        let mut scales = Vec::new();
        let kernels: Vec<SmallMatrix> = blocks
            .iter()
            .zip(&trained)
            .map(|(block, z)| {
                let width = if block.by_distance() { middle_distance(z) } else { 0.0 };
                let mut kernel = compared(block, z, z, width);
                let mean =
                    (0..kernel.rows()).map(|i| kernel[(i, i)]).sum::<f64>() / kernel.rows().max(1) as f64;
                let scale = if mean > 0.0 { 1.0 / mean } else { 0.0 };
                kernel.scale(scale);
                scales.push((scale, width));
                kernel
            })
            .collect();
        let log_shares: Vec<f64> = shares.iter().map(|share| share.ln()).collect();
        let mut width = 0;
        let columns: Vec<Option<Range<usize>>> = blocks
            .iter()
            .map(|block| {
                (!block.by_distance()).then(|| {
                    width += block.rows.cols();
                    width - block.rows.cols()..width
                })
            })
            .collect();
        let mut rows_of_all = SmallMatrix::zeros(own.len(), width);
        for (at, columns) in columns.iter().enumerate().filter_map(|(at, c)| Some((at, c.clone()?))) {
            let root = scales[at].0.sqrt();
            for (from, to) in columns.enumerate() {
                for row in 0..own.len() {
                    rows_of_all[(row, to)] = root * trained[at][(row, from)];
                }
            }
        }
        let single_scores = blocks.iter().any(|block| block.of_pairs);
        let training = FoldTraining {
            labels: &own,
            target,
            log_shares,
            kernels,
            rows: rows_of_all,
            columns,
            single_scores,
        };
        let mut chosen: Vec<Choice> = Vec::new();
        let mut found = Vec::new();
        for group in groups {
            exec.check()?;
            let choice = training.choose(&group.blocks, &chosen)?;
            let mut scores = SmallMatrix::zeros(self.judged.len(), classes);
            if let Some(rows_of_group) = training.active_rows(&choice.weights) {
                // Few columns: the coefficients of the columns themselves.
                let gram = rows_of_group.transpose_times(&rows_of_group);
                let target = rows_of_group.transpose_times(&training.target);
                let coefficients = kernel_ridge(&gram, choice.penalty, &target)?;
                let mut first = 0;
                for at in (0..blocks.len()).filter(|&at| choice.weights[at] > 0.0) {
                    let judged = rows(&blocks[at], &self.judged);
                    let own = first..first + judged.cols();
                    first = own.end;
                    let part = judged.times_rows(&coefficients, own);
                    scores.add_scaled((choice.weights[at] * scales[at].0).sqrt(), &part);
                }
            } else {
                let alpha =
                    kernel_ridge(&training.kernel(&choice.weights), choice.penalty, &training.target)?;
                for at in (0..blocks.len()).filter(|&at| choice.weights[at] > 0.0) {
                    let (scale, width) = scales[at];
                    let judged = rows(&blocks[at], &self.judged);
                    let part = if blocks[at].by_distance() {
                        compared(&blocks[at], &judged, &trained[at], width).times(&alpha)
                    } else {
                        judged.times(&trained[at].transpose_times(&alpha))
                    };
                    scores.add_scaled(choice.weights[at] * scale, &part);
                }
            }
            let of = |(row, &node): (usize, &usize)| {
                let class = labels[node] as usize;
                let log_odds: Vec<f64> = (0..classes)
                    .map(|c| training.log_shares[c] + choice.temperature * scores[(row, c)])
                    .collect();
                (log_odds[class] - log_sum_exp(&log_odds) - training.log_shares[class])
                    / std::f64::consts::LN_2
            };
            found.push(self.judged.iter().enumerate().map(of).collect());
            chosen.push(choice);
        }
        Ok(found)
    }
}

impl FoldTraining<'_> {
    pub(super) fn kernel(&self, weights: &[f64]) -> SmallMatrix {
        let size = self.labels.len();
        let mut sum = SmallMatrix::zeros(size, size);
        for (kernel, &weight) in self.kernels.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            sum.add_scaled(weight, kernel);
        }
        sum
    }

    /// The weighted rows of the blocks, side by side; `None` if there are more columns than rows, or a block
    /// is compared by distance. Of the two forms of the same regression, this one then has the smaller
    /// matrix.
    pub(super) fn active_rows(&self, weights: &[f64]) -> Option<SmallMatrix> {
        let active = || weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let width: Option<usize> =
            active().map(|(at, _)| self.columns[at].as_ref().map(ExactSizeIterator::len)).sum();
        width.filter(|&width| width < self.labels.len())?;
        let columns: Vec<(usize, f64)> = active()
            .flat_map(|(at, weight)| self.columns[at].clone().unwrap_or(0..0).map(|col| (col, weight.sqrt())))
            .collect();
        Some(SmallMatrix::from_fn(self.labels.len(), columns.len(), |row, col| {
            let (own, root) = columns[col];
            root * self.rows[(row, own)]
        }))
    }

    /// The leave-one-out loss of these weights and this penalty.
    pub(super) fn tried(&self, weights: Vec<f64>, penalty: f64) -> Result<Choice> {
        let scores = match self.active_rows(&weights) {
            Some(rows) => leave_one_out_of_rows(&rows, penalty, &self.target)?,
            None => leave_one_out(&self.kernel(&weights), penalty, &self.target)?,
        };
        let (temperature, loss) = temperature(&scores, self.labels, &self.log_shares);
        Ok(Choice { loss, weights, penalty, temperature })
    }

    /// Weights, penalty and temperature for a group: starting from equal weights, from every block alone and
    /// from the choices for its parts, one weight after the other is changed while the loss decreases.
    pub(super) fn choose(&self, blocks: &[usize], parts: &[Choice]) -> Result<Choice> {
        let none = vec![0.0; self.kernels.len()];
        let mut equal = none.clone();
        for &at in blocks {
            equal[at] = 1.0 / blocks.len() as f64;
        }
        let mut best = self.tried(equal.clone(), PENALTIES[0])?;
        let better = |best: &mut Choice, weights: Vec<f64>, penalty: f64| -> Result<()> {
            if weights.iter().any(|&weight| weight > 0.0) {
                let other = self.tried(weights, penalty)?;
                if other.loss < best.loss {
                    *best = other;
                }
            }
            Ok(())
        };
        for &penalty in &PENALTIES[1..] {
            better(&mut best, equal.clone(), penalty)?;
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
            let factors: &[f64] = if base.weights[at] > 0.0 { &[0.0, 0.25, 4.0] } else { &[0.25, 1.0] };
            for factor in factors {
                let mut weights = base.weights.clone();
                weights[at] = if weights[at] > 0.0 { weights[at] * factor } else { *factor };
                better(&mut best, weights, base.penalty)?;
            }
        }
        for factor in [0.3, 3.0] {
            let (weights, penalty) = (best.weights.clone(), best.penalty * factor);
            better(&mut best, weights, penalty)?;
        }
        Ok(best)
    }
}

/// Kernel of rows: their products, or their proximity.
pub(super) fn compared(block: &ComponentBlock, a: &SmallMatrix, b: &SmallMatrix, width: f64) -> SmallMatrix {
    let products = a.times_transpose(b);
    if !block.by_distance() {
        return products;
    }
    let squares = |z: &SmallMatrix| -> Vec<f64> {
        (0..z.rows()).map(|row| (0..z.cols()).map(|col| z[(row, col)].powi(2)).sum()).collect()
    };
    let (left, right) = (squares(a), squares(b));
    SmallMatrix::from_fn(a.rows(), b.rows(), |i, j| {
        let square = (left[i] + right[j] - 2.0 * products[(i, j)]).max(0.0);
        if width > 0.0 { (-square / width).exp() } else { 1.0 }
    })
}

/// The median of the squared distances between rows.
pub(super) fn middle_distance(z: &SmallMatrix) -> f64 {
    let rows = z.rows();
    let square = |i: usize, j: usize| (0..z.cols()).map(|c| (z[(i, c)] - z[(j, c)]).powi(2)).sum::<f64>();
    // Neighbours at several strides are a sample of all pairs.
    let mut all: Vec<f64> = (1..rows.min(40))
        .flat_map(|stride| (0..rows).map(move |i| (i, (i + stride * 7) % rows)))
        .map(|(i, j)| square(i, j))
        .filter(|&square| square > 0.0)
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// The temperature at which these scores predict best, and the mean of −ln p then. Newton's method on a
/// convex function. One pseudo-sample counts as predicted wrongly: otherwise the temperature would go to zero
/// if all predictions are right.
pub(super) fn temperature(scores: &SmallMatrix, labels: &[u32], log_shares: &[f64]) -> (f64, f64) {
    const HOTTEST: f64 = 200.0;
    let classes = log_shares.len();
    let wrong = 1.0 / (labels.len() as f64 + 2.0);
    let others = wrong / (classes.max(2) - 1) as f64;
    let mut log_odds = vec![0.0; classes];
    let mut at = |t: f64| {
        let (mut loss, mut slope, mut curve) = (0.0, 0.0, 0.0);
        for (row, &label) in labels.iter().enumerate() {
            for (class, value) in log_odds.iter_mut().enumerate() {
                *value = log_shares[class] + t * scores[(row, class)];
            }
            let total = log_sum_exp(&log_odds);
            let (mut mean, mut square, mut expected) = (0.0, 0.0, 0.0);
            for (class, value) in log_odds.iter().enumerate() {
                let (p, score) = ((value - total).exp(), scores[(row, class)]);
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
