//! The input: an undirected simple graph with optional node features and labels (paper, section 2).
//!
//! In: edges, features and labels from a file, a generator or the caller. Out: a [`Graph`] whose parts agree:
//! ids in range, finite features, one row per node.

mod context;
mod digest;
mod directed;
pub(crate) mod facts;
mod features;
mod schema;
mod shape;
mod sides;
mod target;
mod times;
mod truth;
mod weights;

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::spec::{ComponentKind, CustomName};

pub use crate::csr::{Csr, NodeId, Pair};
pub use context::{Context, ContextFacts, ContextNodes, Relation, RelationFacts};
pub use directed::ROLES;
pub use facts::{FeatureSimilarity, GraphFacts, Homophily, SidesFacts};
pub use features::Features;
pub use schema::{ColumnSummary, Dropped, FeatureColumn, FeatureKind, Schema, TimeColumn};
pub use sides::{Sides, SidesOrigin};
pub use target::{LabelSets, Target, TargetFacts, TargetKind};
pub use times::{EdgeTimes, TimeUnit, TimesFacts, day_text};
pub use truth::Truth;
pub use weights::{EdgeWeights, WeightFacts, WeightScale, WeightTransform, checked_weight};

pub use crate::csr::ordered;

/// A user-supplied component: a named matrix with one row per node of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomComponent {
    pub(crate) name: CustomName,
    pub(crate) rows: Features,
}

impl CustomComponent {
    /// The name.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.rows.cols()
    }

    /// The rows, one per node.
    pub fn rows(&self) -> &Matrix {
        match &self.rows {
            Features::Dense(rows) => rows,
            Features::None | Features::Sparse(_) => unreachable!("own components are dense"),
        }
    }
}

/// The inputs of components in addition to the edges, each with one row per node.
#[derive(Clone, Copy, Debug)]
pub struct NodeInputs<'a> {
    pub(crate) features: &'a Features,
    pub(crate) custom: &'a [CustomComponent],
}

impl<'a> From<&'a Features> for NodeInputs<'a> {
    fn from(features: &'a Features) -> Self {
        NodeInputs { features, custom: &[] }
    }
}

impl<'a> From<&'a Graph> for NodeInputs<'a> {
    fn from(graph: &'a Graph) -> Self {
        graph.inputs()
    }
}

/// An undirected simple graph with optional features and labels, and with two sides if it is bipartite.
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    adjacency: Csr,
    features: Features,
    labels: Option<Vec<i32>>,
    /// A target that is not one class per node; then there are no classes.
    target: Option<Arc<Target>>,
    ids: Option<Vec<String>>,
    class_names: Option<Vec<String>>,
    schema: Option<Arc<Schema>>,
    custom: Vec<CustomComponent>,
    truth: Option<Truth>,
    self_loops: usize,
    duplicates: usize,
    unknown_nodes: bool,
    sides: sides::KnownSides,
    weights: Option<EdgeWeights>,
    times: Option<Arc<EdgeTimes>>,
    listed: Option<Arc<directed::ListedEdges>>,
    /// Edges of other relations.
    context: Option<Arc<Context>>,
}

impl Graph {
    /// Builds the graph of these edges. They are symmetrised; self loops and duplicates are dropped and
    /// counted.
    ///
    /// ```
    /// use netinfof::Graph;
    /// let g = Graph::from_edges("path", 3, &[[0, 1], [1, 0], [1, 2], [2, 2]])?;
    /// assert_eq!((g.nodes(), g.edge_count(), g.self_loops(), g.duplicates()), (3, 2, 1, 1));
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn from_edges(name: impl Into<String>, nodes: usize, edges: &[Pair]) -> Result<Self> {
        Graph::check_size(nodes, edges.len())?;
        let outside = |edge: &Pair| edge.iter().any(|&end| end as usize >= nodes);
        if let Some(at) = edges.iter().position(outside) {
            let [i, j] = edges[at];
            let what = format!("edge {at} is ({i}, {j}), but node ids must lie below {nodes}");
            return Err(Error::InvalidGraph { what });
        }
        let mut sorted: Vec<Pair> = edges.iter().filter(|e| e[0] != e[1]).map(|&e| ordered(e)).collect();
        let self_loops = edges.len() - sorted.len();
        let proper = sorted.len();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(Graph {
            name: name.into(),
            adjacency: Csr::symmetric(nodes, &sorted),
            features: Features::None,
            labels: None,
            target: None,
            ids: None,
            class_names: None,
            schema: None,
            custom: Vec::new(),
            truth: None,
            self_loops,
            duplicates: proper - sorted.len(),
            unknown_nodes: false,
            sides: sides::KnownSides::Unstated,
            weights: None,
            times: None,
            listed: None,
            context: None,
        })
    }

