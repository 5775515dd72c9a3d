//! Features on their way through the graph: prepared, filtered, never written out.

use super::{Averaging, ComponentKind, ComponentParams};
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::kernel::{self, Scaled};
use crate::linalg::{Dense, LinearOperator, SPARSE_COST};
use crate::matrix::Matrix;

/// Features ready for propagation: shifted to a minimum of 0, rows summing to 1, one-hot degrees beside them where they
/// are missing or narrower than the embedding.
pub(super) enum FeatureOperator {
    Dense(Matrix),
    Sparse { matrix: Csr, transpose: Csr },
}

/// Above this share of entries that are not zero, the dense product is the faster one.
const DENSE_FROM: f64 = 0.1;

impl FeatureOperator {
    pub(super) fn prepare(
        features: &Features,
        rare: bool,
        graph: &Csr,
        params: &ComponentParams,
        exec: &Exec,
    ) -> Self {
        let mut prepared = features.clone();
        if rare {
            prepared.weigh_cols(&features.rarity());
        }
        let lowest = match &prepared {
            Features::None => 0.0,
            Features::Dense(x) => x.as_slice().iter().copied().fold(f32::INFINITY, f32::min),
            Features::Sparse(x) => {
                x.values().map_or(0.0, |values| values.iter().copied().fold(0.0, f32::min))
            }
        };
        if lowest != 0.0 {
            // A shift fills the zeros of a sparse matrix.
            if let Features::Sparse(x) = &prepared {
                prepared = Features::Dense(x.to_dense());
            }
            if let Features::Dense(x) = &mut prepared {
                x.as_mut_slice().iter_mut().for_each(|v| *v -= lowest);
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
        if prepared.cols() < params.dim {
            prepared = Features::Sparse(append_degrees(&prepared, graph, params.degree_columns, exec));
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
}

/// Features with one column a degree beside them; degrees beyond the cap share the last column.
fn append_degrees(features: &Features, graph: &Csr, cap: usize, exec: &Exec) -> Csr {
    let degree = |node: usize| graph.row(node).len();
    let highest = (0..graph.rows()).map(degree).max().unwrap_or(0);
    let columns = (highest + 1).min(cap);
    let have = features.cols();
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
        indices.push(u32::try_from(have + degree(node).min(columns - 1)).expect("columns fit in u32"));
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
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
        let x = append_degrees(&Features::None, &graph, 3, &exec).to_dense();
        assert_eq!(x.row(0), [0.0, 0.0, 1.0]);
        assert_eq!(x.row(1), [0.0, 1.0, 0.0]);
        assert!(exec.notices().iter().any(|n| n.contains("share one column")));
    }
}
