//! Facts about a graph, for users and reports: sizes, degrees, several measures of homophily, duplicate rows.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::target::TargetFacts;
use super::{
    ColumnSummary, Context, ContextFacts, Csr, EdgeTimes, EdgeWeights, Features, Graph, NodeId, Schema,
    Sides, SidesOrigin, TimesFacts, Truth, WeightFacts, shape,
};
use crate::evidence::Estimate;

/// More classes are not listed one by one.
const LISTED_CLASSES: usize = 1000;

/// Facts about a graph: the answer of `netinfof inspect`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphFacts {
    /// Name for reports.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of undirected edges, without self loops and duplicates.
    pub edges: usize,
    /// Number of feature columns.
    pub features: usize,
    /// Number of classes.
    pub classes: usize,
    /// Mean degree.
    pub mean_degree: f64,
    /// Median degree.
    pub median_degree: usize,
    /// Largest degree.
    pub max_degree: usize,
    /// Nodes without an edge.
    pub isolated: usize,
    /// Histogram of degrees in powers of two: from, to, count.
    pub degrees: Vec<[usize; 3]>,
    /// Correlation of the degrees at the two ends of an edge; `None` if all are equal.
    pub degree_assortativity: Option<f64>,
    /// Number of connected components.
    #[serde(default)]
    pub connected_components: usize,
    /// Number of nodes in the largest connected component.
    #[serde(default)]
    pub largest_component: usize,
    /// Mean over the nodes with two neighbours or more of the share of pairs of neighbours that are joined,
    /// from a sample of nodes on large graphs; `None` without such nodes, and where every node is a source and a target.
    #[serde(default)]
    pub clustering: Option<f64>,
    /// Whether the graph has an edge and no cycle of odd length: the nodes have two sides, and every edge
    /// joins both.
    #[serde(default)]
    pub bipartite: bool,
    /// Whether the edges have directions that are used. Every node then counts twice, as a source and as a target.
    #[serde(default)]
    pub directed: bool,
    /// Whether the edges have weights that are used.
    #[serde(default)]
    pub weighted: bool,
    /// The weights, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightFacts>,
    /// Self loops in the source.
    pub self_loops_dropped: usize,
    /// Duplicate edges in the source.
    pub duplicates_dropped: usize,
    /// `dense`, `sparse` or `none`.
    pub feature_storage: Cow<'static, str>,
    /// Share of nonzero feature entries.
    pub feature_density: f64,
    /// Number of missing feature values.
    #[serde(default)]
    pub missing_features: usize,
    /// Nodes with the same features as an earlier node; rows of zeros are ignored.
    pub repeated_features: usize,
    /// Nodes with the same neighbours and features as an earlier node: probably copies.
    pub duplicated_nodes: usize,
    /// How similar the features of nearby nodes are; `None` without edges or features that differ.
    #[serde(default)]
    pub feature_similarity: Option<FeatureSimilarity>,
    /// The feature columns; empty if there are more than 256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnSummary>,
    /// Number of nodes of every class; empty if there are more than 1000 classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub class_sizes: Vec<usize>,
    /// Names of the classes, if they are not their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub class_names: Vec<String>,
    /// What was read of the source; without its columns if there are more than 256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
    /// Nodes with a known label or target.
    pub labelled: usize,
    /// The target, if it is not one class per node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetFacts>,
    /// Edge homophily: the share of edges between labelled nodes that join nodes of the same class.
    pub edge_homophily: Option<f64>,
    /// Other measures of homophily; `None` without labels.
    #[serde(flatten)]
    pub homophily: Option<Homophily>,
    /// Generated graphs: which components carry information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// Bipartite graphs: their two sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<SidesFacts>,
    /// The times of the edges, if they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<TimesFacts>,
    /// Edges of other relations that serve as structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextFacts>,
}

/// The two sides of a bipartite graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SidesFacts {
    /// Names of the first and the second side.
    pub names: [String; 2],
    /// Number of nodes on each.
    pub nodes: [usize; 2],
    /// How they were found.
    pub origin: SidesOrigin,
}

