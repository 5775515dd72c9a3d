//! The final models of a fold: fitted on all of its training samples, with weights and penalties that were
//! chosen on some of them.
//!
//! The products of all columns with each other are computed once for all groups. A model with fewer columns
//! than samples then needs one decomposition of a matrix of its columns, otherwise one of its samples.

use super::ComponentBlock;
use super::fold::{compared, middle_distance, rows_of};
use crate::error::Result;
use crate::kernel::SmallMatrix;
use crate::linalg::{Choice, RidgeTarget, ScoreFit};

/// Maximum number of samples whose leave-one-out predictions set the temperature, or the variance of numbers.
const MOST_HEATED: usize = 400;

/// The training samples of a fold.
pub(super) struct Refit<'a> {
    blocks: &'a [ComponentBlock],
    pub(super) outcome: RidgeTarget,
    /// Its columns without their means: of classes, one-hot labels minus the classes' shares.
    target: SmallMatrix,
    /// Rows of every block, scaled so that their mean square length is 1 (not if compared by distance).
    rows: Vec<SmallMatrix>,
    /// The factors that were needed for that.
    scales: Vec<f64>,
    /// Median squared distances, for blocks that are compared by distance.
    widths: Vec<f64>,
    /// First column of every block among all that are compared by products.
    firsts: Vec<usize>,
    /// Products of all these columns with each other, and with the target.
    gram: SmallMatrix,
    right: SmallMatrix,
}

/// A fitted model of a group.
pub(super) struct GroupModel {
    pub(super) fit: ScoreFit,
    /// For every active block, its place and the coefficients of its columns; for a block that is compared by
    /// distance, those of the training samples.
    parts: Vec<(usize, SmallMatrix)>,
}

impl<'a> Refit<'a> {
    pub(super) fn new(blocks: &'a [ComponentBlock], training: &[usize], outcome: RidgeTarget) -> Self {
        let target = outcome.matrix();
        let mut rows = rows_of(blocks, training);
        let (mut scales, mut widths, mut firsts, mut width) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (block, z) in blocks.iter().zip(&mut rows) {
            firsts.push(width);
            if block.by_distance() {
                scales.push(1.0);
                widths.push(middle_distance(z));
                continue;
            }
            let squares: f64 =
                (0..z.cols()).map(|col| (0..z.rows()).map(|row| z[(row, col)].powi(2)).sum::<f64>()).sum();
            let scale = if squares > 0.0 { (z.rows() as f64 / squares).sqrt() } else { 0.0 };
            z.scale(scale);
            scales.push(scale);
            widths.push(0.0);
            width += z.cols();
        }
        let mut all = SmallMatrix::zeros(outcome.len(), width);
        for (at, z) in rows.iter().enumerate().filter(|(at, _)| !blocks[*at].by_distance()) {
            for col in 0..z.cols() {
                for row in 0..z.rows() {
                    all[(row, firsts[at] + col)] = z[(row, col)];
                }
            }
        }
        let (gram, right) = (all.transpose_times(&all), all.transpose_times(&target));
        Refit { blocks, outcome, target, rows, scales, widths, firsts, gram, right }
    }

