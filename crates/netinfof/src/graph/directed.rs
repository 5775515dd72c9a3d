//! Directed graphs: every node in two roles, as the source and as the target of edges.
//!
//! The edge i → j joins i in the role of a source and j in the role of a target, so a directed graph is a bipartite
//! graph of roles, and is treated as one. Negatives are ordered pairs: j → i is one unless it is an edge. The SVD
//! of its adjacency has left and right singular vectors for the two roles, walks and propagation alternate between
//! out-edges and in-edges, and the score of i → j differs from that of j → i. What a graph of roles does not show
//! is that two of its nodes are one: [`Sides::twin`] says so, for pairs that are no candidates and for the columns
//! of X that need both roles of a node.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Csr, Features, Graph, LabelSets, NodeId, Pair, Sides, Target, WeightTransform};
use crate::error::{Error, Result};

/// Names of the two roles.
pub const ROLES: [&str; 2] = ["source", "target"];

/// The edges of a graph as they were listed, with their weights.
#[derive(Clone, Debug)]
pub(super) struct ListedEdges {
    edges: Vec<Pair>,
    weights: Option<(Vec<f32>, WeightTransform)>,
    /// Their times, and whether they are dates, if there are any.
    times: Option<(Vec<f64>, bool)>,
}

impl Graph {
    /// Notes the directions of the edges, for [`Graph::in_roles`]: the list from which the graph was built, and the
    /// weights of its entries.
    #[must_use]
    pub fn with_directions(mut self, edges: Vec<Pair>, weights: Option<(Vec<f32>, WeightTransform)>) -> Self {
        self.listed = Some(Arc::new(ListedEdges { edges, weights, times: None }));
        self
    }

    /// Notes the times of the listed edges, if directions were noted.
    pub(super) fn note_times(&mut self, contacts: &[Pair], times: &[f64], dates: bool) {
        if let Some(listed) = self.listed.as_mut().filter(|listed| listed.edges == contacts) {
            let (edges, weights) = (listed.edges.clone(), listed.weights.clone());
            *listed = Arc::new(ListedEdges { edges, weights, times: Some((times.to_vec(), dates)) });
        }
    }

    /// Whether directions were noted.
    pub fn has_directions(&self) -> bool {
        self.listed.is_some()
    }

    /// The directed graph: a bipartite graph of the nodes as sources, followed by the nodes as targets, with the
    /// features of each node in both roles. The source stands for the node where nodes are predicted: it has the
    /// label. Also returns notices about weights. Panics without directions.
    ///
    /// ```
    /// use netinfof::Graph;
    /// let edges = vec![[0, 1], [1, 0], [2, 1], [2, 2]];
    /// let graph = Graph::from_edges("d", 3, &edges)?.with_directions(edges, None).in_roles()?.0;
    /// assert!(graph.is_directed());
    /// assert_eq!((graph.nodes(), graph.edge_count(), graph.self_loops()), (6, 3, 1));
    /// // 2 → 1: the source 2 and the target 1.
    /// assert!(graph.adjacency().contains(2, 3 + 1) && !graph.adjacency().contains(1, 3 + 2));
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn in_roles(self) -> Result<(Self, Vec<String>)> {
        let listed = self.listed.clone().expect("directions were noted");
        self.check_no_context("directed graphs")?;
        if self.sides().is_some() {
            let what =
                "a bipartite graph: its edges always lead from one side to the other; leave `directed` out";
            return Err(Error::InvalidGraph { what: what.into() });
        }
        let count = NodeId::try_from(self.nodes()).expect("nodes fit in u32");
        let Some(nodes) = count.checked_mul(2) else {
            let what = format!("{count} nodes; at most {} are possible in a directed graph", NodeId::MAX / 2);
            return Err(Error::InvalidGraph { what });
        };
        let of_roles = |[i, j]: Pair| [i, count + j];
        let keeps = |at: usize| listed.edges[at][0] != listed.edges[at][1];
        let edges: Vec<Pair> =
            listed.edges.iter().enumerate().filter(|own| keeps(own.0)).map(|own| of_roles(*own.1)).collect();
        let mut graph = Graph::from_edges(self.name.clone(), nodes as usize, &edges)?;
        graph = graph.with_self_loops(listed.edges.len() - edges.len());
        let name = |role: &str, node: usize| format!("{role}:{}", self.node_name(node));
        let ids = ROLES.iter().flat_map(|role| (0..self.nodes()).map(move |node| (role, node)));
        let ids: Vec<String> = ids.map(|(role, node)| name(role, node)).collect();
        graph = graph.with_ids(ids);
        let mut notices = Vec::new();
        if let Some((weights, transform)) = &listed.weights {
            let own: Vec<f32> =
                weights.iter().enumerate().filter(|own| keeps(own.0)).map(|own| *own.1).collect();
            (graph, notices) = graph.with_weights(&edges, &own, *transform)?;
        }
        if let Some(times) = self.times() {
            let Some((own, dates)) = &listed.times else {
                let what = format!("times in `{}` of other edges than those with directions", times.column());
                return Err(Error::InvalidGraph { what });
            };
            let own: Vec<f64> = own.iter().enumerate().filter(|own| keeps(own.0)).map(|own| *own.1).collect();
            graph = graph.with_times(times.column(), &edges, &own, *dates)?;
        }
        let twice: Vec<NodeId> = (0..count).chain(0..count).collect();
        graph.features = match &self.features {
            Features::None => Features::None,
            features => features.rows_of(&twice),
        };
        for own in &self.custom {
            let rows = own.rows.rows_of(&twice);
            graph.custom.push(super::CustomComponent { name: own.name, rows });
        }
        graph = graph.with_target_of_sources(&self)?;
        graph.schema.clone_from(&self.schema);
        graph.unknown_nodes = self.unknown_nodes;
        let sides = Sides::new((0..nodes).map(|node| node >= count).collect());
        let sides = sides.named(ROLES.map(String::from)).with_qualified_ids(true).into_roles();
        Ok((graph.with_sides(sides)?, notices))
    }

