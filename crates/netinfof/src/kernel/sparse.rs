//! Products with sparse matrices.

use super::simd;
use super::vector::inline_axpy;
use crate::csr::{Csr, NodeId};
use crate::exec::Exec;
use crate::matrix::Matrix;

/// A sparse matrix with scaled rows and columns and an optional unit diagonal: `diag(left) (A + I)
/// diag(right)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled<'a> {
    pub(crate) matrix: &'a Csr,
    pub(crate) left: Option<&'a [f32]>,
    pub(crate) right: Option<&'a [f32]>,
    pub(crate) self_loops: bool,
}

impl<'a> Scaled<'a> {
    pub(crate) fn plain(matrix: &'a Csr) -> Self {
        Scaled { matrix, left: None, right: None, self_loops: false }
    }
}

/// The sparse-dense product, one task per block of rows. `O(nnz · columns)`.
pub(crate) fn spmm(a: Scaled<'_>, x: &Matrix, exec: &Exec) -> Matrix {
    let mut out = Matrix::zeros(a.matrix.rows(), x.cols());
    fill_products(a, x, &mut out, |at| at, true, exec);
    out
}

/// The product with the transpose, which is made and used for a part of the rows at a time: a copy of the whole
/// would need as much memory as the matrix. The result has the same bits as with such a copy, because the terms of
/// every sum are added in the same order.
pub(crate) fn spmm_transposed(a: &Csr, x: &Matrix, exec: &Exec) -> Matrix {
    in_parts(a, x, (a.nnz() / TRANSPOSED_PARTS).max(TRANSPOSED_ENTRIES), exec)
}

fn in_parts(a: &Csr, x: &Matrix, entries: usize, exec: &Exec) -> Matrix {
    assert_eq!(a.rows(), x.rows(), "sparse and dense matrix disagree");
    let mut out = Matrix::zeros(a.cols(), x.cols());
    let mut first = 0;
    while first < a.rows() && !exec.stopped() {
        let mut end = first;
        let mut count = 0;
        while end < a.rows() && (end == first || count + a.row(end).len() <= entries) {
            count += a.row(end).len();
            end += 1;
        }
        let part = a.transposed_rows(first..end);
        fill_products(Scaled::plain(&part), x, &mut out, |at| at, false, exec);
        first = end;
    }
    out
}

/// Parts of a large matrix.
const TRANSPOSED_PARTS: usize = 16;
/// Entries of a part, at least.
const TRANSPOSED_ENTRIES: usize = 1 << 20;

/// Some rows of the sparse-dense product, in this order.
pub(crate) fn spmm_rows(a: Scaled<'_>, x: &Matrix, rows: &[NodeId], exec: &Exec) -> Matrix {
    let mut out = Matrix::zeros(rows.len(), x.cols());
    fill_products(a, x, &mut out, |at| rows[at] as usize, true, exec);
    out
}

/// Rows of the dense matrix that are requested from memory before they are used: their places are random, so the
/// processor does not request them by itself.
const AHEAD: usize = 16;

/// `fresh`: whether the products replace what is in `out`, or are added to it.
fn fill_products(
    a: Scaled<'_>,
    x: &Matrix,
    out: &mut Matrix,
    row_of: impl Fn(usize) -> usize + Sync,
    fresh: bool,
    exec: &Exec,
) {
    assert_eq!(a.matrix.cols(), x.rows(), "sparse and dense matrix disagree");
    let weight = |node: usize| a.right.map_or(1.0, |right| right[node]);
    let (dense, width) = (x.as_slice(), x.cols());
    let dense_row = |at: u32| &dense[at as usize * width..][..width];
    exec.fill_matrix(out, |at, out| {
        let row = row_of(at);
        simd(
            #[inline(always)]
            || {
                // Written before it is read, so that new memory causes one page fault instead of two.
                if fresh {
                    out.fill(0.0);
                }
                let (cols, after) = a.matrix.row_and_after(row);
                let values = a.matrix.row_values(row);
                for (at, &col) in cols.iter().enumerate() {
                    let later = cols.get(at + AHEAD).or_else(|| after.get(at + AHEAD - cols.len()));
                    if let Some(&later) = later {
                        request(dense_row(later));
                    }
                    let value = values.map_or(1.0, |values| values[at]) * weight(col as usize);
                    inline_axpy(value, dense_row(col), out);
                }
                if a.self_loops {
                    inline_axpy(weight(row), x.row(row), out);
                }
                if let Some(left) = a.left {
                    for v in out.iter_mut() {
                        *v *= left[row];
                    }
                }
            },
        );
    });
}

