//! The components of network usable information (paper, section 3.2): embeddings of structure and features.
//!
//! | | what | recipe |
//! |---|---|---|
//! | U | structure | SVD of A |
//! | R | neighbourhood | SVD of random-walk counts |
//! | F | features | PCA of X |
//! | P | features propagated without self loops | PCA of `(D⁻¹A)² X` |
//! | S | features propagated with self loops | PCA of `((D+I)^-½ (A+I) (D+I)^-½)² X` |
//!
//! Beyond the paper: S and P at other depths (S1, S3, S5, P1); D, a node's features minus the average of its
//! neighbours'; C, structural roles of nodes; and X, which is computed for pairs instead of nodes (the module
//! `pairwise`).
//!
//! In: the training graph and the features. Out: one n × d [`Component`] for each kind, which can also place
//! the nodes of another graph in the same space. No n × f product is formed: SVD and PCA access matrices only
//! as operators.

mod amounts;
mod builder;
mod communities;
mod features;
mod pca;
mod placement;
mod prepare;
mod roles;
mod walk;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use self::builder::build;
use self::builder::computed_table;
pub(crate) use self::builder::{ComponentBuilder, Preparations, WALK_BLOCKS, computed_columns, stage_name};
pub(crate) use self::communities::CommunityVectors;
pub(crate) use self::features::{FeatureOperator, Filter, PreparedRows};
pub(crate) use self::pca::writes_out;
pub(crate) use self::placement::{NodePlacement, PlacementBasis, PlacementInput};
pub use self::prepare::{ColumnKind, ColumnTreatment, FeatureScaling};
pub(crate) use self::prepare::{Preparation, are_words};
pub(crate) use self::roles::{hinged, roles};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Graph, NodeId};
use crate::kernel::{self, Scaled};
use crate::linalg::RsvdParams;
use crate::matrix::{LARGE, Matrix};
use crate::seed::Seed;
use crate::spec::ComponentKind;
use crate::work_folder::{StageReader, StageWriter, Stored};

/// How neighbours are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Averaging {
    /// `D⁻¹ A`: the mean over neighbours.
    Row,
    /// `D^-½ A D^-½`.
    Symmetric,
}

/// Parameters of the components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComponentParams {
    /// Which components (default the paper's five). A run adds the user-supplied components of the graph.
    pub kinds: Vec<ComponentKind>,
    /// Embedding size d (default 128).
    pub dim: usize,
    /// Walks from every node, T (default 200; the paper has 1000 for synthetic graphs and OGB).
    pub walk_trials: usize,
    /// Propagation steps of P and S (default 2).
    pub steps: usize,
    /// Averaging of S (default symmetric, as in the paper's text; its published code has row).
    pub s_averaging: Averaging,
    /// Whether columns of propagated features are scaled to length 1 before the PCA: the paper's `l` (default
    /// off, as in its published code; docs/design/components.md has the measurements).
    pub column_norm: bool,
    /// How features are prepared (default: every column by its kind).
    pub scaling: FeatureScaling,
    /// Whether the columns of a table are weighted by their correlation across training edges, so that columns
    /// without a relation to the edges do not drown the others (default: no; in [`crate::LinkParams`] yes).
    /// Words are never weighted.
    #[serde(default)]
    pub weigh_columns: bool,
    /// Maximum number of one-hot degree columns if there are no features (default 512).
    pub degree_columns: usize,
    /// Whether one-hot degrees are appended to real features, as in the paper's experiments on Products,
    /// Twitch and Pokec (default: no); only with the paper's scaling.
    pub append_degrees: bool,
    /// The randomised SVD behind every component.
    pub rsvd: RsvdParams,
    /// Embeddings of at least this many entries are built and learned one after the other, and only their
    /// values on evaluated pairs and nodes are kept (default 2²⁶).
    #[serde(default = "large_entries")]
    pub large_entries: usize,
}

fn large_entries() -> usize {
    LARGE
}

