//! Probe on label sets: one table of clusters and labels for each label.
//!
//! The score is `2^−H` with H the mean of H(label | cluster) over the labels. A node is one sample: intervals and
//! permutations treat all of its labels together.

use super::{InfoScore, NodeProbeParams};
use crate::component::{Component, Normalization};
use crate::error::Result;
use crate::evidence::{Estimate, Samples};
use crate::exec::Exec;
use crate::graph::NodeId;
use crate::kernel;
use crate::linalg::kmeans;
use crate::probe::Probed;
use crate::score::Contingency;
use crate::seed::{Seed, Stream};
use crate::split::NodeSplit;

/// Number of clusters: labels have no number of classes to derive it from.
const CLUSTERS: usize = 8;

/// Clusters of nodes and the labels of the nodes in them.
struct LabelTable<'a> {
    clusters: &'a [u32],
    count: usize,
    rows: &'a [u8],
    labels: usize,
}

impl LabelTable<'_> {
    /// For every label, the table of clusters and whether nodes have the label. `order` are the nodes whose labels
    /// the clusters get.
    fn tables(&self, order: &[u32]) -> Vec<Contingency> {
        let mut tables = vec![Contingency::new(self.count, 2); self.labels];
        for (&cluster, &node) in self.clusters.iter().zip(order) {
            let row = &self.rows[node as usize * self.labels..][..self.labels];
            for (table, &has) in tables.iter_mut().zip(row) {
                table.add(cluster as usize, usize::from(has));
            }
        }
        tables
    }

    /// The most frequent value of every label in every cluster, from these nodes; the overall one in empty clusters.
    fn guesses(&self, nodes: usize) -> Vec<Vec<u8>> {
        let guess = |label: usize| {
            let mut counts = vec![[0u64; 2]; self.count];
            let mut all = [0u64; 2];
            for node in 0..nodes {
                let has = usize::from(self.rows[node * self.labels + label]);
                counts[self.clusters[node] as usize][has] += 1;
                all[has] += 1;
            }
            let frequent = |[no, yes]: [u64; 2]| u8::from(yes > no);
            counts.into_iter().map(|own| frequent(if own == [0, 0] { all } else { own })).collect()
        };
        (0..self.labels).map(guess).collect()
    }
}

/// `2^−` the mean of these entropies.
fn score(tables: &[Contingency], entropy: fn(&Contingency) -> f64) -> f64 {
    (-tables.iter().map(entropy).sum::<f64>() / tables.len().max(1) as f64).exp2()
}