    /// The same with the target of the nodes, which the sources have.
    fn with_target_of_sources(self, nodes: &Graph) -> Result<Self> {
        let unknown = nodes.nodes();
        if let Some(labels) = nodes.labels() {
            let labels = labels.iter().copied().chain(std::iter::repeat_n(-1, unknown)).collect();
            return Ok(self.with_labels(labels)?.with_class_names(nodes.class_names.clone()));
        }
        match nodes.target() {
            None => Ok(self),
            Some(Target::Numbers(values)) => self
                .with_numbers(values.iter().copied().chain(std::iter::repeat_n(f64::NAN, unknown)).collect()),
            Some(Target::Labels(sets)) => {
                let width = sets.names().len();
                let row = |node: usize| match sets.row(node) {
                    Some(own) => own.iter().map(|&has| i8::from(has == 1)).collect(),
                    None => vec![-1; width],
                };
                let mut rows: Vec<i8> = (0..unknown).flat_map(row).collect();
                rows.resize(2 * unknown * width, -1);
                self.with_label_sets(LabelSets::new(sets.names().to_vec(), &rows)?)
            }
        }
    }

    /// The labels, in a directed graph of both roles of every node.
    pub(super) fn labels_of_roles(&self) -> Option<Cow<'_, [i32]>> {
        let labels = self.labels()?;
        if !self.is_directed() {
            return Some(Cow::Borrowed(labels));
        }
        let sources = &labels[..labels.len() / 2];
        Some(Cow::Owned([sources, sources].concat()))
    }

    /// The nodes without edges, features and labels, by their names; in a directed graph each of them once.
    #[must_use]
    pub fn names_of_nodes(&self) -> Graph {
        let bare = self.bare();
        if !self.is_directed() {
            return bare;
        }
        let count = self.nodes() / 2;
        let sides = self.sides().expect("roles are sides");
        let name = |node: usize| sides.plain(node as NodeId, &self.node_name(node)).to_string();
        let ids = (0..count).map(name).collect();
        Graph::from_pattern(self.name(), Csr::symmetric(count, &[]), 0).with_ids(ids).without_sides()
    }

    /// For every node, the first node with the same features; in a directed graph of the same role.
    pub(crate) fn feature_twins(&self) -> Vec<NodeId> {
        let mut twins = self.features.twins(self.nodes());
        if self.is_directed() {
            let count = twins.len() / 2;
            let (sources, targets) = twins.split_at_mut(count);
            targets.iter_mut().zip(sources).for_each(|(target, source)| *target = *source + count as NodeId);
        }
        twins
    }

    /// Whether the graph is directed: a graph of roles.
    pub fn is_directed(&self) -> bool {
        self.sides().is_some_and(Sides::are_roles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    #[test]
    fn roles_of_a_small_graph() {
        let edges = vec![[0, 1], [1, 2], [1, 2], [2, 1], [0, 0]];
        let x = Matrix::from_vec(3, 1, vec![1.0, 2.0, 3.0]);
        let graph = Graph::from_edges("g", 3, &edges).unwrap().with_features(Features::Dense(x)).unwrap();
        let graph = graph.with_ids(["a", "b", "c"].map(String::from).to_vec());
        let weights = vec![1.0, 2.0, 3.0, 9.0, 7.0];
        let directed = graph.with_directions(edges, Some((weights, WeightTransform::Linear))).in_roles();
        let (directed, notices) = directed.unwrap();
        assert_eq!(directed.edges(), [[0, 4], [1, 5], [2, 4]]);
        assert_eq!(directed.weights().unwrap().given(), [1.0, 5.0, 9.0]);
        assert_eq!(notices.len(), 1);
        assert_eq!((directed.node_name(1), directed.node_name(5)), ("source:b".into(), "target:c".into()));
        assert_eq!((directed.self_loops(), directed.features().cols()), (1, 1));
        let Features::Dense(x) = directed.features() else { panic!() };
        assert_eq!(x.as_slice(), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
        let sides = directed.sides().unwrap();
        assert!(sides.across([0, 5]) && !sides.across([0, 3]) && !sides.across([0, 1]));
        assert_eq!((sides.pairs(), sides.twin(1), sides.twin(4)), (6, Some(4), Some(1)));
    }
}
