//! Probe: the usable information of each component, measured without training a model (paper, algorithms 2
//! and 3).
//!
//! Links: the similarity of pairs, in quantile bins, against edge or no edge. Nodes: clusters of the
//! embedding against the classes.

mod labels;

use serde::{Deserialize, Serialize};

use crate::component::{Component, Normalization};
use crate::error::{Error, Result};
use crate::evidence::{self, Estimate, Samples};
use crate::exec::Exec;
use crate::graph::NodeId;
use crate::kernel;
use crate::linalg::{KMeansParams, kmeans};
use crate::link::{Evaluated, Learned, PairScore, PairSet};
use crate::score::{Contingency, bin, quantile_borders};
use crate::seed::{Seed, Stream};
use crate::spec::Subject;
use crate::split::{NodeSplit, SplitTarget};
use crate::training::Training;

/// Parameters of Probe on links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkProbeParams {
    /// Number of bins of the similarity, k (default 8).
    pub bins: usize,
    /// Random negatives per training edge for placing the bins (default 2).
    pub negatives: usize,
}

impl Default for LinkProbeParams {
    fn default() -> Self {
        LinkProbeParams { bins: 8, negatives: 2 }
    }
}

impl LinkProbeParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(2..=65_536).contains(&self.bins) {
            return Err(Error::param("bins", self.bins, "2 to 65536"));
        }
        Ok(())
    }
}

/// Parameters of Probe on nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeProbeParams {
    /// Number of clusters, k, as a multiple of the number of classes (default 2;
    /// docs/design/information-and-verdict.md compares values).
    pub clusters_per_class: usize,
    /// k-means.
    pub kmeans: KMeansParams,
    /// Number of permutations for the p-value (default 199).
    pub permutations: usize,
}

impl Default for NodeProbeParams {
    fn default() -> Self {
        NodeProbeParams { clusters_per_class: 2, kmeans: KMeansParams::default(), permutations: 199 }
    }
}

impl NodeProbeParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(1..=1000).contains(&self.clusters_per_class) {
            return Err(Error::param("clusters_per_class", self.clusters_per_class, "1 to 1000"));
        }
        if !(1..=10_000).contains(&self.kmeans.restarts) {
            return Err(Error::param("restarts", self.kmeans.restarts, "1 to 10000"));
        }
        Ok(())
    }
}

/// The information of one component about the task.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InfoScore {
    /// NetInfoF score, 2^−H(Y|X).
    pub score: f64,
    /// Accuracy of the same table; never below the score.
    pub accuracy: f64,
    /// The score without information, 2^−H(Y); 0.5 for links.
    pub no_information: f64,
    /// The score without the bias of few samples, and its 95 % interval.
    pub corrected: Estimate,
    /// How often shuffled labels score as high.
    pub p_value: f64,
    /// Accuracy of the bins' most frequent labels, learned from other samples: the accuracy on new samples.
    pub held_out: Estimate,
    /// The table: bins by (no edge, edge), or clusters by classes.
    pub table: Contingency,
    /// Links: the borders between the bins.
    pub borders: Vec<f32>,
    /// Links: histogram of the similarities.
    pub histogram: Option<Histogram>,
    /// Links with uniform negatives: the same against degree-matched negatives.
    pub beyond_degree: Option<BeyondDegree>,
}

/// What a component predicts beyond degrees: its score against degree-matched negatives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BeyondDegree {
    /// The score without the bias of few samples.
    pub corrected: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Accuracy of the bins' most frequent labels, learned from training pairs.
    pub held_out: Estimate,
    /// How often shuffled labels score as high.
    pub p_value: f64,
}

/// Histogram of the similarities of validation pairs, with steps of equal width; the first and the last step
/// also count all values beyond them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Histogram {
    /// Borders of the steps.
    pub range: [f32; 2],
    /// Edges in each step.
    pub positives: Vec<u64>,
    /// Other pairs in each step.
    pub negatives: Vec<u64>,
}

impl Histogram {
    const STEPS: usize = 40;

    /// Counts similarities. The range excludes the outermost 0.5 % on both sides.
    fn new(positives: &[f32], negatives: &[f32]) -> Self {
        let mut all = [positives, negatives].concat();
        all.sort_unstable_by(f32::total_cmp);
        let out = all.len() / 200;
        let mut range =
            [all.get(out), all.get(all.len().saturating_sub(out + 1))].map(|v| v.copied().unwrap_or(0.0));
        if range[0] >= range[1] {
            range = [range[0] - 0.5, range[0] + 0.5];
        }
        let count = |values: &[f32]| {
            let mut counts = vec![0; Self::STEPS];
            for value in values {
                let step = (value - range[0]) / (range[1] - range[0]) * Self::STEPS as f32;
                counts[(step.max(0.0) as usize).min(Self::STEPS - 1)] += 1;
            }
            counts
        };
        Histogram { range, positives: count(positives), negatives: count(negatives) }
    }
}

/// Number of permutations for the p-value of links: enough for the verdict's level, 5 % divided by the number
/// of components.
const PERMUTATIONS: usize = 999;

