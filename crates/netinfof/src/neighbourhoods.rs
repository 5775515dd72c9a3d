//! How alike the neighbourhoods of the graph and of the feature space are, without labels.
//!
//! For a sampled node i, the similarity of its features with those of a neighbour j is compared with the
//! similarity with a node r that is not a neighbour. The figure is the AUC of these comparisons: 0.5 where the
//! two neighbourhoods are unrelated, so that each may carry what the other does not; 1 where neighbours in the
//! graph are always closer in feature space; 0 where they are always farther. The same with nodes at two steps
//! in place of neighbours shows a relation that skips one step, as in bipartite graphs. RINGS (Coupette et
//! al., ICML 2025) compares the distances of both spaces for the same purpose.
//!
//! - Similarity is the cosine of prepared rows, centred by their mean. Without centring, rows that are close
//!   to the mean would be similar to all others.
//! - Nodes r are ends of random edges, as neighbours are: features that depend only on the degree are
//!   unrelated to neighbourhoods.
//! - Comparisons share nodes, hence features. The interval is that of a jackknife over groups of nodes: a
//!   group is removed from all three roles.
//! - The preparation is learned from the sampled rows, so the cost does not grow with the graph.

use std::collections::BTreeSet;

use crate::component::{ComponentParams, FeatureOperator, Preparation};
use crate::csr::{Csr, NodeId};
use crate::evidence::{Estimate, NORMAL};
use crate::exec::Exec;
use crate::graph::{FeatureSimilarity, Features, Graph, GraphFacts};
use crate::matrix::Matrix;
use crate::seed::{Draw, Seed, Stream};
use crate::spec::Weighting;

/// Largest number of sampled nodes.
const NODES: usize = 1000;
/// The same where rows are long.
const LEAST_NODES: usize = 100;
/// Largest number of stored feature values in the sample.
const VALUES: usize = 1 << 23;
/// Sampled neighbours of a node, and nodes at two steps.
const NEAR: usize = 3;
/// Nodes that a node is compared with.
const OTHERS: usize = 32;
/// Rows for each sampled node: itself, its neighbours, nodes at two steps, and one of the others.
const ROWS: usize = 2 + 2 * NEAR;
/// Groups of the jackknife.
const GROUPS: u32 = 25;
/// Fewer nodes have no interval.
const FEWEST: usize = 10;
/// Similarities that differ by less are equal.
const TIE: f64 = 1e-6;

impl Graph {
    /// Facts about the graph. `O(m)`, one pass over all features, and features of a sample of nodes.
    pub fn facts(&self) -> GraphFacts {
        self.facts_with(&self.feature_twins())
    }

    /// The same, with twins that were already computed.
    pub(crate) fn facts_with(&self, twins: &[NodeId]) -> GraphFacts {
        self.plain_facts(twins, feature_similarity(self))
    }
}

/// One sampled node, with the nodes that its features are compared with.
struct Comparison {
    node: NodeId,
    neighbours: Vec<NodeId>,
    two_steps: Vec<NodeId>,
    others: Vec<NodeId>,
}

/// Similarities of one node's features, each with the group of the other node.
struct Similarities {
    group: u32,
    neighbours: Vec<(u32, f64)>,
    two_steps: Vec<(u32, f64)>,
    others: Vec<(u32, f64)>,
}

/// Compares the neighbourhoods; `None` without features that differ, and where fewer than [`FEWEST`] nodes
/// have neighbours and other nodes.
fn feature_similarity(graph: &Graph) -> Option<FeatureSimilarity> {
    let mut draw = Seed(0).stream(Stream::Neighbourhoods, 0);
    let compared = sample(graph, &mut draw);
    if compared.len() < FEWEST {
        return None;
    }
    let all = |own: &Comparison| {
        let others = [&own.neighbours[..], &own.two_steps, &own.others].concat();
        others.into_iter().chain([own.node])
    };
    let nodes: Vec<NodeId> = compared.iter().flat_map(all).collect::<BTreeSet<_>>().into_iter().collect();
    let groups: Vec<u32> = nodes.iter().map(|_| draw.below(GROUPS)).collect();
    let rows = CentredRows::new(graph, &nodes)?;
    let at = |node: &NodeId| nodes.binary_search(node).expect("all of them are listed");
    let mut room = rows.room();
    let similarities: Vec<Similarities> = compared
        .iter()
        .map(|own| {
            let row = at(&own.node);
            rows.open(row, &mut room);
            let to = |others: &[NodeId]| -> Vec<(u32, f64)> {
                others.iter().map(at).map(|other| (groups[other], rows.cosine(row, other, &room))).collect()
            };
            let [neighbours, two_steps, others] =
                [&own.neighbours, &own.two_steps, &own.others].map(|own| to(own));
            rows.close(row, &mut room);
            Similarities { group: groups[row], neighbours, two_steps, others }
        })
        .collect();
    Some(FeatureSimilarity {
        neighbours: jackknife(&similarities, |own| &own.neighbours)?,
        two_steps: jackknife(&similarities, |own| &own.two_steps),
        sampled: compared.len(),
    })
}