impl SidesFacts {
    fn of(sides: &Sides) -> Self {
        let nodes = [0, 1].map(|side| sides.nodes(side).len());
        SidesFacts { names: sides.names().clone(), nodes, origin: sides.origin() }
    }
}

/// Measures of homophily. Only edges between labelled nodes count, and degrees are numbers of such edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Homophily {
    /// Share of a node's neighbours that have its class, averaged over the nodes (Pei et al. 2020).
    pub node_homophily: f64,
    /// Excess of each class's share of edges within the class over the class's size, averaged over the
    /// classes (Lim et al. 2021).
    pub class_insensitive_homophily: f64,
    /// Edge homophily adjusted for degrees and class sizes: 0 if edges are independent of classes (Platonov
    /// et al. 2023).
    pub adjusted_homophily: f64,
    /// Share of the entropy of a label that the label of a neighbour removes (Platonov et al. 2023).
    pub label_informativeness: f64,
}

/// How similar a node's features are to those of nodes near it, against those of nodes that are not its
/// neighbours: the probability that they are more similar (AUC). 0.5 if neighbourhoods of the graph and of
/// the feature space are unrelated. From a sample of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureSimilarity {
    /// Neighbours.
    pub neighbours: Estimate,
    /// Nodes at two steps that are not neighbours; `None` if there are none.
    pub two_steps: Option<Estimate>,
    /// Number of sampled nodes.
    pub sampled: usize,
}

impl Graph {
    /// All facts, of which those that need prepared features are given.
    pub(crate) fn plain_facts(
        &self,
        twins: &[NodeId],
        feature_similarity: Option<FeatureSimilarity>,
    ) -> GraphFacts {
        let mut degrees: Vec<usize> = (0..self.nodes()).map(|node| self.degree(node)).collect();
        let assortativity = assortativity(&self.adjacency, &degrees);
        degrees.sort_unstable();
        let labelled = self.labelled();
        let labels = self.labels_of_roles();
        let (edge_homophily, homophily) = labels.and_then(|l| homophily(&self.adjacency, &l)).unzip();
        let shape = shape::of(&self.adjacency);
        let listed = self.classes() <= LISTED_CLASSES;
        let mut class_sizes = vec![0; if listed { self.classes() } else { 0 }];
        for label in self.labels().unwrap_or_default().iter().filter_map(|&label| usize::try_from(label).ok())
        {
            if let Some(size) = class_sizes.get_mut(label) {
                *size += 1;
            }
        }
        let repeated = (0..).zip(twins).filter(|(node, first)| node != *first).count();
        GraphFacts {
            name: self.name.clone(),
            nodes: self.nodes(),
            edges: self.edge_count(),
            features: self.features.cols(),
            classes: self.classes(),
            mean_degree: if degrees.is_empty() {
                0.0
            } else {
                2.0 * self.edge_count() as f64 / degrees.len() as f64
            },
            median_degree: degrees.get(degrees.len() / 2).copied().unwrap_or(0),
            max_degree: degrees.last().copied().unwrap_or(0),
            isolated: degrees.iter().take_while(|&&degree| degree == 0).count(),
            degrees: by_powers(&degrees),
            degree_assortativity: assortativity,
            connected_components: shape.components,
            largest_component: shape.largest,
            // Sources and targets are two sides, so none of them are joined.
            clustering: shape.clustering.filter(|_| !self.is_directed()),
            bipartite: shape.bipartite,
            directed: self.is_directed(),
            weighted: self.adjacency.values().is_some(),
            weights: self.weights().map(EdgeWeights::facts),
            self_loops_dropped: self.self_loops,
            duplicates_dropped: self.duplicates,
            feature_storage: match self.features {
                Features::None => "none",
                Features::Dense(_) => "dense",
                Features::Sparse(_) => "sparse",
            }
            .into(),
            feature_density: self.features.density(),
            missing_features: self.features.missing(),
            repeated_features: repeated,
            duplicated_nodes: copies(&self.adjacency, twins).len(),
            feature_similarity,
            columns: Schema::summaries(self.schema(), &self.features),
            class_sizes,
            class_names: self.class_names().filter(|_| listed).unwrap_or_default().to_vec(),
            schema: self.schema().map(Schema::shortened),
            labelled,
            target: self.target_facts(),
            edge_homophily,
            homophily,
            truth: self.truth.clone(),
            sides: self.sides().map(SidesFacts::of),
            times: self.times().map(EdgeTimes::facts),
            context: self.context().map(Context::facts),
        }
    }
}

