//! The target of the samples that predictive information is measured on.

use crate::kernel::SmallMatrix;
use crate::linalg::sgl::log_sum_exp;
use crate::linalg::{Outcome, RidgeTarget, ScoreFit, TargetScale, shares};

/// The target of all samples.
#[derive(Clone, Copy)]
pub(crate) enum SampleTarget<'a> {
    /// A class for each sample.
    Classes { labels: &'a [u32], classes: usize },
    /// A number for each sample. Folds are stratified by `strata`.
    Numbers { values: &'a [f64], strata: &'a [u32] },
    /// 0 or 1 for each sample and label, sample after sample.
    Labels { rows: &'a [u8], labels: usize },
}

impl SampleTarget<'_> {
    /// Number of samples.
    pub(super) fn len(&self) -> usize {
        match *self {
            SampleTarget::Classes { labels, .. } => labels.len(),
            SampleTarget::Numbers { values, .. } => values.len(),
            SampleTarget::Labels { rows, labels } => rows.len() / labels.max(1),
        }
    }

    /// The stratum of every sample: folds have the same shares of each.
    pub(super) fn strata(&self) -> Vec<u32> {
        match *self {
            SampleTarget::Classes { labels, .. } => labels.to_vec(),
            SampleTarget::Numbers { strata, .. } => strata.to_vec(),
            SampleTarget::Labels { .. } => vec![0; self.len()],
        }
    }

    /// Samples per class, without the largest class: the mean over the others. Numbers and labels: all samples.
    pub(super) fn per_class(&self) -> f64 {
        let SampleTarget::Classes { labels, classes } = *self else { return self.len() as f64 };
        let mut counts = vec![0usize; classes];
        for &label in labels {
            counts[label as usize] += 1;
        }
        let others = counts.iter().filter(|&&count| count > 0).count().saturating_sub(1);
        let largest = counts.iter().copied().max().unwrap_or(0);
        if others == 0 { labels.len() as f64 } else { (labels.len() - largest) as f64 / others as f64 }
    }

    /// Entropy in bits. Labels: the mean over the labels. Numbers: that of a standard Gaussian; the entropy of a
    /// continuous target has no zero, so only differences of it have a meaning.
    pub(super) fn entropy(&self) -> f64 {
        let of = |shares: &[f64]| -> f64 { shares.iter().filter(|&&p| p > 0.0).map(|p| -p * p.log2()).sum() };
        match *self {
            SampleTarget::Classes { labels, classes } => of(&shares(labels, classes, 0.0)),
            SampleTarget::Numbers { .. } => 0.5 * (std::f64::consts::TAU * std::f64::consts::E).log2(),
            SampleTarget::Labels { rows, labels } => {
                let share = |label: usize| {
                    let own = rows.iter().skip(label).step_by(labels).filter(|&&has| has == 1).count();
                    own as f64 / self.len().max(1) as f64
                };
                let each = (0..labels).map(|label| of(&[share(label), 1.0 - share(label)]));
                each.sum::<f64>() / labels.max(1) as f64
            }
        }
    }

    /// The scale of a numeric target, learned from these samples.
    pub(super) fn scale(&self, samples: &[usize]) -> Option<TargetScale> {
        let SampleTarget::Numbers { values, .. } = *self else { return None };
        Some(TargetScale::learn(&samples.iter().map(|&at| values[at]).collect::<Vec<_>>()))
    }

    /// The target of these samples, for a regression.
    pub(super) fn of(&self, samples: &[usize], scale: Option<&TargetScale>) -> RidgeTarget {
        match *self {
            SampleTarget::Classes { labels, classes } => {
                RidgeTarget::classes(samples.iter().map(|&at| labels[at]).collect(), classes)
            }
            SampleTarget::Numbers { values, .. } => {
                let scale = scale.expect("numbers have a scale");
                RidgeTarget::Numbers(samples.iter().map(|&at| scale.standardised(values[at])).collect())
            }
            SampleTarget::Labels { rows, labels } => {
                let own = |&at: &usize| rows[at * labels..(at + 1) * labels].iter().copied();
                RidgeTarget::labels(samples.iter().flat_map(own).collect(), labels)
            }
        }
    }

    /// Bits gained over the constant model on a sample, by a model of `fitted` with the scores of a row.
    pub(super) fn bits(
        &self,
        fitted: &RidgeTarget,
        scale: Option<&TargetScale>,
        fit: ScoreFit,
        sample: usize,
        scores: (&SmallMatrix, usize),
    ) -> f64 {
        let score = |output: usize| scores.0[(scores.1, output)];
        match *self {
            SampleTarget::Classes { labels, classes } => {
                let class = labels[sample] as usize;
                let log_odds: Vec<f64> =
                    (0..classes).map(|c| fitted.intercept(c) + fit.temperature * score(c)).collect();
                (log_odds[class] - log_sum_exp(&log_odds) - fitted.intercept(class)) / std::f64::consts::LN_2
            }
            SampleTarget::Numbers { values, .. } => {
                let value = scale.map_or(0.0, |scale| scale.standardised(values[sample]));
                fitted.bits(&Outcome::Number(value), &score, fit)
            }
            SampleTarget::Labels { rows, labels } => {
                fitted.bits(&Outcome::Labels(&rows[sample * labels..(sample + 1) * labels]), &score, fit)
            }
        }
    }
}
