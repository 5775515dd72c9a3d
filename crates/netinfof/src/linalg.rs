//! Solvers over linear operators, independent of graphs.
//!
//! Each solver has parameters, information about the run (iterations, residual, converged) and one function.

pub(crate) mod block_ridge;
mod kernel_ridge;
mod kmeans;
mod lsqr;
mod ridge_target;
mod rsvd;
pub(crate) mod sgl;
mod target_scale;

pub use kmeans::{KMeansParams, kmeans};
pub(crate) use lsqr::LsqrInfo;
pub use lsqr::LsqrParams;
pub use rsvd::RsvdParams;
pub use sgl::{SglInfo, SglParams};
pub(crate) use target_scale::TargetScale;

pub(crate) use block_ridge::{BlockRidge, Choice, RidgeBlock, shares};
pub(crate) use lsqr::{LeastSquares, lsqr};
pub(crate) use ridge_target::{Outcome, RidgeTarget, ScoreFit, softplus};
pub(crate) use rsvd::{Svd, rsvd, solve_spd, symmetric_svd};

use crate::exec::Exec;
pub(crate) use crate::kernel::PANELS;
use crate::kernel::{self, Blocks};
use crate::matrix::Matrix;

/// Approximate nanoseconds per multiply-add in a product with a sparse matrix.
pub(crate) const SPARSE_COST: f64 = 0.25;
/// Approximate nanoseconds per multiply-add in a product of dense matrices.
pub(crate) const DENSE_COST: f64 = 0.012;

/// A dense matrix as an operator.
pub(crate) struct Dense<'a, B>(pub(crate) &'a B);

impl<B: Blocks> LinearOperator for Dense<'_, B> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn cols(&self) -> usize {
        self.0.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        kernel::gemm(self.0, x, exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let product = kernel::gemm_tn(self.0, x, exec);
        Matrix::from_fn(product.rows(), product.cols(), |row, col| product[(row, col)] as f32)
    }
    fn cost(&self) -> f64 {
        (self.0.rows() * self.0.cols()) as f64 * DENSE_COST
    }
}

/// A matrix that is accessed only by its products with blocks of vectors.
pub(crate) trait LinearOperator: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn cols(&self) -> usize;
    /// The product with `x`.
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix;
    /// The product of the transpose with `x`.
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix;
    /// Whether products with owned vectors are computed in their memory, in order to save memory.
    fn saves_memory(&self) -> bool {
        false
    }
    /// The product with `x`, which is released.
    fn apply_owned(&self, x: Matrix, exec: &Exec) -> Matrix {
        self.apply(&x, exec)
    }
    /// The product of the transpose with `x`, which is released.
    fn apply_transpose_owned(&self, x: Matrix, exec: &Exec) -> Matrix {
        self.apply_transpose(&x, exec)
    }
    /// Approximate nanoseconds of a product with one vector, to choose between algorithms. Depends only on
    /// sizes.
    fn cost(&self) -> f64;
}
