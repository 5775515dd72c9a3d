//! Solvers over linear operators. They know nothing of graphs.
//!
//! Each has its parameters, its information about the run (iterations, residual, converged) and one function.

mod lsqr;
mod rsvd;
pub(crate) mod sgl;

pub use lsqr::{LsqrInfo, LsqrParams};
pub use rsvd::RsvdParams;
pub use sgl::{SglInfo, SglParams};

pub(crate) use lsqr::{LeastSquares, lsqr};
pub(crate) use rsvd::{Svd, rsvd, solve_spd};

use crate::exec::Exec;
use crate::matrix::Matrix;

/// A matrix known only by its products with blocks of vectors.
pub(crate) trait LinearOperator: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn cols(&self) -> usize;
    /// The product with `x`.
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix;
    /// The product of the transpose with `x`.
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix;
}
