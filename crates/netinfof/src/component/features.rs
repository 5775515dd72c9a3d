//! Features on their way through the graph: prepared, filtered, never written out.

use serde::{Deserialize, Serialize};

use super::{Averaging, ComponentKind, ComponentParams};
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::kernel::{self, Scaled};
use crate::linalg::{Dense, LinearOperator, SPARSE_COST};
use crate::matrix::Matrix;

/// Features ready for propagation: shifted to a minimum of 0, rows summing to 1, one-hot degrees beside them where they
/// are missing or narrower than the embedding.
pub(crate) enum FeatureOperator {
    Dense(Matrix),
    Sparse { matrix: Csr, transpose: Csr },
}

/// Above this share of entries that are not zero, the dense product is the faster one.
const DENSE_FROM: f64 = 0.1;

/// How the features of a training graph were prepared; those of another graph go the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Preparation {
    /// A weight for every column, where rare ones count more.
    #[serde(skip)]
    pub(crate) rarity: Option<Vec<f32>>,
    /// The lowest value, taken from all.
    lowest: f32,
    /// Columns of features before anything stands beside them.
    pub(crate) columns: usize,
    /// One-hot degree columns beside them.
    degrees: usize,
}

impl Preparation {
    pub(crate) fn learn(
        features: &Features,
        rare: bool,
        graph: &Csr,
        params: &ComponentParams,
        exec: &Exec,
    ) -> Self {
        let rarity = rare.then(|| features.rarity());
        let weight = |col: usize| rarity.as_ref().map_or(1.0, |rarity| rarity[col]);
        let lowest = match features {
            Features::None => 0.0,
            Features::Dense(x) => (0..x.rows())
                .flat_map(|row| x.row(row).iter().enumerate().map(|(col, v)| v * weight(col)))
                .fold(f32::INFINITY, f32::min),
            Features::Sparse(x) => (0..x.rows())
                .flat_map(|row| x.row(row).iter().zip(x.row_values(row).unwrap_or_default()))
                .map(|(&col, v)| v * weight(col as usize))
                .fold(0.0, f32::min),
        };
        let columns = features.cols();
        let degrees = if columns < params.dim { degree_columns(columns, graph, params, exec) } else { 0 };
        Preparation { rarity, lowest, columns, degrees }
    }

    /// Features of the same columns over the nodes of a graph.
    pub(crate) fn apply(&self, features: &Features, graph: &Csr, exec: &Exec) -> FeatureOperator {
        let mut prepared = features.clone();
        if let Some(rarity) = &self.rarity {
            prepared.weigh_cols(rarity);
        }
        if self.lowest != 0.0 {
            // A shift fills the zeros of a sparse matrix.
            if let Features::Sparse(x) = &prepared {
                prepared = Features::Dense(x.to_dense());
            }
            if let Features::Dense(x) = &mut prepared {
                x.as_mut_slice().iter_mut().for_each(|v| *v -= self.lowest);
            }
        }
        match &mut prepared {
            Features::None => {}
            Features::Dense(x) => exec.fill_matrix(x, |_, row| {
                let sum: f64 = row.iter().map(|&v| f64::from(v)).sum();
                if sum > 0.0 {
                    for v in row {
                        *v = (f64::from(*v) / sum) as f32;
                    }
                }
            }),
            Features::Sparse(x) => {
                let sums: Vec<f64> = (0..x.rows())
                    .map(|row| {
                        x.row_values(row)
                            .map_or(x.row(row).len() as f64, |v| v.iter().map(|&v| f64::from(v)).sum())
                    })
                    .collect();
                x.map_values(|row, v| if sums[row] > 0.0 { (f64::from(v) / sums[row]) as f32 } else { 0.0 });
            }
        }
        if self.degrees > 0 {
            prepared = Features::Sparse(append_degrees(&prepared, graph, self.degrees));
        }
        let dense = prepared.density() > DENSE_FROM;
        match prepared {
            Features::Dense(x) if dense => FeatureOperator::Dense(x),
            Features::Sparse(x) if dense => FeatureOperator::Dense(x.to_dense()),
            Features::Sparse(matrix) => FeatureOperator::Sparse { transpose: matrix.transpose(), matrix },
            Features::Dense(x) => {
                let matrix = Csr::from_dense(&x);
                FeatureOperator::Sparse { transpose: matrix.transpose(), matrix }
            }
            Features::None => unreachable!("degrees were appended"),
        }
    }

