//! Products and sums over the rows of dense `f32` matrices.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::reduction::{Reduction, add_in_order, reduce, wide_block};
use super::small::SmallMatrix;
use crate::exec::Exec;
use crate::matrix::Matrix;

/// Rows per block of a dense product. Fixed, because sums are taken block by block.
const BLOCK: usize = 512;

/// Rows of a dense operand, one block at a time.
///
/// This trait supports operands that are too large for memory. Blocks are parts of a [`Matrix`] in memory, or
/// are computed on demand; blocks of a memory-mapped file or of an array on a device are possible
/// implementations.
pub(crate) trait Blocks: Sync {
    fn rows(&self) -> usize;
    fn cols(&self) -> usize;
    /// These rows, one after the other; stored in `room` if they have to be computed or read first.
    fn block<'a>(&'a self, rows: Range<usize>, room: &'a mut Vec<f32>) -> &'a [f32];
}

impl Blocks for Matrix {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }
    fn cols(&self) -> usize {
        Matrix::cols(self)
    }
    fn block<'a>(&'a self, rows: Range<usize>, _: &'a mut Vec<f32>) -> &'a [f32] {
        &self.as_slice()[rows.start * self.cols()..rows.end * self.cols()]
    }
}

/// Rows that lie one after the other in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenseRows<'a> {
    values: &'a [f32],
    count: usize,
    width: usize,
}

impl<'a> DenseRows<'a> {
    /// `count` rows of `width` numbers. Panics if the number of values differs.
    pub(crate) fn new(values: &'a [f32], count: usize, width: usize) -> Self {
        assert_eq!(values.len(), count * width, "values and shape disagree");
        DenseRows { values, count, width }
    }

    /// Some rows of a matrix.
    pub(crate) fn of(matrix: &'a Matrix, rows: Range<usize>) -> Self {
        let width = matrix.cols();
        let values = &matrix.as_slice()[rows.start * width..rows.end * width];
        DenseRows { values, count: rows.len(), width }
    }

    /// All rows of a matrix.
    pub(crate) fn all(matrix: &'a Matrix) -> Self {
        DenseRows::of(matrix, 0..matrix.rows())
    }

    /// The same rows as a view of the dense-algebra library, without copying.
    pub(super) fn view(self) -> MatRef<'a, f32> {
        MatRef::from_row_major_slice(self.values, self.count, self.width)
    }
}

/// The dense product `a b`, one task per block of rows of `a`.
pub(crate) fn gemm(a: &impl Blocks, b: &Matrix, exec: &Exec) -> Matrix {
    by_blocks(a, DenseRows::all(b).view(), exec)
}

/// The dense product `a b` with a small matrix, which is rounded to `f32` first.
pub(crate) fn gemm_small(a: &impl Blocks, b: &SmallMatrix, exec: &Exec) -> Matrix {
    // Column-major like small matrices, because the layout affects the rounding of the product.
    let rounded = Mat::from_fn(b.rows(), b.cols(), |row, col| b[(row, col)] as f32);
    by_blocks(a, rounded.as_ref(), exec)
}

/// As [`gemm_small`] with a matrix of at most as many columns as `a`, in its memory and with the same bits.
pub(crate) fn gemm_small_in_place(mut a: Matrix, b: &SmallMatrix, exec: &Exec) -> Matrix {
    let (inner, width) = (a.cols(), b.cols());
    assert!(inner == b.rows() && width <= inner, "a matrix of as many rows and not more columns");
    let rounded = Mat::from_fn(inner, width, |row, col| b[(row, col)] as f32);
    exec.fill_rows(a.as_mut_slice(), inner, BLOCK, |_, rows| {
        let (count, before) = (rows.len() / inner, rows.to_vec());
        let lhs = DenseRows::new(&before, count, inner).view();
        let dst = MatMut::from_row_major_slice_mut(&mut rows[..count * width], count, width);
        matmul(dst, Accum::Replace, lhs, rounded.as_ref(), 1.0, Par::Seq);
    });
    // Each block of products is now at the beginning of the place of its rows.
    for first in (0..a.rows()).step_by(BLOCK) {
        let count = BLOCK.min(a.rows() - first);
        a.as_mut_slice().copy_within(first * inner..first * inner + count * width, first * width);
    }
    a.with_fewer_columns(width)
}

