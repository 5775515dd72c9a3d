//! The results of a run, for each split and over all splits, before the verdict.

use serde::{Deserialize, Serialize};

use crate::act::ActReport;
use crate::compat::Compatibility;
use crate::evidence::{self, Estimate, Samples};
use crate::information::Information;
use crate::ordered_map::OrderedMap;
use crate::probe::{BeyondDegree, Histogram, InfoScore};
use crate::score;
use crate::spec::{Group, Subject, TaskKind};
use crate::split::TimeOrder;

/// Results on one component on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComponentReport {
    /// NetInfoF score, on validation pairs or on labelled nodes.
    pub score: f64,
    /// The score without the bias of few samples (Grassberger 2003); without information it varies around
    /// `no_information`.
    pub corrected: f64,
    /// The 95 % interval of `corrected`.
    pub interval: [f64; 2],
    /// The score on a scale from 0, no information, to 1.
    pub normalized: f64,
    /// Accuracy of the same table, an upper bound of the score (theorem 2).
    pub accuracy: f64,
    /// The score without information.
    pub no_information: f64,
    /// Accuracy of the bins' most frequent labels, learned from training samples, on validation samples.
    pub held_out: Estimate,
    /// How often shuffled labels score as high.
    pub p_value: f64,
    /// Links with uniform negatives: the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree: Option<BeyondDegree>,
    /// Number of samples in the table.
    pub samples: u64,
    /// Number of bins or clusters of the table.
    pub bins: usize,
    /// The table: one row per bin or cluster, with its counts of non-edges and edges, or of each class.
    pub table: Vec<Vec<u64>>,
    /// Links: the borders between the bins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub borders: Vec<f32>,
    /// Links, first split: histogram of the similarities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// Number of columns of the embedding.
    pub dim: usize,
    /// Links: the compatibility matrix.
    #[serde(flatten)]
    pub compat: Option<CompatReport>,
}

/// Results on a compatibility matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompatReport {
    /// Iterations of the least-squares fit of H*; 0 if there was none.
    pub iterations: usize,
    /// Relative residual of that fit.
    pub residual: Option<f64>,
    /// Free coefficients of the matrix.
    pub coefficients: usize,
    /// Share of the matrix's absolute sum that lies on its diagonal: near 1 if similar nodes are linked
    /// (homophily) or if each dimension is linked to its own opposite, smaller if different dimensions are
    /// linked.
    pub diagonal_share: f64,
    /// Share of negative entries on the diagonal: a dimension is linked to its own opposite (heterophily).
    pub opposed_share: f64,
    /// First split: the strongest entry of each block of the matrix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pooled: Vec<Vec<f32>>,
    /// Rows and columns of a block; 1 if `pooled` is the matrix itself.
    pub block: usize,
}

impl CompatReport {
    /// Maximum number of blocks per side.
    const BLOCKS: usize = 32;

    fn new(compatibility: &Compatibility) -> Self {
        let h = &compatibility.matrix;
        let d = h.rows();
        let of = |chosen: fn(usize, usize, f32) -> bool| -> f64 {
            let row = |i: usize| h.row(i).iter().enumerate().filter(move |(j, v)| chosen(i, *j, **v));
            (0..d).flat_map(row).map(|(_, v)| f64::from(v.abs())).sum()
        };
        let all = of(|_, _, _| true);
        let block = d.div_ceil(Self::BLOCKS).max(1);
        let strongest = |row: usize, col: usize| {
            let rows = (row * block..d.min((row + 1) * block))
                .map(|i| &h.row(i)[col * block..d.min((col + 1) * block)]);
            rows.flatten().fold(0.0f32, |top, &v| if v.abs() > top.abs() { v } else { top })
        };
        // A matrix of zeros has no shares.
        let share = |part: f64| if all > 0.0 { part / all } else { 0.0 };
        CompatReport {
            iterations: compatibility.lsqr.as_ref().map_or(0, |info| info.iterations),
            residual: compatibility.lsqr.as_ref().map(|info| info.residual),
            coefficients: compatibility.coefficients,
            diagonal_share: share(of(|i, j, _| i == j)),
            opposed_share: share(of(|i, j, v| i == j && v < 0.0)),
            pooled: (0..d.div_ceil(block))
                .map(|row| (0..d.div_ceil(block)).map(|col| strongest(row, col)).collect())
                .collect(),
            block,
        }
    }
}