    /// Width of what [`Preparation::apply`] gives.
    pub(crate) fn width(&self) -> usize {
        self.columns + self.degrees
    }
}

/// How many one-hot columns the degrees of a training graph need.
fn degree_columns(have: usize, graph: &Csr, params: &ComponentParams, exec: &Exec) -> usize {
    let cap = params.degree_columns;
    let highest = (0..graph.rows()).map(|node| graph.row(node).len()).max().unwrap_or(0);
    let columns = (highest + 1).min(cap);
    exec.notice(if have == 0 {
        format!("no features: {columns} one-hot degree columns take their place")
    } else {
        format!(
            "{have} features are fewer than the dimensions asked for: {columns} one-hot degree columns added"
        )
    });
    if highest >= cap {
        exec.notice(format!("degrees from {} to {highest} share one column", cap - 1));
    }
    columns
}

/// Features with one column a degree beside them; degrees beyond the last column share it.
fn append_degrees(features: &Features, graph: &Csr, columns: usize) -> Csr {
    let have = features.cols();
    let base = match features {
        Features::None => None,
        Features::Dense(x) => Some(Csr::from_dense(x)),
        Features::Sparse(x) => Some(x.clone()),
    };
    let rows = (0..graph.rows()).map(|node| {
        let (mut indices, mut values) = base.as_ref().map_or_else(Default::default, |base| {
            let indices = base.row(node).to_vec();
            let values = base.row_values(node).map_or_else(|| vec![1.0; indices.len()], <[f32]>::to_vec);
            (indices, values)
        });
        let degree = graph.row(node).len();
        indices.push(u32::try_from(have + degree.min(columns - 1)).expect("columns fit in u32"));
        values.push(1.0);
        (indices, values)
    });
    Csr::from_rows(have + columns, rows)
}

impl LinearOperator for FeatureOperator {
    fn rows(&self) -> usize {
        match self {
            FeatureOperator::Dense(x) => x.rows(),
            FeatureOperator::Sparse { matrix, .. } => matrix.rows(),
        }
    }
    fn cols(&self) -> usize {
        match self {
            FeatureOperator::Dense(x) => x.cols(),
            FeatureOperator::Sparse { matrix, .. } => matrix.cols(),
        }
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self {
            FeatureOperator::Dense(own) => Dense(own).apply(x, exec),
            FeatureOperator::Sparse { matrix, .. } => kernel::spmm(Scaled::plain(matrix), x, exec),
        }
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self {
            FeatureOperator::Dense(own) => Dense(own).apply_transpose(x, exec),
            FeatureOperator::Sparse { transpose, .. } => kernel::spmm(Scaled::plain(transpose), x, exec),
        }
    }
    fn cost(&self) -> f64 {
        match self {
            FeatureOperator::Dense(own) => Dense(own).cost(),
            FeatureOperator::Sparse { matrix, .. } => matrix.nnz() as f64 * SPARSE_COST,
        }
    }
}

/// How a component filters features through a graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Filter {
    averaging: Averaging,
    self_loops: bool,
    steps: usize,
    /// What averaging takes away, instead of what it leaves.
    high_pass: bool,
}

impl Filter {
    pub(super) fn new(kind: ComponentKind, params: &ComponentParams) -> Self {
        let row = |steps| Filter { averaging: Averaging::Row, self_loops: false, steps, high_pass: false };
        let loops =
            |steps| Filter { averaging: params.s_averaging, self_loops: true, steps, high_pass: false };
        match kind {
            ComponentKind::U | ComponentKind::R | ComponentKind::F | ComponentKind::X => row(0),
            ComponentKind::P => row(params.steps),
            ComponentKind::P1 => row(1),
            ComponentKind::S => loops(params.steps),
            ComponentKind::S1 => loops(1),
            ComponentKind::S3 => loops(3),
            ComponentKind::S5 => loops(5),
            ComponentKind::D => Filter { averaging: Averaging::Symmetric, high_pass: true, ..row(1) },
        }
    }

