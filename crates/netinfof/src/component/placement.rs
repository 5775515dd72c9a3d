//! A component without its nodes: everything that is needed to embed the nodes of any graph in the same
//! space.
//!
//! In: a component from a run or from a file, and a graph. Out: for the same graph, bitwise the same rows;
//! for a graph with more nodes and edges, rows that are valid input of the same model: U and R by `A V Σ^-½`,
//! the others by the axes of their PCA.

use std::borrow::Cow;

use super::features::{FeatureOperator, Filter};
use super::prepare::Preparation;
use super::{Basis, Component, ComponentKind, Norm, computed_table};
use crate::exec::Exec;
use crate::graph::{Csr, CustomComponent, Features, NodeId, NodeInputs};
use crate::linalg::LinearOperator as _;
use crate::matrix::Matrix;
use crate::seed::Seed;
use crate::work_folder::{StageReader, StageWriter, Stored};

/// How a component embeds nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodePlacement {
    pub(crate) kind: ComponentKind,
    pub(crate) basis: PlacementBasis,
    pub(crate) norm: Norm,
    /// Whether the rows of the two roles of a node of a directed graph are placed side by side.
    pub(crate) both_roles: bool,
}

/// The part of a basis that does not depend on one graph.
#[derive(Clone, Debug)]
pub(crate) enum PlacementBasis {
    /// All nodes have the same row.
    Nothing,
    /// By neighbours: one row of axes per node of the graph it was computed from.
    Adjacency { axes: Matrix },
    /// By the nodes that walks visit: one row of axes per node of the graph it was computed from.
    Walks { axes: Matrix, trials: usize, seed: Seed },
    /// By features: one row of axes per column.
    Features { axes: Matrix, shift: Vec<f32>, filter: Filter },
    /// By user-supplied rows, structural roles or amounts: one row of axes per prepared column.
    Custom { axes: Matrix, shift: Vec<f32>, preparation: Box<Preparation> },
}

/// Nodes to be embedded: a graph and its prepared features.
pub(crate) struct PlacementInput<'a> {
    graph: &'a Csr,
    /// For each node, its number in the graph that the components were computed from; `None` if that is the
    /// same graph.
    known: Option<&'a [Option<NodeId>]>,
    /// Prepared with both weightings of words.
    features: [Option<FeatureOperator<'a>>; 2],
    unprepared: &'a Features,
    custom: &'a [CustomComponent],
}

impl<'a> PlacementInput<'a> {
    pub(crate) fn new(
        graph: &'a Csr,
        inputs: NodeInputs<'a>,
        known: Option<&'a [Option<NodeId>]>,
        preparations: &'a [Option<Preparation>; 2],
        exec: &Exec,
    ) -> Self {
        let prepared = preparations
            .each_ref()
            .map(|how| how.as_ref().map(|how| how.apply(inputs.features, graph, exec)));
        PlacementInput {
            graph,
            known,
            features: prepared,
            unprepared: inputs.features,
            custom: inputs.custom,
        }
    }

    /// Axes by the nodes of this graph. New nodes have none: they are embedded by their known neighbours.
    fn axes<'m>(&self, axes: &'m Matrix, exec: &Exec) -> Cow<'m, Matrix> {
        let Some(known) = self.known else { return Cow::Borrowed(axes) };
        let mut own = Matrix::zeros(known.len(), axes.cols());
        exec.fill_matrix(&mut own, |node, row| {
            if let Some(old) = known[node] {
                row.copy_from_slice(axes.row(old as usize));
            }
        });
        Cow::Owned(own)
    }
}