/// Results on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SplitReport {
    /// Seed of the split.
    pub seed: u64,
    /// By component.
    pub components: OrderedMap<ComponentReport>,
    /// Links: degrees alone, and the columns of X by group if X is one of the components.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub parts: OrderedMap<ComponentReport>,
    /// Links with uniform negatives: how well training degrees alone separate validation edges from the other
    /// pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree_auc: Option<f64>,
    /// Results of Act; absent after `Goal::Probe`.
    #[serde(flatten)]
    pub act: Option<ActReport>,
    /// Test samples that a training sample repeats: different nodes with the same features, or edges between
    /// such nodes.
    pub repeats: usize,
    /// Links whose edges have times: how the sets lie in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeOrder>,
    /// Wall-clock time of every stage.
    pub seconds: OrderedMap<f64>,
    #[serde(skip)]
    pub(crate) samples: Samples,
    #[serde(skip)]
    pub(crate) matched: Option<Samples>,
    /// Bits about the target, by groups of components.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictive_information: Option<Information>,
    /// Links with uniform negatives: the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree_information: Option<Information>,
}

impl SplitReport {
    /// Without the data that only figures need; figures of one split are enough.
    pub(crate) fn plain(mut self) -> Self {
        for (_, component) in self.components.values_mut().chain(self.parts.values_mut()) {
            component.histogram = None;
            if let Some(compat) = &mut component.compat {
                compat.pooled = Vec::new();
            }
        }
        if let Some(act) = &mut self.act {
            act.curves = None;
        }
        self
    }
}

impl ComponentReport {
    pub(crate) fn new(info: &InfoScore, dim: usize, compat: Option<&Compatibility>) -> Self {
        ComponentReport {
            score: info.score,
            corrected: info.corrected.value,
            interval: info.corrected.interval,
            normalized: score::normalized(info.score, info.no_information),
            held_out: info.held_out,
            accuracy: info.accuracy,
            no_information: info.no_information,
            p_value: info.p_value,
            beyond_degree: info.beyond_degree,
            samples: info.table.samples(),
            bins: info.table.bins(),
            table: info.table.rows().map(<[u64]>::to_vec).collect(),
            borders: info.borders.clone(),
            histogram: info.histogram.clone(),
            dim,
            compat: compat.map(CompatReport::new),
        }
    }
}

/// Results on one component over all splits: means, except for the p-value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComponentSummary {
    /// Its group in the verdict.
    pub group: Group,
    /// NetInfoF score.
    pub score: f64,
    /// The score without the bias of few samples.
    pub corrected: f64,
    /// The 95 % interval of `corrected`; samples that several splits share count once.
    pub interval: [f64; 2],
    /// The score on a scale from 0, no information, to 1.
    pub normalized: f64,
    /// Accuracy of the same tables.
    pub accuracy: f64,
    /// The score without information.
    pub no_information: f64,
    /// Accuracy on held-out samples.
    pub held_out: Estimate,
    /// How often shuffled labels score as high: the median of the splits.
    pub p_value: f64,
    /// Links with uniform negatives: means of the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree: Option<BeyondDegree>,
    /// Whether it is a signal: see the module `verdict`.
    pub tells: bool,
}

impl ComponentSummary {
    fn new(name: &str, own: &[&ComponentReport], splits: &SplitsInfo) -> Self {
        let mean_of =
            |figure: fn(&ComponentReport) -> f64| mean(&own.iter().map(|c| figure(c)).collect::<Vec<_>>());
        let estimate = |of: fn(&ComponentReport) -> Estimate| {
            Estimate::mean(&own.iter().map(|c| of(c)).collect::<Vec<_>>(), splits.repetition)
        };
        let corrected = estimate(|c| Estimate { value: c.corrected, interval: c.interval });
        let p_value = median(own.iter().map(|c| c.p_value).collect());
        let matched: Option<Vec<BeyondDegree>> = own.iter().map(|c| c.beyond_degree).collect();
        let beyond_degree = matched.filter(|m| !m.is_empty()).map(|matched| {
            let of = |of: fn(&BeyondDegree) -> Estimate| {
                Estimate::mean(&matched.iter().map(of).collect::<Vec<_>>(), splits.repetition)
            };
            let corrected = of(|m| Estimate { value: m.corrected, interval: m.interval });
            BeyondDegree {
                corrected: corrected.value,
                interval: corrected.interval,
                held_out: of(|m| m.held_out),
                p_value: median(matched.iter().map(|m| m.p_value).collect()),
            }
        });
        let held_out = estimate(|c| c.held_out);
        let seen = Observed { p_value, held_out, components: splits.components, task: splits.task };
        let matched = beyond_degree.map(|m| Observed { p_value: m.p_value, held_out: m.held_out, ..seen });
        ComponentSummary {
            group: Subject::of(name).map_or(Group::Other, |subject| subject.group(splits.featureless)),
            score: mean_of(|c| c.score),
            corrected: corrected.value,
            interval: corrected.interval.map(|end| end.min(1.0)),
            normalized: mean_of(|c| c.normalized),
            accuracy: mean_of(|c| c.accuracy),
            no_information: mean_of(|c| c.no_information),
            held_out,
            p_value,
            beyond_degree,
            tells: seen.predicts() && matched.is_none_or(|matched| matched.predicts()),
        }
    }

