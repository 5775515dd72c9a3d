//! Sizes of a graph, and what a component of it needs.

use crate::component::{self, ComponentParams};
use crate::graph::{Context, Csr, Features, Graph};
use crate::linalg::{DENSE_COST, PANELS, SPARSE_COST};
use crate::spec::{ComponentKind, ComponentSource, Depth, FilterSpec};

/// Nanoseconds per entry and column of a product with a sparse matrix, on one thread.
pub(super) const SPARSE: f64 = 0.25;
/// Nanoseconds per multiply-add of a product of dense matrices, on one thread.
pub(super) const DENSE: f64 = 0.05;
/// Nanoseconds per step of a random walk, on one thread.
const WALK: f64 = 40.0;
/// Entries of a row of the walk matrix per walk, in addition to one per neighbour.
const VISITED: f64 = 0.2;

/// The sizes of a graph on which plans depend.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphSizes {
    pub(super) nodes: f64,
    /// Entries of the adjacency matrix: two per edge.
    pub(super) entries: f64,
    /// Columns of the prepared features.
    pub(super) columns: f64,
    /// Entries of the features that are not zero.
    pub(super) stored: f64,
    pub(super) sparse: bool,
    /// Whether edges have weights.
    pub(super) weighted: bool,
}

impl GraphSizes {
    pub(super) fn of(graph: &Graph, params: &ComponentParams) -> Self {
        let context = graph.context().map(Context::edges);
        let nodes = context.map_or(graph.nodes(), Csr::rows) as f64;
        let (columns, stored, sparse) = match graph.inputs().features {
            // One-hot degrees.
            Features::None => {
                let mut degrees: Vec<usize> = (0..graph.nodes()).map(|node| graph.degree(node)).collect();
                degrees.sort_unstable();
                degrees.dedup();
                (degrees.len().min(params.degree_columns) as f64, nodes, true)
            }
            Features::Dense(x) => (x.cols() as f64, (x.rows() * x.cols()) as f64, false),
            Features::Sparse(x) => (x.cols() as f64, x.nnz() as f64, true),
        };
        let adjacency = graph.adjacency();
        let weighted = adjacency.values().is_some();
        let entries = (adjacency.nnz() + context.map_or(0, Csr::nnz)) as f64;
        GraphSizes { nodes, entries, columns, stored, sparse, weighted }
    }

    /// An adjacency matrix of the nodes, with values if edges have weights.
    pub(super) fn adjacency(&self, entries: f64) -> f64 {
        self.pattern(entries) + if self.weighted { 4.0 * entries } else { 0.0 }
    }

    /// The same without values.
    pub(super) fn pattern(&self, entries: f64) -> f64 {
        4.0 * entries + 8.0 * self.nodes
    }

    /// This much, if edges have weights.
    pub(super) fn if_weighted(&self, bytes: f64) -> f64 {
        if self.weighted { bytes } else { 0.0 }
    }

    /// The graph with its features.
    pub(super) fn graph(&self) -> f64 {
        let features = if self.sparse { 8.0 * (self.stored + self.nodes) } else { 4.0 * self.stored };
        // The weights as they were given are kept beside those of the adjacency.
        let given = self.if_weighted(2.0 * self.entries);
        self.adjacency(self.entries) + given + features + 8.0 * self.nodes
    }

    /// Features prepared in one way.
    pub(super) fn prepared(&self) -> f64 {
        if self.sparse {
            // With the transpose.
            2.0 * 8.0 * self.stored + 8.0 * self.nodes
        } else if self.nodes * self.columns < crate::matrix::LARGE as f64 {
            4.0 * self.nodes * self.columns
        } else {
            8.0 * self.nodes
        }
    }

    /// A dense matrix with one row per node.
    pub(super) fn rows(&self, columns: f64) -> f64 {
        4.0 * self.nodes * columns
    }
}

/// The expected needs of a component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ComponentNeeds {
    /// Columns of the embedding.
    pub(super) columns: f64,
    /// While it is built, in addition to everything else.
    pub(super) building: f64,
    /// Its embedding and its basis.
    pub(super) built: f64,
    /// Seconds to build it.
    pub(super) seconds: f64,
    /// Seconds to embed nodes in another graph.
    pub(super) again: f64,
}

