//! Context: edges of other relations that serve as structure, and the nodes that only they reach.
//!
//! A graph of several relations has one target, whose edges are split, held out and predicted. The edges of the
//! other relations are context: they are part of every training graph, are never split and never drawn as
//! negatives. Components, walks and X use training edges together with context edges. The nodes of the graph keep
//! their numbers, and context nodes follow them; context nodes are no ends of pairs, have no labels and are never
//! recommended.
//!
//! Context must not reveal which pairs are edges of the target. A relation that joins mostly the same pairs, in
//! either direction, is left out; context nodes of which each stands for one edge are an error.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Csr, CustomComponent, Features, Graph, NodeId, NodeInputs, Pair, ordered};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// Share of the target's edges, or of a relation's, from which a relation joins the same pairs as the target.
const SAME_PAIRS: f64 = 0.5;
/// Number of neighbours up to which a context node may stand for an edge between them.
const MEDIATED: usize = 4;

/// A relation whose edges are context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relation {
    /// Its name, for messages.
    pub name: String,
    /// Its edges; numbers from that of the graph's nodes on are context nodes.
    pub edges: Vec<Pair>,
}

/// Nodes that are no nodes of the target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextNodes {
    /// Their names, different from those of the graph's nodes.
    pub names: Vec<String>,
    /// For each of them, a number for its type.
    pub types: Vec<u32>,
    /// Their features: one row for each, in the columns of the graph's features; `None` if they have none.
    pub features: Features,
}

/// What a graph has in addition to the edges of its target.
#[derive(Clone, Debug)]
pub struct Context {
    relations: Vec<RelationFacts>,
    /// The edges of each relation; none if only all of them together are known.
    listed: Vec<Vec<Pair>>,
    nodes: ContextNodes,
    /// Over the nodes of the graph, followed by the context nodes.
    edges: Csr,
    features: Features,
    custom: Vec<CustomComponent>,
}

/// A relation for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RelationFacts {
    /// Its name.
    pub name: String,
    /// Number of its edges, each pair once.
    pub edges: usize,
    /// Number of them that are edges of the target, too.
    pub shared: usize,
}

/// The context of a graph for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContextFacts {
    /// The relations.
    pub relations: Vec<RelationFacts>,
    /// Number of different pairs that they join.
    pub edges: usize,
    /// Number of context nodes.
    pub nodes: usize,
}

impl Context {
    /// Over the nodes of the graph, followed by the context nodes.
    pub(crate) fn edges(&self) -> &Csr {
        &self.edges
    }

    /// Edges, features and user-supplied components of all nodes.
    pub(super) fn inputs(&self) -> (&Csr, &Features, &[CustomComponent]) {
        (&self.edges, &self.features, &self.custom)
    }

    /// Number of different pairs that the relations join.
    pub fn edge_count(&self) -> usize {
        self.edges.nnz() / 2
    }

    /// The nodes that are no nodes of the target.
    pub fn nodes(&self) -> &ContextNodes {
        &self.nodes
    }

    /// The relations with their edges; a single one if only all edges together are known, as those of a model.
    pub fn listed(&self) -> Vec<Relation> {
        let names = self.relations.iter().map(|own| own.name.clone());
        if self.listed.len() == self.relations.len() {
            return names
                .zip(self.listed.iter().cloned())
                .map(|(name, edges)| Relation { name, edges })
                .collect();
        }
        let above = |node: usize| {
            let id = node as NodeId;
            self.edges.row(node).iter().filter(move |&&other| other > id).map(move |&other| [id, other])
        };
        let name = names.collect::<Vec<_>>().join(", ");
        vec![Relation { name, edges: (0..self.edges.rows()).flat_map(above).collect() }]
    }

    /// The relations.
    pub fn relations(&self) -> &[RelationFacts] {
        &self.relations
    }

    pub(super) fn facts(&self) -> ContextFacts {
        ContextFacts {
            relations: self.relations.clone(),
            edges: self.edges.nnz() / 2,
            nodes: self.nodes.names.len(),
        }
    }

    /// These edges of the target together with the context. An edge of both has the value of the context, so that it
    /// looks the same whether it is held out or not.
    pub(crate) fn joined_with(&self, target: &Csr) -> Csr {
        self.edges.joined(target)
    }

    /// Those of these pairs that are no context edges.
    pub(crate) fn without_own(&self, pairs: Vec<Pair>) -> Vec<Pair> {
        let own = |pair: &Pair| !self.edges.contains(pair[0], pair[1]);
        pairs.into_iter().filter(own).collect()
    }