/// Scores every component: clusters of the test nodes' embeddings, against the labels of training and validation
/// nodes.
pub(super) fn labels(
    components: &[Component],
    split: &NodeSplit,
    names: &[String],
    params: &NodeProbeParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Probed> {
    let known = [&split.sets.train[..], &split.sets.valid].concat();
    let (train, samples) = (split.sets.train.len(), known.len());
    let rows = split.target.label_rows(&known);
    let k = (params.clusters_per_class * CLUSTERS / 2).clamp(2, split.sets.test.len().max(2));
    let scores = exec.stage("probe", components.len(), || {
        exec.try_map(components, |component| {
            let z = component.normalized(Normalization::ByKind, exec);
            let of = |nodes: &[NodeId]| kernel::gather_rows(&z, nodes, exec);
            let unit = component.kind.spec().stream;
            let (centres, _) = kmeans(&of(&split.sets.test), k, &params.kmeans, seed, unit, exec)?;
            let nearest = kernel::nearest_centres(&of(&known), &centres, exec);
            let clusters: Vec<u32> = nearest.iter().map(|centre| centre.0).collect();
            let table =
                LabelTable { clusters: &clusters, count: centres.rows(), rows: &rows, labels: names.len() };
            exec.step()?;
            Ok(table.info(train, samples, params.permutations, seed, unit))
        })
    })?;
    let units = known.iter().map(|&node| u64::from(node)).collect();
    // Without bins: components of label sets are compared by predictive information only.
    let samples = Samples { labels: vec![0; samples], classes: 1, units, bins: Vec::new() };
    Ok(Probed { scores, parts: Vec::new(), samples, matched: None })
}

impl LabelTable<'_> {
    fn info(&self, train: usize, samples: usize, permutations: usize, seed: Seed, unit: u64) -> InfoScore {
        let mut order: Vec<u32> = (0..samples as u32).collect();
        let tables = self.tables(&order);
        let found = score(&tables, Contingency::conditional_entropy);
        let accuracy = tables.iter().map(Contingency::accuracy).sum::<f64>() / self.labels as f64;
        let without = tables.iter().map(|table| -table.no_information().log2()).sum::<f64>();
        // The null distribution gives the p-value and the bias of few samples.
        let mut draw = seed.stream(Stream::Permutations, unit);
        let shuffled: Vec<f64> = (0..permutations)
            .map(|_| {
                draw.shuffle(&mut order);
                score(&self.tables(&order), Contingency::conditional_entropy)
            })
            .collect();
        let hits = shuffled.iter().filter(|&&own| own >= found - 1e-12).count();
        let corrected = score(&tables, Contingency::corrected_entropy);
        // Nodes are resampled, each with all of its labels.
        let mut draw = seed.stream(Stream::Resampling, unit);
        let mut resampled: Vec<f64> = (0..REPLICATES)
            .map(|_| {
                let mut tables = vec![Contingency::new(self.count, 2); self.labels];
                for _ in 0..samples {
                    let node = draw.below(samples as u32) as usize;
                    let row = &self.rows[node * self.labels..][..self.labels];
                    for (table, &has) in tables.iter_mut().zip(row) {
                        table.add(self.clusters[node] as usize, usize::from(has));
                    }
                }
                score(&tables, Contingency::conditional_entropy) - found
            })
            .collect();
        let centre = resampled.iter().sum::<f64>() / REPLICATES as f64;
        resampled.sort_unstable_by(f64::total_cmp);
        let end = |share: f64| resampled[(share * (REPLICATES - 1) as f64).round() as usize] - centre;
        let interval = [corrected - end(0.975), corrected - end(0.025)].map(|end| end.clamp(0.0, 1.0));
        let guesses = self.guesses(train);
        let right = (train..samples).map(|node| {
            let row = &self.rows[node * self.labels..][..self.labels];
            let cluster = self.clusters[node] as usize;
            let right = row.iter().zip(&guesses).filter(|(has, guess)| **has == guess[cluster]).count();
            right as f64 / self.labels as f64
        });
        let held_out = Estimate::of_values(right);
        // The shown table: how many nodes of each cluster have each label.
        let mut shown = Contingency::new(self.count, self.labels);
        for (label, table) in tables.iter().enumerate() {
            for (cluster, row) in table.rows().enumerate() {
                shown.add_many(cluster, label, row[1]);
            }
        }
        InfoScore {
            score: found,
            accuracy,
            no_information: (-without / self.labels as f64).exp2(),
            corrected: Estimate { value: corrected, interval },
            p_value: (1 + hits) as f64 / (1 + permutations) as f64,
            held_out,
            table: shown,
            borders: Vec::new(),
            histogram: None,
            beyond_degree: None,
        }
    }
}

/// Number of resampled sets of nodes for an interval.
const REPLICATES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clusters; label 0 is the cluster, label 1 is split evenly in both.
    #[test]
    fn the_score_is_the_mean_over_labels() {
        let clusters: Vec<u32> = (0..400).map(|at| u32::from(at >= 200)).collect();
        let rows: Vec<u8> = (0..400).flat_map(|at| [u8::from(at >= 200), u8::from(at % 2 == 0)]).collect();
        let table = LabelTable { clusters: &clusters, count: 2, rows: &rows, labels: 2 };
        let info = table.info(300, 400, 99, Seed(0), 0);
        // Entropies 0 and 1 bit, and 1 bit each without information.
        assert!((info.score - 0.5f64.sqrt()).abs() < 1e-12 && (info.no_information - 0.5).abs() < 1e-12);
        assert!(info.p_value <= 0.01 && (info.held_out.value - 0.75).abs() < 1e-12, "{info:?}");
        let [low, high] = info.corrected.interval;
        assert!(low <= 0.7072 && high >= 0.707, "{info:?}");
        // Labels that have nothing to do with clusters.
        let rows: Vec<u8> = (0..400).flat_map(|at| [u8::from(at % 2 == 0), u8::from(at % 3 == 0)]).collect();
        let table = LabelTable { clusters: &clusters, count: 2, rows: &rows, labels: 2 };
        assert!(table.info(300, 400, 99, Seed(0), 0).p_value > 0.2);
    }
}