fn by_blocks(a: &impl Blocks, b: MatRef<'_, f32>, exec: &Exec) -> Matrix {
    assert_eq!(a.cols(), b.nrows(), "inner dimensions disagree");
    let (inner, width) = (a.cols(), b.ncols());
    let mut out = Matrix::zeros(a.rows(), width);
    exec.fill_rows(out.as_mut_slice(), width, BLOCK, |first, rows| {
        let count = rows.len() / width;
        let mut room = Vec::new();
        let lhs = DenseRows::new(a.block(first..first + count, &mut room), count, inner).view();
        let dst = MatMut::from_row_major_slice_mut(rows, count, width);
        matmul(dst, Accum::Replace, lhs, b, 1.0, Par::Seq);
    });
    out
}

/// Writes the product `a b` into some columns of `out`, from column `first` on; rows of `out` are `width`
/// wide. On this thread.
pub(crate) fn gemm_into_columns(a: DenseRows<'_>, b: &Matrix, out: &mut [f32], width: usize, first: usize) {
    let mut out = MatMut::from_row_major_slice_mut(out, a.count, width);
    let dst = out.as_mut().submatrix_mut(0, first, a.count, b.cols());
    matmul(dst, Accum::Replace, a.view(), DenseRows::all(b).view(), 1.0, Par::Seq);
}

/// Writes the product `a bᵀ`, all dot products of rows of `a` with rows of `b`, row after row. On this
/// thread.
pub(crate) fn gemm_nt(a: DenseRows<'_>, b: DenseRows<'_>, out: &mut [f32]) {
    let dst = MatMut::from_row_major_slice_mut(out, a.count, b.count);
    matmul(dst, Accum::Replace, a.view(), b.view().transpose(), 1.0, Par::Seq);
}

/// The product `aᵀ b` of two tall matrices: blocks in `f32`, summed in `f64`.
pub(crate) fn gemm_tn(a: &impl Blocks, b: &Matrix, exec: &Exec) -> SmallMatrix {
    assert_eq!(a.rows(), b.rows(), "row counts disagree");
    reduce(&TransposedProduct { a, b }, exec)
}

struct TransposedProduct<'a, B> {
    a: &'a B,
    b: &'a Matrix,
}

impl<B: Blocks> Reduction for TransposedProduct<'_, B> {
    /// Column by column.
    type Partial = Vec<f32>;
    type Output = SmallMatrix;

    fn rows(&self) -> usize {
        self.b.rows()
    }

    fn block(&self) -> usize {
        wide_block(self.b.rows(), BLOCK)
    }

    fn partial(&self, rows: Range<usize>) -> Vec<f32> {
        let (p, q) = (self.a.cols(), self.b.cols());
        let mut room = Vec::new();
        let lhs = DenseRows::new(self.a.block(rows.clone(), &mut room), rows.len(), p).view();
        let rhs = DenseRows::of(self.b, rows).view();
        let mut out = vec![0.0f32; p * q];
        let dst = MatMut::from_column_major_slice_mut(&mut out, p, q);
        matmul(dst, Accum::Replace, lhs.transpose(), rhs, 1.0, Par::Seq);
        out
    }

    fn merge(&self, partials: Vec<Vec<f32>>) -> SmallMatrix {
        let (p, q) = (self.a.cols(), self.b.cols());
        let mut sum = vec![0.0f64; p * q];
        add_in_order(&mut sum, &partials);
        SmallMatrix::from_columns(&sum, p, q)
    }
}

/// The Gram matrix `aᵀ diag(weights) a` in full `f64` (the orthonormalisation squares condition numbers).
pub(crate) fn gram(a: &impl Blocks, weights: Option<&[f32]>, exec: &Exec) -> SmallMatrix {
    reduce(&Gram { a, weights }, exec)
}

struct Gram<'a, B> {
    a: &'a B,
    weights: Option<&'a [f32]>,
}