    /// Features of all nodes, those of the graph first.
    fn of_all(features: &Features, given: &Features, nodes: usize) -> Features {
        match features {
            Features::None => Features::None,
            Features::Dense(x) => {
                let more = match given {
                    Features::Dense(own) => Cow::Borrowed(own),
                    Features::Sparse(own) => Cow::Owned(own.to_dense()),
                    Features::None => Cow::Owned(usual_rows(x, nodes)),
                };
                let mut all = x.as_slice().to_vec();
                all.extend_from_slice(more.as_slice());
                Features::Dense(Matrix::from_vec(x.rows() + nodes, x.cols(), all))
            }
            Features::Sparse(x) => {
                let more = match given {
                    Features::Dense(own) => Cow::Owned(Csr::from_dense(own)),
                    Features::Sparse(own) => Cow::Borrowed(own),
                    Features::None => Cow::Owned(Csr::pattern(x.cols(), vec![0; nodes + 1], Vec::new())),
                };
                Features::Sparse(x.followed_by(&more))
            }
        }
    }
}

/// The median of every column, for nodes without features: it is a value of the column, whatever its kind.
fn usual_rows(x: &Matrix, nodes: usize) -> Matrix {
    let median = |column: usize| {
        let mut values: Vec<f32> =
            (0..x.rows()).map(|row| x.row(row)[column]).filter(|v| !v.is_nan()).collect();
        let middle = values.len() / 2;
        if values.is_empty() { f32::NAN } else { *values.select_nth_unstable_by(middle, f32::total_cmp).1 }
    };
    let row: Vec<f32> = (0..x.cols()).map(median).collect();
    Matrix::from_fn(nodes, x.cols(), |_, column| row[column])
}

impl Graph {
    /// Adds context: edges of other relations, which are part of every training graph and are never predicted. Node
    /// numbers from that of the graph's nodes on are context nodes. Also returns notices: relations that join the
    /// same pairs as the target are left out, because they would reveal held-out edges.
    ///
    /// ```
    /// use netinfof::Graph;
    /// use netinfof::graph::{ContextNodes, Relation};
    /// let graph = Graph::from_edges("likes", 4, &[[0, 2], [1, 3]])?;
    /// let brands = Relation { name: "made by".into(), edges: vec![[2, 4], [3, 4]] };
    /// let reverse = Relation { name: "liked by".into(), edges: vec![[2, 0], [3, 1]] };
    /// let nodes = ContextNodes { names: vec!["brand".into()], types: vec![0], ..ContextNodes::default() };
    /// let (graph, notices) = graph.with_context(vec![brands, reverse], nodes)?;
    /// assert_eq!((graph.nodes(), graph.context().unwrap().relations().len()), (4, 1));
    /// assert!(notices[0].contains("liked by"));
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn with_context(self, relations: Vec<Relation>, nodes: ContextNodes) -> Result<(Self, Vec<String>)> {
        let bad = |what: String| Err(Error::InvalidGraph { what });
        if self.is_directed() {
            return bad("context edges of a directed graph: leave `directed` or the context out".into());
        }
        if self.times().is_some() {
            return bad(
                "context edges have no times, so they may lie in the future of a split by time; leave `time` or the context out"
                    .into(),
            );
        }
        let count = nodes.names.len();
        if nodes.types.len() != count {
            return bad(format!("{} types for {count} context nodes", nodes.types.len()));
        }
        if self.features.cols() != nodes.features.cols() && nodes.features.cols() > 0 {
            let what = format!(
                "context nodes with {} feature columns in a graph with {}",
                nodes.features.cols(),
                self.features.cols()
            );
            return bad(what);
        }
        nodes.features.check(count)?;
        let all = self.nodes() + count;
        Graph::check_size(
            all,
            self.edge_count() + relations.iter().map(|own| own.edges.len()).sum::<usize>(),
        )?;
        let mut notices = Vec::new();
        let mut facts = Vec::new();
        let mut kept: Vec<Vec<Pair>> = Vec::new();
        for Relation { name, edges: listed } in relations {
            if let Some([i, j]) = listed.iter().find(|pair| pair.iter().any(|&node| node as usize >= all)) {
                return bad(format!(
                    "context edge ({i}, {j}) of `{name}`, but there are {all} nodes with context nodes"
                ));
            }
            let mut own: Vec<Pair> =
                listed.iter().filter(|pair| pair[0] != pair[1]).map(|&pair| ordered(pair)).collect();
            if own.len() < listed.len() {
                let loops = listed.len() - own.len();
                notices.push(format!(
                    "context `{name}`: {loops} self loop{} dropped",
                    if loops == 1 { "" } else { "s" }
                ));
            }
            own.sort_unstable();
            own.dedup();
            let shared = own.iter().filter(|pair| self.is_edge(**pair)).count();
            let of_target = shared as f64 / self.edge_count().max(1) as f64;
            let of_own = shared as f64 / own.len().max(1) as f64;
            if shared > 0 && of_target.max(of_own) >= SAME_PAIRS {
                notices.push(format!(
                    "context `{name}` is left out: {shared} of its {} pairs are among the {} edges to predict, so it would reveal held-out edges",
                    own.len(),
                    self.edge_count()
                ));
                continue;
            }
            if shared > 0 {
                notices.push(format!(
                    "{shared} of {} edges to predict are context edges of `{name}`, too; leave it out if it is recorded only after them",
                    self.edge_count()
                ));
            }
            facts.push(RelationFacts { name, edges: own.len(), shared });
            kept.push(own);
        }
        let mut edges = kept.concat();
        edges.sort_unstable();
        edges.dedup();
        let edges = Csr::symmetric(all, &edges);
        self.check_mediators(&edges)?;
        if facts.is_empty() {
            return Ok((self, notices));
        }
        Ok((self.with_listed(facts, kept, nodes, edges), notices))
    }