/// Sampled nodes that have neighbours and other nodes.
fn sample(graph: &Graph, draw: &mut Draw) -> Vec<Comparison> {
    let adjacency = graph.adjacency();
    let count = match graph.features() {
        Features::None => return Vec::new(),
        Features::Dense(x) => VALUES / (ROWS * x.cols().max(1)),
        Features::Sparse(x) => VALUES / (ROWS * (x.nnz() / x.rows().max(1)).max(1)),
    };
    let count = count.clamp(LEAST_NODES, NODES);
    let mut nodes: Vec<NodeId> = if graph.nodes() <= count {
        (0..).take(graph.nodes()).collect()
    } else {
        let all = u32::try_from(graph.nodes()).expect("nodes fit in u32");
        let mut drawn = BTreeSet::new();
        // Many nodes may be isolated.
        for _ in 0..20 * count {
            let node = draw.below(all);
            if graph.degree(node as usize) > 0 && drawn.len() < count {
                drawn.insert(node);
            }
        }
        drawn.into_iter().collect()
    };
    nodes.retain(|&node| graph.degree(node as usize) > 0);
    // Ends of random edges, shared by all nodes, so that there are few rows.
    let pool: Vec<NodeId> = nodes.iter().map(|_| adjacency.indices()[index(draw, adjacency.nnz())]).collect();
    let compare = |node| compare(adjacency, node, &pool, draw);
    nodes.into_iter().map(compare).filter(|own| !own.others.is_empty()).collect()
}

fn compare(graph: &Csr, node: NodeId, pool: &[NodeId], draw: &mut Draw) -> Comparison {
    let row = graph.row(node as usize);
    let is_other = |other: &NodeId| *other != node && !graph.contains(node, *other);
    let mut neighbours = row.to_vec();
    if row.len() > NEAR {
        draw.shuffle(&mut neighbours);
        neighbours.truncate(NEAR);
    }
    let mut two_steps = || {
        let between = row[index(draw, row.len())] as usize;
        graph.row(between)[index(draw, graph.row(between).len())]
    };
    let two_steps = (0..4 * NEAR).map(|_| two_steps()).filter(is_other).take(NEAR).collect();
    let others = (0..4 * OTHERS).map(|_| pool[index(draw, pool.len())]).filter(is_other).take(OTHERS);
    Comparison { node, neighbours, two_steps, others: others.collect() }
}

/// A random index into a list of this length.
fn index(draw: &mut Draw, length: usize) -> usize {
    // The bias is at most the length over 2⁵³.
    (draw.unit() * length as f64) as usize
}

/// The AUC over all nodes, with its interval. `None` if no node is near a sampled one.
fn jackknife(all: &[Similarities], near: impl Fn(&Similarities) -> &Vec<(u32, f64)>) -> Option<Estimate> {
    let without = |removed: u32| {
        let (mut sum, mut nodes) = (0.0, 0usize);
        for own in all.iter().filter(|own| own.group != removed) {
            let kept = |own: &&(u32, f64)| own.0 != removed;
            let (mut wins, mut pairs) = (0.0, 0usize);
            for (_, close) in near(own).iter().filter(kept) {
                for (_, far) in own.others.iter().filter(kept) {
                    let gap = close - far;
                    wins += if gap.abs() < TIE { 0.5 } else { f64::from(gap > 0.0) };
                    pairs += 1;
                }
            }
            if pairs > 0 {
                sum += wins / pairs as f64;
                nodes += 1;
            }
        }
        (nodes > 0).then(|| sum / nodes as f64)
    };
    let value = without(GROUPS)?;
    // Without a value for every group, one group has all comparisons, and there is no evidence.
    let left: Option<Vec<f64>> = (0..GROUPS).map(without).collect();
    let interval = left.map_or([0.0, 1.0], |left| {
        let mean = left.iter().sum::<f64>() / left.len() as f64;
        let squares = left.iter().map(|own| (own - mean).powi(2)).sum::<f64>();
        let half = NORMAL * (squares * (left.len() - 1) as f64 / left.len() as f64).sqrt();
        [(value - half).max(0.0), (value + half).min(1.0)]
    });
    Some(Estimate { value, interval })
}