    /// Fits the model of a choice. Its temperature is that of leave-one-out predictions.
    pub(super) fn fit(&self, choice: &Choice) -> Result<GroupModel> {
        let active: Vec<usize> = (0..self.blocks.len()).filter(|&at| choice.weights[at] > 0.0).collect();
        let columns: Vec<(usize, f64)> = active
            .iter()
            .filter(|&&at| !self.blocks[at].by_distance())
            .flat_map(|&at| {
                let root = choice.weights[at].sqrt();
                (self.firsts[at]..self.firsts[at] + self.rows[at].cols()).map(move |col| (col, root))
            })
            .collect();
        let distant = active.iter().any(|&at| self.blocks[at].by_distance());
        let samples = self.outcome.len();
        let heated: Vec<usize> = {
            let taken = samples.min(MOST_HEATED);
            (0..taken).map(|at| at * samples / taken).collect()
        };
        let classes = self.target.cols();
        let (parts, left_out) = if !distant && columns.len() < samples {
            let size = columns.len();
            let shifted = SmallMatrix::from_fn(size, size, |a, b| {
                let ((i, left), (j, right)) = (columns[a], columns[b]);
                left * right * self.gram[(i, j)] + if a == b { choice.penalty } else { 0.0 }
            });
            let right = SmallMatrix::from_fn(size, classes, |a, class| {
                columns[a].1 * self.right[(columns[a].0, class)]
            });
            let factor = shifted.cholesky("ridge regression")?;
            let coefficients = factor.solve(&right);
            let z = self.weighted(&active, choice, &heated);
            let fitted = z.times(&coefficients);
            let solved = factor.solve(&z.transposed());
            let leverage: Vec<f64> = (0..heated.len())
                .map(|row| (0..size).map(|col| z[(row, col)] * solved[(col, row)]).sum())
                .collect();
            let left_out = SmallMatrix::from_fn(heated.len(), classes, |row, class| {
                let h = leverage[row];
                (fitted[(row, class)] - h * self.target[(heated[row], class)]) / (1.0 - h).max(f64::EPSILON)
            });
            let mut first = 0;
            let parts = active.iter().map(|&at| {
                let own = self.rows[at].cols();
                let root = choice.weights[at].sqrt();
                let part = SmallMatrix::from_fn(own, classes, |col, class| {
                    root * coefficients[(first + col, class)]
                });
                first += own;
                (at, part)
            });
            (parts.collect(), left_out)
        } else {
            let mut kernel = SmallMatrix::zeros(samples, samples);
            for &at in &active {
                let z = &self.rows[at];
                kernel.add_scaled(choice.weights[at], &compared(&self.blocks[at], z, z, self.widths[at]));
            }
            for at in 0..samples {
                kernel[(at, at)] += choice.penalty;
            }
            let factor = kernel.cholesky("kernel ridge regression")?;
            let alpha = factor.solve(&self.target);
            let units = SmallMatrix::from_fn(samples, heated.len(), |row, col| {
                f64::from(u8::from(row == heated[col]))
            });
            let inverse = factor.solve(&units);
            let left_out = SmallMatrix::from_fn(heated.len(), classes, |row, class| {
                let at = heated[row];
                self.target[(at, class)] - alpha[(at, class)] / inverse[(at, row)]
            });
            let parts = active.iter().map(|&at| {
                let mut part = if self.blocks[at].by_distance() {
                    alpha.clone()
                } else {
                    self.rows[at].transpose_times(&alpha)
                };
                part.scale(choice.weights[at]);
                (at, part)
            });
            (parts.collect(), left_out)
        };
        Ok(GroupModel { fit: self.outcome.fit_scores(&left_out, Some(&heated)), parts })
    }

    /// The weighted columns of the active blocks for some of the samples.
    fn weighted(&self, active: &[usize], choice: &Choice, samples: &[usize]) -> SmallMatrix {
        let width = active.iter().map(|&at| self.rows[at].cols()).sum();
        let mut all = SmallMatrix::zeros(samples.len(), width);
        let mut first = 0;
        for &at in active {
            let root = choice.weights[at].sqrt();
            for col in 0..self.rows[at].cols() {
                for (row, &sample) in samples.iter().enumerate() {
                    all[(row, first + col)] = root * self.rows[at][(sample, col)];
                }
            }
            first += self.rows[at].cols();
        }
        all
    }
}

impl GroupModel {
    /// Scores of samples, given their rows in every block.
    pub(super) fn scores(&self, fitted: &Refit<'_>, judged: &[SmallMatrix]) -> SmallMatrix {
        let count = judged.first().map_or(0, SmallMatrix::rows);
        let mut scores = SmallMatrix::zeros(count, fitted.target.cols());
        for (at, coefficients) in &self.parts {
            let block = &fitted.blocks[*at];
            let part = if block.by_distance() {
                compared(block, &judged[*at], &fitted.rows[*at], fitted.widths[*at]).times(coefficients)
            } else {
                judged[*at].times(coefficients)
            };
            scores.add_scaled(fitted.scales[*at], &part);
        }
        scores
    }
}
