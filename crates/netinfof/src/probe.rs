//! Probe: how much usable information each component carries, without training a model (paper, algorithms 2 and 3).
//!
//! Links: the similarity of pairs, in quantile bins, against edge or no edge. Nodes: clusters of the embedding against
//! the classes.

use serde::{Deserialize, Serialize};

use crate::component::{Component, Normalization};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::NodeId;
use crate::linalg::{KMeansParams, assign, kmeans};
use crate::link::{Evaluated, Learned};
use crate::matrix::Matrix;
use crate::score::{Contingency, bin, p_value, quantile_borders};
use crate::seed::{Seed, Stream};
use crate::split::NodeSplit;

/// Parameters of Probe on links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkProbeParams {
    /// Bins of the similarity, k (default 8).
    pub bins: usize,
    /// Random negatives for each training edge when the bins are placed (default 2).
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
    /// Clusters, k, as a multiple of the number of classes (default 2; DESIGN.md has the sweep).
    pub clusters_per_class: usize,
    /// k-means.
    pub kmeans: KMeansParams,
    /// Permutations behind the p-value (default 199).
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
    /// The score of knowing nothing, 2^−H(Y); 0.5 for links.
    pub no_information: f64,
    /// Nodes: how often shuffled labels score as high.
    pub p_value: Option<f64>,
    /// The table: bins by (no edge, edge), or clusters by classes.
    pub table: Contingency,
}

impl InfoScore {
    fn new(table: Contingency) -> Self {
        InfoScore {
            score: table.score(),
            accuracy: table.accuracy(),
            no_information: table.no_information(),
            p_value: None,
            table,
        }
    }
}

/// Scores every component: bins placed on training pairs, counted on validation pairs.
pub fn links(
    learned: &[Learned],
    valid: &Evaluated,
    params: &LinkProbeParams,
    exec: &Exec,
) -> Result<Vec<InfoScore>> {
    exec.stage("probe", learned.len(), || {
        learned
            .iter()
            .map(|Learned { component, probe, .. }| {
                // Borders from training pairs only: validation pairs would leak the class balance.
                let borders = quantile_borders(probe, params.bins);
                let mut table = Contingency::new(params.bins, 2);
                for (label, set) in [(1, &valid.positives), (0, &valid.negatives)] {
                    for similarity in component.similarities(set, exec) {
                        table.add(bin(&borders, similarity), label);
                    }
                }
                exec.step()?;
                Ok(InfoScore::new(table))
            })
            .collect()
    })
}

/// Scores every component: clusters of the test nodes' embeddings, against the labels of training and validation nodes.
///
/// Rows are scaled to length 1 first. The labels of the test nodes are never looked at.
pub fn nodes(
    components: &[Component],
    split: &NodeSplit,
    params: &NodeProbeParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Vec<InfoScore>> {
    params.validate()?;
    let classes = split.classes.len();
    let k = (params.clusters_per_class * classes).min(split.sets.test.len());
    let known = [&split.sets.train[..], &split.sets.valid].concat();
    let labels = split.labels_of(&known);
    exec.stage("probe", components.len(), || {
        exec.try_map(components, |component| {
            let z = component.normalized(Normalization::Rows, exec);
            let rows = |nodes: &[NodeId]| {
                let mut rows = Matrix::zeros(nodes.len(), z.cols());
                exec.fill_matrix(&mut rows, |at, row| row.copy_from_slice(z.row(nodes[at] as usize)));
                rows
            };
            let unit = component.kind as u64;
            let (centres, _) = kmeans(&rows(&split.sets.test), k, &params.kmeans, seed, unit, exec)?;
            let clusters: Vec<u32> = assign(&rows(&known), &centres, exec).iter().map(|a| a.0).collect();
            let shape = [centres.rows(), classes];
            let mut table = Contingency::new(shape[0], shape[1]);
            for (&cluster, &label) in clusters.iter().zip(&labels) {
                table.add(cluster as usize, label as usize);
            }
            let mut draw = seed.stream(Stream::Permutations, unit);
            let p_value = p_value(&clusters, &labels, shape, params.permutations, &mut draw);
            exec.step()?;
            Ok(InfoScore { p_value: Some(p_value), ..InfoScore::new(table) })
        })
    })
}
