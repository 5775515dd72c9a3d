//! One fold of the measurement: its models are fitted on some samples, with choices by leave-one-out, and
//! evaluated on the others.

use super::refit::Refit;
use super::target::SampleTarget;
use super::{BlockGroup, ComponentBlock};
use crate::error::Result;
use crate::exec::Exec;
use crate::kernel::SmallMatrix;
use crate::linalg::{BlockRidge, RidgeBlock};
use crate::seed::{Seed, Stream};

/// Number of models per group.
pub(super) const FOLDS: usize = 5;

/// Maximum number of samples that weights and penalties are chosen on: dozens of models are tried, and the
/// time of each grows with the cube.
pub(super) const MOST_CHOOSING: usize = 256;
/// The same for nodes, where every block has a weight of its own.
pub(super) const MOST_CHOOSING_WEIGHTS: usize = 192;

/// Maximum number of samples that a model is fitted on.
pub(super) const MOST_TRAINING: usize = 1600;

/// Maximum number of samples that each model is evaluated on.
pub(super) const MOST_JUDGED: usize = 5000;

/// Samples that a model is fitted on, those of them that choices are made on, and those it is evaluated on.
pub(super) struct Fold {
    pub(super) training: Vec<usize>,
    pub(super) choosing: Vec<usize>,
    pub(super) judged: Vec<usize>,
}

/// Folds are stratified by class. Few samples are all used: each fold is predicted by a model of the others.
/// Of many, each model is fitted on [`MOST_TRAINING`] samples and predicts all others.
pub(super) fn folds(labels: &[u32], most_choosing: usize, seed: Seed) -> Vec<Fold> {
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
            // In the order of the classes, so that the spaced samples keep their shares.
            let spaced = |all: &[usize], most: usize| -> Vec<usize> {
                let taken = all.len().min(most);
                (0..taken).map(|at| all[at * all.len() / taken]).collect()
            };
            let mut training = part(true);
            let mut choosing = spaced(&training, most_choosing);
            let mut judged = part(false);
            if judged.len() > MOST_JUDGED {
                judged = spaced(&judged, MOST_JUDGED);
            }
            training.sort_unstable();
            choosing.sort_unstable();
            judged.sort_unstable();
            Fold { training, choosing, judged }
        })
        .collect()
}

/// The rows of some samples in every block.
pub(super) fn rows_of(blocks: &[ComponentBlock], samples: &[usize]) -> Vec<SmallMatrix> {
    let rows = |block: &ComponentBlock| {
        SmallMatrix::from_fn(samples.len(), block.rows.cols(), |row, col| {
            f64::from(block.rows.row(samples[row])[col])
        })
    };
    blocks.iter().map(rows).collect()
}

impl Fold {
    /// Bits gained by every group on every evaluated sample. The first groups are `singles` single components.
    pub(super) fn gains(
        &self,
        blocks: &[ComponentBlock],
        groups: &[BlockGroup],
        singles: usize,
        target: &SampleTarget<'_>,
        exec: &Exec,
    ) -> Result<Vec<Vec<f64>>> {
        let scale = target.scale(&self.training);
        let chosen_on = rows_of(blocks, &self.choosing);
        let given: Vec<RidgeBlock<'_>> = blocks
            .iter()
            .zip(&chosen_on)
            .map(|(block, z)| {
                let width = if block.by_distance() { middle_distance(z) } else { 0.0 };
                RidgeBlock { rows: z, kernel: compared(block, z, z, width), products: !block.by_distance() }
            })
            .collect();
        let single_scores = blocks.iter().any(|block| block.of_pairs);
        let choices = BlockRidge::new(target.of(&self.choosing, scale.as_ref()), given, single_scores);
        let refit = Refit::new(blocks, &self.training, target.of(&self.training, scale.as_ref()));
        let judged = rows_of(blocks, &self.judged);
        // Choices for single components and all fits are independent: they use the threads for which no fold is left.
        let (single, several) = groups.split_at(singles);
        let mut chosen = exec.try_map(single, |group| choices.choose(&group.blocks, &[]))?;
        for group in several {
            exec.check()?;
            let choice = choices.choose(&group.blocks, &chosen)?;
            chosen.push(choice);
        }
        exec.try_map(&chosen, |choice| {
            exec.check()?;
            let model = refit.fit(choice)?;
            let scores = model.scores(&refit, &judged);
            let of = |(row, &sample): (usize, &usize)| {
                target.bits(&refit.outcome, scale.as_ref(), model.fit, sample, (&scores, row))
            };
            Ok(self.judged.iter().enumerate().map(of).collect())
        })
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
