//! Every hot loop over rows and edges: sparse products, dense products by blocks, dots over pairs.
//!
//! Plain safe loops; [`simd`] lets the compiler use the machine's vector units. Sums that run over rows are taken
//! over fixed blocks in `f64`, so the number of threads never shows in a result.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::csr::{Csr, Pair};
use crate::exec::Exec;
use crate::matrix::Matrix;

/// Rows in a block of a dense product. Fixed: sums are taken block by block.
const BLOCK: usize = 512;

/// Runs `work` compiled for the best vector units of this machine. The closure and all that it calls in its loops must be
/// `#[inline(always)]`: what is not inlined is compiled for the oldest machine.
#[inline(always)]
pub(crate) fn simd<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// `y += a x`.
#[inline(always)]
pub(crate) fn axpy<T: Copy + Into<f32>>(a: f32, x: &[T], y: &mut [f32]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += a * x.into();
    }
}

/// The dot product, in 32 independent lanes that are added in a fixed order.
#[inline(always)]
pub(crate) fn dot<T: Copy + Into<f32>>(x: &[T], y: &[f32]) -> f32 {
    const LANES: usize = 32;
    let mut lanes = [0.0f32; LANES];
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let tail: f32 = xs.remainder().iter().zip(ys.remainder()).map(|(&a, b)| a.into() * b).sum();
    for (x, y) in xs.zip(ys) {
        for lane in 0..LANES {
            lanes[lane] += x[lane].into() * y[lane];
        }
    }
    lanes.iter().sum::<f32>() + tail
}

/// A sparse matrix with scaled rows and columns and perhaps a unit diagonal: `diag(left) (A + I) diag(right)`.
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

/// The sparse-dense product, one task a block of rows. `O(nnz · columns)`.
pub(crate) fn spmm(a: Scaled<'_>, x: &Matrix, exec: &Exec) -> Matrix {
    assert_eq!(a.matrix.cols(), x.rows(), "sparse and dense matrix disagree");
    let mut out = Matrix::zeros(a.matrix.rows(), x.cols());
    let weight = |node: usize| a.right.map_or(1.0, |right| right[node]);
    exec.fill_matrix(&mut out, |row, out| {
        simd(
            #[inline(always)]
            || {
                // Written before it is read: fresh memory then faults once, not twice.
                out.fill(0.0);
                let values = a.matrix.row_values(row);
                for (at, &col) in a.matrix.row(row).iter().enumerate() {
                    let value = values.map_or(1.0, |values| values[at]) * weight(col as usize);
                    axpy(value, x.row(col as usize), out);
                }
                if a.self_loops {
                    axpy(weight(row), x.row(row), out);
                }
                if let Some(left) = a.left {
                    for v in out.iter_mut() {
                        *v *= left[row];
                    }
                }
            },
        );
    });
    out
}