impl Default for ComponentParams {
    fn default() -> Self {
        ComponentParams {
            kinds: ComponentKind::PAPER.to_vec(),
            dim: 128,
            walk_trials: 200,
            steps: 2,
            s_averaging: Averaging::Symmetric,
            column_norm: false,
            scaling: FeatureScaling::ByKind,
            weigh_columns: false,
            degree_columns: 512,
            append_degrees: false,
            rsvd: RsvdParams::default(),
            large_entries: LARGE,
        }
    }
}

impl ComponentParams {
    /// The same with the user-supplied components of the graph.
    pub(crate) fn with_own_of(&self, graph: &Graph) -> Self {
        let mut params = self.clone();
        let own = graph.custom_components().iter().map(|own| ComponentKind::Custom(own.name));
        params.kinds.extend(own.filter(|kind| !self.kinds.contains(kind)));
        params
    }

    /// Whether embeddings of this many nodes are so large that they are not kept side by side.
    pub(crate) fn is_large(&self, nodes: usize) -> bool {
        nodes * self.dim >= self.large_entries
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let need = |name, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(Error::param(name, value, format!("{low} to {high}")))
            }
        };
        need("dim", self.dim, 1, 4096)?;
        need("walk_trials", self.walk_trials, 2, 1_000_000)?;
        need("steps", self.steps, 0, 64)?;
        need("degree_columns", self.degree_columns, 1, 1 << 20)?;
        need("power_iterations", self.rsvd.power_iterations, 0, 100)?;
        need("power_iterations_large", self.rsvd.power_iterations_large, 0, 100)?;
        need("oversampling", self.rsvd.oversampling, 0, 4096)?;
        if self.kinds.is_empty() {
            return Err(Error::param(
                "components",
                "none",
                format!("at least one of {}", ComponentKind::names()),
            ));
        }
        if self.append_degrees && self.scaling != FeatureScaling::Paper {
            return Err(Error::param(
                "append_degrees",
                true,
                "false, unless features are scaled as in the paper",
            ));
        }
        Ok(())
    }
}

/// How an embedding is normalised before it is passed to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalization {
    /// Not at all.
    None,
    /// Every row to length 1.
    Rows,
    /// Every column to deviation 1.
    Columns,
    /// Columns, then rows: ẑ, the input of link prediction.
    Both,
    /// Rows, except for components of a table of few columns, where the length of a row carries information.
    #[serde(rename = "by-kind")]
    ByKind,
}

/// One embedding of the nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Component {
    /// Which component.
    pub kind: ComponentKind,
    /// One row per node; at most `dim` columns, fewer where the rank is smaller.
    pub embedding: Matrix,
    /// Whether the length of a row carries information, so that rows are not scaled to length 1: true if
    /// features are a table of few columns.
    pub lengths_matter: bool,
    basis: Basis,
    /// How user-supplied rows are prepared before they are projected onto the basis.
    preparation: Option<Box<Preparation>>,
}

/// How the nodes of any graph over the same features are embedded in the space of a component.
#[derive(Clone, Debug)]
enum Basis {
    /// All nodes have the same row.
    Nothing,
    /// `A V Σ^-½`, with A the adjacency.
    Adjacency(Matrix),
    /// `C V Σ^-½`, with C the visits of this many walks.
    Walks { axes: Matrix, trials: usize, seed: Seed },
    /// Propagation of `X V`, minus its mean in the graph of the component.
    Features { axes: Matrix, projected: Matrix, filter: Filter, shift: Vec<f32> },
}

impl Basis {
    fn embed(&self, graph: &Csr, exec: &Exec) -> Option<Matrix> {
        let mut rows = match self {
            Basis::Nothing => return None,
            Basis::Adjacency(axes) => kernel::spmm(Scaled::plain(graph), axes, exec),
            Basis::Walks { axes, trials, seed } => {
                let counts = walk::visit_counts(graph, *trials, 1, *seed, exec);
                kernel::spmm_blocks(counts, graph.rows(), axes, exec)
            }
            Basis::Features { projected, filter, .. } => {
                filter.on(graph).apply(Cow::Borrowed(projected), exec)
            }
        };
        self.shift(&mut rows, exec);
        Some(rows)
    }