impl<B: Blocks> Reduction for Gram<'_, B> {
    /// The lower triangle, column by column.
    type Partial = Vec<f64>;
    type Output = SmallMatrix;

    fn rows(&self) -> usize {
        self.a.rows()
    }

    fn block(&self) -> usize {
        wide_block(self.a.rows(), BLOCK)
    }

    fn partial(&self, rows: Range<usize>) -> Vec<f64> {
        let p = self.a.cols();
        let mut sum = vec![0.0f64; p * p];
        let mut room = Vec::new();
        let mut start = rows.start;
        while start < rows.end {
            let count = BLOCK.min(rows.end - start);
            let own = self.a.block(start..start + count, &mut room);
            let block: Vec<f64> = own.iter().map(|&v| f64::from(v)).collect();
            let rhs = MatRef::from_row_major_slice(&block, count, p);
            let scaled: Vec<f64>;
            let lhs = match self.weights {
                None => rhs,
                Some(weights) => {
                    scaled =
                        (0..count * p).map(|at| block[at] * f64::from(weights[start + at / p])).collect();
                    MatRef::from_row_major_slice(&scaled, count, p)
                }
            };
            triangular::matmul(
                MatMut::from_column_major_slice_mut(&mut sum, p, p),
                BlockStructure::TriangularLower,
                Accum::Add,
                lhs.transpose(),
                BlockStructure::Rectangular,
                rhs,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
            start += count;
        }
        sum
    }

    fn merge(&self, partials: Vec<Vec<f64>>) -> SmallMatrix {
        let p = self.a.cols();
        let mut sum = vec![0.0f64; p * p];
        add_in_order(&mut sum, &partials);
        // Only the lower triangle was computed.
        SmallMatrix::from_fn(p, p, |row, col| sum[row.min(col) * p + row.max(col)])
    }
}