    /// The same with context that was checked before, such as that of a model.
    pub(crate) fn with_known_context(
        self,
        relations: Vec<RelationFacts>,
        nodes: ContextNodes,
        edges: Csr,
    ) -> Self {
        self.with_listed(relations, Vec::new(), nodes, edges)
    }

    fn with_listed(
        mut self,
        relations: Vec<RelationFacts>,
        listed: Vec<Vec<Pair>>,
        nodes: ContextNodes,
        edges: Csr,
    ) -> Self {
        let (features, custom) = (Features::None, Vec::new());
        self.context = Some(Arc::new(Context { relations, listed, nodes, edges, features, custom }));
        self.with_inputs_of_context()
    }

    /// Brings the features of context nodes up to date, after those of the graph changed.
    pub(super) fn with_inputs_of_context(mut self) -> Self {
        if let Some(context) = &mut self.context {
            let mut own = Context::clone(context);
            let count = own.nodes.names.len();
            let columns = own.nodes.features.cols() == self.features.cols();
            let given = if columns { &own.nodes.features } else { &Features::None };
            own.features = Context::of_all(&self.features, given, count);
            let extended = |component: &CustomComponent| CustomComponent {
                name: component.name,
                rows: Context::of_all(&component.rows, &Features::None, count),
            };
            own.custom = self.custom.iter().map(extended).collect();
            *context = Arc::new(own);
        }
        self
    }

    fn is_edge(&self, [i, j]: Pair) -> bool {
        [i, j].iter().all(|&node| (node as usize) < self.nodes()) && self.adjacency.contains(i, j)
    }

    /// Refuses context nodes that stand for edges of the target, such as orders that join a user and an item.
    fn check_mediators(&self, edges: &Csr) -> Result<()> {
        let own = self.nodes();
        let mut joined: HashSet<Pair> = HashSet::new();
        for node in own..edges.rows() {
            let ends: Vec<NodeId> =
                edges.row(node).iter().copied().filter(|&other| (other as usize) < own).collect();
            if ends.len() <= MEDIATED {
                joined.extend(ends.iter().enumerate().flat_map(|(at, &i)| {
                    let possible = move |j: &NodeId| self.sides().is_none_or(|sides| sides.across([i, *j]));
                    ends[at + 1..].iter().copied().filter(possible).map(move |j| ordered([i, j]))
                }));
            }
        }
        let found = joined.iter().filter(|pair| self.is_edge(**pair)).count();
        let share = |of: usize| found as f64 / of.max(1) as f64;
        if share(self.edge_count()).min(share(joined.len())) >= SAME_PAIRS {
            let what = format!(
                "context nodes that join the two ends of {found} of {} edges to predict: they stand for these edges and would reveal held-out ones; \
                 leave their relations out of the context",
                self.edge_count()
            );
            return Err(Error::InvalidGraph { what });
        }
        Ok(())
    }

    /// The edges of other relations, if there are any.
    pub fn context(&self) -> Option<&Context> {
        self.context.as_deref()
    }

    pub(crate) fn shared_context(&self) -> Option<&Arc<Context>> {
        self.context.as_ref()
    }

    /// The same graph without its context.
    #[must_use]
    pub fn without_context(mut self) -> Self {
        self.context = None;
        self
    }