pub(super) fn needs_of(
    kind: ComponentKind,
    sizes: &GraphSizes,
    entries: f64,
    params: &ComponentParams,
    saving: bool,
    threads: f64,
) -> ComponentNeeds {
    let GraphSizes { nodes, .. } = *sizes;
    let dim = (params.dim as f64).min(nodes);
    let width = (dim + params.rsvd.oversampling as f64).min(nodes);
    let iterations = params.rsvd.iterations(nodes as usize, width as usize) as f64;
    let products = 2.0 * (iterations + 1.0);
    let sparse = |entries: f64, columns: f64| entries * columns * SPARSE * 1e-9 / threads;
    let dense = |inner: f64, columns: f64| nodes * inner * columns * DENSE * 1e-9 / threads;
    let sketch = products * dense(width, width);
    // The tall matrices of a decomposition, and those of an embedding and its basis, in the memory of a tall one if
    // memory is to be saved.
    let tall = sizes.rows(width) * if saving { 1.0 + 1.0 / PANELS as f64 } else { 2.0 };
    let built = |dim: f64| sizes.rows(if saving { width } else { dim }) + sizes.rows(dim);
    match kind.spec().source {
        ComponentSource::Adjacency => ComponentNeeds {
            columns: dim,
            building: tall,
            built: built(dim),
            seconds: products * sparse(entries, width) + sketch + sparse(entries, dim),
            again: sparse(entries, dim),
        },
        ComponentSource::Walks => {
            let trials = params.walk_trials as f64;
            let degree = entries / nodes.max(1.0);
            let visits = nodes * (degree.min(trials / 2.0) + VISITED * trials).min(2.0 * trials);
            let walking = nodes * 2.0 * trials * WALK * 1e-9 / threads;
            let counts = 8.0 * visits;
            // The counts and their transpose or the block of it in use; the embedding takes the place of the counts,
            // block by block.
            let block = counts / component::WALK_BLOCKS as f64 + 16.0 * nodes;
            let decomposing = if saving { counts + block + tall } else { 2.0 * counts + tall };
            let embedding = if saving { counts.max(sizes.rows(dim)) + block } else { counts };
            ComponentNeeds {
                columns: dim,
                building: decomposing.max(sizes.rows(width) + embedding)
                    + sizes.if_weighted(8.0 * (entries + nodes)),
                built: built(dim),
                seconds: walking + products * sparse(visits, width) + sketch + sparse(visits, dim),
                again: walking + sparse(visits, dim),
            }
        }
        ComponentSource::Features(filter) => {
            let steps = match filter {
                FilterSpec::None => 0.0,
                FilterSpec::HighPass => 1.0,
                FilterSpec::Neighbours(depth) | FilterSpec::SelfLoops(depth) => match depth {
                    Depth::Parameter => params.steps as f64,
                    Depth::Fixed(steps) => steps as f64,
                },
            };
            let columns = dim.min(sizes.columns);
            let product = |entries: f64| entries * SPARSE_COST;
            let own = if sizes.sparse { product(sizes.stored) } else { sizes.stored * DENSE_COST };
            let shape = [nodes as usize, sizes.columns as usize];
            let written_out = component::writes_out(shape, own + steps * product(entries), params);
            let (held, products) = if written_out { (sizes.columns, 1.0) } else { (width, products) };
            // Partial sums of the covariance matrix.
            let partial =
                if written_out { (nodes / 512.0).ceil().min(64.0) * 8.0 * held * held } else { 0.0 };
            let propagated = steps * sparse(entries, held) + sparse(sizes.stored, held);
            ComponentNeeds {
                columns,
                building: 2.0 * sizes.rows(held) + partial,
                built: 2.0 * sizes.rows(columns),
                seconds: products * (propagated + dense(held, held)) + steps * sparse(entries, columns),
                again: steps * sparse(entries, columns),
            }
        }
        ComponentSource::Roles | ComponentSource::Amounts | ComponentSource::Custom(_) => ComponentNeeds {
            columns: dim.min(64.0),
            building: 3.0 * sizes.rows(64.0),
            built: 2.0 * sizes.rows(dim.min(64.0)),
            seconds: sparse(entries, 60.0),
            again: 0.0,
        },
        ComponentSource::Pairs => ComponentNeeds::default(),
    }
}