/// Degrees, ascending, counted in steps of powers of two: 0, 1, 2–3, 4–7, ….
fn by_powers(degrees: &[usize]) -> Vec<[usize; 3]> {
    let mut steps = Vec::new();
    let (mut from, mut rest) = (0, degrees);
    while !rest.is_empty() {
        let to = if from == 0 { 0 } else { 2 * from - 1 };
        let count = rest.partition_point(|&degree| degree <= to);
        steps.push([from, to, count]);
        rest = &rest[count..];
        from = to + 1;
    }
    steps
}

/// Correlation of the degrees at the ends of the edges, each edge in both directions.
fn assortativity(graph: &Csr, degrees: &[usize]) -> Option<f64> {
    let ends = graph.nnz() as f64;
    let (mut sum, mut squares, mut products) = (0.0, 0.0, 0.0);
    for (node, &own) in degrees.iter().enumerate() {
        let own = own as f64;
        sum += own * own;
        squares += own * own * own;
        let others: usize = graph.row(node).iter().map(|&other| degrees[other as usize]).sum();
        products += own * others as f64;
    }
    let mean = sum / ends;
    let variance = squares / ends - mean * mean;
    // If all degrees are equal, only rounding errors remain.
    (variance > 1e-9 * mean * mean).then(|| (products / ends - mean * mean) / variance)
}

/// Edge homophily and the other measures, from counts of the classes at the ends of edges.
fn homophily(graph: &Csr, labels: &[i32]) -> Option<(f64, Homophily)> {
    let top = usize::try_from(*labels.iter().max()?).ok()?;
    // Nodes by class, so that counting the neighbouring classes of a class needs memory for a single row of
    // the table.
    let mut members = vec![Vec::new(); top + 1];
    for (node, &label) in labels.iter().enumerate() {
        if let Ok(label) = usize::try_from(label) {
            members[label].push(node);
        }
    }
    let labelled: usize = members.iter().map(Vec::len).sum();
    let mut beside = vec![0u64; top + 1];
    let (mut same, mut ends, mut nodes) = (0u64, 0u64, 0usize);
    let (mut of_nodes, mut insensitive, mut squares, mut joint, mut marginal) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let surprise = |count: u64| count as f64 * (count as f64).ln();
    for (class, members) in members.iter().enumerate() {
        let mut touched = Vec::new();
        let mut degree = 0u64;
        for &node in members {
            let (mut own, mut all) = (0u64, 0u64);
            for &other in graph.row(node) {
                let Ok(label) = usize::try_from(labels[other as usize]) else { continue };
                if beside[label] == 0 {
                    touched.push(label);
                }
                beside[label] += 1;
                all += 1;
                own += u64::from(label == class);
            }
            degree += all;
            if all > 0 {
                of_nodes += own as f64 / all as f64;
                nodes += 1;
            }
        }
        if degree > 0 {
            let share = beside[class] as f64 / degree as f64;
            insensitive += (share - members.len() as f64 / labelled as f64).max(0.0);
            squares += (degree as f64).powi(2);
            marginal += surprise(degree);
        }
        same += beside[class];
        ends += degree;
        for label in touched {
            joint += surprise(beside[label]);
            beside[label] = 0;
        }
    }
    if ends == 0 {
        return None;
    }
    let all = ends as f64;
    let edge = same as f64 / all;
    let chance = squares / (all * all);
    // H(y) and H(y, y') of the labels at the two ends, in nats.
    let (single, both) = (all.ln() - marginal / all, all.ln() - joint / all);
    let classes = members.iter().filter(|members| !members.is_empty()).count();
    // If all edges' ends have one class, the entropy is zero except for rounding errors.
    let or_zero = |value: f64| if value.is_finite() && single > 1e-12 { value } else { 0.0 };
    let readings = Homophily {
        node_homophily: of_nodes / nodes as f64,
        class_insensitive_homophily: or_zero(insensitive / (classes as f64 - 1.0)),
        adjusted_homophily: or_zero((edge - chance) / (1.0 - chance)),
        label_informativeness: or_zero((2.0 * single - both) / single),
    };
    Some((edge, readings))
}