    /// The inputs of components in addition to the edges, of all nodes of the structure: those of the graph, and
    /// context nodes after them.
    pub(crate) fn inputs(&self) -> NodeInputs<'_> {
        match &self.context {
            None => NodeInputs { features: &self.features, custom: &self.custom },
            Some(context) => NodeInputs { features: &context.features, custom: &context.custom },
        }
    }

    /// The edges of a newer or saved graph together with its context.
    pub(crate) fn joined_with_context<'a>(&self, edges: Cow<'a, Csr>) -> Cow<'a, Csr> {
        match &self.context {
            None => edges,
            Some(context) => Cow::Owned(context.joined_with(&edges)),
        }
    }

    /// Refuses context where it has no use.
    pub(crate) fn check_no_context(&self, what: &str) -> Result<()> {
        if self.context.is_none() {
            return Ok(());
        }
        let why = format!(
            "context edges are used for link prediction only, and not for {what}; leave the context out"
        );
        Err(Error::Unsuitable { stage: "context", why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> ContextNodes {
        let names = (0..count).map(|node| format!("brand {node}")).collect();
        ContextNodes { names, types: vec![0; count], features: Features::None }
    }

    fn relation(name: &str, edges: &[Pair]) -> Relation {
        Relation { name: name.into(), edges: edges.to_vec() }
    }

    /// Users 0 to 2, items 3 to 6.
    fn purchases() -> Graph {
        Graph::from_edges("g", 7, &[[0, 3], [0, 4], [1, 4], [1, 5], [2, 6]]).unwrap()
    }

    #[test]
    fn the_structure_joins_training_edges_and_context() {
        let x = Matrix::from_fn(7, 2, |i, j| if j == 0 { i as f32 } else { f32::from(u8::from(i > 4)) });
        let graph = purchases().with_features(Features::Dense(x)).unwrap();
        let brands = relation("brand", &[[3, 7], [7, 5], [6, 8], [3, 7]]);
        let (graph, notices) = graph.with_context(vec![brands], names(2)).unwrap();
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!((graph.nodes(), graph.edge_count()), (7, 5));
        let context = graph.context().unwrap();
        let all = context.joined_with(&Csr::symmetric(7, &[[0, 3], [2, 6]]));
        assert_eq!(all, Csr::symmetric(9, &[[0, 3], [2, 6], [3, 7], [5, 7], [6, 8]]));
        // Context nodes have the usual value of every column.
        let Features::Dense(all) = graph.inputs().features else { panic!() };
        assert_eq!((all.rows(), all.row(7), all.row(8)), (9, &[3.0, 0.0][..], &[3.0, 0.0][..]));
        let facts = context.facts();
        assert_eq!((facts.edges, facts.nodes, facts.relations[0].edges), (3, 2, 3));
    }

    #[test]
    fn a_weighted_edge_of_the_context_looks_the_same_when_it_is_held_out() {
        let edges = [[0, 3], [0, 4], [1, 4], [1, 5], [2, 6]];
        let weights = [1.0, 2.0, 3.0, 4.0, 5.0];
        let graph =
            purchases().with_weights(&edges, &weights, super::super::WeightTransform::Linear).unwrap().0;
        let (graph, notices) =
            graph.with_context(vec![relation("seen", &[[0, 3], [0, 5], [2, 3]])], names(0)).unwrap();
        assert!(notices[0].starts_with("1 of 5 edges to predict"), "{notices:?}");
        let context = graph.context().unwrap();
        let [all, less] = [graph.adjacency().clone(), graph.adjacency().without(&[[0, 3]])]
            .map(|own| context.joined_with(&own));
        assert_eq!(all, less);
        assert_eq!([all.value(3, 0), all.value(0, 5), all.value(6, 2)], [1.0, 1.0, 5.0 / 3.0]);
        assert_eq!(context.without_own(vec![[0, 3], [0, 4]]), [[0, 4]]);
    }

    #[test]
    fn relations_that_reveal_the_target_are_left_out() {
        let reverse = relation("rev", &[[3, 0], [4, 0], [4, 1], [5, 1], [6, 2]]);
        let some = relation("liked", &[[0, 3]]);
        let (graph, notices) = purchases().with_context(vec![reverse, some], names(0)).unwrap();
        assert!(graph.context().is_none());
        assert!(notices[0].contains("`rev` is left out: 5 of its 5 pairs"), "{notices:?}");
        assert!(notices[1].contains("`liked` is left out: 1 of its 1 pairs"), "{notices:?}");
    }

    #[test]
    fn nodes_that_stand_for_edges_are_refused() {
        let orders: Vec<Pair> = purchases()
            .edges()
            .iter()
            .zip(7..)
            .flat_map(|(&[i, j], order)| [[i, order], [order, j]])
            .collect();
        let said =
            purchases().with_context(vec![relation("orders", &orders)], names(5)).unwrap_err().to_string();
        assert!(said.contains("5 of 5 edges"), "{said}");
    }

    #[test]
    fn contradictions_are_named() {
        let said = |edges: &[Pair], nodes| {
            purchases().with_context(vec![relation("r", edges)], nodes).unwrap_err().to_string()
        };
        assert!(said(&[[0, 9]], names(2)).contains("context edge (0, 9) of `r`"));
        let rows = ContextNodes { features: Features::Dense(Matrix::zeros(1, 3)), ..names(1) };
        assert!(said(&[[0, 7]], rows).contains("3 feature columns in a graph with 0"));
    }
}