    /// Checks that the number of nodes is plausible for the number of edges.
    pub fn check_size(nodes: usize, edges: usize) -> Result<()> {
        if nodes > u32::MAX as usize {
            return Err(Error::InvalidGraph {
                what: format!("{nodes} nodes; at most {} are possible", u32::MAX),
            });
        }
        // A file that claims more is damaged or malicious; memory is allocated only in proportion to the
        // edges.
        if nodes > 1_000_000 && nodes / 1000 > edges {
            let what =
                format!("{nodes} nodes but {edges} edges; far fewer nodes were expected, check the ids");
            return Err(Error::InvalidGraph { what });
        }
        Ok(())
    }

    /// A graph from a symmetric pattern without self loops, from which `duplicates` duplicate edges were
    /// dropped.
    pub fn from_pattern(name: impl Into<String>, adjacency: Csr, duplicates: usize) -> Self {
        Graph {
            name: name.into(),
            adjacency,
            features: Features::None,
            labels: None,
            target: None,
            ids: None,
            class_names: None,
            schema: None,
            custom: Vec::new(),
            truth: None,
            self_loops: 0,
            duplicates,
            unknown_nodes: false,
            sides: sides::KnownSides::Unstated,
            weights: None,
            times: None,
            listed: None,
            context: None,
        }
    }

    /// Records the number of self loops that were dropped.
    #[must_use]
    pub fn with_self_loops(mut self, self_loops: usize) -> Self {
        self.self_loops = self_loops;
        self
    }

    /// Adds node features; one row per node, all finite. Stored zeros of a sparse matrix are dropped, and
    /// duplicate entries are summed, so that equal matrices are equal features.
    pub fn with_features(mut self, mut features: Features) -> Result<Self> {
        if let Features::Sparse(x) = &mut features {
            x.compact();
        }
        features.check(self.nodes())?;
        self.features = if features.cols() == 0 { Features::None } else { features };
        Ok(self.with_inputs_of_context())
    }

    /// Adds a user-supplied component: one row of numbers per node, NaN for missing values. It is prepared
    /// like features, and probed, judged and used like the built-in components.
    ///
    /// ```
    /// use netinfof::{Graph, Matrix};
    /// let graph = Graph::from_edges("path", 3, &[[0, 1], [1, 2]])?;
    /// let text = Matrix::from_vec(3, 2, vec![0.1, 0.9, 0.2, 0.7, 0.8, 0.1]);
    /// let graph = graph.with_component("text", text)?;
    /// assert_eq!(graph.custom_components()[0].name(), "text");
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn with_component(mut self, name: &str, rows: Matrix) -> Result<Self> {
        let name = CustomName::new(name)?;
        if self.custom.iter().any(|own| own.name == name) {
            return Err(Error::param("component", name.as_str(), "a different name for each component"));
        }
        let rows = Features::Dense(rows);
        if rows.cols() == 0 {
            return Err(Error::param("component", name.as_str(), "at least one column"));
        }
        rows.check(self.nodes()).map_err(|e| match e {
            Error::InvalidGraph { what } => {
                let what = what.replace("feature rows", "rows").replace("feature of", "value of");
                Error::InvalidGraph { what: format!("component `{}`: {what}", name.as_str()) }
            }
            other => other,
        })?;
        self.custom.push(CustomComponent { name, rows });
        Ok(self.with_inputs_of_context())
    }

    /// The user-supplied components.
    pub fn custom_components(&self) -> &[CustomComponent] {
        &self.custom
    }

    /// The same graph with exactly these user-supplied components.
    pub(crate) fn keep_components(mut self, kept: &[ComponentKind]) -> Self {
        self.custom.retain(|own| kept.contains(&ComponentKind::Custom(own.name)));
        self.with_inputs_of_context()
    }