/// Results of Probe, and the samples behind them.
#[derive(Clone, Debug)]
pub struct Probed {
    /// By component.
    pub scores: Vec<InfoScore>,
    /// Degrees, and the columns of X by group if X is one of the components.
    pub(crate) parts: Vec<(Subject, InfoScore)>,
    pub(crate) samples: Samples,
    /// Links with uniform negatives: the same against degree-matched negatives.
    pub(crate) matched: Option<Samples>,
}

/// Validation pairs of a split, prepared for Probe.
#[derive(Clone, Copy, Debug)]
pub struct ProbedPairs<'a> {
    /// As many negatives as edges.
    pub valid: &'a Evaluated,
    /// Degree-matched negatives for the same edges, if those of `valid` are uniform.
    pub matched: Option<&'a PairSet>,
}

impl InfoScore {
    fn new(table: Contingency, held_out: Estimate, p_value: f64, seed: Seed, unit: u64) -> Self {
        InfoScore {
            score: table.score(),
            accuracy: table.accuracy(),
            no_information: table.no_information(),
            corrected: evidence::interval(&table, &mut seed.stream(Stream::Resampling, unit)),
            p_value,
            held_out,
            table,
            borders: Vec::new(),
            histogram: None,
            beyond_degree: None,
        }
    }
}

/// The most frequent label of every bin; ties go to the first, and empty bins get the most frequent label of
/// all samples.
fn most_frequent(weights: &[Vec<f64>]) -> Vec<usize> {
    let top =
        |row: &[f64]| (1..row.len()).fold(0, |best, label| if row[label] > row[best] { label } else { best });
    let labels = weights.first().map_or(0, Vec::len);
    let overall: Vec<f64> = (0..labels).map(|label| weights.iter().map(|row| row[label]).sum()).collect();
    let own = |row: &Vec<f64>| if row.iter().all(|&w| w == 0.0) { top(&overall) } else { top(row) };
    weights.iter().map(own).collect()
}

