//! Features filtered through the graph as an operator: the filtered matrix is never formed.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::prepare::{Preparation, append_degrees};
use super::{Averaging, ComponentParams};
use crate::exec::Exec;
use crate::graph::{Csr, Features, NodeId};
use crate::kernel::{self, Blocks, Scaled};
use crate::linalg::{Dense, LinearOperator, SPARSE_COST};
use crate::matrix::{LARGE, Matrix};
use crate::spec::{Depth, FilterSpec};

/// Prepared features, ready for propagation.
pub(crate) enum FeatureOperator<'a> {
    Dense(Matrix),
    /// Dense features that are too large to be copied.
    Large(PreparedRows<'a>),
    Sparse {
        matrix: Csr,
        transpose: Csr,
    },
}

/// Above this share of nonzero entries, the dense product is faster.
const DENSE_FROM: f64 = 0.1;

/// Dense features, prepared row by row whenever they are used.
#[derive(Debug)]
pub(crate) struct PreparedRows<'a> {
    x: Cow<'a, Matrix>,
    preparation: Cow<'a, Preparation>,
    /// The divisor of the words in each row.
    totals: Vec<f64>,
}

impl<'a> PreparedRows<'a> {
    pub(crate) fn new(x: Cow<'a, Matrix>, preparation: Cow<'a, Preparation>, exec: &Exec) -> Self {
        let mut totals = vec![0.0; x.rows()];
        exec.fill_rows(&mut totals, 1, 64, |first, totals| {
            let mut room = vec![0.0; x.cols()];
            for (offset, total) in totals.iter_mut().enumerate() {
                *total = preparation.total(x.row(first + offset), &mut room);
            }
        });
        PreparedRows { x, preparation, totals }
    }

    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        self.preparation.row(self.x.row(row), self.totals[row], out);
    }

    /// All rows as a prepared copy.
    pub(crate) fn whole(&self, exec: &Exec) -> Matrix {
        let mut out = Matrix::zeros(self.x.rows(), self.preparation.width());
        exec.fill_matrix(&mut out, |row, out| self.row(row, out));
        out
    }

    /// Whether the dense product is faster.
    fn is_dense(&self, exec: &Exec) -> bool {
        let width = self.preparation.width();
        let counts = exec.map_blocks(self.x.rows(), 4096, |range| {
            let mut room = vec![0.0; width];
            range
                .map(|row| {
                    self.row(row, &mut room);
                    room.iter().filter(|&&v| v != 0.0).count()
                })
                .sum::<usize>()
        });
        counts.iter().sum::<usize>() as f64 > DENSE_FROM * (self.x.rows() * width) as f64
    }
}

impl Blocks for PreparedRows<'_> {
    fn rows(&self) -> usize {
        self.x.rows()
    }
    fn cols(&self) -> usize {
        self.preparation.width()
    }
    fn block<'a>(&'a self, rows: Range<usize>, room: &'a mut Vec<f32>) -> &'a [f32] {
        let width = self.preparation.width();
        room.resize(rows.len() * width, 0.0);
        for (row, out) in rows.zip(room.chunks_exact_mut(width)) {
            self.row(row, out);
        }
        room
    }
}