    /// Whether edges play no part.
    pub(crate) fn is_still(self) -> bool {
        self.steps == 0 && !self.high_pass
    }

    pub(super) fn on(self, graph: &Csr) -> Propagation<'_> {
        let power = |exponent: f64| -> Vec<f32> {
            (0..graph.rows())
                .map(|node| {
                    let degree = graph.row(node).len() + usize::from(self.self_loops);
                    if degree == 0 { 0.0 } else { (degree as f64).powf(exponent) as f32 }
                })
                .collect()
        };
        let (left, right) = match self.averaging {
            Averaging::Row => (power(-1.0), vec![1.0; graph.rows()]),
            Averaging::Symmetric => (power(-0.5), power(-0.5)),
        };
        Propagation { graph, filter: self, left, right }
    }
}

/// A filter on a graph: some steps of `diag(left) (A [+ I]) diag(right)`.
pub(super) struct Propagation<'a> {
    graph: &'a Csr,
    filter: Filter,
    left: Vec<f32>,
    right: Vec<f32>,
}

impl Propagation<'_> {
    pub(super) fn apply(&self, x: Matrix, exec: &Exec) -> Matrix {
        self.run(&self.left, &self.right, x, exec)
    }

    fn apply_transpose(&self, x: Matrix, exec: &Exec) -> Matrix {
        self.run(&self.right, &self.left, x, exec)
    }

    fn run(&self, left: &[f32], right: &[f32], x: Matrix, exec: &Exec) -> Matrix {
        let Filter { self_loops, steps, high_pass, .. } = self.filter;
        let step = Scaled { matrix: self.graph, left: Some(left), right: Some(right), self_loops };
        if high_pass {
            let mut rest = kernel::spmm(step, &x, exec);
            exec.fill_matrix(&mut rest, |row, rest| {
                rest.iter_mut().zip(x.row(row)).for_each(|(rest, x)| *rest = x - *rest);
            });
            return rest;
        }
        (0..steps).fold(x, |x, _| kernel::spmm(step, &x, exec))
    }
}

/// Filtered features; never formed.
pub(super) struct Filtered<'a> {
    pub(super) propagation: Propagation<'a>,
    pub(super) features: &'a FeatureOperator,
}

impl LinearOperator for Filtered<'_> {
    fn rows(&self) -> usize {
        self.features.rows()
    }
    fn cols(&self) -> usize {
        self.features.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        self.propagation.apply(self.features.apply(x, exec), exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        if self.propagation.filter.steps == 0 {
            return self.features.apply_transpose(x, exec);
        }
        self.features.apply_transpose(&self.propagation.apply_transpose(x.clone(), exec), exec)
    }
    fn cost(&self) -> f64 {
        let entries = self.propagation.filter.steps * self.propagation.graph.nnz();
        self.features.cost() + entries as f64 * SPARSE_COST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_stand_in_for_missing_features() {
        let exec = Exec::new(1).unwrap();
        let graph = Csr::symmetric(4, &[[0, 1], [0, 2], [0, 3]]);
        let params = ComponentParams { degree_columns: 3, ..ComponentParams::default() };
        let prepared = Preparation::learn(&Features::None, false, &graph, &params, &exec);
        assert_eq!(prepared.degrees, 3);
        let x = append_degrees(&Features::None, &graph, prepared.degrees).to_dense();
        assert_eq!(x.row(0), [0.0, 0.0, 1.0]);
        assert_eq!(x.row(1), [0.0, 1.0, 0.0]);
        assert!(exec.notices().iter().any(|n| n.contains("share one column")));
    }
}