/// Prepared rows of features. Only their distances from the mean are used; sparse rows stay sparse.
struct CentredRows {
    rows: Rows,
    /// Products with the mean row.
    with_mean: Vec<f64>,
    /// Squared length of the mean row.
    mean: f64,
    /// Lengths after centring.
    lengths: Vec<f64>,
}

enum Rows {
    Dense(Matrix),
    Sparse(Csr),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Rows::Dense(x) => x.rows(),
            Rows::Sparse(x) => x.rows(),
        }
    }

    fn width(&self) -> usize {
        match self {
            Rows::Dense(x) => x.cols(),
            Rows::Sparse(x) => x.cols(),
        }
    }

    /// The entries of a row that may differ from zero.
    fn entries(&self, row: usize) -> Box<dyn Iterator<Item = (usize, f64)> + '_> {
        match self {
            Rows::Dense(x) => Box::new(x.row(row).iter().map(|&v| f64::from(v)).enumerate()),
            Rows::Sparse(x) => {
                let values = x.row_values(row);
                let value = move |at: usize| values.map_or(1.0, |values| f64::from(values[at]));
                Box::new(x.row(row).iter().enumerate().map(move |(at, &col)| (col as usize, value(at))))
            }
        }
    }
}

impl CentredRows {
    /// Prepares the features of these nodes. `None` if all rows are equal.
    fn new(graph: &Graph, nodes: &[NodeId]) -> Option<Self> {
        let features = graph.features().rows_of(nodes);
        let exec = Exec::new(1).ok()?;
        let params = ComponentParams::default();
        let learned = Preparation::learn(&features, Weighting::Equal, graph.adjacency(), &params, &exec);
        let mut rows = match learned.apply(&features, graph.adjacency(), &exec) {
            FeatureOperator::Dense(x) => Rows::Dense(x),
            FeatureOperator::Large(x) => Rows::Dense(x.whole(&exec)),
            FeatureOperator::Sparse { matrix, .. } => Rows::Sparse(matrix),
        };
        if !learned.lengths_matter() {
            let lengths: Vec<f64> = (0..rows.len())
                .map(|row| rows.entries(row).map(|(_, v)| v * v).sum::<f64>().sqrt())
                .map(|length| if length > 0.0 { length } else { 1.0 })
                .collect();
            match &mut rows {
                Rows::Dense(x) => {
                    for (row, &length) in lengths.iter().enumerate() {
                        x.row_mut(row).iter_mut().for_each(|v| *v = (f64::from(*v) / length) as f32);
                    }
                }
                Rows::Sparse(x) => x.map_values(|row, v| (f64::from(v) / lengths[row]) as f32),
            }
        }
        let mut mean = vec![0.0; rows.width()];
        for row in 0..rows.len() {
            rows.entries(row).for_each(|(col, v)| mean[col] += v / rows.len() as f64);
        }
        let product = |row: usize| rows.entries(row).map(|(col, v)| v * mean[col]).sum::<f64>();
        let with_mean: Vec<f64> = (0..rows.len()).map(product).collect();
        let mean: f64 = mean.iter().map(|v| v * v).sum();
        let lengths: Vec<f64> = (0..rows.len())
            .map(|row| {
                let square = rows.entries(row).map(|(_, v)| v * v).sum::<f64>();
                let centred = square - 2.0 * with_mean[row] + mean;
                // Rows at the mean, except for rounding errors.
                if centred > 1e-9 * (square + mean) { centred.sqrt() } else { 0.0 }
            })
            .collect();
        lengths.iter().any(|&length| length > 0.0).then_some(CentredRows { rows, with_mean, mean, lengths })
    }

    fn room(&self) -> Vec<f64> {
        vec![0.0; self.rows.width()]
    }

    /// Writes a row into `room` for [`CentredRows::cosine`].
    fn open(&self, row: usize, room: &mut [f64]) {
        self.rows.entries(row).for_each(|(col, v)| room[col] = v);
    }

    fn close(&self, row: usize, room: &mut [f64]) {
        self.rows.entries(row).for_each(|(col, _)| room[col] = 0.0);
    }

    /// The cosine of two centred rows, of which `room` holds the first; 0 for a row at the mean.
    fn cosine(&self, row: usize, other: usize, room: &[f64]) -> f64 {
        let lengths = self.lengths[row] * self.lengths[other];
        if lengths == 0.0 {
            return 0.0;
        }
        let product: f64 = match &self.rows {
            Rows::Dense(x) => x.row(other).iter().zip(room).map(|(&v, own)| f64::from(v) * own).sum(),
            Rows::Sparse(_) => self.rows.entries(other).map(|(col, v)| v * room[col]).sum(),
        };
        (product - self.with_mean[row] - self.with_mean[other] + self.mean) / lengths
    }
}

#[cfg(test)]
mod tests;