    /// Some rows of [`Basis::embed`], in this order.
    fn embed_rows(&self, graph: &Csr, nodes: &[NodeId], exec: &Exec) -> Option<Matrix> {
        let mut rows = match self {
            Basis::Nothing => return None,
            Basis::Adjacency(axes) => kernel::spmm_rows(Scaled::plain(graph), axes, nodes, exec),
            Basis::Walks { axes, trials, seed } => {
                let counts = walk::visit_counts_from(graph, nodes, *trials, *seed, exec);
                kernel::spmm(Scaled::plain(&counts), axes, exec)
            }
            Basis::Features { projected, filter, .. } => {
                filter.on(graph).apply_to_rows(projected, nodes, exec)
            }
        };
        self.shift(&mut rows, exec);
        Some(rows)
    }

    fn shift(&self, rows: &mut Matrix, exec: &Exec) {
        if let Basis::Features { shift, .. } = self {
            exec.fill_matrix(rows, |_, row| {
                row.iter_mut().zip(shift).for_each(|(v, shift)| *v -= shift);
            });
        }
    }
}

/// The embedding alone, as of a component that cannot embed other graphs any more.
impl Stored for Component {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(&(self.kind, self.lengths_matter))?;
        self.embedding.write(out)
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let (kind, lengths_matter) = input.value()?;
        let embedding = Matrix::read(input)?;
        Some(Component { kind, embedding, lengths_matter, basis: Basis::Nothing, preparation: None })
    }
}

impl Component {
    /// The embedding alone, of all nodes or of some. It cannot embed other graphs any more.
    pub(crate) fn embedding_only(mut self, nodes: Option<&[NodeId]>, exec: &Exec) -> Component {
        self.basis = Basis::Nothing;
        self.preparation = None;
        if let Some(nodes) = nodes {
            self.embedding = kernel::gather_rows(&self.embedding, nodes, exec);
        }
        self
    }

    /// The embedding of the nodes of a directed graph: their rows as sources and as targets side by side. It cannot
    /// embed other graphs any more.
    pub(crate) fn of_both_roles(self, exec: &Exec) -> Component {
        let mut component = self.embedding_only(None, exec);
        component.embedding = both_roles(&component.embedding, exec);
        component
    }

    /// The embedding, normalised. It is not centred; rows and columns of zeros stay zero.
    pub fn normalized(&self, normalization: Normalization, exec: &Exec) -> Matrix {
        self.norm(normalization, exec).apply(self.embedding.clone(), exec)
    }

    /// The normalisation of this embedding.
    pub(crate) fn norm(&self, normalization: Normalization, exec: &Exec) -> Norm {
        match normalization {
            Normalization::None => self.with_scale(None, false),
            Normalization::ByKind if self.lengths_matter => {
                let factor = self.common_factor(&vec![1.0; self.embedding.cols()]);
                self.with_scale(Some(vec![factor; self.embedding.cols()]), false)
            }
            Normalization::Rows | Normalization::ByKind => self.with_scale(None, true),
            Normalization::Columns => self.with_scale(Some(self.column_scale(exec)), false),
            Normalization::Both => self.with_scale(Some(self.column_scale(exec)), true),
        }
    }

    /// The normalisation of link prediction: columns to deviation 1, then rows to length 1 or, if `unit` is
    /// false or lengths carry information, all by the single factor that makes their mean square length 1.
    pub(crate) fn for_links(&self, unit: bool, exec: &Exec) -> Norm {
        let unit = unit && !self.lengths_matter;
        let mut scale = self.column_scale(exec);
        if !unit {
            let factor = self.common_factor(&scale);
            for s in &mut scale {
                *s *= factor;
            }
        }
        self.with_scale(Some(scale), unit)
    }