    /// Whether it is a signal against uniform negatives, possibly by degrees only.
    pub(crate) fn tells_by_degree(&self, components: usize) -> bool {
        let seen =
            Observed { p_value: self.p_value, held_out: self.held_out, components, task: TaskKind::Links };
        self.beyond_degree.is_some() && !self.tells && seen.predicts()
    }
}

/// Facts that the splits of a run share.
pub(crate) struct SplitsInfo {
    pub(crate) task: TaskKind,
    pub(crate) featureless: bool,
    /// Number of measured components.
    pub(crate) components: usize,
    /// How many times each sample was used, on average.
    pub(crate) repetition: f64,
    /// Number of nodes with a label.
    pub(crate) labelled: usize,
}

impl SplitsInfo {
    pub(crate) fn new(task: TaskKind, featureless: bool, labelled: usize, splits: &[SplitReport]) -> Self {
        SplitsInfo {
            task,
            featureless,
            labelled,
            components: splits.first().map_or(1, |split| split.components.len()),
            repetition: evidence::repetition(splits.iter().map(|split| &split.samples.units[..])),
        }
    }
}

/// Significance level of the tests, before division by their number.
pub(crate) const LEVEL: f64 = 0.05;
/// Observations of a component on one kind of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    pub(crate) p_value: f64,
    pub(crate) held_out: Estimate,
    pub(crate) components: usize,
    pub(crate) task: TaskKind,
}

impl Observed {
    /// Whether it is a signal: better than shuffled labels and, for links, in the direction learned from
    /// training pairs.
    pub(crate) fn predicts(&self) -> bool {
        self.p_value <= LEVEL / self.components as f64
            && (self.task != TaskKind::Links || self.held_out.value > 0.5)
    }
}

/// Components and the parts of X, over all splits.
pub(crate) fn summaries(splits: &[SplitReport], info: &SplitsInfo) -> (Summaries, Summaries) {
    let of = |own: fn(&SplitReport) -> &OrderedMap<ComponentReport>| -> Summaries {
        let Some(first) = splits.first() else { return OrderedMap::default() };
        own(first)
            .iter()
            .map(|(name, _)| {
                let found: Vec<&ComponentReport> = splits.iter().filter_map(|s| own(s).get(name)).collect();
                (name.to_string(), ComponentSummary::new(name, &found, info))
            })
            .collect()
    };
    (of(|split| &split.components), of(|split| &split.parts))
}

type Summaries = OrderedMap<ComponentSummary>;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median; of an even number of values, the upper one.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_in_short() {
        let matrix = crate::matrix::Matrix::from_fn(40, 40, |i, j| match (i, j) {
            (0, 0) => 3.0,
            (1, 1) => -4.0,
            (2, 39) | (39, 2) => 0.5,
            _ => 0.0,
        });
        let found = CompatReport::new(&Compatibility { matrix, coefficients: 3, lsqr: None });
        assert!(
            (found.diagonal_share - 7.0 / 8.0).abs() < 1e-12 && (found.opposed_share - 0.5).abs() < 1e-12
        );
        assert_eq!((found.block, found.pooled.len()), (2, 20));
        assert_eq!((found.pooled[0][0], found.pooled[1][19], found.pooled[5][5]), (-4.0, 0.5, 0.0));
        let none = Compatibility { matrix: crate::matrix::Matrix::zeros(0, 0), coefficients: 0, lsqr: None };
        assert_eq!(
            (CompatReport::new(&none).diagonal_share, CompatReport::new(&none).pooled.len()),
            (0.0, 0)
        );
    }
}