/// Adds the lower triangle of `aᵀ a` to `sum`, row by row in memory, all in `f32`. On this thread.
pub(crate) fn add_gram_lower(a: DenseRows<'_>, sum: &mut [f32]) {
    triangular::matmul(
        MatMut::from_row_major_slice_mut(sum, a.width, a.width),
        BlockStructure::TriangularLower,
        Accum::Add,
        a.view().transpose(),
        BlockStructure::Rectangular,
        a.view(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Standard deviation of every column, around its mean, in `f64`.
pub(crate) fn column_deviations(a: &Matrix, exec: &Exec) -> Vec<f64> {
    let n = a.rows() as f64;
    let deviation = |[sum, squares]: [f64; 2]| (squares / n - (sum / n).powi(2)).max(0.0).sqrt();
    reduce(&ColumnMoments(a), exec).into_iter().map(deviation).collect()
}

/// Sum of the squares of every column, in `f64`.
pub(crate) fn column_squares(a: &Matrix, exec: &Exec) -> Vec<f64> {
    reduce(&ColumnMoments(a), exec).into_iter().map(|[_, squares]| squares).collect()
}

/// The sum and the sum of squares of every column.
struct ColumnMoments<'a>(&'a Matrix);

impl Reduction for ColumnMoments<'_> {
    type Partial = [Vec<f64>; 2];
    type Output = Vec<[f64; 2]>;

    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn block(&self) -> usize {
        BLOCK
    }

    fn partial(&self, rows: Range<usize>) -> [Vec<f64>; 2] {
        let [mut sums, mut squares] = [vec![0.0f64; self.0.cols()], vec![0.0f64; self.0.cols()]];
        for row in rows {
            for (col, &v) in self.0.row(row).iter().enumerate() {
                sums[col] += f64::from(v);
                squares[col] += f64::from(v) * f64::from(v);
            }
        }
        [sums, squares]
    }

    fn merge(&self, partials: Vec<[Vec<f64>; 2]>) -> Vec<[f64; 2]> {
        let total = |which: usize, col: usize| partials.iter().map(|partial| partial[which][col]).sum();
        (0..self.0.cols()).map(|col| [total(0, col), total(1, col)]).collect()
    }
}

/// Scales every row to length 1; rows of length `shortest` or less become zero.
pub(crate) fn normalize_rows(a: &mut Matrix, shortest: f32, exec: &Exec) {
    exec.fill_matrix(a, |_, row| {
        let norm = row.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
        if norm > f64::from(shortest) {
            for v in row.iter_mut() {
                *v = (f64::from(*v) / norm) as f32;
            }
        } else {
            row.fill(0.0);
        }
    });
}

/// Copies of some rows, in the given order.
pub(crate) fn gather_rows(a: &Matrix, rows: &[u32], exec: &Exec) -> Matrix {
    let mut out = Matrix::zeros(rows.len(), a.cols());
    exec.fill_matrix(&mut out, |at, row| row.copy_from_slice(a.row(rows[at] as usize)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    fn random(rows: usize, cols: usize, unit: u64) -> Matrix {
        let mut draw = Seed(3).stream(Stream::Synth, unit);
        Matrix::from_fn(rows, cols, |_, _| draw.normal() as f32)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-4 * (1.0 + b.abs())
    }

    #[test]
    fn products_equal_the_triple_loop() {
        let exec = Exec::new(2).unwrap();
        let (a, b) = (random(1100, 19, 0), random(1100, 7, 1));
        let c = random(19, 5, 2);
        let expected: f64 = (0..19).map(|k| f64::from(a.row(700)[k]) * f64::from(c.row(k)[3])).sum();
        let small = SmallMatrix::from_fn(19, 5, |row, col| f64::from(c.row(row)[col]));
        for product in [gemm(&a, &c, &exec), gemm_small(&a, &small, &exec)] {
            assert!(close(f64::from(product.row(700)[3]), expected));
        }
        let square = SmallMatrix::from_fn(19, 19, |row, col| (row * col % 7) as f64);
        assert_eq!(gemm_small_in_place(a.clone(), &square, &exec), gemm_small(&a, &square, &exec));
        assert_eq!(gemm_small_in_place(a.clone(), &small, &exec), gemm_small(&a, &small, &exec));
        let mut wide = vec![7.0; 1100 * 8];
        gemm_into_columns(DenseRows::all(&a), &c, &mut wide, 8, 2);
        assert!(close(f64::from(wide[700 * 8 + 5]), expected) && wide[700 * 8 + 1] == 7.0);
        let tn = gemm_tn(&a, &b, &exec);
        let expected: f64 = (0..1100).map(|r| f64::from(a.row(r)[4]) * f64::from(b.row(r)[6])).sum();
        assert!(close(tn[(4, 6)], expected));
        let mut nt = vec![0.0; 3 * 2];
        gemm_nt(DenseRows::of(&a, 5..8), DenseRows::of(&a, 1..3), &mut nt);
        let expected: f64 = (0..19).map(|k| f64::from(a.row(6)[k]) * f64::from(a.row(2)[k])).sum();
        assert!(close(f64::from(nt[3]), expected));
    }

    #[test]
    fn gram_matrices_equal_the_triple_loop() {
        let exec = Exec::new(2).unwrap();
        let a = random(1100, 19, 0);
        let weights: Vec<f32> = (0..1100).map(|r| (r % 5) as f32).collect();
        let g = gram(&a, Some(&weights), &exec);
        let product = |r: usize| f64::from(a.row(r)[4]) * f64::from(a.row(r)[11]);
        let expected: f64 = (0..1100).map(|r| f64::from(weights[r]) * product(r)).sum();
        assert!(close(g[(4, 11)], expected) && g[(4, 11)] == g[(11, 4)]);
        let mut sum = vec![1.0; 19 * 19];
        add_gram_lower(DenseRows::all(&a), &mut sum);
        let expected: f64 = (0..1100).map(product).sum();
        assert!(close(f64::from(sum[11 * 19 + 4]), 1.0 + expected) && sum[4 * 19 + 11] == 1.0);
    }

    #[test]
    fn deviations_norms_and_copies() {
        let exec = Exec::new(1).unwrap();
        let mut a = Matrix::from_vec(2, 2, vec![3.0, 4.0, 0.0, 0.0]);
        let deviations = column_deviations(&a, &exec);
        assert!((deviations[0] - 1.5).abs() < 1e-12 && (deviations[1] - 2.0).abs() < 1e-12);
        assert_eq!(column_squares(&a, &exec), [9.0, 16.0]);
        normalize_rows(&mut a, 0.0, &exec);
        assert_eq!(a.as_slice(), [0.6, 0.8, 0.0, 0.0]);
        assert_eq!(gather_rows(&a, &[1, 0], &exec).as_slice(), [0.0, 0.0, 0.6, 0.8]);
    }
}