    fn with_scale(&self, scale: Option<Vec<f32>>, unit: bool) -> Norm {
        // Shorter rows are rounding errors without a meaningful direction.
        let shortest = if unit {
            let ones = vec![1.0; self.embedding.cols()];
            RELATIVE_ROUNDING / self.common_factor(scale.as_ref().unwrap_or(&ones))
        } else {
            0.0
        };
        Norm { scale, unit, shortest }
    }

    /// The factor that makes the root mean square length of rows 1 after their columns are scaled; 1 if all
    /// are zero.
    fn common_factor(&self, scale: &[f32]) -> f32 {
        let square = |row| -> f64 {
            let scaled = self.embedding.row(row).iter().zip(scale).map(|(v, s)| f64::from(v * s));
            scaled.map(|v| v * v).sum()
        };
        let squares: f64 = (0..self.embedding.rows()).map(square).sum();
        if squares > 0.0 { (self.embedding.rows() as f64 / squares).sqrt() as f32 } else { 1.0 }
    }

    /// One over the deviation of every column, 0 for constant ones: if a column is constant except for errors
    /// of its decomposition, division by its deviation would amplify these errors.
    fn column_scale(&self, exec: &Exec) -> Vec<f32> {
        let squares = kernel::column_squares(&self.embedding, exec);
        let size = |square: f64| (square / self.embedding.rows().max(1) as f64).sqrt();
        kernel::column_deviations(&self.embedding, exec)
            .iter()
            .zip(squares)
            .map(
                |(&deviation, square)| {
                    if deviation > CONSTANT * size(square) { (1.0 / deviation) as f32 } else { 0.0 }
                },
            )
            .collect()
    }

    /// The embedding of some nodes in another graph over the same nodes and features, in the space of this
    /// one; `None` if edges have no effect. One propagation (or the walks, for R), no decomposition. One-hot
    /// degrees that replace missing features are still those of the training graph.
    pub(crate) fn embed_rows(&self, graph: &Csr, nodes: &[NodeId], exec: &Exec) -> Option<Matrix> {
        match &self.basis {
            Basis::Features { filter, .. } if filter.is_still() => None,
            basis => basis.embed_rows(graph, nodes, exec),
        }
    }
}

/// The rows of a graph of roles, sources first, with those of the two roles of a node side by side.
pub(crate) fn both_roles(rows: &Matrix, exec: &Exec) -> Matrix {
    let (count, cols) = (rows.rows() / 2, rows.cols());
    let mut both = Matrix::zeros(count, 2 * cols);
    exec.fill_matrix(&mut both, |node, out| {
        let (source, target) = out.split_at_mut(cols);
        source.copy_from_slice(rows.row(node));
        target.copy_from_slice(rows.row(count + node));
    });
    both
}

/// Columns whose deviation is a smaller share of their size count as constant: iterations leave errors of
/// that order in a constant singular vector, such as that of a regular graph.
const CONSTANT: f64 = 1e-3;
/// Rows shorter than this share of the root mean square length count as rounding errors.
const RELATIVE_ROUNDING: f32 = 1e-5;

/// A normalisation fitted on one embedding, for it and for others in the same space.
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    /// A factor for every column.
    pub(crate) scale: Option<Vec<f32>>,
    /// Whether rows are then scaled to length 1.
    pub(crate) unit: bool,
    /// Shorter rows become zero instead.
    pub(crate) shortest: f32,
}

impl Norm {
    /// Rows as they are.
    pub(crate) fn none() -> Self {
        Norm { scale: None, unit: false, shortest: 0.0 }
    }

    pub(crate) fn apply(&self, mut embedding: Matrix, exec: &Exec) -> Matrix {
        if let Some(scale) = &self.scale {
            embedding.scale_cols(scale);
        }
        if self.unit {
            kernel::normalize_rows(&mut embedding, self.shortest, exec);
        }
        embedding
    }
}

#[cfg(test)]
mod tests;
