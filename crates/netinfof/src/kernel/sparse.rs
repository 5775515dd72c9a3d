//! Products with sparse matrices.

use std::borrow::Borrow;
use std::ops::Range;

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
    fill_products(a, x, 0..x.cols(), out.as_mut_slice(), |at| at, true, exec);
    out
}

/// The product with a matrix in blocks of rows. Blocks that are passed by value are released one after the other, while
/// the memory of the result, of this many rows, comes into use.
pub(crate) fn spmm_blocks(
    blocks: impl IntoIterator<Item = impl Borrow<Csr>>,
    rows: usize,
    x: &Matrix,
    exec: &Exec,
) -> Matrix {
    let mut out = Matrix::zeros(rows, x.cols());
    fill_blocks(blocks, x, 0..x.cols(), &mut out, exec);
    out
}

fn fill_blocks(
    blocks: impl IntoIterator<Item = impl Borrow<Csr>>,
    x: &Matrix,
    columns: Range<usize>,
    out: &mut Matrix,
    exec: &Exec,
) {
    let (width, mut left) = (out.cols(), out.as_mut_slice());
    for block in blocks {
        let block = block.borrow();
        let (own, others) = left.split_at_mut(block.rows() * width);
        fill_products(Scaled::plain(block), x, columns.clone(), own, |at| at, true, exec);
        left = others;
    }
}

/// The product with the transpose of a matrix in blocks of rows. Only one block is transposed at a time: a copy of the
/// whole would need as much memory as the matrix. The result has the same bits as with such a copy, because the terms
/// of every sum are added in the same order.
pub(crate) fn spmm_transposed(blocks: &[Csr], x: &Matrix, exec: &Exec) -> Matrix {
    let mut out = Matrix::zeros(blocks.first().map_or(0, Csr::cols), x.cols());
    add_transposed(blocks, x, 0..x.cols(), &mut out, exec);
    out
}

fn add_transposed(blocks: &[Csr], x: &Matrix, columns: Range<usize>, out: &mut Matrix, exec: &Exec) {
    let mut first = 0;
    for block in blocks {
        if exec.stopped() {
            return;
        }
        let part = block.transposed_among(first, x.rows());
        fill_products(Scaled::plain(&part), x, columns.clone(), out.as_mut_slice(), |at| at, false, exec);
        first += block.rows();
    }
}

/// As [`spmm_blocks`] with a square matrix, in the memory of `x`, with the same bits.
pub(crate) fn spmm_in_place(blocks: &[Csr], x: Matrix, exec: &Exec) -> Matrix {
    in_panels(x, exec, |x, columns, out| fill_blocks(blocks, x, columns, out, exec))
}

/// As [`spmm_transposed`] with a square matrix, in the memory of `x`, with the same bits.
pub(crate) fn spmm_transposed_in_place(blocks: &[Csr], x: Matrix, exec: &Exec) -> Matrix {
    in_panels(x, exec, |x, columns, out| {
        out.as_mut_slice().fill(0.0);
        add_transposed(blocks, x, columns, out, exec);
    })
}

/// Parts of the columns of a product in place: more need less memory and more time.
pub(crate) const PANELS: usize = 4;

/// Replaces the columns of a matrix by their products, one panel after the other: a column of a product depends on no
/// other column.
fn in_panels(mut x: Matrix, exec: &Exec, fill: impl Fn(&Matrix, Range<usize>, &mut Matrix)) -> Matrix {
    let width = x.cols();
    let each = width.div_ceil(PANELS).max(1);
    let mut panel = Matrix::zeros(x.rows(), each.min(width));
    for first in (0..width).step_by(each) {
        let columns = first..(first + each).min(width);
        if columns.len() < panel.cols() {
            panel = Matrix::zeros(x.rows(), columns.len());
        }
        fill(&x, columns.clone(), &mut panel);
        exec.fill_matrix(&mut x, |row, out| out[columns.clone()].copy_from_slice(panel.row(row)));
    }
    x
}

/// Some rows of the sparse-dense product, in this order.
pub(crate) fn spmm_rows(a: Scaled<'_>, x: &Matrix, rows: &[NodeId], exec: &Exec) -> Matrix {
    let mut out = Matrix::zeros(rows.len(), x.cols());
    fill_products(a, x, 0..x.cols(), out.as_mut_slice(), |at| rows[at] as usize, true, exec);
    out
}

/// Rows of the dense matrix that are requested from memory before they are used: their places are random, so the
/// processor does not request them by itself.
const AHEAD: usize = 16;

/// The products with some columns of `x`. `fresh`: whether they replace what is in `out`, or are added to it.
fn fill_products(
    a: Scaled<'_>,
    x: &Matrix,
    columns: Range<usize>,
    out: &mut [f32],
    row_of: impl Fn(usize) -> usize + Sync,
    fresh: bool,
    exec: &Exec,
) {
    assert_eq!(a.matrix.cols(), x.rows(), "sparse and dense matrix disagree");
    let weight = |node: usize| a.right.map_or(1.0, |right| right[node]);
    let (dense, width) = (x.as_slice(), x.cols());
    let dense_row = |at: u32| &dense[at as usize * width..][columns.clone()];
    let one = |at: usize, out: &mut [f32]| {
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
                    inline_axpy(weight(row), &x.row(row)[columns.clone()], out);
                }
                if let Some(left) = a.left {
                    for v in out.iter_mut() {
                        *v *= left[row];
                    }
                }
            },
        );
    };
    let width = columns.len();
    exec.fill_rows(out, width, ROWS, |first, rows| {
        rows.chunks_exact_mut(width).enumerate().for_each(|(offset, out)| one(first + offset, out));
    });
}

/// Rows of a task.
const ROWS: usize = 64;

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
        for each in [7, 1000, rows] {
            assert_eq!(spmm_transposed(&in_blocks(&a, each), &x, &exec), whole, "{each}");
        }
    }

    fn in_blocks(a: &Csr, each: usize) -> Vec<Csr> {
        let rows: Vec<NodeId> = (0..a.rows() as u32).collect();
        rows.chunks(each).map(|own| a.rows_of(own)).collect()
    }

    #[test]
    fn products_in_place_have_the_same_bits() {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let size = 500;
        let edges: Vec<[u32; 2]> = (1..size as u32).flat_map(|i| [[i, i / 2], [i, i / 3]]).collect();
        let mut a = Csr::symmetric(size, &edges);
        a.map_values(|row, _| 1.0 / (row + 1) as f32);
        let exec = Exec::new(2).unwrap();
        for width in [1, 3, 8, 37] {
            let x = Matrix::from_fn(size, width, |_, _| draw.normal() as f32);
            let [plain, transposed] = [&a, &a.transpose()].map(|a| spmm(Scaled::plain(a), &x, &exec));
            for each in [90, size] {
                let blocks = in_blocks(&a, each);
                assert_eq!(spmm_in_place(&blocks, x.clone(), &exec), plain);
                assert_eq!(spmm_transposed_in_place(&blocks, x.clone(), &exec), transposed);
                assert_eq!(spmm_blocks(blocks, size, &x, &exec), plain);
            }
        }
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