impl Preparation {
    /// Features of the same columns over the nodes of a graph.
    pub(crate) fn apply<'a>(
        &'a self,
        features: &'a Features,
        graph: &Csr,
        exec: &Exec,
    ) -> FeatureOperator<'a> {
        self.apply_from(LARGE, features, graph, exec)
    }

    fn apply_from<'a>(
        &'a self,
        large: usize,
        features: &'a Features,
        graph: &Csr,
        exec: &Exec,
    ) -> FeatureOperator<'a> {
        let mut prepared = match features {
            Features::None => Features::None,
            Features::Dense(x) => {
                let prepared = PreparedRows::new(Cow::Borrowed(x), Cow::Borrowed(self), exec);
                if self.degrees() == 0 && x.rows() * self.width() >= large && prepared.is_dense(exec) {
                    return FeatureOperator::Large(prepared);
                }
                Features::Dense(prepared.whole(exec))
            }
            Features::Sparse(x) => self.sparse(x, exec),
        };
        if self.degrees() > 0 {
            prepared = Features::Sparse(append_degrees(&prepared, graph, self.degrees()));
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

impl LinearOperator for FeatureOperator<'_> {
    fn rows(&self) -> usize {
        match self {
            FeatureOperator::Dense(x) => x.rows(),
            FeatureOperator::Large(x) => Blocks::rows(x),
            FeatureOperator::Sparse { matrix, .. } => matrix.rows(),
        }
    }
    fn cols(&self) -> usize {
        match self {
            FeatureOperator::Dense(x) => x.cols(),
            FeatureOperator::Large(x) => Blocks::cols(x),
            FeatureOperator::Sparse { matrix, .. } => matrix.cols(),
        }
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self {
            FeatureOperator::Dense(own) => Dense(own).apply(x, exec),
            FeatureOperator::Large(own) => Dense(own).apply(x, exec),
            FeatureOperator::Sparse { matrix, .. } => kernel::spmm(Scaled::plain(matrix), x, exec),
        }
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self {
            FeatureOperator::Dense(own) => Dense(own).apply_transpose(x, exec),
            FeatureOperator::Large(own) => Dense(own).apply_transpose(x, exec),
            FeatureOperator::Sparse { transpose, .. } => kernel::spmm(Scaled::plain(transpose), x, exec),
        }
    }
    fn cost(&self) -> f64 {
        match self {
            FeatureOperator::Dense(own) => Dense(own).cost(),
            FeatureOperator::Large(own) => Dense(own).cost(),
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
    /// Whether the result is the difference from the average instead of the average.
    high_pass: bool,
}

impl Filter {
    pub(super) fn new(spec: FilterSpec, params: &ComponentParams) -> Self {
        let row = |steps| Filter { averaging: Averaging::Row, self_loops: false, steps, high_pass: false };
        let loops =
            |steps| Filter { averaging: params.s_averaging, self_loops: true, steps, high_pass: false };
        let steps = |depth| match depth {
            Depth::Parameter => params.steps,
            Depth::Fixed(steps) => steps,
        };
        match spec {
            FilterSpec::None => row(0),
            FilterSpec::Neighbours(depth) => row(steps(depth)),
            FilterSpec::SelfLoops(depth) => loops(steps(depth)),
            FilterSpec::HighPass => Filter { averaging: Averaging::Symmetric, high_pass: true, ..row(1) },
        }
    }

    /// The filter that leaves features as they are.
    pub(super) fn none() -> Self {
        Filter { averaging: Averaging::Row, self_loops: false, steps: 0, high_pass: false }
    }

    /// Whether edges have no effect.
    pub(crate) fn is_still(self) -> bool {
        self.steps == 0 && !self.high_pass
    }

    pub(super) fn on(self, graph: &Csr) -> Propagation<'_> {
        let power = |exponent: f64| -> Vec<f32> {
            (0..graph.rows())
                .map(|node| {
                    let degree = graph.row_sum(node) + f64::from(u8::from(self.self_loops));
                    if degree == 0.0 { 0.0 } else { degree.powf(exponent) as f32 }
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
    pub(super) fn apply(&self, x: Cow<'_, Matrix>, exec: &Exec) -> Matrix {
        self.run(&self.left, &self.right, x, exec)
    }

    /// Some rows of the result of [`Propagation::apply`], in this order.
    pub(super) fn apply_to_rows(&self, x: &Matrix, rows: &[NodeId], exec: &Exec) -> Matrix {
        let Filter { steps, high_pass, .. } = self.filter;
        let step = self.step(&self.left, &self.right);
        if high_pass {
            let mut rest = kernel::spmm_rows(step, x, rows, exec);
            exec.fill_matrix(&mut rest, |at, rest| {
                rest.iter_mut().zip(x.row(rows[at] as usize)).for_each(|(rest, x)| *rest = x - *rest);
            });
            return rest;
        }
        match steps {
            0 => kernel::gather_rows(x, rows, exec),
            1 => kernel::spmm_rows(step, x, rows, exec),
            _ => {
                let before =
                    (2..steps).fold(kernel::spmm(step, x, exec), |x, _| kernel::spmm(step, &x, exec));
                kernel::spmm_rows(step, &before, rows, exec)
            }
        }
    }

    fn apply_transpose(&self, x: Cow<'_, Matrix>, exec: &Exec) -> Matrix {
        self.run(&self.right, &self.left, x, exec)
    }

    fn step<'a>(&'a self, left: &'a [f32], right: &'a [f32]) -> Scaled<'a> {
        let self_loops = self.filter.self_loops;
        Scaled { matrix: self.graph, left: Some(left), right: Some(right), self_loops }
    }

    fn run(&self, left: &[f32], right: &[f32], x: Cow<'_, Matrix>, exec: &Exec) -> Matrix {
        let Filter { steps, high_pass, .. } = self.filter;
        let step = self.step(left, right);
        if high_pass {
            let mut rest = kernel::spmm(step, &x, exec);
            exec.fill_matrix(&mut rest, |row, rest| {
                rest.iter_mut().zip(x.row(row)).for_each(|(rest, x)| *rest = x - *rest);
            });
            return rest;
        }
        (0..steps).fold(x, |x, _| Cow::Owned(kernel::spmm(step, &x, exec))).into_owned()
    }
}

/// Filtered features; never formed.
pub(super) struct Filtered<'a> {
    pub(super) propagation: Propagation<'a>,
    pub(super) features: &'a FeatureOperator<'a>,
}

impl LinearOperator for Filtered<'_> {
    fn rows(&self) -> usize {
        self.features.rows()
    }
    fn cols(&self) -> usize {
        self.features.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        self.propagation.apply(Cow::Owned(self.features.apply(x, exec)), exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        if self.propagation.filter.steps == 0 {
            return self.features.apply_transpose(x, exec);
        }
        self.features.apply_transpose(&self.propagation.apply_transpose(Cow::Borrowed(x), exec), exec)
    }
    fn cost(&self) -> f64 {
        let entries = self.propagation.filter.steps * self.propagation.graph.nnz();
        self.features.cost() + entries as f64 * SPARSE_COST
    }
}

#[cfg(test)]
mod tests {
    use super::super::FeatureScaling;
    use super::*;
    use crate::spec::Weighting;

    /// Features prepared once or again for every product give bitwise equal results.
    #[test]
    fn large_features_are_prepared_as_small_ones() {
        let exec = Exec::new(2).unwrap();
        let (n, width) = (3000, 20);
        let mut draw = crate::seed::Seed(3).stream(crate::seed::Stream::Walks, 0);
        let mut x = Matrix::zeros(n, width);
        x.as_mut_slice().iter_mut().for_each(|v| *v = draw.below(1000) as f32 / 100.0 - 3.0);
        x.row_mut(7).fill(-3.0);
        let features = Features::Dense(x);
        let graph = Csr::symmetric(n, &[[0, 1]]);
        let scaling = FeatureScaling::Paper;
        let params = ComponentParams { dim: 4, scaling, ..ComponentParams::default() };
        let mut wide = Matrix::zeros(width, 5);
        wide.as_mut_slice().iter_mut().for_each(|v| *v = draw.below(1000) as f32 / 500.0 - 1.0);
        for weighting in Weighting::ALL {
            let how = Preparation::learn(&features, weighting, &graph, &params, &exec);
            let small = how.apply_from(usize::MAX, &features, &graph, &exec);
            let large = how.apply_from(0, &features, &graph, &exec);
            assert!(matches!(small, FeatureOperator::Dense(_)) && matches!(large, FeatureOperator::Large(_)));
            let FeatureOperator::Dense(x) = &small else { unreachable!() };
            let sums: Vec<f32> = (0..n).map(|row| x.row(row).iter().sum()).collect();
            let ones = sums.iter().filter(|sum| (**sum - 1.0).abs() < 1e-6).count();
            // Weighted columns have a different minimum, so the row of minima is empty only without weights.
            assert!(
                ones >= n - 1 && (weighting == Weighting::Rare || sums[7] == 0.0),
                "{ones} rows sum to 1"
            );
            assert!(x.as_slice().iter().all(|&v| v >= 0.0));
            let product = small.apply(&wide, &exec);
            assert_eq!(large.apply(&wide, &exec), product);
            assert_eq!(large.apply_transpose(&product, &exec), small.apply_transpose(&product, &exec));
            assert_eq!(
                (large.rows(), large.cols(), large.cost()),
                (small.rows(), small.cols(), small.cost())
            );
        }
    }

    #[test]
    fn degrees_stand_in_for_missing_features() {
        let exec = Exec::new(1).unwrap();
        let graph = Csr::symmetric(4, &[[0, 1], [0, 2], [0, 3]]);
        let params = ComponentParams { degree_columns: 3, ..ComponentParams::default() };
        let prepared = Preparation::learn(&Features::None, Weighting::Equal, &graph, &params, &exec);
        assert_eq!((prepared.degrees(), prepared.width()), (3, 3));
        let x = append_degrees(&Features::None, &graph, prepared.degrees()).to_dense();
        assert_eq!(x.row(0), [0.0, 0.0, 1.0]);
        assert_eq!(x.row(1), [0.0, 1.0, 0.0]);
        assert!(exec.notices().iter().any(|n| n.contains("share one column")));
    }
}