/// Requests values from memory that will be read soon.
#[inline(always)]
fn request(values: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    for line in values.chunks(16) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "there is no safe way to request memory")]
        // SAFETY: a request is a hint; it never reads or writes, and the address is that of a slice.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// Adds a row of a sparse matrix to a dense vector.
pub(crate) fn add_sparse_row(x: &Csr, row: usize, to: &mut [f32]) {
    simd(
        #[inline(always)]
        || match x.row_values(row) {
            None => x.row(row).iter().for_each(|&col| to[col as usize] += 1.0),
            Some(values) => x.row(row).iter().zip(values).for_each(|(&col, v)| to[col as usize] += v),
        },
    );
}

/// The dot product of a row of a sparse matrix with a dense vector.
pub(crate) fn sparse_row_dot(x: &Csr, row: usize, with: &[f32]) -> f32 {
    simd(
        #[inline(always)]
        || match x.row_values(row) {
            None => x.row(row).iter().map(|&col| with[col as usize]).sum(),
            Some(values) => x.row(row).iter().zip(values).map(|(&col, v)| v * with[col as usize]).sum(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_with_parts_of_the_transpose_have_the_same_bits() {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        // Several parts, with rows of many and of no entries.
        let (rows, cols) = (3000, 70);
        let mut builder = crate::csr::CsrBuilder::new(cols);
        for row in 0..rows {
            let every = 1 + row as u32 % 7;
            builder.push_row(
                (0..cols as u32)
                    .filter(|col| row % 11 != 0 && col % every == 0)
                    .map(|col| (col, draw.normal() as f32)),
            );
        }
        let a = builder.finish();
        let x = Matrix::from_fn(rows, 5, |_, _| draw.normal() as f32);
        let exec = Exec::new(2).unwrap();
        let whole = spmm(Scaled::plain(&a.transpose()), &x, &exec);
        for entries in [1, 500, a.nnz(), 2 * a.nnz()] {
            assert_eq!(in_parts(&a, &x, entries, &exec), whole, "{entries}");
        }
        assert_eq!(spmm_transposed(&a, &x, &exec), whole);
    }
    use crate::seed::{Seed, Stream};

    #[test]
    fn spmm_equals_the_dense_product() {
        let exec = Exec::new(2).unwrap();
        let a = Csr::symmetric(4, &[[0, 1], [1, 2], [0, 3]]);
        let mut draw = Seed(3).stream(Stream::Synth, 5);
        let x = Matrix::from_fn(4, 3, |_, _| draw.normal() as f32);
        let (left, right) = ([1.0, 2.0, 3.0, 4.0], [0.5, 0.25, 2.0, 1.0]);
        let scaled = Scaled { matrix: &a, left: Some(&left), right: Some(&right), self_loops: true };
        let y = spmm(scaled, &x, &exec);
        let dense = a.to_dense();
        for i in 0..4 {
            for k in 0..3 {
                let expected: f32 = (0..4)
                    .map(|j| left[i] * (dense.row(i)[j] + f32::from(i == j)) * right[j] * x.row(j)[k])
                    .sum();
                assert!((y.row(i)[k] - expected).abs() < 1e-5);
            }
        }
        let some = spmm_rows(scaled, &x, &[3, 1], &exec);
        assert_eq!((some.row(0), some.row(1)), (y.row(3), y.row(1)));
    }

    #[test]
    fn sparse_rows_equal_dense_ones() {
        let dense = Matrix::from_vec(2, 3, vec![0.0, 2.0, 1.0, 0.5, 0.0, 0.0]);
        let (values, pattern) = (Csr::from_dense(&dense), Csr::symmetric(3, &[[0, 2]]));
        let with = [1.0, 10.0, 100.0];
        assert_eq!([0, 1].map(|row| sparse_row_dot(&values, row, &with)), [120.0, 0.5]);
        assert_eq!(sparse_row_dot(&pattern, 0, &with), 100.0);
        let mut sum = with;
        add_sparse_row(&values, 0, &mut sum);
        add_sparse_row(&pattern, 0, &mut sum);
        assert_eq!(sum, [1.0, 12.0, 102.0]);
    }
}