    /// Adds class labels `0, 1, …`; −1 means unknown. If all are unknown, the graph has no labels.
    pub fn with_labels(mut self, labels: Vec<i32>) -> Result<Self> {
        if labels.len() != self.nodes() {
            let what = format!(
                "{} label{} for {} nodes; one label per node was expected",
                labels.len(),
                if labels.len() == 1 { "" } else { "s" },
                self.nodes()
            );
            return Err(Error::InvalidGraph { what });
        }
        if let Some((node, label)) = labels.iter().enumerate().find(|&(_, &label)| label < -1) {
            let what = format!("label {label} of node {node}; labels are 0, 1, … or -1 where unknown");
            return Err(Error::InvalidGraph { what });
        }
        let most = i32::try_from(1_000_000 + 10 * labels.len()).unwrap_or(i32::MAX);
        if let Some((node, label)) = labels.iter().enumerate().find(|&(_, &label)| label > most) {
            let what = format!("label {label} of node {node}; classes must be numbered 0, 1, …");
            return Err(Error::InvalidGraph { what });
        }
        self.labels = labels.iter().any(|&label| label >= 0).then_some(labels);
        self.target = None;
        Ok(self)
    }

    /// Adds the users' own node ids. Panics unless there is one id per node. Ids should be unique.
    #[must_use]
    pub fn with_ids(mut self, ids: Vec<String>) -> Self {
        assert_eq!(ids.len(), self.nodes(), "one id per node");
        self.ids = Some(ids);
        self
    }

    /// Declares that no node of this graph is in a model's graph, whatever its id.
    #[must_use]
    pub fn with_unknown_nodes(mut self) -> Self {
        self.unknown_nodes = true;
        self
    }

    /// Whether no node of this graph is in a model's graph.
    pub(crate) fn has_unknown_nodes(&self) -> bool {
        self.unknown_nodes
    }

    /// Copies borrowed features, so that later changes by their owner have no effect.
    #[must_use]
    pub(crate) fn on_its_own(mut self) -> Self {
        let custom = self.custom.iter_mut().map(|own| &mut own.rows);
        for features in custom.chain([&mut self.features]) {
            if let Features::Dense(x) = features {
                x.as_mut_slice();
            }
        }
        self
    }

    /// Sets the name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same nodes with exactly these edges, such as the training edges of a fold.
    pub fn with_edges(&self, edges: &[Pair]) -> Result<Self> {
        let built = Graph::from_edges(self.name.clone(), self.nodes(), edges)?;
        let (self_loops, duplicates) = (built.self_loops, built.duplicates);
        Ok(Graph { self_loops, duplicates, ..self.with_adjacency(built.adjacency) })
    }

    /// The same nodes with other edges, whose times are not known.
    pub(crate) fn with_adjacency(&self, adjacency: Csr) -> Self {
        assert_eq!(adjacency.rows(), self.nodes(), "the same nodes");
        let weights = self.weights_of(&adjacency);
        Graph { adjacency, weights, times: None, ..self.clone() }
    }

