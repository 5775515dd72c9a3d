//! One fold of the measurement: its models are fitted on some samples, with choices by leave-one-out, and
//! evaluated on the others.

use super::{BlockGroup, ComponentBlock};
use crate::error::Result;
use crate::exec::Exec;
use crate::kernel::SmallMatrix;
use crate::linalg::sgl::log_sum_exp;
use crate::linalg::{BlockRidge, Choice, RidgeBlock, kernel_ridge};
use crate::seed::{Seed, Stream};

/// Number of models per group.
pub(super) const FOLDS: usize = 5;

/// Maximum number of samples that a model is fitted on: time grows with the cube.
pub(super) const MOST_TRAINING: usize = 400;

/// Maximum number of samples that each model is evaluated on.
pub(super) const MOST_JUDGED: usize = 5000;

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
        let rows = |block: &ComponentBlock, of: &[usize]| {
            SmallMatrix::from_fn(of.len(), block.rows.cols(), |row, col| {
                f64::from(block.rows.row(of[row])[col])
            })
        };
        let trained: Vec<SmallMatrix> = blocks.iter().map(|block| rows(block, &self.training)).collect();
        let mut widths = Vec::new();
        let given: Vec<RidgeBlock<'_>> = blocks
            .iter()
            .zip(&trained)
            .map(|(block, z)| {
                let width = if block.by_distance() { middle_distance(z) } else { 0.0 };
                widths.push(width);
                RidgeBlock { rows: z, kernel: compared(block, z, z, width), products: !block.by_distance() }
            })
            .collect();
        let training = BlockRidge::new(&own, classes, given, blocks.iter().any(|block| block.of_pairs));
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
                    scores.add_scaled((choice.weights[at] * training.scales[at]).sqrt(), &part);
                }
            } else {
                let alpha =
                    kernel_ridge(&training.kernel(&choice.weights), choice.penalty, &training.target)?;
                for at in (0..blocks.len()).filter(|&at| choice.weights[at] > 0.0) {
                    let (scale, width) = (training.scales[at], widths[at]);
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