impl Features {
    /// For each node, the first node with the same features. A row of zeros matches no other row.
    pub(crate) fn twins(&self, nodes: usize) -> Vec<NodeId> {
        // Nonzero entries, as columns and bits.
        let entries = |node: NodeId| -> Box<dyn Iterator<Item = (u32, u32)> + '_> {
            let row = node as usize;
            match self {
                Features::None => Box::new(std::iter::empty()),
                Features::Dense(x) => Box::new((0..).zip(x.row(row).iter().map(|v| v.to_bits()))),
                Features::Sparse(x) => {
                    let values = x.row_values(row);
                    let bits =
                        move |at: usize| values.map_or(1.0f32.to_bits(), |values| values[at].to_bits());
                    Box::new(x.row(row).iter().enumerate().map(move |(at, &col)| (col, bits(at))))
                }
            }
        };
        let some = |node: NodeId| entries(node).filter(|&(_, bits)| f32::from_bits(bits) != 0.0);
        first_alike(
            nodes,
            |node| mixed(some(node)),
            |a, b| some(a).eq(some(b)),
            |node| some(node).next().is_some(),
        )
    }
}

/// Nodes that have the same neighbours as an earlier node and are its twins, each with that node.
pub(crate) fn copies(graph: &Csr, twins: &[NodeId]) -> Vec<[NodeId; 2]> {
    let entries = |node: NodeId| {
        let row = graph.row(node as usize).iter().map(|&other| (other, 1));
        std::iter::once((twins[node as usize], 0)).chain(row)
    };
    let alike = first_alike(
        graph.rows(),
        |node| mixed(entries(node)),
        |a, b| entries(a).eq(entries(b)),
        |node| !graph.row(node as usize).is_empty(),
    );
    (0..).zip(alike).filter(|(node, first)| node != first).map(|(node, first)| [node, first]).collect()
}

/// For each node, the first equal node; ignored nodes are equal only to themselves.
fn first_alike(
    nodes: usize,
    hash: impl Fn(NodeId) -> u64,
    alike: impl Fn(NodeId, NodeId) -> bool,
    counts: impl Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let mut firsts: Vec<NodeId> = (0..NodeId::try_from(nodes).expect("nodes fit in u32")).collect();
    let mut hashed: Vec<(u64, NodeId)> =
        firsts.iter().filter(|&&node| counts(node)).map(|&node| (hash(node), node)).collect();
    hashed.sort_unstable();
    for group in hashed.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        // Equal hashes may be collisions, so nodes are compared; they are ascending within a group.
        let mut distinct: Vec<NodeId> = Vec::new();
        for &(_, node) in group {
            match distinct.iter().find(|&&first| alike(first, node)) {
                Some(&first) => firsts[node as usize] = first,
                None => distinct.push(node),
            }
        }
    }
    firsts
}