impl Stored for NodePlacement {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        let NodePlacement { kind, basis, norm, both_roles } = self;
        let from = match basis {
            PlacementBasis::Nothing => 0,
            PlacementBasis::Adjacency { .. } => 1,
            PlacementBasis::Walks { .. } => 2,
            PlacementBasis::Features { .. } => 3,
            PlacementBasis::Custom { .. } => 4,
        };
        out.value(&(kind, from, norm.unit, norm.shortest.to_bits(), norm.scale.is_some(), both_roles))?;
        out.slice(norm.scale.as_deref().unwrap_or_default())?;
        match basis {
            PlacementBasis::Nothing => Ok(()),
            PlacementBasis::Adjacency { axes } => axes.write(out),
            PlacementBasis::Walks { axes, trials, seed } => {
                out.value(&(trials, seed))?;
                axes.write(out)
            }
            PlacementBasis::Features { axes, shift, filter } => {
                out.value(filter)?;
                out.slice(shift)?;
                axes.write(out)
            }
            PlacementBasis::Custom { axes, shift, preparation } => {
                out.value(preparation)?;
                out.slice(shift)?;
                axes.write(out)
            }
        }
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let (kind, from, unit, shortest, scaled, both_roles): (ComponentKind, u8, bool, u32, bool, bool) =
            input.value()?;
        let scale: Vec<f32> = input.slice()?;
        let norm = Norm { scale: scaled.then_some(scale), unit, shortest: f32::from_bits(shortest) };
        let basis = match from {
            0 => PlacementBasis::Nothing,
            1 => PlacementBasis::Adjacency { axes: Matrix::read(input)? },
            2 => {
                let (trials, seed) = input.value()?;
                PlacementBasis::Walks { trials, seed, axes: Matrix::read(input)? }
            }
            3 => {
                let (filter, shift) = (input.value()?, input.slice()?);
                PlacementBasis::Features { filter, shift, axes: Matrix::read(input)? }
            }
            4 => {
                let (preparation, shift) = (input.value()?, input.slice()?);
                PlacementBasis::Custom { preparation, shift, axes: Matrix::read(input)? }
            }
            _ => return None,
        };
        Some(NodePlacement { kind, basis, norm, both_roles })
    }
}

impl NodePlacement {
    /// How this component embedded its nodes.
    pub(crate) fn of(component: &Component, norm: Norm) -> Self {
        let basis = match &component.basis {
            Basis::Nothing => PlacementBasis::Nothing,
            Basis::Features { axes, shift, .. } if component.preparation.is_some() => {
                PlacementBasis::Custom {
                    axes: axes.clone(),
                    shift: shift.clone(),
                    preparation: component.preparation.clone().expect("just looked at"),
                }
            }
            Basis::Adjacency(axes) => PlacementBasis::Adjacency { axes: axes.clone() },
            Basis::Walks { axes, trials, seed } => {
                PlacementBasis::Walks { axes: axes.clone(), trials: *trials, seed: *seed }
            }
            Basis::Features { axes, filter, shift, .. } => {
                PlacementBasis::Features { axes: axes.clone(), shift: shift.clone(), filter: *filter }
            }
        };
        NodePlacement { kind: component.kind, basis, norm, both_roles: false }
    }

    /// Dimensions of a row.
    pub(crate) fn cols(&self) -> usize {
        let cols = match &self.basis {
            PlacementBasis::Nothing => 1,
            PlacementBasis::Adjacency { axes }
            | PlacementBasis::Walks { axes, .. }
            | PlacementBasis::Features { axes, .. }
            | PlacementBasis::Custom { axes, .. } => axes.cols(),
        };
        if self.both_roles { 2 * cols } else { cols }
    }

    /// The normalised rows of all nodes.
    pub(crate) fn rows(&self, input: &PlacementInput<'_>, exec: &Exec) -> Matrix {
        let basis = match &self.basis {
            PlacementBasis::Nothing => return self.normed(Matrix::zeros(input.graph.rows(), 1), exec),
            PlacementBasis::Adjacency { axes } => Basis::Adjacency(input.axes(axes, exec).into_owned()),
            PlacementBasis::Walks { axes, trials, seed } => {
                Basis::Walks { axes: input.axes(axes, exec).into_owned(), trials: *trials, seed: *seed }
            }
            PlacementBasis::Features { axes, shift, filter } => {
                let features = input.features[self.kind.spec().weighting.index()].as_ref();
                let features = features.expect("features are prepared where a component needs them");
                Basis::Features {
                    axes: Matrix::default(),
                    projected: features.apply(axes, exec),
                    filter: *filter,
                    shift: shift.clone(),
                }
            }
            PlacementBasis::Custom { axes, shift, preparation } => {
                let rows = if self.kind.is_computed_table() {
                    Cow::Owned(computed_table(self.kind, input.graph, input.unprepared, exec))
                } else {
                    let own = input.custom.iter().find(|own| ComponentKind::Custom(own.name) == self.kind);
                    Cow::Borrowed(&own.expect("the graph carries the components that a model needs").rows)
                };
                Basis::Features {
                    axes: Matrix::default(),
                    projected: preparation.apply(&rows, input.graph, exec).apply(axes, exec),
                    filter: Filter::none(),
                    shift: shift.clone(),
                }
            }
        };
        let rows = basis.embed(input.graph, exec).expect("only nothing has no rows");
        self.normed(rows, exec)
    }

    fn normed(&self, rows: Matrix, exec: &Exec) -> Matrix {
        let rows = if self.both_roles { super::both_roles(&rows, exec) } else { rows };
        self.norm.apply(rows, exec)
    }
}
