//! Sums over rows, by fixed blocks.

use std::ops::Range;

use crate::exec::Exec;

/// A result over all rows that is merged from partial results over blocks of rows.
///
/// Block borders depend only on the data and partial results are merged in block order, so the bits of the
/// result do not depend on where and in which order the blocks were computed: on threads, on a device or by
/// workers.
pub(crate) trait Reduction: Sync {
    /// The result over one block.
    type Partial: Send;
    /// The result over all rows.
    type Output;
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Rows per block. It must be a function of sizes, never of the number of threads.
    fn block(&self) -> usize;
    /// Computes one block.
    fn partial(&self, rows: Range<usize>) -> Self::Partial;
    /// Merges all partial results, which are in block order.
    fn merge(&self, partials: Vec<Self::Partial>) -> Self::Output;
}

/// Computes a reduction on the threads of `exec`.
pub(crate) fn reduce<R: Reduction>(reduction: &R, exec: &Exec) -> R::Output {
    let partials = exec.map_blocks(reduction.rows(), reduction.block(), |rows| reduction.partial(rows));
    reduction.merge(partials)
}

/// Rows per block for large partial results: at least `least`, with at most 64 partial results in total.
pub(super) fn wide_block(rows: usize, least: usize) -> usize {
    least.max(rows.div_ceil(64))
}

/// Adds partial results to `sum`, one after the other.
pub(super) fn add_in_order<T: Copy + Into<f64>>(sum: &mut [f64], partials: &[Vec<T>]) {
    for partial in partials {
        for (sum, &v) in sum.iter_mut().zip(partial) {
            *sum += v.into();
        }
    }
}