/// Rows of a dense matrix, a block at a time: as they are, or made for the moment where the whole would be too large.
pub(crate) trait Blocks: Sync {
    fn rows(&self) -> usize;
    fn cols(&self) -> usize;
    /// These rows, one after the other; in `room` where they have to be made.
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

/// The dense product `a b`, one task a block of rows of `a`.
pub(crate) fn gemm(a: &impl Blocks, b: MatRef<'_, f32>, exec: &Exec) -> Matrix {
    assert_eq!(a.cols(), b.nrows(), "inner dimensions disagree");
    let (inner, width) = (a.cols(), b.ncols());
    let mut out = Matrix::zeros(a.rows(), width);
    exec.fill_rows(out.as_mut_slice(), width, BLOCK, |first, rows| {
        let count = rows.len() / width;
        let mut room = Vec::new();
        let lhs = MatRef::from_row_major_slice(a.block(first..first + count, &mut room), count, inner);
        let dst = MatMut::from_row_major_slice_mut(rows, count, width);
        matmul(dst, Accum::Replace, lhs, b, 1.0, Par::Seq);
    });
    out
}

/// The product `aᵀ b` of two tall matrices: blocks in `f32`, summed in `f64`.
pub(crate) fn gemm_tn(a: &impl Blocks, b: &Matrix, exec: &Exec) -> Mat<f64> {
    assert_eq!(a.rows(), b.rows(), "row counts disagree");
    let (p, q) = (a.cols(), b.cols());
    // At most 64 partial results, however tall the matrices are.
    let partials = exec.map_blocks(a.rows(), BLOCK.max(a.rows().div_ceil(64)), |range| {
        let count = range.len();
        let mut room = Vec::new();
        let lhs = MatRef::from_row_major_slice(a.block(range.clone(), &mut room), count, p);
        let rhs = MatRef::from_row_major_slice(&b.as_slice()[range.start * q..range.end * q], count, q);
        let mut out = vec![0.0f32; p * q];
        let dst = MatMut::from_column_major_slice_mut(&mut out, p, q);
        matmul(dst, Accum::Replace, lhs.transpose(), rhs, 1.0, Par::Seq);
        out
    });
    let mut sum = vec![0.0f64; p * q];
    for partial in &partials {
        for (sum, &v) in sum.iter_mut().zip(partial) {
            *sum += f64::from(v);
        }
    }
    MatRef::from_column_major_slice(&sum, p, q).to_owned()
}

/// The Gram matrix `aᵀ diag(weights) a` in full `f64` (the orthonormalisation squares condition numbers).
pub(crate) fn gram(a: &Matrix, weights: Option<&[f32]>, exec: &Exec) -> Mat<f64> {
    let p = a.cols();
    let partials = exec.map_blocks(a.rows(), BLOCK.max(a.rows().div_ceil(64)), |range| {
        let mut sum = vec![0.0f64; p * p];
        let mut start = range.start;
        while start < range.end {
            let count = BLOCK.min(range.end - start);
            let block: Vec<f64> =
                a.as_slice()[start * p..(start + count) * p].iter().map(|&v| f64::from(v)).collect();
            let rhs = MatRef::from_row_major_slice(&block, count, p);
            let scaled: Vec<f64>;
            let lhs = match weights {
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
    });
    let mut sum = vec![0.0f64; p * p];
    for partial in &partials {
        for (sum, v) in sum.iter_mut().zip(partial) {
            *sum += v;
        }
    }
    // Only the lower triangle was computed.
    Mat::from_fn(p, p, |row, col| sum[row.min(col) * p + row.max(col)])
}

/// `left[i] · right[j]` for every pair (i, j).
pub(crate) fn pair_dots(left: &Matrix, right: &Matrix, pairs: &[Pair], exec: &Exec) -> Vec<f32> {
    let mut out = vec![0.0; pairs.len()];
    exec.fill_rows(&mut out, 1, 2048, |first, out| {
        simd(
            #[inline(always)]
            || {
                for (value, &[i, j]) in out.iter_mut().zip(&pairs[first..]) {
                    *value = dot(left.row(i as usize), right.row(j as usize));
                }
            },
        );
    });
    out
}

/// Standard deviation of every column, around its mean, in `f64`.
pub(crate) fn column_deviations(a: &Matrix, exec: &Exec) -> Vec<f64> {
    let cols = a.cols();
    let partials = exec.map_blocks(a.rows(), BLOCK, |range| {
        let (mut sums, mut squares) = (vec![0.0f64; cols], vec![0.0f64; cols]);
        for row in range {
            for (col, &v) in a.row(row).iter().enumerate() {
                sums[col] += f64::from(v);
                squares[col] += f64::from(v) * f64::from(v);
            }
        }
        (sums, squares)
    });
    let n = a.rows() as f64;
    (0..cols)
        .map(|col| {
            let sum: f64 = partials.iter().map(|p| p.0[col]).sum();
            let squares: f64 = partials.iter().map(|p| p.1[col]).sum();
            (squares / n - (sum / n).powi(2)).max(0.0).sqrt()
        })
        .collect()
}

/// Sum of the squares of every column, in `f64`.
pub(crate) fn column_squares(a: &Matrix, exec: &Exec) -> Vec<f64> {
    let partials = exec.map_blocks(a.rows(), BLOCK, |range| {
        let mut squares = vec![0.0f64; a.cols()];
        for row in range {
            squares.iter_mut().zip(a.row(row)).for_each(|(sum, &v)| *sum += f64::from(v) * f64::from(v));
        }
        squares
    });
    (0..a.cols()).map(|col| partials.iter().map(|squares| squares[col]).sum()).collect()
}

/// Scales every row to length 1; rows that are not longer than `shortest` become zero.
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
        let product = gemm(&a, c.faer(), &exec);
        let expected: f64 = (0..19).map(|k| f64::from(a.row(700)[k]) * f64::from(c.row(k)[3])).sum();
        assert!(close(f64::from(product.row(700)[3]), expected));
        let tn = gemm_tn(&a, &b, &exec);
        let expected: f64 = (0..1100).map(|r| f64::from(a.row(r)[4]) * f64::from(b.row(r)[6])).sum();
        assert!(close(tn[(4, 6)], expected));
        let weights: Vec<f32> = (0..1100).map(|r| (r % 5) as f32).collect();
        let g = gram(&a, Some(&weights), &exec);
        let expected: f64 =
            (0..1100).map(|r| f64::from(weights[r]) * f64::from(a.row(r)[4]) * f64::from(a.row(r)[11])).sum();
        assert!(close(g[(4, 11)], expected) && g[(4, 11)] == g[(11, 4)]);
    }

    #[test]
    fn spmm_equals_the_dense_product() {
        let exec = Exec::new(2).unwrap();
        let a = Csr::symmetric(4, &[[0, 1], [1, 2], [0, 3]]);
        let x = random(4, 3, 5);
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
    }

    #[test]
    fn deviations_and_norms() {
        let exec = Exec::new(1).unwrap();
        let mut a = Matrix::from_vec(2, 2, vec![3.0, 4.0, 0.0, 0.0]);
        let deviations = column_deviations(&a, &exec);
        assert!((deviations[0] - 1.5).abs() < 1e-12 && (deviations[1] - 2.0).abs() < 1e-12);
        normalize_rows(&mut a, 0.0, &exec);
        assert_eq!(a.as_slice(), [0.6, 0.8, 0.0, 0.0]);
    }
}