    /// The adjacency of the graph's edges together with these; self loops are ignored. Borrowed if the graph
    /// contains all of them. `O(m)` at most.
    pub(crate) fn adjacency_with<'a>(&self, more: impl Iterator<Item = &'a Pair>) -> Cow<'_, Csr> {
        let new = |edge: &Pair| edge[0] != edge[1] && !self.adjacency.contains(edge[0], edge[1]);
        let mut edges: Vec<Pair> = more.copied().filter(new).map(ordered).collect();
        if edges.is_empty() {
            return Cow::Borrowed(&self.adjacency);
        }
        edges.extend(self.edges());
        edges.sort_unstable();
        edges.dedup();
        Cow::Owned(Csr::symmetric(self.nodes(), &edges).with_values_of(&self.adjacency, self.usual_weight()))
    }

    /// The same without features and labels.
    pub(crate) fn bare(&self) -> Self {
        Graph {
            name: self.name.clone(),
            adjacency: self.adjacency.clone(),
            features: Features::None,
            labels: None,
            target: None,
            ids: self.ids.clone(),
            class_names: None,
            schema: None,
            custom: Vec::new(),
            truth: None,
            self_loops: self.self_loops,
            duplicates: self.duplicates,
            unknown_nodes: self.unknown_nodes,
            sides: self.sides.clone(),
            weights: self.weights.clone(),
            times: None,
            listed: None,
            context: None,
        }
    }

    /// Adds the planted truth of a generator.
    #[must_use]
    pub fn with_truth(mut self, truth: Truth) -> Self {
        self.truth = Some(truth);
        self
    }

    /// The planted truth of a generated graph; `None` for other graphs.
    pub fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref()
    }

    /// Name for reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.adjacency.rows()
    }

    /// Number of undirected edges.
    pub fn edge_count(&self) -> usize {
        self.adjacency.nnz() / 2
    }

    /// The symmetric adjacency: a pattern or, if the edges have weights, their weights on a scale with mean 1.
    pub fn adjacency(&self) -> &Csr {
        &self.adjacency
    }

    /// Node features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Class labels, −1 where unknown.
    pub fn labels(&self) -> Option<&[i32]> {
        self.labels.as_deref()
    }

    /// The users' own ids, if the file had names or gaps.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// The name of a node: the user's own id, or its number.
    pub fn node_name(&self, node: usize) -> Cow<'_, str> {
        match &self.ids {
            Some(ids) => Cow::Borrowed(&ids[node]),
            None => Cow::Owned(node.to_string()),
        }
    }

    /// The names of the classes, if the labels were names.
    pub fn class_names(&self) -> Option<&[String]> {
        self.class_names.as_deref()
    }

    /// Sets the names of the classes, one name per label number.
    #[must_use]
    pub fn with_class_names(mut self, names: Option<Vec<String>>) -> Self {
        self.class_names = names;
        self
    }

    /// What was read of the source, and from which parts of it; `None` for graphs that were not read.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_deref()
    }

    /// Sets what was read of the source. Panics if its feature columns are not those of the features.
    #[must_use]
    pub fn with_schema(mut self, schema: Schema) -> Self {
        let columns = schema.columns.len();
        assert!(columns == 0 || columns == self.features.cols(), "one column per feature");
        self.schema = Some(Arc::new(schema));
        self
    }

    /// Self loops dropped when the graph was built.
    pub fn self_loops(&self) -> usize {
        self.self_loops
    }

    /// Duplicate edges dropped when the graph was built (an edge listed in both directions counts as one
    /// duplicate).
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Number of classes: one more than the largest label.
    pub fn classes(&self) -> usize {
        self.labels().and_then(|labels| labels.iter().max()).map_or(0, |&top| (top + 1) as usize)
    }

    /// Degree of a node.
    pub fn degree(&self, node: usize) -> usize {
        self.adjacency.row(node).len()
    }

    /// Every edge once, smaller node first, in ascending order.
    pub fn edges(&self) -> Vec<Pair> {
        let mut edges = Vec::with_capacity(self.edge_count());
        for node in 0..self.nodes() {
            let id = u32::try_from(node).expect("nodes fit in u32");
            edges.extend(
                self.adjacency.row(node).iter().filter(|&&other| other > id).map(|&other| [id, other]),
            );
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacency_is_symmetric_sorted_and_simple() {
        let g = Graph::from_edges("t", 4, &[[2, 0], [0, 1], [1, 0], [3, 3]]).unwrap();
        assert_eq!(g.adjacency().row(0), [1, 2]);
        assert_eq!(g.adjacency().row(1), [0]);
        assert_eq!(g.edges(), [[0, 1], [0, 2]]);
        assert_eq!(g.facts().isolated, 1);
    }

    #[test]
    fn contradictions_are_named() {
        let e = Graph::from_edges("t", 2, &[[0, 5]]).unwrap_err().to_string();
        assert!(e.contains("edge 0 is (0, 5)") && e.contains("below 2"), "{e}");
        let g = Graph::from_edges("t", 2, &[[0, 1]]).unwrap();
        let e = g.clone().with_features(Features::Dense(Matrix::zeros(3, 1))).unwrap_err().to_string();
        assert!(e.contains("3 feature rows for 2 nodes"), "{e}");
        let infinite = Matrix::from_vec(2, 2, vec![0.0, f32::NAN, f32::INFINITY, 1.0]);
        let e = g.clone().with_features(Features::Dense(infinite)).unwrap_err().to_string();
        assert!(e.contains("node 1, column 0"), "{e}");
        let e = g.with_labels(vec![0]).unwrap_err().to_string();
        assert!(e.contains("1 label for 2 nodes"), "{e}");
    }
}