/// Scores every component: bins placed on training pairs, counted on validation pairs.
pub fn links(
    learned: &[Learned],
    parts: &[PairScore<'_>],
    training: &Training,
    pairs: ProbedPairs<'_>,
    params: &LinkProbeParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Probed> {
    let labels_of = |negatives: &PairSet| {
        let mut labels = vec![1; pairs.valid.positives.len()];
        labels.resize(labels.len() + negatives.len(), 0);
        labels
    };
    let labels = labels_of(&pairs.valid.negatives);
    let matched_labels = pairs.matched.map(labels_of);
    let score = |similarities: &dyn Fn(&PairSet) -> Vec<f32>, probe: &[f32], unit: u64| -> Result<_> {
        // Borders from training pairs only: validation pairs would leak the class balance.
        let borders = quantile_borders(probe, params.bins);
        let binned = |&s: &f32| u32::try_from(bin(&borders, s)).expect("few bins");
        let positives = similarities(&pairs.valid.positives);
        // Training pairs have more negatives than edges; here both have the same total weight.
        let edges = training.probe.edges;
        let weight = [1.0 / (probe.len() - edges).max(1) as f64, 1.0 / edges.max(1) as f64];
        let mut weights = vec![vec![0.0; 2]; params.bins];
        for (at, &similarity) in probe.iter().enumerate() {
            let label = usize::from(at < edges);
            weights[bin(&borders, similarity)][label] += weight[label];
        }
        let guess = most_frequent(&weights);
        let counted = |negatives: &[f32], labels: &[u32]| {
            let bins: Vec<u32> = positives.iter().chain(negatives).map(binned).collect();
            let mut table = Contingency::new(params.bins, 2);
            bins.iter().zip(labels).for_each(|(&bin, &label)| table.add(bin as usize, label as usize));
            let right =
                bins.iter().zip(labels).filter(|&(&bin, &label)| guess[bin as usize] == label as usize);
            let held_out = Estimate::share(right.count() as u64, labels.len() as u64);
            (bins, table, held_out)
        };
        let negatives = similarities(&pairs.valid.negatives);
        let (bins, table, held_out) = counted(&negatives, &labels);
        exec.step()?;
        let mut draw = seed.stream(Stream::Permutations, unit);
        let p_value = evidence::p_value(&table, PERMUTATIONS, &mut draw);
        let mut info = InfoScore::new(table, held_out, p_value, seed, unit);
        info.histogram = Some(Histogram::new(&positives, &negatives));
        let matched = pairs.matched.zip(matched_labels.as_ref()).map(|(negatives, labels)| {
            let (bins, table, held_out) = counted(&similarities(negatives), labels);
            let Estimate { value: corrected, interval, .. } =
                evidence::interval(&table, &mut seed.stream(Stream::MatchedResampling, unit));
            let p_value = evidence::p_value(&table, PERMUTATIONS, &mut draw);
            info.beyond_degree = Some(BeyondDegree { corrected, interval, held_out, p_value });
            bins
        });
        info.borders = borders;
        Ok((info, bins, matched))
    };
    let found = exec.stage("probe", learned.len() + parts.len(), || {
        let found = exec.try_map(learned, |l| {
            score(&|set| l.component.similarities(set, exec), &l.probe, l.component.kind().spec().stream)
        })?;
        // Separate random streams, after those of the components.
        let numbered: Vec<(u64, &PairScore<'_>)> = (1000..).zip(parts).collect();
        let parts = exec.try_map(&numbered, |(unit, part)| {
            score(&|set| part.similarities(set, exec), &part.probe, *unit)
        })?;
        Ok([found, parts].concat())
    })?;
    let names =
        learned.iter().map(|l| l.component.kind().name()).chain(parts.iter().map(|part| part.subject.name()));
    let units = pairs.valid.positives.units();
    let mut samples = Samples { labels, classes: 2, units: units.clone(), bins: Vec::new() };
    let mut matched = matched_labels.map(|labels| Samples { labels, classes: 2, units, bins: Vec::new() });
    let mut scores = Vec::new();
    for (name, (info, bins, matched_bins)) in names.zip(found) {
        samples.bins.push((name.into(), params.bins, bins));
        if let Some((matched, bins)) = matched.as_mut().zip(matched_bins) {
            matched.bins.push((name.into(), params.bins, bins));
        }
        scores.push(info);
    }
    let rest = scores.split_off(learned.len());
    let parts = parts.iter().map(|part| part.subject).zip(rest).collect();
    Ok(Probed { scores, parts, samples, matched })
}

/// Scores every component: clusters of the test nodes' embeddings, against the labels of training and
/// validation nodes. A numeric target is scored by the range that a node's number lies in, with ranges of equal
/// size.
///
/// Rows are scaled to length 1 first, unless their length carries information. The labels of the test nodes
/// are never used.
pub(crate) fn nodes(
    components: &[Component],
    split: &NodeSplit,
    params: &NodeProbeParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Probed> {
    params.validate()?;
    if let SplitTarget::Labels { names, .. } = &split.target {
        return labels::labels(components, split, names, params, seed, exec);
    }
    let classes = split.classes.len();
    let k = (params.clusters_per_class * classes).min(split.sets.test.len());
    let known = [&split.sets.train[..], &split.sets.valid].concat();
    let labels = split.labels_of(&known);
    let found = exec.stage("probe", components.len(), || {
        exec.try_map(components, |component| {
            let z = component.normalized(Normalization::ByKind, exec);
            let rows = |nodes: &[NodeId]| kernel::gather_rows(&z, nodes, exec);
            let unit = component.kind.spec().stream;
            let (centres, _) = kmeans(&rows(&split.sets.test), k, &params.kmeans, seed, unit, exec)?;
            let nearest = kernel::nearest_centres(&rows(&known), &centres, exec);
            let clusters: Vec<u32> = nearest.iter().map(|centre| centre.0).collect();
            let shape = [centres.rows(), classes];
            let mut table = Contingency::new(shape[0], shape[1]);
            for (&cluster, &label) in clusters.iter().zip(&labels) {
                table.add(cluster as usize, label as usize);
            }
            // Labels from the training nodes, evaluated on the validation nodes.
            let train = split.sets.train.len();
            let mut weights = vec![vec![0.0; classes]; shape[0]];
            for (&cluster, &label) in clusters.iter().zip(&labels).take(train) {
                weights[cluster as usize][label as usize] += 1.0;
            }
            let guess = most_frequent(&weights);
            let right = clusters.iter().zip(&labels).skip(train);
            let right = right.filter(|&(&cluster, &label)| guess[cluster as usize] == label as usize).count();
            let held_out = Estimate::share(right as u64, (labels.len() - train) as u64);
            exec.step()?;
            let mut draw = seed.stream(Stream::Permutations, unit);
            let p_value = evidence::p_value_of(&clusters, &labels, &table, params.permutations, &mut draw);
            Ok((InfoScore::new(table, held_out, p_value, seed, unit), clusters))
        })
    })?;
    let named = components.iter().map(|component| component.kind.name().to_string());
    let (scores, bins): (Vec<InfoScore>, Vec<Vec<u32>>) = found.into_iter().unzip();
    let bins =
        named.zip(bins).zip(&scores).map(|((name, bins), info)| (name, info.table.bins(), bins)).collect();
    let units = known.iter().map(|&node| u64::from(node)).collect();
    let samples = Samples { labels, classes, units, bins };
    Ok(Probed { scores, parts: Vec::new(), samples, matched: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_count_all() {
        let positives: Vec<f32> = (0..1000).map(|v| v as f32).collect();
        let histogram = Histogram::new(&positives, &[-1e9, 500.0]);
        // 1002 values: 5 on both sides are outside the range, and counted at its ends.
        assert_eq!(histogram.range, [4.0, 994.0]);
        assert_eq!((histogram.positives.iter().sum::<u64>(), histogram.negatives[0]), (1000, 1));
        assert_eq!(histogram.negatives[20], 1);
        assert_eq!(Histogram::new(&[2.0], &[2.0]).range, [1.5, 2.5]);
        assert_eq!(Histogram::new(&[], &[]).positives, [0; 40]);
    }
}
