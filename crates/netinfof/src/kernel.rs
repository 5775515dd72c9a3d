//! Numerical kernels: every product, Gram matrix, decomposition, gather and hot loop of the crate.
//!
//! No other module uses faer, pulp or SIMD, so another backend changes only this module. It has three
//! extension points:
//!
//! - [`Blocks`]: rows of an operand that is too large for memory.
//! - [`Reduction`]: a sum over rows by fixed blocks, whose partial results are merged in block order. Blocks
//!   are computed on threads; the result would be the same on a device or on several machines.
//! - [`SmallMatrix`]: small dense algebra in `f64`, independent of the library that implements it.
//!
//! Loops are plain and safe Rust; [`simd`] lets the compiler use the vector units of the processor. Sums over
//! rows run over fixed blocks, so results do not depend on the number of threads.

mod cluster;
mod dense;
mod pair;
mod reduction;
mod small;
mod sparse;
mod vector;

pub(crate) use self::cluster::{cluster_sums, lower_distances, nearest_centres};
pub(crate) use self::dense::{
    Blocks, DenseRows, add_gram_lower, column_deviations, column_squares, gather_rows, gemm,
    gemm_into_columns, gemm_nt, gemm_small, gemm_small_in_place, gemm_tn, gram, normalize_rows,
};
pub(crate) use self::pair::{GroupedPairs, hadamard_features, pair_dots, pair_fit_step};
pub(crate) use self::reduction::{Reduction, reduce};
pub(crate) use self::small::{Cholesky, SmallMatrix};
pub(crate) use self::sparse::{
    PANELS, Scaled, add_sparse_row, sparse_row_dot, spmm, spmm_blocks, spmm_in_place, spmm_rows,
    spmm_transposed, spmm_transposed_in_place,
};
pub(crate) use self::vector::{
    add_row_dots, affine_scores, any_above, axpy, axpy_f64, dot, raise_to_magnitudes, round_to_shares,
    weighted_row_sums,
};

/// Runs `work` compiled for the best vector units of this processor. The closure and everything that it calls
/// in its loops must be `#[inline(always)]`: code that is not inlined is compiled for the oldest supported
/// processor.
#[inline(always)]
fn simd<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}