/// Hash of a sequence of numbers, by FNV-1a over words.
fn mixed(entries: impl Iterator<Item = (u32, u32)>) -> u64 {
    entries.fold(0xcbf2_9ce4_8422_2325, |hash, (a, b)| {
        let word = u64::from(a) << 32 | u64::from(b);
        let mixed = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        mixed ^ mixed >> 29
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    fn square(labels: &[i32]) -> Graph {
        let g = Graph::from_edges("square", 4, &[[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap();
        g.with_labels(labels.to_vec()).unwrap()
    }

    #[test]
    fn homophily_by_hand() {
        let facts = square(&[0, 0, 0, 1]).facts();
        assert_eq!(facts.edge_homophily, Some(0.5));
        let h = facts.homophily.unwrap();
        // Nodes: 1/2, 1, 1/2, 0. Class 0: 4 of its 6 ends, 3/4 of the nodes; class 1: none of 2.
        assert!((h.node_homophily - 0.5).abs() < 1e-12);
        assert!(h.class_insensitive_homophily.abs() < 1e-12);
        // Chance: (6/8)² + (2/8)² = 0.625.
        assert!((h.adjusted_homophily - (0.5 - 0.625) / 0.375).abs() < 1e-12);
        // H(y) of 3/4, 1/4 is 0.811 bits, H(y, y') of 1/2, 1/4, 1/4 is 1.5 bits.
        let single = -(0.75f64.log2() * 0.75 + 0.25f64.log2() * 0.25);
        assert!((h.label_informativeness - (2.0 * single - 1.5) / single).abs() < 1e-12);
        // Neighbours always have the other class: no homophily, but full information.
        let h = square(&[0, 1, 0, 1]).facts().homophily.unwrap();
        assert!((h.adjusted_homophily + 1.0).abs() < 1e-12 && (h.label_informativeness - 1.0).abs() < 1e-12);
        // One class, with edge counts whose logarithms round differently; unknown labels; no edge between
        // labelled nodes.
        for nodes in 3..30 {
            let ring: Vec<[u32; 2]> = (0..nodes).map(|i| [i, (i + 1) % nodes]).collect();
            let ring = Graph::from_edges("ring", nodes as usize, &ring)
                .unwrap()
                .with_labels(vec![0; nodes as usize]);
            let h = ring.unwrap().facts().homophily.unwrap();
            assert_eq!((h.label_informativeness, h.adjusted_homophily), (0.0, 0.0), "{nodes}");
        }
        assert_eq!(square(&[0; 4]).facts().homophily.unwrap().label_informativeness, 0.0);
        assert_eq!(square(&[-1, 0, -1, 1]).facts().edge_homophily, None);
        assert_eq!(square(&[0, 0, -1, -1]).facts().edge_homophily, Some(1.0));
    }

    #[test]
    fn degrees_and_their_correlation() {
        // A star: every edge joins a hub with a leaf.
        let star = Graph::from_edges("star", 6, &[[0, 1], [0, 2], [0, 3], [0, 4]]).unwrap().facts();
        assert_eq!(star.degrees, [[0, 0, 1], [1, 1, 4], [2, 3, 0], [4, 7, 1]]);
        assert!((star.degree_assortativity.unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(square(&[0; 4]).facts().degree_assortativity, None);
        // A triangle and an edge: degree 2 next to 2, 1 next to 1.
        let two = Graph::from_edges("two", 5, &[[0, 1], [1, 2], [0, 2], [3, 4]]).unwrap().facts();
        assert!((two.degree_assortativity.unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn twins_and_copies() {
        let x = Matrix::from_vec(5, 2, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -0.0]);
        let sparse = Features::Sparse(Csr::from_dense(&x));
        for features in [Features::Dense(x), sparse] {
            // Rows 1 and 3 are zeros and match no other row.
            assert_eq!(features.twins(5), [0, 1, 0, 3, 0]);
            // 0 and 2 have the neighbour 1 each, 4 has none.
            let g = Graph::from_edges("g", 5, &[[0, 1], [2, 1]]).unwrap().with_features(features).unwrap();
            let facts = g.facts();
            assert_eq!((facts.repeated_features, facts.duplicated_nodes), (2, 1));
        }
        assert_eq!(Features::None.twins(2), [0, 1]);
    }
}
